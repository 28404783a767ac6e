"""Exercise `pad_batch`: the lesson's first; sentences of several lengths as one rectangle."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, refuses
from course_lib.checking.recognisers.any_lesson import another_error_is_raised


def _call(name: str, draw: Draw, lengths: tuple[int, ...], pad_id: int) -> Question:
    """Sentences of these lengths: ids from 20 on, all different, none of them ``pad_id``."""
    ids = iter(draw.shuffled(range(20, 80)))
    sentences = [[next(ids) for _ in range(length)] for length in lengths]
    return Question(name, probes.call, {"arguments": {"sentences": sentences, "pad_id": pad_id}, "returns": ["batch"]})


def ask(draw: Draw) -> Iterator[Question]:
    """Padding with 0 and with another id, the longest sentence in the middle, an empty one, no sentence at all."""
    yield _call("by_hand", draw, (1, 3), 0)
    pad_id, another = (int(i) for i in draw.shuffled(range(1, 20))[:2])
    yield _call("plain", draw, draw.shuffled(((3, 2, 6, 4), (2, 5, 1, 3), (3, 6, 1, 2), (4, 1, 5, 2)))[0], pad_id)
    yield _call("empty_sentence", draw, draw.shuffled(((2, 0, 4), (1, 0, 5), (3, 0, 4)))[0], another)
    given = _call("empty_first", draw, draw.shuffled(((0, 2, 4), (0, 5, 1), (0, 3, 4)))[0], another).given
    given["arguments"]["sentences"][1][0] = 0  # a token like any other, where the padding is not 0
    yield Question("empty_first", probes.call, given)
    yield Question(
        "no_sentence", probes.refuse, {"arguments": {"sentences": [], "pad_id": draw.shuffled(range(10_000))[0]}}
    )


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences come out below each other, padded with 0", 0.5,
        {"fields": ["batch"]}),
    Law("equals_plain", equals_reference, "plain", "more sentences and another `pad_id` come out right", 0.5,
        {"fields": ["batch"]}),
    Law("empty_sentence", equals_reference, "empty_sentence", "an empty sentence becomes a row of nothing but padding, and the token 0 stays what it is", 0.25,
        {"fields": ["batch"]}, also=("empty_first",)),
    Law("whole_numbers", keeps_dtype, "empty_sentence", "the tensor is of int64, also where a sentence is empty", 0.25,
        {"fields": ["batch"]}, needs="empty_sentence", also=("empty_first",)),
    Law("refuses", refuses, "no_sentence", "a batch without sentences raises a `ValueError`", 0.25,
        needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the lists are left as they were", 0.25,
        needs="equals_plain"),
)  # fmt: skip

LONGEST = "max(len(sentence) for sentence in sentences)"
FILLED = "pad_id, dtype=torch.int64)  # (B, S)"
PLACE = "row[: len(sentence)] = torch.tensor(sentence, dtype=torch.int64)"
ROWS = "zip(batch, sentences, strict=True)"
REFUSAL = 'raise ValueError("a batch needs at least one sentence")'
RETURN = "return batch"


MISTAKES = (
    # where the padding goes
    mistake(
        "padded_on_the_left",
        "Your sentences stand at the right end of their rows: the padding comes first. Here it comes last.",
        (
            "Print two sentences and the batch you make of them. In which column does each sentence begin?",
            "Which part of a row do you write the sentence into?",
            "`row[: len(sentence)] = …`: from the first column on.",
        ),
        (PLACE, PLACE.replace(": len(sentence)", "longest - len(sentence) :")),
        group="place",
    ),
    mistake(
        "last_token_repeated",
        "You fill the shorter sentences up with their own last token. A model cannot tell that from a sentence in which the word is repeated.",
        (
            "Print a short sentence and its row. What stands in the places that were free?",
            "`pad_id` is a parameter. Which places should it fill?",
            "Start from `torch.full((len(sentences), longest), pad_id)` and write only the sentence's own tokens into a row.",
        ),
        (PLACE, f"{PLACE}\n        row[len(sentence) :] = sentence[-1] if sentence else pad_id"),
        group="place",
    ),
    mistake(
        "zero_assumed",
        "You pad with 0, whatever `pad_id` says.",
        (
            "Call your function with `pad_id=7`. Where in the batch is the 7?",
            "`pad_id` is a parameter. Where in your code does it appear?",
            "`torch.full((len(sentences), longest), pad_id)`: `torch.zeros` knows only one filling.",
        ),
        (FILLED, FILLED.replace("pad_id", "0")),
        group="filling",
    ),
    # how long a row is
    mistake(
        "real_zeros_replaced",
        "You fill up with 0 and then replace every 0 by `pad_id`: a real token whose id is 0 is replaced with it.",
        (
            "Pad `[[0, 5], [7]]` with 9. What becomes of the 0?",
            "How do you tell, in the filled batch, which 0 is padding?",
            "Fill up with `pad_id` from the start: `torch.full((B, S), pad_id)`.",
        ),
        (FILLED, FILLED.replace("pad_id", "0")),
        (RETURN, "return batch.masked_fill(batch == 0, pad_id)"),
        group=ALONE,
    ),
    mistake(
        "one_column_too_many",
        "Your rows are one longer than the longest sentence: even that one ends in padding.",
        (
            "What is the shape of your batch, and how long is the longest sentence?",
            "Where do you add one to a length?",
            "`longest = max(len(sentence) for sentence in sentences)`, and rows of exactly this length.",
        ),
        (LONGEST, f"{LONGEST} + 1"),
        group="length",
    ),
    mistake(
        "cut_to_the_shortest",
        "You cut all sentences to the length of the shortest. Nothing needs padding then, and most of the words are gone.",
        (
            "How many tokens went in, and how many numbers come out?",
            "`zip(*sentences)` and `min` both stop at the shortest. Which length should the rows have?",
            "The length of the *longest*: `max(len(sentence) for sentence in sentences)`.",
        ),
        (LONGEST, LONGEST.replace("max", "min")),
        (PLACE, PLACE.replace("tensor(sentence,", "tensor(sentence[:longest],")),
        group="length",
    ),
    mistake(
        "as_long_as_the_first",
        "Your rows are as long as the *first* sentence: longer ones are cut.",
        (
            "Put the longest sentence first, then last. What changes?",
            "Which sentence do you measure?",
            "Measure all: `max(len(sentence) for sentence in sentences)`.",
        ),
        (LONGEST, "len(sentences[0])"),
        (PLACE, PLACE.replace("tensor(sentence,", "tensor(sentence[:longest],")),
        group="length",
    ),
    # which rows there are
    mistake(
        "sorted_by_length",
        "You sort the sentences by length. Row 0 must be sentence 0: its translation waits in row 0 of another batch.",
        (
            "Which sentence stands in your first row?",
            "Do you sort, for `pack_padded_sequence` perhaps? Nobody asks for it here.",
            "Leave the sentences in their order: `for row, sentence in zip(batch, sentences)`.",
        ),
        (ROWS, "zip(batch, sorted(sentences, key=len, reverse=True), strict=True)"),
        group="rows",
    ),
    mistake(
        "empty_sentences_dropped",
        "You leave out empty sentences: there are fewer rows than sentences, and from there on each sentence stands beside another one's translation.",
        (
            "How many sentences go in, and how many rows come out?",
            "What do you do with a list of length 0?",
            "An empty list is a sentence like any other: a row of nothing but `pad_id`.",
        ),
        (f"    longest = {LONGEST}", f"    sentences = [sentence for sentence in sentences if sentence]\n    longest = {LONGEST}"),
        group="rows",
    ),
    mistake(
        "transposed",
        "You return (S, B): a column for each sentence. Here a row is a sentence: batch first.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "torch's `pad_sequence` puts time first unless it is told otherwise. Do you use it, or `.T`?",
            "`return batch`, of shape (B, S); with `pad_sequence`, `batch_first=True`.",
        ),
        (RETURN, "return batch.T"),
        group="end",
    ),
    # what kind of numbers
    mistake(
        "columns_reshaped",
        "You have the columns, (S, B), and bring them into the shape (B, S) by `reshape` or `view`. That does not exchange axes: it deals the numbers out anew, and sentences are mixed.",
        (
            "Print your first row. Is it the first sentence?",
            "`reshape` keeps the numbers in their order and cuts them elsewhere. Which operation exchanges two axes?",
            "`.T`, or fill the rows one by one.",
        ),
        (RETURN, "return batch.T.reshape(batch.shape)"),
        group=ALONE,
    ),
    mistake(
        "floating_point",
        "Your ids are floating-point numbers. They are the right ones, but an embedding looks up whole numbers and refuses others.",
        (
            "What is the `dtype` of what you return?",
            "`torch.zeros` makes floating-point numbers unless it is told otherwise. What made your tensor?",
            "`torch.full((len(sentences), longest), pad_id, dtype=torch.int64)`.",
        ),
        (FILLED, FILLED.replace("int64", "float32")),
        group="type",
    ),
    mistake(
        "floating_point_for_an_empty_sentence",
        "With an empty sentence in it, your whole batch becomes floating-point: `torch.tensor([])` is a float32 tensor, and joined to others it makes them so too.",
        (
            "What is the `dtype` of what you return for `[[5, 6], []]`?",
            "Of what type is `torch.tensor([])`? Python cannot tell of which numbers an empty list is empty.",
            "`torch.tensor(sentence, dtype=torch.int64)`.",
        ),
        (PLACE, "pass"),
        (RETURN, "return torch.stack([torch.cat([torch.tensor(s), row[len(s) :]]) for row, s in zip(batch, sentences)])"),
        group="type",
    ),
    mistake(
        "lists_returned",
        "You return lists of Python numbers. They are the right ones; a tensor is asked for.",
        (
            "What is the `type` of what you return?",
            "Your lists are all of one length now. What makes a tensor of them?",
            "`return torch.tensor(rows)`.",
        ),
        (RETURN, "return batch.tolist()"),
        group="end",
    ),
    # what is left behind
    mistake(
        "inputs_filled_up",
        "Your batch is right, but the lists that came in are padded too afterwards: whoever counts their tokens later counts padding.",
        (
            "Print the lists before and after the call.",
            "Which line changes a list instead of making a new one? `append`, `extend` and `+=` do.",
            "`sentence + [pad_id] * missing` makes a new list; `sentence += …` changes the caller's.",
        ),
        (PLACE, f"sentence += [pad_id] * (longest - len(sentence))\n        {PLACE}"),
        group="inputs",
    ),
    mistake(
        "empty_batch_accepted",
        "For a batch without sentences you return an empty tensor, and say nothing. The docstring asks for a `ValueError`: an empty batch is a mistake somewhere before.",
        (
            "What does `pad_batch([])` return?",
            "What is the longest of no sentences? There is no right answer, so ask before.",
            "`if not sentences: raise ValueError(…)`.",
        ),
        (REFUSAL, "return torch.empty(0, 0, dtype=torch.int64)"),
        group="refusal",
    ),
    mistake(
        "another_error",
        "A batch without sentences raises an error, as it should, but another one than the `ValueError` that is asked for.",
        (
            "Which error does `pad_batch([])` raise?",
            "Is it raised by a line of yours, or by a look-up like `sentences[0]`?",
            "`if not sentences: raise ValueError(…)`, before anything else.",
        ),
        (REFUSAL, "sentences[0]"),
        recogniser=another_error_is_raised,
        group="refusal",
    ),
)  # fmt: skip


def lists_first(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)  # of nothing, max raises the ValueError that is asked for
    return torch.tensor([list(s) + [pad_id] * (longest - len(s)) for s in sentences], dtype=torch.long)


def torchs_own(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("nothing to pad")
    rows = [torch.tensor(s, dtype=torch.long) for s in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)


def token_by_token(sentences, pad_id=0):
    lengths = [len(s) for s in sentences]
    if not lengths:
        raise ValueError("no sentences")
    batch = torch.zeros(len(lengths), max(lengths), dtype=torch.int64)
    for b in range(len(lengths)):
        for s in range(max(lengths)):
            batch[b, s] = sentences[b][s] if s < lengths[b] else pad_id
    return batch


def each_row_padded(sentences, pad_id=0):
    if not sentences:
        raise ValueError("no sentences")
    longest = len(max(sentences, key=len))
    rows = [F.pad(torch.LongTensor(s), (0, longest - len(s)), value=pad_id) for s in sentences]
    return torch.stack(rows)


def across_then_turned(sentences, pad_id=0):
    from itertools import zip_longest

    if not sentences:
        raise ValueError("no sentences")
    columns = list(zip_longest(*sentences, fillvalue=pad_id))
    return torch.tensor(columns).T


def through_numpy(sentences, pad_id=0):
    import numpy as np

    batch = np.full((len(sentences), max(map(len, sentences))), pad_id)
    for b, sentence in enumerate(sentences):
        batch[b, : len(sentence)] = sentence
    return torch.from_numpy(batch)


def stub(sentences, pad_id=0):
    raise NotImplementedError


def zeros(sentences, pad_id=0):
    return torch.zeros(len(sentences), max(map(len, sentences)), dtype=torch.int64)


def only_padding(sentences, pad_id=0):
    return torch.full((len(sentences), max(map(len, sentences))), pad_id)


def the_input(sentences, pad_id=0):
    return sentences


def noise(sentences, pad_id=0):
    return torch.randint(0, 99, (len(sentences), max(map(len, sentences))))


PAD_BATCH = define(
    id="pad_batch",
    lesson="00_the_task",
    place=0,
    module="course_lib.components.pad_batch",
    symbol="pad_batch",
    minutes=5,
    laws=LAWS,
    hints=(
        "Write the batch of `[[5], [6, 7, 8]]` on paper, padded with 0. How many rows, how many columns?",
        "Two steps: find the length of the longest sentence; then make each sentence that long.",
        "`torch.tensor([sentence + [pad_id] * (longest - len(sentence)) for sentence in sentences])`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(lists_first, torchs_own, token_by_token, each_row_padded, across_then_turned, through_numpy),
    lazy=(stub, zeros, only_padding, the_input, noise),
    switches=("place", "filling", "end"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@PAD_BATCH.second_version("padded_on_the_left")
def lists_with_padding_in_front(sentences, pad_id=0):
    longest = max(map(len, sentences))
    return torch.tensor([[pad_id] * (longest - len(s)) + s for s in sentences])


@PAD_BATCH.second_version("zero_assumed")
def torchs_default_padding(sentences, pad_id=0):
    if not sentences:
        raise ValueError("nothing to pad")
    return nn.utils.rnn.pad_sequence([torch.tensor(s, dtype=torch.long) for s in sentences], batch_first=True)


@PAD_BATCH.second_version("transposed")
def time_first(sentences, pad_id=0):
    if not sentences:
        raise ValueError("nothing to pad")
    rows = [torch.tensor(s, dtype=torch.long) for s in sentences]
    return nn.utils.rnn.pad_sequence(rows, padding_value=pad_id)


@PAD_BATCH.second_version("cut_to_the_shortest")
def zip_stops_early(sentences, pad_id=0):
    if not sentences:
        raise ValueError("no sentences")
    columns = list(zip(*sentences, strict=False))
    return torch.tensor(columns, dtype=torch.int64).reshape(-1, len(sentences)).T


@PAD_BATCH.second_version("inputs_filled_up")
def appended_in_place(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)
    for s in sentences:
        while len(s) < longest:
            s.append(pad_id)
    return torch.tensor(sentences)


@PAD_BATCH.second_version("lists_returned")
def plain_lists(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)
    return [s + [pad_id] * (longest - len(s)) for s in sentences]


@PAD_BATCH.second_version("another_error")
def an_assertion(sentences, pad_id=0):
    assert sentences, "no sentences"
    longest = max(len(s) for s in sentences)
    return torch.tensor([s + [pad_id] * (longest - len(s)) for s in sentences])


@PAD_BATCH.second_version("real_zeros_replaced")
def zeros_then_padding(sentences, pad_id=0):
    if not sentences:
        raise ValueError
    longest = max(map(len, sentences))
    batch = torch.tensor([[*s, *[0] * (longest - len(s))] for s in sentences], dtype=torch.int64)
    return torch.where(batch == 0, pad_id, batch)


@PAD_BATCH.second_version("columns_reshaped")
def zipped_and_viewed(sentences, pad_id=0):
    if not sentences:
        raise ValueError
    columns = list(itertools.zip_longest(*sentences, fillvalue=pad_id))
    return torch.tensor(columns).view(len(sentences), -1)
