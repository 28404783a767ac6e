"""The experiments of lesson 04. Each takes the class to test, your `MultiHeadAttention` for instance."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from course_lib.experiments.mystery_heads import mystery_of
from course_lib.experiments.series import Series, in_tens

#: ``(d_model, num_heads)`` builds a layer ``(query, key, value, mask=None, need_weights=False)``
Layer = type[nn.Module]

#: the sentences of both tasks: the number of different symbols, and of positions
SYMBOLS, PLACES = 8, 8
WIDTH = 32

HEADS = (1, 2, 4, 8)
LENGTHS = (16, 64, 256, 1024)


class TwoPlaces(nn.Module):
    """Names the symbols at two positions, in order: one attention and a linear layer, optionally a network between.

    Args:
        layer: the multi-head attention to test.
        num_heads: H.
        feed_forward: whether a feed-forward network (as in lesson 06) precedes the last linear layer.
    """

    def __init__(self, layer: Layer, num_heads: int, feed_forward: bool = False) -> None:
        super().__init__()
        self.symbol = nn.Embedding(SYMBOLS, WIDTH)
        self.place = nn.Embedding(PLACES, WIDTH)
        self.ask_first = nn.Embedding(PLACES, WIDTH)
        self.ask_second = nn.Embedding(PLACES, WIDTH)
        self.attention = layer(WIDTH, num_heads)
        self.feed_forward = (
            nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)) if feed_forward else None
        )
        self.readout = nn.Linear(WIDTH, 2 * SYMBOLS)

    def forward(self, sentences: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, 2, symbols) and weights (B, H, S) for sentences (B, S) and requested positions (B, 2)."""
        memory = self.symbol(sentences) + self.place.weight  # (B, S, D)
        query = self.ask_first(asked[:, :1]) + self.ask_second(asked[:, 1:])  # (B, 1, D): one query asks for both
        found, weights = self.attention(query, memory, memory, need_weights=True)  # (B, 1, D), (B, H, 1, S)
        if self.feed_forward is not None:
            found = found + self.feed_forward(found)  # (B, 1, D)
        logits: Tensor = self.readout(found).view(-1, 2, SYMBOLS)  # (B, 2, symbols)
        return logits, weights.squeeze(2)  # (B, 2, symbols), (B, H, S)


