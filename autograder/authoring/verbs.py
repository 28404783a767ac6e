"""Define `course exercise new` and `course exercise try`, which write the skeleton of an exercise and check it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from autograder.terminal import out
from course_lib.course import Course, CourseError, find_course
from course_lib.suggestion import suggestion

if TYPE_CHECKING:
    from autograder.authoring.gate import Demand
    from autograder.exercises.definition import Definition

exercise = typer.Typer(
    help="""
    Write an exercise of your own: get a skeleton to start from, and a list of what is still missing.

    It goes into a folder next to the course that [bold]course.toml[/] lists, and is
    built, released and graded like ours.
    """,
)


@exercise.command()
def new(
    name: Annotated[str, typer.Argument(help="The name of the function that students write, such as running_mean.")],
    lesson: Annotated[
        str, typer.Option(help="An existing lesson, such as 03, or the name of a new one, such as 17_my_lesson.")
    ],
    folder: Annotated[
        Path | None, typer.Option(help="Which of your folders. Default: the first one in course.toml.")
    ] = None,
    on_paper: Annotated[
        bool, typer.Option("--on-paper", help="Students work out a value by hand and type it in.")
    ] = False,
) -> None:
    """Write the skeleton of an exercise: a small exercise that works, with comments on what to fill in.

    If the lesson is one of ours, its text is copied to lessons/ in your folder, and the copy replaces ours.

    Example: course exercise new running_mean --lesson 17_my_lesson
    """
    from autograder.authoring.skeleton import write_skeleton

    course = find_course()
    chosen = _folder(course, folder)
    for path in write_skeleton(course, chosen, name, lesson, on_paper):
        out.print(f"[green]wrote[/] {escape(str(path))}", soft_wrap=True)
    out.print(f"Next: fill them in, and run: course exercise try {name}")


@exercise.command("try")
def try_exercise(
    name: Annotated[str, typer.Argument(help="The exercise's id, yours or one of ours.")],
) -> None:
    """Check that an exercise meets every requirement, and list what is still missing.

    The requirements are those of our own exercises. For example, correct implementations must earn all points, and each
    known mistake must lose points and be named. docs/own_exercises.md explains the most important
    ones.
    """
    from autograder.exercises import DEFINITIONS

    course = find_course()
    if name not in DEFINITIONS:
        raise CourseError(f"There is no exercise called {name!r}{suggestion(name, DEFINITIONS)}")
    definition = DEFINITIONS[name]
    out.print(f"[bold]{name}[/], {definition.exercise.points:g} points, in {definition.exercise.lesson}")
    met = count = 0
    for requirement in _asked(definition, course):
        count, met = count + 1, met + (not requirement.missing)
        mark = "[red]✗[/]" if requirement.missing else "[green]✓[/]"
        out.print(f"{mark} {escape(requirement.sentence)}", soft_wrap=True)
        for line in requirement.missing:
            out.print(f"    {escape(line)}", soft_wrap=True)
    if met < count:
        raise CourseError(f"{name} meets {met} of {count} requirements. What is missing is listed above.")
    following = f"If the exercise is new: course build {definition.exercise.lesson}"
    out.print(f"All {count} requirements are met. {following}", soft_wrap=True)


def _asked(definition: Definition, course: Course) -> Iterator[Demand]:
    """Yield the requirements. If the author's own code fails, say where instead of showing a traceback.

    Raises:
        CourseError: the exercise is defined wrongly, or its code raised an error.
    """
    from autograder.authoring.gate import demands

    try:
        yield from demands(definition, course)
    except CourseError:
        raise
    except Exception as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        at = next((frame for frame in frames if _is_theirs(frame, definition)), None)
        if isinstance(error, SyntaxError):
            where = f"{error.filename}, line {error.lineno}"
        elif at:
            where = f"{at.filename}, line {at.lineno}"
        else:
            raise
        raise CourseError(f"{definition.id}: {where}: {type(error).__name__}: {error}") from None


def _is_theirs(frame: traceback.FrameSummary, definition: Definition) -> bool:
    """Return whether a frame is in a file of the exercise, or in one of its implementations."""
    implementation = frame.filename.startswith(f"<{definition.id}:")
    return implementation or definition.folder in Path(frame.filename).parents


def _folder(course: Course, chosen: Path | None) -> Path:
    if not course.extensions:
        raise CourseError(
            f"{course.root / 'course.toml'} lists no folder for your exercises. Create one and add it: [extensions] "
            'folders = ["../my_exercises"]'
        )
    if chosen and chosen.resolve() not in course.extensions:
        raise CourseError(f"{chosen} is not one of your folders: {', '.join(map(str, course.extensions))}.")
    return chosen.resolve() if chosen else course.extensions[0]
