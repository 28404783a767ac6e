"""Predict before you run: a choice, compared with what was then measured, and kept. Never graded, always optional."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from html import escape
from pathlib import Path

from course_lib.contents import public_exercises
from course_lib.misused import Misused
from course_lib.own_notebooks import find_notebooks
from course_lib.session import CURRENT, is_graded

FILE = Path(".course") / "predictions.json"  #: in the folder that holds the notebooks, where own parts are kept too


@dataclass(frozen=True)
class Prediction:
    """One prediction and what became of it; in a notebook, a line.

    Attributes:
        choice: the letter that was chosen first, or None.
        measured: the letter whose condition held, or nothing.
        right: how many predictions were right so far, this one included.
        made: how many were made.
    """

    choice: str | None
    measured: str
    right: int
    made: int

    def __str__(self) -> str:
        if not self.measured:
            return "None of the choices describes what was measured here, so this one does not count."
        if self.choice is None:
            return f"Measured: {self.measured}. You made no prediction, which costs nothing."
        verdict = "as you predicted" if self.choice == self.measured else f"you predicted {self.choice}"
        return f"Measured: {self.measured}, {verdict}. Right so far: {self.right} of {self.made} in the course."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return (
            '<div role="group" aria-label="Your prediction" style="border-left:5px solid #6b6b6b;padding:0.3em 1em;'
            f'margin:0.4em 0">{escape(str(self))}</div>'
        )


def predict(name: str, choice: str | None, /, **holds: bool) -> Prediction:
    """Compare a prediction with what was measured, and keep it.

    The first choice counts: anyone who has seen the answer may choose again, but that changes nothing.

    Args:
        name: of the prediction, as ``"width_1024"``.
        choice: ``"a"``, ``"b"`` or ``"c"``; None to go on without one.
        holds: for each letter, whether what it stands for was measured; at most one of them should.

    Raises:
        Misused: the choice is not one of the letters.
    """
    letter = choice.strip().lower() if isinstance(choice, str) else None if choice is None else ""
    if letter is not None and letter not in holds:
        said = f"choice is {choice!r}" if isinstance(choice, str) else "choice isn't a letter in quotes"
        raise Misused(f"{said}: choose one of {', '.join(map(repr, holds))}, or None to skip.")
    name = f"{CURRENT.lesson} {name}".strip()
    held = [each for each, condition in holds.items() if condition]
    measured = held[0] if len(held) == 1 else ""
    book = _Book(_home() / FILE)
    if letter is not None and measured:
        letter = book.keep(name, letter, measured)
    elif measured:
        letter = book.choice(name)
    return Prediction(letter, measured, *book.score())


def _home() -> Path:
    """The folder of all lessons' notebooks, so that one file counts for all; else the folder one is in."""
    home, notebooks = find_notebooks(Path(), dict.fromkeys(entry.lesson for entry in public_exercises()))
    return home if notebooks else Path()


class _Book:
    """The predictions made so far, by name, in a file that anyone may have written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: dict[str, dict[str, str]] = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):
            read = json.loads(file.read_text(encoding="utf-8"))
            for name, entry in read.items() if isinstance(read, dict) else ():
                if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("choice", "measured")):
                    self._kept[name] = {"choice": entry["choice"], "measured": entry["measured"]}

    def choice(self, name: str) -> str | None:
        return self._kept.get(name, {}).get("choice")

    def keep(self, name: str, choice: str, measured: str) -> str:
        """Note a choice, and return the one that counts."""
        first = self.choice(name) or choice
        self._kept[name] = {"choice": first, "measured": measured}
        if not is_graded():  # while a notebook is checked or graded, nothing is written
            with contextlib.suppress(OSError):  # a folder that cannot be written to costs the memory, no more
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._file.write_text(json.dumps(self._kept, indent=1), encoding="utf-8")
        return first

    def score(self) -> tuple[int, int]:
        right = sum(entry["choice"] == entry["measured"] for entry in self._kept.values())
        return right, len(self._kept)
