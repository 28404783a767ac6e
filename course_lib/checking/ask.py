"""Ask an implementation questions, and record its answers."""

from __future__ import annotations

import linecache
import os
import re
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

import numpy
import torch

from course_lib.checking.answers import Answer, Error
from course_lib.checking.chance import fixed_seed
from course_lib.checking.explain.errors import BREAKPOINT
from course_lib.checking.number_types import default_dtype, stops_at_mixed_types
from course_lib.checking.questions import Question
from course_lib.checking.time_limit import Stopped
from course_lib.checking.values import plain, readable

_DEBUGS = re.compile(r"\b(?:breakpoint|set_trace)\s*\(")  #: code that starts a debugger
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def ask(
    questions: Iterable[Question], implementation: Any, answers: dict[str, Answer] | None = None, chance: int = 0
) -> dict[str, Answer]:
    """Put every question to the implementation and return its answers.

    Args:
        answers: filled question by question, so that a caller who must stop halfway has the first half.
        chance: the seed of all random numbers. Code without random numbers answers alike under every seed.
    """
    answers = {} if answers is None else answers
    for question in questions:
        answers[question.name] = _answer(question, implementation, chance)
    return answers


def _answer(question: Question, implementation: Any, chance: int) -> Answer:
    try:
        with default_dtype(question.default_dtype), fixed_seed(chance):
            values = question.copied()(implementation)
            return Answer({name: plain(value) for name, value in values.items()})
    except Stopped:
        raise
    except BaseException as error:  # any error of a student's code is an answer, even SystemExit
        if question.default_dtype == "float64" and stops_at_mixed_types(error):
            return _answer(question.in_float32(), implementation, chance)
        return Answer(error=Error(readable(type(error).__name__)[:100], _message(error), _where(error)))


def _message(error: BaseException) -> str:
    try:
        # an address differs between runs, so the same code would give different answers
        return _ADDRESS.sub("0x…", readable(str(error)).strip())[:300]
    except Stopped:
        raise
    except BaseException:  # even its text can't be made
        return ""


def _where(error: BaseException) -> str:
    """Return the deepest line of the traceback that is in a notebook cell or in code given as text."""
    with suppress(Exception):
        for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
            code = frame.f_code
            if code.co_filename.startswith(_OTHERS):
                continue
            if type(error).__name__ == BREAKPOINT:
                code, number = _breakpoint(code, number, frame.f_globals)  # noqa: PLW2901
            if line := linecache.getline(code.co_filename, number, frame.f_globals).strip():
                name = code.co_qualname.rpartition("<locals>.")[2]
                return readable(f"line {number} of {name}: {line}"[:300])
    return ""


def _breakpoint(code: CodeType, stopped: int, names: dict[str, Any]) -> tuple[CodeType, int]:
    """Find the breakpoint at which a function stopped.

    Before Python 3.13, a debugger stops one line later, so at the end of a function it stops in the caller.
    """
    called = (getattr(names.get(name), "__code__", None) for name in code.co_names)
    for each in (code, *called):
        if not isinstance(each, CodeType):
            continue
        lines = sorted({line for *_, line in each.co_lines() if line})
        if found := [n for n in lines if _DEBUGS.search(linecache.getline(each.co_filename, n, names))]:
            return each, max((n for n in found if n <= stopped), default=found[0]) if each is code else found[-1]
    return code, stopped


def _folders() -> Iterator[str]:
    """Return the folders whose code isn't a student's: the standard library, installed packages and the course."""
    for kind in ("stdlib", "platstdlib", "purelib", "platlib"):
        path = sysconfig.get_path(kind)
        yield from (path, os.path.realpath(path))
    # an environment may use the packages of another one
    yield from (str(Path(str(package.__file__)).parent) for package in (numpy, torch))
    yield str(Path(__file__).parents[1])


_OTHERS = tuple(folder + os.sep for folder in set(_folders()))
