"""Exercise `shift_targets`: the decoder's input, and the words that it should predict."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["inputs", "labels"]


PAD, BOS, EOS = 0, 1, 2


def _target(sampler: Sampler, lengths: list[int], longest: int) -> Tensor:
    """Return sentences of these lengths between ``bos`` and ``eos``, padded to ``longest`` words. All words differ."""
    words = sampler.shuffled(range(3, 90))
    rows = []
    for length in lengths:
        sentence, words = words[:length], words[length:]
        rows.append([BOS, *sentence, EOS, *[PAD] * (longest - length)])
    return torch.tensor(rows)  # (B, longest + 2)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one sentence, several lengths, as many sentences as tokens, a single word, and an empty sentence."""
    yield Call("by_hand", {"target": _target(sampler, [3], 3)}, returns=RETURNS)
    b, t = sampler.shuffled(((2, 5), (3, 6), (5, 6)))[0]
    lengths = sampler.shuffled([t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))])
    yield Call("plain", {"target": _target(sampler, lengths, t)}, returns=RETURNS)
    square = {"target": _target(sampler, sampler.shuffled([3, 2, 1, 3, 2]), 3)}
    yield Call("square", square, returns=RETURNS)
    yield Call("one_word", {"target": _target(sampler, [1, 1], 1)}, returns=RETURNS)
    two = [BOS, sampler.shuffled(range(3, 90))[0]]
    yield Call("two_tokens", {"target": torch.tensor([two])}, returns=RETURNS)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "one sentence of three words comes out right", 0.4,
        {"fields": RETURNS}),
    Check("inputs", equals_reference, "plain", "the inputs of a padded batch are right", 0.4,
        {"fields": ["inputs"]}, needs="equals_by_hand"),
    Check("labels", equals_reference, "plain", "the labels of a padded batch are right", 0.4,
        {"fields": ["labels"]}, needs="equals_by_hand"),
    Check("square", equals_reference, "square", "a batch of as many sentences as tokens comes out right", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("one_word", equals_reference, "one_word", "sentences of a single word come out right", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("two_tokens", equals_reference, "two_tokens", "two tokens come out right: the first is read, the second predicted", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Check("input_unchanged", inputs_unchanged, "by_hand", "the target is left as it was", 0.2,
        needs="equals_by_hand", also=("plain",)),
)  # fmt: skip


SHOW = "`target[:, :-1]` is all but the last token, `target[:, 1:]` all but the first: return them in this order."


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Write down `bos the cat sleeps eos`, and below each token the one the decoder should say when it has read it.",
        "Two slices of one tensor, along its second axis. Which token is in neither of your results? None should be.",
        SHOW,
    ),
    ask=ask,
)
