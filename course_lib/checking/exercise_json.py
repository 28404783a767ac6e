"""An exercise as JSON: its rules and matchers are written by name, and looked up on reading."""

from __future__ import annotations

from dataclasses import asdict

from course_lib.checking.exercise import Check, Exercise, Misconception
from course_lib.checking.rules import RULES
from course_lib.checking.values import Json


def exercise_to_json(exercise: Exercise) -> Json:
    """Convert an exercise to JSON."""
    return {
        **asdict(exercise),
        "checks": [{**asdict(check), "rule": check.rule.__name__} for check in exercise.checks],
        "misconceptions": [
            {**asdict(known), "matcher": known.matcher and known.matcher.__name__} for known in exercise.misconceptions
        ],
    }


def exercise_from_json(data: Json) -> Exercise:
    """Undo `exercise_to_json`.

    Raises:
        KeyError: a rule or a matcher doesn't exist.
    """
    return Exercise(
        **{
            **data,
            "checks": tuple(map(_check, data["checks"])),
            "misconceptions": tuple(map(_misconception, data["misconceptions"])),
            "hints": tuple(data["hints"]),
            "builds_on": tuple(data["builds_on"]),
        }
    )


def _check(data: Json) -> Check:
    return Check(**{**data, "rule": RULES[data["rule"]], "also": tuple(data["also"])})


def _misconception(data: Json) -> Misconception:
    matcher = None
    if name := data["matcher"]:
        from course_lib.checking.matchers.registry import MATCHERS  # few exercises need any

        matcher = MATCHERS[name]
    return Misconception(**{**data, "hints": tuple(data["hints"]), "matcher": matcher})
