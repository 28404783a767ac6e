"""The table that every lesson's file enters its second versions into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: (exercise, the name it must get, the mistake in another style)
SECOND_VERSIONS: list[tuple[str, str, Any]] = []


def second_version(exercise_id: str, expected_name: str) -> Callable[[Any], Any]:
    """Enter a function or class into the table."""

    def enter(thing: Any) -> Any:
        SECOND_VERSIONS.append((exercise_id, expected_name, thing))
        return thing

    return enter
