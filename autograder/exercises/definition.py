"""Defining an exercise: its questions, its laws, and right and wrong implementations as source.

Every implementation is *text*, run in a namespace like the notebook's. The reference is cut
from `course_lib.components`; a mistake is an edit of it, so that two mistakes at once are two
edits; an alternative is a function or class written out. Of a class that inherits from the
reference only the methods are taken, and put into the reference's text. What is text can be
graded here and pasted into a notebook there.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import linecache
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import CodeType, ModuleType
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.exercises.draw import Draw
from autograder.exercises.sources import edited, source_of, with_methods
from course_lib.checking.exercise import TOGETHER, Exercise, Law, Misconception, Question, Recogniser
from course_lib.checking.laws import keeps_dtype
from course_lib.checking.number_types import default_dtype
from course_lib.checking.values import arrays

Thing = TypeVar("Thing", bound=Callable[..., Any] | type)
Role = Literal["reference", "alternative", "misconception", "lazy"]

#: the group of mistakes that are not tried together with any other: of forty there are hundreds of pairs
ALONE = "alone"


class DefinitionError(ValueError):
    """An exercise is not defined as it can be asked; the message says which and what."""


@dataclass(frozen=True)
class Implementation:
    """A named piece of source that defines the exercise's symbol."""

    name: str
    role: Role
    source: str

    def mentions(self, names: Iterable[str]) -> bool:
        """Whether it could use one of these names: what does not answers the same, whatever they stand for."""
        return not self._words.isdisjoint(names)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.source))


@dataclass(frozen=True)
class Mistake:
    """A misconception and how it is made.

    Attributes:
        edits: pairs ``(old, new)`` on the reference's source; ``old`` must occur exactly once.
        source: the whole implementation, where edits would say too little.
        group: two mistakes of one group exclude each other (two ways to scale); those of
            different groups are tried together, except with those of the group `ALONE`.
    """

    misconception: Misconception
    edits: tuple[tuple[str, str], ...] = ()
    source: Callable[..., Any] | type | None = None
    group: str = ""

    @property
    def name(self) -> str:
        """The misconception's."""
        return self.misconception.name


def mistake(
    name: str,
    sentence: str,
    hints: tuple[str, str, str],
    *edits: tuple[str, str],
    source: Callable[..., Any] | type | None = None,
    group: str = "",
    recogniser: Recogniser | None = None,
) -> Mistake:
    """A mistake made by ``edits`` of the reference, or by an implementation of its own."""
    return Mistake(Misconception(name, sentence, hints, recogniser=recogniser), edits, source, group or name)


