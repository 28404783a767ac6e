"""Exercise `decoder_step`: one step of Luong's decoder."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value


def _weights(sampler: Sampler, v: int, d: int) -> dict[str, Tensor]:
    """Return weights so small that no gate is closed and no tanh saturates. The readout shares the embedding's."""
    return {
        "embedding.weight": sampler.tensor(v, d, scale=0.4),
        "lstm.weight_ih": sampler.tensor(4 * d, d, scale=0.3),
        "lstm.weight_hh": sampler.tensor(4 * d, d, scale=0.4),
        "lstm.bias_ih": sampler.tensor(4 * d, scale=0.3),
        "lstm.bias_hh": sampler.tensor(4 * d, scale=0.3),
        "attentional_state.w.weight": sampler.tensor(d, 2 * d, scale=0.4),
        "readout.bias": sampler.tensor(v, scale=0.5),
    }


def _inputs(sampler: Sampler, b: int, s: int, v: int, d: int) -> dict[str, Value]:
    return {
        "word": torch.tensor(sampler.shuffled(range(1, v))[:b]),
        "state": (sampler.tensor(b, d, scale=0.7), sampler.tensor(b, d, scale=0.7)),
        "keys": sampler.tensor(b, s, d),
    }


def _question(name: str, weights: dict[str, Tensor], *calls: dict[str, Value], **more: Value) -> Question:
    v, d = weights["embedding.weight"].shape
    build = {"vocabulary_size": v, "d_model": d}
    return Module(name, build, weights, calls, returns=["logits", "state", "weights"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one sentence, a batch, the same batch with another second sentence, a mask, and gradients.

    A key of zeros and the id 0, which elsewhere means padding, are nothing special here.
    """
    v = sampler.shuffled((9, 11, 13))[0]
    b, s = sorted(sampler.sizes(2))
    d = sampler.widths(1)[0]
    weights, given = _weights(sampler, v, 4), _inputs(sampler, 1, 3, v, 4)
    given["keys"][:, 1] = 0.0
    yield _question("one_sentence", weights, given)
    weights, given = _weights(sampler, v, d), _inputs(sampler, b, s, v, d)
    given["word"][-1] = 0
    keys = torch.cat([given["keys"][:1], _inputs(sampler, b, s, v, d)["keys"][1:]])
    yield _question("plain", weights, given, given | {"keys": keys})
    masked = _inputs(sampler, b, s, v, d) | {"mask": sampler.mask(b, s)}
    yield _question("masked", weights, masked)
    upstream = {"logits": sampler.tensor(2, 7), "state/0": sampler.tensor(2, 3), "state/1": sampler.tensor(2, 3)}
    yield _question("gradients", _weights(sampler, 7, 3), _inputs(sampler, 2, 4, 7, 3), upstream=upstream)


LEARNED = "embedding.weight", "lstm.weight_ih", "lstm.weight_hh", "attentional_state.w.weight", "readout.bias"

CHECKS = (
    Check("one_sentence", equals_reference, "one_sentence", "a single sentence comes out right: logits, state and weights", 0.3,
        {"fields": ["calls/0/logits", "calls/0/state", "calls/0/weights"]}),
    Check("logits", equals_reference, "plain", "the logits of a batch come out right", 0.5,
        {"fields": ["calls/0/logits"]}),
    Check("state", equals_reference, "plain", "the new state is right: the LSTM's h and c", 0.35,
        {"fields": ["calls/0/state"]}),
    Check("weights", equals_reference, "plain", "the attention weights come out right", 0.2,
        {"fields": ["calls/0/weights"]}),
    Check("masked", equals_reference, "masked", "a mask (B, S) comes out right", 0.25,
        {"fields": ["calls/0/logits", "calls/0/weights"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of state, keys and weights are right", 0.25,
        {"fields": ["gradients/state[0]", "gradients/state[1]", "gradients/keys", *(f"gradients/{name}" for name in LEARNED)]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's logits as they are", 0.1,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0]}, needs="logits"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the state that you were given is left as it was", 0.05, needs="state"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Follow Luong's column in the drawing from top to bottom. Each box is one line of code.",
        "`self.embedding`, `self.lstm`, `self.attentional_state`, `self.readout`, in this order. Print the shape after each.",
        "`h, c = self.lstm(self.embedding(word), state)`; `mixed, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)`; "
        "`return self.readout(mixed), (h, c), weights`.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("attentional_state",),
)
