"""Recognisers of mistakes that occur in several lessons."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.closeness import close, identical
from course_lib.checking.questions import Methods, Question
from course_lib.checking.recognisers.registry import recogniser
from course_lib.checking.sheet import Answer, Sheet, same_answer
from course_lib.checking.values import arrays, pick


@recogniser
def calls_a_finished_function(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise a call of one of PyTorch's finished functions, if all answers are right.

    The memory that it takes is ignored, because that depends on the shapes and on the version of PyTorch.
    """
    watched = {name for name, question in questions.items() if question.watched}
    called = [sheet[name].values.get("called") for name in watched if name in sheet]
    return any(isinstance(names, list) and len(names) > 0 for names in called) and all(
        name in sheet and same_answer(_besides_memory(right), _besides_memory(sheet[name]))
        for name, right in reference.items()
        if name not in watched
    )


def _besides_memory(answer: Answer) -> Answer:
    if "little" not in answer.values:
        return answer
    return Answer({name: value for name, value in answer.values.items() if name != "little"}, answer.error)


@recogniser
def right_as_numbers(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise numbers instead of booleans: as 1 and 0 they are right, and so is everything else."""
    found = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        for path, asked in arrays(dict(right.values)):
            ours = pick(dict(sheet[name].values), path)
            if not isinstance(ours, Tensor):
                return False
            if asked.dtype is torch.bool and ours.dtype is not torch.bool:
                found, ours = True, ours.to(torch.float64)
            if not close(ours, torch.as_tensor(asked).to(ours.dtype)):
                return False
    return found


@recogniser
def parameter_under_another_name(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise parameters with the right shapes in the right order, but with other names."""
    asked = [name for name, right in reference.items() if "shapes" in right.values]
    for name in asked:
        ours = pick(dict(sheet[name].values), "shapes") if name in sheet else None
        right = reference[name].values["shapes"]
        if not isinstance(ours, dict) or ours.keys() == right.keys() or not close([*ours.values()], [*right.values()]):
            return False
    return bool(asked)


@recogniser
def another_error_is_raised(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that refuses what it should, but with an error of another type; everything else is right."""
    others = 0
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = sheet[name].values
        if isinstance(right.values.get("raised"), str) and isinstance(ours.get("raised"), str):
            others += ours["raised"] != right.values["raised"]
        elif not same_answer(sheet[name], right):
            return False
    return others > 0


@recogniser
def another_answer_when_asked_again(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that gives two different answers to the same question."""
    for name, question in questions.items():
        calls = () if isinstance(question, Methods) else question.inputs
        if len(calls) != 2 or not close(calls[0], calls[1]) or name not in sheet or sheet[name].error:
            continue
        ours = pick(dict(sheet[name].values), "calls")
        if isinstance(ours, list) and len(ours) == 2 and not close(ours[0], ours[1]):
            return True
    return False


def _writes_into(argument: str, questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Return whether all is right, except that this argument is changed or that autograd refuses the change."""
    changed = False
    for name, right in reference.items():
        if questions[name].watched:
            continue
        if name not in sheet:
            return False
        if error := sheet[name].error:
            if "a leaf Variable that requires grad" not in error.message:
                return False
            continue
        before, after = pick(dict(right.values), "after"), pick(dict(sheet[name].values), "after")
        given = before if isinstance(before, dict) else {}
        wrong = {one for one in given if not close(pick(after, one), given[one])}
        aside = {"after", "gradients"} if wrong else {"after"}  # the backward pass may need what was overwritten
        ours, rights = (
            {field: value for field, value in values.items() if field not in aside}
            for values in (sheet[name].values, right.values)
        )
        if wrong - {argument} or not identical(ours, rights):
            return False
        changed |= bool(wrong)
    return changed


@recogniser
def writes_into_ids(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that is right, except that it writes into the ids it receives."""
    return _writes_into("ids", questions, sheet, reference)


@recogniser
def writes_into_scores(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that is right, except that it writes into the scores it receives."""
    return _writes_into("scores", questions, sheet, reference)


@recogniser
def writes_into_h(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that is right, except that it writes into the hidden state it receives."""
    return _writes_into("h", questions, sheet, reference)


@recogniser
def writes_into_c(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that is right, except that it writes into the cell state it receives."""
    return _writes_into("c", questions, sheet, reference)
