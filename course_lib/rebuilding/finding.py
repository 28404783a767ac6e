"""One thing that was found in a notebook or in an installation, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        state: ``ok``; ``note``, which can stay; ``wrong``, which costs points or stops something.
        text: what it is, as a clause that begins with its subject.
        mend: what to do.
        exercise: the id of the exercise whose points it costs, if it is one.
        look: whether it may cost right code its points, so that a person should look.
    """

    state: str
    text: str
    mend: str = ""
    exercise: str = ""
    look: bool = False

    @property
    def sentence(self) -> str:
        """Both in one, for a note or a page."""
        text = self.text[:1].upper() + self.text[1:]
        return f"{text.rstrip('.')}. {self.mend}".strip()
