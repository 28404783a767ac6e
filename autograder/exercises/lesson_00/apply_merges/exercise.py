"""Exercise `apply_merges`: how byte-pair merges cut a word into pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.letters import letters, spelled
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["pieces"]


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one merge, merges that compete, many merges, repeated letters, and words in which nothing is joined."""
    few = sampler.shuffled(letters(sampler, 6))

    def arguments(word: str, *merges: Sequence[str]) -> dict[str, object]:
        pairs = [(spelled(left, few), spelled(right, few)) for left, right in merges]
        return {"word": spelled(word, few), "merges": pairs}

    yield Call("by_hand", arguments("120123", "12"), returns=RETURNS)
    compete = [("1", "2"), ("0", "1"), ("12", "3"), ("0", "123")]
    yield Call("compete", arguments("012310", *compete), returns=RETURNS)
    many = [("0", "1"), ("2", "3"), ("01", "23"), ("4", "0123"), ("5", "01"), ("1", "4")]
    yield Call("many", arguments("40123501423012", *many), returns=RETURNS)
    yield Call("repeats", arguments("000100001", ("0", "0"), ("00", "1"), ("00", "00")), returns=RETURNS)
    yield Call("inside", arguments("3012125", ("0", "1"), ("1", "2")), returns=RETURNS)
    nothing = [arguments("0123", ("2", "1"), ("3", "0")), arguments("42105")]
    yield Calls("nothing", nothing, returns=RETURNS)
    # the pieces 01 and 2 spell the second merge, but aren't its pair
    yield Call("spelled_alike", arguments("012301", ("0", "1"), ("0", "12")), returns=RETURNS)
    pieces = [spelled(piece, few) for piece in ("01", "2", "01", "2", "3")]
    yield Call("pieces", {**arguments("", ("01", "2"), ("012", "3")), "word": pieces}, returns=RETURNS)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "one merge comes out right: it joins its pair wherever it occurs in the word", 0.4,
        {"fields": RETURNS}),
    Check("equals_compete", equals_reference, "compete", "where two merges compete for a letter, the pieces are right: the earlier one gets it", 0.4,
        {"fields": RETURNS}),
    Check("equals_many", equals_reference, "many", "many merges, some of which join what others have joined, leave the right pieces", 0.4,
        {"fields": RETURNS}, also=("spelled_alike",)),
    Check("equals_repeats", equals_reference, "repeats", "a letter that repeats comes out right: it is joined from the left, and only once", 0.3,
        {"fields": RETURNS}),
    Check("equals_inside", equals_reference, "inside", "a piece that merely ends in the first of a pair comes out right: only whole pieces are joined", 0.2,
        {"fields": RETURNS}),
    Check("nothing", equals_reference, "nothing", "where no merge applies, or there is none, the pieces are right: the letters", 0.1,
        {"fields": ["calls/0/pieces", "calls/1/pieces"]}, needs="equals_by_hand"),
    Check("pieces", equals_reference, "pieces", "a word that is already cut into pieces comes out right: it can be joined further", 0.1,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "pieces", "the pieces and merges that you are given are left as they were", 0.1,
        needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Take a small example and apply the first merge on paper, letter by letter. When can you write down a piece for good?",
        "The outer loop goes over the merges, the inner one over the current pieces. The inner loop builds a new list.",
        "For each `piece`: if `joined` is not empty and `(joined[-1], piece) == (left, right)`, set `joined[-1] = left + right`; otherwise append the piece.",
    ),
    ask=ask,
)
