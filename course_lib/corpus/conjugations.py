"""French verbs that are not regular in *-er*: the present of *je, tu, il, nous, ils*, and the participle."""

from __future__ import annotations

_TABLE = """
acheter | achète achètes achète achetons achètent | acheté
acquérir | acquiers acquiers acquiert acquérons acquièrent | acquis
aller | vais vas va allons vont | allé
apercevoir | aperçois aperçois aperçoit apercevons aperçoivent | aperçu
attendre | attends attends attend attendons attendent | attendu
avoir | ai as a avons ont | eu
boire | bois bois boit buvons boivent | bu
bâtir | bâtis bâtis bâtit bâtissons bâtissent | bâti
choisir | choisis choisis choisit choisissons choisissent | choisi
connaître | connais connais connaît connaissons connaissent | connu
construire | construis construis construit construisons construisent | construit
courir | cours cours court courons courent | couru
dormir | dors dors dort dormons dorment | dormi
découvrir | découvre découvres découvre découvrons découvrent | découvert
entendre | entends entends entend entendons entendent | entendu
envoyer | envoie envoies envoie envoyons envoient | envoyé
faire | fais fais fait faisons font | fait
lire | lis lis lit lisons lisent | lu
nettoyer | nettoie nettoies nettoie nettoyons nettoient | nettoyé
offrir | offre offres offre offrons offrent | offert
ouvrir | ouvre ouvres ouvre ouvrons ouvrent | ouvert
partir | pars pars part partons partent | parti
peindre | peins peins peint peignons peignent | peint
perdre | perds perds perd perdons perdent | perdu
pleuvoir | - - pleut - - | plu
posséder | possède possèdes possède possédons possèdent | possédé
retenir | retiens retiens retient retenons retiennent | retenu
retentir | retentis retentis retentit retentissons retentissent | retenti
rire | ris ris rit rions rient | ri
répondre | réponds réponds répond répondons répondent | répondu
suivre | suis suis suit suivons suivent | suivi
vendre | vends vends vend vendons vendent | vendu
venir | viens viens vient venons viennent | venu
voir | vois vois voit voyons voient | vu
vouloir | veux veux veut voulons veulent | voulu
écrire | écris écris écrit écrivons écrivent | écrit
être | suis es est sommes sont | été
"""


def _row(line: str) -> tuple[str, tuple[tuple[str, ...], str]]:
    infinitive, present, participle = (cell.strip() for cell in line.split("|"))
    return infinitive, (tuple(present.split()), participle)


_IRREGULAR = dict(_row(line) for line in _TABLE.strip().splitlines())


def conjugate(infinitive: str) -> tuple[tuple[str, ...], str]:
    """Return the five present forms and the participle of any verb in the lexicon: *mange, …, mangé*."""
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive]
    stem = infinitive[:-2]
    soft = stem + "e" if stem.endswith("g") else stem
    return (stem + "e", stem + "es", stem + "e", soft + "ons", stem + "ent"), stem + "é"
