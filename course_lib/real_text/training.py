"""Training a translator on real text: the course's Transformer and training loop, with the tricks of real systems."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components.decoder_mask import decoder_mask
from course_lib.course import CourseError
from course_lib.processors import usable_processors
from course_lib.real_text.corpora import FILES, Corpus, Split, TextPair, aligned, multi30k, table
from course_lib.real_text.faster import quicken
from course_lib.real_text.merge_dropout import MergeDropout
from course_lib.real_text.muon import Muon
from course_lib.real_text.run import CHECKPOINT, CURVE, Run
from course_lib.real_text.settings import Settings
from course_lib.real_text.subwords import Subwords
from course_lib.replacing import replacing
from course_lib.training import (
    Checkpoint,
    CheckpointError,
    History,
    NonFiniteLossError,
    fast_precision,
    rise_and_fall,
    train,
)

#: receives the messages shown during training
Say = Callable[[str], object]
#: CPU seconds between checkpoints, and between translations of the sample sentence, approximately
_SAVE_EVERY, _SHOW_EVERY = 30.0, 60.0
#: the label of a row that must not be scored
_NO_LABEL = -100


#: the splits that training reads; the test set is for `course evaluate`
TRAINED_ON: tuple[Split, ...] = ("train", "valid")


def find_corpus(kind: str, splits: Iterable[Split] = FILES, **where: Any) -> Corpus:
    """Load the sentence pairs from the source that a run recorded.

    Args:
        kind: ``multi30k``, ``files`` or ``table``.
        splits: the splits to load; no Multi30k file of another split is read.
        where: the other entries of `Run.corpus`.
    """
    source, target = where["languages"]
    if kind == "multi30k":
        folder = where.get("folder")
        return multi30k(Path(folder) if folder else None, source, target, splits)
    if kind == "files":
        return aligned(Path(where["source"]), Path(where["target"]), (source, target))
    return table(Path(where["path"]), tuple(where["columns"]), (source, target))


class SubwordBatches:
    """Endless batches of sentence pairs, the same in every iteration.

    Every epoch shows each pair once, with pairs of similar length together, in batches of about the same number of
    positions. With BPE-dropout, each epoch cuts the words differently. Lengths are rounded up to a multiple of 4,
    because a processor's library prepares a product for each new shape, so training with few shapes is faster.

    Args:
        pairs: the sentences.
        subwords: encodes them.
        settings: provide the number of positions per batch, and the seed.
    """

    def __init__(self, pairs: Sequence[TextPair], subwords: Subwords, settings: Settings) -> None:
        self.pairs, self.subwords, self.settings = pairs, subwords, settings

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield source (B, S) without marks at its ends, and target (B, T + 1) with them, padded."""
        random, dropped = Random(self.settings.seed), self.settings.merges_dropped
        encode = MergeDropout(self.subwords, dropped, Random(self.settings.seed)).encode if dropped else None
        rows = self._rows(self.subwords.encode)
        while True:
            if encode is not None:
                rows = self._rows(encode)
            lengths = [_rounded(max(len(source), len(target) - 1)) for source, target in rows]
            order = list(range(len(rows)))
            random.shuffle(order)
            order.sort(key=lambda i: (lengths[i], len(rows[i][0]) + 3 * random.random()))
            batches: list[list[int]] = [[]]
            for i in order:  # the longest pair of a batch comes last
                if batches[-1] and len(batches[-1]) >= self.settings.tokens // lengths[i]:
                    batches.append([])
                batches[-1].append(i)
            random.shuffle(batches)
            for batch in batches:
                yield self._padded([rows[i][0] for i in batch], 0), self._padded([rows[i][1] for i in batch], 1)

    def _padded(self, rows: Sequence[list[int]], more: int) -> Tensor:
        """Pad to (B, L + more), with L a multiple of 4."""
        length = _rounded(max(map(len, rows)) - more) + more
        pad = self.subwords.pad_id
        return torch.tensor([row + [pad] * (length - len(row)) for row in rows])

    def _rows(self, encode: Callable[[str], list[int]]) -> list[tuple[list[int], list[int]]]:
        return [(encode(source)[1:-1], encode(target)) for source, target in self.pairs]


