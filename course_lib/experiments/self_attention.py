"""The experiments of lesson 03. Each takes the attention to test, yours for instance, and a seed."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments import sequence_layers
from course_lib.experiments.mystery import mystery_attention
from course_lib.experiments.series import Series, in_tens

#: ``(query, key, value, mask) -> (output, weights)``
Attention = Callable[..., tuple[Tensor, Tensor]]

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
NUM_KEYS = 16

#: the look-up task: numbers of possible keys and values, of pairs per store, and of questions
KEY_WORDS, VALUE_WORDS, PAIRS, QUESTIONS = 16, 8, 8, 5


def score_spread(seed: int, samples: int = 4096) -> Series:
    """Return the standard deviation of the dot product of two vectors of independent N(0, 1) entries, by width."""
    generator = torch.Generator().manual_seed(seed)
    spread = []
    for d_k in WIDTHS:
        query = torch.randn(samples, d_k, generator=generator)  # (samples, Dk)
        key = torch.randn(samples, d_k, generator=generator)  # (samples, Dk)
        spread.append((query * key).sum(dim=-1).std().item())
    return {"d_k": [float(d_k) for d_k in WIDTHS], "spread": spread}


def saturation(attention: Attention, seed: int, samples: int = 512) -> Series:
    """Measure weights and gradients of random queries over 16 random keys, by width, with and without the scale.

    For the unscaled case, the query is multiplied by ``sqrt(d_k)`` first, which cancels the division.

    Returns:
        ``d_k`` and, for each of ``_scaled`` and ``_unscaled``: ``largest``, the weight of the largest key
        (mean over the queries); ``effective_keys``, exp of the entropy of the weights (mean);
        ``median_gradient`` and ``mean_gradient``, the norm of the gradient that reaches a query from
        a random gradient at the output; ``top_tenth``, the share of all these norms that belongs
        to the tenth of the queries with the largest.
    """
    series: Series = {"d_k": [float(d_k) for d_k in WIDTHS]}
    for d_k in WIDTHS:
        for arm, factor in (("scaled", 1.0), ("unscaled", math.sqrt(d_k))):
            for name, value in _one_width(attention, seed, samples, d_k, factor).items():
                series.setdefault(f"{name}_{arm}", []).append(value)
    return series


def _one_width(attention: Attention, seed: int, samples: int, d_k: int, factor: float) -> dict[str, float]:
    generator = torch.Generator().manual_seed(1000 * seed + d_k)
    query = torch.randn(samples, 1, d_k, generator=generator).requires_grad_()  # (samples, 1, Dk)
    key = torch.randn(samples, NUM_KEYS, d_k, generator=generator)  # (samples, 16, Dk)
    value = torch.randn(samples, NUM_KEYS, NUM_KEYS, generator=generator)  # (samples, 16, 16)
    upstream = torch.randn(samples, 1, NUM_KEYS, generator=generator)  # (samples, 1, 16)
    output, weights = attention(query * factor, key, value)  # (samples, 1, 16), (samples, 1, 16)
    (output * upstream).sum().backward()  # type: ignore[no-untyped-call]
    gradient = torch.zeros(samples) if query.grad is None else query.grad.norm(dim=-1).squeeze(-1)  # (samples,)
    entropy = torch.special.entr(weights.detach()).sum(dim=-1)  # (samples, 1)
    return {
        "largest": weights.detach().amax(dim=-1).mean().item(),
        "effective_keys": entropy.exp().mean().item(),
        "median_gradient": gradient.median().item(),
        "mean_gradient": gradient.mean().item(),
        "top_tenth": (gradient.topk(samples // 10).values.sum() / gradient.sum().clamp_min(1e-12)).item(),
    }


class LookUp(nn.Module):
    """A key-value store that has to be learned: only embeddings, one attention and an output projection.

    Args:
        attention: the attention to test.
        d_model: D, the width of queries, keys and values.
        factor: every query is multiplied by it; ``sqrt(d_model)`` cancels the scale.
    """

    def __init__(self, attention: Attention, d_model: int, factor: float = 1.0) -> None:
        super().__init__()
        self.attention, self.factor = attention, factor
        self.query = nn.Embedding(KEY_WORDS, d_model)
        self.key = nn.Embedding(KEY_WORDS, d_model)
        self.value = nn.Embedding(VALUE_WORDS, d_model)
        self.readout = nn.Linear(d_model, VALUE_WORDS)

    def forward(self, questions: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Return logits (B, T, values) for questions (B, T) to a store of keys and values, each (B, S)."""
        query = self.query(questions) * self.factor  # (B, T, D)
        attended, _ = self.attention(query, self.key(keys), self.value(values))  # (B, T, D)
        logits: Tensor = self.readout(attended)  # (B, T, values)
        return logits


