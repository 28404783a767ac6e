"""The instructor's side of the course. From Python, `grade` an implementation, and list the `exercise_ids`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.exercises.grade_one import Report as Report
    from autograder.exercises.grade_one import exercise_ids as exercise_ids
    from autograder.exercises.grade_one import grade as grade

# nbformat imports jsonschema, which takes a second to build a grammar of web addresses that is not needed here. It
# works without this package
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

_OFFERED = ("Report", "exercise_ids", "grade")


def __getattr__(name: str) -> Any:
    """Import what this package offers on first use, so that the command line does not wait for PyTorch."""
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("autograder.exercises.grade_one"), name)
