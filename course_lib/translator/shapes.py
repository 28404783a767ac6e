"""Which weights a Transformer of given settings has, and in what shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

_SIZES = ("source_vocab_size", "target_vocab_size", "d_model", "num_heads", "num_layers", "d_ff", "max_length")


def weight_shapes(configuration: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Return the names and shapes of `Transformer`'s parameters and of its ``positions``.

    Args:
        configuration: the arguments of `Transformer`.
    """
    d_model, d_ff = configuration["d_model"], configuration["d_ff"]
    yield "positions", (configuration["max_length"], d_model)
    for side in ("source", "target"):
        yield f"{side}_embedding.token_embedding.weight", (configuration[f"{side}_vocab_size"], d_model)
    for stack, attentions in (("encoder", ("self",)), ("decoder", ("self", "cross"))):
        sublayers = [*(f"{kind}_attention" for kind in attentions), "feed_forward"]
        for layer in (f"{stack}.layers.{number}" for number in range(configuration["num_layers"])):
            for attention in sublayers[:-1]:
                for projection in ("w_q", "w_k", "w_v", "w_o"):
                    yield f"{layer}.{attention}.{projection}.weight", (d_model, d_model)
                    yield f"{layer}.{attention}.{projection}.bias", (d_model,)
            yield f"{layer}.feed_forward.w_1.weight", (d_ff, d_model)
            yield f"{layer}.feed_forward.w_1.bias", (d_ff,)
            yield f"{layer}.feed_forward.w_2.weight", (d_model, d_ff)
            yield f"{layer}.feed_forward.w_2.bias", (d_model,)
            for norm in (f"{layer}.{sublayer}_residual.norm" for sublayer in sublayers):
                yield f"{norm}.gamma", (d_model,)
                yield f"{norm}.beta", (d_model,)
        if configuration["norm_first"]:
            yield f"{stack}.norm.gamma", (d_model,)
            yield f"{stack}.norm.beta", (d_model,)


def misfit(weights: Mapping[str, Tensor], configuration: Mapping[str, Any]) -> str:
    """Explain why a Transformer with these settings cannot have these weights; return an empty text if they fit.

    Other names are ignored.
    """
    for name in _SIZES:
        size = configuration.get(name)
        if type(size) is not int or size < 1:
            return f"{name} must be a number above 0, and is {size!r}"
    if configuration["d_model"] % configuration["num_heads"]:
        return f"{configuration['num_heads']} heads cannot share a width of {configuration['d_model']}"
    if type(configuration.get("norm_first")) is not bool:
        return f"norm_first must be true or false, and is {configuration.get('norm_first')!r}"
    for name, shape in weight_shapes(configuration):
        if name not in weights:
            return f"{name} is missing"
        if tuple(weights[name].shape) != shape:
            return f"{name} has the shape {tuple(weights[name].shape)}, and its settings ask for {shape}"
        if not weights[name].isfinite().all():
            return f"{name} holds numbers that are infinite or NaN"
    return ""
