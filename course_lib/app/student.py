"""The verbs a student uses: lessons, exercises, lab, check, parts, export, doctor.

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
from course_lib.checking.formatting import number
from course_lib.contents import public_exercises
from course_lib.course import CourseError, find_course
from course_lib.plugins import plugins

out = Console(highlight=False)

STATE = {"ok": "[green]✓[/]", "note": "[yellow]○[/]", "wrong": "[red]✗[/]"}


def register(app: typer.Typer) -> None:
    """Add the verbs to the command."""
    panel = "For students"
    for verb in (lessons, exercises, lab, check, parts, export, doctor):
        app.command(rich_help_panel=panel)(verb)


def lessons() -> None:
    """List the lessons, with their points and whether they are built."""
    course = find_course()
    table = Table("Lesson", "Title", "Exercises", "Points", "Notebook", box=None, header_style="bold")
    for lesson in course.lessons:
        mine = [e for e in public_exercises() if e.lesson == lesson]
        path = course.student_notebook(lesson)
        place = str(path.relative_to(course.root)) if path.is_file() else "not built: course build"
        heading = _title(course.root / "lessons" / f"{lesson}.md")
        table.add_row(lesson, heading, str(len(mine)), number(sum(e.points for e in mine)), place)
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
) -> None:
    """Open JupyterLab on the student notebooks, with this environment's Python as their kernel.

    Example: course lab -- --no-browser --port 8899
    """
    course = find_course()
    if not any(course.student_notebook(lesson).is_file() for lesson in course.lessons):
        raise CourseError("There are no notebooks yet. Run: course build")
    for prepare in plugins("course.prepare"):
        prepare([entry.id for entry in public_exercises()])
    raise typer.Exit(open_lab(course.root / "notebooks", arguments or ()))


def check(
    notebook: Annotated[Path, typer.Argument(help="A lesson's notebook with your work in it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of cards.")] = False,
) -> None:
    """Run a notebook from top to bottom and show a card for each of its exercises.

    It is run as the grader runs it, on the public questions and without a sandbox: only on your
    own notebooks. What is right here is right in the gradebook.
    """
    from course_lib.app.notebook_check import check_notebook

    result = check_notebook(notebook)
    if as_json:
        verdicts = {
            name: {
                "score": verdict.score,
                "max_score": verdict.max_score,
                "misconception": verdict.misconception,
                "broken_laws": list(verdict.broken_laws),
            }
            for name, (verdict, _) in result.verdicts.items()
        }
        about = {"lesson": result.lesson, "status": result.status, "reason": result.reason}
        print(
            json.dumps({**about, "score": result.score, "max_score": result.max_score, "exercises": verdicts}, indent=1)
        )
        return
    for _, card in result.verdicts.values():
        out.print(escape(card.text), soft_wrap=True)
        out.print()
    if result.reason:
        out.print(f"[yellow]{escape(result.reason)}[/]")
    out.print(f"[bold]{number(result.score)} of {number(result.max_score)} points[/] in {result.lesson}")


def parts(
    folder: Annotated[Path, typer.Argument(help="Where your notebooks are.", file_okay=False, exists=True)] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show which parts of the course are your own by now, and why the others are not.

    A part is yours when what you wrote in its notebook passes its check by itself. It is cut out of the
    notebook with the imports and helpers it needs, run in a process of its own, and asked the public
    questions; a text that has been judged is not run again. The notebooks stay as they are.

    To work with your parts, write [bold]own_parts.use(True)[/] into the cell near the top of a later lesson: whatever
    the lesson imports or builds on is then yours where it passes, and the reference where it does not.

    Example: course parts notebooks
    """
    from course_lib.own_parts.parts import MARK, WHOSE
    from course_lib.own_parts.use import assemble

    with Console(stderr=True).status("Looking through your notebooks") as status:
        found = assemble(folder, lambda symbol: status.update(f"Running each part that is new, once: {symbol}"))
    if as_json:
        keys = ("symbol", "lesson", "yours", "why")
        print(json.dumps([{key: getattr(part, key) for key in keys} for part in found.parts], indent=1))
        return
    table = Table("Part", "Whose", "Lesson", "Why", box=None, header_style="bold")
    for part in found.parts:
        whose = f"[{'green' if part.yours else 'yellow'}]{MARK[part.yours]}[/] {WHOSE[part.yours]}"
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


def _title(path: Path) -> str:
    """A lesson's first heading, without its number."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return path.stem
