"""Every notebook is read, in any encoding and with any outputs. Every other file is refused with a reason."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from course_lib.running.notebook_file import LARGEST, LARGEST_FILE, UnreadableError, parse_notebook

CELL = {"cell_type": "code", "id": "a", "metadata": {}, "source": "x = 'Zoë'", "execution_count": 3, "outputs": []}
NOTEBOOK: dict[str, Any] = {"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
TEXT = json.dumps(NOTEBOOK, indent=1, ensure_ascii=False)


def source(data: bytes) -> str:
    [cell] = parse_notebook(data).cells
    return str(cell["source"])


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "cp1252", "latin-1"]
)
def test_a_notebook_is_read_in_any_encoding(encoding: str) -> None:
    assert source(TEXT.encode(encoding)) == "x = 'Zoë'"
    assert bool(parse_notebook(TEXT.encode(encoding)).remark) == (not encoding.startswith("utf-8"))


def test_a_damaged_letter_costs_that_letter_and_no_other() -> None:
    data = TEXT.replace("Zoë", "Zoë Löb").encode().replace("ö".encode(), b"\xf6")
    assert source(data) == "x = 'Zoë L\ufffdb'" and "damaged" in parse_notebook(data).remark


@pytest.mark.parametrize(
    "data",
    [
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.encode() + b"\0" * 4096,
        b"\n\n" + TEXT.encode() + b"\n\n",
        TEXT.replace("x = ", "\tx = ").encode(),
    ],
    ids=["CRLF", "zero bytes of a crash", "blank lines", "a raw tab"],
)
def test_harmless_damage_is_forgiven(data: bytes) -> None:
    assert source(data).strip() == "x = 'Zoë'"


def test_a_notebook_of_version_3_is_read() -> None:
    old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}
    [cell] = parse_notebook(json.dumps(old).encode()).cells
    assert cell["source"] == ["x = 1"]


LINES = TEXT.split("\n")
REASONS = {
    "empty": (b"", "the file is empty"),
    "blanks": (b" \r\n\t", "the file is empty"),
    "zero bytes": (b"\0" * 500, "the file is empty"),
    "login page": (b"<!DOCTYPE html><title>Sign in</title>", "web page"),
    "page with a comment first": (b"\n<!-- saved from -->\n<html lang=de>", "web page"),
    "page in UTF-16": ("<html><body>".encode("utf-16"), "web page"),
    "XML error of a cloud": (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "XML"),
    "Git LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "Git LFS"),
    "conflict": (
        "\n".join([*LINES[:4], "<<<<<<< HEAD", LINES[4], "=======", LINES[4], ">>>>>>> main", *LINES[5:]]).encode(),
        "merge conflict, the first in line 5",
    ),
    "conflict with CRLF": (
        "\r\n".join([*LINES[:4], "<<<<<<< HEAD", LINES[4], "=======", ">>>>>>> 3f2a1", *LINES[4:]]).encode(),
        "merge conflict",
    ),
    "conflict of diff3": (
        "\n".join(["{", "<<<<<<< ours", "||||||| base", "=======", ">>>>>>> theirs", *LINES[1:]]).encode(),
        "merge conflict, the first in line 2",
    ),
    "cut in a string": (TEXT[:100].encode(), "cut short"),
    "cut after a bracket": (TEXT[: TEXT.index("[") + 1].encode(), "cut short"),
    "cut in a word": (TEXT[: TEXT.index('"x =') + 1].encode(), "cut short"),
    "cut in a letter": (TEXT.encode()[: TEXT.encode().index("ë".encode()) + 1], "cut short"),
    "cut in UTF-16": (TEXT.encode("utf-16")[:-41], "cut short"),
    "cut, then zero bytes": (TEXT[:100].encode() + b"\0" * 412, "cut short"),
    "a comma too many": (TEXT.replace('"nbformat": 4,', '"nbformat": 4,,').encode(), "not valid JSON (line "),
    "two notebooks in one": (TEXT.encode() * 2, "damaged"),
    "a printed dictionary": (str(NOTEBOOK).encode(), "printed Python dictionary"),
    "a script": (b"# %%\nimport numpy as np\nx = 1\n", "Python code"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
    "a zip": (b"PK\x03\x04" + bytes(40), "zip archive"),
    "7z": (b"7z\xbc\xaf'\x1c" + bytes(50), "7z archive"),
    "RAR": (b"Rar!\x1a\x07\x01\x00" + bytes(50), "RAR archive"),
    "gzip": (b"\x1f\x8b\x08" + bytes(50), "gzip archive"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture"),
    "an error of a server": (b"404: Not Found", "it contains '404: Not Found'"),
    "a shortcut of Google Drive": (
        b'{"url": "https://drive.example/x", "doc_id": "y"}',
        "no list of cells",
    ),
    "a list": (b"[1, 2]", "no list of cells"),
    "a number": (b"5", "no list of cells"),
    "an escape sequence": (b"\x1b]0;x\x07", "is not a notebook"),
    "too large": (b" " * (LARGEST_FILE + 1), "larger than 100 MB"),
    "too much text": (json.dumps({"cells": [{**CELL, "source": "x" * (LARGEST + 1)}]}).encode(), "larger than 20 MB"),
}


@pytest.mark.parametrize("what", REASONS)
def test_a_file_that_is_not_a_notebook_is_refused_with_the_reason(what: str) -> None:
    data, reason = REASONS[what]
    with pytest.raises(UnreadableError) as raised:
        parse_notebook(data)
    said = str(raised.value)
    assert reason in said and said.startswith("the file ") and said.isprintable() and len(said) < 250


def test_conflict_markers_inside_a_source_are_the_students_text() -> None:
    data = json.dumps({**NOTEBOOK, "cells": [{**CELL, "source": "<<<<<<< a\n=======\n>>>>>>> b"}]}, indent=1).encode()
    assert source(data).startswith("<<<<<<<")


OUTPUTS = {
    "one plot": [{"output_type": "display_data", "data": {"image/png": "A" * 30_000_000}, "metadata": {}}],
    "many numbers": [{"output_type": "display_data", "data": {"application/json": [0.5] * 3_000_000}, "metadata": {}}],
    "commas in HTML": [{"output_type": "display_data", "data": {"text/html": "[1,2]," * 5_000_000}, "metadata": {}}],
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_outputs_do_not_count(what: str) -> None:
    data = json.dumps({**NOTEBOOK, "cells": [{**CELL, "outputs": OUTPUTS[what]}]}).encode()
    read = parse_notebook(data)
    assert read.cells[0]["source"] == CELL["source"] and len(read.to_bytes()) < 1000


PICTURE = "iVBORw0KGgo" * 2_500_000
PICTURES = {
    "attached": {"cell_type": "markdown", "source": "![a](attachment:a.png)", "attachments": {"a.png": {"x": PICTURE}}},
    "in the text": {"cell_type": "markdown", "source": f"Mine: ![a](data:image/png;base64,{PICTURE})"},
    "in lines": {"cell_type": "markdown", "source": ["Mine:\n", f"![a](data:image/jpeg;base64,{PICTURE})"]},
}


@pytest.mark.parametrize("what", PICTURES)
def test_a_large_picture_in_a_written_answer_does_not_count(what: str) -> None:
    read = parse_notebook(json.dumps({**NOTEBOOK, "cells": [PICTURES[what]]}).encode())
    assert len(read.to_bytes()) < 1000 and "".join(read.cells[0]["source"]).startswith(("Mine:", "![a]"))


def test_the_state_of_widgets_does_not_count() -> None:
    data = json.dumps({**NOTEBOOK, "metadata": {"widgets": {"state": "x" * (LARGEST + 1)}}}).encode()
    assert len(parse_notebook(data).to_bytes()) < 1000


HOSTILE = {
    "brackets": b"[" * 5_000_000,
    "objects": b'{"a":' * 1_000_000,
    "lists": b'{"cells": [' + b"[]," * 3_000_000 + b"1]}",
    "quotes": b'{"cells": [' + b'"\\' * 20_000_000,
    "digits": b'{"cells": ' + b"1" * 1_000_000 + b"}",
    "tags": b"<" * 30_000_000,
    "markers": b"{" + b"<<<<<<< a\n" * 1_000_000,
    "pictures": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": "data:image/png;base64," * 1_500_000}]}
    ).encode(),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_in_seconds(what: str) -> None:
    start = time.process_time()
    with pytest.raises(UnreadableError):
        parse_notebook(HOSTILE[what])
    assert time.process_time() - start < 10
