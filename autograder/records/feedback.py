"""Feedback pages: what was found in each exercise first, as cards; a student's own code folded away beneath it.

A written answer stands below the question that was asked, which is the lesson's own text.

A submission runs beside our components of earlier lessons, and what it prints may be these. So while one of those still
accepts work, a page holds nothing that a student's code has said, drawn or answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.collecting.roster import enrolled
from autograder.grading.submission_time import TIME
from autograder.records.archive import Archive, write_whole
from autograder.records.deadlines import Deadlines, deadlines_of
from autograder.records.feedback_parts import Part, parts_of_page
from autograder.records.gradebook import Records
from autograder.records.record import Record, points
from autograder.records.results import results
from course_lib.checking.html import render
from course_lib.contents import public_lessons
from course_lib.course import CourseError

_PAGE = Path(__file__).with_suffix(".html")


@dataclass(frozen=True)
class Head:
    """Whose page it is, of what, and when.

    Attributes:
        title: of the lesson.
        name: of the student, or the id where no name is known or none is to be shown.
        handed_in: when, as far as that is known.
        graded: when the grade last changed.
    """

    title: str
    name: str = ""
    handed_in: str = ""
    graded: str = ""


def deadlines_before(archive: Archive, records: Records, lesson: str) -> Deadlines:
    """The deadlines of earlier lessons: while one of these accepts work, pages hold less.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    return deadlines_of([entry.name for entry in public_lessons() if entry.name < lesson], records, archive)


def write_feedback(
    archive: Archive, records: Records, lesson: str, earlier: Deadlines, anonymous: bool = False
) -> Iterator[Path]:
    """Write a page for every graded submission, one at a time, and yield where it lies.

    A submission that failed gets a page too: it says why, and what to do.

    Args:
        earlier: see `deadlines_before`.
        anonymous: whether they have ids instead of names.

    Raises:
        CourseError: of some there is no graded notebook; all others have their page by then.
    """
    missing = []
    for record in results(archive, records, lesson):
        if record["status"] == "failed" or archive.autograded(record["student"], lesson).is_file():
            yield write_page(archive, records, record, earlier, anonymous)
        else:
            missing.append(record["student"])
    if missing:
        raise CourseError(
            f"There is no graded notebook of {', '.join(missing)} in {archive.folder / 'autograded'}, and so no page. "
            f"Grade again: course grade {lesson} --force"
        )


def write_page(
    archive: Archive, records: Records, record: Record, earlier: Deadlines | None = None, anonymous: bool = False
) -> Path:
    """Write the page of one submission, and return where it is.

    Args:
        earlier: see `deadlines_before`; looked up where it is not given.
        anonymous: whether it has the id instead of the name.
    """
    page = archive.feedback(record["student"], record["lesson"])
    waits_for = (earlier or deadlines_before(archive, records, record["lesson"])).in_words
    failed = record["status"] == "failed"
    parts, penalty = ([], 0.0) if failed else parts_of_page(archive, records, record, bool(waits_for))
    head = _head(archive, records, record, anonymous)
    write_whole(page, feedback_page(record, parts, penalty, waits_for, head))
    return page


def _head(archive: Archive, records: Records, record: Record, anonymous: bool) -> Head:
    student, lesson = record["student"], record["lesson"]
    members = () if anonymous else enrolled(archive.roster, None, records.members)
    name = next((member.name for member in members if member.id == student), "") or student
    titles = {entry.name: f"Lesson {entry.number} · {entry.title}" for entry in public_lessons()}
    stamp = archive.autograded(student, lesson).with_name(TIME)
    handed_in = stamp.read_text(encoding="utf-8").strip() if stamp.is_file() else ""
    graded = max(
        (moment["when"] for moment in archive.history(student) if moment["record"]["lesson"] == lesson), default=""
    )
    return Head(titles.get(lesson, lesson), name, _day(handed_in), _day(graded))


def _day(moment: str) -> str:
    """Return a moment to the minute, in UTC; empty where there is none."""
    return f"{parse_utc(moment):%Y-%m-%d %H:%M} UTC" if moment else ""


def feedback_page(
    record: Record, parts: Sequence[Part], penalty: float = 0.0, waits_for: str = "", head: Head | None = None
) -> str:
    """The page of one submission. It needs nothing else, and runs nothing.

    Args:
        head: what stands above everything else.
        waits_for: the earlier lessons on whose account it holds nothing of what the code has said.
    """
    score = "" if record["score"] is None else points(record["score"], record["max_score"])
    head = head or Head(record["lesson"])
    return render(_PAGE, record=record, head=head, score=score, parts=parts, penalty=penalty, waits_for=waits_for)
