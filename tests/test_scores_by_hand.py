"""A score given by hand belongs to an answer, and stays for as long as the answer is unchanged."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, copy_course, hand_in_to, require, run_course
from gradebooks import hand_graded, with_points
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from postgres import server
from traitlets.config import Config

from autograder.building.notebook import to_text
from autograder.demo.classroom import Student, hand_in
from autograder.grading.nbgrader_converter import PlainAutograde
from autograder.nbgrader_config import configure
from autograder.records.answers import Answers, answers_in
from autograder.records.gradebook import Records
from autograder.records.gradebook_url import with_driver
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of

WRITTEN = ("written-one_projection", "written-find_the_bug")


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Callable[[str], str]]:
    with server() as running:
        yield running.create


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/gradebook.db"
    created: str = request.getfixturevalue("postgresql")(f"b{abs(hash(tmp_path))}")
    return created


def answering(released: Any, text: str) -> Any:
    return with_points(hand_graded(released, 2), 0.5, text)


def score(url: str, name: str, points: float) -> None:
    """Enter points as formgrader does."""
    with Gradebook(with_driver(url)) as book:
        grade = book.find_grade(name, LESSON, LESSON, "ada")
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def waiting(url: str) -> dict[str, tuple[float | None, bool]]:
    """Return the scores that a person gave, and whether each waits."""
    with Gradebook(with_driver(url)) as book:
        grades = book.find_submission_notebook(LESSON, LESSON, "ada").grades
        return {g.name: (g.manual_score, bool(g.needs_manual_grade)) for g in grades if g.manual_score is not None}


def save(records: Records, notebook: Any, earlier: Answers, file: str = "") -> Answers:
    now = Answers(file, answers_in(notebook))
    scored = records.save("ada", notebook, answers=now, earlier=lambda: earlier)
    return Answers(file, now.current, scored)


def test_only_a_score_whose_answer_has_changed_waits_until_the_answer_comes_back(url: str, released: Any) -> None:
    first = answering(released, "a written answer")
    second = copy.deepcopy(first)
    next(cell for cell in second.cells if grade_id(cell) == WRITTEN[0]).source = "another answer"
    with Records(url, LESSON, "hand") as records:
        records.register(hand_graded(released, 2))
        graded = save(records, first, Answers())
        score(url, WRITTEN[0], 1.5)
        score(url, WRITTEN[1], 2)
        score(url, "check-softmax", 3)
        confirmed = {WRITTEN[0]: (1.5, False), WRITTEN[1]: (2, False), "check-softmax": (3, False)}
        graded = save(records, first, graded)
        assert waiting(url) == confirmed, "nothing has changed"
        graded = save(records, second, graded)
        graded = save(records, second, graded)
        assert waiting(url) == {**confirmed, WRITTEN[0]: (1.5, True)}, "the score still waits after grading again"
        graded = save(records, first, graded)
        assert waiting(url) == confirmed, "the first answer is back"
        graded = save(records, second, graded)
        score(url, WRITTEN[0], 1)
        save(records, second, graded)
        assert waiting(url) == {**confirmed, WRITTEN[0]: (1, False)}, "the score was confirmed for the second answer"


def test_an_override_waits_if_the_code_of_that_exercise_has_changed(url: str, released: Any) -> None:
    first = answering(released, "a written answer")
    other, here = copy.deepcopy(first), copy.deepcopy(first)
    next(cell for cell in other.cells if grade_id(cell) == "attention_loops").source += "\n# changed"
    next(cell for cell in here.cells if grade_id(cell) == "softmax").source += "\n# changed"
    with Records(url, LESSON, "hand") as records:
        records.register(hand_graded(released, 2))
        graded = save(records, first, Answers())
        score(url, "check-softmax", 3)
        graded = save(records, other, graded)
        assert waiting(url) == {"check-softmax": (3, False)}
        save(records, here, graded)
        assert waiting(url) == {"check-softmax": (3, True)}


def test_a_score_above_a_new_maximum_waits_and_says_why(url: str, released: Any) -> None:
    notebook = answering(released, "a written answer")
    with Records(url, LESSON, "hand") as records:
        records.register(hand_graded(released, 2))
        graded = save(records, notebook, Answers())
        score(url, WRITTEN[0], 2)
        score(url, WRITTEN[1], 1)
        records.register(hand_graded(released, 1))
        save(records, answering(released, "a written answer"), graded)
        assert waiting(url) == {WRITTEN[0]: (2, True), WRITTEN[1]: (1, False)}
        found = records.standings()["ada"]
        assert (found.to_review, found.above_maximum) == (1, 1)


@pytest.fixture
def graded(course: Course, released: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graded class with written answers and an override, both scored by a person."""
    require("bwrap")
    root = copy_course(course, tmp_path / "course")
    with (root / "course.toml").open("a") as file:
        file.write('[written]\ngrading = "hand"\npoints = 2\n')
    hand_in_to(root / "class/submitted", {"ada": handed_in(released)})
    run(root, "build", "03")
    run(root, "grade", "03")
    for name, points in ((WRITTEN[0], 1.5), (WRITTEN[1], 2), ("check-softmax", 2)):
        score(gradebook(root), name, points)
    monkeypatch.chdir(root)
    return root


