"""Where and when things are: the places and times that fit a clause."""

from __future__ import annotations

from course_lib.corpus.choices import fits
from course_lib.corpus.function_words import PLACES, TIMES
from course_lib.corpus.nouns import NOUNS
from course_lib.corpus.words import Noun

#: an English and a French preposition, and the nouns they go with
Place = tuple[str, str, list[Noun]]


def of(*kinds: str) -> list[Noun]:
    """Return the nouns of any of these kinds."""
    return [noun for noun in NOUNS if fits(noun, frozenset(kinds))]


PEOPLE, YOUNG, TOWNS = of("person"), of("young"), of("=city", "=forest", "=garden")
BEINGS, THINGS = of("person", "beast", "bird"), of("object", "garment", "text", "food")
#: what *there is* can introduce: not *the mother*, nor *the glasses*
FOUND = [noun for noun in BEINGS + THINGS if noun.forms[0] and "family" not in noun.kinds]

ABOUT: list[Place] = [(en, fr, of(*kinds.split())) for en, fr, kinds in PLACES if "on_top" not in kinds]
ON_TOP: list[Place] = [(en, fr, of(*kinds.split())) for en, fr, kinds in PLACES if "on_top" in kinds]
_SPOTS: list[Place] = [*ON_TOP, ("in", "dans", of("room"))]
_SERVED: list[Place] = [("on", "sur", of("=table", "=plate")), ("in", "dans", of("=kitchen"))]

_SEATS: list[Place] = [("on", "sur", of("=bed", "=chair"))]
_OUTDOORS: list[Place] = [
    ("in", "dans", of("=garden", "=park", "=forest", "=street")),
    ("on", "sur", of("=beach", "=island", "=bridge")),
    ("under", "sous", of("=tree", "=table")),
    ("near", "près de", of("=river", "=house", "plant", "well", "=car")),
    ("close to", "près de", of("=river", "=house", "plant", "well", "=car")),
    ("behind", "derrière", of("=house", "=castle", "=tree", "=door")),
]

#: by kind, English and French
WHEN = {
    kind: [(english, french) for english, french, kinds in TIMES if kind in kinds.split()]
    for kind in ("present", "past", "now", "was", "never")
}


def whereabouts(noun: Noun | None, with_workspace: bool = False) -> list[Place]:
    """Return where a noun can be: people in town, animals outdoors, soup on a table; ``seated``: what it sits on."""
    if noun and noun in THINGS:
        return _SERVED if "food" in noun.kinds else _SPOTS
    if noun and not noun.kinds.isdisjoint(("beast", "bird")):
        return ON_TOP if with_workspace else _OUTDOORS
    return _SEATS if with_workspace else ABOUT
