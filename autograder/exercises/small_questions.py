"""Choose the small questions of a public key: for each registered mistake, the smallest on which it shows.

Code that nobody has registered mostly goes wrong on one of them, too. They are never scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from autograder.exercises.definition import Definition
from autograder.exercises.shrinking import smaller
from course_lib.checking.answer_key import AnswerKey, SmallQuestion, same
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.ask import ask
from course_lib.checking.explain.example import Case, by_chance, example_of
from course_lib.checking.explain.given import given, numbers_given
from course_lib.checking.explain.show import FEW, READABLE, count
from course_lib.checking.values import Value, encode

#: how many small questions a mistake is asked before it is given up, and how many if they build a module
ATTEMPTS, ATTEMPTS_OF_MODULES = 400, 150


def small_questions(
    definition: Definition, key: AnswerKey, mistaken: Mapping[str, Answers]
) -> tuple[SmallQuestion, ...]:
    """Return the small questions for an exercise, smallest first.

    Args:
        key: the questions and the right answers.
        mistaken: the answers of each registered mistake to these questions, by name.
    """
    reference = definition.load(definition.reference)
    different = {_content(one): one for one in _answered(definition, key, reference)}
    found = sorted(different.values(), key=lambda one: (_numbers(one, key), count(one.right.values)))
    chosen = {one.question.name: one for one in _typical(found, key)}
    for name, answers in mistaken.items():
        wrong = {
            q.name: answers[q.name]
            for q in key.questions
            if not q.watched and not by_chance(q) and not same(q, key.reference[q.name], answers[q.name])
        }
        code = definition.load(definition.implementation(name))
        chosen |= {one.question.name: one for one in _that_show(code, wrong, found, key)}
    return tuple(one for one in found if one.question.name in chosen)


def _answered(definition: Definition, key: AnswerKey, reference: Any) -> Iterator[SmallQuestion]:
    """Yield the smaller questions that the text allows and that the reference answers as the question itself."""
    for question in key.questions:
        if by_chance(question):
            continue
        for number, made in enumerate(smaller(question, reference)):
            asked = replace(made, name=f"{question.name} made small {number}")
            answer = ask([asked], reference)[asked.name]
            if _is_sound(answer, key.reference[question.name]) and definition.allows(asked):
                yield SmallQuestion(question.name, asked, answer)


def _is_sound(answer: Answer, whole: Answer) -> bool:
    """Return whether an answer has the parts that the answer to the whole question has, apart from gradients.

    It may not be empty or contain NaN if that answer isn't and doesn't: the question would make no sense.
    """
    parts = whole.values.keys() - {"gradients"}
    if answer.error or not parts <= answer.values.keys() or answer.values.get("raised", "") is None:
        return False
    return all(_makes_no_sense(whole.values[name]) or not _makes_no_sense(answer.values[name]) for name in parts)


def _makes_no_sense(value: Value) -> bool:
    """Return whether a value is or contains an empty array, or one with NaN."""
    if isinstance(value, Mapping):
        return any(map(_makes_no_sense, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_makes_no_sense, value))
    if isinstance(value, Tensor):
        return value.numel() == 0 or bool(value.isnan().any())
    return isinstance(value, np.ndarray) and value.size == 0


def _content(one: SmallQuestion) -> str:
    """Return a text that is equal for two questions that ask the same."""
    tensors: dict[str, Tensor] = {}
    contents = [
        encode(dict(one.question.contents()) | {"question": None}, tensors),
        encode(dict(one.right.values), tensors),
    ]
    return f"{one.of} {json.dumps(contents)}"


def _numbers(one: SmallQuestion, key: AnswerKey) -> int:
    last = max(0, len(one.question.inputs) - 1)
    return numbers_given(given(one.question, last, key))


def _typical(found: list[SmallQuestion], key: AnswerKey) -> Iterator[SmallQuestion]:
    """Yield, for each question, the small one with the most numbers that a person still recomputes."""
    for question in key.questions:
        few = [one for one in found if one.of == question.name and _numbers(one, key) < FEW]
        yield from few[-1:]


def _that_show(code: Any, wrong: Answers, found: list[SmallQuestion], key: AnswerKey) -> Iterator[SmallQuestion]:
    """Yield the smallest question on which a mistake gives a wrong value, and the smallest on which it stops."""
    stops = {answer.error.type for answer in wrong.values() if answer.error}
    values = any(not answer.error for answer in wrong.values())
    least, best = READABLE, None
    attempts = ATTEMPTS_OF_MODULES if any(question.built_with for question in key.questions) else ATTEMPTS
    for one in [one for one in found if one.of in wrong][:attempts]:
        if not values and not stops:
            break
        answer = ask([one.question], code)[one.question.name]
        if answer.error:
            if answer.error.type in stops:
                stops.discard(answer.error.type)
                yield one
        elif values and not same(one.question, one.right, answer):
            example = example_of(Case(one.question, answer, one.right), key)
            if example and example.can_be_recomputed:
                values, best = False, one
            elif example and example.numbers < least:
                least, best = example.numbers, one
    if best:
        yield best
