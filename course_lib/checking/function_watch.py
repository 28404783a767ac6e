"""Record which of PyTorch's functions run."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from operator import attrgetter
from typing import Any, Self

import torch
from torch._ops import OpOverload, OpOverloadPacket
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

#: the operators that a function runs, if their name is not the function's own with a prefix and no other function runs
#: them
_KERNELS = {
    "scaled_dot_product_attention": (
        "scaled_dot_product_attention_math",
        "scaled_dot_product_flash_attention",
        "scaled_dot_product_flash_attention_for_cpu",
        "scaled_dot_product_efficient_attention",
    ),
    "multi_head_attention_forward": ("native_multi_head_attention",),
    "lstm": ("mkldnn_rnn_layer",),
    "rnn_tanh": ("mkldnn_rnn_layer",),
}
_PREFIXES = ("", "native_", "thnn_fused_")
#: what the names of operators that do the same work have in common
_SAME_WORK = tuple(
    re.compile(pattern)
    for pattern in ("softmax", "(?:batch|group|instance|layer|rms)_norm", "attention", "lstm|rnn", "cross_entropy")
)

#: appears among the called names if the watch was switched off and can't say anything
SWITCHED_OFF = "switched off"
#: the watch calls this itself to test whether it works, as a function and as an operator
_TRIAL_FUNCTION, _TRIAL_OPERATOR = "logaddexp2", "logaddexp"
#: PyTorch's functions as they were before any student's code ran
_ORIGINALS: dict[str, Any] = {
    prefix + name: function
    for prefix, module in (("", torch), ("nn.functional.", torch.nn.functional))
    for name, function in vars(module).items()
    if callable(function) and not isinstance(function, type)
}


class FunctionWatch:
    """Record calls of some functions inside the block, under any name.

    It records calls in Python (``F.layer_norm``), calls of the operators below (``torch.ops.aten.native_layer_norm``),
    and calls from compiled code. PyTorch's profiler records calls made while PyTorch's modes are switched off. New
    threads are watched, too, although PyTorch's own modes and profiler see only one thread.

    Args:
        names: the functions' names below ``torch``, such as ``"nn.functional.layer_norm"``. Names that this version of
            PyTorch doesn't have are ignored.

    Attributes:
        called: the names of the functions that were called or replaced; may contain `SWITCHED_OFF`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.called: set[str] = set()
        names = list(names)
        self._functions: dict[Any, str] = {_ORIGINALS[_TRIAL_FUNCTION]: _TRIAL_FUNCTION}
        self._operators: dict[str, str] = {_TRIAL_OPERATOR: _TRIAL_OPERATOR}
        self._recorded: set[str] = set()
        for name in names:
            last = name.rpartition(".")[2]
            for operator in (*(prefix + last for prefix in _PREFIXES), *_KERNELS.get(last, ())):
                self._operators.setdefault(operator, name)
            if (original := _ORIGINALS.get(name)) is None:
                continue
            self._functions[original] = name
            if attrgetter(name)(torch) is not original:
                self.called.add(name)
        self._same_work = [pattern for pattern in _SAME_WORK if any(map(pattern.search, names))]
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        """Watch this thread and those that it starts."""
        self._entered.enter_context(self._this_thread())
        self._entered.enter_context(self._new_threads())
        return self

    def __exit__(self, *error: object) -> None:
        """Stop watching."""
        try:
            _ORIGINALS[_TRIAL_FUNCTION](torch.zeros(1), torch.zeros(1))
            torch.ops.aten.logaddexp.default(torch.zeros(1), torch.zeros(1))
        finally:
            self._entered.close()
        trials = {_TRIAL_FUNCTION, _TRIAL_OPERATOR}
        if not trials <= self.called or not trials <= self._recorded:
            self.called.add(SWITCHED_OFF)
        self.called -= trials
        if not self.called:  # the modes record calls under the clearest name
            self.called |= {name for operator in self._recorded if (name := self._name_of(operator))} - trials

    def note(self, function: Any) -> bool:
        """Record a function or an operator if it is watched. Return whether it is."""
        if isinstance(function, OpOverload | OpOverloadPacket):
            packet = function.overloadpacket if isinstance(function, OpOverload) else function
            name = self._name_of(packet.__name__.lstrip("_"))
        else:
            name = self._functions.get(function)
        if name:
            self.called.add(name)
        return name is not None

    def _name_of(self, operator: str) -> str | None:
        """Return the name of the watched function whose work an operator does; its own name if it is a rare one."""
        rare = operator if any(pattern.search(operator) for pattern in self._same_work) else None
        return self._operators.get(operator, rare)

    @contextmanager
    def _this_thread(self) -> Iterator[None]:
        with self._profiler(), _Functions(self) as functions, _Operators(self, functions):
            yield

    @contextmanager
    def _profiler(self) -> Iterator[None]:
        """Record the names of all operators, including those that no mode sees."""
        autograd: Any = torch.autograd
        config = autograd.ProfilerConfig(
            autograd.ProfilerState.CPU, False, False, False, False, False, torch._C._profiler._ExperimentalConfig()
        )
        autograd._enable_profiler_legacy(config)
        try:
            yield
        finally:
            with suppress(RuntimeError):  # student code stopped it, so the trial calls will be missing
                events = autograd._disable_profiler_legacy()
                self._recorded |= {event.name().rpartition("::")[2].lstrip("_") for some in events for event in some}

    @contextmanager
    def _new_threads(self) -> Iterator[None]:
        start = threading.Thread.start

        def watched(thread: threading.Thread) -> None:
            run = thread.run

            def run_watched() -> None:
                with self._this_thread():
                    run()

            thread.run = run_watched  # type: ignore[method-assign]
            start(thread)

        threading.Thread.start = watched  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            threading.Thread.start = start  # type: ignore[method-assign]


class _Functions(TorchFunctionMode):
    """Record functions that are called from Python.

    Attributes:
        inside: whether a watched function is running, so that the functions it calls don't count.
    """

    def __init__(self, watch: FunctionWatch) -> None:
        super().__init__()
        self.inside = False
        self._watch = watch

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Record the function, and call it."""
        outside = not self.inside and self._watch.note(func)
        self.inside |= outside
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.inside &= not outside


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Record the operators that calls from anywhere end in."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False, because PyTorch would otherwise import its whole compiler, which takes 1.5 seconds."""
        return False

    def __init__(self, watch: FunctionWatch, functions: _Functions) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._watch, self._functions = watch, functions

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Record the operator, and call it."""
        if not self._functions.inside:
            self._watch.note(func)
        return func(*args, **(kwargs or {}))
