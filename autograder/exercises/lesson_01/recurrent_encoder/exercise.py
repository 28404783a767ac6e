"""Exercise `recurrent_encoder`: sentences of different lengths, each read to its own end."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_01.encoders import encoder_question, sentences
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved


def _weights(sampler: Sampler, v: int, d: int) -> dict[str, Tensor]:
    """Return an embedding whose padding row is not zero, and LSTM weights so small that no gate is closed."""
    return {
        "embedding.weight": sampler.tensor(v, d),
        "lstm.weight_ih_l0": sampler.tensor(4 * d, d, scale=0.4),
        "lstm.weight_hh_l0": sampler.tensor(4 * d, d, scale=0.4),
        "lstm.bias_ih_l0": sampler.tensor(4 * d, scale=0.3),
        "lstm.bias_hh_l0": sampler.tensor(4 * d, scale=0.3),
    }


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about full sentences, more and less padding, no full sentence, a pad id other than 0, and gradients.

    Lengths never decrease from sentence to sentence, so that code that needs them sorted fails.
    """
    v = sampler.shuffled((9, 11, 13))[0]
    weights = _weights(sampler, v, 3)
    yield encoder_question("full", weights, 0, sentences(sampler, (4, 4), 4, v, 0))
    short, middle, long = sampler.shuffled(((1, 3, 6), (2, 4, 6), (1, 4, 7), (2, 5, 7)))[0]
    d = sampler.shuffled((4, 5, 8))[0]
    weights = _weights(sampler, v, d)
    source = sentences(sampler, (middle, short, long), long, v, 0)
    yield encoder_question("plain", weights, 0, source, nn.functional.pad(source, (0, 2)))
    all_padded = sentences(sampler, (short, middle), long, v, 0)
    yield encoder_question("all_padded", weights, 0, all_padded)
    pad_id = sampler.shuffled((2, 3, 4))[0]
    other = sentences(sampler, (short, long, middle), long, v, pad_id)
    other[:, 0] = 0  # the id of a real word
    yield encoder_question("another_pad", weights, pad_id, other)
    yield encoder_question("one_sentence", weights, 0, sentences(sampler, (middle,), long, v, 0))
    small, width = _weights(sampler, 7, 3), 5
    upstream = {"states": sampler.tensor(2, width, 3), "last/0": sampler.tensor(2, 3), "last/1": sampler.tensor(2, 3)}
    yield encoder_question("gradients", small, 0, sentences(sampler, (2, 5), width, 7, 0), upstream=upstream)


CHECKS = (
    Check("full", equals_reference, "full", "two sentences of the same length come out right: states, h and c", 0.45,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("one_sentence", equals_reference, "one_sentence", "a single sentence and its padding come out right: states (1, S, D), h and c (1, D)", 0.2,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("states", equals_reference, "plain", "the states of sentences of different lengths come out right, with zeros at padding", 0.7,
        {"fields": ["calls/0/states"]}),
    Check("last_state", equals_reference, "plain", "h is right: the state after the last real word", 0.55,
        {"fields": ["calls/0/last/0"]}),
    Check("last_memory", equals_reference, "plain", "c is right: the cell state after the last real word", 0.55,
        {"fields": ["calls/0/last/1"]}),
    Check("all_padded", equals_reference, "all_padded", "where every sentence ends in padding, the states are right, and as wide as the batch", 0.35,
        {"fields": ["calls/0/states"]}),
    Check("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.3,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of embedding and LSTM are right", 0.45,
        {"fields": [f"gradients/{name}" for name in ("embedding.weight", "lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0")]}),
    Check("padding_is_invisible", unmoved, "plain", "more padding at the end leaves c as it is", 0.25,
        {"before": "calls/0/last/1", "after": "calls/1/last/1"}, needs="last_memory"),
    Check("inputs_unchanged", inputs_unchanged, "full", "the sentences are left as they were", 0.2, needs="full"),
)  # fmt: skip


SORTED = ", enforce_sorted=False"


PACK = f"pack_padded_sequence(embedded, lengths.cpu(), batch_first=True{SORTED})"


UNPACK = "states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.size(1))"


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "First write it for sentences of the same length. Which three tensors does the LSTM give you, and in which shapes?",
        "Then padding: count each sentence's real words. `torch.nn.utils.rnn` has a pair of functions that pack sentences of different lengths, and unpack them.",
        f"`lengths = …`; `packed = {PACK}`; the LSTM; `{UNPACK}`; `h.squeeze(0)` and `c.squeeze(0)`.",
    ),
    ask=ask,
    write=("forward",),
)
