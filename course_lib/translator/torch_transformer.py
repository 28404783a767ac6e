"""The translator's network built from torch's own layers: it runs before you have written any.

Lesson 08 builds the same network from your parts. A test checks that both give equal outputs with these weights.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

_STACKS = ("encoder", "decoder")

#: the names of our parameters in torch's layers
_NAMES = {
    "self_attention_residual.norm": "norm1",
    "cross_attention_residual.norm": "norm2",
    "self_attention": "self_attn",
    "cross_attention": "multihead_attn",
    "feed_forward.w_1": "linear1",
    "feed_forward.w_2": "linear2",
    "w_o": "out_proj",
    "gamma": "weight",
    "beta": "bias",
}


class TorchTransformer(nn.Module):
    """An encoder-decoder of torch's layers, with the methods of our `Transformer`.

    Args:
        configuration: the arguments of our `Transformer`.
        weights: by the names of its parameters, and ``positions`` (L, D).
    """

    def __init__(self, configuration: dict[str, Any], weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.pad_id: int = configuration["pad_id"]
        self.weights = weights
        self.encoder, self.decoder = (_stack(part, configuration["num_heads"], weights) for part in _STACKS)
        self.requires_grad_(False)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Return the memory (B, S, D) of source ids (B, S), and which positions of it are real, (B, 1, 1, S)."""
        real = source != self.pad_id  # (B, S)
        embedded = self._embed("source", source)  # (B, S, D)
        memory = self.encoder(embedded, src_key_padding_mask=~real)  # (B, S, D); there, True = blocked
        return memory, real[:, None, None]

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Return the logits (B, T, V) of what comes after each of the target ids (B, T)."""
        future = nn.Transformer.generate_square_subsequent_mask(target.size(1)).isinf()  # (T, T)
        decoded: Tensor = self.decoder(
            self._embed("target", target),
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=target == self.pad_id,
            memory_key_padding_mask=~memory_mask[:, 0, 0],
        )  # (B, T, D)
        return decoded @ self.weights["target_embedding.token_embedding.weight"].T  # (B, T, V)

    def _embed(self, side: str, ids: Tensor) -> Tensor:
        table = self.weights[f"{side}_embedding.token_embedding.weight"]  # (V, D)
        return F.embedding(ids, table) * math.sqrt(table.size(1)) + self.weights["positions"][: ids.size(1)]


def as_torchs(model: nn.Module) -> nn.Transformer:
    """Build PyTorch's own `nn.Transformer` with the weights of our encoder and decoder: it computes the same.

    It takes vectors, not words: embeddings and the output layer stay outside. In its masks, True means *blocked*. If
    ours is post-norm, its stacks lack the final normalisation that `nn.Transformer` has by default.

    Args:
        model: with the parameter names of our `Transformer`; it is not changed. The new one has no dropout.
    """
    weights = {name: weight.detach().clone() for name, weight in model.named_parameters(remove_duplicate=False)}
    num_heads = model.encoder.layers[0].self_attention.num_heads  # type: ignore[union-attr,index]
    d_model = weights["encoder.layers.0.self_attention.w_q.weight"].size(0)
    with torch.device("meta"):  # its own stacks, of one layer, are never used
        theirs = nn.Transformer(d_model, num_heads, 1, 1, batch_first=True)
    theirs.encoder, theirs.decoder = (_stack(part, num_heads, weights) for part in _STACKS)
    return theirs


def _stack(part: str, num_heads: int, weights: dict[str, Tensor]) -> nn.Module:
    """Build torch's encoder or decoder with the weights whose names begin with ``part``."""
    d_ff, d_model = weights[f"{part}.layers.0.feed_forward.w_1.weight"].shape
    number = len({name.split(".")[2] for name in weights if name.startswith(f"{part}.layers.")})
    norm_first = f"{part}.norm.gamma" in weights
    sizes: Any = (d_model, num_heads, d_ff)
    options: Any = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first}
    with torch.device("meta"):  # no initialisation is needed: every weight is set below
        norm = nn.LayerNorm(d_model) if norm_first else None
        stack: nn.Module
        if part == "encoder":
            layer = nn.TransformerEncoderLayer(*sizes, **options)
            stack = nn.TransformerEncoder(layer, number, norm, enable_nested_tensor=False)
        else:
            stack = nn.TransformerDecoder(nn.TransformerDecoderLayer(*sizes, **options), number, norm)
    stack.load_state_dict(in_torchs_names(weights, f"{part}."), assign=True)
    return stack


def in_torchs_names(weights: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the weights whose names begin with ``prefix``, without it, under the names of torch's layers."""
    renamed = {}
    for name, weight in weights.items():
        if not name.startswith(prefix) or ".w_k." in name or ".w_v." in name:
            continue
        theirs = name.removeprefix(prefix)
        if ".w_q." in name:  # torch keeps the three projections of an attention in one tensor
            weight = torch.cat([weights[name.replace(".w_q.", f".w_{one}.")] for one in "qkv"])  # noqa: PLW2901
            theirs = theirs.replace("w_q.", "in_proj_")
        # the feed-forward network's normalisation is the encoder layer's second, the decoder layer's third
        theirs = theirs.replace("feed_forward_residual.norm", "norm2" if prefix == "encoder." else "norm3")
        for ours, torchs in _NAMES.items():
            theirs = theirs.replace(ours, torchs)
        renamed[theirs] = weight
    return renamed
