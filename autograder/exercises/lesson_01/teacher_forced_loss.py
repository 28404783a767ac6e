"""Exercise `teacher_forced_loss`: how surprised the decoder is by each right word, padding not counted."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, unmoved
from course_lib.checking.recognisers.lesson_01 import logarithm_of_a_floor, loss_overflows
from course_lib.checking.values import Value


def _targets(draw: Draw, b: int, t: int, v: int, pad_id: int) -> Tensor:
    """Target ids (B, T): one sentence of full length, the others shorter, each of another length if there is room."""
    words = [token for token in range(v) if token != pad_id]
    lengths = [t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))]
    rows = [[*draw.shuffled(words)[:n], *[pad_id] * (t - n)] for n in lengths]
    return torch.tensor([rows[i] for i in draw.shuffled(range(b))])


def _given(draw: Draw, b: int, t: int, v: int, pad_id: int, scale: float = 1.5) -> dict[str, Value]:
    return {
        "logits": draw.tensor(b, t, v, scale=scale),
        "targets": _targets(draw, b, t, v, pad_id),
        "pad_id": pad_id,
    }


def _on_paper(draw: Draw) -> dict[str, Value]:
    """Two sentences over four tokens, of three words and of one; the logits are logarithms of probabilities.

    The words do not cost on average what all tokens do, or labels could be smoothed unseen; nor does the first sentence
    cost what both do, or it would not show how sentences of different lengths are weighted.
    """
    sure = torch.tensor([0.1, 0.2, 0.3, 0.4])
    while True:
        probabilities = torch.stack([torch.stack([sure[draw.shuffled(range(4))] for _ in range(3)]) for _ in range(2)])
        targets = torch.tensor([draw.shuffled((1, 2, 3)), [draw.shuffled((1, 2, 3))[0], 0, 0]])
        of_words = probabilities.gather(-1, targets.unsqueeze(-1))[targets != 0]
        first, words, tokens = (float(p.log().mean()) for p in (of_words[:3], of_words, sure))
        if abs(words - tokens) > 0.05 and abs(first - words) > 0.1:
            return {"logits": probabilities.log().round(decimals=3), "targets": targets, "pad_id": 0}


def ask(draw: Draw) -> Iterator[Question]:
    """Paper, distinct sizes, more padding behind, other logits at padding, a pad that is not 0, sure and wrong, gradients.

    Widths of the vocabulary exceed every length, so that a sentence can be made of different words.
    """
    returns = ["loss"]
    yield Question("by_hand", probes.call, {"arguments": _on_paper(draw), "returns": returns})
    (b, t), (v,) = draw.shuffled(((2, 5), (3, 5), (3, 6), (5, 6)))[0], draw.widths(1)
    given = _given(draw, b, t, v, 0)
    further = torch.cat([given["logits"], draw.tensor(b, 2, v)], dim=1)
    longer = {"logits": further, "targets": F.pad(given["targets"], (0, 2)), "pad_id": 0}
    padding = (given["targets"] == 0).unsqueeze(-1)
    other = given | {"logits": torch.where(padding, draw.tensor(b, t, v), given["logits"])}
    yield Question("plain", probes.call_each, {"calls": [given, longer, other], "returns": returns})
    yield Question("full", probes.call, {"arguments": _full(draw, b, t, v), "returns": returns})
    other_pad = _given(draw, 2, 4, 6, draw.shuffled((3, 4, 5))[0])  # small enough for a card
    other_pad["targets"][other_pad["targets"].argmax(dim=0)[0], 0] = 0  # a real word has the id 0
    yield Question("another_pad", probes.call, {"arguments": other_pad, "returns": returns})
    yield Question("far_apart", probes.call, {"arguments": _given(draw, b, t, v, 0, scale=600.0), "returns": returns})
    sure = _given(draw, b, t, v, 0)
    hits = F.one_hot(sure["targets"], v) * 900.0
    yield Question(
        "sure_and_right", probes.call, {"arguments": sure | {"logits": sure["logits"] + hits}, "returns": returns}
    )
    small = _given(draw, 3, 4, 7, 0)
    upstream = {"loss": torch.tensor(1.0)}
    yield Question("gradients", probes.call, {"arguments": small, "returns": returns, "upstream": upstream})
    yield Question("double", probes.call, {"arguments": _given(draw, 2, 3, 5, 0), "returns": returns})


def _full(draw: Draw, b: int, t: int, v: int) -> dict[str, Value]:
    """A batch without padding."""
    rows = [draw.shuffled(range(1, v))[:t] for _ in range(b)]
    return {"logits": draw.tensor(b, t, v, scale=1.5), "targets": torch.tensor(rows), "pad_id": 0}


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "four words and two positions of padding cost what they cost on paper", 0.6,
        {"fields": ["loss"]}),
    Law("full", equals_reference, "full", "a batch without padding comes out right", 0.5,
        {"fields": ["loss"]}),
    Law("equals_plain", equals_reference, "plain", "a batch with sentences of different lengths comes out right", 0.7,
        {"fields": ["calls/0/loss"]}),
    Law("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.4,
        {"fields": ["loss"]}),
    Law("far_apart", equals_reference, "far_apart", "a decoder that is sure of something gets a large loss where it is wrong, not infinity, and none where it is right", 0.4,
        {"fields": ["loss"]}, also=("sure_and_right",)),
    Law("gradients", equals_reference, "gradients", "the gradient of the logits is right", 0.6,
        {"fields": ["gradients/logits"]}),
    Law("padding_is_invisible", unmoved, "plain", "more padding at the end leaves the loss as it is", 0.3,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="equals_plain"),
    Law("padding_is_free", unmoved, "plain", "what the decoder says at padding leaves the loss as it is", 0.3,
        {"before": "calls/0/loss", "after": "calls/2/loss"}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "logits and targets are left as they were", 0.1,
        needs="equals_by_hand"),
    Law("keeps_dtype", keeps_dtype, "double", "float64 in, float64 out", 0.1,
        {"fields": ["loss"]}, needs="equals_plain"),
)  # fmt: skip

SOFTMAX = "torch.log_softmax(logits, dim=-1)"
PICKED = "log_probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1)"
REAL = "real = targets != pad_id"
RETURN = "return -of_targets[real].mean()"
AVERAGE = "-of_targets[real].mean()"
MEAN = "`-of_targets[real].mean()`, or the sum over real tokens divided by `real.sum()`."

MISTAKES = (
    # what is averaged
    mistake(
        "padding_counted",
        "You count padding as if it were words, so the decoder is trained to say padding.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Over which entries of (B, T) do you take the mean?",
            MEAN,
        ),
        (AVERAGE, "-of_targets.mean()"),
        group="mean",
    ),
    mistake(
        "divided_by_all_places",
        "Padding costs nothing, but you divide by all B·T positions, padding included. The more padding in a batch, the smaller your loss and its gradients.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Which number do you divide by: B·T, or the number of real tokens?",
            MEAN,
        ),
        (AVERAGE, "-(of_targets * real).mean()"),
        group="mean",
    ),
    mistake(
        "mean_of_sentences",
        "You take the mean of each sentence, and then the mean of these, so a word of a short sentence counts for more than a word of a long one. Here every *token* counts the same.",
        (
            "In the smallest example four words are real. How much does each count in your mean?",
            "How many means do you take?",
            MEAN,
        ),
        (AVERAGE, "-((of_targets * real).sum(dim=1) / real.sum(dim=1)).mean()"),
        group=ALONE,
    ),
    mistake(
        "summed",
        "You return the sum over all tokens instead of their mean, so a larger batch makes larger training steps.",
        (
            "Put every sentence into the batch twice. Should the loss change? Does yours?",
            "After the sum, what do you divide by?",
            MEAN,
        ),
        (AVERAGE, "-of_targets[real].sum()"),
        group="mean",
    ),
    mistake(
        "summed_within_sentences",
        "You add up the tokens of each sentence and take the mean over sentences. The mean should be over tokens.",
        (
            "In the smallest example four words are real. What do you divide their sum by?",
            "Which number do you divide by: B, or the number of real tokens?",
            MEAN,
        ),
        (AVERAGE, "-(of_targets * real).sum(dim=1).mean()"),
        group=ALONE,
    ),
    mistake(
        "not_averaged",
        "You return one loss for each token. A backward pass starts from a single number.",
        (
            "Which shape do you return?",
            "Once you have a number for each token, what is still missing?",
            MEAN,
        ),
        (AVERAGE, "-of_targets[real]"),
        group=ALONE,
    ),
    mistake(
        "pad_taken_for_0",
        "You use 0 as the padding id, whatever `pad_id` says. Where 0 is a word, it is left out, and padding counts.",
        (
            "Change `pad_id`. Does your loss change?",
            "What do you compare the targets with?",
            f"`{REAL}`.",
        ),
        (REAL, "real = targets != 0"),
        group=ALONE,
    ),
    mistake(
        "mask_of_the_predictions",
        "You leave out the positions where the decoder *says* padding, not those where the target is padding. So it can avoid the loss of any word by saying padding.",
        (
            "Let the decoder say padding everywhere. What should its loss be?",
            "What tells you which tokens are real: the targets, or the logits?",
            f"`{REAL}`.",
        ),
        (REAL, "real = logits.argmax(dim=-1) != pad_id"),
        group=ALONE,
    ),
    # from logits to logarithms of probabilities
    mistake(
        "softmax_twice",
        "You take a softmax, and then the logarithm of a second softmax of its result (`F.cross_entropy` and `log_softmax` already contain one). Probabilities lie between 0 and 1, which is close together for logits, so your loss can't come near 0.",
        (
            "Let the decoder be sure and right: logits of 100 and 0. What should the loss be, and what is yours?",
            "How many softmaxes are there between your logits and the loss?",
            f"`{SOFTMAX}`, once.",
        ),
        (SOFTMAX, "torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)"),
        group="softmax",
    ),
    mistake(
        "logarithm_after_softmax",
        "You take the logarithm of a softmax in two steps. A probability that is too small for a float becomes 0, and its logarithm is −∞.",
        (
            "Let the decoder be sure and wrong: logits of 200 and 0. What should the loss be, and what is yours?",
            "What is the smallest positive float32? And e^(−200)?",
            f"`{SOFTMAX}` does both at once, without computing the tiny probability.",
        ),
        (SOFTMAX, "torch.softmax(logits, dim=-1).log()"),
        group=ALONE,
    ),
    mistake(
        "exponentials_overflow",
        "You exponentiate the logits as they are. exp(900) overflows to infinity, and then your loss is infinity or nan, even where the decoder is right.",
        (
            "What is `torch.exp(torch.tensor(900.0))`?",
            "Adding a constant to all logits of a step leaves its probabilities as they are. Which constant makes exp safe?",
            "`torch.log_softmax(logits, dim=-1)`, or `logits - logits.logsumexp(dim=-1, keepdim=True)`.",
        ),
        (SOFTMAX, "logits - logits.exp().sum(dim=-1, keepdim=True).log()"),
        group="softmax",
        recogniser=loss_overflows,
    ),
    mistake(
        "constant_inside_the_logarithm",
        "You add a small constant to the probabilities before the logarithm (or don't let them fall below one). Then no word can cost more than about 20 nats, and a decoder that is sure of something wrong doesn't find out how wrong it is.",
        (
            "Logits of 0 and 600: what does the unlikely word cost on paper, and what with your code?",
            "Why is the constant there? Which function takes the logarithm of a softmax without computing the tiny probability?",
            "`torch.log_softmax(logits, dim=-1)`, and no constant.",
        ),
        (SOFTMAX, "(torch.softmax(logits, dim=-1) + 1e-9).log()"),
        group=ALONE,
        recogniser=logarithm_of_a_floor,
    ),
    mistake(
        "labels_smoothed",
        "You smooth the labels: a tenth of each target is spread over the whole vocabulary. That comes in lesson 09; here only the right word's loss counts.",
        (
            "If the decoder gives the right word all the probability, what should the loss be? What is yours?",
            "Which argument do you pass to PyTorch's loss besides `ignore_index`?",
            "Leave out `label_smoothing`.",
        ),
        (AVERAGE, "-(0.9 * of_targets + 0.1 * log_probabilities.mean(dim=-1))[real].mean()"),
        group="mean",
    ),
    mistake(
        "no_softmax",
        "You use the logits themselves as logarithms of probabilities. They only become that through a softmax over the vocabulary.",
        (
            "Add 5 to all logits. Should the loss change? Does yours?",
            "Between the logits and the entry you pick out, what is missing?",
            f"`{SOFTMAX}`.",
        ),
        (SOFTMAX, "logits"),
        group=ALONE,
    ),
    mistake(
        "no_logarithm",
        "You average probabilities instead of their logarithms, so your loss lies between −1 and 0.",
        (
            "Is your loss positive?",
            "The loss is −log p. Where do you take the logarithm?",
            f"`{SOFTMAX}`.",
        ),
        (SOFTMAX, "torch.softmax(logits, dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "softmax_over_time",
        "Your softmax runs over the words of the sentence instead of over the vocabulary (`dim=1` of (B, T, V)).",
        (
            "Sum your probabilities over the vocabulary. What should come out?",
            "Which `dim` does your softmax use?",
            f"`{SOFTMAX}`.",
        ),
        (SOFTMAX, "torch.log_softmax(logits, dim=1)"),
        group="softmax",
    ),
    mistake(
        "padding_cannot_be_said",
        "You take padding out of the softmax, so that the decoder can't say it. That is a different model: the loss needs probabilities over the whole vocabulary.",
        (
            "Over how many tokens do your probabilities sum to 1?",
            "What do you do to the logits of `pad_id` before the softmax?",
            f"`{SOFTMAX}`, of the logits as they are.",
        ),
        (SOFTMAX, "torch.log_softmax(logits.index_fill(-1, torch.tensor(pad_id), -torch.inf), dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "axes_by_view",
        "You bring (B, T, V) into the shape (B, V, T) by `view` or `reshape`. That doesn't swap axes. It regroups the numbers, so logits of different words and positions get mixed.",
        (
            "Take logits[0, 0], a row of V scores. Where are they after your `view`?",
            "Which function swaps two axes, and which only regroups the same numbers into other rows?",
            "`logits.transpose(1, 2)`, or `logits.flatten(0, 1)` with `targets.flatten()`.",
        ),
        (SOFTMAX, "torch.log_softmax(logits.reshape(logits.size(0), logits.size(2), -1).transpose(1, 2), dim=-1)"),
        group=ALONE,
    ),
    # which logits meet which targets
    mistake(
        "shifted_once_more",
        "You shift once more, so the logits of step t meet the target of step t + 1. The shift was already made where the batch was made; your decoder learns to skip a word.",
        (
            "How many words are real in the smallest example, and how many does your loss count?",
            "The decoder has read bos and should say y₁. At which step are its logits, and at which step of `targets` is y₁?",
            "Use logits and targets as they come: no slices.",
        ),
        (SOFTMAX, "torch.log_softmax(logits[:, :-1], dim=-1)"),
        (PICKED, "log_probabilities.gather(-1, targets[:, 1:].unsqueeze(-1)).squeeze(-1)"),
        (REAL, "real = targets[:, 1:] != pad_id"),
        group="shift",
    ),
    mistake(
        "shifted_back",
        "You shift the other way, so the logits of step t + 1 meet the target of step t, which is the word that the decoder has just read. It learns to repeat it.",
        (
            "How many words are real in the smallest example, and how many does your loss count?",
            "The decoder has read bos and should say y₁. At which step are its logits, and at which step of `targets` is y₁?",
            "Use logits and targets as they come: no slices.",
        ),
        (SOFTMAX, "torch.log_softmax(logits[:, 1:], dim=-1)"),
        (PICKED, "log_probabilities.gather(-1, targets[:, :-1].unsqueeze(-1)).squeeze(-1)"),
        (REAL, "real = targets[:, :-1] != pad_id"),
        group="shift",
    ),
    # what is returned
    mistake(
        "sign_forgotten",
        "You return the mean logarithm without the minus sign, so training would make the right words *less* likely.",
        (
            "Is your loss positive?",
            "A logarithm of a probability is negative. What should a loss be?",
            MEAN,
        ),
        (AVERAGE, "of_targets[real].mean()"),
        group="mean",
    ),
    mistake(
        "perplexity",
        "You return e to the power of the loss, which is the perplexity. It is often reported, but what we train with is the loss itself.",
        (
            "What should come back for a decoder that is always right? What does?",
            "What do you do to the mean at the end?",
            f"`return {AVERAGE}`.",
        ),
        (AVERAGE, "(-of_targets[real].mean()).exp()"),
        group=ALONE,
    ),
    mistake(
        "in_bits",
        "You count in bits, with logarithms to the base 2. The loss is in nats, with natural logarithms.",
        (
            "By what factor is your loss too large? It is the same everywhere.",
            "Which logarithm do you take?",
            f"`{SOFTMAX}` has the base e.",
        ),
        (AVERAGE, "-of_targets[real].mean() / torch.tensor(2.0).log()"),
        group=ALONE,
    ),
    mistake(
        "plain_number",
        "Your number is right, but `.item()`, `float` or `detach` cuts it out of the graph, so no backward pass can start from it.",
        (
            "Call your function and look at `requires_grad` of what comes back.",
            "What do you do to the loss at the end?",
            f"`return {AVERAGE}`, a tensor.",
        ),
        (AVERAGE, f"({AVERAGE}).detach()"),
        group=ALONE,
    ),
)  # fmt: skip


def torchs_cross_entropy(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)


def transposed_cross_entropy(logits, targets, pad_id):
    return nn.CrossEntropyLoss(ignore_index=pad_id)(logits.transpose(1, 2), targets)


def weighted_sum(logits, targets, pad_id):
    mask = (targets != pad_id).to(logits.dtype)
    losses = F.cross_entropy(logits.mT, targets, reduction="none")
    return (losses * mask).sum() / mask.sum()


def one_hot(logits, targets, pad_id):
    right = F.one_hot(targets, logits.size(-1)).to(logits.dtype) * (targets != pad_id)[..., None]
    return -(right * F.log_softmax(logits, dim=2)).sum() / right.sum()


def logsumexp(logits, targets, pad_id):
    keep = targets.ne(pad_id)
    logits, targets = logits[keep], targets[keep]
    return (torch.logsumexp(logits, dim=-1) - logits[torch.arange(len(targets)), targets]).mean()


def word_by_word(logits, targets, pad_id):
    total, count = 0.0, 0
    for scores, words in zip(logits, targets):  # noqa: B905
        for row, word in zip(scores, words):  # noqa: B905
            if word != pad_id:
                total = total + math.log(1.0) - row.log_softmax(dim=0)[word]
                count += 1
    return total / count


def negative_likelihood(logits, targets, pad_id):
    return F.nll_loss(logits.log_softmax(-1).reshape(-1, logits.size(-1)), targets.reshape(-1), ignore_index=pad_id)


def stub(logits, targets, pad_id):
    raise NotImplementedError


def zero(logits, targets, pad_id):
    return (logits * 0).sum()


def guessing(logits, targets, pad_id):
    return torch.tensor(float(logits.size(-1)), dtype=logits.dtype).log()


def mean_of_the_logits(logits, targets, pad_id):
    return logits.mean()


def noise(logits, targets, pad_id):
    return torch.rand((), dtype=logits.dtype)


TEACHER_FORCED_LOSS = define(
    id="teacher_forced_loss",
    lesson="01_recurrent_translation",
    place=4,
    module="course_lib.components.teacher_forced_loss",
    symbol="teacher_forced_loss",
    minutes=12,
    laws=LAWS,
    hints=(
        "Work it out for one word: four logits, a softmax, the probability of the right word, its logarithm, a minus.",
        "Four steps: logarithms of probabilities (B, T, V), those of the targets (B, T), which are real (B, T), their mean. Print each shape.",
        f"`{SOFTMAX}`; `{PICKED}`; `{REAL}`; {MEAN}",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        torchs_cross_entropy, transposed_cross_entropy, weighted_sum, one_hot, logsumexp, word_by_word, negative_likelihood,
    ),
    lazy=(stub, zero, guessing, mean_of_the_logits, noise),
    switches=("mean", "softmax", "shift"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@TEACHER_FORCED_LOSS.second_version("padding_counted")
def torchs_without_ignore(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


@TEACHER_FORCED_LOSS.second_version("divided_by_all_places")
def zero_where_padded(logits, targets, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=pad_id)
    return losses.mean()


@TEACHER_FORCED_LOSS.second_version("mean_of_sentences")
def sentence_after_sentence(logits, targets, pad_id):
    losses = [F.cross_entropy(one, words, ignore_index=pad_id) for one, words in zip(logits, targets, strict=True)]
    return torch.stack(losses).mean()


@TEACHER_FORCED_LOSS.second_version("summed")
def torchs_sum(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")


@TEACHER_FORCED_LOSS.second_version("pad_taken_for_0")
def ignore_zero(logits, targets, pad_id):
    return F.cross_entropy(logits.mT, targets, ignore_index=0)


@TEACHER_FORCED_LOSS.second_version("softmax_twice")
def probabilities_to_torch(logits, targets, pad_id):
    return F.cross_entropy(logits.softmax(dim=2).flatten(0, 1), targets.flatten(), ignore_index=pad_id)


@TEACHER_FORCED_LOSS.second_version("logarithm_after_softmax")
def exponentials_written_out(logits, targets, pad_id):
    powers = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    probabilities = powers / powers.sum(dim=-1, keepdim=True)
    return F.nll_loss(torch.log(probabilities).flatten(0, 1), targets.flatten(), ignore_index=pad_id)


@TEACHER_FORCED_LOSS.second_version("exponentials_overflow")
def softmax_by_hand(logits, targets, pad_id):
    powers = torch.exp(logits)
    of_targets = (powers / powers.sum(2, keepdim=True)).gather(2, targets[:, :, None])[:, :, 0]
    return -torch.log(of_targets)[targets != pad_id].mean()


@TEACHER_FORCED_LOSS.second_version("axes_by_view")
def view_for_torch(logits, targets, pad_id):
    b, t, v = logits.shape
    return F.cross_entropy(logits.view(b, v, t), targets, ignore_index=pad_id)


@TEACHER_FORCED_LOSS.second_version("shifted_once_more")
def shift_before_torch(logits, targets, pad_id):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), ignore_index=pad_id)


@TEACHER_FORCED_LOSS.second_version("plain_number")
def as_a_new_tensor(logits, targets, pad_id):
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.tensor(loss.item(), dtype=logits.dtype)


@TEACHER_FORCED_LOSS.second_version("constant_inside_the_logarithm")
def probabilities_clamped(logits, targets, pad_id):
    of_targets = F.softmax(logits, -1).gather(2, targets[..., None])[..., 0]
    return -of_targets.clamp(min=1e-12).log()[targets != pad_id].mean()


@TEACHER_FORCED_LOSS.second_version("labels_smoothed")
def torchs_smoothing(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=0.1)
