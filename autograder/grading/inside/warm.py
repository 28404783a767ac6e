"""Run the program that bubblewrap starts: the fork server, each of whose forks gets its own namespaces."""

from __future__ import annotations

import sys

from course_lib.checking.mysteries import FILES
from course_lib.running.fork_server import control_line, serve
from course_lib.running.limits import Limits

from .huge_pages import use_huge_pages
from .namespaces import enclose


def main() -> None:
    """Serve until the autograder closes the connection."""
    serve(control_line(), _enclose, preload=tuple(sys.argv[1:]), before_first=use_huge_pages)


def _enclose(limits: Limits) -> None:
    enclose(limits.temporary_bytes, FILES)


if __name__ == "__main__":
    main()
