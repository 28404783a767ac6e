"""Running cells without a Jupyter kernel: what they show, what they may use, what is asked of them."""

from __future__ import annotations

import base64
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiers import slow_but

from course_lib.checking.answers import (
    Answer,
    Error,
    decode_answers,
    encode_answers,
    pack,
    plain_answer,
    same_answer,
    unpack,
)
from course_lib.checking.ask import ask
from course_lib.checking.failure import Failure
from course_lib.checking.questions import Call
from course_lib.checking.values import MOST_NUMBERS, Room, Unsupported
from course_lib.running.answerer import park
from course_lib.running.cell import Cell
from course_lib.running.defined import LONGEST, names_in, names_in_each
from course_lib.running.frames import Broken, Line
from course_lib.running.limits import Limits
from course_lib.running.outcome import PUBLIC, Outcome
from course_lib.running.outputs import read_outputs
from course_lib.running.recorder import Recorder
from course_lib.running.runner import Runner

QUESTIONS = tuple(
    Call(name, {"x": np.arange(n + 1.0)}, returns=["y"]) for n, name in enumerate(("one", "two", "three"))
)
GRADE = Cell("grade", "grade", "", exercise="double", symbol="double")
DOUBLE = Cell("double", "exercise", "def double(x):\n    return 2 * x\n")


def double(x: Any) -> Any:
    return 2 * x


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as warm:
        yield warm


def run(runner: Runner, *sources: str | Cell, limits: Limits | None = None) -> Outcome:
    cells = [Cell(f"c{n}", "own", s) if isinstance(s, str) else s for n, s in enumerate(sources)]
    return runner.run(cells, {"double": QUESTIONS}, limits)


def only(runner: Runner, source: str, **limits: Any) -> list[dict[str, Any]]:
    return list(run(runner, source, limits=Limits(**limits)).outputs["c0"])


def errors(outcome: Outcome) -> set[str]:
    return {answer.error.type if answer.error else "" for answer in outcome.all_answers["double"].values()}


def raised(outcome: Outcome) -> list[str]:
    """Return the errors that cells raised."""
    return [output["evalue"] for shown in outcome.outputs.values() for output in shown if "evalue" in output]


# what a cell shows


def test_a_cell_shows_what_it_shows_in_jupyter(runner: Runner) -> None:
    printed, result = only(runner, "print('a'); print('b')\n6 * 7")
    assert printed == {"output_type": "stream", "name": "stdout", "text": "a\nb\n"}
    assert (result["output_type"], result["data"]["text/plain"]) == ("execute_result", "42")
    assert only(runner, "6 * 7;") == []
    assert only(runner, "import sys; print('x', file=sys.stderr)")[0]["name"] == "stderr"


def test_a_figure_is_shown_as_png_with_and_without_the_magic(runner: Runner) -> None:
    plot = "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1)); plt.plot([1, 2]);"
    for source in (plot, "%matplotlib inline\n" + plot):
        (figure,) = only(runner, source)
        assert base64.b64decode(figure["data"]["image/png"]).startswith(b"\x89PNG")


def test_a_figure_of_the_course_is_shown_as_an_image_with_its_description(runner: Runner) -> None:
    (figure,) = only(runner, "from course_lib import figures\nfigures.attention_map([[1.0]], ['a'], ['b'])")
    assert base64.b64decode(figure["data"]["image/png"]).startswith(b"\x89PNG")
    assert f"[figure: {figure['metadata']['image/png']['alt']}]" == figure["data"]["text/plain"]


def test_magics_await_and_programs_work(runner: Runner) -> None:
    assert only(runner, "!echo from a program")[0]["text"] == "from a program\n"
    assert only(runner, "import asyncio\nawait asyncio.sleep(0, 'awaited')")[0]["data"]["text/plain"] == "'awaited'"
    (timed,) = only(runner, "%timeit -n1 -r1 pass")
    assert "loop" in timed["text"]


def test_a_notebook_imports_the_files_that_it_writes(runner: Runner, tmp_path: Path) -> None:
    sources = [
        f"%cd -q {tmp_path}",
        "%%writefile mine.py\ndef one():\n    return 1",
        "from mine import one\nprint(one())",
        "open('torch.py', 'w').write('broken(')\nopen('course_lib.py', 'w').write('broken(')\nimport torch, course_lib",
        "%%writefile more.py\nthree = 3",
        "%run more.py",
        "print(three)",
    ]
    outcome = run(runner, *sources, DOUBLE, GRADE)
    assert not raised(outcome)
    texts = [each["text"] for shown in outcome.outputs.values() for each in shown if "text" in each]
    assert "1\n" in texts and "3\n" in texts
    assert outcome.status == "graded"


