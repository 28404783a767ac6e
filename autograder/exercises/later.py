"""Mappings whose values are computed when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from course_lib.checking.answers import Answers
from course_lib.checking.exercise import TOGETHER

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class Later(Mapping[K, V_co]):
    """A mapping that is made when it is first used.

    Args:
        make: makes it.
    """

    def __init__(self, make: Callable[[], Mapping[K, V_co]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[K, V_co]:
        return self._make()

    def __getitem__(self, key: K) -> V_co:
        return self._made[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class Mistakes(Mapping[str, Answers]):
    """The answers of each mistake, followed by those of each pair, which are computed when the first pair is reached.

    Most students are right or make one registered mistake, and pairs take half of a key's time.
    """

    def __init__(self, alone: Mapping[str, Answers], pairs: Callable[[], Mapping[str, Answers]]) -> None:
        self._alone, self._make_pairs = alone, pairs

    @cached_property
    def _pairs(self) -> Mapping[str, Answers]:
        return self._make_pairs()

    def __getitem__(self, name: str) -> Answers:
        return self._pairs[name] if TOGETHER in name else self._alone[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._alone
        yield from self._pairs

    def __len__(self) -> int:
        return len(self._alone) + len(self._pairs)
