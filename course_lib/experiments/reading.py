"""The experiments of lesson 16: interpreting a trained translator, and removing what the interpretation relies on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpus import generate
from course_lib.corpus.pairs import Pair
from course_lib.experiments.series import Series
from course_lib.translator import Translator
from course_lib.translator.recorded_attention import recorded_attention

#: how many heads are removed at each point of `pruning`
TAKEN_OUT = (0, 4, 8, 12, 16, 20)

#: a head: the name of its attention module, and its index there
Head = tuple[str, int]


@dataclass(frozen=True)
class Parts:
    """The components to measure with: yours, for instance.

    Attributes:
        translator: whose network is a `Transformer`.
        gate: like `gate_heads`.
        rollout: like `attention_rollout`.
        correlation: like `rank_correlation`.
        error_rate: like `alignment_error_rate`.
    """

    translator: Translator
    gate: Callable[[Tensor, Tensor], Tensor]
    rollout: Callable[[Tensor], Tensor]
    correlation: Callable[[Tensor, Tensor], float]
    error_rate: Callable[[Tensor, Tensor], float]


@dataclass(frozen=True)
class Sentences:
    """Sentences and their right translations, as ids.

    Attributes:
        pairs: B of them.
        source: (B, S).
        inputs: (B, T), the decoder's input: ``<bos>`` and the translation.
        labels: (B, T), the expected output: the translation and ``<eos>``.
    """

    pairs: list[Pair]
    source: Tensor
    inputs: Tensor
    labels: Tensor


def sentences(translator: Translator, count: int, seed: int) -> Sentences:
    """Return held-out sentences for a translator."""
    pairs = list(islice(generate(1000 + seed, "held_out"), count))
    french = {word: i for i, word in enumerate(translator.french)}
    source = [[translator.english_ids[word] for word in pair.source] for pair in pairs]
    target = [[french[word] for word in pair.target] for pair in pairs]
    inputs = [[french["<bos>"], *ids] for ids in target]
    return Sentences(pairs, _padded(source), _padded(inputs), _padded([[*ids, french["<eos>"]] for ids in target]))


def _padded(rows: list[list[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def one_sentence(translator: Translator, text: str) -> Sentences:
    """Translate a sentence of your own, and return it with its translation."""
    source = translator.tokens(text)
    target = translator.translate_tokens(source)
    french = {word: i for i, word in enumerate(translator.french)}
    ids = [french[word] for word in target]
    return Sentences(
        [Pair(tuple(source), tuple(target))],
        torch.tensor([[translator.english_ids[word] for word in source]]),
        torch.tensor([[french["<bos>"], *ids]]),
        torch.tensor([[*ids, french["<eos>"]]]),
    )


def all_heads(network: nn.Module) -> list[Head]:
    """List every head of a Transformer, layer by layer: the encoder's, then the decoder's."""
    named = ((name, module) for name, module in network.named_modules() if hasattr(module, "num_heads"))
    return [(name, head) for name, module in named if hasattr(module, "w_o") for head in range(module.num_heads)]


def called(head: Head) -> str:
    """Name a head, for instance ``"encoder 1, head 0"`` or ``"cross 0, head 3"``."""
    side, _, layer, kind = head[0].split(".")
    return f"{'cross' if kind.startswith('cross') else side} {layer}, head {head[1]}"


@contextmanager
def gated(network: nn.Module, gates: Mapping[str, Tensor], gate: Callable[[Tensor, Tensor], Tensor]) -> Iterator[None]:
    """Multiply the heads of every attention by its gates before the output projection mixes them."""

    def before(name: str, module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (gate(given[0], gates[name]),)

    hooks = [network.get_submodule(f"{name}.w_o").register_forward_pre_hook(partial(before, name)) for name in gates]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def open_gates(network: nn.Module) -> dict[str, Tensor]:
    """Return a gate of 1 for every head, by the name of its attention."""
    gates: dict[str, Tensor] = {}
    for name, head in all_heads(network):
        gates[name] = torch.ones(head + 1)
    return gates


def loss(network: nn.Module, given: Sentences) -> Tensor:
    """Return the mean loss per word."""
    logits = network(given.source, given.inputs)  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), given.labels.flatten(), ignore_index=0)


@torch.no_grad()
def effects(parts: Parts, given: Sentences) -> dict[Head, float]:
    """Return how much the loss per word rises when one head is removed, for every head."""
    network = parts.translator.network
    whole, found = float(loss(network, given)), {}
    for name, head in all_heads(network):
        gates = open_gates(network)
        gates[name][head] = 0
        with gated(network, gates, parts.gate):
            found[name, head] = float(loss(network, given)) - whole
    return found


def sensitivities(parts: Parts, given: Sentences) -> dict[Head, float]:
    """Return how steeply the loss depends on each gate: the gradient's magnitude per sentence, averaged."""
    network = parts.translator.network
    found = dict.fromkeys(all_heads(network), 0.0)
    for i in range(len(given.pairs)):
        gates = {name: gate.requires_grad_() for name, gate in open_gates(network).items()}
        one = Sentences(given.pairs[i : i + 1], *(x[i : i + 1] for x in (given.source, given.inputs, given.labels)))
        with gated(network, gates, parts.gate):
            slopes = torch.autograd.grad(loss(network, one), list(gates.values()))
        for name, slope in zip(gates, slopes, strict=True):
            for head, size in enumerate(slope.abs().tolist()):
                found[name, head] += size / len(given.pairs)
    return found


