"""A score given by hand belongs to an answer, and stays for as long as the answer is unchanged."""

from __future__ import annotations

import copy
import json
import shutil
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
from autograder.class_folder.gradebook_url import with_driver
from autograder.demo.classroom import Student, hand_in
from autograder.exercises import of_lesson
from autograder.gradebook.answers import Answers
from autograder.gradebook.gradebook import Records
from autograder.grading.rebuild import rebuild
from autograder.nbgrader_commands.config import configure
from autograder.nbgrader_commands.converter import PlainAutograde
from autograder.records.answers import answers_in
from course_lib.contents import CONTENTS
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
    next(cell for cell in other.cells if grade_id(cell) == "attention_loops").source += "\nattention_loops = None"
    next(cell for cell in here.cells if grade_id(cell) == "softmax").source += "\nsoftmax = np.tanh"
    with Records(url, LESSON, "hand") as records:
        records.register(hand_graded(released, 2))
        graded = save(records, first, Answers())
        score(url, "check-softmax", 3)
        graded = save(records, other, graded)
        assert waiting(url) == {"check-softmax": (3, False)}
        save(records, here, graded)
        assert waiting(url) == {"check-softmax": (3, True)}


CALLS = "def softmax(scores, axis=-1):\n    return helper(scores, axis)\n"
HELPER = "def helper(scores, axis):\n    return np.exp(scores)\n"
#: a student's cells, and the same after a change: a cell of their own, and the cells of two exercises
Cells = tuple[str, str, str]
CHANGED: dict[str, tuple[Cells, Cells]] = {
    "a helper": ((HELPER, CALLS, ""), (HELPER.replace("exp", "tanh"), CALLS, "")),
    "a helper of a helper": (
        (HELPER + "def inner(x):\n    return 1", CALLS, ""),
        (HELPER.replace("np.exp(scores)", "inner(scores)") + "def inner(x):\n    return 2", CALLS, ""),
    ),
    "a helper in another exercise's cell": (("", CALLS, HELPER), ("", CALLS, HELPER.replace("exp", "tanh"))),
    "a value that a helper uses": (
        ("factor = 1\n" + HELPER.replace("exp(", "exp(factor * "), CALLS, ""),
        ("factor = 2\n" + HELPER.replace("exp(", "exp(factor * "), CALLS, ""),
    ),
    "a default argument": (
        ("start = 1", CALLS.replace("axis=-1", "axis=start") + HELPER, ""),
        ("start = 2", CALLS.replace("axis=-1", "axis=start") + HELPER, ""),
    ),
    "an import": (("from math import exp as helper", CALLS, ""), ("from math import tan as helper", CALLS, "")),
    "an attribute that is set": (
        ("class Box: ...\nhelper = Box()\nhelper.f = 1", CALLS, ""),
        ("class Box: ...\nhelper = Box()\nhelper.f = 2", CALLS, ""),
    ),
    "an element that is appended": (
        ("helper = []\nhelper.append(1)", CALLS, ""),
        ("helper = []\nhelper.append(2)", CALLS, ""),
    ),
    "what a function installs": (
        ("class Box: ...\nhelper = Box()\ndef install(x, f):\n    x.f = f\ninstall(helper, 1)", CALLS, ""),
        ("class Box: ...\nhelper = Box()\ndef install(x, f):\n    x.f = f\ninstall(helper, 2)", CALLS, ""),
    ),
    "a patch of a module": ((HELPER, CALLS, ""), (HELPER + "np.exp = np.tanh", CALLS, "")),
    "a module that is written": (
        ("%%writefile special.py\ndef helper(): return 1", "from special import helper\n" + CALLS, ""),
        ("%%writefile special.py\ndef helper(): return 2", "from special import helper\n" + CALLS, ""),
    ),
    "a module that a call writes": (
        ("text = 'def helper(): return 1'\nopen('special.py', 'w').write(text)", "import special\n" + CALLS, ""),
        ("text = 'def helper(): return 2'\nopen('special.py', 'w').write(text)", "import special\n" + CALLS, ""),
    ),
    "a text that is run": (("exec('helper = 1')", CALLS, ""), ("exec('helper = 2')", CALLS, "")),
    "a text that is put together": (
        ("text = 'pleh'\nexec(text[::-1] + 'er = 1')", HELPER + CALLS, ""),
        ("text = 'lehp'\nexec(text[::-1] + 'er = 1')", HELPER + CALLS, ""),
    ),
    "a definition that nobody sees": (("install()", CALLS, ""), ("remove()", CALLS, "")),
    "a decorator": (("", "@torch.no_grad()\n" + CALLS + HELPER, ""), ("", CALLS + HELPER, "")),
    "code that is not Python": (("def helper(:\n    1", CALLS, ""), ("def helper(:\n    2", CALLS, "")),
}
SAME: dict[str, tuple[Cells, Cells]] = {
    "a comment": ((HELPER, CALLS, ""), ("# mine\n" + HELPER, CALLS + "# yours", "")),
    "layout": (
        (HELPER, CALLS, ""),
        (HELPER.replace("(scores)", "(\n        scores\n    )"), CALLS.replace(", ", ","), ""),
    ),
    "a docstring": ((HELPER, CALLS, ""), (HELPER, CALLS.replace("    return", "    'Mine.'\n    return"), "")),
    "an experiment": (
        (HELPER, CALLS, ""),
        (HELPER + "print(softmax(np.ones(3)))\nfor n in range(3):\n    kept = softmax(np.ones(n))", CALLS, ""),
    ),
    "a picture": ((HELPER, CALLS, ""), (HELPER + "plt.plot(softmax(np.ones(3)))\nplt.title('mine')", CALLS, "")),
    "a seed": ((HELPER, CALLS, ""), (HELPER + "np.random.seed(1)\ntorch.manual_seed(1)", CALLS, "")),
    "a helper that is not called": ((HELPER, CALLS, ""), (HELPER + "def unused():\n    return 1", CALLS, "")),
    "another exercise": ((HELPER, CALLS, "attention_loops = 1"), (HELPER, CALLS, "attention_loops = 2")),
    "a test of their own": (
        (HELPER + "def seems_right(f):\n    assert f(1)", CALLS, ""),
        (HELPER + "def seems_right(f):\n    assert f(2)\nseems_right(softmax)", CALLS, ""),
    ),
}


