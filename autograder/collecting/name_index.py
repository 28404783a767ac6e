"""Find students by name, regardless of how their names are spelled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from autograder.collecting.names import comparable, exact, spelled_out

T = TypeVar("T")


class NameIndex(Generic[T]):
    """Students by name. An exact match wins; otherwise, accents are ignored and *ü* may be *ue*."""

    def __init__(self, names: Iterable[tuple[str, T]]) -> None:
        self._by: dict[str, dict[str, set[T]]] = {"exact": {}, "without": {}, "spelled": {}}
        for name, member in names:
            for how, key in (("exact", exact(name)), ("without", comparable(name)), ("spelled", spelled_out(name))):
                if key:
                    self._by[how].setdefault(key, set()).add(member)

    def find(self, name: str) -> set[T]:
        """Return all students who may have this name."""
        if found := self._by["exact"].get(exact(name)):
            return found
        key = comparable(name)
        return self._by["without"].get(key, set()) | self._by["spelled"].get(key, set())
