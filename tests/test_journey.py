"""How far one is: points as checks last gave them, the next exercise, the map; and what a broken memory costs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from conftest import POINTS, run_course

from course_lib import check, example, hint, lesson_end, solution
from course_lib.checking.footer import Footer
from course_lib.checking.formatting import inline
from course_lib.contents import LessonEntry, exercises_of, public_exercises, public_lessons
from course_lib.course import find_course
from course_lib.journey.footer import footer
from course_lib.journey.map import Map, share, where_am_i
from course_lib.journey.points import FILE, remember, remembered
from course_lib.journey.progress import LessonProgress, Progress, cell_of
from course_lib.journey.solution import looked_up, ours
from course_lib.own_notebooks import notebook_of
from course_lib.session import CURRENT

FIRST, *_, LAST = public_lessons()
WITH_EXERCISES = [lesson for lesson in public_lessons() if exercises_of(lesson.name)]
OF = f"of {POINTS:g} points in this lesson"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def lay_out(*lessons: str) -> None:
    """Put empty notebooks of lessons into this folder."""
    for lesson in lessons:
        Path(lesson).mkdir()
        Path(notebook_of(lesson)).touch()


def finish(lesson: str, but: str = "", folder: Path = Path()) -> None:
    for entry in exercises_of(lesson):
        if entry.id != but:
            remember(entry.id, entry.points, folder)


def test_a_card_says_how_far_one_is_and_what_comes_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "mine.ipynb"))
    card = check("softmax", softmax).card
    assert card.footer == Footer(f"3 {OF}", "read on to section 4, Every word asks")
    assert card.text.endswith(f"3 {OF} · next: read on to section 4, Every word asks")
    remember("attention_loops", 2)
    card = check("softmax", softmax).card
    assert card.footer == Footer(f"5 {OF}", "`attention_numpy`", "mine.ipynb#cell-id=task-attention-numpy")
    assert '<a href="mine.ipynb#cell-id=task-attention-numpy"' in card.html


def test_what_is_wrong_is_not_left_behind() -> None:
    card = check("softmax", lambda scores, axis=-1: scores).card
    assert card.footer is not None and not card.footer.next
    assert card.text.endswith(f"{OF}.")


def test_ours_can_be_compared_after_full_marks() -> None:
    card = check("softmax", softmax).card
    assert 'Compare with ours: `solution("softmax")`' in card.more
    found = solution("softmax")
    assert found.source.startswith("def softmax(") and repr(found).endswith(found.source)
    assert repr(found).startswith("# Why it looks like this: The largest score is subtracted first")
    page = found._repr_html_()
    assert "<pre" in page and "-&gt; np.ndarray" in page and "<code>exp</code> from overflowing" in page
    assert looked_up(Path()) == set()


@pytest.mark.parametrize("exercise_id", [entry.id for entry in public_exercises()])
def test_ours_says_why_it_looks_so(exercise_id: str) -> None:
    found = ours(exercise_id)
    assert found is not None and 10 <= len(found.reason.split()) <= 80 and found.reason.endswith(".")


def test_whoever_has_tried_can_look_it_up_and_it_is_noted() -> None:
    check("attention_loops", raising)
    with pytest.raises(LookupError, match="Write something first"):
        solution("attention_loops")
    with pytest.raises(KeyError, match="Run the check of 'attention_numpy' first"):
        solution("attention_numpy")
    check("softmax", lambda scores, axis=-1: scores)
    assert "Compare" not in check("softmax", lambda scores, axis=-1: scores).card.more
    assert solution("softmax").source.startswith("def softmax(")
    assert looked_up(Path()) == {"softmax"}
    check("softmax", softmax)
    total = sum(entry.points for entry in public_exercises())
    assert f"3 of {total:g} points, 1 solution looked up" in repr(where_am_i())


def test_what_was_passed_before_the_kernel_started_can_be_compared() -> None:
    remember("softmax", 3.0)
    source = solution("softmax").source
    assert source.startswith("def softmax(") and "return " in source
    assert '"""' not in source, "the exercise's cell has the docstring"
    assert not looked_up(Path())


