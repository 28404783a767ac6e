"""What an implementation prints, question by question and shortened."""

from __future__ import annotations

from course_lib.checking.values import readable

LINES, WIDTH = 20, 200  #: how much is shown for one question
_ROOM = LINES * (WIDTH + 1)


class Prints:
    """Record the beginning of what is printed for each question."""

    def __init__(self) -> None:
        self._kept: dict[str, list[str]] = {}
        self._lines: dict[str, int] = {}
        self._room = 0
        self._question = ""

    def begin(self, question: str) -> None:
        """Begin to record another question."""
        self._question, self._room = question, _ROOM
        self._kept[question], self._lines[question] = [], 0

    def hear(self, text: str) -> None:
        """Record printed text."""
        if self._question:
            self._kept[self._question].append(text[: self._room])
            self._room -= min(len(text), self._room)
            self._lines[self._question] += text.count("\n")

    def of(self, question: str) -> tuple[str, ...]:
        """Return the first lines printed for a question. If there were more, a last line says how many."""
        lines = "".join(self._kept.get(question, ())).splitlines()
        shown = tuple(readable(line[:WIDTH]) + ("…" if len(line) > WIDTH else "") for line in lines[:LINES])
        more = self._lines.get(question, 0) - len(shown)
        return (*shown, f"… and {more:,} more line{'' if more == 1 else 's'}") if more > 0 else shown
