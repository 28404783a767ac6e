"""Matchers of mistakes in lesson 09."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Question, Refusal
from course_lib.checking.values import Value, pick


@matcher
def clips_before_there_are_gradients(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops only because no parameter has a gradient; elsewhere it is right."""
    return stops_only_with(dict.fromkeys(questions, "non-empty TensorList"), answers, reference)


def _only_refusals_differ(
    questions: Mapping[str, Question], answers: Answers, reference: Answers
) -> dict[int, Value] | None:
    """Return the error raised at each step that should be refused, by step, or None if anything else is wrong."""
    raised: dict[int, Value] = {}
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return None
        if isinstance(questions[name], Refusal):
            raised[questions[name].inputs[0]["step"]] = answers[name].values.get("raised")
        elif not same_answer(answers[name], right):
            return None
    return raised


@matcher
def divides_by_step_0(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a division by 0 at step 0; negative steps may do anything, and everything else is right."""
    raised = _only_refusals_differ(questions, answers, reference)
    return raised is not None and raised.get(0) == "ZeroDivisionError"


@matcher
def step_0_gets_a_number(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise that step 0 raises nothing; negative steps may do anything, and everything else is right."""
    raised = _only_refusals_differ(questions, answers, reference)
    return raised is not None and raised.get(0, "") is None


@matcher
def negative_steps_pass(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise that step 0 raises a `ValueError` but a negative step doesn't; everything else is right."""
    raised = _only_refusals_differ(questions, answers, reference)
    return (
        raised is not None
        and raised.get(0) == "ValueError"
        and any(step < 0 and error != "ValueError" for step, error in raised.items())
    )


@matcher
def loss_has_a_ceiling(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a loss that is wrong only if the decoder is sure and wrong: there it is finite and too small."""
    wrong = [name for name in reference if name not in answers or not same_answer(answers[name], reference[name])]
    if wrong != ["far_apart"] or "far_apart" not in answers:
        return False
    ours, right = (pick(dict(one["far_apart"].values), "loss") for one in (answers, reference))
    return isinstance(ours, Tensor) and ours.numel() == 1 and 0 <= float(ours) < float(right)
