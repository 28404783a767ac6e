"""Write feedback pages, with a progress bar in the terminal."""

from __future__ import annotations

from autograder.records.archive import Archive
from autograder.terminal import out, recorded
from autograder.terminal_lateness import update_penalties
from autograder.terminal_progress import progress_bar
from course_lib.course import Course


def feedback_pages(course: Course, lesson: str, archive: Archive, anonymous: bool = False) -> int:
    """Write the feedback pages with a progress bar, and return their number.

    Args:
        anonymous: whether the pages show ids instead of names.
    """
    from autograder.gradebook.gradebook import Records
    from autograder.records.feedback import deadlines_before, write_feedback
    from autograder.records.late_policy import lateness_of

    total = len(recorded(archive, lesson))
    with Records(archive.gradebook, lesson, lateness=lateness_of(course, archive)) as records:
        update_penalties(records)
        earlier = deadlines_before(archive, records, lesson)
        with progress_bar() as progress:
            bar = progress.add_task(f"Feedback for {lesson}", total=total)
            for _ in write_feedback(archive, records, lesson, earlier, anonymous):
                progress.advance(bar)
    if earlier.until:
        out.print(
            f"Work is still accepted for {earlier.in_words}, whose components a submission could have printed. So the "
            "pages leave out what code printed, drew and answered: write them again after that.",
            soft_wrap=True,
        )
    return total
