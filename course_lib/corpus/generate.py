"""Unlimited pairs from a seed, by split, with synonyms and noise on request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Literal
from zlib import crc32

from course_lib.corpus.choices import choices, held_out_combinations
from course_lib.corpus.pairs import Pair, write
from course_lib.corpus.sentences import SentenceDrawer
from course_lib.corpus.shapes import DEEPER, LONGER, TRAINED, Shape

Split = Literal["train", "held_out", "held_out_combinations", "longer", "longer_and_deeper"]
Noise = Literal["empty", "wrong"]

#: the splits, with the shape of their sentences
SPLITS: dict[Split, Shape] = {
    "train": TRAINED,
    "held_out": TRAINED,
    "held_out_combinations": TRAINED,
    "longer": LONGER,
    "longer_and_deeper": DEEPER,
}
#: one in this many sentences is held out from training
HELD_OUT_SENTENCES = 10


def is_held_out(source: tuple[str, ...]) -> bool:
    """Return whether training never shows this sentence. A hash decides, the same in every process and every run."""
    return crc32(" ".join(source).encode()) % HELD_OUT_SENTENCES == 0


def generate(
    seed: int,
    split: Split = "train",
    *,
    distinct: bool = False,
    synonyms: bool = False,
    noise: float = 0.0,
    noise_kind: Noise = "empty",
) -> Iterator[Pair]:
    """Yield endless pairs, the same for the same arguments.

    Args:
        seed: any integer; different seeds give different sentences of the same kind.
        split: ``"train"``; ``"held_out"``: sentences that training never shows; ``"held_out_combinations"``: with an
            adjective–noun or verb–object pair that training never shows; ``"longer"``: longer than in training, by
            coordination at the trained depth; ``"longer_and_deeper"``: relative clauses inside relative clauses.
        distinct: whether to skip repeated sentences. Short ones become rare then.
        synonyms: whether a word with several right translations may get any of them. The English is unchanged.
        noise: the share of pairs whose target is corrupted, with an empty alignment.
        noise_kind: ``"empty"``: the target is ``()``; ``"wrong"``: it is the target of another sentence.

    Yields:
        One pair after another.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}: the splits are {', '.join(SPLITS)}")
    if noise_kind not in ("empty", "wrong") or not 0 <= noise <= 1:
        raise ValueError(f"noise is a share between 0 and 1 of 'empty' or 'wrong' targets, not {noise} {noise_kind!r}")
    pairs = _clean(seed, split, distinct, synonyms)
    return _noisy(pairs, seed, noise, noise_kind) if noise else pairs


def _clean(seed: int, split: Split, distinct: bool, synonyms: bool) -> Iterator[Pair]:
    shape, banned = SPLITS[split], held_out_combinations()
    combining = split == "held_out_combinations"
    drawer = SentenceDrawer(seed, choices(combining), shape, synonyms)
    given: set[int] = set()
    while True:
        sentence = drawer.sentence()
        if not shape.shallowest <= drawer.deepest <= shape.deepest:
            continue
        if combining and banned.isdisjoint(drawer.combinations):
            continue
        pair = write(sentence, drawer.combinations, drawer.deepest)
        if not shape.shortest <= len(pair.source) <= shape.longest:
            continue
        code = crc32(" ".join(pair.source).encode())
        if shape is TRAINED and not combining and (code % HELD_OUT_SENTENCES == 0) != (split == "held_out"):
            continue
        if distinct:
            # if two sentences have the same code, the second is skipped: once in billions
            if code in given:
                continue
            given.add(code)
        yield pair


def _noisy(pairs: Iterator[Pair], seed: int, noise: float, kind: Noise) -> Iterator[Pair]:
    random = Random(f"noise of {seed}").random
    last: tuple[str, ...] = ("non", ".")
    for pair in pairs:
        spoilt = random() < noise
        target = () if kind == "empty" else last
        last = pair.target
        yield replace(pair, target=target, alignment=()) if spoilt else pair
