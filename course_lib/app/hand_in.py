"""`course hand-in`: check a lesson's notebook as the grader will, and make the file to hand in."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from course_lib.app.terminal import out, print_findings, say, say_where, shown
from course_lib.app.workspace import find_from_here
from course_lib.checking.formatting import number
from course_lib.course import CourseError
from course_lib.rebuilding.finding import Finding
from course_lib.rebuilding.written import UNWRITTEN
from course_lib.replacing import replacing
from course_lib.running.notebook_file import parse_notebook

FOLDER = "hand_in"  #: the folder of the files to hand in, next to START_HERE
EARLIER = "earlier"  #: the folder in it with the files of earlier calls


def hand_in(
    lesson: Annotated[Path, typer.Argument(help="The lesson, such as 03, or the path of its notebook.")],
) -> None:
    """Check the notebook of a lesson as the grader will, and make the file to hand in.

    It first says what would cost you points, as [bold]course doctor[/] and [bold]course check[/] do. Whatever it finds,
    it then writes the file to hand in: a copy without outputs, in the folder hand_in next to START_HERE. Upload that
    file without renaming it. Your own notebook stays as it is; go on working there, not in the copy.

    Save the notebook first, because the command reads the file.

    Example: course hand-in 03
    """
    from course_lib.app.doctor import remarks
    from course_lib.rebuilding.at_home import rebuilt_notebook

    path = find_from_here(lesson)
    notebook = rebuilt_notebook(path)
    home = path.resolve().parent
    workspace = home.parent if home.name == notebook.lesson else home
    say_where(workspace)
    print_findings(finding for finding in remarks(notebook) if finding.state != "ok")
    _print_points(path)
    answers = notebook.rebuilt.answers.values()
    if empty := sum(answer.source.strip() in ("", UNWRITTEN) for answer in answers):
        say(f"{empty} of {len(answers)} written questions have no answer.")
    try:
        file, size = copy_to_hand_in(path, workspace / FOLDER / f"{notebook.lesson}.ipynb")
    except OSError as error:
        raise CourseError(f"{workspace} cannot be written to: {error.strerror or error}.") from None
    saved = datetime.fromtimestamp(path.stat().st_mtime)
    out.print(f"The file to hand in: [bold]{escape(shown(file))}[/] ({max(1, round(size / 1000))} kB).", soft_wrap=True)
    say(f"It has what you saved on {saved:%Y-%m-%d at %H:%M}. If you changed anything since, save and run this again.")


def _print_points(path: Path) -> None:
    """Run the checks of a notebook. Print what is wrong with each exercise that was written, and the points."""
    try:
        with Console(stderr=True).status(f"Running {path.stem}, about half a minute"):
            from course_lib.app.notebook_check import check_notebook  # which takes seconds, too

            checked = check_notebook(path)
    except CourseError as error:
        print_findings([Finding("note", f"the checks could not be run: {error}")])
        return
    for verdict, card in checked.verdicts.values():
        if not verdict.passed and not card.unwritten:  # the remarks have said what is not written yet
            points = f"{card.title} has {number(verdict.score)} of {number(verdict.max_score)} points"
            print_findings([Finding("wrong", points, card.says)])
    if checked.reason:
        print_findings([Finding("wrong", checked.reason)])
    out.print(f"[bold]{number(checked.score)} of {number(checked.max_score)} points[/] from the checks")


def copy_to_hand_in(notebook: Path, target: Path) -> tuple[Path, int]:
    """Write a notebook without its outputs, and return the file with its size in bytes.

    A different file that is already there is moved to the folder of earlier ones, under the time of its last change.
    """
    content = parse_notebook(notebook.read_bytes()).to_bytes()
    target.parent.mkdir(exist_ok=True)
    if target.exists() and target.read_bytes() != content:
        before = datetime.fromtimestamp(target.stat().st_mtime)
        earlier = target.parent / EARLIER / f"{target.stem}_{before:%Y-%m-%d_%H-%M-%S}.ipynb"
        earlier.parent.mkdir(exist_ok=True)
        target.replace(earlier)
    with replacing(target) as part:
        part.write_bytes(content)
    return target, len(content)
