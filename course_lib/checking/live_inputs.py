"""The inputs of a question as live objects, for a cell in which a student looks for a mistake."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from course_lib.checking import probes, training_probe
from course_lib.checking.by_name import call_by_name
from course_lib.checking.closeness import identical
from course_lib.checking.exercise import Question
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.explain.example import arguments
from course_lib.checking.number_types import in_float32
from course_lib.checking.scripted import ScriptedModel
from course_lib.checking.sheet import Answer
from course_lib.checking.training_probe import small_training
from course_lib.checking.values import Value, copy
from course_lib.parameters import load_parameters


def inputs(question: Question, implementation: Any, number: int = 0) -> Any:
    """Return what a question passes to an implementation, as `course_lib.example` describes it.

    Args:
        number: the index of the call.
    """
    if question.probe is probes.watched:  # it wraps the question of another probe
        unwatched = Question(question.name, probes.PROBES[question.given["probe"]], question.given["given"])
        return inputs(unwatched, implementation, number)
    if question.probe is probes.step_by_step:  # it builds modules in torch's own default dtype
        question = in_float32(question)
    given, call = question.given, copy(arguments(question, number))
    match question.probe:
        case probes.module | probes.module_refuses | probes.constructed | probes.around_a_sublayer:
            if "matrix" in call:
                matrix, shift = call.pop("matrix"), call.pop("shift", 0.0)
                call["sublayer"] = lambda y: y @ matrix + shift
            return _module(given, implementation), call
        case probes.methods:
            return implementation(*copy(dict(given["arguments"])).values()), copy(list(given["calls"]))
        case probes.step_by_step:
            over = getattr(import_module("course_lib.components"), given["over"])(**copy(dict(given["build"]))).eval()
            over.load_state_dict(dict(given["weights"]), strict=False)  # the rest keeps its initialisation
            tokens = [token if token.ndim == 1 else token.unsqueeze(1) for token in call["tokens"].unbind(1)]
            return implementation(over, call["memory"], call["memory_mask"]), tokens
        case probes.copy_module:
            return _named({"module": probes.original_module(given["original"], given["build"], given["weights"])})
        case probes.change_gradients:
            parameters = probes.parameters_with_gradients(given["weights"], given["gradients"])
            return _named({"parameters": list(parameters.values()), **call})
        case probes.decode_script:
            return _named({**call, "model": ScriptedModel(given["table"], given["pad_id"]).eval()})
        case probes.continue_script:
            return _named(probes.continued(given["table"], call))
        case training_probe.training_steps:
            return _named(_training(given, call))
    return _named(call)


def expected(question: Question, ours: Answer | None, right: Answer) -> Any:
    """Return the right values where this implementation goes wrong or, if nothing is wrong, what comes back."""
    number = wrong_call(question, ours, right) if ours else 0
    values = returns_of(right, number)
    names = [name for name in question.given.get("returns", ()) if name in values]
    if ours and not ours.error:
        mine = returns_of(ours, number)
        if all(name in mine and identical(mine[name], values[name]) for name in names):
            names = []  # what came back is right, so something else is wrong
    found = {name: values[name] for name in names} or dict(right.values)
    found = copy({name: value for name, value in found.items() if name != "shapes"})
    return next(iter(found.values())) if len(found) == 1 else _named(found)


def _named(values: Mapping[str, Value]) -> Any:
    """Return the values as a named tuple."""
    return namedtuple("Inputs", values, rename=True)(*values.values())


def _module(given: Mapping[str, Value], implementation: Any) -> Any:
    module = call_by_name(implementation, copy(dict(given["build"])))
    weights = given.get("weights")
    if weights:
        module.to(dtype=next(iter(weights.values())).dtype)
        load_parameters(module, weights)
    module.train(bool(given.get("training")))
    for name in given.get("evaluated", ()):
        module.get_submodule(name).eval()
    return module


def _training(given: Mapping[str, Value], call: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments of a training step; see the probe."""
    names = ("build", "weights", "optimizer", "rates", "training", "gradients", "groups")
    model, optimizer, scheduler = small_training(**{name: given[name] for name in names if name in given})
    settings = {f"setting_{number}": setting for number, setting in enumerate(given["settings"])}
    return {"model": model, "optimizer": optimizer, "scheduler": scheduler, **call, **settings}
