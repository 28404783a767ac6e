"""Lesson 13: one translator with six kinds of positions, on sentences longer than any in training."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.experiments.relative_positions import Parts, RelativeHeads
from course_lib.experiments.transformer_translator import SETTINGS, translator_of

#: the share of training sentences to join with their successors
JOINED = 0.5
#: random offsets keep a sentence within this many positions, more than the longest tested one has
OFFSET_WITHIN = 48

#: the ways, by name: what is added to the words, and which self-attention both stacks use
WAYS: dict[str, tuple[str, str]] = {
    "none": ("none", "plain"),
    "learned": ("learned", "plain"),
    "sinusoids": ("sinusoids", "plain"),
    "random offsets": ("offsets", "plain"),
    "relative": ("none", "relative"),
    "rotary": ("none", "rotary"),
}


class Embedding(nn.Module):
    """Words with positions of one kind.

    Args:
        words: a `PositionEmbedding`, whose words and sinusoids are used.
        kind: ``"none"``; ``"sinusoids"``; ``"learned"``, a table initialised at about the norm of the sinusoids;
            ``"offsets"``: in training, each sentence's sinusoids start at a random position.
    """

    def __init__(self, words: Any, kind: str) -> None:
        super().__init__()
        self.token_embedding, self.kind = words.token_embedding, kind
        sinusoids: Tensor = words.positions  # (L, D)
        if kind == "learned":
            self.positions: Tensor = nn.Parameter(torch.randn_like(sinusoids) / math.sqrt(2))
        else:
            self.register_buffer("positions", sinusoids, persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Return (B, T, D) for ids (B, T)."""
        words: Tensor = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)  # (B, T, D)
        if self.kind == "none":
            return words
        where = torch.arange(ids.size(1))  # (T,)
        if self.kind == "offsets" and self.training:
            where = where + torch.randint(OFFSET_WITHIN - len(where), (len(ids), 1))  # (B, T)
        embedded: Tensor = words + self.positions[where]  # (B, T, D)
        return embedded


def translator_with(way: str, parts: Parts) -> Callable[[int, int], nn.Module]:
    """Return a function that builds a translator with one of the `WAYS`, for two given vocabulary sizes."""
    added, attention = WAYS[way]
    width, heads = SETTINGS["d_model"], SETTINGS["num_heads"]
    kinds: dict[str, Callable[[], nn.Module]] = {
        "relative": lambda: RelativeHeads(parts, width, heads),
        "rotary": lambda: parts.rotary(width, heads),
    }

    def made(source_size: int, target_size: int) -> nn.Module:
        translator: Any = translator_of(parts.transformer)(source_size, target_size)
        network = translator.network
        network.source_embedding = Embedding(network.source_embedding, added)
        network.target_embedding = Embedding(network.target_embedding, added)
        if attention in kinds:
            for layer in (*network.encoder.layers, *network.decoder.layers):
                layer.self_attention = kinds[attention]()
        return translator  # type: ignore[no-any-return]

    return made
