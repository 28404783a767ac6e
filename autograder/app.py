"""Define the instructor's commands: build, book, release, collect, grade, regrade, history, feedback, report and more.

A command that computes imports what it needs inside its function, so the others need not wait for PyTorch.
"""

from __future__ import annotations

import itertools
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from autograder.authoring.verbs import exercise
from autograder.class_folder.writing import write_json, write_whole
from autograder.class_verbs import deadlines, decide
from autograder.options import (
    CORES,
    PROCESSORS,
    ClassFolder,
    Force,
    Gradebook,
    RosterFile,
    Scheduler,
    Submissions,
    Unsandboxed,
    Workers,
)
from autograder.records.archive import class_archive
from autograder.terminal import (
    fates_table,
    out,
    results_table,
    summarise,
)
from autograder.terminal_feedback import feedback_pages
from autograder.terminal_grading import Grading, grade_all, grade_on_trial
from autograder.terminal_grading import regrade as grade_again
from autograder.terminal_history import show_history
from autograder.terminal_lateness import update_penalties
from autograder.terminal_log import logged
from autograder.terminal_report import write_report
from course_lib.checking.formatting import many, printable
from course_lib.course import Course, CourseError, find_course


def register(app: typer.Typer) -> None:
    """Add the verbs to the command."""
    panel = "For instructors"
    verbs = (
        build, book, release, deadlines, collect, grade, regrade, decide, history, feedback, report, grades, integrity,
        challenge, secret, purge, demo,
    )  # fmt: skip
    for verb in verbs:
        app.command(rich_help_panel=panel)(verb)
    app.add_typer(exercise, name="exercise", rich_help_panel=panel)


def build(
    lesson: Annotated[
        str | None, typer.Argument(help="One lesson, such as 03_self_attention or 03. Default: all.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if anything is stale.")] = False,
    run: Annotated[bool, typer.Option("--run", help="Also run the solution notebooks and keep their outputs.")] = False,
) -> None:
    """Build solutions/ and notebooks/ from lessons/ and the components, and compute this machine's answer keys.

    A notebook in solutions/ keeps its outputs as long as its code doesn't change. With [bold]--run[/], the solution
    notebooks are run one after the other, and a line shows the time and points of each. The command fails if a cell
    fails or a point is missing.
    """
    from autograder.building.build import build_contents, build_hosting, build_lesson, build_start
    from autograder.building.missing_keys import make_answer_keys, up_to

    course = find_course()
    names = [course.lesson(lesson)] if lesson else course.lessons
    stale = 0
    whole = [*build_contents(course, check), build_start(course, check), *build_hosting(course, check)]
    for built in itertools.chain(whole, *(build_lesson(course, name, check) for name in names)):
        stale += not built.fresh
        path = built.path.relative_to(course.root) if built.path.is_relative_to(course.root) else built.path
        if not built.fresh:
            out.print(f"{'[red]stale[/]' if check else '[green]wrote[/]'} {escape(str(path))}", soft_wrap=True)
    if not check:
        make_answer_keys(up_to(names[-1]), CORES)
    if run and not check:
        _run_solutions(course, names)
    if check and stale:
        raise CourseError(f"{stale} files are stale. Run: course build")
    if not stale:
        out.print("Everything is as it would be built.")


def book(
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to make it. Default: build/book in the course.")
    ] = None,
) -> None:
    """Make the book: all lessons and the documentation as web pages that need no network.

    Lessons are shown with the outputs and figures of solutions/. Solutions and hints are folded, and the front page has
    a working translator.
    """
    from autograder.book.make import make_book

    course = find_course()
    with out.status("Making the book") as status:
        page = make_book(course, folder or course.root / "build" / "book", lambda name: status.update(f"Making {name}"))
    out.print(f"The book: {escape(page.resolve().as_uri())}", soft_wrap=True)


