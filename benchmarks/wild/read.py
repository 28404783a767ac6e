"""The wild bank on disk: one file an exercise, one cell an implementation.

A cell begins with ``# %% wrong: what it does`` or ``# %% right: its style``. Of wrong ones a person has noted which
registered names are true of it, ``# true: unscaled, mask_ignored``, and which are half true, ``# half: …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BANK = Path(__file__).parent / "bank"

_HEAD = re.compile(r"^# %% (right|wrong): *(.*)$", re.MULTILINE)
_NOTE = re.compile(r"\A\n# (true|half): *(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Wild:
    """One implementation written by someone who has not seen the registered mistakes.

    Attributes:
        batch: when it was written: ``first``, ``second``, ``third`` and ``fourth`` (lessons 11 to 14), of which the
            checks have learnt since; or ``last``.
        about: what it does that it should not, or its style, in its author's words.
        true: the registered names that a person found true of it.
        half: those found half true.
    """

    exercise: str
    batch: str
    number: int
    right: bool
    about: str
    source: str
    true: frozenset[str]
    half: frozenset[str]

    @property
    def label(self) -> str:
        """As ``"softmax first 3"``."""
        return f"{self.exercise} {self.batch} {self.number}"


def read_bank(exercise: str = "", batch: str = "") -> Iterator[Wild]:
    """Every implementation, or those of an exercise or a batch."""
    for path in sorted(BANK.glob(f"{batch or '*'}/{exercise or '*'}.py")):
        yield from _read(path)


def _read(path: Path) -> Iterator[Wild]:
    text = path.read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    for number, (head, end) in enumerate(zip(heads, [*(h.start() for h in heads[1:]), len(text)], strict=True), 1):
        source, notes = text[head.end() : end], {"true": frozenset[str](), "half": frozenset[str]()}
        while note := _NOTE.match(source):
            notes[note[1]] = frozenset(name.strip() for name in note[2].split(","))
            source = source[note.end() :]
        yield Wild(path.stem, path.parent.name, number, head[1] == "right", head[2], source.strip() + "\n", **notes)
