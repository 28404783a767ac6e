"""A notebook's cells as plain Python: ``%time`` and ``!ls`` become calls, as IPython makes them.

Nearly every cell is plain Python already. For the others, IPython's time grows with the square of their length, and
for some it never ends, which may be intended. So IPython runs in a separate process with limited time and memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence

from course_lib.running.limits import MEGABYTE, Limits, limit_this_process
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: cell magics that run the rest of the cell as ordinary code
HARMLESS_MAGICS = ("%%time", "%%capture", "%%prun")
LONGEST = 50_000  #: the most characters in a cell that is parsed; the tree of a longer one may take a gigabyte
SECONDS, MEMORY = 10.0, 1024 * MEGABYTE  #: for all cells of a notebook together


def without_cell_magic(source: str) -> str:
    """Return a cell's code without first lines such as ``%%time``; empty if another cell magic handles the cell."""
    while source.lstrip().startswith("%%"):
        magic, _, rest = source.lstrip().partition("\n")
        if magic.split()[0] not in HARMLESS_MAGICS:
            return ""
        source = rest
    return source


def plain_python(sources: Sequence[str]) -> list[str | None]:
    """Return each source as plain Python; None if it is too long, or can't be transformed in time.

    A result that still isn't Python is returned as it is, so that the caller can say why.
    """
    plain = [source if len(source) <= LONGEST else None for source in sources]
    others = [n for n, source in enumerate(plain) if source is not None and not _is_python(source)]
    for n, transformed in zip(others, _transformed([sources[n] for n in others]), strict=True):
        plain[n] = transformed
    return plain


def _is_python(source: str) -> bool:
    try:
        syntax_tree(source)
    except NOT_PYTHON:
        return False
    return True


def _transformed(sources: Sequence[str]) -> Iterator[str | None]:
    """Let IPython transform cells that aren't Python. Yield None for the cells that it didn't get to."""
    lines: list[bytes] = []
    if sources:
        command = [sys.executable, "-m", "course_lib.running.plain_python"]
        try:
            done = subprocess.run(
                command, input=json.dumps(sources).encode(), capture_output=True, timeout=3 * SECONDS, check=False
            )
            lines = done.stdout.splitlines()
        except subprocess.TimeoutExpired as late:
            lines = (late.stdout or b"").splitlines()
    for n in range(len(sources)):
        yield _text(lines[n]) if n < len(lines) else None


def _text(line: bytes) -> str | None:
    try:
        text = json.loads(line)
    except ValueError:  # cut off in the middle of a line
        return None
    return text if isinstance(text, str) else None


def main() -> None:
    """Transform the cells on standard input, one per line."""
    sources = json.load(sys.stdin)
    from IPython.core.inputtransformer2 import TransformerManager

    limit_this_process(Limits(total_seconds=SECONDS, exercise_seconds=0, data_bytes=MEMORY), others=None)
    for source in sources:
        try:
            transformed = TransformerManager().transform_cell(source)
        except (SyntaxError, ValueError, RuntimeError, MemoryError):  # RuntimeError: still changing after 500 rounds
            transformed = None
        print(json.dumps(transformed), flush=True)


if __name__ == "__main__":
    main()
