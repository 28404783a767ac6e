"""Registered mistakes of lesson 09, written in another style."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.experiments.mystery_loss import mystery_loss
from second_versions.table import second_version

# shift_targets


@second_version("shift_targets", "says_what_it_reads")
def one_slice_for_both(target):
    inputs = target[:, :-1]
    return inputs, inputs.clone()


@second_version("shift_targets", "reads_what_it_says")
def without_bos_for_both(target):
    words = target[:, 1:]
    return words, words


@second_version("shift_targets", "shifted_the_other_way")
def labels_first(target):
    inputs, labels = target[:, :-1], target[:, 1:]
    return labels, inputs


@second_version("shift_targets", "shifted_twice")
def two_columns_less(target):
    length = target.size(1)
    return target.narrow(1, 0, length - 2), target.narrow(1, 2, length - 2)


@second_version("shift_targets", "sentences_cut")
def the_first_axis(target):
    sentences = target.size(0) - 1
    return target.narrow(0, 0, sentences), target.narrow(0, 1, sentences)


@second_version("shift_targets", "rolled")
def first_token_to_the_end(target):
    return target, torch.cat([target[:, 1:], target[:, :1]], dim=1)


@second_version("shift_targets", "time_first")
def transposed_first(target):
    turned = target.transpose(0, 1)
    return turned[:-1], turned[1:]


# label_smoothed_loss


@second_version("label_smoothed_loss", "finished_function")
def by_the_module(logits, labels, pad_id, smoothing=0.1):
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=smoothing)
    return criterion(logits.transpose(1, 2), labels)


@second_version("label_smoothed_loss", "padding_counted")
def torch_without_ignore_index(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)


@second_version("label_smoothed_loss", "divided_by_all_places")
def torch_summed_and_divided(logits, labels, pad_id, smoothing=0.1):
    total = F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )
    return total / labels.numel()


@second_version("label_smoothed_loss", "summed")
def torch_summed(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )


@second_version("label_smoothed_loss", "smoothing_ignored")
def torch_not_told_of_smoothing(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)


@second_version("label_smoothed_loss", "others_not_counting_the_label")
def scattered_over_the_others(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / (logits.size(-1) - 1))
    wanted.scatter_(2, labels.unsqueeze(2), 1 - smoothing)
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs[labels != pad_id].mean()


@second_version("label_smoothed_loss", "nothing_for_padding")
def annotated(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / (logits.size(-1) - 2))
    wanted.scatter_(2, labels.unsqueeze(2), 1 - smoothing)
    wanted[:, :, pad_id] = 0
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs.masked_fill(labels == pad_id, 0).sum() / (labels != pad_id).sum()


@second_version("label_smoothed_loss", "label_not_reduced")
def smoothing_on_top(logits, labels, pad_id, smoothing=0.1):
    plain = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    uniform = -logits.log_softmax(-1).mean(-1)
    return (plain + smoothing * uniform)[labels != pad_id].mean()


@second_version("label_smoothed_loss", "axes_by_view")
def view_for_torch_smoothed(logits, labels, pad_id, smoothing=0.1):
    b, t, v = logits.shape
    return F.cross_entropy(logits.view(b, v, t), labels, ignore_index=pad_id, label_smoothing=smoothing)


@second_version("label_smoothed_loss", "softmax_twice")
def probabilities_for_torch(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.softmax(-1).flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


@second_version("label_smoothed_loss", "divergence")
def kl_div_alone(logits, labels, pad_id, smoothing=0.1):
    keep = labels != pad_id
    x, y = logits[keep], labels[keep]
    wanted = F.one_hot(y, x.size(-1)) * (1 - smoothing) + smoothing / x.size(-1)
    return F.kl_div(x.log_softmax(-1), wanted, reduction="batchmean")


second_version("label_smoothed_loss", "padding_pays_the_smoothing")(mystery_loss)


# warmup_schedule


@second_version("warmup_schedule", "larger_of_the_two")
def sorted_the_wrong_way(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return sorted([step**-0.5, step * warmup_steps**-1.5])[-1] / math.sqrt(d_model)


@second_version("warmup_schedule", "never_rises")
def only_the_root(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(d_model * step)


@second_version("warmup_schedule", "stays_at_its_peak")
def a_ramp(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return (d_model * warmup_steps) ** -0.5 * min(1.0, step / warmup_steps)


@second_version("warmup_schedule", "width_left_out")
def without_width(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(step) if step > warmup_steps else step / warmup_steps**1.5


@second_version("warmup_schedule", "peak_of_one")
def a_share(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return step / warmup_steps if step < warmup_steps else math.sqrt(warmup_steps / step)


@second_version("warmup_schedule", "counted_from_0")
def one_later(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    step += 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


@second_version("warmup_schedule", "step_0_divides_by_0")
def no_test(step, d_model, warmup_steps):
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.sqrt(d_model)


@second_version("warmup_schedule", "step_0_taken_for_1")
def special_case(step, d_model, warmup_steps):
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


# train_step


def _loss_of(model, source, target, pad_id, smoothing):
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=pad_id, label_smoothing=smoothing)


@second_version("train_step", "gradients_never_cleared")
def cleared_nowhere(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@second_version("train_step", "nothing_moves")
def cleared_too_late(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.zero_grad()
    optimizer.step()
    scheduler.step()
    return loss.item()


@second_version("train_step", "not_clipped")
def clipped_after_the_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scheduler.step()
    return loss.item()


@second_version("train_step", "scheduler_first")
def scheduler_at_the_start(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    scheduler.step()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@second_version("train_step", "target_not_shifted")
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


@second_version("train_step", "returns_a_tensor")
def detached_only(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach()


@second_version("train_step", "in_evaluation_mode")
def train_false(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(False)
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@second_version("train_step", "smoothing_not_passed_on")
def own_tenth(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, 0.1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


@second_version("label_smoothed_loss", "smoothing_over_all_places")
def torch_and_a_mean_of_everything(logits, labels, pad_id, smoothing=0.1):
    plain = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    return (1 - smoothing) * plain - smoothing * logits.log_softmax(-1).mean()


@second_version("label_smoothed_loss", "mean_of_sentence_means")
def sentence_after_sentence(logits, labels, pad_id, smoothing=0.1):
    total = 0.0
    for scores, row in zip(logits, labels, strict=True):
        total = total + F.cross_entropy(scores, row, ignore_index=pad_id, label_smoothing=smoothing)
    return total / len(labels)


@second_version("label_smoothed_loss", "padding_column_left_out")
def nothing_scattered_to_padding(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / logits.size(-1))
    wanted[:, :, pad_id] = 0
    wanted.scatter_add_(2, labels.unsqueeze(2), torch.full_like(wanted[:, :, :1], 1 - smoothing))
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs[labels != pad_id].mean()


@second_version("label_smoothed_loss", "shared_without_padding")
def scattered_over_words(logits, labels, pad_id, smoothing=0.1):
    words = torch.arange(logits.size(-1)) != pad_id
    logs = logits.log_softmax(-1)
    costs = (smoothing - 1) * logs.gather(2, labels[..., None])[..., 0] - smoothing * logs[..., words].mean(-1)
    return costs[labels != pad_id].mean()


@second_version("label_smoothed_loss", "small_number_in_the_logarithm")
def clamped(logits, labels, pad_id, smoothing=0.1):
    logs = logits.softmax(-1).clamp(min=1e-12).log()
    costs = (smoothing - 1) * logs.gather(2, labels[..., None])[..., 0] - smoothing * logs.mean(-1)
    return costs[labels != pad_id].mean()


def scheduled(lowest=1, error=ValueError, shift=0, rising=lambda s, w: s * w**-1.5, falling=lambda s, w: s**-0.5):
    """The learning rate in two branches, one thing changed."""

    def schedule(step, d_model, warmup_steps):
        if step < lowest:
            raise error("no such step")
        step += shift
        return min(rising(step, warmup_steps), falling(step, warmup_steps)) / d_model**0.5

    return schedule


second_version("warmup_schedule", "falls_from_the_peak_with_the_step")(scheduled(falling=lambda s, w: w / s / w**0.5))
second_version("warmup_schedule", "power_of_the_product")(scheduled(rising=lambda s, w: 1 / (s * w) ** 1.5))
second_version("warmup_schedule", "first_step_is_0")(scheduled(lowest=0, shift=1))
second_version("warmup_schedule", "refused_by_assert")(scheduled(error=AssertionError))


@second_version("warmup_schedule", "negative_steps_not_refused")
def zero_is_falsy(step, d_model, warmup_steps):
    if not step:
        raise ValueError("step 0")
    return min(abs(step) ** -0.5, step / warmup_steps**1.5) / d_model**0.5


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


second_version("train_step", "first_group_clipped")(
    trained(clip=lambda model, optimizer, norm: nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], norm))
)
second_version("train_step", "always_scaled_to_max_norm")(trained(clip=to_one_length))
second_version("train_step", "scheduler_gets_the_loss")(trained(move_on=lambda scheduler, loss: scheduler.step(loss)))
second_version("train_step", "labels_read")(trained(read=lambda target: target[:, 1:]))
second_version("train_step", "gradient_of_the_sum")(trained(factor=lambda labels, pad_id: (labels != pad_id).sum()))


@second_version("shift_targets", "padding_marked_minus_100")
def where_it_is_real(target):
    labels = target[:, 1:]
    return target[:, :-1], torch.where(labels > 0, labels, -100)


@second_version("shift_targets", "padding_overwritten_with_minus_100")
def written_into_a_view(target):
    inputs, labels = target[:, :-1].clone(), target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels


@second_version("shift_targets", "inputs_begin_with_padding")
def pushed_to_the_right(target):
    labels = target[:, 1:]
    return F.pad(labels, (1, -1)), labels


@second_version("warmup_schedule", "counted_anew_after_the_warmup")
def steps_since_the_peak(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    since = step - warmup_steps
    return 1 / math.sqrt(d_model * since) if since > 0 else step / math.sqrt(d_model * warmup_steps**3)


@second_version("label_smoothed_loss", "divergence_with_nothing_for_padding")
def as_annotated(logits, labels, pad_id, smoothing=0.1):
    real = labels != pad_id
    x, y = logits[real], labels[real]
    wanted = torch.full_like(x, smoothing / (x.size(-1) - 2))
    wanted[:, pad_id] = 0.0
    wanted[torch.arange(len(y)), y] = 1 - smoothing
    return nn.KLDivLoss(reduction="batchmean")(x.log_softmax(dim=-1), wanted)


@second_version("warmup_schedule", "peak_falls_from_the_end_of_the_warmup")
def counted_anew(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("steps are counted from 1")
    rate = 1 / math.sqrt(d_model * warmup_steps)
    since = step - warmup_steps
    return rate * step / warmup_steps if since < 0 else rate / math.sqrt(1 + since)