def draw_stores(batch: int, questions: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Generate random stores and questions to them.

    Returns:
        ``(questions, keys, values, answers)``; keys and values are (B, S), questions and answers (B, T).
    """
    keys = torch.rand(batch, KEY_WORDS, generator=generator).argsort(dim=-1)[:, :PAIRS]  # (B, S)
    values = torch.randint(VALUE_WORDS, (batch, PAIRS), generator=generator)  # (B, S)
    places = torch.rand(batch, PAIRS, generator=generator).argsort(dim=-1)[:, :questions]  # (B, T)
    return keys.gather(1, places), keys, values, values.gather(1, places)


def learn_look_up(
    attention: Attention, seed: int, d_model: int = 32, scaled: bool = True, steps: int = 300
) -> tuple[LookUp, Series]:
    """Train a `LookUp`, and return it with its loss, averaged over ten steps at a time."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LookUp(attention, d_model, 1.0 if scaled else math.sqrt(d_model))
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        questions, keys, values, answers = draw_stores(64, QUESTIONS, generator)
        loss = F.cross_entropy(model(questions, keys, values).flatten(0, 1), answers.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return model, in_tens(losses)


def look_up_curve(attention: Attention, seed: int, d_model: int = 32, scaled: bool = True) -> Series:
    """Return the loss of `learn_look_up` by training step."""
    return learn_look_up(attention, seed, d_model, scaled)[1]


def ask_together(model: LookUp, seed: int, stores: int = 1000) -> Series:
    """Return the share of questions a trained `LookUp` answers correctly, by the number asked at once."""
    shares = []
    for number in range(1, PAIRS + 1):
        generator = torch.Generator().manual_seed(10_000 + seed)
        questions, keys, values, answers = draw_stores(stores, number, generator)
        with torch.no_grad():
            right = model(questions, keys, values).argmax(dim=-1) == answers  # (B, T)
        shares.append(right.double().mean().item())
    return {"questions": [float(n) for n in range(1, PAIRS + 1)], "accuracy": shares}


#: what ``make experiments`` records, by name: functions of an attention and a seed
EXPERIMENTS: dict[str, Callable[[Attention, int], Series]] = {
    "longest_chain": lambda attention, seed: sequence_layers.longest_chain(seed),
    "time_by_length": lambda attention, seed: sequence_layers.time_by_length(seed),
    "score_spread": lambda attention, seed: score_spread(seed),
    "saturation": saturation,
    "wide_look_up": lambda attention, seed: look_up_curve(attention, seed, d_model=128),
    "wide_look_up_unscaled": lambda attention, seed: look_up_curve(attention, seed, d_model=128, scaled=False),
    "look_up": look_up_curve,
    "look_up_mystery": lambda attention, seed: look_up_curve(mystery_attention, seed),
    "ask_together": lambda attention, seed: ask_together(learn_look_up(attention, seed)[0], seed),
    "ask_together_mystery": lambda attention, seed: ask_together(learn_look_up(mystery_attention, seed)[0], seed),
}

#: those that measure seconds: no two machines agree, so no test asserts them
TIMED = ("time_by_length",)
