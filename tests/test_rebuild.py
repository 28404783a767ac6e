"""A submission becomes the released notebook with the student's sources in it, and nothing else of theirs."""

from __future__ import annotations

import copy
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, GradedClass
from hostile import HTML, MARK, MARKDOWN
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from pages import FORMULA, Page, given_numbers, runs_nothing

from autograder.exercises import DEFINITIONS, of_lesson
from autograder.grading.hidden_keys import lesson_keys
from autograder.grading.rebuild import LONGEST_PROSE
from autograder.grading.rebuild import rebuild as rebuild_submission
from autograder.grading.sanitize import LONGEST_CODE, NOTHING, harmless_code, harmless_markdown, harmless_text
from autograder.submissions.submission import Submission, find_submissions
from course_lib.checking.answers import Answer, Error, plain_answer
from course_lib.checking.card import Card
from course_lib.checking.formatting import visible
from course_lib.checking.values import Room
from course_lib.course import Course
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.rebuilding.theirs import LARGEST_SOURCE, MOST_CELLS
from course_lib.running.cells import grade_id, kind_of
from course_lib.running.notebook_file import LARGEST, UnreadableError

Notebook = Any
SYMBOLS = {d.id: d.exercise.symbol for d in of_lesson(LESSON)}


@pytest.fixture
def mine(released: Notebook) -> Notebook:
    """The released notebook, to be edited."""
    return copy.deepcopy(released)


def rebuild(released: Notebook, mine: Notebook) -> Rebuilt:
    text = mine if isinstance(mine, bytes) else json.dumps(mine).encode()
    found = rebuild_submission(released, text, SYMBOLS)
    nbformat.validate(found.notebook)
    return found


def place(notebook: Notebook, kind: str, number: int = 0) -> int:
    """Where the n-th cell of a kind stands."""
    return [i for i, cell in enumerate(notebook.cells) if kind_of(cell) == kind][number]


def source(found: Rebuilt, name: str) -> str:
    return str(next(cell.source for cell in found.notebook.cells if name in (grade_id(cell), cell.id)))


def order(found: Rebuilt) -> list[str]:
    return [cell.id for cell in found.notebook.cells]


# what stays


def test_an_untouched_notebook_is_rebuilt_as_it_was_released(released: Notebook) -> None:
    found = rebuild(released, released)
    assert found.notebook == released
    assert found.notes == ()
    assert [(c.exercise, c.symbol) for c in found.cells if c.kind == "grade"] == list(SYMBOLS.items())


def test_answers_and_edited_demos_are_taken(released: Notebook, mine: Notebook) -> None:
    exercise, demo, written = (place(mine, kind) for kind in ("exercise", "demo", "written"))
    mine.cells[exercise].source = ["def softmax(scores, axis=-1):\n", "    return scores"]
    mine.cells[demo].source = "print('mine')"
    mine.cells[written].source = "Each query *asks*."
    found = rebuild(released, mine)
    assert source(found, "softmax") == "def softmax(scores, axis=-1):\n    return scores"
    assert found.notebook.cells[demo].source == "print('mine')"
    assert found.notebook.cells[written].source == "Each query *asks*."
    assert found.notes == ()
    assert next(cell.source for cell in found.cells if cell.kind == "exercise").startswith("def softmax")


def test_an_edited_demo_is_searched_like_a_cell_of_the_student(released: Notebook, mine: Notebook) -> None:
    demo = place(mine, "demo")
    assert kind_of(rebuild(released, mine).notebook.cells[demo]) == "demo"
    mine.cells[demo].source = "getattr(torch, name)"
    assert kind_of(rebuild(released, mine).notebook.cells[demo]) == "own"


def test_prose_of_the_course_stays_as_released(released: Notebook, mine: Notebook) -> None:
    mine.cells[place(mine, "prose", 3)].source = "Everyone gets full points."
    assert rebuild(released, mine).notebook == released


