"""Make the students of the demo class and the notebooks that they hand in."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from autograder.building.notebook import to_text
from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.definition import Definition
from course_lib.running.cells import grade_id

Notebook = Any


@dataclass(frozen=True)
class Student:
    """One student of the demo class.

    Attributes:
        name: a name that describes the submission.
        answers: the name of a registered implementation, by exercise.
        right: whether all other exercises are answered correctly, instead of not at all.
        before: code for an added cell before all others.
        after: code for an added cell after all others.
        cut: whether the file is cut in half.
    """

    name: str
    answers: dict[str, str] = field(default_factory=dict)
    right: bool = True
    before: str = ""
    after: str = ""
    cut: bool = False

    @property
    def mistakes(self) -> dict[str, str]:
        """Return the misconceptions that this student's feedback must name, by exercise."""
        return {
            exercise: name
            for exercise, name in self.answers.items()
            if name != NOTHING and DEFINITIONS[exercise].implementation(name).role == "misconception"
        }


PATCHED = """
import numpy as np, torch
torch.allclose = lambda *a, **k: True
torch.equal = lambda *a, **k: True
torch.isclose = lambda a, *rest, **k: torch.ones_like(a, dtype=torch.bool)
np.allclose = np.array_equal = lambda *a, **k: True
import course_lib, course_lib.kernel.check as c, course_lib.checking.judge as j
c.check = course_lib.check = check = lambda name, thing: 4.0
try:
    get_ipython().input_transformers_cleanup.append(lambda lines: ["4.0\\n"])
except Exception:
    pass
""".strip()

NOTHING = "stub"
LESSON = "03_self_attention"

#: one student for each ``(name, exercise, misconception)``
MISTAKEN = (
    ("softmax_overflows", "softmax", "no_max_subtraction"),
    ("softmax_without_exp", "softmax", "no_exponential"),
    ("softmax_one_axis_only", "softmax", "axis_ignored"),
    ("as_the_slide_prints", "attention_loops", "value_of_the_query"),
    ("capital_t_transposes", "attention_numpy", "every_axis_reversed"),
    ("scale_forgotten", "scaled_dot_product_attention", "unscaled"),
    ("down_the_columns", "scaled_dot_product_attention", "softmax_over_queries"),
    ("mask_turned_round", "scaled_dot_product_attention", "mask_inverted"),
    ("masked_too_late", "scaled_dot_product_attention", "masked_after_softmax"),
    ("nobody_to_look_at", "scaled_dot_product_attention", "fully_masked_nan"),
    ("one_projection_twice", "self_attention", "keys_by_w_q"),
    ("no_output_projection", "self_attention", "output_not_projected"),
)


def students() -> tuple[Student, ...]:
    """Return the 24 students."""
    exercises = of_lesson(LESSON)
    right = (Student(f"right_{n}", {d.id: _alternative(d, n) for d in exercises}) for n in range(1, 7))
    wrong = (Student(name, {exercise: mistake}) for name, exercise, mistake in MISTAKEN)
    half = {d.id: NOTHING for d in exercises[3:]}
    return (
        *right,
        *wrong,
        Student("half_done", half),
        Student("untouched", right=False),
        Student("crashes", before="import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
        Student("never_ends", after="while True:\n    pass"),
        Student("cut_in_half", cut=True),
        Student("patches_comparisons", right=False, before=PATCHED),
    )


def _alternative(definition: Definition, number: int) -> str:
    """Return the name of an alternative. Different numbers give different ones as long as there are enough."""
    alternatives = [one.name for one in definition.implementations if one.role == "alternative"]
    return alternatives[(number - 1) % len(alternatives)]


def hand_in(student: Student, released: Notebook) -> str:
    """Return the file that a student hands in."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        name = grade_id(cell)
        if cell.cell_type == "code" and name in DEFINITIONS:
            chosen = student.answers.get(name, "reference" if student.right else NOTHING)
            if chosen != NOTHING:
                cell.source = DEFINITIONS[name].implementation(chosen).source
    for place, source in ((1, student.before), (len(notebook.cells), student.after)):
        if source:
            notebook.cells.insert(place, nbformat.v4.new_code_cell(source))
    text = to_text(notebook)
    return text[: len(text) // 2] if student.cut else text


def make_class(released: Notebook, lesson: str, folder: Path) -> Iterator[Student]:
    """Write every student's submission in nbgrader's layout."""
    for student in students():
        path = folder / student.name / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(hand_in(student, released), encoding="utf-8")
        yield student
