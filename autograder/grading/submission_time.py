"""When a submission was handed in: a ``timestamp.txt`` in any encoding, read as `nbgrader.utils.parse_utc` reads it.

`course grade`, nbgrader's own commands and formgrader all read times here, so no two of them can differ.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from datetime import datetime

from course_lib.checking.formatting import printable
from course_lib.running.notebook_file import decode

TIME = "timestamp.txt"  #: next to a notebook: when it was handed in, as nbgrader writes it
LONGEST_TIME = 100  #: bytes of the file that are read; in UTF-16 and UTF-32 a character takes several
_HOW = "write it as 2026-03-02 12:00:00 UTC"


@dataclass(frozen=True)
class HandedIn:
    """A time of submission.

    Attributes:
        time: in UTC, without a zone, as nbgrader's gradebook stores it; None if it is not known.
        problem: why it is not known although something is written there, or what is doubtful about it. A time with a
            problem is the one that nbgrader reads, too.
    """

    time: datetime | None = None
    problem: str = ""


def read_time(data: bytes | None) -> HandedIn:
    """The time in a file; ``None`` stands for no file.

    nbgrader reads a time without a zone as UTC. It takes a third word for a zone, even one that it does not know, and
    fills an incomplete date with today's: the former is read in the same way and reported, the latter is no time.
    """
    if data is None:
        return HandedIn()
    if len(data) > 4 * LONGEST_TIME:
        return HandedIn(problem=f"{TIME} is longer than any time: {_HOW}")
    text = decode(data)[0].strip("\ufeff\ufffd\0 \t\r\n")  # UTF-16 to which something appended a line end, too
    if not text:
        return HandedIn(problem=f"{TIME} is empty: {_HOW}, or delete the file")
    return parse_time(text)


def parse_time(text: str) -> HandedIn:
    """The time in a text, as nbgrader reads it."""
    from nbgrader.utils import parse_utc

    shown = repr(printable(text[:60]))
    try:
        if len(text) > LONGEST_TIME:
            raise ValueError("longer than any time")
        if re.search(r"(?:^|\s)[/~]|\.\.|\0", text):
            raise ValueError("a path, which dateutil would open as a time zone")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a zone that is not known is reported below
            time: datetime = parse_utc(text)
            complete = _without_zone(text, datetime(2001, 1, 1)) == _without_zone(text, datetime(2002, 2, 2))
    except Exception:  # dateutil raises several kinds
        return HandedIn(problem=f"the time {shown} cannot be read: {_HOW}")
    if not complete:
        return HandedIn(problem=f"the time {shown} has no complete date: {_HOW}")
    return HandedIn(time.replace(tzinfo=None), _doubt(text, time))


def _doubt(text: str, time: datetime) -> str:
    """What a person may have meant differently from what nbgrader reads."""
    from dateutil.tz import gettz

    shown, read = repr(printable(text[:60])), f"{time:%Y-%m-%d %H:%M} UTC"
    last = text.rsplit(" ", maxsplit=1)[-1]
    if text.count(" ") == 2 and re.fullmatch(r"[+-]?\d+", last):
        return f"the time {shown} was read as {read}: write the offset without a space before it, as 12:00:00+01:00"
    named = re.search(r"(?<![A-Za-z])([A-Za-z]{3,5})$", text)
    of_three = text.count(" ") == 2 and not re.match(r"[\d:.]+Z?$", last)
    if (of_three or named) and last != "Z" and not gettz(last):
        return f"the time {shown} was read as {read}, because nbgrader knows no time zone {printable(last)}: {_HOW}"
    if re.match(r"\d{1,2}[./-]\d{1,2}[./-]", text) and _without_zone(text, time) != _without_zone(text, time, True):
        return f"the time {shown} was read as {read}, with the month first: {_HOW}"
    return ""


def _without_zone(text: str, default: datetime, day_first: bool = False) -> datetime:
    """The time in a text without its zone; what it leaves out is taken from the default."""
    from dateutil.parser import parse

    words = text.split(" ")
    if len(words) == 3:
        text = " ".join([*words[:2], "TZ"])
    found: datetime = parse(text, default=default, dayfirst=day_first, ignoretz=True)
    return found