def test_edited_set_up_and_grade_cells_are_put_back(released: Notebook, mine: Notebook) -> None:
    setup, grade = place(mine, "setup"), place(mine, "grade")
    mine.cells[setup].source += "\nimport itertools"
    mine.cells[grade].source = "4.0"
    found = rebuild(released, mine)
    assert source(found, "setup") == released.cells[setup].source
    assert source(found, "check-softmax") == released.cells[grade].source
    # what a student added to the set-up runs too, after it
    assert found.cells[[c.id for c in found.cells].index("setup") + 1].source.endswith("import itertools")
    assert found.notes == (
        "Cell 3, the set-up cell, was changed. The original is run first, and then yours.",
        "Cell 17, a check cell, also contains code of yours. Your code is run, and then the original check.",
    )


def test_added_cells_stay_where_they_were_put(released: Notebook, mine: Notebook) -> None:
    at = place(mine, "exercise", 1)
    mine.cells.insert(at + 1, nbformat.v4.new_code_cell("after = 1"))
    mine.cells.insert(at, nbformat.v4.new_markdown_cell("before"))
    mine.cells.insert(0, nbformat.v4.new_code_cell("first = 1"))
    mine.cells.append(nbformat.v4.new_code_cell("last = 1"))
    found = rebuild(released, mine)
    assert [cell.source for cell in found.notebook.cells] == [cell.source for cell in mine.cells]
    assert [cell.source for cell in found.cells if cell.kind == "own"] == ["first = 1", "after = 1", "last = 1"]
    assert len(set(order(found))) == len(found.notebook.cells)


def test_only_sources_are_taken(released: Notebook, mine: Notebook) -> None:
    for cell in mine.cells:
        cell.metadata["tags"] = ["setup", "evil"]
        cell.metadata["evil"] = {"x": 1}
        cell.metadata.get("nbgrader", {}).update(points=100, locked=False, grade=True)
        cell["attachments"] = {"evil.png": {"image/png": "x"}}
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="evil")]
            cell.execution_count = 7
    mine.metadata.update(kernelspec={"name": "evil"}, evil=1, language_info={"name": "evil"})
    mine.nbformat_minor = 99
    assert rebuild(released, mine).notebook == released
    own = nbformat.v4.new_code_cell("1", metadata={"evil": 1, "tags": ["setup"]}, outputs=[])
    own.outputs = [nbformat.v4.new_output("stream", text="evil")]
    mine.cells.append(own)
    assert "evil" not in json.dumps(rebuild(released, mine).notebook)


# what is odd


def test_the_first_of_two_copies_counts(released: Notebook, mine: Notebook) -> None:
    at = place(mine, "exercise")
    mine.cells[at].source = "def softmax(scores, axis=-1): return 1"
    second = copy.deepcopy(mine.cells[at])
    second.source = "def softmax(scores, axis=-1): return 2"
    mine.cells.append(second)
    found = rebuild(released, mine)
    assert source(found, "softmax").endswith("return 1")
    assert found.notebook.cells[-1].source.endswith("return 2")
    assert found.notebook.cells[-1].id.startswith("own-")
    assert [note[:36] for note in found.notes] == ["`softmax` is defined in cells 16 and"]


def test_a_deleted_exercise_that_is_written_again_is_the_same_exercise(released: Notebook, mine: Notebook) -> None:
    at = place(mine, "exercise")
    mine.cells[at] = nbformat.v4.new_code_cell("def softmax(scores, axis=-1): return 3")
    found = rebuild(released, mine)
    assert source(found, "softmax").endswith("return 3")
    assert order(found) == order(rebuild(released, released))
    assert found.notes == ()


def test_every_deleted_cell_of_the_course_is_put_back(released: Notebook, mine: Notebook) -> None:
    mine.cells = []
    found = rebuild(released, mine)
    assert [cell.id for cell in found.notebook.cells] == [cell.id for cell in released.cells]
    assert sum("is not defined anywhere" in note for note in found.notes) == len(SYMBOLS)


