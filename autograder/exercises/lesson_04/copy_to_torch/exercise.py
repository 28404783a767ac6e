"""Exercise `copy_to_torch`: copy our weights into PyTorch's own module."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import ModuleCopy, Question
from course_lib.checking.rules import equals_reference, keeps_dtype, unmoved

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _question(
    name: str,
    sampler: Sampler,
    d_model: int,
    num_heads: int,
    bias: bool = True,
    dropout: float = 0.0,
    dtype: torch.dtype = torch.float64,
) -> Question:
    weights: dict[str, Tensor] = {f"{layer}.weight": sampler.tensor(d_model, d_model) for layer in LAYERS}
    if bias:
        weights |= {f"{layer}.bias": sampler.tensor(d_model) for layer in LAYERS}
    weights = {name: weight.to(dtype) for name, weight in weights.items()}
    build = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
    settings = ["num_heads", "batch_first", "dropout"]
    return ModuleCopy(name, build, weights, original="ours", settings=settings)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about modules with and without dropout, without biases, and with two dtypes, one not the default."""
    h, width = sampler.shuffled(((2, 3), (3, 2), (4, 2)))[0]
    small, plain = sampler.shuffled((0.1, 0.2, 0.3))[:2]
    yield _question("small", sampler, 2, 1, dropout=small)
    yield _question("plain", sampler, h * width, h, dropout=plain)
    yield _question("without_biases", sampler, h * width, h, bias=False)
    yield _question("float64", sampler, 3, 3)
    yield _question("float32", sampler, 3, 3, dtype=torch.float32)


CHECKS = (
    Check("stacked_weight", equals_reference, "plain", "`in_proj_weight` is right: W_q, W_k and W_v, one below the other", 0.25,
        {"fields": ["state/in_proj_weight"]}, also=("small",)),
    Check("stacked_bias", equals_reference, "plain", "`in_proj_bias` is right: their biases, one after the other", 0.1,
        {"fields": ["state/in_proj_bias"]}, also=("small",)),
    Check("last_layer", equals_reference, "plain", "`out_proj` is right: it has the weight and the bias of `w_o`", 0.15,
        {"fields": ["state/out_proj.weight", "state/out_proj.bias"]}, also=("small",)),
    Check("settings", equals_reference, "plain", "the settings are right: heads and dropout of the original, and `batch_first=True`", 0.15,
        {"fields": ["settings"]}, needs="stacked_weight"),
    Check("without_biases", equals_reference, "without_biases", "a module without biases comes out right, without biases", 0.15,
        {"fields": ["state"]}),
    Check("keeps_dtype", keeps_dtype, "float64", "float64 in, float64 out; float32 in, float32 out", 0.05,
        {"fields": ["state/in_proj_weight", "state/out_proj.weight"]}, needs="stacked_weight",
        also=("without_biases", "float32")),
    Check("own_memory", unmoved, "plain", "setting the original's weights to 0 leaves the copy's as they were", 0.1,
        {"before": "state/out_proj.weight", "after": "own/out_proj.weight"}, needs="last_layer"),
    Check("original_unchanged", equals_reference, "plain", "the original is left as it was", 0.05,
        {"fields": ["after", "kept"]}, needs="stacked_weight", also=("float32",)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Print the names and shapes in `attention.state_dict()`, and in that of a new `nn.MultiheadAttention`. Which go where?",
        "Make the module with the original's settings first, `batch_first=True` among them. Then set each of its two weights, and its two biases where there are any.",
        "Under `torch.no_grad()`: `module.in_proj_weight.copy_(torch.cat([...]))` with W_q, W_k, W_v in this order, `module.out_proj.weight.copy_(attention.w_o.weight)`, "
        "and the same for `in_proj_bias` and `out_proj.bias`.",
    ),
    ask=ask,
)
