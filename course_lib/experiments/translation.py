"""Training any translator, recurrent or Transformer, on the course's corpus, and measuring it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.corpus import Pair, Split, english_vocabulary, french_vocabulary, generate, joined
from course_lib.experiments.series import Interval, Series
from course_lib.training import Batch, History, TranslationBatches, fast_precision, one_thread, rise_and_fall, train

#: sentence pairs to train on
PAIRS = 60_000
#: the largest gradient norm
LONGEST_GRADIENT = 1.0
#: sentences of a split to translate, and the most words in a translation
SENTENCES, MAX_LENGTH = 2000, 30
#: the seeds of the reported runs
REPORTED_SEEDS = range(10)
#: sentences with at most this many tokens, including the end mark, are short
SHORT = 5


@dataclass(frozen=True)
class Parts:
    """What is trained, and with what.

    Attributes:
        translator: ``(source_size, target_size) -> nn.Module`` for vocabularies of these sizes. Called with
            ``(source (B, S), inputs (B, T))`` it returns logits (B, T, V); its ``translate(source, bos_id, eos_id,
            max_length)`` returns translations (B, T), its ``weights(source, inputs)`` where it looks, (B, T, S).
        loss: ``(logits, targets, pad_id) -> scalar``, like `teacher_forced_loss` or `label_smoothed_loss`.
        clip: ``(parameters, max_norm)``, like `clip_gradients`.
        vocabulary: a class built from sentences, like `Vocabulary`.
        learning_rate: Adam's highest learning rate.
        steps: how many to train for.
        count: how many sentence pairs to train on.
        batch_size: sentence pairs per batch; with ``in_tokens``, target positions, as in `TranslationBatches`.
        rise: the share of the steps in which the learning rate rises; then it falls.
        betas: Adam's betas.
        weight_decay: how fast weights shrink, as a share of the learning rate (Loshchilov & Hutter 2019).
        in_tokens: whether ``batch_size`` counts tokens.
        fast: whether matrix products may use bfloat16 if the processor supports it.
        joined: the share of sentences to join with their successors, as `course_lib.corpus.joined` does.
    """

    translator: Callable[[int, int], nn.Module]
    loss: Callable[..., Tensor]
    clip: Callable[..., object]
    vocabulary: Callable[..., Any]
    learning_rate: float
    steps: int
    count: int = PAIRS
    batch_size: int = 64
    rise: float = 0.05
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.0
    in_tokens: bool = False
    fast: bool = True
    joined: float = 0.0


@cache
def vocabularies(vocabulary: Callable[..., Any]) -> tuple[Any, Any]:
    """Return the vocabularies of English and French: every word that the grammar can write."""
    return vocabulary([english_vocabulary()]), vocabulary([french_vocabulary()])


@cache
def pairs(split: Split, seed: int, count: int) -> tuple[Pair, ...]:
    """Return the first pairs of a split."""
    return tuple(islice(generate(seed, split), count))


def learn(
    parts: Parts,
    seed: int,
    seconds: float | None = None,
    steps: int | None = None,
    count: int | None = None,
    progress: bool = False,
) -> tuple[nn.Module, History]:
    """Train a translator, and return it with its history.

    Args:
        parts: the components to train.
        seed: for the weights, the sentences and their order.
        seconds: CPU time after which to stop early.
        steps: replaces that of ``parts``.
        count: replaces that of ``parts``.
        progress: whether to show a bar.
    """
    english, french = vocabularies(parts.vocabulary)
    sentences = pairs("train", seed, count or parts.count)
    if parts.joined:
        sentences = tuple(joined(sentences, parts.joined, seed))
    batches = TranslationBatches(sentences, english, french, parts.batch_size, seed, parts.in_tokens)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model = parts.translator(len(english), len(french))
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=parts.learning_rate, betas=parts.betas, weight_decay=parts.weight_decay, fused=True
        )

        def loss(batch: Batch) -> Tensor:
            with fast_precision() if parts.fast else nullcontext():
                logits = model(batch.source, batch.inputs)  # (B, T, V)
            return parts.loss(logits.float(), batch.targets, french.pad_id)

        history = train(
            loss,
            batches,
            optimizer,
            seconds=seconds,
            steps=steps or parts.steps,
            schedule=lambda share: rise_and_fall(share, parts.rise),
            clip=lambda: parts.clip(model.parameters(), LONGEST_GRADIENT),
            progress=progress,
        )
    return model.eval(), history


def translate(
    parts: Parts, model: nn.Module, sentences: Sequence[Sequence[str]], max_length: int = MAX_LENGTH
) -> list[list[str]]:
    """Translate English sentences with a trained translator, from lists of tokens to lists of tokens."""
    english, french = vocabularies(parts.vocabulary)
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    found: list[list[str]] = [[] for _ in sentences]
    with one_thread():
        for start in range(0, len(order), 256):
            chosen = order[start : start + 256]
            ids = [english.encode(sentences[i])[1:-1] for i in chosen]
            source = torch.tensor([row + [english.pad_id] * (len(ids[-1]) - len(row)) for row in ids])  # (B, S)
            rows = model.translate(source, french.bos_id, french.eos_id, max_length)  # type: ignore[operator]
            for i, row in zip(chosen, rows.tolist(), strict=True):
                found[i] = french.decode(row)
    return found


def exact_match(parts: Parts, model: nn.Module, seed: int, sentences: int = SENTENCES) -> Series:
    """Return the share of held-out sentences whose translation is right to the last word.

    Returns:
        ``length``, the number of English tokens including the end mark, and ``exact_match`` by length; ``overall`` and
        ``short``, one number each: for all sentences, and for those of at most five tokens.
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


