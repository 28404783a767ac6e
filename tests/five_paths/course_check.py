"""`course check` for many notebooks in one process, which starts Python and torch once.

Run it as a script: ``python course_check.py JOBS RESULTS``. Jobs are as in `kernel`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(jobs: Path, results: Path) -> None:
    """Check every notebook, and write the result as `course check --json` would."""
    from course_lib.app import notebook_check
    from course_lib.course import CourseError
    from course_lib.running.runner import Runner

    class Shared:
        """Give every notebook the same warm process, instead of letting `check_notebook` start one each time."""

        def __enter__(self) -> Runner:
            return runner

        def __exit__(self, *_: object) -> None:
            """Leave it running for the next notebook."""

    said: dict[str, Any] = {}
    todo = json.loads(jobs.read_text(encoding="utf-8"))
    notebook_check.Runner = lambda *_, **__: Shared()  # type: ignore[assignment, misc]
    with Runner(folder=Path(todo[0]["folder"])) as runner:
        for job in todo:
            try:
                said[job["name"]] = notebook_check.check_notebook(Path(job["path"])).as_json()
            except CourseError as error:
                said[job["name"]] = {"refused": str(error)}
    results.write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