def test_cells_are_known_by_their_ids_where_metadata_is_lost(released: Notebook, mine: Notebook) -> None:
    mine.cells[place(mine, "exercise")].source = "softmax = None"
    for cell in mine.cells:
        cell.metadata = {}
    found = rebuild(released, mine)
    assert source(found, "softmax") == "softmax = None"
    assert order(found) == order(rebuild(released, released))


def test_cells_are_known_by_their_names_and_sources_where_ids_are_lost(released: Notebook, mine: Notebook) -> None:
    mine.cells[place(mine, "exercise")].source = "softmax = None"
    mine.cells.insert(5, nbformat.v4.new_code_cell("own = 1"))
    for number, cell in enumerate(mine.cells):
        cell["id"] = str(number)  # as some tools do that clear outputs
    found = rebuild(released, mine)
    assert source(found, "softmax") == "softmax = None"
    assert [cell.source for cell in found.notebook.cells] == [cell.source for cell in mine.cells]
    assert sum(cell.kind == "own" for cell in found.cells) == 1
    assert found.notes == ()


def test_a_copy_of_the_stub_does_not_take_the_place_of_the_answer(released: Notebook, mine: Notebook) -> None:
    at = place(mine, "exercise")
    mine.cells.insert(0, nbformat.v4.new_code_cell(mine.cells[at].source))
    mine.cells[at + 1].source = "def softmax(scores, axis=-1): return 1"
    found = rebuild(released, mine)
    assert source(found, "softmax").endswith("return 1")
    assert found.cells[0].kind == "own"


def test_cells_of_kinds_we_do_not_know_are_left_out(released: Notebook, mine: Notebook) -> None:
    mine.cells += [
        nbformat.v4.new_raw_cell("<script>"),
        {"cell_type": "heading", "source": "x"},
        {"cell_type": ["code"], "source": "x"},
        {},
        "a cell",
        None,
    ]
    assert rebuild(released, mine).notebook == released


@pytest.mark.parametrize(
    "names",
    [
        *({"id": 5}, {"id": None}, {"metadata": None}, {"metadata": []}, {"metadata": {"nbgrader": 5}}),
        {"metadata": {"nbgrader": {"grade_id": ["softmax"]}}},
        {"metadata": {"nbgrader": {"grade_id": {"a": 1}}}},
    ],
)
def test_names_that_are_no_names_are_none(released: Notebook, mine: Notebook, names: dict[str, Any]) -> None:
    mine.cells.append({"cell_type": "code", "source": "x = 1", **names})
    found = rebuild(released, mine)
    assert found.notebook.cells[-1].source == "x = 1"


def test_lone_surrogates_and_null_bytes_can_be_written(released: Notebook, mine: Notebook) -> None:
    mine.cells[place(mine, "exercise")].source = "softmax = '\ud800 \0'"
    mine.cells.append(nbformat.v4.new_markdown_cell("\udfff"))
    found = rebuild(released, mine)
    nbformat.writes(found.notebook).encode()
    assert source(found, "softmax") == "softmax = '? \0'"


def test_a_byte_order_mark_is_no_error(released: Notebook) -> None:
    assert rebuild(released, b"\xef\xbb\xbf" + json.dumps(released).encode()).notebook == released


# what cannot be read


