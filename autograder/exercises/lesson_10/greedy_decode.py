"""Exercise `greedy_decode`: the likeliest next token, for a batch of sentences at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_10.scripts import BOS, EOS, PAD, on_paths, paths, sources
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.recognisers.any_lesson import another_answer_when_asked_again
from course_lib.checking.recognisers.lesson_10 import encoded_more_than_once


def _question(
    name: str,
    table: Tensor,
    source: Tensor,
    max_length: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    times: int = 1,
    described: str = "is never sure",
) -> Question:
    pad_id, bos_id, eos_id = special
    call = {"model": described, "source": source, "bos_id": bos_id, "eos_id": eos_id, "max_length": max_length}
    given = {"table": table, "pad_id": pad_id, "calls": [call] * times, "returns": ["written"]}
    return Question(name, probes.decode_script, given)


def _known(
    draw: Draw,
    name: str,
    lengths: Sequence[int],
    vocab: int,
    longest_source: int,
    max_length: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
) -> Question:
    """A question whose likeliest translations have the given lengths."""
    said = paths(draw, lengths, vocab, special)
    described = "; ".join(
        f"finds likeliest for sentence {n}: {' '.join(map(str, path))}" for n, path in enumerate(said)
    )
    table = on_paths(draw, said, vocab, max(*lengths, max_length) + 1, special)
    source = sources(draw, len(said), longest_source, special[0])
    return _question(name, table, source, max_length, special, described=described)


def ask(draw: Draw) -> Iterator[Question]:
    """Sentences that end at different places, at once, at the last moment, not in time; one sentence; other ids.

    Once it is counted how often the source is encoded. One is asked twice, of a model that is never sure: who draws by chance does not say the same again. And a batch of
    as many sentences as there are tokens, to name what crashes elsewhere.
    """
    yield _known(draw, "by_hand", (3, 2), 6, 3, 5)
    yield _known(draw, "plain", draw.shuffled((2, 4, 6)), 8, 5, 9)
    yield _known(draw, "alone", (5,), 8, 3, 7)
    yield _known(draw, "ends_at_once", draw.shuffled((1, 3, 5, 6)), 9, 3, 8)
    yield _known(draw, "cut_short", draw.shuffled((2, 7, 8)), 9, 6, 5)
    yield _known(draw, "just_in_time", draw.shuffled((3, 4, 6)), 9, 4, 6)
    pad_id, bos_id, eos_id = draw.shuffled((3, 4, 5))
    yield _known(draw, "other_ids", draw.shuffled((2, 5)), 8, 4, 7, (pad_id, bos_id, eos_id))
    unsure = on_paths(draw, [[]] * 5, 9, 8) / 4
    unsure[..., [PAD, BOS, EOS]] = -8.0
    yield _question("twice", unsure, sources(draw, 5, 4), 7, times=2)
    once = _known(draw, "encoded_once", (4,), 8, 4, 6)
    yield Question(once.name, once.probe, {**once.given, "count_encodings": True})
    yield _known(draw, "square", draw.shuffled((2, 3, 4, 4, 5, 3)), 6, 6, 6)


WRITTEN = {"fields": ["calls/0/written"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences come out right: each ends where it should, and the shorter is padded", 1.0, WRITTEN),
    Law("equals_plain", equals_reference, "plain", "three longer sentences come out right", 1.0, WRITTEN, also=("square",)),
    Law("alone", equals_reference, "alone", "a single sentence comes out right", 0.25, WRITTEN),
    Law("ends_at_once", equals_reference, "ends_at_once", "a sentence that ends with its first token is padded from there on", 0.5, WRITTEN),
    Law("cut_short", equals_reference, "cut_short", "after `max_length` tokens it stops, ended or not", 0.5, WRITTEN),
    Law("just_in_time", equals_reference, "just_in_time", "a sentence of just `max_length` tokens has its end", 0.5, WRITTEN),
    Law("other_ids", equals_reference, "other_ids", "other ids for padding, begin and end come out right", 0.5, WRITTEN),
    Law("twice", equals_reference, "twice", "it takes the likeliest token even where the model is not sure, and the same one again", 0.25,
        {"fields": ["calls/0/written", "calls/1/written"]}),
    Law("encoded_once", equals_reference, "encoded_once", "the source is encoded once, not at every step", 0.25,
        {"fields": ["calls/0/encodings"]}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25,
        {"arguments": "calls/0"}, needs="equals_plain"),
)  # fmt: skip

START = "torch.full((source.size(0), 1), bos_id, device=source.device)"
WITHIN = "written.size(1) <= max_length"
RUNNING = "not ended.all()"
WHILE = f"while {WITHIN} and {RUNNING}:"
DECODE = "model.decode(written, memory, memory_mask)"
LAST = f"{DECODE}[:, -1]"
BEST = "logits.argmax(dim=-1)"
FILL = ".masked_fill(ended, model.pad_id)"
ENDED = "ended = ended | (token == eos_id)"
RETURN = "return written[:, 1:]"

MISTAKES = (
    # when to stop, and what comes after the end
    mistake(
        "goes_on_after_the_end",
        "A sentence of yours that has ended goes on: as long as another runs, it is given more words. Behind the end belongs padding.",
        (
            "Look at a row behind its `eos_id`. What stands there?",
            "Which rows have ended before this step? What do you write for those?",
            "`token = torch.where(ended, model.pad_id, token)`, before you append it.",
        ),
        (FILL, ""),
        group="fill",
    ),
    mistake(
        "end_remembered_one_step",
        "You look at the last token alone to see whether a sentence has ended: behind one token of padding it is given words again.",
        (
            "Look at a row two places behind its `eos_id`. What stands there?",
            "What is the last token of a sentence that ended two steps ago?",
            "`ended = ended | (token == eos_id)`: who has ended stays ended.",
        ),
        (FILL, ".masked_fill(written[:, -1] == eos_id, model.pad_id)"),
        group="fill",
    ),
    mistake(
        "encoded_at_every_step",
        "You encode the source again at every step. The translation is right; but the source does not change, and neither does its memory.",
        (
            "How often does the source go through the encoder in a translation of ten tokens?",
            "Where do you call `encode`, or the model itself: inside the loop, or before it?",
            "`memory, memory_mask = model.encode(source)`, once, before the loop.",
        ),
        (DECODE, "model.decode(written, *model.encode(source))"),
        group=ALONE,
        recogniser=encoded_more_than_once,
    ),
    mistake(
        "filled_with_the_end",
        "Behind the end of a sentence you write `eos_id` again and again. The rest of a row is padding.",
        (
            "How many `eos_id` has a row of yours?",
            "What do you write for the rows that have ended already?",
            "`model.pad_id`: the model knows it.",
        ),
        (FILL, ".masked_fill(ended, eos_id)"),
        group="fill",
    ),
    mistake(
        "filled_with_zeros",
        "Behind the end of a sentence you write 0. The model's `pad_id` may be another number.",
        (
            "Which question breaks? What is its `pad_id`?",
            "Where does a number stand in your code that should have a name?",
            "`model.pad_id`.",
        ),
        (FILL, ".masked_fill(ended, 0)"),
        group="fill",
    ),
    mistake(
        "stops_with_the_first",
        "You stop as soon as *one* sentence has ended: all the others are cut off there.",
        (
            "Compare the lengths of your rows with where the longest sentence should end.",
            "Your loop asks whether a sentence has ended. Any, or all?",
            "`while ... and not ended.all()`.",
        ),
        (RUNNING, "not ended.any()"),
        group=ALONE,
    ),
    mistake(
        "never_stops_early",
        "You return columns of nothing but padding behind the longest sentence: your result is always `max_length` wide, where it should end with the sentence that ends last.",
        (
            "How many columns do you return, and how long is the longest sentence?",
            "What decides how many columns you return: `max_length`, or the sentences?",
            "End the loop where `ended.all()`, and return only the columns that were written by then.",
        ),
        (WHILE, f"while {WITHIN}:"),
        group=ALONE,
    ),
    mistake(
        "does_not_know_the_end",
        "You never look for `eos_id`: no sentence ends, and each goes on to `max_length`.",
        (
            "What makes a row end in your code?",
            "Which id do you compare the new tokens with?",
            "`ended = ended | (token == eos_id)`.",
        ),
        (ENDED, "ended = ended | (token == model.pad_id)"),
        group=ALONE,
    ),
    mistake(
        "forgets_who_has_ended",
        "You know only of the last token whether it was the end. One step later the sentence goes on as if nothing had been.",
        (
            "Follow a row that ends before the others, two steps further.",
            "What becomes of `ended` in the next step, when the token is no end?",
            "Who has ended stays ended: `ended = ended | (token == eos_id)`.",
        ),
        (ENDED, "ended = token == eos_id"),
        group=ALONE,
    ),
    mistake(
        "end_left_out",
        "The end of a sentence is missing: in its place you return padding. The reader cannot tell a sentence that has ended from one that was cut off.",
        (
            "Where is `eos_id` in what you return?",
            "Which comes first in your loop: to note who has ended, or to fill up?",
            "Fill up those who had ended *before* this step; the end itself is written.",
        ),
        (RETURN, "return written[:, 1:].masked_fill(written[:, 1:] == eos_id, model.pad_id)"),
        group="end",
    ),
    # what is returned, and how much
    mistake(
        "begin_kept",
        "You return `bos_id` as the first token of each sentence. It was there before anything was written.",
        (
            "What is the first column of what you return?",
            "What did you start `written` with?",
            "`return written[:, 1:]`.",
        ),
        (RETURN, "return written"),
        group="begin",
    ),
    mistake(
        "one_token_too_few",
        "You stop one token too early: your loop counts `bos_id` as written.",
        (
            "With `max_length=1`, how many tokens do you write?",
            "How long is `written` before the first step?",
            "`while written.size(1) <= max_length`, or `for _ in range(max_length)`.",
        ),
        (WITHIN, "written.size(1) < max_length"),
        group="length",
    ),
    mistake(
        "one_token_too_many",
        "You write one token more than `max_length`.",
        (
            "With `max_length=1`, how many tokens do you write?",
            "How often does your loop run?",
            "`for _ in range(max_length)`.",
        ),
        (WITHIN, "written.size(1) <= max_length + 1"),
        group="length",
    ),
    mistake(
        "a_column_a_sentence",
        "You return a column for each sentence, (T, B). Here a row is a sentence.",
        (
            "Which shape do you return, and which does the docstring ask for?",
            "Along which axis do you put the steps together?",
            "`torch.stack(tokens, dim=1)`, or `torch.cat([written, token.unsqueeze(1)], dim=1)`.",
        ),
        (RETURN, "return written[:, 1:].T"),
        group=ALONE,
    ),
    # which logits
    mistake(
        "first_position",
        "You read the logits of the *first* position at every step: what comes after `bos_id`, again and again.",
        (
            "Does your second token depend on your first?",
            "`decode` says something at every position. Which of them speaks of what comes next?",
            "The last: `logits[:, -1]`.",
        ),
        (LAST, f"{DECODE}[:, 0]"),
        group=ALONE,
    ),
    mistake(
        "only_the_last_token",
        "You show the model the last token alone, not all that is written. At every step it believes to be at the first place.",
        (
            "What shape has the target that you pass to `decode` at step 3?",
            "Without a cache, the model knows nothing of earlier steps.",
            "`model.decode(written, memory, memory_mask)`, with everything written so far.",
        ),
        (DECODE, "model.decode(written[:, -1:], memory, memory_mask)"),
        group=ALONE,
    ),
    mistake(
        "best_place_not_best_word",
        "You take the argmax over the *positions*, of the last token of the vocabulary. It should be over the vocabulary, at the last position.",
        (
            "What does your argmax count: words or places?",
            "`decode` returns (B, T, V). Which of the axes do you index with -1?",
            "`logits[:, -1].argmax(dim=-1)`.",
        ),
        (LAST, f"{DECODE}[:, :, -1]"),
        group=ALONE,
    ),
    mistake(
        "argmax_over_sentences",
        "You take the argmax over the *sentences* of the batch: for each token, which sentence likes it most. Only where there are as many sentences as tokens does it run at all.",
        (
            "Your logits are (B, V). Which shape has your argmax?",
            "Which axis is the vocabulary: the first or the last?",
            "`logits.argmax(dim=-1)`.",
        ),
        (BEST, "logits.argmax(dim=0)"),
        group=ALONE,
    ),
    mistake(
        "least_likely",
        "You take the *least* likely token: you look for the smallest logit.",
        (
            "Is the token that you take likely?",
            "Are those logits, or losses?",
            "`logits.argmax(dim=-1)`.",
        ),
        (BEST, "logits.argmin(dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "drawn_by_chance",
        "You draw the next token by its probability. Greedy decoding takes the likeliest; asked twice, it says the same.",
        (
            "Run it twice. Do you get the same?",
            "`multinomial` is a die. What did the exercise ask for?",
            "`logits.argmax(dim=-1)`.",
        ),
        (BEST, "torch.multinomial(logits.softmax(dim=-1), 1).squeeze(1)"),
        recogniser=another_answer_when_asked_again,
        group=ALONE,
    ),
    # how it begins
    mistake(
        "begins_with_padding",
        "Your sentences begin with padding, not with `bos_id`. In training every target began with `bos_id`; the model does not know what follows anything else.",
        (
            "What do you show the model at the first step?",
            "What is `written` filled with?",
            "`torch.full((source.size(0), 1), bos_id)`.",
        ),
        (START, "torch.full((source.size(0), 1), model.pad_id)"),
        group=ALONE,
    ),
    mistake(
        "begins_with_the_end",
        "Your sentences begin with `eos_id`, not with `bos_id`. Some models are trained so; this one is not.",
        (
            "What do you show the model at the first step?",
            "What is `written` filled with?",
            "`torch.full((source.size(0), 1), bos_id)`.",
        ),
        (START, "torch.full((source.size(0), 1), eos_id, device=source.device)"),
        group=ALONE,
    ),
)  # fmt: skip


def columns_are_collected(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    column = torch.full((len(source), 1), bos_id)
    columns, done = [], torch.zeros(len(source), 1, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(torch.cat([torch.full((len(source), 1), bos_id), *columns], dim=1), memory, memory_mask)
        column = torch.where(done, model.pad_id, logits[:, -1:].argmax(-1))
        columns.append(column)
        done |= column == eos_id
        if done.all():
            break
    return torch.cat(columns, dim=1)


def sentence_by_sentence(model, source, bos_id, eos_id, max_length):
    rows = []
    for sentence in source:
        row, read = [bos_id], model.encode(sentence[None])
        while len(row) <= max_length and row[-1] != eos_id:
            logits = model.decode(torch.tensor([row]), *read)
            row.append(int(logits[0, -1].argmax()))
        rows.append(row[1:])
    longest = max(map(len, rows))
    return torch.tensor([row + [model.pad_id] * (longest - len(row)) for row in rows])


def a_table_of_padding_filled_in(model, source, bos_id, eos_id, max_length):
    memory, mask = model.encode(source)
    out = torch.full((source.shape[0], max_length + 1), model.pad_id, dtype=torch.long)
    out[:, 0] = bos_id
    running = torch.ones(source.shape[0], dtype=torch.bool)
    t = 0
    while running.any() and t < max_length:
        following = model.decode(out[:, : t + 1], memory, mask)[:, t].log_softmax(-1).max(-1).indices
        t += 1
        out[running, t] = following[running]
        running = running & (following != eos_id)
    return out[:, 1 : t + 1]


def cut_at_the_end(model, source, bos_id, eos_id, max_length):
    read = model.encode(source)
    ids = source.new_full((source.size(0), 1), bos_id)
    for _ in range(max_length):
        ids = torch.cat([ids, model.decode(ids, *read)[:, -1].topk(1).indices], dim=1)
    ids = ids[:, 1:]
    ended_before = (ids == eos_id).long().cumsum(1) - (ids == eos_id).long() > 0
    ids = ids.masked_fill(ended_before, model.pad_id)
    return ids[:, : int((~ended_before).sum(1).max())]


def only_running_rows_are_decoded(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    found = [[] for _ in source]
    rows = list(range(len(source)))
    for _ in range(max_length):
        target = torch.tensor([[bos_id, *found[r]] for r in rows])
        tokens = model.decode(target, memory[rows], memory_mask[rows])[:, -1].argmax(1).tolist()
        for r, token in zip(rows, tokens, strict=True):
            found[r].append(token)
        rows = [r for r in rows if found[r][-1] != eos_id]
        if not rows:
            break
    longest = max(len(f) for f in found)
    return torch.tensor([f + [model.pad_id] * (longest - len(f)) for f in found])


def stub(model, source, bos_id, eos_id, max_length):
    raise NotImplementedError


def nothing_but_padding(model, source, bos_id, eos_id, max_length):
    return torch.full((source.size(0), max_length), model.pad_id)


def the_source_again(model, source, bos_id, eos_id, max_length):
    return source


def the_end_at_once(model, source, bos_id, eos_id, max_length):
    return torch.full((source.size(0), 1), eos_id)


def noise(model, source, bos_id, eos_id, max_length):
    return torch.randint(3, 6, (source.size(0), max_length))


GREEDY_DECODE = define(
    id="greedy_decode",
    lesson="10_decoding",
    place=0,
    module="course_lib.components.greedy_decode",
    symbol="greedy_decode",
    minutes=20,
    laws=LAWS,
    hints=(
        "Write down by hand what happens to two sentences, one of which ends after two tokens, the other after four. What stands in each row after each step?",
        "Encode once. Then, step by step: all that is written goes into `decode`; the logits of the last position; their argmax over V; append it. Keep a boolean (B,) of who has ended.",
        "`token = model.decode(written, memory, memory_mask)[:, -1].argmax(dim=-1)`; where `ended`, `model.pad_id` instead; append; `ended = ended | (token == eos_id)`; "
        "stop when all have ended or `max_length` are written.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        columns_are_collected, sentence_by_sentence, a_table_of_padding_filled_in, cut_at_the_end,
        only_running_rows_are_decoded,
    ),
    lazy=(stub, nothing_but_padding, the_source_again, the_end_at_once, noise),
    switches=("fill", "length", "begin", "end"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


def greedy_in_lists(
    name, begin="bos", fill="pad", from_=1, more=0, stop=all, shown=slice(None), choose=lambda x: x.argmax(-1), end=True
):
    """Greedy decoding in Python lists, one thing changed."""

    def decode(model, source, bos_id, eos_id, max_length):
        ids = {"bos": bos_id, "pad": model.pad_id, "eos": eos_id, "zero": 0}
        memory, mask = model.encode(source)
        rows, done = [[ids[begin]] for _ in source], [False] * len(source)
        for _ in range(max_length + more):
            logits = model.decode(torch.tensor([row[shown] for row in rows]), memory, mask)[:, -1]
            for i, token in enumerate(choose(logits).tolist()):
                rows[i].append(ids[fill] if done[i] and fill else token)
                done[i] = done[i] or token == eos_id
            if stop(done):
                break
        written = torch.tensor([row[from_:] for row in rows])
        return written if end else torch.where(written == eos_id, model.pad_id, written)

    decode.__name__ = f"in_lists_{name}"
    GREEDY_DECODE.second_version(name)(decode)


greedy_in_lists("goes_on_after_the_end", fill=None)
greedy_in_lists("filled_with_the_end", fill="eos")
greedy_in_lists("filled_with_zeros", fill="zero")
greedy_in_lists("stops_with_the_first", stop=any)
greedy_in_lists("never_stops_early", stop=lambda done: False)
greedy_in_lists("begin_kept", from_=0)
greedy_in_lists("one_token_too_few", more=-1)
greedy_in_lists("one_token_too_many", more=1)
greedy_in_lists("only_the_last_token", shown=slice(-1, None))
greedy_in_lists("begins_with_padding", begin="pad")
greedy_in_lists("begins_with_the_end", begin="eos")
greedy_in_lists("end_left_out", end=False)
greedy_in_lists("least_likely", choose=lambda x: (-x).softmax(-1).max(-1).indices)
greedy_in_lists("drawn_by_chance", choose=lambda x: torch.distributions.Categorical(logits=x).sample())


@GREEDY_DECODE.second_version("end_remembered_one_step")
def the_last_token_tells(model, source, bos_id, eos_id, max_length):
    memory, mask = model.encode(source)
    columns = [source.new_full((len(source),), bos_id)]
    while len(columns) <= max_length:
        token = model.decode(torch.stack(columns, dim=1), memory, mask)[:, -1].argmax(-1)
        columns.append(torch.where(columns[-1] == eos_id, model.pad_id, token))
        if (torch.stack(columns) == eos_id).any(dim=0).all():
            break
    return torch.stack(columns[1:], dim=1)


@GREEDY_DECODE.second_version("encoded_at_every_step")
def the_model_itself_is_called(model, source, bos_id, eos_id, max_length):
    written = source.new_full((len(source), 1), bos_id)
    ended = torch.zeros(len(source), 1, dtype=torch.bool)
    for _ in range(max_length):
        token = model(source, written)[:, -1:].argmax(-1).masked_fill(ended, model.pad_id)
        written, ended = torch.cat([written, token], dim=1), ended | (token == eos_id)
        if ended.all():
            break
    return written[:, 1:]
