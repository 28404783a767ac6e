"""Exchange a component for another object in every module that refers to it.

A component is exchanged wherever a module of `course_lib`, an own part or the notebook refers to that very object. So a
notebook that has already imported the component gets the new one, too. Classes of the course that inherit from the
component inherit from the new one. Layers and subclasses that a notebook has already made from the component stay as
they are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from course_lib import components
from course_lib.checking.time_limit import Stopped, silence, within
from course_lib.session import CURRENT

PACKAGE = "own_parts"  #: the package name of own parts when they are loaded as modules
SECONDS = 5.0  #: the limit of processor time; a part that needs more to load is left out


class CannotLoadError(Exception):
    """A part could not be loaded; the message says why."""


def put(symbol: str, source: str, path: Path) -> None:
    """Load an own part, and exchange the reference for it.

    Args:
        path: the file name to show in tracebacks.

    Raises:
        CannotLoadError: the part raises, takes too long, or does not define the symbol.
    """
    remove(symbol)
    own, reference = load(symbol, source, path), getattr(components, symbol)
    CURRENT.exchanged[symbol] = reference, own
    _exchange(reference, own)


def remove(symbol: str) -> None:
    """Put the reference back."""
    if symbol in CURRENT.exchanged:
        reference, own = CURRENT.exchanged.pop(symbol)
        _exchange(own, reference)
        sys.modules.pop(f"{PACKAGE}.{symbol}", None)


def clear() -> None:
    """Put every reference back."""
    for symbol in list(CURRENT.exchanged):
        remove(symbol)


def put_all(sources: Mapping[str, str]) -> None:
    """Exchange references for own parts, by symbol. Leave out a part that cannot be loaded."""
    for symbol, source in sources.items():
        with suppress(CannotLoadError):
            put(symbol, source, Path(f"{symbol}.py"))


def load(symbol: str, source: str, path: Path) -> Any:
    """Run a part as a module of its own, without output and within `SECONDS`, and return the object it defines."""
    module = ModuleType(f"{PACKAGE}.{symbol}")
    module.__file__ = str(path)
    problem: list[str] = []

    def run() -> None:
        try:
            exec(compile(source, path, "exec"), vars(module))
        except Stopped:
            raise
        except BaseException as error:  # including SystemExit, which must not end the lesson
            problem.append(type(error).__name__)

    sys.modules.setdefault(PACKAGE, ModuleType(PACKAGE))
    sys.modules[module.__name__] = module  # pickle and torch look here for a class by its name
    with silence():
        ran = within(SECONDS, run)
    if ran.finished and not problem and hasattr(module, symbol):
        return getattr(module, symbol)
    del sys.modules[module.__name__]
    raise CannotLoadError(
        f"loading it was not finished after {ran.wall:.0f} s: it had {ran.processor:.1f} s of processor time"
        if ran.starved
        else f"loading it was stopped after {SECONDS:g} s of processor time"
        if not ran.finished
        else f"loading it stops with {problem[0]}"
        if problem
        else f"it does not define {symbol}"
    )


def _exchange(old: Any, new: Any) -> None:
    for module in _holders():
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)
    if isinstance(old, type) and isinstance(new, type):
        subclasses: list[type] = old.__subclasses__()
        for subclass in subclasses:
            if subclass is not new and _is_ours(subclass.__module__):
                with suppress(TypeError):  # the new class has an incompatible layout, so the parents can't be changed
                    subclass.__bases__ = tuple(new if base is old else base for base in subclass.__bases__)


def _holders() -> Iterator[ModuleType]:
    for name, module in list(sys.modules.items()):
        if name == "__main__" or _is_ours(name):
            yield module


def _is_ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in ("course_lib", PACKAGE)
