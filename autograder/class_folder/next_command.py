"""Spell out commands in messages, with the options that make them use the same class."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

#: the commands on a class that have no option ``--gradebook``
WITHOUT_GRADEBOOK = ("challenge", "decide", "integrity", "secret")


@dataclass(frozen=True)
class ClassOptions:
    """The options with which an instructor selected a class, as they were given.

    Attributes:
        folder: the value of ``--class``, or None if it was not given.
        gradebook: the value of ``--gradebook``, or None if it was not given.
    """

    folder: Path | None = None
    gradebook: str | None = None

    def __bool__(self) -> bool:
        """Return whether a class was selected, in place of the one that `course.toml` names."""
        return bool(self.folder or self.gradebook)

    def command(self, words: str) -> str:
        """Return a command on the same class, without the gradebook's password.

        Args:
            words: the command's name and arguments, such as ``"grade 03_self_attention"``.
        """
        given: dict[str, object] = {"--class": self.folder}
        if self.gradebook and words.split(maxsplit=1)[0] not in WITHOUT_GRADEBOOK:
            from autograder.class_folder.gradebook_url import without_password  # which imports SQLAlchemy

            given["--gradebook"] = without_password(self.gradebook)
        options = "".join(f" {option} {shlex.quote(str(value))}" for option, value in given.items() if value)
        return f"course {words}{options}"


#: the options for the class that `course.toml` names: none
COURSES_OWN = ClassOptions()
