"""The commands for students, from `course lab` to `course doctor`, and those for real text.

A command that computes imports its modules when it begins, so that the others don't wait for PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from course_lib.app.export import export
from course_lib.app.hand_in import hand_in
from course_lib.app.lab import open_lab
from course_lib.app.reset import reset
from course_lib.app.terminal import out, print_findings, say, say_where
from course_lib.app.train import train
from course_lib.app.translate import evaluate, translate
from course_lib.app.workspace import (
    fill,
    find_from_here,
    notebook_at,
    notebooks_folder,
    own_notebooks_folder,
    show_map,
    workspace_of,
)
from course_lib.checking.formatting import number
from course_lib.contents import exercises_of, public_exercises, public_lessons
from course_lib.course import START, CourseError
from course_lib.journey.progress import Progress
from course_lib.own_notebooks import notebooks_in
from course_lib.plugins import plugins

if TYPE_CHECKING:
    from course_lib.app.notebook_check import Checked

#: wide enough for any table, because a pipe has no columns
_WHOLE = 10_000


def register(app: typer.Typer) -> None:
    """Add the student's commands to the `course` command."""
    panel = "For students"
    at_work = (start, lab, progress, next_exercise, check, reset, parts, doctor, hand_in)
    for verb in (*at_work, lessons, exercises, export):
        app.command(verb.__name__.removesuffix("_exercise").replace("_", "-"), rich_help_panel=panel)(verb)
    for of_text in (train, translate, evaluate):
        app.command(rich_help_panel="Real text")(of_text)


def start(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Where you want to work. Default: the current folder; if that is a lesson's folder, the one above it.",
            file_okay=False,
        ),
    ] = None,
    lab: Annotated[bool, typer.Option(help="Open JupyterLab when the notebooks are there.")] = True,
) -> None:
    """Copy the notebooks into a folder to work in, and open JupyterLab on START_HERE.

    Run it again when a new lesson is released. New notebooks are added. A notebook that you have never saved gets the
    new text, and those in which you have worked stay as they are.
    """
    if folder is None and Path("course.toml").is_file() and not workspace_of(Path()):
        raise CourseError(
            "This is the course's own folder. Name one for your work, such as: course start ../my-course. Or work in "
            "notebooks/ here: course lab"
        )
    folder = folder or workspace_of(Path()) or Path()
    say_where(folder)
    with Console(stderr=True).status("Preparing your notebooks"):
        placed = list(fill(folder))
        show_map(folder)
    if new := [one.notebook.stem for one in placed if one.new]:
        out.print(f"[green]New here:[/] {', '.join(new)}", soft_wrap=True)
    if updated := [one.notebook.stem for one in placed if one.updated]:
        out.print(f"[green]With the newest text, because you hadn't begun:[/] {', '.join(updated)}", soft_wrap=True)
    if kept := [one.notebook.stem for one in placed if one.saved]:
        out.print(f"Yours, as you left {'it' if len(kept) == 1 else 'them'}: {', '.join(kept)}", soft_wrap=True)
    if older := [one.notebook.stem for one in placed if one.older]:
        out.print(
            f"This release has a newer text of {', '.join(older)}. Your work stays and is graded as it is. To read the "
            "new text, run course start in another folder.",
            soft_wrap=True,
        )
    if lab:
        raise typer.Exit(_open(folder))
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    out.print(f"Next: {escape(where)}course lab", soft_wrap=True)


def lessons() -> None:
    """List the lessons, with their minutes and points, and whether their notebooks are here.

    The notebook of lesson 03_self_attention is 03_self_attention/03_self_attention.ipynb.
    """
    say_where(notebooks_folder())
    table = _table("Lesson", "Title", "Minutes", "Points", "Notebook", wrapped="Title")
    for lesson in public_lessons():
        points = number(sum(e.points for e in exercises_of(lesson.name)))
        place = "here" if notebook_at(lesson.name) else "not here"
        table.add_row(lesson.name, lesson.title, str(lesson.minutes), points, place)
    _print(table)


