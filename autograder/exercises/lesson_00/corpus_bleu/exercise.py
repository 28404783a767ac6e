"""Exercise `corpus_bleu`: a geometric mean of the precisions of a whole corpus, with the brevity penalty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.words import words
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, Refusal, calling
from course_lib.checking.rules import equals_reference, refuses

RETURNS = ["bleu"]


Corpus = Sequence[Sequence[str]]


_call = calling("hypotheses", "references", "max_n", returns=RETURNS)


def _sentence(sampler: Sampler, length: int) -> list[str]:
    """Return a few words in random order, several of them more than once."""
    few = words(sampler, max(3, length - 2))
    return sampler.shuffled(few + few[: length - len(few)])[:length]


def _spoilt(sentence: Sequence[str], place: int) -> list[str]:
    """Return the sentence with another word at a position, so that n-grams around it no longer match."""
    return [*sentence[:place], "something", *sentence[place + 1 :]]


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about translations of various lengths, no matching 4-grams, empty texts, and a missing reference."""
    a, b, c, d, e = words(sampler, 5)
    yield _call(
        "by_hand",
        [sampler.shuffled(([a, b, c, a, e, b], [a, b, d, c, c, e], [b, a, c, d, a, a]))[0]],
        [[a, b, c, d]],
        2,
    )
    lengths = sampler.shuffled(((3, 9, 7, 11), (3, 11, 8, 9), (2, 10, 7, 9)))[0]
    references = [_sentence(sampler, length) for length in lengths]
    first, second, third, fourth = references
    cut = [first, _spoilt(second, 2)[:-1], third[:-2], _spoilt(fourth, len(fourth) - 3)]
    yield _call("too_short", cut, references, 4)
    yield _call("other_order", [first, [*_spoilt(third, 1), *first], _spoilt(fourth, 3)], [first, third, fourth], 3)
    yield _call("perfect", [first, third, second], [first, third, second], 4)
    yield _call("no_match", [[a, b, c, e, d], [c, d, b]], [[a, b, c, d, e], [c, d, a]], 4)
    short = sampler.shuffled([a, b, c])
    yield _call("no_4_gram", [short, short[:2]], [short, short[:2]], 4)
    yield _call("some_empty", [_spoilt(second, 0), [], fourth], [second, third, fourth], 4)
    yield _call("all_empty", [[], []], [third, first], 4)
    yield Refusal("too_few", {"hypotheses": [first, second], "references": [first], "max_n": 4})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "one sentence, 1-grams and 2-grams: the score is right", 0.4,
        {"fields": RETURNS}),
    Check("equals_too_short", equals_reference, "too_short", "the score is right for a corpus whose translations are too short", 0.75,
        {"fields": RETURNS}),
    Check("other_order", equals_reference, "other_order", "the score is right for another `max_n`, and for translations that are too long", 0.4,
        {"fields": RETURNS}),
    Check("perfect", equals_reference, "perfect", "the score of translations that equal their references is right: 100, however short one of them is", 0.35,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("no_match", equals_reference, "no_match", "if no 4-gram matches, or there is none, the score is right: 0", 0.35,
        {"fields": RETURNS}, needs="equals_by_hand", also=("no_4_gram",)),
    Check("some_empty", equals_reference, "some_empty", "the score is right if one translation is empty: its words count as missing", 0.25,
        {"fields": RETURNS}),
    Check("all_empty", equals_reference, "all_empty", "the score of a corpus of empty translations is right: 0", 0.15,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("refuses", refuses, "too_few", "one reference too few raises a `ValueError`", 0.35,
        needs="equals_too_short"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "For each order, print the sums of matches and totals. Are they right before anything is divided?",
        "For each n, sum matches and totals over all sentences and divide once. Then take the mean of the logarithms and its exponential, and multiply by the penalty and by 100.",
        "`100 * brevity_penalty(c, r) * math.exp(sum(math.log(matches[n] / totals[n])) / max_n)`; 0 as soon as one of the matches is 0.",
    ),
    ask=ask,
    builds_on=("clipped_counts", "brevity_penalty"),
)
