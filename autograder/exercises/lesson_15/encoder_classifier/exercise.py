"""Exercise `encoder_classifier`: an encoder, and a head that scores its tokens or the sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_08.weights import weights_of
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.encoder_classifier import EncoderClassifier

SIZES: dict[str, Any] = {
    "vocab_size": 13, "num_classes": 5, "d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 7, "max_length": 9,
}  # fmt: skip


LEARNED = ("embedding.token_embedding.weight", "encoder.layers.0.self_attention.w_v.weight", "head.weight", "head.bias")


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: Tensor,
    pooling: str | None = None,
    pad_id: int = 0,
    returns: str = "logits",
    **more: Value,
) -> Question:
    build = {**SIZES, "pooling": pooling, "dropout": 0.0, "pad_id": pad_id}
    return Module(name, build, weights, [{"ids": ids} for ids in calls], returns=[returns], with_shapes=False, **more)


def _sentences(sampler: Sampler, lengths: list[int], pad_id: int = 0) -> Tensor:
    """Return a sentence of each length, as rows that are padded at the end."""
    real = [i for i in range(SIZES["vocab_size"]) if i != pad_id]
    rows = [sampler.shuffled(real)[:length] for length in lengths]
    return torch.tensor([row + [pad_id] * (max(lengths) - len(row)) for row in rows])  # (B, T)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one sentence and a padded batch for each pooling, pads in the middle, vectors alone, and gradients."""
    weights = weights_of(sampler, EncoderClassifier(**SIZES))
    t = sampler.shuffled((4, 5))[0]
    lengths = [t, *sampler.shuffled((2, 3))]
    batch = _sentences(sampler, lengths)
    others = torch.cat([batch[:1], _sentences(sampler, [t, t])])
    for pooling in (None, "cls", "mean"):
        name = pooling or "token"
        yield _question(f"one_{name}", weights, _sentences(sampler, [t]), pooling=pooling)
        yield _question(f"padded_{name}", weights, batch, others, pooling=pooling)
    pad_id = 3
    middle = _sentences(sampler, [t, t, t], pad_id)
    middle[0, 1] = middle[1, 2] = pad_id
    yield _question("pads_in_the_middle", weights, middle, pooling="mean", pad_id=pad_id)
    yield _question("encode", weights, batch, method="encode", returns="states")
    upstream = {"logits": sampler.tensor(3, 5)}
    yield _question("gradients", weights, batch, pooling="mean", upstream=upstream, learned=LEARNED)


LOGITS = {"fields": ["calls/0/logits"], "words": "ids"}


CHECKS = (
    Check("tokens", equals_reference, "one_token", "without pooling, the scores of every token are right", 0.5, LOGITS),
    Check("cls", equals_reference, "one_cls", "with `cls`, the scores are right: those of position 0", 0.25, LOGITS),
    Check("mean", equals_reference, "one_mean", "with `mean`, the scores are right: those of the mean", 0.25, LOGITS),
    Check("padded", equals_reference, "padded_mean", "a padded batch comes out right, with each pooling", 1.0, LOGITS, also=("padded_token", "padded_cls")),
    Check("pads_in_the_middle", equals_reference, "pads_in_the_middle", "pads anywhere, of another `pad_id`, come out right: they are neither seen nor counted", 0.25, LOGITS),
    Check("encode", equals_reference, "encode", "`encode` returns the right vector for each token", 0.25, {"fields": ["calls/0/states"], "words": "ids"}),
    Check("gradients", equals_reference, "gradients", "the gradients come out right", 0.25, {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Check("sentences_apart", unmoved, "padded_mean", "other sentences in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0]}, needs="padded"),
)  # fmt: skip


MASK = "padding_mask(ids, self.pad_id).unsqueeze(1)"


STATES = "self.encoder(self.embedding(ids), mask)"


CLS = "states[:, 0]"


REAL = "(ids != self.pad_id).unsqueeze(-1)"


MEAN = "(states * real).sum(dim=1) / real.sum(dim=1)"


def _allows(question: Question) -> bool:
    """Return whether each sentence has a real token."""
    pad_id = question.built_with.get("pad_id", 0)
    ids = [value for call in question.inputs for name, value in call.items() if name == "ids"]
    return all(bool((sentences != pad_id).any(dim=-1).all()) for sentences in ids)


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Which of lesson 07's masks does an encoder need? And which tokens count in a mean?",
        "`encode` is two lines: a mask (B, 1, 1, T), and the encoder over the embedding. `forward` picks from what it returns (B, T, D), and calls the head once.",
        f"`mask = {MASK}`, `{STATES}`. In `forward`: `{CLS}`, or `{MEAN}` with `real = {REAL}`.",
    ),
    ask=ask,
    allows=_allows,
    write=("encode", "forward"),
    builds_on=("encoder",),
)
