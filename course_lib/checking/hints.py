"""Which hint comes next: remembered across kernels, in a small file beside the notebook.

The first hint comes by itself, the second and the third only when they are asked for by `hint`: whoever wants to find
it alone can. What was asked for once, about one mistake, is shown with that mistake from then on.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

FILE = Path(".course") / "hints.json"
LAST = 2  #: the index of the third and last hint


class Hints:
    """The hints given so far, by exercise and mistake."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._seen: dict[str, dict[str, object]] = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):
            read = json.loads(file.read_text(encoding="utf-8"))
            entries = read.items() if isinstance(read, dict) else ()
            self._seen = {key: entry for key, entry in entries if isinstance(entry, dict)}

    def step(self, exercise_id: str, what: str) -> int:
        """The hint to show (0, 1 or 2) with something that is wrong."""
        key = f"{exercise_id}: {what}"
        level = _number(self._seen.get(key, {}), "level", LAST)
        self._seen[key] = {"level": level}
        self._seen[exercise_id] = {"last": key}
        self._save()
        return level

    def next(self, exercise_id: str) -> int:
        """Advance the hint for what was last wrong with the exercise."""
        last = self._seen.get(exercise_id, {}).get("last")
        if not isinstance(last, str) or last not in self._seen:
            return 0
        level = min(_number(self._seen[last], "level", LAST) + 1, LAST)
        self._seen[last]["level"] = level
        self._save()
        return level

    def _save(self) -> None:
        # a folder that cannot be written to costs the memory of hints, not the check
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(self._seen, indent=1), encoding="utf-8")


def _number(entry: dict[str, object], name: str, most: int) -> int:
    """A number from the file, which anyone may have written."""
    number = entry.get(name, 0)
    return min(max(number, 0), most) if isinstance(number, int) else 0
