"""Exercise `layer_norm`: give each token's features mean 0 and variance 1. Includes the constructor."""

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


def _weights(sampler: Sampler, d_model: int) -> dict[str, Tensor]:
    return {"gamma": 1 + sampler.tensor(d_model, scale=0.5), "beta": sampler.tensor(d_model, scale=0.5)}


def _question(
    name: str,
    weights: dict[str, Tensor],
    *xs: Tensor,
    build: dict[str, Value] | None = None,
    **more: Value,
) -> Question:
    build = {"d_model": weights["gamma"].numel(), **(build or {})}
    calls = [{"x": x} for x in xs]
    return Module(name, build, weights, calls, returns=["output"], **more)


def _on_paper(sampler: Sampler) -> tuple[dict[str, Tensor], Tensor]:
    """Return two tokens of four features, with means and variances that can be computed by hand."""
    weights = {"gamma": torch.tensor([1.0, 2.0, 1.0, 0.5]), "beta": torch.tensor([0.0, 1.0, -1.0, 0.0])}
    x = torch.tensor([[[1.0, 3.0, 5.0, 7.0], [2.0, 2.0, 6.0, 2.0]]])
    return weights, x + sampler.tensor(1, 2, 4, scale=0.3).round(decimals=1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, one token, equal features, another ε, and a cube to name what crashes.

    Features are large, so that a wrong ε changes no more than rounding may, and costs nothing. It shows if features are
    nearly equal, with a variance below ε = 0.00001, or if they are equal and only β is left.
    """
    numbers, again = (_question("by_hand", *_on_paper(source)) for source in (sampler, sampler.apart("watched")))
    yield numbers
    yield watched(numbers, again, *NORMALISE)
    # two numbers that are normalised along the wrong axis keep only their sign, and their gradient is rounding error
    (b, t), d_model = sampler.shuffled((3, 5, 6))[:2], sampler.shuffled((7, 8, 9))[0]
    weights, x = _weights(sampler, d_model), 3 * sampler.tensor(b, t, d_model) + 1
    yield _question("plain", weights, x)
    yield _question("one_token", weights, 3 * sampler.tensor(d_model) + 1)
    nearly = (4 + sampler.tensor(b, t, d_model, scale=2e-3)).round(decimals=4)
    yield _question("nearly_equal", weights, nearly)
    yield _question("other_eps", weights, x, build={"eps": sampler.shuffled((0.5, 0.7, 0.9))[0]})
    equal = torch.tensor(sampler.shuffled((-2.0, 0.0, 1.0, 4.0))[: min(t, 3)])
    yield _question("equal_features", weights, equal[None, :, None].expand(2, -1, d_model).contiguous())
    other = torch.cat([x[:, :1], sampler.tensor(b, t - 1, d_model)], dim=1)
    yield _question("changed", weights, x, other)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("gradients", weights, 3 * sampler.tensor(b, t, d_model) + 1, upstream=upstream)
    build = {"d_model": sampler.shuffled((5, 6, 7))[0], "eps": sampler.shuffled(range(11, 100))[0] / 1e6}
    yield Construction("as_constructed", build, settings=["gamma", "beta"])
    yield _question("cube", _weights(sampler, 3), 3 * sampler.tensor(3, 3, 3))


OUTPUT = {"fields": ["calls/0/output"]}


CHECKS = (
    Check("parameters", equals_reference, "plain", "the parameters are right: `gamma` and `beta`, each of shape (d_model,)", 0.25,
        {"fields": ["shapes"]}),
    Check("starts", equals_reference, "as_constructed", "the initial parameters are right: `gamma` is ones, `beta` zeros", 0.25,
        {"fields": ["settings"]}),
    Check("equals_by_hand", equals_reference, "by_hand", "two tokens of width 4 come out right", 1.0, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 1.25, OUTPUT, also=("cube",)),
    Check("one_token", equals_reference, "one_token", "a single token (D,), without batch and sentence, comes out right", 0.25, OUTPUT),
    Check("nearly_equal", equals_reference, "nearly_equal", "features whose variance is smaller than ε come out right", 0.5, OUTPUT),
    Check("other_eps", equals_reference, "other_eps", "another `eps` comes out right", 0.25, OUTPUT),
    Check("equal_features", equals_reference, "equal_features", "a token of equal features comes out right: it is `beta`, without NaN", 0.25, OUTPUT),
    Check("tokens_apart", unmoved, "changed", "changing the tokens after it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of the input, of `gamma` and of `beta` are right", 0.5,
        {"fields": ["gradients/x", "gradients/gamma", "gradients/beta"]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input stays as it was", 0.25, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "The lesson normalises (1, 3, 5, 7) on paper: its mean is 4, its variance 5. What should come out?",
        "Four steps: mean, centre, variance, divide; then scale and shift. Print the shape after each: mean and variance are (B, T, 1).",
        "`centred = x - x.mean(dim=-1, keepdim=True)`; `variance = centred.square().mean(dim=-1, keepdim=True)`; "
        "`self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
)
