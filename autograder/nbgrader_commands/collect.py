"""Let `nbgrader collect` collect from folders that students own, whatever they contain.

nbgrader itself follows links, deletes what was collected before it copies anything, and stops at the first submission
that it can't collect. Here, only plain files are copied, and a submission that can't be collected is left out and named
while the others are collected. An earlier copy is replaced once the new one is complete.
"""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

from autograder.class_folder.graders import is_trusted, user_name
from autograder.submissions.plain_files import PlainFiles, opened_folder
from autograder.submissions.submission import submission_in
from autograder.submissions.submission_time import parse_time
from course_lib.checking.formatting import many, printable
from course_lib.owners import user_numbers

#: the most files and folders of one submission
_MOST_NAMES = 10_000
_TOO_MUCH = "c.CourseDirectory.max_dir_size says how many kB a submission may have"
#: the first number of a person's account. Services, which may own the exchange's folders, have smaller ones
_FIRST_PERSON = 500 if sys.platform == "darwin" else 1000
#: how far the clocks of two machines may differ
_CLOCKS = timedelta(minutes=5)
_MOST_LISTED = 10


class _LeftOutError(Exception):
    """A folder of the exchange is not collected. The message says why."""


class CollectPlainFiles(ExchangeCollect):  # type: ignore[misc]
    """Collects submissions from the exchange.

    Attributes:
        src_records: the submission of each student that counts, with its time and the name of its folder.
    """

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find the submission of each student that counts, among the folders that can be one."""
        self._left_out: list[str] = []
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """Return a submission's student and time. For a folder that can't be one, return a record without a student."""
        filename = os.path.basename(path)
        try:
            record = self._record(filename)
            with opened_folder(Path(self.inbound_path), PurePosixPath(filename)) as folder:
                self._require_owner(record["username"], os.fstat(folder))
        except (_LeftOutError, OSError) as error:
            self._leave_out(filename, error)
            return {"username": "", "filename": filename, "timestamp": datetime.min}
        return record

    def _record(self, filename: str) -> dict[str, Any]:
        """Read a folder's name, ``<student>+<lesson>+<time>`` or ``<student>+<lesson>+<time>+<random>``.

        Raises:
            _LeftOutError: it has another form, or its time is in the future.
        """
        parts = filename.rsplit("+", 3)
        if len(parts) < 3 or parts[1] != self.coursedir.assignment_id or not parts[0] or parts[0].startswith("."):
            raise _LeftOutError("its name is not <student>+<lesson>+<time>")
        if problem := submission_in(parts[0], Path(self.inbound_path, filename)).problem:
            raise _LeftOutError(problem)
        handed_in = parse_time(parts[2])
        if handed_in.time is None:
            raise _LeftOutError(f"its name has no time: {handed_in.problem}")
        if handed_in.time > datetime.now(UTC).replace(tzinfo=None) + _CLOCKS:
            raise _LeftOutError(f"its time, {handed_in.time} UTC, is in the future")
        return {"username": parts[0], "filename": filename, "timestamp": handed_in.time}

    def _require_owner(self, student: str, folder: os.stat_result) -> None:
        """Refuse the folder of a user who is neither the student nor somebody who may hand in for others.

        A grader, root and services may own any student's folder. If the machine doesn't know the student, as in a hub
        whose users are not the machine's, the owner shows nothing.

        Raises:
            _LeftOutError: another user made the folder.
        """
        owner, students = folder.st_uid, user_numbers([student])
        if not self.check_owner or owner in students or owner < _FIRST_PERSON or is_trusted(owner):
            return
        if students and user_name(owner):
            raise _LeftOutError(
                f"it belongs to {user_name(owner)}, not to {student}. If that is right, run nbgrader collect with "
                "--ExchangeCollect.check_owner=False"
            )
        self.log.warning("The submission of %s belongs to %s; cheating attempt?", student, user_name(owner) or owner)

    def copy_files(self) -> None:
        """Collect each submission, and name those that were left out at the end."""
        if self.src_records:
            self.log.info("Processing %s of %s", many(len(self.src_records), "submission"), self._lesson)
        else:
            self.log.warning("No submissions of %s to collect", self._lesson)
        for record in self.src_records:
            try:
                self._collect(record)
            except (_LeftOutError, OSError, RuntimeError, shutil.Error) as error:
                self._leave_out(record["filename"], error)
        if self._left_out:
            more = ", ..." if len(self._left_out) > _MOST_LISTED else ""
            named = ", ".join(self._left_out[:_MOST_LISTED]) + more
            self.log.error("Left out %s, for the reasons above: %s", many(len(self._left_out), "folder"), named)

    @property
    def _lesson(self) -> str:
        return f"{self.coursedir.assignment_id} of the course {self.coursedir.course_id}"

    def _leave_out(self, filename: str, error: Exception) -> None:
        """Say why a folder of the exchange is not collected."""
        why = str(error)
        if isinstance(error, NotADirectoryError):
            why = "it is a link or a file, not a folder"
        elif isinstance(error, OSError) and error.strerror:
            why = error.strerror.lower()
        self._left_out.append(printable(filename))
        self.log.error("%s in %s is not collected: %s", printable(filename), self.inbound_path, printable(why))

    def _collect(self, record: dict[str, Any]) -> None:
        """Collect a submission, unless an earlier copy stays.

        Raises:
            _LeftOutError: it can't be collected.
        """
        student, lesson = record["username"], self.coursedir.assignment_id
        target = Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, lesson))
        if not target.is_dir():
            self.log.info("Collecting submission: %s %s", student, lesson)
        elif self._replaces(target, record["timestamp"]):
            self.log.info("Updating submission: %s %s", student, lesson)
        elif self.update:
            self.log.info("No newer submission to collect: %s %s", student, lesson)
            return
        else:
            self.log.info("Submission already exists, use --update to update: %s %s", student, lesson)
            return
        self._put(record, target)

    def _replaces(self, target: Path, time: datetime) -> bool:
        existing = self.coursedir.get_existing_timestamp(str(target))
        newer = existing is None or time > existing
        return bool((self.update and newer) or (self.before_duedate and existing != time))

    def _put(self, record: dict[str, Any], target: Path) -> None:
        """Copy a submission next to its target, then rename it, so that it replaces an earlier copy as a whole."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".", suffix=".part") as beside:
            plain, new, old = (Path(beside) / name for name in ("plain", "new", "old"))
            plain.mkdir()
            self._copy_plain_files(record, plain)
            self.do_copy(str(plain), str(new))  # leaves out the files that nbgrader's settings exclude
            if target.is_dir():
                target.rename(old)
            try:
                new.rename(target)
            except BaseException:
                if old.is_dir():
                    old.rename(target)
                raise

    def _copy_plain_files(self, record: dict[str, Any], plain: Path) -> None:
        """Copy the plain files of a submission, if its owner may hand it in.

        Raises:
            _LeftOutError: another user made it, or it is larger than nbgrader allows.
        """
        most = 1_000 * self.coursedir.max_dir_size
        with opened_folder(Path(self.inbound_path), PurePosixPath(record["filename"])) as folder:
            self._require_owner(record["username"], os.fstat(folder))
            size = 0
            for file in PlainFiles(folder, most + 1, _MOST_NAMES, most, _TOO_MUCH).below():
                if file.path == PurePosixPath() and file.problem:
                    raise _LeftOutError(file.problem)
                if file.problem:
                    self.log.warning("%s: %s", printable(f"{record['filename']}/{file.path}"), file.problem)
                    continue
                data = file.data if file.same_as is None else plain.joinpath(file.same_as).read_bytes()
                size += len(data or b"")
                if size > most:
                    raise _LeftOutError(f"it holds more than {most // 1_000_000:,} MB: {_TOO_MUCH}")
                target = plain / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data or b"")
