"""Every word that the grammar can write, read off its tables."""

from __future__ import annotations

from collections.abc import Iterable

from course_lib.corpus import function_words as closed
from course_lib.corpus.adjectives import ADJECTIVES
from course_lib.corpus.french_surface import CHANGED, CONTRACTED, ELIDED
from course_lib.corpus.nouns import NAMES, NOUNS
from course_lib.corpus.verbs import BE, DO, HAVE, RAIN, SNOW, VERBS


def _words(phrases: Iterable[str]) -> set[str]:
    return {word for phrase in phrases for word in phrase.split() if word != "-"}


def english_vocabulary() -> tuple[str, ...]:
    """Return every English token, sorted."""
    phrases = [form for noun in NOUNS + NAMES for form in noun.forms]
    phrases += [adjective.english for adjective in ADJECTIVES]
    for verb in (*VERBS, RAIN, SNOW):
        phrases += [verb.base, verb.third, verb.past, verb.particle]
    for pronoun in (*closed.PRONOUNS, closed.IT, closed.THERE, closed.WHO):
        phrases += [pronoun.english, pronoun.object_english]
    phrases += [form for english, _ in closed.DETERMINERS.values() for form in english]
    phrases += [english for english, *_ in (*closed.NUMBERS, *closed.PLACES, *closed.TIMES, *closed.IDIOMS)]
    phrases += [english for english, *_ in closed.WEATHER]
    phrases += [*closed.MANNER, *closed.FREQUENCY, *closed.MODALS, *closed.QUESTIONS]
    phrases += ["am are is was were do does did cannot not never any an of 's that what like to years old"]
    phrases += ["and or but because . ? ,"]
    return tuple(sorted(_words(phrases)))


def french_vocabulary(synonyms: bool = False) -> tuple[str, ...]:
    """Return every French token, sorted; with the synonyms if requested."""
    some = slice(None) if synonyms else slice(1)
    phrases = [form for noun in NOUNS + NAMES for french in noun.french[some] for form in french.forms]
    for adjective in ADJECTIVES:
        for french in adjective.french[some]:
            phrases += [french.before_vowel, *french.forms[0], *french.forms[1]]
    for verb in (*VERBS, BE, HAVE, DO, RAIN, SNOW):
        for entry in verb.french[some]:
            phrases += [entry.infinitive, *entry.present, *entry.imperfect, entry.preposition]
            phrases += [*entry.participle[0], *entry.participle[1]]
    for pronoun in (*closed.PRONOUNS, closed.IT, closed.THERE, closed.WHO):
        phrases += [pronoun.french, pronoun.object_french]
    phrases += [form for _, french in closed.DETERMINERS.values() for form in french]
    phrases += [row[1] for row in (*closed.NUMBERS, *closed.PLACES)]
    phrases += [word for row in (*closed.TIMES, *closed.IDIOMS) for word in row[1][some]]
    phrases += [french for _, french in closed.WEATHER]
    phrases += [word for options, _ in closed.MANNER.values() for word in options[some]]
    phrases += [word for options in closed.FREQUENCY.values() for word in options[some]]
    phrases += [word for forms in closed.MODALS.values() for word in forms]
    phrases += [*closed.QUESTIONS.values(), *ELIDED.values(), *CHANGED.values(), *CONTRACTED.values()]
    phrases += ["est-ce que qui ne pas jamais y ans comme de et ou mais parce . ? ,"]
    return tuple(sorted(_words(phrases)))


def lemmas() -> tuple[str, ...]:
    """Return every English headword of the open classes: nouns, names, verbs and adjectives, one per sense."""
    words = [noun.key for noun in NOUNS + NAMES] + [verb.key for verb in VERBS] + [a.key for a in ADJECTIVES]
    return tuple(sorted(set(words)))
