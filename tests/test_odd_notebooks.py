"""Correct work loses no points: an odd notebook gets the same score on five paths, or doctor says why it doesn't."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest
from conftest import require, run_course, share_hidden_keys
from five_paths.kernel import demos_of
from five_paths.paths import PATHS, Class, Seen
from five_paths.real_kernel import points_in_a_real_kernel
from odd_notebooks.core import CORE
from odd_notebooks.entry import Odd, entries

from course_lib.contents import exercises_of
from course_lib.course import Course

#: these also run in a real kernel
REAL = ("asynchronous_cells", "colab", "merged_with_the_check")

F = TypeVar("F", bound=Callable[..., None])


def bank(config: pytest.Config) -> list[Odd]:
    """Return the entries that this run sends through all paths."""
    return [entry for entry in entries() if entry.name in CORE or config.getoption("--thorough")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "entry" in metafunc.fixturenames:
        wanted = getattr(metafunc.function, "wanted", lambda entry: True)
        chosen = [entry for entry in bank(metafunc.config) if wanted(entry)]
        metafunc.parametrize("entry", chosen, ids=[entry.name for entry in chosen])


def only(wanted: Callable[[Odd], bool]) -> Callable[[F], F]:
    """Restrict a test to those entries."""

    def mark(test: F) -> F:
        test.wanted = wanted  # type: ignore[attr-defined]
        return test

    return mark


@pytest.fixture(scope="module")
def handed_in(course: Course, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A class with a submission for every entry, in which written questions are graded by hand."""
    require("bwrap")
    root = tmp_path_factory.mktemp("odd notebooks")
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, root / name)
    shutil.copy(course.root / "nbgrader_config.py", root)
    policy = (course.root / "course.toml").read_text(encoding="utf-8")
    assert 'grading = "off"' in policy
    (root / "course.toml").write_text(policy.replace('grading = "off"', 'grading = "hand"'), encoding="utf-8")
    (root / "class").mkdir()
    share_hidden_keys(root)
    for folder in ("graded", "collected"):
        shutil.copytree(root / "class", root / folder, symlinks=True)
    found = Class(root, bank(pytestconfig))
    for lesson in found.lessons:
        built = run_course(root, "build", lesson)
        assert built.code == 0, built
    found.hand_in()
    return found


@pytest.fixture(scope="module")
def seen(handed_in: Class) -> dict[str, dict[str, Seen]]:
    """Return what each path says about each notebook."""
    return handed_in.through_all()


@pytest.fixture(scope="module")
def doctor(handed_in: Class) -> dict[str, str]:
    """Return what doctor says about each notebook."""
    return handed_in.doctor()


def full(entry: Odd) -> dict[str, float]:
    return {exercise.id: exercise.points for exercise in exercises_of(entry.lesson)}


def table(entry: Odd, seen: dict[str, dict[str, Seen]], doctor: dict[str, str]) -> str:
    """Return the table for the message of a failure."""
    lines = [f"{entry.name} ({entry.kind}; {entry.source}): {entry.what}"]
    for path in PATHS:
        one = seen[path].get(entry.name, Seen(says="nothing at all"))
        lost = {name: points for name, points in one.points.items() if points != full(entry).get(name)}
        lines.append(f"{path:>9}: {one.score} of {sum(full(entry).values()):g} {lost or ''} {one.says}")
    return "\n".join([*lines, f"doctor: {doctor[entry.name]}"])


@pytest.mark.slow
def test_five_paths_give_the_same_score_or_doctor_said_why_not(
    entry: Odd, seen: dict[str, dict[str, Seen]], doctor: dict[str, str]
) -> None:
    asked = [path for path in PATHS if (entry.cards or path != "cards") and not is_refused(entry, seen[path])]
    found = {path: seen[path].get(entry.name, Seen()).points for path in asked}
    if all(points == full(entry) for points in found.values()):
        return
    assert entry.announced, table(entry, seen, doctor)
    assert re.search(entry.announced, doctor[entry.name]) and loses(doctor[entry.name]), table(entry, seen, doctor)
    assert found["grade"] == found["collect"] == found["nbgrader"], table(entry, seen, doctor)
    for exercise in exercises_of(entry.lesson):
        if found["check"][exercise.id] != found["grade"][exercise.id]:  # only the grader has our version
            assert f"`{exercise.symbol}`" in doctor[entry.name], table(entry, seen, doctor)


@only(lambda entry: not entry.announced)
@pytest.mark.slow
def test_doctor_predicts_no_loss_for_work_that_gets_all_points(
    entry: Odd, seen: dict[str, dict[str, Seen]], doctor: dict[str, str]
) -> None:
    said = [line for line in doctor[entry.name].splitlines() if not (entry.file and "file is called" in line)]
    assert not loses("\n".join(said)), table(entry, seen, doctor)


def is_refused(entry: Odd, seen: Mapping[str, Seen]) -> bool:
    """Whether the grader asks for a decision about a file with another name, and names it, instead of grading it."""
    return bool(entry.file) and seen[entry.name].score is None and entry.file in seen[entry.name].says


def loses(said: str) -> bool:
    """Whether doctor claims that something costs points, or that an exercise is not written."""
    return "✗" in said or "not written" in said


@pytest.mark.slow
def test_what_is_written_near_a_question_waits_for_a_person_and_nothing_else_does(
    entry: Odd, seen: dict[str, dict[str, Seen]], doctor: dict[str, str]
) -> None:
    for path in ("grade", "collect", "nbgrader"):
        waiting = seen[path].get(entry.name, Seen()).waiting
        assert set(waiting) == set(entry.waits), f"{path}: {waiting or 'nothing'} waits\n{table(entry, seen, doctor)}"


@only(lambda entry: bool(entry.answer))
@pytest.mark.slow
def test_the_feedback_page_shows_the_written_answer(
    entry: Odd, handed_in: Class, seen: dict[str, dict[str, Seen]]
) -> None:
    if not handed_in.page(entry):
        handed_in.feedback(entry.lesson)
    assert entry.answer in handed_in.page(entry)


@only(lambda entry: entry.name in REAL)
@pytest.mark.slow
def test_a_real_kernel_shows_the_same_points(
    entry: Odd, handed_in: Class, seen: dict[str, dict[str, Seen]], tmp_path: Path
) -> None:
    shown = points_in_a_real_kernel(handed_in.home(entry), tmp_path, demos_of(handed_in.released(entry.lesson)))
    assert shown == seen["cards"][entry.name].points


def test_the_bank_has_sixty_notebooks_and_ten_that_only_look_wrong() -> None:
    names = {entry.name for entry in entries()}
    assert names >= CORE and len(names) >= 60
    assert sum(entry.kind == "fine" for entry in entries()) >= 10