def test_only_the_notebooks_own_process_imports_from_its_folder(runner: Runner) -> None:
    assert "-P" in runner.command()
    (shown,) = only(runner, "import sys; print(sys.path.count(''), sys.path[0] == '')")
    assert shown["text"] == "1 True\n"


@pytest.mark.parametrize(
    "call",
    [
        "example('softmax')",
        "example('softmax', expected=True)",
        "example('self_attention', expected=True)",
        "hint('softmax')",
        "solution('softmax')",
        "lesson_end()",
        "predict('width', 'a', a=True, b=False)",
        "check('softmax', softmax)",
    ],
)
def test_calls_that_need_a_check_run_although_the_check_is_left_out(runner: Runner, tmp_path: Path, call: str) -> None:
    names = "check, example, hint, lesson_end, predict, solution"
    source = (
        f"%cd -q {tmp_path}\nfrom course_lib import {names}\ndef softmax(scores, axis=-1):\n    return scores\n{call}"
    )
    assert not raised(run(runner, source))


def test_an_exception_is_shown_and_stops_nothing(runner: Runner) -> None:
    outcome = run(runner, "print('before')\n1 / 0", "def broken(:", "import sys; sys.exit(1)", "print('after')")
    assert [o["output_type"] for o in outcome.outputs["c0"]] == ["stream", "error"]
    names = [outcome.outputs[f"c{n}"][-1].get("ename") for n in (0, 1)]
    assert names == ["ZeroDivisionError", "SyntaxError"]
    assert any(o.get("ename") == "SystemExit" for o in outcome.outputs["c2"])
    assert outcome.outputs["c3"][0]["text"] == "after\n"
    assert (outcome.status, outcome.reason) == ("graded", "")


def test_a_traceback_shows_the_students_lines_and_none_of_ours(runner: Runner) -> None:
    (error,) = only(runner, "def f():\n    return 1 / 0\nf()")
    text = "\n".join(error["traceback"])
    assert "return 1 / 0" in text
    assert "course_lib" not in text


def test_an_endless_recursion_is_shown_in_short(runner: Runner) -> None:
    started = time.monotonic()
    (error,) = only(runner, "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)")
    assert error["ename"] == "RecursionError"
    assert "return g(n)" in "".join(error["traceback"])
    assert time.monotonic() - started < 1


def test_streams_that_a_cell_replaced_are_put_back(runner: Runner) -> None:
    outcome = run(runner, "import sys; sys.stdout = sys.stderr = None", "print('here')")
    assert outcome.outputs["c1"][0]["text"] == "here\n"


def test_random_numbers_without_a_seed_are_the_same_in_every_run(runner: Runner) -> None:
    sampler = "import random, numpy, torch\n(random.random(), numpy.random.rand(), torch.rand(1), hash('a'))"
    assert only(runner, sampler) == only(runner, sampler)


# which cells run


def test_demo_cells_run_only_where_a_name_is_missing(runner: Runner) -> None:
    demo = Cell("demo", "demo", "print('demo')\nwidth = 3")
    assert "demo" not in run(runner, demo, "1").outputs
    missed = run(runner, demo, "print(width)")
    assert missed.outputs["demo"][0]["text"] == "demo\n"
    assert missed.outputs["c1"][0]["text"] == "3\n"


def test_demo_cells_run_where_only_the_answer_misses_a_name(runner: Runner) -> None:
    demo = Cell("demo", "demo", "factor = 2")
    late = Cell("double", "exercise", "def double(x):\n    return factor * x\n")
    assert errors(run(runner, demo, late, GRADE)) == {""}
    assert errors(run(runner, late, GRADE)) == {"NameError"}


def test_demo_cells_that_only_use_a_name_are_not_run_for_it(runner: Runner) -> None:
    demo = Cell("demo", "demo", "print(double(3))\nfrom math import pi as tau")
    outcome = run(runner, demo, Cell("double", "exercise", "def doubel(x):\n    return 2 * x\n"), GRADE)
    assert "demo" not in outcome.outputs
    assert errors(outcome) == {"NameError"}
    assert "demo" in run(runner, demo, "tau").outputs


