"""Feedback pages: nbgrader's own template, over the graded notebook."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import nbgrader
from nbconvert.exporters import HTMLExporter

from autograder.grading.sanitize import harmless_markdown
from autograder.records.archive import Archive, write_whole
from autograder.records.gradebook import Records
from autograder.records.record import Record, points
from autograder.records.results import results
from course_lib.checking.formatting import number
from course_lib.checking.html import render
from course_lib.course import CourseError

Notebook = Any

_FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"


def feedback_exporter() -> HTMLExporter:
    """nbgrader's feedback template, set up as ``nbgrader generate_feedback`` does."""
    exporter = HTMLExporter(
        template_name="feedback",
        extra_template_basedirs=[str(_FORMGRADER / "templates")],
        extra_template_paths=[str(_FORMGRADER / "static/node_modules/bootstrap/dist/css")],
    )
    exporter.log.setLevel(logging.ERROR)  # figures without alt text are the student's affair
    # the template rounds whatever it shows as a score; one that waits for a person is a word
    exporter.register_filter("float", lambda score: score if isinstance(score, str) else float(score or 0.0))
    exporter.register_filter("round", lambda score, digits=0: score if isinstance(score, str) else round(score, digits))
    return exporter


def write_feedback(archive: Archive, records: Records, lesson: str) -> Iterator[Path]:
    """Write a page for every graded submission, one at a time, and yield where it lies.

    A submission that failed gets a page too: it says why, and what to do.
    """
    exporter = feedback_exporter()
    for record in results(archive, records, lesson):
        page = archive.feedback(record["student"], lesson)
        if record["status"] == "failed":
            write_whole(page, _failed_page(record))
        else:
            notebook, resources = _notebook(archive, records, record)
            try:
                html, _ = exporter.from_notebook_node(notebook, resources=resources)
            except Exception as error:  # whatever a student's cells show must not cost the others their pages
                html = _plain_page(record, f"{type(error).__name__} while it was laid out")
            write_whole(page, html)
        yield page


def _notebook(archive: Archive, records: Records, record: Record) -> tuple[Notebook, dict[str, Any]]:
    """The graded notebook with the gradebook's points; what waits for a person has no points yet."""
    student, lesson = record["student"], record["lesson"]
    path = archive.autograded(student, lesson)
    if not path.is_file():
        raise CourseError(f"{path} is missing. Grade again: course grade {lesson} --force --submissions DIR")
    notebook, resources = records.with_grades(student, nbformat.read(path, as_version=4))
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in record["waiting"]:
            cell.metadata.nbgrader["score"] = "not graded yet"
    if record["waiting"]:
        resources["nbgrader"]["score"] = f"{number(record['score'] or 0.0)} so far"
    if record["kept"]:
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(_kept(record["kept"])))
    return notebook, resources


def _kept(reason: str) -> str:
    """Why this page is about an earlier file, as Markdown."""
    return f"**This is the grade of an earlier file.** The last one could not be graded: {harmless_markdown(reason)}."


_PAGE = Path(__file__).with_name("page_without_notebook.html")


def _plain_page(record: Record, why: str) -> str:
    """The points alone, where the page itself cannot be made."""
    exercises = [(name, points(e["score"], e["max_score"])) for name, e in record["exercises"].items()]
    score = points(record["score"], record["max_score"])
    return render(_PAGE, lesson=record["lesson"], score=score, exercises=exercises, not_shown=why)


def _failed_page(record: Record) -> str:
    """Why there is no grade, and whose turn it is."""
    return render(
        _PAGE,
        lesson=record["lesson"],
        score="" if record["score"] is None else points(record["score"], record["max_score"]),
        reason=record["reason"],
        courses_fault=record["courses_fault"],
        not_shown="",
    )
