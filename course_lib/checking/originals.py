"""Notice functions that were replaced, and put them back.

A watch runs in the same process as the code that it watches. That code may replace any function, such as one of the
standard library that the watch calls. So the watch's functions are remembered when this package is imported, which is
before any student's code runs.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import json.encoder
import operator
import sys
import threading
import tracemalloc
import weakref

# imported, because a notebook that replaces builtins must not change what this module calls
from builtins import all, callable, delattr, frozenset, getattr, hasattr, id, isinstance, setattr, vars, zip  # noqa: UP029
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import safetensors.torch
import torch.overrides
import torch.utils._python_dispatch

_IMMUTABLE = 1 << 8  #: a flag of types whose attributes Python doesn't let anybody set
_MISSING = object()
_FUNCTION_STATE = ("__code__", "__defaults__", "__kwdefaults__")
#: builtins that notebooks replace for good reasons, and that no watch calls
_INTERACTIVE = frozenset({"print", "input", "open", "help", "breakpoint", "exit", "quit"})


class Originals:
    """The functions and classes of some modules, as they are when this object is made.

    Args:
        modules: all functions in them, and all methods of the classes that they define.
        classes: further classes, with all of their methods.
        single: further functions, each with the module or class that holds it.
    """

    def __init__(
        self, *modules: ModuleType, classes: tuple[type, ...] = (), single: tuple[tuple[Any, str], ...] = ()
    ) -> None:
        self._known: dict[Any, dict[str, Any]] = {}
        self._names: dict[Any, frozenset[str]] = {}
        self._functions: dict[FunctionType, tuple[Any, ...]] = {}
        for module in modules:
            self.remember(module)
        for holder in classes:
            self._remember(holder)
        for holder, name in single:
            self._known.setdefault(holder, {})[name] = vars(holder)[name]

    def remember(self, module: ModuleType) -> None:
        """Remember all functions of one more module, and all methods of the classes that it defines."""
        self._remember(module)
        for value in [*vars(module).values()]:
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._remember(value)

    def _remember(self, holder: Any) -> None:
        """Remember every function, class and descriptor of a module or class."""
        if isinstance(holder, type) and holder.__flags__ & _IMMUTABLE:
            return
        self._names[holder] = frozenset(vars(holder))
        self._known[holder] = {name: value for name, value in vars(holder).items() if _is_code(holder, name, value)}
        for value in self._known[holder].values():
            function = getattr(value, "__func__", getattr(value, "fget", value))
            if isinstance(function, FunctionType):
                self._functions[function] = tuple(_copied(getattr(function, name)) for name in _FUNCTION_STATE)

    def replaced(self) -> frozenset[tuple[str, int]]:
        """Return what differs from the originals now: each name, with the identity of its present value."""
        return frozenset(
            (f"{holder.__name__}.{name}", id(vars(holder).get(name, _MISSING)))
            for holder, name, _ in self._differences()
        ) | {
            (f"{function.__qualname__}.{name}", id(getattr(function, name)))
            for function, name, _ in self._changed_functions()
        }

    def restore(self) -> None:
        """Put every original back."""
        for function, name, original in [*self._changed_functions()]:
            setattr(function, name, _copied(original))
        for holder, name, original in [*self._differences()]:
            if original is _MISSING:
                delattr(holder, name)
            else:
                setattr(holder, name, original)

    def _differences(self) -> Iterator[tuple[Any, str, Any]]:
        """Yield each attribute that was replaced, removed or added, with its original value or `_MISSING`."""
        for holder, known in self._known.items():
            now = vars(holder)
            for name, original in known.items():
                if now.get(name, _MISSING) is not original:
                    yield holder, name, original
            if holder in self._names:
                for name in now.keys() - self._names[holder]:
                    if _hides(holder, name, now[name]):
                        yield holder, name, _MISSING

    def _changed_functions(self) -> Iterator[tuple[FunctionType, str, Any]]:
        """Yield each function whose code or defaults were exchanged, with the attribute and its original value."""
        for function, originals in self._functions.items():
            for name, original in zip(_FUNCTION_STATE, originals, strict=True):
                if not _same(getattr(function, name), original):
                    yield function, name, original


def _copied(value: Any) -> Any:
    """Return a copy of the defaults of keyword arguments, because their dictionary can be changed in place."""
    return {**value} if isinstance(value, dict) else value


def _same(value: Any, original: Any) -> bool:
    if not isinstance(original, dict) or not isinstance(value, dict):
        return value is original
    return value.keys() == original.keys() and all(value[name] is original[name] for name in original)


def _is_code(holder: Any, name: str, value: Any) -> bool:
    if holder is builtins:
        return not name.startswith("_") and name not in _INTERACTIVE and callable(value)
    if isinstance(holder, ModuleType):
        return isinstance(value, FunctionType | BuiltinFunctionType | type)
    return callable(value) or hasattr(value, "__get__")


def _hides(holder: Any, name: str, value: Any) -> bool:
    """Return whether an added attribute replaces an inherited method, or a builtin that a module calls."""
    if isinstance(holder, ModuleType):
        return holder is not builtins and name in _PYTHONS
    return callable(value) or hasattr(value, "__get__")


_PYTHONS = frozenset(name for name in vars(builtins) if not name.startswith("__"))


def of_the_watches(*parts: Any) -> Originals:
    """Return the originals of everything that the watches and the report of their findings call.

    Args:
        parts: a function or class of each of the watches' own modules.
    """
    autograd: Any = torch.autograd
    functions = ("zeros", "frombuffer", "from_numpy", "tensor", "as_tensor", "empty")
    profiler = ("ProfilerConfig", "ProfilerState", "_enable_profiler_legacy", "_disable_profiler_legacy")
    return Originals(
        builtins, collections, contextlib, json, json.encoder, operator, tracemalloc, weakref,
        torch.overrides, torch.utils._python_dispatch, safetensors.torch,
        *(sys.modules[part.__module__] for part in parts),
        classes=(torch.Tensor,),
        single=(
            (threading.Thread, "start"),
            *((torch, name) for name in functions),
            *((autograd, name) for name in profiler),
        ),
    )  # fmt: skip
