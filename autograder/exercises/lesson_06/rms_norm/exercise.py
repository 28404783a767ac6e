"""Exercise `rms_norm`: divide each token by the root of the mean of its squares. Includes the constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import NORMALISE, WRITTEN_BY_HAND, watched
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Construction, Module, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value


def _question(name: str, gamma: Tensor, *xs: Tensor, build: dict[str, Value] | None = None, **more: Value) -> Question:
    build = {"d_model": gamma.numel(), **(build or {})}
    calls = [{"x": x} for x in xs]
    return Module(name, build, {"gamma": gamma}, calls, returns=["output"], **more)


def _on_paper(sampler: Sampler) -> tuple[Tensor, Tensor]:
    """Return two tokens of four features: the roots of their mean squares are 3 and 5."""
    tokens = [
        [number * sampler.shuffled((-1.0, 1.0))[0] for number in sampler.shuffled(numbers)]
        for numbers in ((1.0, 1.0, 3.0, 5.0), (1.0, 5.0, 5.0, 7.0))
    ]
    return torch.tensor([1.0, 2.0, 3.0, 0.5]), torch.tensor([tokens])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, one token, tiny features, another ε, zeros, and a cube for crashes.

    Features are large, so that a wrong ε changes no more than rounding may, and costs nothing. It shows if the mean of
    the squares is below ε = 0.00001, or if all features are 0.
    """
    numbers, again = (_question("by_hand", *_on_paper(source)) for source in (sampler, sampler.apart("watched")))
    yield numbers
    yield watched(numbers, again, *NORMALISE)
    (b, t), d_model = sampler.shuffled((3, 5, 6))[:2], sampler.shuffled((7, 8, 9))[0]
    gamma, x = 1 + sampler.tensor(d_model, scale=0.5), 3 * sampler.tensor(b, t, d_model) + 1
    yield _question("plain", gamma, x)
    yield _question("one_token", gamma, 3 * sampler.tensor(d_model) + 1)
    yield _question("tiny", gamma, sampler.tensor(b, t, d_model, scale=2e-3).round(decimals=4))
    yield _question("other_eps", gamma, x, build={"eps": sampler.shuffled((0.5, 0.7, 0.9))[0]})
    yield _question("zeros", gamma, torch.cat([torch.zeros(1, 1, d_model), sampler.tensor(1, t, d_model)], dim=1))
    other = torch.cat([x[:, :1], sampler.tensor(b, t - 1, d_model)], dim=1)
    yield _question("changed", gamma, x, other)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("gradients", gamma, 3 * sampler.tensor(b, t, d_model) + 1, upstream=upstream)
    build = {"d_model": sampler.shuffled((5, 6, 7))[0], "eps": sampler.shuffled(range(11, 100))[0] / 1e6}
    yield Construction("as_constructed", build, settings=["gamma"])
    yield _question("cube", 1 + sampler.tensor(3, scale=0.5), 4 + sampler.tensor(3, 3, 3))


OUTPUT = {"fields": ["calls/0/output"]}


CHECKS = (
    Check("starts", equals_reference, "as_constructed", "the initial parameter is right: `gamma` is ones, of shape (d_model,)", 0.25,
        {"fields": ["settings"]}),
    Check("equals_by_hand", equals_reference, "by_hand", "two tokens of width 4 come out right", 0.5, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5, OUTPUT, also=("cube",)),
    Check("one_token", equals_reference, "one_token", "a single token (D,), without batch and sentence, comes out right", 0.25, OUTPUT),
    Check("tiny", equals_reference, "tiny", "features whose mean square is smaller than ε come out right", 0.25, OUTPUT),
    Check("other_eps", equals_reference, "other_eps", "another `eps` comes out right", 0.25, OUTPUT),
    Check("zeros", equals_reference, "zeros", "a sentence with a token of zeros comes out right, without NaN", 0.25, OUTPUT),
    Check("tokens_apart", unmoved, "changed", "changing the tokens after it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of the input and of `gamma` are right", 0.25,
        {"fields": ["gradients/x", "gradients/gamma"]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input stays as it was", 0.25, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "The mean of the squares of (1, 3, 5, 7) is 21. What should come out for that word?",
        "Three steps: square, mean, divide by the root. Print the shape of the mean: it is (B, T, 1).",
        "`mean_square = x.square().mean(dim=-1, keepdim=True)`; `self.gamma * x / torch.sqrt(mean_square + self.eps)`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
)
