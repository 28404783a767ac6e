"""The program that bubblewrap starts: the warm process, each of whose forks gets namespaces of its own."""

from __future__ import annotations

import sys

from course_lib.checking.mysteries import FILES
from course_lib.running.fork_server import control_line, serve
from course_lib.running.limits import Limits

from .namespaces import enclose


def main() -> None:
    """Serve until the autograder hangs up."""
    serve(control_line(), _enclose, preload=tuple(sys.argv[1:]))


def _enclose(limits: Limits) -> None:
    enclose(limits.temporary_bytes, FILES)


if __name__ == "__main__":
    main()
