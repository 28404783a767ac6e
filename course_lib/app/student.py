"""The verbs a student uses, from `course lab` to `course doctor`; and of real text, train, translate, evaluate.

A verb that computes imports what it needs where it begins: the others need not wait for PyTorch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from course_lib.app.doctor import examine_installation, examine_notebook
from course_lib.app.export import export
from course_lib.app.lab import open_lab
from course_lib.app.seat import fill, notebook_at, notebooks_folder, show_map
from course_lib.app.train import train
from course_lib.app.translate import evaluate, translate
from course_lib.checking.formatting import number
from course_lib.contents import exercises_of, public_exercises, public_lessons
from course_lib.course import START
from course_lib.journey.progress import Progress, notebook_of
from course_lib.plugins import plugins

out = Console(highlight=False)

STATE = {"ok": "[green]✓[/]", "note": "[yellow]○[/]", "wrong": "[red]✗[/]"}


def register(app: typer.Typer) -> None:
    """Add the verbs to the command."""
    panel = "For students"
    for verb in (start, lab, progress, next_exercise, check, parts, doctor, lessons, exercises, export):
        app.command(verb.__name__.removesuffix("_exercise"), rich_help_panel=panel)(verb)
    for of_text in (train, translate, evaluate):
        app.command(rich_help_panel="Real text")(of_text)


def start(
    folder: Annotated[
        Path, typer.Argument(help="Where you want to work. Default: the folder you are in.", file_okay=False)
    ] = Path(),
    lab: Annotated[bool, typer.Option(help="Whether to open JupyterLab on it.")] = True,
) -> None:
    """Make this folder your seat: put the notebooks here, and open JupyterLab on START_HERE.

    Run it again when a new lesson is released: what is new is added, and your notebooks stay as they are.
    """
    placed = list(fill(folder))
    show_map(folder)
    new, kept = ([one.notebook.stem for one in placed if one.new is wanted] for wanted in (True, False))
    if new:
        out.print(f"[green]New here:[/] {', '.join(new)}", soft_wrap=True)
    if kept:
        out.print(f"Yours, as you left {'it' if len(kept) == 1 else 'them'}: {', '.join(kept)}", soft_wrap=True)
    if lab:
        raise typer.Exit(open_lab(folder, f"{START}.ipynb"))
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    out.print(f"Next: {escape(where)}course lab", soft_wrap=True)


def lessons() -> None:
    """List the lessons, with their minutes, points and notebooks."""
    table = Table("Lesson", "Title", "Minutes", "Exercises", "Points", "Notebook", box=None, header_style="bold")
    for lesson in public_lessons():
        mine = exercises_of(lesson.name)
        path = notebook_at(lesson.name)
        points = number(sum(e.points for e in mine))
        place = str(path) if path.is_file() else "not here"
        table.add_row(lesson.name, lesson.title, str(lesson.minutes), str(len(mine)), points, place)
    out.print(table)


def exercises(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List every exercise: its id, lesson, name, signature and points."""
    found = public_exercises()
    if as_json:
        keys = ("id", "lesson", "symbol", "signature", "points")
        print(json.dumps([{key: getattr(e, key) for key in keys} for e in found], indent=1))
        return
    table = Table("Exercise", "Lesson", "You write", "Points", "Minutes", box=None, header_style="bold")
    for e in found:
        table.add_row(e.id, e.lesson, escape(f"{e.symbol}{e.signature}"), number(e.points), str(e.minutes))
    out.print(table)


def lab(
    arguments: Annotated[list[str] | None, typer.Argument(help="Passed on to JupyterLab, after --.")] = None,
    nbgrader: Annotated[bool, typer.Option("--nbgrader", help="Show nbgrader's panels, for instructors.")] = False,
) -> None:
    """Open JupyterLab on the student notebooks, with this environment's Python as their kernel.

    It opens START_HERE, which shows where you are and leads to the next exercise.

    Example: course lab -- --no-browser --port 8899
    """
    folder = notebooks_folder()
    for prepare in plugins("course.prepare"):
        prepare([entry.id for entry in public_exercises()])
    show_map(folder)
    raise typer.Exit(open_lab(folder, f"{START}.ipynb", arguments or (), nbgrader))


Folder = Annotated[
    Path | None,
    typer.Argument(
        help="Where your notebooks are. Default: this folder, or the course's.", file_okay=False, exists=True
    ),
]


def progress(
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a map.")] = False,
) -> None:
    """Show how far you are: the points of each lesson, as its checks last gave them, and what comes next.

    Nothing is run. Whoever wants every check asked anew runs [bold]course check NOTEBOOK[/].
    """
    from course_lib.journey.map import Map

    found = _progress(folder)
    if as_json:
        lessons = {lesson.lesson.name: {"points": lesson.points, "of": lesson.max_points} for lesson in found.lessons}
        waiting = found.next[1].id if found.next else None
        whole = {"points": found.points, "of": found.max_points, "next": waiting, "lessons": lessons}
        print(json.dumps(whole, indent=1))
        return
    out.print(escape(repr(Map(found, folder or notebooks_folder()))), soft_wrap=True)


