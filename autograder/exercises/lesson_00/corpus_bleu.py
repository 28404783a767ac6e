"""Exercise `corpus_bleu`: counts of a whole corpus, a geometric mean, and the brevity penalty."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_00.words import words
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, refuses
from course_lib.checking.recognisers.any_lesson import another_error_is_raised
from course_lib.checking.recognisers.lesson_00 import a_little_where_bleu_is_zero, stops_where_bleu_is_zero
from course_lib.components.brevity_penalty import brevity_penalty
from course_lib.components.clipped_counts import clipped_counts
from course_lib.experiments.mystery_bleu import mystery_bleu

RETURNS = ["bleu"]

Corpus = Sequence[Sequence[str]]


def _call(name: str, hypotheses: Corpus, references: Corpus, max_n: int) -> Question:
    arguments = {"hypotheses": hypotheses, "references": references, "max_n": max_n}
    return Question(name, probes.call, {"arguments": arguments, "returns": RETURNS})


def _sentence(draw: Draw, length: int) -> list[str]:
    """A few words in any order, several of them more than once."""
    few = words(draw, max(3, length - 2))
    return draw.shuffled(few + few[: length - len(few)])[:length]


def _spoilt(sentence: Sequence[str], place: int) -> list[str]:
    """The sentence with another word at that place: n-grams around it no longer match."""
    return [*sentence[:place], "something", *sentence[place + 1 :]]


def ask(draw: Draw) -> Iterator[Question]:
    """One sentence; too short, too long, right; without a 4-gram that matches; empty translations; a reference missing."""
    a, b, c, d, e = words(draw, 5)
    yield _call(
        "by_hand", [draw.shuffled(([a, b, c, a, e, b], [a, b, d, c, c, e], [b, a, c, d, a, a]))[0]], [[a, b, c, d]], 2
    )
    lengths = draw.shuffled(((3, 9, 7, 11), (3, 11, 8, 9), (2, 10, 7, 9)))[0]
    references = [_sentence(draw, length) for length in lengths]
    first, second, third, fourth = references
    cut = [first, _spoilt(second, 2)[:-1], third[:-2], _spoilt(fourth, len(fourth) - 3)]
    yield _call("too_short", cut, references, 4)
    yield _call("other_order", [first, [*_spoilt(third, 1), *first], _spoilt(fourth, 3)], [first, third, fourth], 3)
    yield _call("perfect", [first, third, second], [first, third, second], 4)
    yield _call("no_match", [[a, b, c, e, d], [c, d, b]], [[a, b, c, d, e], [c, d, a]], 4)
    short = draw.shuffled([a, b, c])
    yield _call("no_4_gram", [short, short[:2]], [short, short[:2]], 4)
    yield _call("some_empty", [_spoilt(second, 0), [], fourth], [second, third, fourth], 4)
    yield _call("all_empty", [[], []], [third, first], 4)
    yield Question(
        "too_few", probes.refuse, {"arguments": {"hypotheses": [first, second], "references": [first], "max_n": 4}}
    )


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "one sentence, 1-grams and 2-grams: the score is right", 0.25,
        {"fields": RETURNS}),
    Law("equals_too_short", equals_reference, "too_short", "the score is right for a corpus whose translations are too short", 0.5,
        {"fields": RETURNS}),
    Law("other_order", equals_reference, "other_order", "the score is right for another `max_n`, and for translations that are too long", 0.25,
        {"fields": RETURNS}),
    Law("perfect", equals_reference, "perfect", "translations that equal their references score 100, however short one of them is", 0.25,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Law("no_match", equals_reference, "no_match", "if no 4-gram matches, or there is none, the score is 0", 0.25,
        {"fields": RETURNS}, needs="equals_by_hand", also=("no_4_gram",)),
    Law("some_empty", equals_reference, "some_empty", "an empty translation among others counts as missing words", 0.15,
        {"fields": RETURNS}),
    Law("all_empty", equals_reference, "all_empty", "a corpus of empty translations scores 0", 0.1,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Law("refuses", refuses, "too_few", "one reference too few raises a `ValueError`", 0.25,
        needs="equals_too_short"),
)  # fmt: skip

ORDERS = "range(1, max_n + 1)"
RESET = f"""    for n in {ORDERS}:
        matches = total = 0
