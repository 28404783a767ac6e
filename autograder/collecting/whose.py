"""Whose a downloaded file is: what Canvas, Moodle, Gradescope, folders, labels and its own name say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from autograder.collecting.archives import archive_stem, is_archives_name
from autograder.collecting.labels import NO_LABELS, Exported, Labels, Submitter, as_id, is_foreign, members_of
from autograder.collecting.names import readings_of
from autograder.collecting.roster import Member, Roster
from autograder.collecting.system_names import Label, label_in
from autograder.collecting.words import in_words, lessons_names, names_in

#: the most students who are named for a file whose name has a part of theirs
_MOST_PERHAPS = 5
_NOBODY = "nobody on the roster is called so"


@dataclass(frozen=True)
class Owner:
    """Whose a file is.

    Attributes:
        students: their ids: several for a team, none if that cannot be told.
        note: why not, or what else is to be said.
        perhaps: the ids of those among whom a person has to choose.
        label: what Canvas or Moodle said, if they did.
        surely: whether a table of labels or an export says it, rather than a name.
        source: the account, folder or number that says so.
        doubt: why the file may be somebody else's nevertheless.
    """

    students: tuple[str, ...] = ()
    note: str = ""
    perhaps: tuple[str, ...] = ()
    label: Label | None = None
    surely: bool = False
    source: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class Owners:
    """Everything that tells whose files are.

    Attributes:
        exports: what Gradescope's lists say of folders.
        siblings: by folder, the names of the folders and archives directly in it.
    """

    roster: Roster | None = None
    labels: Labels = NO_LABELS
    exports: Mapping[PurePosixPath, Exported] = field(default_factory=dict)
    siblings: Mapping[PurePosixPath, Collection[str]] = field(default_factory=dict)

    def of(self, path: PurePosixPath) -> Owner:
        """Whose a file is, in any reading of its name."""
        owner = self._of(path)
        if owner.students or owner.perhaps:
            return owner
        others = (self._of(reading) for reading in readings_of(path))
        return next((other for other in others if other.students), owner)

    def _of(self, path: PurePosixPath) -> Owner:
        """Where a system says it, nothing else is asked: what a student called a file must not make it another's."""
        for folder in reversed(path.parents):
            if folder in self.exports:
                return self._exported(self.exports[folder])
        label = label_of(path, self.roster, self.is_students)
        if label:
            return self._labelled(label, path)
        folders = _folders(path)
        for part in folders:
            if students := self._students_of(part, path):
                return Owner(students, surely=True, source=_up_to(part, path))
            if self.roster is not None and self.roster.called(archive_stem(part)):
                break
        if self.roster is None:
            return _by_folder(path, folders) or self._by_table(path)
        return self._by_names(path, folders, self.roster)

    def _students_of(self, part: str, path: PurePosixPath) -> tuple[str, ...]:
        """Whose label a folder in a path has."""
        return self.labels.of_part(part, self.siblings.get(PurePosixPath(_up_to(part, path)).parent, ()))

    def _exported(self, exported: Exported) -> Owner:
        students, unknown, perhaps, foreign = list[str](), list[str](), list[str](), list[str]()
        for submitter, candidates in members_of(exported, self.roster):
            if len(candidates) == 1 and not self._contradicts(submitter, candidates[0]):
                students.append(candidates[0])
                if self.roster and is_foreign(submitter.email, candidates[0], self.roster):
                    foreign.append(submitter.email)
            else:
                perhaps += candidates
                unknown.append(submitter.name or submitter.sid or submitter.email)
        note = f"Gradescope names {', '.join(unknown)}, who is not exactly one of the roster" if unknown else ""
        if not exported.submitters:
            note = "Gradescope names no submitter"
        doubt = f"Gradescope gives the address {', '.join(foreign)}, which is not the student's" if foreign else ""
        accounts = sorted(one.email or one.sid or one.name for one in exported.submitters)
        source = f"Gradescope: {', '.join(accounts)}"
        return Owner(tuple(dict.fromkeys(students)), note, tuple(perhaps), surely=True, source=source, doubt=doubt)

    def _contradicts(self, submitter: Submitter, student: str) -> bool:
        """Whether a submitter, who may choose a name, has another address and number than the student has."""
        member = next((one for one in self.roster.members if one.id == student), None) if self.roster else None
        known = bool(submitter.email and self.roster and any(one.email for one in self.roster.members))
        return known and member not in {
            one
            for said in (submitter.sid, submitter.email)
            if said and self.roster
            for one in self.roster.numbered(said) | self.roster.called(said)
        }

    def _labelled(self, label: Label, path: PurePosixPath) -> Owner:
        students, surely = self._in_table(label, path.parts[len(label.place.parts)])
        if students:
            return Owner(students, label=label, surely=surely, source=label.source, doubt=label.doubt)
        if label.file_number and self.roster and (team := self.roster.grouped_with(label.number, label.name)):
            return Owner(
                tuple(sorted(member.id for member in team)),
                label=label,
                surely=True,
                source=label.source,
                doubt=label.doubt,
            )
        students = tuple(students_called(label, self.roster))
        if len(students) == 1 and students[0]:
            late = "Canvas calls it late" if label.late else ""
            return Owner(students, late, label=label, source=label.source, doubt=label.doubt)
        if students:
            return Owner((), f"{label.name} may be {' or '.join(students)}", students, label)
        return Owner((), _unknown(label, self.roster, self.labels), label=label)

    def _in_table(self, label: Label, part: str) -> tuple[tuple[str, ...], bool]:
        """The students whom the table of labels gives for a system's label, and whether a number confirms them.

        The system chooses the number, so it is looked up first. A student may choose the name, so the name counts only
        if the roster gives the number to nobody else. A name without the number counts only if one of the students
        has no known number.
        """
        if students := self.labels.of(label.number):
            return students, True
        numbers = numbers_of(label, self.roster)
        holder = numbers.get(label.number)
        for name in (f"{label.name} {label.number}", part, archive_stem(part), label.name):
            students = self.labels.of(name)
            unnumbered = name != label.name or not set(students) <= set(numbers.values())
            if students and (holder in students or (holder is None and unnumbered)):
                return students, holder is not None
        return (), False

    def _by_table(self, path: PurePosixPath) -> Owner:
        students = next((found for name in names_in(path.name) if (found := self.labels.of(name))), ())
        if students:
            return Owner(students, surely=True, source=str(path.parent))
        return Owner(
            (), "its name does not say whose it is: give a roster, or put it into a folder with the student's name"
        )

    def _by_names(self, path: PurePosixPath, folders: list[str], roster: Roster) -> Owner:
        """By folders, the outermost first, and then by the file's own name."""
        for i, part in enumerate(folders):
            stem = archive_stem(part)
            members, wholly = roster.called(stem) or roster.numbered(stem), True
            if not members:
                members, wholly = in_words(part, roster), False
            if not members:
                continue
            inner = set[Member]()
            if not wholly:  # a name within an instructor's folder, or a student's own folder in an unknown one
                inner = next(
                    (found for name in folders[i + 1 :] if (found := roster.called(archive_stem(name)))), set()
                )
            return _one_of(members | inner, part, _up_to(part, path))
        for name in names_in(path.name):
            if students := self.labels.of(name):
                return Owner(students, surely=True, source=str(path.parent))
            if members := roster.called(name):
                return _one_of(members, name, str(path.parent))
        perhaps = sorted(
            {member.id for part in (*folders, path.name) for name in names_in(part) for member in roster.partly(name)}
        )
        if 0 < len(perhaps) <= _MOST_PERHAPS:
            return Owner((), f"a part of the name is that of {' or '.join(perhaps)}", tuple(perhaps))
        return Owner((), _NOBODY)

    def is_students(self, folder: PurePosixPath) -> bool:
        """Whether a folder is a student's, below which all names are the student's."""
        part = folder.name
        if self._students_of(part, folder / "x") or folder in self.exports:
            return not label_in(part, folder)
        return bool(self.roster and (self.roster.called(archive_stem(part)) or in_words(part, self.roster)))