def digest_of(released: Any, cells: Cells) -> str:
    """Return the digest of the softmax in a notebook that was rebuilt from these cells."""
    own, softmax, loops = cells
    made = copy.deepcopy(released)
    (at,) = (n for n, cell in enumerate(made.cells) if grade_id(cell) == "softmax" and cell.cell_type == "code")
    made.cells[at].source = softmax
    next(cell for cell in made.cells if grade_id(cell) == "attention_loops").source = loops
    made.cells.insert(at, nbformat.v4.new_code_cell(own))
    symbols = {d.id: d.exercise.symbol for d in of_lesson(LESSON)}
    return answers_in(rebuild(released, to_text(made).encode(), symbols).notebook)["check-softmax"]


@pytest.mark.parametrize("what", CHANGED)
def test_a_score_no_longer_belongs_to_an_answer_if_what_it_calls_has_changed(released: Any, what: str) -> None:
    before, after = CHANGED[what]
    assert digest_of(released, before) != digest_of(released, after)
    assert digest_of(released, before) == digest_of(released, before)


@pytest.mark.parametrize("what", SAME)
def test_a_score_stays_if_neither_the_answer_nor_what_it_calls_has_changed(released: Any, what: str) -> None:
    before, after = SAME[what]
    assert digest_of(released, before) == digest_of(released, after)


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
        found = records.submission_points()["ada"]
        assert (found.to_review, found.above_maximum) == (1, 1)


@pytest.fixture(scope="module")
def graded_once(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded class with written answers and an override, both scored by a person."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("graded"))
    with (root / "course.toml").open("a") as file:
        file.write('[written]\ngrading = "hand"\npoints = 2\n')
    hand_in_to(root / "class/submitted", {"ada": handed_in(released)})
    run(root, "build", "03")
    run(root, "grade", "03")
    for name, points in ((WRITTEN[0], 1.5), (WRITTEN[1], 2), ("check-softmax", 2)):
        score(gradebook(root), name, points)
    return root


@pytest.fixture
def graded(graded_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that class, which a test may change, as the current folder."""
    root = shutil.copytree(graded_once, tmp_path / "course", symlinks=True)
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
    contents = CONTENTS.read_bytes()  # course build writes the points into the installed library
    try:
        for verb in (["build", "03"], ["regrade", "03", "--yes"]):
            ran = subprocess.run([course, *verb], cwd=root, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran
    finally:
        CONTENTS.write_bytes(contents)
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
@pytest.mark.slow
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
@pytest.mark.slow
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
