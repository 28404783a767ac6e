"""Every switch of course.toml does what it says: wrong submissions, from `course build` to feedback and report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, POINTS, cache_beside, copy_course, hand_in_to, require, run_course
from nbgrader.api import Gradebook

from autograder.building.notebook import to_text
from autograder.building.worth import with_exercise_points
from autograder.demo.classroom import Student, hand_in
from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.points import require_known
from autograder.exercises.public_keys import public_key
from course_lib.checking.answer_key import key_files
from course_lib.checking.card import make_card
from course_lib.checking.judge import judge
from course_lib.course import Course, CourseError, find_course, read_course
from course_lib.running.cells import grade_id, kind_of

ATTENTION = "scaled_dot_product_attention"
UNSCALED = DEFINITIONS[ATTENTION].exercise.misconception("unscaled")
WRITTEN = "Because each query has a row of weights of its own."

#: right; a known mistake, over which the next exercise is right; PyTorch's own function; wrong without a name
STUDENTS = (
    Student("right"),
    Student("unscaled", {ATTENTION: "unscaled"}),
    Student("finished", {ATTENTION: "finished_function"}),
    Student("half", {"self_attention": "stub"}),
)

#: the verbs, one after the other in one process, as the command runs each
DRIVER = """
import json, sys
from course_lib.app.main import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["course", *words]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (words, end.code)
    print("=====", flush=True)
