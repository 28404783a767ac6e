"""The tables of a new gradebook: nbgrader's own, at the newest of its versions."""

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
    """A gradebook that an older version of nbgrader made: it lacks columns."""


_MIGRATIONS = Path(nbgrader.__file__).parent / "alembic"

#: nbgrader's own begin with the cell, which all of a class share: to find one grade takes looking at every student's
INDEXES = {
    "grade_of_notebook": ("grade", "notebook_id, cell_id"),
    "comment_of_notebook": ("comment", "notebook_id, cell_id"),
    "notebook_of_assignment": ("submitted_notebook", "assignment_id"),
}


def make_tables(url: str) -> None:
    """Make a gradebook's tables where there are none, and note their version for ``nbgrader db upgrade``.

    nbgrader does the same when it opens an empty database, but asks a process of its own for the version, which takes
    as long as grading twenty submissions and needs ``alembic`` on the PATH. A gradebook with tables keeps them, and
    gets the indexes without which saving a grade takes the longer, the more there are.

    Raises:
        OldGradebookError: it has tables that an older version of nbgrader made.
    """
    engine = create_engine(url, poolclass=NullPool)
    try:
        if not inspect(engine).get_table_names():
            with engine.begin() as connection:
                Base.metadata.create_all(connection)
                MigrationContext.configure(connection).stamp(ScriptDirectory(str(_MIGRATIONS)), "head")
        elif missing := _missing_columns(engine):
            raise OldGradebookError(f"it has no column {missing[0]}")
        with suppress(OperationalError):  # whoever only reads may do without them
            _make_indexes(engine)
    finally:
        engine.dispose()


def _missing_columns(engine: Engine) -> list[str]:
    """The columns that nbgrader's tables have now and this gradebook's tables lack."""
    found = {name: {str(c["name"]) for c in c_s} for (_, name), c_s in inspect(engine).get_multi_columns().items()}
    return [
        f"{name}.{column}"
        for name, table in Base.metadata.tables.items()
        if name in found
        for column in (each.name for each in table.columns)
        if column not in found[name]
    ]


def _make_indexes(engine: Engine) -> None:
    """Make those that are missing, one after the other.

    PostgreSQL locks a table even for an index that is there, and whoever holds one table and waits for the next may
    stand in the way of a grader who writes into both.
    """
    for name, (table, columns) in INDEXES.items():
        if not inspect(engine).has_index(table, name):
            with engine.begin() as connection:
                connection.execute(text(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({columns})"))
