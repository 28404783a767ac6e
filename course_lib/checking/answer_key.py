"""An answer key: an exercise, its questions, and the answers that a student's are compared with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol

from safetensors.torch import load_file, save
from torch import Tensor

from course_lib.checking.answers import Answer, Answers, decode_answers, encode_answers, same_answer
from course_lib.checking.exercise import Exercise
from course_lib.checking.exercise_json import exercise_from_json, exercise_to_json
from course_lib.checking.questions import Question, decode_questions, encode_questions
from course_lib.checking.values import Json
from course_lib.contents import public_exercises
from course_lib.plugins import plugins

#: the public keys in a released library: a folder per lesson, with a JSON and a safetensors file per exercise
KEYS = Path(__file__).parent.parent / "keys"


class Excused(Protocol):
    """What correct implementations answer on top of an earlier mistake, and which checks those answers satisfy."""

    @property
    def answers(self) -> Answers:
        """The answers."""

    @property
    def tells(self) -> bool:
        """Whether they reveal that mistake: right answers without it, and trivial answers, must be different."""

    @property
    def checks(self) -> frozenset[str]:
        """The names of the checks that distinguish these answers from those of every registered mistake.

        Those mistakes, too, are made on top of the earlier one. If it hides the difference, nothing is earned.
        """

    @property
    def most(self) -> float:
        """The most that these answers can earn.

        Repeating the earlier mistake, without building on the earlier exercise, may give the same answers. Then both
        exercises together earn no more than that mistake alone.
        """


@dataclass(frozen=True)
class Written:
    """Excused answers, as they are stored in a key on disk."""

    answers: Answers
    checks: frozenset[str]
    most: float
    tells: bool = True  # answers that don't reveal the mistake aren't written


@dataclass(frozen=True)
class SmallQuestion:
    """A question that a card may show as an example. It is never scored.

    Attributes:
        of: the name of the question that it was made from, and shows the same of.
        right: the right answer.
    """

    of: str
    question: Question
    right: Answer


@dataclass(frozen=True)
class AnswerKey:
    """Everything needed to judge one exercise, apart from the student's answers.

    Attributes:
        reference: the right answers.
        mistakes: the answers of each misconception, and of two at once, by name.
        carried: the answers excused because an earlier exercise is wrong, by ``(earlier exercise, its misconception)``.
            There may be several, because correct implementations may use the earlier exercise differently.
        small: questions with so few numbers that a person can recompute the answer; only in public keys.
    """

    exercise: Exercise
    questions: tuple[Question, ...]
    reference: Answers
    mistakes: Mapping[str, Answers] = field(default_factory=dict)
    carried: Mapping[tuple[str, str], tuple[Excused, ...]] = field(default_factory=dict)
    small: tuple[SmallQuestion, ...] = ()

    @property
    def examples(self) -> tuple[Question, ...]:
        """The questions that are asked only to show an example."""
        return tuple(small.question for small in self.small)

    def question(self, name: str) -> Question:
        """Return the question of that name."""
        return next(q for q in (*self.questions, *self.examples) if q.name == name)

    def right(self, name: str) -> Answer:
        """Return the right answer to the question of that name."""
        small = (small.right for small in self.small if small.question.name == name)
        return self.reference[name] if name in self.reference else next(small)

    @cached_property
    def affected(self) -> dict[str, frozenset[str]]:
        """The questions that each mistake answers differently from the reference, by the mistake's name."""
        asked = [question for question in self.questions if not question.watched]
        return {
            mistake: frozenset(q.name for q in asked if not same(q, self.reference[q.name], known[q.name]))
            for mistake, known in self.mistakes.items()
        }

    def digest(self) -> str:
        """Return a digest that changes whenever a verdict could change, except for the names of mistakes."""
        data = [
            exercise_to_json(self.exercise),
            encode_questions(self.questions, {}),  # tensors under hashes of their content
            encode_answers(self.reference, {}),
        ]
        return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def same(question: Question, known: Answer, answer: Answer) -> bool:
    """Return whether an answer equals the known one. A ``.float()`` matters only if the question asks for dtypes."""
    return same_answer(known, answer, widths=question.default_dtype == "float32")


