"""Read the file of the notebook whose kernel this is."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

#: what reading a file that anybody may have edited can raise
UNREADABLE = (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError)


class SavedCell(NamedTuple):
    """A code cell as it was last saved; a cell without an id has its number in the notebook."""

    id: str
    source: str


def notebook_file() -> Path | None:
    """Return the notebook's file if the front end names it, as Jupyter's server does, or None."""
    path = Path(os.environ.get("JPY_SESSION_NAME", ""))
    with suppress(*UNREADABLE):
        return path if path.suffix == ".ipynb" and path.is_file() else None
    return None


def saved_cells() -> list[SavedCell]:
    """Return the code cells of the notebook's file, or none if there is no file or it can't be read."""
    with suppress(*UNREADABLE):
        if (path := notebook_file()) is not None:
            cells = enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"])
            return [
                SavedCell(str(cell.get("id", number)), "".join(cell["source"]).strip())
                for number, cell in cells
                if cell["cell_type"] == "code"
            ]
    return []
