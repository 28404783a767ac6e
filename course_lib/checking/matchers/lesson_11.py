"""Matchers of mistakes in lesson 11."""

from __future__ import annotations

import re
from collections.abc import Mapping

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Question


def _kept_by_half(shapes: str, answers: Answers, reference: Answers) -> bool:
    """Return whether the first token is right, and later ones stop with an error about these key and value shapes."""
    right = [name for name, answer in answers.items() if not answer.error]
    others = [answer.error.message for answer in answers.values() if answer.error]
    return (
        bool(others)
        and bool(right)
        and answers.keys() == reference.keys()
        and all(same_answer(answers[name], reference[name]) for name in right)
        and all(re.search(shapes, message) for message in others)
    )


@matcher
def keys_kept_without_values(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code with weights for two keys but only one value at the second token; the first token is right."""
    return _kept_by_half(r"to be: \[\d+, 2\] but got: \[\d+, 1\]", answers, reference)


@matcher
def values_kept_without_keys(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code with a weight for one key but two values at the second token; the first token is right."""
    return _kept_by_half(r"to be: \[\d+, 1\] but got: \[\d+, 2\]", answers, reference)
