"""Exercise `chunked_attention`: exact attention that never stores more than a chunk of scores."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from autograder.exercises.lesson_03.scaled_dot_product_attention.exercise import masked_here_and_there
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import InLittleMemory, Question, calling
from course_lib.checking.rules import equals_reference, holds_little, inputs_unchanged

NAMES = ("query", "key", "value", "chunk_size", "mask")


_question = calling(*NAMES, returns=["output"])


def _inputs(sampler: Sampler, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return sampler.tensor(*lead, t, d_k), sampler.tensor(*lead, s, d_k), sampler.tensor(*lead, s, d_v)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about four keys by hand, chunks of every size, masks, an empty row, extremes, heads, and many keys."""
    query = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    key = torch.zeros(4, 4)
    key[:, 0] = torch.tensor([2.0, 4.0, 8.0, 1.0])[sampler.order(4)].log()  # the scores are these logs: times 2 / √4
    value = torch.tensor([[6.0], [3.0], [9.0], [12.0]]) + sampler.tensor(4, 1).round()
    yield _question("by_hand", query.double(), key.double(), value.double(), 2)
    few, t, more = sorted(sampler.sizes(3))
    s = sampler.shuffled((13, 14))[0]  # divisible by none of the chunk sizes below except itself
    d_k, d_v = sampler.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    plain = _question("plain", *_inputs(sampler, few, t, s, **widths), sampler.shuffled((4, 5))[0])
    yield plain
    for name, size in (("one_by_one", 1), ("all_but_one", s - 1), ("all", s), ("more_than_all", s + 4)):
        yield _question(name, *_inputs(sampler, few, more, s, **widths), size)
    yield _question("one_sentence", *_inputs(sampler, more, s, **widths), 3)
    yield _question("masked", *_inputs(sampler, few, t, s, **widths), 4, masked_here_and_there(sampler, t, s))
    views = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in _inputs(sampler, few, more, t, s, **widths))
    yield _question("heads", *views, 5, masked_here_and_there(sampler, few, 1, 1, s))
    mask = masked_here_and_there(sampler, t, s)
    mask[0], mask[1, :4], mask[1, 4:] = False, False, True
    yield _question("fully_masked", *_inputs(sampler, few, t, s, **widths), 4, mask)
    query, key, value = _inputs(sampler, few, t, s, **widths)
    yield _question("far_below", query.abs() + 1, key - 900, value, 4)
    yield _question("far_above", query.abs() + 1, key + 900, value, 4)
    gradients = _inputs(sampler, few, t, s, **widths)
    yield _question("gradients", *gradients, 4, upstream=sampler.tensor(few, t, d_v))
    much = dict(zip(NAMES, (*_inputs(sampler, 256, 256, d_k=8, d_v=10), 16), strict=False))
    yield InLittleMemory("much", much, returns=["output"], most=48_000)
    small = dict(zip(NAMES, (*_inputs(sampler, 256, 256, d_k=8, d_v=10), 4), strict=False))
    yield InLittleMemory("small_chunks", small, returns=["output"], most=32_000)
    own = sampler.apart("watched")
    again = _question("plain", *_inputs(own, few, t, s, **widths), own.shuffled((4, 5))[0])
    yield watched(
        plain,
        again,
        "nn.functional.scaled_dot_product_attention",
        "nn.functional.multi_head_attention_forward",
        "nn.MultiheadAttention",
        "nn.attention.flex_attention.flex_attention",
    )


OUTPUT = {"fields": ["output"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "four keys on paper, in two chunks, come out right", 0.25, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "in a batch, chunks that don't divide the keys evenly come out right", 0.5, OUTPUT),
    Check("any_size", equals_reference, "one_by_one", "chunks of any size come out right: of 1, of all keys or one fewer, and of more than there are", 0.25, OUTPUT,
        also=("all_but_one", "all", "more_than_all")),
    Check("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, OUTPUT),
    Check("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, OUTPUT),
    Check("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25, OUTPUT),
    Check("fully_masked", equals_reference, "fully_masked", "a query comes out right where all keys are masked, and where a whole chunk is", 0.25, OUTPUT),
    Check("far_below", equals_reference, "far_below", "scores far below and far above zero come out right", 0.25, OUTPUT, also=("far_above",)),
    Check("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25,
        {"fields": [f"gradients/{name}" for name in NAMES[:3]]}),
    Check("little_memory", holds_little, "much", "256 words: in chunks of 16, never all scores at once; in chunks of 4, less memory", 0.5,
        needs="equals_plain", also=("small_chunks",)),
    Check("much", equals_reference, "much", "256 words come out right", 0.0, OUTPUT),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.0, needs="equals_masked"),
    WRITTEN_BY_HAND,
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Which three tensors describe a query that hasn't seen any key yet? They are the first row of the table on paper.",
        "Loop over `range(0, key.size(-2), chunk_size)`. Cut the keys, the values and, if there is one, the mask in the same places.",
        "In the loop: `scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))`, `masked_fill` with −∞, then `maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., chunk, :])`. After it: `mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)`.",
    ),
    ask=ask,
    builds_on=("online_softmax",),
)
