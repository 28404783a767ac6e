"""BPE-dropout: the same word, cut in another way each time.

SentencePiece can do this too, but what it draws differs from process to process, whatever its seed; and a training that
is resumed must see what it would have seen.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.real_text.subwords import Subwords

#: a word is cut in at most so many ways, among which later ones are chosen
_WAYS = 32


class MergeDropout:
    """Encodes text with merges left out at random.

    Byte-pair encoding begins with single characters, and again and again merges the two neighbours whose merge was
    learned first. Here, at each step, every possible merge is passed over with some probability.

    Args:
        subwords: the vocabulary.
        dropped: the probability.
        random: what decides.

    Source: Provilkov et al. 2020, algorithm 1.
    """

    def __init__(self, subwords: Subwords, dropped: float, random: Random) -> None:
        self.subwords, self.dropped, self.random = subwords, dropped, random
        self.ids = {piece: number for number, piece in enumerate(subwords.tokens) if number > subwords.unk_id}
        self.known: dict[str, list[list[int]]] = {}

    def encode(self, text: str) -> list[int]:
        """The ids of a text, between ``bos_id`` and ``eos_id``."""
        ids = [self.subwords.bos_id]
        for word in self.subwords.words(text):
            ways = self.known.setdefault(word, [])
            if len(ways) < _WAYS:
                ways.append(self._cut(word))
                ids += ways[-1]
            else:
                ids += self.random.choice(ways)
        return [*ids, self.subwords.eos_id]

    def _cut(self, word: str) -> list[int]:
        pieces = list(word)
        while True:
            # the vocabulary is in the order in which merges were learned
            possible = [
                (self.ids[left + right], place)
                for place, (left, right) in enumerate(pairwise(pieces))
                if left + right in self.ids and self.random.random() >= self.dropped
            ]
            if not possible:
                ids = [self.ids.get(piece, self.subwords.unk_id) for piece in pieces]
                # unknown neighbours are one unknown piece
                return [
                    i for i, before in zip(ids, [-1, *ids], strict=False) if not i == before == self.subwords.unk_id
                ]
            _, place = min(possible)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
