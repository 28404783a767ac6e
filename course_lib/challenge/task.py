"""The inputs of the challenge: pairs to learn from and sentences to translate, renamed except in a rehearsal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random

from course_lib.checking.values import Value
from course_lib.corpus import Pair, Split, english_vocabulary, french_vocabulary, generate

#: the splits to translate: nothing is ever trained on them
TESTED: tuple[Split, ...] = ("held_out", "held_out_combinations", "longer", "longer_and_deeper")
MOST_PAIRS, MOST_SENTENCES = 60_000, 250  #: for training; for translation, per split

Words = tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """One challenge.

    Attributes:
        seconds: CPU seconds that ``train`` may use.
        pairs: for training, without alignments.
        sources: by split, the sentences to translate.
        references: by split, the right translations. A submission never gets them.
    """

    seconds: float
    pairs: tuple[Pair, ...]
    sources: Mapping[str, tuple[Words, ...]]
    references: Mapping[str, tuple[Words, ...]]

    def given(self) -> dict[str, Value]:
        """Return everything that a submission gets, as plain values: all but the references."""
        return {
            "pairs": write_lines(text for pair in self.pairs for text in (pair.source, pair.target)),
            "sources": {split: write_lines(sentences) for split, sentences in self.sources.items()},
            "seconds": self.seconds,
        }


def make_task(secret: bytes, seconds: float, renamed: bool = True) -> Task:
    """Return the challenge that belongs to a secret, always the same. Smaller budgets have fewer pairs and sentences.

    Args:
        renamed: whether words are renamed; otherwise they are English and French.
    """
    rename = _renamed if renamed else _as_they_are
    english, french = (rename(secret, of, words) for of, words in _LANGUAGES)
    count, sentences = min(MOST_PAIRS, 3000 + int(200 * seconds)), min(MOST_SENTENCES, 20 + int(5 * seconds))

    def pairs_of(split: Split, most: int) -> list[Pair]:
        drawn = islice(generate(_number(secret, split), split, distinct=True), most)
        return [Pair(tuple(english[w] for w in p.source), tuple(french[w] for w in p.target)) for p in drawn]

    tested = {split: pairs_of(split, sentences) for split in TESTED}
    return Task(
        seconds=seconds,
        pairs=tuple(pairs_of("train", count)),
        sources={split: tuple(pair.source for pair in drawn) for split, drawn in tested.items()},
        references={split: tuple(pair.target for pair in drawn) for split, drawn in tested.items()},
    )


def write_lines(sentences: Iterable[Words]) -> str:
    """Join sentences into a text: one per line, with spaces between words."""
    return "\n".join(" ".join(words) for words in sentences)


def read_lines(text: str) -> list[Words]:
    """Undo `write_lines`."""
    return [tuple(line.split()) for line in text.split("\n")]


_LANGUAGES = (("english", english_vocabulary()), ("french", french_vocabulary()))


def _renamed(secret: bytes, language: str, words: Iterable[str]) -> dict[str, str]:
    """Return a new name for each word: the language's letter and a number."""
    known = sorted(words)
    numbers = list(range(len(known)))
    Random(_number(secret, language)).shuffle(numbers)
    return {word: f"{language[0]}{number}" for word, number in zip(known, numbers, strict=True)}


def _as_they_are(secret: bytes, language: str, words: Iterable[str]) -> dict[str, str]:
    """Map each word to itself."""
    return {word: word for word in words}


def _number(secret: bytes, purpose: str) -> int:
    """Derive a seed that reveals nothing about the secret or about the seeds for other purposes."""
    return int.from_bytes(hashlib.sha256(b"challenge " + purpose.encode() + b" " + secret).digest()[:8], "big")
