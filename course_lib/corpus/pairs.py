"""A sentence with its translation and their gold alignment."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.corpus.choices import Combination
from course_lib.corpus.english import write_english
from course_lib.corpus.french import write_french
from course_lib.corpus.tree import Sentence


@dataclass(frozen=True, slots=True)
class Pair:
    """An English sentence and its French translation, both as tokens.

    Attributes:
        source: the English tokens, end mark included.
        target: the French tokens; elided words stand alone, with their apostrophe: ``l'``.
        alignment: ``(i, j)`` if ``source[i]`` and ``target[j]`` mean the same; one word often has several.
        combinations: the adjective–noun and verb–object pairs in it, as names of senses.
        depth: how deep its relative clauses are nested; 0 without any.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...] = ()
    combinations: tuple[Combination, ...] = ()
    depth: int = 0


def write(sentence: Sentence, combinations: list[Combination], depth: int) -> Pair:
    """Write a tree in both languages, and align words whose marks meet."""
    english, french = write_english(sentence), write_french(sentence)
    source, source_marks = zip(*english, strict=True)
    target, target_marks = zip(*french, strict=True)
    alignment = tuple(
        [(i, j) for i, mine in enumerate(source_marks) for j, theirs in enumerate(target_marks) if mine & theirs]
    )
    return Pair(source, target, alignment, tuple(combinations), depth)
