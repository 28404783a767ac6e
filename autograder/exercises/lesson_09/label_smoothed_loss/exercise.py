"""Exercise `label_smoothed_loss`: cross-entropy with smoothed labels, over real tokens only."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value

RETURNS = ["loss"]


def _labels(sampler: Sampler, b: int, t: int, v: int, pad_id: int) -> Tensor:
    """Return label ids (B, T) of one full sentence and shorter ones, with different lengths if there is room."""
    words = [token for token in range(v) if token != pad_id]
    lengths = [t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))]
    rows = [[*sampler.shuffled(words)[:n], *[pad_id] * (t - n)] for n in lengths]
    return torch.tensor([rows[i] for i in sampler.shuffled(range(b))])


def _given(
    sampler: Sampler, b: int, t: int, v: int, pad_id: int, smoothing: float, scale: float = 1.5
) -> dict[str, Value]:
    return {
        "logits": sampler.tensor(b, t, v, scale=scale),
        "labels": _labels(sampler, b, t, v, pad_id),
        "pad_id": pad_id,
        "smoothing": smoothing,
    }


def _on_paper(sampler: Sampler) -> dict[str, Value]:
    """Return sentences of two words and of one, over four tokens. The logits are logarithms of probabilities."""
    sure = torch.tensor([0.1, 0.2, 0.3, 0.4])
    probabilities = torch.stack([torch.stack([sure[sampler.shuffled(range(4))] for _ in range(2)]) for _ in range(2)])
    labels = torch.tensor([sampler.shuffled((1, 2, 3))[:2], [sampler.shuffled((1, 2, 3))[0], 0]])
    return {"logits": probabilities.log().round(decimals=3), "labels": labels, "pad_id": 0, "smoothing": 0.2}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, padding, pad ids, smoothing, confident wrong logits, and gradients.

    The vocabulary is larger than every length, so that all words of a sentence can differ.
    """
    numbers, again = (
        Call("by_hand", _on_paper(source), returns=RETURNS) for source in (sampler, sampler.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "nn.functional.cross_entropy", "cross_entropy_loss", "nn.CrossEntropyLoss")
    (b, t), (v,) = sampler.shuffled(((2, 5), (3, 5), (3, 6), (5, 6)))[0], sampler.widths(1)
    given = _given(sampler, b, t, v, 0, sampler.shuffled((0.15, 0.25, 0.3))[0])
    further = torch.cat([given["logits"], sampler.tensor(b, 2, v)], dim=1)
    longer = given | {"logits": further, "labels": F.pad(given["labels"], (0, 2))}
    padding = (given["labels"] == 0).unsqueeze(-1)
    other = given | {"logits": torch.where(padding, sampler.tensor(b, t, v), given["logits"])}
    yield Calls("plain", [given, longer, other], returns=RETURNS)
    calls = [given | {"smoothing": 0.0}, given | {"smoothing": 1.0}]
    yield Calls("ends", calls, returns=RETURNS)
    by_default = {name: value for name, value in given.items() if name != "smoothing"}
    yield Call("by_default", by_default, returns=RETURNS)
    other_pad = _given(sampler, 2, 4, 6, sampler.shuffled((3, 4, 5))[0], 0.2)  # small enough for a card
    other_pad["labels"][other_pad["labels"].argmax(dim=0)[0], 0] = 0  # the id of a real word
    yield Call("another_pad", other_pad, returns=RETURNS)
    far = _given(sampler, b, t, v, 0, 0.0, scale=600.0)
    yield Call("far_apart", far, returns=RETURNS)
    small = _given(sampler, 3, 4, 7, 0, 0.2)
    upstream = {"loss": torch.tensor(1.0)}
    yield Call("gradients", small, returns=RETURNS, upstream=upstream)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the loss of three words and a padding is right", 0.5,
        {"fields": ["loss"]}),
    Check("equals_plain", equals_reference, "plain", "a batch with sentences of several lengths comes out right", 0.5,
        {"fields": ["calls/0/loss"]}),
    Check("not_smoothed", equals_reference, "ends", "with ε = 0 the loss is right: the plain cross-entropy", 0.3,
        {"fields": ["calls/0/loss"]}),
    Check("all_smoothed", equals_reference, "ends", "with ε = 1 the loss is right: every token counts alike, whatever the label", 0.2,
        {"fields": ["calls/1/loss"]}),
    Check("by_default", equals_reference, "by_default", "if ε is not given, the loss is right: ε is 0.1", 0.15,
        {"fields": ["loss"]}, needs="equals_plain"),
    Check("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.3,
        {"fields": ["loss"]}),
    Check("far_apart", equals_reference, "far_apart", "the loss of a decoder that is sure of something wrong is right: large, but not infinite", 0.3,
        {"fields": ["loss"]}),
    Check("gradients", equals_reference, "gradients", "the gradient of the logits is right", 0.35,
        {"fields": ["gradients/logits"]}),
    Check("padding_is_invisible", unmoved, "plain", "more padding at the end leaves the loss as it is", 0.15,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="equals_plain"),
    Check("padding_is_free", unmoved, "plain", "what is said at padding leaves the loss as it is", 0.15,
        {"before": "calls/0/loss", "after": "calls/2/loss"}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "logits and labels are left as they were", 0.1,
        needs="equals_by_hand", also=("another_pad",)),
    WRITTEN_BY_HAND,
)  # fmt: skip


SOFTMAX = "torch.log_softmax(logits, dim=-1)"


MEAN = "`losses[labels != pad_id].mean()`, or the sum over real tokens divided by their number."


BOTH = "`-(1 - smoothing) * of_label - smoothing * of_all`, with `of_all = log_probabilities.mean(dim=-1)`."


def _allows(question: Question) -> bool:
    """Return whether some label is a real token."""
    return all(bool((call["labels"] != call.get("pad_id", 0)).any()) for call in question.inputs)


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Work it out for one word over four tokens of probabilities 0.1, 0.2, 0.3, 0.4, the label the last, ε = 0.2.",
        "Logarithms of probabilities (B, T, V); the label's (B, T); the mean over the vocabulary (B, T); both parts with their factors; the mean over the real positions. Print the shape of each.",
        f"`log_probabilities = {SOFTMAX}`; {BOTH} Then {MEAN}",
    ),
    ask=ask,
    allows=_allows,
)
