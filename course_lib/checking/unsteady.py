"""Detect implementations that answer the same question in two ways, because of leftover state or random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.explain.example import failing_questions
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import Built, DistinctRows, ModuleCopy, Question

LEFT_OVER = (
    "Asked the same question twice, your code gives two different answers. Either something is left over from the "
    "previous call (a list or a tensor that is kept outside, in the class or in the module, or a default argument that "
    "was changed), or it uses random numbers where it should not."
)
BY_CHANCE = (
    "Your code uses random numbers where it should not: outside training, it answers the same question differently "
    "each time. Look for dropout that ignores whether the module is in training (`F.dropout` needs "
    "`training=self.training`), or that is created in each call."
)


def unsteady(
    key: AnswerKey, verdict: Verdict, answers: Answers, ask: Callable[[Sequence[Question], int], Mapping[str, Answer]]
) -> str:
    """Return the sentence for code without a known mistake that gives two answers to a question, or an empty string.

    Args:
        ask: asks the implementation, with the given seed for random numbers.
    """
    if verdict.passed or verdict.carried or verdict.naming:
        return ""
    failing = [q for q in failing_questions(verdict, key, answers) if not answers[q.name].error]
    if _differs(failing[:1], answers, ask, 0):
        return LEFT_OVER
    calm = [question for question in failing if leaves_nothing_to_chance(question)][:1]
    return BY_CHANCE if _differs(calm, answers, ask, 1) else ""


def leaves_nothing_to_chance(question: Question) -> bool:
    """Return whether a question involves no random numbers: no training mode, and a module's weights are all given."""
    if isinstance(question, DistinctRows | ModuleCopy):
        return False
    return not question.in_training and (bool(question.parameters) or not isinstance(question, Built))


def _differs(
    questions: Sequence[Question],
    answers: Answers,
    ask: Callable[[Sequence[Question], int], Mapping[str, Answer]],
    chance: int,
) -> bool:
    again = ask(questions, chance) if questions else {}
    return any(not same(q, answers[q.name], again[q.name]) for q in questions if q.name in again)
