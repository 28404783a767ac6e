"""A PostgreSQL server of the tests' own: in a temporary folder, on a socket there, gone when they are over."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text


@dataclass(frozen=True)
class Server:
    """A running server; its socket lies in its folder, and only its user and root get at it."""

    folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://course@/{database}?host={self.folder}"

    def create(self, database: str) -> str:
        """A new, empty database's URL."""
        engine = create_engine(self.url("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f'CREATE DATABASE "{database}"'))
        engine.dispose()
        return self.url(database)


def programs() -> Path:
    """The folder of ``initdb`` and ``pg_ctl``; Debian keeps them out of the PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = versions[-1] if versions else shutil.which("initdb")
    if found is None:
        missing = "PostgreSQL's server is missing: apt-get install postgresql (.ci/run does). No service needs to run"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return Path(found).parent


@contextmanager
def server() -> Iterator[Server]:
    """Make one and start it. It refuses to run as root, who lends it another user."""
    binaries = programs()
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path may have 107 characters: not in pytest's own folder
    data, log = folder / "data", folder / "log"
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": "nobody", "group": os.stat(folder).st_gid, "extra_groups": []}
        shutil.chown(folder, "nobody")

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [binaries / program, *arguments], cwd=folder, capture_output=True, text=True, check=False, **user
        )
        said = log.read_text() if log.is_file() else ""
        assert done.returncode == 0, done.stdout + done.stderr + said

    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    try:
        run("initdb", "--pgdata", str(data), "--username=course", "--auth=trust", "--no-sync", "--encoding=UTF8")
        run("pg_ctl", "start", "--wait", "--pgdata", str(data), "--log", str(log), "--options", options)
        try:
            yield Server(folder)
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate", "--pgdata", str(data))
    finally:
        shutil.rmtree(folder)
