"""The verbs, one per line: English, French (synonyms after a slash), who does it to what, possible additions.

English: base and past; ``watch`` alone is regular, ``read -`` has no past that differs from its present;
a third word is a particle (*listen to*). French: ``+`` is the auxiliary *être*, ``~stem`` the stem of an
imperfect, ``&à`` a preposition before the object.
"""

from __future__ import annotations

from course_lib.corpus.conjugations import conjugate
from course_lib.corpus.words import Frame, FrenchVerb, Verb, agreeing, english_s

_WATCHED = "person beast bird vehicle transport show game fire light"
_WANTED = "food liquid glassful beverage object garment vehicle instrument"
_KEPT = "object garment text =dog =cat"
_LOVED = "person beast bird food liquid text show song place garment"
_GOODS = "object garment vehicle text food plant instrument furniture"
_SEEN = "person beast bird object garment vehicle building place plant show leaf light fire limb transport"

_TABLE = f"""
sleep slept | dormir | person beast bird | well badly like place spot time
run ran | courir | person beast | quickly slowly like place time
walk | marcher | person beast | quickly slowly place time
swim swam | nager | person swimmer | well badly quickly like time
fly flew | voler | bird insect flyer | quickly slowly time
fall fell | +tomber | leaf person | time
sing sang | chanter | person bird | well badly like place time
play | jouer | person beast | place spot time
work | travailler | person | well badly quickly slowly place time
laugh | rire | person | like place time
cry cried | pleurer / sangloter | person | like place time
dance danced | danser | person | well badly like place time
ring rang | sonner / retentir | ringer | time
arrive arrived | +arriver | person transport =car =boat | time
leave left | +partir | person transport =car =boat | time
stay | +rester / demeurer | person beast | needs_place spot time
eat ate | manger / dévorer / avaler | person > food edible; hunter > prey; grazer > fodder | place time
drink drank | boire / avaler | person > liquid beverage glassful; beast > pet_drink | place time
see saw | voir / apercevoir | person beast > {_SEEN} well | time
watch | regarder / observer / contempler | person > {_WATCHED}; beast > person beast bird | time
like liked | aimer ~aim / apprécier ~appréci | person > {_LOVED} instrument light | -
love loved | adorer ~ador | person > {_LOVED} | -
want | vouloir ~voul / désirer ~désir / souhaiter ~souhait | person > {_WANTED} | -
have had | avoir ~av / posséder ~posséd | person > beast object garment vehicle text instrument family illness | -
know knew | connaître ~connaiss | person > person song place building text | -
wear wore | porter ~port | person > garment | -
buy bought | acheter / acquérir | person > {_GOODS} | place time
find found | trouver / découvrir / dénicher | person > {_KEPT}; hunter > prey =ball; grazer > fodder | place time
lose lost | perdre / égarer | person > object garment | place time
read - | lire | person > text | place time
write wrote | écrire / rédiger | person > writable memory | place time
open opened | ouvrir | person > openable | time
close closed | fermer | person > openable | time
clean cleaned | nettoyer / laver / récurer | person > room vehicle breakable furniture shoe | time
break broke | casser / briser / fracasser | person > breakable | time
follow | suivre | person beast > person beast vehicle | place time
help | aider / assister / épauler | person > person | place time
hear heard | entendre | person beast > person beast bird noise transport ringer | place time
look looked for | chercher / rechercher | person > object garment person beast well | place time
wait waited for | attendre / guetter | person > person transport | place time
listen listened to | écouter | person > person bird song story | place time
paint painted | peindre | person > person beast bird plant building garment vehicle | time
sing sang | chanter | person > song | place time
cook cooked | cuisiner / préparer | person > cookable | time
plant planted | planter | person > plantable sample | time
light lit | allumer | person > lightable fire | time
wash washed | laver / nettoyer | person > limb garment =plate =car =carrot | time
make made | faire / préparer | person > =cake =soup =coffee =tea | place time
make made | faire | person beast > noise | place time
book booked | réserver / retenir | person > bookable | time
park parked | garer / stationner | person > parkable | time
train trained | entraîner / former | person > trainable | time
visit visited | visiter | person > building place | time
win won | gagner / remporter | person > game | time
lose lost | perdre | person > game | time
forget forgot | oublier | person > memory object garment person | time
build built | construire / bâtir | person > building =bridge =boat | time
go went to | +aller &à | person > at goto | time
come came from | +venir &de | person > at goto in | time
enter entered | +entrer &dans / +pénétrer &dans | person beast > building room | time
leave left | quitter | person > building city =village room | time
answer answered | répondre &à | person > person | time
play played | jouer &de | person > instrument | place time
give gave | donner / offrir | person > object text garment flower | to time
show showed | montrer / présenter | person > object text garment flower | to time
sell sold | vendre | person > {_GOODS} | to place time
"""

_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")


def _french(entry: str) -> FrenchVerb:
    words = entry.split()
    preposition = next((w[1:] for w in words if w.startswith("&")), "")
    imperfect = next((tuple(w[1:] + ending for ending in _IMPERFECT) for w in words if w.startswith("~")), ())
    infinitive = next(w for w in words if w[0] not in "&~")
    etre, infinitive = infinitive.startswith("+"), infinitive.lstrip("+")
    present, participle = conjugate(infinitive)
    return FrenchVerb(infinitive, present, imperfect, agreeing(participle, participle + "e"), etre, preposition)


def _regular_past(base: str) -> str:
    return base + "d" if base.endswith("e") else base + "ed"


def _frames(line: str) -> list[Frame]:
    english, french, frames, extras = (cell.strip() for cell in line.split("|"))
    base, past, particle = [*english.split(), "", ""][:3]
    third = "has" if base == "have" else english_s(base)
    past = "" if past == "-" else past or _regular_past(base)
    verb = Verb(base, third, past, particle, tuple(_french(e) for e in french.split("/")), frozenset(extras.split()))
    pairs = (frame.partition(">") for frame in frames.split(";"))
    return [Frame(verb, frozenset(who.split()), frozenset(what.split())) for who, _, what in pairs]


FRAMES: tuple[Frame, ...] = tuple(frame for line in _TABLE.strip().splitlines() for frame in _frames(line))
VERBS: tuple[Verb, ...] = tuple(dict.fromkeys(frame.verb for frame in FRAMES))

#: the verbs that the grammar uses by name: to be, il y a, the idioms with avoir and faire
BE = Verb("be", "is", "was", "", (_french("être ~ét"),), frozenset())
HAVE = Verb("be", "is", "was", "", (_french("avoir ~av"),), frozenset())
DO = Verb("be", "is", "was", "", (_french("faire ~fais"),), frozenset())
RAIN = Verb("rain", "rains", "rained", "", (_french("pleuvoir"),), frozenset({"time"}))
SNOW = Verb("snow", "snows", "snowed", "", (_french("neiger"),), frozenset({"time"}))
AUXILIARIES = {False: HAVE.french[0].present, True: BE.french[0].present}
