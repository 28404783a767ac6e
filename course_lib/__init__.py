"""What a notebook of the course imports."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from course_lib.version import __version__ as __version__

if TYPE_CHECKING:
    from course_lib.journey.footer import lesson_end as lesson_end
    from course_lib.kernel.begin import begin as begin
    from course_lib.kernel.check import check as check
    from course_lib.kernel.check import hint as hint
    from course_lib.kernel.check import solution as solution
    from course_lib.kernel.example import example as example
    from course_lib.kernel.predictions import predict as predict

#: what a notebook calls, and where it is; the command line imports this package too, and should not wait for PyTorch
_CALLED = {
    "check": "course_lib.kernel.check",
    "hint": "course_lib.kernel.check",
    "example": "course_lib.kernel.example",
    "solution": "course_lib.kernel.check",
    "begin": "course_lib.kernel.begin",
    "lesson_end": "course_lib.journey.footer",
    "predict": "course_lib.kernel.predictions",
}


def __getattr__(name: str) -> Any:
    """What a notebook calls, imported the first time that one of these names is asked for."""
    if name not in _CALLED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_CALLED[name]), name)
