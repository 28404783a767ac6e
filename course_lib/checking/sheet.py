"""Answers and sheets: what an implementation did, as plain values."""

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
        type: the exception's class, as ``"NotImplementedError"``.
        message: its text, shortened.
        where: the line of the student's own code, as ``"line 4 of Head.forward: weights = scores.softmax()"``.
    """

    type: str
    message: str = ""
    where: str = ""

    @property
    def unwritten(self) -> bool:
        """Whether it says that nothing is written yet. PyTorch has errors of this type too, and they say more."""
        return self.type == "NotImplementedError" and not self.message

    @property
    def symbol(self) -> str:
        """The function or class that the line stands in, as ``"Head"``; nothing where there is none."""
        found = _SYMBOL.match(self.where)
        return found[1] if found else ""


_SYMBOL = re.compile(r"line \d+ of (\w+)")


@dataclass(frozen=True)
class Answer:
    """What one question brought: values, or the error that stood in their way."""

    values: Mapping[str, Value] = field(default_factory=dict)
    error: Error | None = None

    @cached_property
    def outline(self) -> tuple[float, float]:
        """Of its values, see `closeness.outline`: an answer is compared with those of a hundred mistakes."""
        return outline(dict(self.values))


#: one implementation's answers, by the question's name
Sheet = Mapping[str, Answer]


def plain_answer(answer: Answer, room: Room) -> Answer:
    """The answer with everything odd in it made harmless: it may come from what a student's process became.

    Args:
        room: how much the whole sheet may still hold. A name takes some of it, too; values for which none is left are
            left out.
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
    """Whether two implementations answered alike. Any error is like any other.

    Args:
        widths: whether float32 is another number type than float64.
    """
    if a.error or b.error:
        return bool(a.error and b.error)
    if a is b:
        return True
    if far_apart(a.outline, b.outline):
        return False
    return identical(dict(a.values), dict(b.values), widths)


def encode_sheet(sheet: Sheet, tensors: dict[str, Tensor]) -> Json:
    """JSON for a sheet; its tensors go into ``tensors``."""
    return {
        name: (
            {"error": {"type": answer.error.type, "message": answer.error.message, "where": answer.error.where}}
            if answer.error
            else {"values": encode(dict(answer.values), tensors)}
        )
        for name, answer in sheet.items()
    }


def decode_sheet(data: Json, tensors: Mapping[str, Tensor], asked: Container[str] | None = None) -> dict[str, Answer]:
    """Undo `encode_sheet`.

    Args:
        asked: the questions whose answers are wanted; None: all.

    Raises:
        ValueError: where the data is no sheet.
    """
    if not isinstance(data, dict):
        raise ValueError("a sheet is a mapping from questions to answers")
    sheet = {}
    for name, entry in data.items():
        if asked is not None and name not in asked:
            continue
        if not isinstance(entry, dict):
            raise ValueError(f"the answer to {name!r} is no mapping")
        if "error" in entry:
            fields = entry["error"] if isinstance(entry["error"], dict) else {}
            sheet[str(name)] = Answer(error=Error(*(word(fields.get(k))[:500] for k in ("type", "message", "where"))))
        else:
            values = decode(entry.get("values"), tensors)
            if not isinstance(values, dict):
                raise ValueError(f"the answer to {name!r} has no named values")
            sheet[str(name)] = Answer(values)
    return sheet


#: numbers are in tensors: what `plain` lets pass comes nowhere near, and more takes long to read
_LONGEST_JSON = 2_000_000


def pack(data: Json, tensors: dict[str, Tensor]) -> bytes:
    """JSON and tensors as one string of bytes: the length of the JSON, the JSON, safetensors."""
    text = json.dumps(data, allow_nan=False).encode()
    return len(text).to_bytes(8, "big") + text + bytes(save(tensors))


def unpack(data: bytes, longest: int = _LONGEST_JSON) -> tuple[Json, dict[str, Tensor]]:
    """Undo `pack`, trusting nothing.

    Args:
        longest: how long the JSON may be, and what is said of the tensors before their numbers, in bytes.

    Raises:
        ValueError: where the bytes are not what `pack` writes.
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
    except Exception as error:  # safetensors has errors of its own; deep JSON raises RecursionError
        raise ValueError(f"the answers cannot be read: {type(error).__name__}") from None
