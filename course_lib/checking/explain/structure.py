"""What is wrong with an answer's form, before its numbers: the number of results, their type, shape and dtype."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import torch

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.answers import Answer, Answers, Error
from course_lib.checking.closeness import close, numbers
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.explain.show import describe, dtype_words
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import Methods, Question
from course_lib.checking.rules import every_gradient_flows, inputs_unchanged, keeps_dtype, refuses
from course_lib.checking.values import Value, is_array

#: torch's errors for a module that was used before its constructor was called
_NOT_BEGUN = re.compile(r"before Module\.__init__\(\) call|no attribute '_(parameters|modules|buffers|\w+_hooks)'$")


def constructor_forgotten(error: Error) -> str:
    """Return the sentence for a module whose constructor doesn't call that of `nn.Module`, or an empty string."""
    if error.type != "AttributeError" or not _NOT_BEGUN.search(error.message):
        return ""
    return (
        "Its `__init__` does not call `super().__init__()`, which a module needs before anything can be assigned to it."
    )


def structure(verdict: Verdict, key: AnswerKey, answers: Answers) -> str:
    """Return the first fault in an answer's form, on the questions whose checks are broken; empty if there is none."""
    some = _first(verdict, key, answers, (_results, _type, _shape))
    if some or (some := _first(verdict, key, answers, (_dtype,), True)):
        return some
    # large differences may come from few digits, too, if some numbers are right apart from their digits
    return _first(verdict, key, answers, (_digits,), True) if _first(verdict, key, answers, (_dtype,)) else ""


def beside(verdict: Verdict, key: AnswerKey, answers: Answers) -> str:
    """Return what is wrong in an answer of the right form, other than its numbers: NaN, infinity or a side effect."""
    return _first(verdict, key, answers, (_finite,), True) or _done_besides(verdict, answers)


def _first(
    verdict: Verdict, key: AnswerKey, answers: Answers, finders: Sequence[Callable[..., str]], everywhere: bool = False
) -> str:
    """Return the first fault that is found, or an empty string.

    Args:
        everywhere: only a fault that every wrong answer shows.
    """
    broken = {
        name
        for check_result in verdict.check_results
        if not check_result.holds
        for name in check_result.check.questions
    }
    failing = [q for q in key.questions if q.name in broken and q.name in answers and not answers[q.name].error]
    failing = [question for question in failing if question.returns and not isinstance(question, Methods)]
    for find in finders:
        found = [text for q in failing if (text := find(q, answers[q.name], key.reference[q.name]))]
        wrong = [q for q in failing if not same(q, key.reference[q.name], answers[q.name])]
        if found and (len(found) == len(wrong) or not everywhere):
            return found[0] if len(found) == len(failing) else f"On some input, {found[0][:1].lower()}{found[0][1:]}"
    return ""


def results(question: Question, ours: Answer, right: Answer) -> list[tuple[str, Value, Value]]:
    """Return what came back and what is right, by name. If there are several calls, take the first wrong one."""
    number = wrong_call(question, ours, right)
    mine, theirs = (returns_of(answer, number) for answer in (ours, right))
    return [(name, mine[name], theirs[name]) for name in question.returns if name in mine and name in theirs]


def _results(question: Question, ours: Answer, right: Answer) -> str:
    """Return the sentence for too many or too few results."""
    mine, names = returns_of(ours, wrong_call(question, ours, right)), question.returns
    if "returned" in mine and len(names) > 1:
        asked = f"{len(names)} results are asked for: {', '.join(f'`{name}`' for name in names)}"
        return f"It returns {describe(mine['returned'])}, where {asked}."
    for name, value, wanted in results(question, ours, right):
        if isinstance(value, tuple) and is_array(wanted):
            return f"It returns {describe(value)}, where `{name}` alone is asked for."
    return ""


