"""Pretraining and fine-tuning: how many labels does an encoder need if it has already learned to fill gaps?

There are two tasks. *Tagging*: is a word a noun, a verb, an adjective or something else? *Swapped*: have two
neighbouring words of a sentence been swapped? Without the word order, this question cannot be answered.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpus import Pair, Split, generate
from course_lib.corpus.senses import is_ambiguous, senses
from course_lib.experiments.language_models import HEADS, HIDDEN, LAYERS, WIDTH, Parts, both
from course_lib.experiments.sentences_as_ids import LONGEST, VOCABULARY, as_ids
from course_lib.experiments.series import Series
from course_lib.training import one_thread, rise_and_fall, train

TAGS = ("noun", "verb", "adjective", "other")
IGNORED = -100
#: the numbers of labelled sentences
TAGGED, SWAPPED = (10, 30, 100, 300), (100, 1000, 4000)
TAGGING_STEPS, SWAPPING_STEPS, BATCH, RATE = 200, 400, 32, 1e-3
TRIED = 1000

#: ids (B, T), and labels (B, T) or (B,)
Labelled = tuple[Tensor, Tensor]


def tags(pair: Pair) -> list[int]:
    """Return the tag of each English word, or `IGNORED` if the translation leaves it open."""
    found = []
    for word, possible in zip(pair.source, senses(pair), strict=True):
        kinds = {sense.part_of_speech for sense in possible}
        if len(kinds) == 1:
            found.append(TAGS.index(kinds.pop()))
        else:
            found.append(IGNORED if is_ambiguous(word) else TAGS.index("other"))
    return found


@cache
def tagged(count: int, seed: int, split: Split = "train") -> Labelled:
    """Return sentences with a label for each word, (B, T); beginning, end and padding have none."""
    pairs = list(islice(generate(4000 + seed, split), count))
    rows = [torch.tensor([IGNORED, *tags(pair), IGNORED]) for pair in pairs]
    return as_ids([pair.source for pair in pairs]), pad_sequence(rows, batch_first=True, padding_value=IGNORED)


@cache
def swapped(count: int, seed: int, split: Split = "train") -> Labelled:
    """Return sentences; in every other one, two neighbouring words have been swapped (label 1)."""
    chance, sentences, labels = random.Random(seed), [], []
    for pair in generate(5000 + seed, split):
        words = list(pair.source)
        places = [i for i in range(len(words) - 2) if words[i] != words[i + 1]]  # the end mark stays last
        if not places:
            continue
        labels.append(chance.randrange(2))
        place = chance.choice(places)
        if labels[-1]:
            words[place], words[place + 1] = words[place + 1], words[place]
        sentences.append(words)
        if len(sentences) == count:
            break
    return as_ids(sentences), torch.tensor(labels)


def tune(parts: Parts, masked: Any, given: Labelled, classes: int, pooling: str | None, steps: int, seed: int) -> Any:
    """Fine-tune an encoder, or train one from scratch if ``masked`` is None."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: Any = parts.classifier(VOCABULARY, classes, WIDTH, HEADS, LAYERS, HIDDEN, LONGEST, pooling, 0.0)
    if masked is not None:
        model.embedding.load_state_dict(masked.embedding.state_dict())
        model.encoder.load_state_dict(masked.encoder.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)

    def loss(batch: Labelled) -> Tensor:
        ids, labels = batch
        return F.cross_entropy(model(ids).flatten(0, -2), labels.flatten(), ignore_index=IGNORED)

    with one_thread():
        train(loss, _Chosen(given, seed), optimizer, steps=steps, schedule=rise_and_fall, progress=False)
    return model.eval()


class _Chosen:
    """Endless batches of labelled sentences, in an order that the seed fixes."""

    def __init__(self, given: Labelled, seed: int) -> None:
        self.given, self.seed = given, seed

    def __iter__(self) -> Iterator[Labelled]:
        generator = torch.Generator().manual_seed(self.seed)
        ids, labels = self.given
        while True:
            chosen = torch.randint(len(ids), (BATCH,), generator=generator)
            yield ids[chosen], labels[chosen]


@torch.no_grad()
def right(model: nn.Module, given: Labelled) -> float:
    """Return the share of right labels."""
    ids, labels = given
    asked = labels != IGNORED
    return float((model(ids).argmax(dim=-1) == labels)[asked].float().mean())


def most_frequent_tag(given: Labelled, tried: Labelled) -> float:
    """Return the baseline: the share that is right if each word always gets its most frequent tag."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, tag in zip(given[0].flatten().tolist(), given[1].flatten().tolist(), strict=True):
        if tag != IGNORED:
            counts[word][tag] += 1
    usual = sum(counts.values(), Counter[int]()).most_common(1)[0][0]
    ids, labels = tried
    said = torch.tensor(
        [[counts[word].most_common(1)[0][0] if word in counts else usual for word in row] for row in ids.tolist()]
    )
    return float((said == labels)[labels != IGNORED].float().mean())


def tagging(parts: Parts, masked: Any, seed: int, counts: tuple[int, ...] = TAGGED) -> Series:
    """Return the share of right tags by number of labelled sentences: most frequent tag, from scratch, fine-tuned."""
    tried = tagged(TRIED, 500 + seed, "held_out")
    series: Series = {
        "sentences": [float(n) for n in counts],
        "most frequent tag": [],
        "from scratch": [],
        "pretrained": [],
    }
    for count in counts:
        given = tagged(count, seed)
        series["most frequent tag"].append(most_frequent_tag(given, tried))
        for name, start in (("from scratch", None), ("pretrained", masked)):
            series[name].append(right(tune(parts, start, given, len(TAGS), None, TAGGING_STEPS, seed), tried))
    return series


def swapping(parts: Parts, masked: Any, seed: int, counts: tuple[int, ...] = SWAPPED) -> Series:
    """Return the share of right answers by number of labels: from scratch, fine-tuned by ``cls``, and by the mean."""
    tried = swapped(TRIED, 500 + seed, "held_out")
    ways = {
        "from scratch, mean": (None, "mean"),
        "pretrained, cls": (masked, "cls"),
        "pretrained, mean": (masked, "mean"),
    }
    series: Series = {"sentences": [float(n) for n in counts], **{name: [] for name in ways}}
    for count in counts:
        for name, (start, pooling) in ways.items():
            model = tune(parts, start, swapped(count, seed), 2, pooling, SWAPPING_STEPS, seed)
            series[name].append(right(model, tried))
    return series


EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "tagging": lambda parts, seed: tagging(parts, both(parts, seed)[1], seed),
    "swapping": lambda parts, seed: swapping(parts, both(parts, seed)[1], seed),
}
