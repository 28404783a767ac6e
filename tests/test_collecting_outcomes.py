"""Every file and every student has exactly one row, the sums add up, and no submission is reported as missing."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from collecting import ROSTER, Class, Notebooks, place, scratch, tarred, zipped
from conftest import LESSON, copy_course, run_course
from rich.console import Console

from autograder.collecting.drafts import drafts_in
from autograder.collecting.labels import Labels, read_labels
from autograder.collecting.outcomes import COLLECTED, FileOutcome
from autograder.collecting.roster import Member, Roster
from autograder.submissions.submission import Submission, find_submissions
from autograder.terminal import fates_table
from course_lib.course import Course
from course_lib.running.notebook_file import UnreadableError

MINE = scratch("def softmax(x, dim):\n    return x")
ANOTHER = json.dumps({"cells": [], "metadata": {"course": {"lesson": "02_attention"}}}).encode()

#: submissions that can't be graded, each with a word from the reason
SOMETHING = {
    "a script": ({"kim.py": b"import numpy as np\n"}, "kim.py"),
    "a page": ({f"{LESSON}.html": b"<html></html>"}, "html"),
    "a PDF": ({"work.pdf": b"%PDF-1.7"}, "work.pdf"),
    "a 7z archive": ({"work.7z": b"7z\xbc\xaf'\x1c"}, "7z archive"),
    "a RAR archive": ({"work.rar": b"Rar!\x1a\x07"}, "RAR archive"),
    "another lesson": ({"02_attention.ipynb": ANOTHER}, "02_attention"),
    "a zip without a notebook": ({"all.zip": zipped({"kim.py": b"x = 1"})}, "kim.py"),
    "a damaged zip": ({"all.zip": b"PK\x03\x04 cut"}, "cannot be read"),
    "archives in archives": (
        {
            "a.zip": zipped(
                {"b.zip": zipped({"c.zip": zipped({"d.zip": zipped({"e.zip": zipped({"x.ipynb": MINE})})})})}
            )
        },
        "too deep",
    ),
    "a document": ({"answers.docx": zipped({"word/document.xml": b"<x/>"})}, "answers.docx"),
    "a picture": ({"screenshot.png": b"\x89PNG\r\n"}, "screenshot.png"),
    "a file that is cut short": ({f"{LESSON}.ipynb": MINE[:40]}, "cut short"),
    "a login page": ({f"{LESSON}.ipynb": b"<!DOCTYPE html><title>x</title>"}, "web page"),
    "a file that is empty": ({f"{LESSON}.ipynb": b""}, "empty"),
}


@pytest.mark.parametrize("what", SOMETHING)
@pytest.mark.parametrize("folder", ["kim", "Kim Lee_12_assignsubmission_file_", "hw3-kim"])
def test_nobody_who_handed_in_something_is_reported_as_missing(tmp_path: Path, what: str, folder: str) -> None:
    files, reason = SOMETHING[what]
    a_class = Class(tmp_path)
    outcomes = a_class.collect({f"{folder}/{name}": content for name, content in files.items()})
    assert a_class.has("kim") == "to decide" and a_class.last and "kim" not in a_class.last.absent
    assert all(outcome.needs_a_look and outcome.note for outcome in outcomes.values())
    said = "\n".join(a_class.last.in_words())
    assert "kim handed in something that cannot be graded" in said and reason in said
    [submission] = find_submissions(tmp_path / "submitted", LESSON)
    if submission.read(0) is None:
        with pytest.raises(UnreadableError, match=f"in place of {LESSON}.ipynb there is only") as raised:
            submission.require()
        assert reason in str(raised.value) and str(raised.value).isprintable()
    a_class.collect({f"kim/{LESSON}.ipynb": MINE})
    assert a_class.has("kim") == "collected" and not a_class.file("kim", "needs_a_look.txt").exists()


def test_a_file_next_to_a_notebook_is_left_out_and_costs_nothing(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    outcomes = a_class.collect({f"kim/{LESSON}.ipynb": MINE, "kim/helpers.py": b"x = 1", "kim/data.csv": b"a"})
    assert Counter(outcome.became for outcome in outcomes.values()) == {"new": 1, "left out": 2}
    assert not any(outcome.needs_a_look for outcome in outcomes.values())


def test_namesakes_have_something_to_decide(tmp_path: Path) -> None:
    roster = Roster([Member("s1", "John", "Smith"), Member("s2", "John", "Smith"), Member("kim", "Kim", "Lee")])
    a_class = Class(tmp_path, roster=roster)
    files = {f"John Smith_{n}_assignsubmission_file_/x.ipynb": MINE for n in (12, 13)}
    outcomes = a_class.collect(files)
    assert all("may be s1 or s2" in outcome.note for outcome in outcomes.values())
    assert [a_class.has(one) for one in ("s1", "s2", "kim")] == ["to decide", "to decide", "nothing"]
    a_class.collect({"s1/x.ipynb": MINE, "s2/x.ipynb": MINE})
    assert [a_class.has(one) for one in ("s1", "s2", "kim")] == ["collected", "collected", "nothing"]


def test_files_without_an_owner_are_mentioned_next_to_missing_submissions(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"who.ipynb": MINE, "what.py": b"x = 1"})
    assert a_class.last and a_class.last.files == {"nobody's": 2}
    assert "(unless a file without a student in the table is theirs)" in "\n".join(a_class.last.in_words())


@pytest.mark.parametrize("what", ["a file that is cut short", "a login page", "a file that is empty"])
def test_a_file_that_cannot_be_read_does_not_count_as_collected(tmp_path: Path, what: str) -> None:
    files, reason = SOMETHING[what]
    a_class = Class(tmp_path)
    for _ in range(2):
        outcomes = a_class.collect({**{f"kim/{name}": content for name, content in files.items()}, "ada/x.ipynb": MINE})
        assert [outcome.became for outcome in outcomes.values() if outcome.student == "kim"] == ["unreadable"]
        said = "\n".join(a_class.last.in_words()) if a_class.last else ""
        assert "2 files: 1 " in said and "4 students: 1 with a notebook, 1 with something" in said and reason in said
    assert a_class.file("kim").is_file(), "grading reports it to the student"


def test_a_difference_between_files_and_students_is_explained(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"kim/x.ipynb": MINE})
    assert a_class.last and "\n".join(a_class.last.in_words()).split("\n")[1][-13:] == "with nothing."
    a_class.collect({"Group A_55_assignsubmission_file_/x.ipynb": MINE}, labels=Labels({"groupa": ("zo", "jm")}))
    said = "\n".join(a_class.last.in_words())
    assert "1 file: 1 collected" in said and "4 students: 3 with a notebook" in said
    assert "A team's file counts for each member. The notebooks of 1 student come from an earlier run." in said


def test_the_table_tells_the_instructor_what_to_run_and_leaves_out_what_is_meant_for_the_student(
    tmp_path: Path,
) -> None:
    a_class = Class(tmp_path)
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n"
    outcomes = a_class.collect({"kim/x.ipynb": MINE[:40], "ada/x.ipynb": b"\0\0", "zo/x.ipynb": pointer})
    assert a_class.last
    said = "\n".join([*(outcome.note for outcome in outcomes.values()), *a_class.last.in_words()])
    assert "cut short" in said and "Git LFS pointer" in said and "again" not in said.casefold()
    assert f"run course grade {LESSON} and then course decide STUDENT {LESSON} --points N, or --not-handed-in." in said


def test_namesakes_without_numbers_come_with_a_way_out_that_works(tmp_path: Path) -> None:
    namesakes = Roster([Member("jan.novak", "Jan", "Novák"), Member("jan.novak2", "Jan", "Novák")])
    files = {f"Jan Novák_{n}_assignsubmission_file_/x.ipynb": MINE for n in (57, 58)}
    a_class = Class(tmp_path, roster=namesakes)
    a_class.collect(files)
    assert a_class.last
    [line] = [line for line in a_class.last.in_words() if "same name" in line]
    assert "--roster" in line and line.endswith("such as: Jan Novák 57,jan.novak2")
    tables = place(tmp_path, {"l.csv": "label,student\nJan Novák 57,jan.novak2\nJan Novák 58,jan.novak\n"}, "t")
    outcomes = a_class.collect(files, labels=read_labels(tables / "l.csv", namesakes))
    assert [outcome.student for outcome in outcomes.values()] == ["jan.novak2", "jan.novak"]
    assert "same name" not in "\n".join(a_class.last.in_words())


def test_no_part_of_a_files_name_is_cut_off_in_a_narrow_terminal() -> None:
    name = "mülleranna_LATE_2102_92002_" + "x" * 150 + "_self_attention-3.ipynb"
    outcomes = [FileOutcome(PurePosixPath(name), ("a.student.with.a.very.long.id",), "new", "y" * 200)]
    terminal = Console(width=80, file=io.StringIO(), color_system=None)
    terminal.print(fates_table(outcomes))
    lines = terminal.file.getvalue().split("\n")  # type: ignore[attr-defined]
    assert all(len(line) <= 80 for line in lines) and not any("…" in line for line in lines)
    width = lines[0].index("Student")
    assert "".join(line[:width].strip() for line in lines[1:]) == name


WORKSHEETS = {
    "English": "Identifier,Full name,Email address,Status,Last modified (submission)\n"
    "Participant 1,Kim Lee,kim.lee@uni.example,Draft (not submitted),-\n"
    "Participant 2,Ada Lovelace,ada.l@uni.example,Submitted for grading,-\n"
    "Participant 3,Somebody Else,else@uni.example,Draft (not submitted),-\n",
    "German": "ID;Vollständiger Name;E-Mail-Adresse;Status\n"
    "kim;Kim Lee;kim.lee@uni.example;Entwurf (nicht abgegeben)\nada;Ada Lovelace;x@y;Zur Bewertung abgegeben\n",
    "without a status": "student,time\nkim,2026-03-02\n",
}


@pytest.mark.parametrize("what", WORKSHEETS)
def test_a_draft_that_was_not_submitted_needs_a_look(tmp_path: Path, what: str) -> None:
    table = place(tmp_path, {"w.csv": WORKSHEETS[what]}, "t") / "w.csv"
    drafts = drafts_in(table, ROSTER)
    assert drafts == ({} if what == "without a status" else {"kim": True, "ada": False})
    a_class = Class(tmp_path)
    outcomes = a_class.collect({"kim/x.ipynb": MINE, "ada/x.ipynb": MINE}, drafts=drafts)
    assert outcomes["kim/x.ipynb"].needs_a_look == bool(drafts) and not outcomes["ada/x.ipynb"].needs_a_look
    assert ("was not submitted" in outcomes["kim/x.ipynb"].note) == bool(drafts)


def some_tree(sampler: random.Random) -> dict[str, bytes]:
    """Make downloads that no system would produce."""
    contents = [MINE, scratch("x = 1"), MINE[:50], b"", b"<html>", ANOTHER, b"import x", b"\0" * 9]
    contents += [zipped({"a.ipynb": MINE}), tarred({"b/c.ipynb": MINE, "d.py": b"x"}), zipped({}), tarred({".x": b""})]
    contents += [zipped({"e.py": b"x", "f.ipynb": ANOTHER})]
    folders = ["", "kim/", "ada/", f"zo/{LESSON}/", "hw3-jm/", "Group A_55_assignsubmission_file/", "who/", "kim/ada/"]
    folders += [f"Kim Lee_{number}_assignsubmission_file_/" for number in (12, 13)] + ["week 3/", "course_lib/"]
    names = [f"{LESSON}.ipynb", f"{LESSON} (1).ipynb", "x.py", "leekim_102_9_x.ipynb", "leekim_102_10_x.ipynb"]
    names += ["a.zip", "adalovelace_999_3_x.ipynb", "w.tar.gz", "w.7z", "x.ipynb.txt", "timestamp.txt", "y.pdf"]
    names += ["Zoë O'Brien.ipynb", ".hidden", "submission_metadata.yml", "b\x1b[2J.ipynb", "=cmd.csv"]
    return {
        sampler.choice(folders) + sampler.choice(names): sampler.choice(contents)
        for _ in range(sampler.randrange(1, 25))
    }


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("roster", [ROSTER, None], ids=["roster", "none"])
def test_each_file_and_each_student_of_any_download_is_counted_once(
    tmp_path: Path, seed: int, roster: Roster | None
) -> None:
    sampler = random.Random(seed)
    table = read_labels(place(tmp_path, {"l.csv": "label,student\nGroup A,kim\nGroup A,zo\n"}, "t") / "l.csv", roster)
    a_class = Class(tmp_path, roster=roster)
    for _ in range(2):
        tree = some_tree(sampler)
        outcomes = a_class.collect(tree, labels=table)
        found = a_class.last
        assert found and len(outcomes) == len(found.outcomes) == sum(found.files.values())
        seen = {path for path in tree if not path.rpartition("/")[2].startswith((".", "timestamp"))}
        assert all(any(at == path or at.startswith(f"{path}/") for at in outcomes) for path in seen if tree[path]), (
            "each has a row"
        )
        assert len(found.students) == len({one.student for one in found.students})
        if roster:
            assert {one.student for one in found.students} >= {member.id for member in roster.members}
        taken = {student for outcome in found.outcomes if outcome.became in COLLECTED for student in outcome.students}
        mentioned = {student for outcome in found.outcomes for student in (*outcome.students, *outcome.perhaps)}
        for one in found.students:
            assert (one.has == "collected") <= a_class.file(one.student).is_file()
            assert one.student not in taken or one.has != "nothing"
            left_out = all(f.became == "left out" for f in found.outcomes if one.student in (*f.students, *f.perhaps))
            assert one.has != "nothing" or one.student not in mentioned or left_out
        said = found.as_json()
        assert sum(said["counts"]["files"].values()) == len(said["files"])
        assert sum(said["counts"]["students"].values()) == len(said["students"])
        assert all(line.isprintable() for line in found.in_words())
        assert json.loads(json.dumps(said)) == said


MISNAMED = {
    f"kim/{LESSON}/{LESSON} (1).ipynb": f"{LESSON} (1).ipynb is there",
    f"kim/{LESSON}/Copy of {LESSON}.ipynb": f"Copy of {LESSON}.ipynb is there",
    f"kim/{LESSON}/{LESSON}.ipynb.txt": f"{LESSON}.ipynb.txt is there",
    f"kim/{LESSON}/Untitled.IPYNB": "Untitled.IPYNB is there",
    f"kim/{LESSON}.ipynb": f"{LESSON}.ipynb is there",
    f"kim/{LESSON}/notes.txt": f"there is no file {LESSON}.ipynb",
    f"kim/{LESSON}/\x1b[2J.ipynb": "is there",
}


@pytest.mark.parametrize("name", MISNAMED)
def test_grading_names_the_file_that_is_there_instead(tmp_path: Path, name: str) -> None:
    folder = place(tmp_path, {name: MINE}, "submitted")
    [submission] = find_submissions(folder, LESSON)
    with pytest.raises(UnreadableError) as raised:
        submission.require()
    assert MISNAMED[name] in str(raised.value) and str(raised.value).isprintable()
    assert ("course collect" in str(raised.value)) == (not name.endswith("notes.txt"))


def test_links_and_devices_are_not_named(tmp_path: Path) -> None:
    folder = place(tmp_path, {f"kim/{LESSON}/a.txt": b"x", "secret.ipynb": MINE}, "submitted") / "kim" / LESSON
    (folder / "x.ipynb").symlink_to(tmp_path / "submitted/secret.ipynb")
    (folder / "needs_a_look.txt").symlink_to(tmp_path / "submitted/secret.ipynb")
    assert Submission("kim", folder / f"{LESSON}.ipynb").why_missing() == f"there is no file {LESSON}.ipynb"


def test_the_verb_shows_the_sums_and_writes_them(course: Course, tmp_path: Path) -> None:
    root, right = copy_course(course, tmp_path / "root"), Notebooks(course).worked()
    files = {
        f"leekim_LATE_102_9_{LESSON}.ipynb": right, "lovelaceada_101_9_ada.py": b"import x",
        "Group A_55_assignsubmission_file/x.ipynb": right,
    }  # fmt: skip
    downloads = place(tmp_path, files)
    tables = place(
        tmp_path,
        {
            "canvas.csv": 'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"Lee, Kim",102,kim,1\n'
            '"Lovelace, Ada",101,ada,1\n"O\'Brien, Zoë",104,zo,1\n"Müller, Jörg",103,jm,1\n',
            "labels.csv": "label,student\nGroup A,zo\nGroup A,jm\n",
            "times.csv": "student,time\nkim,2026-07-02 12:00\n",
        },
        "tables",
    )
    (root / "course.toml").write_text('[late]\ntimezone = "Europe/Berlin"\n')
    options = [
        f"--{what}={tables / name}.csv"
        for what, name in (("roster", "canvas"), ("labels", "labels"), ("times", "times"))
    ]
    ran = run_course(root, "collect", "03", str(downloads), *options, "--json", "c.json")
    assert ran.code == 0, ran.err
    assert "Columns of the roster: SIS Login ID = id, ID = lms_user_id, Student = name" in ran.out
    assert "3 files: 2 collected, 1 not a notebook." in ran.out
    assert "4 students: 3 with a notebook, 1 with something that cannot be graded, 0 with nothing." in ran.out
    said = json.loads((root / "c.json").read_text())
    assert said["counts"]["students"] == {"collected": 3, "to decide": 1} and said["absent"] == []
    assert {one["student"]: one["time"] for one in said["students"]}["kim"] == "2026-07-02 10:00:00"
    assert "times.csv that name no zone were read in Europe/Berlin (late.timezone in course.toml)." in ran.out
    (tmp_path / "tables/times.csv").write_text("student,time\nkim,2026-07-02 12:00 BST\nmallory,2026-07-02\n")
    ran = run_course(root, "collect", "03", str(downloads), *options)
    assert ran.code == 1 and "Nothing was collected." in ran.err
    assert "line 2: " in ran.err and "Europe/London" in ran.err and "line 3 names 'mallory'" in ran.err
