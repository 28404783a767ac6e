"""The properties of words in the lexicon, and the regular plurals of both languages.

A leading ``*`` in a French entry marks an *h aspiré*, as in dictionaries: ``*héros``, hence *le héros* and
not *l'héros*. `aspirated` records these words.
"""

from __future__ import annotations

from dataclasses import dataclass

SINGULAR, PLURAL = 0, 1

_aspirated: set[str] = {"onze", "huit"}


def aspirated(word: str) -> bool:
    """Return whether a French word that begins with a vowel or an h behaves as if it did not."""
    return word in _aspirated


def unmark(word: str) -> str:
    """Remove the ``*`` from a French word of the tables, and record it."""
    if word.startswith("*"):
        _aspirated.add(word[1:])
        return word[1:]
    return word


@dataclass(frozen=True, slots=True)
class FrenchNoun:
    """Singular and plural, and whether it is feminine. ``forms[number]``."""

    forms: tuple[str, str]
    feminine: bool


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A sense of an English noun; a homograph has several.

    Attributes:
        forms: singular and plural, empty if it does not exist (*bread*, *glasses*).
        french: its translation; further ones are synonyms.
        kinds: what it is and what can be done with it, which verbs and adjectives require.
        complement: the kind of the complement that it needs, if any: a glass of some ``"liquid"``.
    """

    forms: tuple[str, str]
    french: tuple[FrenchNoun, ...]
    kinds: frozenset[str]
    complement: str = ""

    @property
    def key(self) -> str:
        """Return the name of this sense, which decides about hold-outs."""
        return f"{self.forms[0] or self.forms[1]}={self.french[0].forms[0]}"


@dataclass(frozen=True, slots=True)
class FrenchAdjective:
    """Forms by ``[feminine][number]``, the form before a vowel (*bel*), and whether it precedes its noun."""

    forms: tuple[tuple[str, str], tuple[str, str]]
    before_vowel: str
    precedes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """A sense of an English adjective, with the kinds of nouns that can have it."""

    english: str
    french: tuple[FrenchAdjective, ...]
    kinds: frozenset[str]

    @property
    def key(self) -> str:
        """Return the name of this sense."""
        return f"{self.english}={self.french[0].forms[0][0]}"


@dataclass(frozen=True, slots=True)
class FrenchVerb:
    """A French verb.

    Attributes:
        infinitive: *manger*.
        present: the forms of *je, tu, il, nous, ils*.
        imperfect: the same five, if the past of a state uses it (*il était*); otherwise empty.
        participle: by ``[feminine][number]``.
        etre: whether the passé composé uses *être*.
        preposition: ``"à"`` in *répondre à*; otherwise empty.
    """

    infinitive: str
    present: tuple[str, ...]
    imperfect: tuple[str, ...]
    participle: tuple[tuple[str, str], tuple[str, str]]
    etre: bool
    preposition: str


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A sense of an English verb: ``base``, ``third`` person, ``past`` (empty if it looks like the present).

    ``extras`` are the adverbs it goes with, and ``place``, ``time``, ``like``, ``to`` for what may follow it.
    """

    base: str
    third: str
    past: str
    particle: str
    french: tuple[FrenchVerb, ...]
    extras: frozenset[str]

    @property
    def key(self) -> str:
        """Return the name of this sense."""
        return f"{self.base}={self.french[0].infinitive}"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A verb with the kinds of its subjects and objects; without kinds of objects it is intransitive."""

    verb: Verb
    subjects: frozenset[str]
    objects: frozenset[str]


def english_s(word: str) -> str:
    """Return the regular plural of a noun, which is also the regular third person of a verb."""
    if word.endswith(("s", "x", "ch", "sh", "o")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def french_plural(word: str) -> str:
    """Return the regular plural: *chats, souris, chapeaux, chevaux*."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "eu")):
        return word + "x"
    return word[:-2] + "aux" if word.endswith("al") else word + "s"


def agreeing(masculine: str, feminine: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return four forms of an adjective or participle, by ``[feminine][number]``."""
    plural = masculine + "s" if masculine.endswith("bleu") else french_plural(masculine)
    return (masculine, plural), (feminine, french_plural(feminine))
