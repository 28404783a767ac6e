"""What a submission costs each part of a cluster; hence how many cores a class needs, and where one writer saturates.

A scheduler and one worker with a thread for each core run on this machine. Submissions of lesson 03 are graded through
them as by `course grade --scheduler`, and CPU seconds are counted once all is warm: those of the sandboxes, of the
worker, of the scheduler and of the process that judges and writes. The last writes into an empty gradebook and into one
that holds a large class already. CPU seconds hardly depend on what else the machine does; seconds by the clock do.

    python -m benchmarks.cluster --submissions 96 --class-of 30000
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from autograder.building.missing_keys import make_answer_keys, up_to
from autograder.demo.classroom import LESSON, hand_in, students
from autograder.gradebook.gradebook import Records
from autograder.grading.cluster import ClusterPool, connect
from autograder.grading.grader import Grader, make_grader
from autograder.records.archive import Archive
from autograder.records.graded_so_far import GradedSoFar
from autograder.records.regrading import Regrading
from autograder.submissions.submission import find_submissions
from course_lib.course import Course, find_course
from course_lib.processors import usable_processors

#: who runs to the end quickly: those who do not cost what the limits allow
ORDINARY = [s for s in students() if not s.before and not s.after and not s.cut]
#: what the process that judges and writes does with each, in order
STAGES = ((Grader, "ready"), (Grader, "judge"), (Records, "save"), (Archive, "save"))


@dataclass
class Counted:
    """CPU seconds of this process's main thread by stage, and of the sandboxes."""

    seconds: Counter[str] = field(default_factory=Counter)

    def count(self, owner: type, method: str) -> None:
        """Count a method's from now on."""
        function: Callable[..., Any] = getattr(owner, method)

        def counted(*arguments: Any, **named: Any) -> Any:
            start = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds[f"{owner.__name__}.{method}"] += time.thread_time() - start

        setattr(owner, method, counted)


@dataclass
class CountedPool:
    """A cluster whose outcomes tell what they cost."""

    pool: ClusterPool
    counted: Counted

    def outcomes(self, *arguments: Any) -> Iterator[tuple[Any, Future[Any]]]:
        """See `Pool`."""
        for one, done in self.pool.outcomes(*arguments):
            self.counted.seconds["sandboxes"] += done.result().processor_seconds or 0.0
            yield one, done

    def used(self) -> Counter[str]:
        """CPU seconds of all parts until now."""
        client = self.pool.client
        return self.counted.seconds + Counter(
            {
                "worker": sum(client.run(time.process_time).values()),
                "scheduler": client.run_on_scheduler(time.process_time),
                "writer": time.process_time(),
            }
        )


@contextmanager
def processes(folder: Path, threads: int) -> Iterator[str]:
    """A scheduler and a worker, each a process of its own; the scheduler's address."""
    told = folder / "scheduler.json"
    common = ("--no-dashboard", "--scheduler-file", str(told))
    commands = (("dask_scheduler", "--port", "0"), ("dask_worker", "--nthreads", str(threads), "--no-nanny"))
    running: list[subprocess.Popen[bytes]] = []
    try:
        for program, *options in commands:
            command = [sys.executable, "-m", f"distributed.cli.{program}", *options, *common]
            running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            while not told.exists() and running[0].poll() is None:
                time.sleep(0.1)
        yield json.loads(told.read_text(encoding="utf-8"))["address"]
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()


def hand_in_class(course: Course, folder: Path, count: int) -> None:
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    texts = [hand_in(student, released) for student in ORDINARY]
    for number in range(count):
        path = folder / f"student_{number:04}" / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(texts[number % len(texts)], encoding="utf-8")


#: of each table, which columns tell one student's rows from another's, and which rows a student has
OF_A_STUDENT = {
    "student": (("id",), "id = :student"),
    "submitted_assignment": (("id", "student_id"), "student_id = :student"),
    "submitted_notebook": (("id", "assignment_id"), "assignment_id IN ({submitted_assignment})"),
    "grade": (("id", "notebook_id"), "notebook_id IN ({submitted_notebook})"),
    "comment": (("id", "notebook_id"), "notebook_id IN ({submitted_notebook})"),
}
NUMBERS = "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :count)"


