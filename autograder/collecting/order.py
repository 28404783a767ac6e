"""Order a student's files by the times and versions that learning management systems put into paths."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

#: the times that Blackboard, nbgrader's exchange, ILIAS and Brightspace write into names
_TIMES = (
    (re.compile(r"_attempt_(\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_|\.|$)"), "%Y-%m-%d-%H-%M-%S"),
    (re.compile(r"\+(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}) \w+"), "%Y-%m-%d %H:%M:%S.%f"),
    (re.compile(r"\+(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \w+"), "%Y-%m-%d %H:%M:%S"),
    (re.compile(r"^(\d{14})_"), "%Y%m%d%H%M%S"),
    (re.compile(r"- ?([A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M)(?: |$)"), "%b %d, %Y %I%M %p"),
)
#: how Microsoft Teams numbers resubmissions
_VERSION = re.compile(r"Version (\d{1,6})")
#: the folders in which learning management systems keep files that a student did not hand in
_SET_ASIDE = {
    "Working files": "it is in 'Working files', where Teams keeps what was not turned in",
    "Feedback Attachment(s)": "it is in 'Feedback Attachment(s)', where Sakai keeps what was returned to the student",
}

#: the two folders of an assignment in Teams
_TEAMS_FOLDERS = frozenset({"Submitted files", "Working files"})


@dataclass(frozen=True, order=True)
class Stamp:
    """A file's position in the order of one student's files. Only stamps of the same kind can be compared."""

    kind: str = ""
    time: datetime = datetime.min
    version: int = 0


def stamp_of(path: PurePosixPath) -> Stamp:
    """Return the time or version in the outermost name that has one, or an empty stamp."""
    for part in path.parts:
        if found := _VERSION.fullmatch(part):
            return Stamp("version", version=int(found[1]))
        for pattern, time_format in _TIMES:
            if found := pattern.search(part):
                text = re.sub(r" (\d{3}) ([AP]M)$", r" 0\1 \2", found[1])
                with suppress(ValueError):
                    return Stamp("time", datetime.strptime(text, time_format))
    return Stamp()


def from_one_place(path: PurePosixPath) -> bool:
    """Return whether a system chose the folders' names, so that different names don't mean different accounts."""
    return bool(stamp_of(PurePosixPath(*path.parts[:2])).kind) or not _TEAMS_FOLDERS.isdisjoint(path.parts[:2])


def set_aside(path: PurePosixPath) -> str:
    """Return why a file does not count as handed in, or an empty string if it does."""
    return next((_SET_ASIDE[part] for part in path.parts[:-1] if part in _SET_ASIDE), "")
