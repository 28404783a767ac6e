"""Exercise `train_step`: one step of training, checked by what it does to the weights of a small model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.lesson_09 import clips_before_there_are_gradients
from course_lib.checking.training_probe import SmallTranslator, training_steps
from course_lib.checking.values import Value
from course_lib.components.label_smoothed_loss import label_smoothed_loss
from course_lib.components.shift_targets import shift_targets

PAD, BOS, EOS = 0, 1, 2
#: of gradient descent: large enough that one step can be seen, with a memory of the step before
DESCENT = {"lr": 0.5, "momentum": 0.5}
#: factors of the learning rate, all different
RATES = [1.0, 0.5, 0.25, 0.125]
#: a norm that no gradient here reaches
NO_LIMIT = 1000.0
#: a norm that every first gradient exceeds
STEEP = 1.1


def _weights(draw: Draw, source_size: int, target_size: int, d_model: int) -> dict[str, Tensor]:
    """In float64, and far from 0: the gradients of a model that is sure and wrong are long."""
    return {
        "source.weight": draw.tensor(source_size, d_model),
        "target.weight": draw.tensor(target_size, d_model, scale=3.0),
        "output.weight": draw.tensor(target_size, d_model, scale=3.0),
        "output.bias": draw.tensor(target_size),
    }


def _batch(draw: Draw, source_size: int, target_size: int, lengths: list[int], source_length: int) -> dict[str, Tensor]:
    """Sentences of these lengths between ``bos`` and ``eos``, and padding behind the shorter ones."""
    source = torch.tensor([draw.shuffled(range(source_size))[:source_length] for _ in lengths])
    rows = []
    for length in lengths:
        words = draw.shuffled(range(3, target_size))[:length]
        rows.append([BOS, *words, EOS, *[PAD] * (max(lengths) - length)])
    return {"source": source, "target": torch.tensor(rows)}


def _question(
    draw: Draw, name: str, settings: list[Value], dropout: float = 0.0, steps: int = 2, **more: Value
) -> Question:
    """Steps on batches of three sentences, of several lengths."""
    source_size, target_size, d_model = 7, draw.shuffled((9, 10, 11))[0], 4
    batches = [_batch(draw, source_size, target_size, draw.shuffled([5, 2, 3]), 6) for _ in range(steps)]
    if settings[0] != PAD:
        _exchange(batches, int(settings[0]))
    return _asked(name, _weights(draw, source_size, target_size, d_model), batches, settings, dropout, **more)


def _exchange(batches: list[dict[str, Tensor]], pad_id: int) -> None:
    """Let another id stand for padding, and 0 for the word it stood for."""
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
) -> Question:
    (source_size, d_model), (target_size, _) = weights["source.weight"].shape, weights["target.weight"].shape
    build = {"source_size": source_size, "target_size": target_size, "d_model": d_model, "dropout": dropout}
    given = {"build": build, "weights": weights, "calls": batches, "settings": settings, "optimizer": DESCENT}
    return Question(name, training_steps, {**given, "rates": RATES, "returns": ["loss"], **more})


def _gradient_norm(question: Question) -> float:
    """The norm of all gradients of the first batch together."""
    given = question.given
    model = SmallTranslator(**given["build"]).to(torch.float64)
    model.load_state_dict(given["weights"])
    inputs, labels = shift_targets(given["calls"][0]["target"])
    pad_id, *smoothing = given["settings"][:2]
    label_smoothed_loss(model(given["calls"][0]["source"], inputs), labels, pad_id, *smoothing).backward()
    return float(torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).norm())


def _steep(drawn: Callable[[], Question]) -> Question:
    """The first question drawn on which clipping at 1, the default, can be told from not clipping."""
    while True:
        question = drawn()
        if _gradient_norm(question) > STEEP:
            return question


def ask(draw: Draw) -> Iterator[Question]:
    """A small batch, two steps, gradients that must be clipped, some left from before, a model in evaluation mode, defaults, another padding id."""

    def small(name: str, **more: Value) -> Question:
        batches = [_batch(draw, 3, 6, draw.shuffled([2, 1]), 2)]
        return _asked(name, _weights(draw, 3, 6, 2), batches, [PAD, 0.2, NO_LIMIT], **more)

    yield _steep(lambda: small("by_hand"))
    smoothing, max_norm, pad_id = (draw.shuffled(some)[0] for some in ((0.2, 0.25, 0.3), (0.1, 0.15, 0.2), (5, 6, 7)))
    yield _steep(lambda: _question(draw, "two_steps", [PAD, smoothing, NO_LIMIT]))
    yield _steep(lambda: _question(draw, "clipped", [PAD, 0.2, max_norm], dropout=1.0, groups=2))
    left = _weights(draw, 3, 6, 2)
    yield _steep(lambda: small("left_over", gradients=left))
    evaluated: dict[str, Any] = {"dropout": 1.0, "steps": 1, "training": False}
    yield _steep(lambda: _question(draw, "after_evaluation", [PAD, 0.2, NO_LIMIT], **evaluated))
    yield _steep(lambda: _question(draw, "by_default", [PAD], steps=1))
    yield _steep(lambda: _question(draw, "another_pad", [pad_id, 0.2, NO_LIMIT], steps=1))


LAWS = (
    Law("loss", equals_reference, "by_hand", "the loss before the step comes back, as a number", 0.5,
        {"fields": ["calls/0/loss"]}),
    Law("first_step", equals_reference, "by_hand", "after one step the weights are right", 0.9,
        {"fields": ["calls/0/weights"]}),
    Law("second_step", equals_reference, "two_steps", "after a second step, on another batch, they are right too", 0.9,
        {"fields": ["calls/0/weights", "calls/1/weights"]}),
    Law("clipped", equals_reference, "clipped", "gradients that are too long are clipped before they are used", 0.5,
        {"fields": ["calls/0/weights", "calls/1/weights"]}),
    Law("left_over", equals_reference, "left_over", "gradients left from before do not count", 0.3,
        {"fields": ["calls/0/weights"]}),
    Law("after_evaluation", equals_reference, "after_evaluation", "a model in evaluation mode is put into training mode", 0.3,
        {"fields": ["calls/0/loss", "calls/0/weights"]}),
    Law("rate", equals_reference, "two_steps", "the scheduler moves on once with each step", 0.2,
        {"fields": ["calls/0/rate", "calls/1/rate"]}, needs="first_step"),
    Law("by_default", equals_reference, "by_default", "where nothing is said of ε and the greatest norm, they are 0.1 and 1", 0.2,
        {"fields": ["calls/0/weights"]}, needs="first_step"),
    Law("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.2,
        {"fields": ["calls/0/loss", "calls/0/weights"]}),
)  # fmt: skip

MODE = "    model.train()\n"
SHIFT = "inputs, labels = shift_targets(target)"
LOSS = "loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)"
ZERO = "    optimizer.zero_grad()\n"
BACKWARD = "    loss.backward()\n"
CLIP = "    clip_gradients(model.parameters(), max_norm)\n"
STEP = "    optimizer.step()\n"
SCHEDULER = "    scheduler.step()\n"
RETURN = "return loss.item()"
ORDER = "`optimizer.zero_grad()`, `loss.backward()`, `clip_gradients(...)`, `optimizer.step()`, `scheduler.step()`: in this order."

MISTAKES = (
    # the gradients
    mistake(
        "gradients_never_cleared",
        "You never clear the gradients: `backward` *adds* to what is there, so each step follows the sum of all batches so far.",
        (
            "Print the gradient of one weight after `backward`, on the same batch twice.",
            "Which call sets the gradients back, and where is it?",
            ORDER,
        ),
        (ZERO, ""),
        group="zero",
    ),
    mistake(
        "cleared_at_the_end",
        "You clear the gradients after the step, not before `backward`. In a loop of your own that works; gradients that somebody left before your first step count.",
        (
            "Call `backward` on another batch, then your `train_step`. Which gradients does it follow?",
            "Between the start of your function and `backward`, what clears the gradients?",
            ORDER,
        ),
        (ZERO, ""),
        (SCHEDULER, SCHEDULER + ZERO),
        group="zero",
    ),
    mistake(
        "nothing_moves",
        "Your weights stay where they are. Either `optimizer.step()` is missing, or the gradients are cleared between `backward` and the step.",
        (
            "Compare a weight before and after your step.",
            "What lies between `loss.backward()` and `optimizer.step()`?",
            ORDER,
        ),
        (STEP, ""),
        group=ALONE,
    ),
    mistake(
        "uphill",
        "Your step goes uphill: it follows the gradient of −loss, or of a log-likelihood. The optimiser makes small what you call `backward` on.",
        (
            "Take ten steps on one batch. Does the loss fall?",
            "On what do you call `backward`?",
            "`loss.backward()`, of the loss as it comes.",
        ),
        (BACKWARD, "    (-loss).backward()\n"),
        group=ALONE,
    ),
    # clipping
    mistake(
        "not_clipped",
        "The gradients that your optimiser uses are not clipped: they are as long as they come, and one bad batch can throw the model far away. Either you do not clip, or you do it before `backward`, or after the step.",
        (
            "Set `max_norm=1e-9`. Do your weights still move?",
            "When are the gradients there, and when are they used? The clipping belongs between.",
            ORDER,
        ),
        (CLIP, ""),
        group="clip",
    ),
    mistake(
        "clipped_before_there_are_gradients",
        "Where you clip, there are no gradients: `backward` has not been called yet, or they were cleared after it.",
        (
            "When do the parameters get their `grad`, and when do they lose it?",
            "In which order do `zero_grad`, `backward` and the clipping stand?",
            ORDER,
        ),
        (CLIP, ""),
        (BACKWARD, CLIP + BACKWARD),
        recogniser=clips_before_there_are_gradients,
        group=ALONE,
    ),
    mistake(
        "clipped_one_by_one",
        "You clip each parameter's gradient by itself. The norm is one for all of them together; otherwise the step's direction changes.",
        (
            "Work out the norm of all gradients together after your clipping. Is it `max_norm`?",
            "How often do you call `clip_gradients`?",
            "Once: `clip_gradients(model.parameters(), max_norm)`.",
        ),
        (CLIP, "    for parameter in model.parameters():\n        clip_gradients([parameter], max_norm)\n"),
        group="clip",
    ),
    mistake(
        "clipped_by_value",
        "You cut off each number of the gradients at ±max_norm (`clip_grad_value_`). What is asked for is one factor for all, by their norm.",
        (
            "Work out the norm of all gradients together after your clipping. Is it `max_norm`?",
            "Which of PyTorch's two clippings is by norm?",
            "`clip_gradients(model.parameters(), max_norm)`, of lesson 01.",
        ),
        (CLIP, "    torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)\n"),
        group="clip",
    ),
    mistake(
        "first_group_clipped",
        "You clip the first of the optimiser's groups of parameters only. The norm is that of all gradients of the model together.",
        (
            "Give the optimiser two groups of parameters. Which gradients do you clip?",
            "Whose parameters do you hand to the clipping: the model's, or those of `param_groups[0]`?",
            "`clip_gradients(model.parameters(), max_norm)`.",
        ),
        (CLIP, '    clip_gradients(optimizer.param_groups[0]["params"], max_norm)\n'),
        group="clip",
    ),
    mistake(
        "always_scaled_to_max_norm",
        "You bring all gradients to the norm `max_norm`, the short ones too. Only those that are longer are to be scaled down.",
        (
            "Set `max_norm=1000`. How far do your weights move, and how far should they?",
            "What does your factor do where the norm is smaller than `max_norm`?",
            "`clip_gradients(model.parameters(), max_norm)`, of lesson 01.",
        ),
        (CLIP, """    norm = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).norm()
    for p in model.parameters():
        p.grad = p.grad * (max_norm / norm)
