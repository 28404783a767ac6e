"""Exercise `teacher_forced_loss`: how surprised the decoder is by each right word, without padding."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, unmoved
from course_lib.checking.values import Value


def _targets(sampler: Sampler, b: int, t: int, v: int, pad_id: int) -> Tensor:
    """Return target ids (B, T) of one full sentence and shorter ones, with different lengths if there is room."""
    words = [token for token in range(v) if token != pad_id]
    lengths = [t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))]
    rows = [[*sampler.shuffled(words)[:n], *[pad_id] * (t - n)] for n in lengths]
    return torch.tensor([rows[i] for i in sampler.shuffled(range(b))])


def _given(sampler: Sampler, b: int, t: int, v: int, pad_id: int, scale: float = 1.5) -> dict[str, Value]:
    return {
        "logits": sampler.tensor(b, t, v, scale=scale),
        "targets": _targets(sampler, b, t, v, pad_id),
        "pad_id": pad_id,
    }


def _on_paper(sampler: Sampler) -> dict[str, Value]:
    """Return sentences of three words and of one, over four tokens. The logits are logarithms of probabilities.

    The mean cost of the words differs from that of all tokens, so that smoothed labels show. The mean cost of the first
    sentence differs from that of both, so that the weights of sentences of different lengths show.
    """
    sure = torch.tensor([0.1, 0.2, 0.3, 0.4])
    while True:
        probabilities = torch.stack(
            [torch.stack([sure[sampler.shuffled(range(4))] for _ in range(3)]) for _ in range(2)]
        )
        targets = torch.tensor([sampler.shuffled((1, 2, 3)), [sampler.shuffled((1, 2, 3))[0], 0, 0]])
        of_words = probabilities.gather(-1, targets.unsqueeze(-1))[targets != 0]
        first, words, tokens = (float(p.log().mean()) for p in (of_words[:3], of_words, sure))
        if abs(words - tokens) > 0.05 and abs(first - words) > 0.1:
            return {"logits": probabilities.log().round(decimals=3), "targets": targets, "pad_id": 0}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, padding, other pad ids, confident wrong logits, and gradients.

    The vocabulary is larger than every length, so that all words of a sentence can differ.
    """
    returns = ["loss"]
    yield Call("by_hand", _on_paper(sampler), returns=returns)
    (b, t), (v,) = sampler.shuffled(((2, 5), (3, 5), (3, 6), (5, 6)))[0], sampler.widths(1)
    given = _given(sampler, b, t, v, 0)
    further = torch.cat([given["logits"], sampler.tensor(b, 2, v)], dim=1)
    longer = {"logits": further, "targets": F.pad(given["targets"], (0, 2)), "pad_id": 0}
    padding = (given["targets"] == 0).unsqueeze(-1)
    other = given | {"logits": torch.where(padding, sampler.tensor(b, t, v), given["logits"])}
    yield Calls("plain", [given, longer, other], returns=returns)
    yield Call("full", _full(sampler, b, t, v), returns=returns)
    other_pad = _given(sampler, 2, 4, 6, sampler.shuffled((3, 4, 5))[0])  # small enough for a card
    other_pad["targets"][other_pad["targets"].argmax(dim=0)[0], 0] = 0  # the id of a real word
    yield Call("another_pad", other_pad, returns=returns)
    yield Call("far_apart", _given(sampler, b, t, v, 0, scale=600.0), returns=returns)
    sure = _given(sampler, b, t, v, 0)
    hits = F.one_hot(sure["targets"], v) * 900.0
    yield Call("sure_and_right", sure | {"logits": sure["logits"] + hits}, returns=returns)
    small = _given(sampler, 3, 4, 7, 0)
    upstream = {"loss": torch.tensor(1.0)}
    yield Call("gradients", small, returns=returns, upstream=upstream)
    yield Call("double", _given(sampler, 2, 3, 5, 0), returns=returns)


def _full(sampler: Sampler, b: int, t: int, v: int) -> dict[str, Value]:
    """Return a batch without padding."""
    rows = [sampler.shuffled(range(1, v))[:t] for _ in range(b)]
    return {"logits": sampler.tensor(b, t, v, scale=1.5), "targets": torch.tensor(rows), "pad_id": 0}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the loss of four words and two positions of padding is right", 0.6,
        {"fields": ["loss"]}),
    Check("full", equals_reference, "full", "a batch without padding comes out right", 0.5,
        {"fields": ["loss"]}),
    Check("equals_plain", equals_reference, "plain", "a batch with sentences of different lengths comes out right", 0.7,
        {"fields": ["calls/0/loss"]}),
    Check("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.4,
        {"fields": ["loss"]}),
    Check("far_apart", equals_reference, "far_apart", "the loss of a decoder that is sure is right: large but finite if it is mistaken, 0 if it is not", 0.4,
        {"fields": ["loss"]}, also=("sure_and_right",)),
    Check("gradients", equals_reference, "gradients", "the gradient of the logits is right", 0.6,
        {"fields": ["gradients/logits"]}),
    Check("padding_is_invisible", unmoved, "plain", "more padding at the end leaves the loss as it is", 0.3,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="equals_plain"),
    Check("padding_is_free", unmoved, "plain", "what the decoder says at padding leaves the loss as it is", 0.3,
        {"before": "calls/0/loss", "after": "calls/2/loss"}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "logits and targets are left as they were", 0.1,
        needs="equals_by_hand"),
    Check("keeps_dtype", keeps_dtype, "double", "float64 in, float64 out", 0.1,
        {"fields": ["loss"]}, needs="equals_plain"),
)  # fmt: skip


SOFTMAX = "torch.log_softmax(logits, dim=-1)"


PICKED = "log_probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1)"


REAL = "real = targets != pad_id"


MEAN = "`-of_targets[real].mean()`, or the sum over real tokens divided by `real.sum()`."


def _in_every_sentence(question: Question) -> bool:
    """Return whether every sentence has a real token, so that an example is about weights and not about 0 / 0."""
    return all(bool((call["targets"] != call["pad_id"]).any(dim=1).all()) for call in question.inputs)


EXERCISE = Outline(
    minutes=12,
    checks=CHECKS,
    hints=(
        "Work it out for one word: four logits, a softmax, the probability of the right word, its logarithm, a minus.",
        "Four steps: logarithms of probabilities (B, T, V), those of the targets (B, T), which are real (B, T), their mean. Print each shape.",
        f"`{SOFTMAX}`; `{PICKED}`; `{REAL}`; {MEAN}",
    ),
    ask=ask,
    allows=_in_every_sentence,
)
