"""Turn every error of a gradebook into one sentence that says what to do."""

from __future__ import annotations

import logging
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nbgrader.api import InvalidEntry
from nbgrader.api import app_log as nbgrader_log
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SAWarning, SQLAlchemyError

from autograder.class_folder.gradebook_url import file_of, without_password
from autograder.gradebook.tables import OldGradebookError
from course_lib.course import CourseError

# SQLAlchemy warns about the order in which nbgrader saves its objects, but the scores are right. `catch_warnings` would
# not do, because several threads save
warnings.filterwarnings("ignore", category=SAWarning, module="nbgrader")


@contextmanager
def opening(url: str) -> Iterator[None]:
    """Open a gradebook.

    Raises:
        CourseError: the gradebook cannot be opened.
    """
    cannot = f"The gradebook {without_password(url)} cannot be opened"
    if url in ("sqlite://", "sqlite:///", "sqlite:///:memory:"):
        raise CourseError(f"{cannot}: it names no file. Name one, as sqlite:///class/gradebook.db.")
    try:
        with _without_tracebacks():
            yield
    except (ArgumentError, NoSuchModuleError):
        raise CourseError(
            f"{cannot}: that is not the URL of a database. They look like sqlite:///class/gradebook.db or "
            "postgresql://grader@db.example.org/course."
        ) from None
    except ImportError as error:
        driver = error.name or str(error)
        how = "pip install -e '.[postgres]'" if driver.startswith("psycopg") else f"pip install {driver}"
        raise CourseError(f"{cannot}: its driver {driver} is not installed. Run: {how}") from None
    except OldGradebookError as error:
        raise CourseError(f"{cannot}: an older version of nbgrader made it ({error}). {how_to_upgrade(url)}") from None
    except (SQLAlchemyError, InvalidEntry, OSError) as error:
        reason = _reason(error)
        hint = " PostgreSQL takes it from ~/.pgpass or PGPASSWORD." if "password" in reason else ""
        raise CourseError(f"{cannot}: {reason}.{hint}") from None


@contextmanager
def using(url: str, rollback: Callable[[], object]) -> Iterator[None]:
    """Read or write an open gradebook.

    Raises:
        CourseError: the gradebook cannot be read or written. What was not yet saved is rolled back.
    """
    with _without_tracebacks():
        try:
            yield
        except (SQLAlchemyError, InvalidEntry, OSError) as error:
            with suppress(SQLAlchemyError):
                rollback()
            raise CourseError(f"The gradebook {without_password(url)} cannot be used: {_reason(error)}.") from None


def how_to_upgrade(url: str) -> str:
    """Return a sentence with the command that upgrades a gradebook."""
    command, option = Path(sys.executable).with_name("nbgrader"), f"--CourseDirectory.db_url={without_password(url)}"
    copies = "nbgrader copies it first" if file_of(url) else "make a copy of it first, with pg_dump"
    return f"Upgrade it ({copies}): {shlex.quote(str(command))} db upgrade {shlex.quote(option)}"


def _reason(error: Exception) -> str:
    """Return an error's message without the SQL and the class names around it."""
    said = str(error.strerror if isinstance(error, OSError) and error.strerror else error) or type(error).__name__
    return _AROUND.sub("", said.splitlines()[0]).rstrip(".")


_AROUND = re.compile(r"^\(\S+\) ")  #: matches the start of "(sqlite3.OperationalError) database is locked"


@contextmanager
def _without_tracebacks() -> Iterator[None]:
    """Keep nbgrader from logging every database error with its traceback before it raises it."""
    before, log = nbgrader_log.level, nbgrader_log
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
