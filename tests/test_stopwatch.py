"""Waiting and computing are measured separately, in every kernel state of a process."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from course_lib.running.process_table import Process, ProcessTable
from course_lib.running.stopwatch import Stopwatch

#: the number of the system call `clone`
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
#: waits in state D for a child that sleeps
WAITS = f"""
import ctypes, time
if ctypes.CDLL(None).syscall({CLONE}, 0x4000 | 17, 0, 0, 0, 0) == 0:
    time.sleep(1000)
"""


@pytest.fixture
def table() -> ProcessTable:
    table = ProcessTable.open()
    if table is None or CLONE is None:
        pytest.skip("this system has no such table")
    return table


@pytest.fixture
def waiting(table: ProcessTable) -> Iterator[int]:
    """Start a process, wait until it is in state D, and return its number."""
    with subprocess.Popen([sys.executable, "-c", WAITS], start_new_session=True) as process:
        try:
            until = time.monotonic() + 30
            while not any(one.pid == process.pid and one.state == "D" for one in table.descendants()):
                assert time.monotonic() < until
                time.sleep(0.05)
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_waiting_for_a_child_that_sleeps_is_idle(table: ProcessTable, waiting: int) -> None:
    watch = Stopwatch(table)
    watch.start()
    while watch.passed < 1:
        time.sleep(0.05)
        watch.look_if_due()
    assert not any(table.wants_processor(one) for one in table.descendants() if one.pid == waiting)
    assert watch.idle > watch.passed / 2


def test_waiting_for_memory_from_a_disk_is_not_idle(table: ProcessTable) -> None:
    assert table.wants_processor(Process(1, "D", 1, 0.0, loads=True))
    assert not table.wants_processor(Process(1, "D", 1, 0.0))
    assert table.wants_processor(Process(1, "R", 1, 0.0))
    assert not table.wants_processor(Process(1, "S", 1, 0.0, loads=True))
