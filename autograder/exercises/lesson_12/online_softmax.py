"""Exercise `online_softmax`: one more chunk of scores and values is taken up into a maximum and two sums."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, finite, inputs_unchanged

NAMES = ("maximum", "total", "mixture", "scores", "value")
STATE = NAMES[:3]


def _question(name: str, *inputs: Tensor, upstream: dict[str, Tensor] | None = None) -> Question:
    asked = {"arguments": dict(zip(NAMES, inputs, strict=True)), "returns": list(STATE)}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": upstream})


def _nothing_yet(*lead: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    return torch.full(lead, -math.inf), torch.zeros(lead), torch.zeros(*lead, d_v)


def _carried(draw: Draw, *lead: int, d_v: int, level: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """A maximum around ``level``, and sums as they may be after some chunks."""
    total = 1 + draw.tensor(*lead).abs()
    return draw.tensor(*lead) + level, total, total.unsqueeze(-1) * draw.tensor(*lead, d_v)


def ask(draw: Draw) -> Iterator[Question]:
    """Two chunks for paper, first chunks, later ones with larger and smaller scores, masks, heads, extremes."""
    logs = torch.tensor([2.0, 4.0, 8.0, 1.0]).log()
    value = torch.tensor([[6.0], [3.0], [9.0], [12.0]]) + draw.tensor(4, 1).round()
    yield _question("first_on_paper", *_nothing_yet(1, d_v=1), logs[None, :2], value[:2])
    after = torch.tensor([4.0]).log(), torch.tensor([1.5]), torch.tensor([[6.0]])
    yield _question("second_on_paper", *after, logs[None, 2:], value[2:])
    few, t, c = sorted(draw.sizes(3))
    d_v, d_w = draw.widths(2)
    yield _question("first", *_nothing_yet(few, t, d_v=d_v), draw.tensor(few, t, c), draw.tensor(few, c, d_v))
    yield _question("larger", *_carried(draw, few, t, d_v=d_v), draw.tensor(few, t, c) + 5, draw.tensor(few, c, d_v))
    yield _question("smaller", *_carried(draw, few, c, d_v=d_w), draw.tensor(few, c, t) - 5, draw.tensor(few, t, d_w))
    yield _question("one_sentence", *_carried(draw, t, d_v=d_w), 2 * draw.tensor(t, c), draw.tensor(c, d_w))
    heads = draw.tensor(few, 1, t, c).transpose(-2, -1).contiguous().transpose(-2, -1)
    yield _question("heads", *_carried(draw, few, 1, t, d_v=d_v), heads, draw.tensor(few, 1, c, d_v))
    hidden = draw.tensor(few, t, c).masked_fill(~draw.mask(few, t, c), -math.inf)
    hidden[:, 0] = -math.inf
    yield _question("masked", *_carried(draw, few, t, d_v=d_v), hidden, draw.tensor(few, c, d_v))
    hidden = draw.tensor(few, t, c).masked_fill(~draw.mask(few, t, c), -math.inf)
    hidden[:, -1] = -math.inf
    yield _question("nothing_yet_masked", *_nothing_yet(few, t, d_v=d_v), hidden, draw.tensor(few, c, d_v))
    high = _carried(draw, few, t, d_v=d_v, level=900)
    yield _question("high", *high, 3 * draw.tensor(few, t, c) + 900, draw.tensor(few, c, d_v))
    low = _nothing_yet(few, t, d_v=d_v)
    yield _question("low", *low, 3 * draw.tensor(few, t, c) - 900, draw.tensor(few, c, d_v))
    upstream = {"total": draw.tensor(few, t), "mixture": draw.tensor(few, t, d_v)}
    given = *_carried(draw, few, t, d_v=d_v), 2 * draw.tensor(few, t, c), draw.tensor(few, c, d_v)
    yield _question("gradients", *given, upstream=upstream)


ALL = {"fields": list(STATE)}

LAWS = (
    Law("first_on_paper", equals_reference, "first_on_paper", "the first chunk on paper comes out right", 0.25, ALL),
    Law("second_on_paper", equals_reference, "second_on_paper", "the second chunk on paper comes out right", 0.25, ALL),
    Law("maximum", equals_reference, "larger", "the maximum is that of all scores so far", 0.25, {"fields": ["maximum"]},
        also=("smaller",)),
    Law("total", equals_reference, "larger", "the total is right where scores are larger than before", 0.25,
        {"fields": ["total"]}),
    Law("mixture", equals_reference, "larger", "the mixture is right where scores are larger than before", 0.25, {"fields": ["mixture"]}),
    Law("smaller", equals_reference, "smaller", "a chunk of smaller scores comes out right", 0.25, ALL),
    Law("first", equals_reference, "first", "the first chunk of a batch comes out right", 0.25, ALL),
    Law("other_shapes", equals_reference, "one_sentence", "one sentence without a batch, and heads, come out right", 0.25, ALL,
        also=("heads",)),
    Law("masked", equals_reference, "masked", "masked keys come out right, and a chunk masked throughout", 0.25, ALL),
    Law("nothing_yet_masked", equals_reference, "nothing_yet_masked", "a query that has seen no key keeps sums of 0", 0.25, ALL),
    Law("extremes", equals_reference, "high", "scores around 900 and −900 come out right", 0.25, ALL, also=("low",)),
    Law("no_overflow", finite, "high", "scores around 900 bring no infinite number", 0.0, ALL, needs="total"),
    Law("inputs_unchanged", inputs_unchanged, "larger", "what was carried is left as it was", 0.25, needs="total"),
    Law("gradients", equals_reference, "gradients", "the gradients are right", 0.0,
        {"fields": [f"gradients/{name}" for name in ("total", "mixture", "scores", "value")]}),
)  # fmt: skip

NEW = "new = torch.maximum(maximum, scores.amax(dim=-1))"
SHIFT = "shift = new.masked_fill(new == -torch.inf, 0.0)"
SHRINK = "shrink = torch.exp(maximum - shift)"
WEIGHTS = "weights = torch.exp(scores - shift.unsqueeze(-1))"
SUM = "total = total * shrink + weights.sum(dim=-1)"
MIX = "mixture = mixture * shrink.unsqueeze(-1) + weights @ value"

MISTAKES = (
    # what becomes of the sums that are there
    mistake(
        "nothing_shrunk",
        "You add to the old sums as they are. They were computed relative to the old maximum, and have to be multiplied by e^(old − new) first.",
        (
            "On paper: what becomes of the total 1.5 before the second chunk is added?",
            "The old exponentials are e^(x − m). You need e^(x − m′). Which factor lies between them?",
            "`torch.exp(maximum - new)`, for both sums.",
        ),
        (SUM, "total = total + weights.sum(dim=-1)"),
        (MIX, "mixture = mixture + weights @ value"),
        group="shrink",
    ),
    mistake(
        "mixture_not_shrunk",
        "You shrink the total, but not the mixture: the old values count too much.",
        (
            "On paper: what becomes of the mixture 6 before the second chunk is added?",
            "Both sums hold the same exponentials.",
            "Multiply the mixture by the same factor, `.unsqueeze(-1)` for its last axis.",
        ),
        (MIX, "mixture = mixture + weights @ value"),
        group="shrink",
    ),
    mistake(
        "total_not_shrunk",
        "You shrink the mixture, but not the total.",
        (
            "On paper: what becomes of the total 1.5 before the second chunk is added?",
            "Both sums hold the same exponentials.",
            "Multiply the total by the same factor.",
        ),
        (SUM, "total = total + weights.sum(dim=-1)"),
        group="shrink",
    ),
    mistake(
        "grown_instead_of_shrunk",
        "Your factor is e^(new − old), which makes the old sums *larger*. It should be e^(old − new), which is at most 1.",
        (
            "On paper the factor is ½. What is yours?",
            "The maximum can only grow. Is your factor above or below 1?",
            "`torch.exp(maximum - new)`.",
        ),
        (SHRINK, "shrink = torch.where(maximum == -torch.inf, 0.0, torch.exp(shift - maximum))"),
        group="shrink",
    ),
    mistake(
        "shrunk_after_adding",
        "You add the chunk first, and shrink everything afterwards, the chunk's own exponentials too.",
        (
            "On paper: which numbers are multiplied by ½, and when?",
            "The chunk's exponentials are relative to the new maximum already.",
            "`total * shrink + weights.sum(dim=-1)`.",
        ),
        (SUM, "total = (total + weights.sum(dim=-1)) * shrink"),
        (MIX, "mixture = (mixture + weights @ value) * shrink.unsqueeze(-1)"),
        group="shrink",
    ),
    mistake(
        "old_sums_forgotten",
        "Your sums hold only the last chunk: what was there before is thrown away.",
        (
            "With a chunk of very small scores, your total should stay nearly as it was. What is it?",
            "Which of the five arguments do you never read?",
            "`total * shrink + …`, and the mixture likewise.",
        ),
        (SUM, "total = weights.sum(dim=-1)"),
        (MIX, "mixture = weights @ value"),
        group="shrink",
    ),
    # the maximum
    mistake(
        "maximum_of_the_chunk",
        "Your maximum is that of the chunk alone: after a chunk of smaller scores it goes *down*.",
        (
            "After a chunk of smaller scores, what should the maximum be?",
            "Can the largest score so far become smaller?",
            "`torch.maximum(maximum, scores.amax(dim=-1))`.",
        ),
        (NEW, "new = scores.amax(dim=-1)"),
        group="maximum",
    ),
    mistake(
        "maximum_never_grows",
        "Your maximum stays what it was, whatever the chunk holds.",
        (
            "On paper: what is the maximum after the second chunk?",
            "Where do you look for the largest score of the chunk?",
            "`torch.maximum(maximum, scores.amax(dim=-1))`.",
        ),
        (NEW, "new = torch.where(maximum == -torch.inf, scores.amax(dim=-1), maximum)"),
        group="maximum",
    ),
    mistake(
        "old_maximum_returned",
        "Your sums are right, but you return the *old* maximum with them. The next step will shrink by the wrong factor.",
        (
            "Relative to which maximum are the sums that you return?",
            "Look at your last line.",
            "Return the new maximum.",
        ),
        ("return new, total, mixture", "return maximum, total, mixture"),
        group="returned",
    ),
    mistake(
        "largest_of_all_queries",
        "You take one maximum for all queries, and each should have its own. The output may be right in the end, but a query whose scores are all small loses its digits.",
        (
            "Which shape has your maximum before you combine it with the old one?",
            "Over which axis should the largest be taken?",
            "`scores.amax(dim=-1)`.",
        ),
        (NEW, "new = torch.maximum(maximum, scores.amax())"),
        group="maximum",
    ),
    mistake(
        "maximum_over_queries",
        "You take the maximum along the queries, where it should be taken along the keys of the chunk.",
        (
            "Scores have the shape (..., T, C). Which axis are the keys?",
            "What shape should the maximum have?",
            "`scores.amax(dim=-1)`.",
        ),
        (NEW, "new = torch.maximum(maximum, scores.amax(dim=-2).amax(dim=-1, keepdim=True))"),
        group=ALONE,
    ),
    mistake(
        "nothing_subtracted",
        "You exponentiate the scores as they are, without subtracting the maximum. Scores of 900 overflow.",
        (
            "What is `torch.exp(torch.tensor(900.0))`?",
            "Relative to what are the exponentials on paper?",
            "`torch.exp(scores - new.unsqueeze(-1))`.",
        ),
        (WEIGHTS, "weights = torch.exp(scores)"),
        group="subtracted",
    ),
    mistake(
        "chunk_relative_to_the_old_maximum",
        "You take the chunk's exponentials relative to the *old* maximum, and shrink the old sums to the new one.",
        (
            "On paper: what is the weight of *book* in the second chunk?",
            "All exponentials in one sum need the same reference.",
            "`torch.exp(scores - new.unsqueeze(-1))`.",
        ),
        (WEIGHTS, "weights = torch.exp(scores - torch.where(maximum == -torch.inf, shift, maximum).unsqueeze(-1))"),
        group="subtracted",
    ),
    # what is added
    mistake(
        "softmax_of_the_chunk",
        "You take a softmax of the chunk, so its weights sum to 1 before they are added. They should stay exponentials until the very end.",
        (
            "On paper: by how much does the total grow in the second chunk?",
            "When is divided: in each step, or once at the end?",
            "`torch.exp(scores - new.unsqueeze(-1))`, without dividing.",
        ),
        (WEIGHTS, "weights = torch.softmax(scores, dim=-1).nan_to_num()"),
        group="subtracted",
    ),
    mistake(
        "divided_already",
        "You divide the mixture by the total in every step. The next step will add to it as if it hadn't been divided.",
        (
            "On paper the mixture is 6 after the first chunk. What is yours?",
            "Who divides, and when?",
            "Return the mixture as a plain sum. `mixture / total` comes after the last chunk.",
        ),
        (MIX, f"{MIX}\n    mixture = mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)"),
        group="divided",
    ),
    mistake(
        "mixture_of_weights_times_mean",
        "You mix with the mean of the values: every key in the chunk passes on the same.",
        (
            "Change one value of the chunk. Does the mixture change by its weight?",
            "Which weight goes with which value?",
            "`weights @ value`.",
        ),
        (MIX, "mixture = mixture * shrink.unsqueeze(-1) + weights.sum(dim=-1, keepdim=True) * value.mean(dim=-2, keepdim=True)"),
        group=ALONE,
    ),
    # where nothing can be seen
    mistake(
        "nan_where_nothing_is_seen",
        "Where a query has not seen any key yet, and its chunk is masked throughout, you compute −∞ minus −∞, which is `nan`.",
        (
            "What is `torch.tensor(-math.inf) - torch.tensor(-math.inf)`?",
            "For which queries is the new maximum still −∞?",
            "Subtract 0 there: `new.masked_fill(new == -torch.inf, 0.0)`.",
        ),
        (SHIFT, "shift = new"),
        group="empty",
    ),
    mistake(
        "lowest_number_for_infinity",
        "Where no key has been seen, your maximum becomes the lowest finite number, and masked keys get an exponential of 1 each.",
        (
            "What is your total where every key of the chunk is masked? It should be 0.",
            "What is exp(x − m) where both are the lowest number?",
            "Keep −∞ in the scores, and subtract 0 where the maximum is −∞.",
        ),
        (NEW, "scores = scores.clamp(min=torch.finfo(scores.dtype).min)\n    new = torch.maximum(maximum, scores.amax(dim=-1))"),
        group="empty",
    ),
    mistake(
        "written_into_what_was_carried",
        "You write into the sums that you were given. Whoever calls this loses what was there.",
        (
            "Print `total` before and after the call.",
            "Which operations change a tensor in place?",
            "`total = total * shrink + …` makes a new one; `total *= shrink` does not.",
        ),
        (SUM, "total = total.mul_(shrink).add_(weights.sum(dim=-1))"),
        (MIX, "mixture = mixture.mul_(shrink.unsqueeze(-1)).add_(weights @ value)"),
        group="in place",
    ),
    mistake(
        "chunk_relative_to_its_own_maximum",
        "You take the chunk's exponentials relative to the chunk's own maximum, and shrink the old sums to the common one. After a chunk of smaller scores, the two don't fit together.",
        (
            "With a chunk of very small scores, your total should hardly grow. By how much does it?",
            "All exponentials in one sum need the same reference.",
            "`torch.exp(scores - new.unsqueeze(-1))`, with the maximum of *all* scores so far.",
        ),
        (WEIGHTS, "weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True)).nan_to_num(0.0)"),
        group="subtracted",
    ),
    mistake(
        "output_carried_for_the_mixture",
        "What you carry is the output so far: you multiply it by the old total, and divide by the new one in every step. (The first FlashAttention did so.) Here the mixture is carried, a plain sum.",
        (
            "On paper the mixture is 6 after the first chunk. What is yours?",
            "Who divides, and when?",
            "`mixture * shrink.unsqueeze(-1) + weights @ value`, without the totals. `mixture / total` comes after the last chunk.",
        ),
        (SUM, "before = total * shrink\n    total = before + weights.sum(dim=-1)"),
        (MIX, "mixture = (mixture * before.unsqueeze(-1) + weights @ value) / total.masked_fill(total == 0, 1.0).unsqueeze(-1)"),
        group=ALONE,
    ),
    mistake(
        "zero_returned_for_minus_infinity",
        "Where no key has been seen, you return 0 for the maximum. The next step will take 0 for a score that was there, and smaller ones are lost.",
        (
            "Mask a whole chunk, and let the next one have scores around −900. What comes out?",
            "What you subtract, and what you return: do they have to be the same?",
            "Subtract 0 where the maximum is −∞, and return −∞.",
        ),
        ("return new, total, mixture", "return shift, total, mixture"),
        group="returned",
    ),
)  # fmt: skip


def by_logsumexp(maximum, total, mixture, scores, value):
    larger = torch.where(scores.amax(-1) > maximum, scores.amax(-1), maximum)
    safe = torch.where(torch.isinf(larger), torch.zeros_like(larger), larger)
    keep = (maximum - safe).exp()
    sums = (torch.logsumexp(scores, dim=-1) - safe).exp()
    powers = (scores - safe[..., None]).exp()
    return larger, keep * total + sums, keep[..., None] * mixture + torch.einsum("...tc,...cd->...td", powers, value)


def key_after_key(maximum, total, mixture, scores, value):
    for c in range(scores.size(-1)):
        score, row = scores[..., c], value[..., c, :].unsqueeze(-2)
        new = torch.maximum(maximum, score)
        none = new == -math.inf
        shrink = torch.where(none, 0.0, torch.exp(maximum - new.masked_fill(none, 0)))
        weight = torch.where(none, 0.0, torch.exp(score - new.masked_fill(none, 0)))
        total = total * shrink + weight
        mixture = mixture * shrink[..., None] + weight[..., None] * row
        maximum = new
    return maximum, total, mixture


def as_one_more_column(maximum, total, mixture, scores, value):
    wide = torch.cat([maximum.unsqueeze(-1), scores], dim=-1)  # the old maximum is the score of all that came before
    new = wide.max(dim=-1).values
    powers = torch.nan_to_num(torch.exp(wide - new.unsqueeze(-1)), nan=0.0)
    old, fresh = powers[..., :1], powers[..., 1:]
    return new, (total.unsqueeze(-1) * old).squeeze(-1) + fresh.sum(-1), mixture * old + fresh @ value


def two_partial_results_merged(maximum, total, mixture, scores, value):
    top = scores.amax(dim=-1)
    own = torch.exp(scores - torch.where(top == -torch.inf, 0.0, top)[..., None])
    new = torch.max(maximum, top)
    reference = torch.where(new == -torch.inf, 0.0, new)
    a, b = torch.exp(maximum - reference), torch.exp(top - reference)
    return new, a * total + b * own.sum(-1), a[..., None] * mixture + b[..., None] * (own @ value)


def stub(maximum, total, mixture, scores, value):
    raise NotImplementedError


def nothing_taken_up(maximum, total, mixture, scores, value):
    return maximum, total, mixture


def ones(maximum, total, mixture, scores, value):
    return torch.ones_like(maximum), torch.ones_like(total), torch.ones_like(mixture)


def noise(maximum, total, mixture, scores, value):
    return torch.randn_like(maximum), torch.rand_like(total), torch.randn_like(mixture)


ONLINE_SOFTMAX = define(
    id="online_softmax",
    lesson="12_costs",
    place=0,
    module="course_lib.components.online_softmax",
    symbol="online_softmax",
    minutes=20,
    laws=LAWS,
    hints=(
        "Do the second chunk of the table on paper. Which number do you need before you can do anything else?",
        "First the new maximum, `torch.maximum(maximum, scores.amax(dim=-1))`. Then the factor for the old sums, e^(old − new). Then the exponentials of the chunk, relative to the new maximum.",
        "With `shift = new.masked_fill(new == -torch.inf, 0.0)`: `shrink = torch.exp(maximum - shift)`, `weights = torch.exp(scores - shift.unsqueeze(-1))`, `total * shrink + weights.sum(dim=-1)`, `mixture * shrink.unsqueeze(-1) + weights @ value`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_logsumexp, key_after_key, as_one_more_column, two_partial_results_merged),
    lazy=(stub, nothing_taken_up, ones, noise),
    switches=("shrink", "maximum", "empty"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ONLINE_SOFTMAX.second_version("nothing_shrunk")
def only_added(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    powers = (scores - torch.where(new == -math.inf, 0.0, new)[..., None]).exp()
    return new, total + powers.sum(-1), mixture + powers @ value


@ONLINE_SOFTMAX.second_version("mixture_not_shrunk")
def total_alone_shrunk(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    powers = (scores - safe[..., None]).exp()
    return new, total * (maximum - safe).exp() + powers.sum(-1), powers @ value + mixture


@ONLINE_SOFTMAX.second_version("nan_where_nothing_is_seen")
def unguarded(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    shrink, powers = (maximum - new).exp(), (scores - new[..., None]).exp()
    return new, shrink * total + powers.sum(-1), shrink[..., None] * mixture + torch.matmul(powers, value)


@ONLINE_SOFTMAX.second_version("divided_already")
def a_mean_in_every_step(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    shrink, powers = (maximum - safe).exp(), (scores - safe[..., None]).exp()
    total = shrink * total + powers.sum(-1)
    mixture = shrink[..., None] * mixture + powers @ value
    return new, total, torch.where(total[..., None] == 0, 0.0, mixture / total[..., None])


@ONLINE_SOFTMAX.second_version("written_into_what_was_carried")
def augmented(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    shrink, powers = (maximum - safe).exp(), (scores - safe[..., None]).exp()
    total *= shrink
    total += powers.sum(-1)
    mixture *= shrink[..., None]
    mixture += powers @ value
    return new, total, mixture


@ONLINE_SOFTMAX.second_version("zero_returned_for_minus_infinity")
def made_finite_for_good(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values).nan_to_num(neginf=0.0)
    shrink, powers = (maximum - new).exp(), (scores - new[..., None]).exp()
    return new, shrink * total + powers.sum(-1), shrink[..., None] * mixture + powers @ value


@ONLINE_SOFTMAX.second_version("output_carried_for_the_mixture")
def as_in_the_first_flash_attention(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    shrink, powers = (maximum - safe).exp(), (scores - safe[..., None]).exp()
    larger = shrink * total + powers.sum(-1)
    part = torch.where(larger == 0, 1.0, larger)
    return new, larger, (shrink * total / part)[..., None] * mixture + powers @ value / part[..., None]
