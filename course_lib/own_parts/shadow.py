"""Exchanging a component for another object in every module that holds it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from course_lib import components
from course_lib.checking.time_limit import Stopped, silence, within

PACKAGE = "own_parts"  #: the name under which own parts are modules
SECONDS = 5.0  #: of processor time; a part that needs more to load is left out


class CannotLoadError(Exception):
    """A part could not be loaded; the message says why."""


class Shadow:
    """The components that are exchanged now.

    A name is exchanged wherever a module of `course_lib`, an own part or the notebook holds the very
    object: a notebook that has imported a component before has the new one too. Classes of the course
    that inherit from a component inherit from the new one. What a notebook has made of a component
    before (a layer, a subclass of its own) stays as it is.
    """

    def __init__(self) -> None:
        self._pairs: dict[str, tuple[Any, Any]] = {}  # symbol: (the reference, the own)

    def put(self, symbol: str, source: str, path: Path) -> None:
        """Load an own part, and exchange the reference for it.

        Args:
            path: what tracebacks name as its file.

        Raises:
            CannotLoadError: it raises, takes too long, or does not define the symbol.
        """
        self.remove(symbol)
        own, reference = load(symbol, source, path), getattr(components, symbol)
        self._pairs[symbol] = reference, own
        _exchange(reference, own)

    def remove(self, symbol: str) -> None:
        """Put the reference back."""
        if symbol in self._pairs:
            reference, own = self._pairs.pop(symbol)
            _exchange(own, reference)
            sys.modules.pop(f"{PACKAGE}.{symbol}", None)

    def clear(self) -> None:
        """Put every reference back."""
        for symbol in list(self._pairs):
            self.remove(symbol)


#: of this process
SHADOW = Shadow()


def put_all(sources: Mapping[str, str]) -> None:
    """Exchange references for own parts, by symbol; one that cannot be loaded is left out."""
    for symbol, source in sources.items():
        with suppress(CannotLoadError):
            SHADOW.put(symbol, source, Path(f"{symbol}.py"))


def load(symbol: str, source: str, path: Path) -> Any:
    """Run a part as a module of its own, in silence and within `SECONDS`, and return what it defines."""
    module = ModuleType(f"{PACKAGE}.{symbol}")
    module.__file__ = str(path)
    problem: list[str] = []

    def run() -> None:
        try:
            exec(compile(source, path, "exec"), vars(module))
        except Stopped:
            raise
        except BaseException as error:  # SystemExit too: it must not end the lesson
            problem.append(type(error).__name__)

    sys.modules.setdefault(PACKAGE, ModuleType(PACKAGE))
    sys.modules[module.__name__] = module  # where pickle and torch look for a class by its name
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
        heirs: list[type] = old.__subclasses__()
        for heir in heirs:
            if heir is not new and _is_ours(heir.__module__):
                with suppress(TypeError):  # the new one is made so differently that nothing can change its parents
                    heir.__bases__ = tuple(new if base is old else base for base in heir.__bases__)


def _holders() -> Iterator[ModuleType]:
    for name, module in list(sys.modules.items()):
        if name == "__main__" or _is_ours(name):
            yield module


def _is_ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in ("course_lib", PACKAGE)
