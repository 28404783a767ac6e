"""Grades and feedback leave as Canvas, Moodle and nbgrader read them, and never as a 0 that nobody gave."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, run_course
from gradebooks import hand_graded, with_points
from nbgrader.api import Gradebook

from autograder.class_folder.spreadsheet import harmless
from autograder.collecting.labels import Labels
from autograder.collecting.roster import Member, Roster, read_roster, roster_or
from autograder.exporting.class_grades import class_grades
from autograder.exporting.feedback_zip import zip_feedback
from autograder.exporting.formats import FORMATS, about_import
from autograder.exporting.plugins import CanvasExport
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.archive import Archive
from course_lib.app.lab import lab_environment
from course_lib.course import Course, CourseError

OTHER = "05_positional_encoding"
DUE, TIME = datetime(2026, 3, 1, 12), datetime(2026, 3, 2, 9, 30)
MEMBERS = (
    Member("ada", "Ada", "Lovelace", "ada@uni.example", "101"),
    Member("kim", "Kim", "Lee", "kim@uni.example", "102"),
    Member("late", "=cmd()", "@evil", "-evil@uni.example", "103"),
    Member("nobody"),
)
BOOK = LessonGrades(
    {LESSON: 13.0, OTHER: 9.0},
    {LESSON: DUE, OTHER: None},
    {
        LESSON: {
            "ada": LessonGrade(12.25, 12.25, 0.0, 0, TIME),
            "kim": LessonGrade(0.0, 0.0, 0.0, 0, None),
            "late": LessonGrade(4.0, 6.0, 2.0, 0, None),
            "guest": LessonGrade(1.0, 1.0, 0.0, 0, None),
        },
        OTHER: {"ada": LessonGrade(9.0, 9.0, 0.0, 0, None)},
    },
)
WAITING = LessonGrades(
    {LESSON: 17.0},
    {LESSON: None},
    {
        LESSON: {
            "ada": LessonGrade(12.25, 12.25, 0.0, 2, None),
            "kim": LessonGrade(13.0, 13.0, 0.0, 0, None),
            "late": LessonGrade(None, 0.0, 0.0, 5, None),
        }
    },
)


def exported(format: str, book: LessonGrades = BOOK, *lessons: str, title: str = "", **how: Any) -> list[list[str]]:
    grades = class_grades(book, lessons or "all", MEMBERS, **how)
    return list(csv.reader(io.StringIO(FORMATS[format](grades, title))))


def column(rows: list[list[str]], number: int = -1) -> list[str]:
    return [row[number] for row in rows]


def test_canvas_finds_its_header_its_students_and_its_points() -> None:
    assert exported("canvas") == [
        ["Student", "ID", "SIS Login ID", "Section", LESSON, OTHER],
        ["    Points Possible", "", "", "", "13", "9"],
        ["Lovelace, Ada", "101", "ada", "", "12.25", "9"],
        ["Lee, Kim", "102", "kim", "", "0", ""],
        ["'@evil, =cmd()", "103", "late", "", "4", ""],
        ["nobody", "", "nobody", "", "", ""],
    ]


def test_moodle_finds_whom_it_can_map_and_its_own_sign_for_no_grade() -> None:
    assert exported("moodle") == [
        ["First name", "Last name", "Username", "ID number", "Email address", LESSON, OTHER],
        ["Ada", "Lovelace", "ada", "101", "ada@uni.example", "12.25", "9"],
        ["Kim", "Lee", "kim", "102", "kim@uni.example", "0", "-"],
        ["'=cmd()", "'@evil", "late", "103", "'-evil@uni.example", "4", "-"],
        ["", "", "nobody", "", "", "-", "-"],
    ]


def test_nbgraders_columns_are_nbgraders_without_its_zeros() -> None:
    header, *rows = exported("csv", BOOK, LESSON)
    names = ["assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score"]
    assert header == [*names, "late_submission_penalty", "score", "max_score"]
    due = "2026-03-01 12:00:00"
    ada = [LESSON, due, "2026-03-02 09:30:00", "ada", "Lovelace", "Ada", "ada@uni.example", "12.25", "0", "12.25", "13"]
    assert rows[0] == ada
    assert rows[2][-4:] == ["6", "2", "4", "13"]
    assert rows[3] == [LESSON, due, "", "nobody", "", "", "", "", "", "", "13"]


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_handed_in_is_empty_and_0_only_when_asked_for(format: str) -> None:
    score = -2 if format == "csv" else -1
    empty = "-" if format == "moodle" else ""
    rows = exported(format, BOOK, LESSON)
    assert column(rows, score)[-4:] == ["12.25", "0", "4", empty]
    assert column(exported(format, BOOK, LESSON, absent="zero"), score)[-4:] == ["12.25", "0", "4", "0"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("ungraded", "shown"), [("empty", ""), ("so-far", "12.25")])
def test_what_waits_for_a_person_is_never_0(format: str, ungraded: str, shown: str) -> None:
    score, empty = (-2 if format == "csv" else -1), "-" if format == "moodle" else ""
    rows = exported(format, WAITING, ungraded=ungraded)
    assert column(rows, score)[-4:] == [shown or empty, "13", empty, empty]


def test_what_waits_for_a_person_is_refused_and_whose_it_is_said() -> None:
    with pytest.raises(CourseError, match=r"^7 parts of 2 submissions wait .* formgrader: ada, late\. .*--ungraded"):
        exported("canvas", WAITING)


def test_whoever_exports_is_told_who_is_missing_and_who_is_not_on_the_roster() -> None:
    assert list(class_grades(BOOK, [LESSON], MEMBERS).remarks()) == [
        "Not on the roster, and left out: guest. Their grades are in the gradebook; put them on the roster and "
        "export again.",
        f"{LESSON}: 1 handed in nothing and have an empty cell: nobody.",
    ]
    said = list(class_grades(WAITING, "all", MEMBERS[:3], ungraded="so-far").remarks())
    assert said == ["2 submissions wait for a person and have the points that were given so far: ada, late."]


def test_a_large_class_is_told_in_short() -> None:
    members = [Member(f"student{number}") for number in range(500)]
    [said] = class_grades(
        LessonGrades({LESSON: 13}, {LESSON: None}, {LESSON: BOOK.grades[LESSON]}),
        [LESSON],
        [*MEMBERS, Member("guest"), *members],
    ).remarks()
    assert said.endswith("student8 and 491 more.")


@pytest.mark.parametrize(
    ("book", "lessons", "members", "says"),
    [
        (BOOK, [LESSON, "07_masks"], MEMBERS, f"Nothing of 07_masks has been graded .* grades of: {LESSON}, {OTHER}"),
        (LessonGrades({}, {}, {}), "all", MEMBERS, "Nothing of any lesson .* grades of: no lesson"),
        (BOOK, "all", [], "Nobody is in the class"),
    ],
)
def test_nothing_to_export_is_said(book: LessonGrades, lessons: Any, members: Any, says: str) -> None:
    with pytest.raises(CourseError, match=says):
        class_grades(book, lessons, members)


# ---- the verb and nbgrader's plug-ins, on a gradebook ----


@pytest.fixture(scope="module")
def root(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with a roster: one wrote answers that nobody has graded, one was late, one is not on the roster."""
    root = tmp_path_factory.mktemp("course")
    for name in ("lessons", "notebooks"):
        (root / name).symlink_to(course.root / name)
    (root / "course.toml").write_text(
        '[written]\ngrading = "hand"\npoints = 2\n[class]\nfolder = "autumn"\n[late]\npolicy = "percent_per_day"\n'
    )
    (root / "nbgrader_config.py").write_text((course.root / "nbgrader_config.py").read_text())
    (root / "autumn").mkdir()
    (root / "autumn/students.csv").write_text(
        "id,first_name,last_name,email,lms_user_id\n"
        "ada,Ada,Lovelace,ada@uni.example,101\nkim,Kim,Lee,,102\nlate,Robin,Núñez,,103\nnobody,No,Body,,104\n",
        encoding="utf-8",
    )
    notebook = hand_graded(released, 2.0)
    with Records(f"sqlite:///{root}/autumn/gradebook.db", LESSON, "hand") as book:
        book.register(notebook)
        book.enrol(read_roster(root / "autumn/students.csv").members)
        for student, share, written in (
            ("ada", 1.0, "Because."),
            ("kim", 0.0, ""),
            ("late", 0.5, ""),
            ("guest", 1, ""),
        ):
            book.save(student, with_points(notebook, share, written))
        book._book.update_or_create_assignment(LESSON, duedate=DUE)
        book._book.update_or_create_submission(LESSON, "late", timestamp=DUE + timedelta(days=2))
    return root


