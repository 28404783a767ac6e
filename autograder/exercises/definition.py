"""Define an exercise: its questions, its checks, and right and wrong implementations as source.

Every implementation is *text*, which runs in a namespace like the notebook's. The reference is cut from
`course_lib.components`. A mistake is an edit of it, so that two mistakes at once are two edits. A variant is written
out in full, or as the methods that it changes. Text can be graded here and pasted into a notebook there.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import linecache
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.exercises.mistakes import Mistake, read_mistakes
from autograder.exercises.sampler import Sampler
from autograder.exercises.sources import edited, source_of, with_methods, without_bodies
from autograder.exercises.variants import Kind, Variant, read_variants
from course_lib.checking.exercise import TOGETHER, Check, Exercise
from course_lib.checking.number_types import default_dtype
from course_lib.checking.questions import Question
from course_lib.checking.rules import keeps_dtype
from course_lib.component_files import component_files
from course_lib.course import CourseError
from course_lib.suggestion import suggestion

Role = Literal["reference", "alternative", "misconception", "lazy"]
_ROLES: dict[Kind, Role] = {"right": "alternative", "wrong": "misconception", "trivial": "lazy"}


class DefinitionError(CourseError):
    """An exercise's definition is invalid. The message names the exercise and the problem."""


@dataclass(frozen=True)
class Implementation:
    """A named piece of source that defines the exercise's symbol."""

    name: str
    role: Role
    source: str

    def mentions(self, names: Iterable[str]) -> bool:
        """Return whether it could use one of these names. If not, its answers don't depend on them."""
        return not self._words.isdisjoint(names)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.source))


def _anything(question: Question) -> bool:
    return True


@dataclass(frozen=True)
class Outline:
    """The part of an exercise that is code, from its file `exercise.py`.

    Attributes:
        minutes: about how long a student takes.
        checks: the sentences on the card, in order.
        hints: the three hints (nudge, locate, show) for a wrong answer without a name.
        ask: samples the questions: the same concepts with other values and sizes each time. A question with equal sizes
            lets code answer that crashes on other sizes, so that its mistake can be named.
        write: the methods of a class that a student writes. Empty for a function.
        builds_on: the earlier exercises whose components this one calls.
        allows: whether the text allows a question's inputs. Examples are made of smaller inputs, which may break a rule
            of the text, such as an odd width or a sentence of nothing but padding.
    """

    minutes: int
    checks: tuple[Check, ...]
    hints: tuple[str, str, str]
    ask: Callable[[Sampler], Iterable[Question]]
    write: tuple[str, ...] = ()
    builds_on: tuple[str, ...] = ()
    allows: Callable[[Question], bool] = _anything


@dataclass(frozen=True)
class Definition:
    """Everything known about one exercise.

    Attributes:
        exercise: the part that students may see.
        module: the module that defines the reference, such as ``"course_lib.components.attention"``.
        ask: samples the questions: the same concepts with other values and sizes each time.
        mistakes: the registered mistakes.
        variants: right, wrong and trivial implementations in other styles.
        write: the methods of a class that a student writes. Empty for a function.
        folder: contains the exercise's files.
        allows: whether the text allows a question's inputs.
    """

    exercise: Exercise
    module: str
    ask: Callable[[Sampler], Iterable[Question]]
    mistakes: tuple[Mistake, ...]
    variants: tuple[Variant, ...]
    write: tuple[str, ...]
    folder: Path
    allows: Callable[[Question], bool] = _anything

    @cached_property
    def unseen(self) -> tuple[Variant, ...]:
        """Return code by authors who had not seen the checks."""
        return read_variants(self.folder / "unseen.py")

    def wrong_variants(self) -> Iterator[tuple[str, Implementation]]:
        """Yield each wrong variant that is not a mistake's own code, with the name that it must get."""
        for variant in self.variants:
            if variant.kind == "wrong" and not variant.defines:
                yield TOGETHER.join(sorted(variant.true, key=self._position)), self.implementation_of(variant)

    def _position(self, mistake: str) -> int:
        return [m.name for m in self.mistakes].index(mistake)

    @property
    def id(self) -> str:
        """Return the exercise's id."""
        return self.exercise.id

    def questions(self, sampler: Sampler) -> tuple[Question, ...]:
        """Return the questions of a sample, in float64 unless they contain float32 or belong to checks about dtypes.

        Such a check asks for torch's default dtype. If it has more questions without tensors, these are asked in
        float64, so that code that always returns float32 is noticed.
        """
        about_types = [check for check in self.exercise.checks if check.rule is keeps_dtype]
        first, more = {check.question for check in about_types}, {name for check in about_types for name in check.also}
        with default_dtype("float64"):
            asked = tuple(self.ask(sampler))

        def in_float32(question: Question) -> bool:
            arrays = [array for _, array in question.arrays()]
            asks_for_type = question.name in first or (question.name in more and bool(arrays))
            return asks_for_type or any(array.dtype is torch.float32 for array in arrays)

        return tuple(replace(q, default_dtype="float32" if in_float32(q) else "float64") for q in asked)

    @cached_property
    def _home(self) -> ModuleType:
        return importlib.import_module(self.module)

    @cached_property
    def reference(self) -> Implementation:
        """Return the reference, cut from the components."""
        return Implementation("reference", "reference", source_of(self._symbol))

    @property
    def _symbol(self) -> Any:
        return getattr(self._home, self.exercise.symbol)

    @cached_property
    def implementations(self) -> tuple[Implementation, ...]:
        """Return the reference, right variants, the mistakes, a stub and other trivial variants, in this order."""
        return (
            self.reference,
            *(self.implementation_of(variant) for variant in self.variants if variant.kind == "right"),
            *(Implementation(m.name, "misconception", self._mistaken(m)) for m in self.mistakes),
            Implementation("stub", "lazy", without_bodies(self.reference.source, self.write)),
            *(self.implementation_of(variant) for variant in self.variants if variant.kind == "trivial"),
        )

    def implementation_of(self, variant: Variant) -> Implementation:
        """Return a variant as source that can be run."""
        return Implementation(variant.name, _ROLES[variant.kind], self._written(variant.source))

    def implementation(self, name: str) -> Implementation:
        """Return the implementation with this name, which may be a pair of mistakes (``"a + b"``).

        Raises:
            KeyError: there is none.
        """
        for one in (*self.implementations, *self.pairs.values()):
            if one.name == name:
                return one
        raise KeyError(f"{self.id} has no implementation called {name!r}")

    @cached_property
    def pairs(self) -> dict[str, Implementation]:
        """Return each pair of mistakes that change different parts and whose edits both apply, by its name."""
        pairs = {}
        for a, b in itertools.combinations((m for m in self.mistakes if m.edits and m.part), 2):
            if a.part == b.part:
                continue
            try:
                source = edited(edited(self.reference.source, a.edits), b.edits)
            except ValueError:
                continue
            name = TOGETHER.join((a.name, b.name))
            pairs[name] = Implementation(name, "misconception", source)
        return pairs

    def load(self, implementation: Implementation, earlier: Mapping[str, Any] | None = None) -> Any:
        """Run the source and return the function or class it defines.

        Args:
            earlier: replacements for the references of earlier exercises, by symbol.
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

    def _written(self, source: str) -> str:
        """Return source in full: with the reference, if a variant's class inherits from it."""
        symbol, reference = self.exercise.symbol, self.reference.source
        if f"class {symbol}({symbol}):" in source:
            return with_methods(reference, source)
        if "(Reference):" in source:
            return f"{reference}\n\nReference = {symbol}\n\n\n{source}"
        return source

    def _mistaken(self, m: Mistake) -> str:
        if m.edits:
            try:
                return edited(self.reference.source, m.edits)
            except ValueError as error:
                raise DefinitionError(f"{self.id}: mistake {m.name!r}: {error}") from None
        code = [variant for variant in self.variants if variant.defines == m.name]
        if len(code) != 1:
            raise DefinitionError(
                f"{self.id}: mistake {m.name!r} needs edits, or one variant with `# defines: {m.name}`"
            )
        return self._written(code[0].source)


