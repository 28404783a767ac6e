"""Lessons 01 and 02: recurrent translators on the course's corpus, without attention and with it.

How they were tuned, on seed 0. By the loss after 200 to 600 steps. With attention: words of the decoder times sqrt(D)
or not, read-out tied or not, widths 64 and 96, batches of 32 and 64, the encoder's words drawn with standard deviation
0.3 and 1. Without: the source read forwards and backwards, a forget bias of 0 and 1. What helped most: sqrt(D) for
both, and without attention to read the source backwards (loss 1.15 instead of 1.61 after 600 steps). A forget bias of
1 did about as much (1.22), and is left to lesson 01 to find. Then by the share that is right after about 65 CPU
seconds, learning rates of 0.0035, 0.005, 0.007 and 0.010, for both. With attention (3,200 steps): 94.4, 95.5, 95.5 and
93.6 %. Without (4,000 steps, and 4,600 at the lowest): 79.1, 77.9, 76.2 and 69.4 %. A rate that wins after 600 steps,
0.015, is far behind after 3,200.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.corpus import Pair, Split, english_vocabulary, french_vocabulary, generate
from course_lib.experiments.series import Interval, Series
from course_lib.training import Batch, History, TranslationBatches, fast_precision, one_thread, rise_and_fall, train

#: training steps of a translator with attention (additive, Luong's form), of one without, and of one that is given the
#: last state at every step: about the same CPU time. A number of steps, not of seconds: what is measured then does
#: not hang on how busy a machine is
STEPS, STEPS_WITHOUT_ATTENTION, STEPS_WITH_CONTEXT = 3200, 4800, 4300
#: the width of embeddings and states
WIDTH = 96
#: sentence pairs to train on, and to a batch
PAIRS, BATCH_SIZE = 60_000, 64
#: the highest learning rate, of Adam; and the longest gradient
LEARNING_RATE, LONGEST_GRADIENT = 5e-3, 1.0
#: held-out sentences to be translated, and words a translation may have at most
SENTENCES, MAX_LENGTH = 2000, 30
#: sentences of at most so many tokens, the end mark included, are short
SHORT = 5


@dataclass(frozen=True)
class Parts:
    """What is trained, and with what.

    Attributes:
        translator: ``(source_size, target_size) -> nn.Module``, a `RecurrentTranslator` or `AttentionalTranslator` for
            vocabularies of these sizes.
        loss: ``(logits, targets, pad_id) -> scalar``, as `teacher_forced_loss`.
        clip: ``(parameters, max_norm)``, as `clip_gradients`.
        vocabulary: a class made of sentences, as `Vocabulary`.
        learning_rate: the highest.
        steps: how many to train for.
    """

    translator: Callable[[int, int], nn.Module]
    loss: Callable[..., Tensor]
    clip: Callable[..., object]
    vocabulary: Callable[..., Any]
    learning_rate: float = LEARNING_RATE
    steps: int = STEPS


@cache
def vocabularies(vocabulary: Callable[..., Any]) -> tuple[Any, Any]:
    """The vocabularies of English and French: every word that the grammar can write."""
    return vocabulary([english_vocabulary()]), vocabulary([french_vocabulary()])


@cache
def pairs(split: Split, seed: int, count: int) -> tuple[Pair, ...]:
    """The first pairs of a split."""
    return tuple(islice(generate(seed, split), count))


def learn(
    parts: Parts,
    seed: int,
    seconds: float | None = None,
    steps: int | None = None,
    count: int = PAIRS,
    progress: bool = False,
) -> tuple[nn.Module, History]:
    """Train a translator, and return it with its history.

    Args:
        parts: what is trained.
        seed: of the weights, of the sentences and of their order.
        seconds: CPU time after which to stop earlier.
        steps: instead of those of ``parts``.
        count: how many pairs to train on.
        progress: whether to show a bar.
    """
    english, french = vocabularies(parts.vocabulary)
    batches = TranslationBatches(pairs("train", seed, count), english, french, BATCH_SIZE, seed)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model = parts.translator(len(english), len(french))
        optimizer = torch.optim.Adam(model.parameters(), lr=parts.learning_rate, fused=True)

        def loss(batch: Batch) -> Tensor:
            with fast_precision():
                logits = model(batch.source, batch.inputs)  # (B, T, V)
            return parts.loss(logits.float(), batch.targets, french.pad_id)

        history = train(
            loss,
            batches,
            optimizer,
            seconds=seconds,
            steps=steps or parts.steps,
            schedule=rise_and_fall,
            clip=lambda: parts.clip(model.parameters(), LONGEST_GRADIENT),
            progress=progress,
        )
    return model.eval(), history


def translate(parts: Parts, model: nn.Module, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """What a trained translator makes of English sentences, given and returned as lists of tokens."""
    english, french = vocabularies(parts.vocabulary)
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    found: list[list[str]] = [[] for _ in sentences]
    with one_thread():
        for start in range(0, len(order), 256):
            chosen = order[start : start + 256]
            ids = [english.encode(sentences[i])[1:-1] for i in chosen]
            source = torch.tensor([row + [english.pad_id] * (len(ids[-1]) - len(row)) for row in ids])  # (B, S)
            rows = model.translate(source, french.bos_id, french.eos_id, MAX_LENGTH)  # type: ignore[operator]
            for i, row in zip(chosen, rows.tolist(), strict=True):
                found[i] = french.decode(row)
    return found


def exact_match(parts: Parts, model: nn.Module, seed: int, sentences: int = SENTENCES) -> Series:
    """The share of held-out sentences whose translation is right to the last word.

    Returns:
        ``length``, the number of English tokens, end mark included, and by length ``exact_match``; ``overall`` and
        ``short``, one number each: of all the sentences, and of those of at most five tokens.
    """
    held_out = pairs("held_out", 10_000 + seed, sentences)
    found = translate(parts, model, [pair.source for pair in held_out])
    right = [tuple(mine) == pair.target for mine, pair in zip(found, held_out, strict=True)]
    of_length = [len(pair.source) for pair in held_out]
    lengths = range(3, 15)

    def share(shortest: int, longest: int) -> float:
        chosen = [r for r, length in zip(right, of_length, strict=True) if shortest <= length <= longest]
        return sum(chosen) / max(1, len(chosen))

    return {
        "length": [float(length) for length in lengths],
        "exact_match": [share(length, length) for length in lengths],
        "overall": [share(3, 14)],
        "short": [share(3, SHORT)],
    }


def alignments(parts: Parts, model: nn.Module, chosen: Sequence[Pair]) -> list[Tensor]:
    """Where the translator looks while it is told a reference translation: (T, S) for each pair.

    Row t belongs to word t of the target, column i to word i of the source.
    """
    english, french = vocabularies(parts.vocabulary)
    found = []
    for pair in chosen:
        source = torch.tensor([english.encode(pair.source)[1:-1]])  # (1, S)
        inputs = torch.tensor([french.encode(pair.target)[:-2]])  # (1, T)
        found.append(model.weights(source, inputs)[0])  # type: ignore[operator]
    return found


def agreement(parts: Parts, model: nn.Module, seed: int, sentences: int = 500) -> Series:
    """The share of target words that look most at a word they are aligned with, and what the diagonal reaches.

    Attention was never shown an alignment. Words that no source word stands for are not counted. On the diagonal, word
    t of T looks at word i of S where i/S is nearest to t/T.
    """
    chosen = pairs("held_out", 20_000 + seed, sentences)
    looked = diagonal = words = 0
    for pair, weights in zip(chosen, alignments(parts, model, chosen), strict=True):
        gold = set(pair.alignment)
        of_source, of_target = len(pair.source), len(pair.target)
        for t in sorted({t for _, t in gold}):
            straight = min(round((t + 0.5) * of_source / of_target - 0.5), of_source - 1)
            looked += (int(weights[t].argmax()), t) in gold
            diagonal += (straight, t) in gold
            words += 1
    return {"words": [float(words)], "attention": [looked / words], "diagonal": [diagonal / words]}


def run(parts: Parts, seed: int) -> Series:
    """Train and translate: one translator's `exact_match`, and the CPU ``seconds`` of its training."""
    model, history = learn(parts, seed)
    return exact_match(parts, model, seed) | {"seconds": history.seconds[-1:]}


def run_with_attention(parts: Parts, seed: int) -> Series:
    """Train and translate: one translator's `exact_match`, CPU ``seconds`` of training, and `agreement`."""
    model, history = learn(parts, seed)
    return exact_match(parts, model, seed) | {"seconds": history.seconds[-1:]} | agreement(parts, model, seed)


def first_steps(parts: Parts, seed: int) -> Series:
    """The loss in the first 60 steps: short enough to be tried on every change of the course."""
    _, history = learn(parts, seed, steps=60, count=4000)
    averaged = history.averaged(points=6)
    return {"step": averaged["step"], "loss": averaged["loss"]}


def gap(higher: Interval, lower: Interval) -> list[tuple[float, float]]:
    """By how much one model is ahead of another at each point: at least, and at most, over the recorded seeds."""
    return [
        (a_low - b_high, a_high - b_low)
        for a_low, a_high, b_low, b_high in zip(higher.low, higher.high, lower.low, lower.high, strict=True)
    ]
