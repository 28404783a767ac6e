"""Run the program that bubblewrap starts: the fork server, each of whose forks gets its own namespaces."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Serve until the autograder closes the connection."""
    gc.disable()  # until `serve` enables it: looking for garbage would take an eighth of the time of the imports
    from course_lib.checking.mysteries import FILES
    from course_lib.running.fork_server import control_line, serve
    from course_lib.running.limits import Limits

    from .huge_pages import use_huge_pages
    from .namespaces import enclose

    def enclose_one(limits: Limits) -> None:
        enclose(limits.temporary_bytes, FILES)

    serve(control_line(), enclose_one, preload=tuple(sys.argv[1:]), before_first=use_huge_pages)


if __name__ == "__main__":
    main()
