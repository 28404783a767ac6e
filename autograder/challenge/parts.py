"""Find the student's own components: cut them from earlier notebooks, and judge them in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.grading.sandbox import Sandbox
from autograder.submissions.submission import Submission
from course_lib.contents import Entry
from course_lib.our_errors import report
from course_lib.own_parts.judge import Budget, Judge
from course_lib.own_parts.parts import Part
from course_lib.own_parts.use import part_exercises, parts_of_lesson

LARGEST_NOTEBOOK = 2_000_000  #: the most bytes of an earlier lesson's notebook from which parts are cut
#: the budget for all parts of a submission. The reference's 51 take 4 s of CPU time and 5 s of wall time
BUDGET = Budget(processor_seconds=60.0, wall_seconds=300.0, unfinished=2)


def parts_of(submission: Submission, sandbox: Sandbox, last: str, budget: Budget = BUDGET) -> list[Part]:
    """Return every component up to a lesson, and whose version of it is used.

    Args:
        last: that lesson. The sandbox's library contains no later ones.
        budget: the limit after which the course's versions replace the remaining parts.
    """
    exercises = [e for e in part_exercises() if e.lesson <= last]
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
            except Exception as error:
                report(error, f"taking apart {submission.student}'s {lesson}")
                parts += _ours(mine, f"its notebook cannot be taken apart: {type(error).__name__}")
    return parts


def _ours(exercises: Sequence[Entry], why: str) -> Iterator[Part]:
    """Yield the course's versions of the parts that exercises ask for."""
    for symbol, lesson in dict.fromkeys((e.symbol, e.lesson) for e in exercises):
        yield Part(symbol, lesson, why)
