"""BPE-dropout: the same word, cut differently each time.

SentencePiece can do this too, but its random choices differ from process to process, whatever its seed. Resumed
training must see the same cuts as uninterrupted training.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.real_text.subwords import Subwords

#: the most ways to cut a word that are computed; later cuts are chosen from these
_WAYS = 32


class MergeDropout:
    """Encodes text with merges left out at random.

    Byte-pair encoding starts with single characters, then repeatedly merges the two neighbours whose merge was
    learned first. Here, at each step, every possible merge is skipped with some probability.

    Args:
        subwords: the vocabulary.
        dropped: the probability of skipping a merge.
        random: the random generator.

    Source: Provilkov et al. 2020, algorithm 1.
    """

    def __init__(self, subwords: Subwords, dropped: float, random: Random) -> None:
        self.subwords, self.dropped, self.random = subwords, dropped, random
        self.ids = {piece: number for number, piece in enumerate(subwords.tokens) if number > subwords.unk_id}
        self.known: dict[str, list[list[int]]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, between ``bos_id`` and ``eos_id``."""
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
            # the vocabulary lists merges in the order in which they were learned
            possible = [
                (self.ids[left + right], place)
                for place, (left, right) in enumerate(pairwise(pieces))
                if left + right in self.ids and self.random.random() >= self.dropped
            ]
            if not possible:
                ids = [self.ids.get(piece, self.subwords.unk_id) for piece in pieces]
                # neighbouring unknown pieces are one unknown piece
                return [
                    i for i, before in zip(ids, [-1, *ids], strict=False) if not i == before == self.subwords.unk_id
                ]
            _, place = min(possible)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
