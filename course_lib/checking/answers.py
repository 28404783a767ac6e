"""Answers: what an implementation did, as plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from safetensors.torch import load, save
from torch import Tensor

from course_lib.checking.closeness import far_apart, identical, outline
from course_lib.checking.formatting import visible
from course_lib.checking.values import Json, Room, Value, decode, encode, plain_as_received, readable, word


@dataclass(frozen=True)
class Error:
    """How an implementation failed to answer.

    Attributes:
        type: the exception's class, such as ``"NotImplementedError"``.
        message: its text, shortened.
        where: the line of the student's own code, such as ``"line 4 of Head.forward: weights = scores.softmax()"``.
    """

    type: str
    message: str = ""
    where: str = ""

    @property
    def unwritten(self) -> bool:
        """Whether it means that nothing is written yet. PyTorch raises this type, too, but with a message."""
        return self.type == "NotImplementedError" and not self.message

    @property
    def symbol(self) -> str:
        """The function or class that contains the line, such as ``"Head"``; empty if there is none."""
        found = _SYMBOL.match(self.where)
        return found[1] if found else ""


_SYMBOL = re.compile(r"line \d+ of (\w+)")


@dataclass(frozen=True)
class Answer:
    """The answer to one question: values, or the error that prevented them."""

    values: Mapping[str, Value] = field(default_factory=dict)
    error: Error | None = None

    @cached_property
    def outline(self) -> tuple[float, float]:
        """The outline of its values; see `closeness.outline`. Answers are compared with those of a hundred mistakes."""
        return outline(dict(self.values))


#: one implementation's answers, by the question's name
Answers = Mapping[str, Answer]


def plain_answer(answer: Answer, room: Room) -> Answer:
    """Return the answer with everything odd in it made harmless, because it may come from a manipulated process.

    Args:
        room: how much all answers may still contain. Names take some of it, too. Values are left out once no room
            is left.
    """
    if answer.error:
        error = answer.error
        return Answer(error=Error(*(visible(readable(text)) for text in (error.type, error.message, error.where))))
    values = {}
    for name, value in answer.values.items():
        if not room.take(max(len(name), 1)):
            break
        values[readable(name)] = plain_as_received(value, room)
    return Answer(values)


def same_answer(a: Answer, b: Answer, widths: bool = True) -> bool:
    """Return whether two implementations gave the same answer. All errors are alike.

    Args:
        widths: whether float32 differs from float64.
    """
    if a.error or b.error:
        return bool(a.error and b.error)
    if a is b:
        return True
    if far_apart(a.outline, b.outline):
        return False
    return identical(dict(a.values), dict(b.values), widths)


def encode_answers(answers: Answers, tensors: dict[str, Tensor]) -> Json:
    """Convert answers to JSON; its tensors go into ``tensors``."""
    return {
        name: (
            {"error": {"type": answer.error.type, "message": answer.error.message, "where": answer.error.where}}
            if answer.error
            else {"values": encode(dict(answer.values), tensors)}
        )
        for name, answer in answers.items()
    }


def decode_answers(data: Json, tensors: Mapping[str, Tensor], asked: Container[str] | None = None) -> dict[str, Answer]:
    """Undo `encode_answers`.

    Args:
        asked: the questions whose answers are wanted; None for all.

    Raises:
        ValueError: the data doesn't contain answers.
    """
    if not isinstance(data, dict):
        raise ValueError("answers are stored as a mapping by question")
    answers = {}
    for name, entry in data.items():
        if asked is not None and name not in asked:
            continue
        if not isinstance(entry, dict):
            raise ValueError(f"the answer to {name!r} is not a mapping")
        if "error" in entry:
            fields = entry["error"] if isinstance(entry["error"], dict) else {}
            answers[str(name)] = Answer(error=Error(*(word(fields.get(k))[:500] for k in ("type", "message", "where"))))
        else:
            values = decode(entry.get("values"), tensors)
            if not isinstance(values, dict):
                raise ValueError(f"the answer to {name!r} has no named values")
            answers[str(name)] = Answer(values)
    return answers


#: numbers are stored in tensors, so what `plain` lets pass is far shorter than this, and longer JSON is slow to read
_LONGEST_JSON = 2_000_000


def pack(data: Json, tensors: dict[str, Tensor]) -> bytes:
    """Return JSON and tensors as one string of bytes: the length of the JSON, the JSON, safetensors."""
    text = json.dumps(data, allow_nan=False).encode()
    return len(text).to_bytes(8, "big") + text + bytes(save(tensors))


def unpack(data: bytes, longest: int = _LONGEST_JSON) -> tuple[Json, dict[str, Tensor]]:
    """Undo `pack`, trusting nothing.

    Args:
        longest: how long the JSON, and the header of the tensors, may be, in bytes.

    Raises:
        ValueError: `pack` didn't write these bytes.
    """
    length = int.from_bytes(data[:8], "big")
    if length > longest:
        raise ValueError("the answers cannot be read: too many values")
    if length > len(data) - 8:
        raise ValueError("the answers are cut short")
    if int.from_bytes(data[8 + length : 16 + length], "little") > longest:
        raise ValueError("the answers cannot be read: too many tensors")
    try:
        return json.loads(data[8 : 8 + length]), load(data[8 + length :])
    except Exception as error:  # safetensors has errors of its own, and deep JSON raises RecursionError
        raise ValueError(f"the answers cannot be read: {type(error).__name__}") from None
