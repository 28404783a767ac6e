"""Which words go together: what each verb can do to what, which adjective fits which noun, and what is held out."""

from __future__ import annotations

from functools import cache
from zlib import crc32

from course_lib.corpus.adjectives import ADJECTIVES
from course_lib.corpus.nouns import NOUNS
from course_lib.corpus.verbs import FRAMES, VERBS
from course_lib.corpus.words import Adjective, Frame, Noun, Verb

#: one in this many adjective–noun and verb–object pairs is held out
HELD_OUT_PAIRS = 10
#: at most one in this many partners of a word is held out, so that training shows it; words with fewer keep all
FEWEST_PARTNERS = 4

#: two keys, of an adjective or a verb, and of its noun
Combination = tuple[str, str]


def fits(noun: Noun, kinds: frozenset[str]) -> bool:
    """Return whether a noun is of one of these kinds, or is named itself: ``=table``."""
    return not kinds.isdisjoint(noun.kinds) or f"={noun.forms[0]}" in kinds


@cache
def held_out_combinations() -> frozenset[Combination]:
    """Return the adjective–noun and verb–object pairs that training never shows, chosen by a hash of each pair."""
    partners: list[tuple[str, list[Noun]]] = [(a.key, [n for n in NOUNS if fits(n, a.kinds)]) for a in ADJECTIVES]
    for verb in VERBS:
        frames = [frame for frame in FRAMES if frame.verb is verb]
        partners.append((verb.key, [n for n in NOUNS if any(fits(n, frame.objects) for frame in frames)]))
    held_out: set[Combination] = set()
    for key, nouns in partners:
        drawn = [n.key for n in nouns if crc32(f"{key} {n.key}".encode()) % HELD_OUT_PAIRS == 0]
        held_out.update((key, noun) for noun in drawn[: len(nouns) // FEWEST_PARTNERS])
    return frozenset(held_out)


def _said_of(verb: Verb) -> bool:
    """Return whether *the thing that i verb* works: not *à quoi je réponds*, nor *the key that i have opened it*."""
    return not verb.french[0].preposition and verb.base != "have"


class Choices:
    """The lists from which a sentence is generated.

    Args:
        held_out: whether pairs of `held_out_combinations` are allowed too.
    """

    def __init__(self, held_out: bool) -> None:
        banned = frozenset() if held_out else held_out_combinations()

        def allowed(word: Adjective | Verb, noun: Noun) -> bool:
            return (word.key, noun.key) not in banned

        self.subjects: dict[Frame, list[Noun]] = {}
        self.objects: dict[Frame, list[Noun]] = {}
        for frame in FRAMES:
            self.subjects[frame] = [n for n in NOUNS if fits(n, frame.subjects)]
            self.objects[frame] = [n for n in NOUNS if fits(n, frame.objects) and allowed(frame.verb, n)]
        self.adjectives: dict[Noun, list[Adjective]] = {
            n: [a for a in ADJECTIVES if fits(n, a.kinds) and allowed(a, n)] for n in NOUNS
        }
        #: what a noun can do, and what can be done to it, in a relative clause
        self.does = {n: [f for f in FRAMES if n in self.subjects[f]] for n in NOUNS}
        self.undergoes = {n: [f for f in FRAMES if n in self.objects[f] and _said_of(f.verb)] for n in NOUNS}


@cache
def choices(held_out: bool) -> Choices:
    """Return the lists, which are built once."""
    return Choices(held_out)
