"""An implementation that answers the same question in two ways: something is left over from a call, or is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.example import failing_questions
from course_lib.checking.exercise import Question
from course_lib.checking.judge import Verdict
from course_lib.checking.sheet import Answer, Sheet

SAYS = (
    "Asked the same question twice, your code gives two answers. Either something is left over from the call before (a "
    "list or a tensor kept outside, a default argument that is changed), or it draws random numbers where none belong."
)


def unsteady(
    key: AnswerKey, verdict: Verdict, answers: Sheet, ask: Callable[[Sequence[Question]], Mapping[str, Answer]]
) -> str:
    """What to say of code without a known mistake that does not answer twice alike; nothing where it does.

    Args:
        ask: asks the implementation.
    """
    if verdict.passed or verdict.carried or verdict.naming:
        return ""
    failing = [q for q in failing_questions(verdict, key, answers) if not answers[q.name].error][:1]
    again = ask(failing) if failing else {}
    return SAYS if any(not same(q, answers[q.name], again[q.name]) for q in failing if q.name in again) else ""