def next_exercise(folder: Folder = None) -> None:
    """Say which exercise comes next, and in which notebook it stands."""
    waiting = _progress(folder).next
    if waiting is None:
        out.print("Every exercise has its points. Lesson 10 ends with a challenge, and every lesson with a stretch.")
        return
    lesson, entry = waiting
    out.print(f"[bold]{escape(entry.symbol + entry.signature)}[/]", soft_wrap=True)
    out.print(
        f"{number(entry.points)} points, about {entry.minutes} minutes, in {notebook_of(lesson.lesson.name)}: lesson "
        f"{lesson.lesson.number}, {escape(lesson.lesson.title)}",
        soft_wrap=True,
    )


def _progress(folder: Path | None) -> Progress:
    return Progress.of(folder or notebooks_folder())


def check(
    notebook: Annotated[
        Path | None, typer.Argument(help="A lesson's notebook with your work in it. Default: all of yours.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of cards.")] = False,
) -> None:
    """Run a notebook and show a card for each of its exercises; or all notebooks, with a line each.

    Only what the exercises need is run, no experiments and no training, so it takes seconds. It is run as the grader
    runs it, on the public questions and without a sandbox: only on your own notebooks. What is right here is right in
    the gradebook, and [bold]course progress[/] remembers it.
    """
    from course_lib.app.notebook_check import check_notebook

    if notebook is None:
        _check_all(notebooks_folder(), as_json)
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


def _check_all(folder: Path, as_json: bool) -> None:
    """Every notebook in a folder, one after the other; said of each as soon as it is done."""
    from course_lib.app.notebook_check import check_notebook

    paths = [path for lesson in public_lessons() if (path := folder / notebook_of(lesson.name)).is_file()]
    results = []
    with Console(stderr=True).status("Running your notebooks") as status:
        for done, path in enumerate(paths, start=1):
            status.update(f"Running {path.stem}, {done} of {len(paths)}")
            result = check_notebook(path)
            results.append(result)
            if as_json:
                continue
            open_ones = [card.title for verdict, card in result.verdicts.values() if not verdict.passed]
            waits = f"   still open: {', '.join(open_ones)}" if open_ones else ""
            points = f"{number(result.score)} of {number(result.max_score)}"
            out.print(f"{result.lesson:<26} {points:>9}{escape(waits)}", soft_wrap=True)
    if as_json:
        print(json.dumps([result.as_json() for result in results], indent=1))
        return
    score, most = (sum(getattr(result, name) for result in results) for name in ("score", "max_score"))
    out.print(f"[bold]{number(score)} of {number(most)} points[/] in {len(results)} notebooks")


def parts(
    folder: Annotated[Path, typer.Argument(help="Where your notebooks are.", file_okay=False, exists=True)] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show which parts of the course are your own by now, and why the others are not.

    A part is yours when what you wrote in its notebook passes its check by itself. It is cut out of the
    notebook with the imports and helpers it needs, run in a process of its own, and asked the public
    questions; a text that has been judged is not run again. The notebooks stay as they are.

    Lesson 14's exercises measure a translator and are no parts of one, so they aren't listed.

    To work with your parts, write [bold]own_parts.use(True)[/] into the cell near the top of a later lesson: whatever
    the lesson imports or builds on is then yours where it passes, and the reference where it does not.

    Example: course parts notebooks
    """
    from course_lib.own_parts.use import assemble

    with Console(stderr=True).status("Looking through your notebooks") as status:
        found = assemble(folder, lambda symbol: status.update(f"Running each part that is new, once: {symbol}"))
    if as_json:
        keys = ("symbol", "lesson", "yours", "why")
        print(json.dumps([{key: getattr(part, key) for key in keys} for part in found.parts], indent=1))
        return
    table = Table("Part", "Whose", "Lesson", "Why", box=None, header_style="bold")
    for part in found.parts:
        mark, whose = part.whose.split(maxsplit=1)
        whose = f"[{'green' if part.yours else 'yellow'}]{mark}[/] {whose}"
        table.add_row(part.symbol, whose, part.lesson, escape(part.why))
    out.print(table)
    out.print(f"[bold]{found.summary}[/]")


def doctor(
    notebook: Annotated[Path | None, typer.Argument(help="A notebook, to see whether it can be handed in.")] = None,
) -> None:
    """Say what is wrong with the installation, or with a notebook, and what to do about it."""
    findings = list(examine_notebook(notebook) if notebook else examine_installation())
    for finding in findings:
        out.print(f"{STATE[finding.state]} {escape(finding.text)}", soft_wrap=True)
        if finding.state != "ok" and finding.mend:
            out.print(f"    {escape(finding.mend)}", soft_wrap=True)
    wrong = sum(finding.state == "wrong" for finding in findings)
    if wrong:
        out.print(f"[red]{wrong} {'thing needs' if wrong == 1 else 'things need'} mending.[/]")
        raise typer.Exit(1)
    out.print("[green]Nothing stands in the way.[/]")
