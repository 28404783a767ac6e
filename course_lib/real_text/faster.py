"""The same Transformer with the same weights, computed faster.

No parameter or name changes. Each module computes its formula with PyTorch's own operation, which does several steps
in one. The output is the same up to rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components.layer_norm import LayerNorm
from course_lib.components.multi_head_attention import MultiHeadAttention


class FusedLayerNorm(LayerNorm):
    """`LayerNorm` in one operation."""

    def forward(self, x: Tensor) -> Tensor:
        """Compute the same as `LayerNorm.forward`."""
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


class FusedAttention(MultiHeadAttention):
    """`MultiHeadAttention` with one product for queries, keys and values, and one operation for the rest."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Compute the same as `MultiHeadAttention.forward`; every query must have a key to attend to."""
        if need_weights:
            return super().forward(query, key, value, mask, need_weights)
        if query is key:
            projected = (self._together(query, self.w_q, self.w_k, self.w_v)).chunk(3, dim=-1)
        else:
            projected = (self.w_q(query), *self._together(key, self.w_k, self.w_v).chunk(2, dim=-1))
        q, k, v = (x.view(*x.shape[:2], self.num_heads, -1).transpose(1, 2) for x in projected)  # (B, H, T or S, Dh)
        attended = self._attended(q, k, v, mask)  # (B, H, T, Dh)
        output: Tensor = self.w_o(attended.transpose(1, 2).flatten(2))  # (B, T, D)
        return output

    def _attended(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Compute attention itself: by PyTorch's one operation or, if that is slow (16-bit on CPU), by two products."""
        dropped = self.dropout.p if self.training else 0.0
        if query.dtype is not torch.bfloat16 or query.device.type != "cpu":
            return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)
        scores = query @ (key * key.size(-1) ** -0.5).mT  # (B, H, T, S)
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -1e9)
        with torch.autocast("cpu", enabled=False):
            weights: Tensor = self.dropout(torch.softmax(scores, dim=-1))
            return weights @ value

    @staticmethod
    def _together(x: Tensor, *projections: nn.Linear) -> Tensor:
        weight = torch.cat([projection.weight for projection in projections])
        bias = torch.cat([projection.bias for projection in projections])
        return F.linear(x, weight, bias)


class ByteDropout(nn.Dropout):
    """Dropout that generates eight random numbers at once, a byte each: the probability is rounded to 1/256."""

    def forward(self, x: Tensor) -> Tensor:
        """Compute the same as `nn.Dropout.forward`."""
        of_256 = round(self.p * 256)
        if not self.training or not of_256 or x.device.type != "cpu":
            return super().forward(x)
        count = x.numel()
        words = torch.empty((count + 7) // 8, dtype=torch.int64).random_(-(2**63), None)  # every bit is random
        kept = (words.view(torch.uint8)[:count] >= of_256).view(x.shape)
        return x * (kept * (256 / (256 - of_256))).to(x.dtype)


#: the faster class for each module
FASTER: dict[type[nn.Module], type[nn.Module]] = {
    LayerNorm: FusedLayerNorm,
    MultiHeadAttention: FusedAttention,
    nn.Dropout: ByteDropout,
}


def quicken(network: Any) -> Any:
    """Replace, in place, every part of a network that has a faster form. Its weights stay the same."""
    for part in network.modules():
        if type(part) in FASTER:
            part.__class__ = FASTER[type(part)]
    return network
