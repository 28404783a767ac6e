"""The outcome of each file and each student. Each has exactly one row, so the totals add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from course_lib.checking.formatting import many, printable

Became = Literal[
    "new", "replaced", "same", "not used", "another lesson", "nobody's", "unreadable", "not a notebook", "left out"
]
Has = Literal["collected", "to decide", "nothing"]

#: the outcomes after which the student's notebook in the class's folder is this file
COLLECTED = ("new", "replaced", "same")
#: the outcomes that the instructor must always check
_NEED_A_LOOK = ("another lesson", "nobody's", "unreadable")
#: how to say whose a file is if several students have the same name
NAMESAKES = (
    "If several students have the same name, pass Moodle's grading worksheet with --roster, because it has each "
    "participant's number. Or add a row to labels.csv for each: the name and the number in the download, then the "
    "student's id, such as: Jan Novák 57,jan.novak2"
)
_IN_WORDS: Mapping[str, str] = {
    "new": "collected",
    "replaced": "collected, in place of an earlier file",
    "same": "as collected before",
}


@dataclass(frozen=True)
class FileOutcome:
    """The outcome of one file.

    Attributes:
        path: the file's path among the downloads.
        students: the ids of the file's owners: several for a team, none if the owner is unknown.
        became: the outcome.
        note: a remark for the instructor.
        doubtful: whether the instructor must check the file even if its outcome alone doesn't require it.
        perhaps: the ids of the possible owners, among whom the instructor has to choose.
    """

    path: PurePosixPath
    students: tuple[str, ...]
    became: Became
    note: str = ""
    doubtful: bool = False
    perhaps: tuple[str, ...] = ()

    @property
    def needs_a_look(self) -> bool:
        """Return whether the instructor must check the file."""
        return self.doubtful or self.became in _NEED_A_LOOK

    @property
    def in_words(self) -> str:
        """Return the outcome for a table."""
        return f"{'NEEDS A LOOK: ' if self.needs_a_look else ''}{_IN_WORDS.get(self.became, self.became)}"

    @property
    def student(self) -> str:
        """Return the owners for a table."""
        return ", ".join(self.students)

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "path": printable(str(self.path)),
            "student": self.student,
            "students": list(self.students),
            "became": self.became,
            "note": printable(self.note),
            "needs_a_look": self.needs_a_look,
            "perhaps": list(self.perhaps),
        }


@dataclass(frozen=True)
class StudentOutcome:
    """One student's submission of a lesson.

    Attributes:
        note: the files that need a decision, or the doubts about the collected notebook.
        late: a mark if the system called the submission late without giving a time, or empty.
        time: the submission time, or empty if it is unknown.
        time_problem: why a recorded submission time could not be read.
    """

    student: str
    has: Has
    note: str = ""
    late: str = ""
    time: str = ""
    time_problem: str = ""


@dataclass(frozen=True)
class Collection:
    """The outcomes of collecting one lesson.

    Attributes:
        lesson: the lesson's name.
        outcomes: the outcome of each file.
        students: the submission of each student.
    """

    lesson: str
    outcomes: Sequence[FileOutcome]
    students: Sequence[StudentOutcome]

    @property
    def files(self) -> dict[str, int]:
        """Count the files by outcome."""
        return dict(Counter(outcome.became for outcome in self.outcomes))

    @property
    def absent(self) -> list[str]:
        """Return the students who handed in nothing."""
        return [one.student for one in self.students if one.has == "nothing"]

    @property
    def to_decide(self) -> list[StudentOutcome]:
        """Return the students who handed in something, but nothing that can be graded."""
        return [one for one in self.students if one.has == "to decide"]

    @property
    def _difference(self) -> str:
        """Explain why the number of collected files is not the number of students with a notebook."""
        shared = any(outcome.became in COLLECTED and len(outcome.students) > 1 for outcome in self.outcomes)
        now = {student for outcome in self.outcomes if outcome.became in COLLECTED for student in outcome.students}
        earlier = sum(one.has == "collected" and one.student not in now for one in self.students)
        teams = " A team's file counts for each member." if shared else ""
        return teams + (f" The notebooks of {many(earlier, 'student')} come from an earlier run." if earlier else "")

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "files": [outcome.as_json() for outcome in self.outcomes],
            "students": [{name: printable(str(said)) for name, said in vars(one).items()} for one in self.students],
            "absent": self.absent,
            "counts": {"files": self.files, "students": dict(Counter(one.has for one in self.students))},
        }

    def in_words(self) -> Iterator[str]:
        """Yield the totals, and the students who need the instructor's attention."""
        looks = sum(outcome.needs_a_look for outcome in self.outcomes)
        parts = ", ".join(f"{count} {_IN_WORDS.get(became, became)}" for became, count in sorted(self.files.items()))
        yield f"{many(len(self.outcomes), 'file')}{': ' + parts if parts else ''}."
        has = Counter(one.has for one in self.students)
        if self.students:
            yield (
                f"{many(len(self.students), 'student')}: {has['collected']} with a notebook, {has['to decide']} with "
                f"something that cannot be graded, {has['nothing']} with nothing."
                f"{self._difference}"
            )
        if looks:
            yield f"{many(looks, 'file')} to look at: marked NEEDS A LOOK in the table."
        for one in self.to_decide:
            yield f"{one.student} handed in something that cannot be graded: {one.note}."
        if self.to_decide:
            yield (
                f"To decide what it counts for, run course grade {self.lesson} and then course decide STUDENT "
                f"{self.lesson} --points N, or --not-handed-in."
            )
        if any(outcome.became == "nobody's" and len(outcome.perhaps) > 1 for outcome in self.outcomes):
            yield NAMESAKES
        if self.absent:
            unclear = any(outcome.needs_a_look and not outcome.students for outcome in self.outcomes)
            perhaps = " (unless a file without a student in the table is theirs)" if unclear else ""
            yield f"Nothing was handed in by {', '.join(self.absent)}{perhaps}."
        if late := [one for one in self.students if one.late]:
            yield f"Marked as late, without a time: {', '.join(one.student for one in late)}. Give times with --times."
        for one in self.students:
            if one.time_problem:
                yield f"{one.student}: {one.time_problem}."


def merge(outcomes: Sequence[FileOutcome]) -> FileOutcome:
    """Merge the outcomes of a team's file for its members into one row."""
    first = min(
        outcomes, key=lambda outcome: COLLECTED.index(outcome.became) if outcome.became in COLLECTED else len(COLLECTED)
    )
    if len(outcomes) == 1:
        return first
    students = tuple(sorted({student for outcome in outcomes for student in outcome.students}))
    notes = dict.fromkeys(outcome.note for outcome in outcomes if outcome.became == first.became and outcome.note)
    others = [
        f"{outcome.student}: {outcome.in_words} ({outcome.note})"
        for outcome in outcomes
        if outcome.became != first.became
    ]
    perhaps = tuple(sorted({student for outcome in outcomes for student in outcome.perhaps}))
    note = "; ".join([*notes, *others])
    return FileOutcome(
        first.path, students, first.became, note, any(outcome.needs_a_look for outcome in outcomes), perhaps
    )
