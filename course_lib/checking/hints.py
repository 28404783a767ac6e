"""Decide which hint comes next, and remember it across kernels in a small file next to the notebook.

The first hint comes by itself. The second and third come only when the student asks for them with `hint`, so anyone who
wants to solve the exercise alone can. Once requested for a mistake, a hint is shown with that mistake from then on.
"""

from __future__ import annotations

from pathlib import Path

from course_lib import beside_notebook

FILE = beside_notebook.FOLDER / "hints.json"
LAST = 2  #: the index of the third and last hint


class Hints:
    """The hints given so far, by exercise and mistake."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        entries = beside_notebook.read(file).items()
        self._seen: dict[str, dict[str, object]] = {key: entry for key, entry in entries if isinstance(entry, dict)}

    def step(self, exercise_id: str, what: str) -> int:
        """Return which hint to show (0, 1 or 2) for a mistake."""
        key = f"{exercise_id}: {what}"
        level = _number(self._seen.get(key, {}), "level", LAST)
        self._seen[key] = {"level": level}
        self._seen[exercise_id] = {"last": key}
        beside_notebook.write(self._file, self._seen)
        return level

    def next(self, exercise_id: str) -> int:
        """Advance the hint for what was last wrong with the exercise."""
        last = self._seen.get(exercise_id, {}).get("last")
        if not isinstance(last, str) or last not in self._seen:
            return 0
        level = min(_number(self._seen[last], "level", LAST) + 1, LAST)
        self._seen[last]["level"] = level
        beside_notebook.write(self._file, self._seen)
        return level


def _number(entry: dict[str, object], name: str, most: int) -> int:
    """Return a number from the file, limited to a valid range because anyone may have edited the file."""
    number = entry.get(name, 0)
    return min(max(number, 0), most) if isinstance(number, int) else 0