def exercises(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List every exercise: its id, lesson, name, signature and points."""
    found = public_exercises()
    if as_json:
        keys = ("id", "lesson", "symbol", "signature", "points")
        print(json.dumps([{key: getattr(e, key) for key in keys} for e in found], indent=1))
        return
    table = _table("Exercise", "Lesson", "You write", "Points", "Minutes", wrapped="You write")
    for e in found:
        table.add_row(e.id, e.lesson[:2], escape(f"{e.symbol}{e.signature}"), number(e.points), str(e.minutes))
    _print(table)


def lab(
    arguments: Annotated[list[str] | None, typer.Argument(help="Passed on to JupyterLab; write them after --.")] = None,
    nbgrader: Annotated[bool, typer.Option("--nbgrader", help="Show nbgrader's panels, for instructors.")] = False,
    class_folder: Annotated[
        Path | None,
        typer.Option(
            "--class",
            help="With --nbgrader: the folder of another class. Default: as set in course.toml.",
            file_okay=False,
            exists=True,
        ),
    ] = None,
) -> None:
    """Open JupyterLab on the student notebooks, with this environment's Python as their kernel.

    It opens START_HERE, which shows your progress and leads to the next exercise.

    Example: course lab -- --no-browser --port 8899
    """
    if class_folder and not nbgrader:
        raise CourseError("--class selects the class that nbgrader's panels show: add --nbgrader.")
    folder = notebooks_folder()
    say_where(folder)
    show_map(folder)
    raise typer.Exit(_open(folder, arguments or (), nbgrader, class_folder))


def _open(folder: Path, arguments: Sequence[str] = (), nbgrader: bool = False, class_folder: Path | None = None) -> int:
    """Prepare the next lesson's checks, run JupyterLab on START_HERE, and return its exit code.

    The other lessons' checks are made in the background. A lesson that is opened before that makes its own.
    """
    waiting = Progress.of(folder).next
    lesson = waiting[0].lesson.name if waiting else public_lessons()[0].name
    for prepare in plugins("course.prepare"):
        prepare([entry.id for entry in public_exercises() if entry.lesson == lesson])
        prepare([entry.id for entry in public_exercises()], in_background=True)
    return open_lab(folder, f"{START}.ipynb", arguments, nbgrader, class_folder)


Folder = Annotated[
    Path | None,
    typer.Argument(
        help="Where your notebooks are. Default: the folder with START_HERE that you are in, or else notebooks/ of the "
        "course.",
        file_okay=False,
        exists=True,
    ),
]


def progress(
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Show your progress: the points of each lesson when it was last checked, and what comes next.

    Nothing is run. To run every check again, use [bold]course check[/].
    """
    from course_lib.journey.map import Map

    here = folder or notebooks_folder()
    found = Progress.of(here)
    if as_json:
        lessons = {lesson.lesson.name: {"points": lesson.points, "of": lesson.max_points} for lesson in found.lessons}
        waiting = found.next[1].id if found.next else None
        whole = {"points": found.points, "of": found.max_points, "next": waiting, "lessons": lessons}
        print(json.dumps(whole, indent=1))
        return
    if folder is None:
        say_where(here)
    out.print(escape(repr(Map(found, here))), soft_wrap=True)


def next_exercise(folder: Folder = None) -> None:
    """Show which exercise comes next, and which notebook it is in."""
    from course_lib.journey.map import Map

    here = folder or notebooks_folder()
    found = Map(Progress.of(here), here)
    if folder is None:
        say_where(here)
    if found.progress.next:
        lesson, entry = found.progress.next
        out.print(f"[bold]{escape(entry.symbol + entry.signature)}[/]", soft_wrap=True)
        out.print(f"{number(entry.points)} points, {escape(lesson.lesson.title)}", soft_wrap=True)
    out.print(escape(found.next), soft_wrap=True)


def check(
    notebook: Annotated[
        Path | None,
        typer.Argument(help="A lesson's notebook with your work in it, or a folder of them. Default: all of yours."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of cards.")] = False,
) -> None:
    """Run a notebook and show a card for each of its exercises; or run all notebooks and show one line each.

    Only the exercises and what they need are run, not the experiments, so this takes seconds. Notebooks run as in
    grading, but without a sandbox: use this command only on your own notebooks. Grading asks the same questions with
    other numbers. [bold]course progress[/] shows the points later.
    """
    notebook = notebook and find_from_here(notebook)
    from course_lib.app.notebook_check import check_notebook

    if notebook is None or notebook.is_dir():
        _check_all(notebook or own_notebooks_folder(), as_json)
        return
    with Console(stderr=True).status(f"Running {notebook.stem}"):
        result = check_notebook(notebook)
    if as_json:
        print(json.dumps(result.as_json(), indent=1))
        return
    for _, card in result.verdicts.values():
        out.print(escape(card.text), soft_wrap=True)
        out.print()
    if result.reason:
        out.print(f"[yellow]{escape(result.reason)}[/]")
    out.print(f"[bold]{number(result.score)} of {number(result.max_score)} points[/] in {result.lesson}")
    folder = notebook.resolve().parent
    _say_next(folder.parent if folder.name == result.lesson else folder)


def _check_all(folder: Path, as_json: bool) -> None:
    """Check every notebook in a folder, one after the other, and print a line for each as soon as it is done.

    A notebook that can't be run gets a line, too, and the exit code is 1.
    """
    from course_lib.app.notebook_check import Checked, check_notebook

    paths = notebooks_in(folder, [lesson.name for lesson in public_lessons()])
    if not paths:
        raise CourseError(f"{folder.resolve()} contains no notebook of a lesson. Name another folder, or a notebook.")
    if not as_json:
        say_where(folder)
    results = []
    with Console(stderr=True).status("Running your notebooks") as status:
        for done, (lesson, path) in enumerate(paths.items(), start=1):
            status.update(f"Running {path.stem}, {done} of {len(paths)}")
            try:
                result = check_notebook(path)
            except CourseError as error:
                result = Checked(lesson, "failed", str(error), {})
            results.append(result)
            if not as_json:
                out.print(_line(result), soft_wrap=True)
    if as_json:
        print(json.dumps([result.as_json() for result in results], indent=1))
    else:
        score, most = (sum(getattr(result, name) for result in results) for name in ("score", "max_score"))
        count = sum(bool(result.verdicts) for result in results)
        out.print(f"[bold]{number(score)} of {number(most)} points[/] in {count} notebook{'' if count == 1 else 's'}")
        _say_next(folder)
    if not all(result.verdicts for result in results):
        raise typer.Exit(1)


def _line(result: Checked) -> str:
    """Return the line for one of several notebooks."""
    open_ones = [card.title for verdict, card in result.verdicts.values() if not verdict.passed]
    points = f"{number(result.score)} of {number(result.max_score)}" if result.verdicts else "not run"
    said = [result.reason] if result.reason else []
    said += [f"still open: {', '.join(open_ones)}"] if open_ones else []
    return f"{result.lesson:<26} {points:>9}{''.join(f'   {escape(each)}' for each in said)}"


def _say_next(folder: Path) -> None:
    from course_lib.journey.map import Map

    say(Map(Progress.of(folder), folder).next)


def _table(*columns: str, wrapped: str) -> Table:
    """Make a table that wraps only one column if the terminal is too narrow."""
    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False, collapse_padding=True)
    for column in columns:
        table.add_column(column, no_wrap=column != wrapped, overflow="fold")
    return table


def _print(table: Table) -> None:
    """Print a table. In a pipe or a file, don't wrap or cut anything."""
    (out if out.is_terminal else Console(highlight=False, width=_WHOLE)).print(table)


def parts(
    folder: Annotated[
        Path,
        typer.Argument(help="Where your notebooks are. Default: the current folder.", file_okay=False, exists=True),
    ] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show which parts of the course are already your own, and why the others are not.

    A part is yours when your code passes its check. It is cut out of your notebook, with the imports and helpers that
    it needs, and checked in a separate process. Code that was checked before is not run again. Your notebooks don't
    change.

    Lesson 16's exercises measure a translator and are not parts of one, so they aren't listed.

    To work with your parts, change [bold]own_parts.use(False)[/] to [bold]own_parts.use(True)[/] in a later lesson that
    has this cell. Whatever the lesson imports or builds on is then yours if it passes, and the reference otherwise.

    Example: course parts notebooks
    """
    from course_lib.own_parts.use import assemble

    with Console(stderr=True).status("Looking through your notebooks") as status:
        found = assemble(folder, lambda symbol: status.update(f"Running each part that is new, once: {symbol}"))
    if as_json:
        keys = ("symbol", "lesson", "yours", "why")
        print(json.dumps([{key: getattr(part, key) for key in keys} for part in found.parts], indent=1))
        return
    table = _table("Part", "Whose", "Lesson", "Why", wrapped="Why")
    for part in found.parts:
        mark, whose = part.whose.split(maxsplit=1)
        whose = f"[{'green' if part.yours else 'yellow'}]{mark}[/] {whose}"
        table.add_row(part.symbol, whose, part.lesson[:2], escape(part.why))
    _print(table)
    out.print(f"[bold]{found.summary}[/]")


def doctor(
    notebook: Annotated[Path | None, typer.Argument(help="A notebook to examine before you hand it in.")] = None,
) -> None:
    """Find problems with the installation, or with a notebook before you hand it in, and say how to fix them."""
    from course_lib.app.doctor import examine_notebook
    from course_lib.app.installation import examine_installation

    wrong = print_findings(examine_notebook(find_from_here(notebook)) if notebook else examine_installation())
    if wrong:
        out.print(f"[red]{wrong} {'thing needs' if wrong == 1 else 'things need'} fixing.[/]")
        raise typer.Exit(1)
    out.print("[green]Everything is ready.[/]" if notebook is None else "Nothing else was found.")
