"""Exercise `clipped_counts`: how many n-grams of a translation occur in the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.words import words
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["matches", "total"]


def _ngrams(tokens: Sequence[str], n: int, step: int = 1) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, step)]


def _matches(ours: Sequence[object], theirs: Sequence[object]) -> int:
    return (Counter(ours) & Counter(theirs)).total()


def _tells_apart(hypothesis: Sequence[str], reference: Sequence[str]) -> bool:
    """Return whether several ways to count 2-grams give different numbers, none of them 0."""
    ours, theirs = _ngrams(hypothesis, 2), _ngrams(reference, 2)
    counts = [
        _matches(ours, theirs),
        sum(ngram in theirs for ngram in ours),
        len(set(ours) & set(theirs)),
        _matches(hypothesis, reference),
        _matches([frozenset(o) for o in ours], [frozenset(t) for t in theirs]),
        _matches(_ngrams(hypothesis, 2, 2), _ngrams(reference, 2, 2)),
        sum(a == b for a, b in zip(ours, theirs, strict=False)),
    ]
    return len(set(counts)) == len(counts) and 0 not in counts


def _sentences(sampler: Sampler, length: int, reference_length: int) -> tuple[list[str], list[str]]:
    """Return two sentences of a few words on which all ways to count 2-grams differ."""
    few = words(sampler, 3)
    while True:
        many = sampler.shuffled(few * 6)
        hypothesis, reference = many[:length], sampler.shuffled(many)[:reference_length]
        if _tells_apart(hypothesis, reference):
            return hypothesis, reference


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about a word that repeats too often, repeated 2-grams, longer n-grams, and sentences too short for any."""
    a, b, c, d, e = words(sampler, 5)
    often = int(sampler.shuffled((5, 6, 7))[0])
    by_hand = {"hypothesis": [a] * often + [b], "reference": [a, c, b, d, a], "n": 1}
    yield Call("by_hand", by_hand, returns=RETURNS)
    hypothesis, reference = _sentences(sampler, *sampler.shuffled(((11, 9), (12, 10), (10, 12)))[0])
    pairs = {"hypothesis": hypothesis, "reference": reference, "n": 2}
    yield Call("pairs", pairs, returns=RETURNS)
    # the 3-gram c a d is twice in both sentences, b c a twice only in the translation, and both end in the same words
    tail = sampler.shuffled(([c, a, d, c], [c, a, d, e, c], [c, a, d, b, c]))[0]
    long, right = [a, b, c, a, d, e, b, *tail], [a, b, c, a, d, b, e, *tail, c]
    calls = [{"hypothesis": long, "reference": right, "n": n} for n in (3, 4)]
    yield Calls("longer", calls, returns=RETURNS)
    short = [{"hypothesis": [c, d][:length], "reference": [c, d, a, b, e], "n": 4} for length in (2, 0)]
    runs = {"hypothesis": [a + b, c, d, e], "reference": [a, b + c, d, e, a], "n": 2}  # equal once they are joined
    yield Call("runs_together", runs, returns=RETURNS)
    yield Calls("too_short", short, returns=RETURNS)


def _both(calls: int) -> list[str]:
    return [f"calls/{call}/{name}" for call in range(calls) for name in RETURNS]


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the counts are right if a word is repeated too often: it matches as often as it occurs in the reference", 0.5,
        {"fields": RETURNS}),
    Check("equals_pairs", equals_reference, "pairs", "2-grams are counted correctly, even if they repeat", 0.5,
        {"fields": RETURNS}),
    Check("runs_together", equals_reference, "runs_together", "the counts are right for 2-grams that would be equal without the space between their tokens", 0.25,
        {"fields": RETURNS}),
    Check("equals_longer", equals_reference, "longer", "3-grams and 4-grams are counted correctly, too", 0.4,
        {"fields": _both(2)}),
    Check("too_short", equals_reference, "too_short", "if the translation is shorter than n, both counts are right: 0", 0.25,
        {"fields": _both(2)}, needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "pairs", "translation and reference are left as they were", 0.1,
        needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Take a small example and count on paper. How often does each word occur in the translation, and how often in the reference?",
        "Two steps: count the n-grams of each sentence. Then take, for each n-gram of the translation, the smaller of the two counts.",
        "`Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))` for each sentence; then `min(count, theirs[ngram])`.",
    ),
    ask=ask,
)