@pytest.mark.parametrize("ask", [hint, example, solution, lambda name: check(name, softmax)])
def test_a_symbol_or_a_slip_is_told_the_id_that_is_meant(
    ask: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, meant in (("EncoderClasifier", "encoder_classifier"), ("sofmax", "softmax")):
        with pytest.raises(KeyError, match=f"did you mean '{meant}'\\?"):
            ask(name)
    monkeypatch.setattr(CURRENT, "lesson", "")
    with pytest.raises(KeyError, match=r"no exercise is called 'a{9}'; to list them, .*: course exercises"):
        ask("a" * 9)
    monkeypatch.setattr(CURRENT, "lesson", FIRST.name)
    with pytest.raises(KeyError, match=r"no exercise is called 'a{9}'; those of this lesson are: pad_batch, "):
        ask("a" * 9)


def test_a_library_without_the_solution_says_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_lib.components.softmax", None)
    card = check("softmax", softmax).card
    assert not card.more
    with pytest.raises(LookupError, match="a class gets it with the release of a later lesson"):
        solution("softmax")


def raising(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    raise NotImplementedError


def test_the_last_check_counts() -> None:
    check("softmax", softmax)
    check("softmax", lambda scores, axis=-1: scores)
    assert remembered(Path())["softmax"] < 3


def test_without_a_notebook_there_is_no_link() -> None:
    remember("attention_loops", 2)
    assert footer("softmax", 3.0) == Footer(f"5 {OF}", "`attention_numpy`")


def test_after_the_last_exercise_those_before_it_come() -> None:
    lesson = "03_self_attention"
    finish(lesson, but="softmax")
    entry = exercises_of(lesson)[-1]
    assert footer(entry.id, entry.points) == Footer(f"{POINTS - 3:g} {OF}", "`softmax`")


@pytest.mark.parametrize("after", ["04_multi_head_attention/", ""])
@pytest.mark.parametrize("here, up", [("03_self_attention", "../"), ("", "")])
def test_the_end_of_a_finished_lesson_leads_to_the_next_wherever_both_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, up: str, after: str
) -> None:
    (tmp_path / "seat" / here).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "seat" / here)
    finish("03_self_attention")
    says, leads = f"All {POINTS:g} points from this lesson's checks", "lesson 04, Multi-head attention"
    lesson = "03_self_attention"
    assert lesson_end(lesson) == Footer(says, leads), "a link to where nothing is helps nobody"
    link = f"{up}{after}04_multi_head_attention.ipynb"
    Path(link).parent.mkdir(exist_ok=True)
    Path(link).touch()
    assert lesson_end(lesson) == Footer(says, leads, link)


@pytest.mark.parametrize("lesson", WITH_EXERCISES, ids=lambda lesson: lesson.name)
def test_a_green_card_names_the_section_that_follows_it_in_the_notebook(lesson: LessonEntry) -> None:
    course, exercises = find_course(Path(__file__).parent), exercises_of(lesson.name)
    cells = nbformat.read(course.student_notebook(lesson.name), as_version=4).cells
    solved = nbformat.read(course.solution_notebook(lesson.name), as_version=4).cells
    for place, entry in enumerate(exercises):
        card = footer(entry.id, entry.points)
        check = f"check-{entry.id}".replace("_", "-")
        start = [cell.id for cell in cells].index(check) + 1
        following = exercises[place + 1] if entry is not exercises[-1] else None
        task = cell_of(following.id).partition("=")[2] if following else ""
        end = [cell.id for cell in cells].index(task) + 1 if task else None
        headings = [re.search(r"^## (\d+) · (.+)", cell.source, re.MULTILINE) for cell in cells[start:end]]
        number, title = next((heading.groups() for heading in headings if heading), ("", ""))
        assert card is not None
        if title:
            section = f"section {number}" if "$" in title else f"section {number}, {title}"
            assert card.next == f"read on to {section}"
        else:
            assert following is not None and card.next == f"`{following.symbol}`"
        shown = next(str(cell.outputs) for cell in solved if cell.id == check)
        assert not shown.strip("[]") or f"next: {inline(card.next)}<" in shown, "run the lesson again"
    assert not lesson_end(lesson.name).next.startswith("section"), "the last cell leads on to another lesson"


def test_a_green_card_leads_back_to_an_exercise_that_was_left_out() -> None:
    first, *_, last = exercises_of(FIRST.name)
    finish(FIRST.name, but=first.id)
    card = footer(last.id, last.points)
    assert card is not None and card.next == f"`{first.symbol}`"


def test_the_last_lesson_leads_to_what_is_open_and_then_nowhere() -> None:
    says = "All 9 points from this lesson's checks, the last lesson"
    finish(LAST.name)
    assert lesson_end(LAST.name) == Footer(says, f"lesson {FIRST.number}, {FIRST.title}")
    for lesson in public_lessons():
        finish(lesson.name)
    assert lesson_end(LAST.name) == Footer(says)


