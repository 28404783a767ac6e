"""Generating noun phrases: which determiner, how many, with which adjectives, whose."""

from __future__ import annotations

from random import Random
from typing import TypeVar

from course_lib.corpus.choices import Choices, Combination
from course_lib.corpus.function_words import NUMBERS, PRONOUNS, Pronoun
from course_lib.corpus.nouns import NAMES, NOUNS
from course_lib.corpus.shapes import Shape
from course_lib.corpus.tree import STRIDE, Group, NounPhrase, Person
from course_lib.corpus.words import PLURAL, SINGULAR, Noun

T = TypeVar("T")

OWN = ("my", "your", "his", "her", "our", "their")

#: determiners by the role of a phrase; repeated ones are likelier
SINGULARS = {
    "subject": ("the",) * 10 + ("a",) * 3 + OWN + ("this",) * 2 + ("every",),
    "topic": ("the",) * 8 + OWN + ("this",) * 2,
    "object": ("the",) * 8 + ("a",) * 6 + OWN + ("this",),
    "negated": ("the",) * 5 + ("a",) * 6 + OWN + ("this",),
    "owned": ("a",),
    "none": ("no",),
    "place": ("the",) * 12 + ("a", *OWN, "this"),
    "recipient": ("the",) * 8 + ("a", "a", *OWN, "this"),
}
PLURALS = {
    "subject": ("the",) * 10 + ("some",) + OWN + ("this",) * 2 + ("many",),
    "topic": ("the",) * 8 + OWN + ("this",) * 2,
    "object": ("the",) * 8 + ("some",) * 6 + OWN + ("this", "many"),
    "negated": ("the",) * 4 + ("some",) * 5 + OWN + ("this", "many"),
    "owned": ("some", "some", "many"),
    "none": ("no",),
    "place": ("the",) * 8 + (*OWN, "this"),
    "recipient": ("the",) * 8 + (*OWN, "this"),
}
_MASSES = {
    "object": ("the",) * 5 + ("some",) * 6 + OWN + ("this",),
    "negated": ("the",) * 3 + ("some",) * 4 + OWN,
    "owned": ("some",),
    "none": ("no",),
}
#: kinds that go with few determiners
_PARTICULAR = {
    "family": ("the", *OWN),
    "limb": ("the", *OWN),
    "illness": ("a",),
    "sample": ("a", "a", "this"),
    "glassful": ("a",),
    "memory": ("the", "the", "this"),
}
#: what can have an owner; for other things nobody says *my*
_OWNABLE = frozenset(
    (
        "own",
        "family",
        "limb",
        "object",
        "garment",
        "vehicle",
        "furniture",
        "text",
        "instrument",
        "food",
        "liquid",
    )
)
_SINGLE = frozenset(("building", "place", "room", "at"))
_POSSESSED = frozenset(("object", "subject", "place", "topic"))
_COUNTED = ("", "", "", "the", *OWN)

_PEOPLE = [noun for noun in NOUNS if "person" in noun.kinds]
_BY_KIND = {
    "liquid": [noun for noun in NOUNS if "liquid" in noun.kinds],
    "plant": [noun for noun in NOUNS if "plant" in noun.kinds and noun.forms[0] != "plant"],
    "river": [noun for noun in NOUNS if noun.forms[0] == "river"],
}


