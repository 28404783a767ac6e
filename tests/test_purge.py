"""`course purge`: a student who asks is forgotten, everywhere and nowhere else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from conftest import TimedResult, run_course
from nbgrader.api import Gradebook

from autograder.collecting.roster import Member, without_member
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.records.purge import Purge
from course_lib.course import CourseError

LESSONS = ("03_self_attention", "04_multi_head_attention")
#: three names of which one is the beginning of another, and one is not what a page can hold as it is
STUDENTS = ("ada", "ada_lovelace", "o'<b>[x]")

#: as a spreadsheet writes it: a row over two lines, names in another order, the line ends of another system
ROSTER = '\ufefflast_name;id;email\r\nLovelace;ada_lovelace;a@b.org\r\n"King;\r\nLady";ada;ada_lovelace@b.org\r\n'


@pytest.fixture
def a_class(tmp_path: Path) -> Path:
    """A course's folder with a class in it: of each student something everywhere."""
    root = tmp_path / "course"
    root.mkdir()
    (root / "course.toml").write_text("")
    folder = root / "class"
    for student in STUDENTS:
        for lesson in LESSONS:
            for part, ending in (("submitted", "ipynb"), ("autograded", "ipynb"), ("feedback", "html")):
                write(folder / part / student / lesson / f"{lesson}.{ending}", f"of {student}")
            write(folder / "records" / lesson / f"{student}.json", "{}")
            write(folder / "history" / lesson / f"{student}.jsonl", "{}\n")
    write(folder / "reports" / "03_self_attention.html", "<td>ada_lovelace</td><td>o&#39;&lt;b&gt;[x]</td>")
    write(folder / "reports" / "challenge.json", json.dumps(["o'<b>[x]"]))
    write(folder / "reports" / "03_self_attention_anonymous.html", "<td>student 1</td>")
    write(folder / "students.csv", ROSTER)
    write(folder / "secret.key", "a secret")
    write(folder / "draws.jsonl", "")
    write(folder / "keys" / "softmax-1" / "softmax.json", "{}")
    write(root / "notebooks" / "ada.txt", "nobody's work")
    for lesson in LESSONS:
        with Records(f"sqlite:///{folder}/gradebook.db", lesson) as records:
            records._book.update_or_create_assignment(lesson)
            records._book.update_or_create_notebook(lesson, lesson)
            records._book.update_or_create_grade_cell("check-x", lesson, lesson, max_score=2, cell_type="code")
            records._book.update_or_create_solution_cell("x", lesson, lesson)
            records.enrol(Member(student, first_name=f"First name of {student}") for student in STUDENTS)
            for student in STUDENTS:
                records.save(student, SimpleNamespace(cells=[]))
                kept: Any = records._book.find_submission_notebook(lesson, lesson, student)
                for comment in kept.comments:
                    comment.manual_comment = f"said to {student}"
            records._book.db.commit()
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def everything(root: Path) -> dict[str, bytes]:
    """Every file but the gradebook."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != "gradebook.db"
    }


def purge(root: Path, *options: str) -> TimedResult:
    return run_course(root, "purge", *options)


@pytest.mark.parametrize("student", STUDENTS)
def test_a_student_goes_everywhere_and_nobody_else_anywhere(a_class: Path, student: str) -> None:
    before = everything(a_class)
    ran = purge(a_class, "--student", student, "--yes")
    assert ran.code == 0, ran.err
    gone = set(before) - set(everything(a_class))
    personal = {name for name in before if student in Path(name).parts or Path(name).stem == student}
    personal -= {"notebooks/ada.txt"}
    reports = {name for name in before if name.startswith("class/reports") and "anonymous" not in name}
    if student != "o'<b>[x]":  # the leaderboard names only that one; "ada" begins the name of another on the page
        reports -= {"class/reports/challenge.json"}
    assert len(personal) == 5 * len(LESSONS)
    assert gone == personal | reports
    roster = "class/students.csv"
    assert {n: before[n] for n in before.keys() - gone - {roster}} == {
        name: content for name, content in everything(a_class).items() if name != roster
    }
    rows = {"ada": '"King;\r\nLady";ada;ada_lovelace@b.org\r\n', "ada_lovelace": "Lovelace;ada_lovelace;a@b.org\r\n"}
    assert everything(a_class)[roster].decode() == ROSTER.replace(rows.get(student, "nothing"), "")
    with Gradebook(f"sqlite:///{a_class}/class/gradebook.db") as book:
        assert {one.id for one in book.students} == set(STUDENTS) - {student}
        assert {one.student_id for one in book.assignment_submissions(LESSONS[0])} == set(STUDENTS) - {student}
        assert {one.name for one in book.assignments} == set(LESSONS)


@pytest.mark.parametrize("called", ["ada", "a@b.org", "King, Lady", "4711"])
@pytest.mark.parametrize("columns", ["label,student", "github_username,identifier"])
def test_a_student_leaves_every_table_by_whatever_name_it_has(tmp_path: Path, called: str, columns: str) -> None:
    folder = tmp_path / "class"
    write(folder / "students.csv", "id,first_name,last_name,email,lms_user_id\nada,Lady,King,a@b.org,4711\nbob,,,,12\n")
    rows = {
        "labels": f'{columns}\nteam,"{called}"\nteam,bob\n',
        "decisions": "student,lesson,decision,reason\nada,x,1,\n",
    }
    rows["deadlines"] = "lesson,student,due,extra_days\nx,ada,,2\nx,,2026-12-01,\n"
    for name, text in rows.items():
        write(folder / f"{name}.csv", text)
    (tmp_path / "course.toml").write_text("")
    assert purge(tmp_path, "--student", "ada", "--yes").code == 0
    left = "".join(path.read_text() for path in folder.glob("*.csv"))
    assert called not in left and "ada" not in left
    assert "team,bob" in left and "x,,2026-12-01," in left


def test_nothing_of_a_student_can_be_read_in_the_gradebooks_file(a_class: Path) -> None:
    file = a_class / "class/gradebook.db"
    assert b"First name of ada_lovelace" in file.read_bytes()
    assert b"said to ada_lovelace" in file.read_bytes()
    assert purge(a_class, "--student", "ada_lovelace", "--yes").code == 0
    assert b"ada_lovelace" not in file.read_bytes()
    assert b"First name of ada" in file.read_bytes()


def test_all_leaves_the_class_with_its_secret_and_its_questions(a_class: Path) -> None:
    assert purge(a_class, "--all", "--yes").code == 0
    kept = {"course.toml", "notebooks/ada.txt", "class/secret.key", "class/draws.jsonl"}
    assert set(everything(a_class)) == kept | {"class/keys/softmax-1/softmax.json"}
    with Gradebook(f"sqlite:///{a_class}/class/gradebook.db") as book:
        assert not book.students
        assert {one.name for one in book.assignments} == set(LESSONS)
    assert "Nothing is held of anyone" in purge(a_class, "--all", "--yes").out


@pytest.mark.parametrize("answer", ["n", "y"])
def test_it_shows_what_would_go_and_asks(a_class: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    before, asked = everything(a_class), []
    monkeypatch.setattr(typer, "confirm", lambda question: asked.append(question) or answer == "y")
    ran = purge(a_class, "--student", "ada")
    assert asked == ["Remove all of this? It cannot be undone."]
    for shown in (
        "submitted/ada",
        "feedback/ada",
        "history/03_self_attention/ada.jsonl",
        "gradebook",
        "the row of ada in",
        *LESSONS,
    ):
        assert shown in ran.out
    assert "submitted/ada_lovelace" not in ran.out
    assert (everything(a_class) == before) is (answer == "n")
    assert ("Nothing was removed." in ran.out) is (answer == "n")


@pytest.mark.parametrize(
    "options, said",
    [
        ([], "Say who"),
        (["--student", "ada", "--all"], "Say who"),
        (["--student", "ada_lovelac"], "did you mean 'ada_lovelace'?"),
        (["--student", "../../course"], "Nothing is held of"),
        (["--student", ".."], "Nothing is held of"),
        (["--student", ""], "Nothing is held of"),
        (["--student", "*"], "Nothing is held of"),
    ],
)
def test_nobody_is_removed_who_was_not_meant(a_class: Path, options: list[str], said: str) -> None:
    before = everything(a_class)
    ran = purge(a_class, *options, "--yes")
    assert ran.code == 1 and said in ran.err
    assert everything(a_class) == before


def test_a_link_goes_and_what_it_leads_to_stays(a_class: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / "file.txt", "somebody else's")
    os.symlink(elsewhere, a_class / "class/submitted/linked")
    os.symlink(tmp_path / "nowhere", a_class / "class/feedback/linked")
    assert purge(a_class, "--student", "linked", "--yes").code == 0
    assert (elsewhere / "file.txt").is_file()
    assert not os.path.lexists(a_class / "class/submitted/linked")
    assert not os.path.lexists(a_class / "class/feedback/linked")


def test_looking_makes_no_gradebook(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="Nothing is held of 'ada'"):
        Purge(Archive(tmp_path)).held("ada")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("student", [".", "..", "../../notebooks", "ada/03_self_attention"])
def test_whom_a_gradebook_calls_as_a_way_elsewhere_leads_nowhere(a_class: Path, student: str) -> None:
    with Records(f"sqlite:///{a_class}/class/gradebook.db", LESSONS[0]) as records:
        records.enrol([Member(student)])
    before = everything(a_class)
    ran = purge(a_class, "--student", student, "--yes")
    assert ran.code == 0, ran.err
    assert everything(a_class) == before


@pytest.mark.parametrize("strange", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_name_that_holds_what_else_ends_a_line_costs_nobody_a_row(strange: str) -> None:
    rows = [f"ada,A{strange}kim\n", "zoe,Z\n"]
    assert without_member("".join(["id,first_name\n", rows[0], "kim,K\n", rows[1]]), "kim") == "".join(
        ["id,first_name\n", *rows]
    )
