"""Probes: the only code that touches an implementation.

A probe takes an implementation and a question's inputs, and returns raw values: outputs, the inputs as they are
afterwards, gradients. It judges nothing. Probes are public; only the inputs of graded questions are secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checking.by_name import call_by_name
from course_lib.checking.chance import the_same
from course_lib.checking.function_watch import SWITCHED_OFF, FunctionWatch
from course_lib.checking.originals import of_the_watches
from course_lib.checking.scripted import CHOICES, ScriptedLanguageModel, ScriptedModel
from course_lib.checking.sheet import Answer
from course_lib.checking.values import Value, copy, pick, plain
from course_lib.memory_watch import ArrayWatch, MemoryWatch
from course_lib.parameters import load_parameters

Probe = Callable[..., dict[str, Value]]
PROBES: dict[str, Probe] = {}


def probe(function: Probe) -> Probe:
    """Register a probe under its own name."""
    PROBES[function.__name__] = function
    return function


@probe
def call(
    implementation: Callable[..., Any],
    arguments: Mapping[str, Value],
    returns: Sequence[str],
    upstream: Mapping[str, Tensor] | None = None,
) -> dict[str, Value]:
    """Call a function once.

    Args:
        arguments: passed in order, by position, so that parameters may have any name.
        returns: names for what comes back; with several names, a tuple is expected.
        upstream: for gradients, what each named return (``"last/0"`` for the first of a tuple) is multiplied with
            before everything is summed. Gradients are then taken for every floating-point argument.

    Returns:
        The named returns, ``after`` (the arguments afterwards) and, with ``upstream``, ``gradients``.
    """
    given = copy(dict(arguments))
    inputs = {k: v for k, v in given.items() if isinstance(v, Tensor) and v.is_floating_point()}
    if upstream is not None:
        for tensor in inputs.values():
            tensor.requires_grad_()
    values = _named(implementation(*given.values()), returns)
    if upstream is not None:
        values["gradients"] = _gradients(values, upstream, inputs)
    return {**values, "after": given}


@probe
def call_each(
    implementation: Callable[..., Any], calls: Sequence[Mapping[str, Value]], returns: Sequence[str]
) -> dict[str, Value]:
    """Call a function several times, to compare its results for inputs that differ in one way.

    Returns:
        ``calls``: a list of the named returns, with one entry per call.
    """
    return {"calls": [_named(implementation(*copy(dict(arguments)).values()), returns) for arguments in calls]}


@probe
def watched(
    implementation: Any, same_as: str, probe: str, given: Mapping[str, Value], functions: Sequence[str]
) -> dict[str, Value]:
    """Ask a question of another probe, and record which of PyTorch's functions are called.

    Ignore an error after such a call, because other questions cover it.

    Args:
        same_as: the name of a similar question that is asked without a watch. If its answer is right, the judge
            expects this answer to be right, too.
        probe, given: the question.
        functions: the functions' names below ``torch``, such as ``"nn.functional.layer_norm"``.

    Returns:
        ``called``: the sorted names of the functions that were called; ``answered``: the answer to the question.
    """
    watch = FunctionWatch(functions)
    answered: Mapping[str, Value] = {}
    try:
        with watch, _unchanged(watch):
            # convert inside the block, because a student's tensor subclass may compute only when it is read
            answered = {name: plain(value) for name, value in PROBES[probe](implementation, **given).items()}
    except Exception:
        if not watch.called:
            raise
    return {"called": list[Value](sorted(watch.called)), "answered": dict(answered)}


@contextmanager
def _unchanged(watch: FunctionWatch) -> Iterator[None]:
    """Record that the watch was switched off, if anything that it calls is replaced inside the block."""
    before = GUARDED.replaced()
    try:
        yield
    finally:
        if GUARDED.replaced() != before:
            watch.called.add(SWITCHED_OFF)


@probe
def call_in_little_memory(
    implementation: Callable[..., Any], arguments: Mapping[str, Value], returns: Sequence[str], most: int
) -> dict[str, Value]:
    """Call a function once, and measure the memory of its tensors and NumPy arrays while it runs.

    Args:
        arguments: passed in order, by position.
        most: how many float64 numbers may be held at once, not counting the arguments.

    Returns:
        The named returns, and ``little``: whether it stayed within that limit.
    """
    given = copy(dict(arguments))
    before = GUARDED.replaced()
    with ArrayWatch() as arrays, MemoryWatch() as tensors:
        values = _named(implementation(*given.values()), returns)
    little = max(tensors.peak, arrays.peak) <= 8 * most and GUARDED.replaced() == before
    return {**values, "little": little}


@probe
def refuse(implementation: Callable[..., Any], arguments: Mapping[str, Value]) -> dict[str, Value]:
    """Call a function with arguments that it should refuse.

    Args:
        arguments: passed in order, by position.

    Returns:
        ``raised``: the type of the error that it raises, or None.
    """
    try:
        implementation(*copy(dict(arguments)).values())
    except NotImplementedError:  # nothing is written yet, so nothing was refused
        raise
    except Exception as error:
        return {"raised": type(error).__name__}
    return {"raised": None}


@probe
def methods(
    implementation: Callable[..., Any],
    arguments: Mapping[str, Value],
    calls: Sequence[Mapping[str, Value]],
    returns: Sequence[str],
    once: Sequence[str] = (),
) -> dict[str, Value]:
    """Construct an object of a class that isn't a module, and call its methods in order.

    Args:
        arguments: the constructor's arguments, passed in order, by position.
        once: those arguments that are passed as iterators, which can be read only once.
        calls: each ``{method: argument}``; ``{"len": None}`` asks for the length of the object.
        returns: the method of the last call, for code that shows what came back; not used here.

    Returns:
        ``calls``: ``{method: result}`` for each call; ``after``: the constructor's arguments at the end.
    """
    given = copy(dict(arguments))
    built = implementation(*(iter(value) if name in once else value for name, value in given.items()))
    outcomes: list[dict[str, Value]] = []
    for asked in calls:
        for method, argument in copy(dict(asked)).items():
            outcomes.append({method: len(built) if method == "len" else getattr(built, method)(argument)})
    return {"calls": outcomes, "after": given}


@probe
def module(
    implementation: Callable[..., nn.Module],
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    calls: Sequence[Mapping[str, Value]],
    returns: Sequence[str],
    upstream: Mapping[str, Tensor] | None = None,
    noted: Mapping[str, Value] | None = None,
    training: bool = False,
    evaluated: Sequence[str] = (),
    method: str = "__call__",
    learned: Sequence[str] | None = None,
    with_shapes: bool = True,
) -> dict[str, Value]:
    """Construct a module, load weights by name, and call it several times.

    Args:
        build: arguments of the constructor, by name.
        weights: the module's parameters, by name.
        calls: arguments of each call, by name.
        returns: names for what a call returns; with several names, a tuple is expected.
        upstream: as in `call`; the gradients are those of the last call, for every floating-point argument
            and every parameter.
        noted: what a law must know about the calls, such as the order in which one permutes another; not used here.
        training: whether it is called in training mode.
        evaluated: the names of sub-modules that stay in evaluation mode all the same.
        method: the method to call, if it is not the module itself.
        learned: the inputs and parameters whose gradients are returned. The default is all, which may be many.
        with_shapes: whether to return the shapes even if the weights fit. If they don't, only the shapes are returned.

    Returns:
        ``shapes`` of the parameters by name, ``calls`` (the named returns of each call),
        ``after`` (the arguments of the last call afterwards) and, with ``upstream``, ``gradients``.
    """
    built = call_by_name(implementation, copy(dict(build)))
    parameters = dict(built.named_parameters())
    dtype = next(iter(weights.values())).dtype
    if any(one.dtype is not dtype for one in (*parameters.values(), *built.buffers())):  # it is slow
        built.to(dtype=dtype)
    shapes: Value = {name: list(parameter.shape) for name, parameter in parameters.items()}
    if shapes != {name: list(weight.shape) for name, weight in weights.items()}:
        return {"shapes": shapes}
    values: dict[str, Value] = {}
    load_parameters(built, weights)
    built.train(training)
    for name in evaluated:
        built.get_submodule(name).eval()
    outcomes: list[dict[str, Value]] = []
    inputs: dict[str, Tensor] = dict(parameters)
    given: dict[str, Value] = {}
    for arguments in calls:
        given = copy(dict(arguments))
        if upstream is not None:
            inputs |= {
                k: v.requires_grad_() for k, v in given.items() if isinstance(v, Tensor) and v.is_floating_point()
            }
        asked = getattr(built, method)
        like = built.forward if method == "__call__" else None
        outcomes.append(_named(call_by_name(asked, given, like), returns))
    values["calls"] = outcomes
    if upstream is not None:
        gradients = _gradients(outcomes[-1], upstream, inputs)
        values["gradients"] = {name: gradients.get(name) for name in learned or gradients}
    values["after"] = given
    # last, so that code that compares two answers need not go through what most have in common
    return {**values, "shapes": shapes} if with_shapes else values


@probe
def constructed(
    implementation: Callable[..., nn.Module], build: Mapping[str, Value], settings: Sequence[str]
) -> dict[str, Value]:
    """Construct a module, and read its attributes before weights are loaded or questions are asked.

    Args:
        build: arguments of the constructor, by name.
        settings: the attributes to record, such as ``"feed_forward.dropout.p"``.

    Returns:
        ``settings``: the values of those attributes that exist.
    """
    built = call_by_name(implementation, copy(dict(build)))
    found: dict[str, Value] = {}
    for name in settings:
        with suppress(AttributeError):
            found[name] = attrgetter(name)(built)
    return {"settings": found}


@probe
def around_a_sublayer(
    implementation: Callable[..., nn.Module],
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    calls: Sequence[Mapping[str, Value]],
    returns: Sequence[str],
    upstream: Mapping[str, Tensor] | None = None,
    training: bool = False,
) -> dict[str, Value]:
    """Construct a module that takes a sub-layer with each call, load weights, and call it; see `module`.

    Args:
        calls: ``x`` and ``matrix``. The sub-layer multiplies its input by that matrix, ``y @ matrix``, and adds
            ``shift`` if there is one.
    """

    def around(**arguments: Value) -> nn.Module:
        built: nn.Module = call_by_name(implementation, arguments)
        forward = built.forward
        built.forward = lambda x, matrix, shift=0.0: forward(x, lambda y: y @ matrix + shift)
        return built

    return module(around, build, weights, calls, returns, upstream=upstream, training=training)


@probe
def module_refuses(
    implementation: Callable[..., nn.Module],
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    arguments: Mapping[str, Value],
) -> dict[str, Value]:
    """Construct a module, load weights by name, and call it with arguments that it should refuse.

    Args:
        build: arguments of the constructor, by name.
        weights: the module's parameters, by name.
        arguments: the call's arguments, by name.

    Returns:
        ``raised``: the type of the error that the call raises, or None; ``returned``: what came back instead.
        An empty dictionary if the weights don't fit.
    """
    built = call_by_name(implementation, copy(dict(build)))
    if {k: v.shape for k, v in built.named_parameters()} != {k: v.shape for k, v in weights.items()}:
        return {}
    load_parameters(built, weights)
    built.eval()
    try:
        returned = call_by_name(built, copy(dict(arguments)), built.forward)
    except NotImplementedError:  # nothing is written yet, so nothing was refused
        raise
    except Exception as error:
        return {"raised": type(error).__name__, "returned": None}
    return {"raised": None, "returned": returned}


@probe
def copy_module(
    implementation: Callable[[nn.Module], nn.Module],
    original: str,
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    settings: Sequence[str],
) -> dict[str, Value]:
    """Let a function copy a module, then set the original's weights to 0.

    Args:
        original: the name of the module's class in `ORIGINALS`.
        build: arguments of its constructor, by name.
        weights: its parameters, by name.
        settings: the attributes of the copy to record, such as ``"dropout.p"``.

    Returns:
        ``state`` (the copy's weights by name), ``settings``, ``own`` (its weights after the original's were set to 0),
        ``after`` (the original's weights after it was copied) and ``kept`` (the original's mode, frozen parameters and
        dtypes).
    """
    given = original_module(original, build, weights)
    copied = implementation(given)
    values: dict[str, Value] = {
        "state": copy(_weights(copied)),
        "settings": {name: attrgetter(name)(copied) for name in settings},
        "after": copy(_weights(given)),
        "kept": {
            "training": given.training,
            "frozen": [name for name, parameter in given.named_parameters() if not parameter.requires_grad],
            "dtypes": sorted({str(parameter.dtype) for parameter in given.parameters()}),
        },
    }
    for parameter in given.parameters():
        parameter.data.zero_()
    return {**values, "own": _weights(copied)}


def original_module(original: str, build: Mapping[str, Value], weights: Mapping[str, Tensor]) -> nn.Module:
    """Return a module to copy; see `copy_module`."""
    module = ORIGINALS[original](**copy(dict(build)))
    module.to(dtype=next(iter(weights.values())).dtype)
    load_parameters(module, weights)
    return module


def _weights(module: nn.Module) -> dict[str, Value]:
    """Return a module's parameters by name, tied ones under each of their names. Leave out buffers."""
    return {name: parameter.detach() for name, parameter in module.named_parameters(remove_duplicate=False)}