def _one_of(members: Iterable[Member], name: str, source: str) -> Owner:
    students = tuple(sorted({member.id for member in members}))
    if len(students) == 1:
        return Owner(students, source=source)
    return Owner((), f"{name} may be {' or '.join(students)}", students)


def _up_to(part: str, path: PurePosixPath) -> str:
    """The beginning of a path that ends with a part, the first of that name."""
    return str(PurePosixPath(*path.parts[: path.parts.index(part) + 1]))


def siblings_in(paths: Iterable[PurePosixPath]) -> dict[PurePosixPath, set[str]]:
    """By folder, the names of the folders and archives directly in it."""
    found: dict[PurePosixPath, set[str]] = {}
    for folder in {folder for path in paths for folder in path.parents}:
        found.setdefault(folder.parent, set()).add(folder.name)
    return found


def _by_folder(path: PurePosixPath, folders: list[str]) -> Owner | None:
    """Without a roster: whose folder it is, if there is exactly one."""
    folders = [part for part in folders if not is_archives_name(part)]
    if not folders:
        return None
    if any(label_in(part, path) for part in path.parts):
        return Owner(
            (), f"it looks like Canvas's or Moodle's, and lies in {folders[0]}: collect that, or give a roster"
        )
    if len(folders) == 1:
        return Owner((as_id(folders[0]),), source=folders[0])
    return Owner((), f"its folders {', '.join(folders)} may each be of a student's name: give a roster")


