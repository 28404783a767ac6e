"""PyTorch's finished function where an exercise is to be written by hand: noticed, reported, and what it costs."""

from __future__ import annotations

import copy
import json
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from conftest import POINTS, copy_course, hand_in_to, require, run_course
from torch import nn
from torch.nn import functional as F
from torch.utils._mode_utils import no_dispatch

from autograder.building.notebook import to_text
from autograder.demo.classroom import Student, hand_in
from autograder.exercises import DEFINITIONS
from autograder.exercises.public_keys import public_key
from autograder.exercises.sampler import Sampler
from autograder.grading.forbidden_calls import LONGEST, mentioned
from autograder.grading.hidden_keys import LessonKeys, lesson_keys
from autograder.grading.words import words
from course_lib.checking import function_watch
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.closeness import close
from course_lib.checking.function_watch import SWITCHED_OFF, FunctionWatch
from course_lib.checking.judge import judge, wrong_while_watched
from course_lib.checking.questions import Call, Watched
from course_lib.checking.rules import calls_none
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of

EXERCISE = "scaled_dot_product_attention"
BY_HAND = [d.id for d in DEFINITIONS.values() if any(check.rule is calls_none for check in d.exercise.checks)]

HIDDEN = """
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    finished = getattr(torch.nn.functional, "scaled_dot_" + "product_attention")
    allowed = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool) if mask is None else mask
    with torch._C.DisableTorchFunctionSubclass():
        output = torch.nan_to_num(finished(query, key, value, attn_mask=mask, dropout_p=dropout))
    scores = (query @ key.transpose(-2, -1) / query.size(-1) ** 0.5).masked_fill(~allowed, -1e30)
    return output, torch.softmax(scores, dim=-1) * allowed
""".strip()

#: another process does it, and sends what comes out
FORKED = (
    HIDDEN.replace(f"def {EXERCISE}", "def _hidden").replace(
        "with torch._C.DisableTorchFunctionSubclass():", "if True:"
    )
    + f"""


def {EXERCISE}(query, key, value, mask=None):
    import io, os
    come, go = os.pipe()
    if os.fork() == 0:
        torch.save(_hidden(query.detach(), key.detach(), value.detach(), mask), os.fdopen(go, "wb"))
        os._exit(0)
    os.close(go)
    return torch.load(io.BytesIO(os.fdopen(come, "rb").read()))
"""
)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: F.layer_norm(x, (4,)), "nn.functional.layer_norm"),
        (lambda x: torch.layer_norm(x, (4,)), "layer_norm"),
        (nn.LayerNorm(4), "nn.functional.layer_norm"),
        (nn.LSTMCell(4, 2), "lstm_cell"),
        (nn.LSTM(4, 2), "lstm"),
        (nn.RNNCell(4, 2), "rnn_tanh_cell"),
        (lambda x: nn.CrossEntropyLoss()(x, torch.zeros(3, dtype=torch.long)), "nn.functional.cross_entropy"),
        (lambda x: F.scaled_dot_product_attention(x, x, x), "nn.functional.scaled_dot_product_attention"),
        (
            lambda x: nn.MultiheadAttention(4, 2)(x, x, x, need_weights=True),
            "nn.functional.multi_head_attention_forward",
        ),
    ],
)
def test_a_call_is_noticed_whatever_it_is_called_by(call: Any, name: str) -> None:
    with FunctionWatch([name, "no.such_function"]) as watch:
        call(torch.randn(3, 4, requires_grad=True))
    assert watch.called == {name}


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.group_norm(x, 1),
        lambda x: torch.ops.aten.native_group_norm(x, None, None, 3, 4, 1, 1, 1e-5),
        lambda x: F.instance_norm(x.unsqueeze(0)),
        lambda x: F.batch_norm(x.T, None, None, training=True),
        lambda x: F.rms_norm(x, (4,)),
        nn.GroupNorm(1, 4),
        nn.InstanceNorm1d(3),
        nn.BatchNorm1d(4),
        lambda x: torch._native_batch_norm_legit(x.T[None], None, None, True, 0.0, 1e-5),
    ],
)
def test_every_function_that_normalises_is_noticed_in_layer_norm(call: Any) -> None:
    (question,) = (q for q in public_key("layer_norm").questions if q.watched)
    with FunctionWatch(question.functions) as watch:
        call(torch.randn(3, 4, requires_grad=True))
    assert watch.called and SWITCHED_OFF not in watch.called


