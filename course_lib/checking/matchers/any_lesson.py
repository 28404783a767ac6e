"""Matchers of mistakes that occur in several lessons."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answer, Answers, same_answer
from course_lib.checking.closeness import close, identical
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Methods, Question
from course_lib.checking.values import arrays, pick


@matcher
def calls_a_finished_function(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a call of one of PyTorch's finished functions, if all answers are right.

    The memory that it takes is ignored, because that depends on the shapes and on the version of PyTorch.
    """
    watched = {name for name, question in questions.items() if question.watched}
    called = [answers[name].values.get("called") for name in watched if name in answers]
    return any(isinstance(names, list) and len(names) > 0 for names in called) and all(
        name in answers and same_answer(_besides_memory(right), _besides_memory(answers[name]))
        for name, right in reference.items()
        if name not in watched
    )


def _besides_memory(answer: Answer) -> Answer:
    if "little" not in answer.values:
        return answer
    return Answer({name: value for name, value in answer.values.items() if name != "little"}, answer.error)


@matcher
def right_as_numbers(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise numbers instead of booleans: as 1 and 0 they are right, and so is everything else."""
    found = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        for path, asked in arrays(dict(right.values)):
            ours = pick(dict(answers[name].values), path)
            if not isinstance(ours, Tensor):
                return False
            if asked.dtype is torch.bool and ours.dtype is not torch.bool:
                found, ours = True, ours.to(torch.float64)
            if not close(ours, torch.as_tensor(asked).to(ours.dtype)):
                return False
    return found


@matcher
def parameter_under_another_name(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise parameters with the right shapes in the right order, but with other names."""
    asked = [name for name, right in reference.items() if "shapes" in right.values]
    for name in asked:
        ours = pick(dict(answers[name].values), "shapes") if name in answers else None
        right = reference[name].values["shapes"]
        if not isinstance(ours, dict) or ours.keys() == right.keys() or not close([*ours.values()], [*right.values()]):
            return False
    return bool(asked)


@matcher
def another_error_is_raised(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that refuses what it should, but with an error of another type; everything else is right."""
    others = 0
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours = answers[name].values
        if isinstance(right.values.get("raised"), str) and isinstance(ours.get("raised"), str):
            others += ours["raised"] != right.values["raised"]
        elif not same_answer(answers[name], right):
            return False
    return others > 0


@matcher
def another_answer_when_asked_again(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that gives two different answers to the same question."""
    for name, question in questions.items():
        calls = () if isinstance(question, Methods) else question.inputs
        if len(calls) != 2 or not close(calls[0], calls[1]) or name not in answers or answers[name].error:
            continue
        ours = pick(dict(answers[name].values), "calls")
        if isinstance(ours, list) and len(ours) == 2 and not close(ours[0], ours[1]):
            return True
    return False


def _writes_into(argument: str, questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Return whether all is right, except that this argument is changed or that autograd refuses the change."""
    changed = False
    for name, right in reference.items():
        if questions[name].watched:
            continue
        if name not in answers:
            return False
        if error := answers[name].error:
            if "a leaf Variable that requires grad" not in error.message:
                return False
            continue
        before, after = pick(dict(right.values), "after"), pick(dict(answers[name].values), "after")
        given = before if isinstance(before, dict) else {}
        wrong = {one for one in given if not close(pick(after, one), given[one])}
        aside = {"after", "gradients"} if wrong else {"after"}  # the backward pass may need what was overwritten
        ours, rights = (
            {field: value for field, value in values.items() if field not in aside}
            for values in (answers[name].values, right.values)
        )
        if wrong - {argument} or not identical(ours, rights):
            return False
        changed |= bool(wrong)
    return changed


@matcher
def writes_into_ids(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right, except that it writes into the ids it receives."""
    return _writes_into("ids", questions, answers, reference)


@matcher
def writes_into_scores(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right, except that it writes into the scores it receives."""
    return _writes_into("scores", questions, answers, reference)


@matcher
def writes_into_h(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right, except that it writes into the hidden state it receives."""
    return _writes_into("h", questions, answers, reference)


@matcher
def writes_into_c(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right, except that it writes into the cell state it receives."""
    return _writes_into("c", questions, answers, reference)
