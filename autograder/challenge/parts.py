"""Whose the components are: cut out of the student's notebooks, and judged in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.grading.sandbox import Sandbox
from autograder.grading.submissions import Submission
from course_lib import components
from course_lib.contents import Entry, public_exercises
from course_lib.own_parts.judge import Budget, Judge
from course_lib.own_parts.parts import Part
from course_lib.own_parts.use import parts_of_lesson

LARGEST_NOTEBOOK = 2_000_000  #: of an earlier lesson, from which parts are cut; bytes
#: of all parts of one submission; the reference's 51 take 4 s of processor time, and 5 by the clock
BUDGET = Budget(processor_seconds=60.0, wall_seconds=300.0, unfinished=2)


def parts_of(submission: Submission, sandbox: Sandbox, last: str, budget: Budget = BUDGET) -> list[Part]:
    """Every component up to a lesson, and whose it is.

    Args:
        last: that lesson; what comes later is not in the sandbox's library.
        budget: when it is used up, the parts that are left are the course's.
    """
    exercises = [e for e in public_exercises() if e.lesson <= last and hasattr(components, e.symbol)]
    parts: list[Part] = []
    home = submission.path.parent.parent
    with TemporaryDirectory(prefix="course-") as folder, Judge(Path(folder), sandbox, budget=budget) as judge:
        for lesson in dict.fromkeys(e.lesson for e in exercises):
            mine = [e for e in exercises if e.lesson == lesson]
            if judge.spent:
                parts += _ours(mine, judge.spent)
                continue
            handed_in = Submission(submission.student, home / lesson / f"{lesson}.ipynb")
            read = handed_in.read(LARGEST_NOTEBOOK)
            copied = Path(folder) / f"{lesson}.ipynb" if read else None
            if copied and read:
                copied.write_bytes(read)
            try:
                parts += parts_of_lesson(mine, copied, judge)
            except Exception as error:  # a notebook that our readers cannot take apart has no parts
                parts += _ours(mine, f"its notebook cannot be taken apart: {type(error).__name__}")
    return parts


def _ours(exercises: Sequence[Entry], why: str) -> Iterator[Part]:
    """The parts that exercises ask for, all of them the course's."""
    for symbol, lesson in dict.fromkeys((e.symbol, e.lesson) for e in exercises):
        yield Part(symbol, lesson, why)
