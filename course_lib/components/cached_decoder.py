"""A Transformer's decoder that receives one token at a time.

It has no weights, only the layers' caches and a count of tokens, which gives each token's position. Without that count,
every token would have position 0.
"""

import math

import torch
from torch import Tensor

from course_lib.components.cached_layer import CachedLayer
from course_lib.components.transformer import Transformer


class CachedDecoder:
    """The decoder of a `Transformer` at work on one translation; every step equals the full `Transformer.decode`.

    Args:
        model: a trained `Transformer`, in evaluation mode.
        memory: (B, S, D), from its ``encode``.
        memory_mask: (B, 1, 1, S), from its ``encode``.

    Source: Shazeer 2019, section 2.4.
    """

    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]  # type: ignore[arg-type]
        self.length = 0  # how many tokens were read

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        """Read one more token of each sentence, and say what comes next.

        Args:
            token: (B,) token ids, first ``bos_id``, then what was written. (The result for a sentence that has
                ended is not used.)

        Returns:
            The logits (B, V): ``model.decode(written, memory, memory_mask)[:, -1]``, for all tokens so far.
        """
        embedding = self.model.target_embedding
        words = embedding.token_embedding(token.unsqueeze(1))  # (B, 1, D)
        x = words * math.sqrt(words.size(-1)) + embedding.positions[self.length]  # (B, 1, D)
        self.length += 1
        for layer in self.layers:
            x = layer.step(x)  # (B, 1, D)
        decoded = self.model.decoder.norm(x).squeeze(1)  # (B, D)
        logits: Tensor = decoded @ embedding.token_embedding.weight.T  # (B, V)
        return logits
