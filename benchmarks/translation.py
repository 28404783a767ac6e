"""How fast the course's Transformer trains and translates, compared with PyTorch's own, in one process.

Training: target tokens a second of CPU time, forward, backward and step, on the same sentences with the same sizes.
*As lessons have it* is the `Transformer` of the lessons. *Fast* is the same, its weights of the
same names, computed by `course_lib.real_text.faster`, scoring real tokens only, in batches of sentences of like length.
Its steps are those of `course_lib.real_text.muon`, and after each the weights go into their average, as in
`course train`; all others have Adam's steps alone, which are cheaper.

Decoding: sentences a second, greedily: recomputed one by one (lesson 10's `greedy_decode`), with a cache one by one,
and in batches. All three have to write the same: where they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course_lib.components import Transformer, greedy_decode
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.corpus import detokenize, generate
from course_lib.real_text.corpora import TextPair, multi30k
from course_lib.real_text.decoding import by_power, in_batches, search
from course_lib.real_text.faster import quicken
from course_lib.real_text.muon import Muon
from course_lib.real_text.run import tie
from course_lib.real_text.settings import Settings
from course_lib.real_text.subwords import Subwords
from course_lib.real_text.training import Averaged, SubwordBatches, loss_of
from course_lib.training import fast_precision

DROPOUT = 0.1


class TorchTranslator(nn.Module):
    """`nn.Transformer` between embeddings and an output layer, as PyTorch's tutorial on translation has it."""

    def __init__(self, vocabulary: int, s: Settings) -> None:
        super().__init__()
        self.source = PositionEmbedding(vocabulary, s.d_model, s.max_length + 1, DROPOUT)
        self.target = PositionEmbedding(vocabulary, s.d_model, s.max_length + 1, DROPOUT)
        self.network = nn.Transformer(
            s.d_model, s.num_heads, s.num_layers, s.num_layers, s.d_ff, DROPOUT, batch_first=True, norm_first=True
        )
        self.out = nn.Linear(s.d_model, vocabulary)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """(B, S) and (B, T) to logits (B, T, V)."""
        hidden = source == 0
        causal = nn.Transformer.generate_square_subsequent_mask(target.size(1)).isinf()
        decoded = self.network(
            self.source(source), self.target(target), tgt_mask=causal, src_key_padding_mask=hidden,
            tgt_key_padding_mask=target == 0, memory_key_padding_mask=hidden,
        )  # fmt: skip
        logits: Tensor = self.out(decoded)
        return logits


