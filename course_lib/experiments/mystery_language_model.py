"""A language model with one idea too many. Lesson 07 asks which one: answer it before you read on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def mystery_of(model: type[nn.Module]) -> type[nn.Module]:
    """Return a subclass with its own mask and loss, which can be trained.

    Args:
        model: a correct ``CausalLanguageModel``, such as yours. Its parts and its ``pad_id`` are used.
    """

    class MysteryLanguageModel(model):  # type: ignore[misc, valid-type]
        """A language model whose positions predict their own words, from the words before."""

        def forward(self, ids: Tensor) -> Tensor:
            """Logits (B, T, V)."""
            place = torch.arange(ids.size(1))  # (T,)
            before = place.view(-1, 1) > place  # (T, T): no position sees the word that it has to predict
            mask = before & (ids != self.pad_id)[:, None, None]  # (B, 1, T, T)
            logits: Tensor = self.readout(self.blocks(self.embedding(ids), mask))  # (B, T, V)
            return logits

        def loss(self, ids: Tensor) -> Tensor:
            """The mean of ``-log p`` over all tokens that are not padding."""
            return F.cross_entropy(self(ids).transpose(1, 2), ids, ignore_index=self.pad_id)  # ()

    return MysteryLanguageModel
