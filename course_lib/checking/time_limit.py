"""Run a call with a time limit and without output."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any


class Stopped(BaseException):
    """Raised inside a call that is out of time."""


@contextmanager
def silence(hear: Callable[[str], object] | None = None) -> Iterator[None]:
    """Keep everything printed, warned or logged inside from stdout and stderr, even if C code writes it.

    Args:
        hear: receives what Python prints instead.
    """
    before, level = (sys.stdout, sys.stderr), logging.root.manager.disable
    kept = [(number, os.dup(number)) for number in (1, 2)]
    with open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere:
        if hear is not None:
            nowhere.write = _handing_on(hear)  # type: ignore[method-assign]
        _flush()
        try:
            sys.stdout = sys.stderr = nowhere
            logging.disable(logging.CRITICAL)
            for number, _ in kept:
                os.dup2(nowhere.fileno(), number)
            with _mute(*before), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            _flush()
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)
            logging.disable(level)
            sys.stdout, sys.stderr = before


def _handing_on(hear: Callable[[str], object]) -> Callable[[str], int]:
    def write(text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        hear(text)
        return len(text)

    return write


@contextmanager
def _mute(*streams: Any) -> Iterator[None]:
    """Silence the streams themselves, because code like ``def f(log=sys.stderr)`` writes to them without `sys`."""
    muted = []
    for stream in {id(stream): stream for stream in streams}.values():
        with suppress(AttributeError, TypeError):  # a stream that doesn't allow it
            stream.write = len
            muted.append(stream)
    try:
        yield
    finally:
        for stream in muted:
            with suppress(AttributeError):
                del stream.write


def _flush() -> None:
    """Flush the process's own streams, so that earlier output goes where it was meant to go."""
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # type: ignore[union-attr]


#: how long a call may take by the clock, however little processor time it gets, in seconds
WALL_SECONDS = 30.0
#: how long it may take if it uses almost no processor time
IDLE_SECONDS = 10.0


@dataclass(frozen=True)
class TimedResult:
    """How a call with a time limit went.

    Attributes:
        finished: whether it ended by itself.
        limit: the processor time that it was allowed, in seconds.
        processor: the processor time that it used.
        wall: how long it took by the clock.
    """

    finished: bool
    limit: float
    processor: float
    wall: float

    @property
    def starved(self) -> bool:
        """Whether it was stopped by the clock, although it had processor time left."""
        return not self.finished and self.processor < self.limit

    @property
    def waits(self) -> bool:
        """Whether it computed almost nothing. No machine is so busy that it leaves a thread this little time."""
        return self.starved and _is_idle(self.processor, self.wall)


def _is_idle(processor: float, wall: float) -> bool:
    return processor < 0.01 * wall


def within(
    seconds: float,
    call: Callable[[], object],
    wall: float | None = None,
    tick: Callable[[float], object] | None = None,
) -> TimedResult:
    """Run ``call`` in a thread of its own until it ends or its time is over.

    The limit applies to its processor time, so on a busy machine it may take longer by the clock.

    When a call is out of time, `Stopped` is raised in it, repeatedly if it swallows the exception. A call that can't
    notice, because it sleeps or waits inside C, is left behind. It is a daemon thread and ends with the process. Unlike
    signals, this works on every system.

    Args:
        seconds: the limit of processor time.
        wall: the limit by the clock. The default is `WALL_SECONDS`.
        tick: receives the processor time used so far, from time to time.
    """
    done, clock = threading.Event(), _Clock()

    def run() -> None:
        clock.start()
        with suppress(Stopped):
            try:
                call()
            finally:
                done.set()

    wall = WALL_SECONDS if wall is None else wall
    thread = threading.Thread(target=run, daemon=True)
    begun = time.monotonic()
    used = passed = 0.0
    try:
        thread.start()
        while used < seconds and passed < (min(wall, IDLE_SECONDS) if _is_idle(used, passed) else wall):
            # one thread uses no more processor time than the clock shows, so it cannot be out of time earlier
            if done.wait(max(0.01, min(seconds - used, wall - passed, 0.5))):
                break
            used, passed = clock.read(), time.monotonic() - begun
            if tick:
                tick(used)
        return TimedResult(done.is_set(), seconds, used, passed)
    finally:  # even if the person who waits interrupts
        if not done.is_set():
            _stop(thread, clock)


class _Clock:
    """The processor time of one thread, or of the whole process if the system doesn't measure it by thread."""

    def __init__(self) -> None:
        self._thread: int | None = None
        self._begun = 0.0

    def start(self) -> None:
        """Begin to count. Call this in the thread itself, because only it can safely look up its clock."""
        if hasattr(time, "pthread_getcpuclockid"):
            self._thread = time.pthread_getcpuclockid(threading.get_ident())
        else:  # Windows, macOS
            self._begun = time.process_time()

    def read(self) -> float:
        """Return the processor time so far, in seconds."""
        if self._thread is None:
            return time.process_time() - self._begun if self._begun else 0.0
        try:
            return time.clock_gettime(self._thread)
        except OSError:  # it has just ended
            return 0.0


def _stop(thread: threading.Thread, clock: _Clock) -> None:
    """Raise `Stopped` in a thread until it ends, for half a second, or half a second of processor time if it's busy.

    Threads take turns many times faster while this runs. That way, `Stopped` is also raised when a loop has just
    swallowed the previous one and is outside its own ``try``.
    """
    turn, begun, used = sys.getswitchinterval(), time.monotonic(), clock.read()

    def patient() -> bool:
        passed = time.monotonic() - begun
        return passed < 0.5 or (passed < 5 and 0 < clock.read() - used < 0.5)

    hooks = threading.excepthook, sys.unraisablehook
    # `Stopped` may be raised after the call, or while an object is deleted. Then Python calls these hooks, which must
    # stay silent. The new hook is written in C, so that `Stopped` cannot be raised inside it.
    threading.excepthook = sys.unraisablehook = id
    sys.setswitchinterval(1e-6)
    try:
        while thread.is_alive() and patient():
            _raise_in(thread, ctypes.py_object(Stopped))
            thread.join(1e-4)
        _raise_in(thread, None)  # withdraw it if the thread hasn't noticed
    finally:
        sys.setswitchinterval(turn)
        threading.excepthook, sys.unraisablehook = hooks


def _raise_in(thread: threading.Thread, error: object) -> None:
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), error)
