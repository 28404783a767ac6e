"""Gather solutions as text, cut from submissions and from our own."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat

from autograder.collecting.labels import NO_LABELS, Labels
from autograder.exercises import of_lesson
from autograder.exercises.definition import Definition
from autograder.grading.rebuild import rebuild
from autograder.integrity.pairs import Elsewhere
from autograder.integrity.public_code import PUBLIC_CODE
from autograder.integrity.solution import Solution
from autograder.records.archive import Moment
from autograder.records.record import file_of
from autograder.records.unpack import LONG, unknown_text, unpacked
from autograder.submissions.submission import Submission
from course_lib import experiments
from course_lib.course import Course, CourseError
from course_lib.our_errors import report
from course_lib.own_parts.extract import NotThereError, cut_part
from course_lib.running.cells import grade_id, kind_of
from course_lib.running.notebook_file import UnreadableError
from course_lib.syntax import NOT_PYTHON, syntax_tree

Notebook = Any


#: the name under which the cells that a student added are compared, next to the exercises
OWN_CELLS = "own_cells"
#: the owner of the lesson's function with one mistake to find
MYSTERY = "the lesson's mystery"


@dataclass(frozen=True)
class File:
    """The file that a student's solutions were read from, so that a person can find it again.

    Attributes:
        digest: the SHA-256 of its content.
        handed_in: the submission time, or empty if it is unknown.
        grade: whether and when the student's grade was given for this file.
    """

    student: str
    path: Path
    digest: str
    handed_in: str
    grade: str


@dataclass(frozen=True)
class Partly:
    """A solution that is not compared as usual, with the reason."""

    student: str
    exercise: str
    why: str


class Gathered:
    """The solutions of a lesson by exercise: ours, the registered alternatives, and those of students.

    A solution is all the code that defines what an exercise asks for, in any cell. All cells that a student added, and
    all code in an exercise's cell that no exercise uses, are also compared as `OWN_CELLS`.

    Attributes:
        solutions: the solutions by exercise.
        files: the files that were read.
        unread: the students whose submissions could not be read.
        partly: the solutions that could not be compared as usual.

    Args:
        labels: the students of each label. Students who share one are a team.

    Raises:
        CourseError: the lesson is not built.
    """

    def __init__(self, course: Course, lesson: str, labels: Labels = NO_LABELS) -> None:
        path = course.student_notebook(lesson)
        if not path.is_file():
            raise CourseError(f"{lesson} is not built. Run: course build {lesson}")
        self._released = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        self._symbols = {definition.id: definition.exercise.symbol for definition in of_lesson(lesson)}
        self._stub = _handed_out(self._released, self._symbols.values())
        self._teams = {label: students for label, students in labels.students.items() if len(students) > 1}
        self.unread: list[str] = []
        self.partly: list[Partly] = []
        self.files: list[File] = []
        # equal answers on paper are right ones or the same slip, not copies
        compared = [definition for definition in of_lesson(lesson) if not definition.exercise.on_paper]
        self.solutions = {definition.id: list(self._ours(definition)) for definition in compared}
        self.solutions[OWN_CELLS] = []
        self._mysteries = [Solution.of(MYSTERY, one, self._stub) for one in _mysteries(lesson)]
        for solutions in self.solutions.values():
            solutions += [replace(one, ours=True) for one in self._mysteries]
        self._everything: list[Solution] = []

    def add(self, submission: Submission, history: Iterable[Moment] = ()) -> None:
        """Add the solutions of a submission.

        Args:
            history: all records of the student, the oldest first.
        """
        try:
            submitted = submission.require()
            notebook = rebuild(self._released, submitted, self._symbols).notebook
        except (UnreadableError, OSError):
            self.unread.append(submission.student)
            return
        digest = hashlib.sha256(submitted).hexdigest()
        handed_in = f"{submission.time:%Y-%m-%d %H:%M:%S} UTC" if submission.time else ""
        grade = _grade_of(digest, [one for one in history if one["record"]["lesson"] == submission.path.stem])
        self.files.append(File(submission.student, submission.path, digest, handed_in, grade))
        student = submission.student
        teams = [label for label, students in self._teams.items() if student in students]
        _add_unseen(notebook, digest, history)
        found, everything, apart = _solutions(notebook, self._symbols, self._stub)
        self.partly += [Partly(student, name, why) for name, why in apart.items() if name in self.solutions]
        for name in self.solutions:
            source = found[name]
            solution = Solution.of(student, source, self._stub, teams=teams)
            self.solutions[name].append(solution)
            if solution.why and name not in apart:
                self.partly.append(Partly(student, name, solution.why))
        self._everything.append(Solution.of(student, everything, self._stub, teams=teams))

    def elsewhere(self, exercise: str) -> Elsewhere:
        """Return the code in which parts of an exercise's solutions are looked for.

        Parts of code outside the exercises are only looked for in the mystery. What such code has in common with an
        exercise is found when the exercise is compared.
        """
        ours = [one for solutions in self.solutions.values() for one in solutions if one.ours and one.owner != MYSTERY]
        everything = [*self._everything, *self._mysteries]
        return Elsewhere(everything, self._mysteries if exercise == OWN_CELLS else everything, ours)

    def _ours(self, definition: Definition) -> Iterator[Solution]:
        for one in definition.implementations:
            if one.role in ("reference", "alternative"):
                name = "our solution" if one.role == "reference" else f"our {one.name}"
                yield Solution.of(name, one.source, self._stub, ours=True)
        for source in PUBLIC_CODE.get(definition.id, ()):
            yield Solution.of("PyTorch's documentation", source, self._stub, ours=True)


def _mysteries(lesson: str) -> Iterator[str]:
    """Yield the sources of a lesson's functions with one mistake."""
    for path in sorted(Path(str(experiments.__file__)).parent.glob("mystery*.py")):
        source = path.read_text(encoding="utf-8")
        if f"Lesson {lesson.partition('_')[0]} " in source.partition("\n")[0]:
            yield source


