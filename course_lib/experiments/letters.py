"""Lesson 02: copying and reversing letters, translations in which the only thing to learn is where to look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series
from course_lib.training import one_thread, rise_and_fall, train

Task = Literal["copy", "reverse"]

#: the width of the model; ids below 4 are not letters
WIDTH, VOCABULARY, BOS, EOS = 64, 24, 1, 2
#: the longest word in training, and the lengths to test
LONGEST, LENGTHS = 12, (2, 4, 6, 8, 10, 12, 14, 16)
STEPS, BATCH_SIZE, LEARNING_RATE, WORDS = 400, 64, 5e-3, 200


def draw(task: Task, count: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Generate random words of one length, (B, S), and their targets, (B, S)."""
    source = torch.randint(4, VOCABULARY, (count, length), generator=generator)  # (B, S)
    return source, source.flip(1) if task == "reverse" else source


def learn(translator: Callable[[int, int], nn.Module], task: Task, seed: int, progress: bool = False) -> nn.Module:
    """Train a translator on words of 2 to 12 letters, generated afresh for each step.

    Args:
        translator: ``(source_size, target_size) -> nn.Module``, called with words and with what is written so far.
        task: to copy a word, or to write it backwards.
        seed: for the weights and the words.
        progress: whether to show a bar.
    """
    generator = torch.Generator().manual_seed(seed)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            length = int(torch.randint(2, LONGEST + 1, (1,), generator=generator))
            yield draw(task, BATCH_SIZE, length, generator)

    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model = translator(VOCABULARY, VOCABULARY)

        def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
            source, target = batch
            logits = model(source, F.pad(target, (1, 0), value=BOS))  # (B, T + 1, V)
            return F.cross_entropy(logits.transpose(1, 2), F.pad(target, (0, 1), value=EOS))

        train(
            loss,
            batches(),
            torch.optim.Adam(model.parameters(), lr=LEARNING_RATE),
            steps=STEPS,
            schedule=rise_and_fall,
            clip=lambda: nn.utils.clip_grad_norm_(model.parameters(), 1.0),
            progress=progress,
        )
    return model.eval()


def by_length(model: nn.Module, task: Task, seed: int) -> Series:
    """Measure the share of words that are right to the last letter, by length.

    Returns:
        ``length`` and ``exact_match``; for a model with attention also ``aligned``, the share of letters for which the
        largest weight is on the source letter they come from.
    """
    generator = torch.Generator().manual_seed(10_000 + seed)
    right, aligned = [], []
    for length in LENGTHS:
        source, target = draw(task, WORDS, length, generator)  # (B, S) each
        with one_thread():
            found = model.translate(source, BOS, EOS, length + 2)  # type: ignore[operator]
        found = F.pad(found, (0, length + 2 - found.size(1)), value=EOS)  # (B, S + 2)
        wanted = F.pad(target, (0, 2), value=EOS)  # (B, S + 2)
        right.append((found == wanted).all(dim=1).double().mean().item())
        if hasattr(model, "weights"):
            weights = model.weights(source, F.pad(target[:, :-1], (1, 0), value=BOS))  # type: ignore[operator]  # (B, T, S)
            looked = weights.argmax(dim=-1)  # (B, T)
            gold = torch.arange(length) if task == "copy" else torch.arange(length).flip(0)  # (T,)
            aligned.append((looked == gold).double().mean().item())
    series = {"length": [float(length) for length in LENGTHS], "exact_match": right}
    return {**series, "aligned": aligned} if aligned else series


def run(translator: Callable[[int, int], nn.Module], task: Task, seed: int) -> Series:
    """Train, then test by length."""
    return by_length(learn(translator, task, seed), task, seed)
