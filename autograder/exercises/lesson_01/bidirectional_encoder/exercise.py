"""Exercise `bidirectional_encoder`: every sentence read from both of its ends, without its padding."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_01.encoders import encoder_question, sentences
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved

DIRECTIONS = "left_to_right", "right_to_left"


def _weights(sampler: Sampler, v: int, d: int) -> dict[str, Tensor]:
    """Return an embedding whose padding row is not zero, and LSTM weights so small that no gate is closed."""
    half = d // 2
    weights = {"embedding.weight": sampler.tensor(v, d)}
    for direction in DIRECTIONS:
        weights |= {
            f"{direction}.weight_ih_l0": sampler.tensor(4 * half, d, scale=0.4),
            f"{direction}.weight_hh_l0": sampler.tensor(4 * half, half, scale=0.4),
            f"{direction}.bias_ih_l0": sampler.tensor(4 * half, scale=0.3),
            f"{direction}.bias_hh_l0": sampler.tensor(4 * half, scale=0.3),
        }
    return weights


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about full sentences, more and less padding, no full sentence, a pad id other than 0, and gradients."""
    v = sampler.shuffled((9, 11, 13))[0]
    yield encoder_question("full", _weights(sampler, v, 4), 0, sentences(sampler, (4, 4), 4, v, 0))
    short, middle, long = sampler.shuffled(((2, 3, 6), (2, 4, 6), (3, 4, 7), (2, 5, 7)))[0]
    weights = _weights(sampler, v, sampler.shuffled((6, 8, 10))[0])
    source = sentences(sampler, (middle, short, long), long, v, 0)
    yield encoder_question("plain", weights, 0, source, nn.functional.pad(source, (0, 2)))
    yield encoder_question("all_padded", weights, 0, sentences(sampler, (short, middle), long, v, 0))
    pad_id = sampler.shuffled((2, 3, 4))[0]
    other = sentences(sampler, (short, long, middle), long, v, pad_id)
    other[:, 0] = 0  # the id of a real word
    yield encoder_question("another_pad", weights, pad_id, other)
    yield encoder_question("one_sentence", weights, 0, sentences(sampler, (middle,), long, v, 0))
    width, d = 5, 4
    upstream = {"states": sampler.tensor(2, width, d), "last/0": sampler.tensor(2, d), "last/1": sampler.tensor(2, d)}
    small = _weights(sampler, 7, d)
    yield encoder_question("gradients", small, 0, sentences(sampler, (3, 5), width, 7, 0), upstream=upstream)


LEARNED = (
    "embedding.weight",
    *(f"{name}.{kind}_l0" for name in DIRECTIONS for kind in ("weight_ih", "weight_hh", "bias_ih")),
)

CHECKS = (
    Check("full", equals_reference, "full", "two sentences of the same length come out right: states, h and c", 0.5,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("one_sentence", equals_reference, "one_sentence", "a single padded sentence comes out right: states (1, S, D), and h and c (1, D)", 0.2,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("states", equals_reference, "plain", "in sentences of different lengths, the states are right: both directions for each word, and zeros for padding", 0.6,
        {"fields": ["calls/0/states"]}),
    Check("last_state", equals_reference, "plain", "h is right: the last state of both directions", 0.4,
        {"fields": ["calls/0/last/0"]}),
    Check("last_memory", equals_reference, "plain", "c is right: the last cell state of both directions", 0.3,
        {"fields": ["calls/0/last/1"]}),
    Check("all_padded", equals_reference, "all_padded", "a batch in which every sentence ends in padding comes out right", 0.2,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.25,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of the embedding and of both LSTMs are right", 0.35,
        {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Check("padding_is_invisible", unmoved, "plain", "more padding at the end leaves h as it is", 0.1,
        {"before": "calls/0/last/0", "after": "calls/1/last/0"}, needs="last_state"),
    Check("inputs_unchanged", inputs_unchanged, "full", "the sentences are left as they were", 0.1, needs="full"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "First write it for sentences of the same length. What does the second LSTM read, and in which order do its states come back?",
        "Then padding: which position holds the last word of a sentence of n words? Swap position i with n − 1 − i, and leave padding where it is.",
        "`position = torch.arange(S)`; `last = lengths.unsqueeze(1) - 1`; `mirror = torch.where(position <= last, last - position, position)`. "
        "With `row = torch.arange(B).unsqueeze(1)`, `embedded[row, mirror]` is what the second LSTM reads, and `back_states[row, mirror]` puts its states back in order.",
    ),
    ask=ask,
    write=("forward",),
)
