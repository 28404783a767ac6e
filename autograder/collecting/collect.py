"""Collect a lesson: find one notebook for each student among the downloads, and report an outcome for every file."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.collecting.archives import is_archives_name
from autograder.collecting.choosing import Candidate, choose
from autograder.collecting.downloads import METADATA, Download, downloads
from autograder.collecting.evidence import Evidence, Lesson
from autograder.collecting.identify_student import Owner, Owners, is_nbgraders, siblings_in
from autograder.collecting.labels import NO_LABELS, Exported, Labels, gradescope
from autograder.collecting.order import from_one_place
from autograder.collecting.outcomes import Collection, FileOutcome, merge
from autograder.collecting.placing import Placing
from autograder.collecting.roster import Roster
from autograder.collecting.system_names import Label, namesakes
from autograder.submissions.submission_time import HandedIn, parse_time
from course_lib.running.notebook_file import UnreadableError, parse_notebook

#: the folder of a release with notebooks of its own, which are not the work of a student who hands in the whole release
_LIBRARY = "course_lib"
#: the name of a Gradescope export, as a folder or an archive
_EXPORT = re.compile(r"assignment_\d+_export(?:\.zip)?")
#: files that nobody handed in: a system or the instructor put them among the downloads
_NOT_HANDED_IN = (METADATA, "labels.csv", "times.csv", "students.csv", "grades.csv", "Thumbs.db", "desktop.ini")


@dataclass
class _Found:
    """The files found so far.

    Attributes:
        outcomes: the outcomes of each file, by path. A team's file has several.
        candidates: the notebooks of this lesson, by student.
        labels: the labels that systems gave to the candidates' owners, by student.
        others: the files that are not notebooks, with their owners.
    """

    outcomes: dict[PurePosixPath, list[FileOutcome]] = field(default_factory=dict)
    candidates: dict[str, list[Candidate]] = field(default_factory=dict)
    labels: dict[str, list[Label | None]] = field(default_factory=dict)
    others: list[tuple[FileOutcome, Owner]] = field(default_factory=list)
    _evidence: dict[int, Evidence] = field(default_factory=dict)  # by the identity of what was kept of a notebook

    def add(self, outcome: FileOutcome) -> None:
        self.outcomes.setdefault(outcome.path, []).append(outcome)

    def shows(self, facts: Lesson, packed: bytes) -> Evidence:
        """Return what a notebook shows. Read one that has several names once."""
        if id(packed) not in self._evidence:
            self._evidence[id(packed)] = facts.evidence(zlib.decompress(packed))
        return self._evidence[id(packed)]


def collect(
    place: Path,
    lesson: str,
    submitted: Path,
    roster: Roster | None = None,
    released: Path | None = None,
    labels: Labels = NO_LABELS,
    times: Mapping[str, HandedIn] | None = None,
    drafts: Mapping[str, bool] | None = None,
) -> Collection:
    """Put each student's notebook where grading looks for it: ``<submitted>/<student>/<lesson>/<lesson>.ipynb``.

    Drop the outputs. Never replace a notebook that contains work with one that has none or cannot be read.

    Args:
        place: a folder or an archive: nbgrader's folders, a download from Canvas, Moodle, Gradescope or GitHub
            Classroom, or files whose names identify the student.
        roster: the class. Without it, only folders, labels and the names that systems give can identify a student.
        released: the lesson's released notebook. Anything that differs from it counts as work.
        labels: the students behind teams, anonymous numbers and accounts.
        times: submission times that the instructor entered, by student. They take precedence over all others.
        drafts: whether a student's submission is a draft, according to Moodle.

    Raises:
        CourseError: the downloads cannot be read, or the class's folder cannot be written.
    """
    facts = Lesson(lesson, released.read_bytes() if released and released.is_file() else None)
    files = list(downloads(place, _kept))
    owners = Owners(roster, labels, siblings=siblings_in(one.path for one in files))
    owners = replace(owners, exports=_exports(files, owners))
    found = _Found()
    for download in files:
        _sort(download, owners, facts, found)
    placing = Placing(facts, submitted, place, times or {}, drafts or {})
    for student, candidates in sorted(found.candidates.items()):
        for outcome in _settle(student, candidates, found.labels[student], placing):
            found.add(outcome)
    collected = {
        student for outcomes in found.outcomes.values() for outcome in outcomes for student in outcome.students
    }
    for outcome, owner in found.others:
        found.add(_other_file(outcome, owner, collected))
    outcomes = [merge(several) for _, several in sorted(found.outcomes.items())]
    members = [member.id for member in roster.members] if roster else None
    return Collection(lesson, outcomes, placing.student_outcomes(outcomes, members))


def _kept(data: bytes) -> bytes:
    """Compress what stays of a notebook in memory until each student's notebook is chosen."""
    with contextlib.suppress(UnreadableError, RecursionError):  # keep an unreadable notebook unchanged
        data = parse_notebook(data).to_bytes()
    return zlib.compress(data, 1)


