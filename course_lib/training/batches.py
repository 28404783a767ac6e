"""Batches of sentence pairs as ids: sentences of similar length together, in a new order in every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from torch import Tensor

from course_lib.components.pad_batch import pad_batch
from course_lib.components.vocabulary import Vocabulary
from course_lib.corpus import Pair


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as ids, padded on the right.

    Attributes:
        source: (B, S), the words of the source, without marks at its ends.
        inputs: (B, T), the decoder's input: ``bos y_1 … y_n``.
        targets: (B, T), its expected output: ``y_1 … y_n eos``.
    """

    source: Tensor
    inputs: Tensor
    targets: Tensor


class TranslationBatches:
    """Endless batches, the same in every iteration.

    Every epoch shows each pair once, in another order. Within an epoch, pairs are sorted by the lengths of source and
    target, with ties in random order, and cut into batches, so there is little padding. The batches then come in random
    order.

    Args:
        pairs: the sentences, with their translations.
        source_vocabulary, target_vocabulary: provide the ids of their tokens.
        batch_size: B or, with ``in_tokens``, the most positions (B times T + 1) in a batch of targets. Batches of long
            sentences then have fewer of them, and every step sees about the same number of tokens.
        seed: for the order.
        in_tokens: whether ``batch_size`` counts tokens.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        batch_size: int,
        seed: int,
        in_tokens: bool = False,
    ) -> None:
        if not pairs:
            raise ValueError("there are no pairs to make batches of")
        self.sources = [source_vocabulary.encode(pair.source)[1:-1] for pair in pairs]
        self.targets = [target_vocabulary.encode(pair.target) for pair in pairs]
        self.pad_ids = source_vocabulary.pad_id, target_vocabulary.pad_id
        self.batch_size, self.seed, self.in_tokens = batch_size, seed, in_tokens

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of the first epoch, of the second, and so on."""
        random = Random(self.seed)
        order = list(range(len(self.sources)))
        while True:
            random.shuffle(order)
            order.sort(key=lambda i: (len(self.sources[i]), len(self.targets[i])))
            ends = self._ends(order)
            cuts = list(zip([0, *ends[:-1]], ends, strict=True))
            random.shuffle(cuts)
            for start, end in cuts:
                yield self.batch(order[start:end])

    def _ends(self, order: Sequence[int]) -> list[int]:
        """Return the ends of the batches in a sorted epoch."""
        if not self.in_tokens:
            return [*range(self.batch_size, len(order), self.batch_size), len(order)]
        ends, start, widest = [], 0, 0
        for place, i in enumerate(order):
            widest = max(widest, len(self.targets[i]))
            if place > start and widest * (place + 1 - start) > self.batch_size:
                ends.append(place)
                start, widest = place, len(self.targets[i])
        return [*ends, len(order)]

    def batch(self, chosen: Sequence[int]) -> Batch:
        """Return the pairs with these indices as one batch."""
        targets = pad_batch([self.targets[i] for i in chosen], self.pad_ids[1])  # (B, T + 1)
        inputs = targets[:, :-1]  # (B, T), after the eos of short ones, the label is padding
        return Batch(pad_batch([self.sources[i] for i in chosen], self.pad_ids[0]), inputs, targets[:, 1:])
