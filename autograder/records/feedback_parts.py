"""Read the graded pieces of a submission from its graded notebook, for its feedback page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from markupsafe import Markup
from nbgrader.utils import is_grade, is_solution

from autograder.gradebook.gradebook import Records
from autograder.grading.pictures import plain_picture
from autograder.grading.sanitize import harmless_markdown
from autograder.grading.tags import ADDED, BARE, OURS
from autograder.records.archive import Archive
from autograder.records.record import Record, points
from autograder.records.typeset import lesson_prose, person_prose
from course_lib.course import CourseError
from course_lib.rebuilding.written import UNWRITTEN
from course_lib.running.media import alt_of

#: nbgrader's comment on an empty written answer
_EMPTY = "No response."
#: the beginning of a question in a lesson's text
_ASKS = "**Written question"
_LONG = 700  #: the number of characters above which a question is folded
#: a terminal's codes for colours
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass
class Part:
    """One graded piece of a submission.

    Attributes:
        name: the id of the exercise or the written answer.
        points: the points as shown, or empty if the piece is not graded.
        full: whether the student earned all points.
        card: the grader's own HTML; empty for a written answer.
        code: what the student wrote.
        shown: the texts that the student's code showed.
        images: the images that the student's code showed, as PNG in base64, each with its description.
        comments: the comments of the person who graded the piece.
        written: whether the piece is a written answer.
        question: the question of a written answer, as HTML.
        long: whether the question is long.
        unanswered: whether the student wrote no answer.
        by_person: whether a person gave the points of an exercise in place of the grader's.
    """

    name: str
    points: str
    full: bool = False
    card: str = ""
    code: str = ""
    shown: list[str] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    written: bool = False
    question: str = ""
    long: bool = False
    unanswered: bool = False
    by_person: bool = False

    @property
    def title(self) -> str:
        """Return the name as a person reads it."""
        return self.name.removeprefix("written-").replace("_", " ") if self.written else self.name


def parts_of_page(archive: Archive, records: Records, record: Record, bare: bool) -> tuple[list[Part], float]:
    """Return the graded pieces with the gradebook's points, and the late penalty.

    Args:
        bare: whether to leave out the output of the student's code.
    """
    student, lesson = record["student"], record["lesson"]
    path = archive.autograded(student, lesson)
    if not path.is_file():
        raise CourseError(f"{path} is missing. Grade again: {archive.options.command(f'grade {lesson} --force')}")
    notebook, resources = records.with_grades(student, nbformat.read(path, as_version=4))
    in_gradebook = records.submission_points(student).get(student)
    by_person = in_gradebook.by_person if in_gradebook else ()
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
                part.unanswered = about.get("comment") == _EMPTY or cell.source.strip() in ("", UNWRITTEN)
                part.written, part.code = True, person_prose(cell.source)
                part.question, part.long = lesson_prose(asked), len(asked) > _LONG
            else:
                part.by_person = name in by_person
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
    """Return the comment of the person who graded a cell, as HTML."""
    comment = about.get("comment")
    return [person_prose(harmless_markdown(comment))] if comment and comment != _EMPTY else []


def _html(output: Any, bare: bool) -> str:
    """Return the HTML of the grader's own card. The HTML of other outputs is never used."""
    return str(output.get("metadata", {}).get(BARE, "") if bare else output.get("data", {}).get("text/html", ""))


def _add_what_was_written(part: Part, cell: Any, bare: bool) -> None:
    """Add the student's code, its output, and a grader's comments."""
    if cell is None:
        return
    part.code = cell.source
    part.comments += _comments(cell.metadata.get("nbgrader", {}))
    for output in () if bare else cell.get("outputs", ()):
        data = output.get("data", {})
        text = output.get("text") or "\n".join(output.get("traceback", ())) or data.get("text/plain", "")
        if "image/png" in data:
            picture = plain_picture(data["image/png"])
            if picture.encoded:
                part.images.append((picture.encoded, alt_of(output.get("metadata"), "image/png")))
            else:
                part.shown.append(f"[{picture.problem}]")
        elif text:
            part.shown.append(_COLOUR.sub("", text))