def _rounded(length: int) -> int:
    """Round up to a multiple of 4."""
    return max(4, -(-length // 4) * 4)


class Averaged(nn.Module):
    """A network, and the mean of its weights over the last steps, which translates better than any single one.

    Args:
        network: the network to train.
        kept: how much of the mean is kept when new weights come in; less at first.

    Source: Polyak & Juditsky 1992; the moving average is that of Tan & Le 2019 and others.
    """

    def __init__(self, network: nn.Module, kept: float) -> None:
        super().__init__()
        self.network, self.kept = network, kept
        self.average = deepcopy(network).requires_grad_(False)

    @torch.no_grad()
    def take_in(self, step: int) -> None:
        """Update the mean with the current weights, after ``step`` steps."""
        kept = min(self.kept, step / (step + 9))
        means, weights = ([w.detach() for w in side.parameters()] for side in (self.average, self.network))
        torch._foreach_lerp_(means, weights, 1 - kept)


def loss_of(network: Any, source: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """Return the smoothed cross-entropy of real tokens; padding positions are not even scored.

    Args:
        network: a `Transformer`.
        source: (B, S), padded.
        target: (B, T + 1), with its beginning and end, padded.

    Returns:
        A scalar, in nats per token.
    """
    inputs, labels = target[:, :-1], target[:, 1:]  # (B, T) each
    real = labels != network.pad_id  # (B, T)
    memory, memory_mask = network.encode(source)
    mask = decoder_mask(inputs, network.pad_id).unsqueeze(1)  # (B, 1, T, T)
    decoded = network.decoder(network.target_embedding(inputs), memory, mask, memory_mask)  # (B, T, D)
    scored = F.pad(decoded[real], (0, 0, 0, -int(real.sum()) % 64))  # (N, D), N rounded up: few shapes, as in batches
    logits = F.linear(scored, network.target_embedding.token_embedding.weight)  # (N, V)
    labels = F.pad(labels[real], (0, len(scored) - int(real.sum())), value=_NO_LABEL)
    return F.cross_entropy(logits.float(), labels, ignore_index=_NO_LABEL, label_smoothing=smoothing)


def prepare(corpus: Corpus, kind: dict[str, Any], settings: Settings, folder: Path) -> Run:
    """Learn a corpus's subwords, choose the number of threads and create a run.

    Threads are measured only if the settings leave them open. The folder is created last, when everything else worked.

    Raises:
        CourseError: no subwords can be learned from the text, or no pair is short enough.
        OSError: the folder cannot be written to.
    """
    lines = (text for pair in corpus.splits["train"] for text in pair)
    try:
        subwords = Subwords.learn(lines, settings.vocabulary)
    except ValueError as error:
        raise CourseError(str(error)) from None
    run = Run(folder, settings, corpus.languages, kind, subwords)
    pairs, _ = short_enough(run, corpus.splits["train"])
    if not settings.threads:
        run = replace(run, settings=replace(settings, threads=best_threads(run, pairs, usable_processors())))
    run.create()
    return run


def short_enough(run: Run, pairs: Sequence[TextPair]) -> tuple[list[TextPair], str]:
    """Return the pairs that fit into the network's positions, and a text about what was left out."""
    most, kept, long = run.settings.max_length, [], []
    for number, pair in enumerate(pairs, start=1):
        if max(len(run.subwords.encode(text)) for text in pair) <= most:
            kept.append(pair)
        else:
            long.append(number)
    if not kept:
        raise CourseError(
            f"All {len(pairs):,} sentence pairs have more than {most} subwords: nothing is left to train on."
        )
    if not long:
        return kept, ""
    first = f"the first of them is number {long[0]:,}"
    return kept, f"{len(long):,} of {len(pairs):,} pairs have more than {most} subwords and are left out; {first}"


def learn(run: Run, corpus: Corpus, resume: bool, say: Say, device: str = "cpu") -> History:
    """Train a run's network until its budget is used, and keep the averaged weights.

    Args:
        resume: whether to continue from the last checkpoint. If the budget is in steps, the final weights are the
            same, bit for bit, as without the interruption.
        say: receives what a person wants to see now and then.

    Raises:
        CourseError: there is no checkpoint to continue from, it is damaged, or the loss became NaN or infinite.
        OSError: the folder cannot be written to.
    """
    s = run.settings
    pairs, left_out = short_enough(run, corpus.splits["train"])
    for sentence in filter(None, (corpus.left_out, left_out)):
        say(sentence[0].upper() + sentence[1:] + ".")
    torch.set_num_threads(s.threads)
    torch.manual_seed(s.seed)
    model = Averaged(quicken(run.network()), s.average).to(device)
    optimizer = Muon(model.network, s.rate, s.matrix_rate, s.d_model // s.num_heads)
    batches = SubwordBatches(pairs, run.subwords, s)
    narrator = _Narrator(run, model, corpus, say, s, device)
    checkpoint = Checkpoint(run.folder / CHECKPOINT, model, every=_steps_in(_SAVE_EVERY, s))

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        narrator.tokens += int((batch[1][:, 1:] != run.subwords.pad_id).sum())
        with _precision(s, device):
            return loss_of(model.network, batch[0].to(device), batch[1].to(device), s.smoothing)

    try:
        history = train(
            loss,
            batches,
            optimizer,
            seconds=None if s.seconds is None else s.seconds * s.threads,
            steps=s.steps,
            schedule=lambda share: rise_and_fall(share, s.rise),
            clip=lambda: nn.utils.clip_grad_norm_(model.network.parameters(), 1.0),
            after=narrator.after,
            checkpoint=checkpoint,
            resume=resume,
        )
    except CheckpointError as error:
        raise CourseError(
            f"{error.problem} Delete it, and train from the start with the same settings: course train --out "
            f"{run.folder} --resume"
        ) from None
    except NonFiniteLossError as error:
        there = (run.folder / CHECKPOINT).is_file()
        raise CourseError(
            f"{error} Train another run, with another --seed or with --precision float32"
            + ("; this one still translates with its last checkpoint." if there else ".")
        ) from None
    draw_curve(history, run.folder / CURVE)
    run.save(model.average)  # last, because a run with weights is finished
    return history


def _precision(settings: Settings, device: str = "cpu") -> AbstractContextManager[object]:
    """Return a context for a forward pass, in the precision that the settings ask for."""
    if settings.precision == "float32":
        return nullcontext()
    return fast_precision() if device == "cpu" else torch.autocast(device, torch.bfloat16)


def _steps_in(seconds: float, settings: Settings) -> int:
    """Estimate the number of steps in some seconds: a step of 1,024 positions takes a quarter of a second."""
    return max(10, round(seconds * 4 * 1024 / settings.tokens))


class _Narrator:
    """Reports during training: tokens per second, the remaining time, and one sentence, translated repeatedly."""

    def __init__(self, run: Run, model: Averaged, corpus: Corpus, say: Say, settings: Settings, device: str) -> None:
        self.run, self.model, self.say, self.settings, self.device = run, model, say, settings, device
        self.tokens, self.shown = 0, 0.0
        self.began: float | None = None
        samples = corpus.splits.get("valid") or corpus.splits["train"]
        self.sample = samples[0]

    def after(self, history: History) -> str:
        """Update the mean with the new weights, and return the text to show after the loss."""
        self.model.take_in(history.steps)
        used = history.seconds[-1]
        if self.began is None:
            self.began, self.tokens = used, 0
            self.say(f"sample: {self.sample[0]}\n right: {self.sample[1]}")
        speed = self.tokens / max(used - self.began, 1e-9) * self.settings.threads
        pace = f" · {speed:,.0f} tokens/s{self._left(history)}"
        if used - self.shown >= _SHOW_EVERY:
            self.shown = used
            minutes = used / 60 / self.settings.threads
            self.say(f"{minutes:5.1f} min · loss {self._recent(history):.2f}{pace}: {self._translated()}")
        return pace

    @staticmethod
    def _recent(history: History) -> float:
        last = history.losses[-50:]
        return sum(last) / len(last)

    def _left(self, history: History) -> str:
        s, used = self.settings, history.seconds[-1]
        if s.seconds is not None:
            left = s.seconds - used / s.threads
        else:
            left = (used / history.steps) * ((s.steps or 0) - history.steps) / s.threads
        return f" · {left / 60:.0f} min left" if left >= 60 else f" · {max(left, 0):.0f} s left"

    def _translated(self) -> str:
        from course_lib.real_text.translating import translate_lines

        network = self.model.average
        return translate_lines(network.eval(), self.run, [self.sample[0]], width=1, device=self.device)[0].text


def draw_curve(history: History, path: Path) -> None:
    """Plot the loss of a training run over its CPU minutes, with the final loss in the title."""
    from matplotlib.figure import Figure  # imported only if needed

    averaged = history.averaged(100)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([second / 60 for second in averaged["seconds"]], averaged["loss"], color="#0072B2")
    axes.set_xlabel("CPU minutes")
    axes.set_ylabel("loss of a token (nats, with smoothed labels)")
    axes.grid(axis="y", color="#DDDDDD")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"The loss fell from {averaged['loss'][0]:.1f} to {averaged['loss'][-1]:.2f}", loc="left")
    with replacing(path) as part:
        figure.savefig(part, format="svg")


def best_threads(run: Run, pairs: Sequence[TextPair], most: int) -> int:
    """Return the number of threads that trains fastest by the clock, measured on a few steps each.

    If a second thread saves less than a fifth, use one: other programs need the others.

    Args:
        run: provides the network and the batches.
        pairs: pairs that are `short_enough`.
        most: the largest number to measure.
    """
    s = run.settings
    network = quicken(run.network())
    batches = iter(SubwordBatches(pairs[:2000], run.subwords, s))
    taken: dict[int, float] = {}
    few = [next(batches) for _ in range(3)]
    for threads in range(1, most + 1):
        torch.set_num_threads(threads)
        for repeat in range(2):  # the first time warms up
            start = time.perf_counter()
            for source, target in few:
                with _precision(s):
                    value: Any = loss_of(network, source, target, s.smoothing)
                value.backward()
            if repeat:
                taken[threads] = time.perf_counter() - start
    best = min(taken, key=lambda n: taken[n])
    return best if taken[best] < 0.8 * taken[1] else 1
