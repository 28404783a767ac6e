"""Exercise `chunked_attention`: exact attention that never holds more than a chunk of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, finished_function, watched
from autograder.exercises.lesson_03.scaled_dot_product_attention import masked_here_and_there
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, holds_little, inputs_unchanged
from course_lib.components.online_softmax import online_softmax

NAMES = ("query", "key", "value", "chunk_size", "mask")


def _question(name: str, *inputs: Tensor | int, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": dict(zip(NAMES, inputs, strict=False)), "returns": ["output"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"output": upstream}})


def _inputs(draw: Draw, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return draw.tensor(*lead, t, d_k), draw.tensor(*lead, s, d_k), draw.tensor(*lead, s, d_v)


def ask(draw: Draw) -> Iterator[Question]:
    """Four keys for paper, chunks of every size, masks, an empty row, extremes, heads, and many keys at once."""
    query = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    key = torch.zeros(4, 4)
    key[:, 0] = torch.tensor([2.0, 4.0, 8.0, 1.0])[draw.order(4)].log()  # times 2 over the root of 4
    value = torch.tensor([[6.0], [3.0], [9.0], [12.0]]) + draw.tensor(4, 1).round()
    yield _question("by_hand", query.double(), key.double(), value.double(), 2)
    few, t, more = sorted(draw.sizes(3))
    s = draw.shuffled((13, 14))[0]  # no multiple of the chunks below, but of itself
    d_k, d_v = draw.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    plain = _question("plain", *_inputs(draw, few, t, s, **widths), draw.shuffled((4, 5))[0])
    yield plain
    for name, size in (("one_by_one", 1), ("all_but_one", s - 1), ("all", s), ("more_than_all", s + 4)):
        yield _question(name, *_inputs(draw, few, more, s, **widths), size)
    yield _question("one_sentence", *_inputs(draw, more, s, **widths), 3)
    yield _question("masked", *_inputs(draw, few, t, s, **widths), 4, masked_here_and_there(draw, t, s))
    views = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in _inputs(draw, few, more, t, s, **widths))
    yield _question("heads", *views, 5, masked_here_and_there(draw, few, 1, 1, s))
    mask = masked_here_and_there(draw, t, s)
    mask[0], mask[1, :4], mask[1, 4:] = False, False, True
    yield _question("fully_masked", *_inputs(draw, few, t, s, **widths), 4, mask)
    query, key, value = _inputs(draw, few, t, s, **widths)
    yield _question("far_below", query.abs() + 1, key - 900, value, 4)
    yield _question("far_above", query.abs() + 1, key + 900, value, 4)
    gradients = _inputs(draw, few, t, s, **widths)
    yield _question("gradients", *gradients, 4, upstream=draw.tensor(few, t, d_v))
    much = dict(zip(NAMES, (*_inputs(draw, 256, 256, d_k=8, d_v=10), 16), strict=False))
    yield Question("much", probes.call_in_little_memory, {"arguments": much, "returns": ["output"], "most": 48_000})
    small = dict(zip(NAMES, (*_inputs(draw, 256, 256, d_k=8, d_v=10), 4), strict=False))
    yield Question(
        "small_chunks", probes.call_in_little_memory, {"arguments": small, "returns": ["output"], "most": 32_000}
    )
    own = draw.apart("watched")
    again = _question("plain", *_inputs(own, few, t, s, **widths), own.shuffled((4, 5))[0])
    yield watched(
        plain,
        again,
        "nn.functional.scaled_dot_product_attention",
        "nn.functional.multi_head_attention_forward",
        "nn.MultiheadAttention",
        "nn.attention.flex_attention.flex_attention",
    )


OUTPUT = {"fields": ["output"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "four keys on paper, in two chunks, come out right", 0.25, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "in a batch, chunks that don't divide the keys evenly come out right", 0.5, OUTPUT),
    Law("any_size", equals_reference, "one_by_one", "chunks of 1, of all keys, and of more than there are come out right", 0.25, OUTPUT,
        also=("all_but_one", "all", "more_than_all")),
    Law("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, OUTPUT),
    Law("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, OUTPUT),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25, OUTPUT),
    Law("fully_masked", equals_reference, "fully_masked", "a query gets zeros where all keys are masked, and no `nan` where a chunk is", 0.25, OUTPUT),
    Law("far_below", equals_reference, "far_below", "scores far below and far above zero come out right", 0.25, OUTPUT, also=("far_above",)),
    Law("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25,
        {"fields": [f"gradients/{name}" for name in NAMES[:3]]}),
    Law("little_memory", holds_little, "much", "256 words are read in chunks of 16 without holding all scores, and in chunks of 4 with less", 0.5,
        needs="equals_plain", also=("small_chunks",)),
    Law("much", equals_reference, "much", "256 words come out right", 0.0, OUTPUT),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.0, needs="equals_masked"),
    WRITTEN_BY_HAND,
)  # fmt: skip

START_MAXIMUM = "maximum = query.new_full(query.shape[:-1], -math.inf)"
LOOP = "for start in range(0, key.size(-2), chunk_size):"
CHUNK = "chunk = slice(start, start + chunk_size)"
SCORES = "scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))"
FILL = "scores = scores.masked_fill(~mask[..., chunk], -math.inf)"
STEP = "maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., chunk, :])"
RETURN = "return mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)"


def all_scores_first(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    lead = scores.shape[:-1]
    state = query.new_full(lead, -math.inf), query.new_zeros(lead), query.new_zeros(*lead, value.size(-1))
    for part, rows in zip(scores.split(chunk_size, dim=-1), value.split(chunk_size, dim=-2), strict=True):
        state = online_softmax(*state, part, rows)
    return state[2] / state[1].masked_fill(state[1] == 0, 1.0).unsqueeze(-1)


def softmax_in_each_chunk(
    query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None
) -> Tensor:
    output = query.new_zeros(*query.shape[:-1], value.size(-1))
    for start in range(0, key.size(-2), chunk_size):
        chunk = slice(start, start + chunk_size)
        scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., chunk], -math.inf)
        output = output + torch.softmax(scores, dim=-1).nan_to_num() @ value[..., chunk, :]
    return output


def mean_of_the_chunks(
    query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None
) -> Tensor:
    outputs = []
    for start in range(0, key.size(-2), chunk_size):
        chunk = slice(start, start + chunk_size)
        scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., chunk], -math.inf)
        outputs.append(torch.softmax(scores, dim=-1).nan_to_num() @ value[..., chunk, :])
    return torch.stack(outputs).mean(dim=0)


def pytorchs_own(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    outputs = []
    for t in range(query.size(-2)):
        seen = mask if mask is None or mask.size(-2) == 1 else mask[..., t : t + 1, :]
        outputs.append(F.scaled_dot_product_attention(query[..., t : t + 1, :], key, value, seen).nan_to_num())
    return torch.cat(outputs, dim=-2)


def as_many_chunks_as_their_size(
    query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None
) -> Tensor:
    lead = query.shape[:-1]
    state = query.new_full(lead, -math.inf), query.new_zeros(lead), query.new_zeros(*lead, value.size(-1))
    keys, values = key.chunk(chunk_size, dim=-2), value.chunk(chunk_size, dim=-2)
    masks = [None] * len(keys) if mask is None else mask.chunk(chunk_size, dim=-1)
    for k, v, seen in zip(keys, values, masks, strict=True):
        scores = query @ k.transpose(-2, -1) / math.sqrt(query.size(-1))
        if seen is not None:
            scores = scores.masked_fill(~seen, -math.inf)
        state = online_softmax(*state, scores, v)
    return state[2] / state[1].masked_fill(state[1] == 0, 1.0).unsqueeze(-1)


MISTAKES = (
    mistake(
        "all_scores_at_once",
        "Your numbers are right, but your code holds all scores at once, (T, S) of them. Chunks exist to avoid that.",
        (
            "What is the largest tensor in your code, for 256 words?",
            "Which product has the length twice in its shape?",
            "Cut the *keys* into chunks, and compute the scores of one chunk inside the loop.",
        ),
        source=all_scores_first,
        group=ALONE,
    ),
    mistake(
        "softmax_in_each_chunk",
        "You take a softmax in every chunk and add the outputs. Each chunk's weights sum to 1, so all of them together sum to the number of chunks.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "By what should a chunk's exponentials be divided: by their own sum or by that of all chunks?",
            "Take a step of `online_softmax` in the loop, and divide once, after it.",
        ),
        source=softmax_in_each_chunk,
        group=ALONE,
    ),
    mistake(
        "mean_of_the_chunks",
        "You take a softmax in every chunk and average the outputs: each chunk counts the same, however small its scores are.",
        (
            "Make the keys of one chunk very unlike the query. Does that chunk still count?",
            "By what should a chunk's exponentials be divided: by their own sum or by that of all chunks?",
            "Take a step of `online_softmax` in the loop, and divide once, after it.",
        ),
        source=mean_of_the_chunks,
        group=ALONE,
    ),
    finished_function(pytorchs_own, "F.scaled_dot_product_attention", "Write a loop over chunks of keys, with a step of `online_softmax` in it."),
    # scores
    mistake(
        "unscaled",
        "Nothing divides your scores by √Dk.",
        (
            "Compare one score with the one on paper. Which factor lies between them?",
            "Between the product and the softmax, one step is missing.",
            "Divide by `math.sqrt(query.size(-1))`.",
        ),
        (SCORES, "scores = query @ key[..., chunk, :].transpose(-2, -1)"),
        group="scale",
    ),
    mistake(
        "divided_by_d_k",
        "You divide the scores by Dk. They should be divided by its square root.",
        (
            "Compare one score with the one on paper. Which factor lies between them?",
            "Look at what you divide by.",
            "Divide by `math.sqrt(query.size(-1))`.",
        ),
        (SCORES, "scores = query @ key[..., chunk, :].transpose(-2, -1) / query.size(-1)"),
        group="scale",
    ),
    mistake(
        "scaled_by_the_chunk",
        "You divide the scores by the root of the chunk's size, so the output depends on how you cut.",
        (
            "Try two chunk sizes. Does the output change?",
            "Which length belongs under the root?",
            "The width of the queries: `math.sqrt(query.size(-1))`.",
        ),
        (SCORES, "scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(chunk_size)"),
        group="scale",
    ),
    # chunks
    mistake(
        "last_chunk_left_out",
        "You leave out the last chunk where the keys don't divide evenly: those keys get no weight.",
        (
            "Change the last key of 13, with chunks of 4. Does your output move?",
            "How many chunks do 13 keys have, and how many does your loop go through?",
            "`range(0, key.size(-2), chunk_size)`: a slice may reach beyond the end.",
        ),
        (LOOP, "for start in range(0, key.size(-2) - key.size(-2) % chunk_size, chunk_size):"),
        group="chunks",
    ),
    mistake(
        "first_chunk_only",
        "You look at the first chunk of keys, and at no other.",
        (
            "Change the last key. Does your output move?",
            "How often does your loop run?",
            "`for start in range(0, key.size(-2), chunk_size):`, and `return` after the loop.",
        ),
        (LOOP, "for start in range(0, min(1, key.size(-2)), chunk_size):"),
        group="chunks",
    ),
    mistake(
        "chunks_overlap",
        "Your chunks overlap by one key, and those keys count twice.",
        (
            "With chunks of 4, which keys are in your first chunk, and which in your second?",
            "A slice ends *before* its second number.",
            "`slice(start, start + chunk_size)`.",
        ),
        (CHUNK, "chunk = slice(start, start + chunk_size + 1)"),
        group="chunks",
    ),
    mistake(
        "a_key_between_chunks_left_out",
        "Your chunks leave out a key each: the last one of every chunk.",
        (
            "With chunks of 4, which keys are in your first chunk, and which in your second?",
            "A slice ends *before* its second number.",
            "`slice(start, start + chunk_size)`.",
        ),
        (CHUNK, "chunk = slice(start, start + max(chunk_size - 1, 1))"),
        group="chunks",
    ),
    mistake(
        "values_of_the_first_chunk",
        "You pair every chunk of keys with the values of the *first* chunk.",
        (
            "Change the last value. Does your output move?",
            "Is `value` cut in the same places as `key`?",
            "`value[..., chunk, :]`.",
        ),
        (STEP, "first = value[..., : scores.size(-1), :]\n        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, first)"),
        group=ALONE,
    ),
    # what is carried
    mistake(
        "maximum_starts_at_zero",
        "Your maximum starts at 0 instead of −∞. Where all scores lie far below 0, every exponential is 0, and so is the output.",
        (
            "Subtract 900 from every score. A softmax doesn't notice. Does your output?",
            "What is the largest score when none has been seen?",
            "`query.new_full(query.shape[:-1], -math.inf)`.",
        ),
        (START_MAXIMUM, "maximum = query.new_zeros(query.shape[:-1])"),
        group="start",
    ),
    mistake(
        "total_starts_at_one",
        "Your total starts at 1 instead of 0.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "Which sum holds something before the first chunk?",
            "`query.new_zeros(query.shape[:-1])`.",
        ),
        ("total = query.new_zeros(query.shape[:-1])", "total, first = query.new_ones(query.shape[:-1]), True"),
        (STEP, "maximum = maximum.masked_fill(maximum == -math.inf, 0.0)\n        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., chunk, :])"),
        group=ALONE,
    ),
    mistake(
        "started_anew_in_each_chunk",
        "You start with an empty state in every chunk, so only the last chunk is left.",
        (
            "Change the first key. Does your output move?",
            "Which lines belong before the loop?",
            "Set `maximum`, `total` and `mixture` up once, before the loop.",
        ),
        (STEP, "maximum, total, mixture = online_softmax(torch.full_like(maximum, -math.inf), torch.zeros_like(total), torch.zeros_like(mixture), scores, value[..., chunk, :])"),
        group="carried",
    ),
    mistake(
        "never_divided",
        "You return the mixture as it is, and never divide by the total.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "On paper, which step comes after the last chunk?",
            "`mixture / total.unsqueeze(-1)`, with 1 where the total is 0.",
        ),
        (RETURN, "return mixture"),
        group="divided",
    ),
    mistake(
        "divided_in_each_step",
        "You divide by the total in every step of the loop, and add the next chunk to what has been divided.",
        (
            "With a chunk of all keys, yours is right. With two chunks it isn't. What happens in between?",
            "`mixture` has to stay a plain sum until the end.",
            "Divide once, after the loop.",
        ),
        (STEP, STEP + "\n        mixture = mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)"),
        (RETURN, "return mixture"),
        group="divided",
    ),
    # the mask
    mistake(
        "mask_ignored",
        "Your code never uses the mask: masked keys get weight like all others.",
        (
            "Mask a key. Does your output move?",
            "Which argument do you never read?",
            "`scores.masked_fill(~mask[..., chunk], -math.inf)`.",
        ),
        (FILL, "pass"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You hide what the mask allows, and look at what it hides. Here True means *may attend*.",
        (
            "Which keys have weight: those with True or those with False?",
            "`masked_fill` fills where its argument is True. What do you give it?",
            "Give it `~mask[..., chunk]`.",
        ),
        (FILL, FILL.replace("~mask", "mask")),
        group="mask",
    ),
    mistake(
        "mask_of_the_first_chunk",
        "Every chunk gets the mask of the *first* one.",
        (
            "Mask the last key. Does your output move?",
            "Is the mask cut in the same places as the keys?",
            "`mask[..., chunk]`.",
        ),
        (FILL, "scores = scores.masked_fill(~mask[..., : scores.size(-1)], -math.inf)"),
        group="mask",
    ),
    mistake(
        "masked_by_the_lowest_number",
        "You fill masked scores with the lowest number instead of −∞. A query whose keys are all masked then spreads its weight evenly over them. It should get zeros.",
        (
            "What is the output of a query that may look at nobody?",
            "What is exp(x − m) where both are the lowest number?",
            "Fill with `-math.inf`: `online_softmax` expects that.",
        ),
        (FILL, FILL.replace("-math.inf", "torch.finfo(scores.dtype).min")),
        group="mask",
    ),
    mistake(
        "masked_to_zero",
        "You set masked scores to 0. A score of 0 is an ordinary score, and its key gets weight.",
        (
            "What is the exponential of a masked score? It should be 0.",
            "Which score has an exponential of 0?",
            "Fill with `-math.inf`.",
        ),
        (FILL, FILL.replace("-math.inf", "0.0")),
        group="mask",
    ),
    mistake(
        "zero_divided_by_zero",
        "A query whose keys are all masked gets `nan`: its total is 0, and you divide by it.",
        (
            "What is the total of a query that may look at nobody?",
            "What should its output be?",
            "Divide by 1 there: `total.masked_fill(total == 0, 1.0)`.",
        ),
        (RETURN, "return mixture / total.unsqueeze(-1)"),
        group="divided",
    ),
    mistake(
        "as_many_chunks_as_their_size",
        "You cut the keys into `chunk_size` chunks. That is what `torch.chunk` does: it takes the *number* of chunks, and with a size of 1 all scores are held at once.",
        (
            "With `chunk_size=1`, how many keys are in your first chunk?",
            "`chunk` and `split`: which of the two takes a size?",
            "`key.split(chunk_size, dim=-2)`, or slices.",
        ),
        source=as_many_chunks_as_their_size,
        group=ALONE,
    ),
)  # fmt: skip


def by_split(query, key, value, chunk_size, mask=None):
    if mask is None:
        mask = torch.ones(1, key.size(-2), dtype=torch.bool)
    shape = query.shape[:-1]
    state = (torch.full(shape, -torch.inf, dtype=query.dtype), torch.zeros(shape), torch.zeros(*shape, value.size(-1)))
    parts = zip(key.split(chunk_size, -2), value.split(chunk_size, -2), mask.split(chunk_size, -1), strict=True)
    for k, v, allowed in parts:
        scores = torch.where(allowed, query @ k.mT * query.size(-1) ** -0.5, -torch.inf)
        state = online_softmax(*state, scores, v)
    _, total, mixture = state
    return torch.where(total[..., None] > 0, mixture / total[..., None], 0.0)


def without_a_maximum_object(query, key, value, chunk_size, mask=None):
    """Logarithms of sums instead of a maximum and a total."""
    output, logs = None, None
    for start in range(0, key.shape[-2], chunk_size):
        stop = min(start + chunk_size, key.shape[-2])
        scores = torch.einsum("...td,...sd->...ts", query, key[..., start:stop, :]) / key.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[..., start:stop].logical_not(), float("-inf"))
        log = torch.logsumexp(scores, dim=-1)
        own = torch.softmax(scores, dim=-1).nan_to_num() @ value[..., start:stop, :]
        if output is None:
            output, logs = own, log
            continue
        both = torch.logaddexp(logs, log)
        both_safe = both.masked_fill(both == -torch.inf, 0.0)
        output = output * torch.exp(logs - both_safe)[..., None] + own * torch.exp(log - both_safe)[..., None]
        logs = both
    return output


def queries_in_chunks_too(query, key, value, chunk_size, mask=None):
    def rows(q, allowed):
        m, t, x = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1]), 0.0
        x = q.new_zeros(*q.shape[:-1], value.size(-1))
        for i in range(0, key.size(-2), chunk_size):
            scores = q @ key[..., i : i + chunk_size, :].transpose(-1, -2) / math.sqrt(q.size(-1))
            if allowed is not None:
                scores = scores.masked_fill(~allowed[..., i : i + chunk_size], -math.inf)
            m, t, x = online_softmax(m, t, x, scores, value[..., i : i + chunk_size, :])
        return x / torch.where(t == 0, 1.0, t).unsqueeze(-1)

    outputs = []
    for i in range(0, query.size(-2), 8):
        per_query = mask is not None and mask.size(-2) > 1
        outputs.append(rows(query[..., i : i + 8, :], mask[..., i : i + 8, :] if per_query else mask))
    return torch.cat(outputs, dim=-2)


def padded_to_a_multiple(query, key, value, chunk_size, mask=None):
    length = key.size(-2)
    missing = -length % chunk_size
    real = torch.ones(1, length, dtype=torch.bool) if mask is None else mask
    key, value = F.pad(key, (0, 0, 0, missing)), F.pad(value, (0, 0, 0, missing))
    real = F.pad(real, (0, missing), value=False)
    maximum = torch.full_like(query[..., 0], -math.inf)
    total, mixture = torch.zeros_like(maximum), torch.zeros_like(query[..., :1]) * value[..., :1, :]
    for i in range(key.size(-2) // chunk_size):
        here = slice(i * chunk_size, (i + 1) * chunk_size)
        scores = (query / math.sqrt(query.size(-1))) @ key[..., here, :].mT
        scores = scores.masked_fill(~real[..., here], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., here, :])
    return mixture / total.clamp(min=torch.finfo(total.dtype).tiny)[..., None]


def stub(query, key, value, chunk_size, mask=None):
    raise NotImplementedError


def zeros(query, key, value, chunk_size, mask=None):
    return torch.zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype)


def mean_value(query, key, value, chunk_size, mask=None):
    return value.mean(dim=-2, keepdim=True).expand(*query.shape[:-1], value.size(-1))


def noise(query, key, value, chunk_size, mask=None):
    return torch.randn(*query.shape[:-1], value.size(-1), dtype=query.dtype)


CHUNKED_ATTENTION = define(
    id="chunked_attention",
    lesson="12_costs",
    place=1,
    module="course_lib.components.chunked_attention",
    symbol="chunked_attention",
    minutes=20,
    laws=LAWS,
    hints=(
        "Which three tensors describe a query that hasn't seen any key yet? They are the first row of the table on paper.",
        "Loop over `range(0, key.size(-2), chunk_size)`. Cut the keys, the values and, if there is one, the mask in the same places.",
        "In the loop: `scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))`, `masked_fill` with −∞, then `maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., chunk, :])`. After it: `mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_split, without_a_maximum_object, queries_in_chunks_too, padded_to_a_multiple),
    lazy=(stub, zeros, mean_value, noise),
    builds_on=("online_softmax",),
    switches=("scale", "chunks", "mask", "divided"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@CHUNKED_ATTENTION.second_version("unscaled")
def no_root(query, key, value, chunk_size, mask=None):
    shape = query.shape[:-1]
    state = (torch.full(shape, -torch.inf, dtype=query.dtype), torch.zeros(shape), torch.zeros(*shape, value.size(-1)))
    for i in range(0, key.size(-2), chunk_size):
        scores = torch.einsum("...td,...sd->...ts", query, key[..., i : i + chunk_size, :])
        if mask is not None:
            scores = torch.where(mask[..., i : i + chunk_size], scores, -torch.inf)
        state = online_softmax(*state, scores, value[..., i : i + chunk_size, :])
    return torch.where(state[1][..., None] > 0, state[2] / state[1][..., None], 0.0)


@CHUNKED_ATTENTION.second_version("last_chunk_left_out")
def whole_chunks(query, key, value, chunk_size, mask=None):
    shape = query.shape[:-1]
    state = (torch.full(shape, -torch.inf, dtype=query.dtype), torch.zeros(shape), torch.zeros(*shape, value.size(-1)))
    for n in range(key.size(-2) // chunk_size):
        i = n * chunk_size
        scores = query @ key[..., i : i + chunk_size, :].mT / query.size(-1) ** 0.5
        if mask is not None:
            scores = torch.where(mask[..., i : i + chunk_size], scores, -torch.inf)
        state = online_softmax(*state, scores, value[..., i : i + chunk_size, :])
    return torch.where(state[1][..., None] > 0, state[2] / state[1][..., None], 0.0)


@CHUNKED_ATTENTION.second_version("mask_ignored")
def no_mask(query, key, value, chunk_size, mask=None):
    shape = query.shape[:-1]
    state = (torch.full(shape, -torch.inf, dtype=query.dtype), torch.zeros(shape), torch.zeros(*shape, value.size(-1)))
    for k, v in zip(key.split(chunk_size, -2), value.split(chunk_size, -2), strict=True):
        state = online_softmax(*state, query @ k.mT / query.size(-1) ** 0.5, v)
    return state[2] / state[1][..., None]


@CHUNKED_ATTENTION.second_version("maximum_starts_at_zero")
def by_hand_from_zero(query, key, value, chunk_size, mask=None):
    largest = sums = query.new_zeros(query.shape[:-1])
    mixed = query.new_zeros(*query.shape[:-1], value.size(-1))
    for start in range(0, key.size(-2), chunk_size):
        scores = query @ key[..., start : start + chunk_size, :].mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., start : start + chunk_size], -math.inf)
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1))
        weights = torch.exp(scores - largest[..., None])
        sums = sums * torch.exp(before - largest) + weights.sum(dim=-1)
        mixed = mixed * torch.exp(before - largest)[..., None] + weights @ value[..., start : start + chunk_size, :]
    return mixed / sums.masked_fill(sums == 0, 1.0)[..., None]


@CHUNKED_ATTENTION.second_version("all_scores_at_once")
def plain_attention(query, key, value, chunk_size, mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1).nan_to_num() @ value


@CHUNKED_ATTENTION.second_version("finished_function")
def pytorchs_own_at_once(query, key, value, chunk_size, mask=None):
    return torch.nan_to_num(torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask))
