"""Explain why a file isn't a notebook, in a sentence that says what to do about it."""

from __future__ import annotations

import re
from json import JSONDecodeError

from course_lib.checking.formatting import printable

#: the reader's message about a text that ends too early
CUT_SHORT = "it was cut short"
#: file types, by the bytes that a file begins with
_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"BZh": "a bzip2 archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel document",
    b"{\\rtf": "a text document (RTF)",
    b"bplist": "a link of macOS",
    b"SQLite format 3": "a database",
}
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|script|title)\b", re.IGNORECASE)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|={7}|\|{7})(?: .*)?\r?$", re.MULTILINE)
_PYTHON = re.compile(r"^(?:import \w|from [\w.]+ import |def \w+\(|class \w+|# %%|#!.*python)", re.MULTILINE)
_REPR = re.compile(r"\{\s*'[\w]+'\s*:")
#: the endings of reasons that ask the student to do something
_HAND_IN_AGAIN, _PULL = ". Hand it in again", ": run git lfs pull and hand in the file again"
#: how many characters of a file are examined to recognise its type
_BEGINNING = 100_000
#: a text is shown if it has at most this many characters
_SHORT = 60


def why_not_a_notebook(data: bytes, text: str, error: ValueError) -> str:
    """Return why a file could not be read as JSON, as a sentence about "the file".

    Args:
        text: the decoded content of the file.
        error: the error from parsing it as JSON.
    """
    start = text[:_BEGINNING].lstrip("\ufeff \t\r\n\0")
    if not data:
        return "the file is empty"
    if not data.strip(b"\0 \t\r\n"):
        return f"the file is empty: it contains only blanks or zero bytes{_HAND_IN_AGAIN}"
    if found := next((what for beginning, what in _BEGINNINGS.items() if data.startswith(beginning)), ""):
        return f"the file is {found}, not a notebook"
    if line := _conflict_line(text):
        return (
            f"the file has the markers of a Git merge conflict, the first in line {line}: keep one of the two "
            "versions, delete the markers, and save it again"
        )
    return _damaged(error) if start.startswith(("{", "[")) and not _REPR.match(start) else _other_text(start)


def without_request(reason: str) -> str:
    """Remove what a reason asks the student to do, for a reader who is not the student."""
    return reason.removesuffix(_HAND_IN_AGAIN).removesuffix(_PULL)


def _damaged(error: ValueError) -> str:
    if str(error) == CUT_SHORT:
        return f"the file was cut short: it ends before the notebook is complete{_HAND_IN_AGAIN}"
    return f"the file is damaged: it is not valid JSON ({error})"


def _other_text(start: str) -> str:
    """Describe a text that doesn't begin like JSON."""
    if start.startswith("version https://git-lfs"):
        return f"the file is a Git LFS pointer, not the notebook itself{_PULL}"
    if start.startswith("<"):
        if _HTML.search(start):
            return "the file is a web page (HTML), such as a login page, not a notebook: download the notebook again"
        return "the file is XML, not a notebook"
    if _REPR.match(start):
        return "the file is a printed Python dictionary, not a notebook: save the notebook in Jupyter"
    if _PYTHON.search(start):
        return "the file is Python code, not a notebook"
    if len(start) <= _SHORT and "\ufffd" not in start:
        return f"the file is not a notebook: it contains {printable(start.strip())!r}"
    return "the file is not a notebook: it is not valid JSON"


def json_error(text: str, error: JSONDecodeError) -> str:
    """Return the error in a JSON text and its position; `CUT_SHORT` if the end is missing."""
    rest = text[error.pos :].rstrip("\ufffd\0 \t\r\n")
    if not rest or error.msg.startswith("Unterminated string") or (len(rest) < 10 and not rest.endswith(("}", "]"))):
        return CUT_SHORT
    return f"line {error.lineno:,}, column {error.colno:,}: {error.msg}"


def _conflict_line(text: str) -> int:
    """Return the line of the first merge conflict marker; 0 unless there is both a beginning and an end."""
    first, kinds = 0, set()
    for found in _CONFLICT.finditer(text):
        if not first and found[0].startswith("<"):
            first = text.count("\n", 0, found.start()) + 1
        kinds.add(found[0][0])
    return first if {"<", ">"} <= kinds else 0
