"""Exercise `pad_batch`, the lesson's first: sentences of different lengths in one rectangle."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Question, Refusal
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, refuses


def _call(name: str, sampler: Sampler, lengths: tuple[int, ...], pad_id: int) -> Call:
    """Ask for sentences of these lengths, whose ids start at 20, are all different, and are never ``pad_id``."""
    ids = iter(sampler.shuffled(range(20, 80)))
    sentences = [[next(ids) for _ in range(length)] for length in lengths]
    return Call(name, {"sentences": sentences, "pad_id": pad_id}, returns=["batch"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about padding with 0 and another id, the longest sentence in the middle, an empty one, and an empty batch."""
    yield _call("by_hand", sampler, (1, 3), 0)
    pad_id, another = (int(i) for i in sampler.shuffled(range(1, 20))[:2])
    yield _call("plain", sampler, sampler.shuffled(((3, 2, 6, 4), (2, 5, 1, 3), (3, 6, 1, 2), (4, 1, 5, 2)))[0], pad_id)
    yield _call("empty_sentence", sampler, sampler.shuffled(((2, 0, 4), (1, 0, 5), (3, 0, 4)))[0], another)
    empty_first = _call("empty_first", sampler, sampler.shuffled(((0, 2, 4), (0, 5, 1), (0, 3, 4)))[0], another)
    empty_first.arguments["sentences"][1][0] = 0  # an ordinary token, because padding is not 0 here
    yield empty_first
    yield _call("all_empty", sampler, (0, 0), another)
    yield Refusal("no_sentence", {"sentences": [], "pad_id": sampler.shuffled(range(10_000))[0]})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two sentences come out right: two rows, padded with 0", 0.5,
        {"fields": ["batch"]}),
    Check("equals_plain", equals_reference, "plain", "more sentences and another `pad_id` come out right", 0.5,
        {"fields": ["batch"]}),
    Check("empty_sentence", equals_reference, "empty_sentence", "batches with an empty sentence, and with a token whose id is 0, come out right", 0.25,
        {"fields": ["batch"]}, also=("empty_first",)),
    Check("whole_numbers", keeps_dtype, "empty_sentence", "the dtype is int64, even if every sentence is empty", 0.25,
        {"fields": ["batch"]}, needs="empty_sentence", also=("empty_first", "all_empty")),
    Check("refuses", refuses, "no_sentence", "a batch without sentences raises a `ValueError`", 0.25,
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the lists are left as they were", 0.25,
        needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Write the batch of `[[5], [6, 7, 8]]` on paper, padded with 0. How many rows and columns does it have?",
        "Two steps: find the length of the longest sentence, then make every row that long.",
        "`torch.tensor([sentence + [pad_id] * (longest - len(sentence)) for sentence in sentences])`.",
    ),
    ask=ask,
)
