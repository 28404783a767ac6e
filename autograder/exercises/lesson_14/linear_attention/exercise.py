"""Exercise `linear_attention`: sum up keys and values before any query looks at them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import InLittleMemory, Question, calling
from course_lib.checking.rules import equals_reference, holds_little, inputs_unchanged

NAMES = ("query", "key", "value")


_question = calling(*NAMES, returns=["output"])


def _inputs(sampler: Sampler, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return sampler.tensor(*lead, t, d_k), sampler.tensor(*lead, s, d_k), sampler.tensor(*lead, s, d_v)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about whole numbers, distinct sizes, running sums, heads, views, one token, long texts, negative numbers."""
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    key = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])[sampler.order(3)]
    value = torch.tensor([[6.0, 0.0], [0.0, 12.0], [3.0, 9.0]])[sampler.order(3)]
    yield _question("by_hand", query.double(), key.double(), value.double())
    yield _question("by_hand_causal", query.double(), key.double(), value.double(), causal=True)
    few, t, s = sorted(sampler.sizes(3))
    d_k, d_v = sampler.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    yield _question("plain", *_inputs(sampler, few, t, s, **widths))
    yield _question("causal", *_inputs(sampler, few, s, s, **widths), causal=True)
    yield _question("one_sentence", *_inputs(sampler, s, t, **widths), causal=False)
    heads = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in _inputs(sampler, few, t, s, s, **widths))
    yield _question("heads", *heads, causal=True)
    yield _question("one_token", *_inputs(sampler, few, 1, 1, **widths), causal=True)
    yield _question("long", *_inputs(sampler, 60, 60, **widths), causal=True)
    query, key, value = _inputs(sampler, few, t, s, **widths)
    yield _question("negative", query - 1.5, key - 1.5, value)
    query, key, value = _inputs(sampler, few, s, t, **widths)
    yield _question("gradients", query, key, value, upstream=sampler.tensor(few, s, d_v))
    query, key, value = _inputs(sampler, few, t, t, **widths)
    yield _question("gradients_causal", query, key, value, causal=True, upstream=sampler.tensor(few, t, d_v))
    much = dict(zip(NAMES, _inputs(sampler, 400, 400, d_k=8, d_v=10), strict=True))
    yield InLittleMemory("much", much, returns=["output"], most=80_000)
    causal = dict(zip((*NAMES, "causal"), (*_inputs(sampler, 400, 400, d_k=2, d_v=3), True), strict=True))
    yield InLittleMemory("much_causal", causal, returns=["output"], most=80_000)


OUTPUT = {"fields": ["output"]}


GRADIENTS = {"fields": [f"gradients/{name}" for name in NAMES]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three words on paper come out right", 0.25, OUTPUT),
    Check("causal_by_hand", equals_reference, "by_hand_causal", "with `causal=True`, three words on paper come out right", 0.25, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "in a batch, more keys than queries come out right", 0.5, OUTPUT),
    Check("equals_causal", equals_reference, "causal", "in a batch, `causal=True` comes out right", 0.5, OUTPUT),
    Check("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, OUTPUT),
    Check("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) comes out right", 0.25, OUTPUT),
    Check("one_token", equals_reference, "one_token", "one token alone comes out right: it gets its own value", 0.25, OUTPUT),
    Check("long", equals_reference, "long", "60 words with `causal=True` come out right", 0.25, OUTPUT),
    Check("negative", equals_reference, "negative", "numbers far below zero come out right", 0.25, OUTPUT),
    Check("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25, GRADIENTS),
    Check("gradients_causal", equals_reference, "gradients_causal", "with `causal=True`, the gradients are right", 0.25, GRADIENTS),
    Check("little_memory", holds_little, "much", "400 words are read without a number for each pair of them, with `causal=True` too", 0.5,
        needs="equals_plain", also=("much_causal",)),
    Check("much", equals_reference, "much", "400 words come out right", 0.0, OUTPUT),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=25,
    checks=CHECKS,
    hints=(
        'Do the table on paper again, "sums first". Which two sums over the keys are there, and what are their shapes?',
        "Σ φ(k) vᵀ is one matrix product, `key.transpose(-2, -1) @ value`, of shape (..., Dk, Dv). With `causal=True` you need it for every position: products of each key with its value, (..., S, Dk, Dv), and a `cumsum` along the words.",
        "`memory = k.transpose(-2, -1) @ value`, `total = q @ k.sum(dim=-2).unsqueeze(-1)`, `q @ memory / total`; with `causal=True`, `(k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)` and `k.cumsum(dim=-2)` in their place.",
    ),
    ask=ask,
)
