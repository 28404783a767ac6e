"""Compiled code earns what the same code earns uncompiled: in a notebook, in `course check` and in the grader."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from autograder.exercises import DEFINITIONS
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.questions import Call
from course_lib.checking.uncompiled import uncompiled, without_compiling
from course_lib.kernel.check import check
from course_lib.running.cell import Cell
from course_lib.running.runner import Runner

ATTENTION = DEFINITIONS["self_attention"]
SOURCE = "import math, torch\nimport torch.nn.functional as F\nfrom torch import nn, Tensor\n" + "\n".join(
    DEFINITIONS[name].reference.source for name in ("scaled_dot_product_attention", "self_attention")
)

#: ways to compile the right `SelfAttention`
WAYS = {
    "a decorated class": SOURCE.replace("class SelfAttention", "@torch.compile\nclass SelfAttention"),
    "a decorator with options": SOURCE.replace(
        "def scaled_dot", '@torch.compile(mode="max-autotune", fullgraph=True)\ndef scaled_dot'
    ),
    "a method": SOURCE + "\nSelfAttention.forward = torch.compile(SelfAttention.forward)",
    "a compiled module": SOURCE + "\nSelfAttention_ = SelfAttention\n"
    "def SelfAttention(*a, **k): return torch.compile(SelfAttention_(*a, **k))",
    "its own compile()": SOURCE + "\nSelfAttention_ = SelfAttention\n"
    "def SelfAttention(*a, **k):\n    made = SelfAttention_(*a, **k)\n    made.compile(dynamic=True)\n    return made",
    "a part of it": SOURCE.replace(
        "        self.w_q = ",
        "        self.w_o = torch.compile(nn.Linear(d_model, d_model, bias=bias))\n        self.w_q = ",
    ),
    "a scripted function": "import torch\n@torch.jit.script\ndef scaled(x: torch.Tensor, d: int) -> torch.Tensor:\n"
    "    return x / d ** 0.5\n"
    + SOURCE.replace(
        "query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))",
        "scaled(query @ key.transpose(-2, -1), query.size(-1))",
    ),
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as warm:
        yield warm


@pytest.mark.parametrize("way", WAYS)
def test_compiled_code_gives_the_answers_of_the_code_that_was_compiled(runner: Runner, way: str) -> None:
    from course_lib.checking.answer_key import public_key
    from course_lib.checking.judge import judge

    key = public_key("self_attention")
    cells = [Cell("it", "exercise", WAYS[way]), Cell("grade", "grade", "", "self_attention", "SelfAttention")]
    outcome = runner.run(cells, {"self_attention": key.questions})
    assert outcome.status == "graded"
    assert judge(key, outcome.all_answers["self_attention"]).score == ATTENTION.exercise.points


def test_what_was_compiled_in_a_notebook_is_checked_uncompiled() -> None:
    """Make real compilation fail, as on a machine without a C++ compiler."""

    def stops(*_: Any) -> Any:
        raise RuntimeError("no compiler")

    def double(x: Any) -> Any:
        again = torch.compile(lambda y: y + y, backend=stops)
        return again(x)

    compiled = torch.compile(double, backend=stops)
    asked = (Call("one", {"x": torch.ones(3)}, returns=["y"]),)
    (answer,) = answers_in_time(asked, compiled).values()
    assert answer.error is None
    assert answer.values["y"].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(Exception, match="no compiler"):
        compiled(torch.ones(3))  # outside a check, `torch.compile` is PyTorch's own


def test_a_module_that_is_not_compiled_keeps_its_names() -> None:
    with without_compiling():
        module = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    assert list(module.state_dict()) == ["0.weight", "0.bias"]
    assert module._orig_mod is module
    assert uncompiled(fullgraph=True)(np.abs) is np.abs


def test_a_check_does_not_import_the_compiler() -> None:
    import subprocess

    code = (
        "import sys\nfrom course_lib.kernel.check import check\ncheck('softmax', lambda scores, axis=-1: scores)\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert callable(check)
