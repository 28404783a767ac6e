"""Switch off the mysteries, which are functions with one mistake to find, while an exercise is graded.

A mystery is our solution with one line changed, and some become correct again with one more change. So an exercise
that a mystery answers wasn't written by the student. The code of the function is replaced, not its name, because an
implementation may keep the function under another name. The names that a mystery's module defines are replaced, too,
because the methods of a class that a mystery has made use them. `copied_code` keeps code from being copied before.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from course_lib.checking.copied_code import refuse_copies_of

_FOLDER = Path(__file__).resolve().parents[1] / "experiments"
#: the files of the mysteries. A submission can't read them while it is graded
FILES = tuple(sorted(_FOLDER.glob("mystery*.py")))
#: the modules' names. Looking through all of `sys.modules` would copy every page of memory that a module's name is in,
#: because this runs in a new fork
_MODULES = tuple(f"course_lib.experiments.{file.stem}" for file in FILES)

_remembered: set[FunctionType] = set()


def remember_mysteries() -> None:
    """Import every mystery before any student's code runs, because that code could hide the functions from us."""
    for name in _MODULES:
        with suppress(ImportError):  # a release lacks what later lessons need
            import_module(name)
    _remembered.update(_functions())
    refuse_copies_of(function.__code__ for function in _remembered)


def switch_off_mysteries() -> None:
    """Make every mystery that was remembered or imported raise an error for the rest of this process."""
    for function in {*_remembered, *_functions()}:
        function.__code__ = _refuse.__code__
        names = function.__globals__
        names.update({name: _Refusing() for name in names if not name.startswith("__")})


def _refuse(*arguments: Any, **named: Any) -> Any:
    raise RuntimeError("this calls the lesson's mystery, which answers no question: write a function of your own")


class _Refusing:
    """An object that refuses to be used, in place of a function or module that a mystery uses."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _refuse()

    def __getattr__(self, name: str) -> Any:
        return _refuse()


def _functions() -> Iterator[FunctionType]:
    """Yield every function that a mystery's module defines. Skip closures, which build on a student's own class."""
    for name in _MODULES:
        if module := sys.modules.get(name):
            for value in [*vars(module).values()]:
                function = inspect.unwrap(value) if isinstance(value, FunctionType) else None  # even in torch.no_grad
                if isinstance(function, FunctionType) and function.__module__ == name and not function.__closure__:
                    yield function
