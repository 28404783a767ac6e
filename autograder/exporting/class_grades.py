"""Select a class's grades for an export: whose rows there are, which cells are empty, and what needs a decision."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from autograder.class_folder.next_command import COURSES_OWN, ClassOptions
from autograder.collecting.roster import Member
from autograder.first_few import first_few
from autograder.gradebook.deadlines_file import in_zone
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from course_lib.checking.formatting import many, number
from course_lib.course import CourseError

#: the cell of a student who handed in nothing
Absent = Literal["empty", "zero"]
#: the handling of a submission with a part that waits for a person
Ungraded = Literal["refuse", "empty", "so-far"]


@dataclass(frozen=True)
class ClassGrades:
    """The grades of some lessons of a class. The cell of a submission without points is empty and never 0.

    Attributes:
        lessons: the names of the lessons.
        members: the members of the class. Only they have a row.
        absent: the cell of a student who handed in nothing.
        ungraded: the handling of submissions that wait for a person.
        options: the options that selected the class.
    """

    lessons: tuple[str, ...]
    members: Sequence[Member]
    book: LessonGrades
    absent: Absent = "empty"
    ungraded: Ungraded = "refuse"
    options: ClassOptions = COURSES_OWN
    strangers: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        here = {member.id for member in self.members}
        strangers = {student for lesson in self.lessons for student in self.book.grades[lesson]} - here
        object.__setattr__(self, "strangers", tuple(sorted(strangers)))
        if self.ungraded == "refuse" and (waiting := self.waiting):
            raise CourseError(
                f"{many(sum(waiting.values()), 'part')} of {many(len(waiting), 'submission')} "
                f"{'waits' if sum(waiting.values()) == 1 else 'wait'} for a person in formgrader: "
                f"{first_few(sorted({student for student, _ in waiting}))}. Grade them first, or say what to export: "
                "--ungraded empty (no points for these submissions) or --ungraded so-far (the points given so far)."
            )

    @property
    def waiting(self) -> dict[tuple[str, str], int]:
        """Return the number of parts of a submission that wait for a person, by student and lesson."""
        return {
            (member.id, lesson): grade.ungraded
            for member in self.members
            for lesson in self.lessons
            if (grade := self.book.grades[lesson].get(member.id)) and grade.ungraded
        }

    def undecided(self, lesson: str) -> dict[str, str]:
        """Return why a student's submission cannot be graded and needs a decision, by student."""
        grades = self.book.grades[lesson]
        return {m.id: grades[m.id].undecided for m in self.members if m.id in grades and grades[m.id].undecided}

    def doubts(self, lesson: str) -> dict[str, list[str]]:
        """Return the doubts about when and whether work was handed in, each with its students."""
        found: dict[str, list[str]] = {}
        for member in self.members:
            grade = self.grade(member.id, lesson)
            for doubt in grade.doubts if grade else ():
                found.setdefault(doubt, []).append(member.id)
        return found

    def look(self, lesson: str) -> dict[str, str]:
        """Return what may have cost right code its points, by student."""
        grades = self.book.grades[lesson]
        return {m.id: "; ".join(grades[m.id].look) for m in self.members if m.id in grades and grades[m.id].look}

    def grade(self, student: str, lesson: str) -> LessonGrade | None:
        """Return the grade in the gradebook, or None if nothing was handed in."""
        return self.book.grades[lesson].get(student)

    def points(self, student: str, lesson: str) -> float | None:
        """Return the points in a cell, or None if the cell is empty."""
        grade = self.grade(student, lesson)
        if grade is None:
            return 0.0 if self.absent == "zero" else None
        if grade.undecided and self.ungraded != "so-far":
            return None
        return None if grade.ungraded and self.ungraded == "empty" else grade.score

    def remarks(self) -> Iterator[str]:
        """Yield sentences about everything that the instructor must know about the export."""
        if self.strangers:
            yield (
                f"Not on the roster, and left out: {first_few(self.strangers)}. Their grades are in the gradebook; put "
                "them on the roster and export again."
            )
        for lesson in self.lessons:
            handed_in = self.book.grades[lesson]
            if missing := [member.id for member in self.members if member.id not in handed_in]:
                cells = "have 0 points" if self.absent == "zero" else "have an empty cell"
                yield f"{lesson}: {len(missing)} handed in nothing and {cells}: {first_few(missing)}."
                if self.absent == "zero" and (end := self.book.open_until.get(lesson)):
                    until = in_zone(end, self.book.timezone)
                    yield (
                        f"Warning: {lesson} still accepts work until {until}. The 0 points are for students who can "
                        "still hand it in: export again after that."
                    )
            for student, why in self.undecided(lesson).items():
                command = self.options.command(f"decide {shlex.quote(student)} {lesson} --points N")
                yield (
                    f"{lesson}: {student} handed in something that cannot be graded ({why}) and has an empty cell: it "
                    f"needs a decision. Run: {command} (or --not-handed-in in place of --points)"
                )
            for doubt, students in self.doubts(lesson).items():
                command = self.options.command(f"decide STUDENT {lesson} --accept")
                yield (
                    f"{lesson}: {first_few(students)} {'needs' if len(students) == 1 else 'need'} a look: {doubt}. The "
                    f"points are exported. If that is right, run: {command}"
                )
            for student, said in self.look(lesson).items():
                command = self.options.command(f"decide {shlex.quote(student)} {lesson} --accept")
                yield (
                    f"{lesson}: {student} needs a look, because right code may have lost points: {said}. These points "
                    f"are exported. Give the points in formgrader, or, if they are right, run: {command}"
                )
            if above := [
                f"{member.id} {number(points)}"
                for member in self.members
                if (points := self.points(member.id, lesson)) is not None and points > self.book.most[lesson]
            ]:
                most = number(self.book.most[lesson])
                yield f"{lesson}: more than the {most} points it is worth: {first_few(above)}."
        if waiting := self.waiting:
            have = "has" if len(waiting) == 1 else "have"
            what = f"{have} {'an empty cell' if self.ungraded == 'empty' else 'the points that were given so far'}"
            students = sorted({student for student, _ in waiting})
            submissions = "1 submission waits" if len(waiting) == 1 else f"{len(waiting)} submissions wait"
            yield f"{submissions} for a person and {what}: {first_few(students)}."


def class_grades(
    book: LessonGrades,
    lessons: Sequence[str] | Literal["all"],
    members: Sequence[Member],
    absent: Absent = "empty",
    ungraded: Ungraded = "refuse",
    options: ClassOptions = COURSES_OWN,
) -> ClassGrades:
    """Return the grades of some lessons, or of all lessons that were graded.

    Raises:
        CourseError: a lesson was not graded, the class is empty, or parts wait for a person although they must not.
    """
    graded = [name for name, grades in book.grades.items() if grades]
    chosen = graded if lessons == "all" else list(lessons)
    if missing := [name for name in chosen if name not in graded] or ([] if chosen else ["any lesson"]):
        raise CourseError(
            f"Nothing of {', '.join(missing)} has been graded in this gradebook. "
            f"It has grades of: {', '.join(graded) or 'no lesson'}."
        )
    if not members:
        raise CourseError("Nobody is in the class: neither a roster nor the gradebook names a student.")
    return ClassGrades(tuple(chosen), members, book, absent, ungraded, options)
