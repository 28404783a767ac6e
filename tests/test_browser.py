"""The student's side as students meet it: JupyterLab in a browser.

A notebook goes through the whole file, as a student's does: untouched, with a mistake, then solved.
What is seen on the way is noted, so that the tests may come in any order. With ``COURSE_SCREENSHOTS`` set to a folder,
pictures of it all are left there, for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from accessibility import serious_findings
from conftest import LESSON
from lab import PROMPT, Laboratory, Notebook, Seen, laboratory
from playwright.sync_api import expect

from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.definition import Definition
from course_lib.course import Course

EXERCISES = of_lesson(LESSON)
ATTENTION, MISTAKE = DEFINITIONS["scaled_dot_product_attention"], "unscaled"


@pytest.fixture(scope="module")
def lab(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    with laboratory(chromium, tmp_path_factory.mktemp("browser")) as lab:
        yield lab


@pytest.fixture(scope="module")
def notebook(course: Course, lab: Laboratory) -> Iterator[Notebook]:
    with lab.opened(course.student_notebook(LESSON).parent) as notebook:
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
def by_keyboard(notebook: Notebook, shut_out: list[str]) -> list[str]:
    """What the keyboard does on a right card: unfold its checks, fold them, and follow the link to what comes next."""
    first, second, third = EXERCISES[:3]
    for exercise in (first, second):
        notebook.write(exercise.id, exercise.reference.source)
    # the second one is done before, so the first one's card leads on to the third
    notebook.run(first.id, second.id, f"check-{second.id}", f"check-{first.id}")
    card, keyboard, did = notebook.card(first.id), notebook.page.keyboard, []
    fold, link = card.locator("details"), card.get_by_role("link", name=third.exercise.symbol)
    fold.locator("summary").focus()
    for done, is_open in (("unfolded", True), ("folded", False)):
        keyboard.press("Enter")
        expect(fold).to_have_js_property("open", is_open)
        did.append(done)
    keyboard.press("Tab")
    expect(link).to_be_focused()
    keyboard.press("Enter")
    expect(notebook.panel.locator(".jp-Cell", has_text=f"def {third.exercise.symbol}").first).to_be_in_viewport()
    return [*did, "followed"]


@pytest.fixture(scope="module")
def solved(notebook: Notebook, by_keyboard: list[str]) -> Seen:
    for exercise in EXERCISES:
        notebook.write(exercise.id, exercise.reference.source)
    notebook.run_all()
    return notebook.look("solved")


@pytest.fixture(scope="module")
def outdated(notebook: Notebook, solved: Seen) -> tuple[Seen, Seen]:
    """A right softmax, then one that is no Python; the right one again, then one that is saved and not run."""
    exercise, right = DEFINITIONS["softmax"], DEFINITIONS["softmax"].reference.source
    notebook.write(exercise.id, right + "    return (\n")
    notebook.run(exercise.id, f"check-{exercise.id}")
    broken = notebook.look("broken")
    notebook.write(exercise.id, right)
    notebook.run(exercise.id)
    notebook.write(exercise.id, right + "# to be continued\n")
    notebook.save()
    notebook.run(f"check-{exercise.id}")
    return broken, notebook.look("edited")


@pytest.fixture(scope="module")
def shut_out(notebook: Notebook, untouched: Seen, mistaken: tuple[Seen, Seen]) -> list[str]:
    """What is serious for axe in the cards, while one names a mistake and the others wait."""
    return serious_findings(notebook.page, '.jp-NotebookPanel [role="group"][aria-label]')


def test_pytest_finds_what_drives_a_browser_by_its_marker(request: pytest.FixtureRequest, chromium: str) -> None:
    assert request.node.get_closest_marker("browser")


@pytest.mark.slow
def test_untouched_it_runs_to_its_end_without_an_error(untouched: Seen) -> None:
    assert all(PROMPT.match(prompt) for prompt in untouched.prompts)
    assert not untouched.errors, "what waits for an exercise says so in a sentence"


def test_a_known_mistake_is_named(mistaken: tuple[Seen, Seen]) -> None:
    card = mistaken[0].cards[ATTENTION.id]
    assert ATTENTION.exercise.misconception(MISTAKE).sentence in card
    assert "Hint 1 of 3" in card


def test_cards_shut_nobody_out(shut_out: list[str]) -> None:
    assert shut_out == []


def test_a_card_is_used_from_the_keyboard(by_keyboard: list[str]) -> None:
    assert by_keyboard == ["unfolded", "folded", "followed"]


def test_running_the_same_code_again_burns_no_hint(mistaken: tuple[Seen, Seen]) -> None:
    first, again = mistaken
    assert again.prompts != first.prompts
    assert again.cards == first.cards


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.slow
def test_the_solution_shows_full_marks(solved: Seen, exercise: Definition) -> None:
    points = f"{exercise.exercise.points:g}"
    assert f"{points} of {points} point" in solved.cards[exercise.id]


@pytest.mark.slow
def test_with_the_solution_nothing_fails(solved: Seen) -> None:
    assert solved.errors == []


def test_every_figure_is_described(course: Course, solved: Seen) -> None:
    drawn = course.solution_notebook(LESSON).read_text(encoding="utf-8").count('"figures.')
    drawn += course.solution_notebook(LESSON).read_text(encoding="utf-8").count('"diagrams.')
    drawn += course.solution_notebook(LESSON).read_text(encoding="utf-8").count('"display(figures.')
    assert len(solved.descriptions) == drawn
    assert all(description and description.strip() for description in solved.descriptions)


@pytest.mark.slow
def test_a_card_says_when_it_is_about_an_earlier_version(outdated: tuple[Seen, Seen]) -> None:
    broken, edited = (seen.cards["softmax"] for seen in outdated)
    assert "The cell that defines softmax stopped with SyntaxError when it was last run." in broken
    assert "The cell that defines softmax was edited and not run again." in edited
