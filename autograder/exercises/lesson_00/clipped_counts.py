"""Exercise `clipped_counts`: how many n-grams of a translation stand in the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_00.words import words
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged

RETURNS = ["matches", "total"]


def _ngrams(tokens: Sequence[str], n: int, step: int = 1) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, step)]


def _matches(ours: Sequence[object], theirs: Sequence[object]) -> int:
    return (Counter(ours) & Counter(theirs)).total()


def _tells_apart(hypothesis: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether several ways to count 2-grams come to several numbers, and none of them to 0."""
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


def _sentences(draw: Draw, length: int, reference_length: int) -> tuple[list[str], list[str]]:
    """Two sentences of a few words, alike enough and different enough."""
    few = words(draw, 3)
    while True:
        many = draw.shuffled(few * 6)
        hypothesis, reference = many[:length], draw.shuffled(many)[:reference_length]
        if _tells_apart(hypothesis, reference):
            return hypothesis, reference


def ask(draw: Draw) -> Iterator[Question]:
    """One word said too often; 2-grams that repeat; 3- and 4-grams of sentences that are nearly equal; too short for any."""
    a, b, c, d, e = words(draw, 5)
    often = int(draw.shuffled((5, 6, 7))[0])
    by_hand = {"hypothesis": [a] * often + [b], "reference": [a, c, b, d, a], "n": 1}
    yield Question("by_hand", probes.call, {"arguments": by_hand, "returns": RETURNS})
    hypothesis, reference = _sentences(draw, *draw.shuffled(((11, 9), (12, 10), (10, 12)))[0])
    pairs = {"hypothesis": hypothesis, "reference": reference, "n": 2}
    yield Question("pairs", probes.call, {"arguments": pairs, "returns": RETURNS})
    # the 3-gram c a d is twice in both sentences, b c a twice in the translation alone, and both sentences end alike
    tail = draw.shuffled(([c, a, d, c], [c, a, d, e, c], [c, a, d, b, c]))[0]
    long, right = [a, b, c, a, d, e, b, *tail], [a, b, c, a, d, b, e, *tail, c]
    calls = [{"hypothesis": long, "reference": right, "n": n} for n in (3, 4)]
    yield Question("longer", probes.call_each, {"calls": calls, "returns": RETURNS})
    short = [{"hypothesis": [c, d][:length], "reference": [c, d, a, b, e], "n": 4} for length in (2, 0)]
    runs = {"hypothesis": [a + b, c, d, e], "reference": [a, b + c, d, e, a], "n": 2}  # alike once they are joined
    yield Question("runs_together", probes.call, {"arguments": runs, "returns": RETURNS})
    yield Question("too_short", probes.call_each, {"calls": short, "returns": RETURNS})


def _both(calls: int) -> list[str]:
    return [f"calls/{call}/{name}" for call in range(calls) for name in RETURNS]


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a word that is repeated too often matches only as often as it occurs in the reference", 0.5,
        {"fields": RETURNS}),
    Law("equals_pairs", equals_reference, "pairs", "2-grams are counted correctly, even if they repeat", 0.5,
        {"fields": RETURNS}),
    Law("runs_together", equals_reference, "runs_together", "2-grams that would be equal without the space between their tokens are different", 0.25,
        {"fields": RETURNS}),
    Law("equals_longer", equals_reference, "longer", "3-grams and 4-grams are counted correctly, too", 0.4,
        {"fields": _both(2)}),
    Law("too_short", equals_reference, "too_short", "if the translation is shorter than n, both counts are 0", 0.25,
        {"fields": _both(2)}, needs="equals_by_hand"),
    Law("inputs_unchanged", inputs_unchanged, "pairs", "translation and reference are left as they were", 0.1,
        needs="equals_by_hand"),
)  # fmt: skip

NGRAM = "tuple(tokens[i : i + n])"
STARTS = "range(len(tokens) - n + 1)"
CLIP = "min(count, theirs[ngram])"
MATCHES = f"sum({CLIP} for ngram, count in ours.items())"
TOTAL = "sum(ours.values())"
RETURN = f"return matches, {TOTAL}"


def all_orders_up_to_n(hypothesis, reference, n):
    matches = total = 0
    for order in range(1, n + 1):
        ours = Counter(tuple(hypothesis[i : i + order]) for i in range(len(hypothesis) - order + 1))
        theirs = Counter(tuple(reference[i : i + order]) for i in range(len(reference) - order + 1))
        matches += sum((ours & theirs).values())
        total += sum(ours.values())
    return matches, total