@probe
def change_gradients(
    implementation: Callable[..., Any],
    weights: Mapping[str, Tensor],
    gradients: Mapping[str, Tensor | None],
    arguments: Mapping[str, Value],
    returns: Sequence[str],
) -> dict[str, Value]:
    """Call a function that changes the gradients of parameters in place.

    The parameters come as a generator, like those of `nn.Module.parameters`.

    Args:
        weights: the parameters, by name.
        gradients: the ``grad`` of each parameter.
        arguments: passed after the parameters, in order, by position.
        returns: a name for the number that comes back, which may be a float or a tensor.

    Returns:
        The named return as a scalar tensor, and the ``gradients`` and ``weights`` afterwards.
    """
    parameters = parameters_with_gradients(weights, gradients)
    returned = implementation((parameter for parameter in parameters.values()), *copy(dict(arguments)).values())
    if isinstance(returned, int | float):
        returned = torch.tensor(float(returned))
    return {
        **_named(returned, returns),
        "gradients": {name: parameter.grad for name, parameter in parameters.items()},
        "weights": {name: parameter.detach() for name, parameter in parameters.items()},
    }


def parameters_with_gradients(
    weights: Mapping[str, Tensor], gradients: Mapping[str, Tensor | None]
) -> dict[str, nn.Parameter]:
    """Return parameters by name, each with its gradient; see `change_gradients`."""
    parameters = {name: nn.Parameter(weight.clone()) for name, weight in weights.items()}
    for name, grad in gradients.items():
        parameters[name].grad = None if grad is None else grad.clone()
    return parameters


