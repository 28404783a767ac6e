"""Two language models of lesson 15: one that reads from left to right, and one that fills in gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.corpus import generate
from course_lib.experiments.sentences_as_ids import (
    BOS,
    EOS,
    LONGEST,
    MASK,
    PAD,
    SPECIAL,
    TOKENS,
    VOCABULARY,
    Batches,
    as_ids,
    as_words,
)
from course_lib.experiments.series import Series
from course_lib.training import one_thread, rise_and_fall, train

SENTENCES, HELD_OUT = 20_000, 500
WIDTH, HEADS, LAYERS, HIDDEN = 96, 4, 2, 192
BATCH, RATE = 64, 3e-3
CAUSAL_STEPS, MASKED_STEPS = 1500, 3200
#: how many sentences to search for neighbouring words
LOOKED_UP = 100_000
#: ways to choose the next word, by name: the arguments of `sampling_distribution`
WAYS: dict[str, dict[str, Any]] = {
    **{f"temperature {t}": {"temperature": t} for t in (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)},
    **{f"top k {k}": {"top_k": k} for k in (3, 10, 40)},
    **{f"top p {p}": {"top_p": p} for p in (0.5, 0.8, 0.9, 0.95)},
}


@dataclass(frozen=True)
class Parts:
    """The components to measure, such as your own.

    Attributes:
        causal: like `CausalLanguageModel`.
        classifier: like `EncoderClassifier`.
        mask_tokens: like the component with this name.
        distribution: like `sampling_distribution`.
        generate: like the component with this name.
    """

    causal: Callable[..., nn.Module]
    classifier: Callable[..., nn.Module]
    mask_tokens: Callable[..., tuple[Tensor, Tensor]]
    distribution: Callable[..., Tensor]
    generate: Callable[..., Tensor]


@cache
def rows(seed: int) -> Tensor:
    """Return the sentences that a model is trained on."""
    return as_ids([pair.source for pair in islice(generate(seed), SENTENCES)])


@cache
def held_out(seed: int) -> Tensor:
    """Return sentences that no model is trained on."""
    return as_ids([pair.source for pair in islice(generate(1000 + seed, "held_out"), HELD_OUT)])


def causal_model(parts: Parts, seed: int, steps: int = CAUSAL_STEPS, progress: bool = True) -> Any:
    """Train a language model that reads from left to right."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: Any = parts.causal(len(TOKENS), WIDTH, HEADS, LAYERS, HIDDEN, LONGEST, 0.0)
    return _trained(model, model.loss, seed, steps, progress)


