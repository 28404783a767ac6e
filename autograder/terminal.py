"""Results, feedback and the report as a person at a terminal sees them: progress bars and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

import nbformat
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.collecting.collect import COLLECTED, Fate
from autograder.collecting.roster import Member, enrolled
from autograder.records.archive import Archive, write_json, write_whole
from autograder.records.decisions import needs_decision
from autograder.records.overall import marks, weighting_of
from autograder.records.record import Record, has_all_points, lateness, points, waits
from autograder.records.report import Cell, class_report
from autograder.records.report_page import ClassOfLesson, LessonTrend
from autograder.records.results import results
from autograder.terminal_progress import progress_bar
from course_lib.checking.formatting import number, printable
from course_lib.course import Course, CourseError
from course_lib.running.cells import grade_id, kind_of

out = Console(highlight=False, soft_wrap=False, emoji=False)


def feedback_pages(lesson: str, archive: Archive, gradebook: str | None) -> int:
    """Write the feedback pages with a progress bar; how many there are."""
    from autograder.records.feedback import deadlines_before, write_feedback
    from autograder.records.gradebook import Records

    total = len(_recorded(archive, lesson))
    with Records(gradebook or archive.gradebook, lesson) as records, progress_bar() as progress:
        bar = progress.add_task(f"Feedback for {lesson}", total=total)
        earlier = deadlines_before(archive, records, lesson)
        for _ in write_feedback(archive, records, lesson, earlier):
            progress.advance(bar)
    if earlier.until:
        out.print(
            f"Work is still accepted for {earlier.in_words}, whose components a submission could have printed. So the "
            "pages leave out what code printed, drew and answered: write them again after that.",
            soft_wrap=True,
        )
    return total


def write_report(
    course: Course,
    lesson: str,
    archive: Archive,
    gradebook: str | None,
    anonymous: bool = False,
    json_file: Path | None = None,
    csv_file: Path | None = None,
) -> None:
    """Write the class report, and show the exercises in the terminal.

    Args:
        anonymous: whether students are numbers, in a page of its own beside the one with names.
    """
    from autograder.records.gradebook import Records

    _recorded(archive, lesson)
    with Records(gradebook or archive.gradebook, lesson) as book:
        trend = [LessonTrend(name, len(found), fmean(found)) for name, found in book.shares().items()]
        members = {member.id: member for member in enrolled(archive.roster, None, book.members)}
        weighting, grades = weighting_of(course), book.lesson_grades()
        several = sum(map(bool, grades.grades.values())) > 1
        found = ClassOfLesson(
            lesson,
            results(archive, book, lesson),
            sorted(members.keys() - book.students()),
            trend,
            _graded_by(course),
            parts=(parts := book.parts()),
            written=_written_in_order(course, lesson, {name for theirs in parts.values() for name in theirs}),
            names={student: member.name for student, member in members.items() if member.name},
            marks=marks(grades, sorted(members or book.students()), weighting, absent_is_zero=False) if several else {},
            marks_by=weighting.in_words,
        )
    path = archive.report(lesson)
    if anonymous:
        found, path = found.without_names(), path.with_stem(f"{path.stem}_anonymous")
    write_whole(path, found.page(archive.feedback_link(lesson)))
    out.print(_exercises_table(found))
    if waiting := waits(found.records):
        out.print(f"{waiting}.")
    if json_file:
        write_json(json_file, found.as_json())
    if csv_file:
        write_whole(csv_file, found.as_csv())
    for kind, file in (("JSON", json_file), ("CSV", csv_file)):
        if file:
            out.print(f"{kind}: {escape(str(file))}", soft_wrap=True)
    out.print(f"Class report: {escape(str(path))}", soft_wrap=True)


def _written_in_order(course: Course, lesson: str, graded: Container[str]) -> list[str]:
    """The names of the written questions that are graded, in the order of the notebook."""
    notebook = nbformat.read(course.student_notebook(lesson), as_version=nbformat.NO_CONVERT)
    names = (grade_id(cell) for cell in notebook.cells if kind_of(cell) == "written")
    return [name for name in names if name in graded]


def _graded_by(course: Course) -> list[str]:
    """The version and the policy that grades follow from, a line each."""
    own = ", ".join(f"{name} {number(points)}" for name, points in course.exercise_points.items())
    names, finished = course.name_misconceptions, course.finished_functions
    return [
        f"{course.name}, version {version('attention-course')}.",
        f"Written answers: {course.written}"
        + (f", {number(course.written_points)} points times each one's weight." if course.written != "off" else "."),
        f"Cards {'name' if names else 'do not name'} mistakes, and {_HINTS[course.hints]}.",
        *([f"Points other than the lessons' own: {own}."] if own else []),
        f"PyTorch's finished function where code is to be written by hand: {finished.replace('_', ' ')}.",
        f"An earlier grade when a later file cannot be read: {'is kept' if course.unreadable == 'keep' else 'goes'}.",
    ]


#: what cards do with hints, by policy
_HINTS = {"none": "give no hints", "first": "give the first hint", "all": "give hints"}


def _exercises_table(found: ClassOfLesson) -> Table:
    """One row for each exercise and written question: how hard it was, and what went wrong most often."""
    table = Table("Exercise", "Mean", "Full marks", "Not written", "Most frequent", box=None, header_style="bold")
    for one in class_report(found.records):
        often = f"{one.misconceptions[0][0]}, {len(one.misconceptions[0][2])} ×" if one.misconceptions else ""
        mean = f"{one.mean:.2f} of {number(one.max_score)}"
        table.add_row(one.exercise_id, mean, f"{one.full} of {one.graded}", str(len(one.blank) or ""), often)
    for column in found.everyone.columns:
        if column.written:
            mean = "–" if column.mean is None else f"{column.mean:.2f} of {number(column.most)}"
            waiting = f"{many(column.waiting, 'answer')} to grade" if column.waiting else ""
            full = f"{column.full} of {column.graded}"
            table.add_row(f"written: {column.title}", mean, full, str(column.blank or ""), waiting)
    return table


#: what became of a file that was collected, as the table has it
_BECAME = {"new": "collected", "replaced": "collected anew", "same": "as collected before", "older": "an older one"}
_BECAME |= {"helper": "left out"}


def fates_table(fates: Sequence[Fate]) -> Table:
    """One row a file: whose it is, and what became of it."""
    table = Table("File", "Student", "What became of it", box=None, header_style="bold", padding=(0, 1))
    for fate in fates:
        colour = "green" if fate.became in COLLECTED else "dim" if fate.became in ("helper", "older") else "red"
        said = f"[{colour}]{_BECAME.get(fate.became, fate.became)}[/]" + (
            f" ({escape(printable(fate.note))})" if fate.note else ""
        )
        table.add_row(escape(printable(str(fate.path))), escape(fate.student or "–"), said)
    return table


def fates_in_words(fates: Sequence[Fate], missing: Sequence[Member]) -> Iterator[str]:
    """How many there are, what needs a person, and who is missing."""
    count: Counter[str] = Counter(fate.became for fate in fates)
    taken = sum(count[became] for became in COLLECTED)
    changed = f", {count['replaced']} of them in the place of another" if count["replaced"] else ""
    yield f"{many(taken, 'notebook')} collected{changed}; {count['same']} as they were before."
    if left := sum(count[became] for became in ("nobody's", "another lesson", "unreadable")):
        yield f"{many(left, 'file')} to look at: marked in the table."
    if missing:
        yield f"Nothing was handed in by {', '.join(member.id for member in missing)}."


def many(count: int, what: str) -> str:
    """``"1 notebook"``, ``"2 notebooks"``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def results_table(graded: Sequence[Record]) -> Table:
    """One row a student: the points, and for each exercise that lost some, how many and what was recognised."""
    table = Table("Student", "Points", "What was found", box=None, header_style="bold", padding=(0, 1))
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for g in graded:
        full = has_all_points(g)
        colour = "red" if g["status"] != "graded" else "green" if full else "yellow"
        found = escape("\n".join(map(printable, _found(g))))
        table.add_row(escape(g["student"]), f"[{colour}]{points(g['score'], g['max_score'])}[/]", found)
    return table


