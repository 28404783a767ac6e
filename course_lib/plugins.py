"""What other packages of the course add to this library, by entry point: it imports nothing of them itself."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any


def plugins(group: str) -> Iterator[Any]:
    """What is installed under an entry point group, without that of an autograder that is not at hand.

    A student's environment may know the autograder's name and not have it, and so does the sandbox.
    """
    for entry in entry_points(group=group):
        try:
            yield entry.load()
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("autograder"):
                raise
