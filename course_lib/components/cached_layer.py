"""A decoder layer that keeps keys and values: each token is read once.

The memory's keys and values are made once, in the constructor. What is written grows by one row a step, and needs no
causal mask: the future hasn't been written yet. The layer's own norms and weights do the rest.
"""

import torch
from torch import Tensor

from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.merge_heads import merge_heads
from course_lib.components.split_heads import split_heads


class CachedLayer:
    """A `DecoderLayer` at work on one translation, a token at a time; it returns what the layer would, for each.

    A token's key and value depend on this token and on those before it, never on a later one: they are worked out
    once, and kept. So are the keys and values of the memory, which is the same at every step.

    Args:
        layer: a trained `DecoderLayer`, in evaluation mode; its weights are used, and left as they are.
        memory: (B, S, D), the encoder's output.
        memory_mask: boolean, **True = may attend**, (B, 1, 1, S).

    Source: Shazeer 2019, section 2.4, "incremental" attention.
    """

    @torch.no_grad()
    def __init__(self, layer: DecoderLayer, memory: Tensor, memory_mask: Tensor) -> None:
        attention = layer.cross_attention
        self.layer, self.memory_mask = layer, memory_mask
        self.memory_keys = split_heads(attention.w_k(memory), attention.num_heads)  # (B, H, S, Dh)
        self.memory_values = split_heads(attention.w_v(memory), attention.num_heads)  # (B, H, S, Dh)
        self.keys = self.memory_keys[:, :, :0]  # (B, H, 0, Dh): nothing is written yet
        self.values = self.memory_values[:, :, :0]  # (B, H, 0, Dh)

    def attend_to_written(self, y: Tensor) -> Tensor:
        """The layer's self-attention: keep the token's key and value, and let it attend to everything in the cache.

        Args:
            y: (B, 1, D), one new token of each sentence.

        Returns:
            (B, 1, D).
        """
        attention = self.layer.self_attention
        query = split_heads(attention.w_q(y), attention.num_heads)  # (B, H, 1, Dh)
        key = split_heads(attention.w_k(y), attention.num_heads)  # (B, H, 1, Dh)
        value = split_heads(attention.w_v(y), attention.num_heads)  # (B, H, 1, Dh)
        self.keys = torch.cat([self.keys, key], dim=2)  # (B, H, t, Dh)
        self.values = torch.cat([self.values, value], dim=2)  # (B, H, t, Dh)
        attended, _ = scaled_dot_product_attention(query, self.keys, self.values)  # (B, H, 1, Dh)
        output: Tensor = attention.w_o(merge_heads(attended))  # (B, 1, D)
        return output

    def attend_to_memory(self, y: Tensor) -> Tensor:
        """The layer's cross-attention, to the keys and values of the memory.

        Args:
            y: (B, 1, D), one new token of each sentence.

        Returns:
            (B, 1, D).
        """
        attention = self.layer.cross_attention
        query = split_heads(attention.w_q(y), attention.num_heads)  # (B, H, 1, Dh)
        attended, _ = scaled_dot_product_attention(query, self.memory_keys, self.memory_values, self.memory_mask)
        output: Tensor = attention.w_o(merge_heads(attended))  # (B, 1, D)
        return output

    @torch.no_grad()
    def step(self, x: Tensor) -> Tensor:
        """Pass one more token through the layer.

        Args:
            x: (B, 1, D), the token that comes next in each sentence.

        Returns:
            (B, 1, D): the last row of what the layer makes of all tokens so far, under a causal mask.
        """
        x = self.layer.self_attention_residual(x, self.attend_to_written)  # (B, 1, D)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)  # (B, 1, D)
        x = self.layer.feed_forward_residual(x, self.layer.feed_forward)  # (B, 1, D)
        return x
