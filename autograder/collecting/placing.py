"""Copy the chosen notebooks into the class's folder. Never replace work with a notebook that contains none."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.class_folder.graders import other_user
from autograder.class_folder.writing import write_whole, writing
from autograder.collecting.choosing import Candidate, PassedOver
from autograder.collecting.collected_before import recall, remember, why_it_stays
from autograder.collecting.evidence import Evidence, Lesson
from autograder.collecting.outcomes import COLLECTED, FileOutcome, StudentOutcome
from autograder.collecting.replaced import is_set_aside, keep_replaced
from autograder.submissions.hand_in import IS_DRAFT
from autograder.submissions.plain_files import read_submitted
from autograder.submissions.submission import DOWNLOAD, DRAFT, LATE, NOTE, VERSIONS
from autograder.submissions.submission_time import LONGEST_TIME, TIME, HandedIn, read_time
from course_lib.checking.formatting import printable
from course_lib.running.notebook_file import LARGEST_FILE

_LONGEST_NOTE = 2_000  #: characters
_UNDO = "to count this one after all, run course decide STUDENT LESSON --earlier again"


@dataclass
class Placing:
    """Copies the notebooks of one lesson into the class's folder.

    Attributes:
        place: the folder of downloads, which may be the class's folder itself.
        times: submission times that the instructor entered, by student.
        drafts: whether a student's submission is a draft, according to Moodle.
    """

    lesson: Lesson
    submitted: Path
    place: Path
    times: Mapping[str, HandedIn]
    drafts: Mapping[str, bool] = field(default_factory=dict)
    _problems: dict[str, str] = field(default_factory=dict)  # with submission times, by student

    def put(self, one: Candidate) -> FileOutcome:
        """Write a student's notebook, its time and its lateness, unless the class's folder has a better one."""
        outcome = self._doubted(one)
        if by_hand := self.times.get(one.student):
            one = replace(one, time=by_hand.time, time_problem="")
        if one.time_problem:
            self._problems[one.student] = one.time_problem
            outcome = _doubt(outcome, one.time_problem)
        path = self._path(one.student)
        if why := self._refused(path):
            return replace(outcome, became="not used", note=why, doubtful=True)
        content = zlib.decompress(one.packed)
        data = read_submitted(path, LARGEST_FILE + 1)
        if is_set_aside(path, content):
            return replace(outcome, became="not used", note=f"you chose the earlier file; {_UNDO}", doubtful=False)
        if data is not None:
            evidence = one.evidence if data == content else self.lesson.evidence(data)
            before = recall(path, data, evidence, self._time(one.student), one)
            why_kept = why_it_stays(before, one)
            if data == content:
                self._write_details(one, same=True)
                if why_kept is None or not path.with_name(DOWNLOAD).is_file():
                    remember(path, one, content)
                return _if_readable(one, replace(outcome, became="same"))
            outcome = self._compare(one, outcome, before, why_kept)
            if outcome.became == "not used":
                return outcome
            keep_replaced(path)
        write_whole(path, content)
        self._write_details(one)
        remember(path, one, content)
        return _if_readable(one, outcome)

    def _doubted(self, one: Candidate) -> FileOutcome:
        """Return the outcome for a file with the doubts about it, before the class's folder is looked at."""
        outcome = FileOutcome(one.path, (one.student,), "new", one.note, doubtful=bool(one.evidence.problem))
        if not one.evidence.problem and not one.evidence.belongs:
            outcome = _doubt(outcome, f"nothing in it shows that it belongs to {self.lesson.name}")
        elif not one.evidence.problem and not one.evidence.work:
            outcome = _doubt(outcome, "nothing has been filled in", doubtful=False)
        if one.set_aside:
            outcome = _doubt(outcome, one.set_aside)
        if self.drafts.get(one.student):
            outcome = _doubt(outcome, IS_DRAFT)
        if one.doubt:
            outcome = _doubt(outcome, one.doubt)
        return outcome

    def _compare(
        self, one: Candidate, outcome: FileOutcome, before: Candidate, why_kept: PassedOver | None
    ) -> FileOutcome:
        """Decide between a file and the one that was collected before it."""
        if one.doubt:
            return replace(outcome, became="not used", note=f"{outcome.note}; the one collected before is kept")
        evidence, path = before.evidence, self._path(one.student)
        if _worth(one.evidence) < _worth(evidence):
            why = one.evidence.problem or "it contains less work"
            return replace(outcome, became="not used", doubtful=True, note=f"{why}; the one collected before is kept")
        if _worth(one.evidence) == _worth(evidence):
            if path.resolve().is_relative_to(self.place.resolve()) and evidence.work == 2:
                note = f"both contain work; {path.name} is kept. Delete the one that should not count"
                return replace(outcome, became="not used", note=note, doubtful=True)
            if why_kept:
                remedy = (
                    f". To use this one, delete {PurePosixPath(*path.parts[-4:])} and collect again"
                    if why_kept.doubtful
                    else ""
                )
                return replace(outcome, became="not used", note=f"{why_kept.why}{remedy}", doubtful=why_kept.doubtful)
        outcome = replace(outcome, became="replaced")
        if lacking := sorted(evidence.worked - one.evidence.worked):
            outcome = _doubt(outcome, f"the one collected before had work that this one lacks ({', '.join(lacking)})")
        if before.source != one.source:
            outcome = _doubt(outcome, "the one collected before came from a different account or folder")
        if before.time and not one.time:
            outcome = _doubt(outcome, f"its time is unknown; the previous file was handed in at {before.time} UTC")
        return outcome

    def _write_details(self, one: Candidate, same: bool = False) -> None:
        """Write when a notebook was handed in, whether it was late, and whether it is a draft.

        If the file has not changed, keep what is already known. It remains a draft until Moodle says otherwise.
        """
        folder = self._path(one.student).parent
        if one.time:
            write_whole(
                folder / TIME, f"{one.time:%Y-%m-%d %H:%M:%S.%f} UTC\n" if one.time.microsecond else f"{one.time} UTC\n"
            )
        elif not same:
            (folder / TIME).unlink(missing_ok=True)
        if one.late:
            write_whole(folder / LATE, "The learning management system marked this submission as late.\n")
        elif not same:
            (folder / LATE).unlink(missing_ok=True)
        if self.drafts.get(one.student):
            write_whole(folder / DRAFT, "Moodle lists this submission as a draft.\n")
        elif one.student in self.drafts:
            (folder / DRAFT).unlink(missing_ok=True)
        (folder / NOTE).unlink(missing_ok=True)

    def note_versions(self, student: str, others: Sequence[str], is_new: bool) -> None:
        """Note which other versions of a student's notebook have work, if nothing shows clearly which one counts.

        Args:
            others: the paths of the other versions.
            is_new: whether the notebook has just been collected, so that an older note is about another one.
        """
        path = self._path(student).with_name(VERSIONS)
        if _whose(path):
            return
        if others:
            write_whole(path, f"compare it with {', '.join(others)}"[:_LONGEST_NOTE] + "\n")
        elif is_new:
            path.unlink(missing_ok=True)

    def student_outcomes(self, outcomes: Sequence[FileOutcome], members: Sequence[str] | None) -> list[StudentOutcome]:
        """Return each student's submission. For a student who handed in only other files, leave a note for grading."""
        found: dict[str, list[FileOutcome]] = {}
        for outcome in outcomes:
            for student in (*outcome.students, *(outcome.perhaps if members else ())):
                found.setdefault(student, []).append(outcome)
        students = found.keys() if members is None else dict.fromkeys([*members, *found])
        return [self._student_outcome(student, found.get(student, [])) for student in students]

    def _student_outcome(self, student: str, outcomes: Sequence[FileOutcome]) -> StudentOutcome:
        path = self._path(student)
        if why := _whose(path):
            return StudentOutcome(student, "to decide", why)
        content = read_submitted(path, LARGEST_FILE + 1)
        if content is None:
            note = "; ".join(_handed_in(outcomes))[:_LONGEST_NOTE]
            if note:
                write_whole(path.with_name(NOTE), note + "\n")
                if given := self.times.get(student, HandedIn()).time:
                    write_whole(path.with_name(TIME), f"{given} UTC\n")
            else:
                note = (read_submitted(path.with_name(NOTE), _LONGEST_NOTE) or b"").decode("utf-8", "replace").strip()
            return StudentOutcome(student, "to decide" if note else "nothing", printable(note))
        time, late = self._time(student), read_submitted(path.with_name(LATE), 200) is not None and "LATE"
        about = {
            "late": "LATE" if late and not time.time else "",
            "time": str(time.time or ""),
            "time_problem": self._problems.get(student) or time.problem,
        }
        if problem := self.lesson.evidence(content).problem:
            return StudentOutcome(student, "to decide", problem, **about)
        doubts = [outcome.note for outcome in outcomes if outcome.needs_a_look and outcome.became in COLLECTED]
        return StudentOutcome(student, "collected", "; ".join(doubts), **about)

    def _refused(self, path: Path) -> str:
        """Explain why nothing is written to a student's folder, or return an empty string.

        Where everybody may create folders, another user could have made it, and read or change what is written there.
        Make it first, so that nobody else can make it afterwards.
        """
        if not _whose(path):
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
        return _whose(path)

    def _time(self, student: str) -> HandedIn:
        return read_time(read_submitted(self._path(student).with_name(TIME), 4 * LONGEST_TIME + 1))

    def _path(self, student: str) -> Path:
        return self.submitted / student / self.lesson.name / f"{self.lesson.name}.ipynb"


