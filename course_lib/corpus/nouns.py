"""The nouns, one per line: English, French with gender (synonyms after a slash), kinds.

Plurals are regular unless written after a comma; ``-`` marks a form that does not exist. The first
kind says what a thing is, the others what can be done with it. Homographs have one line per sense. Their
kinds ensure that the sentence decides between them: one *lights* a match, and one *wins* the other.
"""

from __future__ import annotations

from course_lib.corpus.words import FrenchNoun, Noun, english_s, french_plural, unmark

_TABLE = """
man,men | homme m | person
woman,women | femme f | person
boy | garçon m | person young
girl | fille f | person young
child,children | enfant m | person young own
teacher | professeur m / enseignant m / instituteur m | person own
doctor | médecin m / docteur m | person
friend | ami m / copain m / camarade m | person own
king | roi m / souverain m / monarque m | person
queen | reine f / souveraine f | person
farmer | fermier m / paysan m / agriculteur m | person
brother | frère m | person family
sister | sœur f | person family
mother,- | mère f | person family
father,- | père m | person family
student | étudiant m / élève m | person trainable own
hero | *héros m | person
soldier | soldat m / militaire m | person trainable
cook | cuisinier m / chef m | person
dog | chien m | beast hunter trainable swimmer own
cat | chat m | beast hunter own
horse | cheval m | beast grazer trainable own
cow | vache f | beast grazer own
mouse,mice | souris f | beast hunter
wolf,wolves | loup m | beast hunter
fox | renard m | beast hunter
bear | ours m | beast hunter swimmer
rabbit | lapin m | beast grazer own
elephant | éléphant m | beast grazer
hedgehog | *hérisson m | beast hunter
bird | oiseau m | bird
owl | *hibou,hiboux m | bird
eagle | aigle m | bird
fly | mouche f | insect
bread,- | pain m | food prey fodder mass
cheese,- | fromage m | food prey mass
meat,- | viande f | food prey mass cookable
rice,- | riz m | food mass cookable
soup,- | soupe f / potage m / bouillon m | food mass cookable
fish,- | poisson m | food prey cookable
apple | pomme f | food fodder fruit
orange | orange f | food fruit
date | datte f | edible
egg | œuf m | food cookable
cake | gâteau m | food sweet
carrot | carotte f | food fodder cookable plantable
bean | *haricot m | food cookable plantable
water,- | eau f | liquid mass pet_drink
milk,- | lait m | liquid mass pet_drink
coffee,- | café m | liquid mass
tea,- | thé m | liquid mass
wine,- | vin m | liquid mass
drink | boisson f | beverage own
glass | verre m | glassful | liquid
book | livre m / bouquin m / ouvrage m | text writable object
letter | lettre f / missive f | text writable sendable
story | histoire f / récit m / conte m | text writable
poem | poème m | text writable
song | chanson f / chant m | song own
play | pièce f | show writable
show | spectacle m | show
match | match m / partie f / rencontre f | game
match | allumette f | lightable
date | date f | memory
name | nom m | memory own
hat | chapeau m | garment coloured
dress | robe f | garment coloured
coat | manteau m / pardessus m | garment coloured
shirt | chemise f | garment coloured
shoe | chaussure f / soulier m | garment coloured pair
watch | montre f | garment
ring | bague f / anneau m | garment
-,glasses | lunette,lunettes f | garment
car | voiture f / auto f / automobile f | vehicle parkable coloured
bike | vélo m / bicyclette f | vehicle parkable coloured
boat | bateau m / navire m | vehicle coloured
train | train m | transport
plane | avion m / appareil m | transport flyer
key | clé f | object
box | boîte f | object openable coloured
bag | sac m | object openable coloured
knife,knives | couteau m | object breakable
lamp | lampe f | object lightable breakable
ball | balle f | object coloured
toy | jouet m | object breakable coloured
gift | cadeau m / présent m | object sendable
umbrella | parapluie m | object openable coloured
bottle | bouteille f | object openable breakable
plate | assiette f | object breakable
axe | *hache f | object breakable
saw | scie f | object breakable
clock | horloge f / pendule f | object breakable ringer
bell | cloche f | object ringer
table | table f | furniture on_top bookable
chair | chaise f / siège m | furniture on_top breakable
bed | lit m | furniture on_top
door | porte f | furniture openable coloured
window | fenêtre f | furniture openable breakable
house | maison f / demeure f / habitation f | building in coloured own
castle | château m | building in
school | école f | building at own
market,- | marché m | place at
museum | musée m | building at openable
hotel | hôtel m | building at
shop | magasin m / commerce m | building in openable own
bank | banque f | building at
bank | rive f / berge f / bord m | place riverside on | river
kitchen,- | cuisine f | room in own
room | chambre f / pièce f | room in bookable own
garden | jardin m | place in goto own
park | parc m | place in goto
forest,- | forêt f / bois m | place in
river | rivière f | place goto
street | rue f | place in own
city | ville f / cité f | place in own
beach,- | plage f | place on goto
island,- | île f | place on
bridge | pont m | place on
well,- | puits m | well
spring,- | source f | well
tree | arbre m | plant plantable under own
flower | fleur f | plant plantable coloured own
plant | plante f / végétal m | plant own
leaf,leaves | feuille f | leaf coloured
piano,- | piano m | instrument
harp,- | *harpe f | instrument
hand | main f | limb
light,- | lumière f / lueur f / clarté f | light
fire | feu m | fire
noise,- | bruit m / vacarme m / tapage m | noise
cold,- | rhume m | illness
kind,- | sorte f / espèce f / variété f | sample | plant
"""

#: name, French form, and whether it is a woman's
_NAMES = (("paul", False), ("tom", False), ("marie", True), ("anna", True))


def _french(entry: str) -> FrenchNoun:
    forms, gender = entry.split()
    singular, _, plural = forms.partition(",")
    singular = unmark(singular)
    plural = plural or french_plural(singular)
    if forms.startswith("*"):
        unmark("*" + plural)
    return FrenchNoun((singular, plural), gender == "f")


def _noun(line: str) -> Noun:
    english, french, kinds, *complement = (cell.strip() for cell in line.split("|"))
    singular, _, plural = english.partition(",")
    forms = (singular.strip("-"), plural.strip("-") if plural else english_s(singular))
    return Noun(forms, tuple(_french(e) for e in french.split("/")), frozenset(kinds.split()), "".join(complement))


NOUNS: tuple[Noun, ...] = tuple(_noun(line) for line in _TABLE.strip().splitlines())

NAMES: tuple[Noun, ...] = tuple(
    Noun((name, ""), (FrenchNoun((name, name), feminine),), frozenset({"name"})) for name, feminine in _NAMES
)
