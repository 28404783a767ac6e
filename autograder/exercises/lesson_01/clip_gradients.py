"""Exercise `clip_gradients`: all gradients together are made no longer than they may be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.lesson_01 import stops_at_a_parameter_without_gradient


def _question(name: str, draw: Draw, gradients: Mapping[str, Tensor | None], max_norm: float) -> Question:
    """Parameters of any values, with these gradients; without one, a parameter has three entries."""
    weights = {k: draw.tensor(*((3,) if grad is None else grad.shape)) for k, grad in gradients.items()}
    return Question(
        name,
        probes.change_gradients,
        {"weights": weights, "gradients": dict(gradients), "arguments": {"max_norm": max_norm}, "returns": ["norm"]},
    )


def _of_length(draw: Draw, length: float, *shape: int) -> Tensor:
    """A gradient of so many units of length."""
    direction = draw.tensor(*shape)
    return direction * (length / float(direction.norm()))


def ask(draw: Draw) -> Iterator[Question]:
    """A right triangle, long ones, short ones, one long beside a short one, one parameter without, and a norm just allowed.

    Of the long beside the short, the short one is shorter than what is allowed: clipped by itself, it would stay.
    """
    times = draw.shuffled((1.0, 2.0, 3.0, 4.0))[0]
    triangle = {"a": torch.tensor([3.0 * times]), "b": torch.tensor([0.0, -4.0 * times])}
    yield _question("by_hand", draw, triangle, 2.5)
    b, e, d = draw.sizes(3)
    long = {
        "weight": _of_length(draw, 6.0, b, e),
        "bias": _of_length(draw, 4.0, e),
        "last": _of_length(draw, 3.0, 1, d),
    }
    yield _question("long", draw, long, 2.0 + 0.1 * d)
    yield _question("short", draw, {name: grad / 20 for name, grad in long.items()}, 2.0 + 0.1 * d)
    uneven = {"weight": _of_length(draw, 9.0, d, b), "bias": _of_length(draw, 0.7, d)}
    yield _question("uneven", draw, uneven, 1.5)
    yield _question("unused", draw, {"unused": None, **uneven, "other": None}, 1.5)
    near = {"weight": _of_length(draw, 3.0, e, b), "bias": _of_length(draw, 3.0, b)}  # 4.24 together
    yield _question("between", draw, near, 5.0)


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "3 and 4 have the norm 5, and are clipped together", 0.4,
        {"fields": ["norm", "gradients"]}),
    Law("long", equals_reference, "long", "gradients that are too long are shortened by one factor", 0.4,
        {"fields": ["gradients"]}, also=("between",)),
    Law("norm", equals_reference, "long", "the norm before clipping is returned", 0.3,
        {"fields": ["norm"]}),
    Law("short", equals_reference, "short", "gradients that are short enough stay as they are", 0.3,
        {"fields": ["gradients"]}, needs="long"),
    Law("uneven", equals_reference, "uneven", "a short one beside a long one is shortened by the same factor", 0.25,
        {"fields": ["gradients"]}),
    Law("unused", equals_reference, "unused", "a parameter without a gradient is passed over", 0.25,
        {"fields": ["norm", "gradients"]}),
    Law("weights_unchanged", equals_reference, "long", "the parameters themselves are left as they were", 0.1,
        {"fields": ["weights"]}, needs="long"),
)  # fmt: skip

GATHER = "[parameter.grad for parameter in parameters if parameter.grad is not None]"
NORM = "torch.sqrt(torch.stack([gradient.square().sum() for gradient in gradients]).sum())"
FACTOR = "(max_norm / (norm + 1e-6)).clamp(max=1.0)"
CHANGE = "gradient.mul_(factor)"
RETURN = "return norm"
ONE_FACTOR = "`factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)`, the same for all: `gradient.mul_(factor)`."
ONE_NORM = f"`norm = {NORM}`."

MISTAKES = (
    # what the norm is
    mistake(
        "not_rooted",
        "You add up the squares but take no root. Your norm is squared, so gradients above 1 are shortened far too much.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "You square and add. What comes after that?",
            ONE_NORM,
        ),
        (NORM, NORM.removeprefix("torch.sqrt(")[:-1]),
        group="norm",
    ),
    mistake(
        "norms_added",
        "You add up the norms of the separate gradients. The norm of all of them together is the root of the sum of their *squares*.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "Norms can't be added up like that. What about their squares?",
            ONE_NORM,
        ),
        (NORM, "torch.stack([gradient.norm() for gradient in gradients]).sum()"),
        group="norm",
    ),
    mistake(
        "largest_norm",
        "You take the largest of the separate norms. All gradients together make one long vector, and it is the norm of that vector that you need.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "You pick one parameter's norm. What should the others contribute?",
            ONE_NORM,
        ),
        (NORM, "torch.stack([gradient.norm() for gradient in gradients]).max()"),
        group=ALONE,
    ),
    mistake(
        "largest_entry",
        "You take the largest entry as the norm, which is the L∞ norm. You need the L2 norm.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "Which entries contribute to your norm?",
            ONE_NORM,
        ),
        (NORM, "torch.stack([gradient.abs().max() for gradient in gradients]).max()"),
        group=ALONE,
    ),
    mistake(
        "absolute_values_added",
        "You add up absolute values, which is the L1 norm. You need the L2 norm: squares, and a root.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "What do you do to each entry before you add: square it, or take its absolute value?",
            ONE_NORM,
        ),
        (NORM, "torch.stack([gradient.abs().sum() for gradient in gradients]).sum()"),
        group=ALONE,
    ),
    mistake(
        "mean_square",
        "You take the *mean* of the squares instead of their sum. The more entries a model has, the further your norm falls short.",
        (
            "What is the norm of 3 and 4? What is yours?",
            "After squaring, do you sum or average?",
            ONE_NORM,
        ),
        (NORM, "torch.cat([gradient.flatten() for gradient in gradients]).square().mean().sqrt()"),
        group=ALONE,
    ),
    mistake(
        "norm_of_the_parameters",
        "You compute the norm of the parameters, not of their gradients.",
        (
            "In the smallest example the gradients are 3 and 4 times a number. What is their norm, and yours?",
            "Do you square `parameter` or `parameter.grad`?",
            f"`gradients = {GATHER}`, and from there on work with these.",
        ),
        (
            f"gradients = {GATHER}\n    norm = {NORM}",
            "parameters = [parameter for parameter in parameters if parameter.grad is not None]\n"
            "    gradients = [parameter.grad for parameter in parameters]\n"
            "    norm = torch.stack([parameter.detach().square().sum() for parameter in parameters]).sum().sqrt()",
        ),
        group=ALONE,
    ),
    # what the factor is
    mistake(
        "short_ones_lengthened",
        "You always scale, so gradients that are shorter than `max_norm` become longer. Clipping only ever shortens.",
        (
            "Take tiny gradients. What becomes of them?",
            "What is your factor when the norm is *below* `max_norm`?",
            "No factor is larger than 1: `.clamp(max=1.0)`, or an `if`.",
        ),
        (FACTOR, "max_norm / (norm + 1e-6)"),
        group="factor",
    ),
    mistake(
        "to_unit_length",
        "You divide by the norm and forget `max_norm`, so what is too long comes out with norm 1.",
        (
            "What is the norm of your gradients after clipping, and what may it be?",
            "Where does `max_norm` stand in your factor?",
            ONE_FACTOR,
        ),
        (FACTOR, "torch.where(norm > max_norm, 1 / norm, 1.0)"),
        group=ALONE,
    ),
    mistake(
        "factor_inverted",
        "Your factor is `norm / max_norm`, so what is too long becomes longer still.",
        (
            "What is the norm of your gradients after clipping, and what may it be?",
            "A norm of 5 should become 2.5. What do you multiply by?",
            ONE_FACTOR,
        ),
        (FACTOR, "(norm / max_norm).clamp(min=1.0)"),
        group=ALONE,
    ),
    mistake(
        "set_to_zero",
        "Where the gradients are too long, you set them to 0, so that training step is skipped. Clipping keeps their direction.",
        (
            "What is left of 3 and 4 after clipping to 2.5?",
            "What do you multiply by where the norm is too large?",
            ONE_FACTOR,
        ),
        (FACTOR, "(norm <= max_norm).to(norm.dtype)"),
        group=ALONE,
    ),
    # what is changed
    mistake(
        "each_by_its_own_norm",
        "You clip each parameter's gradient by its own norm. Long ones are shortened and short ones aren't, so the training step points in another direction.",
        (
            "Which way does the pair 3 and 4 point after clipping? The ratio should still be 3 to 4.",
            "How many norms do you compute? There is one, of all gradients together.",
            ONE_FACTOR,
        ),
        (CHANGE, "gradient.mul_((max_norm / (gradient.norm() + 1e-6)).clamp(max=1.0))"),
        group="change",
    ),
    mistake(
        "clipped_by_value",
        "You cut off each *entry* at ±`max_norm`. That is clipping by value. It changes the direction, and the norm may still be too large.",
        (
            "Which way does the pair 3 and 4 point after clipping? The ratio should still be 3 to 4.",
            "`clamp` treats each entry separately. What should all entries share?",
            ONE_FACTOR,
        ),
        (CHANGE, "gradient.clamp_(-max_norm, max_norm)"),
        group="change",
    ),
    mistake(
        "nothing_changed",
        "Your gradients stay as they were. Either you make new tensors that nobody keeps (`gradient = gradient * factor`), or you iterate over `parameters` twice. A generator can be iterated over only once, so your second loop sees nothing.",
        (
            "Print a gradient before and after your function.",
            "Does your line change the tensor, or only bind the name to another one? And what is left of `parameters` after one loop, if it is a generator?",
            "Collect the gradients in a list first, then change each in place: `gradient.mul_(factor)`.",
        ),
        (CHANGE, "gradient = gradient * factor"),
        group="change",
    ),
    mistake(
        "first_one_only",
        "Only the first gradient is scaled, because the loop ends after it.",
        (
            "Print all gradients before and after your function.",
            "Does anything inside your loop belong after it?",
            "Move the `return` out of the loop.",
        ),
        (CHANGE, f"{CHANGE}\n        break"),
        group=ALONE,
    ),
    mistake(
        "parameters_scaled",
        "You scale the *parameters* instead of their gradients, so the model itself shrinks.",
        (
            "Print the parameters before and after your function.",
            "Do you change `parameter` or `parameter.grad`?",
            "`parameter.grad.mul_(factor)`.",
        ),
        (f"gradients = {GATHER}", f"parameters = list(parameters)\n    gradients = {GATHER}"),
        (f"for gradient in gradients:\n        {CHANGE}", "for parameter in parameters:\n        parameter.data.mul_(factor)"),
        group=ALONE,
    ),
    mistake(
        "unused_set_to_zeros",
        "You give a parameter without a gradient one of zeros. An optimiser skips a parameter that has none, but one with zeros it may still move, by momentum or weight decay.",
        (
            "What is `grad` of a parameter that was not used, before and after?",
            "What do you do where `parameter.grad is None`?",
            f"`{GATHER}`.",
        ),
        (
            f"gradients = {GATHER}",
            "parameters = list(parameters)\n    for parameter in parameters:\n        if parameter.grad is None:\n"
            f"            parameter.grad = torch.zeros_like(parameter)\n    gradients = {GATHER}",
        ),
        group="gather",
    ),
    mistake(
        "stops_without_a_gradient",
        "Your numbers are right, but your function stops at a parameter that has no gradient. It wasn't used, so its `grad` is None.",
        (
            "Which error do you get, and for which parameter?",
            "What is `None ** 2`?",
            f"`{GATHER}`.",
        ),
        (GATHER, "[parameter.grad for parameter in parameters]"),
        recogniser=stops_at_a_parameter_without_gradient,
        group=ALONE,
    ),
    # what is returned
    mistake(
        "norm_after_returned",
        "You return the norm *after* clipping, which is at most `max_norm` by construction. The norm before clipping says how training is going.",
        (
            "What do you return for 3 and 4 and a `max_norm` of 2.5?",
            "When do you compute what you return: before the loop, or after it?",
            "Keep the norm you computed first, and return it.",
        ),
        (RETURN, "return norm.clamp(max=max_norm)"),
        group="returned",
    ),
    mistake(
        "factor_returned",
        "You return the factor instead of the norm.",
        (
            "What do you return for 3 and 4? Their norm is 5.",
            "Look at your last line.",
            "`return norm`.",
        ),
        (RETURN, "return factor"),
        group=ALONE,
    ),
    mistake(
        "nothing_returned",
        "The gradients come out right, but you return nothing. Return the norm from before clipping.",
        (
            "What does your function return?",
            "Is there a `return`?",
            "`return norm`.",
        ),
        (RETURN, "return None"),
        group=ALONE,
    ),
)  # fmt: skip


def torchs_own(parameters, max_norm):
    return nn.utils.clip_grad_norm_(parameters, max_norm)


def only_if_too_long(parameters, max_norm):
    parameters = [p for p in parameters if p.grad is not None]
    total = torch.cat([p.grad.flatten() for p in parameters]).norm()
    if total > max_norm:
        for p in parameters:
            p.grad *= max_norm / total
    return total


def a_number(parameters, max_norm):
    parameters = list(parameters)
    total = math.sqrt(sum(p.grad.pow(2).sum().item() for p in parameters if p.grad is not None))
    scale = min(1.0, max_norm / (total + 1e-6))
    for p in parameters:
        if p.grad is not None:
            p.grad.data.mul_(scale)
    return total


def new_tensors(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(p.grad) for p in kept]))
    factor = max_norm / max(total.item(), max_norm)
    for p in kept:
        p.grad = p.grad * factor
    return total


def running_total(parameters, max_norm):
    seen, total = [], torch.zeros(())
    for p in parameters:
        if p.grad is None:
            continue
        seen.append(p)
        total = total + (p.grad.detach() ** 2).sum()
    total = total**0.5
    if total <= max_norm:
        return total
    with torch.no_grad():
        for p in seen:
            p.grad.copy_(p.grad / total * max_norm)
    return total


def all_at_once(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = torch.stack(torch._foreach_norm(grads)).norm()
    torch._foreach_mul_(grads, min(1.0, max_norm / norm.item()))
    return norm


def stub(parameters, max_norm):
    raise NotImplementedError


def nothing(parameters, max_norm):
    return torch.zeros(())


def all_zeros(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.zero_()
    return max_norm


def halved(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.mul_(0.5)
    return torch.tensor(max_norm)


def noise(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.normal_()
    return torch.rand(())


CLIP_GRADIENTS = define(
    id="clip_gradients",
    lesson="01_recurrent_translation",
    place=1,
    module="course_lib.components.clip_gradients",
    symbol="clip_gradients",
    minutes=10,
    laws=LAWS,
    hints=(
        "Work it out for two parameters with gradients 3 and 4, and `max_norm` 2.5. What are they afterwards?",
        "Three steps: collect the gradients that are there, one norm of them all, one factor for them all.",
        f"`gradients = {GATHER}`; the root of the sum of all squares; then `gradient.mul_(min(1, max_norm / norm))`; return the norm.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(torchs_own, only_if_too_long, a_number, new_tensors, running_total, all_at_once),
    lazy=(stub, nothing, all_zeros, halved, noise),
    switches=("norm", "factor", "returned", "change"),
)


# the mistakes again, in another style: each must get the same name


@CLIP_GRADIENTS.second_version("not_rooted")
def sum_of_squares(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    total = sum((g**2).sum() for g in grads)
    if total > max_norm:
        for g in grads:
            g.mul_(max_norm / total)
    return total


@CLIP_GRADIENTS.second_version("norms_added")
def total_of_norms(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    total = sum(p.grad.norm().item() for p in kept)
    for p in kept:
        p.grad.mul_(min(1.0, max_norm / total))
    return total


@CLIP_GRADIENTS.second_version("clipped_by_value")
def torchs_clip_by_value(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    norm = torch.cat([p.grad.flatten() for p in kept]).norm()
    nn.utils.clip_grad_value_(kept, max_norm)
    return norm


@CLIP_GRADIENTS.second_version("each_by_its_own_norm")
def one_by_one(parameters, max_norm):
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += p.grad.norm().item() ** 2
            nn.utils.clip_grad_norm_([p], max_norm)
    return math.sqrt(squares)


@CLIP_GRADIENTS.second_version("nothing_changed")
def generator_used_up(parameters, max_norm):
    norm = math.sqrt(sum(p.grad.square().sum().item() for p in parameters if p.grad is not None))
    for p in parameters:
        if p.grad is not None:
            p.grad.mul_(min(1.0, max_norm / norm))
    return norm


@CLIP_GRADIENTS.second_version("short_ones_lengthened")
def always_to_the_norm(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in kept]))
    for p in kept:
        p.grad = p.grad / norm * max_norm
    return norm


@CLIP_GRADIENTS.second_version("norm_after_returned")
def measured_again(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    nn.utils.clip_grad_norm_(kept, max_norm)
    return torch.cat([p.grad.flatten() for p in kept]).norm()


@CLIP_GRADIENTS.second_version("stops_without_a_gradient")
def every_gradient(parameters, max_norm):
    parameters = list(parameters)
    norm = sum((p.grad**2).sum() for p in parameters) ** 0.5
    for p in parameters:
        p.grad.mul_(min(1.0, max_norm / norm.item()))
    return norm
