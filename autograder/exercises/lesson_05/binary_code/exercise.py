"""Exercise `binary_code`, the lesson's first: a table of bits, which sinusoids replace by smooth numbers."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, keeps_dtype

_question = calling("length", "num_bits", returns=["code"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about few positions, many positions, and more than the bits can distinguish."""
    yield _question("by_hand", sampler.shuffled(range(5, 9))[0], 3)
    yield _question(
        "plain", sampler.shuffled(range(17, 32))[0], sampler.shuffled((6, 7))[0]
    )  # five bits would be enough
    yield _question("starts_again", sampler.shuffled(range(10, 16))[0], 3)
    yield _question("long", sampler.shuffled(range(260, 290))[0], 9)  # more positions than a byte can count


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a few positions in three bits come out right", 0.4,
        {"fields": ["code"]}),
    Check("equals_plain", equals_reference, "plain", "more positions and more bits come out right", 0.3,
        {"fields": ["code"]}, also=("long",)),
    Check("starts_again", equals_reference, "starts_again", "positions from 2^num_bits on come out right: the code starts again", 0.2,
        {"fields": ["code"]}),
    Check("keeps_dtype", keeps_dtype, "plain", "the bits are floating-point numbers, 0.0 and 1.0", 0.1,
        {"fields": ["code"]}, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Write positions 0 to 7 in three bits, on paper. For how many rows does each column stay the same?",
        "Work out one bit of one position first: bit 1 of position 6. Then do it for a column of positions and a row of bits.",
        "Bit k of position t is `t // 2**k % 2`; positions as (T, 1), the powers of two as (num_bits,), and `.float()` at the end.",
    ),
    ask=ask,
)
