"""Questions as JSON and tensors, with their probes by name: the form in which they are stored and sent."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.exercise import Question
from course_lib.checking.probes import PROBES
from course_lib.checking.training_probe import training_steps as training_steps  # it registers itself
from course_lib.checking.values import Json, decode, encode


def encode_questions(questions: tuple[Question, ...], tensors: dict[str, Tensor]) -> Json:
    """Convert questions to JSON; their tensors go into ``tensors``."""
    return [
        {
            "name": q.name,
            "probe": q.probe.__name__,
            "given": encode(dict(q.given), tensors),
            "default_dtype": q.default_dtype,
        }
        for q in questions
    ]


def decode_questions(data: Json, tensors: Mapping[str, Tensor]) -> tuple[Question, ...]:
    """Undo `encode_questions`."""
    return tuple(Question(q["name"], PROBES[q["probe"]], decode(q["given"], tensors), q["default_dtype"]) for q in data)
