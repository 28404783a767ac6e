"""The sandbox: what a hostile notebook may not do, and what an honest one must be able to."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import inspect
import os
import pkgutil
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

import course_lib.components
from autograder.building.release import release_library, withheld_components
from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.resource_monitor import Watch
from autograder.grading.sandbox import Sandbox
from autograder.grading.set_up import require_set_up
from autograder.grading.visible import python_inside
from course_lib.checking import ask as ask_module
from course_lib.checking.answers import same_answer
from course_lib.checking.ask import ask
from course_lib.course import Course
from course_lib.running.cell import Cell
from course_lib.running.conversation import Conversation
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome
from course_lib.running.processes import descendants

LESSON = "03_self_attention"
SOFTMAX = DEFINITIONS["softmax"]
REFERENCE = SOFTMAX.reference.source
QUESTIONS = {"softmax": SOFTMAX.questions(Sampler.hidden(b"secret", "release", "softmax"))}
SECRET = "f1nd-me-1f-y0u-can"

HONEST = (
    Cell("setup", "setup", "import numpy as np\nfrom numpy.typing import NDArray"),
    Cell("softmax", "exercise", REFERENCE),
    Cell("grade", "grade", "", "softmax", "softmax"),
)

#: so that its last answers are on no way already, whenever something else ends it
ENDLESS_AFTER_A_WHILE = (
    *HONEST[:2],
    Cell(
        "endless",
        "own",
        "right, calls = softmax, []\n\n"
        "def softmax(*arguments):\n"
        "    calls.append(arguments)\n"
        "    while len(calls) > 4: pass\n"
        "    return right(*arguments)",
    ),
    HONEST[2],
)

if bubblewrap_unavailable():
    pytest.skip(f"no sandbox here: {bubblewrap_unavailable()}", allow_module_level=True)


@pytest.fixture(scope="module")
def library(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release_library(course, LESSON, tmp_path_factory.mktemp("released"), whole=False)


@pytest.fixture(scope="module")
def sandbox(library: Path) -> Iterator[Sandbox]:
    os.environ["COURSE_SECRET"] = SECRET
    try:
        with Sandbox(library) as ours:
            yield ours
    finally:
        del os.environ["COURSE_SECRET"]


@pytest.fixture(autouse=True)
def _the_next_submission_is_unaffected(sandbox: Sandbox) -> Iterator[None]:
    before = set(descendants(warm_process(sandbox)))
    yield
    # whoever takes too much with many processes is ended with the sandbox, which the next run starts anew
    after = set(descendants(warm_process(sandbox))) if sandbox._process is not None else set()
    assert after == before == set(), "something outlived its submission"
    assert_full_answers(sandbox.run(HONEST, QUESTIONS))


def assert_full_answers(outcome: Outcome) -> None:
    expected = ask(QUESTIONS["softmax"], SOFTMAX.load(SOFTMAX.reference))
    assert (outcome.status, outcome.reason) == ("graded", "")
    assert outcome.all_answers["softmax"].keys() == expected.keys()
    assert all(same_answer(expected[name], outcome.all_answers["softmax"][name]) for name in expected)


def run(sandbox: Sandbox, source: str, **limits: Any) -> Outcome:
    """An honest solution, then a cell of ours."""
    return sandbox.run([*HONEST, Cell("ours", "own", source)], QUESTIONS, Limits(**limits))


def shown(outcome: Outcome) -> str:
    """All text that our cell showed."""
    texts = [o.get("text") or o.get("evalue") or "" for o in outcome.outputs.get("ours", [])]
    texts += [o["data"].get("text/plain", "") for o in outcome.outputs.get("ours", []) if "data" in o]
    return "\n".join(texts)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def warm_process(sandbox: Sandbox) -> int:
    """The Python that bubblewrap's own two processes start."""
    assert sandbox._process is not None
    (first,) = children(sandbox._process.pid)
    (second,) = children(first)
    return second


# an honest notebook


