"""A notebook that replaces what a watch calls doesn't keep the watch from seeing."""

from __future__ import annotations

import contextlib
import json
import types
from collections.abc import Iterator
from typing import Any

import pytest
import safetensors.torch
import torch
from torch.nn import functional as F

from course_lib.checking.answers import Answer
from course_lib.checking.ask import ask
from course_lib.checking.function_watch import SWITCHED_OFF
from course_lib.checking.originals import Originals
from course_lib.checking.questions import Call, InLittleMemory, Watched
from course_lib.checking.questions.watched import GUARDED
from course_lib.running.cell import Cell
from course_lib.running.runner import Runner

WATCHED = Watched(
    "written_by_hand", "one", Call("again", {"x": torch.randn(3, 4)}, returns=["y"]), ["nn.functional.layer_norm"]
)
SETUP = "import torch\nfrom torch.nn import functional as F\n"
CALLS = "def norm(x):\n    return F.layer_norm(x, (4,))"

#: it keeps the stack of the watch, so that it can leave the watch while the finished function runs
EXIT_STACK = """
from contextlib import ExitStack, contextmanager
enter, kept = ExitStack.enter_context, []
def remember(stack, manager):
    kept.append((stack, getattr(manager, "func", None), getattr(manager, "args", None)))
    return enter(stack, manager)
ExitStack.enter_context = remember
def norm(x):
    mine = [one for one in kept if one[1] and one[1].__name__ in ("_this_thread", "_new_threads")]
    kept.clear()
    for stack in [mine[0][0]] if mine else []:
        stack.pop_all().close()
    y = F.layer_norm(x, (4,))
    for stack, make, arguments in mine:
        enter(stack, contextmanager(make)(*arguments))
    return y
"""
REPORT = f"""
import json
encode = json.JSONEncoder.encode
def forged(self, said):
    for answer in said.values() if isinstance(said, dict) else ():
        if isinstance(answer, dict) and "called" in answer.get("values", ()):
            answer["values"]["called"] = []
    return encode(self, said)
json.JSONEncoder.encode = forged
{CALLS}
"""
SORTED = f"import builtins\nbuiltins.sorted = lambda names: []\n{CALLS}"
DEFAULTS = f"""
import json
class Forged(json.JSONEncoder):
    def encode(self, said):
        return super().encode(said).replace('"called": ["nn.functional.layer_norm"]', '"called": []')
json.dumps.__kwdefaults__["cls"] = Forged
{CALLS}
"""
PROFILER = f"""
torch.autograd._enable_profiler_legacy = torch.autograd._disable_profiler_legacy = lambda *config: []
{CALLS}
"""
BY_HAND = """
def norm(x):
    return (x - x.mean(-1, True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as warm:
        yield warm


def answer_of(runner: Runner, source: str) -> Answer:
    cells = [Cell("own", "own", SETUP + source), Cell("grade", "grade", "", exercise="norm", symbol="norm")]
    return runner.run(cells, {"norm": (WATCHED,)}).all_answers["norm"][WATCHED.name]


@pytest.mark.parametrize("source", [CALLS, EXIT_STACK, REPORT, SORTED, DEFAULTS, PROFILER])
def test_what_a_cell_replaces_does_not_hide_a_finished_function(runner: Runner, source: str) -> None:
    assert answer_of(runner, source).values["called"] == ["nn.functional.layer_norm"]


@pytest.mark.parametrize("source", [EXIT_STACK, REPORT])
def test_a_solution_is_right_whatever_a_cell_replaced(runner: Runner, source: str) -> None:
    answer = answer_of(runner, source + BY_HAND)
    assert (answer.error, answer.values["called"]) == (None, [])


def replaces(holder: Any, name: str) -> Any:
    def norm(x: torch.Tensor) -> torch.Tensor:
        setattr(holder, name, lambda *given, **named: None)
        return F.layer_norm(x, (4,))

    return norm


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        (contextlib.ExitStack, "callback"),
        (json, "dumps"),
        (torch.overrides.TorchFunctionMode, "__init__"),
        (json.encoder, "isinstance"),
    ],
)
def test_what_is_replaced_while_it_is_watched_is_reported(holder: Any, name: str) -> None:
    try:
        (answer,) = ask([WATCHED], replaces(holder, name)).values()
    finally:
        GUARDED.restore()
    assert SWITCHED_OFF in answer.values["called"]
    assert not GUARDED.replaced()


def test_memory_is_not_little_where_the_count_was_replaced() -> None:
    question = InLittleMemory("little", {"x": torch.ones(2)}, returns=["y"], most=100)
    try:
        (answer,) = ask([question], replaces(contextlib.ExitStack, "callback")).values()
    finally:
        GUARDED.restore()
    assert answer.error or answer.values["little"] is False


class Parent:
    def method(self) -> int:
        return 1


class Child(Parent):
    @staticmethod
    def still(a: int = 1, *, b: int = 2) -> int:
        return a + b


def test_every_kind_of_replacement_is_noticed_and_undone() -> None:
    module = types.ModuleType(__name__)
    module.__dict__.update(Parent=Parent, Child=Child, function=replaces)
    originals = Originals(module)
    still, code = Child.still, replaces.__code__
    assert not originals.replaced()
    Child.method = lambda self: 2  # type: ignore[method-assign]
    Child.still.__kwdefaults__["b"] = 3
    Child.still.__defaults__ = (7,)
    replaces.__code__ = (lambda holder, name: None).__code__
    module.__dict__["len"] = lambda x: 0
    del module.__dict__["Parent"]
    names = sorted(name for name, _ in originals.replaced())
    module_name = __name__
    assert names == sorted([
        "Child.method", "Child.still.__defaults__", "Child.still.__kwdefaults__", "replaces.__code__",
        f"{module_name}.len", f"{module_name}.Parent",
    ])  # fmt: skip
    originals.restore()
    assert not originals.replaced()
    assert (Child().method(), Child.still(), Child.still, replaces.__code__) == (1, 3, still, code)
    assert "len" not in vars(module) and module.Parent is Parent


def test_what_others_add_is_left_alone() -> None:
    module = types.ModuleType("a_module")
    originals = Originals(module)
    module.__dict__["submodule"] = types.ModuleType("a_module.submodule")
    module.__dict__["state"] = 3
    assert not originals.replaced()


@pytest.mark.parametrize(
    ("holder", "name"),
    [(torch.Tensor, "clone"), (torch.Tensor, "numpy"), (safetensors.torch, "_flatten_as_ptr"), (torch, "frombuffer")],
)
def test_what_copies_inputs_and_stores_answers_is_put_back(holder: Any, name: str) -> None:
    original = getattr(holder, name)

    def mine(*given: Any, **named: Any) -> Any:
        return original(*given, **named)

    setattr(holder, name, mine)
    assert GUARDED.replaced()
    GUARDED.restore()
    assert getattr(holder, name) is not mine
    assert not GUARDED.replaced()
