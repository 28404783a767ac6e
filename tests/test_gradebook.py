"""The gradebook's tables: made by us, they are nbgrader's."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.pool import Pool

from autograder.gradebook import tables
from autograder.gradebook.gradebook import Records
from benchmarks.cluster import fill

LESSON = "03_self_attention"


def described(url: str) -> dict[str, object]:
    """All that a database says of its tables, and the version that is noted."""
    engine = create_engine(url)
    with engine.connect() as connection:
        seen = inspect(connection)
        found: dict[str, object] = {
            name: (
                [(c["name"], str(c["type"]), c["nullable"]) for c in seen.get_columns(name)],
                seen.get_foreign_keys(name),
                seen.get_unique_constraints(name),
                [index for index in seen.get_indexes(name) if index["name"] not in tables.INDEXES],
            )
            for name in seen.get_table_names()
        }
        found["version"] = connection.execute(text("SELECT version_num FROM alembic_version")).all()
    engine.dispose()
    return found


def test_to_save_a_grade_takes_no_longer_in_a_large_class(tmp_path: Path, released: Any) -> None:
    """As SQLite counts: how many steps its programs take."""
    url, steps = f"sqlite:///{tmp_path}/gradebook.db", [0, 0]

    def step() -> None:
        steps[-1] += 1

    def watch(connection: Any, _: object) -> None:
        connection.set_progress_handler(step, 100)

    def save(student: str) -> int:
        with Records(url, LESSON) as records:
            records.register(copy.deepcopy(released))
            records.save("the first", copy.deepcopy(released))
            steps.append(0)
            records.save(student, copy.deepcopy(released))
        return steps[-1]

    event.listen(Pool, "connect", watch)
    try:
        small = save("in a small class")
        fill(tmp_path / "gradebook.db", 2000)
        large = save("in a large class")
    finally:
        event.remove(Pool, "connect", watch)
    assert large < 1.5 * small, f"{small} steps, then {large}"


@pytest.fixture
def own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader calls a bare ``alembic``."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.usefixtures("own_programs")
def test_the_tables_are_those_that_nbgrader_makes(tmp_path: Path) -> None:
    theirs, ours = (f"sqlite:///{tmp_path / name}.db" for name in ("theirs", "ours"))
    Gradebook(theirs).close()
    with Records(ours, LESSON):
        pass
    assert described(ours) == described(theirs)


@pytest.mark.usefixtures("own_programs")
def test_nbgrader_finds_nothing_to_upgrade(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ours.db"
    with Records(url, LESSON):
        pass
    before = described(url)
    command = [sys.executable, "-m", "nbgrader", "db", "upgrade", f"--CourseDirectory.db_url={url}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Running upgrade" not in done.stderr, done.stderr
    assert described(url) == before


def test_a_gradebook_that_has_tables_is_left_as_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/old.db"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('724cde206c17')"))
    tables.make_tables(url)
    assert described(url)["version"] == [("724cde206c17",)], "what nbgrader has to upgrade keeps its version"
    assert inspect(engine).get_table_names() == ["alembic_version"]
