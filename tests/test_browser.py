"""The student's side as students meet it: JupyterLab in a browser.

One notebook goes through the whole file, as a student's does: untouched, with a mistake, solved. What is seen
on the way is noted, so that the tests may come in any order. With ``COURSE_SCREENSHOTS`` set to a folder,
pictures of it all are left there, for a person to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from conftest import LESSON, require
from lab import PROMPT, Notebook, Seen, opened

from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.definition import Definition
from course_lib.course import Course

EXERCISES = of_lesson(LESSON)
ATTENTION, MISTAKE = DEFINITIONS["scaled_dot_product_attention"], "unscaled"


@pytest.fixture(scope="module")
def notebook(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    folder = course.student_notebook(LESSON).parent
    with opened(folder, require("chromium"), tmp_path_factory.mktemp("browser")) as notebook:
        yield notebook


@pytest.fixture(scope="module")
def untouched(notebook: Notebook) -> Seen:
    notebook.run_all()
    return notebook.look("untouched")


@pytest.fixture(scope="module")
def mistaken(notebook: Notebook, untouched: Seen) -> tuple[Seen, Seen]:
    """With a mistake, run once and once more."""
    notebook.write(ATTENTION.id, ATTENTION.implementation(MISTAKE).source)
    notebook.run(ATTENTION.id, f"check-{ATTENTION.id}")
    first = notebook.look("mistaken")
    notebook.run(ATTENTION.id, f"check-{ATTENTION.id}")
    return first, notebook.look("mistaken-again")


@pytest.fixture(scope="module")
def solved(notebook: Notebook, mistaken: tuple[Seen, Seen]) -> Seen:
    for exercise in EXERCISES:
        notebook.write(exercise.id, exercise.reference.source)
    notebook.run_all()
    return notebook.look("solved")


def test_an_untouched_notebook_runs_to_its_end(untouched: Seen) -> None:
    assert all(PROMPT.match(prompt) for prompt in untouched.prompts)
    assert untouched.errors
    for error in untouched.errors:
        assert re.search(r"^(NotImplementedError|NameError: )", error, re.MULTILINE), error


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_an_untouched_exercise_shows_no_points_and_a_first_hint(untouched: Seen, exercise: Definition) -> None:
    card = untouched.cards[exercise.id]
    assert f"0 of {exercise.exercise.points:g} point" in card
    assert "Hint 1 of 3" in card


def test_a_known_mistake_is_named(mistaken: tuple[Seen, Seen]) -> None:
    card = mistaken[0].cards[ATTENTION.id]
    assert ATTENTION.exercise.misconception(MISTAKE).sentence in card
    assert "Hint 1 of 3" in card


def test_running_the_same_code_again_burns_no_hint(mistaken: tuple[Seen, Seen]) -> None:
    first, again = mistaken
    assert again.prompts != first.prompts
    assert again.cards == first.cards


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_the_solution_shows_full_marks(solved: Seen, exercise: Definition) -> None:
    points = f"{exercise.exercise.points:g}"
    assert f"{points} of {points} point" in solved.cards[exercise.id]


def test_with_the_solution_nothing_fails(solved: Seen) -> None:
    assert solved.errors == []


def test_every_figure_is_described(course: Course, solved: Seen) -> None:
    drawn = course.solution_notebook(LESSON).read_text(encoding="utf-8").count('"figures.')
    assert len(solved.descriptions) == drawn
    assert all(description and description.strip() for description in solved.descriptions)
