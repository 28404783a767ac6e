"""Say in a sentence where an answer first differs from the right one, if it can't be computed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.closeness import identical
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.explain.example import by_chance, failing_questions
from course_lib.checking.explain.facets import FACETS
from course_lib.checking.explain.given import arguments, shows_weights
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import ModuleCopy, Question, Script, StepByStep, TrainingSteps
from course_lib.checking.values import Value, pick


def divergence(verdict: Verdict, key: AnswerKey, answers: Answers, says: str = "", shown: Sequence[str] = ()) -> str:
    """Say where an answer first goes wrong, judging by which questions come out right and which come out wrong.

    Return an empty string if an example can be computed by hand, because that shows more. Of a module whose parameters
    are wrong, say only for which questions they are.

    Args:
        says: what the card already says. No sentence of it is repeated.
        shown: the names of the questions that the card shows as examples.
    """
    failing = [q for q in failing_questions(verdict, key, answers) if not answers[q.name].error]
    if not failing:
        unasked = any(answer.values.keys() == {"shapes"} for answer in answers.values())
        found = in_common(key, answers) if unasked else ""
        return "" if found in says else found
    if not by_machine(failing[0]):
        return ""
    place = _first_place(failing[0], answers, key)
    if place and shown and failing[0].name not in shown:
        named = verdict.naming and not verdict.naming.questions  # then another input would only distract
        place = "" if named else f"{ANOTHER}{place[:1].lower()}{place[1:]}"
    places = (in_common(key, answers), _unreached(failing, key, answers), place)
    return " ".join(sentence for sentence in places if sentence and sentence not in says)


#: the beginning of a sentence about another question than the card's example
ANOTHER = "On another input, "


def by_machine(question: Question) -> bool:
    """Return whether an answer can't be computed by hand: that of a model with many weights, a cache or a search."""
    if isinstance(question, ModuleCopy):
        return False
    return isinstance(question, StepByStep | Script | TrainingSteps) or not shows_weights(question)


# which questions


def in_common(key: AnswerKey, answers: Answers) -> str:
    """Return a sentence that is true of every question that came out wrong and of none that came out right."""
    asked = (q for q in (*key.questions, *key.examples) if not q.watched and not by_chance(q))
    answered = [q for q in asked if q.name in answers and not answers[q.name].error]
    right = [q for q in answered if identical(_outcome(answers[q.name]), _outcome(key.right(q.name)))]
    wrong = [q for q in answered if q not in right]
    if not wrong:
        flows = (
            identical(pick(answers[q.name].values, "gradients"), pick(key.right(q.name).values, "gradients"))
            for q in right
        )
        return "" if all(flows) else "What comes back is right, and the gradients are not."
    scored = [q for q in right if q.name in key.reference]
    special = next((facet.text for facet in FACETS if facet.distinguishes(wrong, scored)), "")
    return special or _later_calls(wrong, key, answers)


def first_shared(
    wrong: Sequence[Question], right: Sequence[Question], traits: Callable[[Question], Iterable[str]]
) -> str:
    """Return the first trait that all wrong questions have and no right one has, or an empty string."""
    if not wrong or not right:
        return ""
    shared = [set(traits(question)) for question in wrong]
    others = set[str]().union(*map(traits, right))
    return next(
        (trait for trait in traits(wrong[0]) if all(trait in one for one in shared) and trait not in others), ""
    )


def _later_calls(wrong: Sequence[Question], key: AnswerKey, answers: Answers) -> str:
    """Return a sentence if every wrong question shows that what comes back depends on earlier calls."""
    repeated = (_right_then_wrong(q, answers[q.name], key.right(q.name)) for q in wrong)
    return "With the same inputs, a first call is right, and a later one goes wrong." if all(repeated) else ""


def _right_then_wrong(question: Question, ours: Answer, right: Answer) -> bool:
    """Return whether the first wrong call has the inputs of an earlier one."""
    later = wrong_call(question, ours, right)
    earlier = [arguments(question, number) for number in range(later)]
    return any(identical(inputs, arguments(question, later)) for inputs in earlier)


