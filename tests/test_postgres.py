"""One gradebook for several graders: on PostgreSQL and SQLite alike, with the same numbers, and nothing lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, TimedResult, copy_course, hand_in_to, require, run_course
from gradebooks import fill, with_points
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import is_grade
from postgres import Server, programs, server
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidRequestError
from test_gradebook import described
from traitlets.config import Config

from autograder.demo.classroom import hand_in, students
from autograder.gradebook.answers import Answers
from autograder.gradebook.gradebook import Records
from autograder.gradebook.saving import one_transaction, save_points
from autograder.nbgrader_commands.config import configure
from course_lib.course import Course, CourseError, read_course

pytestmark = pytest.mark.slow

OTHER = "05_positional_encoding"
SHARES = {f"student_{number}": number / 4 for number in range(5)}

#: a grader in a process of its own, which begins when it is told to, and grades two lessons one after the other
GRADER = """
import sys
import nbformat
from gradebooks import fill
url, prefix, count, *lessons = sys.argv[1:]
pairs = zip(lessons[::2], lessons[1::2])
released = {lesson: nbformat.read(path, as_version=nbformat.NO_CONVERT) for lesson, path in pairs}
shares = {f"{prefix}_{number:02}": number / int(count) for number in range(int(count))}
print("ready", flush=True)
sys.stdin.readline()
for lesson, notebook in released.items():
    fill(url, lesson, notebook, shares)
