"""What French does where two words meet: *l'ami, mon amie, cet homme, du pain, aux enfants*."""

from __future__ import annotations

from course_lib.corpus.tree import Line
from course_lib.corpus.words import aspirated

_VOWELS = frozenset("aeiouyàâéèêëîïôöûùœæh")

#: words that lose their vowel
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "je": "j'", "que": "qu'", "me": "m'", "te": "t'"}
#: words that change instead
CHANGED = {"ma": "mon", "ta": "ton", "sa": "son", "ce": "cet"}
#: prepositions that merge with the article
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def vowel_sound(word: str) -> bool:
    """Return whether *le* becomes *l'* before this word: it starts with a vowel or mute h, and is not an exception."""
    return word[0] in _VOWELS and not aspirated(word)


def surface(line: Line) -> Line:
    """Apply elisions and contractions. A contraction gets the marks of both words."""
    written: Line = []
    last = len(line) - 1
    i = 0
    while i <= last:
        word, mark = line[i]
        following = line[i + 1][0] if i < last else "."
        if word in ELIDED and vowel_sound(following):
            word = ELIDED[word]
        elif word in CHANGED and vowel_sound(following):
            word = CHANGED[word]
        elif (word, following) in CONTRACTED and not (following == "le" and vowel_sound(line[i + 2][0])):
            word = CONTRACTED[word, following]
            mark |= line[i + 1][1]
            i += 1
        written.append((word, mark))
        i += 1
    return written
