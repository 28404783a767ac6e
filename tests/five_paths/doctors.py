"""`course doctor` for many notebooks in one process: ``python doctors.py JOBS RESULTS``, with jobs as in `kernel`."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path


def main(jobs: Path, results: Path) -> None:
    """Let doctor look at every notebook, and write what it printed."""
    os.environ["COLUMNS"] = "400"
    from course_lib.app.main import main as course

    said = {}
    for job in json.loads(jobs.read_text(encoding="utf-8")):
        printed = io.StringIO()
        sys.argv = ["course", "doctor", job["path"]]
        with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
            course()
        said[job["name"]] = printed.getvalue()
    results.write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
