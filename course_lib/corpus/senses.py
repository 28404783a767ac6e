"""Which sense an English word has in a sentence, read off its translation: *match* is *allumette* or *partie*."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from course_lib.corpus.adjectives import ADJECTIVES
from course_lib.corpus.nouns import NAMES, NOUNS
from course_lib.corpus.pairs import Pair
from course_lib.corpus.verbs import VERBS


@dataclass(frozen=True)
class Sense:
    """An entry of the lexicon that an English word can belong to.

    Attributes:
        part_of_speech: ``"noun"``, ``"verb"`` or ``"adjective"``.
        key: its name, for instance ``"match=allumette"``.
        french: all its French translations.
    """

    part_of_speech: str
    key: str
    french: frozenset[str]


@cache
def entries() -> dict[str, tuple[Sense, ...]]:
    """Return the senses of every English word form that is a noun, a verb or an adjective."""
    found: dict[str, list[Sense]] = defaultdict(list)
    for noun in NOUNS + NAMES:
        forms = {word for french in noun.french for form in french.forms for word in form.split()}
        for english in filter(None, noun.forms):
            found[english].append(Sense("noun", noun.key, frozenset(forms)))
    for verb in VERBS:
        forms = set()
        for french_verb in verb.french:
            forms |= {french_verb.infinitive, *french_verb.present, *french_verb.imperfect}
            forms |= {form for forms_of_gender in french_verb.participle for form in forms_of_gender}
        for english in filter(None, {verb.base, verb.third, verb.past}):
            found[english].append(Sense("verb", verb.key, frozenset(forms)))
    for adjective in ADJECTIVES:
        forms = {form for french in adjective.french for forms_of_gender in french.forms for form in forms_of_gender}
        forms |= {french.before_vowel for french in adjective.french}
        found[adjective.english].append(Sense("adjective", adjective.key, frozenset(forms)))
    return {english: tuple(senses) for english, senses in found.items()}


def senses(pair: Pair) -> list[tuple[Sense, ...]]:
    """Return, for each English word of a pair, the senses that its translation leaves open.

    A function word has none, and most others have one. A few have several, because two senses share a French form.
    """
    aligned: dict[int, set[str]] = defaultdict(set)
    for i, j in pair.alignment:
        aligned[i].add(pair.target[j])
    found = []
    for i, word in enumerate(pair.source):
        possible = entries().get(word, ())
        if len(possible) > 1:
            possible = tuple(sense for sense in possible if sense.french & aligned[i])
        found.append(possible)
    return found


def is_ambiguous(word: str) -> bool:
    """Return whether an English word form has several senses."""
    return len(entries().get(word, ())) > 1
