"""Write a file completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces a file at the end of the block.

    If the block raises, the file stays as it was, and the temporary file is removed. It is in the same folder, and
    its name is short, because the file's own name may already be as long as a name can be.
    """
    part = path.with_name(f".{token_hex(8)}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
