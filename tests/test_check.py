"""`check` answers whatever it is given: in time, without a sound, with a number a gradebook can read."""

from __future__ import annotations

import collections
import contextlib
import decimal
import enum
import gc
import json
import logging
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from IPython.core.formatters import DisplayFormatter
from nbgrader.utils import determine_grade
from tiers import slow_but

import autograder
from autograder.exercises import DEFINITIONS
from autograder.exercises.public_keys import _with_hints
from autograder.exercises.sampler import Sampler
from course_lib import check, hint, solution
from course_lib.checking import in_time, time_limit
from course_lib.checking.answer_key import public_key, same
from course_lib.checking.ask import ask
from course_lib.checking.explain.advice import ENDLESS, GRADIENTS, INPUTS, MASK, NUMBER_TYPE, hints_for
from course_lib.checking.hints import FILE, Hints
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.judge import DOUBTFUL, judge
from course_lib.checking.questions import Question
from course_lib.checking.unsteady import leaves_nothing_to_chance
from course_lib.experiments.mystery import mystery_attention
from course_lib.kernel import check as checking
from course_lib.kernel.check import Score
from course_lib.session import CURRENT

ATTENTION = "scaled_dot_product_attention"


pytestmark = pytest.mark.usefixtures("new_kernel")


def implementation(exercise_id: str, name: str, **earlier: Any) -> Any:
    definition = DEFINITIONS[exercise_id]
    return definition.load(definition.implementation(name), earlier)


def graded_as(score: Score) -> float:
    """The points nbgrader reads from a cell that shows this score; what is shown must be sound."""
    shown, _ = DisplayFormatter().format(score)
    points = float(shown["text/plain"])
    assert math.isfinite(points)
    assert 0 <= points <= score.verdict.max_score
    assert score.text.strip()
    assert shown["text/html"].strip()
    json.dumps(shown, ensure_ascii=False).encode()  # what Jupyter sends
    output = nbformat.v4.new_output("execute_result", shown, execution_count=1)
    metadata = {"nbgrader": {"grade": True, "solution": False, "points": score.verdict.max_score, "grade_id": "x"}}
    cell = nbformat.v4.new_code_cell("check()", metadata=metadata, outputs=[output])
    assert determine_grade(cell) == (points, score.verdict.max_score)
    assert points == pytest.approx(float(score), abs=1e-4)
    return points


# time


def one_of_each_kind() -> list[str]:
    """An exercise for each kind of question: how they answer depends on how they are asked."""
    found: dict[type[Question], str] = {}
    for definition in DEFINITIONS.values():
        for question in definition.questions(Sampler.public(definition.id)):
            found.setdefault(type(question), definition.id)
    return list(dict.fromkeys(["softmax", ATTENTION, *found.values()]))


ONE_OF_EACH_KIND = one_of_each_kind()


@pytest.fixture(scope="module")
def _torch_is_imported() -> None:
    """PyTorch imports a part of itself at the first optimiser, which takes most of a second."""
    torch.optim.Adam([torch.zeros(1, requires_grad=True)]).step()


@pytest.mark.usefixtures("_torch_is_imported")
@pytest.mark.parametrize("name", ["reference", "stub"])
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_it_answers_within_a_second(exercise_id: str, name: str) -> None:
    asked = implementation(exercise_id, name)
    public_key(exercise_id)  # is made once on each machine
    gc.disable()  # to look through what all tests of this process have left takes longer, and no kernel holds as much
    try:
        start = time.process_time()
        score = check(exercise_id, asked)
        took = time.process_time() - start
    finally:
        gc.enable()
    assert took < 1
    assert graded_as(score) == (score.verdict.max_score if name == "reference" else 0)


def never(scores: Any, axis: int = -1) -> Any:
    while True:
        pass


def never_and_swallows(scores: Any, axis: int = -1) -> Any:
    while True:
        try:
            sum(range(10))
        except BaseException:
            continue


def never_and_computes(scores: Any, axis: int = -1) -> Any:
    while True:
        np.exp(scores)


def sleeps(scores: Any, axis: int = -1) -> Any:
    time.sleep(60)


def waits(scores: Any, axis: int = -1) -> Any:
    threading.Event().wait()