@probe
def decode_script(
    implementation: Callable[..., Any],
    table: Tensor,
    pad_id: int,
    calls: Sequence[Mapping[str, Value]],
    returns: Sequence[str],
    count_encodings: bool = False,
) -> dict[str, Value]:
    """Let a function translate several times with a model that returns a scripted word at every step.

    Args:
        table: the script of the `ScriptedModel`.
        pad_id: the model's padding id.
        calls: arguments of each call, passed in order, by position. The first, ``model``, is only a description, and
            the scripted model is passed instead.
        returns: names for what comes back; with several names, a tuple is expected.
        count_encodings: whether to count how often a source was encoded.

    Returns:
        ``calls``: the named returns of each call, and perhaps ``encodings``, their number so far; ``after``: the
        arguments of the last call afterwards.
    """
    model = ScriptedModel(table, pad_id).eval()
    outcomes: list[dict[str, Value]] = []
    given: dict[str, Value] = {}
    for arguments in calls:
        given = copy(dict(arguments))
        others = [value for name, value in given.items() if name != "model"]
        outcomes.append(_named(implementation(model, *others), returns))
        if count_encodings:
            outcomes[-1]["encodings"] = model.encodings
    return {"calls": outcomes, "after": given}


@probe
def continue_script(
    implementation: Callable[..., Any], table: Tensor, calls: Sequence[Mapping[str, Value]], returns: Sequence[str]
) -> dict[str, Value]:
    """Let a function continue prompts with a language model that returns a scripted word at every step.

    Args:
        table: the script of the `ScriptedLanguageModel`.
        calls: arguments of each call, passed in order, by position. ``model`` is only a description, and the scripted
            model is passed instead. ``choose`` is the name of one of `CHOICES`.
        returns: names for what comes back.

    Returns:
        ``calls``: the named returns of each call; ``after``: the arguments of the last call afterwards.
    """
    outcomes: list[dict[str, Value]] = []
    given: dict[str, Value] = {}
    for arguments in calls:
        given = copy(dict(arguments))
        outcomes.append(_named(implementation(*continued(table, given).values()), returns))
    return {"calls": outcomes, "after": given}