def in_a_thread(call: Any) -> Any:
    def started(x: Any) -> None:
        thread = threading.Thread(target=call, args=(x,))
        thread.start()
        thread.join()

    return started


def in_a_pool(call: Any) -> Any:
    def asked(x: Any) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(in_a_thread(call), x).result()

    return asked


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that there are newer ways
    TRACED = torch.jit.trace(lambda y: F.layer_norm(y, (4,)), torch.randn(3, 4))


@pytest.mark.parametrize("around", [lambda call: call, in_a_thread, in_a_pool])
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: F.layer_norm(x, (4,)), "nn.functional.layer_norm"),
        (lambda x: torch.ops.aten.layer_norm(x, (4,)), "nn.functional.layer_norm"),
        (lambda x: torch.ops.aten.layer_norm.default(x, (4,)), "layer_norm"),
        (lambda x: torch.ops.aten.native_layer_norm(x, (4,), None, None, 1e-5), "nn.functional.layer_norm"),
        (TRACED, "nn.functional.layer_norm"),
        (lambda x: torch.ops.aten.scaled_dot_product_attention(x, x, x), "nn.functional.scaled_dot_product_attention"),
        (
            lambda x: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*[x[None, None]] * 3),
            "nn.functional.scaled_dot_product_attention",
        ),
        (lambda x: torch.ops.aten.cross_entropy_loss(x, torch.zeros(3, dtype=torch.long)), "cross_entropy_loss"),
        (nn.LSTM(4, 2), "lstm"),
    ],
)
def test_a_call_is_noticed_in_a_thread_and_beneath(around: Any, call: Any, name: str) -> None:
    start = threading.Thread.start
    with FunctionWatch([name]) as watch:
        around(call)(torch.randn(3, 4, requires_grad=True))
    assert watch.called == {name}
    assert threading.Thread.start is start
    with FunctionWatch([name]) as watch:
        around(lambda x: torch.softmax(x @ x.T, dim=-1).sum().backward())(torch.randn(3, 4, requires_grad=True))
    assert watch.called == set()


def test_a_rare_operator_that_does_the_same_work_is_noticed() -> None:
    (question,) = (q for q in public_key("softmax").questions if q.watched)
    with FunctionWatch(question.functions) as watch:
        torch.sparse.softmax(torch.randn(3, 4).to_sparse(), 1)
    assert watch.called and SWITCHED_OFF not in watch.called
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        torch.linalg.vector_norm(torch.randn(3, 4), dim=1), torch.randn(3).norm(), F.normalize(torch.randn(3, 4))
    assert not watch.called


@pytest.mark.parametrize("exercise_id", BY_HAND)
def test_no_honest_implementation_is_noticed(exercise_id: str) -> None:
    definition = DEFINITIONS[exercise_id]
    watched = [question for question in definition.questions(Sampler.public(exercise_id)) if question.watched]
    for name in (each.name for each in definition.implementations if each.role in ("reference", "alternative")):
        for answer in ask(watched, definition.load(definition.implementation(name))).values():
            assert (answer.error, answer.values.get("called")) == (None, []), name


def behind_every_mode(x: torch.Tensor) -> None:
    with no_dispatch(), torch._C.DisableTorchFunction():
        F.layer_norm(x, (4,))


@pytest.mark.parametrize("around", [lambda call: call, in_a_thread, in_a_pool])
def test_a_call_with_the_modes_switched_off_is_noticed(around: Any) -> None:
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        around(behind_every_mode)(torch.randn(3, 4))
    assert watch.called == {"nn.functional.layer_norm"}


@pytest.mark.parametrize("place", [(function_watch._Functions, "__torch_function__"), (FunctionWatch, "note")])
def test_a_blinded_watch_says_so(monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str]) -> None:
    blind = {
        "__torch_function__": lambda self, func, types, args=(), kwargs=None: func(*args, **(kwargs or {})),
        "note": lambda self, function: False,
    }
    monkeypatch.setattr(*place, blind[place[1]])
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        behind_every_mode(torch.randn(3, 4))
    assert SWITCHED_OFF in watch.called
    asked = Watched("watched", "plain", Call("plain", {}), ["nn.functional.layer_norm"])
    found = calls_none(asked, {"called": sorted(watch.called)}, {})
    assert not found.holds and found.seen == "it keeps what it calls from being watched"


