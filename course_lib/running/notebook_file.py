"""Read a notebook from bytes. Collecting, grading, `course check` and `course doctor` all use this reader.

Outputs and pictures are dropped before the size of a notebook is checked, because nobody grades them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from course_lib.running.unreadable import json_error, why_not_a_notebook

#: the largest file that is read at all, in bytes
LARGEST_FILE = 100_000_000
#: the largest notebook without its outputs and pictures, in bytes
LARGEST = 20_000_000
#: the most lists and objects in a notebook, and the most values; reading more of them takes gigabytes
_MOST_BRACKETS, _MOST_COMMAS = 2_000_000, 5_000_000
# possessive, because a pattern that can backtrack stores a state per character: gigabytes for a long string
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
#: a picture that was pasted into Markdown as text, as in Colab and VS Code
_PICTURE = re.compile(r"data:image/[\w.+-]{1,40};base64,[A-Za-z0-9+/=%]{1000,}")


class UnreadableError(Exception):
    """A file is missing or isn't a notebook; the message is the reason that goes into the records."""


@dataclass(frozen=True)
class NotebookFile:
    """The content of a notebook file.

    Attributes:
        notebook: the JSON, with a list of cells and without outputs.
        remark: anything unusual about the file; usually empty.
    """

    notebook: dict[str, Any]
    remark: str = ""

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Return the items in the list of cells that are cells."""
        return [cell for cell in self.notebook["cells"] if isinstance(cell, dict)]

    def to_bytes(self) -> bytes:
        """Return the notebook as UTF-8, in as few bytes as possible."""
        return (json.dumps(self.notebook, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def parse_notebook(data: bytes) -> NotebookFile:
    """Read a notebook in any encoding, and drop its outputs.

    Raises:
        UnreadableError: the bytes are not a notebook, or too many. The message is a sentence about "the file".
    """
    if len(data) > LARGEST_FILE:
        raise UnreadableError(f"the file is larger than {LARGEST_FILE // 1_000_000} MB: clear its outputs")
    text, remark = decode(data)
    try:
        notebook = _json(text)
    except ValueError as error:
        raise UnreadableError(why_not_a_notebook(data, text, error)) from None
    if isinstance(notebook, dict) and not isinstance(notebook.get("cells"), list):
        notebook = _from_worksheets(notebook)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise UnreadableError("the file is JSON, but not a notebook: it has no list of cells")
    read = NotebookFile(_without_outputs(notebook), remark)
    if len(data) > LARGEST:
        _drop_pictures(read.notebook)
        if _size(read) > LARGEST:
            raise UnreadableError(f"the file is larger than {LARGEST // 1_000_000} MB, even without its outputs")
    return read


def decode(data: bytes) -> tuple[str, str]:
    """Decode a file, and return the text with a remark if it isn't in UTF-8.

    UTF-16 and UTF-32 are recognised with and without a byte order mark. Other bytes are read as UTF-8 if they contain
    a letter in UTF-8, and otherwise as Windows-1252. Code is in ASCII, so at most a few letters come out wrong.
    """
    encoding = json.detect_encoding(data)
    if encoding in ("utf-8", "utf-8-sig"):
        try:
            return data.decode(encoding), ""
        except UnicodeDecodeError:
            text = data.decode("utf-8-sig", "replace")
        if any(ord(letter) > 127 and letter != "\ufffd" for letter in text):
            return text, "the file has damaged bytes: some letters are replaced by \ufffd"
        return data.decode("cp1252", "replace"), "the file is not in UTF-8: it was read as Windows-1252"
    return data.decode(encoding, "replace"), f"the file is in {encoding[:6].upper()} instead of UTF-8"


def read_json(data: bytes) -> Any:
    """Parse JSON from an untrusted source.

    Raises:
        ValueError: the text isn't JSON, or has more values or deeper brackets than any notebook.
    """
    return _json(decode(data)[0])


def _json(text: str) -> Any:
    if _is_excessive(text):
        raise ValueError("more values than any notebook has")
    try:
        # accept raw tabs and line breaks inside strings, and zero bytes at the end, which a crash can leave
        return json.loads(text.rstrip("\0"), strict=False)
    except json.JSONDecodeError as error:
        raise ValueError(json_error(text, error)) from None
    except RecursionError:
        raise ValueError("brackets within brackets, deeper than in any notebook") from None
    except ValueError:
        raise ValueError("a number with more digits than any notebook has") from None


def _is_excessive(text: str) -> bool:
    """Return whether parsing takes far more memory than the text. Brackets and commas inside strings don't count."""

    def excessive(text: str | bytes, brackets: tuple[Any, Any], comma: Any) -> bool:
        return sum(map(text.count, brackets)) > _MOST_BRACKETS or text.count(comma) > _MOST_COMMAS

    if not excessive(text, ("[", "{"), ","):
        return False
    return excessive(_STRING.sub(b"", text.encode("utf-8", "replace")), (b"[", b"{"), b",")


def _from_worksheets(notebook: dict[str, Any]) -> dict[str, Any]:
    """Convert a notebook of version 3, which calls code `input`, to version 4. Return others unchanged."""
    all_answers = notebook.get("worksheets")
    all_answers = (
        [answers for answers in all_answers if isinstance(answers, dict)] if isinstance(all_answers, list) else []
    )
    cells = [cell for answers in all_answers if isinstance(found := answers.get("cells"), list) for cell in found]
    if not cells:
        return notebook
    for cell in cells:
        if isinstance(cell, dict) and "input" in cell:
            cell["source"] = cell.pop("input")
    return {"metadata": notebook.get("metadata", {}), "nbformat": 4, "nbformat_minor": 5, "cells": cells}


def _without_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    for cell in notebook["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            cell["outputs"], cell["execution_count"] = [], None
    metadata = notebook.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("widgets", None)  # the state of interactive outputs
    return notebook


def _drop_pictures(notebook: dict[str, Any]) -> None:
    """Drop pictures that were pasted into Markdown."""
    for cell in notebook["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") in ("markdown", "raw"):
            cell.pop("attachments", None)
            source = cell.get("source")
            if isinstance(source, str):
                cell["source"] = _PICTURE.sub("data:,", source)
            elif isinstance(source, list):
                cell["source"] = [_PICTURE.sub("data:,", line) if isinstance(line, str) else line for line in source]


def _size(read: NotebookFile) -> int:
    try:
        return len(read.to_bytes())
    except RecursionError:
        raise UnreadableError("the file has brackets within brackets, deeper than in any notebook") from None
