"""Matchers of mistakes in lesson 04."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answers
from course_lib.checking.closeness import close
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Module, Question
from course_lib.checking.values import Value, arrays, pick


@matcher
def view_of_what_is_not_contiguous(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops only at a `view` of a transposed tensor; elsewhere it is right."""
    return stops_only_with(dict.fromkeys(questions, "view size is not compatible"), answers, reference)


@matcher
def one_head_reaches_the_last_layer(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops only when it multiplies something one head wide with a layer of full width."""
    built = {name: question.build for name, question in questions.items() if isinstance(question, Module)}
    widths = {name: (build["d_model"], build["d_model"] // build["num_heads"]) for name, build in built.items()}
    return stops_only_with({name: f"x{head} and {d}x{d})" for name, (d, head) in widths.items()}, answers, reference)


@matcher
def last_layer_not_copied(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies whose only fault is a new weight in the last layer, with none of the original's numbers."""
    return all(
        name in answers and not answers[name].error and _only_last_is_new(answers[name].values, right.values)
        for name, right in reference.items()
    )


def _only_last_is_new(ours: Mapping[str, Value], right: Mapping[str, Value]) -> bool:
    states = pick(ours, "state"), pick(right, "state")
    if not all(isinstance(state, dict) for state in states) or states[0].keys() != states[1].keys():
        return False
    last = next(name for name in states[1] if name in ("out_proj.weight", "w_o.weight"))
    return (
        all(close(states[0][name], weight) for name, weight in states[1].items() if not name.startswith(last[:3]))
        and isinstance(states[0][last], Tensor)
        and not bool(torch.isin(states[1][last].double(), states[0][last].double()).any())
        and close(pick(ours, "settings"), pick(right, "settings"))
    )


def _copies(answers: Answers, reference: Answers, new: Callable[[str], bool]) -> bool:
    """Return whether each copy has all of the reference's settings and numbers, except in the new parameters."""
    found = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours = dict(answers[name].values)
        states = pick(ours, "state"), right.values["state"]
        if not isinstance(states[0], dict) or not isinstance(states[1], dict) or states[0].keys() != states[1].keys():
            return False
        if not all(close(pick(ours, part), right.values[part]) for part in ("settings", "after", "kept")):
            return False
        copied = torch.cat([weight.flatten().float() for weight in states[1].values()])
        for parameter, weight in states[1].items():
            mine = states[0][parameter]
            if close(mine, weight) and not (new(parameter) and parameter.endswith("weight")):
                continue
            if not new(parameter) or not isinstance(mine, Tensor) or bool(torch.isin(mine.float(), copied).any()):
                return False
            found = True
    return found


@matcher
def first_layers_not_copied(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies whose only fault is new query, key and value layers, with none of the original's numbers."""
    return _copies(answers, reference, lambda name: name.startswith(("in_proj", "w_q", "w_k", "w_v")))


@matcher
def last_bias_not_copied(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies whose only fault is a new bias in the last layer, with none of the original's numbers."""
    return _copies(answers, reference, lambda name: name in ("out_proj.bias", "w_o.bias"))


@matcher
def memory_is_shared(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies that are right until the original's weights are set to 0, which sets some of theirs to 0."""
    shared = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours = dict(answers[name].values)
        if not all(close(pick(ours, part), right.values[part]) for part in ("state", "settings", "after", "kept")):
            return False
        shared = shared or not close(pick(ours, "own"), right.values["own"])
    return shared


@matcher
def biases_where_there_were_none(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies that are right, except that they have biases where the original has none."""
    found = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours = dict(answers[name].values)
        state, asked = pick(ours, "state"), right.values["state"]
        if not isinstance(state, dict) or not isinstance(asked, dict):
            return False
        more = state.keys() - asked.keys()
        if not all(parameter.endswith("bias") for parameter in more) or not asked.keys() <= state.keys():
            return False
        if not all(close(state[parameter], weight) for parameter, weight in asked.items()):
            return False
        if not all(close(pick(ours, part), right.values[part]) for part in ("settings", "after", "kept")):
            return False
        found = found or bool(more)
    return found


@matcher
def always_double_precision(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise copies with the right numbers that are always float64, even if the original is float32."""
    found = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours = dict(answers[name].values)
        if not all(close(pick(ours, part), right.values[part]) for part in ("state", "settings")):
            return False
        states = dict(arrays(dict(right.values["state"]))), dict(arrays(pick(ours, "state")))
        types = {path: array.dtype for path, array in states[1].items()}
        if any(dtype is not torch.float64 for dtype in types.values()):
            return False
        found = found or any(array.dtype is torch.float32 for array in states[0].values())
    return found