@cache
def _compiled(source: str, file: str) -> CodeType:
    """Compile an implementation once, because it is loaded again over each earlier mistake."""
    return compile(source, file, "exec", dont_inherit=True)


def described(id: str, lesson: str, place: int, outline: Outline, folder: Path) -> Definition:
    """Make a definition from an exercise's folder. Its points are the sum of the points of its checks.

    Raises:
        DefinitionError: two checks or mistakes have the same name, a file is laid out wrongly, or there is no
            component for the exercise.
    """
    module, symbol = component(id)
    try:
        mistakes = read_mistakes(folder / "mistakes.md", outline.hints[-1])
        variants = read_variants(folder / "variants.py")
    except (OSError, ValueError, SyntaxError) as error:
        raise DefinitionError(f"{id}: {error}") from None
    for kind, names in (
        ("checks", [check.name for check in outline.checks]),
        ("misconceptions", [m.name for m in mistakes]),
    ):
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise DefinitionError(f"{id}: two {kind} are called {twice[0]!r}")
    _require_known(id, variants, {m.name for m in mistakes})
    exercise = Exercise(
        id=id,
        lesson=lesson,
        symbol=symbol,
        signature=_signature(getattr(importlib.import_module(module), symbol)),
        points=round(sum(check.points for check in outline.checks), 6),
        place=place,
        minutes=outline.minutes,
        checks=outline.checks,
        misconceptions=tuple(m.misconception for m in mistakes),
        hints=outline.hints,
        builds_on=outline.builds_on,
    )
    return Definition(exercise, module, outline.ask, mistakes, variants, outline.write, folder, outline.allows)


def component(id: str) -> tuple[str, str]:
    """Return the module and the name of the function or class that an exercise asks for.

    A class has the id in its name without underscores, in any case: `rms_norm` asks for ``RMSNorm``.

    Raises:
        DefinitionError: there is none.
    """
    files, as_class = component_files(), id.replace("_", "").lower()
    classes = (symbol for symbol in files if symbol[0].isupper() and symbol.lower() == as_class)
    for symbol in (id, *classes):
        if symbol in files:
            return f"course_lib.components.{files[symbol].stem}", symbol
    raise DefinitionError(f"{id}: course_lib.components has no function {id} and no class of that name")


def _require_known(id: str, variants: Iterable[Variant], mistakes: Collection[str]) -> None:
    for variant in variants:
        for name in (*variant.true, *variant.half, *filter(None, [variant.defines])):
            if name not in mistakes:
                named = f"{id}: variant {variant.about!r} names {name!r}"
                raise DefinitionError(f"{named}, which is not a mistake here{suggestion(name, mistakes)}")


def _signature(target: Callable[..., Any] | type) -> str:
    """Return the parameters without their types, such as ``"(query, key, value, mask=None)"``.

    Return an empty string for a function without parameters: its exercise is worked out on paper.
    """
    parameters = inspect.signature(target).parameters.values()
    if not parameters and inspect.isfunction(target):
        return ""
    return "(" + ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters) + ")"
