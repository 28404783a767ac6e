"""Define the commands for an instructor's decisions: when lessons are due, and what submissions count for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from autograder.options import ClassFolder, Gradebook
from autograder.records.archive import Archive, class_archive
from autograder.records.results import undecided_results
from autograder.terminal import out
from course_lib.checking.formatting import many, number, printable
from course_lib.course import Course, CourseError, find_course

if TYPE_CHECKING:
    from autograder.records.deadlines import Due
    from autograder.records.decisions import Decision
    from autograder.records.record import Record

ZERO = timedelta()


def decide(
    student: Annotated[str | None, typer.Argument(help="The student's id, as in the class folder.")] = None,
    lesson: Annotated[str | None, typer.Argument(help="The lesson, such as 03_self_attention or 03.")] = None,
    points: Annotated[float | None, typer.Option(min=0, help="Give this many points, without a late penalty.")] = None,
    not_handed_in: Annotated[
        bool, typer.Option("--not-handed-in", help="Treat it as if nothing had been handed in.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Let a graded submission count as it is, despite the doubts about it.")
    ] = False,
    earlier: Annotated[
        bool,
        typer.Option(
            "--earlier",
            help="Count the earlier file instead of the late one that replaced it. Use it again to undo this.",
        ),
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Revoke an earlier decision.")] = False,
    all_of: Annotated[
        str | None, typer.Option("--all", metavar="LESSON", help="With --accept: all doubtful submissions of a lesson.")
    ] = None,
    reason: Annotated[str, typer.Option(help="The reason, which is recorded with the decision.")] = "",
    class_folder: ClassFolder = None,
) -> None:
    """Decide how a submission counts, or list the submissions that need a decision.

    Some submissions cannot be graded: a file that cannot be read, or that is not a notebook of the lesson. Until you
    decide, the student's cell in exports is empty; all other grades are exported. If the student later hands in a file
    that can be graded, its grade counts instead.

    Others were graded, but it is unclear when or whether they were handed in: a draft in Moodle, or a submission
    without a known time in a course where late work loses points. They count in full, and every command lists them
    until you accept them or enter the time (docs/deadlines.md says how). [bold]--accept --all LESSON[/] accepts all of
    these at once.

    Right code may have lost points, for example because of an earlier exercise. It is listed until you give points for
    the exercise in formgrader, or accept it.

    A late file may earn less than the earlier file that it replaced. The late file counts unless you choose the earlier
    one with [bold]--earlier[/]. It is listed until you do that or accept it.

    Decisions are in decisions.csv in the class's folder, which you can also edit.

    Example: course decide ada 03 --points 7 --reason "read from the PDF"
    Example: course decide bob 03 --accept
    Example: course decide --accept --all 03
    """
    from autograder.records import decisions

    course = find_course()
    archive = class_archive(course, class_folder)
    if all_of is not None:
        if not accept or student is not None or points is not None or not_handed_in or wait or earlier:
            raise CourseError(f"Write {archive.options.command('decide --accept --all LESSON')}, without a student.")
        _accept_all(archive, course.lesson(all_of), reason.strip())
        return
    if student is None or lesson is None:
        if student is not None or points is not None or not_handed_in or accept or wait or earlier:
            command = archive.options.command("decide STUDENT LESSON --points N")
            raise CourseError(f"Name the student and the lesson: {command}")
        _show_decisions(course, archive)
        return
    name = course.lesson(lesson)
    if (points is not None) + not_handed_in + accept + earlier + wait != 1:
        raise CourseError(
            "Say what to do with it: --points N, --not-handed-in, --accept, or --wait to revoke a decision. --earlier "
            "brings back the file that a late one replaced."
        )
    record = next((one for one in undecided_results(archive, name) if one["student"] == student), None)
    if record is None:
        command = archive.options.command(f"grade {name}")
        raise CourseError(f"There is no record of {student!r} for {name}. Grade first: {command}")
    if earlier:
        _bring_back(archive, record)
        return
    decision = None if wait else decisions.Decision(None if not_handed_in else points, reason.strip())
    if accept:
        decision = decisions.accept(record, reason.strip())
    if decision and not decisions.applies(decision, record):
        raise CourseError(_why_not(student, name, decision, decisions.needs_decision(record)))
    if points is not None:
        _require_within(course, name, points)
    decisions.decide(archive, student, name, decision)
    consequence = "exports leave its cell empty" if decisions.needs_decision(record) else "its graded points count"
    text = str(decision) if decision else f"decision revoked; {consequence}"
    out.print(escape(printable(f"{student}, {name}: {text}. See {decisions.decisions_file(archive)}")), soft_wrap=True)


def _why_not(student: str, lesson: str, decision: Decision, cannot_be_graded: bool) -> str:
    """Explain why a decision is not possible for a submission."""
    whose = f"The submission of {student} for {lesson}"
    if cannot_be_graded:
        return f"{whose} cannot be graded, so it has no points to accept: give --points N or --not-handed-in."
    if decision.accepted:
        return f"{whose} was graded without doubts, so there is nothing to accept."
    if decision.points is None:
        return f"{whose} was graded. Only a draft, or a submission that cannot be graded, may count as not handed in."
    return (
        f"{whose} was graded. Change its points in formgrader: --points is only for submissions that cannot be graded."
    )


def _accept_all(archive: Archive, lesson: str, reason: str) -> None:
    """Accept when and whether work was handed in, for everybody who has no decision yet."""
    from autograder.records import decisions

    made, accepted, left = decisions.read_decisions(archive), list[str](), list[str]()
    for record in undecided_results(archive, lesson):
        student, now = record["student"], decisions.with_decision(record, made)
        decision = decisions.accept(record, reason, code=False)
        if now["doubts"] and not now["decision"] and decisions.applies(decision, record):
            decisions.decide(archive, student, lesson, decision)
            accepted.append(student)
            now = decisions.with_decision(record, {(student, lesson): decision})
        if decisions.is_open(now):
            left.append(student)
    said = f"{many(len(accepted), 'submission')} of {lesson} accepted"
    out.print(escape(printable(f"{said}{': ' if accepted else ''}{', '.join(accepted)}.")), soft_wrap=True)
    if left:
        needs = f"{many(len(left), 'submission')} still {'needs' if len(left) == 1 else 'need'} a decision of its own"
        out.print(escape(printable(f"{needs}: {', '.join(left)}.")), soft_wrap=True)


def _bring_back(archive: Archive, record: Record) -> None:
    """Put back the file that a later one replaced.

    Raises:
        CourseError: no earlier file was graded, or it is not there.
    """
    from autograder.collecting.replaced import bring_back

    student, lesson, earlier = record["student"], record["lesson"], record["earlier"]
    if earlier is None:
        raise CourseError(f"No earlier file of {student} for {lesson} has been graded.")
    bring_back(archive.submitted / student / lesson / f"{lesson}.ipynb", earlier["file"])
    command = archive.options.command(f"grade {lesson}")
    out.print(
        escape(
            printable(
                f"{student}, {lesson}: the earlier file, which had {number(earlier['score'])} points, is back. "
                f"The other one is kept. Run: {command}"
            )
        ),
        soft_wrap=True,
    )


def _require_within(course: Course, lesson: str, points: float) -> None:
    """Require that a number of points is at most what the lesson is worth.

    Raises:
        CourseError: the points are negative, more than that, or not a number.
    """
    import nbformat

    from autograder.gradebook.shares import worth_of

    released = nbformat.read(course.student_notebook(lesson), as_version=nbformat.NO_CONVERT)
    most = round(sum(worth_of(released).values()), 6)
    if not 0 <= points <= most:
        raise CourseError(f"{lesson} is worth {number(most)} points: enter 0 to {number(most)}, not {points:g}.")


def _show_decisions(course: Course, archive: Archive) -> None:
    """Print everything that needs a decision, and each decision that was made."""
    from autograder.records.decisions import is_open, needs_decision, read_decisions, with_decision
    from course_lib.running.unreadable import without_request

    made = read_decisions(archive)
    table = Table("Lesson", "Student", "Why", "Decision", box=None, header_style="bold")
    for column in table.columns:
        column.overflow = "fold"
    for lesson in course.lessons:
        for record in undecided_results(archive, lesson):
            failed, now = needs_decision(record), with_decision(record, made)
            if not failed and not is_open(record):
                continue
            shown = now if is_open(now) else record
            why = [*shown["doubts"], *shown["look"]]
            text = "[yellow]needs one[/]" if is_open(now) else escape(printable(now["decision"][len("decided: ") :]))
            table.add_row(
                lesson,
                escape(printable(record["student"])),
                escape(printable(without_request(record["reason"]) if failed else "; ".join(why))),
                text,
            )
    out.print(table if table.row_count else "No submission needs a decision.")


def deadlines(
    lesson: Annotated[
        str | None, typer.Argument(help="One lesson, such as 03_self_attention or 03. Default: all.")
    ] = None,
    date: Annotated[
        str | None, typer.Argument(help='When it is due, such as "2026-12-01 23:59". A time zone may follow.')
    ] = None,
    student: Annotated[str | None, typer.Option(help="Give this student more time than the class.")] = None,
    extra_days: Annotated[
        float | None,
        typer.Option(min=0, max=1000, help="By how many days; 0 removes the extension from deadlines.csv."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove the due date.")] = False,
    as_granted: Annotated[
        bool,
        typer.Option(
            "--as-granted",
            help="If an extension is longer in the gradebook than in the roster and deadlines.csv, shorten it to that.",
        ),
    ] = False,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Show or set due dates and extensions, and show the late policy.

    Dates and extensions are in deadlines.csv in the class's folder, which you can also edit. They are copied into the
    gradebook for nbgrader. A date without a time zone is read in the zone that course.toml names (UTC by default).
    Students can also have extra days in the roster. The late policy is in course.toml.

    Example: course deadlines 03 "2026-12-01 23:59"
    Example: course deadlines 03 --student ada --extra-days 2
    """
    from autograder.gradebook.deadlines_file import parse_due, read_deadlines
    from autograder.gradebook.gradebook import Records
    from autograder.records.deadlines import due_of

    course = find_course()
    archive = class_archive(course, class_folder, gradebook)
    url = archive.gradebook
    written = read_deadlines(course, archive.folder)
    changes = [date is not None, none, student is not None, as_granted]
    if sum(changes) > 1 or (student is None) is not (extra_days is None):
        raise CourseError(
            "Change one thing at a time: a date, --none, --student ID with --extra-days N, or --as-granted."
        )
    if any(changes):
        if lesson is None:
            raise CourseError(f"Name the lesson, as in: {archive.options.command('deadlines 03')}")
        name = course.lesson(lesson)
        archive.require()
        if date is not None:
            written = written.with_due(name, parse_due(date, course.late.timezone))
        if none:
            written = written.with_due(name, None)
        if student is not None and extra_days is not None:
            _require_known(student, archive, url)
            written = written.with_extra(name, student, extra_days)
        written.write()
        with Records(url, name) as records:
            due = None if none else due_of([name], records, archive, written).get(name)
            extensions = dict(due.granted) if due else {}
            if due and not as_granted:
                kept = {s: time for s, time in due.by_gradebook.items() if s != student}
                extensions = {
                    s: max(kept.get(s, timedelta()), extensions.get(s, timedelta())) for s in {*kept, *extensions}
                }
            records.enter_due(due.date if due else None, extensions)
    with Records(url) as records:
        found = due_of(course.lessons, records, archive, written)
    _show_deadlines(course, [course.lesson(lesson)] if lesson else course.lessons, found)
    if any(changes):
        out.print(f"Grades are updated by the next course grade, report, feedback or grades for {lesson}.")


