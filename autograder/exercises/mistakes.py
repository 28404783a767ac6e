"""Read `mistakes.md`: the registered mistakes of an exercise, as prose that a teacher can review.

Each mistake is a section. The heading is its name. Then come a sentence for the student, three hints, and the edits of
the reference that make it::

    ## minimum_subtracted
    part: shift

    You subtract the smallest score.

    - After your shift, which numbers does `np.exp` see?
    - exp is safe on negative numbers. Which score must become 0?
    - Subtract the largest score of the row, not the smallest.

    `scores.max(axis=axis)` → `scores.min(axis=axis)`

The text on the left must occur once in the reference. ``nothing`` on the right removes it. If one side has several
lines, both sides are blocks of code. A mistake without an edit has its code in `variants.py`, below ``# defines:``. If
the third hint is left out, the exercise's own third hint is used.

Two optional lines follow the heading:

- ``part:`` names the part of the code that the mistake changes. Two mistakes in different parts can be made at once,
  and get both names. A mistake without a part is never combined.
- ``matcher:`` names the function of `course_lib.checking.matchers` that recognises the mistake if its answers
  cannot be compared, for example because they are random.

A heading of the first level, such as ``# The scale``, only groups the mistakes below it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from course_lib.checking.exercise import Misconception
from course_lib.checking.matchers.registry import MATCHERS
from course_lib.suggestion import suggestion

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_SETTING = re.compile(r"\A(part|matcher): *(.+)\n")
_EDIT = re.compile(
    r"^`(?P<old>[^\n]*)` → (?:`(?P<new>[^\n]*)`|nothing)$"
    r"|^```python\n(?P<old_lines>.*?)```\n→ ?(?:\n```python\n(?P<new_lines>.*?)```|nothing)$",
    re.MULTILINE | re.DOTALL,
)
_GROUP = re.compile(r"^# .*$", re.MULTILINE)
HINTS = 3


@dataclass(frozen=True)
class Mistake:
    """A registered mistake, and the edits that make it.

    Attributes:
        edits: pairs ``(old, new)``; ``old`` must occur once in the reference. Empty if its code is a variant.
        part: the part of the code that it changes, or empty if it is never combined with another mistake.
    """

    misconception: Misconception
    edits: tuple[tuple[str, str], ...] = ()
    part: str = ""

    @property
    def name(self) -> str:
        """Return the misconception's name."""
        return self.misconception.name


def read_mistakes(path: Path, last_hint: str) -> tuple[Mistake, ...]:
    """Return the mistakes in a file, in order.

    Args:
        last_hint: the exercise's own third hint, which a mistake with two hints shares.

    Raises:
        ValueError: a section is not laid out as described above. The message says which, and what is wrong.
    """
    text = path.read_text(encoding="utf-8")
    headings = list(_SECTION.finditer(text))
    ends = [*(each.start() for each in headings[1:]), len(text)]
    return tuple(
        _Section(f"{path}: {heading[1]}", heading[1].strip(), text[heading.end() + 1 : end]).mistake(last_hint)
        for heading, end in zip(headings, ends, strict=True)
    )


@dataclass(frozen=True)
class _Section:
    where: str
    name: str
    text: str

    def mistake(self, last_hint: str) -> Mistake:
        text, settings = self.text, dict[str, str]()
        while setting := _SETTING.match(text):
            settings[setting[1]] = setting[2].strip()
            text = text[setting.end() :]
        edits = tuple(map(_edit, _EDIT.finditer(text)))
        sentence, hints = "", []
        for line in filter(None, map(str.strip, _GROUP.sub("", _EDIT.sub("", text)).splitlines())):
            if line.startswith("- "):
                hints.append(line[2:])
            elif not sentence and not hints:
                sentence = line
            else:
                raise ValueError(
                    f"{self.where}: this line is neither a hint nor an edit: {line!r}. A hint begins with a hyphen, an "
                    "edit is `old` → `new` with this arrow, and part: or matcher: come directly below the heading"
                )
        if not sentence:
            raise ValueError(f"{self.where}: the sentence for the student is missing")
        if len(hints) == HINTS - 1:
            hints.append(last_hint)
        if len(hints) != HINTS:
            raise ValueError(f"{self.where}: two or three hints are required; there are {len(hints)}")
        first, second, third = hints
        matcher_name = settings.get("matcher")
        if matcher_name is not None and matcher_name not in MATCHERS:
            raise ValueError(f"{self.where}: there is no matcher {matcher_name!r}{suggestion(matcher_name, MATCHERS)}")
        matcher = MATCHERS[matcher_name] if matcher_name else None
        return Mistake(
            Misconception(self.name, sentence, (first, second, third), matcher=matcher),
            edits,
            settings.get("part", ""),
        )


def _edit(found: re.Match[str]) -> tuple[str, str]:
    """Return the old and the new text of an edit, whether it is written in a line or as blocks."""
    if found["old"] is not None:
        return found["old"], found["new"] or ""
    return found["old_lines"].removesuffix("\n"), (found["new_lines"] or "").removesuffix("\n")
