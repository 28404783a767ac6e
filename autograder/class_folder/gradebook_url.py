"""Handle a gradebook's URL: add a driver for SQLAlchemy, hide the password, and lock the gradebook it names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

_SQLITE = "sqlite:///"
#: the key of our advisory lock in PostgreSQL, an arbitrary number that all graders share
_LOCK = 1706_03762


def with_driver(url: str) -> str:
    """Add the driver of the extra ``postgres`` and a connection timeout to a URL.

    Return an invalid URL unchanged, because opening it reports the error.
    """
    try:
        parts = make_url(url)
    except SQLAlchemyError:
        return url
    if parts.drivername in ("postgresql", "postgres"):
        parts = parts.set(drivername="postgresql+psycopg")
    if parts.drivername == "postgresql+psycopg" and "connect_timeout" not in parts.query:
        parts = parts.update_query_dict({"connect_timeout": "10"})
    return parts.render_as_string(hide_password=False)


def without_password(url: str) -> str:
    """Return a gradebook's URL without the password, so that it can be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return url


def file_of(url: str) -> Path | None:
    """Return the file of an SQLite gradebook, or None for another database."""
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Lock out other graders of a gradebook while its tables or a lesson's cells are added.

    Grades need no lock, because each belongs to one submission and only one grader works on a submission.
    """
    if file := file_of(url):
        with _alone_in(file.parent):
            yield
    elif url.startswith("postgresql"):
        engine = create_engine(url, poolclass=NullPool)
        with engine.connect() as connection:  # closing the connection releases the lock, even if this process is killed
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
            yield
    else:
        yield


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock a folder. Opening and closing the database file itself would release SQLite's own lock."""
    try:
        import fcntl
    except ImportError:  # Windows lacks this module, but grading needs Linux anyway
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