def continued(table: Tensor, arguments: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments of a call of `continue_script`, with the model and the choice function filled in."""
    model = ScriptedLanguageModel(table).eval()
    return {**arguments, "model": model, "choose": CHOICES[str(arguments["choose"])]}


@probe
def step_by_step(
    implementation: Callable[..., Any],
    over: str,
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    calls: Sequence[Mapping[str, Value]],
    returns: Sequence[str],
    changed: Mapping[str, Tensor] | None = None,
    change_at: int = 0,
) -> dict[str, Value]:
    """Construct an object over a module of an earlier lesson, and pass it one token at a time with its ``step``.

    Args:
        over: the module's class, a component that the student has by now, such as ``"DecoderLayer"``.
        build: arguments of its constructor, by name.
        weights: its state, by name. Everything else keeps its initialisation, which is the same each time.
        calls: for each translation, ``memory``, ``memory_mask`` and ``tokens``, with the steps on the second axis. A
            new object is constructed for each.
        returns: a name for what a step returns.
        changed: the module's weights from step number ``change_at`` on.

    Returns:
        ``calls``: for each translation, a list of what its steps returned.
    """
    with the_same():
        module = getattr(import_module("course_lib.components"), over)(**copy(dict(build))).eval()
    outcomes: list[dict[str, Value]] = []
    for given in copy(list(calls)):
        module.load_state_dict(dict(weights), strict=False)
        built = implementation(module, given["memory"], given["memory_mask"])
        steps = []
        for number, tokens in enumerate(given["tokens"].unbind(1)):
            if changed is not None and number == change_at:
                module.load_state_dict(dict(changed), strict=False)
            # a token is an integer per sentence, or a vector, which needs an axis of its own
            steps.append(built.step(tokens if tokens.ndim == 1 else tokens.unsqueeze(1)))
        outcomes.append({returns[0]: steps})
    return {"calls": outcomes}


class FourProjections(nn.Module):
    """The layers of a `MultiHeadAttention`. Its `forward` is the student's, and copying weights doesn't need it."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)


#: the modules to copy, by the name that a question gives them
ORIGINALS: dict[str, type[nn.Module]] = {"ours": FourProjections, "torchs": nn.MultiheadAttention}


def _named(returned: Value, names: Sequence[str]) -> dict[str, Value]:
    """Return what came back, by name, or under ``returned`` if it doesn't fit the names."""
    if len(names) == 1:
        return {names[0]: returned}
    if isinstance(returned, tuple | list) and len(returned) == len(names):
        return dict(zip(names, returned, strict=True))
    return {"returned": returned}


def _product(path: str, output: Tensor, weight: Tensor) -> Tensor:
    try:
        return output * weight
    except RuntimeError as error:
        message = f"the gradient of `{path}` has the shape {tuple(weight.shape)}, and yours {tuple(output.shape)}"
        raise RuntimeError(message) from error


def _gradients(
    outputs: Mapping[str, Value], upstream: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
) -> dict[str, Value]:
    """Return the gradients of ``sum(upstream * output)`` by input, with None if no gradient flows."""
    found = ((path, pick(dict(outputs), path), weight) for path, weight in upstream.items())
    used = [_product(path, output, weight).sum() for path, output, weight in found if isinstance(output, Tensor)]
    total = sum(used[1:], used[0]) if used else None
    if isinstance(total, Tensor) and total.requires_grad:
        total.backward()  # type: ignore[no-untyped-call]
    return {name: tensor.grad for name, tensor in inputs.items()}


#: what the watches call, remembered before any student's code ran
GUARDED = of_the_watches(watched, FunctionWatch, MemoryWatch, Answer, plain)
#: the probes that depend on them
WATCHING: tuple[Probe, ...] = (watched, call_in_little_memory)
