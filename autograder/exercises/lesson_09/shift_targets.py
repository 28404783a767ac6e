"""Exercise `shift_targets`: what the decoder reads, and what it is to say."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged

RETURNS = ["inputs", "labels"]
PAD, BOS, EOS = 0, 1, 2


def _target(draw: Draw, lengths: list[int], longest: int) -> Tensor:
    """Sentences of these lengths between ``bos`` and ``eos``, padded to ``longest`` words; all words differ."""
    words = draw.shuffled(range(3, 90))
    rows = []
    for length in lengths:
        sentence, words = words[:length], words[length:]
        rows.append([BOS, *sentence, EOS, *[PAD] * (longest - length)])
    return torch.tensor(rows)  # (B, longest + 2)


def ask(draw: Draw) -> Iterator[Question]:
    """One sentence, sentences of several lengths, as many sentences as tokens, a single word, nothing between the marks."""
    yield Question("by_hand", probes.call, {"arguments": {"target": _target(draw, [3], 3)}, "returns": RETURNS})
    b, t = draw.shuffled(((2, 5), (3, 6), (5, 6)))[0]
    lengths = draw.shuffled([t, *(1 + (2 * i) % (t - 1) for i in range(b - 1))])
    yield Question("plain", probes.call, {"arguments": {"target": _target(draw, lengths, t)}, "returns": RETURNS})
    square = {"target": _target(draw, draw.shuffled([3, 2, 1, 3, 2]), 3)}
    yield Question("square", probes.call, {"arguments": square, "returns": RETURNS})
    yield Question("one_word", probes.call, {"arguments": {"target": _target(draw, [1, 1], 1)}, "returns": RETURNS})
    two = [BOS, draw.shuffled(range(3, 90))[0]]
    yield Question("two_tokens", probes.call, {"arguments": {"target": torch.tensor([two])}, "returns": RETURNS})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "one sentence of three words comes out right", 0.6,
        {"fields": RETURNS}),
    Law("inputs", equals_reference, "plain", "the inputs of a padded batch are right", 0.6,
        {"fields": ["inputs"]}, needs="equals_by_hand"),
    Law("labels", equals_reference, "plain", "its labels are right", 0.6,
        {"fields": ["labels"]}, needs="equals_by_hand"),
    Law("square", equals_reference, "square", "so is a batch of as many sentences as tokens", 0.3,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Law("one_word", equals_reference, "one_word", "so are sentences of a single word", 0.3,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Law("two_tokens", equals_reference, "two_tokens", "two tokens make one pair: read the first, say the second", 0.3,
        {"fields": RETURNS}, needs="equals_by_hand"),
    Law("input_unchanged", inputs_unchanged, "by_hand", "the target is left as it was", 0.3,
        needs="equals_by_hand", also=("plain",)),
)  # fmt: skip

RETURN = "return target[:, :-1], target[:, 1:]"
SHOW = "`target[:, :-1]` is all but the last token, `target[:, 1:]` all but the first: return them in this order."


def _returns(*, inputs: str, labels: str) -> tuple[str, str]:
    return RETURN, f"return {inputs}, {labels}"


MISTAKES = (
    # what is said
    mistake(
        "padding_marked_minus_100",
        "You write −100 in place of padding among the labels. PyTorch's loss ignores that number; the loss of this lesson ignores `pad_id`, and −100 is no token.",
        (
            "What is the smallest number among your labels?",
            "Who leaves out padding here: the shift, or the loss?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1]", labels="target[:, 1:].masked_fill(target[:, 1:] == 0, -100)"),
        group="labels",
    ),
    mistake(
        "padding_overwritten_with_minus_100",
        "You write −100 over padding, and your labels are a view of the target: the caller's target is changed too. The loss of this lesson ignores `pad_id`, and needs no −100.",
        (
            "What is the smallest number in `target` after your function was called?",
            "Is a slice a copy? Who else sees what you write into it?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1].clone()", labels="target[:, 1:].masked_fill_(target[:, 1:] == 0, -100)"),
        group="labels",
    ),
    mistake(
        "inputs_begin_with_padding",
        "Your inputs begin with 0, not with `bos`: you push the labels one place to the right and leave the first place as it is.",
        (
            "Which token does the decoder read first, and which should it?",
            "The target begins with `bos`. Where is it in your inputs?",
            SHOW,
        ),
        _returns(inputs="torch.cat([torch.zeros_like(target[:, :1]), target[:, 1:-1]], dim=1)", labels="target[:, 1:]"),
        group="inputs",
    ),
    mistake(
        "says_what_it_reads",
        "Your labels are the inputs: the decoder is asked for the word it has just read. It learns to copy, its loss falls to 0, and it cannot write a word by itself.",
        (
            "Take the first place. Which token does the decoder read there, and which should it say?",
            "Compare your two results. How far should the second be ahead of the first?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1]", labels="target[:, :-1]"),
        group="labels",
    ),
    mistake(
        "reads_what_it_says",
        "Your inputs are the labels: the decoder reads y_t where it is to write y_t, as a lecture's formula s_t = g(y_t, …) prints it. The answer stands in the question.",
        (
            "When a translation begins, which words does the decoder have?",
            "Is `bos` in your inputs? What else would the decoder read before the first word?",
            SHOW,
        ),
        _returns(inputs="target[:, 1:]", labels="target[:, 1:]"),
        group="labels",
    ),
    mistake(
        "target_twice",
        "You return the whole target twice: at each place the decoder reads the word it is to say.",
        (
            "How many tokens long is the target, and how many are your inputs? They should be one shorter.",
            "Which token can nothing be said after, and which is never said?",
            SHOW,
        ),
        _returns(inputs="target", labels="target"),
        group="labels",
    ),
    mistake(
        "shifted_the_other_way",
        "You shift the wrong way: the decoder reads a word and is asked for the one *before* it. Or your two results have changed places.",
        (
            "Take the first place. Does the decoder read `bos` there, and is it to say the first word?",
            "Which of your results begins with `bos`, and which should?",
            SHOW,
        ),
        _returns(inputs="target[:, 1:]", labels="target[:, :-1]"),
        group="labels",
    ),
    mistake(
        "shifted_twice",
        "You shift by two: the decoder is asked for the word after the next. A mistake that often comes from shifting here and again in the loss.",
        (
            "Take the first place. Which word should follow `bos`, and which do you ask for?",
            "How many tokens do you cut off from each end?",
            SHOW,
        ),
        _returns(inputs="target[:, :-2]", labels="target[:, 2:]"),
        group="labels",
    ),
    mistake(
        "first_word_never_asked_for",
        "Neither of your results begins with `bos`: the decoder is never asked for the first word of a sentence.",
        (
            "Before the first word, what does the decoder read?",
            "How long are your results? How many tokens does a target of T + 1 ask for?",
            SHOW,
        ),
        _returns(inputs="target[:, 1:-1]", labels="target[:, 2:]"),
        group="labels",
    ),
    mistake(
        "end_never_asked_for",
        "You cut off one token too many at the end. In the longest sentence of a batch that is `eos`: there the decoder never learns to stop.",
        (
            "Is `eos` in your labels, in every row?",
            "How many tokens does a target of T + 1 ask for, and how many are your labels?",
            SHOW,
        ),
        _returns(inputs="target[:, :-2]", labels="target[:, 1:-1]"),
        group="labels",
    ),
    # what is cut
    mistake(
        "inputs_not_cut",
        "Your inputs are the whole target: one token longer than the labels. After the last token nothing is to be said.",
        (
            "Which shapes do your two results have?",
            "The decoder reads T tokens and says T. Which token does it read that nothing comes after?",
            SHOW,
        ),
        _returns(inputs="target", labels="target[:, 1:]"),
        group="cut",
    ),
    mistake(
        "labels_not_cut",
        "Your labels are the whole target, `bos` included: one token longer than the inputs.",
        (
            "Which shapes do your two results have?",
            "Is the decoder ever to say `bos`?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1]", labels="target"),
        group="cut",
    ),
    mistake(
        "sentences_cut",
        "You cut off the last and the first *sentence*: `target[:-1]` counts along the batch. The axis of the words is the second.",
        (
            "How many sentences come out?",
            "Which axis does the first entry of an index count along?",
            SHOW,
        ),
        _returns(inputs="target[:-1]", labels="target[1:]"),
        group="cut",
    ),
    mistake(
        "rolled",
        "You roll the target round: the last label is `bos`, and your results are as long as the target. `torch.roll` moves what falls off one end to the other.",
        (
            "What is your last label?",
            "How many pairs of neighbours are there in T + 1 tokens?",
            SHOW,
        ),
        _returns(inputs="target", labels="target.roll(-1, dims=1)"),
        group="cut",
    ),
    # what else happens to it
    mistake(
        "end_turned_into_padding",
        "You turn `eos` into padding in the inputs, or leave it out. It does no harm to read it: what is to be said after it is padding, and does not count.",
        (
            "Compare your inputs with the target, token by token.",
            "In a short sentence, what is the label at the place where `eos` is read?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1].masked_fill(target[:, 1:] == 0, 0)", labels="target[:, 1:]"),
        group=ALONE,
    ),
    mistake(
        "labels_one_hot",
        "Your labels are one-hot vectors. Ids are asked for: the loss looks them up.",
        (
            "Which shape do your labels have?",
            "What does the loss of this lesson take: ids, or vectors?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1]", labels="F.one_hot(target[:, 1:])"),
        group=ALONE,
    ),
    mistake(
        "time_first",
        "You return (T, B): the words lie along the first axis. Here the batch comes first.",
        (
            "Which shapes do your results have?",
            "Do you transpose somewhere?",
            SHOW,
        ),
        _returns(inputs="target[:, :-1].T", labels="target[:, 1:].T"),
        group=ALONE,
    ),
)  # fmt: skip


def through_narrow(target):
    length = target.size(1) - 1
    return target.narrow(1, 0, length), target.narrow(1, 1, length)


def by_index(target):
    places = torch.arange(target.shape[1] - 1)
    inputs = torch.index_select(target, 1, places)
    labels = torch.index_select(target, 1, places + 1)
    return inputs, labels


def from_lists(target):
    rows = target.tolist()
    return torch.tensor([row[:-1] for row in rows]), torch.tensor([row[1:] for row in rows])


def by_splitting(target):
    first, others = target.tensor_split([1], dim=-1)
    all_but_last = torch.cat([first, others], dim=-1)[..., :-1]
    return all_but_last.clone(), others.contiguous()


def rolled_and_cut(target):
    labels = torch.roll(target, shifts=-1, dims=1)
    return target[:, :-1], labels[:, :-1]


def through_unbind(target):
    columns = target.unbind(dim=1)
    return torch.stack(columns[:-1], dim=1), torch.stack(columns[1:], dim=1)


def stub(target):
    raise NotImplementedError


def zeros(target):
    return torch.zeros_like(target[:, 1:]), torch.zeros_like(target[:, 1:])


def the_target(target):
    return target[:, :-1] * 1, F.pad(target, (1, 0))[:, :-2]


def ones(target):
    return torch.ones_like(target[:, 1:]), torch.ones_like(target[:, 1:])


SHIFT_TARGETS = define(
    id="shift_targets",
    lesson="09_training",
    place=0,
    module="course_lib.components.shift_targets",
    symbol="shift_targets",
    minutes=5,
    laws=LAWS,
    hints=(
        "Write down `bos the cat sleeps eos`, and below each token the one the decoder should say when it has read it.",
        "Two slices of one tensor, along its second axis. Which token is in neither of your results? None should be.",
        SHOW,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(through_narrow, by_index, from_lists, by_splitting, rolled_and_cut, through_unbind),
    lazy=(stub, zeros, the_target, ones),
)


# the mistakes again, in another style: each must get the same name


@SHIFT_TARGETS.second_version("says_what_it_reads")
def one_slice_for_both(target):
    inputs = target[:, :-1]
    return inputs, inputs.clone()


@SHIFT_TARGETS.second_version("reads_what_it_says")
def without_bos_for_both(target):
    words = target[:, 1:]
    return words, words


@SHIFT_TARGETS.second_version("shifted_the_other_way")
def labels_first(target):
    inputs, labels = target[:, :-1], target[:, 1:]
    return labels, inputs


@SHIFT_TARGETS.second_version("shifted_twice")
def two_columns_less(target):
    length = target.size(1)
    return target.narrow(1, 0, length - 2), target.narrow(1, 2, length - 2)


@SHIFT_TARGETS.second_version("sentences_cut")
def the_first_axis(target):
    sentences = target.size(0) - 1
    return target.narrow(0, 0, sentences), target.narrow(0, 1, sentences)


@SHIFT_TARGETS.second_version("rolled")
def first_token_to_the_end(target):
    return target, torch.cat([target[:, 1:], target[:, :1]], dim=1)


@SHIFT_TARGETS.second_version("time_first")
def transposed_first(target):
    turned = target.transpose(0, 1)
    return turned[:-1], turned[1:]


@SHIFT_TARGETS.second_version("padding_marked_minus_100")
def where_it_is_real(target):
    labels = target[:, 1:]
    return target[:, :-1], torch.where(labels > 0, labels, -100)


@SHIFT_TARGETS.second_version("padding_overwritten_with_minus_100")
def written_into_a_view(target):
    inputs, labels = target[:, :-1].clone(), target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels


@SHIFT_TARGETS.second_version("inputs_begin_with_padding")
def pushed_to_the_right(target):
    labels = target[:, 1:]
    return F.pad(labels, (1, -1)), labels