def _type(question: Question, ours: Answer, right: Answer) -> str:
    for name, value, wanted in results(question, ours, right):
        if is_array(wanted) and type(value) is not type(wanted):
            return f"`{name}` is {describe(value)}, where {describe(wanted)} is asked for."
        if isinstance(wanted, int | float | list) and is_array(value):
            return f"`{name}` is {describe(value)}, where {describe(wanted)} is asked for."
    return ""


def _shape(question: Question, ours: Answer, right: Answer) -> str:
    for name, value, wanted in results(question, ours, right):
        if is_array(value) and is_array(wanted) and tuple(value.shape) != tuple(wanted.shape):
            return f"`{name}` has the shape {tuple(value.shape)}, where {tuple(wanted.shape)} is asked for."
    return ""


def _dtype(question: Question, ours: Answer, right: Answer) -> str:
    """Return the sentence for another kind of number (bool, int, float) or, if all else is right, another dtype."""
    pairs = results(question, ours, right)
    right_numbers = all(close(value, wanted) for _, value, wanted in pairs)
    for name, value, wanted in pairs:
        if not (is_array(value) and is_array(wanted)):
            continue
        if numbers(value).dtype != numbers(wanted).dtype or (right_numbers and value.dtype != wanted.dtype):
            begin = "The numbers are right, but " if right_numbers else ""
            return f"{begin}`{name}` is {dtype_words(value, wanted)}, where {wanted.dtype} is asked for."
    return ""


def narrower(verdict: Verdict, key: AnswerKey, answers: Answers) -> str:
    """Return a sentence about dtypes, NaN or infinity, whatever else is wrong, or an empty string."""
    return _first(verdict, key, answers, (_digits, _dtype, _finite))


def _digits(question: Question, ours: Answer, right: Answer) -> str:
    for name, value, wanted in results(question, ours, right):
        if not is_array(value) or not is_array(wanted):
            continue
        mine, asked = (torch.as_tensor(array).dtype for array in (value, wanted))
        if asked == torch.float64 and mine.is_floating_point and mine != asked:
            return f"`{name}` is {value.dtype}, where {wanted.dtype} is asked for."
    return ""


def _finite(question: Question, ours: Answer, right: Answer) -> str:
    for name, value, wanted in results(question, ours, right):
        if is_array(value) and is_array(wanted) and np.isfinite(numbers(wanted)).all():
            odd = numbers(value)[~np.isfinite(numbers(value))]
            if odd.size:
                what = "NaN" if np.isnan(odd).any() else "infinity" if (odd > 0).any() else "minus infinity"
                return f"`{name}` contains {what}, where finite numbers are asked for."
    return ""


def _done_besides(verdict: Verdict, answers: Answers) -> str:
    """Return the sentence for code whose results are right but that has a wrong side effect."""
    broken = [check_result for check_result in verdict.check_results if not check_result.holds]
    changed = [check_result for check_result in broken if check_result.check.rule is inputs_unchanged]
    if changed and all(check_result.check.rule in (inputs_unchanged, keeps_dtype) for check_result in broken):
        right = "What it returns is right, but it" if len(changed) == len(broken) else "It"
        return f"{right} changes its inputs: {changed[0].seen}."
    stopped = {name: answer.error for name, answer in answers.items() if answer.error}
    in_place = all(error.type == "RuntimeError" and _IN_PLACE.search(error.message) for error in stopped.values())
    if stopped and in_place and all(stopped.keys() & set(check_result.check.questions) for check_result in broken):
        return "It changes a tensor in place that it received, or that the gradients still need."
    if all(check_result.check.rule is every_gradient_flows for check_result in broken):
        return f"What it returns is right, but gradients do not reach what it is computed from: {broken[0].seen}."
    if all(check_result.check.rule is refuses for check_result in broken):
        return f"What it returns is right, but it accepts what it should refuse: {broken[0].seen}."
    return ""


#: torch's error for a tensor that was changed in place although the gradients need it
_IN_PLACE = re.compile(r"in-place|inplace")