MISTAKES = (
    # what matches
    mistake(
        "unclipped",
        "You count every n-gram that occurs *somewhere* in the reference, however often you have counted it already: *the the the the* is perfect for a reference with one *the*.",
        (
            "In the smallest example, how often does the repeated word occur in the reference?",
            "You check whether an n-gram is in the reference. Check how often it is.",
            "`min(count, theirs[ngram])`: each match needs a partner of its own.",
        ),
        (CLIP, "(count if ngram in theirs else 0)"),
        group="matches",
    ),
    mistake(
        "different_ones_only",
        "You compare *sets*, so an n-gram counts only once, however often it occurs, both in the matches and in the total.",
        (
            "A translation says *very very good*. How many 1-grams does it have?",
            "A set forgets how often something occurs. What remembers it?",
            "`Counter` instead of `set`, and `min` of the two counts.",
        ),
        (MATCHES, "len(ours.keys() & theirs.keys())"),
        (RETURN, "return matches, len(ours)"),
        group="matches",
    ),
    mistake(
        "matches_counted_once",
        "In your version, each n-gram matches at most once. If both sentences contain it twice, it should match twice.",
        (
            "Both sentences say *very very good*. How many 1-grams match?",
            "A set of the common n-grams forgets how often they occur. What remembers it?",
            "`min(count, theirs[ngram])`, summed over the n-grams of the translation.",
        ),
        (MATCHES, "len(ours.keys() & theirs.keys())"),
        group="matches",
    ),
    mistake(
        "same_place_only",
        "An n-gram matches only if it is at the same position in the reference. With one extra word at the front, nothing matches any more.",
        (
            "Put a word in front of a perfect translation. How many 1-grams match?",
            "You go through both sentences side by side. Should an n-gram's position matter?",
            "First count the n-grams of each sentence (`Counter`), then compare the counts.",
        ),
        (MATCHES, "sum(tuple(hypothesis[i : i + n]) == tuple(reference[i : i + n]) for i in range(min(len(hypothesis), len(reference)) - n + 1))"),
        group="matches",
    ),
    # what an n-gram is
    mistake(
        "single_tokens",
        "You count single tokens, whatever `n` is, so the order of the words makes no difference.",
        (
            "Reverse a translation. Does your count of 2-grams change?",
            "`n` is a parameter. Where in your code does it appear?",
            "`tuple(tokens[i : i + n])`: n tokens, starting at position i.",
        ),
        (NGRAM, "tokens[i]"),
        (STARTS, "range(len(tokens))"),
        group="ngrams",
    ),
    mistake(
        "order_within_ignored",
        "Your n-grams ignore the order of their tokens: *cat black* matches *black cat*. An n-gram is n tokens in order.",
        (
            "By your count, does *the black cat* have the 2-gram *cat black*?",
            "Do you sort the tokens of an n-gram, or turn them into a set?",
            "`tuple(tokens[i : i + n])` keeps the order, and a `Counter` can count it.",
        ),
        (NGRAM, "tuple(sorted(tokens[i : i + n]))"),
        group="ngrams",
    ),
    mistake(
        "joined_without_a_separator",
        "You join the tokens of an n-gram into one string with nothing between them. *a* and *nother* become *another*, and so do *an* and *other*, so different n-grams count as the same.",
        (
            "What do the 2-grams *an other* and *a nother* become?",
            "Once the tokens are joined, where are the boundaries between them?",
            "`tuple(tokens[i : i + n])`: a tuple keeps its tokens apart.",
        ),
        (NGRAM, "''.join(tokens[i : i + n])"),
        group="joined",
    ),
    mistake(
        "last_one_left_out",
        "You leave out the last n-gram of each sentence.",
        (
            "How many 2-grams does a sentence of 3 tokens have, and how many do you find?",
            "Look at the end of your range.",
            "The last n-gram begins at `len(tokens) - n`, and `range` excludes its end: `range(len(tokens) - n + 1)`.",
        ),
        (STARTS, "range(len(tokens) - n)"),
        group="ngrams",
    ),
    mistake(
        "shorter_ones_at_the_end",
        "You start an n-gram at every token, but the last ones are shorter than n, because a slice stops at the end of the list without an error.",
        (
            "How many 2-grams does a sentence of 3 tokens have? Print yours.",
            "Where must the last n-gram begin so that it is still n tokens long?",
            "`range(len(tokens) - n + 1)`.",
        ),
        (STARTS, "range(len(tokens))"),
        group="ngrams",
    ),
    mistake(
        "one_token_too_few",
        "Your n-grams are one token too short, because a slice excludes its end.",
        (
            "Print your 2-grams of a short sentence.",
            "How many tokens does `tokens[i : i + n - 1]` have?",
            "`tokens[i : i + n]` has n tokens.",
        ),
        (NGRAM, "tuple(tokens[i : i + n - 1])"),
        group="ngrams",
    ),
    mistake(
        "one_after_the_other",
        "Your n-grams don't overlap, because each starts where the previous one ended. *a b c* has two 2-grams, *a b* and *b c*.",
        (
            "How many 2-grams does a sentence of 4 tokens have? Print yours.",
            "How far apart are the starts of two neighbouring n-grams?",
            "`range(len(tokens) - n + 1)`, in steps of 1.",
        ),
        (STARTS, "range(0, len(tokens) - n + 1, n)"),
        group="ngrams",
    ),
    mistake(
        "all_orders_up_to_n",
        "You count the n-grams of *every* order from 1 to `n`. The exercise asks only for those with n tokens.",
        (
            "How many 2-grams does a sentence of 3 tokens have, and what is your total?",
            "You have a loop over orders. Does the exercise ask for the smaller ones?",
            "One order only: `tuple(tokens[i : i + n])`.",
        ),
        source=all_orders_up_to_n,
        group="ngrams",
    ),
    # the total
    mistake(
        "total_of_the_reference",
        "Your total counts the n-grams of the *reference*. Divided by that, the matches would be a recall, but BLEU uses precision: the share of what the *translation* says.",
        (
            "Make the reference longer. Should the total change?",
            "Whose n-grams do you count for the total? Or have you swapped the two sentences?",
            "`sum(ours.values())`, with the counts of the hypothesis.",
        ),
        (RETURN, "return matches, sum(theirs.values())"),
        group="total",
    ),
    mistake(
        "total_of_different_ones",
        "Your total counts each *distinct* n-gram once. A word that occurs five times makes five 1-grams.",
        (
            "In the smallest example, how many tokens does the translation have, and what is your total?",
            "What is the length of a `Counter`, and what is the sum of its values?",
            "`sum(ours.values())`.",
        ),
        (RETURN, "return matches, len(ours)"),
        group="matches",
    ),
    mistake(
        "total_in_tokens",
        "Your total is the number of *tokens*. A sentence of 5 tokens has 4 2-grams.",
        (
            "How many 2-grams does a sentence of 3 tokens have, and what is your total?",
            "Each order has a total of its own.",
            "`sum(ours.values())`.",
        ),
        (RETURN, "return matches, len(hypothesis)"),
        group="total",
    ),
    mistake(
        "total_at_least_one",
        "Your total is never below 1. A translation shorter than n has no n-gram, and by counting one you lower a corpus's precision.",
        (
            "How many 4-grams does a sentence of two words have? And by your count?",
            "A guard against division by 0 belongs where something is divided. Is anything divided here?",
            "`sum(ours.values())`, as it is.",
        ),
        (RETURN, f"return matches, max(1, {TOTAL})"),
        group="total",
    ),
    mistake(
        "total_below_zero",
        "If the translation is shorter than n, your total is wrong, because len − n + 1 can be negative.",
        (
            "What is your total for 2 tokens and n = 4?",
            "A sentence that is too short has no n-grams at all.",
            "`max(0, len(hypothesis) - n + 1)`, or the sum of what you counted.",
        ),
        (RETURN, "return matches, len(hypothesis) - n + 1"),
        group="total",
    ),
    # what is returned
    mistake(
        "exchanged",
        "You return the total first and the matches second.",
        (
            "Can there be more matches than n-grams?",
            "In which order does the docstring list the two?",
            "`return matches, total`.",
        ),
        (RETURN, f"return {TOTAL}, matches"),
        group="end",
    ),
    mistake(
        "divided",
        "You return one number, the precision. The exercise asks for the two counts, because BLEU adds them up over a corpus before it divides.",
        (
            "What does the docstring ask for under *Returns*?",
            "You can't add up ratios to get the ratio of a corpus. You can add up counts.",
            "`return matches, total`.",
        ),
        (RETURN, f"return matches / max({TOTAL}, 1)"),
        group="end",
    ),
)  # fmt: skip


