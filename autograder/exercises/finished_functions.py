"""Exercises to be written by hand: PyTorch's finished function is noticed by what runs, and has a name as a mistake."""

from __future__ import annotations

from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import calls_none

#: the name of the mistake
FINISHED = "finished_function"
#: of an exercise with `watched`: whether a finished function was called meanwhile
WRITTEN_BY_HAND = Law(
    "written_by_hand", calls_none, "written_by_hand",
    "written by hand: no finished function of PyTorch does the work", gate=True,
)  # fmt: skip


def watched(question: Question, own: Question, *functions: str) -> Question:
    """A question of the same kind with inputs of its own, while calls of functions are noticed.

    Its inputs are asked nowhere else, so that no implementation can remember what a finished function returned for them
    before. They are asked first, and the answer must be right if that to ``question`` is.

    Args:
        question: one whose answer takes all of the work.
        own: the same question with other inputs, of which `Draw.apart` draws the numbers.
        functions: names below ``torch``, as ``"nn.functional.layer_norm"``; all that one of them is made of, since a
            student may call that instead. Names of modules are looked for in what a student writes.
    """
    if own.probe is not question.probe or own.default_dtype != question.default_dtype:
        raise ValueError(f"{own.name}: a watched question must be of the same kind as {question.name}")
    asked = {"same_as": question.name, "probe": own.probe.__name__, "given": own.given}
    return Question("written_by_hand", probes.watched, {**asked, "functions": list(functions)})
