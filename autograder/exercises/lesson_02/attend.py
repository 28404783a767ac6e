"""Exercise `attend`: from scores to weights, and from weights to a mean of the values."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import (
    equals_reference,
    finite,
    inputs_unchanged,
    keeps_dtype,
    sums_to_one,
    zero_where_blocked,
)
from course_lib.checking.recognisers.any_lesson import writes_into_scores
from course_lib.checking.recognisers.lesson_02 import (
    exponentials_overflow,
    masked_keys_score_a_little_less,
    masked_keys_score_zero,
)
from course_lib.checking.values import Value


def _inputs(draw: Draw, b: int, s: int, d_value: int) -> tuple[Tensor, Tensor]:
    """Scores (B, S) and values (B, S, Dv)."""
    return draw.tensor(b, s), draw.tensor(b, s, d_value)


def _question(name: str, *arguments: Tensor, upstream: Tensor | None = None) -> Question:
    given = dict(zip(("scores", "values", "mask"), arguments, strict=False))
    asked: dict[str, Value] = {"arguments": given, "returns": ["context", "weights"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"context": upstream}})


def _on_paper(draw: Draw) -> tuple[Tensor, Tensor]:
    """Two sentences of three keys, each with a value of one number: the context is a mean of three numbers."""
    scores = torch.tensor([[2.0, 0.0, 1.0], [0.0, 1.0, -1.0]]) + draw.tensor(2, 3, scale=0.3).round(decimals=1)
    values = torch.tensor([[10.0, 20.0, 40.0], [60.0, 30.0, 50.0]]) + draw.tensor(2, 3, scale=3).round()
    return scores, values.unsqueeze(-1)


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, masks, an empty row, large scores, one sentence and one key; and a cube.

    In `large` the keys that the first sentence shows score far below −1,000 and the masked one far
    above, so that a constant which is not low enough is found out; in the second sentence it is the
    other way round, so that exp overflows; in the third only the masked key is far above. The weights are 0 or 1 there, however they are rounded.
    """
    b, s = sorted(draw.sizes(2))
    d, wide = draw.widths(2)
    scores, values = _on_paper(draw)
    yield _question("by_hand", scores, values)
    two_left = torch.tensor([True, True, False])[draw.order(3)]
    mask = torch.stack([two_left, torch.zeros(3, dtype=torch.bool)])
    yield _question("fully_masked", scores, values, mask, upstream=draw.tensor(2, 1))
    scores, values = (given[[0, 1, 0]] for given in _on_paper(draw))
    far = torch.tensor([[-2400.0, -2700.0, 2400.0], [2400.0, 2700.0, -2400.0], [0.0, -300.0, 2400.0]])
    allowed, order = torch.tensor([[True, True, False]]).expand(3, 3), draw.order(3)
    yield _question("large", (scores + far)[:, order], values, allowed[:, order])
    yield _question("plain", *_inputs(draw, b, s, d))
    mask = draw.mask(b, s)
    mask[0] = torch.arange(s) != draw.order(s)[0]
    yield _question("masked", *_inputs(draw, b, s, wide), mask)
    one, other = _inputs(draw, 1, s, d), _inputs(draw, b, 1, d)
    calls = [{"scores": scores, "values": values} for scores, values in (one, other)]
    yield Question("one_of_each", probes.call_each, {"calls": calls, "returns": ["context", "weights"]})
    yield _question("gradients", *_inputs(draw, s, b, wide), upstream=draw.tensor(s, wide))
    yield _question("cube", draw.tensor(3, 3), draw.tensor(3, 3, 3))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences of three keys come out right", 0.5,
        {"fields": ["context", "weights"]}),
    Law("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.25,
        {"fields": ["weights"]}),
    Law("context_plain", equals_reference, "plain", "in a batch, the context comes out right", 0.25,
        {"fields": ["context"]}),
    Law("equals_masked", equals_reference, "masked", "a mask (B, S) comes out right", 0.5,
        {"fields": ["context", "weights"]}),
    Law("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.15,
        {"field": "weights", "mask": "arguments/mask"}, needs="weights_plain"),
    Law("rows_sum_to_one", sums_to_one, "masked", "each sentence's weights sum to 1, with a mask too", 0.15,
        {"field": "weights"}, needs="weights_plain"),
    Law("fully_masked", equals_reference, "fully_masked", "a sentence whose keys are all masked gets zeros", 0.25,
        {"fields": ["context", "weights"]}),
    Law("finite_gradients", finite, "fully_masked", "such a sentence leaves no nan in the gradients", 0.15,
        {"fields": ["gradients/scores", "gradients/values"]}, needs="fully_masked"),
    Law("large_scores", equals_reference, "large", "scores of several thousand come out right, and a masked key still gets no weight", 0.2,
        {"fields": ["context", "weights"]}),
    Law("one_of_each", equals_reference, "one_of_each", "one sentence gives (1, Dv) and (1, S), and a single key takes all the weight", 0.1,
        {"fields": [f"calls/{call}/{field}" for call in (0, 1) for field in ("context", "weights")]}),
    Law("gradients", equals_reference, "gradients", "the gradients of scores and values are right", 0.3,
        {"fields": ["gradients/scores", "gradients/values"]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1,
        needs="equals_masked"),
    Law("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.1,
        {"fields": ["context", "weights"]}, needs="weights_plain"),
)  # fmt: skip

