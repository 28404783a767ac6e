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
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences become two rows, padded with 0", 0.5,
        {"fields": ["batch"]}),
    Law("equals_plain", equals_reference, "plain", "more sentences and another `pad_id` come out right", 0.5,
        {"fields": ["batch"]}),
    Law("empty_sentence", equals_reference, "empty_sentence", "an empty sentence becomes a row of padding, and a token with id 0 stays 0", 0.25,
        {"fields": ["batch"]}, also=("empty_first",)),
    Law("whole_numbers", keeps_dtype, "empty_sentence", "the dtype is int64, even if a sentence is empty", 0.25,
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
        "You pad on the left: the padding comes first, and the sentence ends its row. Here the padding comes last.",
        (
            "Print two sentences and the batch that you make of them. In which column does each sentence begin?",
            "Which part of a row do you write the sentence into?",
            "`row[: len(sentence)] = …`: from the first column on.",
        ),
        (PLACE, PLACE.replace(": len(sentence)", "longest - len(sentence) :")),
        group="place",
    ),
    mistake(
        "last_token_repeated",
        "You pad the shorter sentences with their own last token. A model can't tell that from a sentence in which the word is repeated.",
        (
            "Print a short sentence and its row. What is in the positions that the sentence doesn't fill?",
            "`pad_id` is a parameter. Which positions should it fill?",
            "Start from `torch.full((len(sentences), longest), pad_id)`, and write nothing but the sentence's own tokens into each row.",
        ),
        (PLACE, f"{PLACE}\n        row[len(sentence) :] = sentence[-1] if sentence else pad_id"),
        group="place",
    ),
    mistake(
        "zero_assumed",
        "You pad with 0, whatever `pad_id` is.",
        (
            "Call your function with `pad_id=7`. Is there a 7 in the batch?",
            "`pad_id` is a parameter. Where in your code does it appear?",
            "`torch.full((len(sentences), longest), pad_id)`, since `torch.zeros` can only fill with 0.",
        ),
        (FILLED, FILLED.replace("pad_id", "0")),
        group="filling",
    ),
    # how long a row is
    mistake(
        "real_zeros_replaced",
        "You pad with 0 and then replace every 0 by `pad_id`. A real token whose id is 0 gets replaced as well.",
        (
            "Pad `[[0, 5], [7]]` with 9. What becomes of the 0?",
            "In the padded batch, how can you tell which 0 is padding?",
            "Pad with `pad_id` from the start: `torch.full((B, S), pad_id)`.",
        ),
        (FILLED, FILLED.replace("pad_id", "0")),
        (RETURN, "return batch.masked_fill(batch == 0, pad_id)"),
        group=ALONE,
    ),
    mistake(
        "one_column_too_many",
        "Your rows are one position longer than the longest sentence, so even that one ends in padding.",
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
        "You cut all sentences to the length of the shortest. Then nothing needs padding, but most of the words are gone.",
        (
            "How many tokens went in, and how many numbers come out?",
            "`zip(*sentences)` stops at the shortest sentence, and `min` finds its length. How long should the rows be?",
            "The length of the *longest*: `max(len(sentence) for sentence in sentences)`.",
        ),
        (LONGEST, LONGEST.replace("max", "min")),
        (PLACE, PLACE.replace("tensor(sentence,", "tensor(sentence[:longest],")),
        group="length",
    ),
    mistake(
        "as_long_as_the_first",
        "Your rows are as long as the *first* sentence, and longer sentences are cut.",
        (
            "Put the longest sentence first, then last. What changes?",
            "Which sentence's length do you use?",
            "Use the longest: `max(len(sentence) for sentence in sentences)`.",
        ),
        (LONGEST, "len(sentences[0])"),
        (PLACE, PLACE.replace("tensor(sentence,", "tensor(sentence[:longest],")),
        group="length",
    ),
    # which rows there are
    mistake(
        "sorted_by_length",
        "You sort the sentences by length. Row 0 must be sentence 0, because its translation is in row 0 of another batch.",
        (
            "Which sentence is in your first row?",
            "Do you sort somewhere, perhaps for `pack_padded_sequence`? Nothing here asks for it.",
            "Keep the sentences in their order: `for row, sentence in zip(batch, sentences)`.",
        ),
        (ROWS, "zip(batch, sorted(sentences, key=len, reverse=True), strict=True)"),
        group="rows",
    ),
    mistake(
        "empty_sentences_dropped",
        "You leave out empty sentences. There are fewer rows than sentences, and from there on each sentence is paired with another one's translation.",
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
        "You return (S, B), with a column for each sentence. Here each sentence is a row: batch first.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "PyTorch's `pad_sequence` puts the sequence axis first by default. Do you use it, or `.T`?",
            "`return batch`, of shape (B, S); with `pad_sequence`, `batch_first=True`.",
        ),
        (RETURN, "return batch.T"),
        group="end",
    ),
    # what kind of numbers
    mistake(
        "columns_reshaped",
        "You have a tensor of shape (S, B) and use `reshape` or `view` to make it (B, S). That doesn't swap the axes. It reads the numbers in the same order into new rows, so the sentences get mixed up.",
        (
            "Print your first row. Is it the first sentence?",
            "`reshape` keeps the numbers in their order and only starts new rows elsewhere. Which operation swaps two axes?",
            "Use `.T`, or fill the rows one by one.",
        ),
        (RETURN, "return batch.T.reshape(batch.shape)"),
        group=ALONE,
    ),
    mistake(
        "floating_point",
        "Your ids are right, but they are floating-point numbers, and an embedding accepts only integers.",
        (
            "What is the `dtype` of what you return?",
            "The default dtype of `torch.zeros` is float32. Which call made your tensor?",
            "`torch.full((len(sentences), longest), pad_id, dtype=torch.int64)`.",
        ),
        (FILLED, FILLED.replace("int64", "float32")),
        group="type",
    ),
    mistake(
        "floating_point_for_an_empty_sentence",
        "If one sentence is empty, your whole batch becomes floating-point: `torch.tensor([])` is a float32 tensor, and concatenating it with others makes the result float32, too.",
        (
            "What is the `dtype` of what you return for `[[5, 6], []]`?",
            "What is the dtype of `torch.tensor([])`? An empty list doesn't say what kind of numbers it would hold.",
            "`torch.tensor(sentence, dtype=torch.int64)`.",
        ),
        (PLACE, "pass"),
        (RETURN, "return torch.stack([torch.cat([torch.tensor(s), row[len(s) :]]) for row, s in zip(batch, sentences)])"),
        group="type",
    ),
    mistake(
        "lists_returned",
        "You return lists of Python numbers. The numbers are right, but the exercise asks for a tensor.",
        (
            "What is the `type` of what you return?",
            "Your lists all have the same length now. What turns them into a tensor?",
            "`return torch.tensor(rows)`.",
        ),
        (RETURN, "return batch.tolist()"),
        group="end",
    ),
    # what is left behind
    mistake(
        "inputs_filled_up",
        "Your batch is right, but afterwards the lists that you were given are padded, too. Anyone who counts their tokens later also counts padding.",
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
        "For a batch without sentences you return an empty tensor. The docstring asks for a `ValueError`, because an empty batch means that something went wrong earlier.",
        (
            "What does `pad_batch([])` return?",
            "How long is the longest of no sentences? There is no right answer, so check first.",
            "`if not sentences: raise ValueError(…)`.",
        ),
        (REFUSAL, "return torch.empty(0, 0, dtype=torch.int64)"),
        group="refusal",
    ),
    mistake(
        "another_error",
        "A batch without sentences raises an error, as it should, but not the `ValueError` that the docstring asks for.",
        (
            "Which error does `pad_batch([])` raise?",
            "Do you raise it yourself, or does it come from a look-up such as `sentences[0]`?",
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
        "Write the batch of `[[5], [6, 7, 8]]` on paper, padded with 0. How many rows and columns does it have?",
        "Two steps: find the length of the longest sentence, then make every row that long.",
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
