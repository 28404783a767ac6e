"""If a class was graded under labels, exporting joins the names to the grades."""

from __future__ import annotations

from pathlib import Path

from autograder.collecting.roster import Member, Roster
from autograder.exporting.joined import with_names
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.archive import Archive


def grade(score: float) -> LessonGrade:
    return LessonGrade(score, score, 0.0, 0, None)


def test_a_teams_grade_belongs_to_each_member_and_a_number_to_its_student(tmp_path: Path) -> None:
    archive, roster = Archive(tmp_path), Roster(Member(name) for name in ("ada", "bob", "cy", "dan"))
    graded = {"Group A": grade(9), "Participant 57": grade(5), "bob": grade(3), "guest": grade(1)}
    book = LessonGrades({"03": 13.0}, {"03": None}, {"03": graded})
    assert with_names(book, archive, roster) is book, "without labels the book stays as it is"
    archive.labels.write_text("label,student\nGroup A,ada\nGroup A,bob\nParticipant 57,cy\n")
    assert with_names(book, archive, None) is book, "without a roster the book stays as it is"
    found = with_names(book, archive, roster).grades["03"]
    scores = {student: one.score for student, one in found.items()}
    assert scores == {"ada": 9, "bob": 3, "cy": 5, "guest": 1}, "bob's own grade counts before the team's"
