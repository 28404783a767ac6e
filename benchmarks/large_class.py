"""Measure the class report and the export of grades in a class that is far larger than any real one.

No submission is run. Students, points and mistakes are generated, and entered into a gradebook and the class's records
as grading leaves them. Each command then runs in its own process, and its time and peak memory are printed.

    python -m benchmarks.large_class --students 30000
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import (
    Assignment,
    Grade,
    GradeCell,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import create_engine, insert
from sqlalchemy.orm import Session

from autograder.class_folder.gradebook_url import with_driver
from autograder.exercises import DEFINITIONS
from autograder.gradebook.gradebook import Records
from autograder.grading.origin import digest, origin
from autograder.records.archive import Archive
from autograder.records.record import ExerciseRecord, Record
from course_lib.course import Course, find_course

LESSON = "03_self_attention"
#: the shares of an exercise's points that students earn, each with the same probability
_SHARES = (0.0, 0.25, 0.5, 1.0, 1.0, 1.0)


def fill(course: Course, archive: Archive, count: int, handed_in: bytes = b"") -> None:
    """Enter a class: gradebook, records, and a roster with five who handed in nothing.

    Args:
        handed_in: everybody's submission, if it must exist and match the grades.
    """
    follows_from = digest(origin(course, LESSON, archive.folder), handed_in) if handed_in else ""
    drawn = random.Random(1706)
    with Records(archive.gradebook, LESSON) as book:
        book.register(nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT))
    engine = create_engine(with_driver(archive.gradebook))
    students = [f"student{number:05}" for number in range(count)]
    with Session(engine) as session:
        lesson = session.query(Assignment.id).filter(Assignment.name == LESSON).scalar()
        notebook = session.query(Notebook.id).filter(Notebook.assignment_id == lesson).scalar()
        cells = session.query(GradeCell.id, GradeCell.name, GradeCell.max_score).all()
        rows: dict[Any, list[dict[str, Any]]] = {Student: [], SubmittedAssignment: [], SubmittedNotebook: [], Grade: []}
        for student in students:
            submission, submitted = new_uuid(), new_uuid()
            points = {name: most * drawn.choice(_SHARES) for _, name, most in cells}
            rows[Student].append({"id": student, "first_name": "Kim", "last_name": student.title()})
            rows[SubmittedAssignment].append({"id": submission, "assignment_id": lesson, "student_id": student})
            about = {"id": submitted, "notebook_id": notebook, "assignment_id": submission}
            rows[SubmittedNotebook].append(about)
            for cell, name, _ in cells:
                grade = {"id": new_uuid(), "cell_id": cell, "notebook_id": submitted, "auto_score": points[name]}
                rows[Grade].append({**grade, "needs_manual_grade": False})
            record = _record(student, {name: (points[name], most) for _, name, most in cells}, drawn)
            archive.save_record({**record, "digest": follows_from})
            if handed_in:
                path = archive.submitted / student / LESSON / f"{LESSON}.ipynb"
                path.parent.mkdir(parents=True)
                path.write_bytes(handed_in)
        for table, entries in rows.items():
            session.execute(insert(table), entries)
        session.commit()
    absent = [f"absent{number}" for number in range(5)]
    table = "\n".join(f"{student},Kim,{student.title()},{number}" for number, student in enumerate(students + absent))
    archive.roster.write_text(f"id,first_name,last_name,lms_user_id\n{table}\n", encoding="utf-8")


def _record(student: str, points: dict[str, tuple[float, float]], drawn: random.Random) -> Record:
    exercises = {
        name.removeprefix("check-"): _exercise(name.removeprefix("check-"), *scores, drawn)
        for name, scores in points.items()
        if name.startswith("check-")
    }
    return Record(
        student=student,
        lesson=LESSON,
        status="graded",
        reason="",
        courses_fault=False,
        asked=True,
        score=sum(score for score, _ in points.values()),
        max_score=sum(most for _, most in points.values()),
        waiting=[],
        to_review=0,
        above_maximum=0,
        answers={},
        scored={},
        decision="",
        unseen={},
        time_note="",
        file="",
        earlier=None,
        kept="",
        exercises=exercises,
        notes=[],
        look=[],
        sandboxed=True,
        digest="",
    )


def _exercise(name: str, score: float, most: float, drawn: random.Random) -> ExerciseRecord:
    exercise = DEFINITIONS[name].exercise
    mistake = drawn.choice(exercise.misconceptions) if score < most else None
    checks = drawn.sample(exercise.checks, min(2, len(exercise.checks))) if mistake else []
    sentences = {check.name: check.sentence for check in checks} | ({mistake.name: mistake.sentence} if mistake else {})
    return ExerciseRecord(
        score=score,
        max_score=most,
        misconception=mistake.name if mistake else None,
        broken_laws=[check.name for check in checks],
        sentences=sentences,
        carried=None,
        error=None,
    )


#: runs a command and writes its peak memory, which excludes that of the process that started it
_VERB = """
import re, sys
from course_lib.app.main import main
*sys.argv, peak = ["course", *sys.argv[1:]]
try:
    main()
finally:
    with open("/proc/self/status") as status, open(peak, "w") as file:
        file.write(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1])
"""


def cost(folder: Path, *verb: str) -> tuple[float, float, float]:
    """Return a command's wall time and processor time in seconds, and its peak memory in MB.

    Raises:
        SystemExit: the command failed.
    """
    start, peak = time.perf_counter(), folder / "peak"
    command = [sys.executable, "-c", _VERB, *verb, str(peak)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"course {' '.join(verb)} failed:\n{done.stdout}{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, int(peak.read_text()) / 1024


def main() -> None:
    """Make the class, and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=30_000, help="how many (default: 30000)")
    arguments = parser.parse_args()
    course = find_course()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = Archive(folder)
        fill(course, archive, arguments.students)
        print(f"{arguments.students} students, {LESSON}, gradebook on SQLite")
        there = ("--class", name)
        for verb in (
            ("grades", LESSON, "--format", "canvas", "--to", str(folder / "canvas.csv"), *there),
            ("grades", "all", "--format", "csv", "--to", str(folder / "grades.csv"), *there),
            ("report", LESSON, "--csv", str(folder / "report.csv"), "--json", str(folder / "report.json"), *there),
        ):
            wall, cpu, memory = cost(folder, *verb)
            shown = " ".join(verb[: 4 if verb[0] == "grades" else 2])
            print(f"course {shown:<45}{wall:7.1f} s wall {cpu:7.1f} s CPU {memory:7.0f} MB", flush=True)
        print(f"the report's page: {archive.report(LESSON).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
