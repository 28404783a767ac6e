"""Failures that the course records itself, in place of an answer, if the student's code raised nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.checking.answers import Answer, Error


class Failure(StrEnum):
    """The reason why there is no answer. Its value is the `Error.type` of the recorded error."""

    TIME_LIMIT = "TimeLimit"
    UNFINISHED = "Unfinished"
    WAITED = "Waited"
    DIED = "Died"
    TOO_LONG = "TooLong"
    UNREADABLE = "Unreadable"
    UNANSWERED = "Unanswered"
    UNJUDGED = "Unjudged"
    OTHER_FORM = "OtherForm"

    @property
    def sentence(self) -> str:
        """What happened, if nothing more is known."""
        return _SENTENCES[self]

    def error(self, message: str = "") -> Error:
        """Return the error to record in place of an answer.

        Args:
            message: what is known beyond the failure's own sentence. The default is that sentence.
        """
        from course_lib.checking.answers import Error  # imports PyTorch, but a report needs only the sentences

        return Error(self.value, message or self.sentence)

    def answer(self, message: str = "") -> Answer:
        """Return an answer with this failure."""
        from course_lib.checking.answers import Answer

        return Answer(error=self.error(message))

    @classmethod
    def of(cls, error: Error | None) -> Failure | None:
        """Return the failure that an error records, or None for an exception of the student's code."""
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
    Failure.OTHER_FORM: "the answer has another form than the one asked for",
}
_VALUES = frozenset(failure.value for failure in Failure)