def _exports(files: Sequence[Download], owners: Owners) -> dict[PurePosixPath, Exported]:
    """Read Gradescope's lists of submitters, by folder.

    Accept a list only at the top of the downloads or of an export, because in any other folder a student may have
    written it. If one archive holds all the downloads, its top level counts as theirs.
    """
    found: dict[PurePosixPath, Exported] = {}
    tops = {one.path.parts[0] for one in files if one.path.name not in _NOT_HANDED_IN or len(one.path.parts) > 1}
    for one in files:
        if one.path.name != METADATA or one.data is None:
            continue
        folders = one.path.parts[:-1]
        if len(tops) == 1 and folders and is_archives_name(folders[0]) and not _is_anyones(one.path, owners):
            folders = folders[1:]
        if all(_EXPORT.fullmatch(part) for part in folders):
            found |= gradescope(one.path.parent, one.data)
    return found


def _is_anyones(path: PurePosixPath, owners: Owners) -> bool:
    owner = owners.of(path)
    return bool(owner.students or owner.perhaps or owner.label)


def _sort(download: Download, owners: Owners, facts: Lesson, found: _Found) -> None:
    """Find a file's owner and kind, and add it to what was found."""
    owner = owners.of(download.path)
    path, who = download.path, owner.students
    if _LIBRARY in path.parts[:-1]:
        found.add(FileOutcome(path, who, "left out", "it is of the library that was handed out"))
    elif not download.is_notebook and not download.problem:
        found.others.append((FileOutcome(path, who, "left out", "it is not a notebook"), owner))
    elif not download.is_notebook or download.data is None:
        found.add(FileOutcome(path, who, "unreadable", download.problem, perhaps=owner.perhaps))
    elif not owner.students:
        found.add(FileOutcome(path, (), "nobody's", owner.note, perhaps=owner.perhaps))
    else:
        shows = found.shows(facts, download.data)
        if shows.lesson not in ("", facts.name):
            found.add(FileOutcome(path, who, "another lesson", f"it is {shows.lesson}"))
            return
        if owner.perhaps:  # a team with a member who is not clear
            found.add(FileOutcome(path, (), "nobody's", owner.note, perhaps=owner.perhaps))
        for student in owner.students:
            candidate = _candidate(download, student, owner, owners, shows)
            found.candidates.setdefault(student, []).append(candidate)
            found.labels.setdefault(student, []).append(None if owner.surely else owner.label)


def _candidate(download: Download, student: str, owner: Owner, owners: Owners, shows: Evidence) -> Candidate:
    label, time, remark = owner.label, HandedIn(), ""
    exported = next((owners.exports[folder] for folder in download.path.parents if folder in owners.exports), None)
    if exported and exported.time:
        time = parse_time(re.sub(r"\s+([+-]\d\d:?\d\d|Z)$", r"\1", exported.time))
    elif not exported:
        # believe only nbgrader's own folder, because a student could write any time into another one
        nbgraders = [said for folder, said in download.times if is_nbgraders(folder, student, owners.roster)]
        believed = [said for said in nbgraders if not said.author]
        time = next(iter(believed), HandedIn())
        if download.times and not believed:
            why = f"belongs to {nbgraders[0].author}" if nbgraders else "is not in nbgrader's <student>/<lesson>"
            remark = f"its timestamp.txt is ignored, because it {why}; --times gives times"
    return Candidate(
        download.path,
        student,
        download.data or b"",
        shows,
        time.time,
        time.problem,
        int(label.file_number or 0) if label else 0,
        bool(label and label.late),
        "; ".join(filter(None, [owner.note, shows.problem, shows.remark, remark])),
        "" if not (owner.label or owner.surely) and from_one_place(download.path) else owner.source,
        0 if owner.doubt else 1 + owner.surely,
        owner.doubt,
    )


def _settle(
    student: str, candidates: Sequence[Candidate], labels: Sequence[Label | None], placing: Placing
) -> Iterator[FileOutcome]:
    """Choose among a student's notebooks and place the chosen one in the class's folder."""
    if several := namesakes(labels):
        for one in candidates:
            yield FileOutcome(one.path, (), "nobody's", f"{student} may be {several}", perhaps=(student,))
        return
    best, others = choose(candidates)
    outcome = placing.put(best)
    before = outcome
    doubts = [str(other.candidate.path) for other in others if other.doubtful and not other.candidate.evidence.problem]
    if doubts:
        note = "; ".join(filter(None, [outcome.note, f"compare it with {', '.join(doubts)}"]))
        outcome = replace(outcome, note=note, doubtful=True)
    if before.became == "not used" and before.doubtful and best.evidence.work and not best.evidence.problem:
        doubts.append(str(best.path))
    placing.note_versions(student, doubts, before.became in ("new", "replaced"))
    yield outcome
    for other in others:
        became = "unreadable" if other.candidate.evidence.problem else "not used"
        yield FileOutcome(other.candidate.path, (student,), became, other.why, other.doubtful)  # type: ignore[arg-type]


def _other_file(outcome: FileOutcome, owner: Owner, collected: set[str]) -> FileOutcome:
    """Return the outcome of a file that is not a notebook.

    Leave the file out if its student also handed in a notebook. Otherwise, report it as what the student handed in.
    """
    if owner.students and not collected.issuperset(owner.students):
        return replace(outcome, became="not a notebook", note="no notebook of this lesson came with it", doubtful=True)
    if not owner.students and outcome.path.name not in _NOT_HANDED_IN:
        return replace(outcome, became="nobody's", note=owner.note or outcome.note, perhaps=owner.perhaps)
    return outcome
