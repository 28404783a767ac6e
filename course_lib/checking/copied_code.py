"""Keep a notebook from making functions of compiled code that isn't the student's."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

#: the number of instructions in the runs that are compared
_RUN = 10
#: the share of a code's runs that may come from code that must not be copied. Unrelated code shares none
_MOST = 0.3


def refuse_copies_of(codes: Iterable[CodeType]) -> None:
    """Raise an error in this process and its forks whenever these codes, changed or not, become another function.

    Python reports every function that is made of compiled code, and every code that is put together from bytes. It
    doesn't report functions that a ``def`` makes, so a student may type in the same code.
    """
    every = [inner for code in codes for inner in _with_inner(code)]
    kept = frozenset(map(id, every))  # these codes are never freed, because the closure below refers to them
    runs = frozenset(run for code in every for run in _runs(code.co_code))

    def refuse_copies(event: str, arguments: tuple[Any, ...], every: Any = every) -> None:
        if event == "code.__new__":
            copied = _shares(arguments[0], runs)
        elif event == "function.__new__" or (event == "object.__setattr__" and arguments[1] == "__code__"):
            made = arguments[0] if event == "function.__new__" else arguments[2]
            copied = any(_shares(code.co_code, runs) for code in _with_inner(made))
        elif event == "exec":  # what was typed in may look the same, so only the very same code counts
            copied = any(id(code) in kept for code in _with_inner(arguments[0]))
        else:
            return
        if copied:
            raise RuntimeError("this copies the code of the lesson's mystery: write a function of your own")

    sys.addaudithook(refuse_copies)


def _with_inner(code: Any) -> Iterator[CodeType]:
    """Yield a code and all codes of functions and classes in it."""
    waiting = [code]
    while waiting:
        code = waiting.pop()
        if isinstance(code, CodeType):
            yield code
            waiting += code.co_consts


def _shares(code: bytes, runs: frozenset[bytes]) -> bool:
    own = list(_runs(code))
    return sum(run in runs for run in own) > _MOST * len(own)


def _runs(code: bytes) -> Iterator[bytes]:
    """Yield each run of instructions. Shorter code has none, because much other code would share it."""
    # an instruction has two bytes, the number of its kind first; kind 0 is only space for the interpreter
    own = b"".join(code[begin : begin + 2] for begin in range(0, len(code), 2) if code[begin])
    yield from (own[begin : begin + 2 * _RUN] for begin in range(0, len(own) - 2 * _RUN + 1, 2))
