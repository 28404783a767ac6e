"""Nobody earns a point with a lesson's mystery, a function with one mistake to find."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from conftest import LESSON

from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.grading.forbidden_calls import mentioned
from autograder.grading.hidden_keys import LessonKeys
from autograder.integrity.gather import _mysteries
from course_lib import experiments
from course_lib.checking.sheet import Sheet
from course_lib.course import Course
from course_lib.running.cell import Cell
from course_lib.running.runner import Runner

NAMES = [one.name for one in pkgutil.iter_modules(experiments.__path__) if one.name.startswith("mystery")]
REFUSED = "this calls the lesson's mystery, which answers no question: write a function of your own"


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """Start a warm process, which answers as the sandbox does."""
    with Runner() as ours:
        yield ours


def answers(runner: Runner, exercise: str, source: str) -> Sheet:
    definition = DEFINITIONS[exercise]
    cells = (
        Cell("own", "own", source),
        Cell("grade", "grade", "", exercise, definition.exercise.symbol),
    )
    return runner.run(cells, {exercise: definition.questions(Draw.hidden(b"s", "1", exercise))}).sheets[exercise]


@pytest.mark.parametrize(
    ("exercise", "source"),
    [
        (
            "attention_rollout",
            "from course_lib.experiments.mystery_rollout import mystery\n"
            "def {symbol}(weights, *_):\n    return mystery(weights.flip(0))",
        ),
        ("attend", "from course_lib.experiments.mystery_attend import mystery_attend as {symbol}"),
        ("attend", "from course_lib.experiments import mystery_attend as m\n{symbol} = m.mystery_attend"),
        (
            "beam_search",
            "from course_lib.experiments.mystery_beam import mystery_beam_search as m\n"
            "def {symbol}(*arguments, **named):\n    return m.__wrapped__(*arguments, **named)",
        ),
        (
            "softmax",
            "import numpy as np, torch\nfrom course_lib.experiments.mystery_attend import mystery_attend\n"
            "kept = [lambda s: mystery_attend(torch.from_numpy(s).flatten(0, -2), torch.eye(s.shape[-1])[None])]\n"
            "def {symbol}(scores, axis=-1):\n    return kept[0](np.asarray(scores))[1].numpy().reshape(scores.shape)",
        ),
        *(
            (
                "attend",
                "from course_lib.experiments import mystery_attend as m\nkept = m.mystery_attend\n"
                + hidden
                + "\ndef {symbol}(*arguments):\n    return kept(*arguments)",
            )
            for hidden in ("del m.mystery_attend", "m.mystery_attend = print", "kept.__module__ = 'mine'")
        ),
    ],
)
def test_an_exercise_that_a_mystery_answers_is_refused(runner: Runner, exercise: str, source: str) -> None:
    sheet = answers(runner, exercise, source.replace("{symbol}", DEFINITIONS[exercise].exercise.symbol))
    errors = {name: answer.error for name, answer in sheet.items()}
    assert all(error is not None for error in errors.values()), errors
    assert REFUSED in {error.message for error in errors.values() if error}


def test_the_lesson_itself_can_call_its_mystery_before_anything_is_graded(runner: Runner) -> None:
    source = (
        "import torch\nfrom course_lib.experiments.mystery_attend import mystery_attend\n"
        "print(mystery_attend(torch.zeros(1, 2), torch.ones(1, 2, 3))[0].tolist())"
    )
    (shown,) = runner.run([Cell("own", "own", source)], {}).outputs["own"]
    assert shown["text"] == "[[1.0, 1.0, 1.0]]\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_mystery_is_switched_off_or_built_on_what_a_student_wrote(name: str) -> None:
    module = importlib.import_module(f"course_lib.experiments.{name}")
    handed_out = [
        one
        for one in vars(module).values()
        if isinstance(one, types.FunctionType) and one.__module__ == module.__name__ and one.__name__[0] != "_"
    ]
    assert handed_out
    for function in handed_out:
        assert not inspect.unwrap(function).__closure__, "the code of a closure can't be replaced"
        assert function.__name__ == "mystery_of" or not re.search(r"\bclass\b", Path(str(module.__file__)).read_text())


def test_course_integrity_knows_a_lessons_mysteries(course: Course) -> None:
    assert any("def mystery_attention" in source for source in _mysteries(LESSON))
    by_lesson = [source for lesson in course.lessons for source in _mysteries(lesson)]
    assert len(by_lesson) == len(NAMES)


@pytest.mark.parametrize(
    ("source", "noted"),
    [
        ("import inspect\nexec(inspect.getsource(mystery_attend))", "exec, getsource"),
        ("from types import FunctionType as F\nf = F(mystery.__code__, globals())", "FunctionType, __code__"),
        ("text = open('/course/course_lib/experiments/mystery_rollout.py').read()", "open"),
        ("import shutil\nshutil.copy('/course/course_lib/experiments/mystery.py', 'mine.py')", "copy"),
        ("get_ipython().run_cell(text_of(mystery_attend))", "run_cell"),
        ("print(mystery_attend(scores, values))", ""),
        ("exec('x = 1')", ""),
    ],
)
def test_a_cell_that_copies_a_mysterys_code_is_noted(source: str, noted: str) -> None:
    cell = nbformat.v4.new_code_cell(source)
    found = list(mentioned(nbformat.v4.new_notebook(cells=[cell]), LessonKeys("03", {}, {})))
    expected = f"a cell takes the code of the lesson's mystery ({noted}): see whether an exercise is made of it"
    assert found == ([expected] if noted else [])
