"""Choose the hints for a failure: those of the mistake, of the kind of check that fails, or of the exercise."""

from __future__ import annotations

from collections.abc import Callable

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.exercise import Check
from course_lib.checking.explain.errors import explain
from course_lib.checking.failure import Failure
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, inputs_unchanged, keeps_dtype
from course_lib.checking.values import is_array, pick

#: nudge, locate, show
Advice = tuple[str, str, str]

ENDLESS: Advice = (
    "Which of your loops could run forever? Put a `print` into it and see what it repeats.",
    "A `while` ends when its condition becomes false. Which line in the loop brings it closer to that on every input?",
    "Work out on paper how often the loop should run for the smallest input, and let a `for` loop run that often.",
)

GRADIENTS: Advice = (
    "Your numbers are right, but PyTorch has lost track of how you computed them. Where do you leave its graph?",
    "`.detach()`, `.data`, `.item()`, `.tolist()`, NumPy, `torch.tensor(…)` and `torch.no_grad()` all cut the graph, "
    "and so does a parameter that is copied, or not used on every path.",
    "Print `result.grad_fn` after each line, from the top: where it becomes None, the graph is cut. For a parameter "
    "without a gradient, look for the line that should have used it.",
)

INPUTS: Advice = (
    "Print your inputs before and after your code: something in them has changed.",
    "`+=`, `-=`, `*=`, `x[…] = …`, `.sort()`, `out=` and every method whose name ends in `_` change the value itself.",
    "Make a new value instead: `y = x - m` for `x -= m`, `masked_fill` for `masked_fill_`, `sorted(x)` for `x.sort()`.",
)

NUMBER_TYPE: Advice = (
    "Print the `dtype` of your inputs, and of what you return.",
    "Somewhere you name a dtype, or create a tensor or an array without naming one and get the default.",
    "Take the dtype from the input: `torch.zeros(n, dtype=x.dtype)`, `x.new_zeros(n)`, `np.zeros_like(x)`; "
    "remove `.float()` and `astype`.",
)

WHOLE_NUMBERS: Advice = (
    "Where your code makes the result, does it say which dtype the result has?",
    "Without a dtype, PyTorch and NumPy guess from the numbers. An empty list has none, and `zeros` makes floats.",
    "Write `dtype=torch.int64` where you make the tensor, such as in `torch.tensor(rows, dtype=torch.int64)`.",
)

MASK: Advice = (
    "Without a mask, everything is right. What does your code do with the mask it receives?",
    "True means that a key may be attended to. What shape does the mask have, and how does it line up with the scores?",
    "Print the scores and the mask side by side for one query: every masked key must end with the weight 0, and a "
    "query that may attend to nothing must end with zeros, not nan.",
)

TRAINING: Advice = (
    "In evaluation mode, everything is right. What should happen in training, and what happens in your code?",
    "Dropout acts only in training (`self.training`), at the rate it was constructed with, where the text says.",
    "Use `nn.Dropout(dropout)` in the constructor and call it at each of those places; it knows by itself which mode "
    "it is in.",
)

EVALUATION: Advice = (
    "In training, everything is right. What should *not* happen in evaluation?",
    "After `model.eval()`, nothing is random. Where does your code use random numbers in both modes?",
    "Use `nn.Dropout`, which `eval()` switches off; `F.dropout` needs `training=self.training`.",
)


def hints_for(verdict: Verdict, key: AnswerKey) -> tuple[str, ...]:
    """Return the hints for what was found, the gentlest first: as many as the course's policy allows."""
    other_form = Failure.of(verdict.error) is Failure.OTHER_FORM
    if other_form or (not verdict.misconception and explain(verdict.error)):
        return ()  # the card has explained the error, and what the code computes doesn't matter yet
    return _all_hints(verdict, key)[: sum(map(bool, key.exercise.hints))]


def _all_hints(verdict: Verdict, key: AnswerKey) -> Advice:
    if verdict.misconception:
        return key.exercise.misconception(verdict.misconception).hints
    if Failure.of(verdict.error) is Failure.TIME_LIMIT:
        return ENDLESS
    failed = [check_result.check for check_result in verdict.check_results if not check_result.holds]
    equal = [
        check_result.check
        for check_result in verdict.check_results
        if check_result.holds and check_result.check.rule is equals_reference
    ]
    for advice, belongs in _KINDS:
        if advice is GRADIENTS and verdict.error:
            continue  # it stops before any gradient is computed
        # such a hint begins with what is right, so something must be right
        if failed and all(belongs(check, key) for check in failed) and not all(belongs(check, key) for check in equal):
            return advice
    return key.exercise.hints


def _about_gradients(check: Check, key: AnswerKey) -> bool:
    fields = check.settings.get("fields") or ()
    only = bool(fields) and all(field.startswith("gradients") for field in fields)
    return only or check.rule is every_gradient_flows


def _about_inputs(check: Check, key: AnswerKey) -> bool:
    return check.rule is inputs_unchanged


def _about_types(check: Check, key: AnswerKey) -> bool:
    return check.rule is keeps_dtype


def _about_whole_numbers(check: Check, key: AnswerKey) -> bool:
    values = (pick(key.right(check.question).values, field) for field in check.settings.get("fields") or ())
    return check.rule is keeps_dtype and all(
        is_array(value) and str(value.dtype).removeprefix("torch.").startswith("int") for value in values
    )


def _asks(what: Callable[[Question], bool]) -> Callable[[Check, AnswerKey], bool]:
    return lambda check, key: all(what(key.question(name)) for name in check.questions)


def _has_mask(question: Question) -> bool:
    return any("mask" in name and value is not None for call in question.inputs for name, value in call.items())


def _in_training(question: Question) -> bool:
    return question.in_training


def _with_dropout_in_evaluation(question: Question) -> bool:
    return bool(question.built_with.get("dropout")) and not question.in_training


#: the kinds of failure that have hints of their own, if nothing else fails
_KINDS: tuple[tuple[Advice, Callable[[Check, AnswerKey], bool]], ...] = (
    (GRADIENTS, _about_gradients),
    (INPUTS, _about_inputs),
    (WHOLE_NUMBERS, _about_whole_numbers),
    (NUMBER_TYPE, _about_types),
    (TRAINING, _asks(_in_training)),
    (EVALUATION, _asks(_with_dropout_in_evaluation)),
    (MASK, _asks(_has_mask)),
)
