"""How good translations are: by split, and in one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.challenge.task import Task
from course_lib.checking.values import Value
from course_lib.components.corpus_bleu import corpus_bleu

MOST_WORDS = 100  #: in a translation; the longest reference has fewer than 40


@dataclass(frozen=True)
class Score:
    """The score of one split, in percent: sentences that are right to the last word, and corpus BLEU."""

    exact_match: float
    bleu: float


@dataclass(frozen=True)
class Scores:
    """The scores of all splits. Printed, they are a table."""

    of: Mapping[str, Score]

    @property
    def score(self) -> float:
        """Return the score for the ranking: the mean exact match over the splits, with equal weights."""
        return sum(one.exact_match for one in self.of.values()) / len(self.of)

    @property
    def bleu(self) -> float:
        """Return the tie-breaker: the mean BLEU over the splits."""
        return sum(one.bleu for one in self.of.values()) / len(self.of)

    def __repr__(self) -> str:
        lines = [f"{split:<22} {s.exact_match:5.1f} % exact   BLEU {s.bleu:5.1f}" for split, s in self.of.items()]
        return "\n".join([*lines, f"{'score':<22} {self.score:5.1f}"])


def scores(task: Task, translations: Mapping[str, Value]) -> Scores:
    """Score translations, and trust nothing about them.

    Args:
        translations: by split, a list of texts, one per source: words with spaces between them.

    Raises:
        ValueError: they are anything else; the message says what, without quoting them.
    """
    found = {}
    for split, references in task.references.items():
        given = translations.get(split)
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
            raise ValueError(f"{split}: no list of translations came back")
        if len(given) != len(references):
            raise ValueError(f"{split}: {len(given)} translations came back for {len(references)} sentences")
        hypotheses = [text.split() for text in given]
        longest = max(map(len, hypotheses))
        if longest > MOST_WORDS:
            raise ValueError(f"{split}: a translation has {longest} words, and may have {MOST_WORDS}")
        right = sum(tuple(mine) == reference for mine, reference in zip(hypotheses, references, strict=True))
        found[split] = Score(100 * right / len(references), corpus_bleu(hypotheses, references))
    return Scores(found)
