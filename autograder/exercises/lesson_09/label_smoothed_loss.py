"""Exercise `label_smoothed_loss`: cross-entropy with smoothed labels, over real tokens only."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, finished_function, watched
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_09 import loss_has_a_ceiling
from course_lib.checking.values import Value
from course_lib.experiments.mystery_loss import mystery_loss

RETURNS = ["loss"]


def _labels(draw: Draw, b: int, t: int, v: int, pad_id: int) -> Tensor:
    """Label ids (B, T): one sentence of full length, the others shorter, each of another length if there is room."""
    words = [token for token in range(v) if token != pad_id]
    lengths = [t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))]
    rows = [[*draw.shuffled(words)[:n], *[pad_id] * (t - n)] for n in lengths]
    return torch.tensor([rows[i] for i in draw.shuffled(range(b))])


def _given(draw: Draw, b: int, t: int, v: int, pad_id: int, smoothing: float, scale: float = 1.5) -> dict[str, Value]:
    return {
        "logits": draw.tensor(b, t, v, scale=scale),
        "labels": _labels(draw, b, t, v, pad_id),
        "pad_id": pad_id,
        "smoothing": smoothing,
    }


def _on_paper(draw: Draw) -> dict[str, Value]:
    """Two sentences over four tokens, of two words and of one; the logits are logarithms of probabilities."""
    sure = torch.tensor([0.1, 0.2, 0.3, 0.4])
    probabilities = torch.stack([torch.stack([sure[draw.shuffled(range(4))] for _ in range(2)]) for _ in range(2)])
    labels = torch.tensor([draw.shuffled((1, 2, 3))[:2], [draw.shuffled((1, 2, 3))[0], 0]])
    return {"logits": probabilities.log().round(decimals=3), "labels": labels, "pad_id": 0, "smoothing": 0.2}


def ask(draw: Draw) -> Iterator[Question]:
    """Paper; distinct sizes, more padding behind, other logits at padding; not smoothed, all smoothed, left to its default; a pad that is not 0, sure and wrong, gradients.

    Widths of the vocabulary exceed every length, so that a sentence can be made of different words.
    """
    numbers, again = (
        Question("by_hand", probes.call, {"arguments": _on_paper(source), "returns": RETURNS})
        for source in (draw, draw.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "nn.functional.cross_entropy", "cross_entropy_loss", "nn.CrossEntropyLoss")
    (b, t), (v,) = draw.shuffled(((2, 5), (3, 5), (3, 6), (5, 6)))[0], draw.widths(1)
    given = _given(draw, b, t, v, 0, draw.shuffled((0.15, 0.25, 0.3))[0])
    further = torch.cat([given["logits"], draw.tensor(b, 2, v)], dim=1)
    longer = given | {"logits": further, "labels": F.pad(given["labels"], (0, 2))}
    padding = (given["labels"] == 0).unsqueeze(-1)
    other = given | {"logits": torch.where(padding, draw.tensor(b, t, v), given["logits"])}
    yield Question("plain", probes.call_each, {"calls": [given, longer, other], "returns": RETURNS})
    calls = [given | {"smoothing": 0.0}, given | {"smoothing": 1.0}]
    yield Question("ends", probes.call_each, {"calls": calls, "returns": RETURNS})
    by_default = {name: value for name, value in given.items() if name != "smoothing"}
    yield Question("by_default", probes.call, {"arguments": by_default, "returns": RETURNS})
    other_pad = _given(draw, 2, 4, 6, draw.shuffled((3, 4, 5))[0], 0.2)  # small enough for a card
    other_pad["labels"][other_pad["labels"].argmax(dim=0)[0], 0] = 0  # a real word has the id 0
    yield Question("another_pad", probes.call, {"arguments": other_pad, "returns": RETURNS})
    far = _given(draw, b, t, v, 0, 0.0, scale=600.0)
    yield Question("far_apart", probes.call, {"arguments": far, "returns": RETURNS})
    small = _given(draw, 3, 4, 7, 0, 0.2)
    upstream = {"loss": torch.tensor(1.0)}
    yield Question("gradients", probes.call, {"arguments": small, "returns": RETURNS, "upstream": upstream})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three words, and a padding, cost what they cost on paper", 0.3,
        {"fields": ["loss"]}),
    Law("equals_plain", equals_reference, "plain", "a batch with sentences of several lengths comes out right", 0.3,
        {"fields": ["calls/0/loss"]}),
    Law("not_smoothed", equals_reference, "ends", "with ε = 0 it is the plain cross-entropy", 0.2,
        {"fields": ["calls/0/loss"]}),
    Law("all_smoothed", equals_reference, "ends", "with ε = 1 every token counts alike, whatever the label", 0.15,
        {"fields": ["calls/1/loss"]}),
    Law("by_default", equals_reference, "by_default", "where nothing is said of ε, it is 0.1", 0.1,
        {"fields": ["loss"]}, needs="equals_plain"),
    Law("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.2,
        {"fields": ["loss"]}),
    Law("far_apart", equals_reference, "far_apart", "a decoder that is sure of something wrong gets a large loss, not infinity", 0.2,
        {"fields": ["loss"]}),
    Law("gradients", equals_reference, "gradients", "the gradient of the logits is right", 0.25,
        {"fields": ["gradients/logits"]}),
    Law("padding_is_invisible", unmoved, "plain", "more padding behind leaves the loss as it is", 0.1,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="equals_plain"),
    Law("padding_is_free", unmoved, "plain", "what is said at padding leaves the loss as it is", 0.1,
        {"before": "calls/0/loss", "after": "calls/2/loss"}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "logits and labels are left as they were", 0.1,
        needs="equals_by_hand"),
    WRITTEN_BY_HAND,
)  # fmt: skip

SOFTMAX = "torch.log_softmax(logits, dim=-1)"
OF_ALL = "log_probabilities.mean(dim=-1)"
OF_LABEL = "(1 - smoothing) * of_label"
LOSSES = "-(1 - smoothing) * of_label - smoothing * of_all"
REAL = "losses[labels != pad_id]"
AVERAGE = "losses[labels != pad_id].mean()"
MEAN = "`losses[labels != pad_id].mean()`, or the sum over real tokens divided by their number."
BOTH = "`-(1 - smoothing) * of_label - smoothing * of_all`, with `of_all = log_probabilities.mean(dim=-1)`."

MISTAKES = (
    # what is averaged
    mistake(
        "padding_counted",
        "You count padding as if it were words: the decoder is trained to say padding, and short sentences to do little else.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Which entries of (B, T) do you take the mean of?",
            MEAN,
        ),
        (AVERAGE, "losses.mean()"),
        group="mean",
    ),
    mistake(
        "divided_by_all_places",
        "Padding costs nothing, but you divide by all B·T positions, padding too: the more padding in a batch, the smaller your loss, and its gradients.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "By which number do you divide: by B·T, or by the number of real tokens?",
            MEAN,
        ),
        (AVERAGE, "(losses * (labels != pad_id)).mean()"),
        group="mean",
    ),
    mistake(
        "padding_pays_the_smoothing",
        "At padding the label's part is left out, but the smoothing's part still counts: F.nll_loss knows which labels to ignore, a mean over the vocabulary does not.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Your loss has two parts. Which of them does your mask reach?",
            "Add the two parts first, then pick the real positions: " + MEAN,
        ),
        (LOSSES, "-(1 - smoothing) * of_label * (labels != pad_id) - smoothing * of_all"),
        (AVERAGE, "losses.sum() / (labels != pad_id).sum()"),
        group=ALONE,
    ),
    mistake(
        "smoothing_over_all_places",
        "The label's part is averaged over real tokens, but the smoothing's part over all positions, padding too. `ignore_index` helps `F.nll_loss`; a mean over (B, T, V) knows nothing of padding.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Your loss has two parts. Which of them does your mask reach?",
            "Add the two parts first, then pick the real positions: " + MEAN,
        ),
        (AVERAGE, "-(1 - smoothing) * of_label[labels != pad_id].mean() - smoothing * of_all.mean()"),
        group=ALONE,
    ),
    mistake(
        "mean_of_sentence_means",
        "You average each sentence first, and then the sentences: a word in a short sentence weighs more than one in a long sentence. Asked for is the mean over all real tokens.",
        (
            "A sentence of two words, one of a single word. How much does each of the three words count in your loss?",
            "How many means do you take, and over what?",
            MEAN,
        ),
        (AVERAGE, "torch.stack([row[real].mean() for row, real in zip(losses, labels != pad_id)]).mean()"),
        group=ALONE,
    ),
    mistake(
        "summed",
        "You return a sum over all tokens, where their mean is asked for: a larger batch makes larger steps.",
        (
            "Put every sentence into the batch twice. Should the loss change? Does yours?",
            "After the sum, by what do you divide?",
            MEAN,
        ),
        (AVERAGE, "losses[labels != pad_id].sum()"),
        group="mean",
    ),
    mistake(
        "divided_by_the_batch",
        "You divide by the number of sentences, where the number of real tokens is asked for: long sentences make larger steps.",
        (
            "In the smallest example three words are real. By what do you divide their sum?",
            "By which number do you divide: by B, or by the number of real tokens?",
            MEAN,
        ),
        (AVERAGE, "losses[labels != pad_id].sum() / labels.size(0)"),
        group=ALONE,
    ),
    mistake(
        "not_averaged",
        "You return one loss for each token. A gradient starts from a single number.",
        (
            "Which shape do you return?",
            "What is missing after you have a number for each token?",
            MEAN,
        ),
        (AVERAGE, "losses[labels != pad_id]"),
        group=ALONE,
    ),
    mistake(
        "pad_taken_for_0",
        "You take 0 for the padding id, whatever `pad_id` says: where 0 is a word, it is left out, and padding counts.",
        (
            "Change `pad_id`. Does your loss change?",
            "With what do you compare the labels?",
            "`labels != pad_id`.",
        ),
        (REAL, "losses[labels != 0]"),
        group=ALONE,
    ),
    # how the probability is shared out
    mistake(
        "smoothing_ignored",
        "Nothing is smoothed: you return the plain cross-entropy, whatever ε is.",
        (
            "Call your loss with ε = 0 and with ε = 0.5. Do the two differ?",
            "The formula has two parts. Which of them do you work out?",
            BOTH,
        ),
        (LOSSES, "-of_label"),
        group="share",
    ),
    mistake(
        "label_not_reduced",
        "You add the smoothing's part and leave the label its whole 1: together that is more than 1. What the others get, the label must give.",
        (
            "Add up the probabilities that your smoothed label gives to all tokens. They should sum to 1.",
            "Which factor stands before the label's logarithm?",
            BOTH,
        ),
        (LOSSES, "-of_label - smoothing * of_all"),
        group="share",
    ),
    mistake(
        "others_not_counting_the_label",
        "You share ε out among the V − 1 *other* tokens: the label has 1 − ε, each other ε/(V − 1). That is one convention. The one asked for, PyTorch's, gives ε/V to every token, the label too.",
        (
            "With ε = 1, which probability does your label get? It should be 1/V, like any other.",
            "By which number do you divide ε, and who gets a share?",
            BOTH,
        ),
        (OF_ALL, "(log_probabilities.sum(dim=-1) - of_label) / (logits.size(-1) - 1)"),
        group="share",
    ),
    mistake(
        "nothing_for_padding",
        "You share ε out among the V − 2 tokens that are neither label nor padding, as a well-known annotated implementation does. That is one convention. The one asked for, PyTorch's, gives ε/V to every token.",
        (
            "With ε = 1, which probability does your label get, and which padding? Each should be 1/V.",
            "By which number do you divide ε, and who gets a share?",
            BOTH,
        ),
        (OF_ALL, "(log_probabilities.sum(dim=-1) - of_label - log_probabilities[..., pad_id]) / (logits.size(-1) - 2)"),
        group=ALONE,
    ),
    mistake(
        "padding_column_left_out",
        "Every token gets ε/V, except for padding, whose share is lost: all probabilities together should be 1. In the convention asked for, PyTorch's, padding gets ε/V too.",
        (
            "Add up the probabilities that your smoothed label gives to all tokens. They should sum to 1.",
            "ε is shared out over V tokens. Is padding one of them?",
            BOTH,
        ),
        (OF_ALL, "(log_probabilities.sum(dim=-1) - log_probabilities[..., pad_id]) / logits.size(-1)"),
        group=ALONE,
    ),
    mistake(
        "shared_without_padding",
        "You share ε out among the V − 1 tokens that are not padding. That is one convention. The one asked for, PyTorch's, gives ε/V to every token, padding too.",
        (
            "With ε = 1, which probability does padding get? It should be 1/V, like any other.",
            "By which number do you divide ε, and who gets a share?",
            BOTH,
        ),
        (OF_ALL, "(log_probabilities.sum(dim=-1) - log_probabilities[..., pad_id]) / (logits.size(-1) - 1)"),
        group=ALONE,
    ),
    mistake(
        "label_gets_no_share",
        "Each other token gets ε/V, and the label 1 − ε: ε/V is missing. All probabilities together should be 1.",
        (
            "Add up the probabilities that your smoothed label gives to all tokens.",
            "ε is shared out over V tokens. Is the label one of them?",
            BOTH,
        ),
        (OF_ALL, "(log_probabilities.sum(dim=-1) - of_label) / logits.size(-1)"),
        group="share",
    ),
    mistake(
        "smoothing_summed",
        "You add up the logarithms of all tokens, where their mean is asked for: each token gets ε, not ε/V, and the smoothing drowns the label.",
        (
            "Add up the probabilities that your smoothed label gives to all tokens. They should sum to 1.",
            "Between V tokens, how much of ε does each get?",
            BOTH,
        ),
        (OF_ALL, "log_probabilities.sum(dim=-1)"),
        group="share",
    ),
    mistake(
        "parts_swapped",
        "ε and 1 − ε have changed places: the label gets the small part. With ε = 0 your decoder learns to say everything alike.",
        (
            "With ε = 0, what should be left: the plain cross-entropy. Is it?",
            "Which of the two factors stands before the label's logarithm?",
            BOTH,
        ),
        (LOSSES, "-smoothing * of_label - (1 - smoothing) * of_all"),
        group="share",
    ),
    mistake(
        "always_a_tenth",
        "You smooth by 0.1, whatever is asked for: `smoothing` has no effect.",
        (
            "Call your loss with ε = 0 and with ε = 0.5. Do the two differ?",
            "Where does `smoothing` come into your formula?",
            BOTH,
        ),
        (LOSSES, "-0.9 * of_label - 0.1 * of_all"),
        group="share",
    ),
    mistake(
        "divergence",
        "Your loss is the cross-entropy less the entropy of the smoothed label: the divergence of `F.kl_div`. Its gradients are right, and its floor is 0; but the number asked for is the cross-entropy, and the two are not comparable.",
        (
            "With ε = 0, is your loss right? And with ε = 1?",
            "What is left of your loss when the decoder says exactly the smoothed label? A cross-entropy leaves the label's entropy.",
            BOTH,
        ),
        (LOSSES, LOSSES + " - torch.special.entr(smoothing / logits.size(-1) + torch.tensor([1 - smoothing] + [0.0] * (logits.size(-1) - 1))).sum()"),
        group=ALONE,
    ),
    mistake(
        "smoothed_over_the_sentence",
        "Your mean of logarithms runs over the words of the sentence, not over the vocabulary (`dim=1` of (B, T, V)): the label is mixed with what it costs elsewhere.",
        (
            "Which shape has the mean that you multiply by ε? One number for each place is asked for.",
            "Which `dim` has your mean?",
            BOTH,
        ),
        (OF_ALL, "log_probabilities.mean(dim=1).gather(-1, labels)"),
        group=ALONE,
    ),
    # from logits to logarithms of probabilities
    mistake(
        "softmax_twice",
        "You take a softmax, and then the logarithm of a second softmax of its result (`F.cross_entropy` and `log_softmax` hold one already). Between 0 and 1 all numbers are close together: your loss cannot come near its floor.",
        (
            "Let the decoder be sure and right: logits of 100 and 0, and ε = 0. What should the loss be, and what is yours?",
            "How many softmaxes are there between your logits and the loss?",
            f"`{SOFTMAX}`, once.",
        ),
        (SOFTMAX, "torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)"),
        group="softmax",
    ),
    mistake(
        "logarithm_after_softmax",
        "You take the logarithm of a softmax in two steps: where a probability is too small for a float it is 0, and its logarithm is −∞. With smoothing, one such token is enough.",
        (
            "Let the decoder be sure: logits of 200 and 0. What should the loss be, and what is yours?",
            "What is the smallest positive float32? And e^(−200)?",
            f"`{SOFTMAX}` does both at once, without passing through the small number.",
        ),
        (SOFTMAX, "torch.softmax(logits, dim=-1).log()"),
        group=ALONE,
    ),
    mistake(
        "small_number_in_the_logarithm",
        "You add a small number to each probability before you take the logarithm, or clamp it from below. So no word can cost more than the logarithm of that number, and beyond that no gradient flows: a decoder that is sure of something wrong cannot learn.",
        (
            "Let the decoder be sure and wrong: logits of 1000 and 0. What should the loss be, and what is yours?",
            "What is the largest loss that your logarithm can give?",
            f"`{SOFTMAX}` needs no such number.",
        ),
        (SOFTMAX, "(torch.softmax(logits, dim=-1) + 1e-9).log()"),
        recogniser=loss_has_a_ceiling,
        group=ALONE,
    ),
    mistake(
        "no_softmax",
        "You take the logits themselves for logarithms of probabilities. They become so by a softmax over the vocabulary.",
        (
            "Add 5 to all logits. Should the loss change? Does yours?",
            "Between the logits and the entry you pick out, what is missing?",
            f"`{SOFTMAX}`.",
        ),
        (SOFTMAX, "logits"),
        group=ALONE,
    ),
    mistake(
        "softmax_over_time",
        "Your softmax runs over the words of the sentence instead of over the vocabulary (`dim=1` of (B, T, V)).",
        (
            "Sum your probabilities over the vocabulary. What should come out?",
            "Which `dim` has your softmax?",
            f"`{SOFTMAX}`.",
        ),
        (SOFTMAX, "torch.log_softmax(logits, dim=1)"),
        group="softmax",
    ),
    mistake(
        "axes_by_view",
        "You bring (B, T, V) into the shape (B, V, T) by `view` or `reshape`. That does not exchange axes, it deals the numbers out anew: scores of different words and positions are mixed.",
        (
            "Take logits[0, 0], a row of V scores. Where are they after your `view`?",
            "Which function exchanges two axes, and which only reads the same numbers in other rows?",
            "`logits.transpose(1, 2)`, or `logits.flatten(0, 1)` with `labels.flatten()`.",
        ),
        (SOFTMAX, "torch.log_softmax(logits.reshape(logits.size(0), logits.size(2), -1).transpose(1, 2), dim=-1)"),
        group=ALONE,
    ),
    # what is returned
    mistake(
        "sign_forgotten",
        "You return the logarithms themselves, without their minus: training would make the right words *less* likely.",
        (
            "Is your loss positive?",
            "A logarithm of a probability is negative. What should a loss be?",
            BOTH,
        ),
        (LOSSES, "(1 - smoothing) * of_label + smoothing * of_all"),
        group=ALONE,
    ),
    mistake(
        "no_gradient",
        "Your number is right, but it is cut off from the logits: you leave torch for a Python number, or `detach`. No gradient flows back, and nothing is learned.",
        (
            "Ask for `loss.requires_grad`.",
            "Where do you write `.item()`, `.detach()`, `.data` or `torch.no_grad()`?",
            "Stay with tensors from the logits to the mean.",
        ),
        (SOFTMAX, "torch.log_softmax(logits.detach(), dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "divergence_with_nothing_for_padding",
        "You share ε out among the V − 2 tokens that are neither label nor padding, and take the divergence from that (`F.kl_div`, `nn.KLDivLoss`), as a well-known annotated implementation does. Asked for is PyTorch's convention: ε/V for every token, and the cross-entropy, without the entropy of the smoothed label taken off.",
        (
            "With ε = 1, which probability does your label get? And what is left of your loss when the decoder says exactly the smoothed label?",
            "Two things differ from the formula: who gets a share of ε, and what `kl_div` adds for each token, p·log p.",
            BOTH,
        ),
        (
            LOSSES,
            """-(1 - smoothing) * of_label - smoothing * (
        log_probabilities.sum(dim=-1) - of_label - log_probabilities[..., pad_id]
    ) / (logits.size(-1) - 2) - torch.special.entr(
        torch.tensor([1 - smoothing] + [smoothing / (logits.size(-1) - 2)] * (logits.size(-1) - 2))
    ).sum()""",
        ),
        group=ALONE,
    ),
)  # fmt: skip


def torchs_own(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing)


def as_a_distribution(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / logits.size(-1))
    wanted.scatter_(-1, labels.unsqueeze(-1), 1 - smoothing + smoothing / logits.size(-1))
    real = labels.ne(pad_id)
    cost = -(wanted * F.log_softmax(logits, dim=-1)).sum(-1)
    return cost.masked_fill(~real, 0).sum() / real.sum()


def divergence_and_entropy(logits, labels, pad_id, smoothing=0.1):
    keep = labels != pad_id
    x, y = logits[keep], labels[keep]
    wanted = F.one_hot(y, x.size(-1)).to(x.dtype) * (1 - smoothing) + smoothing / x.size(-1)
    total = F.kl_div(x.log_softmax(-1), wanted, reduction="sum") + torch.special.entr(wanted).sum()
    return total / len(y)


def two_parts(logits, labels, pad_id, smoothing=0.1):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
    flat, wanted = flat[wanted != pad_id], wanted[wanted != pad_id]
    normal = torch.logsumexp(flat, dim=1)
    plain = normal - flat[torch.arange(len(flat)), wanted]
    uniform = normal - flat.mean(dim=1)
    return torch.lerp(plain, uniform, smoothing).mean()


def word_after_word(logits, labels, pad_id, smoothing=0.1):
    costs = []
    for sentence, words in zip(logits, labels, strict=True):
        for scores, word in zip(sentence, words, strict=True):
            if word == pad_id:
                continue
            logarithms = scores - scores.logsumexp(0)
            costs.append(-(1 - smoothing) * logarithms[word] - smoothing * logarithms.sum() / len(scores))
    return sum(costs) / len(costs)


def stub(logits, labels, pad_id, smoothing=0.1):
    raise NotImplementedError


def zero(logits, labels, pad_id, smoothing=0.1):
    return 0 * logits.sum()


def chance(logits, labels, pad_id, smoothing=0.1):
    return 0 * logits.sum() + torch.tensor(float(logits.size(-1))).log()


def noise(logits, labels, pad_id, smoothing=0.1):
    return torch.rand(())


LABEL_SMOOTHED_LOSS = define(
    id="label_smoothed_loss",
    lesson="09_training",
    place=1,
    module="course_lib.components.label_smoothed_loss",
    symbol="label_smoothed_loss",
    minutes=20,
    laws=LAWS,
    hints=(
        "Work it out for one word over four tokens of probabilities 0.1, 0.2, 0.3, 0.4, the label the last, ε = 0.2.",
        "Logarithms of probabilities (B, T, V); the label's (B, T); the mean over the vocabulary (B, T); both parts with their factors; the mean over the real positions. Print the shape of each.",
        f"`log_probabilities = {SOFTMAX}`; {BOTH} Then {MEAN}",
    ),
    ask=ask,
    mistakes=(
        finished_function(
            torchs_own, "F.cross_entropy", "`torch.log_softmax` first; of it, what the label has and the mean over all."
        ),
        *MISTAKES,
    ),
    alternatives=(as_a_distribution, divergence_and_entropy, two_parts, word_after_word),
    lazy=(stub, zero, chance, noise),
    switches=("mean", "share", "softmax"),
)


# the mistakes again, in another style: each must get the same name


@LABEL_SMOOTHED_LOSS.second_version("finished_function")
def by_the_module(logits, labels, pad_id, smoothing=0.1):
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=smoothing)
    return criterion(logits.transpose(1, 2), labels)


@LABEL_SMOOTHED_LOSS.second_version("padding_counted")
def torch_without_ignore_index(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)


@LABEL_SMOOTHED_LOSS.second_version("divided_by_all_places")
def torch_summed_and_divided(logits, labels, pad_id, smoothing=0.1):
    total = F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )
    return total / labels.numel()


@LABEL_SMOOTHED_LOSS.second_version("summed")
def torch_summed(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )


@LABEL_SMOOTHED_LOSS.second_version("smoothing_ignored")
def torch_not_told_of_smoothing(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)


@LABEL_SMOOTHED_LOSS.second_version("others_not_counting_the_label")
def scattered_over_the_others(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / (logits.size(-1) - 1))
    wanted.scatter_(2, labels.unsqueeze(2), 1 - smoothing)
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs[labels != pad_id].mean()


@LABEL_SMOOTHED_LOSS.second_version("nothing_for_padding")
def annotated(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / (logits.size(-1) - 2))
    wanted.scatter_(2, labels.unsqueeze(2), 1 - smoothing)
    wanted[:, :, pad_id] = 0
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs.masked_fill(labels == pad_id, 0).sum() / (labels != pad_id).sum()


@LABEL_SMOOTHED_LOSS.second_version("label_not_reduced")
def smoothing_on_top(logits, labels, pad_id, smoothing=0.1):
    plain = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    uniform = -logits.log_softmax(-1).mean(-1)
    return (plain + smoothing * uniform)[labels != pad_id].mean()


@LABEL_SMOOTHED_LOSS.second_version("axes_by_view")
def view_for_torch_smoothed(logits, labels, pad_id, smoothing=0.1):
    b, t, v = logits.shape
    return F.cross_entropy(logits.view(b, v, t), labels, ignore_index=pad_id, label_smoothing=smoothing)


@LABEL_SMOOTHED_LOSS.second_version("softmax_twice")
def probabilities_for_torch(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.softmax(-1).flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


@LABEL_SMOOTHED_LOSS.second_version("divergence")
def kl_div_alone(logits, labels, pad_id, smoothing=0.1):
    keep = labels != pad_id
    x, y = logits[keep], labels[keep]
    wanted = F.one_hot(y, x.size(-1)) * (1 - smoothing) + smoothing / x.size(-1)
    return F.kl_div(x.log_softmax(-1), wanted, reduction="batchmean")


LABEL_SMOOTHED_LOSS.second_version("padding_pays_the_smoothing")(mystery_loss)


@LABEL_SMOOTHED_LOSS.second_version("smoothing_over_all_places")
def torch_and_a_mean_of_everything(logits, labels, pad_id, smoothing=0.1):
    plain = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    return (1 - smoothing) * plain - smoothing * logits.log_softmax(-1).mean()


@LABEL_SMOOTHED_LOSS.second_version("mean_of_sentence_means")
def sentence_after_sentence(logits, labels, pad_id, smoothing=0.1):
    total = 0.0
    for scores, row in zip(logits, labels, strict=True):
        total = total + F.cross_entropy(scores, row, ignore_index=pad_id, label_smoothing=smoothing)
    return total / len(labels)


@LABEL_SMOOTHED_LOSS.second_version("padding_column_left_out")
def nothing_scattered_to_padding(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / logits.size(-1))
    wanted[:, :, pad_id] = 0
    wanted.scatter_add_(2, labels.unsqueeze(2), torch.full_like(wanted[:, :, :1], 1 - smoothing))
    costs = -(wanted * logits.log_softmax(-1)).sum(-1)
    return costs[labels != pad_id].mean()


@LABEL_SMOOTHED_LOSS.second_version("shared_without_padding")
def scattered_over_words(logits, labels, pad_id, smoothing=0.1):
    words = torch.arange(logits.size(-1)) != pad_id
    logs = logits.log_softmax(-1)
    costs = (smoothing - 1) * logs.gather(2, labels[..., None])[..., 0] - smoothing * logs[..., words].mean(-1)
    return costs[labels != pad_id].mean()


@LABEL_SMOOTHED_LOSS.second_version("small_number_in_the_logarithm")
def clamped(logits, labels, pad_id, smoothing=0.1):
    logs = logits.softmax(-1).clamp(min=1e-12).log()
    costs = (smoothing - 1) * logs.gather(2, labels[..., None])[..., 0] - smoothing * logs.mean(-1)
    return costs[labels != pad_id].mean()


@LABEL_SMOOTHED_LOSS.second_version("divergence_with_nothing_for_padding")
def as_annotated(logits, labels, pad_id, smoothing=0.1):
    real = labels != pad_id
    x, y = logits[real], labels[real]
    wanted = torch.full_like(x, smoothing / (x.size(-1) - 2))
    wanted[:, pad_id] = 0.0
    wanted[torch.arange(len(y)), y] = 1 - smoothing
    return nn.KLDivLoss(reduction="batchmean")(x.log_softmax(dim=-1), wanted)
