"""Run `course demo`: build, release, hand in, grade, write feedback and report, all with the real commands."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nbformat
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from autograder.building.build import build_lesson
from autograder.building.missing_keys import make_answer_keys, up_to
from autograder.demo.classroom import LESSON, Student, make_class, students
from autograder.demo.packages import install_with_apt
from autograder.grading.bubblewrap import bubblewrap_unavailable, look_again
from autograder.records.archive import class_archive
from autograder.records.record import Record
from autograder.terminal import out, results_table, summarise
from autograder.terminal_feedback import feedback_pages
from autograder.terminal_grading import Grading, grade_all
from autograder.terminal_report import write_report
from course_lib.course import Course, CourseError


def run_demo(course: Course, folder: Path, workers: int, unsandboxed: bool) -> None:
    """Make the class and take it through every step. Remove what an earlier run left in ``folder``.

    Raises:
        CourseError: ``folder`` is not the demo's own, or a submission was not graded as it must be.
    """
    mark = folder / ".demo-class"
    if folder.exists() and not mark.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} exists and is not a demo class. Name another folder with --folder.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)  # like a class's folder, because it contains students' work
    mark.touch()
    if not unsandboxed:
        unsandboxed = _prepare_sandbox()

    out.print("[bold]1. Build[/] the lesson: solutions/, notebooks/, answer keys, course_lib as released")
    stale = [built for built in build_lesson(course, LESSON) if not built.fresh]
    made = make_answer_keys(up_to(LESSON), workers)
    out.print(f"   {made} answer keys made" if made else "   answer keys are kept from an earlier run")
    out.print(f"   {len(stale)} files written" if stale else "   everything was as it would be built")

    out.print("[bold]2. Release[/] the notebook, and let 24 students hand it in")
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    submissions = folder / "submitted"
    handed_in = list(
        track(make_class(released, LESSON, submissions), "   Submissions", len(students()), console=_bar())
    )
    out.print(f"   {len(handed_in)} submissions in {escape(str(submissions))}", soft_wrap=True)

    how = "without a sandbox" if unsandboxed else "each in a sandbox"
    out.print(f"[bold]3. Grade[/] them on hidden questions, {how}; one of them never ends, and is stopped")
    archive = class_archive(course, _short(folder))
    graded = grade_all(Grading(course, LESSON, submissions, archive, workers, unsandboxed))
    out.print(results_table(graded))
    summarise(graded, archive)

    out.print("[bold]4. Feedback[/] and the [bold]class report[/]")
    feedback_pages(course, LESSON, archive)
    write_report(course, LESSON, archive)

    wrong = list(_surprises(handed_in, graded))
    for line in wrong:
        out.print(f"[red]✗[/] {line}")
    if wrong:
        raise CourseError(f"{len(wrong)} submissions were not graded as they must be.")
    out.print("[green]✓[/] Right answers have full points, the untouched one has none, each mistake is named.\n")
    out.print("[bold]Where to look[/]")
    for what, where in (
        ("a student's feedback", archive.feedback("scale_forgotten", LESSON)),
        ("the class report", archive.report(LESSON)),
        ("the gradebook", folder / "gradebook.db"),
        ("the student notebook (open it: course lab)", course.student_notebook(LESSON)),
    ):
        out.print(f"   {what}:\n      {escape(str(_short(where)))}", soft_wrap=True)


def _short(path: Path) -> Path:
    """Return the path relative to the current folder if it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _surprises(handed_in: list[Student], graded: list[Record]) -> list[str]:
    """Return sentences about results that differ from those for which the class was made."""
    found = []
    results = {g["student"]: g for g in graded}
    for student in handed_in:
        g = results[student.name]
        if student.name.startswith("right") and g["score"] != g["max_score"]:
            found.append(f"{student.name} is right and has {g['score']} of {g['max_score']} points")
        if student.name == "untouched" and g["score"] != 0:
            found.append(f"the untouched notebook has {g['score']} points")
        if not g["reason"] and not g["exercises"]:
            found.append(f"{student.name} has neither a score nor a reason")
        for exercise, mistake in student.mistakes.items():
            named = g["exercises"][exercise]["misconception"] if exercise in g["exercises"] else None
            if named != mistake:
                found.append(f"{student.name}: {exercise} is called {named}, and is {mistake}")
    return found


def _prepare_sandbox() -> bool:
    """Install bubblewrap if it is missing and this user may do so. Return whether there is still no sandbox."""
    missing = bubblewrap_unavailable()
    if missing and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        out.print(f"The sandbox can't be used yet ({missing}). Installing bubblewrap with apt-get.", soft_wrap=True)
        if why_not := install_with_apt("bubblewrap"):
            out.print(f"   {escape(why_not)}", soft_wrap=True)
        look_again()
        missing = bubblewrap_unavailable()
    if missing:
        out.print(f"[yellow]No sandbox here: {missing}. The demo trusts its own class and grades it without one.[/]")
    return bool(missing)


def _bar() -> Console:
    return Console(stderr=True)
