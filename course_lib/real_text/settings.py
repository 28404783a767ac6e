"""How to build and train a translator of real text in the available time."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Everything that determines a training run, apart from the text.

    Attributes:
        vocabulary: V, the number of subwords that both languages share.
        d_model, num_heads, num_layers, d_ff: the sizes of the `Transformer`.
        max_length: the most subwords in a sentence; longer pairs are not used in training.
        dropout: of embeddings and sub-layer outputs; there is none on attention weights and hidden activations.
        tokens: the most positions in a batch, on its longer side.
        rate: the highest learning rate of embeddings, gains and biases.
        matrix_rate: the highest learning rate of all other matrices, which `Muon` updates.
        rise: the share of the budget in which the rate rises; then it falls to 0.
        smoothing: the ε of label smoothing.
        average: how much of the averaged weights is kept at each step.
        merges_dropped: the probability of BPE-dropout; 0 for none.
        seconds: CPU seconds of training on each thread; None if ``steps`` are counted.
        steps: how many steps; None if seconds are counted.
        seed: the seed of all random choices.
        threads: how many compute; 0 if that is still to be measured, see `course_lib.real_text.training.prepare`.
        precision: of products in forward and backward passes: ``auto``, which is bfloat16 if the processor or the card
            supports it, or ``float32``. `Muon` computes its directions in bfloat16 either way.
    """

    vocabulary: int = 4000
    d_model: int = 128
    num_heads: int = 4
    num_layers: int = 4
    d_ff: int = 256
    max_length: int = 128
    dropout: float = 0.1
    tokens: int = 1536
    rate: float = 0.01
    matrix_rate: float = 0.02
    rise: float = 0.08
    smoothing: float = 0.1
    average: float = 0.995
    merges_dropped: float = 0.0
    seconds: float | None = 600.0
    steps: int | None = None
    seed: int = 0
    threads: int = 1
    precision: str = "auto"

    def as_json(self) -> dict[str, Any]:
        """Return the settings as a dictionary for a JSON file."""
        return asdict(self)

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> Settings:
        """Undo `as_json`; unknown names are ignored."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in found.items() if name in known})


def recipe(minutes: float) -> dict[str, Any]:
    """Return settings for ``minutes`` CPU minutes.

    The network is narrow and deep, as in Wu et al. 2021, https://arxiv.org/abs/2105.14462. On 29,000 pairs, a network
    of twice the width learns less in the same time and memorises more. With little time there are few steps, so the
    average has to be short. With more time, the model sees every sentence many times and needs regularisation.
    """
    if minutes <= 7:
        return {"dropout": 0.1, "average": 0.99}
    if minutes <= 12:
        return {"dropout": 0.1, "average": 0.995}
    if minutes <= 30:
        return {"dropout": 0.15, "average": 0.997}
    return {"dropout": 0.2, "average": 0.998}
