"""Real text, for a lesson's cells. It contains answers of lessons up to 11, so lesson 12 releases it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.course import CourseError
from course_lib.stand_ins import STAND_INS

if TYPE_CHECKING:
    from course_lib.real_text.reading import Reading

LATER = "Training on real text comes with the library of lesson 12: it holds answers of lessons 10 and 11."


def there_is_real_text() -> None:
    """Check that `course_lib.real_text` is available.

    Raises:
        CourseError: it, or something it depends on, has not been released yet.
    """
    if find_spec("course_lib.real_text") is None:
        raise CourseError(LATER)
    if STAND_INS:
        lessons = " and ".join(dict.fromkeys(STAND_INS.values()))
        raise CourseError(f"Training on real text needs our components, and this release has none of {lessons}.")


def read_run(folder: str | Path, count: int = 200) -> Reading | None:
    """Translate unseen sentences with the run in a folder.

    If there is no run, print a line that says why, and return None.

    Args:
        folder: where `course train` wrote the run.
        count: how many sentences.
    """
    try:
        there_is_real_text()
        from course_lib.real_text.reading import read

        return read(Path(folder), count)
    except CourseError as reason:
        print(f"{reason}\n(These cells are for later, then.)")
        return None