LOWEST = "torch.finfo(scores.dtype).min"
MASK_SCORES = f"scores = scores.masked_fill(~mask, {LOWEST})"
SOFTMAX = "torch.softmax(scores, dim=-1)"
MASK_WEIGHTS = "weights = weights.masked_fill(~mask, 0.0)"
CONTEXT = "(weights.unsqueeze(1) @ values).squeeze(1)"
RETURN = "return context, weights"
ZEROS_THEN_CONTEXT = (
    f"    if mask is not None:\n        {MASK_WEIGHTS}  # matters only where every key is masked\n"
    f"    context = {CONTEXT}  # (B, Dv)\n"
)
CONTEXT_THEN_ZEROS = f"    context = {CONTEXT}\n    if mask is not None:\n        {MASK_WEIGHTS}\n"

MISTAKES = (
    # how scores become weights
    mistake(
        "softmax_over_sentences",
        "Your softmax runs along axis 0, the batch: sentences that have nothing to do with each other share one total of 1.",
        (
            "Add up one row of your weights, then one column. Which is 1?",
            "Scores are (B, S): sentences, then keys. Along which axis do one sentence's weights lie?",
            "`torch.softmax(scores, dim=-1)`: along the last axis, the keys.",
        ),
        (SOFTMAX, "torch.softmax(scores, dim=0)"),
        group="softmax",
    ),
    mistake(
        "softmax_over_everything",
        "Your softmax runs over all scores of the batch at once: all weights of the batch together sum to 1, but those of each sentence should.",
        (
            "Add up one row of your weights. Then add up all of them.",
            "What becomes of the scores' shape before your softmax, and along which axis does it run?",
            "Leave the scores as they are, and use `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.softmax(scores.flatten(), dim=0).view_as(scores)"),
        group="softmax",
    ),
    mistake(
        "no_exponential",
        "You divide the scores by their sum, without exp: a negative score becomes a negative weight, and a sum near 0 makes weights of any size.",
        (
            "Which weight does your code give a key with a negative score?",
            "Weights must be positive, whatever the scores are. Which function is positive everywhere?",
            "`torch.softmax(scores, dim=-1)` exponentiates, then divides by the sum.",
        ),
        (SOFTMAX, "scores / scores.sum(dim=-1, keepdim=True)"),
        group="softmax",
    ),
    mistake(
        "scores_as_weights",
        "You weigh the values by the scores as they come. Nothing makes them positive, and nothing makes them sum to 1: the context is no mean.",
        (
            "Add up one row of your weights. Is one of them negative?",
            "Which step turns numbers of any size into shares of 1?",
            "`weights = torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "scores * 1"),
        group="softmax",
    ),
    mistake(
        "logarithm_of_weights",
        "You take the logarithm of the softmax: your weights are all below 0.",
        (
            "Can a weight be negative?",
            "`log_softmax` belongs in a loss. Which function gives the weights themselves?",
            "`torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.log_softmax(scores, dim=-1)"),
        group="softmax",
    ),
    mistake(
        "sigmoid",
        "You squash each score on its own, with a sigmoid. In a softmax the keys of a sentence compete for a total of 1.",
        (
            "Raise one score. Do the other weights of its row fall?",
            "A sigmoid sees one score at a time. Which function sees a whole row?",
            "Replace it with `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.sigmoid(scores)"),
        group="softmax",
    ),
    mistake(
        "hard_maximum",
        "You give all the weight to the best key. No gradient passes through an argmax, so nothing that made the scores could ever learn.",
        (
            "Which weight does your code give the second best key? And if you move its score a little?",
            "The best key should take most of the weight, not all of it: how much is decided by exp.",
            "Replace the maximum with `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)"),
        group="softmax",
    ),
    mistake(
        "no_max_subtraction",
        "You exponentiate the scores as they are. exp(−2400) is 0 to the computer and exp(2400) is infinity: 0 / 0 and ∞ / ∞ are nan.",
        (
            "What is `torch.exp(torch.tensor(2400.0))`? And that divided by itself?",
            "A constant added to all scores of a row leaves its weights as they are. Which constant makes exp safe?",
            "Use `torch.softmax`, or subtract `scores.max(dim=-1, keepdim=True).values` before `torch.exp`.",
        ),
        (SOFTMAX, "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"),
        group="softmax",
        recogniser=exponentials_overflow,
    ),
    mistake(
        "scaled",
        "You divide the scores by a square root before the softmax. Whoever makes the scores decides their scale; `attend` doesn't know how wide the keys were.",
        (
            "Two scores, 0 and 1: by how much do their weights differ on paper, and in your code?",
            "What happens to the scores before your softmax, besides the mask?",
            "Leave out the square root: `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.softmax(scores / values.size(-1) ** 0.5, dim=-1)"),
        group="softmax",
    ),
    # the mask
    mistake(
        "mask_inverted",
        "You hide what the mask allows, and look at what it hides. In this course True means *may attend* "
        "(in the masks of `nn.MultiheadAttention`, it means the opposite).",
        (
            "Print one row of the mask above the same row of your weights. Where are the zeros?",
            "`masked_fill` fills the positions where its mask is True. Are these the positions you want to fill?",
            "Fill with `~mask`: where the query may *not* attend.",
        ),
        (MASK_SCORES, MASK_SCORES.replace("~mask", "mask")),
        (MASK_WEIGHTS, MASK_WEIGHTS.replace("~mask", "mask")),
        group="mask",
    ),
    mistake(
        "mask_ignored",
        "Your mask has no effect: padding gets weight as if it were words.",
        (
            "Call your function with a mask and without. What differs?",
            "Where does `mask` meet the scores? And is the result kept? `masked_fill` returns a new tensor and leaves the old one as it is.",
            f"Before the softmax, where `mask is not None`: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "masked_after_softmax",
        "You set weights to 0 after the softmax. By then the masked keys have taken their share, and what is left in a row no longer sums to 1.",
        (
            "Add up one row of your weights, with a mask. Where is the rest?",
            "The softmax should not see masked keys at all. Which score makes exp(score) 0?",
            f"Before the softmax: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "pass"),
        group="mask",
    ),
    mistake(
        "masked_with_zero",
        "You set masked scores to 0. exp(0) is 1: a masked key weighs as much as any key whose score is 0.",
        (
            "Which weight does your code give a masked key? And which score would give it none?",
            "Softmax looks at exp(score). Where is exp nearly 0: at 0, or far below?",
            f"Fill with the lowest number there is, not with 0: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, MASK_SCORES.replace(LOWEST, "0.0")),
        (MASK_WEIGHTS, "pass"),
        group="mask",
        recogniser=masked_keys_score_zero,
    ),
    mistake(
        "masked_with_a_small_constant",
        "You give masked keys a score that is low, but not low enough: where the other scores are lower still, the masked key takes all the weight.",
        (
            "What happens where the keys that may be seen score −2400, and a masked one gets your constant?",
            "Which constant stands for −∞ in your mask? Is there a score that could lie below it?",
            f"Fill with the lowest number there is: `{LOWEST}`.",
        ),
        (LOWEST, "-100.0"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
        recogniser=masked_keys_score_a_little_less,
    ),
    mistake(
        "fully_masked_nan",
        "Where all keys of a sentence are masked, you return nan: a softmax of nothing but −∞ is 0 / 0. "
        "One such sentence turns a loss, and with it every weight of a model, into nan.",
        (
            "Print your weights for a row of the mask without a single True. What should a query get that may look at nothing?",
            "A softmax of −∞ everywhere is nan; of one very low number everywhere, it is not. After that, which weights should be 0?",
            f"Fill with `{LOWEST}`, and after the softmax: `{MASK_WEIGHTS}`.",
        ),
        (LOWEST, "-math.inf"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "fully_masked_uniform",
        "Where all keys of a sentence are masked, their scores are equally low, and your softmax spreads the weight evenly over keys that must not be seen.",
        (
            "Print your weights for a row of the mask without a single True. What should a query get that may look at nothing?",
            "A softmax sums to 1 even where there is nothing to attend to. The zeros have to come after it.",
            f"After the softmax: `{MASK_WEIGHTS}`.",
        ),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "nan_in_gradients",
        "Your weights are right, but where all keys are masked the backward pass is not: you add −∞ and remove the nan after the softmax, but its gradient is still nan.",
        (
            "Mask every key, call `backward`, and print the gradient of the scores.",
            "Zero times nan is nan: a gradient of 0 that passes through your softmax does not stay 0. Where does the nan arise?",
            f"Never let it arise: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)"),
        group="mask",
    ),
    mistake(
        "renormalised_after_softmax",
        "You multiply the weights by the mask and divide by what is left. Where a masked key had all the weight, or all keys are masked, nothing is left: 0 / 0 is nan.",
        (
            "One masked key scores 2400, the others −2400. What does your softmax leave for the others, before you multiply?",
            "On paper yours is right. In the computer the masked keys must be gone before the softmax, not after it.",
            f"Before the softmax: `{MASK_SCORES}`. After it: `{MASK_WEIGHTS}`. Then there is nothing to divide by.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "weights = weights * mask\n        weights = weights / weights.sum(dim=-1, keepdim=True)"),
        group="mask",
    ),
    mistake(
        "renormalised_with_a_floor",
        "Masked keys take part in your softmax (or in the maximum that you subtract), and you divide by what the others have left, but never by less than a small number. Where a masked key had all the weight, nothing is left, and the whole sentence gets zeros.",
        (
            "One masked key scores 2400, the others about 0. What is left for the others, before you divide?",
            "A sentence that has a key to look at must have weights that sum to 1. Which keys should the softmax, and its maximum, know of?",
            "Before the softmax: `scores.masked_fill(~mask, torch.finfo(scores.dtype).min)`. Then there is nothing to divide by.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "weights = weights * mask\n        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)"),
        group="mask",
    ),
    mistake(
        "division_by_zero_hidden",
        "You mask after the softmax, divide by what is left, and choose 0 with `torch.where` where nothing is. The numbers look right, but the 0 / 0 was computed all the same: its gradient is nan. And where a masked key had all the weight, the others get none.",
        (
            "Mask every key, call `backward`, and print the gradient of the scores.",
            "`torch.where` chooses between two results; both are computed, and the backward pass runs through both. Which of them divides by 0?",
            "Mask before the softmax with the lowest number there is, and set masked weights to 0 after it: no division is left.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "total = (weights * mask).sum(dim=-1, keepdim=True)\n        weights = torch.where(total > 0, weights * mask / total, 0.0)"),
        group="mask",
    ),
    mistake(
        "renormalised_over_the_batch",
        "You divide the weights by the sum of the *whole batch*: all sentences together get 1, but each should get 1 of its own. A single sentence doesn't show it.",
        (
            "Add up one row of your weights, with two sentences in the batch.",
            "A `sum()` without an axis adds up everything. Whose weights should sum to 1?",
            "After a softmax along the keys there is nothing to divide by; or `weights.sum(dim=-1, keepdim=True)`.",
        ),
        (MASK_WEIGHTS, "weights = weights * mask\n        weights = weights / weights.sum()"),
        group="mask",
    ),
    mistake(
        "values_masked",
        "You set the *values* of masked keys to 0, and leave the weights as they are: the masked keys keep their share, and the context is pulled towards 0.",
        (
            "Add up the weights of the keys that may be seen. Where is the rest?",
            "A value of 0 is still counted in the mean. What must be 0 instead: what a masked key brings, or what it weighs?",
            "Before the softmax: `scores.masked_fill(~mask, torch.finfo(scores.dtype).min)`.",
        ),
        (MASK_SCORES, "values = values.masked_fill(~mask.unsqueeze(-1), 0.0)"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "context_before_the_zeros",
        "You make the context first and set masked weights to 0 afterwards. Where all keys are masked, the weights you return are zeros, and the context is a mean of keys that must not be seen.",
        (
            "Mask every key of a sentence. Do your weights and your context say the same?",
            "In which order do your last lines stand?",
            "First `weights.masked_fill(~mask, 0.0)`, then the context.",
        ),
        (ZEROS_THEN_CONTEXT, CONTEXT_THEN_ZEROS),
        group="mask",
    ),
    mistake(
        "mask_overwritten",
        "Your numbers are right, but you changed the mask you were given. The decoder hands the same mask to its next step, which then hides the wrong keys.",
        (
            "Print `mask` before and after your function.",
            "A method that ends in `_` changes its tensor in place; so do `mask[...] = ...` and `^=`.",
            "Use `~mask`, which makes a new tensor.",
        ),
        (MASK_SCORES, f"scores = scores.masked_fill(mask.logical_not_(), {LOWEST})"),
        (MASK_WEIGHTS, MASK_WEIGHTS.replace("~mask", "mask")),
        group="mask",
    ),
    mistake(
        "scores_overwritten",
        "Your numbers are right, but you write the mask into the scores you were given: whoever called your function has lost them.",
        (
            "Print `scores` before and after your function.",
            "`masked_fill_` and `scores[...] = ...` change a tensor in place.",
            f"`{MASK_SCORES}`, without the underscore.",
        ),
        (MASK_SCORES, f"scores.masked_fill_(~mask, {LOWEST})"),
        group="mask",
        recogniser=writes_into_scores,
    ),
    # from weights to the context
    mistake(
        "mean_of_the_values",
        "Your context is the plain mean of the values: the weights have no part in it, and every query finds the same.",
        (
            "Change the scores. Does your context move?",
            "What are the values multiplied with before they are summed?",
            f"`context = {CONTEXT}`.",
        ),
        (CONTEXT, "values.mean(dim=1)"),
        group="output",
    ),
    mistake(
        "scores_times_values",
        "Your weights are right, but you weigh the values by the *scores*: the context is no mean of them.",
        (
            "If all values were 1, what should the context be? What is yours?",
            "Which of your variables meets the values: the one from before the softmax, or from after it?",
            f"`context = {CONTEXT}`.",
        ),
        (CONTEXT, "(scores.unsqueeze(1) @ values).squeeze(1)"),
        group="output",
    ),
    mistake(
        "best_value",
        "Your context is the value of the best key alone. Attention mixes: every value comes in with its weight.",
        (
            "Change the value of the second best key. Does your context move?",
            "Where does your code choose one key? Which sum should stand there?",
            f"`context = {CONTEXT}`.",
        ),
        (CONTEXT, "values[torch.arange(values.size(0)), weights.argmax(dim=-1)]"),
        group="output",
    ),
    mistake(
        "not_summed",
        "You weigh the values, and leave them side by side: (B, S, Dv), where one context for each sentence is asked for.",
        (
            "Which shape has your context? How many vectors does a sentence get?",
            "`a = Σ_i α_i v_i`: which sign of the formula is missing in your code?",
            "Sum over the keys: `(weights.unsqueeze(-1) * values).sum(dim=1)`.",
        ),
        (CONTEXT, "weights.unsqueeze(-1) * values"),
        group="output",
    ),
    mistake(
        "summed_over_features",
        "You weigh the values and sum over their *features*: one number for each key, (B, S), where one vector for each sentence is asked for.",
        (
            "Which shape has your context: (B, Dv), or (B, S)?",
            "Weighted values are (B, S, Dv). Which of the three axes should be gone in the end?",
            "Sum over the keys: `(weights.unsqueeze(-1) * values).sum(dim=1)`.",
        ),
        (CONTEXT, "(weights.unsqueeze(-1) * values).sum(dim=-1)"),
        group="output",
    ),
    mistake(
        "every_sentence_with_every_weight",
        "You multiply the weights of *all* sentences by the values of each: (B, B, Dv). A sentence's weights are for its own values.",
        (
            "Where in your shape (B, B, Dv) do the right contexts stand, and what is the rest?",
            "(B, S) @ (B, S, Dv): the first is taken for *one* matrix, and the batch for its rows. What is missing?",
            f"Make each sentence's weights a row of their own, (B, 1, S): `{CONTEXT}`.",
        ),
        (CONTEXT, "weights @ values"),
        group="output",
    ),
    mistake(
        "axis_of_one_kept",
        "Your context is (B, 1, Dv): the axis that made the weights a row is still there.",
        (
            "Print the shape of your context.",
            "Which axis did you add for the product? It has done its work.",
            "`.squeeze(1)` at the end: (B, Dv).",
        ),
        (CONTEXT, "weights.unsqueeze(1) @ values"),
        group="output",
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1. With a single sentence in the batch, or values of width 1, that axis is gone too, and what comes next finds the wrong shape.",
        (
            "Call your function with one sentence. How many axes does the context have?",
            "`.squeeze()` without a number takes all axes of length 1. Which one is it that should go?",
            "`.squeeze(1)`: the axis you added, and no other.",
        ),
        (CONTEXT, "(weights.unsqueeze(1) @ values).squeeze()"),
        group="output",
    ),
    # what is returned
    mistake(
        "weights_first",
        "You return weights and context in the wrong order: the context is asked for first.",
        (
            "Which shape has the first thing you return, and which shape should it have?",
            "Look at your last line, and at *Returns* in the docstring.",
            "`return context, weights`.",
        ),
        (RETURN, "return weights, context"),
        group="returned",
    ),
    mistake(
        "only_the_context",
        "You return the context alone. The weights are asked for too, as the second of two.",
        (
            "What does the docstring say under *Returns*?",
            "Your weights are there; the last line leaves them behind.",
            "`return context, weights`.",
        ),
        (RETURN, "return context"),
        group="returned",
    ),
    mistake(
        "scores_returned",
        "Your context is right, but next to it you return the scores, from before the softmax, where the weights are asked for.",
        (
            "Add up one row of the second thing you return.",
            "Which of your variables holds numbers between 0 and 1?",
            "`return context, weights`, with the weights that the softmax gave.",
        ),
        (RETURN, "return context, scores"),
        group="output",  # with `scores_times_values`, it is `scores_as_weights`
    ),
    mistake(
        "weights_detached",
        "Your numbers are right, but your weights are cut out of the graph: no gradient reaches the scores, and whatever made them never learns where to look.",
        (
            "Call your function with `scores.requires_grad_()` and look at `weights.requires_grad`.",
            "Between the scores and the context the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or `torch.tensor(...)`?",
            "Remove it: everything from the scores to the context stays a torch operation on tensors of the graph.",
        ),
        (SOFTMAX, f"{SOFTMAX}.detach()"),
        group="output",
    ),
    mistake(
        "everything_detached",
        "Your numbers are right, but your context has lost the graph: no gradient reaches scores or values, and nothing in front of them would learn.",
        (
            "Call your function with `values.requires_grad_()` and look at `context.requires_grad`.",
            "Where do your tensors leave PyTorch? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut the graph.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (RETURN, "return context.detach(), weights.detach()"),
        group="output",
    ),
    mistake(
        "single_precision",
        "You turn what you are given into float32. From float64 inputs you return float32, and nine of sixteen digits are gone.",
        (
            "Print the `dtype` of what you are given and of what you return.",
            "Somewhere you name a dtype: `.float()`, `torch.float32`. Is it needed?",
            "Remove the conversion. PyTorch keeps the dtype of its inputs by itself.",
        ),
        ("    if mask is not None:\n        # the", "    scores, values = scores.float(), values.float()\n    if mask is not None:\n        # the"),
        group="output",
    ),
    mistake(
        "context_zeroed_alone",
        "Where all keys of a sentence are masked, your context is zeros, as it should be, but the weights that you return still spread evenly over keys that must not be seen.",
        (
            "Mask every key of a sentence. Do your weights and your context say the same?",
            "You set the context to zero after the weighted sum. Which of your two results does that leave as it was?",
            f"Zero the weights instead, before the weighted sum: `{MASK_WEIGHTS}`. The context is then zeros by itself.",
        ),
        (ZEROS_THEN_CONTEXT, f"    context = {CONTEXT}\n    if mask is not None:\n        context = context.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)\n"),
        group="mask",
    ),
)  # fmt: skip


def by_einsum(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return torch.einsum("bs,bsd->bd", weights, values), weights


def multiplied_and_summed(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = F.softmax(torch.where(mask, scores, torch.full_like(scores, -1e9)), dim=1) * mask
    return (weights[..., None] * values).sum(dim=1), weights


def by_hand_with_exponentials(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    powers = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    weights = powers / powers.sum(dim=1, keepdim=True)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights[:, None, :], values)[:, 0], weights


def through_log_sum_exp(scores, values, mask=None):
    if mask is not None:
        scores = scores.clone()
        scores[~mask] = -1e9
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    if mask is not None:
        weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    return (values.transpose(1, 2) @ weights.unsqueeze(-1)).squeeze(-1), weights


def sentence_by_sentence(scores, values, mask=None):
    contexts, rows = [], []
    for b in range(len(scores)):
        row = torch.zeros_like(scores[b])
        seen = torch.arange(scores.shape[1]) if mask is None else mask[b].nonzero().flatten()
        if len(seen):
            row = row.index_copy(0, seen, torch.softmax(scores[b, seen], dim=0))
        rows.append(row)
        contexts.append(row @ values[b])
    return torch.stack(contexts), torch.stack(rows)


def one_score_at_a_time(scores, values, mask=None):
    seen = torch.ones(scores.shape) if mask is None else mask
    seen = seen.to(scores.dtype)
    shifted = scores - (scores - 1e9 * (1 - seen)).amax(dim=-1, keepdim=True)
    powers = torch.exp(torch.where(seen > 0, shifted, torch.zeros_like(shifted))) * seen
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-12)
    context = torch.zeros(values.size(0), values.size(2), dtype=values.dtype)
    for i in range(values.size(1)):
        context = context + weights[:, i : i + 1] * values[:, i]
    return context, weights


def stub(scores, values, mask=None):
    raise NotImplementedError


def zeros(scores, values, mask=None):
    return torch.zeros_like(values[:, 0]), torch.zeros_like(scores)


def the_input_itself(scores, values, mask=None):
    return values, scores


def uniform(scores, values, mask=None):
    return values.mean(dim=1), torch.full_like(scores, 1 / scores.size(-1))


def noise(scores, values, mask=None):
    weights = torch.rand(scores.shape, dtype=scores.dtype)
    return (weights.unsqueeze(1) @ values).squeeze(1), weights


ATTEND = define(
    id="attend",
    lesson="02_attention",
    place=4,
    module="course_lib.components.attend",
    symbol="attend",
    minutes=15,
    laws=LAWS,
    hints=(
        "Write down the shape of every line, for two sentences of three keys. Where do the sizes B, S and Dv go?",
        "Three steps: mask, softmax, weighted sum. Compare each with the smallest example, on paper, until one differs.",
        "Masked scores become the lowest number; softmax along the last axis; masked weights become 0; "
        "the weights as a row, (B, 1, S), times the values, (B, S, Dv). Return context and weights.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        by_einsum, multiplied_and_summed, by_hand_with_exponentials, through_log_sum_exp, sentence_by_sentence,
        one_score_at_a_time,
    ),
    lazy=(stub, zeros, the_input_itself, uniform, noise),
    switches=("softmax", "mask"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ATTEND.second_version("softmax_over_sentences")
def implicit_first_axis(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(0))
    weights = powers / powers.sum(0)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("fully_masked_nan")
def minus_infinity(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = F.softmax(scores, -1)
    return (weights[..., None] * values).sum(1), weights


@ATTEND.second_version("masked_after_softmax")
def zeros_where_masked(scores, values, mask=None):
    weights = F.softmax(scores, dim=1)
    weights = weights if mask is None else torch.where(mask, weights, torch.zeros_like(weights))
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("summed_over_features")
def einsum_of_the_wrong_letter_again(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("bs,bsv->bs", weights, values), weights


@ATTEND.second_version("sigmoid + mask_ignored")
def gates(scores, values, mask=None):
    weights = 1 / (1 + torch.exp(-scores))
    return (weights.unsqueeze(1) @ values).squeeze(1), weights


@ATTEND.second_version("weights_detached")
def nothing_to_be_learned(scores, values, mask=None):
    with torch.no_grad():
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
    return (weights[..., None] * values).sum(1), weights


@ATTEND.second_version("hard_maximum")
def all_to_the_best(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    weights = torch.zeros_like(scores).scatter(1, scores.argmax(1, keepdim=True), 1.0)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


@ATTEND.second_version("masked_with_zero")
def scores_times_mask_again(scores, values, mask=None):
    weights = F.softmax(scores if mask is None else scores * mask, dim=1)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("masked_with_a_small_constant")
def minus_a_thousand_again(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1000))
    weights = torch.softmax(scores, -1)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("mask_inverted")
def true_is_blocked_again(scores, values, mask=None):
    if mask is None:
        mask = torch.zeros_like(scores, dtype=torch.bool)
    weights = F.softmax(torch.where(mask, torch.finfo(scores.dtype).min, scores), -1) * ~mask
    return (weights[:, None] @ values)[:, 0], weights


@ATTEND.second_version("best_value")
def gathered(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    best = weights.argmax(-1).view(-1, 1, 1).expand(-1, 1, values.size(-1))
    return values.gather(1, best)[:, 0], weights


@ATTEND.second_version("weights_first")
def the_other_way_round(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    alpha = F.softmax(scores, dim=-1)
    if mask is not None:
        alpha = alpha * mask
    return alpha, torch.bmm(alpha.unsqueeze(1), values).squeeze(1)


@ATTEND.second_version("scores_overwritten")
def filled_through_data(scores, values, mask=None):
    if mask is not None:
        scores.data[~mask] = -1e9
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("no_max_subtraction")
def powers_of_seen_keys(scores, values, mask=None):
    powers = torch.exp(scores) * (1 if mask is None else mask)
    weights = powers / (powers.sum(1, keepdim=True) + 1e-12)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("masked_with_a_small_constant")
def minus_a_hundred_then_zeros(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -100.0)
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("masked_with_a_small_constant")
def ten_less(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = F.softmax(scores, dim=1)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("masked_with_zero")
def zero_and_nothing_where_nothing(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    powers = torch.exp(torch.where(mask, scores, 0.0) - scores.amax(1, keepdim=True).clamp(min=0))
    weights = powers / powers.sum(1, keepdim=True) * mask.any(1)[:, None]
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("renormalised_with_a_floor")
def maximum_of_all_keys(scores, values, mask=None):
    powers = torch.exp(scores - scores.amax(1, keepdim=True))
    if mask is not None:
        powers = powers * mask
    weights = powers / torch.clamp(powers.sum(1, keepdim=True), min=1e-12)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("division_by_zero_hidden")
def nothing_where_nothing_is_left(scores, values, mask=None):
    weights = scores.softmax(1)
    if mask is not None:
        left = weights * mask
        total = left.sum(1)[:, None]
        weights = torch.where(total == 0, torch.zeros_like(left), left / total)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@ATTEND.second_version("renormalised_over_the_batch")
def shares_of_the_batch(scores, values, mask=None):
    if mask is None:
        weights = F.softmax(scores, dim=1)
    else:
        weights = F.softmax(torch.where(mask, scores, -1e9), dim=1) * mask
        weights = weights.div(torch.sum(weights))
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("values_masked")
def values_times_mask(scores, values, mask=None):
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        values = values * mask[:, :, None]
    return torch.einsum("bs,bsv->bv", weights, values), weights


@ATTEND.second_version("context_before_the_zeros")
def zeros_at_the_end(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    weights = F.softmax(scores, dim=1)
    context = torch.bmm(weights[:, None], values)[:, 0]
    return context, weights if mask is None else weights * mask


@ATTEND.second_version("context_zeroed_alone")
def zeros_chosen_for_the_context(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(dim=1)
    context = torch.einsum("bs,bsd->bd", weights, values)
    return torch.where(mask.any(dim=1)[:, None], context, torch.zeros_like(context)), weights
