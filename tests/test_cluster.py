"""A cluster grades as one machine does: a scheduler and two workers, each a process in an empty folder of its own."""

from __future__ import annotations

import json
import os
import runpy
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from conftest import LESSON, TimedResult, copy_course, hand_in_to, require, run_course
from distributed import Client
from nbgrader.api import Gradebook

from autograder.demo.classroom import Student, hand_in, students
from autograder.grading import cluster as cluster_module
from autograder.grading.cluster import problems
from autograder.grading.worker import versions
from autograder.records.archive import Archive
from autograder.records.record import Record
from course_lib.course import Course

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent

#: looks for what a submission must not see: the worker's folder and the network that its scheduler is on
SPY = """
import os, socket
for path in ({folder!r}, {key!r}):
    print(path, os.path.exists(path))
try:
    socket.create_connection(({host!r}, {port}), timeout=2)
    print("connected")
except OSError as error:
    print("no network")
"""

#: kills the process that started the one which all submissions of its thread are forks of: the worker
KILLER = """
import os, signal
pid = os.getpid()
def said(file): return open(f"/proc/{pid}/{file}", "rb").read()
while b"fork_server" in said("cmdline"):
    pid = int(said("stat").rpartition(b")")[2].split()[1])
os.kill(pid, signal.SIGKILL)
"""


@dataclass
class Cluster:
    """A scheduler and its workers, each a process in a folder of its own."""

    folder: Path
    address: str = ""
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def start(self, name: str, *arguments: str, until: str) -> str:
        """Start a process in an empty folder, and wait for a line; the line."""
        home = self.folder / name
        (home / "cwd").mkdir(parents=True)
        paths = (str(ROOT), os.environ.get("PYTHONPATH"))
        process = self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=home / "cwd",
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                "XDG_CACHE_HOME": str(home / "cache"),
                "DASK_TEMPORARY_DIRECTORY": str(home),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if until in line:
                threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
                return line
        raise AssertionError(said)

    def worker(self, *arguments: str) -> None:
        name = f"worker {len(self.processes)}"
        options = ("--nthreads", "1", "--no-dashboard", "--name", name, *arguments)
        self.start(name, "distributed.cli.dask_worker", self.address, *options, until="Registered to:")

    def two_workers(self) -> Cluster:
        """Bring the number of workers to two."""
        with self.client() as client:
            there = len(client.nthreads())
        for _ in range(there, 2):
            self.worker("--no-nanny")
        return self

    def client(self) -> Client:
        return Client(self.address, set_as_default=False)

    def kill_one_at_work(self) -> list[str]:
        """Kill a worker that has submissions before it; which."""
        with self.client() as client:
            pids = client.run(os.getpid)
            busy = {at: [k for k in keys if "course-run" in str(k)] for at, keys in client.processing().items()}
        address, keys = max(busy.items(), key=lambda one: len(one[1]))
        os.kill(pids[address], signal.SIGKILL)
        return keys

    def tasks(self) -> int:
        with self.client() as client:
            return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))  # type: ignore[no-any-return]


def started(folder: Path) -> Iterator[Cluster]:
    require("bwrap")
    cluster = Cluster(folder)
    try:
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        said = cluster.start("scheduler", "distributed.cli.dask_scheduler", *options, until="Scheduler at:")
        cluster.address = said.split()[-1]
        yield cluster
    finally:
        for process in reversed(cluster.processes.values()):  # workers first: they take their leave of the scheduler
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from started(tmp_path_factory.mktemp("cluster"))


@pytest.fixture
def cluster(scheduler: Cluster) -> Cluster:
    """Two workers, whatever became of those of the test before."""
    return scheduler.two_workers()