def test_answers_through_the_sandbox_are_those_of_asking_here(sandbox: Sandbox) -> None:
    assert_full_answers(sandbox.run(HONEST, QUESTIONS))


def test_a_figure_a_program_and_a_file_of_ones_own_work(sandbox: Sandbox) -> None:
    source = (
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);\n"
        "from pathlib import Path\nPath('mine.txt').write_text('mine')\n!cat mine.txt"
    )
    kinds = [o for o in run(sandbox, source).outputs["ours"]]
    assert any("image/png" in o.get("data", {}) for o in kinds)
    assert any(o.get("text") == "mine" for o in kinds)


def test_garbage_is_collected_in_a_notebook(sandbox: Sandbox) -> None:
    assert shown(run(sandbox, "import gc\nprint(gc.isenabled())")) == "True\n"


def test_numbers_of_half_precision_can_be_used(sandbox: Sandbox) -> None:
    source = (
        "import torch\nhalf = torch.full((64, 64), 0.5, dtype=torch.float16)\n"
        "print(half.float().mean().item(), (half @ half).mean().item(), torch.softmax(half, -1).sum().item())\n"
        "print(torch.nn.Linear(64, 1).half()(half).dtype, (half.bfloat16() @ half.bfloat16()).mean().item())"
    )
    assert shown(run(sandbox, source)) == "0.5 16.0 64.0\ntorch.float16 16.0\n"
    assert len(list(Path(f"/proc/{warm_process(sandbox)}/task").iterdir())) == 1, "whoever is forked needs no thread"


@pytest.mark.parametrize(
    ("source", "prints"),
    [
        (
            "import torch\nfrom torch.utils.data import DataLoader\n"
            "print(sum(int(b.sum()) for b in DataLoader(torch.ones(64), batch_size=8, num_workers=2)))",
            "64",
        ),
        ("import multiprocessing as m\nwith m.Pool(2) as p: print(p.map(abs, [-1, 2]))", "[1, 2]"),
        ("import multiprocessing as m\nprint(m.Manager().dict())", "{}"),
        ("import asyncio\nprint(await asyncio.gather(asyncio.to_thread(abs, -3)))", "[3]"),
    ],
)
def test_processes_of_ones_own_can_talk_to_each_other(sandbox: Sandbox, source: str, prints: str) -> None:
    assert prints in shown(run(sandbox, source)).split("\n"), "beside a warning that there is one processor"


@pytest.mark.slow
def test_without_a_sandbox_the_answers_are_the_same(library: Path) -> None:
    with Sandbox(library, sandboxed=False) as plain:
        assert_full_answers(plain.run(HONEST, QUESTIONS))
        left = "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)"
        assert_full_answers(run(plain, left))
        assert plain._process is not None
        assert not list(descendants(plain._process.pid))


# ends that nobody planned


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os; os._exit(3)", "status 3"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass", "longer than"),
        ("while True: pass", "longer than"),
        ("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass", "longer than"),
        ("import json; json.dumps = None", "status 1"),
    ],
)
def test_a_sudden_end_is_recorded_and_earlier_answers_count(sandbox: Sandbox, source: str, reason: str) -> None:
    outcome = run(sandbox, source, cell_seconds=0.5)
    assert outcome.status == "stopped"
    assert reason in outcome.reason
    assert_full_answers(Outcome("graded", all_answers=outcome.all_answers))


@pytest.mark.parametrize(
    "source",
    ["1 / 0", "raise SystemExit(3)", "exit()", "def broken(:", "class E(Exception):\n    __str__ = 3\nraise E"],
)
def test_a_cell_that_raises_is_graded(sandbox: Sandbox, source: str) -> None:
    assert_full_answers(run(sandbox, source))


