"""nbgrader's configuration for this course: `nbgrader autograde` gives the scores that `course grade` gives.

Two of nbgrader's own lists are changed. A submission is rebuilt before anything reads it, and it
runs in the sandbox instead of a Jupyter kernel; the points that nbgrader finds in the grade
cells were put there outside it. And what nbgrader reads of a submission's folder are plain files, the
notebook and the time: see `autograder.grading.nbgrader_converter`.
"""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, LimitOutput, SaveAutoGrades

from autograder.grading.nbgrader_converter import put_in_place
from autograder.grading.nbgrader_steps import RebuildSubmission, RunInSandbox
from autograder.records.completion import GradeForCompletion
from course_lib.course import find_course


def configure(c: Any) -> None:
    """Fill in a configuration for the course whose folder nbgrader was started in.

    ``class/`` holds what a class produces: the same folder, gradebook and secret that
    ``course grade`` uses by default.
    """
    put_in_place()
    root = find_course().root
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "notebooks"
    for step in ("submitted", "autograded", "feedback", "solution"):
        setattr(c.CourseDirectory, f"{step}_directory", f"class/{step}")
    (root / "class").mkdir(exist_ok=True)
    c.CourseDirectory.db_url = f"sqlite:///{root / 'class' / 'gradebook.db'}"
    c.Autograde.sanitize_preprocessors = [RebuildSubmission, CheckCellMetadata]
    c.Autograde.autograde_preprocessors = [
        RunInSandbox,
        LimitOutput,
        SaveAutoGrades,
        GradeForCompletion,
        AssignLatePenalties,
        CheckCellMetadata,
    ]
