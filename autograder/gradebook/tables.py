"""Create the tables of a new gradebook, in nbgrader's newest version."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import nbgrader
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from nbgrader.api import Base
from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool


class OldGradebookError(Exception):
    """An older version of nbgrader made the gradebook, so it lacks columns."""


_MIGRATIONS = Path(nbgrader.__file__).parent / "alembic"

#: nbgrader's own indexes begin with the cell, which all students share, so finding one grade would scan the whole class
INDEXES = {
    "grade_of_notebook": ("grade", "notebook_id, cell_id"),
    "comment_of_notebook": ("comment", "notebook_id, cell_id"),
    "notebook_of_assignment": ("submitted_notebook", "assignment_id"),
}


def make_tables(url: str) -> None:
    """Create a gradebook's tables if there are none, and record their version for ``nbgrader db upgrade``.

    nbgrader does the same when it opens an empty database, but it starts a process for the version, which takes as long
    as grading twenty submissions and needs ``alembic`` on the PATH. Keep existing tables, and add the indexes without
    which saving a grade would slow down as the number of grades grows.

    Raises:
        OldGradebookError: an older version of nbgrader made the tables.
    """
    engine = create_engine(url, poolclass=NullPool)
    try:
        if not inspect(engine).get_table_names():
            with engine.begin() as connection:
                Base.metadata.create_all(connection)
                MigrationContext.configure(connection).stamp(ScriptDirectory(str(_MIGRATIONS)), "head")
        elif missing := _missing_columns(engine):
            raise OldGradebookError(f"it has no column {missing[0]}")
        with suppress(OperationalError):  # a user who may only read can do without them
            _make_indexes(engine)
    finally:
        engine.dispose()


def _missing_columns(engine: Engine) -> list[str]:
    """Return the columns of nbgrader's current tables that this gradebook's tables lack."""
    found = {name: {str(c["name"]) for c in c_s} for (_, name), c_s in inspect(engine).get_multi_columns().items()}
    return [
        f"{name}.{column}"
        for name, table in Base.metadata.tables.items()
        if name in found
        for column in (each.name for each in table.columns)
        if column not in found[name]
    ]


def _make_indexes(engine: Engine) -> None:
    """Create the missing indexes, one transaction each.

    PostgreSQL locks a table even for an index that exists, and a process that holds one table while it waits for the
    next could deadlock with a grader that writes into both.
    """
    for name, (table, columns) in INDEXES.items():
        if not inspect(engine).has_index(table, name):
            with engine.begin() as connection:
                connection.execute(text(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({columns})"))