def intersection_of_counters(hypothesis, reference, n):
    def ngrams(tokens):
        return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]

    mine = ngrams(hypothesis)
    return (Counter(mine) & Counter(ngrams(reference))).total(), len(mine)


def partners_taken_away(hypothesis, reference, n):
    left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = total = 0
    for i in range(len(hypothesis) - n + 1):
        total += 1
        if hypothesis[i : i + n] in left:
            left.remove(hypothesis[i : i + n])
            matches += 1
    return matches, total


def shifted_lists(hypothesis, reference, n):
    mine = list(zip(*(hypothesis[k:] for k in range(n)), strict=False))
    theirs = list(zip(*(reference[k:] for k in range(n)), strict=False))
    return sum(min(mine.count(g), theirs.count(g)) for g in set(mine)), len(mine)


def dictionaries(hypothesis, reference, n):
    counts = {}
    for i in range(len(reference) - n + 1):
        key = " ".join(reference[i : i + n])
        counts[key] = counts.get(key, 0) + 1
    matches = 0
    for i in range(len(hypothesis) - n + 1):
        key = " ".join(hypothesis[i : i + n])
        if counts.get(key, 0) > 0:
            counts[key] -= 1
            matches += 1
    return matches, max(0, len(hypothesis) - n + 1)


def counters_subtracted(hypothesis, reference, n):
    mine, theirs = Counter(), Counter()
    for counter, tokens in ((mine, hypothesis), (theirs, reference)):
        start = 0
        while start + n <= len(tokens):
            counter[tuple(tokens[start : start + n])] += 1
            start += 1
    unmatched = mine - theirs
    return sum(mine.values()) - sum(unmatched.values()), sum(mine.values())