def grades(root: Path, *arguments: str) -> TimedResult:
    return run_course(root, "grades", *arguments, "--to", str(root / "out.csv"))


def nbgrader_export(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "nbgrader", "export", "--to", "theirs.csv", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_the_verb_refuses_what_waits_and_then_writes_what_it_is_told(root: Path) -> None:
    refused = grades(root, "03", "--format", "canvas")
    assert (refused.code, (root / "out.csv").exists()) == (1, False)
    assert "2 parts of 1 submission wait for a person in formgrader: ada." in refused.err

    ran = grades(root, "03", "--format", "canvas", "--ungraded", "so-far", "--title", "Self-attention (4711)")
    assert ran.code == 0, ran.err
    assert list(csv.reader((root / "out.csv").read_text(encoding="utf-8").splitlines())) == [
        ["Student", "ID", "SIS Login ID", "Section", "Self-attention (4711)"],
        ["    Points Possible", "", "", "", f"{POINTS + 2 * 2:g}"],
        ["Lovelace, Ada", "101", "ada", "", f"{POINTS:g}"],
        ["Lee, Kim", "102", "kim", "", "0"],
        ["Núñez, Robin", "103", "late", "", f"{POINTS / 2 * 0.8:g}"],
        ["Body, No", "104", "nobody", "", ""],
    ]
    assert "Not on the roster, and left out: guest." in ran.out
    assert f"{LESSON}: 1 handed in nothing and have an empty cell: nobody." in ran.out
    assert "Grades of 4 students, 1 column:" in ran.out


@pytest.mark.parametrize("format", ["canvas", "moodle", "csv"])
def test_no_export_holds_a_name_that_is_displayed_as_another(root: Path, tmp_path: Path, format: str) -> None:
    roster = tmp_path / "students.csv"
    roster.write_text("id,first_name,last_name\nada,\u202eadA,Love\u200blace\n", encoding="utf-8")
    ran = grades(root, "03", "--format", format, "--ungraded", "so-far", "--roster", str(roster))
    written = (root / "out.csv").read_text(encoding="utf-8")
    assert ran.code == 0, ran.err
    assert "\ufffdadA" in written and "Lovelace" in written
    assert "\u202e" not in written + ran.out


@pytest.mark.slow
def test_nbgrader_export_writes_the_same_file_from_the_class_that_course_toml_names(root: Path) -> None:
    assert grades(root, "all", "--format", "moodle", "--ungraded", "empty", "--absent", "zero").code == 0
    plugin = "--exporter=autograder.exporting.plugins.MoodleExport"
    options = ("--MoodleExport.ungraded=empty", "--MoodleExport.absent=zero", f'--assignment=["{LESSON}"]')
    done = nbgrader_export(root, plugin, *options)
    assert done.returncode == 0, done.stderr
    assert (root / "theirs.csv").read_bytes() == (root / "out.csv").read_bytes()
    assert "Not on the roster, and left out: guest." in done.stderr


@pytest.mark.slow
def test_plain_nbgrader_export_refuses_what_waits_as_ours_does(root: Path) -> None:
    (root / "theirs.csv").unlink(missing_ok=True)
    done = nbgrader_export(root, f'--assignment=["{LESSON}"]')
    assert done.returncode == 1 and "wait for a person in formgrader: ada." in done.stderr, done.stderr
    assert not (root / "theirs.csv").exists()


def test_a_plug_in_refuses_what_waits_in_one_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(root)
    plugin = CanvasExport(to="refused.csv")
    with Gradebook(f"sqlite:///{root}/autumn/gradebook.db") as book, pytest.raises(SystemExit):
        plugin.export(book)
    [said] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert said.startswith("2 parts of 1 submission wait for a person in formgrader: ada.")
    assert not (root / "refused.csv").exists()
    caplog.clear()
    titled = CanvasExport(to="titled.csv", ungraded="so-far", title="Self-attention (4711)")
    with Gradebook(f"sqlite:///{root}/autumn/gradebook.db") as book:
        with pytest.raises(SystemExit):
            titled.export(book)
        assert "A title is for one lesson: name it with --assignment." in caplog.text
        titled.assignment = [LESSON]
        titled.export(book)
    assert (root / "titled.csv").read_text().startswith("Student,ID,SIS Login ID,Section,Self-attention (4711)\n")


def test_without_a_roster_the_gradebook_says_who_is_in_the_class(root: Path) -> None:
    roster = root / "autumn/students.csv"
    roster.rename(root / "aside.csv")
    try:
        assert grades(root, "03", "--ungraded", "empty").code == 0
        students = [row["student_id"] for row in csv.DictReader((root / "out.csv").open(encoding="utf-8"))]
        assert students == ["ada", "guest", "kim", "late", "nobody"]
        named = grades(root, "03", "--ungraded", "empty", "--roster", str(root / "aside.csv"))
        assert "Not on the roster, and left out: guest." in named.out
    finally:
        (root / "aside.csv").rename(roster)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("09",), "Nothing of 09_training has been graded in this gradebook"),
        (("all", "--title", "x"), "--title is for one column"),
        (("03", "--roster", "nowhere.csv"), "There is no roster nowhere.csv"),
    ],
)
def test_what_cannot_be_exported_is_told_in_one_sentence(root: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = grades(root, *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.err


def test_a_grade_given_by_a_person_is_exported_as_nbgrader_has_it(root: Path) -> None:
    with Gradebook(f"sqlite:///{root}/autumn/gradebook.db") as book:
        for name in ("written-one_projection", "written-find_the_bug"):
            grade = book.find_grade(name, LESSON, LESSON, "ada")
            grade.manual_score, grade.needs_manual_grade = 1.5, False
        book.db.commit()
        theirs = {
            one.student.id: max(0, one.score - one.late_submission_penalty)
            for one in book.assignment_submissions(LESSON)
        }
    try:
        assert grades(root, "03").code == 0
        rows = csv.DictReader((root / "out.csv").open(encoding="utf-8"))
        ours = {row["student_id"]: float(row["score"]) for row in rows if row["score"]}
        assert ours == {student: score for student, score in theirs.items() if student != "guest"}
        assert ours["ada"] == POINTS + 2 * 1.5
    finally:
        with Gradebook(f"sqlite:///{root}/autumn/gradebook.db") as book:
            for name in ("written-one_projection", "written-find_the_bug"):
                grade = book.find_grade(name, LESSON, LESSON, "ada")
                grade.manual_score, grade.needs_manual_grade = None, True
            book.db.commit()


@pytest.mark.parametrize("start", ["", " ", "Lee;", "Lee; ", "Lee\t", "Lee\n", ";;"])
@pytest.mark.parametrize("sign", "=+-@\uff1d\uff0b\uff0d\uff20")
def test_a_name_is_no_formula_wherever_a_spreadsheet_begins_a_cell(start: str, sign: str) -> None:
    for cell in re.split(r"[;\t\r\n]", harmless(f"{start}{sign}cmd|' /c calc'!A0")):
        assert not cell.strip().startswith(sign)


@pytest.mark.parametrize("name", ["Ada", "O'Brien-Lee", "a@b.org", "Lee, Kim; Jo", "x=1"])
def test_a_name_of_a_person_stays_as_it_is(name: str) -> None:
    assert harmless(name) == name


# ---- feedback for upload ----

ROSTER = Roster(MEMBERS)
#: of one who is not on the roster, and calls a file as somebody is called who is: nobody's page may go there
MOODLES_STRANGER, CANVAS_STRANGER = "Somebody Else_7003_assignsubmission_file_ada.ipynb", "someone_555_9003_ada.ipynb"


def downloads(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / "downloads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return folder / "downloads"


def pages(folder: Path, *students: str) -> Archive:
    for student in students:
        path = folder / f"class/feedback/{student}/{LESSON}/{LESSON}.html"
        path.parent.mkdir(parents=True)
        path.write_text(f"for {student}")
    return Archive(folder / "class")


def content(file: Path) -> Mapping[str, str]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_zip_for_moodle_has_a_folder_for_each_student_that_moodle_knows_again(tmp_path: Path) -> None:
    place = downloads(
        tmp_path,
        f"Ada Lovelace_7001_assignsubmission_file_/{LESSON}.ipynb",
        f"Kim Lee_7002_assignsubmission_file/{LESSON} (1).ipynb",
        MOODLES_STRANGER,
    )
    zipped = zip_feedback(pages(tmp_path, "ada", "kim", "late"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == {
        f"Ada Lovelace_7001_assignsubmission_file_/{LESSON}.html": "for ada",
        f"Kim Lee_7002_assignsubmission_file_/{LESSON}.html": "for kim",
    }
    assert (zipped.pages, zipped.without_name, zipped.without_page) == (2, ("late",), ())
    for name in content(tmp_path / "out.zip"):  # as importziplib.php of Moodle takes it apart
        _, participant, *plugin = name.split("/")[0].split("_", 4)
        assert participant.isdigit()
        assert plugin[:2] == ["assignsubmission", "file"]


def test_a_zip_for_canvas_has_the_two_numbers_that_canvas_asks_for(tmp_path: Path) -> None:
    place = downloads(
        tmp_path,
        f"lovelaceada_101_9001_{LESSON}.ipynb",
        f"lovelaceada_101_9007_{LESSON}-1.ipynb",
        "leekim_LATE_102_9002_my_4_tries.ipynb",
        CANVAS_STRANGER,
    )
    zipped = zip_feedback(pages(tmp_path, "ada", "kim"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == {
        f"lovelaceada_101_9007_{LESSON}.html": "for ada",
        f"leekim_LATE_102_9002_{LESSON}.html": "for kim",
    }
    assert (zipped.pages, zipped.without_name, zipped.without_page) == (2, (), ())
    for name, numbers in zip(sorted(content(tmp_path / "out.zip")), (["102", "9002"], ["101", "9007"]), strict=True):
        assert [part for part in name.split("_") if part.isdigit()][:2] == numbers  # as abstract_assignment.rb does


@pytest.mark.parametrize("name", ["work.py", f"{LESSON}.html", "work.pdf", "work.7z", "damaged.zip"])
def test_a_file_of_any_kind_that_a_system_named_gives_the_pages_name(tmp_path: Path, name: str) -> None:
    place = downloads(
        tmp_path, f"lovelaceada_101_9001_{name}", f"Kim Lee_7002_assignsubmission_file_/{name}", CANVAS_STRANGER
    )
    zipped = zip_feedback(pages(tmp_path, "ada", "kim"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == {
        f"lovelaceada_101_9001_{LESSON}.html": "for ada",
        f"Kim Lee_7002_assignsubmission_file_/{LESSON}.html": "for kim",
    }
    assert zipped.without_name == ()


def test_an_archive_gives_the_pages_name_and_a_notebook_comes_before_other_files(tmp_path: Path) -> None:
    place = downloads(tmp_path, "lovelaceada_101_9001_x.ipynb", "lovelaceada_101_9002_notes.txt")
    with zipfile.ZipFile(place / "leekim_102_10003_all.zip", "w") as archive:
        archive.writestr("deep/lovelaceada_101_9009_x.ipynb", "{}")
    downloads(tmp_path, "leekim_102_9004_x.ipynb")
    zip_feedback(pages(tmp_path, "ada", "kim"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == {
        f"lovelaceada_101_9001_{LESSON}.html": "for ada",
        f"leekim_102_10003_{LESSON}.html": "for kim",
    }


def test_every_member_of_a_team_gets_a_page_under_the_teams_name(tmp_path: Path) -> None:
    place = downloads(tmp_path, "Group A_7001_assignsubmission_file_/x.ipynb", "pandas_555_9003_x.ipynb")
    labels = Labels({"groupa": ("ada", "kim"), "pandas": ("zo",)})
    zipped = zip_feedback(pages(tmp_path, "ada", "kim", "zo"), LESSON, place, ROSTER, tmp_path / "out.zip", labels)
    assert content(tmp_path / "out.zip") == {
        f"Group A_7001_assignsubmission_file_/{LESSON}_ada.html": "for ada",
        f"Group A_7001_assignsubmission_file_/{LESSON}_kim.html": "for kim",
        f"pandas_555_9003_{LESSON}.html": "for zo",
    }
    assert (zipped.without_name, zipped.without_page) == ((), ())


def test_a_page_graded_under_a_label_goes_back_under_that_label_and_nowhere_else(tmp_path: Path) -> None:
    place = downloads(tmp_path, "Participant 57_57_assignsubmission_file_/x.ipynb", "kim_555_9003_x.ipynb")
    labels = Labels({"participant57": ("ada",)})
    archive = pages(tmp_path, "Participant 57", "kim")
    zipped = zip_feedback(archive, LESSON, place, ROSTER, tmp_path / "out.zip", labels)
    assert content(tmp_path / "out.zip") == {
        f"Participant 57_57_assignsubmission_file_/{LESSON}.html": "for Participant 57"
    }
    assert zipped.without_name == ("kim",), "a display name that equals an id identifies nobody"


@pytest.mark.parametrize("roster", [ROSTER, None])
def test_a_file_called_as_moodle_calls_anothers_leads_no_page_away(tmp_path: Path, roster: Roster | None) -> None:
    place = downloads(
        tmp_path,
        "Kim Lee_7002_assignsubmission_file_/Ada Lovelace_7002_assignsubmission_file_x (9).ipynb",
        "Ada Lovelace_7001_assignsubmission_file_/x.ipynb",
    )
    ids = ("ada", "kim") if roster else ("Ada Lovelace", "Kim Lee")
    zip_feedback(pages(tmp_path, *ids), LESSON, place, roster, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == {
        f"Ada Lovelace_7001_assignsubmission_file_/{LESSON}.html": f"for {ids[0]}",
        f"Kim Lee_7002_assignsubmission_file_/{LESSON}.html": f"for {ids[1]}",
    }


def test_of_two_of_one_name_neither_gets_the_page(tmp_path: Path) -> None:
    place = downloads(
        tmp_path,
        "Ada Lovelace_7001_assignsubmission_file_/x.ipynb",
        "Ada Lovelace_7009_assignsubmission_file_/x.ipynb",
        "Kim Lee_7002_assignsubmission_file_/x.ipynb",
    )
    zipped = zip_feedback(pages(tmp_path, "ada", "kim"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert list(content(tmp_path / "out.zip").values()) == ["for kim"]
    assert (zipped.without_name, zipped.unclear) == ((), ("ada",))


@pytest.mark.parametrize("kim", [True, False])
def test_namesakes_without_a_page_are_named_with_the_way_out(tmp_path: Path, kim: bool) -> None:
    names = ("Ada Lovelace_7001", "Ada Lovelace_7009", *["Kim Lee_7002"] * kim)
    place = downloads(tmp_path, *(f"{name}_assignsubmission_file_/x.ipynb" for name in names))
    roster = Roster([Member("ada", "Ada", "Lovelace"), Member("ada2", "Ada", "Lovelace"), Member("kim", "Kim", "Lee")])
    archive = pages(tmp_path, "ada", "ada2", *["kim"] * kim)
    if kim:
        assert zip_feedback(archive, LESSON, place, roster, tmp_path / "out.zip").unclear == ("ada", "ada2")
    else:
        with pytest.raises(CourseError, match=r"whose: ada, ada2\. .*pass Moodle's grading worksheet with --roster"):
            zip_feedback(archive, LESSON, place, roster, tmp_path / "out.zip")


@pytest.mark.slow
def test_an_export_says_that_points_have_changed_since_the_lesson_was_graded(root: Path) -> None:
    policy = root / "course.toml"
    text = policy.read_text()
    arguments = ("03", "--ungraded", "so-far")
    assert "is worth" not in grades(root, *arguments).out
    try:
        policy.write_text(text.replace("points = 2", "points = 3"))
        said = " ".join(grades(root, *arguments).out.split())
        assert f"Warning: {LESSON} is worth {POINTS + 2 * 3:g} points by course.toml and the lesson now" in said
        again = f"Run course build, then course regrade {LESSON}, and export again."
        assert f"are out of {POINTS + 2 * 2:g}. {again}" in said
        assert f"is worth {POINTS + 2 * 3:g} points" in nbgrader_export(root, "--CsvExport.ungraded=so-far").stderr
    finally:
        policy.write_text(text)


def test_downloads_of_which_there_is_no_page_are_told(tmp_path: Path) -> None:
    place = downloads(tmp_path, "lovelaceada_101_9001_x.ipynb", "leekim_102_9002_x.ipynb")
    zipped = zip_feedback(pages(tmp_path, "ada"), LESSON, place, ROSTER, tmp_path / "out.zip")
    assert (zipped.pages, zipped.without_page) == (1, ("kim",))


@pytest.mark.parametrize(
    ("name", "students", "says"),
    [
        (f"ada/{LESSON}.ipynb", ("ada",), "has a name that Canvas or Moodle gave it"),
        ("lovelaceada_101_9001_x.ipynb", ("kim",), f"Run: course feedback {LESSON}"),
    ],
)
def test_where_nothing_can_be_zipped_no_file_is_left(
    tmp_path: Path, name: str, students: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CourseError, match=says):
        zip_feedback(pages(tmp_path, *students), LESSON, downloads(tmp_path, name), ROSTER, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    place = downloads(tmp_path, "lovelaceada_101_9001_x.ipynb")
    with pytest.raises(CourseError, match=r"nowhere/out\.zip cannot be written"):
        zip_feedback(pages(tmp_path, "ada"), LESSON, place, ROSTER, tmp_path / "nowhere/out.zip")


def test_zip_and_downloads_go_together(root: Path) -> None:
    ran = run_course(root, "feedback", "03", "--zip", str(root / "feedback.zip"))
    assert (ran.code, ran.out) == (1, "")
    assert "--zip and --downloads go together" in ran.err


def test_the_class_has_a_roster_where_collecting_and_exporting_look_for_it(tmp_path: Path) -> None:
    usual, named = tmp_path / "students.csv", tmp_path / "named.csv"
    assert roster_or(usual, None) is None
    usual.write_text("id\nada\n")
    named.write_text("id\nkim\n")
    found = [roster_or(usual, None), roster_or(usual, named)]
    assert [[member.id for member in roster.members] for roster in found if roster] == [["ada"], ["kim"]]


@pytest.mark.slow
def test_course_lab_can_select_another_class_for_nbgrader(
    root: Path, released: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "second class"
    other.mkdir()
    with Records(Archive(other).gradebook, LESSON, "hand") as book:
        notebook = hand_graded(released, 2.0)
        book.register(notebook)
        book.save("eve", with_points(notebook, 1.0, ""))
    monkeypatch.setattr(os, "environ", lab_environment(nbgrader=True, class_folder=other))
    done = nbgrader_export(root, f'--assignment=["{LESSON}"]')
    assert done.returncode == 0, done.stderr
    assert [row["student_id"] for row in csv.DictReader((root / "theirs.csv").open(encoding="utf-8"))] == ["eve"]


def test_a_class_is_selected_only_for_nbgraders_panels(root: Path) -> None:
    ran = run_course(root, "lab", "--class", "autumn")
    assert ran.code == 1 and "add --nbgrader" in ran.err
    assert run_course(root, "lab", "--nbgrader", "--class", "mistyped").code == 2


@pytest.mark.parametrize(
    ("roster", "about"),
    [
        (
            "First name,Last name,ID number,Email address,Groups\nKim,Lee,0042,kim@uni.example,A\n",
            ["Kim", "Lee", "", "0042", "kim@uni.example"],
        ),
        (
            "First name,Last name,Username,ID number,Email address\nKim,Lee,kim,0042,kim@uni.example\n",
            ["Kim", "Lee", "kim", "0042", "kim@uni.example"],
        ),
        ("First name,Last name,Email address\nKim,Lee,kim@uni.example\n", ["Kim", "Lee", "", "", "kim@uni.example"]),
        ("id,lms_user_id\nkim,102\n", ["", "", "kim", "102", ""]),
        (
            "First name,Last name,Username,Email address\nKim,Lee,,kim@uni.example\n",
            ["Kim", "Lee", "", "", "kim@uni.example"],
        ),
    ],
)
def test_moodle_gets_every_id_by_which_its_import_can_find_a_student(
    tmp_path: Path, roster: str, about: list[str]
) -> None:
    (tmp_path / "participants.csv").write_text(roster)
    members = read_roster(tmp_path / "participants.csv").members
    grades = class_grades(
        LessonGrades({LESSON: 13.0}, {LESSON: None}, {LESSON: {"x": BOOK.grades[LESSON]["kim"]}}), [LESSON], members
    )
    header, row = csv.reader(io.StringIO(FORMATS["moodle"](grades, "")))
    assert header[:5] == ["First name", "Last name", "Username", "ID number", "Email address"]
    assert row[:5] == about
    said = list(about_import("moodle", members))
    assert [one.startswith("The roster has no user name for 1 student") for one in said] == [True] * (not about[2])


def test_moodle_never_gets_canvass_numbers(tmp_path: Path) -> None:
    (tmp_path / "canvas.csv").write_text('Student,ID,SIS Login ID,Section\n"Lovelace, Ada",101,ada,1\n')
    members = read_roster(tmp_path / "canvas.csv").members
    grades = class_grades(
        LessonGrades({LESSON: 13.0}, {LESSON: None}, {LESSON: {"x": BOOK.grades[LESSON]["kim"]}}), [LESSON], members
    )
    _, row = csv.reader(io.StringIO(FORMATS["moodle"](grades, "")))
    assert row[:5] == ["Ada", "Lovelace", "", "", ""]
    [said] = about_import("moodle", members)
    assert said.startswith("Moodle cannot find 1 student") and "--roster" in said


EXPORTS = {
    "Canvas": (
        "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Self-attention (881)\n,,,,,Manual Posting\n"
        '    Points Possible,,,,,17\n"Lovelace, Ada",101,000123,ada,1,\n"Lee, Kim",102,000124,kim,1,\n'
        '"Student, Test",999,,x,1,\n'
    ),
    "Moodle": (
        "First name,Last name,ID number,Email address,Groups\n"
        "Ada,Lovelace,ada,ada@uni.example,\nKim,Lee,kim,kim@uni.example,\n"
    ),
}


@pytest.mark.parametrize("system", EXPORTS)
def test_an_export_saved_as_the_classs_roster_serves_every_command(
    course: Course, released: Any, tmp_path: Path, system: str
) -> None:
    root = copy_course(course, tmp_path / "course")
    (root / "class/students.csv").write_text(EXPORTS[system], encoding="utf-8")
    with Records(Archive(root / "class").gradebook, LESSON) as book:
        book.register(released)
        book.save("ada", with_points(released, 1.0))
    commands = (
        ("deadlines", "03", "2026-12-01 23:59"),
        ("deadlines", "03", "--student", "kim", "--extra-days", "2"),
        ("grades", "03", "--format", system.lower(), "--to", "grades.csv", "--ungraded", "so-far"),
    )
    for words in commands:
        ran = run_course(root, *words)
        assert ran.code == 0, ran
    assert "1 handed in nothing and have an empty cell: kim." in ran.out
    assert run_course(root, "deadlines", "03", "--student", "nobody", "--extra-days", "2").code == 1
    rows = list(csv.reader((root / "grades.csv").open(encoding="utf-8")))
    ids = [row[3 if system == "Moodle" else 2] for row in rows[-2:]]
    assert ids == ["ada", "kim"], "the system's own rows are not students"
