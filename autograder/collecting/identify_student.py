"""Find the owner of a downloaded file from Canvas, Moodle, Gradescope, folders, labels and the file's own name."""

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

#: the most students who are suggested for a file whose name contains a part of their names
_MOST_PERHAPS = 5
_NOBODY = "nobody on the roster is called so"


@dataclass(frozen=True)
class Owner:
    """The owner of a file.

    Attributes:
        students: the owners' ids: several for a team, none if the owner is unknown.
        note: why the owner is unknown, or another remark.
        perhaps: the ids of the possible owners, among whom the instructor has to choose.
        label: the label from Canvas or Moodle, if there is one.
        surely: whether a table of labels or an export identifies the owner, rather than a name.
        source: the account, folder or number that identifies the owner.
        doubt: why the file may nevertheless be somebody else's.
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
    """Everything that identifies the owners of files.

    Attributes:
        roster: the class, if it is known.
        labels: the instructor's table of labels.
        exports: the entries of Gradescope's lists, by folder.
        siblings: the names of the folders and archives directly in a folder, by folder.
    """

    roster: Roster | None = None
    labels: Labels = NO_LABELS
    exports: Mapping[PurePosixPath, Exported] = field(default_factory=dict)
    siblings: Mapping[PurePosixPath, Collection[str]] = field(default_factory=dict)

    def of(self, path: PurePosixPath) -> Owner:
        """Find a file's owner, trying other encodings of its name if necessary."""
        owner = self._of(path)
        if owner.students or owner.perhaps:
            return owner
        others = (self._of(reading) for reading in readings_of(path))
        return next((other for other in others if other.students), owner)

    def _of(self, path: PurePosixPath) -> Owner:
        """Find a file's owner. If a system names one, ignore the rest, because students choose their files' names."""
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
        """Return the students whose label is the name of a folder in a path."""
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
        note = f"Gradescope names {', '.join(unknown)}, who does not match exactly one student" if unknown else ""
        if not exported.submitters:
            note = "Gradescope names no submitter"
        doubt = f"Gradescope gives the address {', '.join(foreign)}, which is not the student's" if foreign else ""
        accounts = sorted(one.email or one.sid or one.name for one in exported.submitters)
        source = f"Gradescope: {', '.join(accounts)}"
        return Owner(tuple(dict.fromkeys(students)), note, tuple(perhaps), surely=True, source=source, doubt=doubt)

    def _contradicts(self, submitter: Submitter, student: str) -> bool:
        """Return whether neither the submitter's address nor number is the student's. Submitters choose their names."""
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
        # "Participant 57" is a label, but "Group 1" of the account 4 is not "Group 14"
        whole = [] if label.name[-1:].isdigit() else [f"{label.name} {label.number}"]
        for name in (*whole, part, archive_stem(part), label.name):
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
        """Find a file's owner by the names of its folders, the outermost first, and then by its own name."""
        for i, part in enumerate(folders):
            stem = archive_stem(part)
            members, wholly = roster.called(stem) or roster.numbered(stem), True
            if not members:
                members, wholly = in_words(part, roster), False
            if not members:
                continue
            inner = set[Member]()
            if not wholly:  # the name is a part of the folder's, so a student's folder may follow further in
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
        """Return whether a folder is a student's, so that the student chose all names below it."""
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
    """Return the beginning of a path, up to the first part of this name."""
    return str(PurePosixPath(*path.parts[: path.parts.index(part) + 1]))


def siblings_in(paths: Iterable[PurePosixPath]) -> dict[PurePosixPath, set[str]]:
    """Return the names of the folders and archives directly in each folder, by folder."""
    found: dict[PurePosixPath, set[str]] = {}
    for folder in {folder for path in paths for folder in path.parents}:
        found.setdefault(folder.parent, set()).add(folder.name)
    return found


def _by_folder(path: PurePosixPath, folders: list[str]) -> Owner | None:
    """Find a file's owner without a roster: its folder names the student if there is exactly one folder."""
    folders = [part for part in folders if not is_archives_name(part)]
    if not folders:
        return None
    if any(label_in(part, path) for part in path.parts):
        return Owner((), f"it looks like Canvas's or Moodle's, and is in {folders[0]}: collect that, or give a roster")
    if len(folders) == 1:
        return Owner((as_id(folders[0]),), source=folders[0])
    return Owner((), f"its folders {', '.join(folders)} may each be of a student's name: give a roster")


def label_of(
    path: PurePosixPath, roster: Roster | None, is_students: Callable[[PurePosixPath], bool] | None = None
) -> Label | None:
    """Return the outermost label in a path, unless a student may have written it.

    Students choose all names below a folder with a student's name. Without a roster, any folder may be such a one.

    Args:
        is_students: decides whether a folder is a student's.
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
    """Return the ids of the students whom a label may mean.

    Use the display name only if the number does not contradict it, because students choose their display names.
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
    """Return the ids of the students whose number in the label's system is on the roster, by number."""
    return {} if roster is None else roster.canvas_numbers if label.file_number else roster.participant_numbers


def _unknown(label: Label, roster: Roster | None, labels: Labels) -> str:
    """Explain why a label does not identify anybody."""
    named = sorted({*labels.of(label.name), *(member.id for member in (roster.named(label.name) if roster else ()))})
    if named:
        return f"the name is that of {' or '.join(named)}, but the number {label.number} is not: see who that is"
    return f"{_NOBODY}: a table of labels can say whose {label.name} {label.number} is"


def _folders(path: PurePosixPath) -> list[str]:
    """Return the folders and archives that contain a file, except those with a lesson's name."""
    lessons = lessons_names()
    return [part for part in path.parts[:-1] if part not in lessons]


def is_nbgraders(folder: PurePosixPath, student: str, roster: Roster | None) -> bool:
    """Return whether a folder is the one that nbgrader makes for a student's lesson: ``<student>/<lesson>``.

    A student may have made any other folder, such as one in a repository, in an archive or in nbgrader's own folder.
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
