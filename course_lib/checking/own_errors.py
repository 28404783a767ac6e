"""Errors in the course's own code, where a broad `except` protects a check from unforeseen answers."""

from __future__ import annotations

import logging
import os

#: if this environment variable is set, as it is in tests, such an error is raised
STRICT = "COURSE_STRICT"


def report(error: Exception, where: str) -> None:
    """Log an error with its traceback, or raise it if `STRICT` is set."""
    if os.environ.get(STRICT):
        raise error
    logging.getLogger(__name__).error("an error in %s", where, exc_info=error)
