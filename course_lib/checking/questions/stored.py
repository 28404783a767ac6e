"""Questions as JSON and tensors: the form in which they are stored and sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from torch import Tensor

from course_lib.checking.questions.question import Question
from course_lib.checking.values import Json, decode, encode


def encode_questions(questions: Iterable[Question], tensors: dict[str, Tensor]) -> Json:
    """Convert questions to JSON; their tensors go into ``tensors``."""
    return [
        {
            "name": question.name,
            "kind": type(question).__name__,
            "contents": {
                name: encode_questions([value], tensors) if isinstance(value, Question) else encode(value, tensors)
                for name, value in question.contents().items()
            },
            "default_dtype": question.default_dtype,
        }
        for question in questions
    ]


def decode_questions(data: Json, tensors: Mapping[str, Tensor]) -> tuple[Question, ...]:
    """Undo `encode_questions`.

    Raises:
        ValueError: another version of the course stored them.
    """
    return tuple(_decode(question, tensors) for question in data)


def _decode(data: Json, tensors: Mapping[str, Tensor]) -> Question:
    try:
        contents: dict[str, Any] = {
            name: decode_questions(value, tensors)[0] if name == "question" else decode(value, tensors)
            for name, value in data["contents"].items()
        }
        return Question.kinds[data["kind"]](data["name"], **contents, default_dtype=data["default_dtype"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"another version of the course stored the question {data.get('name')!r}: {error}") from error