def masked_model(parts: Parts, seed: int, steps: int = MASKED_STEPS, progress: bool = True) -> Any:
    """Train a masked language model: an `EncoderClassifier` with a class for every word."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = parts.classifier(VOCABULARY, VOCABULARY, WIDTH, HEADS, LAYERS, HIDDEN, LONGEST, None, 0.0)
    chance = torch.Generator().manual_seed(seed)

    def loss(ids: Tensor) -> Tensor:
        uniform = torch.rand(ids.shape, generator=chance)
        replacements = torch.randint(SPECIAL, MASK, ids.shape, generator=chance)
        inputs, labels = parts.mask_tokens(ids, uniform, replacements, MASK)  # (B, T) each
        return F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())

    return _trained(model, loss, seed, steps, progress)


def _trained(model: Any, loss: Callable[[Tensor], Tensor], seed: int, steps: int, progress: bool) -> Any:
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    with one_thread():
        train(loss, Batches(rows(seed), BATCH, seed), optimizer, steps=steps, schedule=rise_and_fall, progress=progress)
    return model.eval()


# what the models know


@torch.no_grad()
def perplexity(model: Any, seed: int) -> float:
    """Return the perplexity of a left-to-right model on held-out sentences."""
    return float(model.loss(held_out(seed)).exp())


def perplexity_of_frequencies(seed: int) -> float:
    """Return the perplexity of a model that only knows how frequent each word is."""
    counts = torch.bincount(rows(seed)[:, 1:].flatten(), minlength=len(TOKENS)).double() + 1  # (V,)
    counts[PAD] = 0
    labels = held_out(seed)[:, 1:]
    return float((-(counts / counts.sum()).log()[labels[labels != PAD]]).mean().exp())


@torch.no_grad()
def guessed(causal: Any, masked: Any, seed: int) -> dict[str, float]:
    """Return the share of held-out words guessed correctly: the most frequent word, from the left, from both sides."""
    ids = held_out(seed)
    scored = ids >= SPECIAL  # (B, T)
    frequent = int(torch.bincount(rows(seed)[rows(seed) >= SPECIAL]).argmax())
    from_the_left = F.pad(causal(ids[:, :-1]).argmax(dim=-1), (1, 0))  # (B, T)
    from_both_sides = torch.zeros_like(ids)
    for t in range(ids.size(1)):
        with_gap = ids.clone()
        with_gap[:, t] = MASK
        real = scored[:, t]
        if real.any():
            from_both_sides[real, t] = masked(with_gap[real])[:, t].argmax(dim=-1)
    guesses = {
        "most frequent word": torch.full_like(ids, frequent),
        "from the left": from_the_left,
        "from both sides": from_both_sides,
    }
    return {way: float((words == ids)[scored].float().mean()) for way, words in guesses.items()}


def fill(masked: Any, text: str, most: int = 5) -> list[tuple[str, float]]:
    """Return the most probable words for the gap, ``___``, in a sentence, with their probabilities."""
    words = text.split()
    gap = words.index("___")
    ids = as_ids([[*words[:gap], "the", *words[gap + 1 :]]])
    ids[0, gap + 1] = MASK
    with torch.no_grad():
        best = masked(ids)[0, gap + 1, : len(TOKENS)].softmax(dim=-1).topk(most)
    return [(TOKENS[i], float(p)) for p, i in zip(best.values, best.indices, strict=True)]


# what a model writes


@cache
def neighbours() -> frozenset[tuple[str, str]]:
    """Return all pairs of words that are neighbours in many sentences of the corpus, including beginnings and ends."""
    found: set[tuple[str, str]] = set()
    for pair in islice(generate(123), LOOKED_UP):
        found.update(_pairs(pair.source))
    return frozenset(found)


def _pairs(words: tuple[str, ...]) -> set[tuple[str, str]]:
    return set(zip(("<bos>", *words), (*words, "<eos>"), strict=True))


def well_formed(sentence: tuple[str, ...]) -> bool:
    """Return whether all neighbouring words of a sentence are also neighbours somewhere in the corpus."""
    return _pairs(sentence) <= neighbours()


def write(parts: Parts, model: Any, count: int, seed: int, **how: Any) -> list[tuple[str, ...]]:
    """Let a model write sentences, starting from nothing but ``bos``.

    Args:
        how: the arguments of `sampling_distribution`.
    """
    chance = torch.Generator().manual_seed(seed)

    def choose(logits: Tensor) -> Tensor:
        return torch.multinomial(parts.distribution(logits, **how), 1, generator=chance).squeeze(1)  # (B,)

    prompt = torch.full((count, 1), BOS)
    return [as_words(row) for row in parts.generate(model, prompt, LONGEST - 2, choose, EOS, PAD, LONGEST)]


def quality_and_variety(parts: Parts, model: Any, seed: int, count: int = 300) -> Series:
    """Return, for each of `WAYS`, the share of well-formed sentences and the share of distinct ones.

    The first entry is the corpus itself.
    """
    real = [pair.source for pair in islice(generate(2000 + seed, "held_out"), count)]
    texts = [real, *(write(parts, model, count, seed, **how) for how in WAYS.values())]
    return {
        "well formed": [sum(map(well_formed, text)) / count for text in texts],
        "different": [len(set(text)) / count for text in texts],
    }


# recorded experiments


@cache
def both(parts: Parts, seed: int) -> tuple[Any, Any]:
    """Train both models, once per seed."""
    return causal_model(parts, seed, progress=False), masked_model(parts, seed, progress=False)


def _guessed(parts: Parts, seed: int) -> Series:
    causal, masked = both(parts, seed)
    return {
        "share": list(guessed(causal, masked, seed).values()),
        "perplexity": [perplexity_of_frequencies(seed), perplexity(causal, seed), 0.0],
    }


def _written(parts: Parts, seed: int) -> Series:
    return quality_and_variety(parts, both(parts, seed)[0], seed)


EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {"guessed": _guessed, "written": _written}