def handed_in(released: Any, *changed: str) -> str:
    """Hand in written answers, some of them changed, and add another cell if any are."""
    notebook = nbformat.reads(hand_in(Student("ada"), released), as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if kind_of(cell) == "written":
            cell.source = "another answer" if grade_id(cell) in changed else "an answer"
    if changed:
        notebook.cells.insert(3, nbformat.v4.new_code_cell("print('an experiment')"))
    return to_text(notebook)


def gradebook(root: Path) -> str:
    return f"sqlite:///{root}/class/gradebook.db"


def run(root: Path, *arguments: str) -> str:
    ran = run_course(root, *arguments)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def by_force(root: Path) -> None:
    run(root, "grade", "03", "--force")


def after_the_secret_was_rotated(root: Path) -> None:
    (root / "class/secret.key").write_bytes(b"another secret for these tests")
    run(root, "grade", "03")


def after_points_were_changed(root: Path) -> None:
    with (root / "course.toml").open("a") as file:
        file.write("[exercises.points]\nsoftmax = 5\n")
    course = Path(sys.executable).with_name("course")  # a new process reads the new points
    for verb in (["build", "03"], ["regrade", "03", "--yes"]):
        ran = subprocess.run([course, *verb], cwd=root, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran
    said = " ".join(ran.stdout.split())
    assert "softmax 2 → 2 given by hand, kept softmax is worth 5 points, not 3" in said
    assert "1 submission graded again. No grade changes." in said


def by_nbgrader(root: Path) -> None:
    config = Config()
    configure(config)
    names = {"assignment_id": LESSON, "student_id": "ada", "notebook_id": "*"}
    PlainAutograde(coursedir=CourseDirectory(config=config, **names), config=config, force=True).start()


@pytest.mark.parametrize(
    ("again", "by"),
    [
        (by_force, "an earlier version"),
        (after_the_secret_was_rotated, "this version"),
        (after_points_were_changed, "this version"),
        (by_nbgrader, "this version"),
        (by_nbgrader, "an earlier version"),
    ],
)
def test_nothing_waits_after_grading_again(graded: Path, again: Callable[[Path], None], by: str) -> None:
    before = waiting(gradebook(graded))
    if by == "an earlier version":
        path = graded / f"class/records/{LESSON}/ada.json"
        record = {k: v for k, v in json.loads(path.read_text()).items() if k not in ("answers", "scored")}
        path.write_text(json.dumps(record))
    again(graded)
    assert (
        waiting(gradebook(graded))
        == before
        == {
            WRITTEN[0]: (1.5, False),
            WRITTEN[1]: (2, False),
            "check-softmax": (2, False),
        }
    )
    course = Path(sys.executable).with_name("course")
    subprocess.run([course, "grades", "03", "--to", "grades.csv"], cwd=graded, check=True)


@pytest.mark.parametrize("by", [lambda root: run(root, "grade", "03"), by_nbgrader], ids=["course", "nbgrader"])
def test_after_a_resubmission_only_the_answer_that_changed_waits(
    graded: Path, released: Any, by: Callable[[Path], object]
) -> None:
    path = graded / f"class/submitted/ada/{LESSON}/{LESSON}.ipynb"
    path.write_text(handed_in(released, WRITTEN[0]))
    by(graded)
    assert waiting(gradebook(graded)) == {
        WRITTEN[0]: (1.5, True),
        WRITTEN[1]: (2, False),
        "check-softmax": (2, False),
    }
    assert "1 score given by hand for an answer that has changed waits in formgrader." in run(graded, "grade", "03")
    path.write_text("{")
    run(graded, "grade", "03")
    path.write_text(handed_in(released))
    run(graded, "grade", "03")
    assert not any(waits for _, waits in waiting(gradebook(graded)).values()), "the first answers are back"
