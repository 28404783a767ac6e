"""Lesson 09: the cost of padding, the target of label smoothing, learning rates, and training with your own step."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.checking.first_optimizer import make_first_optimizer
from course_lib.corpus import Pair
from course_lib.corpus.adjectives import ADJECTIVES
from course_lib.corpus.nouns import NAMES, NOUNS
from course_lib.corpus.verbs import VERBS
from course_lib.experiments import translation
from course_lib.experiments.series import Series
from course_lib.experiments.transformer_translator import SETTINGS, SMOOTHING, TRAINING, translator_of
from course_lib.experiments.translation import LONGEST_GRADIENT, Parts, pairs, vocabularies
from course_lib.training import Batch, History, TranslationBatches, one_thread, repeat_step, rise_and_fall

# this lesson's exercises need it, and a grader that has imported this module needn't make it for each submission
make_first_optimizer()

#: the learning rate of a step, counted from 0
Schedule = Callable[[int], float]

#: the steps after which `learn` calls ``watch``
WATCHED = (0, 100, 200, 300, 500, 1000)
#: settings of short runs: steps, and target positions per batch
SHORT_STEPS, SHORT_BATCH = 160, 160
#: PyTorch's fastest AdamW
FUSED: Callable[..., torch.optim.Optimizer] = partial(torch.optim.AdamW, fused=True)
#: the paper's ε, for demonstrating smoothing in a lesson
SMOOTHED = 0.1


def rises_and_falls(steps: int) -> Schedule:
    """Return the course's schedule for ``steps`` steps: up for a tenth of them, then down to 0."""
    highest: float = TRAINING["learning_rate"]
    return lambda step: highest * rise_and_fall(step / steps, TRAINING["rise"])


def learn(
    train_step: Callable[..., float],
    network: Callable[..., nn.Module],
    vocabulary: Callable[..., Any],
    seed: int,
    steps: int = TRAINING["steps"],
    schedule: Schedule | None = None,
    batch_size: int = TRAINING["batch_size"],
    count: int = TRAINING["count"],
    smoothing: float = SMOOTHING,
    optimizer: Callable[..., torch.optim.Optimizer] = FUSED,
    progress: bool = False,
    watch: Callable[[int, nn.Module], object] = lambda step, model: None,
    **settings: Any,
) -> tuple[nn.Module, History]:
    """Train a Transformer on the course's corpus, step by step, and return it with its history.

    Args:
        train_step: makes one step, as the component of that name.
        network: `Transformer`, or a similar class.
        vocabulary: a class built from sentences, like `Vocabulary`.
        seed: for the weights, the sentences and their order.
        steps: how many steps to take.
        schedule: the learning rate of each step; by default that of `rises_and_falls`.
        batch_size: target positions per batch.
        count: how many pairs to train on.
        smoothing: ε of the loss.
        optimizer: a class that is called like `torch.optim.AdamW`.
        progress: whether to show a bar.
        watch: called with the number of steps taken and the model, at those of `WATCHED` and at the end.
        settings: arguments of ``network`` that replace those of `SETTINGS`.
    """
    english, french = vocabularies(vocabulary)
    batches = TranslationBatches(pairs("train", seed, count), english, french, batch_size, seed, TRAINING["in_tokens"])
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model = translator_of(network, **settings)(len(english), len(french))
        moves = optimizer(model.parameters(), lr=1.0, betas=TRAINING["betas"], weight_decay=TRAINING["weight_decay"])
        scheduler = LambdaLR(moves, schedule or rises_and_falls(steps))

        taken = itertools.count()

        def step(batch: Batch) -> float:
            if (number := next(taken)) in WATCHED:
                watch(number, model.eval())
            whole = torch.cat([batch.inputs[:, :1], batch.targets], dim=1)  # (B, T + 1)
            return train_step(model, moves, scheduler, batch.source, whole, french.pad_id, smoothing, LONGEST_GRADIENT)

        history = repeat_step(step, batches, steps, progress)
    watch(steps, model.eval())
    return model, history


def schedules(warmup_schedule: Callable[[int, int, int], float]) -> dict[str, Schedule]:
    """Return four ways to set the learning rate over `SHORT_STEPS`, all with the same highest rate.

    Args:
        warmup_schedule: the component of that name; its peak is set to the course's highest rate.
    """
    highest: float = TRAINING["learning_rate"]
    warmup, width = SHORT_STEPS // 10, SETTINGS["d_model"]

    def papers(step: int) -> float:
        return highest * warmup_schedule(step + 1, width, warmup) / warmup_schedule(warmup, width, warmup)

    return {
        "constant": lambda step: highest,
        "warm-up, then constant": lambda step: highest * min(1.0, (step + 1) / warmup),
        "warm-up, then 1/√step": papers,
        "warm-up, then to 0": rises_and_falls(SHORT_STEPS),
    }


