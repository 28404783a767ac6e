"""The Transformer as a translator that `translation` trains, with its settings for the course's corpus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.components import Transformer, clip_gradients, greedy_decode, label_smoothed_loss
from course_lib.components.vocabulary import Vocabulary
from course_lib.experiments.translation import Parts
from course_lib.translator.recorded_attention import recorded_attention

#: the arguments of `Transformer`. Almost every sentence is new, so there is nothing to overfit, and nothing is dropped
SETTINGS: dict[str, Any] = {
    "d_model": 96,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 384,
    "max_length": 64,
    "dropout": 0.0,
    "norm_first": True,
}
#: how it is trained, the fields of `Parts`
TRAINING: dict[str, Any] = {
    "learning_rate": 5e-3,
    "steps": 1000,
    "batch_size": 64,
    "rise": 0.1,
    "betas": (0.9, 0.98),
}
#: ε of the label-smoothed loss
SMOOTHING = 0.05


class TransformerTranslator(nn.Module):
    """A `Transformer` with the methods that the course's translators have.

    Args:
        network: `Transformer`, with its ``encode`` and ``decode``.
        layer: the decoder layer whose cross-attention `weights` shows.
        decode: ``(network, source, bos_id, eos_id, max_length)`` to ids, as `greedy_decode`.
    """

    def __init__(self, network: nn.Module, layer: int = -1, decode: Callable[..., Tensor] = greedy_decode) -> None:
        super().__init__()
        self.network, self.layer, self.decode = network, layer, decode

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """The logits (B, T, V) of the word after each of the ``inputs`` (B, T), for a ``source`` (B, S)."""
        logits: Tensor = self.network(source, inputs)  # (B, T, V)
        return logits

    def translate(self, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
        """The translations (B, T) for a ``source`` (B, S)."""
        return self.decode(self.network, source, bos_id, eos_id, max_length)  # (B, T)

    @torch.no_grad()
    def heads(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Where every head of the cross-attention looks, (layers, B, H, T, S), while it is given the ``inputs``."""
        with recorded_attention(self.network, "cross_attention") as collected:
            self.network(source, inputs)
        return torch.stack(collected)  # (layers, B, H, T, S)

    def weights(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Where the decoder looks, (B, T, S): the mean over the heads of one layer."""
        return self.heads(source, inputs)[self.layer].mean(dim=1)  # (B, T, S)


def transformer(source_size: int, target_size: int, network: Callable[..., nn.Module] = Transformer) -> nn.Module:
    """A translator for vocabularies of these sizes, of the course's `Transformer` or of another class like it."""
    return TransformerTranslator(network(source_size, target_size, **SETTINGS))


def transformer_parts(**settings: Any) -> Parts:
    """The reference Transformer with what it is trained with; ``settings`` take the place of those of `TRAINING`."""
    loss = partial(label_smoothed_loss, smoothing=SMOOTHING)
    return Parts(transformer, loss, clip_gradients, Vocabulary, **{**TRAINING, **settings})
