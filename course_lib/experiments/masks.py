"""The experiments of lesson 07. Each takes the language model to test, yours for instance, and a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib import components
from course_lib.experiments.mystery_language_model import mystery_of
from course_lib.experiments.series import Series, in_tens

#: the language: how many words, how many possible successors of each, and how many words of a sentence after ``bos``
WORDS, SUCCESSORS, LENGTH = 20, 4, 12
#: ids: 0 is padding, 1 is ``bos``, and words follow
BOS, FIRST_WORD = 1, 2

#: ``(vocab_size, d_model, num_heads, num_layers, d_ff, max_length, dropout)`` builds a model: ids (B, T) to logits
Model = type[nn.Module]
#: ``(length) -> (T, T)``, True = may attend
Mask = Callable[[int], Tensor]


class Language:
    """A language in which only the previous word matters: each word has four successors, equally likely.

    A model that knows the rules but not the future has a loss of ``log 4`` per word; for the first word of a sentence,
    it is ``log 20``. No word follows itself.

    Args:
        seed: for the rules.
    """

    def __init__(self, seed: int) -> None:
        generator = torch.Generator().manual_seed(1000 + seed)
        preference = torch.rand(WORDS, WORDS, generator=generator).fill_diagonal_(-1)  # (W, W)
        self.successors = preference.topk(SUCCESSORS).indices + FIRST_WORD  # (W, 4): ids
        self.legal = torch.zeros(FIRST_WORD + WORDS, FIRST_WORD + WORDS, dtype=torch.bool)  # (V, V)
        self.legal[FIRST_WORD:].scatter_(1, self.successors, True)

    def sentences(self, count: int, generator: torch.Generator) -> Tensor:
        """Return ``count`` sentences as ids, (B, 1 + LENGTH)."""
        ids = [torch.full((count,), BOS), torch.randint(WORDS, (count,), generator=generator) + FIRST_WORD]
        for choice in torch.randint(SUCCESSORS, (LENGTH - 1, count), generator=generator):
            ids.append(self.successors[ids[-1] - FIRST_WORD, choice])
        return torch.stack(ids, dim=1)  # (B, 1 + LENGTH)


def new_model(model: Model, seed: int, num_layers: int = 2) -> nn.Module:
    """Build an untrained model for the language."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return model(FIRST_WORD + WORDS, 32, 2, num_layers, 64, LENGTH + 1, 0.0)  # room for a whole sentence