def cut(notebook: Notebook) -> bytes:
    text = json.dumps(notebook).encode()
    return text[: len(text) // 2]


def with_source(notebook: Notebook, source: Any) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": source}]}).encode()


UNREADABLE: dict[str, tuple[Callable[[Notebook], bytes], str]] = {
    "nothing": (lambda n: b"", "the file is empty"),
    "cut in half": (cut, "was cut short"),
    "an image": (lambda n: b"\x89PNG\r\n\x1a\n\0", "a picture"),
    "a list": (lambda n: b"[]", "no list of cells"),
    "null": (lambda n: b"null", "no list of cells"),
    "cells that are a dict": (lambda n: b'{"cells": {}}', "no list of cells"),
    "an old notebook": (lambda n: b'{"worksheets": [], "nbformat": 3}', "no list of cells"),
    "a million brackets": (lambda n: b"[" * 1_000_000, "brackets within brackets"),
    "lists by the million": (lambda n: b'{"cells": [' + b"[]," * 3_000_000 + b"1]}", "more values"),
    "an integer of a million digits": (lambda n: b'{"cells": ' + b"1" * 1_000_000 + b"}", "more digits"),
    "a file that is too large": (lambda n: with_source(n, "x" * (LARGEST + 1)), "larger than 20 MB"),
    "too many cells": (lambda n: b'{"cells": [' + b"{}," * MOST_CELLS + b"{}]}", "more than 1,000 cells"),
    "a source that is too long": (lambda n: with_source(n, "x" * (LARGEST_SOURCE + 1)), "a million characters"),
    "a source that is a number": (lambda n: with_source(n, 5), "not text"),
    "a source that is null": (lambda n: with_source(n, None), "not text"),
    "a source of numbers": (lambda n: with_source(n, [1, 2]), "not text"),
    "a source of sources": (lambda n: with_source(n, ["a", ["b"]]), "not text"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_is_no_notebook_is_refused_with_a_reason(released: Notebook, what: str) -> None:
    make, reason = UNREADABLE[what]
    with pytest.raises(UnreadableError, match=reason) as raised:
        rebuild(released, make(released))
    assert "\n" not in str(raised.value)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "secret")
    (tmp_path / "folder.ipynb").mkdir()
    for name in ("link.ipynb", "folder.ipynb", "nothing.ipynb"):
        assert Submission("ada", tmp_path / name).read(LARGEST) is None
    assert Submission("ada", tmp_path / "secret").read(3) == b"sec"
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert Submission("ada", tmp_path / "pipe.ipynb").read(LARGEST) is None, "and nobody waits for a writer"
    assert Submission("ada", Path("/dev/zero")).read(LARGEST) is None


def test_a_folder_with_a_name_that_no_student_has_is_a_submission_that_fails(tmp_path: Path) -> None:
    names = ["ada", "l" * 251, "é" * 120, os.fsdecode(b"\xff"), "a\nb", "a\x1b[2Jb", "a\u202eb", "[i]", "a b"]
    for name in names:
        (tmp_path / name / "03").mkdir(parents=True)
    found = {submission.path.parent.parent.name: submission for submission in find_submissions(tmp_path, "03")}
    assert found.keys() == set(names)
    assert {name for name, submission in found.items() if not submission.problem} == {"ada", "[i]", "a b"}
    assert len({submission.student for submission in found.values()}) == len(names)
    for submission in found.values():
        assert submission.student.isprintable()
        (tmp_path / f"{submission.student}.json").write_text(submission.student)


# what is shown


def sound(page: Page) -> None:
    """Nothing in it runs, loads or leads anywhere, and no formula does."""
    assert not page.tags & {"script", "iframe", "form", "object", "embed", "base", "svg", "style", "link", "meta"}
    assert not [a for a in page.attributes if a[1].startswith("on") or a[1] in ("src", "srcdoc", "action", "style")]
    assert all(value.startswith("#") for _, name, value in page.attributes if name == "href")
    assert not FORMULA.search(page.typeset)


@pytest.mark.parametrize("text", MARKDOWN)
def test_a_students_prose_is_only_prose(text: str) -> None:
    for around in ("{}", "> {}", "- {}", "a\n\n{}\n\nb", "**{}**", "| a |\n|---|\n| {} |", "# {}", "`` {} ``"):
        page = Page(markdown2html_mistune(harmless_markdown(around.format(text))))
        sound(page)
        assert "mermaid" not in page.tags
        assert not [a for a in page.attributes if "mermaid" in a[2]]


def test_the_search_for_what_runs_finds_it_where_it_is() -> None:
    found = 0
    for text in MARKDOWN:
        try:
            sound(Page(markdown2html_mistune(text)))
        except Exception:
            found += 1
    assert found > len(MARKDOWN) * 0.6


@pytest.mark.parametrize(
    "text",
    [
        "Each *query* asks **one** question: `a < b`, and x & y.",
        "$$\\sum_j a_j = 1,\\quad a < b \\\\ c &= d$$ and $\\frac{1}{\\sqrt{d_k}}$",
        "1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n    code\n\n```python\nx[0] = f(x)\n```",
        "[1] is a reference, (a) a bracket; class \\alpha, 5 > 3 < 4",
    ],
)
def test_ordinary_prose_is_left_as_it_is(text: str) -> None:
    assert harmless_markdown(text) == text


@pytest.mark.parametrize(
    "text", ["# {}", "a\n\n###  {}  ##\n", "{}\n===", "{}\n  ---", "> # {}", "- # {}", "1. {}\n   ===", "*a*\n\n{}\n-"]
)
def test_a_heading_takes_no_cells_id(text: str) -> None:
    heading = text.format("check-softmax")
    assert 'id="check-softmax"' in markdown2html_mistune(heading), "unchanged it would"
    assert 'id="check-softmax"' not in markdown2html_mistune(harmless_markdown(heading))


def test_of_what_is_printed_plain_colours_are_kept_and_nothing_else_that_a_terminal_obeys() -> None:
    plain = "\x1b[0;31mTypeError\x1b[0m: \x1b[1mno\x1b[22m\n\tα → 日本"
    assert harmless_text(plain) == plain
    obeyed = "a\x1b[38mb\x1b[48;5mc\x1b[38;5;9md\x1b[2Je\x9b2Jf\x1b]0;title\x07g\u202eh\ri\x1b[m\x1b"
    assert harmless_text(obeyed) == "abcdefg\\u202ehi".replace("f", "2Jf").replace("g", "0;titleg") + "\x1b[m"


@pytest.mark.parametrize("turns", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"])
def test_what_turns_the_direction_of_writing_is_shown_as_an_escape(turns: str) -> None:
    said, escape = f"a{turns}b", f"a\\u{ord(turns):x}b"
    assert harmless_text(said) == harmless_code(said) == visible(said) == escape
    assert harmless_markdown(said).replace(NOTHING, "") == escape
    error = Answer(error=Error(said, said, said))
    assert plain_answer(error, Room()).error == Error(escape, escape, escape)
    assert plain_answer(Answer({said: [said]}), Room()).values == {said: [said]}, "a value stays, and a card escapes it"
    card = Card("softmax", 0, 1, said, (), said, (), None, place=said, prints=(said,))
    assert turns not in card.text + card.html and escape in card.text
    assert visible("שלום\u200f, a\n\tb\r\n") == "שלום\u200f, a\n\tb\r\n", "what text needs stays"


def test_what_is_broken_up_still_reads_as_it_was_written() -> None:
    text = "`x <b> y`, a&b; and see https://example.org [here](there), C:\\new\\stylefile, \\d+"
    assert harmless_markdown(text).replace(NOTHING, "") == text


@pytest.mark.parametrize(
    "formula",
    [
        "\\lower 7em{x}", "\\rlap{x}", "\\smash{x}", "\\bbox[white]{x}", "\\Rule{9em}{9em}{9em}", "\\hspace{-9em}x",
        "\\kern-9em x", "\\color{white}{x}", "\\DeclareMathOperator{\\frac}{x}", "\\Newextarrow{\\log}{1,1}{8594}",
        "a\\\\[-9em]b", "a\\\\ [-9em]b", "\\\\lower 7em{x}",
    ],
)  # fmt: skip
def test_a_formula_writes_and_moves_nothing(formula: str) -> None:
    """Else it could cover what a grader reads below it, or give the formulas there another meaning."""
    shown = harmless_markdown(f"${formula}$")
    assert shown.replace(NOTHING, "") == f"${formula}$"
    assert f"\\{NOTHING}" in shown


def test_all_formulas_of_the_lessons_may_be_written(course: Course) -> None:
    """What our own answers and lessons use, a student may use."""
    text = "".join(path.read_text(encoding="utf-8") for path in (course.root / "lessons").glob("*.md"))
    for formula in re.findall(r"\$+[^$]+\$+", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        assert f"\\{NOTHING}" not in harmless_markdown(formula)


def test_prose_has_a_length(released: Notebook, mine: Notebook) -> None:
    mine.cells.insert(1, nbformat.v4.new_markdown_cell("a" * (LONGEST_PROSE - 10)))
    mine.cells.insert(2, nbformat.v4.new_markdown_cell("b" * 100))
    mine.cells.insert(3, nbformat.v4.new_markdown_cell("c"))
    found = rebuild(released, mine)
    assert [len(cell.source) for cell in found.notebook.cells if cell.id.startswith("own")] == [
        LONGEST_PROSE - 10,
        10,
        0,
    ]
    assert "left out" in found.notes[0]


def test_code_is_shown_at_a_readable_length() -> None:
    assert harmless_code("a = 1\n\n\nb = 2") == "a = 1\n\n\nb = 2"
    assert harmless_code("a\n" + "\n\t" * 1000 + "b").count("\n") == 4
    line = "x" * 99 + "\n"
    assert harmless_code(line * (LONGEST_CODE // 100) + "y" * 1234) == (
        line * (LONGEST_CODE // 100) + "\n# … and 1,234 characters more"
    )
    assert harmless_code("a." * 1000) == "a." * 250 + " …", "long lines take the highlighter minutes"
    for exercise in of_lesson(LESSON):
        for implementation in exercise.implementations:
            assert harmless_code(implementation.source) == implementation.source


@pytest.mark.parametrize("text", ["[" * LONGEST_PROSE, "\\" * LONGEST_PROSE, "]" + " " * LONGEST_PROSE, "<&]" * 16_000])
def test_making_prose_harmless_takes_no_time(text: str) -> None:
    start = time.perf_counter()
    harmless_markdown(text)
    assert time.perf_counter() - start < 0.5


# feedback pages


def test_a_feedback_page_holds_nothing_of_a_student_that_runs(graded_class: GradedClass) -> None:
    runs_nothing(Page(graded_class.feedback("[i]hostile")), Page(graded_class.feedback("untouched")))


def test_a_feedback_page_still_shows_what_the_student_wrote(graded_class: GradedClass) -> None:
    page = graded_class.feedback("[i]hostile")
    assert page.count(MARK) > len(MARKDOWN)
    assert "&lt;script&gt;" in page.replace(NOTHING, "")
    assert HTML[0] not in page


def test_a_feedback_page_shows_nothing_of_hidden_questions(graded_class: GradedClass) -> None:
    numbers = given_numbers(lesson_keys(LESSON, (graded_class.folder / "secret.key").read_bytes(), graded_class.folder))
    page = graded_class.feedback("[i]hostile")
    assert [name for name, text in numbers["public"].items() if text in page], "it tells what it can"
    known = set(numbers["public"].values())
    assert not [name for name, text in numbers["hidden"].items() if text in page and text not in known]


def test_a_submission_that_cannot_be_graded_has_a_page_that_says_why(graded_class: GradedClass) -> None:
    for student, reason in (("cut_in_half", "was cut short"), ("empty", "there is no file")):
        assert graded_class.results[student]["status"] == "failed"
        assert graded_class.results[student]["score"] is None
        assert reason in graded_class.results[student]["reason"]
        assert reason in graded_class.feedback(student)


def test_the_report_names_every_student_and_runs_nothing(graded_class: GradedClass) -> None:
    report = (graded_class.folder / "reports" / f"{LESSON}.html").read_text()
    page = Page(report)
    assert "script" not in page.tags
    assert all(student in report for student in graded_class.results)
    assert DEFINITIONS["scaled_dot_product_attention"].exercise.misconception("unscaled").sentence[:30] in report
