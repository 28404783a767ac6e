"""Log grading runs, and errors in the course's own code, in the class's folder.

An entry names nobody but the student, and contains no more of an error's message than a record does. `course purge`
removes a log that names the student.
"""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from autograder.class_folder.writing import mode_in
from course_lib.checking.formatting import printable
from course_lib.our_errors import LOG

NAME = "course.log"  #: the name of the log in a class's folder
LONGEST_MESSAGE = 300  #: the maximum length of an error's message, in the log and in records


class ClassLog(logging.Handler):
    """Appends entries to the log of a class. Several graders may do so at once.

    Attributes:
        path: the log's path.
        errors: the number of errors that were logged.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(logging.INFO)
        self.path, self.errors = folder / NAME, 0
        self.setFormatter(_Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S%z"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write one entry, if there is a class folder. A full disk is reported when grades are saved."""
        self.errors += record.levelno >= logging.ERROR
        with contextlib.suppress(OSError):
            mode = mode_in(self.path.parent)
            is_new = not self.path.exists()
            with open(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode), "wb") as file:
                file.write(f"{self.format(record)}\n".encode("utf-8", "replace"))
            if is_new:
                self.path.chmod(mode)


@contextlib.contextmanager
def logging_in(folder: Path) -> Iterator[ClassLog]:
    """Log to a class's folder everything that is reported within the block."""
    handler = start_logging(folder)
    try:
        yield handler
    finally:
        LOG.removeHandler(handler)


def start_logging(folder: Path) -> ClassLog:
    """Log to a class's folder, instead of any other class's, everything that is reported from now on."""
    for other in [one for one in LOG.handlers if isinstance(one, ClassLog)]:
        LOG.removeHandler(other)
    handler = ClassLog(folder)
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    return handler


def shortened(error: BaseException) -> str:
    """Return an error's type and message, which may contain a student's text, as records and the log store them."""
    return f"{type(error).__name__}: {printable(str(error))}"[:LONGEST_MESSAGE]


class _Formatter(logging.Formatter):
    """Formats tracebacks with shortened messages."""

    def formatException(
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        return "\n".join(_described(ei[1])) if ei[1] else ""


def _described(error: BaseException) -> Iterator[str]:
    """Yield an error's traceback, preceded by those of the errors that led to it."""
    if error.__cause__:
        yield from (*_described(error.__cause__), "which caused:")
    elif error.__context__ and not error.__suppress_context__:
        yield from (*_described(error.__context__), "while handling that error:")
    yield "Traceback (most recent call last):"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip()
    yield shortened(error)
