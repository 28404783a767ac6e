"""The verb that trains a translator on real text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from course_lib.course import CourseError

out = Console(highlight=False, soft_wrap=True, markup=False)

#: what one trains on without a word about it
_MINUTES = 10.0


def train(
    folder: Annotated[
        Path, typer.Option("--out", help="The run's folder: everything is kept there.", show_default=False)
    ],
    corpus: Annotated[
        str,
        typer.Option(
            help="[bold]multi30k[/], or a file of tab-separated columns, or two files whose lines belong together, "
            "with a comma between them: [bold]text.en,text.de[/]. Plain or .gz, UTF-8."
        ),
    ] = "multi30k",
    data: Annotated[
        Path | None, typer.Option(help="The folder with Multi30k's files; without it they are downloaded once.")
    ] = None,
    source: Annotated[str, typer.Option(help="The language that is translated from.")] = "en",
    target: Annotated[str, typer.Option(help="The language that is translated to.")] = "de",
    columns: Annotated[
        str, typer.Option(help="Of a table: which columns hold source and target, counted from 1.")
    ] = "1,2",
    minutes: Annotated[
        float | None,
        typer.Option(help=f"CPU minutes of training, which the recipe fits. [dim]default: {_MINUTES:g}[/]", min=0.01),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps instead of minutes: the same weights on every run.", min=1)
    ] = None,
    vocabulary: Annotated[int, typer.Option(help="How many subwords both languages share.", min=40)] = 4000,
    seed: Annotated[int, typer.Option(help="Of weights, order and dropout.")] = 0,
    threads: Annotated[
        int, typer.Option(help="How many threads compute; [bold]0[/] measures how many are worth it.", min=0)
    ] = 1,
    device: Annotated[str, typer.Option(help="[bold]auto[/], [bold]cpu[/] or [bold]cuda[/].")] = "auto",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was interrupted; all else is taken from it.")
    ] = False,
) -> None:
    """Train your course's Transformer on real text: ten minutes make a translator of captions.

    Subwords are learned first, then the network. Every half minute all that is needed to go on is saved, so a run that
    was interrupted, by whatever, goes on with [bold]--resume[/]. At the end the folder holds the weights and the curve
    of the loss; [bold]course translate[/] and [bold]course evaluate[/] take it from there.

    Example: course train --out my-run --minutes 10
    """
    if minutes is not None and steps is not None:
        raise CourseError("Training ends after --minutes or after --steps: name one of them.")
    from course_lib.translator.real_text import there_is_real_text

    there_is_real_text()
    if resume:
        _go_on(folder, device)
    else:
        kind = _kind(corpus, data, source, target, columns)
        budget = {"seconds": None, "steps": steps} if steps else {"seconds": 60 * (minutes or _MINUTES), "steps": None}
        _begin(folder, kind, {**budget, "vocabulary": vocabulary, "seed": seed}, threads, device)


def _kind(corpus: str, data: Path | None, source: str, target: str, columns: str) -> dict[str, Any]:
    """How to find the sentence pairs again, now and when training is resumed."""
    languages = {"languages": [source, target]}
    if corpus == "multi30k":
        return {"kind": "multi30k", **languages, "folder": str(data.resolve()) if data else None}
    if data is not None:
        raise CourseError(
            "--data is the folder of Multi30k; of other text, name the files themselves: --corpus FILE,FILE"
        )
    if "," in corpus:
        ours, _, theirs = corpus.partition(",")
        return {
            "kind": "files",
            **languages,
            "source": str(Path(ours).resolve()),
            "target": str(Path(theirs).resolve()),
        }
    try:
        first, second = (int(number) - 1 for number in columns.split(","))
    except ValueError:
        raise CourseError(
            f"--columns takes two numbers with a comma between them, as 1,2, and not {columns!r}."
        ) from None
    if min(first, second) < 0:
        raise CourseError(f"--columns counts from 1, and {columns!r} has a number below.")
    return {"kind": "table", **languages, "path": str(Path(corpus).resolve()), "columns": [first, second]}


def _begin(folder: Path, kind: dict[str, Any], wanted: dict[str, Any], threads: int, device: str) -> None:
    from course_lib.real_text.run import ABOUT

    if (folder / ABOUT).is_file():
        raise CourseError(
            f"There is a run in {folder} already. Go on with it: course train --out {folder} --resume. Or choose "
            "another folder."
        )
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file. Name a folder for the run: --out DIR")
    from course_lib.real_text.settings import Settings, recipe
    from course_lib.real_text.training import best_threads, find_corpus, prepare

    of_kind = dict(kind)
    found = find_corpus(of_kind.pop("kind"), **of_kind)
    settings = Settings(**{**recipe((wanted["seconds"] or 600) / 60), **wanted, "threads": max(threads, 1)})
    out.print(f"{found.name}: {len(found.splits['train']):,} sentence pairs to train on.")
    try:
        run = prepare(found, kind, settings, folder)
    except OSError as error:
        raise CourseError(
            f"{folder} cannot be written to: {error.strerror or error}. Choose another: --out DIR"
        ) from None
    if threads == 0:
        import os
        from dataclasses import replace

        chosen = best_threads(run, found, os.cpu_count() or 1)
        run = replace(run, settings=replace(settings, threads=chosen))
        run.create()
        out.print(f"Threads: {chosen}, by a short measurement.")
    _learn(run, found, False, device)


def _go_on(folder: Path, device: str) -> None:
    from course_lib.real_text.run import CHECKPOINT, WEIGHTS, Run
    from course_lib.real_text.training import find_corpus

    run = Run.open(folder)
    if (folder / WEIGHTS).is_file():
        raise CourseError(
            f"The run in {folder} has come to its end; nothing is left to resume. Train a new one: --out DIR"
        )
    kind = dict(run.corpus)
    found = find_corpus(kind.pop("kind"), **kind)
    there = (folder / CHECKPOINT).is_file()
    out.print("Going on from the last checkpoint." if there else "There is no checkpoint yet: training begins again.")
    _learn(run, found, there, device)


def _learn(run: Any, found: Any, resume: bool, device: str) -> None:
    from course_lib.real_text.devices import device_named
    from course_lib.real_text.training import learn

    where = device_named(device)
    try:
        history = learn(run, found, resume, out.print, where)
    except KeyboardInterrupt:
        out.print(f"\nInterrupted. Go on with it: course train --out {run.folder} --resume")
        raise typer.Exit(130) from None
    except OSError as error:
        raise CourseError(
            f"{run.folder} cannot be written to: {error.strerror or error}. Make room, and go on with the run: "
            f"course train --out {run.folder} --resume"
        ) from None
    spent = history.seconds[-1] / 60 if history.steps else 0.0
    out.print(f"{history.steps:,} steps in {spent:.1f} CPU minutes. Now: course translate {run.folder}")