def release(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    to: Annotated[
        Path | None,
        typer.Option(help="A folder, or a file that ends in .zip. Default: build/released/LESSON.zip in the course."),
    ] = None,
    hints: Annotated[
        Literal["none", "first", "all"] | None,
        typer.Option(help="How many of the three hints this release contains. Default: as set in course.toml."),
    ] = None,
    names: Annotated[
        Literal["on", "off"] | None,
        typer.Option(help="Whether cards of this release name mistakes. Default: as set in course.toml."),
    ] = None,
    own_parts: Annotated[
        bool,
        typer.Option("--own-parts", help="Also withhold our components of earlier lessons that still accept work."),
    ] = False,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Make the package that students receive: a zip or folder with this lesson and all before it.

    It contains the notebooks, the library without the components that students have yet to write, answer keys up to
    this lesson, a pyproject.toml for pip, and a README.md with the first steps. Students install it, and
    [bold]course start[/] sets up a folder for them. A later release adds its lessons there and keeps their work.

    It also contains our components of the earlier lessons. So the command refuses to make it while one of these lessons
    still accepts work, that is, until the lesson's due date plus the longest extension. A lesson without a due date
    counts as closed. With [bold]--own-parts[/], the components of lessons that still accept work are left out, and
    students build on the code that passes in their own notebooks (on Linux, macOS or WSL, not on Windows itself).

    [bold]course.toml[/] sets which hints and names of mistakes cards show. [bold]--hints[/] and [bold]--names[/]
    override it for this release, but not for feedback pages. What you withhold is not in the package. The first release
    on a machine computes answer keys, which takes minutes.

    Example: course release 03 --to handout.zip --hints first
    """
    from autograder.releasing.hand_out import hand_out

    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    handed = replace(
        course,
        hints=hints or course.hints,
        name_misconceptions=names == "on" if names else course.name_misconceptions,
    )
    target = to or course.root / "build" / "released" / f"{name}.zip"
    earlier = hand_out(handed, name, target, archive, own_parts)
    withheld = list(earlier.until)
    out.print(f"Released up to {name}: {escape(str(target))}", soft_wrap=True)
    if withheld:
        out.print(f"Students build on their own parts of {' and '.join(withheld)}: ours are left out.")
    elif own_parts:
        out.print("All components of earlier lessons are in it: by this gradebook none of these still accepts work.")
    if earlier.unknown:
        every = len(earlier.unknown) == course.lessons.index(name)
        whom = "any earlier lesson" if every else " or ".join(earlier.unknown)
        said = f"No due date is known of {whom}: without one a lesson counts as closed, and our components are in it."
        out.print(said, soft_wrap=True)
    for sentence in earlier.longer:
        out.print(escape(sentence), soft_wrap=True)
    later = len(course.lessons) - course.lessons.index(name) - 1
    if later:
        out.print(f"It holds no answer of this lesson or of the {later} after it.")


def _run_solutions(course: Course, lessons: Sequence[str]) -> None:
    from autograder.building.executed import run

    runs = {}
    with TemporaryDirectory() as folder:  # of all: lesson 11 finds what lesson 09 has saved, and every solved exercise
        for solution in filter(Path.is_file, map(course.solution_notebook, course.lessons)):
            (Path(folder) / solution.stem).mkdir()
            shutil.copy(solution, Path(folder) / solution.stem)
        for lesson in lessons:
            runs[lesson] = run(course.solution_notebook(lesson), Path(folder) / lesson)
            score, most = runs[lesson].points
            out.print(f"{lesson:<26} {runs[lesson].seconds:6.0f} s   {score:g} of {most:g} points", highlight=False)
            for trouble in runs[lesson].troubles:
                out.print(f"    [red]{escape(printable(trouble))}[/]", soft_wrap=True)
    out.print(f"{'together':<26} {sum(r.seconds for r in runs.values()):6.0f} s", highlight=False)
    if unclean := [lesson for lesson, ran in runs.items() if not ran.clean]:
        raise CourseError(f"Not as it should be: {', '.join(unclean)}.")


def collect(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    downloads: Annotated[
        Path,
        typer.Argument(
            help="A folder, a zip or a tar, such as a download from Canvas, Moodle, Gradescope or GitHub Classroom.",
            exists=True,
        ),
    ],
    roster: RosterFile = None,
    to: Annotated[
        Path | None,
        typer.Option(help="The folder for the notebooks. Default: submitted/ in the class's folder.", file_okay=False),
    ] = None,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write to this file, as JSON, what became of each download.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="CSV with the columns label and student. It says which students a team, an anonymous number or an "
            "account stands for, one row per student. Default: labels.csv in the class's folder, if there is one."
        ),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            help="CSV with the columns student and time, or Moodle's grading worksheet: when students handed in."
        ),
    ] = None,
) -> None:
    """Collect a lesson: find each student's notebook among downloads, and put it where grading looks for it.

    The name of a file or of its folder shows whose it is: it contains an id, a name, an address, or the name that
    Canvas, Moodle, Gradescope or GitHub Classroom gave it. If a student has several notebooks, the latest one of this
    lesson that contains work counts. With a roster, the class is entered in the gradebook, and you see who has handed
    in nothing. The first roster that you pass is saved as students.csv in the class's folder.

    Outputs are removed. Every file has one row in the table, and those that you should check are marked NEEDS A LOOK.
    The downloads are not changed. docs/collecting.md has the rules and examples.

    Example: course collect 03 submissions.zip --roster students.csv
    """
    from autograder.collecting.collect import collect as collect_lesson
    from autograder.collecting.drafts import drafts_in
    from autograder.collecting.labels import NO_LABELS, read_labels
    from autograder.collecting.roster import keep_roster, roster_or
    from autograder.collecting.times import Times, read_times

    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(json_file)
    members = roster_or(archive.roster, roster)
    labels = labels or (archive.labels if archive.labels.is_file() else None)
    whose = read_labels(labels, members) if labels else NO_LABELS
    by_hand = read_times(times, name, members, whose, course.late.timezone) if times else Times({})
    drafts = {
        student: one for table in (roster, times) if table for student, one in drafts_in(table, members, whose).items()
    }
    archive.require()
    if roster and (kept := keep_roster(archive.roster, roster)):
        out.print(escape(kept), soft_wrap=True)
    if members and members.read_as:
        out.print(f"Columns of the roster: {escape(members.read_as)}.", soft_wrap=True)
    if by_hand.note:
        out.print(escape(by_hand.note), soft_wrap=True)
    submitted = to or archive.submitted
    released = course.student_notebook(name)
    with logged(archive):
        collection = collect_lesson(downloads, name, submitted, members, released, whose, by_hand.by_student, drafts)
    out.print(fates_table(collection.outcomes))
    if members:
        from autograder.gradebook.gradebook import Records

        with Records(archive.gradebook, name, course.written) as book:
            book.enrol(members.members)
    if json_file:
        write_json(json_file, collection.as_json())
    for line in collection.in_words():
        out.print(escape(line), soft_wrap=True)
    if any(one.has != "nothing" for one in collection.students):
        there = f" --submissions {shlex.quote(str(submitted))}" if to else ""
        out.print(f"Next: {escape(archive.options.command(f'grade {name}{there}'))}", soft_wrap=True)


def grade(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    submissions: Submissions = None,
    gradebook: Gradebook = None,
    workers: Workers = CORES,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file as JSON.")] = None,
    class_folder: ClassFolder = None,
    unsandboxed: Unsandboxed = False,
    force: Force = False,
    scheduler: Scheduler = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show whose grades would change, and write nothing.")
    ] = False,
) -> None:
    """Grade every submission of a lesson into the gradebook.

    Each submission is rebuilt from the released notebook, run in a sandbox, and judged outside it on hidden questions.
    Unchanged submissions are not run again, so grading that was stopped continues where it left off. Every run brings
    late penalties up to date and names the students whose penalty changes. Run [bold]course feedback[/] and
    [bold]course report[/] afterwards.
    """
    course = find_course()
    name = course.lesson(lesson)
    _require_points(course, name)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(json_file)
    grading = Grading(course, name, submissions or archive.submitted, archive, workers, unsandboxed, scheduler)
    if dry_run:
        changed = grade_on_trial(grading, force)
        if json_file:
            write_json(json_file, [asdict(one) for one in changed])
        return
    with logged(archive):
        graded = grade_all(grading, force)
        out.print(results_table(graded))
        summarise(graded, archive)
    if json_file:
        write_json(json_file, graded)
        out.print(f"Results: {escape(str(json_file))}", soft_wrap=True)
    from autograder.class_folder.gradebook_url import without_password

    out.print(f"Gradebook: {escape(without_password(archive.gradebook))}", soft_wrap=True)
    following = (archive.options.command(f"{verb} {name}") for verb in ("feedback", "report"))
    out.print(f"Next: {escape(', '.join(following))}", soft_wrap=True)


def regrade(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    submissions: Submissions = None,
    gradebook: Gradebook = None,
    workers: Workers = CORES,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the changes to this file as JSON.")] = None,
    class_folder: ClassFolder = None,
    unsandboxed: Unsandboxed = False,
    force: Force = False,
    scheduler: Scheduler = None,
) -> None:
    """Grade again after you have changed points, a policy or a check, and show the changes before writing them.

    It shows whose points change, in which exercises, from what to what, and why. Then it asks, and writes exactly what
    it showed. Points and comments that you gave stay. Late penalties need no regrading: they are always brought up to
    date. [bold]course history[/] shows earlier grades.

    Each regrading replaces the hidden questions. [bold]course grade --dry-run[/] also shows changes. It asks questions
    that are made for this one run, so the class's hidden questions are neither asked nor replaced.

    Example: course regrade 03
    """
    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(json_file)
    place = submissions or archive.submitted

    def agreed() -> bool:
        return yes or typer.confirm("Write these grades?")

    with logged(archive):
        changed = grade_again(Grading(course, name, place, archive, workers, unsandboxed, scheduler), force, agreed)
    if json_file:
        write_json(json_file, [asdict(one) for one in changed])


def history(
    student: Annotated[str, typer.Argument(help="The student's id, as in the class folder.")],
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Show every grade that a student has had, the oldest first, with its date, its mistakes and why it changed.

    The table has the automatic points of the exercises. Below it are the student's points in the gradebook now, which
    include written questions, points that you gave in formgrader, and late penalties.
    """
    from autograder.records.results import results_of

    course = find_course()
    archive = class_archive(course, class_folder, gradebook)
    moments = archive.history(student)
    if not moments:
        raise CourseError(f"Nothing of {student!r} has been graded in {archive.folder}.")
    show_history(moments, course.late.timezone, results_of(archive, course.lessons, student))


def feedback(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    zip_file: Annotated[
        Path | None,
        typer.Option("--zip", help="Also write the pages to this zip, for upload to Canvas or Moodle."),
    ] = None,
    downloads: Annotated[
        Path | None,
        typer.Option(help="The downloads that you collected, as Canvas or Moodle named them.", exists=True),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Write ids instead of names on the pages, for anonymous marking.")
    ] = False,
    roster: RosterFile = None,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Write a feedback page for every graded submission of a lesson.

    While an earlier lesson still accepts work, pages leave out what code printed, drew and answered, because the code
    could have printed our components of that lesson. Run this again when all earlier lessons are closed.

    With [bold]--zip[/], Canvas and Moodle can return the pages to students. They recognise a page by the name that they
    gave the submission, so use [bold]--downloads[/] to name the downloads that you collected. In Canvas, upload the zip
    under "Upload Submissions"; in Moodle, on the page of submissions, under "Upload multiple feedback files in a zip".

    Example: course feedback 03 --zip feedback.zip --downloads downloads.zip
    """
    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(zip_file, "--zip")
    if bool(zip_file) != bool(downloads):
        raise CourseError("--zip and --downloads go together: the names in the downloads are those that a zip needs.")
    pages = feedback_pages(course, name, archive, anonymous)
    out.print(f"{many(pages, 'page')} in {escape(str(archive.folder / 'feedback'))}", soft_wrap=True)
    if zip_file and downloads:
        from autograder.collecting.labels import NO_LABELS, read_labels
        from autograder.collecting.outcomes import NAMESAKES
        from autograder.collecting.roster import roster_or
        from autograder.exporting.feedback_zip import zip_feedback

        members = roster_or(archive.roster, roster)
        whose = read_labels(archive.labels, members) if archive.labels.is_file() else NO_LABELS
        zipped = zip_feedback(archive, name, downloads, members, zip_file, whose)
        out.print(f"{zipped.pages} of {pages} for upload: {escape(str(zip_file))}", soft_wrap=True)
        for students, what in (
            (zipped.without_name, "no download says what their pages must be called"),
            (zipped.without_page, "they are among the downloads but have no page"),
            (zipped.unclear, "it is not clear which download is whose"),
        ):
            if students:
                out.print(f"Left out, because {what}: {escape(', '.join(students))}.", soft_wrap=True)
        if zipped.unclear:
            out.print(f"{NAMESAKES}.", soft_wrap=True)


def report(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Number the students instead of naming them, for a projector.")
    ] = False,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Also write a row per student to this file.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the figures to this file as JSON.")
    ] = None,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Write a report on the class: how hard each exercise was, and which mistakes were made, how often and by whom.

    It is a single web page in reports/ in the class folder, with links to the feedback pages.
    """
    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(json_file)
    _require_place(csv_file, "--csv")
    write_report(course, name, archive, anonymous, json_file, csv_file)


def grades(
    lesson: Annotated[
        str,
        typer.Argument(
            help="The lesson, such as 03_self_attention or 03; or all; or mark, for the overall mark alone."
        ),
    ],
    to: Annotated[Path, typer.Option(help="The file to write.")],
    format: Annotated[
        Literal["csv", "canvas", "moodle"],
        typer.Option(help="A table for Canvas or Moodle, or one with nbgrader's columns (csv)."),
    ] = "csv",
    roster: RosterFile = None,
    absent: Annotated[
        Literal["empty", "zero"], typer.Option(help="The cell of a student who handed in nothing.")
    ] = "empty",
    ungraded: Annotated[
        Literal["refuse", "empty", "so-far"],
        typer.Option(help="For submissions that wait for you: stop, leave the cell empty, or use the points so far."),
    ] = "refuse",
    title: Annotated[
        str,
        typer.Option(
            help="The column's title: for Canvas, the assignment's name and number, as in the example. "
            "Default: the lesson's name, which is enough for Moodle."
        ),
    ] = "",
    mark: Annotated[bool, typer.Option("--mark", help="Add a column for the overall mark.")] = False,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Export grades for Canvas or Moodle, or in nbgrader's columns.

    Everybody on the roster has a row, and nobody else. A cell is empty if nothing was handed in. If a submission cannot
    be graded, its cell is empty until you use [bold]course decide[/]. While something waits for you in formgrader,
    nothing is exported unless you choose [bold]--ungraded empty[/] or [bold]--ungraded so-far[/].

    The overall mark is in percent. It is computed from all graded lessons, as set under [bold]mark[/] in course.toml.
    Its cell is empty if a lesson that counts was not handed in, needs a decision or waits for a grader.

    Canvas finds students by the roster's lms_user_id or id, Moodle by the column that you map when you import. The same
    formats are plug-ins of [bold]nbgrader export[/], in autograder.exporting.plugins.

    Example: course grades 03 --format canvas --to grades.csv --title "Self-attention (4711)"
    """
    course = find_course()
    name = lesson if lesson in ("all", "mark") else course.lesson(lesson)
    archive = class_archive(course, class_folder, gradebook)
    _require_place(to, "--to")
    if title and (name == "all" or (mark and name != "mark")):
        raise CourseError("--title is for one column; with several, each has its own name.")
    from autograder.collecting.roster import enrolled, roster_or
    from autograder.exporting.class_grades import class_grades
    from autograder.exporting.current_points import outdated
    from autograder.exporting.formats import FORMATS, about_import
    from autograder.exporting.joined import with_names
    from autograder.exporting.with_mark import grades_with_mark
    from autograder.gradebook.gradebook import Records
    from autograder.records.deadlines import with_deadlines
    from autograder.records.decisions import decided
    from autograder.records.late_policy import lateness_of
    from autograder.records.overall import weighting_of

    with Records(archive.gradebook, lateness=lateness_of(course, archive)) as book:
        update_penalties(book)
        recorded = with_deadlines(decided(book.lesson_grades(), archive, book), book, archive)
        found = with_names(recorded, archive, roster_or(archive.roster, roster))
        members = enrolled(archive.roster, roster, book.members)
    chosen: Sequence[str] | Literal["all"] = "all" if name == "all" else [] if name == "mark" else [name]
    if mark or name == "mark":
        exported, remarks = grades_with_mark(
            found, chosen, members, weighting_of(course), absent, ungraded, archive.options
        )
    else:
        exported = class_grades(found, chosen, members, absent, ungraded, archive.options)
        remarks = list(exported.remarks())
    write_whole(to, FORMATS[format](exported, title))
    counted = found.grades if mark or name == "mark" else exported.lessons
    for remark in (*outdated(course, found, counted, archive.options), *remarks, *about_import(format, members)):
        out.print(escape(remark), soft_wrap=True)
    rows = f"{many(len(members), 'student')}, {many(len(exported.lessons), 'column')}"
    out.print(f"Grades of {rows}: {escape(str(to))}", soft_wrap=True)


def integrity(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 03_self_attention or 03.")],
    submissions: Submissions = None,
    class_folder: ClassFolder = None,
) -> None:
    """Make a page of pairs of solutions that share something rare. It has no scores: you judge each pair.

    Solutions are compared with each other, with ours, and with correct alternatives, as text; none is run. Changing the
    layout, comments or the names of variables and functions doesn't hide a copy. If everybody's solution is alike, no
    pair is shown. The page explains how to read it and what it can't know.
    """
    from autograder.integrity.write import write_integrity

    course = find_course()
    name = course.lesson(lesson)
    archive = class_archive(course, class_folder)
    archive.require()
    with logged(archive):
        write_integrity(course, name, submissions or archive.submitted, archive)


def challenge(
    submissions: Annotated[
        Path,
        typer.Option(help="A folder with STUDENT/12_projects/12_projects.ipynb, and optionally earlier lessons."),
    ],
    seconds: Annotated[
        float,
        typer.Option(
            min=1, max=3600, help="CPU seconds for training. Translating gets a fifth of that plus 5 seconds."
        ),
    ] = 300,
    workers: Annotated[int, typer.Option(min=1, help="How many run at once. One at a time is fairest.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the leaderboard to this file as JSON.")
    ] = None,
    class_folder: ClassFolder = None,
    unsandboxed: Annotated[
        bool,
        typer.Option(
            "--unsandboxed",
            help="Run submissions with your own permissions, without the sandbox. The leaderboard mentions it.",
        ),
    ] = False,
) -> None:
    """Hold the challenge of lesson 12: who trains the best translator in 300 CPU seconds?

    Each notebook's [bold]train(pairs, seconds)[/] runs in the sandbox and learns from sentence pairs with renamed
    words. It returns [bold]translate(sentences)[/], which then translates sentences of four test sets. Their reference
    translations stay outside the sandbox. If a notebook builds on parts from earlier lessons, the student's own are
    used if they pass, and ours otherwise.

    The leaderboard is written to reports/challenge.html and challenge.json in the class folder. Everyone in the class
    gets the same pairs and sentences, even if you run it again.
    """
    course = find_course()
    archive = class_archive(course, class_folder)
    _require_place(json_file)
    from autograder.challenge.run_challenge import hold_challenge

    with logged(archive):
        hold_challenge(course, submissions, archive, seconds, workers, json_file, unsandboxed)


def secret(
    lesson: Annotated[
        str | None, typer.Argument(help="One lesson, such as 03_self_attention or 03. Default: all lessons.")
    ] = None,
    rotate: Annotated[bool, typer.Option("--rotate", help="Replace the hidden questions.")] = False,
    reason: Annotated[str, typer.Option(help="The reason, which is recorded in the class folder.")] = "",
    class_folder: ClassFolder = None,
) -> None:
    """Replace the hidden questions, or show when and why that was done.

    Points come from [bold]hidden questions[/], which test the same ideas as the checks at home with different numbers.
    The numbers are derived from [bold]secret.key[/] in the class folder, so students can't look them up. Don't share
    that file, and don't lose it: without it, the same questions can't be asked again.

    Replace hidden questions if somebody may have seen them: if the file was shared by mistake, or if answers seem to
    fit only these numbers. If you name a lesson, only its questions are replaced, and the next [bold]course grade[/]
    runs only changed submissions; with [bold]--force[/], it asks everyone the new questions. Without a lesson, the
    secret itself is replaced: the next [bold]course grade[/] of every lesson runs all submissions again, and the next
    challenge has other sentences.

    [bold]What happens to grades.[/] Replacing questions changes no grade. A grade stays in the gradebook until its
    lesson is graded again, and scores and comments that you gave stay even then. Correct answers are correct with any
    numbers, and a known mistake costs the same, so honest scores don't change.

    If students have been graded before, [bold]course grade[/] replaces the lesson's questions by itself before it runs
    their work again, because their code may have recorded the old ones.

    Example: course secret 03 --rotate --reason "a hidden question appeared in the forum"
    """
    from autograder.grading.secret import draw_anew, draws, rotate_secret

    course = find_course()
    name = course.lesson(lesson) if lesson else ""
    archive = class_archive(course, class_folder)
    if rotate:
        if not reason.strip():
            raise CourseError('Say why, for anyone who looks at the grades later: --reason "…"')
        archive.require()
        if name:
            draw_anew(archive.folder, name, reason)
        else:
            rotate_secret(archive.folder, reason)
        what = f"the hidden questions of {name}" if name else "all hidden questions"
        out.print(f"From now on, {what} are new. Grades stay as they are until their submissions are graded again.")
        return
    table = Table("When", "Lesson", "Why", box=None, header_style="bold")
    for draw in draws(archive.folder):
        if name in ("", draw["lesson"]) or not draw["lesson"]:
            table.add_row(draw["when"], draw["lesson"] or "all", escape(printable(draw["reason"])))
    out.print(table if table.row_count else "The hidden questions have never been replaced.")


def purge(
    student: Annotated[str | None, typer.Option(help="The student's id, as in the class folder.")] = None,
    everyone: Annotated[bool, typer.Option("--all", help="The whole class, when it is over.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Remove everything that is stored about a student, or about the whole class.

    This removes submissions, graded notebooks, feedback, and records with their history. It removes the student's rows
    in students.csv, labels.csv, deadlines.csv and decisions.csv, and everything in the gradebook, your points and
    comments included. It also removes reports and the log if they name the student. You can make the reports again.

    It first shows what would be removed, and asks. [bold]It cannot be undone.[/] Nothing else is removed: the class's
    secret and hidden questions stay, and so does everything outside the class folder, such as downloads, files that you
    wrote with --json or --csv, and backups.

    Example: course purge --student ada
    """
    from autograder.records.purge import Purge, size_of

    if (student is None) is not everyone:
        raise CourseError("Say who: --student ID, or --all for the whole class.")
    archive = class_archive(find_course(), class_folder, gradebook)
    purging = Purge(archive)
    held = purging.held_of_all() if student is None else purging.held(student)
    if not held:
        out.print(f"Nothing is held of anyone in {escape(str(archive.folder))}.", soft_wrap=True)
        return
    table = Table("What", "Where", "Files", "Size", box=None, header_style="bold", padding=(0, 1))
    if held.students:
        lessons = f"in {', '.join(held.lessons)}" if held.lessons else "nothing graded"
        table.add_row("gradebook", escape(printable(f"{len(held.students)} in it, {lessons}")), "", "")
    if held.row:
        table.add_row("roster", escape(printable(f"the row of {held.row} in {archive.roster.name}")), "", "")
    for path, whose in held.rows:
        table.add_row("table", escape(printable(f"the rows of {whose} in {path.name}")), "", "")
    for what, path in held.paths:
        files, size = size_of([path])
        where = path.relative_to(archive.folder) if path.is_relative_to(archive.folder) else path
        table.add_row(what, escape(printable(str(where))), str(files), f"{size / 1000:.0f} kB")
    out.print(table)
    if not yes and not typer.confirm("Remove all of this? It cannot be undone."):
        out.print("Nothing was removed.")
        return
    purging.remove(held)
    whom = "everyone" if student is None else escape(printable(student))
    out.print(f"Nothing is held of {whom} any more. Copies elsewhere (downloads, backups) are yours to remove.")


def demo(
    folder: Annotated[
        Path | None, typer.Option(help="The folder for the class. Default: demo-class/ in the course.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="How many submissions run at once.", show_default=PROCESSORS)
    ] = CORES,
    unsandboxed: Annotated[
        bool,
        typer.Option(
            "--unsandboxed",
            help="Grade without a sandbox. It is safe here, because the submissions are the demo's own.",
        ),
    ] = False,
) -> None:
    """Try everything on 24 made-up students: build and release lesson 03, grade it, and write feedback and a report.

    Their submissions contain correct answers in several styles, a dozen mistakes, an untouched notebook, a crash, an
    endless loop, a file that was cut in half, and an attempt to cheat by replacing PyTorch's comparison functions.
    """
    course = find_course()
    from autograder.demo.demonstrate import run_demo

    run_demo(course, folder or course.root / "demo-class", workers, unsandboxed)


def _require_points(course: Course, lesson: str) -> None:
    """Require that a lesson has something to grade: an exercise, or a written question if these have points."""
    from autograder.building.lesson import read_lesson

    kinds = {cell.kind for cell in read_lesson(course.lesson_text(lesson))}
    if kinds.isdisjoint({"exercise", "written"} if course.written != "off" else {"exercise"}):
        raise CourseError(
            f"{lesson} has no points, so there is nothing to grade. Is it a contest? course challenge --help"
        )


def _require_place(file: Path | None, option: str = "--json") -> None:
    if file and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise CourseError(f"{option} {file}: no file can be written there. Name a file in a folder that exists.")
