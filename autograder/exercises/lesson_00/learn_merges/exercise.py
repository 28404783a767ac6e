"""Exercise `learn_merges`: which pairs of neighbouring pieces a text has most often, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.letters import letters, spelled
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["merges"]


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about frequent words, many steps, ties, a pair that repeats within a word, and more steps than pairs."""
    few = letters(sampler, 7)

    def arguments(steps: int, **counts: int) -> dict[str, object]:
        return {"counts": {spelled(pattern[1:], few): count for pattern, count in counts.items()}, "steps": steps}

    yield Call("by_hand", arguments(2, _012=2, _1203=3, _45=4, _46=1), returns=RETURNS)
    yield Call("many", arguments(7, _012345=6, _0123=5, _01234=1, _6123=4, _612335=2, _5446=3, _44=1), returns=RETURNS)
    # after 10 and 02, the pairs (1, 3) and (10, 2) are equally frequent; as a text, 10 2 contains 0 2
    yield Call("joined", arguments(4, _102=4, _10=6, _02=5, _13=4), returns=RETURNS)
    yield Call("ties", arguments(4, _34=3, _10=3, _56=2, _62=2, _015=3), returns=RETURNS)
    yield Call("repeats", arguments(3, _20202=2, _1402=2, _14=3, _1420=1), returns=RETURNS)
    yield Call("rare", arguments(3, _012=1, _30=2, _4=9), returns=RETURNS)
    yield Calls("used_up", [arguments(6, _120=2, _3=7, _45=1), arguments(3)], returns=RETURNS)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the first two merges are right: the most frequent pair, and the most frequent pair after that", 0.75,
        {"fields": RETURNS}),
    Check("equals_many", equals_reference, "many", "many merges come out right: they may join what earlier ones have joined", 0.75,
        {"fields": RETURNS}, also=("joined",)),
    Check("equals_ties", equals_reference, "ties", "where pairs are equally frequent, the merges are right: the pair that sorts first is taken", 0.5,
        {"fields": RETURNS}),
    Check("equals_repeats", equals_reference, "repeats", "a pair that occurs several times in a word comes out right: it counts several times", 0.4,
        {"fields": RETURNS}),
    Check("rare", equals_reference, "rare", "a pair that occurs only once comes out right: it can be merged", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("used_up", equals_reference, "used_up", "where no word has a pair left, the merges are right: there are fewer", 0.3,
        {"fields": ["calls/0/merges", "calls/1/merges"]}, needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "many", "the counts are left as they were", 0.1,
        needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Print the counts of all pairs before the first merge, and compare them with yours on paper. Each word counts as often as it occurs.",
        "Keep the current pieces of each word. Each step counts the pairs, takes the best, and applies this one merge to all words with `apply_merges`.",
        "`best = min(pairs, key=lambda pair: (-pairs[pair], pair))`, and then `words = {word: apply_merges(pieces, [best]) for word, pieces in words.items()}`.",
    ),
    ask=ask,
    builds_on=("apply_merges",),
)
