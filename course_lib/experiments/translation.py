"""Training any translator on the course's corpus, and what is measured of one: recurrent or Transformer."""

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
#: the longest gradient
LONGEST_GRADIENT = 1.0
#: sentences of a split to be translated, and words a translation may have at most
SENTENCES, MAX_LENGTH = 2000, 30
#: the seeds of runs whose results are reported
REPORTED_SEEDS = range(10)
#: sentences of at most so many tokens, the end mark included, are short
SHORT = 5


@dataclass(frozen=True)
class Parts:
    """What is trained, and with what.

    Attributes:
        translator: ``(source_size, target_size) -> nn.Module`` for vocabularies of these sizes. Called with
            ``(source (B, S), inputs (B, T))`` it gives logits (B, T, V); its ``translate(source, bos_id, eos_id,
            max_length)`` gives translations (B, T), its ``weights(source, inputs)`` where it looks, (B, T, S).
        loss: ``(logits, targets, pad_id) -> scalar``, as `teacher_forced_loss` or `label_smoothed_loss`.
        clip: ``(parameters, max_norm)``, as `clip_gradients`.
        vocabulary: a class made of sentences, as `Vocabulary`.
        learning_rate: the highest, of Adam.
        steps: how many to train for.
        count: how many sentence pairs to train on.
        batch_size: sentence pairs to a batch; or places of targets, where ``in_tokens``, as in `TranslationBatches`.
        rise: the share of the steps in which the learning rate rises; then it falls.
        betas: of Adam.
        weight_decay: how fast weights shrink, as a share of the learning rate (Loshchilov & Hutter 2019).
        in_tokens: what ``batch_size`` counts.
        fast: whether products may be in bfloat16, where the processor has it.
        joined: the share of sentences that are joined with those after them, as `course_lib.corpus.joined` does.
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
    count: int | None = None,
    progress: bool = False,
) -> tuple[nn.Module, History]:
    """Train a translator, and return it with its history.

    Args:
        parts: what is trained.
        seed: of the weights, of the sentences and of their order.
        seconds: CPU time after which to stop earlier.
        steps: instead of those of ``parts``.
        count: of pairs to train on, instead of that of ``parts``.
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
    """What a trained translator makes of English sentences, given and returned as lists of tokens."""
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


#: how many sentences settings are chosen by
CHOSEN_BY = 1000


@cache
def development(count: int = CHOSEN_BY) -> tuple[Pair, ...]:
    """The sentences to choose settings by: held out from training, and none of them among those that are reported."""
    reported = {pair.source for seed in REPORTED_SEEDS for pair in pairs("held_out", 10_000 + seed, SENTENCES)}
    unreported = (pair for pair in generate(30_000, "held_out") if pair.source not in reported)
    return tuple(islice(unreported, count))


def on_development(parts: Parts, seed: int) -> float:
    """Train, and give the share of `development` whose translation is right to the last word."""
    model, _ = learn(parts, seed)
    chosen = development()
    found = translate(parts, model, [pair.source for pair in chosen])
    return sum(tuple(mine) == pair.target for mine, pair in zip(found, chosen, strict=True)) / len(chosen)


#: the splits that nothing was learned from
TESTED: tuple[Split, ...] = ("held_out", "held_out_combinations", "longer", "longer_and_deeper")
#: sentences of each split, and words a translation may have there at most
SENTENCES_OF_EACH, LONGEST_TESTED = 500, 40


def scores_by_split(
    parts: Parts, model: nn.Module, bleu: Callable[..., float], seed: int, sentences: int = SENTENCES_OF_EACH
) -> Series:
    """What a trained translator scores on sentences of each split of `TESTED`.

    Returns:
        ``place`` of the split, and by split ``bleu`` and ``exact_match``, in percent.
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
    """What share of sentences would be right if each were right as often as held-out sentences of its length.

    Args:
        by_length: what was recorded of `exact_match`; its middle counts.
    """
    right = dict(zip(by_length["length"].median, by_length["exact_match"].median, strict=True))
    return sum(right[len(pair.source)] for pair in sentences) / len(sentences)


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
