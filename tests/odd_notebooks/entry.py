"""An entry of the bank, and the register of all entries."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]
Edit = Callable[[Notebook], Notebook | bytes | None]

LESSON = "03_self_attention"
_KINDS = (
    "moved", "checks", "editors", "files", "magics", "helpers", "styles", "leftovers", "outputs", "state", "endings",
    "written", "environment", "other_lessons", "fine",
)  # fmt: skip


@dataclass(frozen=True)
class Odd:
    """An odd notebook whose work is correct.

    Attributes:
        name: of the entry, and of the student who hands it in.
        kind: the file that the entry is in.
        what: is odd.
        source: the case or review that reported it; "own" if we thought of it.
        edit: makes a solved notebook odd, in place or as another notebook or file.
        announced: what doctor must say if the work does not get full points; empty if it must get them.
        cards: whether its cards in a kernel show the points; False where a cell of it no longer runs there.
        waits: the written questions whose answers must wait for a person.
        answer: text that the feedback page must show.
        file: the file's name, if it isn't the lesson's. A grader may refuse it if it names the file that is there.
    """

    name: str
    kind: str
    what: str
    source: str
    edit: Edit
    lesson: str = LESSON
    announced: str = ""
    cards: bool = True
    waits: tuple[str, ...] = ()
    answer: str = ""
    file: str = ""

    def made(self, solved: Notebook) -> bytes:
        """The file that the student hands in.

        Args:
            solved: a copy of the lesson's notebook with every exercise answered.
        """
        made = self.edit(solved)
        made = solved if made is None else made
        return made if isinstance(made, bytes) else saved(made)


def saved(notebook: Notebook) -> bytes:
    """A notebook as Jupyter saves it."""
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


_ENTRIES: dict[str, Odd] = {}


def odd(what: str, source: str = "own", **fields: Any) -> Callable[[Edit], Edit]:
    """Register an edit as an entry of the bank; its function's name is the entry's."""

    def register(edit: Edit) -> Edit:
        name: str = edit.__name__  # type: ignore[attr-defined]
        assert name not in _ENTRIES, name
        _ENTRIES[name] = Odd(name, Path(edit.__code__.co_filename).stem, what, source, edit, **fields)  # type: ignore[attr-defined]
        return edit

    return register


def entries() -> list[Odd]:
    """Every entry of the bank."""
    for kind in _KINDS:
        importlib.import_module(f"odd_notebooks.{kind}")
    return list(_ENTRIES.values())
