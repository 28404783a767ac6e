"""The tables of a new gradebook: nbgrader's own, at the newest of its versions."""

from __future__ import annotations

from pathlib import Path

import nbgrader
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from nbgrader.api import Base
from sqlalchemy import create_engine, inspect

_MIGRATIONS = Path(nbgrader.__file__).parent / "alembic"


def make_tables(url: str) -> None:
    """Make a gradebook's tables where there are none, and note their version for ``nbgrader db upgrade``.

    nbgrader does the same when it opens an empty database, but asks a process of its own for the version, which takes
    as long as grading twenty submissions and needs ``alembic`` on the PATH. A gradebook with tables stays as it is.
    """
    engine = create_engine(url)
    try:
        if not inspect(engine).get_table_names():
            with engine.begin() as connection:
                Base.metadata.create_all(connection)
                MigrationContext.configure(connection).stamp(ScriptDirectory(str(_MIGRATIONS)), "head")
    finally:
        engine.dispose()
