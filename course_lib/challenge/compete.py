"""Taking part: train, then translate, in the same way at home and in the grader's sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.challenge.score import MOST_WORDS
from course_lib.challenge.task import Words, read_lines
from course_lib.checking.questions import Question
from course_lib.checking.values import Value
from course_lib.corpus import Pair
from course_lib.running.limits import limit_processor_time

Translate = Callable[[list[Words]], Sequence[Sequence[str]]]
Train = Callable[[list[Pair], float], Translate]

GRADED_SECONDS = 300.0  #: the time limit that ``train`` gets in the graded run


def allowed(seconds: float) -> float:
    """Return the CPU seconds for training and translating together, if ``train`` gets ``seconds`` seconds."""
    return 1.2 * seconds + 5.0


@dataclass(frozen=True)
class Compete(Question):
    """Call ``train`` once, and the function it returns once for each split.

    The answer contains the translations of each split.

    Attributes:
        pairs, sources: texts with one sentence per line, see `Task.given`.
        seconds: how long ``train`` may take.
        strict: whether this process ends when its CPU seconds are used up.
    """

    pairs: str
    sources: Mapping[str, str]
    seconds: float
    strict: bool = field(kw_only=True)

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the pairs and the seconds."""
        return self._learned(), self.seconds

    def _learned(self) -> list[Pair]:
        lines = read_lines(self.pairs)
        return [Pair(source, target) for source, target in zip(lines[::2], lines[1::2], strict=True)]

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call ``train``, and let it translate."""
        if self.strict:
            limit_processor_time(allowed(self.seconds))
        translate = implementation(self._learned(), self.seconds)
        if not callable(translate):
            raise TypeError(f"train returned no function, but {type(translate).__name__}")
        texts = ((split, read_lines(text)) for split, text in self.sources.items())
        return {split: _texts(split, translate(asked), len(asked)) for split, asked in texts}


def _texts(split: str, translations: Any, expected: int) -> list[str]:
    """Return translations as texts.

    Raises:
        TypeError: they are not lists of words.
        ValueError: there are too many, or too few.
    """
    if not isinstance(translations, list | tuple):
        raise TypeError(f"translate returned no list for {split}, but {type(translations).__name__}")
    if len(translations) != expected:
        raise ValueError(f"translate returned {len(translations)} translations for {expected} sentences of {split}")
    for words in translations:
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise TypeError(f"a translation is a list of words; translate returned {type(words).__name__} for {split}")
    return [" ".join(words[: MOST_WORDS + 1]) for words in translations]
