"""What goes into a call, as an example shows it: the arguments, and what a module is built with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.explain.show import READABLE, count, numbers_in, show
from course_lib.checking.questions import GradientChange, Methods, Question, StepByStep, TrainingSteps
from course_lib.checking.values import Value

Lines = list[tuple[str, str]]

IDENTITY, DIAGONAL, ALL = "the identity matrix", "1 on the diagonal, 0 elsewhere", "all "
MANY = 4  #: more weights than this with one value are not listed by name


def given(question: Question, number: int, key: AnswerKey) -> Lines:
    """Return the name and value of everything that goes into call ``number``.

    Show a module's settings, on a line without a name, and its weights if they are few.
    """
    built = [f"{name} = {value!r}" for name, value in question.built_with.items() if _matters(name, value, key)]
    settings = [f"built with {', '.join(built)}"] * bool(built) + ["in training mode"] * question.in_training
    lines = [("", ", ".join(settings))] if settings else []
    if shows_weights(question, number):
        lines += weight_lines(question.parameters)
        if isinstance(question, StepByStep) and question.changed is not None:
            lines += [
                (f"from step {question.change_at} on, {name}", text) for name, text in weight_lines(question.changed)
            ]
    gradients = question.gradients if isinstance(question, GradientChange | TrainingSteps) else None
    lines += [(f"{name}.grad", show(gradient)) for name, gradient in (gradients or {}).items()]
    for name, value in arguments(question, number).items():
        text = _weight(value) if is_weight(name, value) else show(value, tiny=True)
        lines.append((question.shown_as.get(name, name), text))
    if isinstance(question, TrainingSteps):
        lines += [(name, show(value)) for name, value in question.named_settings.items()]
    if isinstance(question, Methods):
        lines += [
            (f"before it, {name}", show(value)) for call in question.calls[:number] for name, value in call.items()
        ]
    return lines


def arguments(question: Question, number: int = -1) -> dict[str, Value]:
    """Return the arguments of call ``number`` of a question, without trailing None values."""
    return question.arguments_of(number)


def is_setting(name: str, value: Value) -> bool:
    """Return whether an argument is a switch or an id."""
    return isinstance(value, bool | str) or name.endswith("_id")


def is_weight(name: str, value: Value) -> bool:
    """Return whether an argument is a weight, which a function gets from its caller."""
    return isinstance(value, Tensor) and (name.startswith("weight_") or name in ("bias", "matrix"))


def _matters(name: str, value: Value, key: AnswerKey) -> bool:
    """Return whether an example must show a setting, because nothing else shows it."""
    if name == "dropout":
        return bool(value)
    values = {repr(other.built_with[name]) for other in key.questions if name in other.built_with}
    differs = is_setting(name, value) or isinstance(value, float) or name.startswith("max_")
    return name.startswith("num_") or (len(values) > 1 and differs)


def shows_weights(question: Question, number: int = -1) -> bool:
    """Return whether an example shows the weights of the module: there must be few enough to compute with."""
    shown = sum(numbers_in(text) for _, text in weight_lines(question.parameters))
    return shown + count(arguments(question, number)) <= READABLE


def weight_lines(weights: Mapping[str, Tensor]) -> Lines:
    """Return the names and the values of weights.

    Weights with the same value share a line. If there are many of one kind, the most frequent value of that kind comes
    last, as that of "every weight matrix" or of "every other weight matrix".
    """
    texts = {name: _weight(weight) for name, weight in weights.items()}
    alike = {name: DIAGONAL if text == IDENTITY else text for name, text in texts.items()}
    rest: Lines = []
    for kind in KINDS:
        names = [name for name in texts if kind_of(name, weights[name]) == kind]
        for usual, times in Counter(alike[name] for name in names).most_common(1):
            if times > (1 if times == len(names) else MANY):
                squares = all(texts[name] == IDENTITY for name in names if alike[name] == usual)
                rest.append((f"every {'other ' * (times < len(names))}{kind}", IDENTITY if squares else usual))
                texts = {name: text for name, text in texts.items() if name not in names or alike[name] != usual}
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return [(", ".join(names), text) for text, names in groups.items()] + rest


KINDS = MATRIX, SCALE, BIAS, OTHER = "weight matrix", "gamma", "bias", "parameter"


def kind_of(name: str, weight: Tensor) -> str:
    """Return the kind of a weight, as an example calls it. A normalisation's beta is a bias."""
    if name.endswith("gamma"):
        return SCALE
    if "bias" in name or name.endswith("beta"):
        return BIAS
    return MATRIX if weight.ndim == 2 else OTHER


def _weight(weight: Tensor) -> str:
    """Format a weight. A zero, a constant or an identity matrix says more in words."""
    if not weight.numel():
        return show(weight)
    if weight.ndim == 2 and weight.numel() > 1 and torch.equal(weight, torch.eye(*weight.shape, dtype=weight.dtype)):
        return IDENTITY if weight.size(0) == weight.size(1) else DIAGONAL
    first = weight.flatten()[0]
    if weight.numel() > 1 and bool((weight == first).all()):
        return f"{ALL}{float(first):.6g}"
    return show(weight)


def hides_weights(question: Question, number: int = -1) -> bool:
    """Return whether a person lacks the weights to recompute a call."""
    return bool(question.parameters) and not shows_weights(question, number)


def numbers_given(lines: Lines) -> int:
    """Count the numbers and words that go into a call, apart from settings and from weights that are all equal."""
    return sum(numbers_in(text) for name, text in lines if name and not text.startswith((ALL, DIAGONAL)))


def _indexed(path: str) -> str:
    """Write the place of a value in a tuple as Python does: ``state[0]`` for ``state/0``."""
    name, *index = path.split("/")
    return name + "".join(f"[{i}]" for i in index)


def upstream_lines(question: Question) -> Iterator[tuple[str, str]]:
    """Yield the gradients that arrive at the results, on which all other gradients depend."""
    upstream: Mapping[str, Tensor] = getattr(question, "upstream", None) or {}
    yield from ((f"gradient that arrives at {_indexed(name)}", show(value)) for name, value in upstream.items())
