"""Run something with a time limit and without a sound."""

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
from typing import Any


class Stopped(BaseException):
    """Raised inside a call that is out of time."""


@contextmanager
def silence() -> Iterator[None]:
    """Nothing printed, warned or logged inside reaches stdout or stderr, not even from C."""
    before, level = (sys.stdout, sys.stderr), logging.root.manager.disable
    kept = [(number, os.dup(number)) for number in (1, 2)]
    with open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere:
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


@contextmanager
def _mute(*streams: Any) -> Iterator[None]:
    """Silence the streams themselves: who kept one, as ``def f(log=sys.stderr)`` does, writes past `sys`."""
    muted = []
    for stream in {id(stream): stream for stream in streams}.values():
        with suppress(AttributeError, TypeError):  # one that allows no such thing
            stream.write = len
            muted.append(stream)
    try:
        yield
    finally:
        for stream in muted:
            with suppress(AttributeError):
                del stream.write


def _flush() -> None:
    """What was written to the process's own streams so far goes where it was meant to go."""
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # type: ignore[union-attr]


def within(seconds: float, call: Callable[[], object]) -> bool:
    """Run ``call`` in a thread of its own; say whether it ended in time.

    A call that is out of time has `Stopped` raised in it, again and again while it swallows it.
    One that does not even notice (it sleeps, or waits inside C) is left behind; it is a daemon
    thread and dies with the process. This works on every system; signals do not.
    """
    done = threading.Event()

    def run() -> None:
        with suppress(Stopped):
            try:
                call()
            finally:
                done.set()

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        return done.wait(seconds)
    finally:  # also where the person who waits interrupts
        if not done.is_set():
            _stop(thread)


def _stop(thread: threading.Thread) -> None:
    """Raise `Stopped` in a thread until it ends, for half a second.

    Threads take turns many times faster meanwhile: then it is also raised where a loop has just
    swallowed the one before, and is outside its own ``try``.
    """
    turn, end = sys.getswitchinterval(), time.monotonic() + 0.5
    hooks = threading.excepthook, sys.unraisablehook
    # `Stopped` may come up after the call, or while an object is deleted: then Python calls these, and there is nothing
    # to say. The new hook is written in C, so that `Stopped` cannot be raised inside it.
    threading.excepthook = sys.unraisablehook = id
    sys.setswitchinterval(1e-6)
    try:
        while thread.is_alive() and time.monotonic() < end:
            _raise_in(thread, ctypes.py_object(Stopped))
            thread.join(1e-4)
        _raise_in(thread, None)  # takes back what was not noticed
    finally:
        sys.setswitchinterval(turn)
        threading.excepthook, sys.unraisablehook = hooks


def _raise_in(thread: threading.Thread, error: object) -> None:
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), error)
