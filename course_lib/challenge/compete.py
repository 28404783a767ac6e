"""Taking part: train, then translate, in the same way at home and in the grader's sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from course_lib.challenge.score import MOST_WORDS
from course_lib.challenge.task import Words, read_lines
from course_lib.checking.probes import probe
from course_lib.checking.values import Value
from course_lib.corpus import Pair
from course_lib.running.limits import limit_processor_time

Translate = Callable[[list[Words]], Sequence[Sequence[str]]]
Train = Callable[[list[Pair], float], Translate]

GRADED_SECONDS = 300.0  #: the time limit that ``train`` gets in the graded run


def allowed(seconds: float) -> float:
    """Return the CPU seconds for training and translating together, if ``train`` gets ``seconds`` seconds."""
    return 1.2 * seconds + 5.0


@probe
def compete(implementation: Any, pairs: str, sources: Mapping[str, str], seconds: float, strict: bool) -> Value:
    """Call ``train`` once, and the function it returns once for each split.

    Args:
        implementation: ``train``, a `Train`.
        pairs, sources: texts with one sentence per line, see `Task.given`.
        strict: whether this process ends when its CPU seconds are used up.
    """
    if strict:
        limit_processor_time(allowed(seconds))
    lines = read_lines(pairs)
    learned = [Pair(source, target) for source, target in zip(lines[::2], lines[1::2], strict=True)]
    translate = implementation(learned, seconds)
    if not callable(translate):
        raise TypeError(f"train returned no function, but {type(translate).__name__}")
    return {split: _texts(split, translate(asked := read_lines(text)), len(asked)) for split, text in sources.items()}


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