@pytest.mark.parametrize("endless", [never, never_and_swallows, never_and_computes])
def test_what_never_returns_is_stopped(
    endless: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(in_time, "SECONDS", 0.2)
    before = set(threading.enumerate())
    start = time.process_time()
    score = check("softmax", endless)
    assert time.process_time() - start < 1.5
    assert graded_as(score) == 0
    assert score.card.says == "It was stopped after 0.2 s of processor time. Look for a loop that never ends."
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive(), "its thread goes on"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("idle", [sleeps, waits])
@pytest.mark.slow
def test_what_waits_for_ever_is_stopped_and_is_not_called_a_loop(
    idle: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(time_limit, "IDLE_SECONDS", 2.0)
    score = check("softmax", idle)  # its thread notices nothing until it wakes; it ends with the process
    assert graded_as(score) == 0
    assert score.card.says.startswith("It was stopped: in 2 s it used hardly any processor time; look for something")
    assert "loop" not in score.text and "busy" not in score.text
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_it_is_stopped_after_three_seconds_of_processor_time() -> None:
    start = time.process_time()
    assert graded_as(check("softmax", never)) == 0
    assert 2.9 < time.process_time() - start < 4.5


class SlowClock(time_limit._Clock):
    """That of a busy machine: the thread gets a tenth of the processor."""

    def start(self) -> None:
        self.begun = time.monotonic()

    def read(self) -> float:
        return (time.monotonic() - self.begun) / 10


class Stuck:
    """A right softmax that comes to no end on some of its calls; let go when a test is over."""

    def __init__(self, *calls: int) -> None:
        self.calls, self.on, self.let_go = 0, calls, threading.Event()

    def __call__(self, scores: Any, axis: int = -1) -> Any:
        self.calls += 1
        if self.calls in self.on:
            self.let_go.wait()
        return implementation("softmax", "reference")(scores, axis)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "_Clock", SlowClock)
    monkeypatch.setattr(time_limit, "WALL_SECONDS", 0.5)


@pytest.mark.usefixtures("busy")
@pytest.mark.slow
def test_a_busy_machine_is_no_endless_loop() -> None:
    stuck = Stuck(1, 2)
    score = check("softmax", stuck)
    stuck.let_go.set()
    assert graded_as(score) == 0
    assert re.fullmatch(
        r"Not finished: it had 0\.\d s of processor time in \d s; the machine is busy, run it again\.", score.card.says
    )
    assert "loop" not in score.text


@pytest.mark.usefixtures("busy")
@pytest.mark.slow
def test_what_a_busy_machine_did_not_finish_is_tried_once_more() -> None:
    stuck = Stuck(3)
    score = check("softmax", stuck)
    stuck.let_go.set()
    assert score.verdict.passed
    assert stuck.calls == 1 + len(public_key("softmax").questions), "what was answered is not asked again"


def test_what_was_answered_in_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = implementation("softmax", "reference")
    monkeypatch.setattr(in_time, "SECONDS", 0.3)
    score = check("softmax", lambda scores, axis=-1: right(scores) if scores.ndim == 2 else never(scores))
    assert 0 < graded_as(score) < score.verdict.max_score


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to a thread")
def test_an_interrupt_ends_what_is_checked_too(capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted(scores: Any, axis: int = -1) -> Any:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        never(scores)

    threads, streams = set(threading.enumerate()), (sys.stdout, sys.stderr)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background a shell ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            check("softmax", interrupted)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert set(threading.enumerate()) <= threads
    assert (sys.stdout, sys.stderr) == streams
    print("heard")
    assert capfd.readouterr() == ("heard\n", "")


# what is returned


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def shared(depth: int) -> list[Any]:
    """Small to hold, and 4 to the power of ``depth`` numbers to walk through."""
    value: list[Any] = [0.0]
    for _ in range(depth):
        value = [value] * 4
    return value


def in_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


class Sullen(float):
    def __repr__(self) -> str:
        raise ValueError("no")

    __eq__ = __lt__ = __float__ = __str__ = __hash__ = __repr__  # type: ignore[assignment]


class Colour(enum.IntEnum):
    RED = 1


class Two(collections.namedtuple("Two", "a b")):
    pass


WEIRD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a bool": lambda: True,
    "a string": lambda: "weights",
    "10 MB of string": lambda: "x" * 10_000_000,
    "a lone surrogate": lambda: "\ud800",
    "nested lists": lambda: [[0.5, 0.5], [1.0]],
    "a tuple of nothing": lambda: (),
    "a dict": lambda: {"weights": np.ones(3), 2: "$", "$": None},
    "a lambda": lambda: lambda x: x,
    "a class": lambda: int,
    "a generator": lambda: (x for x in range(3)),
    "an enum": lambda: Colour.RED,
    "a named tuple": lambda: Two(1, 2),
    "a decimal": lambda: decimal.Decimal(1),
    "a float that will not be read": lambda: Sullen(1.0),
    "nan": lambda: math.nan,
    "-inf": lambda: -math.inf,
    "an integer of 400 digits": lambda: 10**400,
    "an integer of 5000 digits": lambda: 10**5000,
    "300 lists in each other": lambda: nested(300),
    "480 lists in each other": lambda: nested(480),
    "10,000 lists in each other": lambda: nested(10_000),
    "a list in itself": in_itself,
    "lists shared more often than anyone can walk": lambda: shared(40),
    "three million numbers in a list": lambda: [0.5] * 3_000_000,
    "a NumPy number": lambda: np.float64(1),
    "a NumPy long double": lambda: np.longdouble(1),
    "an array of no numbers": lambda: np.zeros((0, 3)),
    "an array of no dimensions": lambda: np.array(1.0),
    "an array of nan": lambda: np.full((2, 3), np.nan),
    "an array of objects": lambda: np.array([object(), None]),
    "an array of strings": lambda: np.array(["a"]),
    "an array of dates": lambda: np.array(["2017-06-12"], dtype="datetime64[D]"),
    "an array of records": lambda: np.zeros(2, dtype=[("a", int)]),
    "an array of complex numbers": lambda: np.zeros((2, 3), complex),
    "an array of long doubles": lambda: np.zeros((2, 3), np.longdouble),
    "an array of bytes upside down": lambda: np.ones((2, 3), ">f8"),
    "a matrix": lambda: np.matrix([[1.0, 2.0]]),
    "a masked array": lambda: np.ma.zeros((2, 3)),
    "a torch tensor": lambda: torch.ones(2, 3),
    "a tensor with a gradient": lambda: torch.ones(2, 3, requires_grad=True) * 2,
    "a tensor of half precision": lambda: torch.ones(2, 3, dtype=torch.bfloat16),
    "two tensors of half precision": lambda: (torch.ones(2, 3, dtype=torch.bfloat16),) * 2,
    "a tensor on meta": lambda: torch.empty(2, 3, device="meta"),
    "a sparse tensor": lambda: torch.eye(3).to_sparse(),
    "a tensor of eight bits": lambda: torch.zeros(2, 3).to(torch.float8_e4m3fn),
    "a quantised tensor": lambda: torch.quantize_per_tensor(torch.zeros(2, 3), 0.1, 0, torch.qint8),
    "a conjugate": lambda: torch.ones(2, 2, dtype=torch.complex64).conj(),
    "a tensor of tensors": lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
    "a parameter": lambda: torch.nn.Parameter(torch.ones(2, 3)),
    "a module": lambda: torch.nn.Linear(2, 2),
    "100 million numbers, expanded": lambda: torch.zeros(1).expand(10**8),
    "10 to the 12 numbers, expanded": lambda: torch.zeros(1).expand(10**12),
    "an array that is a view of one number": lambda: np.broadcast_to(np.float64(1), (10**6, 10**6)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "exercise_id, what",
    slow_but(
        [("softmax", what) for what in WEIRD],
        [  # every value for softmax, and a third of them, in turn, for each other kind of exercise
            (exercise_id, what)
            for turn, exercise_id in enumerate(ONE_OF_EACH_KIND)
            for place, what in enumerate(WEIRD)
            if exercise_id == "softmax" or (turn + place) % 3 == 0
        ],
    ),
)
def test_any_value_is_an_answer(exercise_id: str, what: str, capfd: pytest.CaptureFixture[str]) -> None:
    public_key(exercise_id)  # to make one takes longer than what is measured here
    start = time.process_time()  # what else the machine does is not ours
    score = check(exercise_id, lambda *_, **__: WEIRD[what]())
    assert graded_as(score) < score.verdict.max_score
    assert time.process_time() - start < 10  # most take a hundredth: nothing is walked through without a bound
    assert capfd.readouterr() == ("", "")


class AnyModule(torch.nn.Module):
    """A module with the parameters asked for, that returns what it is told to."""

    returns: Callable[[], Any]

    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (torch.nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def forward(self, *_: Any, **__: Any) -> Any:
        return type(self).returns()


@pytest.fixture(scope="module")
def meta_is_imported() -> None:
    """torch imports half of a computer algebra system at the first such operation: not within the three seconds."""
    with contextlib.suppress(RuntimeError):
        torch.ones(2, device="meta") * torch.ones(2)


@pytest.mark.usefixtures("meta_is_imported")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", WEIRD)
def test_any_value_of_a_module_is_an_answer(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    score = check("self_attention", type("SelfAttention", (AnyModule,), {"returns": staticmethod(WEIRD[what])}))
    assert graded_as(score) < score.verdict.max_score / 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("thing", [None, 5, "softmax", torch, [], object(), type("Empty", (), {}), math.sqrt])
@pytest.mark.parametrize("exercise_id", ONE_OF_EACH_KIND)
def test_what_is_no_implementation_earns_nothing(exercise_id: str, thing: Any) -> None:
    assert graded_as(check(exercise_id, thing)) == 0


# what is raised


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit("not even this")


def deep(*_: Any, **__: Any) -> Any:
    return deep()


RAISED: dict[str, BaseException] = {
    "Exception": Exception("it is wrong"),
    "SystemExit": SystemExit(3),
    "KeyboardInterrupt": KeyboardInterrupt(),
    "GeneratorExit": GeneratorExit(),
    "StopIteration": StopIteration(),
    "MemoryError": MemoryError(),
    "Mute": Mute(),
    "ExceptionGroup": ExceptionGroup("several", [ValueError("one"), TypeError("two")]),
    "ValueError": ValueError("\ud800 " + "x" * 10_000_000),
}


@pytest.mark.parametrize("name", RAISED)
@pytest.mark.parametrize("exercise_id", ONE_OF_EACH_KIND)
def test_anything_raised_is_an_answer(exercise_id: str, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    def raises(*_: Any, **__: Any) -> Any:
        raise RAISED[name]

    score = check(exercise_id, raises)
    assert graded_as(score) == 0
    # an exercise that asks for an error is right to raise it there
    assert re.search(f"(It|On some input it) stops with {name}", score.text)
    assert "raise RAISED[name]" in score.text, "the card shows the line"
    assert len(score.text) < 5_000
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_endless_recursion_is_an_answer(exercise_id: str) -> None:
    score = check(exercise_id, deep)
    assert graded_as(score) == 0
    assert "RecursionError" in score.text


def test_what_is_not_written_is_said_to_be_unwritten() -> None:
    score = check("softmax", implementation("softmax", "stub"))
    assert "Nothing is written here yet" in score.text
    assert "NotImplementedError" not in score.text


# what is done besides


def test_inputs_that_are_changed_are_a_broken_law_and_do_not_reach_the_questions() -> None:
    right = implementation("softmax", "reference")

    def changes(scores: Any, axis: int = -1) -> Any:
        weights = right(scores, axis)
        scores[...] = 7
        return weights

    for _ in range(2):
        assert "inputs_unchanged" in check("softmax", changes).verdict.broken_checks
    assert check("softmax", right).verdict.passed


def test_the_first_optimizer_of_a_process_is_made_before_the_time_limit_begins() -> None:
    code = (
        "import sys\n"
        "from course_lib import check\n"
        "from course_lib.checking import in_time\n"
        "from course_lib.checking.answer_key import public_key\n"
        "from course_lib.components.adam_w import AdamW\n"
        "public_key('adam_w')\n"
        "assert 'torch._dynamo' not in sys.modules, 'PyTorch imports it with the first optimizer'\n"
        "real = in_time.within\n"
        "def within(seconds, call, *more):\n"
        "    before = len(sys.modules)\n"
        "    done = real(seconds, call, *more)\n"
        "    assert len(sys.modules) - before < 20, 'nothing is imported while the time counts'\n"
        "    return done\n"
        "in_time.within = within\n"
        "score = check('adam_w', AdamW)\n"
        "assert score.verdict.passed, score.text\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_default_device_that_a_student_has_set_changes_nothing() -> None:
    attention = implementation("self_attention", "reference")
    torch.set_default_device("meta")
    try:
        assert check("self_attention", attention).verdict.passed
    finally:
        torch.set_default_device(None)


def test_the_same_wrong_code_again_may_be_an_edit_that_was_not_run() -> None:
    wrong, other = (implementation("softmax", name) for name in ("sum_of_everything", "no_exponential"))
    assert not check("softmax", wrong).card.note
    assert check("softmax", wrong).card.note.startswith("This is the same code as in the last check.")
    assert not check("softmax", other).card.note
    right = implementation("softmax", "reference")
    assert not check("softmax", right).card.note and not check("softmax", right).card.note


def loud(scores: Any, axis: int = -1, log: Any = None) -> Any:
    print("x" * 10_000_000)
    print("an error", file=sys.stderr)
    print("kept", file=log)
    sys.stdout.buffer.write(b"bytes")
    sys.__stdout__.write("the process's own")  # type: ignore[union-attr]
    sys.__stderr__.write("the process's own")  # type: ignore[union-attr]
    os.write(1, b"descriptor 1")
    os.write(2, b"descriptor 2")
    subprocess.run(
        [sys.executable, "-c", "import os; os.write(1, b'a program'); os.write(2, b'a program')"], check=True
    )
    warnings.simplefilter("always")
    warnings.warn("a warning", stacklevel=1)
    np.log(np.zeros(1))
    logging.getLogger("student").critical("a log line")
    logging.warning("a log line of the root's")
    return implementation("softmax", "reference")(scores, axis)


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_is_printed_reaches_anyone(capfd: pytest.CaptureFixture[str]) -> None:
    handlers = logging.root.handlers[:]
    kept = sys.stderr
    calls = []

    def once(scores: Any, axis: int = -1) -> Any:
        calls.append(1)
        quiet = implementation("softmax", "reference")
        return loud(scores, axis, log=kept) if len(calls) == 1 else quiet(scores, axis)

    score = check("softmax", once)
    for handler in set(logging.root.handlers) - set(handlers):
        logging.root.removeHandler(handler)
    assert graded_as(score) == score.verdict.max_score
    assert capfd.readouterr() == ("", "")


def test_afterwards_everything_is_heard_again(capfd: pytest.CaptureFixture[str]) -> None:
    print("before")
    check("softmax", implementation("softmax", "stub"))
    print("after")
    print("error", file=sys.stderr)
    os.write(2, b"descriptor 2\n")
    logging.getLogger("student").addHandler(handler := logging.StreamHandler())
    logging.getLogger("student").error("logged")
    logging.getLogger("student").removeHandler(handler)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        warnings.warn("warned", stacklevel=1)
    assert len(warned) == 1
    assert capfd.readouterr() == ("before\nafter\n", "error\ndescriptor 2\nlogged\n")


# the card


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>`\"'&*b*"


def raises_html(*_: Any, **__: Any) -> Any:
    raise type(EVIL, (Exception,), {})(EVIL)


@pytest.mark.parametrize(
    "evil",
    [
        raises_html,
        lambda *_: EVIL,
        lambda *_: [EVIL],
        lambda *_: {EVIL: EVIL},
        lambda *_: type(EVIL, (), {})(),
        lambda *_: (EVIL, EVIL),
    ],
)
@pytest.mark.parametrize("exercise_id", ONE_OF_EACH_KIND)
def test_nothing_of_a_student_is_html(exercise_id: str, evil: Any) -> None:
    score = check(exercise_id, evil)
    tags = Tags()
    tags.feed(score._repr_html_())
    assert {tag for tag, _ in tags.found} <= {
        "div",
        "ul",
        "li",
        "span",
        "p",
        "b",
        "code",
        "em",
        "pre",
        "details",
        "summary",
        "table",
        "tr",
        "td",
        "th",
    }
    assert {name for _, attributes in tags.found for name, _ in attributes} <= {
        "style",
        "role",
        "aria-label",
        "class",
        "tabindex",
    }
    assert graded_as(score) == 0


def test_the_card_shows_the_smallest_example_with_the_students_own_output() -> None:
    score = check("softmax", lambda scores, axis=-1: np.full(scores.shape, 0.125))
    assert "your weights = " in score.text
    assert "0.125" in score.text
    assert "0.125" in score._repr_html_()


# hints


def level(score: Score) -> int:
    assert score.card.hint is not None
    return score.card.hint[0]


def constant(value: float) -> Callable[..., Any]:
    return lambda scores, axis=-1: np.full(scores.shape, value)


def test_running_the_same_again_burns_no_hint() -> None:
    for _ in range(4):  # each check reads the file anew, as a new kernel does
        assert level(check("softmax", constant(0.1))) == 1
        assert level(check(ATTENTION, implementation(ATTENTION, "unscaled"))) == 1


def test_an_error_that_quotes_an_address_is_the_same_on_each_run() -> None:
    def quotes(scores: Any, axis: int = -1) -> Any:
        raise TypeError(f"not for {object()!r}")

    for _ in range(3):
        score = check("softmax", quotes)
        assert level(score) == 1
        assert "0x…" in score.text


def test_however_often_one_tries_only_the_first_hint_comes_by_itself() -> None:
    assert [level(check("softmax", constant(value / 10))) for value in range(1, 10)] == [1] * 9


def test_another_fault_brings_no_hint_closer() -> None:
    def stops(scores: Any, axis: int = -1) -> Any:
        raise ValueError(f"on {next(numbers)}")

    numbers = iter(range(100))
    for _ in range(3):
        faults = [constant(next(numbers)), stops, implementation("softmax", "axis_ignored")]
        assert [level(check("softmax", wrong)) for wrong in faults] == [1, 1, 1]


def test_a_hint_asked_for_is_the_next_one_and_changes_no_points() -> None:
    first = check("softmax", constant(0.1))
    asked = [hint("softmax") for _ in range(3)]
    assert [level(score) for score in asked] == [2, 3, 3]
    assert {graded_as(score) for score in asked} == {graded_as(first)}
    texts = [score.card.hint[1] for score in (first, *asked[:2]) if score.card.hint]
    assert texts == list(public_key("softmax").exercise.hints)
    assert level(check("softmax", constant(0.1))) == 3, "it is remembered"


def test_what_should_come_out_is_shown_with_the_last_hint_and_not_before() -> None:
    shown = [score.text for score in (check("softmax", constant(0.1)), hint("softmax"), hint("softmax"))]
    assert ["right weights = " in text for text in shown] == [False, False, True]
    assert "Right</div>" in check("softmax", constant(0.1))._repr_html_()


def endless(scores: Any, axis: int = -1) -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    "exercise_id, mistake, advice",
    [
        (ATTENTION, "everything_detached", GRADIENTS),
        ("softmax", "input_overwritten", INPUTS),
        ("softmax", "single_precision", NUMBER_TYPE),
        ("multi_head_attention", "mask_not_passed", MASK),
    ],
)
def test_a_hint_belongs_to_what_fails(exercise_id: str, mistake: str, advice: tuple[str, str, str]) -> None:
    key = public_key(exercise_id)
    answers = answers_in_time(key.questions, implementation(exercise_id, mistake))
    unnamed = replace(judge(key, answers), naming=None)
    assert hints_for(unnamed, key) == advice


def test_an_endless_loop_is_not_answered_with_the_solution() -> None:
    assert check("softmax", endless).card.hint == (1, ENDLESS[0])


def test_code_that_answers_twice_in_two_ways_is_told_so() -> None:
    seen: list[Any] = []

    def adds_up(scores: Any, axis: int = -1) -> Any:
        seen.append(1)
        return implementation("softmax", "reference")(scores, axis) + len(seen)

    assert check("softmax", adds_up).card.says.startswith("Asked the same question twice")
    assert not check("softmax", constant(0.1)).card.says.startswith("Asked")


def test_dropout_that_is_never_switched_off_is_told() -> None:
    class Dropped(implementation("layer_norm", "reference")):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return torch.nn.functional.dropout(super().forward(x) + 1, 0.3)

    assert check("layer_norm", Dropped).card.says.startswith("Your code uses random numbers where it should not")


def test_what_a_right_implementation_answers_is_left_to_no_chance() -> None:
    for definition in DEFINITIONS.values():
        right = definition.load(definition.reference)
        questions = [question for question in public_key(definition.id).questions if leaves_nothing_to_chance(question)]
        once, again = (ask(questions, right, chance=seed) for seed in (0, 1))
        differ = [
            question.name for question in questions if not same(question, once[question.name], again[question.name])
        ]
        assert not differ, f"{definition.id}: {differ}"


def test_each_mistake_has_hints_of_its_own() -> None:
    check(ATTENTION, implementation(ATTENTION, "unscaled"))
    assert level(hint(ATTENTION)) == 2
    assert level(check(ATTENTION, implementation(ATTENTION, "mask_inverted"))) == 1


def test_a_right_answer_has_no_hint() -> None:
    assert check("softmax", implementation("softmax", "reference")).card.hint is None
    assert hint("softmax").card.hint is None


def test_a_hint_before_a_check_says_what_to_do() -> None:
    with pytest.raises(KeyError, match=re.escape("Run the check of 'softmax' first")):
        hint("softmax")


SPOILT = (
    *("", "{", "[]", "null", "\0", "[" * 100_000),
    '{"softmax: unnamed equals_by_hand": 5}',
    '{"softmax": {"last": 5}, "softmax: unnamed": {"level": "x"}}',
    '{"softmax: unnamed": {"level": 99, "answers": []}}',
    '{"softmax: unnamed": {"level": -5}}',
)


@pytest.mark.parametrize("remembered", SPOILT)
def test_a_spoilt_memory_of_hints_is_no_failure(remembered: str) -> None:
    FILE.parent.mkdir()
    FILE.write_text(remembered)
    check("softmax", constant(0.1))
    assert level(hint("softmax")) in (1, 2, 3)


@pytest.mark.parametrize("spoil", [lambda: FILE.parent.write_text("a file"), lambda: FILE.mkdir(parents=True)])
def test_a_folder_that_cannot_be_written_to_is_no_failure(spoil: Callable[[], object]) -> None:
    spoil()
    assert level(check("softmax", constant(0.1))) == 1
    assert level(hint("softmax")) >= 1
    assert level(check("softmax", constant(0.2))) == 1


def test_hints_are_remembered_where_the_file_says(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "hints.json"
    assert Hints(file).step("softmax", "unnamed") == 0
    assert Hints(file).next("softmax") == 1
    assert Hints(file).next("another") == 0
    assert json.loads(file.read_text())["softmax"] == {"last": "softmax: unnamed"}


# what is carried from one exercise to the next


def test_a_mistake_named_earlier_is_not_charged_again() -> None:
    wrong = implementation(ATTENTION, "divided_by_d_k")
    builds_on_it = implementation("self_attention", "reference", scaled_dot_product_attention=wrong)
    score = check("self_attention", builds_on_it)  # which looks at the attention, too
    assert check(ATTENTION, wrong).verdict.misconception == "divided_by_d_k"
    assert graded_as(check("self_attention", builds_on_it)) == graded_as(score)
    assert graded_as(score) == score.verdict.max_score
    assert score.verdict.carried == (ATTENTION, "divided_by_d_k")
    assert "comes from your `scaled_dot_product_attention`" in score.text
    assert "there is nothing to do here" in score.text
    # what it is built on decides, and not what was checked last
    check(ATTENTION, implementation(ATTENTION, "reference"))
    assert check("self_attention", builds_on_it).verdict.carried == (ATTENTION, "divided_by_d_k")
    mended = implementation("self_attention", "reference")
    mended.forward.__globals__[ATTENTION] = implementation(ATTENTION, "reference")
    assert check("self_attention", mended).verdict.passed


def test_what_builds_on_something_wrong_without_a_name_is_not_accused_alone() -> None:
    right = implementation(ATTENTION, "reference")

    def inverted_and_halved(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        return right(query / 2, key, value, None if mask is None else ~mask)

    over = implementation("self_attention", "reference", scaled_dot_product_attention=inverted_and_halved)
    begun = "It builds on your `scaled_dot_product_attention`, which is not right yet. Fix that first"
    for known in (False, True):
        if known:
            assert check(ATTENTION, inverted_and_halved).verdict.misconception is None
        assert begun in check("self_attention", over).text
    over_right = implementation("self_attention", "keys_by_w_q", scaled_dot_product_attention=right)
    assert begun not in check("self_attention", over_right).text


def test_what_is_not_written_is_not_blamed_for_anything() -> None:
    assert check(ATTENTION, implementation(ATTENTION, "stub")).verdict.error.unwritten  # type: ignore[union-attr]
    assert not CURRENT.judged[ATTENTION][1].wrong


def test_where_a_course_gives_no_hints_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    key = checking.public_key("softmax")
    bare = replace(key, exercise=_with_hints(key.exercise, 0))
    monkeypatch.setattr(checking, "public_key", lambda _: bare)
    check("softmax", constant(0.1))
    assert "Your course gives no further hint on this." in hint("softmax").text
    check("softmax", implementation("softmax", "stub"))
    with pytest.raises(LookupError, match=r"who has tried\.$"):
        solution("softmax")


def test_what_was_mended_since_and_not_checked_again_is_blamed_for_nothing() -> None:
    wrong, right = implementation(ATTENTION, "divided_by_d_k"), implementation(ATTENTION, "reference")
    begun = "It builds on your `scaled_dot_product_attention`, which is not right yet"
    check(ATTENTION, wrong)
    over_wrong, over_right = (
        check("self_attention", implementation("self_attention", "keys_by_w_q", scaled_dot_product_attention=attention))
        for attention in (wrong, right)
    )
    assert begun in over_wrong.text
    assert begun not in over_right.text
    assert over_right.verdict.misconception == "keys_by_w_q"
    assert begun not in check("self_attention", implementation("self_attention", "keys_by_w_q")).text


def test_a_part_that_was_changed_and_not_checked_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    check(ATTENTION, implementation(ATTENTION, "divided_by_d_k"))
    other = implementation(ATTENTION, "unscaled")
    asked: list[Any] = []
    ask = checking.answers_in_time

    def counted(questions: Any, asked_of: Any, *more: Any) -> Any:
        asked.append(asked_of)
        return ask(questions, asked_of, *more)

    monkeypatch.setattr(checking, "answers_in_time", counted)
    for _ in range(3):
        check("self_attention", implementation("self_attention", "keys_by_w_q", scaled_dot_product_attention=other))
    assert asked.count(other) == 1


def test_a_check_judges_its_own_answers_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counted(key: Any, *more: Any) -> Any:
        judged.append(key.exercise.id)
        return judge(key, *more)

    monkeypatch.setattr(checking, "judge", counted)
    wrong = implementation(ATTENTION, "unscaled")
    check("self_attention", implementation("self_attention", "keys_by_w_q", scaled_dot_product_attention=wrong))
    assert sorted(judged) == [ATTENTION, "self_attention"]
    judged.clear()
    right = implementation(ATTENTION, "reference")
    check("self_attention", implementation("self_attention", "reference", scaled_dot_product_attention=right))
    assert judged == ["self_attention"], "nothing is wrong, so no earlier part is looked at"


def test_a_lessons_own_example_leaves_the_names_of_mistakes_alone() -> None:
    check(ATTENTION, implementation(ATTENTION, "divided_by_d_k"))
    ours = implementation("self_attention", "keys_by_w_q", scaled_dot_product_attention=lambda *_: None)
    ours.__module__ = "course_lib.experiments.example"
    before = dict(CURRENT.judged)
    check("self_attention", ours)
    assert CURRENT.judged == before != {}


def test_the_same_mistake_made_twice_pays_hardly_more_than_made_once() -> None:
    """Right code over that mistake answers the same and gets up to a tenth that can't be seen; so does this."""
    once, wrong = implementation(ATTENTION, "reference"), implementation(ATTENTION, "unscaled")
    twice = implementation("self_attention", "unscaled")
    only_later = check(ATTENTION, once) + check("self_attention", twice)
    in_both = check(ATTENTION, wrong) + check("self_attention", twice)
    assert in_both <= only_later + DOUBTFUL * DEFINITIONS["self_attention"].exercise.points


def test_a_lessons_own_example_disturbs_nothing() -> None:
    wrong = implementation(ATTENTION, "unscaled")
    check(ATTENTION, wrong)
    before = FILE.read_text()
    for _ in range(3):
        example = check(ATTENTION, mystery_attention)
        assert example.verdict.misconception == "softmax_over_queries"
        assert level(example) == 1
    assert FILE.read_text() == before
    builds_on_it = implementation("self_attention", "reference", scaled_dot_product_attention=wrong)
    assert check("self_attention", builds_on_it).verdict.carried == (ATTENTION, "unscaled")
    assert hint(ATTENTION).verdict.misconception == "unscaled"


# names


@pytest.mark.parametrize("call", [lambda: check("zzzz", print), lambda: hint("zzzz")])
def test_a_name_like_no_exercise_is_answered_with_those_of_the_lesson(
    call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CURRENT, "lesson", "03_self_attention")
    with pytest.raises(KeyError, match="no exercise is called 'zzzz'; those of this lesson are: softmax, "):
        call()


def test_grading_in_python_names_all_exercises() -> None:
    with pytest.raises(KeyError) as raised:
        autograder.grade("zzzz", print)
    assert all(exercise_id in str(raised.value) for exercise_id in DEFINITIONS)


# from Python


@pytest.fixture(scope="module")
def reports() -> dict[tuple[str, str], autograder.Report]:
    names = {"softmax": ("reference", "stub", "no_max_subtraction"), ATTENTION: ("reference", "unscaled")}
    return {(e, n): autograder.grade(e, implementation(e, n)) for e in names for n in names[e]}


def test_every_exercise_can_be_graded_from_python() -> None:
    assert autograder.exercise_ids() == tuple(DEFINITIONS)


@pytest.mark.filterwarnings("ignore")
def test_a_report_says_score_laws_misconception_and_message(reports: dict[tuple[str, str], autograder.Report]) -> None:
    for (exercise_id, name), report in reports.items():
        exercise = DEFINITIONS[exercise_id].exercise
        assert list(report.checks) == [check.name for check in exercise.checks]
        assert report.max_score == exercise.points
        assert exercise.symbol in report.message
        if name == "reference":
            assert report.score == report.max_score
            assert all(report.checks.values())
            assert report.misconception is None
        elif name == "stub":
            assert report.score == 0
            assert report.misconception is None
        else:
            assert 0 <= report.score < report.max_score
            assert report.misconception == name
            assert exercise.misconception(name).sentence in report.message
            assert "Hint 1 of 3" in report.message


def test_it_is_graded_on_other_numbers_than_those_at_home() -> None:
    key = public_key("softmax")
    known = {
        q.inputs[0]["scores"].tobytes(): key.right(q.name).values["weights"]
        for q in (*key.questions, *key.examples)
        if not q.watched
    }
    by_heart = lambda scores, axis=-1: known.get(scores.tobytes())  # noqa: E731
    assert check("softmax", by_heart).verdict.passed
    assert autograder.grade("softmax", by_heart).score == 0
