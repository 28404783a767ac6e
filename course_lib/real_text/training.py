"""Training a translator on real text: the course's Transformer and training loop, with the habits of real systems."""

from __future__ import annotations

import os
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
from course_lib.training import (
    Checkpoint,
    CheckpointError,
    History,
    NonFiniteLossError,
    fast_precision,
    rise_and_fall,
    train,
)

#: said during training
Say = Callable[[str], object]
#: CPU seconds between two checkpoints, and between two translations of the sample sentence, about
_SAVE_EVERY, _SHOW_EVERY = 30.0, 60.0
#: the label of a row that is not to be scored
_NO_LABEL = -100


#: the splits that training reads; the test is for `course evaluate`
TRAINED_ON: tuple[Split, ...] = ("train", "valid")


def find_corpus(kind: str, splits: Iterable[Split] = FILES, **where: Any) -> Corpus:
    """The sentence pairs, found in the way that a run remembers.

    Args:
        kind: ``multi30k``, ``files`` or ``table``.
        splits: which are needed; of others, no file of Multi30k is read.
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
    """Batches of sentence pairs without end, the same each time they are gone through.

    Every round shows every pair once, pairs of like length together, in batches of about as many positions. With
    BPE-dropout, each round cuts the words anew. Lengths are rounded up to a multiple of 4: a processor's library
    prepares a product for each shape that it meets, so that few shapes train faster than many.

    Args:
        pairs: the sentences.
        subwords: what cuts them.
        settings: how many positions a batch has, and the seed.
    """

    def __init__(self, pairs: Sequence[TextPair], subwords: Subwords, settings: Settings) -> None:
        self.pairs, self.subwords, self.settings = pairs, subwords, settings

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Source (B, S) without marks at its ends, and target (B, T + 1) with them, padded."""
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
            for i in order:  # the longest of a batch is the last
                if batches[-1] and len(batches[-1]) >= self.settings.tokens // lengths[i]:
                    batches.append([])
                batches[-1].append(i)
            random.shuffle(batches)
            for batch in batches:
                yield self._padded([rows[i][0] for i in batch], 0), self._padded([rows[i][1] for i in batch], 1)

    def _padded(self, rows: Sequence[list[int]], more: int) -> Tensor:
        """(B, L + more), with L a multiple of 4."""
        length = _rounded(max(map(len, rows)) - more) + more
        pad = self.subwords.pad_id
        return torch.tensor([row + [pad] * (length - len(row)) for row in rows])

    def _rows(self, encode: Callable[[str], list[int]]) -> list[tuple[list[int], list[int]]]:
        return [(encode(source)[1:-1], encode(target)) for source, target in self.pairs]


def _rounded(length: int) -> int:
    """Up to a multiple of 4."""
    return max(4, -(-length // 4) * 4)


class Averaged(nn.Module):
    """A network, and the mean of its weights over the last steps, which translates better than any of them.

    Args:
        network: what is trained.
        kept: how much of the mean is kept when the next weights come in; less at first.

    Source: Polyak & Juditsky 1992; the moving average is that of Tan & Le 2019 and others.
    """

    def __init__(self, network: nn.Module, kept: float) -> None:
        super().__init__()
        self.network, self.kept = network, kept
        self.average = deepcopy(network).requires_grad_(False)

    @torch.no_grad()
    def take_in(self, step: int) -> None:
        """Let the weights of now, after so many steps, into the mean."""
        kept = min(self.kept, step / (step + 9))
        means, weights = ([w.detach() for w in side.parameters()] for side in (self.average, self.network))
        torch._foreach_lerp_(means, weights, 1 - kept)


def loss_of(network: Any, source: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """The smoothed cross-entropy of real tokens; positions of padding are not even scored.

    Args:
        network: a `Transformer`.
        source: (B, S), padded.
        target: (B, T + 1), with its beginning and end, padded.

    Returns:
        A scalar, in nats a token.
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
    """Learn the subwords of a corpus, measure how many threads are worth it where the settings leave that open, and
    begin a run in a folder; the folder is made when all else has gone well.

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
    """The pairs that fit into the network's positions, and what was left out, in words."""
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
        resume: whether to go on from the last checkpoint. With steps for a budget, the weights at the end are the
            same, bit for bit, as without the interruption.
        say: is told what a person wants to see now and then.

    Raises:
        CourseError: there is no checkpoint to go on from, it is damaged, or the loss became no number.
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
    run.save(model.average)  # last: a run that has weights is at its end
    return history


def _precision(settings: Settings, device: str = "cpu") -> AbstractContextManager[object]:
    """A context for a forward pass, in the precision that the settings ask for."""
    if settings.precision == "float32":
        return nullcontext()
    return fast_precision() if device == "cpu" else torch.autocast(device, torch.bfloat16)


def _steps_in(seconds: float, settings: Settings) -> int:
    """About how many steps there are in so many seconds: a step of 1,024 positions takes a quarter of one."""
    return max(10, round(seconds * 4 * 1024 / settings.tokens))


class _Narrator:
    """What is shown during training: tokens a second, the time that is left, and one sentence, translated again."""

    def __init__(self, run: Run, model: Averaged, corpus: Corpus, say: Say, settings: Settings, device: str) -> None:
        self.run, self.model, self.say, self.settings, self.device = run, model, say, settings, device
        self.tokens, self.shown = 0, 0.0
        self.began: float | None = None
        samples = corpus.splits.get("valid") or corpus.splits["train"]
        self.sample = samples[0]

    def after(self, history: History) -> str:
        """Take the new weights into the mean; what to show behind the loss."""
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
    """Draw the loss of a training over its CPU minutes, titled with where it ended."""
    from matplotlib.figure import Figure  # only when something is drawn

    averaged = history.averaged(100)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([second / 60 for second in averaged["seconds"]], averaged["loss"], color="#0072B2")
    axes.set_xlabel("CPU minutes")
    axes.set_ylabel("loss of a token (nats, with smoothed labels)")
    axes.grid(axis="y", color="#DDDDDD")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"The loss fell from {averaged['loss'][0]:.1f} to {averaged['loss'][-1]:.2f}", loc="left")
    part = path.with_name(f"{path.name}.part")
    figure.savefig(part, format="svg")
    os.replace(part, path)


def best_threads(run: Run, pairs: Sequence[TextPair], most: int) -> int:
    """How many threads train fastest by the clock: each number is measured on a few steps.

    Where a second thread gains less than a fifth, one stays: the others are somebody else's.

    Args:
        run: of which network and batches are.
        pairs: that are `short_enough`.
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