@torch.no_grad()
def right(parts: Parts, given: Sentences, without: Sequence[Head] = ()) -> float:
    """Return the share of sentences translated exactly with some heads removed."""
    network: Any = parts.translator.network
    gates = open_gates(network)
    for name, head in without:
        gates[name][head] = 0
    with gated(network, gates, parts.gate):
        memory, mask = network.encode(given.source)
        written = given.inputs[:, :1]  # (B, 1)
        for _ in range(given.labels.size(1)):
            following = network.decode(written, memory, mask)[:, -1].argmax(dim=-1)  # (B,)
            written = torch.cat([written, following[:, None]], dim=1)
    same = (written[:, 1:] == given.labels) | (given.labels == 0)  # (B, T)
    return float(same.all(dim=1).float().mean())


def pruning(parts: Parts, given: Sentences, orders: Mapping[str, Sequence[Head]]) -> dict[str, Series]:
    """Return the share of right sentences when the first heads of an order are removed.

    Returns:
        By the name of the order: ``taken_out`` and ``right``.
    """
    return {
        name: {
            "taken_out": [float(count) for count in TAKEN_OUT],
            "right": [right(parts, given, order[:count]) for count in TAKEN_OUT],
        }
        for name, order in orders.items()
    }


def orders(parts: Parts, given: Sentences, seed: int) -> dict[str, list[Head]]:
    """Order all heads, most dispensable first: by effect, by sensitivity, and at random."""
    by_effect, by_slope = effects(parts, given), sensitivities(parts, given)
    drawn = list(by_effect)
    random.Random(seed).shuffle(drawn)
    return {
        "least effect first": sorted(by_effect, key=lambda head: by_effect[head]),
        "least gradient first": sorted(by_slope, key=lambda head: by_slope[head]),
        "at random": drawn,
    }


@torch.no_grad()
def weights_of(network: nn.Module, given: Sentences) -> dict[str, Tensor]:
    """Return the attention weights of all layers and heads.

    Returns:
        ``encoder`` (L, B, H, S, S), ``decoder`` (L, B, H, T, T) and ``cross`` (L, B, H, T, S).
    """
    found = {}
    kinds = (("encoder", "self_attention"), ("decoder", "self_attention"), ("cross", "cross_attention"))
    for kind, name in kinds:
        side = "encoder" if kind == "encoder" else "decoder"
        names = [other for other, _ in network.named_modules() if other.startswith(side) and other.endswith(name)]
        with recorded_attention(network, *names) as collected:
            network(given.source, given.inputs)
        found[kind] = torch.stack(collected)
    return found


def roles(weights: Tensor, given: Sentences) -> dict[str, dict[str, float]]:
    """Return the share of its weight that each self-attention head of the encoder puts on a few fixed positions.

    Args:
        weights: ``encoder`` of `weights_of`, (L, B, H, S, S).

    Returns:
        By head, the share on the word ``before``, on ``itself``, on the word ``after``, and on the ``end`` mark.
    """
    found = {}
    for layer in range(weights.size(0)):
        for head in range(weights.size(2)):
            shares = dict.fromkeys(("before", "itself", "after", "end"), 0.0)
            for i, pair in enumerate(given.pairs):
                s = len(pair.source)
                rows = weights[layer, i, head, :s, :s]  # (S, S)
                for name, place in (("before", -1), ("itself", 0), ("after", 1)):
                    shares[name] += float(rows.diagonal(place).sum()) / (s - abs(place)) / len(given.pairs)
                shares["end"] += float(rows[:, -1].mean()) / len(given.pairs)
            found[f"encoder {layer}, head {head}"] = shares
    return found


@torch.no_grad()
def removal(network: Any, given: Sentences) -> Tensor:
    """Return how much the log-probability of each right word falls when a source word is hidden: (B, T, S).

    Encoder and decoder both lose the word; its position stays empty.
    """

    def said(mask: Tensor) -> Tensor:
        memory = network.encoder(network.source_embedding(given.source), mask)  # (B, S, D)
        logits: Tensor = network.decode(given.inputs, memory, mask)  # (B, T, V)
        return logits.log_softmax(dim=-1).gather(-1, given.labels.unsqueeze(-1)).squeeze(-1)  # (B, T)

    real = given.source != 0  # (B, S)
    whole, falls = said(real[:, None, None]), []
    for word in range(given.source.size(1)):
        kept = real.clone()
        kept[:, word] = False
        falls.append(whole - said(kept[:, None, None]))
    return torch.stack(falls, dim=-1)


