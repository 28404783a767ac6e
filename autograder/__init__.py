"""What an instructor runs. From Python: `grade` an implementation, and the `exercise_ids` there are."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.exercises.grade_one import Report as Report
    from autograder.exercises.grade_one import exercise_ids as exercise_ids
    from autograder.exercises.grade_one import grade as grade

# nbformat imports jsonschema, and that takes a second to build a grammar of web addresses, for which nobody asks here;
# it does without a package that is missing
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

_OFFERED = ("Report", "exercise_ids", "grade")


def __getattr__(name: str) -> Any:
    """What is offered, imported the first time it is asked for: the command line should not wait for PyTorch."""
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("autograder.exercises.grade_one"), name)