def label_of(
    path: PurePosixPath, roster: Roster | None, is_students: Callable[[PurePosixPath], bool] | None = None
) -> Label | None:
    """The outermost label in a path, if it lies where Canvas or Moodle put it: what a student may have named is none.

    Below a folder of a student's name, all names are the student's. Without a roster, any folder may be of that kind.

    Args:
        is_students: whether a folder is a student's by what else is known.
    """
    is_students = is_students or Owners(roster).is_students
    for part, place in zip(path.parts, reversed(path.parents), strict=True):
        is_folder = place != path.parent
        label = label_in(part, place)
        if is_folder and is_students(place / part) and not (label and roster and not roster.called(archive_stem(part))):
            return None
        if label:
            return label
        if is_folder and roster is None and not is_archives_name(part) and part not in lessons_names():
            return None
    return None


def students_called(label: Label, roster: Roster | None) -> list[str]:
    """The ids of those who may be meant.

    A display name counts only if the number does not say otherwise, because students choose their display names.
    """
    if roster is None:
        return [as_id(label.name)]
    if not label.file_number and (members := roster.participants(label.number)):
        return sorted(member.id for member in members)
    if label.file_number and (members := roster.numbered(label.number)):
        return sorted(member.id for member in members)
    named = roster.named(label.name)
    return sorted(member.id for member in named if not (label.file_number and member.lms_user_id))


def numbers_of(label: Label, roster: Roster | None) -> dict[str, str]:
    """The ids of the students whose number in the label's system is on the roster, by number."""
    return {} if roster is None else roster.canvas_numbers if label.file_number else roster.participant_numbers


def _unknown(label: Label, roster: Roster | None, labels: Labels) -> str:
    """Why nobody is meant by a label."""
    named = sorted({*labels.of(label.name), *(member.id for member in (roster.named(label.name) if roster else ()))})
    if named:
        return f"the name is that of {' or '.join(named)}, but the number {label.number} is not: see who that is"
    return f"{_NOBODY}: a table of labels can say whose {label.name} {label.number} is"


def _folders(path: PurePosixPath) -> list[str]:
    """The folders and archives that a file lies in, but for those that have a lesson's name."""
    lessons = lessons_names()
    return [part for part in path.parts[:-1] if part not in lessons]


def is_nbgraders(folder: PurePosixPath, student: str, roster: Roster | None) -> bool:
    """Whether a folder is the one that nbgrader makes for a student's lesson: ``<student>/<lesson>``.

    Any other folder may come from the student, such as one in a repository, in an archive or in nbgrader's own folder.
    """

    def is_theirs(name: str) -> bool:
        return as_id(name) == student if roster is None else {m.id for m in roster.called(name)} == {student}

    *folders, lesson = folder.parts or ("",)
    if not folders or lesson not in lessons_names() or lessons_names().intersection(folders):
        return False
    if is_archives_name(folders[-1]) or label_of(folder / "x", roster):
        return False
    theirs = [is_theirs(archive_stem(name)) for name in folders]
    return theirs[-1] and sum(theirs) == 1
