"""Exercise `mask_tokens`: which tokens a masked language model has to predict, and what it reads in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.recognisers.any_lesson import another_answer_when_asked_again

RETURNS = ["inputs", "labels"]
#: thousandths of the rate, one in each part of the line and on both sides of each border; the rest is not chosen
PARTS = (100, 500, 790, 810, 850, 890, 910, 950, 990, 1010, 1500, 3000)


def _given(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float, num_special: int
) -> dict[str, Any]:
    return {
        "ids": ids, "uniform": uniform, "replacements": replacements, "mask_id": mask_id, "rate": rate,
        "num_special": num_special,
    }  # fmt: skip


def _chances(draw: Draw, rate: float, *shape: int) -> Tensor:
    """Uniform numbers, none of them on a border, all parts of the line among them where there is room."""
    count = torch.Size(shape).numel()
    parts = [PARTS[i % len(PARTS)] for i in range(count)]
    return torch.tensor(draw.shuffled(parts), dtype=torch.float64).reshape(shape) * rate / 1000


def _tokens(draw: Draw, special: int, vocab: int, *shape: int) -> Tensor:
    """Ids that are not special, nor the first that is not."""
    count = torch.Size(shape).numel()
    words = draw.shuffled(range(special + 1, vocab))
    return torch.tensor([words[i % len(words)] for i in range(count)]).reshape(shape)


def _question(
    draw: Draw, name: str, shape: tuple[int, int], rate: float = 0.15, num_special: int = 4, specials: bool = True
) -> Question:
    vocab = 40
    ids, replacements = (_tokens(draw, num_special, vocab, *shape) for _ in range(2))
    # no token is replaced by itself
    replacements = torch.where(
        replacements == ids, (replacements - num_special + 1) % (vocab - num_special) + num_special, replacements
    )
    if specials:
        ids[:, 0], ids[:, -1] = 1, 2
        ids[-1, -2:] = torch.tensor([2, 0])
        ids[0, 2] = num_special - 1
        ids[0, 3] = num_special
    uniform = _chances(draw, rate, *shape)
    if specials:
        uniform[0, [0, 2, 3, -1]] = torch.tensor([0.1, 0.85, 0.5, 0.95], dtype=torch.float64) * rate
    given = _given(ids, uniform, replacements, vocab, rate, num_special)
    return Question(name, probes.call, {"arguments": given, "returns": RETURNS})


def ask(draw: Draw) -> Iterator[Question]:
    """Six words on paper, a batch with beginnings, ends and padding, another rate, other special ids, nothing chosen, a large batch."""
    words = torch.tensor([draw.shuffled(range(5, 12))[:6]])
    line = torch.tensor([draw.shuffled([0.05, 0.13, 0.14, 0.3, 0.6, 0.9])], dtype=torch.float64)
    others = torch.tensor([draw.shuffled(range(12, 20))[:6]])
    yield Question("by_hand", probes.call, {"arguments": _given(words, line, others, 20, 0.15, 4), "returns": RETURNS})
    b, _ = draw.sizes(2)
    (t,) = draw.widths(1)
    yield _question(draw, "no_specials", (b, t), specials=False)
    yield _question(draw, "plain", (b, t))
    yield _question(draw, "other_rate", (b, t), rate=draw.shuffled([0.3, 0.4])[0])
    yield _question(draw, "other_specials", (b, t), num_special=draw.shuffled([6, 7])[0])
    nothing = _given(words, line + 0.2, others, 20, 0.15, 4)
    everything = _given(words, line, others, 20, 1.0, 4)
    calls = [nothing, everything]
    yield Question("none_and_all", probes.call_each, {"calls": calls, "returns": RETURNS})
    yield _question(draw, "large", (9, 30), rate=0.2)
    again = _question(draw, "asked_twice", (2, 12), rate=0.5, specials=False).given["arguments"]
    yield Question("asked_twice", probes.call_each, {"calls": [again, again], "returns": RETURNS})


INPUTS, LABELS = {"fields": ["inputs"]}, {"fields": ["labels"]}
BOTH = {"fields": ["inputs", "labels"]}
CALLS = [f"calls/{i}/{field}" for i in range(2) for field in RETURNS]

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "six words on paper come out right", 0.5, BOTH),
    Law("inputs", equals_reference, "no_specials", "what the model reads is right: masks, random tokens, tokens as they were", 0.75, INPUTS),
    Law("labels", equals_reference, "no_specials", "what it has to predict is right: every chosen token, and −100 elsewhere", 0.75, LABELS),
    Law("specials", equals_reference, "plain", "beginnings, ends, padding and unknown words are never chosen", 0.5, BOTH, also=("large",)),
    Law("other_rate", equals_reference, "other_rate", "another rate comes out right, and the shares are shares of it", 0.5, BOTH),
    Law("other_specials", equals_reference, "other_specials", "so does another number of special ids", 0.25, BOTH),
    Law("none_and_all", equals_reference, "none_and_all", "so do the rates at which nothing is chosen, and everything; and what is asked twice is answered alike", 0.5, {"fields": CALLS},
        also=("asked_twice",)),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the ids that you were given are left as they were", 0.25, needs="inputs"),
)  # fmt: skip

CHOSEN = "chosen = (uniform < rate) & (ids >= num_special)"
MASKED = "masked = chosen & (uniform < 0.8 * rate)"
RANDOM = "random = chosen & ~masked & (uniform < 0.9 * rate)"
READ = "inputs = torch.where(random, replacements, ids.masked_fill(masked, mask_id))"
LABELLED = "ids.masked_fill(~chosen, -100)"

MISTAKES = (
    # which are chosen
    mistake(
        "specials_chosen",
        "You choose special tokens, too: the model has to predict padding, and reads sentences whose beginning is masked.",
        (
            "Which labels do the padded positions have?",
            "Which ids may be chosen at all?",
            "Only where `ids >= num_special`.",
        ),
        (CHOSEN, "chosen = uniform < rate"),
        group="chosen",
    ),
    mistake(
        "padding_spared_only",
        "You spare padding, and choose the other special tokens: beginnings, ends and unknown words.",
        (
            "Which label does the token at position 0 have?",
            "Which ids may be chosen at all?",
            "Only where `ids >= num_special`, and not wherever `ids != 0`.",
        ),
        (CHOSEN, "chosen = (uniform < rate) & (ids != 0)"),
        group="chosen",
    ),
    mistake(
        "first_word_spared",
        "The word with the id `num_special` itself is never chosen. It is no special token: those are *below* that number.",
        (
            "With four special tokens, which ids do they have?",
            "Do you compare with `>`?",
            "`ids >= num_special`.",
        ),
        (CHOSEN, "chosen = (uniform < rate) & (ids > num_special)"),
        group="chosen",
    ),
    mistake(
        "four_specials_assumed",
        "You take the first four ids for special, whatever `num_special` says.",
        (
            "Which ids are never chosen by yours if `num_special` is 6?",
            "Is there a 4 in your code that the argument should stand for?",
            "`ids >= num_special`.",
        ),
        (CHOSEN, "chosen = (uniform < rate) & (ids >= 4)"),
        group="chosen",
    ),
    mistake(
        "rest_chosen",
        "You choose the tokens whose number is *above* the rate: 85 % of them instead of 15 %.",
        (
            "How many tokens out of a hundred does yours choose?",
            "With a uniform number between 0 and 1, how probable is u < 0.15?",
            "`uniform < rate`.",
        ),
        (CHOSEN, "chosen = (uniform >= rate) & (ids >= num_special)"),
        group=ALONE,
    ),
    mistake(
        "rate_ignored",
        "You choose 15 % of the tokens, whatever `rate` says.",
        (
            "How many tokens out of a hundred does yours choose at a rate of 0.4?",
            "Is there a 0.15 in your code that the argument should stand for?",
            "`uniform < rate`, and 0.8 and 0.9 *times* the rate.",
        ),
        (CHOSEN, "rate = 0.15\n    chosen = (uniform < rate) & (ids >= num_special)"),
        group="chosen",
    ),
    # what is read
    mistake(
        "all_masked",
        "You replace every chosen token by the mask. Ten percent of them should be replaced by a random token, and ten percent should stay as they are.",
        (
            "Is there a chosen token in your inputs that isn't the mask?",
            "What becomes of a chosen token with u = 0.85 · rate, and of one with u = 0.95 · rate?",
            "Masked is what is chosen *and* below 0.8 of the rate.",
        ),
        (MASKED, "masked = chosen"),
        group="shares",
    ),
    mistake(
        "shares_of_all_tokens",
        "You compare with 0.8 and 0.9 themselves. A chosen token's number is below the rate, and so always below 0.8: every chosen token is masked.",
        (
            "Is there a chosen token in your inputs that isn't the mask?",
            "80 % of what? A token is chosen where u < 0.15.",
            "The borders are at 0.8 and 0.9 *times the rate*.",
        ),
        (MASKED, "masked = chosen & (uniform < 0.8)"),
        (RANDOM, "random = chosen & ~masked & (uniform < 0.9)"),
        group="shares",
    ),
    mistake(
        "kept_for_random",
        "You replace no token by a random one: 20 % of the chosen ones stay as they are.",
        (
            "Do any of `replacements` occur in your inputs?",
            "What happens to chosen tokens between 0.8 and 0.9 of the rate?",
            "`torch.where(random, replacements, …)`.",
        ),
        (READ, "inputs = ids.masked_fill(masked, mask_id)"),
        group="shares",
    ),
    mistake(
        "random_for_kept",
        "You replace all chosen tokens that aren't masked by random ones. Half of them should stay as they are.",
        (
            "Is there a chosen token in your inputs that is still itself?",
            "What happens to chosen tokens from 0.9 of the rate on?",
            "Random is what lies between 0.8 and 0.9 of the rate.",
        ),
        (RANDOM, "random = chosen & ~masked"),
        group="shares",
    ),
    mistake(
        "kept_and_random_exchanged",
        "Tokens between 0.8 and 0.9 of the rate stay as they are and those above get a random one. It should be the other way round.",
        (
            "The shares are right. Which tenth is which?",
            "What becomes of a chosen token with u = 0.85 · rate?",
            "From 0.8 to 0.9 of the rate: random.",
        ),
        (RANDOM, "random = chosen & (uniform >= 0.9 * rate)"),
        group="shares",
    ),
    mistake(
        "masks_overwritten",
        "Random tokens take the place of masks: everything below 0.9 of the rate is replaced by a random token.",
        (
            "How many masks are in your inputs?",
            "You put in masks, and then random tokens. Where do the two sets overlap?",
            "Random is what is chosen, *not masked*, and below 0.9 of the rate.",
        ),
        (RANDOM, "random = chosen & (uniform < 0.9 * rate)"),
        group="shares",
    ),
    mistake(
        "unchosen_replaced",
        "Your inputs are right where a token was chosen, and masked or replaced elsewhere, too: special tokens are hidden although nobody asks for them.",
        (
            "Which of your inputs differ from `ids` where the label is −100?",
            "Is `masked` a part of `chosen`?",
            "`chosen & (uniform < 0.8 * rate)`.",
        ),
        (MASKED, "masked = uniform < 0.8 * rate"),
        (RANDOM, "random = ~masked & (uniform < 0.9 * rate)"),
        group="shares",
    ),
    mistake(
        "nothing_hidden",
        "You return the ids as they are: the model reads what it has to predict.",
        (
            "How many masks are in your inputs?",
            "`masked_fill` returns a new tensor. Do you use it?",
            "`ids.masked_fill(masked, mask_id)`.",
        ),
        (READ, "inputs = ids"),
        group="shares",
    ),
    # what is asked
    mistake(
        "everything_asked",
        "Every token has a label, chosen or not. Nearly all of the loss is then about copying what the model reads.",
        (
            "How many of your labels are −100?",
            "What does a model learn if 85 % of its answers can be copied?",
            "`ids.masked_fill(~chosen, -100)`.",
        ),
        (LABELLED, "ids"),
        group="labels",
    ),
    mistake(
        "words_asked_only",
        "Every token that isn't special has a label, chosen or not.",
        (
            "How many of your labels are −100?",
            "What does a model learn if 85 % of its answers can be copied?",
            "`ids.masked_fill(~chosen, -100)`.",
        ),
        (LABELLED, "ids.masked_fill(ids < num_special, -100)"),
        group="labels",
    ),
    mistake(
        "masks_asked_only",
        "You ask for the tokens behind masks only. Those that were replaced by a random token, or kept, were chosen as well.",
        (
            "How many of your labels are not −100, and how many tokens were chosen?",
            "Why are some chosen tokens left as they are? Only if they are asked for, the model can't tell which words to trust.",
            "The labels depend on `chosen`, not on `masked`.",
        ),
        (LABELLED, "ids.masked_fill(~masked, -100)"),
        group="labels",
    ),
    mistake(
        "changed_ones_asked_only",
        "You ask for the tokens that *look different* in the inputs. Those that were chosen and kept are never asked for.",
        (
            "How many of your labels are not −100, and how many tokens were chosen?",
            "Compare the labels with the inputs: is there a position where both hold the same token?",
            "The labels depend on `chosen`, and not on what became of the tokens.",
        ),
        (LABELLED, "ids.masked_fill(inputs == ids, -100)"),
        group="labels",
    ),
    mistake(
        "asked_for_what_it_reads",
        "Your labels are what the model reads: it has to predict the mask where there is one.",
        (
            "Does the mask's id occur in your labels?",
            "Do you make the labels from `ids`, or from `inputs`? Has `ids` been changed in place?",
            "`ids.masked_fill(~chosen, -100)`.",
        ),
        (LABELLED, "inputs.masked_fill(~chosen, -100)"),
        group="labels",
    ),
    mistake(
        "ignored_by_zero",
        "Where nothing is asked, your labels are 0. That is a token, the padding; the loss ignores −100.",
        (
            "What does `F.cross_entropy` do with a label of 0?",
            "Which number does it ignore, unless told otherwise?",
            "−100.",
        ),
        (LABELLED, "ids.masked_fill(~chosen, 0)"),
        group="labels",
    ),
    mistake(
        "ignored_by_minus_one",
        "Where nothing is asked, your labels are −1. That is out of range for `F.cross_entropy`, which ignores −100.",
        (
            "What does `F.cross_entropy` do with a label of −1?",
            "Which number does it ignore, unless told otherwise?",
            "−100.",
        ),
        (LABELLED, "ids.masked_fill(~chosen, -1)"),
        group="labels",
    ),
    mistake(
        "unchosen_asked",
        "Your labels are the wrong way round: −100 where a token was chosen, and the token elsewhere.",
        (
            "Which label does a masked position have?",
            "What does `masked_fill` fill: where its mask is True, or False?",
            "`ids.masked_fill(~chosen, -100)`.",
        ),
        (LABELLED, "ids.masked_fill(chosen, -100)"),
        group="labels",
    ),
    mistake(
        "written_into_the_ids",
        "You write the masks into the tensor that you were given. Whoever calls the function again with it finds its sentences spoilt.",
        (
            "Print `ids` before and after the call.",
            "Which of your lines changes a tensor in place? An index on the left of `=` does, and so does a method whose name ends in `_`.",
            "Begin with `inputs = ids.clone()`.",
        ),
        (READ, "labels = ids.masked_fill(~chosen, -100)\n    inputs = ids\n    inputs[masked] = mask_id\n    inputs[random] = replacements[random]"),
        (f"return inputs, {LABELLED}", "return inputs, labels"),
        group=ALONE,
    ),
    mistake(
        "random_numbers_of_its_own",
        "You make random numbers of your own, and never read `uniform`: asked twice, you choose other tokens.",
        (
            "Run it twice on the same tensors. Do you get the same?",
            "Which argument do you never read?",
            "A token is chosen where `uniform < rate`; the same number decides what becomes of it.",
        ),
        (CHOSEN, "uniform = torch.rand(ids.shape)\n    chosen = (uniform < rate) & (ids >= num_special)"),
        recogniser=another_answer_when_asked_again,
        group=ALONE,
    ),
)  # fmt: skip


def with_clones(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = ids.clone(), ids.clone()
    chosen = torch.logical_and(uniform < rate, ids >= num_special)
    labels[~chosen] = -100
    share = uniform / rate
    inputs[chosen & (share < 0.8)] = mask_id
    swap = chosen & (share >= 0.8) & (share < 0.9)
    inputs[swap] = replacements[swap]
    return inputs, labels


def token_by_token(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = [], []
    for row, us, others in zip(ids.tolist(), uniform.tolist(), replacements.tolist(), strict=True):
        read, asked = [], []
        for token, u, other in zip(row, us, others, strict=True):
            if token < num_special or u >= rate:
                read.append(token)
                asked.append(-100)
                continue
            asked.append(token)
            read.append(mask_id if u < 0.8 * rate else other if u < 0.9 * rate else token)
        inputs.append(read)
        labels.append(asked)
    return torch.tensor(inputs), torch.tensor(labels)


def with_where(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    uniform = torch.where(ids < num_special, torch.inf, uniform)
    inputs = torch.where(uniform < 0.9 * rate, replacements, ids)
    inputs = torch.where(uniform < 0.8 * rate, mask_id, inputs)
    return inputs, torch.where(uniform < rate, ids, -100)


def by_arithmetic(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    chosen = (uniform < rate).long() * (ids >= num_special).long()
    masked = chosen * (uniform < 0.8 * rate).long()
    random = chosen * (uniform < 0.9 * rate).long() - masked
    inputs = ids * (1 - masked - random) + mask_id * masked + replacements * random
    return inputs, ids * chosen - 100 * (1 - chosen)


def stub(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    raise NotImplementedError


def unchanged(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return ids, ids


def only_masks(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return torch.full_like(ids, mask_id), torch.full_like(ids, -100)


def noise(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return torch.randint_like(ids, 40), torch.randint_like(ids, 40)


MASK_TOKENS = define(
    id="mask_tokens",
    lesson="13_families",
    place=3,
    module="course_lib.components.mask_tokens",
    symbol="mask_tokens",
    minutes=15,
    laws=LAWS,
    hints=(
        "Do the table of the lesson for one more word: u = 0.124, rate = 0.15. Is it chosen? Which part of the line is it in?",
        "Make three boolean masks: `chosen`, `masked` and `random`. The last two are parts of the first, and don't overlap.",
        "`inputs`: `ids`, filled with `mask_id` where masked, and `replacements` where random. `labels`: `ids` where chosen, −100 elsewhere.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(with_clones, token_by_token, with_where, by_arithmetic),
    lazy=(stub, unchanged, only_masks, noise),
    switches=("chosen", "shares", "labels"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@MASK_TOKENS.second_version("masks_asked_only")
def asked_where_masked(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, chosen = ids.clone(), (uniform < rate) & (ids >= num_special)
    inputs[chosen & (uniform < 0.9 * rate)] = replacements[chosen & (uniform < 0.9 * rate)]
    inputs[chosen & (uniform < 0.8 * rate)] = mask_id
    return inputs, torch.where(inputs == mask_id, ids, -100)


@MASK_TOKENS.second_version("all_masked")
def simply_masked(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    chosen = (uniform < rate) & (ids >= num_special)
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@MASK_TOKENS.second_version("specials_chosen")
def anything(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs = torch.where(uniform < 0.9 * rate, replacements, ids)
    inputs = torch.where(uniform < 0.8 * rate, mask_id, inputs)
    return inputs, torch.where(uniform < rate, ids, -100)


@MASK_TOKENS.second_version("everything_asked")
def labels_are_a_copy(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    labels, inputs = ids.clone(), ids.clone()
    chosen = (uniform < rate) & (ids >= num_special)
    inputs[chosen & (uniform < 0.9 * rate)] = replacements[chosen & (uniform < 0.9 * rate)]
    inputs[chosen & (uniform < 0.8 * rate)] = mask_id
    return inputs, labels


@MASK_TOKENS.second_version("random_for_kept")
def nothing_kept(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    chosen = (uniform < rate) & (ids >= num_special)
    labels[chosen] = ids[chosen]
    inputs[chosen] = replacements[chosen]
    inputs[chosen & (uniform < 0.8 * rate)] = mask_id
    return inputs, labels


@MASK_TOKENS.second_version("random_numbers_of_its_own")
def as_a_data_collator(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = ids.clone(), ids.clone()
    chosen = torch.bernoulli((ids >= num_special) * rate).bool()
    labels[~chosen] = -100
    masked = torch.bernoulli(torch.full(ids.shape, 0.8)).bool() & chosen
    inputs[masked] = mask_id
    random = torch.bernoulli(torch.full(ids.shape, 0.5)).bool() & chosen & ~masked
    inputs[random] = replacements[random]
    return inputs, labels
