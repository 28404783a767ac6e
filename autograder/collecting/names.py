"""Make names comparable, whether they come from files, systems or rosters.

The differences are in accents, in encodings and in suffixes that browsers append.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from urllib.parse import unquote

#: letters that Unicode does not decompose
_LATIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ß": "ss"})
#: how German and Nordic names are spelled in ASCII
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "ß": "ss"})
#: combining accents of Latin, Greek and Cyrillic letters. Vowel signs of other scripts count as letters
_ACCENTS = (range(0x300, 0x370), range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00), range(0x20D0, 0x2100))
#: the suffix that browsers and systems append to a name that is already taken: (2), -2
_COPY = re.compile(r"(?:\s*\((?P<bracketed>\d{1,9})\)|-(?P<dashed>\d{1,2}))$")
#: the words that mark a copy, before or after the name
_COPY_WORDS = re.compile(r"^(?:copy of|kopie von|copie de|copia de)\s+|\s*[-–_]?\s*(?:copy|kopie|copie|copia)$", re.I)
#: extensions that hide the real one, as in x.ipynb.txt
_ADDED_EXTENSIONS = (".txt", ".json", ".html", ".download", ".crdownload", ".part")

#: characters that end a line
_LINE_ENDS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
#: characters that reverse the text after them, that terminals obey, or that no file can hold
_MISLEADING = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: characters that are never seen and that no spelling needs: soft hyphens, zero-width spaces, direction marks
_UNSEEN = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def readable(said: str) -> str:
    """Return a name without characters that would let it be displayed as another one.

    Characters that reverse text, such as U+202E, and control characters become U+FFFD, which can be seen. Characters
    that are never seen are removed, including the direction marks U+200E, U+200F and U+061C, because a name reads the
    same without them. The joiners U+200C and U+200D stay, because Persian and Indic names are spelled with them, and so
    do the variation selectors of Mongolian and East Asian letters.
    """
    return _MISLEADING.sub("\N{REPLACEMENT CHARACTER}", _UNSEEN.sub("", _LINE_ENDS.sub(" ", said)))


def comparable(name: str) -> str:
    """Remove case, accents, spaces and punctuation from a name: *Núñez, José* becomes *nunezjose*.

    Keep vowel signs, as in Hindi, Tamil or Thai, because different names would be equal without them.
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold()).translate(_LATIN)
    return "".join(c for c in letters if unicodedata.category(c)[0] in "LNM" and not _is_accent(c))


def exact(name: str) -> str:
    """Remove case, spaces and punctuation from a name, but keep its accents."""
    letters = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(c for c in letters if unicodedata.category(c)[0] in "LNM")


def spelled_out(name: str) -> str:
    """Return a comparable name in which *ü* becomes *ue*, *ø* becomes *oe*, and so on."""
    return comparable(unicodedata.normalize("NFC", name).casefold().translate(_SPELLED_OUT))


def _is_accent(letter: str) -> bool:
    return any(ord(letter) in accents for accents in _ACCENTS)


def readings(name: str) -> Iterator[str]:
    """Yield other names that the same bytes may encode, the likeliest first.

    A zip made by macOS declares its UTF-8 names as code page 437. Other systems write their own code page. Some tools
    write a letter as ``#U00eb`` or ``%C3%AB``.
    """
    seen = {name}
    for found in _readings(name):
        if found not in seen and found.isprintable():
            seen.add(found)
            yield found


def _readings(name: str) -> Iterator[str]:
    yield re.sub(r"#U([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), name)
    yield unquote(name)
    if name.isascii():
        return
    for written in ("undecoded", "cp437", "cp1252", "latin-1", "cp850"):
        with suppress(UnicodeError):
            data = os.fsencode(name) if written == "undecoded" else name.encode(written)
            for meant in ("utf-8", "cp932", "gb18030", "euc_kr", "cp1252", "cp850", "cp437", "cp1251", "mac_roman"):
                with suppress(UnicodeError):
                    yield data.decode(meant)


def readings_of(path: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield other paths that the same bytes may encode.

    Change one part at a time, because the parts may come from different systems.
    """
    for i, part in enumerate(path.parts):
        for found in readings(part):
            if "/" not in found and found not in ("", ".", ".."):
                yield PurePosixPath(*path.parts[:i], found, *path.parts[i + 1 :])


def stem_of(name: str) -> str:
    """Return a file's name without extensions and without the marks of a copy."""
    stem = PurePosixPath(without_added_extension(name)).stem
    return _COPY_WORDS.sub("", _COPY.sub("", stem))


def without_added_extension(name: str) -> str:
    """Return ``x.ipynb`` for ``x.ipynb.txt``."""
    lower = name.lower()
    found = next((end for end in _ADDED_EXTENSIONS if lower.endswith(f".ipynb{end}")), "")
    return name.removesuffix(name[-len(found) :]) if found else name


def copy_number(path: PurePosixPath) -> int:
    """Return the number that browsers append to another file of the same name: 2 for *x (2).ipynb*."""
    found = _COPY.search(PurePosixPath(without_added_extension(path.name)).stem)
    return int(found["bracketed"] or found["dashed"]) if found else 0
