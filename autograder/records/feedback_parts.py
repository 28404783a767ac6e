"""The graded pieces of a submission as its feedback page shows them, read from the graded notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from markupsafe import Markup
from nbgrader.utils import is_grade, is_solution

from autograder.grading.pictures import plain_picture
from autograder.grading.sanitize import harmless_markdown
from autograder.grading.tags import ADDED, BARE, OURS
from autograder.records.archive import Archive
from autograder.records.gradebook import Records
from autograder.records.record import Record, points
from autograder.records.typeset import lesson_prose, person_prose
from course_lib.course import CourseError

#: what nbgrader says of a written answer in which nothing is written
_EMPTY = "No response."
#: what stands in a released notebook where an answer is to be written
_UNWRITTEN = "YOUR ANSWER HERE"
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
        unanswered: whether the student wrote nothing there.
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
    unanswered: bool = False

    @property
    def title(self) -> str:
        """What a person reads."""
        return self.name.removeprefix("written-").replace("_", " ") if self.written else self.name


def parts_of_page(archive: Archive, records: Records, record: Record, bare: bool) -> tuple[list[Part], float]:
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
                part.unanswered = about.get("comment") == _EMPTY or cell.source.strip() in ("", _UNWRITTEN)
                part.written, part.code = True, person_prose(cell.source)
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
    comment = about.get("comment")
    return [person_prose(harmless_markdown(comment))] if comment and comment != _EMPTY else []


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
