"""A submission that can't be graded is a row that waits for a decision, and doesn't hold up other grades."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LESSON, POINTS, TimedResult, run_course
from undecided import CUT, OTHER, class_of_three

from autograder.records.archive import Archive
from autograder.records.decisions import Decision, decide, read_decisions
from course_lib.course import Course, CourseError

#: what the lesson is worth, as it is displayed; and what it would be worth with points for its written questions
MOST, WITH_WRITTEN = f"{POINTS:g}", f"{POINTS + 4:g}"


@pytest.fixture
def root(course: Course, tmp_path: Path) -> Path:
    """A class of three in which one student's resubmission is a folder without a notebook."""
    root, _ = class_of_three(course, tmp_path)
    ran = run_course(root, "grade", "03")
    assert ran.code == 0, ran
    said = " ".join(ran.out.split())
    assert f"1 submission needs a decision: {CUT}. Exports leave the cell empty until then." in said
    return root


def exported(root: Path, *arguments: str) -> tuple[dict[str, str], TimedResult]:
    ran = run_course(root, "grades", "03", "--to", "grades.csv", *arguments)
    assert ran.code == 0, ran
    with (root / "grades.csv").open() as file:
        return {row["student_id"]: row["score"] for row in csv.DictReader(file)}, ran


def test_a_submission_that_needs_a_decision_blocks_nobody_and_a_decision_can_be_reversed(root: Path) -> None:
    cells, ran = exported(root)
    assert cells[CUT] == "" and cells[OTHER] != ""
    said = " ".join(ran.out.split())
    assert f"{CUT} handed in something that cannot be graded (there is no file {LESSON}.ipynb)" in said
    assert f"needs a decision. Run: course decide {CUT} {LESSON} --points N (or --not-handed-in" in said
    assert "needs one" in run_course(root, "decide").out

    decided = run_course(root, "decide", CUT, "03", "--points", "7.5", "--reason", "=read from the PDF")
    assert decided.code == 0 and "decided: 7.5 points" in decided.out, decided
    cells, ran = exported(root)
    assert cells[CUT] == "7.5" and "needs a decision" not in ran.out
    graded = run_course(root, "grade", "03", "--json", "results.json")
    assert "needs a decision" not in " ".join(graded.out.split())
    (record,) = [one for one in json.loads((root / "results.json").read_text()) if one["student"] == CUT]
    assert record["score"] == 7.5 and record["decision"] == "decided: 7.5 points ('=read from the PDF)"

    assert run_course(root, "decide", CUT, "03", "--not-handed-in").code == 0
    assert exported(root)[0][CUT] == ""
    cells, ran = exported(root, "--absent", "zero")
    assert cells[CUT] == "0" and "handed in nothing" in ran.out
    assert run_course(root, "decide", CUT, "03", "--wait").code == 0
    assert exported(root, "--absent", "zero")[0][CUT] == "", "without a decision it never counts as not handed in"