def save_key(key: AnswerKey, folder: Path) -> None:
    """Write ``<exercise>.json`` and ``<exercise>.safetensors`` into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in key_files(key).items():
        (folder / name).write_bytes(content)


def key_files(key: AnswerKey) -> dict[str, bytes]:
    """Return the content of a key's two files, by file name.

    Most mistakes share most of their answers with other mistakes. Each answer is therefore written once, under a hash
    of its content, and every implementation refers to it.
    """
    tensors: dict[str, Tensor] = {}
    answers: dict[str, Json] = {}

    def stored(one: Answers) -> dict[str, str]:
        refer = {}
        for question, answer in encode_answers(one, tensors).items():
            # all errors count as equal, and an error's text quotes the implementation
            kept = {"error": {"type": answer["error"]["type"]}} if "error" in answer else answer
            refer[question] = hashlib.sha256(json.dumps(kept).encode()).hexdigest()[:12]
            answers[refer[question]] = kept
        return refer

    data = {
        "exercise": exercise_to_json(key.exercise),
        "questions": encode_questions(key.questions, tensors),
        "reference": stored(key.reference),
        "mistakes": {name: stored(s) for name, s in key.mistakes.items()},
        "carried": [
            {
                "exercise": e,
                "misconception": m,
                "excused": [
                    {"answers": stored(one.answers), "checks": sorted(one.checks), "most": one.most} for one in excused
                ],
            }
            for (e, m), all_excused in key.carried.items()
            if (excused := [one for one in all_excused if one.tells])
        ],
        "small": [
            {
                "of": small.of,
                "question": encode_questions([small.question], tensors),
                "right": stored({"": small.right}),
            }
            for small in key.small
        ],
        "answers": answers,
    }
    name = key.exercise.id
    return {f"{name}.json": _by_lines(data).encode(), f"{name}.safetensors": bytes(save(tensors))}


def _by_lines(data: Mapping[str, Json]) -> str:
    """Return JSON that diffs well: one line for each check, question, misconception and implementation."""

    def text(value: Json, depth: int) -> str:
        if depth and value and isinstance(value, dict | list):
            inner = ",\n".join(
                f"{json.dumps(k)}: {text(v, depth - 1)}" if isinstance(value, dict) else text(v, depth - 1)
                for k, v in (value.items() if isinstance(value, dict) else enumerate(value))
            )
            return f"{{\n{inner}\n}}" if isinstance(value, dict) else f"[\n{inner}\n]"
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    return text(data, 3) + "\n"


def load_key(path: Path) -> AnswerKey:
    """Read the key whose JSON file is ``path``."""
    data = json.loads(path.read_text(encoding="utf-8"))
    tensors = load_file(path.with_suffix(".safetensors"))
    answers = decode_answers(data["answers"], tensors)

    def restored(refer: Mapping[str, str]) -> dict[str, Answer]:
        return {question: answers[at] for question, at in refer.items()}

    return AnswerKey(
        exercise=exercise_from_json(data["exercise"]),
        questions=decode_questions(data["questions"], tensors),
        reference=restored(data["reference"]),
        mistakes={name: restored(s) for name, s in data["mistakes"].items()},
        carried={
            (c["exercise"], c["misconception"]): tuple(
                Written(restored(one["answers"]), frozenset(one["checks"]), one["most"]) for one in c["excused"]
            )
            for c in data["carried"]
        },
        small=tuple(
            SmallQuestion(small["of"], decode_questions(small["question"], tensors)[0], restored(small["right"])[""])
            for small in data["small"]
        ),
    )


def public_key(exercise_id: str) -> AnswerKey:
    """Return the public key of an exercise: the released one, or one made here if the autograder is installed.

    Raises:
        KeyError: there is no exercise of that id, or its key isn't available.
    """
    lessons = {entry.id: entry.lesson for entry in public_exercises()}
    if exercise_id not in lessons:
        raise KeyError(f"no exercise is called {exercise_id!r}")
    released = KEYS / lessons[exercise_id] / f"{exercise_id}.json"
    if released.is_file():
        return _released(released)
    for made_by in plugins("course.keys"):
        key: AnswerKey = made_by(exercise_id)
        return key
    raise KeyError(f"{exercise_id!r} cannot be checked here: this library was released for an earlier lesson")


@cache
def _released(path: Path) -> AnswerKey:
    return load_key(path)
