"""Write feedback pages. Each exercise has a card with the result, and below it the student's own code, folded.

A written answer appears below its question from the lesson's text.

A submission runs together with our components of earlier lessons, so it could print their source. While an earlier
lesson still accepts work, a page therefore contains no text, picture or value that the student's code has produced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.class_folder.writing import write_whole
from autograder.collecting.roster import enrolled
from autograder.gradebook.deadlines_file import in_zone
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.records.deadlines import Deadlines, deadlines_of
from autograder.records.feedback_parts import Part, parts_of_page
from autograder.records.record import Record, points
from autograder.records.results import results
from autograder.submissions.submission_time import TIME
from course_lib.checking.html import render
from course_lib.contents import public_lessons
from course_lib.course import CourseError, find_course

_PAGE = Path(__file__).with_suffix(".html")


@dataclass(frozen=True)
class Head:
    """The head of a page.

    Attributes:
        title: the lesson's title.
        name: the student's name, or the id if the name is unknown or must not be shown.
        handed_in: the submission time, if it is known.
        graded: the time at which the grade last changed.
    """

    title: str
    name: str = ""
    handed_in: str = ""
    graded: str = ""


def deadlines_before(archive: Archive, records: Records, lesson: str) -> Deadlines:
    """Return the deadlines of earlier lessons. While one of these still accepts work, pages show less.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    return deadlines_of([entry.name for entry in public_lessons() if entry.name < lesson], records, archive)


def write_feedback(
    archive: Archive, records: Records, lesson: str, earlier: Deadlines, anonymous: bool = False
) -> Iterator[Path]:
    """Write a page for every graded submission, one at a time, and yield its path.

    A submission that failed gets a page, too, which explains why and what to do.

    Args:
        earlier: the deadlines of earlier lessons, see `deadlines_before`.
        anonymous: whether the pages show ids instead of names.

    Raises:
        CourseError: some graded notebooks are missing. The pages of all others have been written.
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
            f"Grade again: {archive.options.command(f'grade {lesson} --force')}"
        )


def write_page(
    archive: Archive, records: Records, record: Record, earlier: Deadlines | None = None, anonymous: bool = False
) -> Path:
    """Write the page of one submission, and return its path.

    Args:
        earlier: the deadlines of earlier lessons, or None to look them up with `deadlines_before`.
        anonymous: whether the page shows the id instead of the name.
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
    timezone = find_course().late.timezone
    titles = {entry.name: f"Lesson {entry.number} · {entry.title}" for entry in public_lessons()}
    stamp = archive.autograded(student, lesson).with_name(TIME)
    handed_in = stamp.read_text(encoding="utf-8").strip() if stamp.is_file() else ""
    graded = max(
        (moment["when"] for moment in archive.history(student) if moment["record"]["lesson"] == lesson), default=""
    )
    times = (in_zone(parse_utc(moment), timezone) if moment else "" for moment in (handed_in, graded))
    return Head(titles.get(lesson, lesson), name, *times)


def feedback_page(
    record: Record, parts: Sequence[Part], penalty: float = 0.0, waits_for: str = "", head: Head | None = None
) -> str:
    """Render the page of one submission, without scripts and without any other file.

    Args:
        waits_for: the earlier lessons that still accept work, so that the page shows no output of the student's code.
        head: the head of the page.
    """
    score = "" if record["score"] is None else points(record["score"], record["max_score"])
    return render(
        _PAGE,
        record=record,
        head=head or Head(record["lesson"]),
        score=score,
        decision=record["decision"].removeprefix("decided: "),
        parts=parts,
        penalty=penalty,
        waits_for=waits_for,
    )
