"""What a process remembers between the cells of a notebook.

Everything that one call leaves behind for a later one is here, whichever package they belong to. Its types belong to
packages above this module, so only type checkers import them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from course_lib.checking.judge import Verdict
    from course_lib.kernel.check import Checked
    from course_lib.kernel.definitions import Definitions


@dataclass
class Session:
    """The state of one process.

    Attributes:
        lesson: the name of the lesson that has begun, or an empty string.
        checked: the last check of each exercise.
        judged: the code that was judged last and its verdict, by exercise, because errors carry forward. A later
            exercise that builds on it may have asked for it.
        definitions: what the cells of this kernel define, once they are watched.
        exchanged: components that are replaced by the student's own: the reference and its replacement, by symbol.
        dtype: torch's default dtype outside questions. The present one may be wrong after a thread was stopped in the
            middle of a question.
    """

    lesson: str = ""
    checked: dict[str, Checked] = field(default_factory=dict)
    judged: dict[str, tuple[Any, Verdict]] = field(default_factory=dict)
    definitions: Definitions | None = None
    exchanged: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    dtype: torch.dtype | None = None

    @property
    def passed(self) -> set[str]:
        """The exercises whose last check gave every point."""
        return {name for name, checked in self.checked.items() if checked.verdict.passed}


#: the session of this process
CURRENT = Session()


def is_graded() -> bool:
    """Return whether this process runs a notebook for the grader or for `course check`."""
    return os.environ.get("COURSE_PARTS") == "reference"
