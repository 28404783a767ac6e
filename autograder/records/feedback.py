"""Feedback pages: nbgrader's own template, over the graded notebook."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from html import escape
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


_THEIR_TURN = "<p>Open it in JupyterLab, run <code>course doctor NOTEBOOK</code>, and hand it in again.</p>"
_OUR_TURN = "<p>That lies in the course, not in your work: there is nothing that you need to do.</p>"


def _plain_page(record: Record, why: str) -> str:
    """The points alone, where the page itself cannot be made."""
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{points(exercise['score'], exercise['max_score'])}</td></tr>"
        for name, exercise in record["exercises"].items()
    )
    return _bare_page(
        record["lesson"],
        f"<p>{points(record['score'], record['max_score'])} points.</p>"
        f"<p>Something that a cell shows cannot be shown on this page: {escape(why)}.</p>"
        f"<table>{rows}</table>",
    )


def _failed_page(record: Record) -> str:
    score = record["score"]
    given = "" if score is None else f"<p>Points given by hand: {points(score, record['max_score'])}.</p>"
    return _bare_page(
        record["lesson"],
        f"<p>Your submission could not be graded: {escape(record['reason'])}.</p>"
        f"{given}{_OUR_TURN if record['courses_fault'] else _THEIR_TURN}",
    )


def _bare_page(lesson: str, body: str) -> str:
    """A page without the notebook; ``body`` is HTML, with everything in it escaped."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(lesson)}</title></head>'
        '<body style="font-family:sans-serif;max-width:44em;margin:3em auto;line-height:1.5">'
        f"<h1>{escape(lesson)}</h1>{body}</body></html>"
    )
