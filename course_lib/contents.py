"""Which exercises the course has: read without torch, and known wherever the library is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

#: written by `course build`; it tells no answer, and is released to everyone
CONTENTS = Path(__file__).parent / "exercises.json"


@dataclass(frozen=True)
class Entry:
    """An exercise as a table of contents lists it.

    Attributes:
        id: as ``"scaled_dot_product_attention"``.
        lesson: as ``"03_self_attention"``.
        symbol: the name the student defines, as ``"SelfAttention"``.
        signature: as ``"(query, key, value, mask=None)"``.
        points: what it earns.
        place: its place in the lesson, from 0.
        minutes: about how long it takes.
    """

    id: str
    lesson: str
    symbol: str
    signature: str
    points: float
    place: int
    minutes: int


@cache
def public_exercises() -> tuple[Entry, ...]:
    """Every exercise of the course, in the order of lessons."""
    return tuple(Entry(**entry) for entry in json.loads(CONTENTS.read_text(encoding="utf-8")))


def contents_text(entries: Iterable[Entry]) -> str:
    """The file's text: a line for each exercise."""
    ordered = sorted(entries, key=lambda e: (e.lesson, e.place))
    return "[\n" + ",\n".join(json.dumps(asdict(entry), ensure_ascii=False) for entry in ordered) + "\n]\n"