#: how many sentences to choose settings with
CHOSEN_BY = 1000


@cache
def development(count: int = CHOSEN_BY) -> tuple[Pair, ...]:
    """Return sentences for choosing settings: held out from training, and different from those that are reported."""
    reported = {pair.source for seed in REPORTED_SEEDS for pair in pairs("held_out", 10_000 + seed, SENTENCES)}
    unreported = (pair for pair in generate(30_000, "held_out") if pair.source not in reported)
    return tuple(islice(unreported, count))


def on_development(parts: Parts, seed: int) -> float:
    """Train, and return the share of `development` whose translation is right to the last word."""
    model, _ = learn(parts, seed)
    chosen = development()
    found = translate(parts, model, [pair.source for pair in chosen])
    return sum(tuple(mine) == pair.target for mine, pair in zip(found, chosen, strict=True)) / len(chosen)


#: the splits that nothing was learned from
TESTED: tuple[Split, ...] = ("held_out", "held_out_combinations", "longer", "longer_and_deeper")
#: sentences of each split, and the most words in a translation there
SENTENCES_OF_EACH, LONGEST_TESTED = 500, 40


def scores_by_split(
    parts: Parts, model: nn.Module, bleu: Callable[..., float], seed: int, sentences: int = SENTENCES_OF_EACH
) -> Series:
    """Score a trained translator on sentences of each split of `TESTED`.

    Returns:
        ``place`` of the split, and ``bleu`` and ``exact_match`` by split, in percent.
    """
    series: Series = {"place": [], "bleu": [], "exact_match": []}
    for place, split in enumerate(TESTED):
        tried = pairs(split, 10_000 + seed, sentences)
        found = translate(parts, model, [pair.source for pair in tried], LONGEST_TESTED)
        right = [tuple(mine) == pair.target for mine, pair in zip(found, tried, strict=True)]
        series["place"].append(float(place))
        series["bleu"].append(bleu(found, [pair.target for pair in tried]))
        series["exact_match"].append(100 * sum(right) / len(right))
    return series


def at_their_lengths(by_length: Mapping[str, Interval], sentences: Sequence[Pair]) -> float:
    """Return the expected share of right sentences if each has the accuracy of held-out sentences of its length.

    Args:
        by_length: the recording of `exact_match`; only its middle is used.
    """
    right = dict(zip(by_length["length"].median, by_length["exact_match"].median, strict=True))
    return sum(right[len(pair.source)] for pair in sentences) / len(sentences)


def alignments(parts: Parts, model: nn.Module, chosen: Sequence[Pair]) -> list[Tensor]:
    """Return where the translator looks while it reads a reference translation: (T, S) for each pair.

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
    """Return the share of target words that look most at a word they are aligned with, and the diagonal's share.

    Attention was never trained on alignments. Words without an aligned source word are not counted. On the diagonal,
    word t of T looks at word i of S with i/S nearest to t/T.
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
    """Record the loss of the first 60 steps, which is quick enough to test on every change."""
    _, history = learn(parts, seed, steps=60, count=4000)
    averaged = history.averaged(points=6)
    return {"step": averaged["step"], "loss": averaged["loss"]}


def gap(higher: Interval, lower: Interval) -> list[tuple[float, float]]:
    """Return how far one model is ahead of another at each point: the least and the most over the recorded seeds."""
    return [
        (a_low - b_high, a_high - b_low)
        for a_low, a_high, b_low, b_high in zip(higher.low, higher.high, lower.low, lower.high, strict=True)
    ]
