"""Lesson 11: one translator, told in six ways where its words stand, on sentences longer than any trained."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.experiments.relative_positions import Parts, RelativeHeads
from course_lib.experiments.transformer_translator import SETTINGS, translator_of

#: the share of training sentences that are joined with those after them
JOINED = 0.5
#: random offsets keep a sentence within so many positions: more than the longest that is tested has
OFFSET_WITHIN = 48

#: the ways, by name: what is added to the words, and which self-attention both stacks have
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
        kind: ``"none"``; ``"sinusoids"``; ``"learned"``, a table that starts at about the norm of the sinusoids;
            ``"offsets"``: sinusoids that in training start at a random position, another for each sentence.
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
        """(B, T, D) for ids (B, T)."""
        words: Tensor = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)  # (B, T, D)
        if self.kind == "none":
            return words
        where = torch.arange(ids.size(1))  # (T,)
        if self.kind == "offsets" and self.training:
            where = where + torch.randint(OFFSET_WITHIN - len(where), (len(ids), 1))  # (B, T)
        embedded: Tensor = words + self.positions[where]  # (B, T, D)
        return embedded


def translator_with(way: str, parts: Parts) -> Callable[[int, int], nn.Module]:
    """What makes a translator that is told positions in one of the `WAYS`, for two vocabularies of given sizes."""
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