def draw_questions(batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Generate random sentences (B, S), two different positions in each (B, 2), and the symbols there (B, 2)."""
    sentences = torch.randint(SYMBOLS, (batch, PLACES), generator=generator)  # (B, S)
    asked = torch.rand(batch, PLACES, generator=generator).argsort(dim=-1)[:, :2]  # (B, 2)
    return sentences, asked, sentences.gather(1, asked)


def learn_two_places(
    layer: Layer, seed: int, num_heads: int, feed_forward: bool = False, steps: int = 500
) -> tuple[TwoPlaces, Series]:
    """Train a `TwoPlaces`; return it with the share of questions with both symbols right, by training step."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = TwoPlaces(layer, num_heads, feed_forward)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    shares = [both_right(model, seed)]
    for step in range(1, steps + 1):
        sentences, asked, answers = draw_questions(64, generator)
        loss = F.cross_entropy(model(sentences, asked)[0].flatten(0, 1), answers.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if step % 50 == 0:
            shares.append(both_right(model, seed))
    return model, {"step": [float(step) for step in range(0, steps + 1, 50)], "both right": shares}


def both_right(model: TwoPlaces, seed: int, questions: int = 1000) -> float:
    """Return the share of new questions for which a model names both symbols, in order."""
    return which_right(model, seed, questions).all(dim=-1).double().mean().item()


def which_right(model: TwoPlaces, seed: int, questions: int = 1000) -> Tensor:
    """Return whether a model names the first symbol, and the second, of new questions: (questions, 2)."""
    sentences, asked, answers = draw_questions(questions, torch.Generator().manual_seed(10_000 + seed))
    with torch.no_grad():
        logits: Tensor = model(sentences, asked)[0]  # (questions, 2, symbols)
    return logits.argmax(dim=-1) == answers  # (questions, 2)


def weight_on_asked(model: TwoPlaces, seed: int, questions: int = 1000) -> Tensor:
    """Return each head's mean weight on the first requested position, and on the second: (H, 2)."""
    sentences, asked, _ = draw_questions(questions, torch.Generator().manual_seed(10_000 + seed))
    with torch.no_grad():
        weights: Tensor = model(sentences, asked)[1]  # (questions, H, S)
    return weights.gather(2, asked[:, None].expand(-1, weights.size(1), -1)).mean(dim=0)  # (H, 2)


class PreviousSymbol(nn.Module):
    """Names the symbol before each position: only self-attention and a linear layer."""

    def __init__(self, layer: Layer, num_heads: int) -> None:
        super().__init__()
        self.symbol = nn.Embedding(SYMBOLS, WIDTH)
        self.place = nn.Embedding(PLACES, WIDTH)
        self.attention = layer(WIDTH, num_heads)
        self.readout = nn.Linear(WIDTH, SYMBOLS)

    def forward(self, sentences: Tensor) -> Tensor:
        """Return logits (B, T, symbols) for sentences (B, T), which may be shorter than ``PLACES``."""
        x = self.symbol(sentences) + self.place.weight[: sentences.size(1)]  # (B, T, D)
        logits: Tensor = self.readout(self.attention(x, x, x))  # (B, T, symbols)
        return logits


def draw_sentences(batch: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Generate random sentences (B, T) and the symbol before each position; the first position names its own."""
    sentences = torch.randint(SYMBOLS, (batch, length), generator=generator)  # (B, T)
    return sentences, torch.cat([sentences[:, :1], sentences[:, :-1]], dim=1)  # (B, T), (B, T)


def learn_previous(layer: Layer, seed: int, num_heads: int = 4, steps: int = 200) -> tuple[PreviousSymbol, Series]:
    """Train a `PreviousSymbol` on sentences of 8 symbols; return it with its loss, averaged over ten steps."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = PreviousSymbol(layer, num_heads)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        sentences, answers = draw_sentences(64, PLACES, generator)
        loss = F.cross_entropy(model(sentences).flatten(0, 1), answers.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return model, in_tens(losses)


def by_length(model: PreviousSymbol, seed: int, sentences: int = 1000) -> Series:
    """Return the share of positions at which a trained `PreviousSymbol` is right, by sentence length."""
    shares = []
    for length in range(1, PLACES + 1):
        given, answers = draw_sentences(sentences, length, torch.Generator().manual_seed(10_000 + seed))
        with torch.no_grad():
            shares.append((model(given).argmax(dim=-1) == answers).double().mean().item())
    return {"length": [float(length) for length in range(1, PLACES + 1)], "accuracy": shares}


def moved_by_query(layer: nn.Module, length: int, width: int, seed: int = 0) -> Tensor:
    """Measure how far each output moves when one query is changed while keys and values stay the same.

    Returns:
        (T, T): row i, column j: the largest change in output j when query i is changed.
    """
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, length, width, generator=generator)  # (1, T, D)
    push = torch.randn(width, generator=generator)  # (D,)
    moved = torch.zeros(length, length)  # (T, T)
    with torch.no_grad():
        for i in range(length):
            disturbed = x.clone()  # (1, T, D)
            disturbed[0, i] += push
            moved[i] = (layer(disturbed, x, x) - layer(x, x, x))[0].abs().amax(dim=-1)  # (T,)
    return moved


def count_flops(layer: nn.Module, length: int, width: int) -> int:
    """Count operations in the matrix products of a forward pass; additions and multiplications count as one each."""
    x = torch.randn(1, length, width, generator=torch.Generator().manual_seed(0))  # (1, T, D)
    with FlopCounterMode(display=False) as counter:
        layer(x, x, x)
    return int(counter.get_total_flops())


def kept_bytes(layer: nn.Module, length: int, width: int) -> int:
    """Count the bytes that a forward pass keeps for the backward pass, without the parameters."""
    x = torch.randn(1, length, width, generator=torch.Generator().manual_seed(0))  # (1, T, D)
    parameters = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = layer(x, x, x)  # (1, T, D): kept alive until everything is counted
    del output
    return sum(kept.values())


def costs(layer: Layer, seed: int, width: int = 64, length: int = 256) -> Series:
    """Count what H heads cost: ``flops``, ``kept_bytes``, and the ``scores`` that go through softmax."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [layer(width, num_heads) for num_heads in HEADS]
    return {
        "heads": [float(num_heads) for num_heads in HEADS],
        "flops": [float(count_flops(one, length, width)) for one in layers],
        "kept_bytes": [float(kept_bytes(one, length, width)) for one in layers],
        "scores": [float(num_heads * length**2) for num_heads in HEADS],
    }


def time_ratio(layer: Layer, seed: int, width: int, num_heads: int = 8, times: int = 7) -> Series:
    """Return the time of a forward pass with ``num_heads`` heads relative to one head, by sentence length.

    Each time is the fastest of several. The two are timed alternately, so that both see the same machine load. A
    batch has about 1,024 tokens at every length.
    """
    ratios = []
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        one, many = layer(width, 1).eval(), layer(width, num_heads).eval()
        for length in LENGTHS:
            x = torch.randn(max(1, 1024 // length), length, width)  # (B, T, D)
            fastest = [_seconds(one, x), _seconds(many, x)]  # the first pass is slow, and a later one is faster
            for _ in range(times):
                fastest = [min(fastest[0], _seconds(one, x)), min(fastest[1], _seconds(many, x))]
            ratios.append(fastest[1] / fastest[0])
    return {"length": [float(length) for length in LENGTHS], "ratio": ratios}


def _seconds(layer: nn.Module, x: Tensor) -> float:
    start = perf_counter()
    layer(x, x, x)
    return perf_counter() - start


#: what ``make experiments`` records, by name: functions of a class and a seed
EXPERIMENTS: dict[str, Callable[[Layer, int], Series]] = {
    "one_head": lambda layer, seed: learn_two_places(layer, seed, num_heads=1)[1],
    "two_heads": lambda layer, seed: learn_two_places(layer, seed, num_heads=2)[1],
    "one_head_feed_forward": lambda layer, seed: learn_two_places(layer, seed, num_heads=1, feed_forward=True)[1],
    "two_heads_feed_forward": lambda layer, seed: learn_two_places(layer, seed, num_heads=2, feed_forward=True)[1],
    "costs": costs,
    "time_ratio_64": lambda layer, seed: time_ratio(layer, seed, width=64),
    "time_ratio_256": lambda layer, seed: time_ratio(layer, seed, width=256),
    "previous": lambda layer, seed: learn_previous(layer, seed)[1],
    "previous_mystery": lambda layer, seed: learn_previous(mystery_of(layer), seed)[1],
    "by_length": lambda layer, seed: by_length(learn_previous(layer, seed)[0], seed),
    "by_length_mystery": lambda layer, seed: by_length(learn_previous(mystery_of(layer), seed)[0], seed),
}

#: those that measure seconds: no two machines agree, so no test asserts them
TIMED = ("time_ratio_64", "time_ratio_256")
