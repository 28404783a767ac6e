"""No process or thread that a submission leaves behind can help its exercises, because each is asked alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tiers import slow_but

from autograder.building.release import release_library
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.sandbox import Sandbox
from course_lib.checking.questions import Call
from course_lib.course import Course
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome
from course_lib.running.process_table import ProcessTable
from course_lib.running.runner import Runner

if bubblewrap_unavailable():
    pytest.skip(f"no sandbox here: {bubblewrap_unavailable()}", allow_module_level=True)

QUESTIONS = tuple(Call(name, {"x": np.arange(3.0)}, returns=["y"]) for name in ("one", "two"))
NAMES = ("first", "second")
ALONE = {name: {"alone"} for name in NAMES}
CELLS = [Cell(f"check-{name}", "grade", "", name, "ask") for name in NAMES]

#: asks a helper for each answer, over a socket
ASKS = """
import os, signal, socket, threading, time
ours, theirs = socket.socketpair()
def help_forever():
    while theirs.recv(1): theirs.send(b"!")
def ask(x):
    ours.settimeout(3)
    try:
        ours.send(b"?")
        helped = ours.recv(1) == b"!"
    except OSError:
        helped = False
    if helped: raise LookupError("helped")
    return x
"""

#: replaces the function that waits for questions
PARK = """
import course_lib.running.notebook as notebook
real = notebook.park
def park(implementation, line, limits, begin):
    {body}
notebook.park = park
"""

HELPERS = {
    "a child": "if not os.fork():\n    ours.close(); help_forever(); os._exit(0)\ntheirs.close()",
    "a process that has left its session and its parents": "if not os.fork():\n    os.setsid()\n"
    "    if not os.fork():\n        ours.close(); signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
    "        help_forever()\n    os._exit(0)\ntheirs.close()",
    "processes that start the next one and end, again and again": "if not os.fork():\n    ours.close(); os.setsid()\n"
    "    theirs.settimeout(0.002)\n    while True:\n        try: help_forever()\n        except TimeoutError: pass\n"
    "        if os.fork(): os._exit(0)\ntheirs.close()",
    "a crowd that keeps restarting each other": "for _ in range(3):\n    if not os.fork():\n        ours.close()\n"
    "        theirs.settimeout(0.01)\n        while True:\n            try: help_forever()\n"
    "            except OSError: pass\n            try: os.fork()\n            except OSError: pass\n"
    "            time.sleep(0.01)\ntheirs.close()",
    "a process that wakes others": "if not os.fork():\n    while True:\n"
    "        try: os.kill(-1, signal.SIGCONT)\n        except OSError: pass\n"
    "if not os.fork():\n    ours.close(); help_forever(); os._exit(0)\ntheirs.close()",
    "a thread of the answerer": PARK.format(
        body="def start():\n        begin(); threading.Thread(target=help_forever, daemon=True).start()\n"
        "        time.sleep(0.05)\n"
        "    real(implementation, line, limits, start)"
    ),
    "a process that pretends to be an answerer": PARK.format(
        body="if not os.fork():\n        line.send({'is': 'parked'}); help_forever(); os._exit(0)\n"
        "    time.sleep(0.05)\n    real(implementation, line, limits, begin)"
    ),
    "the answerer of another exercise": """
from course_lib.running.notebook import Notebook
usual = Notebook._park
def _park(self, cell):
    if cell.exercise == "first": return usual(self, cell)
    line = self.answerers.pop("second")
    if not os.fork():
        line.send({"is": "parked"}); ours.close(); help_forever(); os._exit(0)
    self.supervisor.send({"is": "reached", "exercise": "second", "known": True})
Notebook._park = _park
once = ask
def ask(x):
    os.kill(-1, signal.SIGCONT)
    return once(x)
""",
}


@pytest.fixture(scope="module")
def sandbox(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    library = release_library(course, "03_self_attention", tmp_path_factory.mktemp("released"), whole=False)
    with Sandbox(library) as ours:
        yield ours


def run(runner: Runner, helper: str) -> Outcome:
    cells = [Cell("ask", "exercise", ASKS), Cell("helper", "own", helper), *CELLS]
    return runner.run(cells, dict.fromkeys(NAMES, QUESTIONS), Limits(answer_alone=True))


def said(outcome: Outcome) -> dict[str, set[str]]:
    return {
        name: {f"{a.error.type}: {a.error.message}" if a.error else "alone" for a in answers.values()}
        for name, answers in outcome.all_answers.items()
    }


@pytest.mark.parametrize("helper", slow_but(["a child"], HELPERS))
def test_nothing_helps_an_answerer(sandbox: Sandbox, helper: str) -> None:
    found = said(run(sandbox, HELPERS[helper]))
    assert found.keys() == set(NAMES)
    assert not any("helped" in text for texts in found.values() for text in texts), found
    if "answerer" not in helper:  # other helpers were killed, or spoiled another answerer
        assert found == ALONE


def test_without_anything_left_behind_the_answers_come(sandbox: Sandbox) -> None:
    assert said(run(sandbox, "theirs.close()")) == ALONE


def test_an_answerer_that_starts_slowly_is_recognised(sandbox: Sandbox) -> None:
    """The notebook must not end before the answerer waits: the supervisor kills processes that it doesn't know."""
    slow = "theirs.close()\nos.register_at_fork(after_in_child=lambda: time.sleep(0.5))"
    assert said(run(sandbox, slow)) == ALONE


def test_an_answerer_that_wakes_another_has_no_answers(sandbox: Sandbox) -> None:
    outcome = run(sandbox, HELPERS["the answerer of another exercise"])
    assert "another process computed" in str(said(outcome)["first"])
    assert outcome.final


def test_at_home_only_the_notebooks_own_processes_are_ended(tmp_path: Path) -> None:
    """An older process of the same user and session keeps running."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as neighbour:
        with Runner() as runner:
            assert said(run(runner, HELPERS["a child"])) == ALONE
            assert said(run(runner, HELPERS["processes that start the next one and end, again and again"])) == ALONE
        assert neighbour.poll() is None
        assert Path(f"/proc/{neighbour.pid}/stat").read_text().rpartition(")")[2].split()[0] not in "TtZ"
        neighbour.communicate(b"\n")


def test_the_process_table_shows_which_processes_want_a_processor() -> None:
    table = ProcessTable.open()
    assert table is not None
    code = "import sys; print(1, flush=True)\nif sys.argv[1] == 'busy':\n    while True: pass\ninput()"
    for kind in ("busy", "asleep"):
        command = [sys.executable, "-c", code, kind]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(1000):
                (seen,) = (one for one in table.descendants() if one.pid == process.pid)
                if table.wants_processor(seen) == (kind == "busy"):
                    break
            else:
                raise AssertionError(seen)
            assert table.number_here(seen) == process.pid
            process.kill()
