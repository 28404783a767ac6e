"""A remark about a notebook or an installation, with advice on what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A remark with advice.

    Attributes:
        state: ``ok``; ``note`` if it can stay as it is; ``wrong`` if it costs points or stops something.
        text: the remark, as a clause that begins with its subject.
        mend: what to do about it.
        exercise: the id of the exercise that loses points, if there is one.
    """

    state: str
    text: str
    mend: str = ""
    exercise: str = ""

    @property
    def sentence(self) -> str:
        """The remark and the advice together, for a note or a page."""
        text = self.text[:1].upper() + self.text[1:]
        return f"{text.rstrip('.')}. {self.mend}".strip()
