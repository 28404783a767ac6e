"""Explain errors that come from where code runs, not from what it computes.

A notebook that works on its author's machine may use a package, a graphics card, a keyboard or a name that is missing
when it is graded. Hints about shapes don't help then, so the card explains these errors in a sentence of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from course_lib.checking.answers import Error

#: packages beyond Python's standard library that every graded notebook may import
PACKAGES = ("torch", "numpy", "matplotlib")
_HAS = f"A graded notebook can import {', '.join(PACKAGES[:-1])} and {PACKAGES[-1]}, and Python's standard library"
BREAKPOINT = "BdbQuit"  #: the type of the error that a debugger raises if nobody answers its prompt

_Match = re.Match[str]


def explain(error: Error | None) -> str:
    """Say in a sentence or two what the environment lacks; return an empty string for any other error."""
    if error is None:
        return ""
    for types, pattern, sentence in _KINDS:
        if error.type in types and (found := pattern.search(error.message)):
            return sentence(found, error)
    return ""


def _no_module(found: _Match, error: Error) -> str:
    name = found[1]
    if name.startswith("course_lib."):
        return (
            f"`{name}` is not part of the library with which this is graded. Import what the lesson's own cells import."
        )
    return (
        f"`{name.partition('.')[0]}` is not installed where this ran. {_HAS}: write it with those. Copy code from a "
        "file of your own into a cell, because a notebook is graded by itself."
    )


def _no_name(found: _Match, error: Error) -> str:
    return (
        f"`{found[2]}` has no `{found[1]}` where this ran: it may be a newer or an older version than yours. Look for "
        "another name for it, or write it yourself."
    )


def _no_device(found: _Match, error: Error) -> str:
    return (
        'There is no GPU where this ran, only a processor (`device="cpu"`). Leave out `.cuda()` and `.to(…)`, or '
        "create new tensors on the device of the input, as in `torch.zeros(n, device=x.device)`."
    )


def _two_devices(found: _Match, error: Error) -> str:
    return (
        "The check calls your code with tensors on the processor (`cpu`), and something in your code is on another "
        "device. Leave out `.cuda()` and `.to(…)`, or move every input to the device of the weights first."
    )


def _breakpoint(found: _Match, error: Error) -> str:
    line = re.match(r"line \d+", error.where)
    return f"A breakpoint is left in {line[0] if line else 'the code'}. Remove it: nobody answers the debugger here."


def _no_keyboard(found: _Match, error: Error) -> str:
    return (
        "It waits for something to be typed (`input` or `getpass`), and nobody types while it is graded. Write the "
        "value into the code."
    )


def _no_network(found: _Match, error: Error) -> str:
    return "There is no network where this is graded. Write it so that nothing needs to be downloaded."


def _no_file(found: _Match, error: Error) -> str:
    return (
        f"There is no file `{found[1]}` where this ran: a notebook is graded by itself, without the files next to it. "
        "Write what it needs into a cell."
    )


def _undefined(found: _Match, error: Error) -> str:
    return (
        f"`{found[1]}` is not defined when this runs. Is it misspelt? If a cell further down defines it, move that "
        "cell up. Kernel, Restart Kernel and Run All Cells shows the same error."
    )


def _too_many_arguments(found: _Match, error: Error) -> str:
    if error.where:  # a call inside the student's own code
        return ""
    return (
        f"`{found[1]}` is called with {found[2]} arguments, more than yours takes. Compare its first line with the "
        "exercise's: an older copy of the notebook may lack a parameter."
    )


_DEVICE = (
    r"Torch not compiled with \w+ enabled|Found no NVIDIA driver|No (?:CUDA|HIP|XPU) (?:GPUs|devices) are available|"
    r"not linked with support for \w+ devices|with arguments from the '(?:CUDA|MPS|XPU|XLA|HPU|HIP)' backend|"
    r"Cannot get \w+ generator without|without MPS backend|No module named 'torch\.(?:hpu|npu)'|"
    r"MPS backend is (?:not available|supported on)|CUDA (?:driver|error|is not available)|invalid device ordinal"
)

#: error types, a pattern for the message, and the explanation; the first match counts
_KINDS: tuple[tuple[frozenset[str], re.Pattern[str], Callable[[_Match, Error], str]], ...] = (
    (
        frozenset({"AssertionError", "RuntimeError", "NotImplementedError", "AcceleratorError", "ModuleNotFoundError"}),
        re.compile(_DEVICE),
        _no_device,
    ),
    (frozenset({"RuntimeError"}), re.compile(r"Expected all tensors to be on the same device"), _two_devices),
    (frozenset({"ModuleNotFoundError", "ImportError"}), re.compile(r"No module named '([\w.]{1,80})'"), _no_module),
    (frozenset({"ImportError"}), re.compile(r"cannot import name '(\w{1,80})' from '([\w.]{1,80})'"), _no_name),
    (frozenset({BREAKPOINT}), re.compile(""), _breakpoint),
    (frozenset({"EOFError", "StdinNotImplementedError"}), re.compile("^$|reading a line|input"), _no_keyboard),
    (
        frozenset({"URLError", "gaierror", "ConnectionError", "ConnectionRefusedError", "ConnectError"}),
        re.compile(""),
        _no_network,
    ),
    (frozenset({"FileNotFoundError"}), re.compile(r"No such file or directory: '([^'`]{1,80})'"), _no_file),
    (
        frozenset({"TypeError"}),
        re.compile(r"^([\w.]{1,80})\(\) takes .{1,40} positional arguments? but (\d+) were given"),
        _too_many_arguments,
    ),
    (frozenset({"NameError"}), re.compile(r"^name '(\w{1,80})' is not defined"), _undefined),
)
