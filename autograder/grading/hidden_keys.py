"""Make the hidden answer keys of a lesson. They depend on the class's secret and are the same on each run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.exercises import of_lesson
from autograder.exercises.key_cache import kept_key
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answers
from course_lib.checking.judge import Verdict, judge_better, judge_in_order
from course_lib.checking.questions import Question
from course_lib.version import __version__


@dataclass(frozen=True)
class LessonKeys:
    """The answer keys of a lesson.

    Attributes:
        hidden: the keys that determine the points.
        public: the keys whose questions may be shown to a student.
    """

    lesson: str
    hidden: Mapping[str, AnswerKey]
    public: Mapping[str, AnswerKey]

    @property
    def max_score(self) -> float:
        """Return the points of the lesson's exercises."""
        return sum(key.exercise.points for key in self.hidden.values())

    @property
    def symbols(self) -> dict[str, str]:
        """Return the name that is asked for, by exercise id."""
        return {name: key.exercise.symbol for name, key in self.hidden.items()}

    @property
    def questions(self) -> dict[str, tuple[Question, ...]]:
        """Return the hidden questions, which determine the points, by exercise."""
        return {name: _watched_first(key) for name, key in self.hidden.items()}

    @property
    def public_questions(self) -> dict[str, tuple[Question, ...]]:
        """Return the questions that may be shown to a student, by exercise, and those that are only examples."""
        return {name: (*_watched_first(key), *key.examples) for name, key in self.public.items()}

    def to_show(self, verdicts: Mapping[str, Verdict]) -> set[str]:
        """Return the exercises whose cards need answers to public questions, those that are written but wrong."""
        return {
            name
            for name, verdict in verdicts.items()
            if not verdict.passed and not (verdict.error and verdict.error.unwritten and not verdict.score)
        }

    def judge(
        self, all_answers: Mapping[str, Answers], later: Mapping[str, Answers]
    ) -> tuple[dict[str, Verdict], tuple[str, ...]]:
        """Judge a submission's answers in the lesson's order: see `judge_better`."""
        return judge_better(self.hidden, all_answers, later)

    def judge_alone(self, exercise: str, answers: Answers) -> Verdict:
        """Judge the answers to one exercise, without regard to earlier ones."""
        return judge_in_order({exercise: self.hidden[exercise]}, {exercise: answers})[exercise]


def _watched_first(key: AnswerKey) -> tuple[Question, ...]:
    """Sort a key's questions. Ask those that watch calls first, before the implementation has seen any inputs."""
    return tuple(sorted(key.questions, key=lambda question: not question.watched))


def lesson_keys(lesson: str, secret: bytes, folder: Path, graders: frozenset[int] = frozenset()) -> LessonKeys:
    """Return the keys of a lesson's exercises. Keep the hidden ones next to the class's secret in ``folder``.

    Args:
        graders: the users with whom the class is shared, whose kept keys may be used.
    """
    hidden: dict[str, AnswerKey] = {}
    public: dict[str, AnswerKey] = {}
    for definition in of_lesson(lesson):
        sampler = Sampler.hidden(secret, __version__, definition.id)
        key = kept_key(definition.id, sampler, folder / "keys", "alone", graders)
        public[definition.id] = public_key(definition.id)
        checks = public[definition.id].exercise.checks  # adapted to the course's policy
        hidden[definition.id] = replace(key, exercise=replace(key.exercise, checks=checks))
    return LessonKeys(lesson, hidden, public)
