"""Failures that the course notes itself: what stands for an answer where the student's code raised nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.checking.sheet import Answer, Error


class Failure(StrEnum):
    """Why there is no answer. Its value is the `Error.type` that says so."""

    TIME_LIMIT = "TimeLimit"
    UNFINISHED = "Unfinished"
    WAITED = "Waited"
    DIED = "Died"
    TOO_LONG = "TooLong"
    UNREADABLE = "Unreadable"
    UNANSWERED = "Unanswered"
    UNJUDGED = "Unjudged"

    @property
    def sentence(self) -> str:
        """What happened, where nothing more is known."""
        return _SENTENCES[self]

    def error(self, message: str = "") -> Error:
        """The error that stands for an answer.

        Args:
            message: what is known beyond the failure's own sentence; default: that sentence.
        """
        from course_lib.checking.sheet import Error  # which takes PyTorch: a report needs only the sentences

        return Error(self.value, message or self.sentence)

    def answer(self, message: str = "") -> Answer:
        """An answer that is this failure."""
        from course_lib.checking.sheet import Answer

        return Answer(error=self.error(message))

    @classmethod
    def of(cls, error: Error | None) -> Failure | None:
        """The failure that an error notes; None for an exception of the student's code."""
        return cls(error.type) if error and error.type in _VALUES else None


_SENTENCES = {
    Failure.TIME_LIMIT: "stopped after its processor time was over",
    Failure.UNFINISHED: "its time was over before it had used its processor time",
    Failure.WAITED: "it was stopped, because it waited for something",
    Failure.DIED: "the process ended while it was asked",
    Failure.TOO_LONG: "the answers take too much room",
    Failure.UNREADABLE: "the answer cannot be stored",
    Failure.UNANSWERED: "no answer came back",
    Failure.UNJUDGED: "the answers cannot be judged",
}
_VALUES = frozenset(failure.value for failure in Failure)
