"""The verbs that use a run: translate lines of text, and score translations."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from course_lib.course import CourseError
from course_lib.replacing import replacing

out = Console(highlight=False, soft_wrap=True, markup=False)
told = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder that course train wrote.")]
Beam = Annotated[int, typer.Option(help="The number of hypotheses; 1 is greedy decoding.", min=1, max=100)]
Penalty = Annotated[
    float, typer.Option("--length-penalty", help="The exponent of the length penalty; 0 for no penalty.")
]


def translate(
    run: RunFolder,
    file: Annotated[
        Path | None, typer.Argument(help="Text, one sentence per line. Without it: standard input.", show_default=False)
    ] = None,
    beam: Beam = 5,
    alpha: Penalty = 1.0,
    alignments: Annotated[
        Path | None,
        typer.Option(help="Also write a page that shows where the cross-attention looked.", show_default=False),
    ] = None,
    device: Annotated[str, typer.Option(help="[bold]auto[/], [bold]cpu[/] or [bold]cuda[/].")] = "auto",
) -> None:
    """Translate text with a trained run, line by line.

    Lines are translated in batches, by beam search. An empty line stays empty. A line that is too long for the network
    is left empty, with a message on standard error, and the others are translated. In a terminal, each line is
    translated when you press Enter.

    Example: echo "A dog runs." | course translate my-run
    """
    trained = _open(run)
    from course_lib.real_text.devices import device_named
    from course_lib.real_text.translating import translate_lines

    where = device_named(device)
    network = trained.trained(where)
    translated: list[tuple[str, Any]] = []
    for lines in _typed() if file is None and sys.stdin.isatty() else [_lines(file)]:
        found = translate_lines(network, trained, lines, beam, alpha, where)
        for number, one in enumerate(found, start=len(translated) + 1):
            if one.too_long:
                told.print(
                    f"course: line {number} has {one.too_long:,} subwords more than the {trained.settings.max_length} "
                    "that the network has positions for, and is left empty. Split it into sentences."
                )
        _write_lines([one.text for one in found])
        translated += zip(lines, found, strict=True)
    if alignments is not None:
        from course_lib.real_text.alignments import page

        _write_page(alignments, page(network, trained, [(line, one) for line, one in translated if one.ids], where))


def evaluate(
    run: RunFolder,
    split: Annotated[str, typer.Option(help="[bold]valid[/] or [bold]test[/].")] = "test",
    data: Annotated[
        Path | None, typer.Option(help="The folder with Multi30k's files, if you have moved it since training.")
    ] = None,
    beam: Beam = 5,
    alpha: Penalty = 1.0,
    device: Annotated[str, typer.Option(help="[bold]auto[/], [bold]cpu[/] or [bold]cuda[/].")] = "auto",
) -> None:
    """Score a run on sentences that it was not trained on: BLEU and chrF, with their signatures.

    You can compare the last line with papers on Multi30k, which report BLEU on lower-cased, tokenised text. Choose
    your settings on the validation set ([bold]--split valid[/]), and evaluate on the test set once, at the end.

    Example: course evaluate my-run
    """
    if split not in ("valid", "test"):
        raise CourseError(f"Unknown split {split!r}: --split takes valid or test.")
    trained = _open(run)
    from course_lib.real_text.devices import device_named
    from course_lib.real_text.evaluating import evaluate as score
    from course_lib.real_text.training import find_corpus
    from course_lib.real_text.translating import translate_lines
    from course_lib.training.progress import ProgressBar

    if data is not None:
        trained = trained.with_data(data)
    corpus = find_corpus(**trained.corpus, splits=[split])  # type: ignore[list-item]
    pairs = corpus.splits[split]  # type: ignore[index]
    if not pairs:
        raise CourseError(
            f"{corpus.name} is too small, or its sentences share too many translations, to hold any out for {split}: "
            "there are none to score."
        )
    where = device_named(device)
    lines = [source for source, _ in pairs]
    with ProgressBar() as bar:
        ready = 0

        def more(count: int) -> None:
            nonlocal ready
            ready += count
            bar.show(ready / len(lines), f"{ready:,} of {len(lines):,} sentences")

        found = translate_lines(trained.trained(where), trained, lines, beam, alpha, where, more)
    scores = score([one.text for one in found], [target for _, target in pairs])
    out.print(f"{corpus.name}, {split}: {len(pairs):,} sentences, beam {beam}, length penalty {alpha:g}")
    for name, value, signature in zip(
        ("BLEU", "tokenised lower-case BLEU", "chrF"),
        (scores.bleu, scores.lower_case, scores.chrf),
        scores.signatures,
        strict=True,
    ):
        out.print(f"{name} {value:.1f}   ({signature})")
    out.print(f"tokenised lower-case BLEU {scores.lower_case:.1f}")


def _open(folder: Path) -> Any:
    from course_lib.translator.real_text import there_is_real_text

    there_is_real_text()
    from course_lib.real_text.run import Run

    return Run.open(folder)


def _lines(file: Path | None) -> list[str]:
    """Return the lines of a file or of standard input; none if it is empty."""
    name = str(file) if file else "standard input"
    try:
        raw = file.read_bytes() if file else sys.stdin.buffer.read()
    except OSError as error:
        raise CourseError(f"{name} cannot be read: {error.strerror or error}.") from None
    return _decoded(raw, name)


def _typed() -> Iterator[list[str]]:
    """Each line by itself, as soon as it is typed."""
    keys = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
    told.print(f"Type a sentence and press Enter; {keys} on a line of its own ends.")
    for raw in sys.stdin.buffer:
        yield _decoded(raw, "standard input")


def _decoded(raw: bytes, name: str) -> list[str]:
    """The lines of a text; what ends one is a line feed, and nothing else that Unicode counts among line breaks."""
    try:
        lines = [line.rstrip("\r") for line in raw.decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{name}, line {line}, is not UTF-8 ({error.reason}). Convert it: iconv -t UTF-8") from None
    return lines if lines[-1] else lines[:-1]


def _write_lines(lines: list[str]) -> None:
    try:
        text = "".join(f"{line}\n" for line in lines)
        if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():  # a file of it is UTF-8 everywhere
            sys.stdout.buffer.write(text.encode())
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        with suppress(OSError):
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _write_page(path: Path, text: str) -> None:
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror or error}. Choose another place.") from None
