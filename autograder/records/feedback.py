"""Feedback pages: nbgrader's own template, over the graded notebook."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import nbformat
import nbgrader
from nbconvert.exporters import HTMLExporter

from autograder.records.archive import Archive, write_whole
from autograder.records.gradebook import Records

_FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"


def feedback_exporter() -> HTMLExporter:
    """nbgrader's feedback template, set up as ``nbgrader generate_feedback`` does."""
    exporter = HTMLExporter(
        template_name="feedback",
        extra_template_basedirs=[str(_FORMGRADER / "templates")],
        extra_template_paths=[str(_FORMGRADER / "static/node_modules/bootstrap/dist/css")],
    )
    exporter.log.setLevel(logging.ERROR)  # figures without alt text are the student's affair
    return exporter


def write_feedback(archive: Archive, records: Records, lesson: str) -> Iterator[Path]:
    """Write a page for every graded submission, one at a time, and yield where it lies.

    A submission that failed gets a page too: it says why, and what to do.
    """
    exporter = feedback_exporter()
    for record in archive.records(lesson):
        student = record["student"]
        page = archive.feedback(student, lesson)
        if record["status"] == "failed":
            write_whole(page, _failed_page(lesson, record["reason"]))
        else:
            notebook = nbformat.read(archive.autograded(student, lesson), as_version=4)
            notebook, resources = records.with_grades(student, notebook)
            html, _ = exporter.from_notebook_node(notebook, resources=resources)
            write_whole(page, html)
        yield page


def _failed_page(lesson: str, reason: str) -> str:
    from html import escape

    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(lesson)}</title></head>'
        '<body style="font-family:sans-serif;max-width:44em;margin:3em auto;line-height:1.5">'
        f"<h1>{escape(lesson)}</h1><p>Your submission could not be graded: {escape(reason)}.</p>"
        "<p>Open it in JupyterLab, run <code>course doctor NOTEBOOK</code>, and hand it in again.</p></body></html>"
    )
