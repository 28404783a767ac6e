"""Whose fault an error is: a right part is not blamed for one that it builds on, nor that one for a wrong use of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.exercises import DEFINITIONS
from course_lib import check, components
from course_lib.app.notebook_check import check_notebook
from course_lib.course import Course
from course_lib.running.cells import grade_id

FEED_FORWARD, LAYER = DEFINITIONS["feed_forward"].reference.source, DEFINITIONS["encoder_layer"].reference.source
MISTYPED = FEED_FORWARD.replace("self.w_2(", "self.w2(")
RIGHT_USE, WRONG_USE = "self.feed_forward)", "lambda y: self.feed_forward(y.transpose(-1, -2)))"
OTHER_STYLE = LAYER.replace("return ", "return 0 + ")


pytestmark = pytest.mark.usefixtures("new_kernel")


def notebook(*cells: str) -> dict[str, Any]:
    """What a notebook's cells define; their lines can be quoted."""
    text = "import math\nimport torch\nfrom torch import Tensor, nn\nfrom course_lib.components import *\n"
    path = Path("notebook.py").absolute()
    path.write_text(text + "\n".join(cells))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(path.read_text(), path, "exec"), namespace)
    return namespace


def test_the_sources_are_as_they_are_expected_here() -> None:
    assert "self.w2(" in MISTYPED and RIGHT_USE in LAYER and OTHER_STYLE != LAYER


def test_an_error_in_an_earlier_part_is_told_to_be_there() -> None:
    mine = notebook(MISTYPED, LAYER)
    score = check("encoder_layer", mine["EncoderLayer"])
    assert not score.verdict.passed
    assert score.card.says == (
        "It stops with AttributeError inside your `FeedForward`, which this builds on: fix that first. "
        "With a correct `FeedForward`, every check here holds."
    )
    assert score.card.hint is None
    assert "of FeedForward.forward: " in score.card.quote
    assert mine["FeedForward"] is not components.FeedForward, "the student's own is put back"
    assert "FeedForward`, which" not in check("feed_forward", mine["FeedForward"]).text


def test_the_rest_is_judged_over_the_right_part() -> None:
    wrong = DEFINITIONS["encoder_layer"].implementation("mask_not_passed").source
    says = check("encoder_layer", notebook(MISTYPED, wrong)["EncoderLayer"]).card.says
    assert "fix that first. With a correct `FeedForward`, this would earn " in says
    assert says.endswith(DEFINITIONS["encoder_layer"].exercise.misconception("mask_not_passed").sentence[1:])


def test_a_part_that_is_not_written_is_told_to_be_so() -> None:
    stub = DEFINITIONS["feed_forward"].implementation("stub").source
    says = check("encoder_layer", notebook(stub, LAYER)["EncoderLayer"]).card.says
    assert says.startswith("It builds on your `FeedForward`, which is not written yet: write that first.")


def test_a_right_part_that_is_used_wrongly_is_not_blamed() -> None:
    mine = notebook(FEED_FORWARD, LAYER.replace(RIGHT_USE, WRONG_USE))
    score = check("encoder_layer", mine["EncoderLayer"])
    assert "of FeedForward.forward: " in score.card.quote, "it does stop there"
    assert "FeedForward" not in score.card.says


def test_where_the_course_has_no_version_of_it_the_part_is_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = notebook(MISTYPED, LAYER)
    monkeypatch.setattr(components, "FeedForward", None)
    assert check("encoder_layer", mine["EncoderLayer"]).card.says.endswith("fix that first.")


LIBRARY = """
from collections import Counter

def clipped_counts(candidate, references, n):
    counts = Counter([list(candidate[:n])])
    return counts, 0
"""


def test_a_line_of_the_standard_library_is_not_yours() -> None:
    quote = check("clipped_counts", notebook(LIBRARY)["clipped_counts"]).card.quote
    message, line = quote.splitlines()
    assert message == "TypeError: unhashable type: 'list'"
    assert line == "line 9 of clipped_counts: counts = Counter([list(candidate[:n])])"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("raise NotImplementedError", "It builds on your `FeedForward`, which is not written yet: write that first."),
        ("x = self.missing", "It stops with AttributeError inside your `FeedForward`, which this builds on: fix that"),
    ],
)
def test_the_terminal_says_so_too(course: Course, tmp_path: Path, broken: str, said: str) -> None:
    lesson = "06_encoder_block"
    notebook = nbformat.read(course.solution_notebook(course.lesson(lesson)), as_version=nbformat.NO_CONVERT)
    cell = next(c for c in notebook.cells if grade_id(c) == "feed_forward")
    cell.source = re.sub(r"(def forward\(.*\n)", rf"\1        {broken}\n", cell.source)
    nbformat.write(notebook, tmp_path / f"{lesson}.ipynb")
    checked = check_notebook(tmp_path / f"{lesson}.ipynb")
    assert checked.verdicts["layer_norm"][0].passed
    for name in ("encoder_layer", "encoder"):
        verdict, card = checked.verdicts[name]
        assert not verdict.passed
        assert card.says.startswith(said)
        assert card.hint is None
    assert not checked.verdicts["feed_forward"][1].says.startswith("It builds on")
