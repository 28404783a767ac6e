"""Map labels such as teams, anonymous numbers and accounts to students, using a table that the instructor writes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.collecting.archives import archive_stem
from autograder.collecting.names import comparable, exact, readings
from autograder.collecting.roster import Roster
from autograder.collecting.tables import read_table
from autograder.submissions.submission import submission_in
from course_lib.checking.formatting import printable
from course_lib.course import CourseError

#: the columns of a table of labels. GitHub Classroom's roster uses the second pair
_COLUMNS = (("label", "student"), ("github_username", "identifier"))


@dataclass(frozen=True)
class Labels:
    """The students who share each label.

    Attributes:
        students: the ids of all students who share a label, by the label in normalised form.
    """

    students: Mapping[str, tuple[str, ...]]

    def of(self, label: str) -> tuple[str, ...]:
        """Return the students with a label, or none if it is not in the table."""
        return self.students.get(_key(label), ())

    def of_part(self, part: str, siblings: Collection[str] = ()) -> tuple[str, ...]:
        """Return the students of a folder named by a label, perhaps misencoded or preceded by the assignment's name.

        Args:
            siblings: the names of all folders next to it. Those of one assignment begin with the assignment's name, and
                only this common beginning may be ignored, because students choose the rest.
        """
        stem = archive_stem(part)
        pieces = stem.split("-")
        names = [stem, *("-".join(pieces[i:]) for i in range(1, 1 + _shared(pieces, part, siblings))), *readings(stem)]
        return next((found for name in names if (found := self.of(name))), ())


def _shared(pieces: list[str], part: str, siblings: Collection[str]) -> int:
    """Count the pieces of a name that may be the assignment's: all but the last if there are no other names."""
    others = [archive_stem(other).split("-") for other in siblings if other != part]
    alike = [other for other in others if other[0] == pieces[0]]
    if not alike:
        return 0 if others else len(pieces) - 1
    differ = (i for i, column in enumerate(zip(pieces[:-1], *alike, strict=False)) if len(set(column)) > 1)
    return next(differ, min(map(len, [pieces[:-1], *alike])))


NO_LABELS = Labels({})


def as_id(name: str) -> str:
    """Turn a student's name into a valid folder name."""
    return submission_in(name.replace("/", "-").lstrip("."), Path(name)).student


def read_labels(path: Path, roster: Roster | None) -> Labels:
    """Read a table with the columns ``label`` and ``student``, in which a team has one row for each of its members.

    Raises:
        CourseError: the table cannot be read, lacks a column, or names a student who is not on the roster.
    """
    table = read_table(path, "table of labels")
    lower = {name.casefold(): name for name in table.columns}
    pair = next((pair for pair in _COLUMNS if lower.keys() >= set(pair)), None)
    if pair is None:
        raise CourseError(
            f"The table of labels {path} needs the columns label and student. A label is what a system calls a team or "
            "a student, such as: Group A, Participant 57, submission_88, or a GitHub account."
        )
    label_column, student_column = (lower[name] for name in pair)
    found: dict[str, list[str]] = {}
    for line, row in table.rows:
        label, given = row.get(label_column, ""), row.get(student_column, "")
        if not given:
            continue  # GitHub Classroom lists accounts that nobody has claimed, and students without an account
        if not _key(label):
            if pair is _COLUMNS[0]:
                raise CourseError(f"The table of labels {path} has no label on line {line}.")
            continue
        student = _student(given, roster)
        if not student:
            wrong = "which is not a valid folder name" if roster is None else "who does not match exactly one student"
            raise CourseError(f"The table of labels {path} names {printable(given)!r} on line {line}, {wrong}.")
        theirs = found.setdefault(_key(label), [])
        if student not in theirs:
            theirs.append(student)
    return Labels({label: tuple(students) for label, students in found.items()})


def _student(given: str, roster: Roster | None) -> str:
    if roster is None:
        return "" if "/" in given or given.startswith(".") or not given.isprintable() or len(given) > 100 else given
    members = roster.meant(given)
    return next(iter(members)).id if len(members) == 1 else ""


def _key(label: str) -> str:
    return exact(label) or comparable(label)


@dataclass(frozen=True)
class Submitter:
    """A student who submitted a folder of a Gradescope export, as Gradescope identifies students."""

    name: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class Exported:
    """The entry for one folder in Gradescope's metadata."""

    submitters: tuple[Submitter, ...]
    time: str = ""


_SCALAR = re.compile(r"^(?P<indent> *)(?P<dash>- )?:?(?P<key>[A-Za-z_]\w*):(?: (?P<value>.*))?$")
_MOST_SUBMISSIONS = 10_000


def gradescope(folder: PurePosixPath, data: bytes) -> dict[PurePosixPath, Exported]:
    """Return the submitters of each folder of a Gradescope export, from its ``submission_metadata.yml``.

    Read only the lines with submitters and times, one by one. Anchors, aliases and tags are ignored, so a hostile file
    can neither exhaust memory nor create objects.
    """
    found: dict[PurePosixPath, Exported] = {}
    submission, section, submitters, time = "", "", list[dict[str, str]](), ""

    def finish() -> None:
        if submission and len(found) < _MOST_SUBMISSIONS:
            known = tuple(
                Submitter(*(one.get(key, "") for key in ("name", "sid", "email"))) for one in submitters[:100] if one
            )
            found[folder / submission] = Exported(known, time)

    for line in data.decode("utf-8-sig", "replace").splitlines():
        parsed = _SCALAR.match(line[:500].rstrip())
        if not parsed:
            continue
        indent, key, value = len(parsed["indent"]), parsed["key"], _scalar(parsed["value"] or "")
        if indent == 0 and not parsed["dash"]:
            finish()
            submission, section, submitters, time = (key if key.startswith("submission_") else ""), "", [], ""
        elif indent <= 2 and not parsed["dash"]:
            section = key
            time = value if key == "created_at" else time
        elif section == "submitters" and indent <= 4 and key in ("name", "sid", "email"):
            if parsed["dash"] or not submitters:
                submitters.append({})
            submitters[-1][key] = value
    finish()
    return found


def _scalar(value: str) -> str:
    """Return the value of one line, which may be quoted."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        text = re.sub(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1] or m[2], 16)), value[1:-1])
        return text.replace('\\"', '"').replace("\\\\", "\\")
    return "" if value in ("null", "~") else value


def members_of(exported: Exported, roster: Roster | None) -> Iterator[tuple[Submitter, list[str]]]:
    """Yield each submitter with the students who match: by number, else by address, else by name."""
    for one in exported.submitters:
        if roster is None:
            given = one.sid or one.email.partition("@")[0] or one.name
            yield one, [as_id(given)] if given else []
            continue
        for given in (one.sid, one.email):
            if members := (roster.numbered(given) or roster.called(given)) if given else set():
                break
        else:  # a name comes last, because people choose the name of their account
            members = roster.named(one.name)
        yield one, sorted(member.id for member in members)


def is_foreign(address: str, student: str, roster: Roster) -> bool:
    """Return whether an address differs from the student's address on the roster, if there is one."""
    known = {member.email.casefold() for member in roster.members if member.id == student} - {""}
    return bool(address and known) and student not in {member.id for member in roster.called(address)}
