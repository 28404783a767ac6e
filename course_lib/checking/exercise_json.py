"""An exercise as JSON: its rules and recognisers are written by name, and looked up on reading."""

from __future__ import annotations

from dataclasses import asdict

from course_lib.checking.exercise import Exercise, Law, Misconception
from course_lib.checking.laws import RULES
from course_lib.checking.values import Json


def exercise_to_json(exercise: Exercise) -> Json:
    """Convert an exercise to JSON."""
    return {
        **asdict(exercise),
        "laws": [{**asdict(law), "rule": law.rule.__name__} for law in exercise.laws],
        "misconceptions": [
            {**asdict(known), "recogniser": known.recogniser and known.recogniser.__name__}
            for known in exercise.misconceptions
        ],
    }


def exercise_from_json(data: Json) -> Exercise:
    """Undo `exercise_to_json`.

    Raises:
        KeyError: a rule or a recogniser doesn't exist.
    """
    return Exercise(
        **{
            **data,
            "laws": tuple(map(_law, data["laws"])),
            "misconceptions": tuple(map(_misconception, data["misconceptions"])),
            "hints": tuple(data["hints"]),
            "builds_on": tuple(data["builds_on"]),
        }
    )


def _law(data: Json) -> Law:
    return Law(**{**data, "rule": RULES[data["rule"]], "also": tuple(data["also"])})


def _misconception(data: Json) -> Misconception:
    recogniser = None
    if name := data["recogniser"]:
        from course_lib.checking.recognisers.registry import RECOGNISERS  # few exercises need any

        recogniser = RECOGNISERS[name]
    return Misconception(**{**data, "hints": tuple(data["hints"]), "recogniser": recogniser})