def test_killing_every_process_it_can_see_kills_only_its_own(sandbox: Sandbox) -> None:
    source = (
        "import os, signal\nfor who in (-1, 1): os.kill(who, signal.SIGKILL)\nos.kill(1, signal.SIGINT)\nprint('on')"
    )
    outcome = run(sandbox, source)
    assert shown(outcome) == "on\n"
    assert {a.error.type for a in outcome.all_answers["softmax"].values() if a.error} == {"Died"}


@pytest.mark.slow
def test_the_warm_process_may_die_at_any_moment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Conversation.hold

    def killed_first(conversation: Conversation) -> Outcome:
        assert sandbox._process is not None
        sandbox._process.kill()
        return held(conversation)

    with monkeypatch.context() as patched:
        patched.setattr(Conversation, "hold", killed_first)
        outcome = sandbox.run(HONEST, QUESTIONS)
    assert outcome.status == "stopped"
    assert outcome.reason
    assert outcome.broken
    assert_full_answers(sandbox.run(HONEST, QUESTIONS))


def kills_at_first(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Let the warm process die the first time that a conversation comes to a method."""
    usual, came = getattr(Conversation, method), []

    def killing(conversation: Conversation, *arguments: Any) -> Any:
        if not came:
            assert sandbox._process is not None
            sandbox._process.kill()
            sandbox._process.wait()
        came.append(method)
        return usual(conversation, *arguments)

    monkeypatch.setattr(Conversation, method, killing)


def test_who_broke_off_without_a_word_is_run_once_more(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    kills_at_first(sandbox, monkeypatch, "hold")
    outcome = sandbox.run(HONEST, QUESTIONS)
    assert_full_answers(outcome)
    assert not outcome.broken


def test_who_has_seen_a_hidden_question_is_not_run_once_more(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        kills_at_first(sandbox, patched, "_note")
        outcome = sandbox.run(ENDLESS_AFTER_A_WHILE, QUESTIONS)
    assert outcome.broken
    assert outcome.reason == "its processes ended without a word"


@pytest.mark.parametrize("left", [{}, {"broken": True}, {"unfinished": True}])
def test_what_broke_off_is_not_final(left: dict[str, bool]) -> None:
    """By this a record has a digest or none: the next time, one without it is graded again."""
    assert Outcome("stopped", "why", **left).final is not bool(left)


@pytest.mark.slow
def test_a_late_kill_by_the_monitor_hits_no_other_submission(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Watch):
        def __exit__(self, *error: Any) -> None:
            super().__exit__(*error)
            self._stop("found too much when all was over")

    with monkeypatch.context() as patched:
        patched.setattr("autograder.grading.sandbox.Watch", Late)
        outcome = sandbox.run(HONEST, QUESTIONS)
    assert (outcome.status, outcome.reason) == ("stopped", "found too much when all was over")
    assert sandbox._process is None, "the next run begins in a fresh sandbox"
    assert_full_answers(sandbox.run(HONEST, QUESTIONS))


@pytest.mark.slow
def test_a_set_up_is_judged_in_a_sandbox_that_has_run_nothing(sandbox: Sandbox) -> None:
    assert sandbox._process is not None
    before = sandbox._process.pid
    require_set_up(sandbox, (HONEST[0],), Outcome("stopped", "something"))
    assert sandbox._process is not None
    assert sandbox._process.pid != before


# too much of everything


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("bytearray(3 << 30)", "MemoryError"),
        ("import torch; torch.ones(3 << 28)", "RuntimeError"),
        ("import mmap; mmap.mmap(-1, 8 << 30)", "PermissionError"),
        ("import mmap; mmap.mmap(-1, 3 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)", "PermissionError"),
        ("import mmap, os; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 3 << 30)", "OSError"),
        ("import os; os.memfd_create('x')", "PermissionError"),
        ("open('/dev/shm/x', 'wb').truncate(1 << 30)", "OSError"),
        ("open('x', 'wb').write(bytes(65 << 20))", "OSError"),
        ("for n in range(99): open(f'x{n}', 'wb').write(bytes(1 << 20))", "OSError"),
        ("for n in range(99_999): open(f'x{n}', 'wb')", "OSError"),
        ("files = [open('/dev/null') for _ in range(1000)]", "OSError"),
        (
            "import threading\nfor _ in range(99): threading.Thread(target=threading.Event().wait).start()",
            "RuntimeError",
        ),
        ("import os, signal\nwhile True:\n    if not os.fork(): signal.pause()", "BlockingIOError"),
    ],
)
def test_too_much_is_refused(sandbox: Sandbox, source: str, error: str) -> None:
    outcome = run(sandbox, source, processes=16)
    assert outcome.outputs["ours"][-1]["ename"] == error
    assert_full_answers(outcome)


def test_a_fork_bomb_ends_with_its_submission(sandbox: Sandbox) -> None:
    outcome = run(
        sandbox, "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", processes=8, cell_seconds=0.5
    )
    assert outcome.status == "stopped"


def test_a_hundred_megabytes_of_text_are_cut(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "line = 'x' * 999_999\nfor _ in range(100): print(line)")
    assert len(shown(outcome)) < 110_000
    assert "cut off" in shown(outcome)
    outcome = run(sandbox, "!yes | head -c 30000000")
    assert len(shown(outcome)) < 110_000


def test_a_flood_on_the_notebooks_own_line_is_not_passed_on(sandbox: Sandbox) -> None:
    flood = (
        "import json, os, socket, struct\n"
        "ends = []\n"
        "for n in range(3, 40):\n"
        "    try: ends.append(socket.socket(fileno=n))\n"
        "    except OSError: pass\n"
        "head = json.dumps({'is': 'cell', 'cell': 'setup'}).encode()\n"
        "for _ in range(15):\n"
        "    for end in ends:\n"
        "        body = b'[' + b' ' * ((1 << 20) - 2) + b']'\n"
        "        try: end.sendall(struct.pack('>IQ', len(head), len(body)) + head + body)\n"
        "        except OSError: pass\n"  # the line for reports takes no message of that length
        "for end in ends: end.sendall(b'\\xff' * 100_000)\n"
        "import signal; signal.pause()\n"
    )
    outcome = run(sandbox, flood)
    assert "sent a message" in outcome.reason
    assert_full_answers(Outcome("graded", all_answers=outcome.all_answers))


@pytest.mark.slow
def test_when_memory_runs_out_the_judge_is_the_last_to_be_ended(sandbox: Sandbox) -> None:
    def score(pid: int) -> int:
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text())

    source = (
        "from pathlib import Path\n"
        "try: Path('/proc/self/oom_score_adj').write_text('-1000')\nexcept OSError: pass\n"
        "import os, signal\nif os.fork(): signal.pause()\nsignal.pause()"
    )
    scores: list[int] = []
    heard = Conversation._hear

    def look(conversation: Conversation, frame: Any) -> None:
        heard(conversation, frame)
        if frame.head["is"] == "reached":
            give_up = time.monotonic() + 2
            while len(found := list(descendants(warm_process(sandbox)))) < 5:  # the cell's own child too
                assert time.monotonic() < give_up
            scores.extend(map(score, found))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Conversation, "_hear", look)
        run(sandbox, source, cell_seconds=2)
    assert set(scores) == {1000}
    assert score(os.getpid()) < score(warm_process(sandbox)) == 500


def test_a_process_left_behind_dies_with_the_submission(sandbox: Sandbox) -> None:
    source = (
        "import os, subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "if not os.fork():\n    os.setsid()\n    while True: pass"
    )
    run(sandbox, source)  # the fixture looks for descendants


#: uses a second of a processor in twenty processes that are over at once; then it waits
MANY = """
import os, sys, time
sys.stdin.readline()
for _ in range(20):
    if not os.fork():
        while time.process_time() < 0.05: pass
        os._exit(0)
    os.wait()
sys.stdin.readline()
"""


def test_processes_that_are_over_at_once_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: 0.0)  # it stands still: they may use a quarter of a cell's time
    monkeypatch.setattr("autograder.grading.resource_monitor.time", clock)
    ended = threading.Event()
    with subprocess.Popen([sys.executable, "-c", MANY], stdin=subprocess.PIPE, text=True) as busy:
        with Watch(lambda: busy.pid, Limits(cell_seconds=2), ended.set) as watch:
            assert busy.stdin is not None
            busy.stdin.write("go\n")
            busy.stdin.flush()
            assert ended.wait(60), "half a second is less than they use"
        busy.communicate("end\n")
    assert watch.exceeded == "its processes kept more than one processor busy"
    assert watch.seconds > 0.5


@pytest.mark.slow
def test_all_processes_of_a_submission_share_one_processor(sandbox: Sandbox, library: Path) -> None:
    source = (
        "import os\nprint(*os.sched_getaffinity(0))\n"
        "try: os.sched_setaffinity(0, range(4096))\nexcept PermissionError: print('refused')"
    )
    ours = os.sched_getaffinity(0)
    processor, refused = shown(run(sandbox, source)).split()
    assert refused == "refused"
    with Sandbox(library) as one, Sandbox(library) as other:
        pinned = [os.sched_getaffinity(warm_process(each)) for each in (one, other)]
        assert [len(each) for each in pinned] == [1, 1]
        assert {int(processor)} | set.union(*pinned) <= ours
        assert len(ours) == 1 or pinned[0] != pinned[1]
    assert os.sched_getaffinity(0) == ours, "the grader itself keeps all"


def test_an_outcome_tells_the_processor_time_of_all_its_processes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = "import os, time\nif not os.fork():\n    while time.process_time() < 0.3: pass\n    os._exit(0)\nos.wait()"
    assert (run(sandbox, busy).processor_seconds or 0) > 0.28, "the kernel has counted"

    class HasSeenMore(Watch):  # where a parent ignores that its children end, the kernel's count is without them
        def __exit__(self, *error: Any) -> None:
            super().__exit__(*error)
            self.seconds = 99.0

    monkeypatch.setattr("autograder.grading.sandbox.Watch", HasSeenMore)
    assert run(sandbox, "").processor_seconds == 99.0


@pytest.mark.parametrize("alone", [True, False])
def test_an_answerer_that_must_work_alone_starts_no_process(sandbox: Sandbox, alone: bool) -> None:
    source = "import os\ndef softmax(scores, axis=-1):\n    if not os.fork(): os._exit(0)\n    raise LookupError"
    cells = (Cell("softmax", "own", source), Cell("grade", "grade", "", "softmax", "softmax"))
    answers = sandbox.run(cells, QUESTIONS, Limits(answer_alone=alone)).all_answers["softmax"].values()
    assert {a.error.type for a in answers if a.error} == {"BlockingIOError" if alone else "LookupError"}


# what is out of reach


def test_there_is_no_network(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind("\0course-test")
        local.listen()
        port = server.getsockname()[1]
        source = (
            "import socket\n"
            "for family, place in (\n"
            f"    (socket.AF_INET, ('127.0.0.1', {port})), (socket.AF_INET, ('192.0.2.1', 80)),\n"
            "    (socket.AF_UNIX, '\\0course-test'),\n"
            "):\n"
            "    try:\n"
            "        socket.socket(family).connect(place)\n"
            "        print('connected')\n"
            "    except OSError as error: print('refused')\n"
        )
        assert shown(run(sandbox, source)) == "refused\n" * 3


def test_nothing_but_the_environment_can_be_read(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "submission.ipynb").write_text(SECRET)
    repository = Path(__file__).parents[1]
    hidden = [
        *(repository / name for name in ("lessons", "solutions", "autograder", "tests", "pyproject.toml", ".git")),
        *(tmp_path / "submission.ipynb", Path.home() / ".bashrc", Path("/etc/passwd"), Path("/etc/shadow")),
        *map(Path, ("/var", "/home", "/sys", "/proc/1", "/proc/self", "/run", "/etc/hosts")),
    ]
    source = (
        f"import os\nprint([p for p in {list(map(str, hidden))} if os.path.exists(p)])\nprint(sorted(os.listdir('/')))"
    )
    seen, root = shown(run(sandbox, source)).strip().split("\n")
    assert seen == "[]"
    expected = {"bin", "course", "dev", "etc", "lib", "lib64", "proc", "sbin", "tmp", "usr", "lib32", "libx32"}
    expected |= {Path(path).parts[1] for path in (python_inside(), sys.base_prefix)}
    assert set(re.findall(r"'(\w+)'", root)) <= expected


def test_the_graders_environment_is_not_there(sandbox: Sandbox) -> None:
    text = shown(run(sandbox, "import os\nprint(dict(os.environ))\n!env"))
    assert SECRET not in text
    assert "HOME" in text
    assert sandbox._process is not None
    outer = Path(f"/proc/{sandbox._process.pid}/environ").read_bytes()
    assert outer == b"", "bubblewrap's own environment must be empty too"


def test_the_autograder_and_the_reference_cannot_be_imported(sandbox: Sandbox) -> None:
    source = (
        "import importlib\n"
        "for name in ('autograder', 'course_lib.components.softmax', 'course_lib.components.attention'):\n"
        "    try: print(importlib.import_module(name))\n"
        "    except ModuleNotFoundError: print('none')\n"
    )
    assert shown(run(sandbox, source)) == "none\n" * 3


def test_nothing_can_be_left_for_the_next_submission(sandbox: Sandbox) -> None:
    leave = (
        "import os\n"
        "for folder in ('/', '/tmp', '/dev', '/dev/shm', '/course', '/course/course_lib', '/usr', '/proc', '/etc'):\n"
        "    try: open(folder + '/left', 'w').write('x'); print(folder)\n"
        "    except OSError: pass\n"
    )
    assert shown(run(sandbox, leave)).split() == ["/tmp", "/dev/shm"]
    look = "import os\nprint([f for f in ('/tmp', '/dev/shm') if os.listdir(f)])"
    assert shown(run(sandbox, look)) == "[]\n"


def test_it_is_an_ordinary_user_without_powers_or_new_namespaces(sandbox: Sandbox) -> None:
    source = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def tried(name, *arguments):\n"
        "    ctypes.set_errno(0); getattr(libc, name)(*arguments); print(name, ctypes.get_errno())\n"
        "print(os.getuid(), os.getppid())\n"
        "tried('unshare', 0x10000000)\n"
        "tried('umount2', b'/proc', 0)\n"
        "tried('mount', b'proc', b'/tmp', b'proc', 0, None)\n"
        "tried('ptrace', 16, 1, 0, 0)\n"
        "tried('setuid', 0)\n"
        "tried('syscall', 250 if os.uname().machine == 'x86_64' else 219, 1, 0)\n"
        "tried('sethostname', b'x', 1)\n"
        "tried('mincore', None, 0, None)\n"
        "for name in ('inotify_init', 'inotify_init1'): tried(name, 0)\n"
        "tried('vmsplice', os.pipe()[1], None, 0, 0)\n"
        "tried('socket', 40, 1, 0)\n"
    )
    user, *refused = shown(run(sandbox, source)).strip().split("\n")
    assert user == "1000 1"
    assert all(line.split()[1] in ("1", "22") for line in refused), refused
    assert len(refused) == 12


def test_attributes_of_files_take_no_memory_and_files_can_be_copied_all_the_same(sandbox: Sandbox) -> None:
    source = (
        "import os, shutil\nopen('x', 'w').write('read')\n"
        "try: os.setxattr('x', 'user.mine', bytes(60_000)); print('kept')\nexcept OSError: print('refused')\n"
        "shutil.copy2('x', 'y'); print(open('y').read())\n"
    )
    assert shown(run(sandbox, source)).split() == ["refused", "read"]


def test_the_page_cache_cannot_be_asked_and_files_can_be_read_all_the_same(sandbox: Sandbox) -> None:
    source = (
        "import os\nopen('x', 'w').write('read')\nfile = os.open('x', os.O_RDONLY)\n"
        "tries = (lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED),\n"
        "    lambda: os.preadv(file, [bytearray(4)], 0, os.RWF_NOWAIT))\n"
        "for ask in tries:\n    try: ask(); print('told')\n    except OSError: print('refused')\n"
        "into = bytearray(4)\nos.preadv(file, [into], 0); print(into.decode())\n"
    )
    assert shown(run(sandbox, source)).split() == ["refused", "refused", "read"]


def test_no_submission_can_tell_another_by_locks_on_a_file_that_both_read(sandbox: Sandbox) -> None:
    holds = (
        "import fcntl, os, struct, time\nfile = os.open(os.__file__, os.O_RDONLY)\n"
        "lock = struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0)\n"
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\nfcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)\n"
        "for command in (37, 38): fcntl.fcntl(file, command, lock)\n"
        "folder = os.open('/usr/bin', os.O_RDONLY)\n"
        "for what in ((file, fcntl.F_SETLEASE, fcntl.F_RDLCK), (folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)):\n"
        "    try: fcntl.fcntl(*what); print('told')\n    except PermissionError: print('refused')\n"
        "time.sleep(1)"
    )
    over, found = threading.Event(), set()

    def look() -> None:
        with open(os.__file__) as file:
            while not over.wait(0.02):
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(file, fcntl.LOCK_UN)
                except BlockingIOError:
                    found.add("flock")
                asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
                if struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK:
                    found.add("fcntl")

    looking = threading.Thread(target=look)
    looking.start()
    output = shown(run(sandbox, holds))
    over.set()
    looking.join()
    assert output == "refused\n" * 2
    assert not found


def test_a_device_keeps_the_time_at_which_it_was_touched(sandbox: Sandbox) -> None:
    """Those of the machine, which every submission sees: at what time they were touched would be a message."""
    source = (
        "import os\nfor name in ('null', 'zero', 'full', 'random', 'urandom', 'tty', 'pts/ptmx'):\n"
        "    try: os.utime('/dev/' + name); print(name)\n    except OSError: pass\n"
        "open('/dev/null', 'w').write('x'); open('/dev/urandom', 'rb').read(8); os.close(os.openpty()[0])"
    )
    outcome = run(sandbox, source)
    assert shown(outcome) == ""


def test_ones_own_database_can_be_locked_as_usual(sandbox: Sandbox) -> None:
    source = (
        "import sqlite3\nbase = sqlite3.connect('/tmp/base')\nbase.execute('create table t(a)')\n"
        "base.execute('insert into t values (1)'); base.commit(); print(*base.execute('select a from t'))"
    )
    assert shown(run(sandbox, source)) == "(1,)\n"


def test_the_supervisor_cannot_be_read_or_limited_from_inside(sandbox: Sandbox) -> None:
    source = (
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "class Part(ctypes.Structure): _fields_ = [('at', ctypes.c_void_p), ('size', ctypes.c_size_t)]\n"
        "here, taken = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)\n"
        "ours, theirs = Part(ctypes.addressof(taken), 8), Part(ctypes.addressof(here), 8)\n"
        "print(libc.process_vm_readv(1, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0))\n"
        "import os, resource\n"
        "try: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))\n"
        "except PermissionError: print('refused')\n"
    )
    assert shown(run(sandbox, source)) == "-1\nrefused\n"


# what must not be in memory


def memory_holds(pid: int, needles: list[bytes]) -> set[bytes]:
    """Which of the needles stand in a process's own memory."""
    found: set[bytes] = set()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("rw"):
                memory.seek(start)
                content = memory.read(end - start)
                found |= {needle for needle in needles if needle not in found and needle in content}
    return found


@pytest.mark.slow
def test_no_question_is_in_memory_while_cells_run(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process inside is searched while a cell runs, for a given of the exercise it comes after."""
    (plain,) = (question for question in QUESTIONS["softmax"] if question.name == "plain")
    given = plain.inputs[0]["scores"].tobytes()[:64]
    cell = b"a_name_of_this_" + b"submission"
    heard = Conversation._hear
    found: dict[int, set[bytes]] = {}

    def search(conversation: Conversation, frame: Any) -> None:
        heard(conversation, frame)
        if frame.head["is"] == "reached":
            for pid in descendants(warm_process(sandbox)):
                with contextlib.suppress(PermissionError):  # as an ordinary user
                    found[pid] = memory_holds(pid, [given, cell])

    with monkeypatch.context() as patched:
        patched.setattr(Conversation, "_hear", search)
        source = f"{cell.decode()} = 1\nimport signal; signal.pause()"
        outcome = run(sandbox, source, cell_seconds=5, answer_seconds=60, total_seconds=120)
    assert_full_answers(Outcome("graded", all_answers=outcome.all_answers))
    if not found:
        pytest.skip("an ordinary user may not look")
    assert set.union(*found.values()) == {cell}, "the search finds the cell, and no question"
    assert memory_holds(warm_process(sandbox), [given, cell]) == set(), "nothing is left for the next submission"


def code_of(thing: Any) -> Iterator[CodeType]:
    """The code of a function, or of all functions of a class or module but constructors, which are given."""
    if getattr(thing, "__name__", "") == "__init__":
        return
    thing = inspect.unwrap(thing) if callable(thing) else thing  # a decorator's own code is torch's
    if hasattr(thing, "__code__"):
        yield thing.__code__
    elif hasattr(thing, "__name__"):
        home = getattr(thing, "__module__", thing.__name__)
        for part in vars(thing).values():
            if getattr(part, "__module__", "") == home:
                yield from code_of(part)


def traces_of(module: Any) -> list[bytes]:
    """Bytes in the memory of whoever has imported a module, or holds its source: of each function, and of the text."""
    codes = [max(code.co_code, code.co_linetable, key=len) for code in code_of(module)]
    lines = [line.split("  # ")[0].strip() for line in Path(module.__file__).read_text().splitlines()]
    telling = [line.encode() for line in lines if re.match(r"\w+ = .{25,}", line)]
    return [part for part in codes if len(part) > 40] + sorted(telling, key=len)[-1:]


#: a process that has imported modules, and holds their sources, until it is told to end
READER = """
import importlib, inspect, sys
held = [inspect.getsource(importlib.import_module(name)).encode() for name in sys.argv[1:]]
print("read", flush=True)
sys.stdin.read()
"""


def test_the_warm_process_holds_nothing_of_the_reference(sandbox: Sandbox) -> None:
    # components of earlier lessons are released, and may be there
    names = {module.name for module in pkgutil.iter_modules(course_lib.components.__path__)}
    modules = [importlib.import_module(f"course_lib.components.{name}") for name in names & withheld_components(LESSON)]
    traces = [traces_of(module) for module in modules]
    assert all(traces), "each of them would leave a trace"
    needles = [needle for of_module in traces for needle in of_module]
    control = ask_module.ask.__code__.co_linetable
    command = [sys.executable, "-c", READER, *(module.__name__ for module in modules)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "read\n"
        assert memory_holds(reader.pid, needles) == set(needles), "the search finds what is there"
        reader.communicate()
    assert memory_holds(warm_process(sandbox), [*needles, control]) == {control}


def test_an_environment_where_a_submissions_own_folders_lie_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.grading.visible.sys.executable", "/tmp/a clone/.venv/bin/python")
    assert python_inside() == "/environment/tmp/a clone/.venv/bin/python"
    monkeypatch.setattr("autograder.grading.visible.sys.executable", "/home/me/.venv/bin/python")
    assert python_inside() == "/home/me/.venv/bin/python"
