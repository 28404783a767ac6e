"""Lessons hand out functions with one mistake to find: while an exercise is graded, none of them does any work.

A mystery is our solution but for one line, and some of them become right again by one more change. So a student
whose exercise is answered by a mystery has written nothing. Its code is replaced, not its name, because an
implementation may have kept the function under another name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

_MODULES = "course_lib.experiments.mystery"


def switch_off_mysteries() -> None:
    """Have every mystery that was imported refuse to work, for as long as this process lives."""
    for function in _functions():
        function.__code__ = _refuse.__code__


def _refuse(*arguments: Any, **named: Any) -> Any:
    raise RuntimeError("this calls the lesson's mystery, which answers no question: write a function of your own")


def _functions() -> Iterator[FunctionType]:
    """Every function that a mystery's module defines; classes that are built on a student's own stay as they are."""
    for name, module in [*sys.modules.items()]:
        if name.startswith(_MODULES):
            for value in [*vars(module).values()]:
                function = inspect.unwrap(value) if isinstance(value, FunctionType) else None  # of torch.no_grad, too
                if isinstance(function, FunctionType) and function.__module__ == name and not function.__closure__:
                    yield function