"""),
        group="clip",
    ),
    mistake(
        "clipped_at_one",
        "You clip at 1, whatever `max_norm` says.",
        (
            "Set `max_norm=1e-9`. Do your weights still move?",
            "What is the second argument of your clipping?",
            "`clip_gradients(model.parameters(), max_norm)`.",
        ),
        (CLIP, "    clip_gradients(model.parameters(), 1.0)\n"),
        group="clip",
    ),
    # the scheduler
    mistake(
        "scheduler_first",
        "The scheduler moves on *before* the optimiser steps: the first step is taken at the second rate. PyTorch warns of it.",
        (
            "Which learning rate does your first step use: the first of the schedule?",
            "In which order do your two `.step()` stand?",
            ORDER,
        ),
        (STEP, SCHEDULER + STEP),
        (STEP + SCHEDULER, STEP),
        group="scheduler",
    ),
    mistake(
        "scheduler_stands_still",
        "The scheduler never moves on: every step is taken at the first rate. With a warm-up that is the smallest of all.",
        (
            "Print `optimizer.param_groups[0]['lr']` after each of three steps.",
            "How often do you call `scheduler.step()`?",
            ORDER,
        ),
        (SCHEDULER, ""),
        group="scheduler",
    ),
    mistake(
        "scheduler_gets_the_loss",
        "You hand the loss to `scheduler.step`. Most schedulers take that number for the epoch, and jump to its learning rate; only `ReduceLROnPlateau` wants a loss.",
        (
            "Print `optimizer.param_groups[0]['lr']` after each of three steps.",
            "Which argument does your `scheduler.step` get?",
            ORDER,
        ),
        (SCHEDULER, "    scheduler.step(loss.item())\n"),
        group=ALONE,
    ),
    mistake(
        "scheduler_twice",
        "The scheduler moves on twice with each step: the warm-up is over in half of its steps.",
        (
            "Print `optimizer.param_groups[0]['lr']` after each of three steps.",
            "How often do you call `scheduler.step()`?",
            ORDER,
        ),
        (SCHEDULER, SCHEDULER + SCHEDULER),
        group="scheduler",
    ),
    # the model's mode
    mistake(
        "mode_left_as_it_is",
        "The model is called in the mode in which you find it. After an evaluation it trains on without dropout.",
        (
            "Call `model.eval()`, then your step. Is `model.training` True when the model is called?",
            "What does dropout do in each of the two modes, and who sets the mode?",
            "`model.train()`, before the model is called.",
        ),
        (MODE, ""),
        group=ALONE,
    ),
    mistake(
        "in_evaluation_mode",
        "You put the model into evaluation mode: nothing is dropped while it trains.",
        (
            "Is `model.training` True when you call the model?",
            "`train()` or `eval()`: which belongs here?",
            "`model.train()`, before the model is called.",
        ),
        (MODE, "    model.eval()\n"),
        group=ALONE,
    ),
    # what is predicted, and what it costs
    mistake(
        "target_not_shifted",
        "The model reads the whole target, and is asked for the whole target: at each place it is told what it is to say.",
        (
            "How many tokens does your model read, and how many are in the target? It should read one less.",
            "Where do you call `shift_targets`, and what do you do with its two results?",
            "`inputs, labels = shift_targets(target)`; the model reads `inputs`, the loss compares with `labels`.",
        ),
        (SHIFT, "inputs, labels = target, target"),
        group=ALONE,
    ),
    mistake(
        "inputs_and_labels_swapped",
        "The model reads the labels and is asked for the inputs: it learns to say the word *before*.",
        (
            "Does what your model reads begin with `bos`?",
            "In which order does `shift_targets` return its results?",
            "`inputs, labels = shift_targets(target)`.",
        ),
        (SHIFT, "labels, inputs = shift_targets(target)"),
        group=ALONE,
    ),
    mistake(
        "labels_read",
        "The model reads the labels, and is asked for the labels: at each place it is told the word that it is to say.",
        (
            "Does what your model reads begin with `bos`?",
            "Which of the two results of `shift_targets` goes into the model, and which into the loss?",
            "`model(source, inputs)`; the loss compares with `labels`.",
        ),
        (LOSS, LOSS.replace("inputs", "labels")),
        group=ALONE,
    ),
    mistake(
        "gradient_of_the_sum",
        "You call `backward` on the sum over all tokens, the loss times their number: the gradients grow with the batch. The loss that you return is right.",
        (
            "Put every sentence into the batch twice. Should the gradients change? Do yours?",
            "On which number do you call `backward`, and which do you return?",
            "`loss.backward()`, of the loss as it comes.",
        ),
        (BACKWARD, "    (loss * (labels != pad_id).sum()).backward()\n"),
        group=ALONE,
    ),
    mistake(
        "smoothing_not_passed_on",
        "You do not pass `smoothing` on: the loss smooths by its own 0.1, whatever is asked for.",
        (
            "Take a step with ε = 0 and one with ε = 0.5, from the same weights. Do the losses differ?",
            "Which arguments does your loss get?",
            "`label_smoothed_loss(logits, labels, pad_id, smoothing)`.",
        ),
        (LOSS, LOSS.replace(", smoothing)", ")")),
        group="loss",
    ),
    mistake(
        "pad_id_not_passed_on",
        "You pass 0 on as the padding id, whatever `pad_id` is.",
        (
            "Where `pad_id` is 5: does your loss count the fives?",
            "Which arguments does your loss get?",
            "`label_smoothed_loss(logits, labels, pad_id, smoothing)`.",
        ),
        (LOSS, LOSS.replace("pad_id", "0")),
        group=ALONE,
    ),
    # what comes back
    mistake(
        "returns_a_tensor",
        "Your step is right, but you return the loss as a tensor, and with it the whole graph it was made by. Kept in a list of a thousand losses, that fills the memory.",
        (
            "What is the type of what you return?",
            "How does a tensor of one number become a number?",
            "`return loss.item()`.",
        ),
        (RETURN, "return loss"),
        group="returned",
    ),
    mistake(
        "loss_after_the_step",
        "You work the loss out once more, after the step. That costs another pass through the model, and is not the loss whose gradient was followed.",
        (
            "How often do you call the model?",
            "Which of your losses do you return?",
            "`return loss.item()`, of the loss you called `backward` on.",
        ),
        (RETURN, "return label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing).item()"),
        group="returned",
    ),
    mistake(
        "returns_nothing",
        "Your step is right, but you return nothing. A loss that is not looked at may be `nan` for an hour.",
        (
            "What does your function return?",
            "Is there a `return` at its end?",
            "`return loss.item()`.",
        ),
        (RETURN, "return None"),
        group="returned",
    ),
)  # fmt: skip


def torchs_parts(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    inputs, labels = shift_targets(target)
    logits = model(source, inputs)
    loss = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return float(loss)


def own_slices(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(True)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    logits = model(source, target[:, :-1])
    loss = label_smoothed_loss(logits, target[:, 1:], pad_id, smoothing)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach().item()


def gradients_by_hand(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id=pad_id, smoothing=smoothing)
    gradients = torch.autograd.grad(loss, parameters)
    norm = sum(gradient.square().sum() for gradient in gradients) ** 0.5
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient * min(1.0, max_norm / (norm.item() + 1e-6))
    optimizer.step()
    scheduler.step()
    return loss.item()


def with_a_closure(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()

    def closure():
        optimizer.zero_grad(set_to_none=False)
        inputs, labels = shift_targets(target)
        loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        return loss

    loss = optimizer.step(closure)
    scheduler.step()
    return loss.item()


def cleared_first_and_last(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.zero_grad()
    model = model.train()
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    value = loss.item()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    scheduler.step()
    return value


def stub(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    raise NotImplementedError


def zero(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    return 0.0


def only_the_loss(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    inputs, labels = shift_targets(target)
    return label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing).item()


def noise(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    return 1.0


TRAIN_STEP = define(
    id="train_step",
    lesson="09_training",
    place=3,
    module="course_lib.components.train_step",
    symbol="train_step",
    minutes=15,
    laws=LAWS,
    hints=(
        "Say in words what a step of training does, from the mode of the model to the rate of the next step. Each is one line.",
        "Mode, shift, loss; clear, backward, clip; optimiser, scheduler; return. Which is missing, or in another place?",
        f"`model.train()`; the two of `shift_targets`; the loss of the model's logits; then {ORDER} Return `loss.item()`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(torchs_parts, own_slices, gradients_by_hand, with_a_closure, cleared_first_and_last),
    lazy=(stub, zero, only_the_loss, noise),
    builds_on=("shift_targets", "label_smoothed_loss"),
    switches=("zero", "clip", "scheduler", "loss"),
)


# the mistakes again, in another style: each must get the same name


def _loss_of(model, source, target, pad_id, smoothing):
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=pad_id, label_smoothing=smoothing)


@TRAIN_STEP.second_version("gradients_never_cleared")
def cleared_nowhere(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@TRAIN_STEP.second_version("nothing_moves")
def cleared_too_late(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.zero_grad()
    optimizer.step()
    scheduler.step()
    return loss.item()


@TRAIN_STEP.second_version("not_clipped")
def clipped_after_the_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scheduler.step()
    return loss.item()


@TRAIN_STEP.second_version("scheduler_first")
def scheduler_at_the_start(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    scheduler.step()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@TRAIN_STEP.second_version("target_not_shifted")
def whole_target(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    logits = model(source, target)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad_id, label_smoothing=smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@TRAIN_STEP.second_version("returns_a_tensor")
def detached_only(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach()


@TRAIN_STEP.second_version("in_evaluation_mode")
def train_false(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(False)
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@TRAIN_STEP.second_version("smoothing_not_passed_on")
def own_tenth(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, 0.1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


def trained(
    clip=lambda model, optimizer, norm: nn.utils.clip_grad_norm_(model.parameters(), norm),
    move_on=lambda scheduler, loss: scheduler.step(),
    read=lambda target: target[:, :-1],
    factor=lambda labels, pad_id: 1,
):
    """A step with PyTorch's own parts, one of them changed."""

    def step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
        optimizer.zero_grad()
        logits, labels = model.train()(source, read(target)), target[:, 1:]
        loss = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing)
        (factor(labels, pad_id) * loss).backward()
        clip(model, optimizer, max_norm)
        optimizer.step()
        move_on(scheduler, loss)
        return loss.item()

    return step


def to_one_length(model, optimizer, norm):
    gradients = [p.grad for p in model.parameters()]
    length = sum(g.square().sum() for g in gradients).sqrt()
    for gradient in gradients:
        gradient.mul_(norm).div_(length)


TRAIN_STEP.second_version("first_group_clipped")(
    trained(clip=lambda model, optimizer, norm: nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], norm))
)
TRAIN_STEP.second_version("always_scaled_to_max_norm")(trained(clip=to_one_length))
TRAIN_STEP.second_version("scheduler_gets_the_loss")(trained(move_on=lambda scheduler, loss: scheduler.step(loss)))
TRAIN_STEP.second_version("labels_read")(trained(read=lambda target: target[:, 1:]))
TRAIN_STEP.second_version("gradient_of_the_sum")(trained(factor=lambda labels, pad_id: (labels != pad_id).sum()))
