"""Code that runs although it is in no cell is searched and compared as cells are, and earns points as before."""

from __future__ import annotations

import base64
import copy
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import nbformat
import pytest
from conftest import LESSON

from autograder.building.notebook import to_text
from autograder.building.release import release_library
from autograder.exercises import DEFINITIONS
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.forbidden_calls import mentioned_unseen
from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.sandbox import Sandbox
from autograder.integrity.gather import OWN_CELLS, Gathered
from autograder.submissions.submission import Submission
from course_lib.checking.answer_key import public_key
from course_lib.course import Course
from course_lib.running.cell import Cell
from course_lib.running.outcome import Outcome
from course_lib.running.unseen_code import LONGEST, MOST, unpack

SOFTMAX = DEFINITIONS["softmax"]
QUESTIONS = {"softmax": public_key("softmax").questions}
SET_UP = Cell("setup", "setup", "import numpy as np\nfrom numpy.typing import NDArray")
ASKED = Cell("grade", "grade", "", "softmax", "softmax")
HELPER = "import torch\ndef helper():\n    return torch._C\n"


@pytest.fixture(scope="module")
def sandbox(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    if why := bubblewrap_unavailable():
        pytest.skip(f"no sandbox here: {why}")
    with Sandbox(release_library(course, LESSON, tmp_path_factory.mktemp("released"), whole=False)) as ours:
        yield ours


def run(sandbox: Sandbox, *cells: str, softmax: str = SOFTMAX.reference.source) -> Outcome:
    own = (Cell(f"own-{number}", "own", source) for number, source in enumerate(cells))
    outcome = sandbox.run([SET_UP, *own, Cell("softmax", "exercise", softmax), ASKED], QUESTIONS)
    assert outcome.status == "graded", outcome.reason
    assert not any(answer.error for answer in outcome.all_answers["softmax"].values() if "raised" not in answer.values)
    return outcome


def shown(outcome: Outcome, cell: str) -> str:
    return "\n".join(one.get("text") or one.get("evalue") or "" for one in outcome.outputs.get(cell, []))


def hidden(text: str) -> str:
    """Return an expression for a text that a search for its words does not find."""
    return f'base64.b64decode("{base64.b64encode(text.encode()).decode()}").decode()'


WRITE = f"import base64\nfrom pathlib import Path\nPath('mine.py').write_text({hidden(HELPER)})\n"


@pytest.mark.parametrize(
    "cell",
    [
        f"{WRITE}import mine",
        f"{WRITE}import runpy\nrunpy.run_path('mine.py')",
        f"{WRITE}%run mine.py",
        f"{WRITE}exec(Path('mine.py').read_text())",
        f"import base64\nexec({hidden(HELPER)})",
        f"import base64\nlist(map(exec, [{hidden(HELPER)}]))",
        f"import base64\neval(compile({hidden(HELPER)}, '/usr/lib/python3/json.py', 'exec'))",
        f"import ast, base64\nast.parse({hidden(HELPER)})",
        f"import base64, timeit\ntimeit.timeit({hidden('x = 1')}, {hidden(HELPER)}, number=1)",
        f"import base64\nfrom torch.utils.benchmark import Timer\nTimer({hidden(HELPER)}).timeit(1)",
        f"import base64\nfrom IPython import InteractiveShell as I\nI.instance().ex({hidden(HELPER)})",
        f"import base64\n__name__ = 'dataclasses'\nexec({hidden(HELPER)})",
    ],
)
def test_every_text_that_runs_is_reported(sandbox: Sandbox, cell: str) -> None:
    outcome = run(sandbox, cell)
    assert not shown(outcome, "own-0"), shown(outcome, "own-0")
    assert any(HELPER.split("\n")[2].strip() in text for text in outcome.unseen), outcome.unseen


def test_a_module_that_an_exercise_writes_when_it_is_asked_is_reported(sandbox: Sandbox) -> None:
    late = f"{SOFTMAX.reference.source}\nright = softmax\ndef softmax(scores, axis=-1):\n"
    late += "\n".join(f"    {line}" for line in [*WRITE.strip().split("\n"), "import mine"])
    outcome = run(sandbox, softmax=f"{late}\n    return right(scores, axis)")
    assert list(outcome.unseen.items()) == [(HELPER, "/tmp/mine.py")]


def test_a_helper_in_a_file_works_as_usual(sandbox: Sandbox) -> None:
    cells = ("%%writefile helper.py\nfrom numpy import exp\n", "import helper\nprint(helper.exp(0))")
    outcome = run(sandbox, *cells, softmax=SOFTMAX.reference.source.replace("np.exp", "helper.exp"))
    assert shown(outcome, "own-1") == "1.0\n"
    assert list(outcome.unseen.items()) == [("from numpy import exp\n", "/tmp/helper.py")]


def test_what_libraries_make_for_themselves_is_not_reported(sandbox: Sandbox) -> None:
    honest = """
from collections import namedtuple
from dataclasses import dataclass
import sys
sys.dont_write_bytecode, sys.pycache_prefix = True, "/tmp/none"  # so every module is compiled
import colorsys, matplotlib.pyplot as plt, torch, wave
@dataclass(frozen=True)
class Point:
    x: int
pair = namedtuple("pair", "x y")
plt.plot([1, 2])
f = torch.jit.script(torch.nn.Linear(2, 2))
1 / 0
"""
    assert run(sandbox, honest, "help(len)").unseen == {}


@pytest.mark.parametrize("name", ["other.pyc", "other.so", "__pycache__/mine.cpython-%d%d.pyc"])
def test_bytecode_extensions_and_archives_that_a_notebook_writes_are_not_imported(sandbox: Sandbox, name: str) -> None:
    cell = f"""
import os, py_compile, sys, zipfile
from pathlib import Path
name = {name!r} % sys.version_info[:2] if "%" in {name!r} else {name!r}
Path("mine.py").write_text("x = 'evil'")
os.makedirs("__pycache__", exist_ok=True)
py_compile.compile("mine.py", name, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
Path("mine.py").write_text("x = 'good'")
import mine
print(mine.x)
zipfile.ZipFile("m.zip", "w").write(name, "other.pyc")
sys.path.insert(0, "m.zip")
import other
"""
    found = shown(run(sandbox, cell), "own-0")
    assert found.startswith("good") and "No module named 'other'" in found


def test_nothing_runs_unreported_where_the_line_is_taken_away(sandbox: Sandbox) -> None:
    for taken in ("os.close(n)", "os.dup2(null, n)"):
        cell = f"""
import os
null = os.open("/dev/null", os.O_WRONLY)
def take(n):
    try:
        import stat
        if stat.S_ISSOCK(os.fstat(n).st_mode) and os.fstat(n).st_ino in sockets[1:]:
            {taken}
    except OSError: pass
def kind(n):
    import socket
    try: return socket.socket(fileno=os.dup(n)).type
    except OSError: return None
sockets = [0] + [os.fstat(n).st_ino for n in range(3, 200) if kind(n) == 5]
for n in range(3, 200): take(n)
exec("print('it ran')")
"""
        outcome = sandbox.run([SET_UP, Cell("own-0", "own", cell)], {})
        assert "it ran" not in shown(outcome, "own-0"), taken


def test_what_is_reported_is_searched_as_an_own_cell() -> None:
    keys = LessonKeys(LESSON, {"layer_norm": public_key("layer_norm")}, {})
    (note,) = mentioned_unseen({HELPER: "/tmp/mine.py\x1b"}, keys)
    assert note.startswith("code that is in no cell (/tmp/mine.py") and "mentions _C" in note and "\x1b" not in note
    assert not list(mentioned_unseen({"from numpy import exp": "/tmp/helper.py"}, keys))
    (note,) = mentioned_unseen({"#" * (MOST // 4 - 1) + str(n): "/tmp/helper.py" for n in range(4)}, keys)
    assert "not all of it looked through" in note


@pytest.mark.slow
def test_a_flood_of_reports_neither_hides_itself_nor_holds_the_supervisor(sandbox: Sandbox) -> None:
    flood = "for n in range(3000): exec(f'#{n}' + 'x' * 1000)\n" + WRITE + "import mine"
    outcome = run(sandbox, flood)
    assert MOST <= sum(map(len, outcome.unseen)) <= MOST + LONGEST


def test_a_module_is_compared_with_the_class_after_it_was_graded(course: Course, released: Any, tmp_path: Path) -> None:
    unusual = "def spread(x):\n    total = 0\n    for each in x:\n        total = total * 3 + each ** 5 - 7\n"
    made = copy.deepcopy(released)
    made.cells.insert(2, nbformat.v4.new_code_cell(WRITE + "import mine"))
    path = tmp_path / "ada" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(to_text(made), encoding="utf-8")
    gathered = Gathered(course, LESSON)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    record = {"lesson": LESSON, "digest": f"x-{digest}", "file": digest, "unseen": {unusual: "/tmp/mine.py"}}
    gathered.add(Submission("ada", path), [cast(Any, {"record": record, "when": "today"})])
    (own,) = (one for one in gathered.solutions[OWN_CELLS] if one.owner == "ada")
    assert "total * 3 + each ** 5" in own.source


def test_what_is_reported_is_untrusted() -> None:
    for data in (b"", b"{", b"[1]", b"[[1]]", b"null", b"[" * 100_000):
        assert unpack(data) == {}
    assert max(map(len, unpack(f'[["a", "{"b" * MOST}"]]'.encode()))) < MOST
