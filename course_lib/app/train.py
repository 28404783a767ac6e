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
#: what a run remembers, so that it cannot be named when the run is resumed
_REMEMBERED = (
    "corpus", "source", "target", "columns", "minutes", "steps", "vocabulary", "seed", "threads", "precision",
)  # fmt: skip


def train(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--out", help="The run's folder; everything is saved there.", show_default=False)
    ],
    corpus: Annotated[
        str,
        typer.Option(
            help="[bold]multi30k[/]; or a file with tab-separated columns; or two files with a comma between them, "
            "where each line of one translates the same line of the other: [bold]text.en,text.de[/]. Files are UTF-8, "
            "plain or .gz."
        ),
    ] = "multi30k",
    data: Annotated[
        Path | None, typer.Option(help="The folder with Multi30k's files. Without it, they are downloaded once.")
    ] = None,
    source: Annotated[str, typer.Option(help="The language to translate from.")] = "en",
    target: Annotated[str, typer.Option(help="The language to translate to.")] = "de",
    columns: Annotated[
        str, typer.Option(help="For a table: the columns of source and target, counted from 1.")
    ] = "1,2",
    minutes: Annotated[
        float | None,
        typer.Option(
            help="CPU minutes of training, to which the learning-rate schedule is adapted. "
            f"[dim]default: {_MINUTES:g}[/]",
            min=0.01,
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Steps instead of minutes; every run then gives the same weights.", min=1),
    ] = None,
    vocabulary: Annotated[int, typer.Option(help="The number of subwords, shared by both languages.", min=40)] = 4000,
    seed: Annotated[int, typer.Option(help="The seed of weights, order and dropout.")] = 0,
    threads: Annotated[
        int, typer.Option(help="The number of threads; [bold]0[/] finds the fastest number and uses it.", min=0)
    ] = 1,
    precision: Annotated[
        str,
        typer.Option(
            help="The precision of matrix products: [bold]float32[/], or [bold]auto[/], which is bfloat16 if the "
            "CPU or GPU supports it."
        ),
    ] = "auto",
    device: Annotated[str, typer.Option(help="[bold]auto[/], [bold]cpu[/] or [bold]cuda[/].")] = "auto",
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue a run that was interrupted. It remembers its options except [bold]--device[/]; "
            "[bold]--data[/] says where Multi30k's files are now.",
        ),
    ] = False,
) -> None:
    """Train the course's Transformer on real text. In ten CPU minutes, it learns to translate simple picture captions.

    Subwords are learned first, then the network. The run is saved every half minute, so [bold]--resume[/] can continue
    it if it was interrupted. At the end, the folder contains the weights and the loss curve, for
    [bold]course translate[/] and [bold]course evaluate[/].

    Example: course train --out my-run --minutes 10
    """
    if minutes is not None and steps is not None:
        raise CourseError("Training ends after --minutes or after --steps: name one of them.")
    if precision not in ("auto", "float32"):
        raise CourseError(f"Unknown precision {precision!r}: --precision takes auto or float32.")
    from course_lib.translator.real_text import there_is_real_text

    there_is_real_text()
    if resume:
        _refuse_what_is_remembered(context, folder)
    from course_lib.real_text.devices import device_named

    where = device_named(device)
    if resume:
        _go_on(folder, data, where)
    else:
        kind = _kind(corpus, data, source, target, columns)
        wanted = {
            "seconds": None if steps else 60 * (minutes or _MINUTES),
            "steps": steps,
            "vocabulary": vocabulary,
            "seed": seed,
            "threads": threads,
            "precision": precision,
        }
        _begin(folder, kind, wanted, where)


def _refuse_what_is_remembered(context: typer.Context, folder: Path) -> None:
    """See that no option was named that a resumed run has already."""
    sources = {name: context.get_parameter_source(name) for name in _REMEMBERED}
    named = [f"--{name}" for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if named:
        raise CourseError(
            f"A run that is resumed goes on as it began: leave out {' and '.join(named)}. Or train a new run in "
            f"another folder than {folder}."
        )


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


def _begin(folder: Path, kind: dict[str, Any], wanted: dict[str, Any], device: str) -> None:
    from course_lib.real_text.run import CHECKPOINT, WEIGHTS

    if any((folder / name).is_file() for name in (CHECKPOINT, WEIGHTS)):
        raise CourseError(
            f"There is a run in {folder} already. Go on with it: course train --out {folder} --resume. Or choose "
            "another folder."
        )
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file. Name a folder for the run: --out DIR")
    from course_lib.real_text.settings import Settings, recipe
    from course_lib.real_text.training import TRAINED_ON, find_corpus, prepare

    found = find_corpus(**kind, splits=TRAINED_ON)
    settings = Settings(**{**recipe((wanted["seconds"] or 600) / 60), **wanted})
    out.print(f"{found.name}: {len(found.splits['train']):,} sentence pairs to train on.")
    try:
        run = prepare(found, kind, settings, folder)
    except OSError as error:
        raise _cannot_be_written(folder, error, "Choose another: --out DIR") from None
    if not settings.threads:
        out.print(f"Threads: {run.settings.threads}, by a short measurement.")
    _learn(run, found, False, device)


def _go_on(folder: Path, data: Path | None, device: str) -> None:
    from course_lib.real_text.run import CHECKPOINT, WEIGHTS, Run
    from course_lib.real_text.training import TRAINED_ON, find_corpus

    run = Run.open(folder)
    if (folder / WEIGHTS).is_file():
        raise CourseError(
            f"The run in {folder} has come to its end; nothing is left to resume. Train a new one: --out DIR"
        )
    moved = run if data is None else run.with_data(data)
    found = find_corpus(**moved.corpus, splits=TRAINED_ON)
    if moved != run:
        try:
            moved.create()
        except OSError as error:
            raise _cannot_be_written(folder, error, "Make room, and resume the run again.") from None
    there = (folder / CHECKPOINT).is_file()
    out.print(
        "Continuing from the last checkpoint." if there else "No checkpoint was saved yet, so training starts again."
    )
    _learn(moved, found, there, device)


def _learn(run: Any, found: Any, resume: bool, device: str) -> None:
    from course_lib.real_text.training import learn

    try:
        history = learn(run, found, resume, _say, device)
    except KeyboardInterrupt:
        out.print(f"\nInterrupted. To continue: course train --out {run.folder} --resume")
        raise typer.Exit(130) from None
    except OSError as error:
        raise _cannot_be_written(
            run.folder, error, f"Make room, and go on with the run: course train --out {run.folder} --resume"
        ) from None
    spent = history.seconds[-1] / 60 if history.steps else 0.0
    out.print(f"{history.steps:,} steps in {spent:.1f} CPU minutes. Now: course translate {run.folder}")


def _cannot_be_written(folder: Path, error: OSError, advice: str) -> CourseError:
    return CourseError(f"{folder} cannot be written to: {error.strerror or error}. {advice}")


def _say(text: str) -> None:
    """Print a line in place of the progress bar, which comes back below it."""
    from course_lib.training.progress import clear_bar

    clear_bar()
    out.print(text)
