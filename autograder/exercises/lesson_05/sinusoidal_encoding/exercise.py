"""Exercise `sinusoidal_encoding`: a vector of sines and cosines for each position."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equally_alike_at_equal_gaps, equals_reference, keeps_dtype
from course_lib.checking.questions import Question, calling

_question = calling("length", "d_model", returns=["encoding"])


def ask(draw: Draw) -> Iterator[Question]:
    """Ask about width 4 with frequencies 1 and 1/100, wider and longer tables, a single position, and an odd width."""
    yield _question("by_hand", draw.shuffled(range(3, 9))[0], 4)
    yield _question("first_position", 1, draw.shuffled(range(6, 19, 2))[0])
    yield _question("plain", draw.shuffled((5, 6, 7, 9, 11))[0], draw.shuffled((8, 10, 12))[0])
    yield _question("longer", draw.shuffled(range(21, 31))[0], draw.shuffled((14, 16, 18))[0])
    yield _question("odd_width", draw.shuffled((4, 6, 8, 10))[0], draw.shuffled((5, 7, 9, 11))[0])


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a few positions of width 4 come out right", 0.5,
        {"fields": ["encoding"]}),
    Law("first_position", equals_reference, "first_position", "position 0 is 0, 1, 0, 1, …", 0.25,
        {"fields": ["encoding"]}),
    Law("equals_plain", equals_reference, "plain", "a wider encoding comes out right", 0.75,
        {"fields": ["encoding"]}),
    Law("longer", equals_reference, "longer", "more positions come out right", 0.5,
        {"fields": ["encoding"]}),
    Law("odd_width", equals_reference, "odd_width", "an odd width ends in a sine without its cosine", 0.5,
        {"fields": ["encoding"]}),
    Law("equal_gaps", equally_alike_at_equal_gaps, "plain", "positions at equal gaps are equally alike", 0.25,
        {"field": "encoding"}, needs="equals_plain"),
    Law("keeps_dtype", keeps_dtype, "plain", "the encoding is of torch's default type, float32", 0.25,
        {"fields": ["encoding"]}, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    laws=LAWS,
    hints=(
        "Compute positions 0, 1 and 2 at width 4 on paper: two frequencies, 1 and 1/100, a sine and a cosine of each.",
        "Four steps: positions (T, 1), frequencies (D/2,), angles (T, D/2), then sines and cosines into a table (T, D). Print each.",
        "`angles = torch.arange(length).unsqueeze(1) * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)`; "
        "sines into `[:, 0::2]`, cosines into `[:, 1::2]`, of which an odd width has one less.",
    ),
    ask=ask,
)
