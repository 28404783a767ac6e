"""The tree of a sentence: generated once, written twice, in English and in French.

Every node owns some bits, its *marks*. A word gets the marks of what it expresses, in both languages. If the
marks of an English and a French word meet, the two are aligned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from course_lib.corpus.function_words import Pronoun
from course_lib.corpus.words import Adjective, FrenchAdjective, FrenchNoun, FrenchVerb, Noun, Verb

#: a word and its marks
Line = list[tuple[str, int]]

#: the bits of a node, relative to its first; a node owns ``STRIDE`` of them
NOUN, DETERMINER, COUNT, LINK, RELATIVE, FIRST, SECOND = (1 << i for i in range(7))
VERB, AUXILIARY, NEGATION, ADVERB, QUESTION, ASKED, PREDICATE, PARTICLE, TIME = (1 << i for i in range(9))
STRIDE = 9


@dataclass(slots=True)
class Person:
    """The node of a pronoun."""

    mark: int
    pronoun: Pronoun
    person: int
    number: int
    feminine: bool


@dataclass(slots=True)
class NounPhrase:
    """A determiner, a number, adjectives, a noun, its complement, its owner and its relative clause."""

    mark: int
    noun: Noun
    french: FrenchNoun
    number: int
    person: int
    feminine: bool
    determiner: str
    count: tuple[str, str] | None = None
    adjectives: list[tuple[Adjective, FrenchAdjective]] = field(default_factory=list)
    complement: NounPhrase | None = None
    possessor: NounPhrase | None = None
    relative: Clause | None = None


@dataclass(slots=True)
class Group:
    """Noun phrases joined by *and* or *or*."""

    mark: int
    parts: list[NounPhrase]
    conjunction: tuple[str, str]
    number: int
    person: int
    feminine: bool


@dataclass(slots=True)
class Adjunct:
    """A preposition with its noun phrase: *in the garden*, *like a bird*."""

    mark: int
    english: str
    french: str
    phrase: NounPhrase


Nominal = Person | NounPhrase | Group


@dataclass(slots=True)
class Clause:
    """A verb with everything around it.

    Attributes:
        gap: ``"subject"`` or ``"object"`` in a relative clause: the role of the antecedent, which is not written.
        negation: ``"not"``, ``"never"``, or ``"no"`` if the English determiner expresses it.
        question: ``"yes"`` if the answer is yes or no, a question word, ``"who"``, ``"what"``, or empty.
    """

    mark: int
    subject: Nominal
    verb: Verb
    french: FrenchVerb
    past: bool = False
    negation: str = ""
    question: str = ""
    modal: str = ""
    gap: str = ""
    object: Nominal | None = None
    recipient: NounPhrase | None = None
    predicate: tuple[Adjective, FrenchAdjective] | None = None
    idiom: tuple[str, str] | None = None
    frequency: tuple[str, str] | None = None
    manner: tuple[str, str, bool] | None = None
    adjuncts: list[Adjunct] = field(default_factory=list)
    time: tuple[str, str] | None = None


@dataclass(slots=True)
class Sentence:
    """Clauses with a conjunction before each but the first (English, French), and how it ends."""

    mark: int
    clauses: list[Clause]
    conjunctions: list[tuple[str, str]]
    end: str
