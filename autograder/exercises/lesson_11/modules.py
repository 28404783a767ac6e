"""Sample weights for the modules of earlier lessons that are used in decoding."""

from __future__ import annotations

from torch import Tensor

from autograder.exercises.sampler import Sampler

ATTENTIONS = ("self_attention", "cross_attention")


def layer_weights(sampler: Sampler, d_model: int, d_ff: int, prefix: str = "") -> dict[str, Tensor]:
    """Return the state of a `DecoderLayer`, in which every number is far from its initial value."""
    shapes: dict[str, tuple[int, ...]] = {}
    for attention in ATTENTIONS:
        for projection in ("w_q", "w_k", "w_v", "w_o"):
            shapes[f"{attention}.{projection}.weight"] = (d_model, d_model)
            shapes[f"{attention}.{projection}.bias"] = (d_model,)
    shapes |= {"feed_forward.w_1.weight": (d_ff, d_model), "feed_forward.w_1.bias": (d_ff,)}
    shapes |= {"feed_forward.w_2.weight": (d_model, d_ff), "feed_forward.w_2.bias": (d_model,)}
    for residual in (*ATTENTIONS, "feed_forward"):
        for parameter in ("gamma", "beta"):
            shapes[f"{residual}_residual.norm.{parameter}"] = (d_model,)
    return {prefix + name: sampler.tensor(*shape, scale=0.6) for name, shape in shapes.items()}


def decoder_weights(sampler: Sampler, num_layers: int, vocab: int, d_model: int, d_ff: int) -> dict[str, Tensor]:
    """Return the state of a `Transformer` without its encoder and its source embedding."""
    weights = {"target_embedding.token_embedding.weight": sampler.tensor(vocab, d_model, scale=0.5)}
    for number in range(num_layers):
        weights |= layer_weights(sampler, d_model, d_ff, f"decoder.layers.{number}.")
    weights |= {f"decoder.norm.{name}": sampler.tensor(d_model, scale=0.6) for name in ("gamma", "beta")}
    return weights