def schedule_curve(
    train_step: Callable[..., float],
    network: Callable[..., nn.Module],
    vocabulary: Callable[..., Any],
    schedule: Schedule,
    seed: int,
    **settings: Any,
) -> Series:
    """Return ``step`` and ``loss`` of a short run of a pre-norm model with a schedule, as the means of twelfths."""
    settings = {"norm_first": True, **settings}
    _, history = learn(
        train_step, network, vocabulary, seed, SHORT_STEPS, schedule, SHORT_BATCH, count=4000, **settings
    )
    averaged = history.averaged(points=12)
    return {"step": averaged["step"], "loss": averaged["loss"]}


#: groups of words by how often they occur in the training text: the fewest times, and the most, or None
OCCURRENCES = ((1, 9), (10, 39), (40, 99), (100, None))
#: λ of AdamW's decay, and of an L2 penalty in Adam
DECAY, PENALTY = 0.1, 0.001


def norms_kept(
    train_step: Callable[..., float],
    adam_w: Callable[..., torch.optim.Optimizer],
    network: Callable[..., nn.Module],
    vocabulary: Callable[..., Any],
    seed: int,
    count: int = 4000,
) -> Series:
    """Return the norms of English word vectors after short runs with a decay, as shares of those without one.

    Args:
        train_step: the component of that name.
        adam_w: the component `AdamW`.
        network: `Transformer`, or a similar class.
        vocabulary: a class built from sentences, like `Vocabulary`.
        seed: for the weights, the sentences and their order.
        count: how many pairs to train on.

    Returns:
        By group of `OCCURRENCES`: ``occurrences``, its fewest; ``decay``, the share kept with AdamW; ``penalty``, the
        share kept with an L2 penalty in Adam.
    """
    english, _ = vocabularies(vocabulary)
    times = Counter(word for pair in pairs("train", seed, count) for word in pair.source)
    groups = [
        [
            english.encode([word])[1]
            for word, number in times.items()
            if number >= first and (not last or number <= last)
        ]
        for first, last in OCCURRENCES
    ]

    def norms(optimizer: Callable[..., torch.optim.Optimizer], decay: float) -> list[float]:
        def moves(parameters: Any, **settings: Any) -> torch.optim.Optimizer:
            return optimizer(parameters, **{**settings, "weight_decay": decay})

        model: Any
        model, _ = learn(
            train_step, network, vocabulary, seed, SHORT_STEPS, lambda step: TRAINING["learning_rate"], SHORT_BATCH,
            count, optimizer=moves, norm_first=True,
        )  # fmt: skip
        vectors = model.network.source_embedding.token_embedding.weight.detach().norm(dim=1)  # (V,)
        return [vectors[group].mean().item() for group in groups]

    without, decayed, penalised = norms(adam_w, 0.0), norms(adam_w, DECAY), norms(torch.optim.Adam, PENALTY)
    return {
        "occurrences": [float(first) for first, _ in OCCURRENCES],
        "decay": [kept / whole for kept, whole in zip(decayed, without, strict=True)],
        "penalty": [kept / whole for kept, whole in zip(penalised, without, strict=True)],
    }


def loss_curve(
    loss: Callable[..., Tensor],
    clip: Callable[..., object],
    network: Callable[..., nn.Module],
    vocabulary: Callable[..., Any],
    seed: int,
) -> Series:
    """Return ``step`` and ``loss`` of a short run with ``loss`` and the course's loop, as the means of twelfths."""
    smoothed = partial(loss, smoothing=SMOOTHED)
    settings = {**TRAINING, "batch_size": SHORT_BATCH, "steps": SHORT_STEPS}
    _, history = translation.learn(
        Parts(translator_of(network), smoothed, clip, vocabulary, **settings), seed, count=4000
    )
    averaged = history.averaged(points=12)
    return {"step": averaged["step"], "loss": averaged["loss"]}