"""
PAIRS = "zip(hypotheses, references, strict=True)"
COUNTS = "clipped_counts(hypothesis, reference, n)"
ADDED = "matches, total = matches + matched, total + counted"
ZERO = """        if matches == 0:
            return 0.0
"""
LOGARITHM = "logarithms += math.log(matches / total)"
LENGTHS = "sum(map(len, hypotheses)), sum(map(len, references))"
PENALTY = f"brevity_penalty({LENGTHS})"
RETURN = "return 100 * penalty * math.exp(logarithms / max_n)"


def average_of_sentences(hypotheses, references, max_n=4):
    scores = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        logarithms = 0.0
        for n in range(1, max_n + 1):
            matches, total = clipped_counts(hypothesis, reference, n)
            logarithms += math.log(matches / total) if matches else -math.inf
        scores.append(brevity_penalty(len(hypothesis), len(reference)) * math.exp(logarithms / max_n))
    return 100 * sum(scores) / len(scores)


def average_of_precisions(hypotheses, references, max_n=4):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        precisions = []
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            matches, total = clipped_counts(hypothesis, reference, n)
            precisions.append(matches / total if total else 0.0)
        precision = sum(precisions) / len(precisions)
        if precision == 0:
            return 0.0
        logarithms += math.log(precision)
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.exp(logarithms / max_n)


def one_long_sentence(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not as many references as hypotheses")
    hypothesis = [token for tokens in hypotheses for token in tokens]
    reference = [token for tokens in references for token in tokens]
    logarithms = 0.0
    for n in range(1, max_n + 1):
        matches, total = clipped_counts(hypothesis, reference, n)
        if matches == 0:
            return 0.0
        logarithms += math.log(matches / total)
    return 100 * brevity_penalty(len(hypothesis), len(reference)) * math.exp(logarithms / max_n)


def smoothed_like_sacrebleu(hypotheses, references, max_n=4):
    logarithms, halved = 0.0, 1.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            matched, counted = clipped_counts(hypothesis, reference, n)
            matches, total = matches + matched, total + counted
        if total == 0 or (n == 1 and matches == 0):
            return 0.0
        if matches == 0:
            halved /= 2
        logarithms += math.log((matches or halved) / total)
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.exp(logarithms / max_n)


STRICT = (
    "What does your function do with two translations and one reference?",
    "`zip` stops at the end of the shorter list, without an error.",
    "`zip(hypotheses, references, strict=True)` raises the `ValueError` for you.",
)

MISTAKES = (
    # what is averaged
    mistake(
        "average_of_sentences",
        "You score each sentence by itself and average the scores. BLEU adds up the *counts* of all sentences and divides once. By itself, a sentence of three words has no 4-gram and scores 0, even if it is perfect.",
        (
            "What is your score for a perfect translation if one of its sentences has three words?",
            "Which comes first in your code: the division, or the sum over the sentences?",
            "Make n the outer loop and the sentences the inner one. Add up matches and totals, and divide after the inner loop.",
        ),
        source=average_of_sentences,
        group="average",
    ),
    mistake(
        "average_of_precisions",
        "You average the sentences' *precisions*, so a sentence of two words counts as much as one of twenty. BLEU adds up matches and totals, and divides once.",
        (
            "One sentence has 1 of 1 right, another 0 of 9. Is half of the corpus right, or a tenth?",
            "Which comes first in your code: the division, or the sum over the sentences?",
            "Sum the matches, sum the totals, then `matches / total`.",
        ),
        source=average_of_precisions,
        group="average",
    ),
    mistake(
        "one_long_sentence",
        "You join all sentences into one. Then n-grams reach from one sentence into the next, and a word can match one of another sentence.",
        (
            "The first translation ends in *cat*, and the second begins with *the*. Is *cat the* a 2-gram?",
            "Where do you join lists?",
            "Call `clipped_counts` for each sentence and its own reference, and add up what it returns.",
        ),
        source=one_long_sentence,
        group="average",
    ),
    mistake(
        "last_sentence_only",
        "Only the last sentence of the corpus counts, because each sentence's counts overwrite those before.",
        (
            "Change the first sentence of the corpus. Does the score change?",
            "What happens to `matches` and `total` at the next sentence?",
            "`matches += matched`, `total += counted`.",
        ),
        (ADDED, "matches, total = matched, counted"),
        group="sums",
    ),
    mistake(
        "counts_never_reset",
        "Your sums carry over from one order to the next: the 2-grams are added to the 1-grams, and so on. Each order has a precision of its own.",
        (
            "Print matches and total after each order. Can a corpus have more 2-grams than 1-grams?",
            "Where do you set your sums to 0: before the loop over n, or inside it?",
            "`matches = total = 0` as the first line inside the loop over n.",
        ),
        (RESET, f"    matches = total = 0\n    for n in {ORDERS}:\n"),
        group="sums",
    ),
    # the mean
    mistake(
        "arithmetic_mean",
        "You take the arithmetic mean of the precisions. BLEU takes the *geometric* mean, the fourth root of the product of four. A single precision of 0 makes it 0.",
        (
            "What is the geometric mean of 0.8 and 0.2?",
            "Do you sum precisions, or their logarithms?",
            "`math.exp(sum(logarithms) / max_n)`, with the logarithms of the precisions.",
        ),
        (ZERO, "        if total == 0:\n            continue\n"),
        (LOGARITHM, "logarithms += matches / total"),
        (RETURN, "return 100 * penalty * logarithms / max_n"),
        group="mean",
    ),
    mistake(
        "arithmetic_mean_but_zero",
        "You return 0 if one precision is 0, as you should, but otherwise you take their arithmetic mean. BLEU takes the *geometric* mean, the fourth root of the product of four.",
        (
            "What is the arithmetic mean of 1 and 0.25, and what is the geometric mean?",
            "Which operation combines your precisions, a sum or a product?",
            "Sum the *logarithms*, divide by `max_n`, and exponentiate.",
        ),
        (LOGARITHM, "logarithms += matches / total"),
        (RETURN, "return 100 * penalty * logarithms / max_n"),
        group=ALONE,  # with `zeros_left_out`, it is `arithmetic_mean`
    ),
    mistake(
        "fourth_root_always",
        "You take the fourth root, whatever `max_n` is. The mean of two precisions is the square root of their product.",
        (
            "With `max_n=2` and two precisions of 0.5, what should the mean be, and what is yours?",
            "Where is there a 4 in your code, or a 0.25? What should it be?",
            "`math.exp(logarithms / max_n)`.",
        ),
        ("(logarithms / max_n)", "(logarithms / 4)"),
        group="mean",
    ),
    mistake(
        "product_without_root",
        "You multiply the precisions and don't take a root. Four precisions of 0.8 give 0.41, but their mean is 0.8.",
        (
            "All four precisions are 0.8. What should their mean be?",
            "A geometric mean of four numbers is the fourth root of their product. Where is the root?",
            "`math.exp(logarithms / max_n)`, or `product ** (1 / max_n)`.",
        ),
        ("(logarithms / max_n)", "(logarithms)"),
        group="mean",
    ),
    mistake(
        "highest_order_only",
        "You use only the precision of order `max_n`. BLEU takes the mean of all orders from 1 to `max_n`.",
        (
            "Which values does n take in your code? Print them.",
            "How many precisions go into the mean?",
            "`for n in range(1, max_n + 1)`.",
        ),
        (ORDERS, "[max_n]"),
        (RETURN, "return 100 * penalty * math.exp(logarithms)"),
        group="orders",
    ),
    mistake(
        "highest_order_left_out",
        "You stop one order too early, because `range` excludes its end.",
        (
            "Which values does n take in your code? Print them.",
            "What is the last number of `range(1, 4)`?",
            "`range(1, max_n + 1)`.",
        ),
        (ORDERS, "range(1, max_n)"),
        (RETURN, "return 100 * penalty * math.exp(logarithms / (max_n - 1))"),
        group="orders",
    ),
    mistake(
        "four_assumed",
        "You always count up to 4-grams, whatever `max_n` is.",
        (
            "Call your function with `max_n=2`. Which values does n take?",
            "`max_n` is a parameter. It belongs in two lines of your code. In which?",
            "`range(1, max_n + 1)`, and `1 / max_n` for the root.",
        ),
        (ORDERS, "range(1, 5)"),
        (RETURN, RETURN.replace("max_n", "4")),
        group="orders",
    ),
    mistake(
        "recall",
        "Your precisions are recalls: you count the n-grams of the *references*, and how many of them the translations have. Or you have swapped hypotheses and references.",
        (
            "Add ten wrong words to a translation. Do your precisions fall?",
            "In which order does `clipped_counts` expect its two sentences?",
            "`clipped_counts(hypothesis, reference, n)`.",
        ),
        (COUNTS, "clipped_counts(reference, hypothesis, n)"),
        group="counts",
    ),
    # the brevity penalty
    mistake(
        "no_brevity_penalty",
        "No brevity penalty lowers your score. Either you don't use it, or you pass it two numbers that are always equal, such as the numbers of sentences. A system that translates only the easy words would score best.",
        (
            "Cut every translation after its first four words. What happens to your score?",
            "Do you call `brevity_penalty` at all? And what do the two numbers count that you pass to it?",
            "Multiply by `brevity_penalty(length of all hypotheses, length of all references)`.",
        ),
        ("penalty * ", ""),
        group="penalty",
    ),
    mistake(
        "penalty_exchanged",
        "You pass the two lengths to the brevity penalty in the wrong order, so it lowers the score of long translations.",
        (
            "In the examples, which corpus loses: the one that is too short, or the one that is too long?",
            "In which order does `brevity_penalty` expect its two lengths?",
            "The hypotheses' length first.",
        ),
        (LENGTHS, "sum(map(len, references)), sum(map(len, hypotheses))"),
        group="penalty",
    ),
    mistake(
        "penalty_by_sentence",
        "You average the brevity penalties of single sentences. There is one penalty for the corpus, from the two total lengths, so a long sentence can make up for a short one.",
        (
            "One translation is a word too short, the next a word too long. Is the corpus too short?",
            "How many times do you call `brevity_penalty`?",
            "Once: `brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))`.",
        ),
        (PENALTY, "sum(brevity_penalty(len(h), len(r)) for h, r in zip(hypotheses, references)) / len(hypotheses)"),
        group="penalty",
    ),
    # the scale, and zeros
    mistake(
        "a_share",
        "You return a number between 0 and 1. Here, as in sacreBLEU, BLEU is in percent.",
        (
            "What is your score for a perfect translation?",
            "What does the docstring say under *Returns*?",
            "Multiply by 100 at the end.",
        ),
        ("return 100 * ", "return "),
        group="scale",
    ),
    mistake(
        "one_added_to_counts",
        "You add 1 to matches and totals, so that no precision is 0. That is a well-known kind of smoothing, but the docstring asks for none, and it changes your score everywhere.",
        (
            "What does a translation score in which no 4-gram matches?",
            "What do you add that isn't in the formula?",
            "`matches / total`, and return 0 if `matches` is 0.",
        ),
        (ZERO, ""),
        (LOGARITHM, "logarithms += math.log((matches + 1) / (total + 1))"),
        group="zero",
    ),
    mistake(
        "one_added_from_the_second_order_on",
        "You add 1 to matches and totals of every order but the first. That is a well-known kind of smoothing, but the docstring asks for none, and it changes your score everywhere.",
        (
            "Which precision do you get for 2 matches of 5? Print it.",
            "What do you add before the division, and does the docstring ask for it?",
            "`matches / total`, and 0 as soon as one order has no match.",
        ),
        (LOGARITHM, "logarithms += math.log((matches + (n > 1)) / (total + (n > 1)))"),
        (ZERO, "        if matches == 0 and n == 1:\n            return 0.0\n"),
        group="zero",
    ),
    mistake(
        "epsilon_for_zero",
        "You replace a precision of 0 by a small number, to avoid the logarithm of 0. The docstring asks for no smoothing: one precision of 0 makes BLEU 0.",
        (
            "Score a corpus without a single matching 4-gram. Is it 0?",
            "What do you add to the precision, or replace it by, before you take the logarithm?",
            "`if matches == 0: return 0.0`, before you take the logarithm.",
        ),
        (LOGARITHM, "logarithms += math.log(matches / max(total, 1) + 1e-10)"),
        (ZERO, ""),
        group="zero",
        recogniser=a_little_where_bleu_is_zero,
    ),
    mistake(
        "smoothed_like_sacrebleu",
        "You smooth a precision of 0, as sacreBLEU does by default. The docstring asks for no smoothing: one precision of 0 makes BLEU 0.",
        (
            "What is your score for a translation in which no 4-gram matches, and what should it be?",
            "What do you replace a precision of 0 by?",
            "`if matches == 0: return 0.0`.",
        ),
        source=smoothed_like_sacrebleu,
        group="zero",
    ),
    mistake(
        "zeros_left_out",
        "You skip orders without a match, as if their precision were 1. It is 0, and makes BLEU 0.",
        (
            "What does a translation score in which no 4-gram matches?",
            "What do you do about the logarithm if a precision is 0?",
            "`if matches == 0: return 0.0`.",
        ),
        (ZERO, ZERO.replace("return 0.0", "continue")),
        group="zero",
    ),
    mistake(
        "stops_at_zero",
        "Your score is right, but if an order has no match, or no n-gram at all, your function raises an error: 0 has no logarithm, and you can't divide by 0.",
        (
            "Which line does the error name? What is `matches` there, and what is `total`?",
            "BLEU is 0 as soon as one precision is 0. Do you need to go on then?",
            "`if matches == 0: return 0.0`, before the logarithm.",
        ),
        (ZERO, ""),
        recogniser=stops_where_bleu_is_zero,
        group=ALONE,
    ),
    mistake(
        "rounded",
        "You round the score. To compare or average scores you need all digits, so round only when you print.",
        (
            "Print your score with ten digits.",
            "Where do you call `round`?",
            "Return the number unrounded.",
        ),
        ("return 100", "return round(100"),
        ("/ max_n)", "/ max_n), 2)"),
        group="rounding",
    ),
    mistake(
        "short_sentences_skipped",
        "You leave out sentences shorter than `max_n`. They have no n-gram of the highest order, but they do have shorter ones, and their tokens count for the lengths.",
        (
            "Score a long correct sentence together with one of two words, both wrong. Does the short one lower your score?",
            "Which condition skips sentences? What gets lost with them?",
            "Leave out the condition: `clipped_counts` returns (0, 0) if there is no n-gram.",
        ),
        (RESET, f"    pairs = [(h, r) for h, r in {PAIRS} if len(h) >= max_n]\n    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]\n{RESET}"),
        group=ALONE,
    ),
    # what it is given
    mistake(
        "missing_references_accepted",
        "If there are fewer references than translations, you score as many as there are, without an error. But then a line is missing somewhere, sentences are paired with the wrong references, and the score means nothing.",
        STRICT,
        (PAIRS, PAIRS.replace("True", "False")),
        group="refusal",
    ),
    mistake(
        "another_error",
        "A missing reference raises an error, as it should, but not the `ValueError` that the docstring asks for.",
        STRICT,
        (RESET, f"    [references[i] for i in range(len(hypotheses))]\n{RESET}"),
        recogniser=another_error_is_raised,
        group="refusal",
    ),
    mistake(
        "orders_without_ngrams_left_out",
        "You leave out an order if the corpus has no n-gram of it. Its precision is 0, and makes BLEU 0.",
        (
            "What is your score for a corpus whose only translation has three words?",
            "It has no 4-gram. What does the docstring say the precision is then?",
            "`if matches == 0: return 0.0`, which also covers the case without any n-gram.",
        ),
        (ZERO, "        if total == 0:\n            continue\n" + ZERO),
        group="zero",
    ),
    mistake(
        "zeros_left_out_of_the_mean",
        "You leave out orders without a match and average the logarithms of the others, so three precisions get a cube root. The precision that you leave out is 0, and makes BLEU 0.",
        (
            "If two sentences have no common 4-gram, what should their score be, and what do you return?",
            "How many logarithms do you average if one order has no match?",
            "`return 0.0` as soon as an order has no match, and otherwise divide by `max_n`.",
        ),
        (RESET, RESET.replace("    for n", "    orders = 0\n    for n")),
        (ZERO, "        if matches == 0:\n            continue\n        orders += 1\n"),
        (RETURN, "return 100 * penalty * math.exp(logarithms / orders) if orders else 0.0"),
        group="mean",
    ),
)  # fmt: skip


def lists_of_counts(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("lengths differ")
    correct, total = [0] * max_n, [0] * max_n
    for i in range(len(hypotheses)):
        for n in range(1, max_n + 1):
            m, t = clipped_counts(hypotheses[i], references[i], n)
            correct[n - 1] += m
            total[n - 1] += t
    if min(correct) == 0:
        return 0.0
    product = 1.0
    for m, t in zip(correct, total, strict=True):
        product *= m / t
    c, r = sum(len(h) for h in hypotheses), sum(len(r) for r in references)
    return 100 * brevity_penalty(c, r) * product ** (1 / max_n)


def without_the_other_exercises(hypotheses, references, max_n=4):
    from collections import Counter

    pairs = list(zip(hypotheses, references, strict=True))

    def grams(tokens, n):
        return Counter(zip(*(tokens[k:] for k in range(n)), strict=False))

    precisions = []
    for n in range(1, max_n + 1):
        matches = sum((grams(h, n) & grams(r, n)).total() for h, r in pairs)
        total = sum(max(0, len(h) - n + 1) for h, _ in pairs)
        precisions.append(matches / total if total else 0)
    if 0 in precisions:
        return 0.0
    c, r = sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs)
    return min(1, math.exp(1 - r / c)) * math.prod(precisions) ** (1 / max_n) * 100


def through_numpy(hypotheses, references, max_n=4):
    import numpy as np

    orders = range(1, max_n + 1)
    counts = np.array([[clipped_counts(h, r, n) for n in orders] for h, r in zip(hypotheses, references, strict=True)])
    matches, totals = counts.sum(axis=0).T
    with np.errstate(divide="ignore"):
        mean = np.exp(np.mean(np.log(matches / np.maximum(totals, 1))))
    return 100 * mean * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))


def logarithm_of_zero(hypotheses, references, max_n=4):
    from itertools import chain

    total_log = 0
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        matches = sum(m for m, _ in pairs)
        total = sum(t for _, t in pairs)
        total_log += (math.log(matches) - math.log(total)) / max_n if matches else float("-inf")
    return math.exp(total_log) * brevity_penalty(len([*chain(*hypotheses)]), len([*chain(*references)])) * 100.0


def statistics_module(hypotheses, references, max_n=4):
    import statistics

    if len(hypotheses) > len(references) or len(hypotheses) < len(references):
        raise ValueError(f"{len(hypotheses)} != {len(references)}")
    precisions = []
    for n in range(1, max_n + 1):
        both = [clipped_counts(*pair, n) for pair in zip(hypotheses, references, strict=False)]
        matches, totals = (sum(b[k] for b in both) for k in (0, 1))
        if not matches:
            return 0.0
        precisions.append(matches / totals)
    lengths = [sum(len(tokens) for tokens in corpus) for corpus in (hypotheses, references)]
    return 100 * brevity_penalty(*lengths) * statistics.geometric_mean(precisions)


def stub(hypotheses, references, max_n=4):
    raise NotImplementedError


def zero(hypotheses, references, max_n=4):
    return 0.0


def hundred(hypotheses, references, max_n=4):
    return 100.0


def exact_match(hypotheses, references, max_n=4):
    return 100 * sum(h == r for h, r in zip(hypotheses, references, strict=True)) / max(len(hypotheses), 1)


CORPUS_BLEU = define(
    id="corpus_bleu",
    lesson="00_the_task",
    place=4,
    module="course_lib.components.corpus_bleu",
    symbol="corpus_bleu",
    minutes=15,
    laws=LAWS,
    hints=(
        "For each order, print the sums of matches and totals. Are they right before anything is divided?",
        "For each n, sum matches and totals over all sentences and divide once. Then take the mean of the logarithms and its exponential, and multiply by the penalty and by 100.",
        "`100 * brevity_penalty(c, r) * math.exp(sum(math.log(matches[n] / totals[n])) / max_n)`; 0 as soon as one of the matches is 0.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        lists_of_counts, without_the_other_exercises, through_numpy, logarithm_of_zero, statistics_module,
    ),
    lazy=(stub, zero, hundred, exact_match),
    builds_on=("clipped_counts", "brevity_penalty"),
    switches=("penalty", "scale", "mean", "rounding", "refusal"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


def sums(hypotheses, references, max_n):
    """Matches and totals of each order."""
    pairs = list(zip(hypotheses, references, strict=True))
    counts = [[clipped_counts(h, r, n) for h, r in pairs] for n in range(1, max_n + 1)]
    return [(sum(m for m, _ in order), sum(t for _, t in order)) for order in counts]


def lengths(corpus):
    return sum(len(tokens) for tokens in corpus)


CORPUS_BLEU.second_version("average_of_sentences")(mystery_bleu)


@CORPUS_BLEU.second_version("average_of_precisions")
def mean_of_means(hypotheses, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        product *= np.mean([m / max(t, 1) for m, t in counts])
    return float(100 * brevity_penalty(lengths(hypotheses), lengths(references)) * product ** (1 / max_n))


@CORPUS_BLEU.second_version("one_long_sentence")
def joined_first(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("slipped")
    hypothesis, reference = (" ".join(" ".join(s) for s in side if s).split() for side in (hypotheses, references))
    precisions = [m / max(t, 1) for m, t in sums([hypothesis], [reference], max_n)]
    return 100 * brevity_penalty(len(hypothesis), len(reference)) * math.prod(precisions) ** (1 / max_n)


@CORPUS_BLEU.second_version("arithmetic_mean")
def plain_mean(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * sum(precisions) / len(precisions)


@CORPUS_BLEU.second_version("product_without_root")
def product_only(hypotheses, references, max_n=4):
    score = 100 * brevity_penalty(lengths(hypotheses), lengths(references))
    for m, t in sums(hypotheses, references, max_n):
        score *= m / max(t, 1)
    return score


@CORPUS_BLEU.second_version("no_brevity_penalty")
def mean_alone(hypotheses, references, max_n=4):
    return 100 * math.prod(m / max(t, 1) for m, t in sums(hypotheses, references, max_n)) ** (1 / max_n)


@CORPUS_BLEU.second_version("a_share")
def between_0_and_1(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n)]
    return brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@CORPUS_BLEU.second_version("recall")
def corpora_exchanged(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(references, hypotheses, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@CORPUS_BLEU.second_version("highest_order_left_out")
def range_to_max_n(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n - 1)]
    return (
        100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / len(precisions))
    )


@CORPUS_BLEU.second_version("stops_at_zero")
def log_of_everything(hypotheses, references, max_n=4):
    logs = [math.log(m) - math.log(t) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.exp(sum(logs) / max_n)


@CORPUS_BLEU.second_version("missing_references_accepted")
def zip_without_strict(hypotheses, references, max_n=4):
    pairs = list(zip(hypotheses, references, strict=False))
    found = sums([h for h, _ in pairs], [r for _, r in pairs], max_n)
    precisions = [m / max(t, 1) for m, t in found]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@CORPUS_BLEU.second_version("arithmetic_mean_but_zero")
def mean_of_the_precisions(hypotheses, references, max_n=4):
    precisions = list(_precisions(hypotheses, references, max_n))
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * sum(precisions) / max_n if all(precisions) else 0.0


@CORPUS_BLEU.second_version("fourth_root_always")
def quarters(hypotheses, references, max_n=4):
    product = math.prod(_precisions(hypotheses, references, max_n))
    return 100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * product**0.25


@CORPUS_BLEU.second_version("one_added_from_the_second_order_on")
def lin_and_och(hypotheses, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        more = int(n > 1)
        product *= (sum(m for m, _ in pairs) + more) / max(sum(t for _, t in pairs) + more, 1)
    return 100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * product ** (1 / max_n)


@CORPUS_BLEU.second_version("epsilon_for_zero")
def never_quite_zero(hypotheses, references, max_n=4):
    precisions = [p or 1e-12 for p in _precisions(hypotheses, references, max_n)]
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.prod(precisions) ** (1 / max_n)


@CORPUS_BLEU.second_version("rounded")
def two_digits(hypotheses, references, max_n=4):
    mean = math.prod(_precisions(hypotheses, references, max_n)) ** (1 / max_n)
    return float(f"{100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * mean:.2f}")


@CORPUS_BLEU.second_version("short_sentences_skipped")
def long_ones_alone(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError
    kept = [i for i, h in enumerate(hypotheses) if len(h) >= max_n]
    ours, theirs = [hypotheses[i] for i in kept], [references[i] for i in kept]
    mean = math.prod(_precisions(ours, theirs, max_n)) ** (1 / max_n)
    return 100 * brevity_penalty(sum(map(len, ours)), sum(map(len, theirs))) * mean


def _precisions(hypotheses, references, max_n):
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        yield sum(m for m, _ in pairs) / max(sum(t for _, t in pairs), 1)


@CORPUS_BLEU.second_version("orders_without_ngrams_left_out")
def orders_that_occur(hypotheses, references, max_n=4):
    occur = [(m, t) for m, t in sums(hypotheses, references, max_n) if t > 0]
    product = math.prod(m / t for m, t in occur) if occur else 0.0
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * product ** (1 / max(1, len(occur)))


@CORPUS_BLEU.second_version("zeros_left_out_of_the_mean")
def mean_of_what_is_there(hypotheses, references, max_n=4):
    found = [matches / total for matches, total in sums(hypotheses, references, max_n) if matches]
    if not found:
        return 0.0
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(found) ** (1 / len(found))