@pytest.mark.slow
def test_nbgrader_export_writes_the_same(root: Path) -> None:
    assert run_course(root, "decide", CUT, "03", "--points", "2").code == 0
    exported(root)
    command = [Path(sys.executable).with_name("nbgrader"), "export", "--to", "theirs.csv"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (root / "theirs.csv").read_bytes() == (root / "grades.csv").read_bytes()


def test_the_time_of_a_file_that_cannot_be_graded_is_kept_and_not_asked_for(course: Course, tmp_path: Path) -> None:
    root, archive = class_of_three(course, tmp_path)
    (root / "course.toml").write_text('[late]\npolicy = "zero"\n')
    assert run_course(root, "deadlines", "03", "2026-03-01 12:00").code == 0
    folder, downloads = archive.submitted / CUT / LESSON, root / "downloads"
    (downloads / CUT).mkdir(parents=True)
    (downloads / CUT / "work.py").write_text("pass\n")
    (root / "times.csv").write_text(f"student,time\n{CUT},2026-03-02 12:00:00 UTC\n")
    shutil.rmtree(archive.submitted)
    assert run_course(root, "collect", "03", "downloads").code == 0
    graded = run_course(root, "grade", "03")
    assert "NEEDS A LOOK" not in graded.out and f"1 submission needs a decision: {CUT}" in " ".join(graded.out.split())
    assert run_course(root, "collect", "03", "downloads", "--times", "times.csv").code == 0
    assert (folder / "timestamp.txt").read_text() == "2026-03-02 12:00:00 UTC\n"
    assert "handed in 1 day late" in " ".join(run_course(root, "grade", "03").out.split())


def test_a_file_that_can_be_graded_replaces_a_decision(root: Path, course: Course) -> None:
    archive = Archive(root / "class")
    decide(archive, OTHER, LESSON, Decision(1.0))
    before = exported(root)[0][OTHER]
    assert before != "1", "a decision is only for what cannot be graded"
    refused = run_course(root, "decide", OTHER, "03", "--points", "1")
    assert refused.code == 1 and "was graded. Change its points in formgrader" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((CUT,), "Name the student and the lesson"),
        ((CUT, "03"), "Say what to do with it: --points N, --not-handed-in, --accept, or --wait"),
        ((CUT, "03", "--points", "1", "--wait"), "Say what to do with it"),
        (("nobody", "03", "--points", "1"), "There is no record of 'nobody'"),
        ((CUT, "03", "--points", f"{POINTS + 0.5}"), f"is worth {MOST} points: enter 0 to {MOST}, not {MOST}.5."),
    ],
)
def test_an_invalid_decision_is_explained(root: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = run_course(root, "decide", *arguments)
    assert ran.code == 1 and said in " ".join(ran.err.split()), ran


def test_a_decision_may_be_from_0_to_what_the_lesson_is_worth(root: Path) -> None:
    for points in ("-1", "nan"):
        assert run_course(root, "decide", CUT, "03", "--points", points).code != 0
    for points in ("0", MOST):
        assert run_course(root, "decide", CUT, "03", "--points", points).code == 0
        assert exported(root)[0][CUT] == points


def test_an_export_names_students_with_more_points_than_the_lesson_is_worth(root: Path) -> None:
    (root / "class/decisions.csv").write_text(f"student,lesson,decision\n{CUT},{LESSON},25\n")
    assert f"{LESSON}: more than the {MOST} points it is worth: {CUT} 25." in exported(root)[1].out
    (root / "class/decisions.csv").write_text(f"student,lesson,decision\n{CUT},{LESSON},{MOST}\n")
    assert "it is worth" not in exported(root)[1].out


def test_the_page_of_a_decided_submission_says_what_was_decided_and_asks_for_nothing(root: Path) -> None:
    def page() -> str:
        run_course(root, "feedback", "03")  # the others have no graded notebook
        return " ".join((root / f"class/feedback/{CUT}/{LESSON}/{LESSON}.html").read_text().split())

    assert "hand it in again" in page() and "decided" not in page()
    assert run_course(root, "decide", CUT, "03", "--points", "6", "--reason", "read from <the> PDF").code == 0
    decided = page()
    assert f": 6 / {MOST}</h1>" in decided
    assert (
        "<strong>Your instructor decided about this submission:</strong> 6 points (read from &lt;the&gt; PDF)."
        in decided
    )
    assert f"The grader could not grade the file: there is no file {LESSON}.ipynb." in decided
    assert "hand it in again" not in decided and "by hand" not in decided
    assert run_course(root, "decide", CUT, "03", "--not-handed-in").code == 0
    absent = page()
    assert "<strong>Your instructor decided about this submission:</strong> not handed in." in absent
    assert "hand it in again" not in absent and f"/ {MOST}</h1>" not in absent
    assert run_course(root, "decide", CUT, "03", "--wait").code == 0
    assert "hand it in again" in page()


def test_a_decision_stays_when_the_points_of_exercises_change_and_regrading_names_it(root: Path) -> None:
    assert run_course(root, "decide", CUT, "03", "--points", "6").code == 0
    for student in (OTHER, "student00002"):
        shutil.rmtree(root / "class/submitted" / student)
    with (root / "course.toml").open("a") as file:
        file.write('[written]\ngrading = "hand"\npoints = 2\n')

    def says(*arguments: str, answer: str = "") -> str:
        ran = run_course(root, *arguments, answer=answer)
        assert ran.code == 0, ran
        return " ".join(ran.out.split())

    says("build", "03")
    says("grade", "03", "--dry-run", "--json", "changes.json")
    (kept,) = [one for one in json.loads((root / "changes.json").read_text()) if one["student"] == CUT]
    assert (kept["old"], kept["new"], kept["found"]) == (6, 6, f"decided: 6 of {WITH_WRITTEN}, was 6 of {MOST}")
    assert kept["why"] == f"the lesson is worth {WITH_WRITTEN} points, not {MOST}; a decision stays as it is"
    assert f"{CUT} the whole lesson 6 → 6 decided: 6 of {WITH_WRITTEN}," in says("regrade", "03", answer="n\n")
    assert f"{CUT} decided: 6 of {WITH_WRITTEN}, was 6 of {MOST}" in says("grade", "03")
    assert exported(root)[0][CUT] == "6"
    assert "decided: 6 of" not in says("grade", "03")


def test_the_file_can_be_written_by_hand(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (tmp_path / "decisions.csv").write_text(
        f"\ufeffstudent;lesson;decision;reason\nada;{LESSON};7,5;\nbob;{LESSON};Not handed in;late\n;;;\n"
    )
    assert read_decisions(archive) == {
        ("ada", LESSON): Decision(7.5),
        ("bob", LESSON): Decision(None, "late"),
    }
    for wrong in ("many", "-1", "nan", ""):
        (tmp_path / "decisions.csv").write_text(f"student,lesson,decision\nada,{LESSON},{wrong}\n")
        with pytest.raises(CourseError, match=r"decisions.csv, line 2: a row needs a student, a lesson and a decision"):
            read_decisions(archive)


def test_a_purged_student_has_no_decision_and_no_extension_left(root: Path) -> None:
    for arguments in (("decide", CUT, "03", "--points", "7"), ("deadlines", "03", "2026-03-01 12:00")):
        assert run_course(root, *arguments).code == 0
    for student in (CUT, OTHER):
        assert run_course(root, "deadlines", "03", "--student", student, "--extra-days", "2").code == 0
    ran = run_course(root, "purge", "--student", CUT, "--yes")
    assert ran.code == 0 and f"the rows of {CUT} in decisions.csv" in " ".join(ran.out.split()), ran
    left = [(root / "class" / name).read_text() for name in ("decisions.csv", "deadlines.csv")]
    assert not any(CUT in text for text in left) and OTHER in left[1]
    assert run_course(root, "deadlines").code == 0
