"""Exercise `sinusoidal_encoding`: a vector of sines and cosines for each position."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equally_alike_at_equal_gaps, equals_reference, keeps_dtype

_question = calling("length", "d_model", returns=["encoding"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about width 4 with frequencies 1 and 1/100, wider and longer tables, a single position, and an odd width."""
    yield _question("by_hand", sampler.shuffled(range(3, 9))[0], 4)
    yield _question("first_position", 1, sampler.shuffled(range(6, 19, 2))[0])
    yield _question("plain", sampler.shuffled((5, 6, 7, 9, 11))[0], sampler.shuffled((8, 10, 12))[0])
    yield _question("longer", sampler.shuffled(range(21, 31))[0], sampler.shuffled((14, 16, 18))[0])
    yield _question("odd_width", sampler.shuffled((4, 6, 8, 10))[0], sampler.shuffled((5, 7, 9, 11))[0])


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a few positions of width 4 come out right", 0.5,
        {"fields": ["encoding"]}),
    Check("first_position", equals_reference, "first_position", "position 0 comes out right: 0, 1, 0, 1, …", 0.25,
        {"fields": ["encoding"]}),
    Check("equals_plain", equals_reference, "plain", "a wider encoding comes out right", 0.75,
        {"fields": ["encoding"]}),
    Check("longer", equals_reference, "longer", "more positions come out right", 0.5,
        {"fields": ["encoding"]}),
    Check("odd_width", equals_reference, "odd_width", "an odd width comes out right: it ends in a sine without its cosine", 0.5,
        {"fields": ["encoding"]}),
    Check("equal_gaps", equally_alike_at_equal_gaps, "plain", "positions at equal gaps are equally alike", 0.25,
        {"field": "encoding"}, needs="equals_plain"),
    Check("keeps_dtype", keeps_dtype, "plain", "the encoding is of torch's default type, float32 or float64", 0.25,
        {"fields": ["encoding"]}, needs="equals_plain", also=("longer",)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Compute positions 0, 1 and 2 at width 4 on paper: two frequencies, 1 and 1/100, a sine and a cosine of each.",
        "Four steps: positions (T, 1), frequencies (D/2,), angles (T, D/2), then sines and cosines into a table (T, D). Print each.",
        "`angles = torch.arange(length).unsqueeze(1) * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)`; "
        "sines into `[:, 0::2]`, cosines into `[:, 1::2]`. An odd width has one cosine less.",
    ),
    ask=ask,
)
