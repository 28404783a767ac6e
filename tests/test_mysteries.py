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
from tiers import slow_but

from autograder.building.release import release_library
from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.forbidden_calls import mentioned
from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.sandbox import Sandbox
from autograder.integrity.gather import _mysteries
from course_lib import experiments
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answers
from course_lib.checking.ask import ask
from course_lib.checking.judge import judge
from course_lib.course import Course
from course_lib.experiments import mystery_rollout
from course_lib.running.cell import Cell
from course_lib.running.runner import Runner

NAMES = [one.name for one in pkgutil.iter_modules(experiments.__path__) if one.name.startswith("mystery")]
REFUSED = "this calls the lesson's mystery, which answers no question: write a function of your own"


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """Start a warm process, which answers as the sandbox does."""
    with Runner() as ours:
        yield ours


def ask_source(runner: Runner, exercise: str, source: str) -> Answers:
    definition = DEFINITIONS[exercise]
    cells = (
        Cell("own", "own", source),
        Cell("grade", "grade", "", exercise, definition.exercise.symbol),
    )
    return runner.run(cells, {exercise: definition.questions(Sampler.hidden(b"s", "1", exercise))}).all_answers[
        exercise
    ]


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
            for hidden in (
                "del m.mystery_attend",
                "m.mystery_attend = print",
                "kept.__module__ = 'mine'",
                "import course_lib.running.answerer as a\na.switch_off_mysteries = lambda: None",
                "import course_lib.checking.mysteries as a\na._functions = tuple\na._refuse = kept",
            )
        ),
    ],
)
def test_an_exercise_that_a_mystery_answers_is_refused(runner: Runner, exercise: str, source: str) -> None:
    answers = ask_source(runner, exercise, source.replace("{symbol}", DEFINITIONS[exercise].exercise.symbol))
    errors = {name: answer.error for name, answer in answers.items()}
    assert all(error is not None for error in errors.values()), errors
    assert REFUSED in {error.message for error in errors.values() if error}


BEAM = "import types\nfrom course_lib.experiments.mystery_beam import mystery_beam_search as mystery\n"
CODE = "code = mystery.__wrapped__.__code__\n"
MAKE = "beam_search = types.FunctionType(code, {**mystery.__wrapped__.__globals__})"
#: ways to make another function of a mystery's compiled code
COPIED = {
    "a function": CODE + MAKE,
    "a function of code that has another name": CODE
    + "code = code.replace(co_name='mine', co_filename='mine')\n"
    + MAKE,
    "a function of code with other constants": CODE
    + "code = code.replace(co_consts=tuple(2 if c == 1 else c for c in code.co_consts))\n"
    + MAKE,
    "a function of code with one more instruction": CODE
    + "code = code.replace(co_code=code.co_code + bytes([9, 0]) * 20)\n"
    + MAKE,
    "a function of code that was written out": CODE
    + "import marshal\ncode = marshal.loads(marshal.dumps(code))\n"
    + MAKE,
    "code in another function": CODE
    + "def beam_search(*arguments): raise NotImplementedError\nbeam_search.__code__ = code",
    "code in the constants of another function": CODE
    + "def make():\n    def inner(*arguments): pass\n    return inner\n"
    + "outer = make.__code__\n"
    + "outer = outer.replace(co_consts=tuple(code if hasattr(c, 'co_code') else c for c in outer.co_consts))\n"
    + "beam_search = types.FunctionType(outer, {**mystery.__wrapped__.__globals__})()",
    "code in the constants of a module": CODE
    + "module = compile('def beam_search(*arguments): pass', 'mine', 'exec')\n"
    + "exec(module.replace(co_consts=tuple(code if hasattr(c, 'co_code') else c for c in module.co_consts)))",
    "code from a traceback": "try:\n    mystery(None, None, 1, 2, 3, 4)\nexcept Exception as error:\n"
    + "    trace = error.__traceback__\nwhile trace.tb_frame.f_code.co_name != 'mystery_beam_search':\n"
    + "    trace = trace.tb_next\ncode = trace.tb_frame.f_code\n"
    + MAKE,
    "a copy": "import copy\nbeam_search = copy.deepcopy(mystery.__wrapped__)",
    "a partial function": "import functools\nbeam_search = functools.partial(mystery, alpha=0.0)",
    "a method": "beam_search = types.MethodType(mystery.__wrapped__, None).__func__",
    "a cached function": "import functools\nbeam_search = functools.lru_cache(maxsize=0)(mystery)",
}


@pytest.mark.parametrize("how", slow_but(["a function"], COPIED))
def test_no_function_can_be_made_of_a_mysterys_code(runner: Runner, how: str) -> None:
    errors = {name: answer.error for name, answer in ask_source(runner, "beam_search", BEAM + COPIED[how]).items()}
    assert errors and all(error is not None for error in errors.values()), errors


