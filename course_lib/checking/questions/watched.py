"""Questions that watch what an implementation does while it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from course_lib.checking.answers import Answer
from course_lib.checking.function_watch import SWITCHED_OFF, FunctionWatch
from course_lib.checking.originals import of_the_watches
from course_lib.checking.questions.built import Built
from course_lib.checking.questions.call import Call, OneCall
from course_lib.checking.questions.gradients import gradients
from course_lib.checking.questions.module import Module
from course_lib.checking.questions.question import Question, named
from course_lib.checking.values import Value, copy, plain
from course_lib.memory_watch import ArrayWatch, MemoryWatch


@dataclass(frozen=True)
class Watched(Question):
    """Ask another question, and record which of PyTorch's functions are called.

    Ignore an error after such a call, because other questions cover it. The answer contains ``called``: the sorted
    names of the functions that were called; ``answered``: the answer to the question.

    Attributes:
        same_as: the name of a similar question that is asked without a watch. If its answer is right, the judge
            expects this answer to be right, too.
        question: what is asked.
        functions: the functions' names below ``torch``, such as ``"nn.functional.layer_norm"``.
    """

    watched: ClassVar[bool] = True

    same_as: str
    question: Question
    functions: Sequence[str]

    @property
    def use(self) -> tuple[str, str]:
        """See `Question.use`."""
        return self.question.use

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return what the other question passes to an implementation."""
        return self.question.live(implementation, number)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Ask the question under a watch."""
        watch = FunctionWatch(self.functions)
        answered: Mapping[str, Value] = {}
        try:
            with watch, _unchanged(watch):
                # convert inside the block, because a student's tensor subclass may compute only when it is read
                answered = {name: plain(value) for name, value in self.question(implementation).items()}
        except Exception:
            if not watch.called:
                raise
        return {"called": list[Value](sorted(watch.called)), "answered": dict(answered)}


@contextmanager
def _unchanged(watch: FunctionWatch) -> Iterator[None]:
    """Record that the watch was switched off, if anything that it calls is replaced inside the block."""
    before = GUARDED.replaced()
    try:
        yield
    finally:
        if GUARDED.replaced() != before:
            watch.called.add(SWITCHED_OFF)


@dataclass(frozen=True)
class InLittleMemory(OneCall):
    """Call a function once, and measure the memory of its tensors and NumPy arrays while it runs.

    The answer contains the named returns, and ``little``: whether it stayed within the limit.

    Attributes:
        most: how many float64 numbers may be held at once, not counting the arguments.
    """

    most: int = field(kw_only=True)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function under both watches."""
        given = copy(dict(self.arguments))
        before = GUARDED.replaced()
        with ArrayWatch() as arrays, MemoryWatch() as tensors:
            values = named(implementation(*given.values()), self.returns)
        little = max(tensors.peak, arrays.peak) <= 8 * self.most and GUARDED.replaced() == before
        return {**values, "little": little}


#: what the watches call, remembered before any student's code ran
GUARDED = of_the_watches(
    Watched, Question, Call, Built, Module, gradients, FunctionWatch, MemoryWatch, Answer, plain
)  # fmt: skip
#: the questions that depend on them
WATCHING = (Watched, InLittleMemory)
