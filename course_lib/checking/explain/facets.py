"""Say in a sentence what distinguishes the questions that come out wrong from those that come out right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from course_lib.checking.questions import Module, Question, StepByStep, TrainingSteps
from course_lib.checking.values import Value, is_array


@dataclass(frozen=True)
class Facet:
    """What may distinguish the wrong questions from the others.

    Attributes:
        has: whether a question has it. All wrong questions do, and no right one that is scored. A small question tells
            less: with few numbers, wrong code may give the right answer by coincidence.
        text: the sentence for the card.
        also_wrong: what some wrong question must have, besides.
        also_right: what some right question must have, because the sentence says that this is right.
    """

    has: Callable[[Question], bool]
    text: str
    also_wrong: Callable[[Question], bool] = lambda question: True
    also_right: Callable[[Question], bool] = lambda question: True

    def distinguishes(self, wrong: Sequence[Question], right: Sequence[Question]) -> bool:
        """Return whether the sentence is true."""
        divided = all(map(self.has, wrong)) and not any(map(self.has, right))
        return divided and any(map(self.also_wrong, wrong)) and any(map(self.also_right, right))


def _method(name: str) -> Callable[[Question], bool]:
    return lambda question: (question.method if isinstance(question, Module) else "__call__") == name


def _built(name: str, value: Value) -> Callable[[Question], bool]:
    return lambda question: question.built_with.get(name) == value


def _blocks(*names: str) -> Callable[[Question], bool]:
    """Return a function that says whether one of the masks of these names blocks anything."""

    def has(question: Question) -> bool:
        masks = [arguments.get(name) for arguments in question.inputs for name in names]
        return any(is_array(mask) and not bool(mask.all()) for mask in masks)

    return has


def _not(has: Callable[[Question], bool]) -> Callable[[Question], bool]:
    return lambda question: not has(question)


def _drops(training: bool) -> Callable[[Question], bool]:
    """Return a function that says whether anything can be dropped, in training mode or in evaluation mode.

    It is False for steps of training, because there the code under test chooses the mode.
    """
    return lambda q: (
        not isinstance(q, TrainingSteps) and q.built_with.get("dropout", 0) > 0 and q.in_training is training
    )


_ENCODE, _DECODE = _method("encode"), _method("decode")
_MASK, _MEMORY_MASK, _MASKS = _blocks("mask"), _blocks("memory_mask"), _blocks("mask", "memory_mask")
_PRE, _POST = _built("norm_first", True), _built("norm_first", False)

#: in the order in which they are tried
FACETS = (
    Facet(_ENCODE, "`encode` goes wrong; given the right memory, `decode` is right.", also_right=_DECODE),
    Facet(
        _not(_ENCODE),
        "The encoder's half is right: `encode` returns the right memory. The decoder's is not.",
        also_wrong=_DECODE,
        also_right=_ENCODE,
    ),
    Facet(
        _not(_DECODE),
        "Given the right memory, the decoder's half is right. The encoder's is not.",
        also_wrong=_ENCODE,
        also_right=_DECODE,
    ),
    Facet(
        lambda q: _MASK(q) and _MEMORY_MASK(q),
        "It goes wrong only with masks; without them, it is right.",
        also_right=_not(_MASKS),
    ),
    Facet(_MASK, "It goes wrong only with a `mask`; without one, it is right."),
    Facet(_MEMORY_MASK, "It goes wrong only with a `memory_mask`; without one, it is right."),
    Facet(_MASKS, "It goes wrong only with masks; without them, it is right."),
    Facet(_not(_MASKS), "It goes wrong only without masks; with them, it is right."),
    Facet(_POST, "It goes wrong only as post-norm; as pre-norm, it is right.", also_right=_PRE),
    Facet(_PRE, "It goes wrong only as pre-norm; as post-norm, it is right.", also_right=_POST),
    Facet(_drops(training=True), "It goes wrong only in training mode, where something is dropped."),
    Facet(
        _drops(training=False),
        "It goes wrong only in evaluation mode with `dropout` above 0: there, nothing may be dropped.",
    ),
    Facet(
        lambda q: isinstance(q, StepByStep) and bool(q.changed),
        "It goes wrong only where the weights change between two steps.",
    ),
)
