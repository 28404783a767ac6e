"""Where a gradebook is: its URL as SQLAlchemy is to read it, as a person may see it, and a lock for all who use it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

_SQLITE = "sqlite:///"
#: any number, the same for all: PostgreSQL's name for our lock
_LOCK = 1706_03762


def with_driver(url: str) -> str:
    """The URL with the driver that comes with the extra ``postgres``, and with an end to waiting for a server.

    What is no URL stays as it is: whoever opens it says so.
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
    """A gradebook's URL as it may be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return url


def file_of(url: str) -> Path | None:
    """The file of an SQLite gradebook; None where it is another database."""
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Keep other graders of a gradebook waiting while its tables or a lesson's cells are entered.

    Grades need no lock: each belongs to one submission, and a submission to whoever grades it.
    """
    if file := file_of(url):
        with _alone_in(file.parent):
            yield
    elif url.startswith("postgresql"):
        engine = create_engine(url, poolclass=NullPool)
        with engine.connect() as connection:  # the lock ends with the connection, however this process ends
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
            yield
    else:
        yield


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """A lock on a folder: one on the file itself would end SQLite's own when it is closed."""
    try:
        import fcntl
    except ImportError:  # Windows has none, and grading needs Linux
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
