"""Matchers of mistakes in lesson 05."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answers
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Module, Question


@matcher
def stops_at_an_odd_width(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops, with any error, if `d_model` is odd; elsewhere it is right."""
    odd = [name for name, question in questions.items() if question.inputs[0]["d_model"] % 2]
    return stops_only_with(dict.fromkeys(odd, ""), answers, reference)


@matcher
def frequencies_grow(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise encodings with the frequencies 10000^(+2i/D), up to the rounding of such large angles."""
    found = False
    for name, question in questions.items():
        ours = answers[name].values.get("encoding") if name in answers else None
        length, width = question.inputs[0].values()
        if length < 2 or width % 2:
            continue
        if not isinstance(ours, Tensor) or tuple(ours.shape) != (length, width):
            return False
        right = torch.sin(10_000.0 ** (torch.arange(0, width, 2, dtype=torch.float64) / width))
        found = bool((ours[1, 0::2].double() - right).abs().max() < 0.01)
        if not found:
            return False
    return found


@matcher
def stops_at_the_last_position(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops, with any error, if all `max_length` positions are used; elsewhere it is right."""
    asked = {name: question for name, question in questions.items() if isinstance(question, Module)}
    full = [name for name, q in asked.items() if q.calls[-1]["length"] == q.build["max_length"]]
    return stops_only_with(dict.fromkeys(full, ""), answers, reference)
