"""The question: what an implementation is asked, with which inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.values import Value, arrays, convert


@dataclass(frozen=True)
class Question(ABC):
    """What an implementation is asked, and how: calling a question asks it.

    A kind of question is a subclass. Its call takes an implementation and returns raw values: outputs, the inputs as
    they are afterwards, gradients. It judges nothing. The kinds are public; only the inputs of graded questions are
    secret.

    Attributes:
        name: unique within the exercise.
        returns: names for what comes back. With several names, a tuple is expected.
        default_dtype: torch's default dtype while the question is asked. Exercises are asked in float64, in which
            rounding differs least between processors, unless dtypes are the subject.
    """

    kinds: ClassVar[dict[str, type[Question]]] = {}  #: by the names of their classes
    shown_as: ClassVar[Mapping[str, str]] = {}  #: what an example calls an argument whose name says too little
    with_optimizer: ClassVar[bool] = False  #: whether asking it makes an optimizer
    watched: ClassVar[bool] = False  #: whether it asks which functions are called, rather than what comes out

    name: str
    returns: Sequence[str] = field(default=(), kw_only=True)
    default_dtype: str = field(default="float32", kw_only=True)

    def __init_subclass__(cls) -> None:
        """Register the kind under the name of its class."""
        Question.kinds[cls.__name__] = cls

    @abstractmethod
    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Ask an implementation, which may change the question's tensors: see `copied`."""

    @property
    def use(self) -> tuple[str, str]:
        """Names for what `live` returns, and a call with them, as a card shows it; empty for a function."""
        return "", ""

    @abstractmethod
    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return what call ``number`` passes to an implementation, for a cell in which a student looks for a mistake.

        `course_lib.example` describes it.
        """

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments of each call, by name."""
        return ({},)

    @property
    def built_with(self) -> Mapping[str, Value]:
        """The arguments of the module's constructor, by name; empty if no module is constructed."""
        return {}

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The weights that are loaded into the module, by name."""
        return {}

    @property
    def in_training(self) -> bool:
        """Whether the module is called in training mode."""
        return False

    def arguments_of(self, number: int) -> dict[str, Value]:
        """Return the arguments of call ``number`` by name, without trailing None values."""
        given = self.inputs[number]
        last = max((place for place, value in enumerate(given.values()) if value is not None), default=-1)
        return dict(list(given.items())[: last + 1])

    def contents(self) -> dict[str, Value]:
        """Return everything that the question is made of except its name and dtype. Leave out what has its default."""
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.name not in _ASIDE}
        return {name: value for name, (value, usual) in values.items() if not _same(value, usual)}

    def arrays(self) -> Iterator[tuple[str, Tensor | np.ndarray]]:
        """Yield every tensor and array in it, with the path to it."""
        for name, value in self.contents().items():
            yield from value.arrays() if isinstance(value, Question) else arrays(value, name)

    def converted(self, change: Callable[[Tensor | np.ndarray], Value]) -> Self:
        """Return the same question with ``change`` applied to every tensor and array in it."""
        return replace(self, **{name: _converted(value, change) for name, value in self.contents().items()})

    def copied(self) -> Self:
        """Return a copy that shares no tensor with this question, so that an implementation can change only its own."""
        return self.converted(lambda leaf: leaf.clone() if isinstance(leaf, Tensor) else leaf.copy())

    def in_float32(self) -> Self:
        """Return the same question with float32 tensors and float32 as torch's default."""
        single = self.converted(lambda x: x.float() if isinstance(x, Tensor) and x.dtype is torch.float64 else x)
        return replace(single, default_dtype="float32")


_ASIDE = ("name", "default_dtype")


def _same(value: Value, usual: Value) -> bool:
    return value is usual or (isinstance(value, type(usual)) and bool(value == usual))


def _converted(value: Value, change: Callable[[Tensor | np.ndarray], Value]) -> Value:
    return value.converted(change) if isinstance(value, Question) else convert(value, change)


def named(returned: Value, names: Sequence[str]) -> dict[str, Value]:
    """Return what came back, by name, or under ``returned`` if it doesn't fit the names."""
    if len(names) == 1:
        return {names[0]: returned}
    if isinstance(returned, tuple | list) and len(returned) == len(names):
        return dict(zip(names, returned, strict=True))
    return {"returned": returned}


def as_tuple(values: Mapping[str, Any]) -> Any:
    """Return values as a named tuple, so that a student can unpack them or pick one by its name."""
    return namedtuple("Inputs", values, rename=True)(*values.values())
