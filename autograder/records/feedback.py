"""Feedback pages: what was found in each exercise first, as cards; a student's own code folded away beneath it.

A written answer stands below the question that was asked, which is the lesson's own text.

A submission runs beside our components of earlier lessons, and what it prints may be these. So while one of those still
accepts work, a page holds nothing that a student's code has said, drawn or answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from markupsafe import Markup
from nbgrader.utils import is_grade, is_solution

from autograder.grading.pictures import plain_picture
from autograder.grading.tags import ADDED, BARE, OURS
from autograder.records.archive import Archive, write_whole
from autograder.records.deadlines import Deadlines, deadlines_of
from autograder.records.gradebook import Records
from autograder.records.record import Record, points
from autograder.records.results import results
from autograder.records.typeset import lesson_prose, plain_prose
from course_lib.checking.html import render
from course_lib.contents import public_lessons
from course_lib.course import CourseError

Notebook = Any

_PAGE = Path(__file__).with_suffix(".html")
#: what nbgrader says of a written answer in which nothing is written
_EMPTY = "No response."
#: how a lesson's question begins, in the text that leads to it
_ASKS = "**Written question"
_LONG = 700  #: characters of a question that is folded away
#: what a terminal's colours look like in a text
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass
class Part:
    """One graded piece of a submission.

    Attributes:
        name: the exercise's id, or the written answer's.
        points: as shown; empty where the piece is asked and not graded.
        full: whether all its points were earned.
        card: what the grader says, as HTML of its own making; empty for a written answer.
        code: what the student wrote, and what that showed: texts, and images as base64 of PNG.
        question: of a written answer, as HTML, and whether it is long.
        comments: of whoever graded it.
    """

    name: str
    points: str
    full: bool = False
    card: str = ""
    code: str = ""
    shown: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    written: bool = False
    question: str = ""
    long: bool = False

    @property
    def title(self) -> str:
        """What a person reads."""
        return self.name.removeprefix("written-").replace("_", " ") if self.written else self.name


def deadlines_before(archive: Archive, records: Records, lesson: str) -> Deadlines:
    """The deadlines of earlier lessons: while one of these accepts work, pages hold less.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    return deadlines_of([entry.name for entry in public_lessons() if entry.name < lesson], records, archive)


def write_feedback(archive: Archive, records: Records, lesson: str, earlier: Deadlines) -> Iterator[Path]:
    """Write a page for every graded submission, one at a time, and yield where it lies.

    A submission that failed gets a page too: it says why, and what to do.

    Args:
        earlier: see `deadlines_before`.

    Raises:
        CourseError: of some there is no graded notebook; all others have their page by then.
    """
    missing = []
    for record in results(archive, records, lesson):
        if record["status"] == "failed" or archive.autograded(record["student"], lesson).is_file():
            yield write_page(archive, records, record, earlier)
        else:
            missing.append(record["student"])
    if missing:
        raise CourseError(
            f"There is no graded notebook of {', '.join(missing)} in {archive.folder / 'autograded'}, and so no page. "
            f"Grade again: course grade {lesson} --force"
        )


def write_page(archive: Archive, records: Records, record: Record, earlier: Deadlines | None = None) -> Path:
    """Write the page of one submission; where it lies.

    Args:
        earlier: see `deadlines_before`; looked up where it is not given.
    """
    page = archive.feedback(record["student"], record["lesson"])
    waits_for = (earlier or deadlines_before(archive, records, record["lesson"])).in_words
    parts, penalty = ([], 0.0) if record["status"] == "failed" else _parts(archive, records, record, bool(waits_for))
    write_whole(page, feedback_page(record, parts, penalty, waits_for))
    return page


def feedback_page(record: Record, parts: list[Part], penalty: float = 0.0, waits_for: str = "") -> str:
    """The page of one submission. It needs nothing else, and runs nothing.

    Args:
        waits_for: the earlier lessons on whose account it holds nothing of what the code has said.
    """
    score = "" if record["score"] is None else points(record["score"], record["max_score"])
    return render(_PAGE, record=record, score=score, parts=parts, penalty=penalty, waits_for=waits_for)


def _parts(archive: Archive, records: Records, record: Record, bare: bool) -> tuple[list[Part], float]:
    """What was graded, with the gradebook's points, and the penalty for being late.

    Args:
        bare: without what the code has said.
    """
    student, lesson = record["student"], record["lesson"]
    path = archive.autograded(student, lesson)
    if not path.is_file():
        raise CourseError(f"{path} is missing. Grade again: course grade {lesson} --force")
    notebook, resources = records.with_grades(student, nbformat.read(path, as_version=4))
    written: dict[str, Any] = {}
    parts: list[Part] = []
    asked = ""
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        name = about.get("grade_id", "")
        if is_grade(cell):
            part = Part(name.removeprefix("check-"), _points(about, name in record["waiting"]))
            part.full = bool(about.get("points")) and (about.get("score") or 0) >= about["points"]
            if is_solution(cell):  # a written answer
                if not part.points and about.get("comment") == _EMPTY:
                    continue
                part.written, part.code = True, plain_prose(cell.source)
                part.question, part.long = lesson_prose(asked), len(asked) > _LONG
            else:
                part.card = Markup("".join(_html(output, bare) for output in cell.outputs))
                _add_what_was_written(part, written.pop(part.name, None), bare)
            part.comments += _comments(about)
            parts.append(part)
        elif is_solution(cell):
            written[name] = cell
        elif cell.cell_type == "markdown" and not {ADDED, OURS} & set(cell.metadata.get("tags", ())):
            asked = cell.source[max(0, cell.source.rfind(_ASKS)) :]
    return parts, float(resources["nbgrader"].get("late_penalty") or 0.0)


def _points(about: dict[str, Any], waits: bool) -> str:
    if waits:
        return f"not graded yet / {about['points']:g}"
    return points(float(about.get("score") or 0.0), float(about["points"])) if about.get("points") else ""


def _comments(about: dict[str, Any]) -> list[str]:
    """What whoever graded a cell said of it."""
    return [plain_prose(about["comment"])] if about.get("comment") else []


def _html(output: Any, bare: bool) -> str:
    """The grader's own card; no other cell's output is asked for its HTML."""
    return str(output.get("metadata", {}).get(BARE, "") if bare else output.get("data", {}).get("text/html", ""))


def _add_what_was_written(part: Part, cell: Any, bare: bool) -> None:
    """The student's code, what it showed, and what a grader said of it."""
    if cell is None:
        return
    part.code = cell.source
    part.comments += _comments(cell.metadata.get("nbgrader", {}))
    for output in () if bare else cell.get("outputs", ()):
        data = output.get("data", {})
        text = output.get("text") or "\n".join(output.get("traceback", ())) or data.get("text/plain", "")
        if "image/png" in data:
            picture = plain_picture(data["image/png"])
            (part.images if picture.encoded else part.shown).append(picture.encoded or f"[{picture.problem}]")
        elif text:
            part.shown.append(_COLOUR.sub("", text))
