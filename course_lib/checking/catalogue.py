"""The exercises that ship with the course, without their questions and answers: to list them needs no tensor."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from course_lib.checking.exercise import Exercise, exercise_from_json

#: where the public keys lie: one folder a lesson, a JSON and a safetensors file an exercise
KEYS = Path(__file__).parent.parent / "keys"

_BEGIN = '"exercise": '  #: the first name in a key's file


@cache
def public_exercises() -> tuple[Exercise, ...]:
    """Every exercise that ships with the course, in the order of lessons."""
    return tuple(sorted(map(_exercise, KEYS.glob("*/*.json")), key=lambda e: (e.lesson, e.place)))


def _exercise(path: Path) -> Exercise:
    """What a key begins with; the questions and answers behind it are a hundred times as long, and stay unread."""
    text = path.read_text(encoding="utf-8")
    data, _ = json.JSONDecoder().raw_decode(text, text.index(_BEGIN) + len(_BEGIN))
    return exercise_from_json(data)