"""


@dataclass(frozen=True)
class Taught:
    """A class under a policy: what the verbs said, in their order, and what they left."""

    root: Path
    said: Mapping[str, str]

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        return {r["student"]: r for r in json.loads((self.root / "results.json").read_text(encoding="utf-8"))}

    @property
    def scores(self) -> dict[str, float]:
        return {student: result["score"] for student, result in self.results.items()}

    def feedback(self, student: str) -> str:
        return (self.root / f"class/feedback/{student}/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")

    @property
    def report(self) -> str:
        return (self.root / f"class/reports/{LESSON}.html").read_text(encoding="utf-8")

    def key(self, exercise: str) -> str:
        """An answer key as students receive it."""
        return key_files(public_key(exercise, find_course(self.root)))[f"{exercise}.json"].decode()

    def run(self, *verbs: str) -> dict[str, str]:
        """Run verbs on this class; what each said."""
        words = {
            "build": ["build", "03"],
            "grade": ["grade", "03", "--submissions", "class/submitted", "--json", "results.json"],
            "feedback": ["feedback", "03"],
            "report": ["report", "03"],
            "regrade": ["regrade", "03", "--yes", "--json", "changes.json"],
            "progress": ["progress"],
        }
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "COLUMNS": "200",
        }
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, json.dumps([words[verb] for verb in verbs])],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return dict(zip(verbs, done.stdout.split("=====\n"), strict=False))


@pytest.fixture(scope="module")
def teach(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Taught]:
    """Build, grade and report on a class under a policy, in a copy of everything: keys are built into the package."""
    require("bwrap")

    def taught(policy: str) -> Taught:
        root = tmp_path_factory.mktemp("course")
        copy_course(course, root)
        cache_beside(root / "cache")
        for package in ("autograder", "course_lib"):
            shutil.copytree(course.root / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
        (root / "course.toml").write_text(policy)
        texts = {student.name: hand_in(student, released) for student in STUDENTS}
        for student in ("right", "unscaled"):
            texts[student] = _with_written_answers(texts[student])
        hand_in_to(root / "class/submitted", texts)
        return Taught(root, Taught(root, {}).run("build", "grade", "feedback", "report"))

    return taught


def _with_written_answers(text: str) -> str:
    notebook = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if kind_of(cell) == "written":
            cell.source = WRITTEN
    return to_text(notebook)


@pytest.fixture(scope="module")
def by_hand(teach: Callable[[str], Taught]) -> Taught:
    """Names are withheld, hints are not; written answers are graded by hand."""
    return teach('[written]\ngrading = "hand"\npoints = 2\n[cards]\nname_misconceptions = false\n')


@pytest.fixture(scope="module")
def by_completion(teach: Callable[[str], Taught]) -> Taught:
    """Hints are withheld, names are not; a finished function earns nothing; written answers earn a point each."""
    return teach(
        '[written]\ngrading = "completion"\npoints = 1\n[cards]\nhints = false\n'
        '[by_hand]\nfinished_functions = "no_points"\n'
    )


@pytest.mark.slow
def test_names_that_are_withheld_stand_on_no_card_and_in_no_key(by_hand: Taught, by_completion: Taught) -> None:
    name = UNSCALED.sentence.split("`")[0].strip()
    assert name in by_completion.feedback("unscaled")
    assert name in by_completion.key(ATTENTION)
    assert name not in by_hand.feedback("unscaled")
    assert name not in by_hand.key(ATTENTION)


def test_names_that_are_withheld_from_students_stand_in_the_report(by_hand: Taught) -> None:
    assert by_hand.results["unscaled"]["exercises"][ATTENTION]["misconception"] == "unscaled"
    assert "unscaled" in by_hand.report


def test_withholding_names_changes_no_points(by_hand: Taught, by_completion: Taught) -> None:
    assert {result["status"] for result in by_hand.results.values()} == {"graded"}
    theirs = by_completion.results["unscaled"]["exercises"]
    assert by_hand.results["unscaled"]["exercises"] == theirs
    assert theirs["self_attention"]["carried"] == [ATTENTION, "unscaled"]
    assert theirs["self_attention"]["score"] == theirs["self_attention"]["max_score"]


def test_hints_that_are_withheld_stand_on_no_card_and_in_no_key(by_hand: Taught, by_completion: Taught) -> None:
    hint = DEFINITIONS[ATTENTION].exercise.hints[0].split("`")[0].strip()
    assert "Hint 1 of 3" in by_hand.feedback("unscaled")
    assert hint in by_hand.key(ATTENTION)
    assert "Hint 1 of 3" not in by_completion.feedback("unscaled")
    assert hint not in by_completion.key(ATTENTION)


def test_a_finished_function_is_reported_or_earns_nothing(by_hand: Taught, by_completion: Taught) -> None:
    assert by_hand.results["finished"]["exercises"][ATTENTION]["score"] == 4
    assert by_completion.results["finished"]["exercises"][ATTENTION]["score"] == 0
    for taught in (by_hand, by_completion):
        assert "written by hand" in taught.feedback("finished")
        assert "finished_function" in taught.report


def test_an_answer_of_ones_own_earns_points_for_completion(by_completion: Taught) -> None:
    results = by_completion.results
    assert {result["max_score"] for result in results.values()} == {POINTS + 2}
    half = POINTS - 3  # self_attention isn't written, and neither is an answer
    assert (results["right"]["score"], results["half"]["score"]) == (POINTS + 2, half)
    assert all(not result["waiting"] for result in results.values())
    assert "formgrader" not in by_completion.said["grade"] + by_completion.report


def test_what_waits_for_a_person_is_said_everywhere_and_is_nowhere_0_points(by_hand: Taught) -> None:
    results = by_hand.results
    assert {result["max_score"] for result in results.values()} == {POINTS + 4}
    assert {student: len(result["waiting"]) for student, result in results.items()} == {
        "right": 2, "unscaled": 2, "finished": 0, "half": 0,
    }  # fmt: skip
    assert results["right"]["score"] == POINTS
    assert f"{POINTS:g} / {POINTS + 4:g}" in by_hand.said["grade"]
    assert "0 with full points" in by_hand.said["grade"]
    for said in (by_hand.said["grade"], by_hand.said["report"], by_hand.report):
        assert "4 written answers wait in formgrader" in said
    assert f"{POINTS:g} / {POINTS + 4:g}" in by_hand.feedback("right")
    assert "the points so far" in by_hand.feedback("right")
    assert by_hand.feedback("right").count("not graded yet / 2") >= 2
    assert "0 / 2" not in by_hand.feedback("right")
    assert "0 / 2" in by_hand.feedback("half"), "nothing was written there"


def test_a_person_grades_beside_our_answer_and_the_student_does_not_see_it(
    course: Course, by_hand: Taught, by_completion: Taught
) -> None:
    ours = nbformat.read(course.solution_notebook(LESSON), as_version=4).cells
    answers = [cell.source for cell in ours if kind_of(cell) == "written"]
    assert len(answers) == 2
    graded = nbformat.read(by_hand.root / f"class/autograded/right/{LESSON}/{LESSON}.ipynb", as_version=4)
    places = [i for i, cell in enumerate(graded.cells) if kind_of(cell) == "written"]
    for place, answer in zip(places, answers, strict=True):
        below = graded.cells[place + 1].source
        assert "Students don't see it" in below
        assert [line.removeprefix(">").strip() for line in below.splitlines()[2:]] == answer.split("\n")
    first = answers[0].splitlines()[0]
    assert first in sources(graded)
    assert first[:19] in sources(graded) and first[:19] not in by_hand.feedback("right")
    graded = nbformat.read(by_completion.root / f"class/autograded/right/{LESSON}/{LESSON}.ipynb", as_version=4)
    assert first not in sources(graded), "nobody grades it by hand"


def sources(notebook: nbformat.NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def test_a_persons_points_and_comments_stand_in_table_json_report_and_feedback(by_hand: Taught) -> None:
    with Gradebook(f"sqlite:///{by_hand.root}/class/gradebook.db") as book:
        notebook = book.find_submission_notebook(LESSON, LESSON, "right")
        for grade in notebook.grades:
            if grade.cell.cell_type == "markdown" or grade.name == "check-softmax":
                grade.manual_score, grade.needs_manual_grade = 1.5, False
        comment = next(c for c in notebook.comments if c.cell.name == "softmax")
        comment.manual_comment = "Well begun."
        book.db.commit()
    said = by_hand.run("grade", "feedback", "report")
    assert "4 of 4 are as they were graded before" in said["grade"]
    right = by_hand.results["right"]
    points = POINTS - 3 + 3 * 1.5
    assert (right["score"], right["exercises"]["softmax"]["score"], right["waiting"]) == (points, 1.5, [])
    assert f"{points:g} / {POINTS + 4:g}" in said["grade"]
    assert "2 written answers wait in formgrader" in said["grade"]
    assert f"{points:g} / {POINTS + 4:g}" in by_hand.report
    assert f"{points:g} / {POINTS + 4:g}" in by_hand.feedback("right")
    assert "Well begun." in by_hand.feedback("right")
    assert by_hand.feedback("right").count("Your instructor gave these points.") == 1, "for softmax"


@pytest.mark.slow
def test_other_points_of_an_exercise_are_the_same_everywhere_and_change_grades_for_that_reason(
    by_completion: Taught,
) -> None:
    root, before = by_completion.root, by_completion.results
    policy = root / "course.toml"
    policy.write_text(policy.read_text() + "[exercises.points]\nsoftmax = 1.5\nself_attention = 6\n")
    said = by_completion.run("build", "regrade", "grade", "feedback", "report", "progress")
    changes = json.loads((root / "changes.json").read_text())
    own = {"softmax": 0.5, "self_attention": 2}
    total = POINTS - 1.5 + 3
    assert {one["exercise"] for one in changes} == own.keys()
    reason = "the course has changed (softmax is worth 1.5 points, not 3, self_attention is worth 6 points, not 3)"
    assert {one["why"] for one in changes} == {reason}
    for student, result in by_completion.results.items():
        assert result["max_score"] == total + 2
        for name, exercise in result["exercises"].items():
            once = before[student]["exercises"][name]
            assert exercise["score"] == pytest.approx(once["score"] * own.get(name, 1), abs=1e-5)
            assert exercise["max_score"] == once["max_score"] * own.get(name, 1)
            # worth 6 points, it is counted over our version of the mistaken part: with the mistake, at most 3.75
            assert exercise["carried"] == (None if name in own else once["carried"])
    assert by_completion.results["right"]["score"] == total + 2
    assert "4 of 4 are as they were graded before" in said["grade"]
    released = nbformat.read(root / f"notebooks/{LESSON}/{LESSON}.ipynb", as_version=4)
    asked = {grade_id(cell): cell.metadata.nbgrader.points for cell in released.cells if kind_of(cell) == "grade"}
    assert (asked["check-softmax"], asked["check-self_attention"], sum(asked.values())) == (1.5, 6, total)
    assert "**Your turn.** `softmax` · 1.5 points · " in sources(released)
    assert f"| {total:g}, and 2 written questions worth 2 |" in sources(released)
    assert "1.5 of 1.5 points" in by_completion.feedback("right")
    assert "softmax 1.5, self_attention 6" in by_completion.report
    assert f" of {total:g} " in said["progress"]


def test_points_of_no_exercise_and_none_at_all_are_one_sentence(tmp_path: Path) -> None:
    for value in ("0", "-1", "nan", "true", '"2"'):
        (tmp_path / "course.toml").write_text(f"[exercises.points]\nsoftmax = {value}\n")
        with pytest.raises(CourseError, match=r"exercises\.points is .*; it must be a number above 0 for each"):
            read_course(tmp_path)
    with pytest.raises(CourseError, match="'softmix', which is not an exercise of the course; did you mean 'softmax'"):
        require_known({"softmix": 2}, DEFINITIONS)


def test_a_lessons_text_says_the_points_of_its_exercises_wherever_they_are_others(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lesson in filter(of_lesson, course.lessons):
        exercises = [definition.exercise for definition in of_lesson(lesson)]
        text = course.lesson_text(lesson).read_text(encoding="utf-8")
        monkeypatch.setattr("autograder.building.worth.course_points", lambda: DEFINITIONS)
        assert with_exercise_points(text, lesson) == text, "as they are defined"
        worth_100 = [replace(one, exercise=replace(one.exercise, points=100)) for one in of_lesson(lesson)]
        monkeypatch.setattr("autograder.building.worth.of_lesson", lambda _, own=worth_100: own)
        said = with_exercise_points(text, lesson)
        assert said.count(" · 100 points") == len(exercises)
        assert f"| {100 * len(exercises)}, and" in said or f"| {100 * len(exercises)} |" in said
        monkeypatch.undo()


def test_every_setting_of_a_course_is_read(course: Course, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("")
    bare = read_course(tmp_path)
    shipped = read_course(course.root)
    own = {"root": None, "name": None, "class_folder": None}
    assert {**bare.__dict__, **own} == {**shipped.__dict__, **own}
    assert [one.class_folder for one in (bare, shipped)] == [tmp_path / "class", course.root / "class"]


@pytest.mark.parametrize(("said", "given"), {"true": 3, "false": 0, '"none"': 0, '"first"': 1, '"all"': 3}.items())
def test_hints_are_none_the_first_or_all(tmp_path: Path, said: str, given: int) -> None:
    (tmp_path / "course.toml").write_text(f"[cards]\nhints = {said}\n")
    key = public_key(ATTENTION, read_course(tmp_path))
    for one in (key.exercise, *key.exercise.misconceptions):
        assert [bool(hint) for hint in one.hints] == [place < given for place in range(3)]
    answers = dict(key.mistakes["unscaled"])
    for asked in range(3):
        card = make_card(judge(key, answers), key, answers, hint=asked)
        shown = min(asked + 1, given)
        assert (f"Hint {shown} of {given}: {UNSCALED.hints[shown - 1]}" in card.text) if given else not card.hint
        assert card.shows_right is (given == 3 and asked == 2), "what should come out comes with the third"


def test_hints_that_no_course_has_are_refused(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('[cards]\nhints = "second"\n')
    with pytest.raises(CourseError, match=r"""cards\.hints is 'second'; it must be "none", "first" or "all"\."""):
        read_course(tmp_path)


#: a limit, what keeps to every other one and not to it, and what is said of that
LIMITS = {
    "cell_seconds": (2, "while True:\n    pass", "longer than 2 s"),
    "exercise_seconds": (3, "while True:\n    pass", "longer than 1.5 s"),  # half of what is left for all of them
    "idle_seconds": (2, "import time\ntime.sleep(100)", "waited for 1 s"),
    "answer_seconds": (
        1,
        "def softmax(scores, axis=-1):\n    while True:\n        pass",
        "1 s of processor time",  # it is over, or on a busy machine not come to
    ),
    "memory_mb": (1024, "kept = bytearray(1_500_000_000)\ndef softmax(scores, axis=-1):\n    return scores", ""),
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.slow
def test_a_limit_holds(course: Course, released: Any, tmp_path: Path, limit: str) -> None:
    require("bwrap")
    value, source, reason = LIMITS[limit]
    root = copy_course(course, tmp_path / "a course")
    (root / "course.toml").write_text(f"[limits]\n{limit} = {value}\n")
    notebook = nbformat.reads(hand_in(Student("right"), released), as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if grade_id(cell) == "softmax":
            cell.source = source
    hand_in_to(root / "class/submitted", {"slow": to_text(notebook)})
    ran = run_course(root, "grade", "03", "--submissions", "class/submitted", "--json", "results.json")
    assert ran.code == 0, ran
    (result,) = json.loads((root / "results.json").read_text(encoding="utf-8"))
    assert result["status"] == ("stopped" if reason else "graded")
    assert reason in result["reason"]
    if limit == "memory_mb":  # the cell ends in an error, so that nothing is defined; nobody else suffers
        assert result["exercises"]["softmax"]["error"] == "MemoryError"
        assert result["exercises"]["self_attention"]["score"] == 3