class PhraseDrawer:
    """Generates noun phrases from `Choices`, and records their combinations and depth."""

    def __init__(self, seed: int, choices: Choices, shape: Shape, synonyms: bool) -> None:
        self.random = Random(seed).random
        self.other_random = Random(f"synonyms of {seed}").random
        self.choices, self.shape, self.synonyms = choices, shape, synonyms
        self.forget()

    def forget(self) -> None:
        """Start a new sentence."""
        self.next_mark = 1
        self.deepest = 0
        self.combinations: list[Combination] = []

    def mark(self) -> int:
        """Return the first bit of a new node."""
        mark = self.next_mark
        self.next_mark <<= STRIDE
        return mark

    def pick(self, options: list[T] | tuple[T, ...]) -> T:
        """Choose one option uniformly."""
        return options[int(self.random() * len(options))]

    def word(self, options: tuple[T, ...]) -> T:
        """Choose the translation; with synonyms, any of several. A separate generator keeps the English the same."""
        if self.synonyms and len(options) > 1:
            return options[int(self.other_random() * len(options))]
        return options[0]

    def person(self, pronoun: Pronoun) -> Person:
        """Return the node of a pronoun."""
        return Person(self.mark(), pronoun, pronoun.person, pronoun.number, pronoun.feminine)

    def pronoun(self) -> Person:
        """Choose any personal pronoun."""
        return self.person(self.pick(PRONOUNS))

    def bare(self, noun: Noun) -> NounPhrase:
        """Return a noun without determiner or adjectives: a name, or what is in a glass."""
        french = self.word(noun.french)
        return NounPhrase(self.mark(), noun, french, SINGULAR, 2, french.feminine, "")

    def name(self) -> NounPhrase:
        """Choose a name."""
        return self.bare(self.pick(NAMES))

    def noun_phrase(self, noun: Noun, role: str, plain: bool = False) -> NounPhrase:
        """Generate a phrase around a noun, without relative clauses; ``plain``: with nothing ambiguous."""
        kinds = noun.kinds
        number = PLURAL if not noun.forms[0] else SINGULAR
        if noun.forms[0] and noun.forms[1] and role != "place" and self.random() < 0.35:
            number = PLURAL
        french = self.word(noun.french)
        person = 4 if number else 2
        phrase = NounPhrase(self.mark(), noun, french, number, person, french.feminine, "the")
        self._determine(phrase, role)
        self._describe(phrase)
        if noun.complement:
            phrase.complement = self.bare(self.pick(_BY_KIND[noun.complement]))
            if noun.complement == "river":
                phrase.complement.determiner = "the"
        elif not plain and role in _POSSESSED and not kinds.isdisjoint(_OWNABLE) and self.random() < 0.07:
            self._possess(phrase)
        return phrase

    def _determine(self, phrase: NounPhrase, role: str) -> None:
        noun, number = phrase.noun, phrase.number
        kinds = noun.kinds
        if "mass" in kinds:
            options = _MASSES.get(role, ("the",))
        else:
            particular = next((_PARTICULAR[kind] for kind in _PARTICULAR if kind in kinds), None)
            options = (PLURALS if number else SINGULARS)[role]
            if particular and role != "none" and not (role == "owned" and "family" in kinds):
                options = particular
            elif not noun.forms[0]:
                options = ("the", *OWN)
        determiner = self.pick(options)
        if determiner in OWN and (kinds.isdisjoint(_OWNABLE) or (number and not kinds.isdisjoint(_SINGLE))):
            determiner = "the"
        phrase.determiner = determiner
        if number and noun.forms[0]:
            if "glassful" in kinds:
                phrase.determiner, phrase.count = "", self.pick(NUMBERS)
            elif role in ("subject", "object", "owned") and kinds.isdisjoint(_PARTICULAR) and self.random() < 0.25:
                phrase.count = self.pick(NUMBERS)
                mine = not kinds.isdisjoint(_OWNABLE) and kinds.isdisjoint(_SINGLE)
                phrase.determiner = "" if role == "owned" else self.pick(_COUNTED if mine else _COUNTED[:4])

    def _describe(self, phrase: NounPhrase) -> None:
        options = self.choices.adjectives[phrase.noun]
        if not options or self.random() >= 0.3:
            return
        drawn = [self.pick(options)]
        if phrase.number and drawn[0].english in ("right", "left"):
            return  # *right shoe* works, *right shoes* does not
        if self.random() < 0.12:
            second = self.pick(options)
            first = drawn[0].french[0].precedes
            if second.french[0].precedes is not first and "coloured" in (drawn[0] if not first else second).kinds:
                drawn.append(second)
                drawn.sort(key=lambda adjective: not adjective.french[0].precedes)
        for adjective in drawn:
            phrase.adjectives.append((adjective, self.word(adjective.french)))
            self.combinations.append((adjective.key, phrase.noun.key))

    def _possess(self, phrase: NounPhrase) -> None:
        if phrase.determiner == "many":
            return
        phrase.determiner = "the"
        if self.random() < 0.5:
            phrase.possessor = self.name()
            return
        noun = self.pick(_PEOPLE)
        french = self.word(noun.french)
        mine = "own" in noun.kinds or "family" in noun.kinds
        determiner = self.pick(("the", "the", "the", *OWN)) if mine else "the"
        phrase.possessor = NounPhrase(self.mark(), noun, french, SINGULAR, 2, french.feminine, determiner)

    def group(self, nouns: list[Noun], role: str, conjunction: tuple[str, str]) -> Group:
        """Join two noun phrases of one kind; return one if the second is of another kind."""
        first = self.pick(nouns)
        second = self.pick(nouns)
        parts = [self.noun_phrase(first, role, plain=True)]
        if second is not first and not first.kinds.isdisjoint(second.kinds):
            parts.append(self.noun_phrase(second, role, plain=True))
        feminine = all(part.feminine for part in parts)
        return Group(self.mark(), parts, conjunction, PLURAL, 4, feminine)