#: which exercises of lesson 03 have their points, and whether another lesson has an unfinished exercise
PASSED = [
    (["attention_loops"], ""),
    (["attention_loops", "scaled_dot_product_attention"], ""),
    (["self_attention"], "vocabulary"),
    ([entry.id for entry in exercises_of("03_self_attention")], ""),
    ([entry.id for entry in exercises_of("03_self_attention")], "vocabulary"),
]


@pytest.mark.parametrize(("passed", "open_elsewhere"), PASSED)
def test_what_comes_next_is_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passed: list[str], open_elsewhere: str
) -> None:
    lay_out(*(lesson.name for lesson in public_lessons()))
    here = tmp_path / "03_self_attention"
    for entry in exercises_of(here.name):
        if entry.id in passed:
            remember(entry.id, entry.points, here)
    if open_elsewhere:
        finish(FIRST.name, but=open_elsewhere, folder=tmp_path / FIRST.name)
    shown = where_am_i()
    lesson, entry = shown.progress.next or pytest.fail("something waits")
    assert shown.next.startswith(f"Next: {entry.symbol}, ")
    assert run("next", str(tmp_path)).startswith(f"{entry.symbol}{entry.signature}\n")
    assert json.loads(run("progress", str(tmp_path), "--json"))["next"] == entry.id
    monkeypatch.chdir(here)
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / f"{here.name}.ipynb"))
    end = lesson_end(here.name)
    last = next(each for each in public_exercises() if each.id == passed[-1])
    if lesson.lesson.name == here.name:
        card = footer(last.id, last.points)
        assert end.next == f"`{entry.symbol}`" and card is not None and card.says == end.says
        assert card == end or card.next == f"read on to {lesson.lesson.goes_on[last.id]}"
    elif open_elsewhere:
        assert end.next == f"`{entry.symbol}` in lesson {FIRST.number}, {FIRST.title}"
        assert end.link == f"../{notebook_of(FIRST.name)}{cell_of(entry.id)}"
    else:
        assert end.next == "lesson 04, Multi-head attention" and entry.lesson.startswith("04")


def test_a_lesson_is_entered_at_its_top_and_gone_on_with_at_its_exercise() -> None:
    lay_out(FIRST.name)
    top = f'<a href="{notebook_of(FIRST.name)}" style="text-decoration:underline">lesson 00, {FIRST.title}</a>'
    assert top in where_am_i()._repr_html_() and "#cell-id" not in where_am_i()._repr_html_()
    remember("pad_batch", exercises_of(FIRST.name)[0].points)
    second = exercises_of(FIRST.name)[1]
    shown = where_am_i()._repr_html_()
    assert f'href="{notebook_of(FIRST.name)}{cell_of(second.id)}"' in shown and f"<code>{second.symbol}</code>" in shown


def test_a_lesson_ends_with_what_its_checks_gave_and_what_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "03_self_attention"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(CURRENT, "lesson", "")
    assert lesson_end() == Footer(f"0 {OF}", "`softmax`"), "the folder says which lesson it is"
    assert not FILE.exists(), "to look is not to check"
    finish(here.name, but="attention_loops")
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / f"{here.name}.ipynb"))
    link = f"{here.name}.ipynb#cell-id=task-attention-loops"
    assert lesson_end() == Footer(f"{POINTS - 2:g} {OF}", "`attention_loops`", link)
    assert f'<a href="{link}"' in lesson_end()._repr_html_()
    assert repr(lesson_end()) == f"{POINTS - 2:g} {OF} · next: `attention_loops`"
    remember("attention_loops", 2.0)
    assert (
        repr(lesson_end()) == f"All {POINTS:g} points from this lesson's checks · next: lesson 04, Multi-head attention"
    )
    monkeypatch.setattr(CURRENT, "lesson", FIRST.name)
    assert lesson_end().says == "0 of 18 points in this lesson", "what was begun is surer than a folder's name"


def test_a_lesson_end_that_knows_no_lesson_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CURRENT, "lesson", "")
    assert repr(lesson_end()) == "Run this lesson's first cell, then this one: it says how far you are."


def test_an_exercise_that_is_not_of_the_course_has_no_footer() -> None:
    assert footer("my_own", 3.0) is None
    assert not FILE.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"softmax": "three"}', '{"softmax": NaN}', '{"softmax": [3]}'])
def test_a_memory_that_is_not_ours_is_none(text: str) -> None:
    FILE.parent.mkdir()
    FILE.write_text(text, encoding="utf-8")
    assert Progress.of(Path()).points == 0
    assert footer("softmax", 3.0) == Footer(f"3 {OF}", "read on to section 4, Every word asks")
    assert Progress.of(Path()).points == 3