def stub(hypothesis, reference, n):
    raise NotImplementedError


def zeros(hypothesis, reference, n):
    return 0, 0


def all_match(hypothesis, reference, n):
    return max(0, len(hypothesis) - n + 1), max(0, len(hypothesis) - n + 1)


def the_lengths(hypothesis, reference, n):
    return len(hypothesis), len(reference)


CLIPPED_COUNTS = define(
    id="clipped_counts",
    lesson="00_the_task",
    place=2,
    module="course_lib.components.clipped_counts",
    symbol="clipped_counts",
    minutes=10,
    laws=LAWS,
    hints=(
        "Take the smallest example and count on paper. How often does each word occur in the translation, and how often in the reference?",
        "Two steps: count the n-grams of each sentence. Then take, for each n-gram of the translation, the smaller of the two counts.",
        "`Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))` for each sentence; then `min(count, theirs[ngram])`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        intersection_of_counters, partners_taken_away, shifted_lists, dictionaries, counters_subtracted,
    ),
    lazy=(stub, zeros, all_match, the_lengths),
    switches=("matches", "total"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


def ngrams(tokens, n):
    return list(zip(*(tokens[k:] for k in range(n)), strict=False))


@CLIPPED_COUNTS.second_version("unclipped")
def found_somewhere(hypothesis, reference, n):
    mine, theirs = ngrams(hypothesis, n), set(ngrams(reference, n))
    return len([g for g in mine if g in theirs]), len(mine)


@CLIPPED_COUNTS.second_version("different_ones_only")
def two_sets(hypothesis, reference, n):
    mine = set(ngrams(hypothesis, n))
    return len(mine.intersection(ngrams(reference, n))), len(mine)


@CLIPPED_COUNTS.second_version("same_place_only")
def side_by_side(hypothesis, reference, n):
    mine, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return sum(a == b for a, b in zip(mine, theirs, strict=False)), len(mine)


@CLIPPED_COUNTS.second_version("single_tokens")
def counters_of_tokens(hypothesis, reference, n):
    return (Counter(hypothesis) & Counter(reference)).total(), len(hypothesis)


@CLIPPED_COUNTS.second_version("one_after_the_other")
def blocks(hypothesis, reference, n):
    mine, theirs = (Counter(ngrams(tokens, n)[::n]) for tokens in (hypothesis, reference))
    return (mine & theirs).total(), mine.total()


@CLIPPED_COUNTS.second_version("total_of_the_reference")
def sentences_exchanged(hypothesis, reference, n):
    hypothesis, reference = reference, hypothesis
    mine = ngrams(hypothesis, n)
    return (Counter(mine) & Counter(ngrams(reference, n))).total(), len(mine)


@CLIPPED_COUNTS.second_version("total_below_zero")
def length_formula(hypothesis, reference, n):
    theirs, matches = ngrams(reference, n), 0
    for gram in ngrams(hypothesis, n):
        if gram in theirs:
            theirs.remove(gram)
            matches += 1
    return matches, len(hypothesis) - (n - 1)


@CLIPPED_COUNTS.second_version("divided")
def a_precision(hypothesis, reference, n):
    mine = ngrams(hypothesis, n)
    matches = (Counter(mine) & Counter(ngrams(reference, n))).total()
    return matches / len(mine) if mine else 0.0


@CLIPPED_COUNTS.second_version("joined_without_a_separator")
def strings(hypothesis, reference, n):
    ours, theirs = (
        ["".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)] for tokens in (hypothesis, reference)
    )
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)


@CLIPPED_COUNTS.second_version("total_at_least_one")
def ready_to_divide(hypothesis, reference, n):
    ours = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    theirs = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours) or 1