@dataclass(frozen=True)
class Definition:
    """Everything known about one exercise.

    Attributes:
        exercise: what the student's side may know.
        module: where the reference lives, as ``"course_lib.components.attention"``.
        ask: draws the questions: the same concepts with other values and sizes each time.
        mistakes: the registered ones.
        alternatives: right ones in other styles; a function or class of any name.
        lazy: stubs, zeros, the input itself, noise.
        write: of a class, the methods a student writes; empty for a function.
        switches: groups of mistakes that students often combine (scale, axis, mask): two of
            different switches at once have a name of their own.
        second_versions: mistakes in another style, each with the name that it must get.
    """

    exercise: Exercise
    module: str
    ask: Callable[[Draw], Iterable[Question]]
    mistakes: tuple[Mistake, ...]
    alternatives: tuple[Callable[..., Any] | type, ...]
    lazy: tuple[Callable[..., Any] | type, ...] = ()
    write: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    second_versions: list[tuple[str, Callable[..., Any] | type]] = field(default_factory=list)

    def second_version(self, name: str) -> Callable[[Thing], Thing]:
        """Enter a mistake, or two at once (``"a + b"``), in another style: a check must give it the same name.

        Raises:
            DefinitionError: no mistake is called so.
        """
        if unknown := set(name.split(TOGETHER)) - {m.name for m in self.mistakes}:
            raise DefinitionError(f"{self.id}: a second version of {min(unknown)!r}, which is no mistake here")

        def enter(thing: Thing) -> Thing:
            self.second_versions.append((name, thing))
            return thing

        return enter

    @property
    def id(self) -> str:
        """The exercise's id."""
        return self.exercise.id

    def questions(self, draw: Draw) -> tuple[Question, ...]:
        """The questions of one draw: in float64, but for those of laws about number types, or with float32 in them."""
        about_types = {name for law in self.exercise.laws if law.rule is keeps_dtype for name in law.questions}
        with default_dtype("float64"):
            asked = tuple(self.ask(draw))
        single = {q.name for q in asked for _, array in arrays(dict(q.given)) if array.dtype is torch.float32}
        return tuple(
            replace(q, default_dtype="float32" if q.name in about_types | single else "float64") for q in asked
        )

    @cached_property
    def _home(self) -> ModuleType:
        return importlib.import_module(self.module)

    @cached_property
    def reference(self) -> Implementation:
        """The reference, cut from the components."""
        return Implementation("reference", "reference", source_of(self._symbol))

    @property
    def _symbol(self) -> Any:
        return getattr(self._home, self.exercise.symbol)

    @cached_property
    def implementations(self) -> tuple[Implementation, ...]:
        """The reference, the alternatives, the mistakes and the lazy ones, in this order."""
        return (
            self.reference,
            *(Implementation(thing.__name__, "alternative", self._written(thing)) for thing in self.alternatives),
            *(Implementation(m.name, "misconception", self._mistaken(m)) for m in self.mistakes),
            *(Implementation(thing.__name__, "lazy", self._written(thing)) for thing in self.lazy),
        )

    def implementation(self, name: str) -> Implementation:
        """The implementation of that name, pairs of mistakes (``"a + b"``) included.

        Raises:
            KeyError: there is none.
        """
        for one in (*self.implementations, *self.pairs.values()):
            if one.name == name:
                return one
        raise KeyError(f"{self.id} has no implementation called {name!r}")

    @cached_property
    def pairs(self) -> dict[tuple[str, str], Implementation]:
        """Two mistakes at once, wherever both edits apply."""
        pairs = {}
        for a, b in itertools.combinations((m for m in self.mistakes if m.edits and m.group != ALONE), 2):
            if a.group == b.group:
                continue
            try:
                source = edited(edited(self.reference.source, a.edits), b.edits)
            except ValueError:
                continue
            names = (a.name, b.name)
            pairs[names] = Implementation(TOGETHER.join(names), "misconception", source)
        return pairs

    @cached_property
    def named_pairs(self) -> frozenset[str]:
        """The names of the pairs whose mistakes are both switches."""
        switches = {m.name for m in self.mistakes if m.group in self.switches}
        return frozenset(TOGETHER.join(names) for names in self.pairs if switches.issuperset(names))

    def load(self, implementation: Implementation, earlier: Mapping[str, Any] | None = None) -> Any:
        """Run the source and return the function or class it defines.

        Args:
            earlier: instead of the references of earlier exercises, by symbol.
        """
        namespace: dict[str, Any] = {
            **vars(self._home),
            **{"math": math, "np": np, "torch": torch, "nn": nn, "Tensor": Tensor, "F": functional},
            **(earlier or {}),
            "__name__": f"{self.id}.{implementation.name}",
        }
        file = f"<{self.id}: {implementation.name}>"
        linecache.cache[file] = (len(implementation.source), None, implementation.source.splitlines(True), file)
        exec(_compiled(implementation.source, file), namespace)
        return namespace[self.exercise.symbol]

    def _written(self, thing: Callable[..., Any] | type) -> str:
        """Source that defines the exercise's symbol, from a function or class of another name."""
        if isinstance(thing, type) and self._symbol in thing.__bases__:
            return with_methods(self.reference.source, source_of(thing))
        kind = "class" if isinstance(thing, type) else "def"
        return source_of(thing).replace(f"{kind} {thing.__name__}", f"{kind} {self.exercise.symbol}", 1)

    def _mistaken(self, m: Mistake) -> str:
        if m.source is not None:
            return self._written(m.source)
        try:
            return edited(self.reference.source, m.edits)
        except ValueError as error:
            raise DefinitionError(f"{self.id}: misconception {m.name!r}: {error}") from None


@cache
def _compiled(source: str, file: str) -> CodeType:
    """The code of an implementation, which is loaded once more over each earlier one."""
    return compile(source, file, "exec", dont_inherit=True)


def define(
    *,
    id: str,
    lesson: str,
    place: int,
    module: str,
    symbol: str,
    minutes: int,
    laws: tuple[Law, ...],
    hints: tuple[str, str, str],
    ask: Callable[[Draw], Iterable[Question]],
    mistakes: tuple[Mistake, ...],
    alternatives: tuple[Callable[..., Any] | type, ...],
    lazy: tuple[Callable[..., Any] | type, ...],
    write: tuple[str, ...] = (),
    builds_on: tuple[str, ...] = (),
    switches: tuple[str, ...] = (),
) -> Definition:
    """Put a definition together; the points are the sum of the laws' points.

    Raises:
        DefinitionError: two laws or mistakes have one name, or a mistake has not three hints.
    """
    for kind, names in (("laws", [law.name for law in laws]), ("misconceptions", [m.name for m in mistakes])):
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise DefinitionError(f"{id}: two {kind} are called {twice[0]!r}")
    for wrong in mistakes:
        if len(wrong.misconception.hints) != 3 or not all(wrong.misconception.hints):
            raise DefinitionError(f"{id}: misconception {wrong.name!r} needs three hints")
    target = getattr(importlib.import_module(module), symbol)
    exercise = Exercise(
        id=id,
        lesson=lesson,
        symbol=symbol,
        signature=_signature(target),
        points=round(sum(law.points for law in laws), 6),
        place=place,
        minutes=minutes,
        laws=laws,
        misconceptions=tuple(m.misconception for m in mistakes),
        hints=hints,
        builds_on=builds_on,
    )
    return Definition(exercise, module, ask, mistakes, alternatives, lazy, write, switches)


def _signature(target: Callable[..., Any] | type) -> str:
    """The parameters without their types, as ``"(query, key, value, mask=None)"``."""
    parameters = inspect.signature(target).parameters.values()
    return "(" + ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters) + ")"
