"""Recognisers of mistakes that are made in several lessons."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.closeness import close, identical
from course_lib.checking.exercise import Question
from course_lib.checking.recognisers.registry import recogniser
from course_lib.checking.sheet import Answer, Sheet, same_answer
from course_lib.checking.values import arrays, pick


@recogniser
def calls_a_finished_function(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where PyTorch's finished functions were watched, one was called; what it returns is right everywhere.

    How much memory it takes, the shapes decide, and the version of PyTorch.
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
    """It answers with numbers where booleans are asked for; as 1 and 0 they are right, and so is all else."""
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
    """Its parameters have the right shapes in the right order, and other names."""
    asked = [name for name, right in reference.items() if "shapes" in right.values]
    for name in asked:
        ours = pick(dict(sheet[name].values), "shapes") if name in sheet else None
        right = reference[name].values["shapes"]
        if not isinstance(ours, dict) or ours.keys() == right.keys() or not close([*ours.values()], [*right.values()]):
            return False
    return bool(asked)


@recogniser
def another_error_is_raised(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It refuses what it should, with an error of another type; all else is right."""
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
    """Where the same is asked twice, it answers twice, and not the same."""
    for name, question in questions.items():
        calls = question.given.get("calls", ())
        if len(calls) != 2 or not close(calls[0], calls[1]) or name not in sheet or sheet[name].error:
            continue
        ours = pick(dict(sheet[name].values), "calls")
        if isinstance(ours, list) and len(ours) == 2 and not close(ours[0], ours[1]):
            return True
    return False


def _writes_into(argument: str, questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right, except that this argument is changed, or that autograd refuses to let it be."""
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
        aside = {"after", "gradients"} if wrong else {"after"}  # what is written over may be needed on the way back
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
    """All is right, except that it writes into the ids that it was given."""
    return _writes_into("ids", questions, sheet, reference)


@recogniser
def writes_into_scores(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right, except that it writes into the scores that it was given."""
    return _writes_into("scores", questions, sheet, reference)


@recogniser
def writes_into_h(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right, except that it writes into the hidden state that it was given."""
    return _writes_into("h", questions, sheet, reference)


@recogniser
def writes_into_c(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right, except that it writes into the cell state that it was given."""
    return _writes_into("c", questions, sheet, reference)