def learn(model: Model, seed: int, steps: int = 400) -> tuple[nn.Module, Series]:
    """Train a model on new sentences at every step, and return it with its loss, averaged over ten steps at a time."""
    language, generator = Language(seed), torch.Generator().manual_seed(seed)
    built = new_model(model, seed)
    optimiser = torch.optim.Adam(built.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        loss = built.loss(language.sentences(32, generator))  # type: ignore[operator]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return built.eval(), in_tens(losses)


def loss_by_place(trained: nn.Module, seed: int, sentences: int = 500) -> Series:
    """Return the loss of a trained model at each position of new sentences, in nats; position 0 reads ``bos``."""
    ids = Language(seed).sentences(sentences, torch.Generator().manual_seed(10_000 + seed))  # (B, T + 1)
    with torch.no_grad():
        logits = trained(ids[:, :-1])  # (B, T, V)
    losses = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none").mean(dim=0)  # (T,)
    return {"place": [float(place) for place in range(LENGTH)], "loss": losses.tolist()}


def write(trained: nn.Module, seed: int, sentences: int = 500) -> Tensor:
    """Let the model write sentences (B, 1 + LENGTH), sampling each word from its predicted distribution."""
    generator = torch.Generator().manual_seed(20_000 + seed)
    ids = torch.full((sentences, 1), BOS)  # (B, 1)
    with torch.no_grad():
        while ids.size(1) <= LENGTH:
            probabilities = torch.softmax(trained(ids)[:, -1], dim=-1)  # (B, V)
            ids = torch.cat([ids, torch.multinomial(probabilities, 1, generator=generator)], dim=1)  # (B, t + 1)
    return ids


def legal_by_place(trained: nn.Module, seed: int, sentences: int = 500) -> Series:
    """Return the share of written words that are legal successors, by the position of the word before."""
    ids = write(trained, seed, sentences)  # (B, 1 + LENGTH)
    legal = Language(seed).legal[ids[:, 1:-1], ids[:, 2:]].double().mean(dim=0)  # (T - 1,)
    return {"place": [float(place) for place in range(1, LENGTH)], "legal": legal.tolist()}


# other masks, and another way to apply one


def all_keys(length: int) -> Tensor:
    """Return a mask in which every token sees every other, as in an encoder, (T, T)."""
    return torch.ones(length, length, dtype=torch.bool)  # (T, T)


def up_to(ahead: int) -> Mask:
    """Return the mask ``j ≤ i + ahead``: causal with 0, blind to itself with -1, one future token with 1."""
    return lambda length: all_keys(length).tril(ahead)


def masked_by(model: Model, mask: Mask) -> Model:
    """Return the same model with another mask in its blocks; there must be no padding.

    Args:
        model: a correct ``CausalLanguageModel``, yours for instance. Its ``embedding``, ``blocks`` and ``readout`` are
            used.
    """

    class Masked(model):  # type: ignore[misc, valid-type]
        """A language model with a different mask."""

        def forward(self, ids: Tensor) -> Tensor:
            """Return logits (B, T, V)."""
            logits: Tensor = self.readout(self.blocks(self.embedding(ids), mask(ids.size(1))))  # (B, T, V)
            return logits

    return Masked


class WeightsToZero(nn.Module):
    """Attention masked after the softmax: the *weights* of future tokens become 0, instead of their scores -∞.

    Args:
        attention: a ``MultiHeadAttention``, whose layers are reused.
        renormalise: whether to divide each row by its sum afterwards.
    """

    def __init__(self, attention: nn.Module, renormalise: bool = False) -> None:
        super().__init__()
        self.attention, self.renormalise = attention, renormalise

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Return (B, T, D)."""
        _, weights = self.attention(query, key, value, None, need_weights=True)  # (B, H, T, S): no mask yet
        weights = weights * mask  # (B, H, T, S)
        if self.renormalise:
            weights = weights / weights.sum(dim=-1, keepdim=True)  # (B, H, T, S)
        heads = self.attention.w_v(value).unflatten(-1, (weights.size(1), -1)).transpose(1, 2)  # type: ignore[operator]  # (B, H, S, Dh)
        output: Tensor = self.attention.w_o((weights @ heads).transpose(1, 2).flatten(2))  # type: ignore[operator]  # (B, T, D)
        return output


def weights_to_zero(model: Model, renormalise: bool = False) -> Model:
    """Return the same model, but let the mask set weights to 0 instead of scores to -∞."""

    class Zeroed(model):  # type: ignore[misc, valid-type]
        """A language model that masks weights instead of scores."""

        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)
            for layer in self.blocks.layers:
                layer.self_attention = WeightsToZero(layer.self_attention, renormalise)

    return Zeroed


def who_sees_whom(reads: Callable[[Tensor], Tensor], length: int = 6) -> Tensor:
    """Find out which outputs change when one token is replaced by another.

    Args:
        reads: maps ids (B, T) to something (B, T, V), for instance a `new_model` of a class, in float64.
        length: T.

    Returns:
        (T, T), boolean: True where the output at position i (row) depends on the token at j (column).
    """
    return components.who_sees_whom(reads, torch.arange(length) + FIRST_WORD, FIRST_WORD + length)


#: the models to train, by name, each made from the correct one
MODELS: dict[str, Callable[[Model], Model]] = {
    "causal": lambda model: model,
    "unmasked": lambda model: masked_by(model, all_keys),
    "weights to 0": weights_to_zero,
    "mystery": mystery_of,
}


@cache
def _learned(name: str, model: Model, seed: int) -> tuple[nn.Module, Series]:
    return learn(MODELS[name](model), seed)


def _tried(name: str, measured: Callable[[nn.Module, int], Series]) -> Callable[[Model, int], Series]:
    return lambda model, seed: measured(_learned(name, model, seed)[0], seed)  # type: ignore[arg-type]


def _curve(name: str) -> Callable[[Model, int], Series]:
    return lambda model, seed: _learned(name, model, seed)[1]  # type: ignore[arg-type]  # classes are hashable


#: what ``make experiments`` records, by name: functions of a class and a seed
EXPERIMENTS: dict[str, Callable[[Model, int], Series]] = {
    **{f"{name}, curve": _curve(name) for name in MODELS},
    **{f"{name}, loss": _tried(name, loss_by_place) for name in ("causal", "unmasked", "weights to 0")},
    **{f"{name}, legal": _tried(name, legal_by_place) for name in ("causal", "unmasked")},
}