def agreement(parts: Parts, given: Sentences, shares: Tensor, falls: Tensor) -> list[float]:
    """Return the rank correlation of shares with falls, both (B, T, S), each averaged over a sentence's words."""
    found = []
    for i, pair in enumerate(given.pairs):
        t, s = len(pair.target) + 1, len(pair.source)
        rows = [parts.correlation(shares[i, j, :s], falls[i, j, :s]) for j in range(t)]
        found.append(sum(rows) / t)
    return found


def interval(numbers: Sequence[float], seed: int = 0, times: int = 1000) -> tuple[float, float, float]:
    """Return the mean with its bootstrap 95 % interval: low, mean, high."""
    drawn = torch.tensor(numbers, dtype=torch.float64)
    picks = torch.randint(len(numbers), (times, len(numbers)), generator=torch.Generator().manual_seed(seed))
    means = drawn[picks].mean(dim=1)
    return float(means.quantile(0.025)), float(drawn.mean()), float(means.quantile(0.975))


def looked_at(parts: Parts, given: Sentences) -> dict[str, Tensor]:
    """Return shares of the source words (B, T, S) for each target word: two ways to read attention, and chance."""
    weights = weights_of(parts.translator.network, given)
    cross = weights["cross"].mean(dim=(0, 2))  # (B, T, S)
    rolled = torch.stack([parts.rollout(weights["encoder"][:, i]) for i in range(len(given.pairs))])  # (B, S, S)
    chance = torch.rand(cross.shape, generator=torch.Generator().manual_seed(0))
    return {"weights": cross, "weights and rollout": cross @ rolled, "chance": chance}


def error_rates(parts: Parts, given: Sentences) -> dict[str, float]:
    """Return the alignment error rate of each cross-attention head, linking each target word to its largest weight.

    Each head's links are scored over all sentences together, as if they were one long sentence.
    """
    weights = weights_of(parts.translator.network, given)["cross"]  # (L, B, H, T, S)
    gold = torch.zeros(weights.shape[1], *weights.shape[3:], dtype=torch.bool)  # (B, T, S)
    words = torch.zeros(weights.shape[1], weights.shape[3], 1, dtype=torch.bool)  # (B, T, 1): no end mark
    for i, pair in enumerate(given.pairs):
        words[i, : len(pair.target)] = True
        for s, t in pair.alignment:
            gold[i, t, s] = True

    def rate(shares: Tensor) -> float:
        most = F.one_hot(shares.argmax(dim=-1), shares.size(-1)).bool() & words  # (B, T, S)
        return parts.error_rate(most.flatten(0, 1), gold.flatten(0, 1))

    found = {
        f"cross {layer}, head {head}": rate(weights[layer, :, head])
        for layer in range(weights.size(0))
        for head in range(weights.size(2))
    }
    found["mean of all heads"] = rate(weights.mean(dim=(0, 2)))
    place = torch.arange(weights.size(3))[:, None] == torch.arange(weights.size(4))  # (T, S)
    found["same position"] = rate(place.float().expand(len(given.pairs), -1, -1))
    return found


def _record_effects(parts: Parts, seed: int) -> Series:
    given = sentences(parts.translator, 200, seed)
    found, slopes = effects(parts, given), sensitivities(parts, given)
    return {
        "head": [float(i) for i in range(len(found))],
        "effect": list(found.values()),
        "slope": list(slopes.values()),
    }


def _record_pruning(order: str, parts: Parts, seed: int) -> Series:
    chosen = orders(parts, sentences(parts.translator, 100, 50 + seed), seed)[order]
    return pruning(parts, sentences(parts.translator, 100, seed), {order: chosen})[order]


def _record_agreement(parts: Parts, seed: int) -> Series:
    given = sentences(parts.translator, 100, seed)
    falls, shares = removal(parts.translator.network, given), looked_at(parts, given)
    means = [interval(agreement(parts, given, share, falls))[1] for share in shares.values()]
    means.append(means[1] - means[0])  # the gain from following the weights through the encoder
    return {"way": [float(i) for i in range(len(means))], "correlation": means}


def _record_error_rates(parts: Parts, seed: int) -> Series:
    found = error_rates(parts, sentences(parts.translator, 200, seed))
    return {"head": [float(i) for i in range(len(found))], "rate": list(found.values())}


ORDERS = ("least effect first", "least gradient first", "at random")

#: what `make experiments` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "effects": _record_effects,
    **{f"pruning, {order}": partial(_record_pruning, order) for order in ORDERS},
    "agreement": _record_agreement,
    "error rates": _record_error_rates,
}
