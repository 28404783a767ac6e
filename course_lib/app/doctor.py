"""What may be wrong with a notebook, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from course_lib.course import CourseError
from course_lib.rebuilding.at_home import AtHome, rebuilt_notebook
from course_lib.rebuilding.environment import grader_environment
from course_lib.rebuilding.exercises import asked_pieces
from course_lib.rebuilding.finding import Finding as Finding
from course_lib.rebuilding.findings import findings
from course_lib.version import __version__

_LARGE = 10  #: megabytes


def examine_notebook(path: Path) -> Iterator[Finding]:
    """Examine a notebook as a grader will, without running it."""
    try:
        notebook = rebuilt_notebook(path)
    except CourseError as error:
        yield Finding("wrong", str(error))
        return
    if path.stem != notebook.lesson:
        yield Finding("note", f"the file is called {path.name}", f"Hand it in as {notebook.lesson}.ipynb.")
    yield from remarks(notebook)
    size = path.stat().st_size / 1e6
    if size > _LARGE:
        yield Finding("note", f"the file has {size:.0f} MB", "Clear the outputs before you hand it in.")


def remarks(notebook: AtHome) -> Iterator[Finding]:
    """Say what would cost points in a notebook, what is unusual about it, and which exercises are there."""
    rebuilt = notebook.rebuilt
    if notebook.version not in ("", __version__):
        text = f"the notebook was made for version {notebook.version}, but course_lib is version {__version__}"
        yield Finding("note", text, "Get both from one release: checks may differ from your grader's.")
    found = findings(rebuilt, grader_environment())
    yield from found
    costly = {finding.exercise for finding in found if finding.state == "wrong"}
    said = " ".join(finding.text for finding in found)
    for exercise in asked_pieces(rebuilt):
        symbol = rebuilt.symbols[exercise]
        if exercise not in costly and f"`{symbol}` is not written yet" not in said:
            yield Finding("ok", f"{symbol} is there")