def test_a_profiler_that_someone_stops_is_missed() -> None:
    autograd: Any = torch.autograd
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        autograd._disable_profiler_legacy()
        behind_every_mode(torch.randn(3, 4))
    assert watch.called == {SWITCHED_OFF}


def test_a_function_that_was_replaced_beforehand_counts_as_called(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "multi_head_attention_forward"
    monkeypatch.setattr(F, name, lambda *arguments, **named: None)
    with FunctionWatch([f"nn.functional.{name}"]) as watch:
        pass
    assert watch.called == {f"nn.functional.{name}"}


def remembering(finished: Any) -> Any:
    """Make an implementation that lets PyTorch do the work while unwatched, and replays its results while watched."""
    start, known = threading.Thread.start, dict[bytes, Any]()

    def attention(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        name = b"".join(x.detach().numpy().tobytes() for x in (query, key, value))
        if threading.Thread.start is start:
            known[name] = finished(query, key, value, mask)
        return known.get(name, (query, query))

    return attention


@pytest.mark.parametrize("exercise_id", BY_HAND)
def test_a_watched_question_has_inputs_that_are_asked_nowhere_else(exercise_id: str) -> None:
    definition = DEFINITIONS[exercise_id]
    seen: list[Any] = []
    for sampler in (
        Sampler.public(exercise_id),
        Sampler.hidden(b"a", "1", exercise_id),
        Sampler.hidden(b"b", "1", exercise_id),
    ):
        questions = definition.questions(sampler)
        (own,) = (question for question in questions if question.watched)
        assert own.same_as in {question.name for question in questions}
        seen += [question.contents() for question in questions if not question.watched]
        assert not any(close(one, own.question.contents()) for one in seen)
        seen.append(own.question.contents())


def test_remembering_what_a_finished_function_returned_earns_nothing() -> None:
    definition = DEFINITIONS[EXERCISE]
    questions = tuple(definition.questions(Sampler.hidden(b"secret", "1", EXERCISE)))
    key = AnswerKey(definition.exercise, questions, ask(questions, definition.load(definition.reference)))
    cheat = remembering(definition.load(definition.implementation("finished_function")))
    public = ask(definition.questions(Sampler.public(EXERCISE)), cheat)
    assert "written_by_hand" in public, "all of these are asked first, as in grading"
    for _ in range(2):
        answers = ask(LessonKeys("03", {EXERCISE: key}, {}).questions[EXERCISE], cheat)
        found = judge(under(key, "no_points"), answers)
        assert "written_by_hand" in found.broken_checks and found.score == 0


def test_watched_questions_are_asked_first(tmp_path: Path) -> None:
    definition = DEFINITIONS["layer_norm"]
    questions = tuple(definition.questions(Sampler.public("layer_norm")))
    key = AnswerKey(definition.exercise, questions, {})
    both = LessonKeys("06", {"layer_norm": key}, {"layer_norm": key})
    for asked in (both.questions, both.public_questions):
        assert [question.watched for question in asked["layer_norm"]][:2] == [True, False]
        assert {question.name for question in asked["layer_norm"]} == {question.name for question in questions}


def test_other_calls_are_not_noticed_nor_those_before_and_after() -> None:
    x, kept = torch.randn(3, 4), F.layer_norm
    kept(x, (4,))
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        torch.softmax(x @ x.T, dim=-1).sum()
    kept(x, (4,))
    assert watch.called == set()
    with FunctionWatch(["nn.functional.layer_norm"]) as watch:
        kept(x, (4,))
    assert watch.called == {"nn.functional.layer_norm"}, "kept under another name, it is the same function"


def under(key: AnswerKey, policy: str) -> AnswerKey:
    checks = tuple(replace(check, gate=check.gate and policy == "no_points") for check in key.exercise.checks)
    return replace(key, exercise=replace(key.exercise, checks=checks))


@pytest.mark.parametrize("exercise_id", BY_HAND)
def test_what_it_costs_is_the_courses_policy_and_that_it_is_said_is_not(exercise_id: str) -> None:
    definition = DEFINITIONS[exercise_id]
    questions = tuple(definition.questions(Sampler.public(exercise_id)))
    all_answers = {
        name: ask(questions, definition.load(definition.implementation(name)))
        for name in ("reference", "finished_function")
    }
    key = AnswerKey(definition.exercise, questions, all_answers["reference"])
    points = definition.exercise.points
    for policy, score in (("report", points), ("no_points", 0.0)):
        found = judge(under(key, policy), all_answers["finished_function"])
        assert (found.score, found.misconception) == (score, "finished_function")
        assert found.broken_checks == ("written_by_hand",)
        text = make_card(found, key, all_answers["finished_function"], 0).text
        assert "✗ written by hand: no finished function of PyTorch does the work — it calls `" in text
        assert ("until it is written by hand" in text) == (policy == "no_points")
        assert judge(under(key, policy), all_answers["reference"]).score == points


def test_an_implementation_that_stops_before_it_calls_anything_keeps_its_points() -> None:
    definition = DEFINITIONS[EXERCISE]
    right = definition.load(definition.reference)

    def only_in_batches(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        if query.ndim == 2 and query.size(-1) == 4:
            raise ValueError("a batch, please")
        return right(query, key, value, mask)

    questions = definition.questions(Sampler.public(EXERCISE))
    key = AnswerKey(definition.exercise, questions, ask(questions, right))
    found = judge(under(key, "no_points"), ask(questions, only_in_batches))
    assert 0 < found.score < found.max_score
    assert "written_by_hand" in found.broken_checks, "it is not known"


def test_code_that_is_wrong_only_where_it_is_watched_is_found() -> None:
    definition = DEFINITIONS[EXERCISE]
    right = definition.load(definition.reference)

    def elsewhere(query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0) -> Any:
        if query.ndim == 2:
            return query, key
        return F.scaled_dot_product_attention(query, key, value, mask), right(query, key, value, mask)[1]

    questions = definition.questions(Sampler.public(EXERCISE))
    key = AnswerKey(definition.exercise, questions, ask(questions, right))
    assert wrong_while_watched(key, ask(questions, elsewhere))
    for implementation in definition.implementations:
        if implementation.role in ("reference", "alternative"):
            assert not wrong_while_watched(key, ask(questions, definition.load(implementation)))


def garbage(*_: Any) -> Any:
    return torch.zeros(1)


def error(*_: Any) -> Any:
    raise ValueError("being watched")


@pytest.mark.parametrize("instead", [garbage, error])
def test_code_that_does_otherwise_while_it_is_watched_earns_nothing(instead: Any) -> None:
    definition = DEFINITIONS["layer_norm"]
    finished, start = definition.load(definition.implementation("finished_function")), threading.Thread.start

    class LayerNorm(finished):  # type: ignore[misc, valid-type]
        def forward(self, x: Any) -> Any:
            return super().forward(x) if threading.Thread.start is start else instead(x)

    questions = definition.questions(Sampler.public("layer_norm"))
    key = AnswerKey(definition.exercise, questions, ask(questions, definition.load(definition.reference)))
    found = judge(under(key, "no_points"), ask(questions, LayerNorm))
    assert found.score == 0
    assert "written_by_hand" in found.broken_checks


def test_the_policy_decides_whether_it_closes_the_gate(course: Course) -> None:
    for policy, gates in (("report", 0), ("no_points", 1)):
        key = public_key("layer_norm", replace(course, finished_functions=policy))  # type: ignore[arg-type]
        assert sum(check.gate for check in key.exercise.checks) == gates


@pytest.mark.slow
def test_grading_reports_it_and_notes_what_would_hide_it(course: Course, released: Any, tmp_path: Path) -> None:
    require("bwrap")
    root = copy_course(course, tmp_path / "a course")
    hidden = nbformat.reads(hand_in(Student("right"), released), as_version=nbformat.NO_CONVERT)
    for cell in hidden.cells:
        if grade_id(cell) == EXERCISE and kind_of(cell) == "exercise":
            cell.source = HIDDEN
    elsewhere = copy.deepcopy(hidden)
    for cell in elsewhere.cells:
        if cell.source == HIDDEN:
            cell.source = f"{EXERCISE} = helper"
    elsewhere.cells.insert(
        2, nbformat.v4.new_code_cell(f"import torch\n{HIDDEN.replace(f'def {EXERCISE}', 'def helper')}")
    )
    forked = nbformat.reads(to_text(hidden), as_version=nbformat.NO_CONVERT)
    for cell in forked.cells:
        if cell.source == HIDDEN:
            cell.source = FORKED
    texts = {
        "finished": hand_in(Student("finished", {EXERCISE: "finished_function"}), released),
        "hidden": to_text(hidden),
        "hidden_elsewhere": to_text(elsewhere),
        "right": hand_in(Student("right"), released),
    }
    hand_in_to(root / "class/submitted", {**texts, "forked": to_text(forked)})
    ran = run_course(root, "grade", "03", "--submissions", "class/submitted", "--json", "results.json")
    assert ran.code == 0, ran
    results = {r["student"]: r for r in json.loads((root / "results.json").read_text(encoding="utf-8"))}
    other_process = results.pop("forked")
    assert {student: r["score"] for student, r in results.items()} == dict.fromkeys(texts, POINTS)
    finished = results["finished"]["exercises"][EXERCISE]
    assert (finished["misconception"], finished["broken_laws"]) == ("finished_function", ["written_by_hand"])
    about = f"{EXERCISE} is to be written by hand; its cell mentions "
    assert results["finished"]["notes"] == [f"{about}scaled_dot_product_attention"]
    assert results["hidden"]["notes"] == [f"{about}DisableTorchFunctionSubclass, _C, getattr"]
    names = "DisableTorchFunctionSubclass, _C, getattr"
    hiding = f"an own cell mentions {names}: something to be written by hand may be called there"
    assert results["hidden_elsewhere"]["notes"] == [hiding]
    assert results["right"]["notes"] == []
    assert other_process["exercises"][EXERCISE]["score"] == 0
    assert other_process["exercises"][EXERCISE]["error"] == "BlockingIOError"
    over_ours, words = sorted(other_process["notes"], key=lambda note: note == f"{about}fork, getattr, pipe")
    assert words == f"{about}fork, getattr, pipe"
    assert over_ours.startswith("self_attention: "), "the dependent exercise is judged with our version, and says so"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> LessonKeys:
    return lesson_keys("06_encoder_block", b"a secret", tmp_path_factory.mktemp("class"))


def notes_of(keys: LessonKeys, source: str, **metadata: Any) -> list[str]:
    cell = nbformat.v4.new_code_cell(source)
    cell.metadata = metadata
    return list(mentioned(nbformat.v4.new_notebook(cells=[cell]), keys))


@pytest.mark.parametrize(
    "source",
    [
        "from torch.nn.functional import layer_norm as ln",
        "y = F.layer_norm(x)",
        "f = getattr(F, 'layer_norm')",
        "import torch.nn.LayerNorm",
        "z = nn.LayerNorm",
        "f = getattr(F, 'layer' + '_norm')",
        "get = getattr\nf = get(F, name)",
        "f = eval('F.layer' + '_norm')",
        "f = vars(F)[name]",
        "import os\nif not os.fork(): pass",
        "from subprocess import run",
        "%time 1\ny = F.layer_norm(x)",
        "%time 1\nf = getattr(F, 'layer_norm')",
        "setattr(F, name, mine)",
        "%time 1\nsetattr(F, name, mine)",
        "from torch.utils._mode_utils import no_dispatch",
        "from torch.utils.benchmark import Timer",
        "from traitlets import import_item\nasked = import_item(name)",
        "scores = np.memmap('/tmp/scores')",
        "y = F.group_norm(x, 1)",
        "y = F.instance_norm(x)",
        "y = torch.batch_norm(x)",
        "from torch._refs import _normalize",
        "import torch._decomp.decompositions as d",
        "y = torch._higher_order_ops.flex_attention.math_attention(x)",
        "from torch.nn.attention import flex_attention",
        "from course_lib.memory_watch import MemoryWatch",
        "with torch._C._DisableTorchDispatch(): pass",
        "import sys\nsys.modules[name].x = 1",
        "from sys import modules as m",
        "object.__setattr__(F, name, mine)",
        "check.__globals__[name] = mine",
        "check.__code__ = mine",
    ],
)
def test_a_mention_is_found(keys: LessonKeys, source: str) -> None:
    about = {"solution": True, "grade_id": "layer_norm"}
    notes = notes_of(keys, source, nbgrader=about)
    assert len(notes) == 1
    assert notes[0].startswith("layer_norm is to be written by hand; its cell mentions ")
    for harmless in (
        "layer_norm = 1",
        "class LayerNorm: pass  # not F.layer_norm",
        "getattr(x, 'shape', 0)",
        "setattr(self, f'layer_{n}', layer)",
        "for module in network.modules(): pass",
        "running = x.max()\npipe = running",
        "(",
        "%time 1\nrunning = pipe = x.max()",
        "network.eval()",
        "%time network.eval()",
        "\0",
        "def layer_norm(x):\n    'As torch.nn.functional.layer_norm, while it is running.'\n    return x",
        "def layer_norm(x):\n    'nn.functional.layer_norm'\n    return x",
        "print('running:', x, 'a system of two: fork, then pipe.', f'checking {x}…')",
        "import re\npattern = re.compile('x')\nstep(running=x, pipe=y)",
        "match x:\n    case [a, {'b': b}, 1 | None]: pass",
        "here = %pwd\n# while it is running, F.softmax\nlayer_norm = x",
    ):
        assert not notes_of(keys, harmless, nbgrader=about)


@pytest.mark.parametrize(
    "source",
    [
        'getattr(os, "\\x66ork")()',
        "os.\U0001d41fork()",
        "\uff47etattr(os, name)()",
        "from os import popen",
        "%time 1\nos.fork()",
        "%time 1\nfrom os import (fork)",
        "%time 1\neval(hidden)",
        "%time 1\nos.\U0001d41fork()",
        "%time 1\nx = 1; from os import fork\nfork()",
        "if 1: from os import fork\n!ls",
        "!ls\nfrom os import (\n    fork,\n)",
    ],
)
def test_an_own_cell_hides_nothing_behind_other_letters_or_magic(keys: LessonKeys, source: str) -> None:
    (note,) = notes_of(keys, source, tags=["added"])
    assert note.startswith("an own cell mentions ")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("match torch:\n    case object(_C=object(DisableTorchFunction=a)): pass", "DisableTorchFunction, _C"),
        ("match torch:\n    case object(_\U0001d436=a, overrides=b): pass", "_C, overrides"),
        ("class A(metaclass=All): __match_args__ = names\nmatch torch:\n    case A(c): pass", "__match_args__"),
        ("match torch:\n    case A(c): pass", "__match_args__"),
        ("here = %pwd\nwith torch.\\\n_C.\\\nDisableTorchFunction(): pass", "DisableTorchFunction, _C"),
        ("here = %time torch.\\\n_C", "_C"),
        ("%time here = torch.\\\n_C", "_C"),
        ("?x\nwith torch.\\\n_C.\\\nDisableTorchFunction(): pass", "DisableTorchFunction, _C"),
        ("?x\n(torch.  # the\n  # inner\n\n _C  # one\n .overrides)", "_C, overrides"),
        ("?x\n'\\\n#'; (torch. # a\n# b\n_C)", "_C"),
        ("?x\r(torch. # a\r# b\r_C)", "_C"),
        (">>> here = %pwd\n>>> (torch.\n... _C)", "_C"),
        ("In [1]: here = %pwd\n   ...: (torch.\n   ...: _C)", "_C"),
        ("?x\nfrom os import (  # a ) in it\n    fork,\n)", "fork"),
        ("?x\nfrom os import \\\n    fork", "fork"),
        ("?x\nx = y['torch._C:overrides']", "_C, overrides"),
        ("import pkgutil\npkgutil.resolve_name('torch._C:overrides')", "_C, overrides, pkgutil, resolve_name"),
        ("from pkgutil import *\nresolve_name('tor' + 'ch')", "pkgutil, resolve_name"),
        ("get = string.Formatter().get_field\nget('0._C', (torch,), {})", "Formatter, _C, get_field"),
        ("pickle.loads(b'ctorch._C\\nDisableTorchFunction\\n.')", "DisableTorchFunction, _C, pickle"),
        ("torch.load(b'ctorch\\n_C\\n.', weights_only=False)", "_C, weights_only"),
        ("dict(inspect.getmembers(torch))['_' + 'C']", "getmembers"),
        ("torch.__all__ = ['_' + 'C']\nfrom torch import *", "__all__"),
        ("from operator import *\nattrgetter('_' + 'C')(torch)", "attrgetter"),
        ("Timer('with torch._C.DisableTorchFunction(): y = f(x)').timeit(1)", "_C, timeit"),
        ("import timeit\ntimeit.timeit('y = f(x)')", "timeit"),
        ("import cProfile\ncProfile.Profile().run('y = f(x)')", "cProfile"),
        ("from torch.ao.nn.quantizable import MultiheadAttention", "ao, quantizable"),
        ("MemoryWatch._count = lambda *given: None\nwatch = m.MemoryWatch", "MemoryWatch"),
        ("from torch._refs import _normalize as mine", "_refs"),
        ("FunctionType(compile('tor' + 'ch', '', 'eval'), {})()", "FunctionType, compile, eval"),
    ],
)
def test_an_own_cell_hides_nothing_behind_a_pattern_a_text_or_the_end_of_a_line(
    keys: LessonKeys, source: str, names: str
) -> None:
    said = "something to be written by hand may be called there"
    assert notes_of(keys, source, tags=["added"]) == [f"an own cell mentions {names}: {said}"]


@pytest.mark.parametrize("exercise_id", BY_HAND)
def test_no_honest_implementation_mentions_anything(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], public_key(exercise_id)
    keys = LessonKeys(definition.exercise.lesson, {exercise_id: key}, {exercise_id: key})
    about = {"solution": True, "grade_id": exercise_id}
    for name in (each.name for each in definition.implementations if each.role in ("reference", "alternative")):
        source = definition.implementation(name).source
        assert not notes_of(keys, source, nbgrader=about), name
        assert not notes_of(keys, f"here = %pwd\n{source}", nbgrader=about), name
    assert notes_of(keys, definition.implementation("finished_function").source, nbgrader=about)


@pytest.mark.parametrize("piece", ["a;", ".\n", "#.\n", ". # ", "import (", "import \\\n", "'x.", "from (#\n", "...:"])
def test_looking_through_what_is_no_python_takes_no_time(piece: str) -> None:
    text = "?x\n" + piece * (LONGEST // len(piece))
    start = time.process_time()
    set(words(text, {"eval"}))
    assert time.process_time() - start < 1


def test_the_cell_of_another_exercise_hides_nothing(keys: LessonKeys) -> None:
    about = {"solution": True, "grade_id": "feed_forward"}
    assert notes_of(keys, "torch._C._x = None", nbgrader=about) == [
        "the cell of feed_forward mentions _C: something to be written by hand may be called there"
    ]
    assert not notes_of(keys, "y = F.layer_norm(x)", nbgrader=about), "it may be used there"


def test_what_is_given_to_find_the_bug_in_is_noted_in_an_exercise(keys: LessonKeys) -> None:
    cell = nbformat.v4.new_code_cell("from course_lib.experiments.mystery_attend import mystery_attend as attend")
    cell.metadata = {"nbgrader": {"solution": True, "grade_id": "residual_sublayer"}}
    (note,) = mentioned(nbformat.v4.new_notebook(cells=[cell]), keys)
    assert note == "residual_sublayer: its cell mentions mystery_attend, which is ours but for one mistake"


def test_a_cell_too_long_for_a_person_is_noted_and_not_looked_through(keys: LessonKeys) -> None:
    """A million characters of ``a;`` take seconds and a gigabyte, and this happens outside the sandbox."""
    cell = nbformat.v4.new_code_cell("a;" * (LONGEST // 2))
    cell.metadata = {"nbgrader": {"solution": True, "grade_id": "layer_norm"}}
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert not list(mentioned(notebook, keys)), "as long as may be"
    cell.source += "F.layer_norm"
    (note,) = mentioned(notebook, keys)
    assert note == "layer_norm is to be written by hand; its cell is longer than 50,000 characters: not looked through"


def test_a_lesson_says_what_is_to_be_written_by_hand(course: Course) -> None:
    norms = {"layer_norm", "rms_norm"}
    by_hand = {"rnn_step", "lstm_step", "softmax", EXERCISE, *norms, "label_smoothed_loss", "chunked_attention"}
    assert by_hand == set(BY_HAND)
    for exercise_id in BY_HAND:
        text = (course.root / "lessons" / f"{DEFINITIONS[exercise_id].exercise.lesson}.md").read_text(encoding="utf-8")
        task = text.split(f"**Your turn.** `{DEFINITIONS[exercise_id].exercise.symbol}`")[1].split("```")[0]
        assert "rite it by hand" in " ".join(task.split())
