"""How the file itself is odd: line ends, encodings, size, name."""

from __future__ import annotations

import base64
import json
import random
import unicodedata

from odd_notebooks.entry import LESSON, Notebook, odd, saved
from odd_notebooks.notebook import cell, is_exercise


@odd("CRLF in every source", "case 23")
def crlf_in_sources(notebook: Notebook) -> None:
    for each in notebook["cells"]:
        each["source"] = each["source"].replace("\n", "\r\n")


@odd("CRLF at the end of every line of the file")
def crlf_in_the_file(notebook: Notebook) -> bytes:
    return saved(notebook).replace(b"\n", b"\r\n")


@odd("a byte order mark, as Notepad writes it")
def byte_order_mark(notebook: Notebook) -> bytes:
    return b"\xef\xbb\xbf" + saved(notebook)


@odd("UTF-16 with a byte order mark, as PowerShell's > writes it", "case 13")
def utf_16(notebook: Notebook) -> bytes:
    return saved(notebook).decode().encode("utf-16")


@odd("big-endian UTF-16")
def utf_16_big_endian(notebook: Notebook) -> bytes:
    return b"\xfe\xff" + saved(notebook).decode().encode("utf-16-be")


def _plot(size: int) -> str:
    """Characters that compress as badly as a picture does."""
    return base64.b64encode(random.Random(0).randbytes(size * 3 // 4)).decode()


@odd("24 MB of plots in one cell's outputs", "case 14")
def outputs_of_24_megabytes(notebook: Notebook) -> None:
    plot = {"output_type": "display_data", "data": {"image/png": _plot(24_000_000)}, "metadata": {}}
    cell(notebook, "softmax")["outputs"] = [plot]


@odd("400,000 printed lines in a cell's outputs")
def outputs_of_many_lines(notebook: Notebook) -> None:
    lines = [f"step {i}: loss {1 / (i + 1):.4f}\n" for i in range(400_000)]
    cell(notebook, "self_attention")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines}]


@odd("the file ends with empty lines and spaces")
def blanks_at_the_end(notebook: Notebook) -> bytes:
    return b"\n\n" + saved(notebook) + b"\n\n   \n"


@odd("answers are indented by tabs")
def tabs(notebook: Notebook) -> None:
    for each in notebook["cells"]:
        if is_exercise(each):
            each["source"] = each["source"].replace("    ", "\t")


@odd("trailing spaces on every line, and form feeds between definitions")
def trailing_spaces(notebook: Notebook) -> None:
    for each in notebook["cells"]:
        if is_exercise(each):
            each["source"] = "\f\n" + "  \n".join(each["source"].split("\n")) + "  \n\n\n"


@odd("the file's name is decomposed, as macOS writes it", file=unicodedata.normalize("NFD", f"{LESSON} (Müller).ipynb"))
def decomposed_file_name(notebook: Notebook) -> None:
    pass


@odd("the browser renamed the second download", "case 17", file=f"{LESSON} (1).ipynb")
def renamed_by_the_browser(notebook: Notebook) -> None:
    pass


@odd("the student renamed the file", "case 17, nbgrader#1409", file="my homework FINAL.ipynb")
def renamed_by_the_student(notebook: Notebook) -> None:
    pass


@odd("control characters and a line separator in a comment")
def odd_characters(notebook: Notebook) -> bytes:
    cell(notebook, "softmax")["source"] += "\n# caf\u00e9 \x07 end \u00a0\u200b"
    return json.dumps(notebook).encode()
