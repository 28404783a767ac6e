"""Keep a broad ``except`` from hiding an error of the course's own.

A broad ``except`` is there for what a student's code or file may do. It also catches our mistakes, so it passes every
error that it does not expect on to `report`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: set to 1 by the tests, so that an error of our own fails the test
STRICT = "COURSE_STRICT"
#: where errors are logged. Nothing is shown unless the program adds a handler, as `course grade` does
LOG = logging.getLogger("course_lib.our_errors")
LOG.addHandler(logging.NullHandler())

_SUBJECT: ContextVar[str] = ContextVar("subject", default="")


def report(error: BaseException, doing: str) -> None:
    """Raise an error under test, and log it with its traceback otherwise.

    Args:
        doing: what failed, such as ``judging softmax``.
    """
    if os.environ.get(STRICT) == "1":
        raise error
    LOG.error("%s failed", f"{doing} ({_SUBJECT.get()})" if _SUBJECT.get() else doing, exc_info=error)


@contextmanager
def about(subject: str) -> Iterator[None]:
    """Name the subject of all errors that are reported inside the block, such as a student's submission."""
    token = _SUBJECT.set(subject)
    try:
        yield
    finally:
        _SUBJECT.reset(token)