def _whose(path: Path) -> str:
    """Explain why a notebook's folder, or the student's, isn't a grader's own, or return an empty string."""
    for folder in (path.parent.parent, path.parent):
        named = printable(str(folder))
        if folder.is_symlink():
            return f"{named} is a link, which is not followed: remove it and collect again"
        if folder.exists() and (owner := other_user(folder.stat(follow_symlinks=False).st_uid)):
            remedy = "If that is a grader, add the user to graders under [class] in course.toml. Otherwise collect into"
            return f"{named} belongs to {owner}, who could change what is collected. {remedy} another folder"
    return ""


def _worth(evidence: Evidence) -> tuple[bool, bool, int]:
    return not evidence.problem, evidence.belongs > 0, evidence.work


def _if_readable(one: Candidate, outcome: FileOutcome) -> FileOutcome:
    """Mark a notebook that cannot be read as unreadable. It is copied all the same, so that grading reports it."""
    return replace(outcome, became="unreadable") if one.evidence.problem else outcome


def _doubt(outcome: FileOutcome, note: str, doubtful: bool = True) -> FileOutcome:
    return replace(outcome, note="; ".join(filter(None, [outcome.note, note])), doubtful=outcome.doubtful or doubtful)


def _handed_in(outcomes: Sequence[FileOutcome]) -> Iterator[str]:
    """Describe each file that was handed in but cannot be graded."""
    for outcome in outcomes:
        if outcome.became != "left out":
            name = PurePosixPath(outcome.path).name
            yield f"{printable(name)[:100]} ({outcome.became}{': ' + printable(outcome.note) if outcome.note else ''})"
