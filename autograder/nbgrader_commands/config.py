"""Configure nbgrader for this course, so that `nbgrader autograde` gives the same scores as `course grade`.

Some of nbgrader's own steps are changed. A submission is rebuilt before anything reads it, and it runs in the sandbox
instead of a Jupyter kernel. The points in the grade cells are written outside the sandbox. In an exercise on paper, the
student's cell keeps None, see `autograder.building.clearing`. Two of nbgrader's converters
are replaced, see `autograder.nbgrader_commands.converter`: nbgrader reads only plain files in a submission's folder,
and its feedback pages are ours.
formgrader's pages need no network, see `autograder.nbgrader_commands.page`. nbgrader's exchange releases the same files
as `course release`, see `autograder.nbgrader_commands.release`.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from nbgrader import preprocessors
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, LimitOutput

from autograder.building.clearing import ClearSolutions
from autograder.building.notebook import LESSON_END
from autograder.class_folder.gradebook_url import with_driver
from autograder.class_folder.log import start_logging
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lateness import use_course_policy
from autograder.nbgrader_commands.converter import put_in_place
from autograder.nbgrader_commands.page import markdown2html, template_paths
from autograder.nbgrader_commands.steps import RebuildSubmission, RunInSandbox, SaveSubmission
from autograder.records.archive import class_archive
from course_lib.course import CourseError, find_course


def configure(c: Any) -> None:
    """Fill in a configuration for the course in whose folder nbgrader was started.

    The class's folder, gradebook and secret are those that ``course.toml`` names and ``course grade`` uses. If the
    database cannot be reached or was made by an older nbgrader, end nbgrader here with one sentence.
    """
    put_in_place()
    try:
        course = find_course()
        archive = class_archive(course)
        archive.require()
        _find_alembic()
        if not _upgrades():
            with Records(archive.gradebook):
                pass
    except CourseError as error:
        sys.exit(f"course: {error}")
    start_logging(archive.folder)
    c.CourseDirectory.root = str(course.root)
    c.CourseDirectory.course_id = re.sub(r"\W+", "-", course.name or course.root.name).strip("-").lower() or "course"
    c.ExchangeFactory.release_assignment = "autograder.nbgrader_commands.release.ReleasePackage"
    c.ExchangeFactory.collect = "autograder.nbgrader_commands.collect.CollectPlainFiles"
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "notebooks"
    for step in ("submitted", "autograded", "feedback", "solution"):
        folder = os.path.relpath(archive.folder / step, course.root)
        setattr(c.CourseDirectory, f"{step}_directory", folder)
    c.CourseDirectory.db_url = with_driver(archive.gradebook)
    c.IncludeHeaderFooter.footer = str(LESSON_END)
    c.GenerateAssignment.preprocessors = generate_steps()
    c.Autograde.sanitize_preprocessors = [RebuildSubmission, CheckCellMetadata]
    c.Autograde.autograde_preprocessors = [
        RunInSandbox,
        LimitOutput,
        SaveSubmission,
        AssignLatePenalties,
        CheckCellMetadata,
    ]
    use_course_policy(c, course.root)
    c.HTMLExporter.filters = {"markdown2html": markdown2html}
    c.HTMLExporter.template_paths = template_paths()
    c.ExportApp.plugin_class = "autograder.exporting.plugins.CsvExport"


def generate_steps() -> list[Any]:
    """Return the steps of `nbgrader generate_assignment`, with our `ClearSolutions` in place of nbgrader's."""
    steps = GenerateAssignment.class_traits()["preprocessors"].default()
    return [ClearSolutions if step is preprocessors.ClearSolutions else step for step in steps]


def _find_alembic() -> None:
    """Let nbgrader find ``alembic``, which it starts by name, even if its environment is not activated."""
    if not shutil.which("alembic"):
        os.environ["PATH"] = os.pathsep.join(filter(None, [os.environ.get("PATH"), str(Path(sys.executable).parent)]))


def _upgrades() -> bool:
    """Return whether this is ``nbgrader db upgrade``, which must open a gradebook of an older nbgrader itself."""
    return sys.argv[1:3] == ["db", "upgrade"]