def test_where_an_exercise_cell_ends_in_an_error_it_is_told_instead_of_the_missing_name(runner: Runner) -> None:
    demo = Cell("demo", "demo", "double(3)")
    wrong = Cell("wrong", "exercise", "def double(x):\n    return x[\n")
    outcome = run(runner, "'an earlier cell'", wrong, demo, GRADE)
    assert "demo" not in outcome.outputs
    assert outcome.outputs["wrong"][0]["ename"] == "SyntaxError"
    (answer, *_) = outcome.all_answers["double"].values()
    assert answer.error is not None
    assert answer.error.type == "SyntaxError"
    assert answer.error.message.endswith("(line 2)")


@pytest.mark.parametrize(
    ("source", "names"),
    {
        "a, (b, *c) = 1, 2": {"a", "b", "c"},
        "for i in x:\n    with open(y) as f:\n        n: int = (m := 3)": {"i", "f", "n", "m"},
        "def g(u):\n    v = u\nclass K: pass\nasync def h(): pass": {"g", "v", "K", "h"},
        "import os.path, numpy as np\nfrom torch import nn as layers, Tensor": {"os", "np", "layers", "Tensor"},
        "print(x)": set(),
    }.items(),
)
def test_the_names_that_a_cell_defines(source: str, names: set[str]) -> None:
    assert names_in(source) == names


@pytest.mark.parametrize("source", ["%matplotlib inline\nx = 1", "from math import *", "x = ["])
def test_a_cell_that_cannot_be_read_may_define_any_name(source: str) -> None:
    assert "anything" in names_in(source)


def test_cells_that_are_longer_than_a_lessons_are_not_read_for_names() -> None:
    long = "a = 1\n" * (LONGEST // 6 - 3)
    found = names_in_each([long, "b = 1", "c = " + "1" * 100])
    assert ["x" in names for names in found] == [False, False, True]


# what is asked


def test_answers_are_those_of_asking_in_this_process(runner: Runner) -> None:
    outcome = run(runner, DOUBLE, GRADE)
    expected = ask(QUESTIONS, double)
    assert outcome.all_answers["double"].keys() == expected.keys()
    assert all(same_answer(outcome.all_answers["double"][name], expected[name]) for name in expected)


def test_an_answerer_is_there_before_the_notebook_goes_on_and_may_end() -> None:
    ours, theirs = socket.socketpair()

    def begin_slowly() -> None:
        ours.close()
        time.sleep(0.3)

    with ours, theirs:
        park(double, Line(theirs, 1000), Limits(), begin_slowly)
        ours.setblocking(False)
        assert ours.recv(1000)


def test_a_later_cell_does_not_change_an_earlier_answer(runner: Runner) -> None:
    poison = "import numpy\ndouble = None\nnumpy.ndarray = None\nimport course_lib.checking.ask as a\na.ask = None"
    assert errors(run(runner, DOUBLE, GRADE, poison)) == {""}


def test_a_missing_name_is_every_answers_error(runner: Runner) -> None:
    assert errors(run(runner, GRADE)) == {"NameError"}


def test_a_stub_answers_with_its_error(runner: Runner) -> None:
    stub = Cell("double", "exercise", "def double(x):\n    raise NotImplementedError()\n")
    assert errors(run(runner, stub, GRADE)) == {"NotImplementedError"}


def test_gradients_can_be_taken_before_and_in_an_answer(runner: Runner) -> None:
    train = "import torch\nw = torch.ones(300, 300, requires_grad=True)\n(w @ w).sum().backward()"
    source = (
        "def double(x):\n    t = torch.as_tensor(x).requires_grad_()\n    (t * t).sum().backward()\n"
        "    torch.set_num_threads(2); torch.ones(500, 500) @ torch.ones(500, 500)\n    return t.grad.numpy()\n"
    )
    threads = "torch.set_num_threads(2); a = torch.ones(500, 500); a @ a; a + a;"
    outcome = run(runner, train, Cell("double", "exercise", source), threads, GRADE)
    assert errors(outcome) == {""}


def test_a_question_that_never_ends_leaves_the_answers_before_it(runner: Runner) -> None:
    source = "def double(x):\n    while len(x) > 1: pass\n    return 2 * x\n"
    outcome = run(runner, Cell("double", "exercise", source), GRADE, limits=Limits(answer_seconds=0.5))
    kinds = [answer.error.type if answer.error else "" for answer in outcome.all_answers["double"].values()]
    assert kinds == ["", "TimeLimit", "TimeLimit"]
    assert outcome.status == "stopped" and outcome.final
    assert "double" in outcome.reason


def test_an_answer_that_only_waits_is_final_and_is_not_called_endless(runner: Runner) -> None:
    source = "import time\ndef double(x):\n    if len(x) > 1: time.sleep(60)\n    return 2 * x\n"
    outcome = run(runner, Cell("double", "exercise", source), GRADE, limits=Limits(idle_seconds=1))
    found = [answer.error for answer in outcome.all_answers["double"].values()]
    assert [error.type if error else "" for error in found] == ["", "Waited", "Waited"]
    assert outcome.status == "stopped"
    assert "waited for something without using the processor" in outcome.reason
    assert outcome.final, "the code would wait just as long next time"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("import os; os._exit(0)", "Died"),
        ("import sys; sys.exit()", "SystemExit"),
        ("return np.zeros(9 << 17)", ""),
        ("import course_lib.checking.ask as a; a.plain = lambda v: v; return np.zeros(9 << 17)", "TooLong"),
        ("return float('nan')", ""),
    ],
)
def test_whatever_an_answer_does_is_an_answer(runner: Runner, body: str, error: str) -> None:
    source = f"import numpy as np\ndef double(x):\n    {body}\n"
    outcome = run(runner, Cell("double", "exercise", source), GRADE)
    assert errors(outcome) == {error}
    assert outcome.status == "graded"


