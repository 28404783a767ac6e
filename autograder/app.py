"""The verbs an instructor uses: build, grade, feedback, report, challenge, secret, demo.

A verb that computes imports what it needs where it begins: the others need not wait for PyTorch.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from autograder.records.archive import Archive, write_whole
from autograder.terminal import feedback_pages, grade_all, out, results_table, summarise, write_report
from course_lib.checking.formatting import printable
from course_lib.course import Course, CourseError, find_course

ClassFolder = Annotated[
    Path | None,
    typer.Option(
        "--class", help="The class's folder: graded notebooks, feedback, reports. Default: class/ in the course."
    ),
]
Gradebook = Annotated[
    str | None, typer.Option(help="The gradebook's URL, as sqlite:///gradebook.db. Default: in the class's folder.")
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command."""
    panel = "For instructors"
    for verb in (build, grade, feedback, report, challenge, secret, demo):
        app.command(rich_help_panel=panel)(verb)


def build(
    lesson: Annotated[str | None, typer.Argument(help="One lesson, as 03_self_attention or 03. Default: all.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything is stale.")] = False,
    released: Annotated[
        bool, typer.Option("--released", help="Also make build/released/LESSON: course_lib as students receive it.")
    ] = False,
    run: Annotated[
        bool, typer.Option("--run", help="Also run the solution notebooks, and keep what their cells show.")
    ] = False,
) -> None:
    """Make solutions/ and notebooks/ from lessons/ and the components, and the answer keys of this machine.

    With [bold]--released[/], also the library to hand out. Its keys hold what right answers come to over every known
    mistake of an earlier exercise; working that out takes minutes, once.

    A notebook in solutions/ that was run keeps what its cells show for as long as its source is the same. With
    [bold]--run[/] all are run one after the other, as a reader does with "Run All": a line says how long each took and
    what points its checks show. It fails where a cell does, or where a point is missing.
    """
    from autograder.building.build import build_contents, build_lesson
    from autograder.building.missing_keys import make_answer_keys, up_to
    from autograder.building.release import release_library

    course = find_course()
    names = [course.lesson(lesson)] if lesson else course.lessons
    stale = 0
    for built in itertools.chain([build_contents(check)], *(build_lesson(course, name, check) for name in names)):
        stale += not built.fresh
        path = built.path.relative_to(course.root) if built.path.is_relative_to(course.root) else built.path
        if not built.fresh:
            out.print(f"{'[red]stale[/]' if check else '[green]wrote[/]'} {escape(str(path))}", soft_wrap=True)
    if not check:
        make_answer_keys(up_to(names[-1]), os.cpu_count() or 1, whole=released)
        for name in names if released else ():
            release_library(course, name, course.root / "build" / "released" / name)
    if run and not check:
        _run_solutions(course, names)
    if check and stale:
        raise CourseError(f"{stale} files are stale. Run: course build")
    if not stale:
        out.print("Everything is as it would be built.")


def _run_solutions(course: Course, lessons: Sequence[str]) -> None:
    from autograder.building.executed import run

    runs = {}
    with TemporaryDirectory() as folder:  # of all: lesson 10 finds what lesson 09 has saved
        for lesson in lessons:
            runs[lesson] = run(course.solution_notebook(lesson), Path(folder))
            score, most = runs[lesson].points
            out.print(f"{lesson:<26} {runs[lesson].seconds:6.0f} s   {score:g} of {most:g} points", highlight=False)
            for trouble in runs[lesson].troubles:
                out.print(f"    [red]{escape(printable(trouble))}[/]", soft_wrap=True)
    out.print(f"{'together':<26} {sum(r.seconds for r in runs.values()):6.0f} s", highlight=False)
    if unclean := [lesson for lesson, ran in runs.items() if not ran.clean]:
        raise CourseError(f"Not as it should be: {', '.join(unclean)}.")


def grade(
    lesson: Annotated[str, typer.Argument(help="The lesson, as 03_self_attention or 03.")],
    submissions: Annotated[Path, typer.Option(help="Holds <student>/<lesson>/<lesson>.ipynb, as nbgrader collects.")],
    gradebook: Gradebook = None,
    workers: Annotated[int, typer.Option(min=1, help="How many submissions run at once.")] = os.cpu_count() or 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results there as JSON.")] = None,
    class_folder: ClassFolder = None,
    unsandboxed: Annotated[
        bool, typer.Option("--unsandboxed", help="Run submissions with your own rights. The records say so.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Run again what is as it was when it was graded.")] = False,
) -> None:
    """Grade every submission of a lesson into the gradebook.

    Each is rebuilt from the released notebook, run in a sandbox, and judged outside it on hidden
    questions. What is as it was when it was graded is not run again, so that grading which was
    stopped goes on where it was. Run [bold]course feedback[/] and [bold]course report[/] afterwards.
    """
    course = find_course()
    name = course.lesson(lesson)
    archive = _archive(course, class_folder)
    _require_place(json_file)
    graded = grade_all(course, name, submissions, archive, gradebook, workers, unsandboxed, force)
    out.print(results_table(graded))
    summarise(graded)
    if json_file:
        write_whole(json_file, json.dumps(graded, indent=1, ensure_ascii=False))
        out.print(f"Results: {escape(str(json_file))}", soft_wrap=True)
    from autograder.records.gradebook import without_password

    url = without_password(gradebook or archive.gradebook)
    out.print(f"Gradebook: {escape(url)}", soft_wrap=True)
    out.print(f"Next: course feedback {name}, course report {name}")


