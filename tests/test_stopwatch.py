"""Waiting and computing are measured separately, in every kernel state of a process."""

from __future__ import annotations

import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import cast

import pytest

from course_lib.running import stopwatch
from course_lib.running.process_table import Process, ProcessTable
from course_lib.running.stopwatch import LOOK_SECONDS, Stopwatch

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


class Counters:
    """A process table with one process, which wants a processor whenever somebody looks.

    Args:
        used: the share of the time in which it runs.
        waited: the share in which it waits for a processor.
        spare: the share in which the processor has nothing to do.
        loads: whether it loads memory from a disk.
    """

    def __init__(self, used: float, waited: float, spare: float = 0.0, loads: bool = False) -> None:
        self.used, self.wait, self.spare, self.loads = used, waited, spare, loads
        self.now = self._waited = 0.0

    def descendants(self) -> list[Process]:
        return [Process(1, "R", 1, self.used * self.now, self.loads)]

    def wants_processor(self, process: Process) -> bool:
        return True

    def waited(self, processes: Sequence[Process]) -> float:
        before, self._waited = self._waited, self.wait * self.now
        return self._waited - before if self.wait < math.inf else math.inf

    def spare_seconds(self) -> float:
        return self.spare * self.now


def idle_share(counters: Counters, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the share of a minute that counts as idle."""
    monkeypatch.setattr(stopwatch.time, "monotonic", lambda: counters.now)
    watch = Stopwatch(cast(ProcessTable, counters))
    watch.start()
    for _ in range(int(60 / LOOK_SECONDS)):
        counters.now += LOOK_SECONDS
        watch.look()
    return watch.idle / watch.passed


def test_a_process_that_wakes_whenever_it_is_looked_at_is_idle_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert idle_share(Counters(used=0.01, waited=0.01), monkeypatch) > 0.8


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05, 0.02])
def test_waiting_for_a_busy_processor_is_never_idle(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    assert idle_share(Counters(share, 1 - share), monkeypatch) == 0
    late = Counters(share, (1 - share) * 0.9)  # a tenth is counted only when the wait ends
    assert idle_share(late, monkeypatch) == 0


def test_a_processor_with_nothing_to_do_shows_that_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that end take their count of waiting with them, and many together wait for each other."""
    assert idle_share(Counters(used=0.01, waited=math.inf), monkeypatch) == 0
    assert idle_share(Counters(used=0.01, waited=math.inf, spare=0.9), monkeypatch) == pytest.approx(0.9)
    assert idle_share(Counters(used=0.01, waited=5, spare=0.9), monkeypatch) == pytest.approx(0.9)


def test_a_process_that_loads_its_memory_from_a_disk_is_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    assert idle_share(Counters(used=0.01, waited=0.0, loads=True), monkeypatch) == 0


@pytest.mark.slow
def test_a_process_that_sleeps_between_short_steps_is_idle_by_the_kernels_counters(table: ProcessTable) -> None:
    source = "import time\nwhile True: time.sleep(0.02)"
    with subprocess.Popen([sys.executable, "-c", source]) as process:
        try:
            watch = Stopwatch(table)
            watch.start()
            while watch.passed < 3:
                time.sleep(0.05)
                watch.look_if_due()
            assert watch.idle > watch.passed / 2
        finally:
            process.kill()


@pytest.mark.slow
def test_a_process_that_computes_is_never_idle(table: ProcessTable) -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            watch = Stopwatch(table)
            watch.start()
            while watch.passed < 3:
                time.sleep(0.05)
                watch.look_if_due()
            assert watch.idle < watch.passed / 10
        finally:
            process.kill()
