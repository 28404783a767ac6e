"""Exercise `vocabulary`: a number for each token, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.words import words
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Methods, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged


def _question(
    name: str, sentences: list[list[str]], min_count: int, *calls: dict[str, Any], once: Sequence[str] = ()
) -> Methods:
    arguments = {"sentences": sentences, "min_count": min_count}
    return Methods(name, arguments, calls, once=once, returns=list(calls[-1]))


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about different and equal counts, rare and unknown tokens, an empty sentence, and ids to turn into tokens.

    No wrong order equals the right one on any draw: b occurs before c, which is as frequent but precedes b in the
    alphabet, and b comes after all rarer tokens in the alphabet.
    """
    drawn = words(sampler, 9)
    *three, b = sorted(drawn[:4])
    (a, c, d), (e, f, *others) = sampler.shuffled(three), drawn[4:]
    yield _question("by_hand", [[b, a, b], [c, b, a]], 1, {"encode": sampler.shuffled([a, b, c])})

    yield _question(
        "decode_by_hand", [[b, a, b], [c, b, a]], 1, {"decode": [1, *map(int, sampler.shuffled((4, 4, 5))), 2]}
    )

    first, second, third, fourth = sorted(words(sampler, 4))
    # in the order of both first and last occurrences, and in neither alphabetical nor reverse order
    equal = sampler.shuffled(([third, first, fourth, second], [second, fourth, first, third]))[0]
    ties = [[*equal, "zoo"], [], ["zoo", *equal[1:], equal[0], "zoo"]]
    yield _question("equal_counts", ties, 1, {"encode": sampler.shuffled([first, second, third, fourth, "zoo"])})

    # d occurs twice in one sentence and in no other. The others occur once
    rare = [[a, b, a, c], [d, e, d], [c, b, a, a], [c, f, b], [a, *others]]
    known, unknown = sampler.shuffled([a, b, c, d]), sampler.shuffled([e, "unheard"])
    yield _question("unknown", rare, 2, {"encode": [known[0], unknown[0], *known[1:], unknown[1], known[0]]})
    yield _question("length", rare, 2, {"len": None})
    yield _question("from_a_generator", rare, 1, {"encode": known}, once=["sentences"])
    yield _question("nothing", rare, 2, {"encode": []})
    # one of the first two belongs to a tie, and one to the rarest token that is kept
    tied, other = (int(i) for i in sampler.shuffled((5, 6)))
    ids = [tied, 7, *(int(i) for i in sampler.shuffled((4, other)))]
    yield _question("decode", rare, 2, {"decode": [1, *ids[:2], 3, *ids[2:], 2]})
    yield _question("decode_padded", rare, 2, {"decode": [ids[0], 0, ids[1], 2, ids[2], 2, 0]})
    yield _question("decode_open", rare, 2, {"decode": [1, *ids[1:]]})
    yield _question("there_and_back", rare, 2, {"encode": unknown}, {"len": None}, {"encode": [*unknown, *others]})

    first, second, third = words(sampler, 3)
    the, capital = first, first.capitalize()
    capitals = [[capital, third, the], [capital, the, capital, second]]
    yield _question("capitals", capitals, 1, {"encode": sampler.shuffled([the, capital, second.capitalize()])})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "tokens are encoded right: the most frequent is 4, the next one 5, between 1 and 2", 0.6,
        {"fields": ["calls/0/encode"]}),
    Check("equal_counts", equals_reference, "equal_counts", "equally frequent tokens are encoded right: they come in alphabetical order", 0.4,
        {"fields": ["calls/0/encode"]}),
    Check("capitals", equals_reference, "capitals", "a word with a capital letter is encoded right: it is a token of its own", 0.15,
        {"fields": ["calls/0/encode"]}),
    Check("unknown", equals_reference, "unknown", "rare and new tokens are encoded right, as 3, and so are sentences from a generator", 0.4,
        {"fields": ["calls/0/encode"]}, also=("from_a_generator",)),
    Check("length", equals_reference, "length", "its length is right: special ids count", 0.2,
        {"fields": ["calls/0/len"]}),
    Check("nothing", equals_reference, "nothing", "an empty sentence is encoded right, as `bos_id` and `eos_id`", 0.15,
        {"fields": ["calls/0/encode"]}),
    Check("equals_decode", equals_reference, "decode", "ids are decoded right, without `bos_id` and `eos_id`", 0.4,
        {"fields": ["calls/0/decode"]}, also=("decode_by_hand",)),
    Check("decode_padded", equals_reference, "decode_padded", "padded ids are decoded right: nothing comes back for padding, or after the first `eos_id`", 0.2,
        {"fields": ["calls/0/decode"]}),
    Check("decode_open", equals_reference, "decode_open", "ids without `eos_id` are decoded right, to the last one", 0.15,
        {"fields": ["calls/0/decode"]}),
    Check("stays_as_it_was", equals_reference, "there_and_back", "after new tokens were encoded, length and ids are still right", 0.2,
        {"fields": ["calls/1/len", "calls/2/encode"]}),
    Check("inputs_unchanged", inputs_unchanged, "unknown", "the sentences are left as they were", 0.15,
        needs="unknown"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Take a small example. Count its tokens on paper, sort them, and number them from 4.",
        "Four steps: count the tokens, keep those that are frequent enough, sort them by count and then alphabetically, and number them from 4. Use a list for one direction and a dictionary for the other.",
        "`sorted(kept, key=lambda token: (-counts[token], token))` after the four special tokens; `encode` returns `[bos, *(ids.get(token, unk) for token in tokens), eos]`.",
    ),
    ask=ask,
    write=("__init__", "__len__", "encode", "decode"),
)