@pytest.fixture(scope="module")
def root(course: Course, released: Any, scheduler: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class, graded on this machine."""
    root = copy_course(course, tmp_path_factory.mktemp("a course"))
    host, port = scheduler.address.removeprefix("tcp://").split(":")
    spy = SPY.format(folder=str(scheduler.folder), key=str(root / "class/secret.key"), host=host, port=port)
    chosen = [s for s in students() if s.name in ("right_1", "scale_forgotten", "half_done", "crashes", "cut_in_half")]
    handed_in = {s.name: hand_in(s, released) for s in (*chosen, Student("spy", after=spy))}
    submitted = hand_in_to(root / "submitted", handed_in)
    (submitted / "empty" / LESSON).mkdir(parents=True)
    ran = grade(root, "class")
    assert ran.code == 0, ran
    return root


def grade(root: Path, folder: str, *arguments: str) -> TimedResult:
    """Grade into a class's folder, with the secret that all have."""
    if folder != "class" and not (root / folder).exists():
        (root / folder).mkdir()
        for name in ("secret.key", "keys"):
            (root / folder / name).symlink_to(root / "class" / name)
    return run_course(root, "grade", "03", "--submissions", "submitted", "--class", folder, *arguments)


def gradebook(root: Path, folder: str) -> list[tuple[Any, ...]]:
    """Every row of every grade and comment, without its time and its number."""
    with Gradebook(f"sqlite:///{root / folder / 'gradebook.db'}") as book:
        rows = [
            (submission.student.id, row.name, *(getattr(row, name, None) for name in ROW))
            for submission in book.assignment_submissions(LESSON)
            for notebook in submission.notebooks
            for row in (*notebook.grades, *notebook.comments)
        ]
    return sorted(rows, key=repr)


ROW = ("auto_score", "manual_score", "extra_credit", "needs_manual_grade", "auto_comment", "manual_comment")


def records(root: Path, folder: str) -> dict[str, Any]:
    """What is recorded of each, and the notebook that feedback is made of."""
    found = {path.stem: json.loads(path.read_text()) for path in (root / folder / "records" / LESSON).glob("*.json")}
    graded = {p.stem: p.read_text() for p in (root / folder / "autograded").rglob("*.ipynb")}
    return {"records": found, "notebooks": graded}


def require_same(root: Path, folder: str) -> None:
    assert gradebook(root, folder) == gradebook(root, "class")
    ours, theirs = records(root, folder), records(root, "class")
    assert ours.keys() == theirs.keys()
    assert ours["records"] == theirs["records"]


def after_the_first(happens: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen when the first of a class is graded and recorded."""
    save = Archive.save

    def save_it(archive: Archive, record: Record, notebook: Any, time: datetime | None = None) -> None:
        save(archive, record, notebook, time)
        if notebook is not None:
            monkeypatch.setattr(Archive, "save", save)
            happens()

    monkeypatch.setattr(Archive, "save", save_it)


def test_the_same_gradebook_as_on_one_machine_and_the_same_walls(root: Path, cluster: Cluster) -> None:
    ran = grade(root, "far", "--scheduler", cluster.address)
    assert ran.code == 0, ran
    require_same(root, "far")
    for path in cluster.folder.glob("worker */cwd"):
        assert not list(path.iterdir())
    # what the spy printed there
    assert records(root, "far")["records"]["spy"]["sandboxed"]
    notebook = nbformat.read(root / "far/autograded/spy" / LESSON / f"{LESSON}.ipynb", as_version=nbformat.NO_CONVERT)
    printed = "".join(output.get("text", "") for output in notebook.cells[-1].outputs)
    assert printed.splitlines() == [f"{cluster.folder} False", f"{root / 'class/secret.key'} False", "no network"]


def test_a_worker_that_is_killed_half_way_loses_nothing(
    root: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    had: list[str] = []
    after_the_first(lambda: had.extend(cluster.kill_one_at_work()), monkeypatch)
    ran = grade(root, "killed", "--scheduler", cluster.address)
    assert ran.code == 0, ran
    assert had, "it was at work"
    with cluster.client() as client:
        assert len(client.nthreads()) == 1
    require_same(root, "killed")


def test_control_c_keeps_what_is_graded_and_leaves_nothing_behind(
    root: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        after_the_first(lambda: signal.raise_signal(signal.SIGINT), monkeypatch)
        ran = grade(root, "stopped", "--scheduler", cluster.address)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ran.code == 130
    assert "of 7 were graded and are kept. Run it again to grade the others." in ran.out
    assert "Traceback" not in ran.out + ran.err
    kept = records(root, "stopped")["records"]
    assert 1 <= len([r for r in kept.values() if r["digest"]]) < 5
    assert cluster.tasks() == 0, "the scheduler has forgotten kit and submissions"
    ran = grade(root, "stopped", "--scheduler", cluster.address)
    assert ran.code == 0, ran
    assert "of 7 are as they were graded before" in ran.out
    assert gradebook(root, "stopped") == gradebook(root, "class")


def test_a_submission_that_kills_workers_again_and_again_is_given_up(
    course: Course, released: Any, tmp_path: Path
) -> None:
    """Without a sandbox: in one, no submission reaches its worker."""
    root = copy_course(course, tmp_path / "a course")
    class_of = (Student("a_killer", before=KILLER), Student("b_right"))
    hand_in_to(root / "submitted", {s.name: hand_in(s, released) for s in class_of})
    for cluster in started(tmp_path / "cluster"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cluster_module, "CONNECT_SECONDS", 1.0)
            ran = grade(root, "class", "--scheduler", cluster.address)
            assert ran.code == 1
            assert f"The scheduler {cluster.address} has no worker." in ran.err
        with cluster.client() as client:
            client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        cluster.worker()  # with a nanny, which starts it again
        ran = grade(root, "class", "--scheduler", cluster.address, "--unsandboxed")
        assert ran.code == 0, ran
        found = records(root, "class")["records"]
        assert found["a_killer"]["status"] == "failed"
        assert found["a_killer"]["courses_fault"]
        assert "its worker died while running it, and again when nothing else ran" in found["a_killer"]["reason"]
        assert found["b_right"]["score"] == found["b_right"]["max_score"]


def test_where_no_worker_is_left_grading_ends_with_a_sentence(
    root: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "WITHOUT_WORKERS_SECONDS", 2.0)

    def kill_all() -> None:
        with cluster.client() as client:
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)

    after_the_first(kill_all, monkeypatch)
    ran = grade(root, "left alone", "--scheduler", cluster.address)
    assert ran.code == 1
    assert f"The scheduler {cluster.address} is gone, or has had no worker for 2 s." in ran.err
    assert "of 7 were graded and are kept. Run it again to grade the others." in ran.err


def test_other_versions_are_refused_and_it_is_said_who_has_which(
    root: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {**versions(), "torch": "9.9.9"}
    monkeypatch.setattr(cluster_module, "versions", lambda: here)
    ran = grade(root, "versions", "--scheduler", cluster.address)
    assert ran.code == 1
    with cluster.client() as client:
        assert all(address in ran.err for address in client.nthreads())
    assert f"has torch {versions()['torch']}, but this machine has course" in ran.err
    assert "torch 9.9.9" in ran.err
    # whoever comes after that was looked at is refused by the first submission that it gets
    monkeypatch.setattr(cluster_module, "_require_workers", lambda *_: None)
    ran = grade(root, "versions", "--scheduler", cluster.address)
    assert ran.code == 1
    assert f"has torch {versions()['torch']}, but this machine has course" in ran.err
    assert list(records(root, "versions")["records"]) == ["empty"]


def test_what_else_a_worker_may_lack_is_said() -> None:
    here = versions()
    seen: dict[str, Any] = {f"tcp://{n}": (here, "bubblewrap (bwrap) is not installed") for n in range(5)}
    assert problems(here, seen, sandboxed=False) == ""
    said = problems(here, seen | {"tcp://good": (here, None)}, sandboxed=True)
    assert said.startswith("tcp://0, tcp://1, tcp://2 and 2 more, each of which cannot run submissions in a sandbox:")
    assert "good" not in said
    said = problems(here, {"tcp://bare": ModuleNotFoundError("No module named 'autograder'")}, sandboxed=True)
    assert said.startswith("tcp://bare cannot load the course (No module named 'autograder').")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "no address", "carrier-pigeon://host:1"])
def test_a_scheduler_that_cannot_be_reached(root: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
    ran = grade(root, "nowhere", "--scheduler", address)
    assert ran.code == 1
    assert f"There is no scheduler at {address}: " in ran.err
    assert "Start one with: dask scheduler" in ran.err
    assert "Traceback" not in ran.err


def test_without_distributed_it_is_said_how_to_install_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = grade(root, "nowhere", "--scheduler", "tcp://127.0.0.1:1")
    assert ran.code == 1
    assert "is not installed. Run: pip install -e '.[cluster]'" in ran.err


DOCS = ROOT / "docs"


def require_options(command: list[str]) -> None:
    """`dask` knows this command and all of its options."""
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    program, verb, *arguments = command
    assert program == "dask"
    {"scheduler": scheduler, "worker": worker}[verb].make_context(verb, arguments)


def test_the_commands_of_the_page_are_dasks() -> None:
    commands = [line.split() for line in (DOCS / "cluster.md").read_text().splitlines() if line.startswith("dask ")]
    assert [command[1] for command in commands] == ["scheduler", "worker"]
    for command in commands:
        require_options(command)


def test_the_manifest_is_a_cluster_whose_parts_fit_together() -> None:
    manifest = yaml.safe_load((DOCS / "cluster/kubernetes.yaml").read_text())
    assert (manifest["apiVersion"], manifest["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    scheduler, worker = manifest["spec"]["scheduler"], manifest["spec"]["worker"]
    for part in (scheduler, worker):
        (container,) = part["spec"]["containers"]
        require_options(container["args"])
        assert container["image"] == "REGISTRY/attention-course"
    assert scheduler["service"]["selector"]["dask.org/cluster-name"] == manifest["metadata"]["name"]
    ports = {port["name"]: port["containerPort"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert ports == {port["targetPort"]: port["port"] for port in scheduler["service"]["ports"]}
    assert ports["tcp-comm"] == 8786
    (container,) = worker["spec"]["containers"]
    threads = int(container["args"][container["args"].index("--nthreads") + 1])
    assert int(container["resources"]["limits"]["cpu"]) == threads
    assert worker["spec"]["hostUsers"] is False, "without it, nothing may be unmasked"


@pytest.mark.parametrize("image", ["cluster", "container"])
def test_an_image_contains_what_pip_needs_and_nothing_else(course: Course, image: str) -> None:
    lines = (DOCS / image / "Dockerfile").read_text().splitlines()
    copied = {path for line in lines if line.startswith("COPY ") for path in line.split()[1:-1]}
    assert copied == {"pyproject.toml", "README.md", "LICENSE", "course_lib", "autograder"}
    assert all((course.root / path).exists() for path in copied)
    sent, *allowed = (course.root / ".dockerignore").read_text().split("\n", 1)[1].split()
    assert sent == "*", "nothing of a class folder is sent to Docker"
    assert {name[1:] for name in allowed if name.startswith("!")} == copied


def test_slurms_job_script_starts_one_worker_with_a_thread_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    from dask_jobqueue.slurm import SLURMJob

    monkeypatch.setattr(sys, "executable", "/a folder/.venv/bin/python")
    job = runpy.run_path(str(DOCS / "cluster/slurm.py"))["JOB"]
    script = SLURMJob(scheduler="tcp://login:8786", name="course", **job).job_script()
    assert "#SBATCH --cpus-per-task=16" in script
    assert "#SBATCH -p normal" in script
    assert "#SBATCH -t 02:00:00" in script
    command = shlex.split(script.splitlines()[-1])
    assert command[:3] == ["/a folder/.venv/bin/python", "-m", "distributed.cli.dask_worker"]
    require_options(["dask", "worker", *command[3:]])
    assert command[3] == "tcp://login:8786"
    assert command[command.index("--nthreads") + 1] == "16"
    assert "--nworkers" not in command
