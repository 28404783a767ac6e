"""The course's grading as steps of `nbgrader autograde`: rebuild, then run in the sandbox."""

from __future__ import annotations

from functools import cache
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.grading.feedback_notebook import without_ours
from autograder.grading.grader import Grader, make_grader
from autograder.grading.nbgrader_converter import submitted_bytes
from autograder.grading.rebuild import Rebuilt
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import draw_anew
from course_lib.course import find_course
from course_lib.running.cells import code_cells

Notebook = Any
Resources = dict[str, Any]


@cache
def _grader(lesson: str) -> Grader:
    course = find_course()
    return make_grader(course, course.lesson(lesson), course.class_folder)


@cache
def _draw_anew(lesson: str) -> None:
    """Once in a run: whoever was graded before could have learned the hidden questions."""
    draw_anew(find_course().class_folder, lesson, "nbgrader autograde grades a submission that was graded before")
    _grader.cache_clear()


@cache
def _sandbox(lesson: str) -> Sandbox:
    """One sandbox for all submissions of a run; it ends with the process."""
    return _grader(lesson).sandbox().__enter__()


class RebuildSubmission(NbGraderPreprocessor):  # type: ignore[misc]
    """The first sanitising step: the released notebook with the student's sources in it."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Make the notebook from the bytes that were handed in."""
        if resources["nbgrader"].pop("graded_before", False):
            _draw_anew(resources["nbgrader"]["assignment"])
        rebuilt = _grader(resources["nbgrader"]["assignment"]).rebuild(submitted_bytes(resources))
        for note in rebuilt.notes:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], note)
        return rebuilt.notebook, resources


class WithoutOurs(NbGraderPreprocessor):  # type: ignore[misc]
    """A step of `nbgrader generate_feedback`: what only a grader may read is left out."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Leave our answers out."""
        return without_ours(nb), resources


class RunInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Instead of executing cells in a kernel: run them in the sandbox, judge outside it."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Fill in the outputs; grade cells show their points and cards.

        Raises:
            RuntimeError: the submission could not be run at all; nbgrader records it as failed.
        """
        about = resources["nbgrader"]
        grader = _grader(about["assignment"])
        rebuilt = Rebuilt(nb, tuple(code_cells(nb, grader.symbols)), ())
        outcome = grader.run(_sandbox(about["assignment"]), rebuilt)
        graded, notebook = grader.judge(about["student"], rebuilt, outcome)
        if notebook is None:
            raise RuntimeError(f"{about['student']}: {graded.reason}")
        if graded.reason:
            self.log.warning("%s: %s", about["student"], graded.reason)
        return notebook, resources
