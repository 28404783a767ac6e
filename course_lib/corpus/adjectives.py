"""The adjectives, one per line: English, French masculine and feminine (synonyms after a slash), kinds of nouns.

A kind with ``=`` is one noun. ``<`` marks an adjective that precedes its noun. After a comma: the masculine
form before a vowel (*bel*).
"""

from __future__ import annotations

from course_lib.corpus.words import Adjective, FrenchAdjective, agreeing

_MOVABLES = "object garment vehicle furniture"
_THINGS = f"{_MOVABLES} building"
_AGED = "=house =castle =school =hotel =city =bridge =street"

_TABLE = f"""
small | <petit petite | person beast bird insect {_THINGS} fruit place room plant sweet
big | <grand grande / <gros grosse / énorme énorme | beast bird {_THINGS} fruit room sweet transport plant
tall | <grand grande | person
young | <jeune jeune | person beast
old | <vieux,vieil vieille | person beast bird transport text plant {_MOVABLES} {_AGED}
new | <nouveau,nouvel nouvelle | {_THINGS} transport text show song
beautiful | <beau,bel belle / magnifique magnifique / splendide splendide | {_THINGS} text song place plant beast bird
good | <bon bonne / délicieux délicieuse / savoureux savoureuse | food liquid edible
bad | <mauvais mauvaise / médiocre médiocre | text show song
red | rouge rouge | coloured fruit
black | noir noire | coloured beast bird
white | blanc blanche | coloured beast bird
green | vert verte | coloured
blue | bleu bleue | coloured
yellow | jaune jaune | coloured
grey | gris grise | coloured beast bird
orange | orange orange! | coloured
round | rond ronde | =table =box =window =cake
heavy | lourd lourde / pesant pesante | object garment furniture
light | léger légère | object garment furniture
clean | propre propre | room garment vehicle breakable limb
dirty | sale sale / crasseux crasseuse | room garment vehicle breakable limb
empty | vide vide | building room =bottle =box =bag
open | ouvert ouverte | openable
broken | cassé cassée / brisé brisée | breakable
hot | chaud chaude / brûlant brûlante | liquid =soup =rice =meat
cold | froid froide / glacé glacée | liquid =soup =rice =meat
fresh | frais fraîche | food
expensive | cher chère / coûteux coûteuse / onéreux onéreuse | {_MOVABLES} =house =castle =hotel transport
rich | riche riche / fortuné fortunée / aisé aisée | person
poor | pauvre pauvre / miséreux miséreuse | person
happy | heureux heureuse / content contente / joyeux joyeuse | person
sad | triste triste / malheureux malheureuse / chagrin chagrine | person song text
tired | fatigué fatiguée / épuisé épuisée / las lasse | person beast
sick | malade malade / souffrant souffrante | person beast
kind | gentil gentille / aimable aimable / bienveillant bienveillante | person
clever | intelligent intelligente / malin maligne / astucieux astucieuse | person beast
strong | fort forte / robuste robuste / puissant puissante | person beast
famous | célèbre célèbre / connu connue / renommé renommée | person text show song place
deep | profond profonde | well =river
right | droit droite | limb riverside pair
left | gauche gauche | limb riverside pair
"""


def _french(entry: str) -> FrenchAdjective:
    masculine, feminine = entry.strip().lstrip("<").split()
    masculine, _, before_vowel = masculine.partition(",")
    invariable = feminine.endswith("!")
    forms = ((masculine,) * 2,) * 2 if invariable else agreeing(masculine, feminine)
    return FrenchAdjective(forms, before_vowel or masculine, entry.strip().startswith("<"))


def _adjective(line: str) -> Adjective:
    english, french, kinds = (cell.strip() for cell in line.split("|"))
    return Adjective(english, tuple(_french(e) for e in french.split("/")), frozenset(kinds.split()))


ADJECTIVES: tuple[Adjective, ...] = tuple(_adjective(line) for line in _TABLE.strip().splitlines())

_SCALES = (
    *("small big tall", "young old new", "rich poor", "happy sad", "heavy light", "clean dirty", "hot cold"),
    *("good bad", "strong sick tired", "red black white green blue yellow grey orange"),
)
#: the scale of an adjective; two on one scale do not describe the same thing
SCALES: dict[str, str] = {
    a.english: next((s for s in _SCALES if a.english in s.split()), a.english) for a in ADJECTIVES
}
