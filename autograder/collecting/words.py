"""Find students' names among the words of a folder's or a file's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.collecting.archives import archive_stem
from autograder.collecting.names import comparable, stem_of
from autograder.collecting.roster import Member, Roster
from course_lib.contents import public_exercises

#: the most words of a name, as in *Pieter van der Berg*
_LONGEST_NAME = 6
#: what Blackboard and Brightspace put between the student's name and the name of the student's file
_SYSTEM = re.compile(
    r"^(?P<who>.+?)(?:_attempt_\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d|- ?[A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M)(?:[_. ]|$)"
)


def lessons_names() -> set[str]:
    """Return the names of the lessons."""
    return {entry.lesson for entry in public_exercises()}


def names_in(name: str) -> Iterator[str]:
    """Yield everything in a file's or folder's name that may identify its owner, the most reliable first."""
    system = _SYSTEM.match(name)
    stem = system["who"].strip() if system else stem_of(archive_stem(name))
    yield stem
    pieces = stem.split("-")  # an account may contain hyphens and underscores, as in hw3-kim-lee_1
    yield from ("-".join(pieces[i:]) for i in range(1, min(len(pieces), 10)))
    for lesson in lessons_names():
        stem = stem.replace(lesson, " ")
    words = [word for word in re.split(r"[\s_.\-+()]+", stem) if word][:30]
    for length in range(_LONGEST_NAME, 0, -1):  # longer names first
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def in_words(folder: str, roster: Roster) -> set[Member]:
    """Return the students whose name is among the words of a folder's name, as in *hw3-kim*.

    Among namesakes, return the one whose id it is.
    """
    found, by_id = set[Member](), set[Member]()
    for name in names_in(folder):
        members = roster.called(name)
        found |= members
        by_id |= {member for member in members if name.casefold() in map(str.casefold, (member.id, *member.also))}
    named = {name for member in by_id for name in map(comparable, member.full_names)}
    same_name = all(named & set(map(comparable, member.full_names)) for member in found)
    return by_id if len(by_id) == 1 and same_name else found
