"""Matchers of mistakes in lesson 10."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.closeness import close
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Question, TranslationScript
from course_lib.checking.values import pick


@matcher
def encoded_more_than_once(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that encodes the source more often than necessary; everything else is right."""
    counted = [
        name
        for name, question in questions.items()
        if isinstance(question, TranslationScript) and question.count_encodings
    ]
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        if name not in counted:
            if not same_answer(answers[name], right):
                return False
            continue
        ours, rights = (pick(dict(answer.values), "calls/0") for answer in (answers[name], right))
        if not isinstance(ours, dict) or not close({**ours, "encodings": rights["encodings"]}, rights):
            return False
        if not isinstance(ours["encodings"], int) or ours["encodings"] <= rights["encodings"]:
            return False
    return bool(counted)
