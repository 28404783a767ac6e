"""What is said while parts are run: some seconds for each that is new, and a reader should see why they wait."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class OneLine:
    """A line of text that names each part as it is run; nothing where none is. A context manager.

    It goes to stdout: a notebook's cell that writes to stderr is worth nothing to nbgrader.
    """

    def __init__(self) -> None:
        self._begun = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, symbol: str) -> None:
        """Say that a part is being run."""
        print(", " if self._begun else "Running each part that is new, once: ", symbol, sep="", end="", flush=True)
        self._begun = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._begun:
            print(flush=True)