def feedback(
    lesson: Annotated[str, typer.Argument(help="The lesson, as 03_self_attention or 03.")],
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Write a feedback page for every graded submission of a lesson."""
    course = find_course()
    name = course.lesson(lesson)
    archive = _archive(course, class_folder)
    pages = feedback_pages(name, archive, gradebook)
    out.print(f"{pages} pages in {escape(str(archive.folder / 'feedback'))}", soft_wrap=True)


def report(
    lesson: Annotated[str, typer.Argument(help="The lesson, as 03_self_attention or 03.")],
    gradebook: Gradebook = None,
    class_folder: ClassFolder = None,
) -> None:
    """Write a report on the class: scores, broken laws, which misconceptions and how often."""
    course = find_course()
    name = course.lesson(lesson)
    archive = _archive(course, class_folder)
    write_report(name, archive, gradebook)


def challenge(
    submissions: Annotated[
        Path, typer.Option(help="Holds <student>/10_decoding/10_decoding.ipynb; earlier lessons beside it, if any.")
    ],
    seconds: Annotated[
        float,
        typer.Option(min=1, max=3600, help="CPU seconds to train for; a fifth more, and 5, to translate."),
    ] = 300,
    workers: Annotated[int, typer.Option(min=1, help="How many run at once. One at a time is the most even.")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the leaderboard there, too, as JSON.")] = None,
    class_folder: ClassFolder = None,
    unsandboxed: Annotated[
        bool, typer.Option("--unsandboxed", help="Run submissions with your own rights. The leaderboard says so.")
    ] = False,
) -> None:
    """Hold the challenge of lesson 10: who trains the best translator in 300 CPU seconds?

    Each notebook's [bold]train(pairs, seconds)[/] learns in the sandbox from pairs in renamed words, and what it
    returns, [bold]translate(sentences)[/], translates sentences of four splits. The references stay outside. Parts of
    the course are the student's own where a notebook beside it has them and they pass, else the reference's.

    The leaderboard goes to reports/challenge.html and challenge.json in the class's folder. Everyone gets the same
    pairs and sentences; they belong to the class, so a second run asks the same.
    """
    course = find_course()
    archive = _archive(course, class_folder)
    _require_place(json_file)
    from autograder.challenge.hold import hold_challenge

    hold_challenge(course, submissions, archive, seconds, workers, json_file, unsandboxed)


def secret(
    lesson: Annotated[
        str | None, typer.Argument(help="One lesson, as 03_self_attention or 03. Default: the whole class.")
    ] = None,
    rotate: Annotated[bool, typer.Option("--rotate", help="Draw the hidden questions anew.")] = False,
    reason: Annotated[str, typer.Option(help="Why; it is kept in the class's folder.")] = "",
    class_folder: ClassFolder = None,
) -> None:
    """Draw hidden questions anew, or show when and why that was done.

    Points come from [bold]hidden questions[/]: the same ideas that a student checks at home, asked with other numbers.
    They are drawn from [bold]secret.key[/] in the class's folder, so nobody can look them up. Keep that file to
    yourself, and keep it: without it, nobody can ask the same questions again.

    Rotate when somebody may have seen hidden questions: the file was shared by mistake, or answers seem to be made for
    just these numbers. For a single lesson, name it. With no lesson, the secret itself is replaced: the next
    [bold]course grade[/] of every lesson runs [bold]all[/] its submissions again, and the next challenge has other
    sentences.

    [bold]What becomes of grades.[/] Rotating changes none: whatever stands in the gradebook stays there until its
    lesson is graded again, and a person's own scores and comments stay even then. A right answer is right on any
    numbers, and a known mistake costs the same, so honest scores do not move. For a single lesson, submissions that
    are as they were keep their grades; add --force to [bold]course grade[/] to ask everyone the new questions.

    Whoever is graded a second time is asked new questions anyway, without this command.

    Example: course secret 03 --rotate --reason "a hidden question stood in the forum"
    """
    from autograder.grading.secret import draw_anew, draws, rotate_secret

    course = find_course()
    name = course.lesson(lesson) if lesson else ""
    archive = _archive(course, class_folder)
    if rotate:
        if not reason.strip():
            raise CourseError('Say why, for whoever looks at the grades later: --reason "…"')
        archive.require()
        if name:
            draw_anew(archive.folder, name, reason)
        else:
            rotate_secret(archive.folder, reason)
        what = f"the hidden questions of {name}" if name else "all hidden questions"
        out.print(f"From now on {what} are drawn anew. Grades stand as they are until they are graded again.")
        return
    table = Table("When", "Lesson", "Why", box=None, header_style="bold")
    for draw in draws(archive.folder):
        if name in ("", draw["lesson"]) or not draw["lesson"]:
            table.add_row(draw["when"], draw["lesson"] or "all", escape(printable(draw["reason"])))
    out.print(table if table.row_count else "The hidden questions are those that were drawn first.")


def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Where the class is made. Default: demo-class/ in the course.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many submissions run at once.")] = os.cpu_count() or 1,
    unsandboxed: Annotated[
        bool, typer.Option("--unsandboxed", help="Grade without a sandbox; the class is the demo's own.")
    ] = False,
) -> None:
    """Make a class of 24 students, and build, release, grade and report on it.

    Right answers in several styles, a dozen misconceptions, an untouched notebook, a crash, an
    endless loop, a file cut in half, and one that patches the functions that compare.
    """
    course = find_course()
    from autograder.demo.demonstrate import run_demo

    run_demo(course, folder or course.root / "demo-class", workers, unsandboxed)


def _require_place(json_file: Path | None) -> None:
    if json_file and (json_file.is_dir() or not json_file.absolute().parent.is_dir()):
        raise CourseError(f"--json {json_file}: no file can be written there. Name one in a folder that is there.")


def _archive(course: Course, folder: Path | None) -> Archive:
    return Archive((folder or course.root / "class").resolve())