def _found(g: Record) -> list[str]:
    """The reason where it did not end as it should, mistakes by their names with the points lost, what still waits."""
    found = [said for said in (g["reason"], g["decision"]) if said]
    if g["kept"]:
        found.append(f"the grade of an earlier file; the last one could not be graded: {g['kept']}")
    if late := lateness(g["late"]):
        found.append(late)
    elif g["exercises"] and not g["score"] and found:
        return found
    kinds = {Cell.of(exercise).kind for exercise in g["exercises"].values()}
    if kinds == {"blank"} and not g["score"]:
        return [*found, "nothing is written"]
    for name, exercise in g["exercises"].items():
        earned, carried = points(exercise["score"], exercise["max_score"]), exercise["carried"]
        whole = exercise["score"] >= exercise["max_score"]
        if carried and whole:
            found.append(f"{name}: right, but for {carried[0]}")
        elif carried:
            found.append(f"{name} {earned}: right as far as it can be seen, but for {carried[0]}")
        elif exercise["misconception"] or not whole:
            found.append(f"{name} {earned}: {exercise['misconception'] or exercise['error'] or 'no known mistake'}")
    if waiting := waits([g]):
        found.append(waiting)
    return found


def summarise(graded: Sequence[Record]) -> None:
    """Say in one sentence how many were graded, stopped and not gradable."""
    done = [g for g in graded if g["status"] == "graded"]
    full = sum(map(has_all_points, done))
    out.print(
        f"{len(graded)} submissions: {len(done)} graded ({full} with full points), "
        f"{sum(g['status'] == 'stopped' for g in graded)} stopped at a limit, "
        f"{sum(g['status'] == 'failed' for g in graded)} not gradable."
    )
    if waiting := waits(graded):
        out.print(f"{waiting}.")
    if undecided := [g for g in graded if needs_decision(g) and not g["decision"]]:
        names = ", ".join(g["student"] for g in undecided[:10]) + (", …" if len(undecided) > 10 else "")
        need, lesson = "needs" if len(undecided) == 1 else "need", undecided[0]["lesson"]
        out.print(
            f"{many(len(undecided), 'submission')} {need} a decision: {escape(printable(names))}. Exports leave the "
            f"cell empty until then. Run: course decide STUDENT {lesson} --points N, or --not-handed-in",
            soft_wrap=True,
        )


def _recorded(archive: Archive, lesson: str) -> list[Record]:
    """What is recorded of a lesson.

    Raises:
        CourseError: nothing is.
    """
    records = list(archive.records(lesson))
    if not records:
        raise CourseError(f"Nothing of {lesson} has been graded in {archive.folder}. Run: course grade {lesson}")
    return records