def random_batches(
    pairs: Sequence[TextPair], subwords: Subwords, tokens: int, seed: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches of sentences as they come, of about as many real tokens as the others have positions."""
    order = Random(seed)
    rows = [(subwords.encode(source)[1:-1], subwords.encode(target)) for source, target in pairs]
    size = max(1, round(tokens * len(rows) / sum(max(len(a), len(b) - 1) for a, b in rows)))
    while True:
        chosen = order.sample(rows, size)
        source, target = (pad_sequence([torch.tensor(row[side]) for row in chosen], True) for side in (0, 1))
        yield source, target


def tokens_a_second(
    model: nn.Module,
    loss: Callable[[Tensor, Tensor], Tensor],
    batches: Iterator[tuple[Tensor, Tensor]],
    steps: int,
    optimizer: torch.optim.Optimizer | None = None,
    after: Callable[[int], object] = lambda step: None,
) -> float:
    """Target tokens a second of CPU time; a third as many steps come before it and do not count.

    Args:
        optimizer: of the model's weights; Adam where none is named.
        after: called after each step with its number, from 1; its time counts.
    """
    optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    seen, start = 0, 0.0
    for number, (source, target) in enumerate(islice(batches, steps + steps // 3)):
        if number == steps // 3:
            seen, start = 0, time.process_time()
        loss(source, target).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        after(number + 1)
        seen += int((target[:, 1:] != 0).sum())
    return seen / (time.process_time() - start)


def training(pairs: Sequence[TextPair], subwords: Subwords, s: Settings, steps: int) -> dict[str, float]:
    """Target tokens a second of each way to train."""

    def plain(model: nn.Module) -> Callable[[Tensor, Tensor], Tensor]:
        def loss(source: Tensor, target: Tensor) -> Tensor:
            logits = model(source, target[:, :-1])
            return F.cross_entropy(
                logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, label_smoothing=s.smoothing
            )

        return loss

    def fast(network: Any, sixteen: bool) -> Callable[[Tensor, Tensor], Tensor]:
        def loss(source: Tensor, target: Tensor) -> Tensor:
            with fast_precision() if sixteen else nullcontext():
                return loss_of(network, source, target, s.smoothing)

        return loss

    def course() -> Transformer:
        sizes = len(subwords), len(subwords), s.d_model, s.num_heads, s.num_layers, s.d_ff
        return Transformer(*sizes, s.max_length + 1, DROPOUT)

    def ours() -> Transformer:
        network = tie(quicken(course()))
        for name, part in network.named_modules():
            if name.endswith(("attention", "feed_forward")):
                part.dropout.p = 0.0
        return network

    def at_random() -> Iterator[tuple[Tensor, Tensor]]:
        return random_batches(pairs, subwords, s.tokens, seed=0)

    def by_length() -> Iterator[tuple[Tensor, Tensor]]:
        return iter(SubwordBatches(pairs, subwords, s))

    torch_model = TorchTranslator(len(subwords), s)
    found = {
        "nn.Transformer, random batches": tokens_a_second(torch_model, plain(torch_model), at_random(), steps),
        "nn.Transformer, by length": tokens_a_second(torch_model, plain(torch_model), by_length(), steps),
    }
    for name, batches in (("random batches", at_random), ("by length", by_length)):
        model = course()
        found[f"the course's, as lessons have it, {name}"] = tokens_a_second(model, plain(model), batches(), steps)
    for name, sixteen in (("float32", False), ("16 bits where the processor has them", True)):
        model = ours()
        muon, average = Muon(model, 1e-4, 1e-3, s.d_model // s.num_heads), Averaged(model, s.average)
        found[f"the course's, fast, {name}"] = tokens_a_second(
            model, fast(model, sixteen), by_length(), steps, muon, average.take_in
        )
    return found


@torch.no_grad()
def decoding(pairs: Sequence[TextPair], subwords: Subwords, s: Settings, count: int) -> tuple[dict[str, float], int]:
    """Sentences a second of each way to decode greedily, and how many are not written the same in all ways.

    The network is not trained, so all write equally much.
    """
    torch.manual_seed(0)
    sizes = len(subwords), len(subwords), s.d_model, s.num_heads, s.num_layers, s.d_ff
    network = Transformer(*sizes, s.max_length + 1, 0.0).eval()
    network.target_embedding.token_embedding.weight[:3] = 0.0  # so that padding and ends hardly come
    rows = [subwords.encode(source)[1:-1] for source, _ in pairs[:count]]
    most = 20

    def one_by_one(decode: Callable[[Tensor], list[int]]) -> list[list[int]]:
        return [decode(torch.tensor([row])) for row in rows]

    def in_one_go() -> list[list[int]]:
        found: list[list[int]] = [[] for _ in rows]
        for batch in in_batches([len(row) for row in rows], 6000):
            source = pad_sequence([torch.tensor(rows[i]) for i in batch], True)
            for i, ids in zip(batch, search(quick, source, 1, 2, most, 1, by_power(0.0))[0], strict=True):
                found[i] = ids
        return found

    quick = Transformer(*sizes, s.max_length + 1, 0.0).eval()
    quick.load_state_dict(network.state_dict())
    quicken(quick)
    ways: dict[str, Callable[[], list[list[int]]]] = {
        "recomputed, one by one": lambda: one_by_one(lambda x: greedy_decode(network, x, 1, 2, most)[0].tolist()),
        "cached, one by one": lambda: one_by_one(lambda x: search(quick, x, 1, 2, most, 1, by_power(0.0))[0][0]),
        "cached, in batches": in_one_go,
    }
    speeds, wrote = {}, []
    for name, way in ways.items():
        start = time.process_time()
        wrote.append(way())
        speeds[name] = len(rows) / (time.process_time() - start)
    same = sum(a == b == c for a, b, c in zip(*wrote, strict=True))
    print(f"{same} of {len(rows)} sentences are written the same in all three ways")
    return speeds, len(rows) - same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with Multi30k's files; without it, the course's own grammar")
    parser.add_argument("--steps", type=int, default=30, help="steps of each way to train (default: %(default)s)")
    parser.add_argument("--sentences", type=int, default=200, help="sentences to decode (default: %(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if arguments.data:
        pairs = multi30k(arguments.data, "en", "de", ["train"]).splits["train"]
    else:
        pairs = [(detokenize(p.source, "en"), detokenize(p.target, "fr")) for p in islice(generate(0), 20_000)]
    s = Settings(vocabulary=4000 if arguments.data else 500)
    subwords = Subwords.learn((text for pair in pairs for text in pair), s.vocabulary)
    trained = training(pairs, subwords, s, arguments.steps)
    decoded, different = decoding(pairs, subwords, s, arguments.sentences)
    for title, unit, table in (
        ("Training", "target tokens/s", trained),
        ("Decoding", "sentences/s", decoded),
    ):
        first = next(iter(table.values()))
        print(f"{title} ({unit}, CPU time, one thread)")
        for name, speed in table.items():
            print(f"  {name:<58}{speed:9,.0f}  {speed / first:5.2f}×")
    if different:
        sys.exit(1)


if __name__ == "__main__":
    main()
