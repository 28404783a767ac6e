"""The `course` command."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from course_lib.app import student
from course_lib.course import CourseError
from course_lib.plugins import plugins
from course_lib.version import __version__

#: the error that typer raises for a wrong command line, which it doesn't export
MisusedError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")

HELP = (
    "A course that grades itself: from attention to a Transformer translator.\n\n"
    "As a student: [bold]course start[/] puts the notebooks into a folder of yours, and [bold]course lab[/] opens them "
    "again. [bold]course progress[/] shows how far you are, and [bold]course next[/] which exercise comes next. "
    "[bold]course check[/] runs what you wrote as the grader will, and [bold]course doctor[/] finds problems and says "
    "how to fix them. [bold]course reset[/] puts an exercise back to its stub, and [bold]course hand-in[/] makes the "
    "file to hand in."
)

#: added if the commands for instructors are installed
HELP_IN_A_CHECKOUT = (
    "\n\nAs an instructor: [bold]course build[/], then [bold]course grade LESSON[/]. "
    "[bold]course demo[/] shows all of it on a made-up class."
)

app = typer.Typer(
    name="course", add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich", help=HELP
)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Options that come before the command."""
    prepare(context.invoked_subcommand)


def prepare(verb: str | None) -> None:
    """Set up this process for a command, before the command imports its libraries."""
    if verb != "lab":  # notebooks decide for themselves
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # PyTorch reads them when it is imported
            os.environ[name] = "1"  # a second thread makes small tensors slower, many times slower on a busy machine
    if verb == "grade":
        gc.set_threshold(50_000)  # imports make hardly any garbage, and looking for it takes a fifth of their time
    # jsonschema would use it to check IRIs, which no notebook has, and to import it takes 1.6 s
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def main() -> None:
    """Run the command; report what a person can fix in one sentence, with an exit code other than 0."""
    _let_any_character_be_printed()
    try:
        sys.exit(complete_app()(sys.argv[1:] or ["--help"], standalone_mode=False))
    except CourseError as error:
        _end(str(error), 1)
    except MisusedError as error:
        verb = error.ctx.command_path if error.ctx else "course"
        said = error.format_message()
        _end(f"{said if said.endswith(('.', '?')) else f'{said}.'} See: {verb} --help", 2)
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith(("course_lib", "autograder")):
            raise
        from course_lib.app.installation import lacking

        _end(lacking(error.name), 1)
    except typer.Abort:
        sys.exit(130)


def complete_app() -> typer.Typer:
    """Build the command with everything that is installed: students' commands and, in a checkout, instructors'."""
    if not app.registered_commands:
        student.register(app)
        for register in plugins("course.verbs"):
            register(app)
            app.info.help = HELP + HELP_IN_A_CHECKOUT
    return app


def _let_any_character_be_printed() -> None:
    """Print a question mark for characters that the output's encoding lacks, as in a pipe on Windows."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _end(sentence: str, code: int) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]course:[/] {escape(sentence)}", highlight=False)
    sys.exit(code)
