"""The translator's network out of torch's own layers: it runs before you have written any.

Lesson 08 builds the same network from your parts. A test holds the two to equal outputs, with these very weights.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: what our parameters are called in torch's layers
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
    """A pre-norm encoder-decoder of torch's layers, with the methods of our `Transformer`.

    Args:
        configuration: the arguments of our `Transformer`.
        weights: by the names of its parameters, and ``positions`` (L, D).
    """

    def __init__(self, configuration: dict[str, Any], weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.pad_id: int = configuration["pad_id"]
        self.weights = weights
        sizes = configuration["d_model"], configuration["num_heads"], configuration["d_ff"]
        number, norm = configuration["num_layers"], configuration["d_model"]
        with torch.device("meta"):  # nothing is drawn at random: every weight is put in below
            layer = nn.TransformerEncoderLayer(*sizes, dropout=0.0, batch_first=True, norm_first=True)
            self.encoder = nn.TransformerEncoder(layer, number, nn.LayerNorm(norm), enable_nested_tensor=False)
            reader = nn.TransformerDecoderLayer(*sizes, dropout=0.0, batch_first=True, norm_first=True)
            self.decoder = nn.TransformerDecoder(reader, number, nn.LayerNorm(norm))
        for part in ("encoder", "decoder"):
            getattr(self, part).load_state_dict(in_torchs_names(weights, f"{part}."), assign=True)
        self.requires_grad_(False)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The memory (B, S, D) of source ids (B, S), and which of it is real, (B, 1, 1, S)."""
        real = source != self.pad_id  # (B, S)
        embedded = self._embed("source", source)  # (B, S, D)
        memory = self.encoder(embedded, src_key_padding_mask=~real)  # (B, S, D); there, True = blocked
        return memory, real[:, None, None]

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """The logits (B, T, V) of what comes after each of the target ids (B, T)."""
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


def in_torchs_names(weights: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The weights whose names begin with ``prefix``, without it, under the names of torch's layers."""
    renamed = {}
    for name, weight in weights.items():
        if not name.startswith(prefix) or ".w_k." in name or ".w_v." in name:
            continue
        told = name.removeprefix(prefix)
        if ".w_q." in name:  # torch keeps the three projections of an attention in one tensor
            weight = torch.cat([weights[name.replace(".w_q.", f".w_{one}.")] for one in "qkv"])  # noqa: PLW2901
            told = told.replace("w_q.", "in_proj_")
        # the feed-forward network's normalisation is the encoder layer's second, the decoder layer's third
        told = told.replace("feed_forward_residual.norm", "norm2" if prefix == "encoder." else "norm3")
        for ours, torchs in _NAMES.items():
            told = told.replace(ours, torchs)
        renamed[told] = weight
    return renamed