"""


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty gradebook on either."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/gradebook.db"
    return request.getfixturevalue("postgresql").create(tmp_path.name)  # type: ignore[no-any-return]


def submission_points(url: str, lesson: str = LESSON) -> dict[str, Any]:
    with Records(url, lesson) as book:
        return book.submission_points()


def test_tables_made_by_us_are_those_that_nbgrader_makes(
    postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    theirs, ours = (postgresql.create(f"{name} tables").replace("://", "+psycopg://") for name in ("their", "our"))
    Gradebook(theirs).close()
    with Records(ours, LESSON):
        pass
    assert described(ours) == described(theirs)


def test_both_databases_come_to_the_same_numbers(postgresql: Server, tmp_path: Path, released: Any) -> None:
    seen = []
    for url in (f"sqlite:///{tmp_path}/gradebook.db", postgresql.create("same numbers")):
        fill(url, LESSON, released, SHARES)
        with Records(url, LESSON) as book:
            book.save_ungraded("cut")
            found = book.lesson_grades()
            seen.append(
                (book.submission_points(), book.lesson_grades().shares(), book.members(), book.students(), found)
            )
    assert seen[0] == seen[1]
    assert seen[0][0]["student_2"].score == 6.5
    assert seen[0][-1].grades[LESSON]["student_4"].score == seen[0][-1].most[LESSON] == 13


def test_who_opens_a_gradebook_waits_for_nobody_who_writes_into_it(url: str, released: Any) -> None:
    fill(url, LESSON, released, {"ada": 0.5})
    said: list[str] = []
    event.listen(Engine, "before_cursor_execute", hear := lambda *about: said.append(about[2]))
    try:
        assert submission_points(url).keys() == {"ada"}
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    assert said
    assert not [one for one in said if not one.lstrip().startswith(("SELECT", "PRAGMA", "WITH"))], "no table is locked"


def test_three_graders_at_once_lose_nothing(url: str, course: Course) -> None:
    count, lessons = 6, (LESSON, OTHER)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    graders = {}
    for prefix, own in (("a", lessons), ("b", lessons), ("c", lessons[::-1])):
        where = [word for lesson in own for word in (lesson, str(course.student_notebook(lesson)))]
        graders[prefix] = subprocess.Popen(
            [sys.executable, "-c", GRADER, url, prefix, str(count), *where],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    for grader in graders.values():
        assert grader.stdout and grader.stdout.readline() == "ready\n", grader.communicate()
    for grader in graders.values():
        assert grader.stdin
        grader.stdin.write("go\n")
        grader.stdin.flush()
    for grader in graders.values():
        _, errors = grader.communicate(timeout=120)
        assert grader.returncode == 0, errors
    for lesson in lessons:
        most, found = sum(cell_points(course, lesson)), submission_points(url, lesson)
        expected = {f"{prefix}_{number:02}": most * number / count for prefix in graders for number in range(count)}
        assert {student: one.score for student, one in found.items()} == pytest.approx(expected, abs=0.05)


def cell_points(course: Course, lesson: str) -> list[float]:
    notebook = nbformat.read(course.student_notebook(lesson), as_version=4)
    about = (cell.metadata.get("nbgrader", {}) for cell in notebook.cells)
    return [one["points"] for one in about if one.get("grade") and not one.get("solution")]


def test_the_points_of_a_submission_are_written_in_one_transaction(url: str, released: Any) -> None:
    fill(url, LESSON, released, {"ada": 0.0})
    commits: list[object] = []
    event.listen(Engine, "commit", note := commits.append)
    try:
        with Records(url, LESSON) as book:
            commits.clear()
            save_points(book._book, LESSON, "ada", with_points(released, 0.5), "off", Answers(), Answers)
            assert len(commits) == 1
    finally:
        event.remove(Engine, "commit", note)
    assert submission_points(url)["ada"].score == 6.5


def test_points_whose_saving_is_interrupted_are_not_written_at_all(
    url: str, released: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(url, LESSON, released, {"ada": 0.5})
    save, saved = SaveAutoGrades.preprocess_cell, [0]

    def interrupted(self: Any, cell: Any, resources: Any, index: int) -> Any:
        saved[0] += is_grade(cell)
        if saved[0] == 3:
            raise KeyboardInterrupt
        return save(self, cell, resources, index)

    monkeypatch.setattr(SaveAutoGrades, "preprocess_cell", interrupted)
    with Records(url, LESSON) as book:
        with pytest.raises(KeyboardInterrupt):
            book.save("ada", with_points(released, 1.0))
        assert book.submission_points()["ada"].score == 6.5
        monkeypatch.undo()
        book.save("ada", with_points(released, 1.0))  # the session is as it was before
        assert book.submission_points()["ada"].score == 13


def test_a_rollback_that_somebody_catches_is_not_mistaken_for_a_save(url: str, released: Any) -> None:
    fill(url, LESSON, released, {"ada": 0.5})
    with Records(url, LESSON) as records:
        book = records._book

        def write_and_roll_back() -> None:
            with one_transaction(book):
                for grade in book.find_submission_notebook(LESSON, LESSON, "ada").grades:
                    grade.auto_score = 0.0
                book.db.flush()
                book.db.rollback()

        with pytest.raises(InvalidRequestError):
            write_and_roll_back()
        assert records.submission_points()["ada"].score == 6.5


def test_a_lesson_that_another_grader_has_entered_is_left_as_it_is(url: str, released: Any) -> None:
    written = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(statement)

    with Records(url, LESSON) as one, Records(url, LESSON) as other:
        one.register(released)
        event.listen(Engine, "before_cursor_execute", note)
        try:
            other.register(released)
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        assert not written, "the first grader would for a moment find no cells to give points for"
        one.save("ada", released)
        assert other.students() == {"ada"}


def test_another_version_of_a_lesson_is_entered_and_after_grading_refused(url: str, released: Any) -> None:
    earlier = nbformat.from_dict({**released, "cells": [cell for cell in released.cells][:-3]})
    with Records(url, LESSON) as book:
        book.register(earlier)
        book.register(released)
        book.save("ada", released)
        with pytest.raises(CourseError, match="holds grades of another version of 03_self_attention"):
            book.register(nbformat.from_dict({**released, "cells": released.cells[:12]}))


# ---- the verbs ----


@pytest.fixture(scope="module")
def graded(
    course: Course, released: Any, postgresql: Server, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """One class on either database, as course.toml says: graded at once on SQLite, by two graders on PostgreSQL."""
    require("bwrap")
    chosen = [s for s in students() if s.name in ("right_1", "scale_forgotten", "untouched", "cut_in_half")]
    roots = {kind: copy_course(course, tmp_path_factory.mktemp(kind)) for kind in ("sqlite", "postgresql")}
    with (roots["postgresql"] / "course.toml").open("a") as file:
        file.write(f'[class]\ngradebook = "{postgresql.create("a class")}"\n')
    for number, student in enumerate(chosen):
        text = {student.name: hand_in(student, released)}
        hand_in_to(roots["sqlite"] / "handed in", text)
        hand_in_to(roots["postgresql"] / f"handed in {number % 2}", text)
    ran = run_course(roots["sqlite"], "grade", "03", "--submissions", "handed in")
    assert ran.code == 0, ran
    command = [sys.executable, "-m", "course_lib.app", "grade", "03", "--workers", "1", "--submissions"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    graders = [
        subprocess.Popen(
            [*command, f"handed in {half}"],
            cwd=roots["postgresql"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for half in (0, 1)
    ]
    for grader in graders:
        said, _ = grader.communicate(timeout=300)
        assert grader.returncode == 0, said
    return roots


def verbs(root: Path) -> dict[str, TimedResult]:
    return {
        "feedback": run_course(root, "feedback", "03"),
        "report": run_course(root, "report", "03", "--json", "report.json", "--csv", "report.csv"),
        "grades": run_course(root, "grades", "03", "--ungraded", "so-far", "--to", "grades.csv"),
    }


def test_every_verb_says_the_same_on_either(graded: dict[str, Path]) -> None:
    said = {kind: {verb: ran.code for verb, ran in verbs(root).items()} for kind, root in graded.items()}
    assert said == {kind: {"feedback": 0, "report": 0, "grades": 0} for kind in graded}
    sqlite, postgresql = graded["sqlite"], graded["postgresql"]
    for name in ("grades.csv", "report.csv"):
        assert (sqlite / name).read_text() == (postgresql / name).read_text()
    assert json.loads((sqlite / "report.json").read_text()) == json.loads((postgresql / "report.json").read_text())
    assert f"{LESSON},,,right_1,,,,13,0,13,13\n" in (sqlite / "grades.csv").read_text()
    assert not (postgresql / "class/gradebook.db").exists()


def nbgrader(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_nbgrader_exports_from_the_gradebook_that_course_toml_names(graded: dict[str, Path]) -> None:
    root = graded["postgresql"]
    plugin = "--exporter=autograder.exporting.plugins.CsvExport"
    done = nbgrader(root, "export", plugin, "--to", "theirs.csv", "--CsvExport.ungraded=so-far")
    assert done.returncode == 0, done.stderr
    verbs(root)
    assert (root / "theirs.csv").read_text() == (root / "grades.csv").read_text()


# ---- what can be wrong with it ----


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("gradebook", "says"),
    [
        ("postgresql://grader@127.0.0.1:{port}/course", "Connection refused"),
        ("postgresql://course@/nobody_made_it?host={folder}", 'database "nobody_made_it" does not exist'),
        ("postgresq://grader@host/course", "that is not the URL of a database. They look like sqlite:///"),
        ("sqlite://", "it names no file"),
        ("mysql://grader@host/course", "its driver MySQLdb is not installed. Run: pip install"),
    ],
)
def test_a_gradebook_that_cannot_be_opened_is_told_in_one_sentence_everywhere(
    course: Course,
    postgresql: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gradebook: str,
    says: str,
) -> None:
    root = tmp_path / "course"
    root.mkdir()
    (root / "lessons").symlink_to(course.root / "lessons")
    (root / "course.toml").write_text(
        f'[class]\ngradebook = "{gradebook.format(port=closed_port(), folder=postgresql.folder)}"\n'
    )
    ran = run_course(root, "grades", "03", "--to", str(root / "grades.csv"))
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.err and "Traceback" not in ran.err
    assert ran.err.count("\n") == 1
    if not gradebook.startswith("sqlite"):
        monkeypatch.chdir(root)
        with pytest.raises(SystemExit) as ended:  # what nbgrader prints, and its end
            configure(Config())
        assert str(ended.value).startswith("course: The gradebook ")
        assert says in str(ended.value)


def test_without_the_driver_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        CourseError, match=r"its driver psycopg is not installed\. Run: pip install -e '\.\[postgres\]'"
    ):
        Records("postgresql://grader@host/course", LESSON).__enter__()


def test_a_password_has_no_place_in_course_toml(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('[class]\ngradebook = "postgresql://grader:sesame@host/course"\n')
    with pytest.raises(CourseError, match=r"class\.gradebook is not right.*~/\.pgpass or PGPASSWORD") as caught:
        read_course(tmp_path)
    assert "sesame" not in str(caught.value)


def test_a_password_given_at_the_command_line_is_never_shown(tmp_path: Path) -> None:
    url = f"postgresql://grader:sesame@127.0.0.1:{closed_port()}/course"
    with pytest.raises(CourseError) as caught:
        Records(url, LESSON).__enter__()
    assert "sesame" not in str(caught.value)


def test_the_class_lies_where_course_toml_says(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('[class]\nfolder = "../autumn"\ngradebook = "sqlite:///../autumn/all.db"\n')
    course = read_course(tmp_path)
    assert course.class_folder == tmp_path.parent / "autumn"
    assert course.gradebook == f"sqlite:///{tmp_path.parent}/autumn/all.db"


def test_nbgrader_finds_the_class_where_course_toml_says(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/course.toml").write_text('[class]\nfolder = "../autumn"\n')
    monkeypatch.chdir(tmp_path / "here")
    config = Config()
    configure(config)
    assert config.CourseDirectory.submitted_directory == "../autumn/submitted"
    assert config.CourseDirectory.db_url == f"sqlite:///{tmp_path}/autumn/gradebook.db"


@pytest.mark.parametrize(("ci", "outcome"), [("true", "Failed"), ("", "Skipped")])
def test_where_no_server_is_installed_ci_fails_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("pathlib.Path.glob", lambda self, pattern: iter(()))
    with pytest.raises(BaseException, match="apt-get install postgresql") as caught:
        programs()
    assert caught.typename == outcome
