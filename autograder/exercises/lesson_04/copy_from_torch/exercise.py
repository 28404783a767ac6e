"""Exercise `copy_from_torch`: copy the weights of PyTorch's own module into ours."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import ModuleCopy, Question
from course_lib.checking.rules import equals_reference, keeps_dtype, unmoved


def _question(
    name: str,
    sampler: Sampler,
    d_model: int,
    num_heads: int,
    bias: bool = True,
    dropout: float = 0.0,
    dtype: torch.dtype = torch.float64,
) -> Question:
    weights: dict[str, Tensor] = {"in_proj_weight": sampler.tensor(3 * d_model, d_model)}
    if bias:
        weights["in_proj_bias"] = sampler.tensor(3 * d_model)
    weights["out_proj.weight"] = sampler.tensor(d_model, d_model)
    if bias:
        weights["out_proj.bias"] = sampler.tensor(d_model)
    weights = {name: weight.to(dtype) for name, weight in weights.items()}
    build = {"embed_dim": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias, "batch_first": True}
    return ModuleCopy(name, build, weights, original="torchs", settings=["num_heads", "dropout.p"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about modules with and without dropout, without biases, and with two dtypes, one not the default."""
    h, width = sampler.shuffled(((2, 3), (3, 2), (4, 2)))[0]
    small, plain = sampler.shuffled((0.1, 0.2, 0.3))[:2]
    yield _question("small", sampler, 2, 1, dropout=small)
    yield _question("plain", sampler, h * width, h, dropout=plain)
    yield _question("without_biases", sampler, h * width, h, bias=False)
    yield _question("float64", sampler, 3, 3)
    yield _question("float32", sampler, 3, 3, dtype=torch.float32)


def _layer(letter: str) -> list[str]:
    return [f"state/w_{letter}.weight", f"state/w_{letter}.bias"]


CHECKS = (
    Check("queries", equals_reference, "plain", "`w_q` is right: its block of the stacked weights and biases", 0.15, {"fields": _layer("q")}, also=("small",)),
    Check("keys", equals_reference, "plain", "`w_k` is right: its block of the stacked weights and biases", 0.15, {"fields": _layer("k")}, also=("small",)),
    Check("values", equals_reference, "plain", "`w_v` is right: its block of the stacked weights and biases", 0.15, {"fields": _layer("v")}, also=("small",)),
    Check("last_layer", equals_reference, "plain", "`w_o` is right: it has the weight and the bias of `out_proj`", 0.15, {"fields": _layer("o")}, also=("small",)),
    Check("settings", equals_reference, "plain", "heads and dropout are right: those of the original", 0.05,
        {"fields": ["settings"]}, needs="queries"),
    Check("without_biases", equals_reference, "without_biases", "a module without biases comes out right, without biases", 0.15,
        {"fields": ["state"]}),
    Check("keeps_dtype", keeps_dtype, "float64", "float64 in, float64 out; float32 in, float32 out", 0.05,
        {"fields": ["state/w_q.weight", "state/w_o.weight"]}, needs="queries", also=("without_biases", "float32")),
    Check("own_memory", unmoved, "plain", "setting the original's stacked weights to 0 leaves `w_q` as it was", 0.05,
        {"before": "state/w_q.weight", "after": "own/w_q.weight"}, needs="queries"),
    Check("own_last_layer", unmoved, "plain", "setting the original's `out_proj` to 0 leaves `w_o` as it was", 0.05,
        {"before": "state/w_o.weight", "after": "own/w_o.weight"}, needs="last_layer"),
    Check("original_unchanged", equals_reference, "plain", "the original is left as it was", 0.05,
        {"fields": ["after", "kept"]}, needs="queries", also=("float32",)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "It is `copy_to_torch` read backwards. Print the names and shapes in `module.state_dict()`, and in that of a new `MultiHeadAttention`.",
        "Make ours with the original's settings first. Then cut the stack in three, and set each of the four weights, and the four biases where there are any.",
        "Under `torch.no_grad()`: the three blocks of `module.in_proj_weight.chunk(3)` go into `w_q`, `w_k`, `w_v` by `layer.weight.copy_(block)`, "
        "`module.out_proj.weight` into `w_o`, and the biases the same way.",
    ),
    ask=ask,
)