def _handed_out(released: Notebook, symbols: Iterable[str]) -> str:
    """Return all code that students start from, and the imports of other components that cutting adds."""
    sources = [cell.source for cell in released.cells if cell.cell_type == "code"]
    return "\n".join([*sources, *(f"from course_lib.components import {symbol}" for symbol in symbols)])


def _solutions(notebook: Notebook, symbols: Mapping[str, str], stub: str) -> tuple[dict[str, str], str, dict[str, str]]:
    """Return the student's code by exercise, all of it, and why some of it could not be compared as usual.

    An exercise's code is everything that defines its symbol, including what it needs from other cells.
    """
    notebook = _unpacked(notebook)
    cells = {grade_id(cell): cell.source for cell in notebook.cells if kind_of(cell) == "exercise"}
    found, apart = {}, {}
    for name, symbol in symbols.items():
        others = set(symbols.values()) - {symbol}
        try:
            found[name] = _without(cut_part(notebook, name, symbol, others), stub)
        except Exception as error:  # compare code that cannot be parsed unchanged
            if not isinstance(error, (NotThereError, *NOT_PYTHON)):
                report(error, f"cutting {name} from a submission")
            found[name] = cells.get(name, "")
            apart[name] = f"only its own cell is compared: {error if isinstance(error, NotThereError) else 'not read'}"
        if why := unknown_text(found[name]):
            apart.setdefault(name, why)
    own = [cell.source for cell in notebook.cells if kind_of(cell) in ("own", "setup")]
    unused = [
        one for source in cells.values() for one in _statements(source) if not any(one in f for f in found.values())
    ]
    everything = _without("\n\n".join([*own, *cells.values()]), stub)
    found[OWN_CELLS] = "\n".join([*own, *unused])
    if why := unknown_text(found[OWN_CELLS]):
        apart[OWN_CELLS] = f"in one of these cells, {why}"
    return found, everything, apart


def _unpacked(notebook: Notebook) -> Notebook:
    """Return a copy in which each of the student's cells is plain code."""
    notebook = copy.deepcopy(notebook)
    cells = [cell for cell in notebook.cells if kind_of(cell) in ("exercise", "own", "setup")]
    long = sum(len(cell.source) for cell in cells) > LONG
    for cell in cells:
        cell.source = unpacked(cell.source, long)
    return notebook


def _without(part: str, stub: str) -> str:
    """Remove released statements from a part, such as the imports of the set-up cell."""
    return "\n\n".join(source for source in _statements(part) if source not in stub)


def _statements(source: str) -> list[str]:
    """Return the statements of a source with their comments, or the whole source if it is not Python."""
    try:
        nodes = syntax_tree(source).body
    except NOT_PYTHON:
        return [source]
    lines, begin, found = source.splitlines(), 0, []
    for node in nodes:
        found.append("\n".join(lines[begin : node.end_lineno]).strip("\n"))
        begin = node.end_lineno or begin
    return found


def _add_unseen(notebook: Notebook, digest: str, history: Iterable[Moment]) -> None:
    """Add the code that ran when the file was graded although it is in no cell, each text as a student's own cell."""
    records = [moment["record"] for moment in history if file_of(moment["record"]) == digest]
    for source in records[-1].get("unseen", {}) if records else ():
        if not any(source.strip() in cell.source for cell in notebook.cells):  # such as that of %%writefile
            notebook.cells.append(nbformat.v4.new_code_cell(source))


def _grade_of(digest: str, history: Sequence[Moment]) -> str:
    """Describe in a few words whether the last grade was given for a file."""
    if not history:
        return "not graded"
    theirs = [moment for moment in history if moment["record"]["digest"].endswith(f"-{digest}")]
    if theirs and theirs[-1]["record"] == history[-1]["record"]:
        return f"graded on {theirs[-1]['when']}"
    if theirs:
        return f"graded on {theirs[-1]['when']}; the grade now is that of another run or file"
    return f"the grade of {history[-1]['when']} is not for this file, or not final"
