"""Remove one sub-layer from a translator: from the trained one, and from one that is retrained without it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.corpus import Pair, generate
from course_lib.experiments import translation
from course_lib.experiments.series import Interval, Recorded, Series
from course_lib.experiments.transformer_translator import translator_of
from course_lib.training import History, TranslationBatches, one_thread

#: the sub-layers, by the name that figures give them: the stack, and the part of each of its layers
SUBLAYERS: dict[str, tuple[str, str]] = {
    "encoder: self-attention": ("encoder", "self_attention"),
    "encoder: feed-forward": ("encoder", "feed_forward"),
    "decoder: self-attention": ("decoder", "self_attention"),
    "decoder: cross-attention": ("decoder", "cross_attention"),
    "decoder: feed-forward": ("decoder", "feed_forward"),
}
#: the arms of both experiments, in the order of their series
WHOLE = "nothing"
ARMS = (WHOLE, *SUBLAYERS)

#: the arguments of the retrained `Transformer`: one layer per stack, so that training takes seconds
SETTINGS: dict[str, Any] = {
    "d_model": 64,
    "num_heads": 4,
    "num_layers": 1,
    "d_ff": 256,
    "max_length": 64,
    "dropout": 0.0,
}
#: how it is trained, the fields of `translation.Parts`
TRAINING: dict[str, Any] = {"learning_rate": 6e-3, "batch_size": 64, "rise": 0.1, "betas": (0.9, 0.98)}
#: training steps of each arm: about the same CPU time. Steps are counted, not seconds, so the result does not
#: depend on how busy the machine is
STEPS: dict[str, int] = dict(zip(ARMS, (600, 690, 680, 750, 860, 640), strict=True))


@dataclass(frozen=True)
class Parts:
    """What is trained, and with what.

    Attributes:
        transformer: `Transformer`, yours for instance.
        loss: ``(logits, targets, pad_id) -> scalar``, like `teacher_forced_loss`.
        clip: ``(parameters, max_norm)``, like `clip_gradients`.
        vocabulary: a class built from sentences, like `Vocabulary`.
    """

    transformer: Callable[..., nn.Module]
    loss: Callable[..., Tensor]
    clip: Callable[..., object]
    vocabulary: Callable[..., Any]


class AddsNothing(nn.Module):
    """Replaces an attention or a feed-forward network and returns 0, so the residual connection adds nothing."""

    def forward(self, *given: Tensor, **named: Any) -> Tensor:
        """Return zeros shaped like the first argument."""
        return torch.zeros_like(given[0] if given else next(iter(named.values())))


def without(model: nn.Module, sublayer: str) -> nn.Module:
    """Copy a model and let one sub-layer add nothing in every layer; `WHOLE` gives a plain copy.

    Args:
        model: with the parts of `Transformer`, under their names.
        sublayer: one of `SUBLAYERS`, or `WHOLE`.
    """
    model = copy.deepcopy(model)
    if sublayer != WHOLE:
        stack, part = SUBLAYERS[sublayer]
        for layer in model.get_submodule(stack).layers:  # type: ignore[union-attr]
            setattr(layer, part, AddsNothing())
    return model


class SameDepth(nn.Module):
    """A model with different wiring: each decoder layer attends to the encoder layer at its own depth, not to the last.

    Args:
        model: with the parts of `Transformer`, under their names.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model: Any = model

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits (B, T, V) of the word after each ``target`` (B, T), for a ``source`` (B, S)."""
        model, length = self.model, target.size(1)
        real = (source != model.pad_id)[:, None, None]  # (B, 1, 1, S)
        earlier = torch.ones(length, length, dtype=torch.bool).tril() & (target != model.pad_id)[:, None, None]
        read, written = model.source_embedding(source), model.target_embedding(target)  # (B, S, D), (B, T, D)
        for below, above in zip(model.encoder.layers, model.decoder.layers, strict=True):
            read = below(read, real)  # (B, S, D)
            written = above(written, read, earlier, real)  # (B, T, D)
        table: Tensor = model.target_embedding.token_embedding.weight  # (V, D)
        logits: Tensor = model.decoder.norm(written) @ table.T  # (B, T, V)
        return logits


def share_right(
    vocabulary: Callable[..., Any], model: nn.Module, seed: int, sentences: int = 500
) -> tuple[float, float]:
    """Return the share of held-out sentences with every word right, and the share of right words.

    The model reads the correct prefix before it predicts each word. If it predicts every word of a sentence correctly,
    greedy decoding would also produce that sentence, so nothing needs to be decoded.
    """
    return _share_right(vocabulary, model, translation.pairs("held_out", 10_000 + seed, sentences))


def _share_right(vocabulary: Callable[..., Any], model: nn.Module, pairs: Sequence[Pair]) -> tuple[float, float]:
    english, french = translation.vocabularies(vocabulary)
    batches = TranslationBatches(pairs, english, french, batch_size=100, seed=0)
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].source))
    right_sentences = right_words = words = 0
    with torch.no_grad(), one_thread():
        for start in range(0, len(pairs), 100):
            batch = batches.batch(order[start : start + 100])
            is_word = batch.targets != french.pad_id  # (B, T)
            right = model(batch.source, batch.inputs).argmax(dim=-1) == batch.targets  # (B, T)
            right_sentences += int((right | ~is_word).all(dim=1).sum())
            right_words += int((right & is_word).sum())
            words += int(is_word.sum())
    return right_sentences / len(pairs), right_words / words


@cache
def with_clauses(seed: int, count: int = 500) -> tuple[Pair, ...]:
    """Return held-out sentences with a relative clause, in which related words may be far apart."""
    return tuple(islice((pair for pair in generate(10_000 + seed, "held_out") if pair.depth), count))


def as_it_stands(vocabulary: Callable[..., Any], model: nn.Module, seed: int, sentences: int = 500) -> Series:
    """Measure how well a trained translator works when one sub-layer is switched off.

    Returns:
        By arm, in the order of `ARMS`: ``sentences`` and ``words``, the shares that are right.
    """
    shares = [share_right(vocabulary, without(model, arm), seed, sentences) for arm in ARMS]
    return {"sentences": [whole for whole, _ in shares], "words": [word for _, word in shares]}


def retrain(parts: Parts, arm: str, seed: int, steps: int | None = None) -> tuple[nn.Module, History]:
    """Train a small translator from scratch without one sub-layer, for as long as the others."""

    def made(source_size: int, target_size: int) -> nn.Module:
        return without(parts.transformer(source_size, target_size, **SETTINGS), arm)

    arm_parts = translation.Parts(made, parts.loss, parts.clip, parts.vocabulary, steps=steps or STEPS[arm], **TRAINING)
    return translation.learn(arm_parts, seed)


def retrained(arm: str, parts: Parts, seed: int, steps: int | None = None) -> Series:
    """Train without one sub-layer, and measure.

    Args:
        arm: the sub-layer that is missing.
        parts: the components to train.
        seed: for the weights, the sentences and their order.
        steps: replaces the default, which takes as long as the other arms.

    Returns:
        ``sentences`` and ``words``, the shares that are right; ``seconds`` of CPU time; ``loss``, of the last tenth.
    """
    model, history = retrain(parts, arm, seed, steps)
    sentences, words = share_right(parts.vocabulary, model, seed)
    last = history.losses[-max(1, history.steps // 10) :]
    return {
        "sentences": [sentences],
        "words": [words],
        "seconds": history.seconds[-1:],
        "loss": [sum(last) / len(last)],
    }


def until_flat(arm: str, parts: translation.Parts, network: Callable[..., nn.Module], seed: int) -> Series:
    """Train lesson 09's Transformer without one sub-layer until its loss is flat, as long as the lesson's longer runs.

    Args:
        arm: the sub-layer that is missing.
        parts: how it is trained; every arm takes the same number of steps.
        network: `Transformer`.
        seed: for the weights, the sentences and their order.

    Returns:
        The shares of right sentences: ``sentences`` overall, and ``clauses`` with a relative clause. Also ``loss``, of
        the last tenth.
    """
    made = translator_of(lambda *sizes, **settings: without(network(*sizes, **settings), arm))
    model, history = translation.learn(replace(parts, translator=made), seed)
    last = history.losses[-max(1, history.steps // 10) :]
    return {
        "sentences": [share_right(parts.vocabulary, model, seed)[0]],
        "clauses": [_share_right(parts.vocabulary, model, with_clauses(seed))[0]],
        "loss": [sum(last) / len(last)],
    }


def by_arm(recorded: dict[str, Recorded]) -> Recorded:
    """Return the recordings of the retrained arms as series by arm, in the order of `ARMS`."""
    ends = ("low", "median", "high")
    return {
        name: Interval(*([getattr(recorded[arm][name], end)[0] for arm in ARMS] for end in ends))
        for name in ("sentences", "words", "seconds")
    }


def first_steps(parts: Parts, seed: int) -> Series:
    """Record the loss of 40 steps without cross-attention, which is quick enough to test on every change."""
    _, history = retrain(parts, "decoder: cross-attention", seed, steps=40)
    averaged = history.averaged(points=4)
    return {"step": averaged["step"], "loss": averaged["loss"]}


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    **{arm: partial(retrained, arm) for arm in ARMS},
    "as_many_steps": partial(retrained, WHOLE, steps=STEPS["decoder: self-attention"]),
    "first_steps": first_steps,
}