def fill(gradebook: Path, count: int) -> None:
    """Give a gradebook so many more students, each with what one of its students has."""
    book, rows_of = sqlite3.connect(gradebook), dict[str, str]()
    student = book.execute("SELECT student_id FROM submitted_assignment").fetchone()[0]
    for table, (own, rows) in OF_A_STUDENT.items():
        where = rows.format(**rows_of)
        rows_of[table] = f"SELECT id FROM {table} WHERE {where}"
        columns = [column[1] for column in book.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(f"{column} || '-' || i" if column in own else column for column in columns)
        select = f"SELECT {values} FROM {table}, numbers WHERE {where}"
        book.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) {NUMBERS} {select}", {"student": student, "count": count}
        )
    book.commit()
    book.close()


def graded(course: Course, folder: Path, pool: CountedPool, warm: int) -> Counter[str]:
    """CPU seconds a submission, of those that come after the first ``warm``."""
    found, archive = find_submissions(folder / "submitted", LESSON), Archive(folder / "class")
    grader = make_grader(course, LESSON, archive.folder, elsewhere=True)
    before: Counter[str] = Counter()
    with Records(archive.gradebook, LESSON) as records:
        records.register(grader.released)
        graded = GradedSoFar(LESSON, grader.origin, archive, records)
        regrading = Regrading(grader, graded, "keep", pool)
        for number, _ in enumerate(regrading.grade(found), 1):
            if number == warm:
                before = pool.used()
    used = pool.used() - before
    return Counter({name: seconds / (len(found) - warm) for name, seconds in used.items()})


def main() -> None:
    """Measure, and print what follows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=96, help="how many (default: %(default)s)")
    parser.add_argument("--class-of", type=int, default=30_000, help="how many there may be (default: %(default)s)")
    arguments = parser.parse_args()
    course, warm = find_course(), arguments.submissions // 3
    make_answer_keys(up_to(LESSON), usable_processors())
    counted, threads = Counted(), usable_processors()
    for owner, method in STAGES:
        counted.count(owner, method)
    with (
        tempfile.TemporaryDirectory() as name,
        processes(Path(name), threads) as scheduler,
        connect(scheduler, sandboxed=True) as pool,
    ):
        folder, counting = Path(name), CountedPool(pool, counted)
        (folder / "class").mkdir()
        hand_in_class(course, folder / "submitted", arguments.submissions)
        for there in (0, arguments.class_of):
            if there:
                fill(folder / "class/gradebook.db", there)
                shutil.rmtree(folder / "class/records")
            start = time.perf_counter()
            each = graded(course, folder, counting, warm)
            tell(each, there, arguments.class_of, arguments.submissions / (time.perf_counter() - start))


def tell(each: Counter[str], there: int, class_of: int, rate: float) -> None:
    """Print what a submission cost, and what that means for a class."""
    print(f"\nInto a gradebook that holds {there:,} others; {rate:.1f} a second by the clock, start included.")
    print("CPU seconds a submission:")
    for part in ("sandboxes", "worker", "scheduler", "writer"):
        print(f"    {part:<12}{each[part]:7.3f}")
    for owner, method in STAGES:
        stage = f"{owner.__name__}.{method}"
        print(f"        of these {stage:<15}{each[stage]:7.3f}")
    core, writer = 1 / (each["sandboxes"] + each["worker"]), 1 / each["writer"]
    print(f"A worker's core runs {core:.2f} submissions a second; one writer takes {writer:.1f} a second,")
    print(f"so {writer / core:.0f} cores keep it busy, with {3600 * writer:,.0f} submissions an hour.")
    print(f"A class of {class_of:,} in an hour: {class_of / 3600:.1f} a second, {class_of / 3600 / core:.1f} cores.")


if __name__ == "__main__":
    main()