def _require_known(student: str, archive: Archive, gradebook: str) -> None:
    from autograder.collecting.roster import enrolled
    from autograder.gradebook.gradebook import Records

    with Records(gradebook) as records:
        members = {member.id for member in enrolled(archive.roster, None, records.members)}
    if not members:
        said = f"The class has no roster yet, so nobody has checked that {student!r} is a student's id."
        out.print(escape(printable(said)), soft_wrap=True)
    elif student not in members:
        raise CourseError(f"Nobody in the class is called {student!r}. Use the id in the roster.")


def _show_deadlines(course: Course, lessons: Sequence[str], found: Mapping[str, Due]) -> None:
    """Print a row for each lesson, followed by the late policy."""
    from autograder.gradebook.deadlines_file import in_zone

    zone = course.late.timezone
    table = Table("Lesson", f"Due ({zone})", "Extensions", box=None, header_style="bold", padding=(0, 1))
    for name in lessons:
        one = found.get(name)
        longer = (
            {}
            if one is None
            else {s: max(one.granted.get(s, ZERO), one.by_gradebook.get(s, ZERO)) for s in _extended(one)}
        )
        text = ", ".join(f"{student} {_days(time)}" for student, time in longer.items())
        table.add_row(name, in_zone(one.date, zone) if one else "–", escape(printable(text)))
    out.print(table)
    for name in lessons:
        if name in found and found[name].longer:
            out.print(escape(found[name].longer_in_words), soft_wrap=True)
    out.print(f"{course.late} To change that, edit \\[late] in course.toml.")


def _extended(one: Due) -> list[str]:
    return sorted({*one.granted, *one.by_gradebook})


def _days(time: timedelta) -> str:
    days = round(time / timedelta(days=1), 3)
    return f"{number(days)} {'day' if days == 1 else 'days'}"
