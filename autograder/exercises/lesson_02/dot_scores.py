"""Exercise `dot_scores`: how well one state agrees with many."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, unmoved


def _inputs(draw: Draw, b: int, s: int, d: int) -> dict[str, Tensor]:
    """Query (B, D) and keys (B, S, D)."""
    return {"query": draw.tensor(b, d), "keys": draw.tensor(b, s, d)}


def _on_paper(draw: Draw) -> dict[str, Tensor]:
    """Two sentences of four keys, of width 3: numbers to multiply in one's head."""
    query = torch.tensor([[2.0, 0.0, 1.0], [-1.0, 3.0, 0.0]])
    keys = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, -2.0], [2.0, 1.0, 0.0]])
    keys = torch.stack([keys, keys.flip(0)])
    return {"query": query, "keys": keys + draw.tensor(2, 4, 3, scale=0.4).round(decimals=1)}


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, another second sentence, one sentence and one key; and a cube, to name what crashes."""
    b, s = draw.sizes(2)
    d, wide = draw.widths(2)
    returns = ["scores"]
    yield Question("by_hand", probes.call, {"arguments": _on_paper(draw), "returns": returns})
    first, other = _inputs(draw, b, s, d), _inputs(draw, b, s, d)
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield Question("plain", probes.call_each, {"calls": [first, other, first], "returns": returns})
    ones = [_inputs(draw, 1, s, d), _inputs(draw, b, 1, d)]
    yield Question("one_of_each", probes.call_each, {"calls": ones, "returns": returns})
    upstream = {"scores": draw.tensor(s, b)}
    yield Question(
        "gradients", probes.call, {"arguments": _inputs(draw, s, b, wide), "returns": returns, "upstream": upstream}
    )
    cube = {"query": draw.tensor(3, 3), "keys": draw.tensor(3, 3, 3)}
    yield Question("cube", probes.call, {"arguments": cube, "returns": returns})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences of four keys come out right", 0.5,
        {"fields": ["scores"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of wider states comes out right, and so does the next one", 0.5,
        {"fields": ["calls/0/scores", "calls/1/scores", "calls/2/scores"]}),
    Law("one_of_each", equals_reference, "one_of_each", "one sentence gives (1, S), and one key (B, 1)", 0.25,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of query and keys are right", 0.25,
        {"fields": ["gradients/query", "gradients/keys"]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.15,
        needs="equals_by_hand"),
    Law("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.1,
        {"fields": ["scores"]}, needs="equals_plain"),
)  # fmt: skip

PRODUCT = "keys @ query.unsqueeze(-1)"
RETURN = "return scores.squeeze(-1)"

MISTAKES = (
    # how large a score is
    mistake(
        "scaled",
        "You divide the scores by √D. That is the scaled product of lesson 03, which says why; here the dot product is asked for as it is.",
        (
            "Work out one score on paper. How many times larger is it than yours?",
            "The formula is `e_i = h_iᵀ s`. What else do you do?",
            "Leave out the square root: return the dot products.",
        ),
        (PRODUCT, f"{PRODUCT} / query.size(-1) ** 0.5"),
        group="scale",
    ),
    mistake(
        "averaged",
        "You take the mean of the products, but a dot product is their *sum*: your scores are D times too small, and the softmax of them is nearly even.",
        (
            "Work out one score on paper. How many times larger is it than yours?",
            "A dot product multiplies entry by entry, and then? What does your last step do?",
            "Sum over the last axis: `.sum(dim=-1)`, not `.mean(dim=-1)`.",
        ),
        (PRODUCT, f"{PRODUCT} / query.size(-1)"),
        group="scale",
    ),
    mistake(
        "cosine",
        "You divide by the norms of query and key: that is a cosine, between −1 and 1. A dot product grows with both norms.",
        (
            "Double a key. Should its score change? Does yours?",
            "The formula is `e_i = h_iᵀ s`. Where do norms come into yours?",
            "Leave query and keys as they are: no `normalize`, no `norm`.",
        ),
        (PRODUCT, f"{PRODUCT} / (keys.norm(dim=-1, keepdim=True) * query.norm(dim=-1).view(-1, 1, 1))"),
        group="scale",
    ),
    mistake(
        "distance",
        "You return a distance (its square, with a minus sign): large where query and key are *near* each other. A dot product is large where they point the same way and have large norms.",
        (
            "Which score do you give a key that equals the query? And one twice as long?",
            "Do you subtract query and key, or multiply them?",
            "Multiply entry by entry and sum: `h_iᵀ s`.",
        ),
        (PRODUCT, "-((keys - query.unsqueeze(1)) ** 2).sum(dim=-1, keepdim=True)"),
    ),
    # which entries are multiplied, and what is summed
    mistake(
        "summed_over_keys",
        "You multiply the right numbers and sum them over the *keys*: one number for each feature, (B, D), where one for each key is asked for.",
        (
            "Which shape do you return: (B, S), or (B, D)?",
            "Products of query and keys are (B, S, D). Which of the three axes should be gone in the end?",
            "Sum over the last axis, the features: `.sum(dim=-1)`.",
        ),
        (PRODUCT, "(keys * query.unsqueeze(1)).sum(dim=1).unsqueeze(-1)"),
        group="sum",
    ),
    mistake(
        "not_summed",
        "You multiply query and keys entry by entry, and leave it at that: (B, S, D), where each key should have a single number.",
        (
            "Which shape do you return, and how many numbers does each key get?",
            "A dot product has two steps. Which is the second?",
            "Sum over the last axis: `(keys * query.unsqueeze(1)).sum(dim=-1)`.",
        ),
        (PRODUCT, "(keys * query.unsqueeze(1)).unsqueeze(-1)"),
        group="sum",
    ),
    mistake(
        "every_query_with_every_sentence",
        "You multiply the keys of each sentence by the queries of *all* sentences: (B, S, B). A sentence has one query, its own.",
        (
            "Where in your shape (B, S, B) do the right scores stand, and what is the rest?",
            "`query.T` puts the batch at the end. What does `@` then do with it?",
            "Make each query a column of its own, (B, D, 1): `keys @ query.unsqueeze(-1)`.",
        ),
        (f"scores = {PRODUCT}", "scores = (keys @ query.T).unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "every_sentence_with_every_query",
        "You multiply the queries of *all* sentences by the keys of each: (B, B, S). A sentence has one query, its own.",
        (
            "Where in your shape (B, B, S) do the right scores stand, and what is the rest?",
            "(B, D) @ (B, D, S): the first is taken for *one* matrix, and the batch for its rows. What is missing?",
            "Make each query a row of its own, (B, 1, D), or a column: `keys @ query.unsqueeze(-1)`.",
        ),
        (f"scores = {PRODUCT}", "scores = (query @ keys.transpose(-2, -1)).unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "first_query_for_all",
        "You score the keys of every sentence for the first sentence's query.",
        (
            "Change the second query. Do the second sentence's scores move?",
            "Where does an index pick one query out of the batch?",
            "Keep the batch: `keys @ query.unsqueeze(-1)`.",
        ),
        (PRODUCT, "keys @ query[0].unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "query_axis_missing",
        "You multiply (B, D) by (B, S, D) as they are. PyTorch lines shapes up from the right, so the batch meets the keys: where the two sizes happen to be equal, key number i is scored for sentence number i's query.",
        (
            "Line up (B, D) and (B, S, D) from the right. Which axis does B meet?",
            "All keys of a sentence share its query. Where must the query have an axis of length 1?",
            "`query.unsqueeze(1)` is (B, 1, D): one query, shared by S keys.",
        ),
        (PRODUCT, "(keys * query).sum(dim=-1, keepdim=True)"),
        group="pairing",
    ),
    mistake(
        "keys_transposed",
        "You transpose the keys before you multiply: each number is the query times one *feature* of all keys. It only fits where there are as many keys as features.",
        (
            "For `a @ b`, the last axis of `a` meets the second last of `b`. Which axis of the keys should meet the query?",
            "Keys are (B, S, D), and the query as a column (B, D, 1). What must be turned for these two to fit?",
            "Nothing: `keys @ query.unsqueeze(-1)`.",
        ),
        (PRODUCT, "keys.transpose(1, 2) @ query.unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "first_sentence_for_all",
        "You score the keys of the *first* sentence for every query. Each query should meet the keys of its own sentence.",
        (
            "Change the keys of the second sentence. Do its scores move?",
            "(B, D) @ (B, D, S) takes the queries for *one* matrix and gives (B, B, S): for each sentence, the scores of all queries. What does your index `[0]` keep of that?",
            "Give each sentence a query of its own: `keys @ query.unsqueeze(-1)`, (B, S, 1).",
        ),
        (PRODUCT, "(query @ keys[0].T).unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "keys_reshaped",
        "You bring the keys to (B, D, S) with `reshape` or `view`. That keeps the numbers in their order and cuts them elsewhere: your columns are no keys, but pieces of several.",
        (
            "Print one sentence's keys, (S, D), and what you make of them, (D, S). Is the first column the first key?",
            "`reshape` and `view` only count numbers. Which operation exchanges two axes?",
            "`keys.transpose(1, 2)`; or leave the keys as they are: `keys @ query.unsqueeze(-1)`.",
        ),
        (PRODUCT, "keys.reshape(keys.size(0), keys.size(2), -1).transpose(1, 2) @ query.unsqueeze(-1)"),
        group="pairing",
    ),
    mistake(
        "queries_dealt_out",
        "You repeat the whole batch of queries and cut the result into sentences: a sentence's keys meet the queries of several sentences in turn.",
        (
            "With two sentences, print the repeated queries of the first one. Are all rows the same?",
            "`repeat(S, 1)` writes q1 q2 q1 q2 …, and `view` cuts this row into sentences. Which order would the cut need?",
            "Broadcasting repeats for you: `keys * query.unsqueeze(1)`.",
        ),
        (PRODUCT, "(keys * query.repeat(keys.size(1), 1).view(keys.shape)).sum(dim=-1, keepdim=True)"),
        group="pairing",
    ),
    # what is returned
    mistake(
        "softmax_already",
        "You return weights: your numbers are positive and sum to 1. Scores are asked for; the softmax comes later, in `attend`.",
        (
            "Add up one row of what you return. Is a score ever negative?",
            "The formula is `e_i = h_iᵀ s`. What comes after it in your code?",
            "Leave out the softmax.",
        ),
        (RETURN, "return torch.softmax(scores.squeeze(-1), dim=-1)"),
        group="end",
    ),
    mistake(
        "negative_scores_cut_off",
        "You replace negative scores by 0. A key that points away from the query should score less than one at a right angle, and so get less weight.",
        (
            "Which score should a key get that points the opposite way?",
            "What do you do to the scores after the product? Is it in the formula?",
            "Leave out the ReLU or `clamp`: a score may have either sign.",
        ),
        (RETURN, "return scores.squeeze(-1).clamp(min=0)"),
        group="end",
    ),
    mistake(
        "axis_of_one_kept",
        "Your scores are (B, S, 1): the axis that made the query a column is still there.",
        (
            "Print the shape of what you return.",
            "Which axis did you add for the product? It has done its work.",
            "`.squeeze(-1)` at the end: (B, S).",
        ),
        (RETURN, "return scores"),
        group="end",
    ),
    mistake(
        "query_axis_kept",
        "Your scores are (B, 1, S): the axis that made the query a row is still there.",
        (
            "Print the shape of what you return.",
            "Which axis did you add for the product? It has done its work.",
            "`.squeeze(1)` at the end: (B, S).",
        ),
        (RETURN, "return scores.transpose(1, 2)"),
        group="end",
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1. With a single sentence in the batch, or a single key, that axis is gone too, and what comes next finds the wrong shape.",
        (
            "Call your function with one sentence. How many axes do you return?",
            "`.squeeze()` without a number takes all axes of length 1. Which one is it that should go?",
            "`.squeeze(-1)`: the axis you added, and no other.",
        ),
        (RETURN, "return scores.squeeze()"),
        group="end",
    ),
    mistake(
        "detached",
        "Your numbers are right, but cut out of the graph: no gradient reaches query and keys, and neither encoder nor decoder would learn where to look.",
        (
            "Call your function with `query.requires_grad_()` and look at `scores.requires_grad`.",
            "Where do your tensors leave PyTorch's graph? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut it.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (RETURN, "return scores.squeeze(-1).detach()"),
        group="graph",
    ),
    # everything else
    mistake(
        "keys_overwritten",
        "Your scores are right, but you multiply the keys in place: every later step of the decoder then finds other states.",
        (
            "Print `keys` before and after your function.",
            "`keys *= ...` and `keys.mul_(...)` change a tensor in place.",
            "Write `keys * query.unsqueeze(1)`, which makes a new tensor.",
        ),
        (f"scores = {PRODUCT}", "keys *= query.unsqueeze(1)\n    scores = keys.sum(dim=-1, keepdim=True)"),
        group="write",
    ),
    mistake(
        "single_precision",
        "You turn what you are given into float32. From float64 inputs you return float32, and nine of sixteen digits are gone.",
        (
            "Print the `dtype` of what you are given and of what you return.",
            "Somewhere you name a dtype: `.float()`, `torch.float32`. Is it needed?",
            "Remove the conversion. PyTorch keeps the dtype of its inputs by itself.",
        ),
        (PRODUCT, "keys.float() @ query.float().unsqueeze(-1)"),
        group="type",
    ),
)


def by_einsum(query, keys):
    return torch.einsum("bd,bsd->bs", query, keys)


def multiplied_and_summed(query, keys):
    return (query[:, None, :] * keys).sum(-1)


def by_bmm(query, keys):
    return torch.bmm(query.unsqueeze(1), keys.transpose(1, 2)).squeeze(1)


def sentence_by_sentence(query, keys):
    return torch.stack([h @ s for s, h in zip(query, keys, strict=True)])


def key_by_key(query, keys):
    return torch.stack([(keys[:, i] * query).sum(dim=1) for i in range(keys.shape[1])], dim=1)


def matmul_and_index(query, keys):
    return torch.matmul(keys, query[..., None])[..., 0]


def diagonal_of_all_pairs(query, keys):
    return (keys @ query.T).diagonal(dim1=0, dim2=2).T


def stub(query, keys):
    raise NotImplementedError


def zeros(query, keys):
    return torch.zeros(keys.shape[:2], dtype=keys.dtype)


def the_input_itself(query, keys):
    return query


def uniform(query, keys):
    return torch.full(keys.shape[:2], 1 / keys.size(1), dtype=keys.dtype)


def noise(query, keys):
    return torch.randn(keys.shape[:2], dtype=keys.dtype)


DOT_SCORES = define(
    id="dot_scores",
    lesson="02_attention",
    place=1,
    module="course_lib.components.dot_scores",
    symbol="dot_scores",
    minutes=8,
    laws=LAWS,
    hints=(
        "Take one sentence first: one query, four keys. How many numbers come out?",
        "Each key is multiplied entry by entry with its own sentence's query, and summed over the features. Print the shape after each step.",
        "Make each query a column, `query.unsqueeze(-1)`, (B, D, 1); `keys @` that column is (B, S, 1); take the last axis away again.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        by_einsum, multiplied_and_summed, by_bmm, sentence_by_sentence, key_by_key, matmul_and_index,
        diagonal_of_all_pairs,
    ),
    lazy=(stub, zeros, the_input_itself, uniform, noise),
    switches=("scale", "sum", "pairing", "end"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@DOT_SCORES.second_version("summed_over_keys")
def einsum_of_the_wrong_letter(query, keys):
    return torch.einsum("bd,bsd->bd", query, keys)


@DOT_SCORES.second_version("scaled")
def as_in_the_next_lesson(query, keys):
    return torch.bmm(keys, query[:, :, None])[:, :, 0].div(np.sqrt(keys.size(2)))


@DOT_SCORES.second_version("cosine")
def by_cosine_similarity(query, keys):
    return F.cosine_similarity(query.unsqueeze(1), keys, dim=-1)


@DOT_SCORES.second_version("every_axis_of_one_squeezed")
def bmm_and_squeeze(query, keys):
    return torch.bmm(query.unsqueeze(1), keys.transpose(1, 2)).squeeze()


@DOT_SCORES.second_version("query_axis_missing")
def einsum_of_the_wrong_pairs(query, keys):
    return torch.sum(torch.mul(query, keys), dim=2)


@DOT_SCORES.second_version("scaled + softmax_already")
def weights_at_once(query, keys):
    return F.softmax(torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(query.shape[1]), dim=1)


@DOT_SCORES.second_version("first_sentence_for_all")
def pairs_of_the_first(query, keys):
    return torch.matmul(query, keys.permute(0, 2, 1))[0]


@DOT_SCORES.second_version("keys_reshaped")
def viewed_as_columns(query, keys):
    B, S, D = keys.shape
    return torch.einsum("bd,bds->bs", query, keys.contiguous().view(B, D, S))


@DOT_SCORES.second_version("queries_dealt_out")
def tiled_queries(query, keys):
    tiled = torch.cat([query] * keys.shape[1]).reshape(keys.shape)
    return (tiled * keys).sum(2)


@DOT_SCORES.second_version("negative_scores_cut_off")
def rectified(query, keys):
    return F.relu(torch.bmm(keys, query.unsqueeze(2)).squeeze(2))
