"""Choose which of a student's notebooks counts: by its contents, then by its time, and last by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from autograder.collecting.evidence import Evidence
from autograder.collecting.names import copy_number, stem_of
from autograder.collecting.order import Stamp, set_aside, stamp_of


@dataclass(frozen=True)
class Candidate:
    """A notebook that one student handed in.

    Attributes:
        packed: the notebook's bytes, compressed.
        number: the number that the learning management system gave the file, or 0.
        late: whether the system marked the file as late.
        note: a remark about the notebook for the instructor.
        time_problem: why the recorded submission time cannot be used.
        source: the account, folder or number that the notebook came from.
        trust: the evidence that it is this student's: 2 for a table or an export, 1 for a name, 0 if it is in doubt.
        doubt: why the notebook may be somebody else's.
    """

    path: PurePosixPath
    student: str
    packed: bytes
    evidence: Evidence
    time: datetime | None = None
    time_problem: str = ""
    number: int = 0
    late: bool = False
    note: str = ""
    source: str = ""
    trust: int = 1
    doubt: str = ""

    @property
    def copy(self) -> int:
        """Return the copy's number among files of the same name."""
        return copy_number(self.path)

    @property
    def stamp(self) -> Stamp:
        """Return the file's position in the order of the student's files, according to its path."""
        return stamp_of(self.path)

    @property
    def set_aside(self) -> str:
        """Return why the system does not count the file as handed in."""
        return set_aside(self.path)

    @property
    def rank(self) -> tuple[object, ...]:
        """Return a key that ranks the student's notebooks.

        The criteria, most important first: it can be read, it is of this lesson, it contains work, it was handed in,
        the strength of the evidence for the lesson, the time, the file's number, the copy's number, and the name.
        """
        shows = self.evidence
        return (
            not shows.problem,
            shows.belongs > 0,
            shows.work,
            not self.set_aside,
            shows.belongs,
            self.time or datetime.min,
            self.stamp,
            self.number,
            self.copy,
            len(shows.worked),
            str(self.path),
        )


@dataclass(frozen=True)
class PassedOver:
    """A notebook that does not count, with the reason.

    Attributes:
        doubtful: whether the instructor should check the decision.
    """

    candidate: Candidate
    why: str
    doubtful: bool


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, list[PassedOver]]:
    """Return the notebook that counts, and all others of the student.

    Take the latest notebook from each account or folder. Among these, prefer the one with the best evidence that it is
    the student's, then the earliest, because a classmate who pretends to be a student must not replace that student's
    own notebook.
    """
    latest: dict[str, Candidate] = {}
    for one in sorted(candidates, key=lambda one: one.rank):
        latest[one.source] = one
    best = max(latest.values(), key=_between_sources)
    return best, [passed_over(other, best) for other in candidates if other is not best]


def _between_sources(one: Candidate) -> tuple[object, ...]:
    shows, never = one.evidence, datetime.max
    return (
        not shows.problem,
        shows.belongs > 0,
        shows.work > 0 and bool(one.trust),
        shows.work,
        one.trust,
        -one.source.count("/"),  # a folder within another may be a student's
        shows.belongs,
        never - (one.time or never),
        -one.number,
        len(shows.worked),
        str(one.path),
    )


def passed_over(other: Candidate, best: Candidate, instead: str = "") -> PassedOver:
    """Explain why a notebook does not count, compared with the one that does.

    Args:
        instead: which one counts, in words.
    """

    def because(why: str, doubtful: bool = False) -> PassedOver:
        return PassedOver(other, f"{why}; {instead or f'{best.path} is used'}", doubtful)

    shows, chosen = other.evidence, best.evidence
    if other.packed == best.packed:
        return because("it is the same")
    if shows.problem:
        return because(shows.problem, doubtful=True)
    if not shows.belongs and chosen.belongs:
        return because("nothing in it shows that it belongs to this lesson")
    if not shows.work:
        return because("nothing has been filled in")
    if other.source != best.source:
        return because(other.doubt or "both contain work and come from different accounts or folders", doubtful=True)
    if shows.work < chosen.work:
        return because("its exercises have not been filled in")
    lacking = sorted(shows.worked - chosen.worked)
    order = why_earlier(other, best)
    if not order:
        return because("both contain work, and nothing shows clearly which is later", doubtful=True)
    if lacking:
        return because(f"{order}, but it has work that the other lacks ({', '.join(lacking)})", doubtful=True)
    return because(order)


def why_earlier(one: Candidate, other: Candidate) -> str:
    """Explain why one notebook came earlier than another.

    The first kind of evidence that both notebooks have decides. Return an empty string if it does not say so.
    """
    if one.set_aside != other.set_aside:
        return one.set_aside
    if one.time and other.time and one.time != other.time:
        return f"it was handed in earlier ({one.time:%Y-%m-%d %H:%M} UTC)" if one.time < other.time else ""
    if one.stamp.kind == other.stamp.kind and one.stamp != other.stamp:
        return "its name says that it is earlier" if one.stamp < other.stamp else ""
    if one.number and other.number and one.number != other.number:
        return "its number in the learning management system is lower" if one.number < other.number else ""
    same_folder = one.path.parent == other.path.parent
    if same_folder and one.copy != other.copy and _base(one.path) == _base(other.path):
        return "it is the earlier copy" if one.copy < other.copy else ""
    return ""


def _base(path: PurePosixPath) -> str:
    return re.sub(r"\s+", " ", stem_of(path.name)).casefold()
