"""Exercise `train_step`: one training step, checked by how it changes the weights of a small model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, TrainingSteps
from course_lib.checking.questions.training import SmallTranslator
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value
from course_lib.components.label_smoothed_loss import label_smoothed_loss
from course_lib.components.shift_targets import shift_targets

PAD, BOS, EOS = 0, 1, 2


#: of gradient descent, large enough that one step shows, with momentum
DESCENT = {"lr": 0.5, "momentum": 0.5}


#: factors of the learning rate, all different
RATES = [1.0, 0.5, 0.25, 0.125]


#: a norm that no gradient here reaches
NO_LIMIT = 1000.0


#: a norm that every first gradient exceeds
STEEP = 1.1


def _weights(sampler: Sampler, source_size: int, target_size: int, d_model: int) -> dict[str, Tensor]:
    """Return float64 weights far from 0, because a model that is confident and wrong has a large gradient norm."""
    return {
        "source.weight": sampler.tensor(source_size, d_model),
        "target.weight": sampler.tensor(target_size, d_model, scale=3.0),
        "output.weight": sampler.tensor(target_size, d_model, scale=3.0),
        "output.bias": sampler.tensor(target_size),
    }


def _batch(
    sampler: Sampler, source_size: int, target_size: int, lengths: list[int], source_length: int
) -> dict[str, Tensor]:
    """Return sentences of these lengths between ``bos`` and ``eos``, with padding after the shorter ones."""
    source = torch.tensor([sampler.shuffled(range(source_size))[:source_length] for _ in lengths])
    rows = []
    for length in lengths:
        words = sampler.shuffled(range(3, target_size))[:length]
        rows.append([BOS, *words, EOS, *[PAD] * (max(lengths) - length)])
    return {"source": source, "target": torch.tensor(rows)}


def _question(
    sampler: Sampler, name: str, settings: list[Value], dropout: float = 0.0, steps: int = 2, **more: Value
) -> TrainingSteps:
    """Ask for steps on batches of three sentences of different lengths."""
    source_size, target_size, d_model = 7, sampler.shuffled((9, 10, 11))[0], 4
    batches = [_batch(sampler, source_size, target_size, sampler.shuffled([5, 2, 3]), 6) for _ in range(steps)]
    if settings[0] != PAD:
        _exchange(batches, int(settings[0]))
    return _asked(name, _weights(sampler, source_size, target_size, d_model), batches, settings, dropout, **more)


def _exchange(batches: list[dict[str, Tensor]], pad_id: int) -> None:
    """Exchange 0 and another id, which becomes the pad id."""
    for batch in batches:
        target = batch["target"]
        batch["target"] = torch.where(target == PAD, pad_id, torch.where(target == pad_id, PAD, target))


def _asked(
    name: str,
    weights: dict[str, Tensor],
    batches: list[dict[str, Tensor]],
    settings: list[Value],
    dropout: float = 0.0,
    **more: Value,
) -> TrainingSteps:
    (source_size, d_model), (target_size, _) = weights["source.weight"].shape, weights["target.weight"].shape
    build = {"source_size": source_size, "target_size": target_size, "d_model": d_model, "dropout": dropout}
    return TrainingSteps(
        name, build, weights, batches, settings=settings, optimizer=DESCENT, rates=RATES, returns=["loss"], **more
    )


def _gradient_norm(question: TrainingSteps) -> float:
    """Return the norm of all gradients of the first batch together."""
    model = SmallTranslator(**question.build).to(torch.float64)
    model.load_state_dict(dict(question.weights))
    inputs, labels = shift_targets(question.calls[0]["target"])
    pad_id, *smoothing = question.settings[:2]
    label_smoothed_loss(model(question.calls[0]["source"], inputs), labels, pad_id, *smoothing).backward()  # type: ignore[no-untyped-call]
    return float(torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).norm())


def _steep(drawn: Callable[[], TrainingSteps]) -> TrainingSteps:
    """Return the first sampled question on which clipping at 1, the default, differs from not clipping."""
    while True:
        question = drawn()
        if _gradient_norm(question) > STEEP:
            return question


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about a small batch, two steps, clipping, old gradients, evaluation mode, defaults, and another pad id."""

    def small(name: str, **more: Value) -> TrainingSteps:
        batches = [_batch(sampler, 3, 6, sampler.shuffled([2, 1]), 2)]
        return _asked(name, _weights(sampler, 3, 6, 2), batches, [PAD, 0.2, NO_LIMIT], **more)

    yield _steep(lambda: small("by_hand"))
    smoothing, max_norm, pad_id = (
        sampler.shuffled(some)[0] for some in ((0.2, 0.25, 0.3), (0.1, 0.15, 0.2), (5, 6, 7))
    )
    yield _steep(lambda: _question(sampler, "two_steps", [PAD, smoothing, NO_LIMIT]))
    yield _steep(lambda: _question(sampler, "clipped", [PAD, 0.2, max_norm], dropout=1.0, groups=2))
    left = _weights(sampler, 3, 6, 2)
    yield _steep(lambda: small("left_over", gradients=left))
    evaluated: dict[str, Any] = {"dropout": 1.0, "steps": 1, "training": False}
    yield _steep(lambda: _question(sampler, "after_evaluation", [PAD, 0.2, NO_LIMIT], **evaluated))
    yield _steep(lambda: _question(sampler, "by_default", [PAD], steps=1))
    yield _steep(lambda: _question(sampler, "another_pad", [pad_id, 0.2, NO_LIMIT], steps=1))