def smoothed_floor(smoothing: float, size: int) -> float:
    """Return the least possible loss of a smoothed label over ``size`` tokens: its entropy, in nats."""
    label, other = 1 - smoothing + smoothing / size, smoothing / size
    of_others = (size - 1) * other * math.log(other) if other else 0.0
    return 0.0 - label * math.log(label) - of_others  # without the leading 0, no smoothing would give −0


def say_one_word(loss: Callable[..., Tensor], smoothing: float, size: int, steps: int = 400) -> Series:
    """Let one word's logits, which are free parameters, follow the gradient of a smoothed loss.

    Returns:
        ``step``, ``loss``, ``probability`` of the label, and ``lead``, how far its logit is above the others.
    """
    logits = torch.zeros(1, 1, size, requires_grad=True)  # (B, T, V)
    label = torch.tensor([[1]])  # (B, T)
    optimizer = torch.optim.Adam([logits], lr=0.1)
    series: Series = {"step": [], "loss": [], "probability": [], "lead": []}
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        value = loss(logits, label, 0, smoothing)
        value.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % 20 == 0:
            now = logits.detach()[0, 0]  # (V,)
            series["step"].append(float(step))
            series["loss"].append(value.item())
            series["probability"].append(now.softmax(dim=0)[1].item())
            series["lead"].append((now[1] - now[2:].mean()).item())
    return series


def padding_share(batch_size: int, in_order: bool, seed: int, count: int = 4000) -> float:
    """Return the share of positions in target batches that are padding.

    Args:
        batch_size: B.
        in_order: whether to group sentences of similar length, as in `TranslationBatches`.
        seed: for the sentences and their order.
        count: how many sentences.
    """
    lengths = [(len(pair.source), len(pair.target)) for pair in pairs("train", seed, count)]
    Random(seed).shuffle(lengths)
    if in_order:
        lengths.sort()
    batches = [[target for _, target in lengths[i : i + batch_size]] for i in range(0, count, batch_size)]
    places = sum(max(batch) * len(batch) for batch in batches)
    return 1 - sum(map(sum, batches)) / places


def padding_by_batch_size(seed: int) -> Series:
    """Return `padding_share` by batch size, at random and in order."""
    sizes = (1, 4, 16, 32, 64, 256)
    return {
        "batch_size": [float(size) for size in sizes],
        "at random": [padding_share(size, False, seed) for size in sizes],
        "in order": [padding_share(size, True, seed) for size in sizes],
    }


@cache
def content_words() -> frozenset[str]:
    """Return the English words of the open classes: nouns, names, adjectives and verbs, in all their forms."""
    phrases = [form for noun in NOUNS + NAMES for form in noun.forms]
    phrases += [adjective.english for adjective in ADJECTIVES]
    phrases += [form for verb in VERBS for form in (verb.base, verb.third, verb.past)]
    return frozenset(word for phrase in phrases for word in phrase.split())


def agreement_by_head(model: Any, vocabulary: Callable[..., Any], chosen: Sequence[Pair]) -> dict[str, list[float]]:
    """Return how often attention of a `TransformerTranslator` looks most at a word of the gold alignment.

    Only French words that are aligned with an English content word count.

    Returns:
        By ``"layer 1"`` and so on: the share of each head, and last that of the heads' mean. ``"diagonal"``: the share
        reached by looking along the diagonal.
    """
    english, french = vocabularies(vocabulary)
    words, hits, straight = 0, torch.zeros(0), 0
    for pair in chosen:
        source = torch.tensor([english.encode(pair.source)[1:-1]])  # (1, S)
        inputs = torch.tensor([french.encode(pair.target)[:-2]])  # (1, T)
        heads = model.heads(source, inputs)[:, 0]  # (layers, H, T, S)
        looked = torch.cat([heads, heads.mean(dim=1, keepdim=True)], dim=1).argmax(dim=-1)  # (layers, H + 1, T)
        hits = hits if hits.numel() else torch.zeros(looked.shape[:2])
        S, T = len(pair.source), len(pair.target)
        gold = {t: {i for i, j in pair.alignment if j == t} for t in range(T)}
        for t, right in gold.items():
            if not any(pair.source[i] in content_words() for i in right):
                continue
            words += 1
            hits += torch.isin(looked[:, :, t], torch.tensor(sorted(right)))  # (layers, H + 1)
            straight += min(round((t + 0.5) * S / T - 0.5), S - 1) in right
    shares = {f"layer {number}": row for number, row in enumerate((hits / words).tolist(), 1)}
    return {**shares, "diagonal": [straight / words]}
