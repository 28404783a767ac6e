"""For an error of the environment, the card says what is missing and gives no hint about shapes."""

from __future__ import annotations

import linecache
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from course_lib.checking.answer_key import public_key
from course_lib.checking.answers import Answer, Error
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.explain.errors import PACKAGES, explain
from course_lib.checking.judge import judge

KEY = public_key("softmax")

#: an error as Python or PyTorch words it, and what the card must say
SAID = [
    (Error("ModuleNotFoundError", "No module named 'einops'"), "`einops` is not installed where this ran"),
    (Error("ModuleNotFoundError", "No module named 'sklearn.utils'"), "`sklearn` is not installed"),
    (Error("ImportError", "No module named 'tqdm'"), "can import torch, numpy and matplotlib"),
    (Error("ModuleNotFoundError", "No module named 'course_lib.components.softmax'"), "not part of the library"),
    (Error("ImportError", "cannot import name 'trapz' from 'numpy' (/x/numpy.py)"), "`numpy` has no `trapz`"),
    (Error("AssertionError", "Torch not compiled with CUDA enabled"), "There is no GPU"),
    (Error("RuntimeError", "Found no NVIDIA driver on your system. Please"), "There is no GPU"),
    (Error("RuntimeError", "No CUDA GPUs are available"), "There is no GPU"),
    (Error("RuntimeError", "PyTorch is not linked with support for mps devices"), "There is no GPU"),
    (Error("NotImplementedError", "Could not run 'aten::x' with arguments from the 'MPS' backend."), "There is no GPU"),
    (Error("RuntimeError", "Expected all tensors to be on the same device, but found cuda:0 and cpu"), "every input"),
    (Error("BdbQuit", "", "line 17 of softmax: breakpoint()"), "A breakpoint is left in line 17."),
    (Error("EOFError", "EOF when reading a line"), "`input` or `getpass`"),
    (Error("StdinNotImplementedError", "this frontend does not support input requests."), "`input`"),
    (Error("URLError", "<urlopen error [Errno -2] Name or service not known>"), "There is no network"),
    (Error("FileNotFoundError", "[Errno 2] No such file or directory: 'words.txt'"), "no file `words.txt`"),
    (Error("NameError", "name 'shift' is not defined"), "If a cell further down defines it, move that cell up"),
    (Error("TypeError", "f() takes from 3 to 4 positional arguments but 5 were given"), "an older copy"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "said"), SAID)
def test_the_card_says_what_is_missing_and_gives_no_hint(error: Error, said: str) -> None:
    answers = dict.fromkeys((question.name for question in KEY.questions), Answer(error=error))
    card = make_card(judge(KEY, answers), KEY, answers, hint=0)
    assert card.says.startswith(f"It stops with {error.type}. ")
    assert said in card.says
    assert card.hint is None


@pytest.mark.parametrize(
    "error",
    [
        Error("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        Error("AssertionError", "the weights must sum to 1"),
        Error("TypeError", "scale() takes 1 positional argument but 2 were given", "line 3 of softmax: scale(x, 2)"),
        Error("NotImplementedError"),
        Error("EOFError", "the tokens are over"),
        Error("UnboundLocalError", "cannot access local variable 'x'"),
    ],
)
def test_errors_of_the_code_itself_keep_their_hints(error: Error) -> None:
    assert explain(error) == ""


def test_packages_that_the_card_promises_are_installed_with_the_course() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    required = {re.split(r"[^\w-]", name)[0] for name in project["dependencies"]}
    assert set(PACKAGES) <= required


def stopped_at(source: str) -> str:
    """Return the line at which a student's cell with a debugger stops, as a card quotes it."""
    name = f"<a cell of {len(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    (answer, *_) = ask(KEY.questions, names["softmax"]).values()
    assert answer.error is not None
    assert answer.error.type == "BdbQuit"
    return answer.error.where


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("def softmax(scores, axis=-1):\n    breakpoint()\n    return scores", "line 2 of softmax: breakpoint()"),
        (
            "import pdb\ndef softmax(scores, axis=-1):\n    x = scores\n    pdb.set_trace()\n\n    # on\n    return 1",
            "line 4 of softmax: pdb.set_trace()",
        ),
        (
            "def softmax(scores, axis=-1):\n    for n in range(3):\n        n += 1\n        breakpoint()\n    return n",
            "line 4 of softmax: breakpoint()",
        ),
        (
            "def shift(s):\n    return s\ndef softmax(scores, axis=-1):\n"
            "    if True: breakpoint()\n    return shift(scores)",
            "line 4 of softmax: if True: breakpoint()",
        ),
        (
            "def shift(s):\n    breakpoint()\ndef softmax(scores, axis=-1):\n    shift(scores)\n    return scores",
            "line 2 of shift: breakpoint()",
        ),
    ],
)
def test_a_breakpoint_is_named_by_its_own_line(
    source: str, where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nobody = (tmp_path / "nothing typed").open("w+")
    monkeypatch.setattr("sys.stdin", nobody)
    monkeypatch.setattr("sys.breakpointhook", sys.__breakpointhook__)
    assert stopped_at(source) == where