def _unreached(failing: Sequence[Question], key: AnswerKey, answers: Answers) -> str:
    """Name sub-modules whose parameters get no gradient, or only zeros, although others do."""
    for question in failing:
        ours, right = (
            pick(answer.values, "gradients") for answer in (answers[question.name], key.reference[question.name])
        )
        if not isinstance(ours, dict) or not isinstance(right, dict):
            continue
        parts: dict[str, list[Value]] = {}
        for name, gradient in right.items():
            if "." in name and _any(gradient):
                parts.setdefault(name.split(".")[0], []).append(ours.get(name))
        idle = {part: found for part, found in parts.items() if not any(map(_any, found))}
        if idle and len(idle) < len(parts):
            cut_off = all(gradient is None for found in idle.values() for gradient in found)
            names = " and ".join(f"`{part}`" for part in idle)
            return f"No gradient reaches {names}." if cut_off else f"The gradient of {names} is 0."
    return ""


def _any(gradient: Value) -> bool:
    return isinstance(gradient, Tensor) and bool((gradient != 0).any())


def _outcome(answer: Answer) -> Value:
    return {name: value for name, value in answer.values.items() if name not in ("gradients", "after", "shapes")}


# where in the answer


def _first_place(question: Question, answers: Answers, key: AnswerKey) -> str:
    """Say which step, sentence or position of an answer is the first wrong one, if some are right."""
    ours, right = answers[question.name], key.reference[question.name]
    number = wrong_call(question, ours, right)
    for name in question.returns:
        mine, theirs = (returns_of(answer, number).get(name) for answer in (ours, right))
        if identical(mine, theirs):
            continue
        if isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs) > 1:
            step = next((i for i, (x, y) in enumerate(zip(mine, theirs, strict=True)) if not identical(x, y)), 0)
            return _first("step", step, len(theirs), name)
        return _at_padding(question, number, name, mine, theirs) or _in_array(name, mine, theirs)
    return ""


def _at_padding(question: Question, number: int, name: str, mine: Value, theirs: Value) -> str:
    """Return a sentence if everything wrong is at padding positions; otherwise, return an empty string."""
    given = {**question.built_with, **arguments(question, number)}
    tables = [value for value in given.values() if isinstance(value, Tensor) and value.ndim == 2]
    if not isinstance(mine, Tensor) or not isinstance(theirs, Tensor) or mine.shape != theirs.shape or mine.ndim < 3:
        return ""
    fitting = [ids for ids in tables if not ids.is_floating_point() and ids.shape == mine.shape[:2]]
    if len(fitting) != 1:
        return ""
    padded = fitting[0] == given.get("pad_id", 0)
    wrong = ~torch.isclose(mine.double(), theirs.double(), equal_nan=True).flatten(2).all(dim=-1)
    if padded.any() and wrong.any() and bool((wrong <= padded).all()):
        return f"In `{name}`, only the values at padding are wrong."
    return ""


def _in_array(name: str, mine: Value, theirs: Value) -> str:
    if not isinstance(mine, Tensor) or not isinstance(theirs, Tensor) or mine.shape != theirs.shape or mine.ndim < 2:
        return ""
    units = ((0, "row"),) if mine.ndim == 2 and mine.is_floating_point() else ((1, "position"), (0, "sentence"))
    for axis, unit in units:
        if mine.size(axis) > 1:
            rows = zip(mine.unbind(axis), theirs.unbind(axis), strict=True)
            wrong = [i for i, (x, y) in enumerate(rows) if not identical(x, y)]
            if 0 < len(wrong) < mine.size(axis):
                return _first(unit, wrong[0], mine.size(axis), name, only=len(wrong) == 1)
    return ""


def _first(unit: str, number: int, of: int, name: str, only: bool = False) -> str:
    """Return a sentence that counts from 0, as tensors do."""
    if only:
        return f"Of the {of} {unit}s of `{name}`, only {unit} {number} is wrong."
    if number == 0:
        return f"In `{name}`, {unit} 0 is wrong already."
    before = f"{unit} 0 is" if number == 1 else f"{unit}s 0 to {number - 1} are"
    return f"In `{name}`, {before} right, and {unit} {number} is the first that is wrong."