CHECKS = (
    Check("loss", equals_reference, "by_hand", "the loss that comes back is right: that before the step, as a number", 0.5,
        {"fields": ["calls/0/loss"]}),
    Check("first_step", equals_reference, "by_hand", "after one step the weights are right", 0.9,
        {"fields": ["calls/0/weights"]}),
    Check("second_step", equals_reference, "two_steps", "after a second step, on another batch, the weights are right", 0.9,
        {"fields": ["calls/0/weights", "calls/1/weights"]}),
    Check("clipped", equals_reference, "clipped", "the weights are right where gradients are too long: they are clipped before they are used", 0.5,
        {"fields": ["calls/0/weights", "calls/1/weights"]}),
    Check("left_over", equals_reference, "left_over", "the weights are right where gradients are left from before: these do not count", 0.3,
        {"fields": ["calls/0/weights"]}),
    Check("after_evaluation", equals_reference, "after_evaluation", "loss and weights are right where the model is in evaluation mode at first", 0.3,
        {"fields": ["calls/0/loss", "calls/0/weights"]}),
    Check("rate", equals_reference, "two_steps", "the learning rates are right: the scheduler moves on once with each step", 0.2,
        {"fields": ["calls/0/rate", "calls/1/rate"]}, needs="first_step"),
    Check("by_default", equals_reference, "by_default", "with the default ε, 0.1, and the default `max_norm`, 1, the weights are right", 0.2,
        {"fields": ["calls/0/weights"]}, needs="first_step"),
    Check("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.2,
        {"fields": ["calls/0/loss", "calls/0/weights"]}),
)  # fmt: skip


ORDER = "`optimizer.zero_grad()`, `loss.backward()`, `clip_gradients(...)`, `optimizer.step()`, `scheduler.step()`: in this order."


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Say in words what a step of training does, from the mode of the model to the rate of the next step. Each is one line.",
        "Mode, shift, loss; clear, backward, clip; optimiser, scheduler; return. Which is missing, or in another place?",
        f"`model.train()`; the two of `shift_targets`; the loss of the model's logits; then {ORDER} Return `loss.item()`.",
    ),
    ask=ask,
    builds_on=("shift_targets", "label_smoothed_loss"),
)
