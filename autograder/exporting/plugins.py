"""Provide the formats as plug-ins of ``nbgrader export``, for the gradebook that nbgrader is configured for.

    nbgrader export --exporter=autograder.exporting.plugins.CanvasExport --to grades.csv

Their messages and refusals are those of `course grades`. The default without ``--exporter`` is `CsvExport`. Options are
set as in nbgrader: ``--assignment='["03_self_attention"]'``, ``--CanvasExport.ungraded=empty``,
``--CanvasExport.title=…``, or in ``nbgrader_config.py``.
"""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExportPlugin
from traitlets import Enum, Unicode

from autograder.class_folder.writing import write_whole
from autograder.collecting.roster import enrolled, roster_or
from autograder.exporting.class_grades import class_grades
from autograder.exporting.current_points import outdated
from autograder.exporting.formats import FORMATS, about_import
from autograder.exporting.joined import with_names
from autograder.gradebook.due_dates import update_penalties
from autograder.gradebook.errors import using
from autograder.gradebook.gradebook import Records
from autograder.gradebook.graded_cells import lesson_grades
from autograder.gradebook.people import members_in
from autograder.records.archive import class_archive
from autograder.records.deadlines import with_deadlines
from autograder.records.decisions import decided
from autograder.records.late_policy import lateness_of
from autograder.terminal_lateness import in_words
from course_lib.course import CourseError, find_course


class _GradesExport(ExportPlugin):  # type: ignore[misc]
    """The common part of all formats."""

    format = ""

    absent = Enum(("empty", "zero"), "empty", help="what stands for a student who handed in nothing").tag(config=True)
    ungraded = Enum(
        ("refuse", "empty", "so-far"), "refuse", help="what to do with submissions that wait for a person"
    ).tag(config=True)
    title = Unicode("", help="what the assignment is called there; default: the lesson's name").tag(config=True)
    roster = Unicode("", help="CSV of the class; default: students.csv in the class's folder").tag(config=True)

    def export(self, gradebook: Any) -> None:
        """Write the table of the lessons and students that ``--assignment`` and ``--student`` select."""
        try:
            self._update_penalties(gradebook)
            self._export(gradebook.db)
        except CourseError as error:
            # the message names options of `course grades`, to which nbgrader prepends the plug-in's name
            self.log.error(str(error).replace("--ungraded ", f"--{type(self).__name__}.ungraded="))
            sys.exit(1)

    def _update_penalties(self, gradebook: Any) -> None:
        course = find_course()
        lateness = lateness_of(course, class_archive(course))
        with using(gradebook.engine.url.render_as_string(), gradebook.db.rollback):
            changed = update_penalties(gradebook.db, lateness)
        for lesson, penalties in changed.items():
            self.log.warning("%s: %s", lesson, in_words(penalties))

    def _export(self, database: Any) -> None:
        named = Path(self.roster) if self.roster else None
        course = find_course()
        archive = class_archive(course)
        members = enrolled(archive.roster, named, lambda: members_in(database))
        if self.student:
            members = [member for member in members if member.id in set(map(str, self.student))]
        with Records(archive.gradebook) as records:
            recorded = with_deadlines(decided(lesson_grades(database), archive, records), records, archive)
        book = with_names(recorded, archive, roster_or(archive.roster, named))
        lessons = [str(name) for name in self.assignment] or "all"
        if self.title and len(self.assignment) != 1:
            raise CourseError("A title is for one lesson: name it with --assignment.")
        grades = class_grades(book, lessons, members, self.absent, self.ungraded, archive.options)
        target = Path(self.to or f"{self.format}.csv")
        write_whole(target, FORMATS[self.format](grades, self.title))
        remarks = outdated(course, book, grades.lessons, archive.options), grades.remarks()
        for remark in (*chain(*remarks), *about_import(self.format, members)):
            self.log.warning(remark)
        self.log.info("Grades for %s: %s", self.format, target)


class CsvExport(_GradesExport):
    """Exports nbgrader's own columns, without its zeros for ungraded submissions."""

    format = "csv"


class CanvasExport(_GradesExport):
    """Exports for *Grades → Import* of Canvas."""

    format = "canvas"


class MoodleExport(_GradesExport):
    """Exports for *Grades → Import → CSV file* of Moodle."""

    format = "moodle"
