"""A remark about a notebook or an installation, with advice on what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A remark with advice.

    Attributes:
        state: ``ok``; ``note`` if it can stay as it is; ``wrong`` if it costs points or stops something.
        text: the remark, as a clause that begins with its subject.
        fix: what to do about it.
        exercise: the id of the exercise that loses points, if there is one.
        look: whether it may cost correct code its points, so that a person should look.
    """

    state: str
    text: str
    fix: str = ""
    exercise: str = ""
    look: bool = False

    @property
    def sentence(self) -> str:
        """The remark and the advice together, for a note or a page."""
        text = self.text[:1].upper() + self.text[1:]
        return f"{text.rstrip('.')}. {self.fix}".strip()
