"""Read the submission time from a ``timestamp.txt`` in any encoding, as `nbgrader.utils.parse_utc` does.

`course grade`, nbgrader's own commands and formgrader all use this module, so they always agree.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from course_lib.checking.formatting import printable
from course_lib.running.notebook_file import decode

TIME = "timestamp.txt"  #: nbgrader's file with the submission time, next to a notebook
LONGEST_TIME = 100  #: the most characters of a time. In UTF-32, each takes four bytes
_YEARS = range(1990, 2201)  #: the years of a time that is believed. Python can't show every time of year 1 and 9999
_HOW = "write it as 2026-03-02 12:00:00 UTC"
#: abbreviations that are in wide use but are not names of time zones, each with the name of a zone that uses it
_ABBREVIATIONS = {
    **{"CEST": "Europe/Berlin", "MESZ": "Europe/Berlin", "BST": "Europe/London", "WEST": "Europe/Lisbon"},
    **{"EEST": "Europe/Helsinki", "EDT": "America/New_York", "CDT": "America/Chicago", "CST": "America/Chicago"},
    **{"MDT": "America/Denver", "PDT": "America/Los_Angeles", "PST": "America/Los_Angeles"},
    **{"AKDT": "America/Anchorage", "ADT": "America/Halifax", "AEDT": "Australia/Sydney", "NZDT": "Pacific/Auckland"},
}


@dataclass(frozen=True)
class HandedIn:
    """A submission time.

    Attributes:
        time: the time in UTC without a zone, as nbgrader's gradebook stores it, or None if it is unknown.
        problem: why the file's time cannot be read, or why it is doubtful. nbgrader reads a doubtful time in the same
            way.
        author: the user of the machine to whom the file belongs, unless that is a grader.
    """

    time: datetime | None = None
    problem: str = ""
    author: str = ""


def read_time(data: bytes | None) -> HandedIn:
    """Read the time in a file, given its bytes, or None if the file is missing.

    nbgrader reads a time without a zone as UTC. It also takes any third word for a time zone, and completes a partial
    date with today's. Read and report an unknown zone in the same way, but reject a partial date.
    """
    if data is None:
        return HandedIn()
    if len(data) > 4 * LONGEST_TIME:
        return HandedIn(problem=f"{TIME} is longer than any time: {_HOW}")
    text = decode(data)[0].strip("\ufeff\ufffd\0 \t\r\n")  # also handles UTF-16 with a one-byte line end
    if not text:
        return HandedIn(problem=f"{TIME} is empty: {_HOW}, or delete the file")
    return parse_time(text)


def parse_time(text: str) -> HandedIn:
    """Parse the time in a text as nbgrader does."""
    time, problem = _parsed(text)
    if time is None:
        return HandedIn(problem=problem)
    doubt = _doubt(text, time)
    return HandedIn(time, doubt and f"the time {_shown(text)} was read as {time:%Y-%m-%d %H:%M} UTC, {doubt}")


def parse_local_time(text: str, timezone: str) -> HandedIn:
    """Parse a time that an instructor wrote or exported. Reject a doubtful one.

    Args:
        timezone: the zone of a time that names none. If summer time ends and the same time comes twice, take the first.
    """
    time, problem = _parsed(text)
    if time is None:
        return HandedIn(problem=problem)
    if doubt := _doubt(text, time):
        return HandedIn(problem=f"the time {_shown(text)} would be read as {time:%Y-%m-%d %H:%M} UTC, {doubt}")
    if not names_zone(text):
        time = time.replace(tzinfo=zone_called(timezone)).astimezone(UTC).replace(tzinfo=None)
    return HandedIn(time)


def zone_called(name: str) -> tzinfo | None:
    """Return a time zone by its name, or None if there is no such zone."""
    from dateutil.tz import gettz

    return UTC if name.upper() in ("UTC", "Z", "GMT") else gettz(name)


def names_zone(text: str) -> bool:
    """Return whether a time that can be read names its zone, as the third of three words or after the time."""
    from dateutil.parser import parse

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return text.count(" ") == 2 or parse(text).tzinfo is not None


def _shown(text: str) -> str:
    return repr(printable(text[:60]))


def _parsed(text: str) -> tuple[datetime | None, str]:
    """Return the time in UTC without a zone, or why it cannot be read."""
    from nbgrader.utils import parse_utc

    try:
        if len(text) > LONGEST_TIME:
            raise ValueError("longer than any time")
        if re.search(r"(?:^|\s)[/~]|\.\.|\0", text):
            raise ValueError("a path, which dateutil would open as a time zone")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown zone is reported as a doubt
            time: datetime = parse_utc(text)
            complete = _without_zone(text, datetime(2001, 1, 1)) == _without_zone(text, datetime(2002, 2, 2))
    except Exception:  # dateutil raises errors of several types
        return None, f"the time {_shown(text)} cannot be read: {_HOW}"
    if not complete:
        return None, f"the time {_shown(text)} has no complete date: {_HOW}"
    if time.year not in _YEARS:
        return None, f"the time {_shown(text)} is in no year in which a class could take place: {_HOW}"
    return time.replace(tzinfo=None), ""


def _doubt(text: str, time: datetime) -> str:
    """Explain how the text's author may have meant another time than nbgrader reads."""
    last = text.rsplit(" ", maxsplit=1)[-1]
    if text.count(" ") == 2 and re.fullmatch(r"[+-]?\d+", last):
        return "because the offset is a word of its own: write it without a space before it, as 12:00:00+01:00"
    named = re.search(r"(?<![A-Za-z])([A-Za-z]{3,5})$", text)
    of_three = text.count(" ") == 2 and not re.match(r"[\d:.]+Z?$", last)
    if (of_three or named) and last != "Z" and zone_called(last) is None:
        place = _ABBREVIATIONS.get(last.upper())
        how = f"write it as {time:%Y-%m-%d %H:%M} {place}, with a place in your zone" if place else _HOW
        return f"because nbgrader knows no time zone {printable(last)}: {how}"
    if re.match(r"\d{1,2}[./-]\d{1,2}[./-]", text) and _without_zone(text, time) != _without_zone(text, time, True):
        return f"with the month first: {_HOW}"
    return ""


def _without_zone(text: str, default: datetime, day_first: bool = False) -> datetime:
    """Parse the time in a text without its zone. Fill in missing parts from the default."""
    from dateutil.parser import parse

    words = text.split(" ")
    if len(words) == 3:
        text = " ".join([*words[:2], "TZ"])
    found: datetime = parse(text, default=default, dayfirst=day_first, ignoretz=True)
    return found
