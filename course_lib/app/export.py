"""The verb that makes a page of a trained translator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from course_lib.course import CourseError
from course_lib.replacing import replacing

if TYPE_CHECKING:
    from course_lib.translator import SavedTranslator

out = Console(highlight=False)

SHIPPED = "shipped"  #: what to say for the weights that come with the course


def export(
    run: Annotated[
        Path | None,
        typer.Argument(
            help="The folder of a run of [bold]course train[/]. Without it: the translator that [bold]--weights[/] "
            "names.",
            show_default=False,
        ),
    ] = None,
    *,
    file: Annotated[
        Path, typer.Option("--out", help="The page to write, such as [bold]translator.html[/].", show_default=False)
    ],
    weights: Annotated[
        str,
        typer.Option(
            help="A file that lesson 09 saved, or [bold]shipped[/] for the translator that comes with the course. "
            "Default: yours if you saved one, otherwise the one that comes with the course.",
            show_default=False,
        ),
    ] = "",
    by: Annotated[str, typer.Option(help="Your name, for the page's title.", show_default=False)] = "",
    half: Annotated[
        bool,
        typer.Option(
            "--half",
            help="Round the weights to 16 bits, which halves the file. The limit is 3 MB.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that already exists.")] = False,
) -> None:
    """Make a web page of your trained translator: one file that translates in any browser.

    The page contains the weights, the words and the Transformer itself in plain JavaScript. It needs no server and no
    network, so you can open it from a memory stick or send it to a friend. Type an English sentence there, read the
    French, and see where every head of the cross-attention looked.

    Lesson 09 saves your translator after training, in [bold].course[/] next to your notebooks. To export a run that
    [bold]course train[/] made from real text, name its folder.

    Examples: course export --out translator.html --by Ada; course export my-run --out german.html
    """
    _look_at(file, force)
    if run is not None:
        _export_run(run, file, by.strip(), bool(weights))
        return
    from course_lib.translator.page import LARGEST, make_page
    from course_lib.translator.saved import shown_path

    saved = _translator(weights)
    content = make_page(saved, by.strip(), half).encode()
    if len(content) > LARGEST:
        raise CourseError(
            f"The page would have {_megabytes(len(content))}, but the limit is {_megabytes(LARGEST)}: your model has "
            f"{saved.parameters:,} parameters. "
            + (
                "Train a smaller one."
                if half
                else "With --half the weights take half the space; or train a smaller one."
            )
        )
    _write(file, content)
    whose = f"from {shown_path(saved.path)}" if saved.path else "which came with the course and which you did not train"
    out.print(
        f"{escape(str(file))}: {_megabytes(len(content))}. In it: {saved.parameters:,} parameters, {escape(whose)}.",
        soft_wrap=True,
    )
    out.print(f"Open it in a browser: {escape(file.resolve().as_uri())}", soft_wrap=True)


def _export_run(folder: Path, file: Path, by: str, has_weights: bool) -> None:
    if has_weights:
        raise CourseError("A run has its own weights: leave out --weights, or leave out the run.")
    from course_lib.translator.real_text import there_is_real_text

    there_is_real_text()
    from course_lib.real_text.page import LARGEST, make_run_page
    from course_lib.real_text.run import Run

    content = make_run_page(Run.open(folder), by).encode()
    if len(content) > LARGEST:
        raise CourseError(
            f"The page would have {_megabytes(len(content))}, but the limit is {_megabytes(LARGEST)}. Train a smaller "
            "model."
        )
    _write(file, content)
    out.print(
        f"{escape(str(file))}: {_megabytes(len(content))}. In it: the run in {escape(str(folder))}.", soft_wrap=True
    )
    out.print(f"Open it in a browser: {escape(file.resolve().as_uri())}", soft_wrap=True)


def _translator(weights: str) -> SavedTranslator:
    from course_lib.translator import SavedTranslatorError
    from course_lib.translator.saved import read_saved, saved_file, shipped_translator

    if weights == SHIPPED:
        return shipped_translator()
    path = Path(weights) if weights else saved_file()
    if weights and not path.is_file():
        raise CourseError(
            f"{path} does not exist. Leave out --weights to export the translator that you saved in lesson 09."
        )
    if not weights and not path.is_file():
        out.print(
            "You have not saved a translator in lesson 09 yet, so this page holds the one that comes with the course.",
            soft_wrap=True,
        )
        return shipped_translator()
    try:
        return read_saved(path)
    except SavedTranslatorError as error:
        raise CourseError(f"{error} Or take the one that comes with the course: --weights {SHIPPED}") from None


def _look_at(file: Path, force: bool) -> None:
    """Whether a page can be written there, before anything is computed."""
    if file.is_dir():
        raise CourseError(f"{file} is a folder. Name a file in it: --out {file / 'translator.html'}")
    if file.suffix.lower() not in (".html", ".htm"):
        raise CourseError(
            f"Browsers show a file as a page when its name ends in .html, and {file.name} does not: --out {file}.html"
        )
    if not file.parent.is_dir():
        raise CourseError(
            f"The folder {file.parent} does not exist, so {file.name} can't be written. Make the folder first, or "
            "choose another."
        )
    if file.exists() and not force:
        raise CourseError(f"{file} already exists. Choose another name, or overwrite it with --force.")


def _write(file: Path, content: bytes) -> None:
    """Write the page; what was there before goes only when all of the new one is written."""
    try:
        with replacing(file) as part:
            part.write_bytes(content)
    except OSError as error:
        raise CourseError(f"{file} cannot be written: {error.strerror or error}. Choose another place.") from None


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"
