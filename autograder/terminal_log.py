"""Log what a command does in the class's folder, and name the log if something went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.markup import escape

from autograder.class_folder.log import logging_in
from autograder.records.archive import Archive
from autograder.terminal import out
from course_lib.checking.formatting import many
from course_lib.course import CourseError
from course_lib.our_errors import LOG


@contextmanager
def logged(archive: Archive) -> Iterator[None]:
    """Log the errors of the course itself, and say at the end of the block if there were any."""
    with logging_in(archive.folder) as log:
        try:
            yield
        except CourseError:
            raise
        except Exception as error:
            LOG.error("the command failed", exc_info=error)
            raise
        finally:
            if log.errors:
                were = "was" if log.errors == 1 else "were"
                out.print(
                    f"There {were} {many(log.errors, 'error')} of the course itself. Please report what is in "
                    f"{escape(str(log.path))}, but check it for names first.",
                    soft_wrap=True,
                )