def test_code_that_is_a_students_own_can_be_copied(runner: Runner) -> None:
    text = Path(str(mystery_rollout.__file__)).read_text(encoding="utf-8").replace("steps[0]", "steps[0].clone()")
    source = text + (
        "\nimport types\nown = mystery.__code__.replace(co_name='own')\n"
        "print(own.co_name)\nshares = types.FunctionType((lambda x: x + 1).__code__, globals())(1)\nprint(shares)"
    )
    source = source.replace("own = mystery.__code__", "def other(a):\n    return [b for b in a]\nown = other.__code__")
    (shown,) = runner.run([Cell("own", "own", source)], {}).outputs["own"]
    assert shown["text"] == "own\n2\n", "a student may also type in the mystery"


@pytest.mark.parametrize(
    "kept",
    [
        "{symbol} = mystery_of(Stub)",
        "class {symbol}(mystery_of(Stub)): pass",
        "class {symbol}(Stub):\n    forward = mystery_of(Stub).forward",
        "forward = mystery_of(Stub).forward\nclass {symbol}(Stub):\n    def forward(self, source):\n"
        "        return forward(self, source)",
    ],
)
def test_a_class_that_a_mystery_made_answers_no_question(runner: Runner, kept: str) -> None:
    definition = DEFINITIONS["recurrent_encoder"]
    stub = definition.reference.source.replace("class RecurrentEncoder", "class Stub")
    source = (
        f"import torch\nfrom torch import Tensor, nn\n{stub}\n"
        "def forward(self, source): raise NotImplementedError\nStub.forward = forward\n"
        "from course_lib.experiments.mystery_encoder import mystery_of\n"
        + kept.replace("{symbol}", definition.exercise.symbol)
    )
    answers = ask_source(runner, "recurrent_encoder", source)
    assert REFUSED in {answer.error.message for answer in answers.values() if answer.error}
    key = public_key("recurrent_encoder")
    hidden = definition.questions(Sampler.hidden(b"s", "1", definition.id))
    reference = ask(hidden, definition.load(definition.reference))
    assert judge(AnswerKey(key.exercise, hidden, reference), answers).score == 0


@pytest.fixture(scope="module")
def sandbox(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Start a sandbox with the library as it was released."""
    if bubblewrap_unavailable():
        pytest.skip(f"no sandbox here: {bubblewrap_unavailable()}")
    with Sandbox(release_library(course, LESSON, tmp_path_factory.mktemp("library"))) as ours:
        yield ours


@pytest.mark.parametrize(
    "read",
    [
        "inspect.getsource(mystery_attention)",
        "inspect.getsource(module)",
        "''.join(linecache.getlines(module.__file__))",
        "open(module.__file__).read()",
        "module.__loader__.get_data(module.__file__).decode()",
        "module.__loader__.get_source(module.__name__) or ''",
        "pkgutil.get_data('course_lib.experiments', 'mystery.py').decode()",
        "importlib.resources.files('course_lib.experiments').joinpath('mystery.py').read_text()",
        "open(shutil.copy(module.__file__, '/tmp/mine.py')).read()",
        "subprocess.run(['cat', module.__file__], capture_output=True, text=True).stdout",
    ],
)
def test_a_submission_cannot_read_a_mysterys_source(sandbox: Sandbox, read: str) -> None:
    source = (
        "import importlib.resources, inspect, linecache, pkgutil, shutil, subprocess\n"
        "import course_lib.experiments.mystery as module\nmystery_attention = module.mystery_attention\n"
        f"try:\n    print(len({read}))\nexcept OSError:\n    print(0)"
    )
    (shown,) = sandbox.run([Cell("own", "own", source)], {}).outputs["own"]
    assert shown.get("text") == "0\n", shown


def test_an_error_in_a_mystery_is_still_shown(sandbox: Sandbox) -> None:
    source = "from course_lib.experiments.mystery import mystery_attention\nmystery_attention(1, 2, 3)"
    (shown,) = sandbox.run([Cell("own", "own", source)], {}).outputs["own"]
    assert shown["ename"] == "AttributeError" and "mystery_attention" in "".join(shown["traceback"])


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
        ("from torch.fx import symbolic_trace\nmine = symbolic_trace(mystery)", "symbolic_trace"),
        ("import dis\ntext = dis.code_info(mystery)", "dis"),
        ("import torch\nmine = torch.jit.trace(mystery, weights)", "jit"),
        ("print(mystery_attend(scores, values))", ""),
        ("exec('x = 1')", ""),
    ],
)
def test_a_cell_that_copies_a_mysterys_code_is_noted(source: str, noted: str) -> None:
    cell = nbformat.v4.new_code_cell(source)
    found = list(mentioned(nbformat.v4.new_notebook(cells=[cell]), LessonKeys("03", {}, {})))
    expected = f"a cell takes the code of the lesson's mystery ({noted}): see whether an exercise is made of it"
    assert found == ([expected] if noted else [])
