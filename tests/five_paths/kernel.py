"""Cards in a kernel, for many notebooks: run each in a fork of a process that has imported torch.

A real kernel takes seconds to start. The parts that matter are IPython's shell, the order of the student's cells, and
the student's own check cells, which call `check`. A test compares this with a real kernel on a handful of notebooks.

Run it as a script: ``python kernel.py JOBS RESULTS``. Jobs are a JSON list of ``{"name", "path", "lesson", "folder"}``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Any

#: imported once before forking, because importing it would cost each fork a second
_PRELOADED = ("matplotlib.pyplot", "torch.optim", "torch._dynamo", "asyncio", "stack_data", "course_lib.kernel.begin")
_SECONDS = 120
_AT_ONCE = 2


def main(jobs: Path, results: Path) -> None:
    """Run every job, two at a time, and write each exercise's points by notebook."""
    import importlib

    import torch

    from course_lib.checking.answer_key import public_key
    from course_lib.contents import public_exercises

    torch.set_num_threads(1)
    for name in _PRELOADED:
        importlib.import_module(name)
    todo = json.loads(jobs.read_text(encoding="utf-8"))
    for exercise in public_exercises():
        if exercise.lesson in {job["lesson"] for job in todo}:
            public_key(exercise.id)
    running: dict[int, dict[str, Any]] = {}
    done: dict[str, Any] = {}
    while todo or running:
        while todo and len(running) < _AT_ONCE:
            job = todo.pop(0)
            running[_fork(job)] = job
        pid, status = os.wait()
        if (job := running.pop(pid, None)) is not None:
            path = Path(job["folder"]) / "cards.json"
            done[job["name"]] = json.loads(path.read_text()) if path.is_file() else {"died": status}
    results.write_text(json.dumps(done), encoding="utf-8")


def _fork(job: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        signal.alarm(_SECONDS)
        os.chdir(job["folder"])
        sys.path.insert(0, job["folder"])
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        points = points_by_cards(cells_of(Path(job["path"])), job["lesson"], Path(job["released"]))
        Path(job["folder"], "cards.json").write_text(json.dumps(points))
    except BaseException as error:
        Path(job["folder"], "cards.json").write_text(json.dumps({"died": repr(error)}))
    finally:
        os._exit(0)


def cells_of(path: Path) -> list[str]:
    """Return the code cells of a notebook as Jupyter opens it, in any encoding and any nbformat."""
    import nbformat

    data = path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    notebook = json.loads(data.decode(encoding))
    if notebook["nbformat"] < 4:
        notebook = nbformat.convert(nbformat.from_dict(notebook), 4)
    sources = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [source.replace("\r\n", "\n") for source in sources]


def points_by_cards(sources: list[str], lesson: str, released: Path) -> dict[str, float]:
    """Run cells in order, and return the points of the last card of each exercise.

    Released demo cells that nobody changed are left out, because they take most of the time. If points are lost, all
    cells run, because a name may have been missing. An exercise that the notebook never checks is checked at the end.
    """
    from course_lib.contents import public_exercises

    demos = demos_of(released)
    points = _run([source for source in sources if source not in demos], lesson)
    most = {exercise.id: exercise.points for exercise in public_exercises() if exercise.lesson == lesson}
    return points if points == most or not demos.intersection(sources) else _run(sources, lesson)


def demos_of(released: Path) -> set[str]:
    """Return the sources of a released notebook's demo cells."""
    cells = json.loads(released.read_text(encoding="utf-8"))["cells"]
    return {"".join(cell["source"]) for cell in cells if "demo" in cell["metadata"].get("tags", ())}


def _run(sources: list[str], lesson: str) -> dict[str, float]:
    import course_lib
    from course_lib.contents import public_exercises

    points: dict[str, float] = {}
    original = course_lib.check

    def check(exercise_id: str, implementation: Any) -> Any:
        score = original(exercise_id, implementation)
        if not str(getattr(implementation, "__module__", "")).startswith("course_lib."):
            points[exercise_id] = float(score)
        return score

    course_lib.check = check
    shell = _new_shell()
    for source in sources:
        shell.run_cell(source, store_history=True)
    for exercise in public_exercises():
        if exercise.lesson == lesson and exercise.id not in points:
            called = re.compile(rf"""^[^#\n]*\bcheck\([^#\n]*["']{exercise.id}["']""", re.M)
            points[exercise.id] = 0.0
            if not any(called.search(source) for source in sources):
                shell.run_cell(f'from course_lib import check\ncheck("{exercise.id}", {exercise.symbol})')
    course_lib.check = original
    return points


def _new_shell() -> Any:
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    _shell_class().clear_instance()
    shell = _shell_class().instance(config=config)
    shell.enable_matplotlib("inline")
    return shell


@cache
def _shell_class() -> Any:
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):  # type: ignore[misc]
        def ask_exit(self) -> None:
            """Do nothing, because the notebook's own process handles the end."""

        def enable_gui(self, gui: str | None = None) -> None:
            """Do nothing, because a fork has no window."""

    return Shell


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
