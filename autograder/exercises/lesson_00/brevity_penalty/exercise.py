"""Exercise `brevity_penalty`: the factor for a corpus of translations that is too short."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference

RETURNS = ["penalty"]


def _pair(hypothesis_length: int, reference_length: int) -> dict[str, int]:
    return {"hypothesis_length": hypothesis_length, "reference_length": reference_length}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about translations that are slightly too short, far too short, too long, of equal length, and empty."""
    short, long, longer = sorted(int(i) for i in sampler.shuffled(range(40, 90))[:3])
    by_hand = _pair(int(sampler.shuffled((6, 7, 8, 9))[0]), int(sampler.shuffled((10, 11, 12, 13))[0]))
    yield Call("by_hand", by_hand, returns=RETURNS)
    shorter = [_pair(long, longer), _pair(short // 4, longer)]
    yield Calls("shorter", shorter, returns=RETURNS)
    yield Calls("enough", [_pair(longer, short), _pair(long, long)], returns=RETURNS)
    few = int(sampler.shuffled((2, 3, 4))[0])  # because with many, even wrong formulas come close to 0
    yield Call("empty", _pair(0, few), returns=RETURNS)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the penalty of translations that are a little too short is right", 0.3,
        {"fields": RETURNS}),
    Check("equals_shorter", equals_reference, "shorter", "the penalty is right for other short translations, even for those that are far too short", 0.3,
        {"fields": ["calls/0/penalty", "calls/1/penalty"]}),
    Check("enough", equals_reference, "enough", "the penalty of translations that are long enough, or too long, is right: exactly 1", 0.2,
        {"fields": ["calls/0/penalty", "calls/1/penalty"]}, needs="equals_by_hand"),
    Check("empty", equals_reference, "empty", "the penalty of empty translations is right: 0", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Take c = 5 and r = 10, then 10 and 10, then 10 and 5. In which of the three does the exponential apply?",
        "There are three cases: long enough, nothing at all, and the formula for everything between.",
        "`1.0` if c ≥ r, `0.0` if c is 0, and otherwise `math.exp(1 - r / c)`.",
    ),
    ask=ask,
)