def test_a_memory_that_says_too_much_is_cut() -> None:
    remember("softmax", 1e300)
    assert Progress.of(Path()).points == 3


def test_a_folder_that_cannot_be_written_to_costs_the_memory_only() -> None:
    FILE.parent.touch()  # a file where the folder should be
    assert footer("softmax", 3.0) == Footer(f"3 {OF}", "read on to section 4, Every word asks")


def test_lessons_in_folders_of_their_own_count_together(tmp_path: Path) -> None:
    for lesson, exercise in (("00_the_task", "pad_batch"), ("03_self_attention", "softmax"), ("copy", "softmax")):
        (tmp_path / lesson).mkdir()
        remember(exercise, 1.0 if lesson == "copy" else 2.0, tmp_path / lesson)
    progress = Progress.of(tmp_path)
    assert progress.points == 4
    assert progress.passed == {"pad_batch"}


def test_what_comes_next_is_in_the_lesson_one_is_at() -> None:
    assert Progress.of(Path()).next == (Progress.of(Path()).lessons[0], exercises_of(FIRST.name)[0])
    finish(FIRST.name, but="vocabulary")
    remember("softmax", 3.0)
    lesson, entry = Progress.of(Path()).next or pytest.fail("something waits")
    assert (lesson.lesson.name, entry.id) == ("03_self_attention", "attention_loops")
    finish("03_self_attention")
    _, entry = Progress.of(Path()).next or pytest.fail("something waits")
    assert entry.id == "vocabulary"


def test_when_all_is_done_nothing_waits() -> None:
    for lesson in public_lessons():
        finish(lesson.name)
    progress = Progress.of(Path())
    assert progress.next is None
    assert progress.points == progress.max_points == sum(entry.points for entry in public_exercises())
    shown = Map(progress)
    assert shown.headline == f"All {progress.max_points:g} points are yours"
    assert repr(shown).count("✓") == len(WITH_EXERCISES)
    assert "→" not in shown._repr_html_()


def test_a_bar_is_full_only_when_a_lesson_is() -> None:
    entries = exercises_of(FIRST.name)
    almost = {entry.id: entry.points - 0.001 for entry in entries}
    assert share(LessonProgress(FIRST, almost)) == 99
    assert share(LessonProgress(FIRST, {entry.id: entry.points for entry in entries})) == 100
    assert share(LessonProgress(FIRST, {})) == 0


def test_the_map_links_every_lesson_and_lights_what_passes() -> None:
    lay_out(*(lesson.name for lesson in public_lessons()))
    finish("06_encoder_block")
    shown = where_am_i()._repr_html_()
    for lesson in public_lessons():
        assert f'href="{notebook_of(lesson.name)}"' in shown
    assert "Feed-forward (lesson 06)" in shown, "the drawing says which parts are one's own"
    assert f'href="{notebook_of("07_masks")}" style="text-decoration:underline">lesson 07, ' in shown


def test_the_map_links_a_lesson_that_lies_beside_it() -> None:
    Path(f"{FIRST.name}.ipynb").touch()
    shown = where_am_i()
    assert repr(shown).endswith(f", in {FIRST.name}.ipynb")
    assert f'href="{FIRST.name}.ipynb"' in shown._repr_html_()


def test_a_lesson_that_is_not_there_yet_is_not_linked() -> None:
    lay_out(FIRST.name)
    finish(FIRST.name)
    shown = where_am_i()
    assert shown._repr_html_().count("<a ") == 1
    assert "in lesson 01, which is not here yet" in repr(shown) and "which is not here yet" in shown._repr_html_()


def run(*arguments: str) -> str:
    ran = run_course(Path(), *arguments)
    assert ran.code == 0, ran
    return ran.out


def test_progress_in_a_terminal(tmp_path: Path) -> None:
    remember("softmax", 3.0)
    said = run("progress", str(tmp_path))
    assert "→ 03" in said and f"3 of {POINTS:g}" in said
    assert "Next: attention_loops" in said
    found = json.loads(run("progress", str(tmp_path), "--json"))
    assert found["points"] == 3 and found["next"] == "attention_loops"
    assert found["lessons"]["03_self_attention"] == {"points": 3, "of": POINTS}


def test_next_in_a_terminal(tmp_path: Path) -> None:
    assert "pad_batch(sentences, pad_id=0)" in run("next", str(tmp_path))
    for lesson in public_lessons():
        finish(lesson.name)
    assert "Every exercise has its points." in run("next", str(tmp_path))
