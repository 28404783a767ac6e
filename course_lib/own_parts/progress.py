"""A progress message while parts run: each new part takes some seconds, and the student should see why."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class OneLine:
    """A context manager that prints a line with the name of each part as it runs. If no part runs, it prints nothing.

    It prints to stdout, because nbgrader gives no points to a cell that writes to stderr.
    """

    def __init__(self) -> None:
        self._begun = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, symbol: str) -> None:
        """Print the name of a part that starts to run."""
        print(", " if self._begun else "Running each part that is new, once: ", symbol, sep="", end="", flush=True)
        self._begun = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._begun:
            print(flush=True)