def test_values_that_no_encoder_of_ours_writes_are_made_harmless() -> None:
    odd = {
        "int": 10**400,
        "text": "\ud800",
        "opaque": Unsupported("x" * 999),
        "odd": torch.ones(2, dtype=torch.complex64),
    }
    (kept,) = plain_answer(Answer({"list": [odd, 1, 1.5, None, True]}), Room()).values.values()
    assert kept[0]["int"] == Unsupported("int")
    assert kept[0]["text"] == "?"
    assert len(kept[0]["opaque"].type) == 100
    assert isinstance(kept[0]["odd"], Unsupported)
    assert kept[1:] == [1, 1.5, None, True]
    assert plain_answer(Answer(error=Error("\ud800", "m" * 10**6)), Room()).error == Error("?", "m" * 10_000)
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    (kept,) = plain_answer(Answer({"deep": deep}), Room()).values.values()
    while isinstance(kept, list):
        (kept,) = kept
    assert kept == Unsupported("list")


def test_however_many_names_an_answer_has_all_of_a_sheet_shares_one_room() -> None:
    """400 names of one tensor, each with fresh room and copied, took the judge from 0.4 to 4.6 GB."""
    tensors: dict[str, torch.Tensor] = {}
    one = encode_answers({"asked": Answer({"x": torch.zeros(MOST_NUMBERS // 4)})}, tensors)["asked"]["values"]["x"]
    many = {f"name {n}": one for n in range(400)}
    sent = {"asked": {"values": many}, "also asked": {"values": many}, "never asked": {"values": many}}
    room, before = Room(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    received = decode_answers(*unpack(pack(sent, tensors)), {"asked", "also asked"})
    answers = {name: plain_answer(answer, room) for name, answer in received.items()}
    assert answers.keys() == {"asked", "also asked"}
    arrays = [
        value for answer in answers.values() for value in answer.values.values() if isinstance(value, torch.Tensor)
    ]
    assert len(arrays) == 3, "the fourth has no room beside the names"
    assert len({array.data_ptr() for array in arrays}) == 1, "nothing is copied"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "in kilobytes"


def test_more_names_than_a_sheet_has_room_for_are_left_out() -> None:
    names = {f"{n:09}" * 100: 0 for n in range(2_000)}
    kept = plain_answer(Answer(names), Room())
    assert 0 < len(kept.values) < MOST_NUMBERS // 900


def test_a_list_of_more_tensors_than_any_answer_has_is_not_read() -> None:
    packed = pack({}, {f"{n:0100}": torch.zeros(0) for n in range(20_000)})
    with pytest.raises(ValueError, match="too many tensors"):
        unpack(packed)
    assert len(unpack(packed, longest=len(packed))[1]) == 20_000, "of our own questions it is"


#: tells in its errors and through a file, which stands for all that processes of a machine share, what it was asked
TELLS = """
def double(x):
    with open({path!r}, "a") as file:
        file.write(f"{{x}}\\n")
    raise {error}(open({path!r}).read())
"""


@pytest.mark.parametrize(
    "switch",
    [
        "torch.set_grad_enabled(False)",
        "torch.inference_mode().__enter__()",
        "torch.set_default_device('meta')",
        "torch.autocast('cpu', dtype=torch.bfloat16).__enter__()",
        "np.seterr(all='raise')",
        "import warnings; warnings.simplefilter('error')",
        "torch.set_default_dtype(torch.float16)",
    ],
)
def test_settings_of_the_notebooks_thread_do_not_change_an_answer(runner: Runner, switch: str) -> None:
    source = (
        "import numpy as np, torch, warnings\n"
        "def double(x):\n"
        "    weight = torch.full((1, 1), 2.0, requires_grad=True)\n"
        "    (weight * weight).sum().backward()\n"
        "    np.exp(np.array(1e4)); warnings.warn('overflow')\n"
        "    square = weight @ torch.ones(1, 1)\n"
        "    return 0.5 * x * weight.grad.item() * (square.dtype == torch.get_default_dtype())\n"
    )
    above = Cell("above", "own", f"import numpy as np, torch\n{switch}")
    outcome = runner.run([above, Cell("double", "exercise", source), GRADE], {"double": QUESTIONS})
    expected = ask(QUESTIONS, double)
    assert all(same_answer(outcome.all_answers["double"][name], expected[name]) for name in expected), outcome


@pytest.mark.parametrize("error", ["LookupError", "NameError"])
def test_what_may_be_shown_comes_from_before_any_hidden_question_is_seen(
    runner: Runner, tmp_path: Path, error: str
) -> None:
    path = tmp_path / "shared"
    hidden = tuple(replace(q, arguments={"x": np.full(1, 77.0)}) for q in QUESTIONS)
    shows = f"import os\nif os.path.exists({str(path)!r}): print(open({str(path)!r}).read())"
    source = TELLS.format(path=str(path), error=f"LookupError if {error != 'NameError'} or x[0] < 77 else NameError")
    cells = [Cell("double", "exercise", source), Cell("demo", "demo", shows), GRADE, Cell("own", "own", shows)]
    outcome = runner.run(cells, {"double": hidden}, public={"double": QUESTIONS})
    assert "77." in path.read_text()
    assert outcome.all_answers.keys() == {"double", PUBLIC + "double"}
    assert "77." not in str(outcome.all_answers[PUBLIC + "double"]), "no public answer comes after a hidden question"
    assert "77." not in str(outcome.outputs), "nor does a second run, whose cells would print it"
    assert all(e == error for e in errors(Outcome("graded", all_answers={"double": outcome.all_answers["double"]})))


def test_whoever_does_not_survive_the_public_questions_answers_the_hidden_ones_all_the_same(runner: Runner) -> None:
    source = "import os\ndef double(x):\n    if len(x) == 2: os._exit(0)\n    return 2 * x\n"
    hidden = tuple(question for question in QUESTIONS if question.name != "two")
    cells = [Cell("double", "exercise", source), GRADE]
    all_answers = runner.run(cells, {"double": hidden}, public={"double": QUESTIONS}).all_answers
    kinds = {
        name: [answer.error.type if answer.error else "" for answer in answers.values()]
        for name, answers in all_answers.items()
    }
    assert kinds == {"double": ["", ""], PUBLIC + "double": ["", "Died", "Died"]}


@pytest.mark.slow
def test_answers_that_sleep_do_not_keep_anybody_waiting_for_long(runner: Runner) -> None:
    """All answers together may wait as long as one may. Exercises that answer at all still do."""
    names = ("first", "second", "third", "awake")
    source = "import time\ndef sleeps(x): time.sleep(60)\nfirst = second = third = sleeps\ndef awake(x): return 2 * x"
    cells = [Cell("all", "exercise", source), *(Cell(name, "grade", "", name, name) for name in names)]
    asked = dict.fromkeys(names, QUESTIONS)
    started = time.monotonic()
    outcome = runner.run(cells, asked, Limits(idle_seconds=2), public=asked)
    assert time.monotonic() - started < 5
    for kind in ("", PUBLIC):
        said = {name: str(outcome.all_answers[kind + name]["one"].error) for name in names}
        assert "waited for something" in said["first"] == said["second"] == said["third"]
        assert said["awake"] == "None"
    assert outcome.final


def test_each_time_an_answerer_is_asked_it_has_all_its_time(runner: Runner) -> None:
    """More than half of it for a question that may be shown, and as much for a hidden one."""
    source = "import time\ndef double(x):\n    time.sleep(0.4 * (len(x) == 1))\n    return 2 * x\n"
    cells = [Cell("double", "exercise", source), GRADE]
    run = runner.run(cells, {"double": QUESTIONS}, Limits(answer_seconds=0.7), public={"double": QUESTIONS})
    assert not [a.error for answers in run.all_answers.values() for a in answers.values() if a.error]


# limits


def test_a_cell_out_of_time_is_stopped_and_the_rest_still_runs(runner: Runner) -> None:
    outcome = run(runner, "while True: pass", DOUBLE, GRADE, "print('after')", limits=Limits(cell_seconds=0.3))
    assert outcome.outputs["c0"][-1]["ename"] == "TimeLimit"
    assert outcome.outputs["c3"][0]["text"] == "after\n"
    assert errors(outcome) == {""}
    assert outcome.status == "stopped"
    assert "c0" in outcome.reason


def test_a_cell_that_will_not_stop_is_ended_and_earlier_answers_count(runner: Runner) -> None:
    stubborn = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    started = time.monotonic()
    outcome = run(runner, DOUBLE, GRADE, stubborn, "1", limits=Limits(cell_seconds=0.3))
    assert time.monotonic() - started < 10
    assert errors(outcome) == {""}
    assert "c3" not in outcome.outputs
    assert outcome.status == "stopped"


def test_a_crash_leaves_no_core_dump_even_where_the_system_pipes_them_to_a_program(runner: Runner) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    expected = 1 if most == resource.RLIM_INFINITY else min(most, 1)
    (printed,) = only(runner, "import resource\nprint(*resource.getrlimit(resource.RLIMIT_CORE))")
    assert printed["text"].split() == [str(expected)] * 2


SPIN = "import time\nend = time.process_time() + {0}\nwhile time.process_time() < end: pass\n"


def test_all_experiments_together_have_a_limit_too(runner: Runner) -> None:
    outcome = run(runner, DOUBLE, GRADE, *[SPIN.format(0.4)] * 10, limits=Limits(total_seconds=0.6))
    assert outcome.status == "stopped" and outcome.final
    assert errors(outcome) == {""}
    assert (outcome.processor_seconds or 0) < 2


@pytest.mark.parametrize(
    "experiment",
    slow_but(
        ["while True: pass"],
        {
            "endless": "while True: pass",
            "endless in C": "sum(iter(int, 1))",
            "endless with every signal blocked": "import signal\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
            "endless in a process": "import os\nif not os.fork():\n    while True: pass\nos.wait()",
            "asleep": "import time; time.sleep(10**6)",
            "asleep with every signal blocked": "import signal, time\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(10**6)",
            "ends the process": "import os; os._exit(3)",
            "crashes": "import ctypes; ctypes.string_at(0)",
        }.values(),
    ),
)
def test_an_experiment_costs_nothing_but_its_outputs(runner: Runner, experiment: str) -> None:
    """Definitions made before the stop remain if the process does, and later cells run."""
    factor, uses = "factor = 2\n", Cell("double", "exercise", "def double(x):\n    return factor * x\n")
    limits = Limits(cell_seconds=0.5, idle_seconds=2)
    outcome = run(runner, factor, "kept = 3\n" + experiment, uses, GRADE, "print(factor)", limits=limits)
    assert errors(outcome) == {""}
    assert outcome.outputs["c4"][0]["text"] == "2\n"
    assert outcome.status == "stopped" and "c1" in outcome.reason and outcome.final


def test_definitions_of_an_experiment_that_was_stopped_remain(runner: Runner) -> None:
    endless = "factor = 2\nwhile True: pass"
    uses = Cell("double", "exercise", "def double(x):\n    return factor * x\n")
    assert errors(run(runner, endless, uses, GRADE, limits=Limits(cell_seconds=0.3))) == {""}


@pytest.mark.slow
def test_however_many_experiments_never_end_the_exercises_have_their_time(runner: Runner) -> None:
    slow = Cell("double", "exercise", SPIN.format(0.4) + DOUBLE.source)
    outcome = run(runner, *["while True: pass"] * 8, slow, GRADE, limits=Limits(cell_seconds=1, total_seconds=1))
    assert errors(outcome) == {""}


@pytest.mark.slow
def test_sleeping_cells_together_wait_no_longer_than_one_may(runner: Runner) -> None:
    started = time.monotonic()
    outcome = run(runner, *["import time; time.sleep(10**6)"] * 8, DOUBLE, GRADE, limits=Limits(idle_seconds=2))
    assert errors(outcome) == {""}
    assert time.monotonic() - started < 6
    assert "waited for 1 s without using the processor" in outcome.reason and outcome.final


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot bind processes to a processor")
@pytest.mark.slow
def test_busy_neighbours_take_no_time_from_a_cell_and_from_an_answer(beside_busy_neighbours: Runner) -> None:
    """Six processes share the processor, so by the clock everything takes seven times as long."""
    body = SPIN.format(0.35).replace("\n", "\n    ") + "return 2 * x\n"
    cells = [Cell("slow", "own", SPIN.format(0.4)), Cell("double", "exercise", f"def double(x):\n    {body}"), GRADE]
    limits = Limits(cell_seconds=0.9, answer_seconds=1.5, idle_seconds=1.5)
    outcome = beside_busy_neighbours.run(cells, {"double": QUESTIONS}, limits)
    assert (outcome.status, outcome.reason, errors(outcome)) == ("graded", "", {""})


@pytest.fixture
def beside_busy_neighbours() -> Iterator[Runner]:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    try:
        with Runner() as warm:
            yield warm
    finally:
        os.sched_setaffinity(0, allowed)
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


def test_a_machine_that_is_too_busy_even_for_a_patient_limit_makes_nothing_final(runner: Runner) -> None:
    """Simulate a machine that gave the cell nothing before the clock alone decided."""
    outcome = run(
        runner, "while True: pass", DOUBLE, GRADE, limits=Limits(cell_seconds=5, patience=0.1, idle_seconds=0.1)
    )
    assert outcome.unfinished and not outcome.final
    assert "a busy machine gave it" in outcome.reason


def test_what_is_too_long_is_cut_and_says_so(runner: Runner) -> None:
    (printed,) = only(runner, "for _ in range(10_000): print('x' * 100)", cell_text=1000)
    assert len(printed["text"]) < 1200
    assert "cut off" in printed["text"]
    (program,) = only(runner, "!yes | head -c 1000000", cell_text=1000)
    assert len(program["text"]) < 1200
    shown = only(runner, "import matplotlib.pyplot as plt\nplt.plot([1]);", figure_bytes=100)
    assert "larger than" in shown[0]["text"]
    assert all("image/png" not in output.get("data", {}) for output in shown)


def test_what_is_cleared_is_gone_and_costs_nothing(runner: Runner) -> None:
    live = (
        "from IPython.display import clear_output\nfor n in range(50):\n    clear_output(wait=True); print('x' * 100)"
    )
    (printed,) = only(runner, live, cell_text=1000, output_bytes=1000)
    assert printed["text"] == "x" * 100 + "\n"


def test_the_whole_notebooks_outputs_have_a_limit() -> None:
    recorder = Recorder(Limits(cell_text=100, output_bytes=250))
    sizes = []
    for _ in range(5):
        recorder.stream("stdout", "x" * 99)
        sizes.append(sum(len(o["text"].split("\n")[0]) for o in recorder.take()))
    assert sizes == [99, 99, 52, 0, 0]


def test_many_cells_of_text_that_is_not_ascii_cost_no_answer(runner: Runner) -> None:
    """As escapes they would take six times their room, and with them went what tells that an exercise was reached."""
    blocks = ["print('█' * 9_900)"] * 20
    outcome = run(runner, *blocks, DOUBLE, GRADE, limits=Limits(output_bytes=500_000, cell_text=10_000))
    assert (outcome.status, outcome.reason, errors(outcome)) == ("graded", "", {""})
    assert outcome.outputs["c19"][0]["text"] == "█" * 9_900 + "\n"


def test_outputs_that_take_too_much_room_are_left_out_with_a_reason_and_cost_no_answer(runner: Runner) -> None:
    escaped = ["print('\\0' * 9_900)"] * 20
    outcome = run(runner, *escaped, DOUBLE, GRADE, limits=Limits(output_bytes=250_000, cell_text=10_000))
    assert errors(outcome) == {""}
    assert (outcome.status, outcome.outputs["c0"] != [], outcome.outputs["c19"]) == ("stopped", True, [])
    assert outcome.reason == "its cells show more than 500,000 bytes; the last are left out"


def test_text_that_is_no_text_is_shown_as_far_as_it_goes(runner: Runner) -> None:
    assert only(runner, "print('a\\ud800b')")[0]["text"] == "a?b\n"


# what comes back is not trusted


def test_outputs_are_rebuilt_field_by_field() -> None:
    outputs = [
        {"output_type": "stream", "name": "evil", "text": "\ud800", "more": 1},
        {"output_type": "display_data", "data": {"application/javascript": "x", "image/png": "<script>"}},
        {"output_type": "update_display_data"},
        {"output_type": "execute_result", "data": {"text/plain": 3, "image/png": "AAAA"}, "execution_count": "1"},
        {
            "output_type": "display_data",
            "data": {"image/png": "AA"},
            "metadata": {"image/png": {"alt": "a\ud800", "b": 1}},
        },
        {"output_type": "display_data", "data": {"text/plain": "a"}, "metadata": {"image/png": {"alt": "no image"}}},
        {"output_type": "display_data", "data": {"image/png": "AA"}, "metadata": {"image/png": {"alt": ["no text"]}}},
        7,
    ]
    assert read_outputs(json.dumps(outputs).encode(), Limits()) == [
        {"output_type": "stream", "name": "stdout", "text": "?"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "", "image/png": "AAAA"},
            "metadata": {},
            "execution_count": None,
        },
        {"output_type": "display_data", "data": {"image/png": "AA"}, "metadata": {"image/png": {"alt": "a?"}}},
        {"output_type": "display_data", "data": {"text/plain": "a"}, "metadata": {}},
        {"output_type": "display_data", "data": {"image/png": "AA"}, "metadata": {}},
    ]
    assert read_outputs(b"[" * 100_000, Limits()) == []
    assert read_outputs(b"\xff", Limits()) == []


def test_a_message_may_not_be_longer_than_its_reader_allows() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Line(theirs, 10).send({"is": "x"}, b"y" * 11)
        with pytest.raises(Broken):
            Line(ours, 10).receive()


def test_waiting_for_a_message_ends_in_time() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\0\0")
        with pytest.raises(TimeoutError):
            Line(ours, 10).receive(time.monotonic() + 0.01)


def test_a_runner_survives_the_end_of_its_process(runner: Runner) -> None:
    assert runner._process is not None
    runner._process.kill()
    runner._process.wait()
    assert errors(run(runner, DOUBLE, GRADE)) == {""}


FORGES = """
import inspect
from course_lib.checking.answers import Answer
from course_lib.running.answerer import _packed

def double(x):
    for frame in inspect.stack(0):
        known = frame.frame.f_locals
        if "key" in known and "line" in known:
            forged = _packed({known["question"].name: Answer({"y": 2 * x})})
            known["line"].send({"is": "answer", "key": known["key"]}, forged)
    return 2 * x
"""


def test_a_second_answer_to_a_question_is_forged_and_none_of_the_answers_count(runner: Runner) -> None:
    outcome = run(runner, FORGES, GRADE)
    assert errors(outcome) == {Failure.DIED}
    assert outcome.status == "stopped" and "wrote to the line for answers" in outcome.reason


@pytest.mark.parametrize("name", [Failure.UNJUDGED, Failure.TIME_LIMIT])
def test_a_students_exception_is_not_taken_for_a_failure_of_ours_that_has_its_name(runner: Runner, name: str) -> None:
    source = f"class {name}(Exception): ...\ndef double(x):\n    raise {name}('full marks agreed')"
    assert errors(run(runner, source, GRADE)) == {"Exception"}
