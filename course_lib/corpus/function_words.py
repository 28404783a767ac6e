"""Pronouns, determiners, numbers, prepositions, adverbs, times: the closed classes, as tables."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.corpus.words import FrenchNoun, Noun


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun. ``person`` counts *je, tu, il, nous, ils* from 0; ``i``, ``you``, ``we`` are spoken by men."""

    english: str
    french: str
    person: int
    number: int
    feminine: bool
    object_english: str
    object_french: str


PRONOUNS = (
    Pronoun("i", "je", 0, 0, False, "me", "me"),
    Pronoun("you", "tu", 1, 0, False, "you", "te"),
    Pronoun("he", "il", 2, 0, False, "him", "le"),
    Pronoun("she", "elle", 2, 0, True, "her", "la"),
    Pronoun("we", "nous", 3, 1, False, "us", "nous"),
    Pronoun("they", "ils", 4, 1, False, "them", "les"),
)
IT = Pronoun("it", "il", 2, 0, False, "", "")
THERE = Pronoun("there", "il", 2, 0, False, "", "")
WHO = Pronoun("who", "qui", 2, 0, False, "", "")

#: English singular and plural; French masculine and feminine singular, and plural. A space separates two words.
DETERMINERS: dict[str, tuple[tuple[str, str], tuple[str, str, str]]] = {
    "the": (("the", "the"), ("le", "la", "les")),
    "a": (("a", ""), ("un", "une", "")),
    "some": (("some", "some"), ("de le", "de la", "des")),
    "my": (("my", "my"), ("mon", "ma", "mes")),
    "your": (("your", "your"), ("ton", "ta", "tes")),
    "his": (("his", "his"), ("son", "sa", "ses")),
    "her": (("her", "her"), ("son", "sa", "ses")),
    "our": (("our", "our"), ("notre", "notre", "nos")),
    "their": (("their", "their"), ("leur", "leur", "leurs")),
    "this": (("this", "these"), ("ce", "cette", "ces")),
    "every": (("every", ""), ("chaque", "chaque", "")),
    "many": (("", "many"), ("", "", "beaucoup de")),
    "no": (("no", "no"), ("de", "de", "de")),
}

#: those that become *de* in the object of a negated verb, and the English form used then
UNDER_NEGATION = {"a": "a", "some": "any", "no": "no"}

NUMBERS = (
    ("two", "deux"),
    ("three", "trois"),
    ("four", "quatre"),
    ("five", "cinq"),
    ("six", "six"),
    ("seven", "sept"),
    ("eight", "huit"),
    ("nine", "neuf"),
    ("ten", "dix"),
    ("eleven", "onze"),
    ("twelve", "douze"),
    ("twenty", "vingt"),
)

#: prepositions by the kinds of places they go with
PLACES = (
    ("in", "dans", "in"),
    ("at", "à", "at"),
    ("on", "sur", "on"),
    ("on", "sur", "on_top"),
    ("under", "sous", "on_top under"),
    ("near", "près de", "in at well vehicle plant"),
    ("close to", "près de", "in at well vehicle plant"),
    ("behind", "derrière", "building plant =door"),
    ("in front of", "devant", "building vehicle =door =window"),
)

#: adverbs that follow the verb, and whether French puts them before a participle
MANNER = {
    "well": (("bien",), True),
    "badly": (("mal",), True),
    "quickly": (("vite", "rapidement"), False),
    "slowly": (("lentement", "doucement"), False),
}
FREQUENCY = {
    "often": ("souvent", "fréquemment"),
    "always": ("toujours",),
    "sometimes": ("parfois", "quelquefois"),
}

#: when each can be used: "present" habits, "past", "state" of the moment (possible in both tenses)
TIMES = (
    ("today", ("aujourd'hui",), "past now"),
    ("now", ("maintenant",), "now"),
    ("every day", ("tous les jours", "chaque jour"), "present"),
    ("every week", ("toutes les semaines", "chaque semaine"), "present"),
    ("in the morning", ("le matin",), "present never"),
    ("in the evening", ("le soir",), "present never"),
    ("in spring", ("au printemps",), "present past never"),
    ("in summer", ("en été",), "present past never"),
    ("in fall", ("en automne",), "present past never"),
    ("in winter", ("en hiver",), "present past never"),
    ("on sunday", ("dimanche",), "past"),
    ("yesterday", ("hier",), "past was"),
    ("last night", ("hier soir",), "past was"),
    ("this morning", ("ce matin",), "past was"),
    ("last week", ("la semaine dernière",), "past was"),
)

#: English says *is hungry*, French *a faim*
IDIOMS = (
    ("hungry", ("faim",)),
    ("thirsty", ("soif",)),
    ("afraid", ("peur",)),
    ("cold", ("froid",)),
    ("hot", ("chaud",)),
    ("right", ("raison",)),
    ("wrong", ("tort",)),
)
#: *it is cold*: *il fait froid*
WEATHER = (("cold", "froid"), ("hot", "chaud"), ("dark", "nuit"))

#: the states that explain an action
REASONS = {
    "sleep": ("tired", "sick", "cold"),
    "cry": ("sad", "tired", "hungry", "afraid"),
    "laugh": ("happy", "right"),
    "sing": ("happy",),
    "dance": ("happy",),
    "run": ("afraid", "cold", "happy"),
    "leave": ("tired", "afraid", "sick"),
    "stay": ("tired", "sick", "afraid"),
    "eat": ("hungry", "sad"),
    "drink": ("thirsty", "hot"),
}

MODALS = {
    "can": ("peux", "peux", "peut", "pouvons", "peuvent"),
    "must": ("dois", "dois", "doit", "devons", "doivent"),
}

QUESTIONS = {"where": "où", "when": "quand", "why": "pourquoi"}

YEARS = Noun(("years old", "years old"), (FrenchNoun(("an", "ans"), False),), frozenset())
