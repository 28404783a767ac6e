"""Exercise `bilinear_scores`: a matrix between query and key."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_02 import layer_made_at_every_call
from course_lib.checking.values import Value
from course_lib.components.bilinear_scores import BilinearScores
from course_lib.components.dot_scores import dot_scores


def _inputs(draw: Draw, b: int, s: int, d_query: int, d_key: int) -> dict[str, Tensor]:
    """Query (B, Dq) and keys (B, S, Dk)."""
    return {"query": draw.tensor(b, d_query), "keys": draw.tensor(b, s, d_key)}


def _weight(draw: Draw, d_query: int, d_key: int) -> Tensor:
    return draw.tensor(d_key, d_query, scale=0.4)


def _question(name: str, weight: Tensor, *calls: dict[str, Tensor], **more: Value) -> Question:
    build = {"d_query": weight.size(1), "d_key": weight.size(0)}
    given = {"build": build, "weights": {"w.weight": weight}, "calls": list(calls), "returns": ["scores"], **more}
    return Question(name, probes.module, given)


def _on_paper(draw: Draw) -> tuple[Tensor, dict[str, Tensor]]:
    """One sentence of four keys, of width 3; a query of width 2, of which W makes a sum, a copy and a difference."""
    weight = torch.tensor([[1.0, 1.0], [0.0, 2.0], [1.0, -1.0]])
    query = torch.tensor([[2.0, 1.0]]) + draw.tensor(1, 2, scale=0.4).round(decimals=1)
    keys = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 2.0]]])
    return weight, {"query": query, "keys": keys}


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, another second sentence, one sentence and one key; and a square W, to name what crashes."""
    b, s = draw.sizes(2)
    d_query, d_key = draw.widths(2)
    weight, given = _on_paper(draw)
    yield _question("by_hand", weight, given)
    weight, first, other = _weight(draw, d_query, d_key), *(_inputs(draw, b, s, d_query, d_key) for _ in range(2))
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weight, first, other, first)
    ones = _inputs(draw, 1, s, d_query, d_key), _inputs(draw, b, 1, d_query, d_key)
    yield _question("one_of_each", weight, *ones)
    b, s, d_query, d_key = draw.sizes(4)  # small: an answer holds a gradient for each number given
    upstream, given = {"scores": draw.tensor(b, s)}, _inputs(draw, b, s, d_query, d_key)
    yield _question("gradients", _weight(draw, d_query, d_key), given, upstream=upstream)
    yield _question("square", _weight(draw, 4, 4), _inputs(draw, 2, 3, 4, 4))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.5,
        {"fields": ["calls/0/scores"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of wider states comes out right, with query and keys of one width too", 0.5,
        {"fields": ["calls/0/scores"]}, also=("square",)),
    Law("one_of_each", equals_reference, "one_of_each", "one sentence gives (1, S), and one key (B, 1)", 0.2,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of query, keys and W are right", 0.3,
        {"fields": ["gradients/query", "gradients/keys", "gradients/w.weight"]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Law("w_learns", every_gradient_flows, "gradients", "W receives a gradient, and so do query and keys", 0.15,
        needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.1,
        {"arguments": "calls/0"}, needs="equals_by_hand"),
)  # fmt: skip

PROJECT = "projected = self.w(query)"
SCORE = "dot_scores(projected, keys)"
RETURN = "return scores"

# `W` on the wrong side and `W` transposed are one mistake: (W h)ᵀ s = hᵀ Wᵀ s.
MISTAKES = (
    # where W stands
    mistake(
        "w_unused",
        "You multiply query and keys as they are: W has no part in your scores, and query and keys must then be of one width.",
        (
            "Does `self.w` receive a gradient?",
            "In `h_iᵀ W s`, W makes of the query something as wide as a key. Where does yours do that?",
            "`projected = self.w(query)`, then the dot product of `projected` with the keys.",
        ),
        (PROJECT, "projected = query"),
        group="product",
    ),
    mistake(
        "w_unused_where_widths_agree",
        "Where query and keys are of one width you leave W out. It is part of the score whatever the widths are: equal widths do not make the two networks' numbers mean the same.",
        (
            "Build it with `d_query` equal to `d_key`, and change W. Do the scores move?",
            "Which branch of your `forward` does not use `self.w`?",
            "`projected = self.w(query)`, without a condition.",
        ),
        (PROJECT, "projected = query if query.size(-1) == keys.size(-1) else self.w(query)"),
        group="product",
    ),
    mistake(
        "layer_made_at_every_call",
        "Your scores are made by a layer that is built anew at each call, with random weights: W, the layer of the constructor, has no part in them and never learns.",
        (
            "Call your module twice with the same query and keys. Are the scores the same?",
            "Where is an `nn.Linear` made in your code? Which one holds the weights that are loaded and trained?",
            "Use the layer of the constructor: `projected = self.w(query)`.",
        ),
        (PROJECT, "projected = nn.Linear(query.size(-1), keys.size(-1), bias=False).to(query.dtype)(query)"),
        group="product",
        recogniser=layer_made_at_every_call,
    ),
    mistake(
        "w_transposed",
        "Your W is transposed: you apply it to the keys, or multiply by `w.weight` the way it is stored. Both give `h_iᵀ Wᵀ s`. It only fits where query and keys are of one width.",
        (
            "`self.w` goes from d_query to d_key. To which of the two tensors can it be applied?",
            "An `nn.Linear` stores its weight as (out, in), and computes `x @ weight.T`. What do you multiply by what?",
            "`self.w(query)`: (B, Dq) becomes (B, Dk), as wide as a key.",
        ),
        (PROJECT, "projected = query @ self.w.weight"),
        group="product",
    ),
    mistake(
        "w_on_both",
        "You apply W to the query *and* to the keys: that is `h_iᵀ Wᵀ W s`. Once is enough to bring both to one width.",
        (
            "How many times does `self.w` appear in your `forward`, and in the formula?",
            "After `self.w(query)`, how wide is the query, and how wide are the keys?",
            "Leave the keys as they are: the dot product of `self.w(query)` with `keys`.",
        ),
        (SCORE, "dot_scores(projected, self.w(keys))"),
        group="product",
    ),
    mistake(
        "query_added",
        "You add the query to W s, as a residual connection would. It only fits where query and keys are of one width, and it is not in the formula.",
        (
            "If W were all zeros, what should the scores be? What are yours?",
            "Compare your line with `h_iᵀ W s`. Which term is not in it?",
            "`projected = self.w(query)`, and nothing added.",
        ),
        (PROJECT, "projected = self.w(query) + query"),
        group="product",
    ),
    mistake(
        "tanh_of_the_query",
        "You put W s through a tanh. The tanh belongs to *additive* scores; here W stands between query and key, and nothing else does.",
        (
            "Double the query. Should its scores double? Do yours?",
            "Which step lies between `self.w(query)` and the dot product?",
            "Leave out the tanh.",
        ),
        (PROJECT, "projected = torch.tanh(self.w(query))"),
        group="product",
    ),
    mistake(
        "w_detached",
        "Your scores are right, but you read W outside the graph: it receives no gradient, and stays what it was at the start.",
        (
            "Which parameters of your module receive a gradient?",
            "How do you reach the weight: `self.w(...)`, `self.w.weight`, or something with `data` or `detach` in it?",
            "Call the layer: `self.w(query)`.",
        ),
        (PROJECT, "projected = query @ self.w.weight.detach().T"),
        group="graph",
    ),
    # how scores are made
    mistake(
        "scaled",
        "You divide the scores by √Dk. That is the scaled product of lesson 03; here `h_iᵀ W s` is asked for as it is, and W can learn any scale.",
        (
            "Work out one score on paper. How many times larger is it than yours?",
            "The formula is `h_iᵀ W s`. What else do you do?",
            "Leave out the square root.",
        ),
        (SCORE, f"{SCORE} / keys.size(-1) ** 0.5"),
        group="keys",
    ),
    mistake(
        "cosine",
        "You divide W s and the keys by their norms: that is a cosine, between −1 and 1. `h_iᵀ W s` grows with both norms.",
        (
            "Double a key. Does its score change?",
            "What do you do to query and keys before they are multiplied? Is it in the formula?",
            "Leave out the norms: `dot_scores(self.w(query), keys)`.",
        ),
        (PROJECT, "projected, keys = F.normalize(self.w(query), dim=-1), F.normalize(keys, dim=-1)"),
        group="normalised",
    ),
    mistake(
        "first_sentence_for_all",
        "You score the keys of the *first* sentence for every query. Each query should meet the keys of its own sentence.",
        (
            "Change the keys of the second sentence. Do its scores move?",
            "(B, Dk) @ (B, Dk, S) takes the queries for *one* matrix and gives (B, B, S): for each sentence, the scores of all queries. What does your index `[0]` keep of that?",
            "`dot_scores(projected, keys)` gives each sentence its own query.",
        ),
        (SCORE, "projected @ keys[0].T"),
        group="keys",
    ),
    mistake(
        "summed_over_keys",
        "You multiply the right numbers and sum them over the *keys*: one number for each feature, (B, Dk), where one for each key is asked for.",
        (
            "Which shape do you return: (B, S), or (B, Dk)?",
            "Products of query and keys are (B, S, Dk). Which of the three axes should be gone in the end?",
            "Sum over the last axis, the features: or call your `dot_scores`.",
        ),
        (SCORE, "(keys * projected.unsqueeze(1)).sum(dim=1)"),
        group="keys",
    ),
    mistake(
        "not_summed",
        "You multiply entry by entry, and leave it at that: (B, S, Dk), where each key should have a single number.",
        (
            "Which shape do you return, and how many numbers does each key get?",
            "A dot product has two steps. Which is the second?",
            "Sum over the last axis, the features: or call your `dot_scores`.",
        ),
        (SCORE, "keys * projected.unsqueeze(1)"),
        group="keys",
    ),
    mistake(
        "every_sentence_with_every_query",
        "You multiply the queries of *all* sentences by the keys of each: (B, B, S). A sentence has one query, its own.",
        (
            "Where in your shape (B, B, S) do the right scores stand, and what is the rest?",
            "(B, Dk) @ (B, Dk, S): the first is taken for *one* matrix, and the batch for its rows. What is missing?",
            "Make each query a row of its own, (B, 1, Dk), or call your `dot_scores`.",
        ),
        (SCORE, "projected @ keys.transpose(-2, -1)"),
        group="keys",
    ),
    mistake(
        "first_query_for_all",
        "You score the keys of every sentence for the first sentence's query.",
        (
            "Change the second query. Do the second sentence's scores move?",
            "Where does an index pick one query out of the batch?",
            "Keep the batch: `dot_scores(self.w(query), keys)`.",
        ),
        (SCORE, "keys @ projected[0]"),
        group="keys",
    ),
    # what is returned
    mistake(
        "softmax_already",
        "You return weights: your numbers are positive and sum to 1. Scores are asked for; the softmax comes later, in `attend`.",
        (
            "Add up one row of what you return. Is a score ever negative?",
            "The formula is `h_iᵀ W s`. What comes after it in your code?",
            "Leave out the softmax.",
        ),
        (RETURN, "return torch.softmax(scores, dim=-1)"),
        group="end",
    ),
    mistake(
        "tanh_of_the_scores",
        "You put the scores through a tanh: none is above 1, so the softmax of them can never make up its mind.",
        (
            "How large is the largest of your scores, if you double all keys?",
            "The formula is `h_iᵀ W s`. What comes after it in your code?",
            "Leave out the tanh.",
        ),
        (RETURN, "return torch.tanh(scores)"),
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
        (RETURN, "return scores.unsqueeze(-1)"),
        group="end",
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1. With a single sentence in the batch, or a single key, that axis is gone too, and what comes next finds the wrong shape.",
        (
            "Call your module with one sentence. How many axes do you return?",
            "`.squeeze()` without a number takes all axes of length 1. Which one is it that should go?",
            "`.squeeze(-1)`: the axis you added, and no other.",
        ),
        (RETURN, "return scores.squeeze()"),
        group="end",
    ),
    mistake(
        "detached",
        "Your numbers are right, but cut out of the graph: neither W nor anything before query and keys would learn.",
        (
            "Call your module and look at `scores.requires_grad`.",
            "Where do your tensors leave PyTorch's graph? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut it.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (RETURN, "return scores.detach()"),
        group="graph",
    ),
    mistake(
        "keys_overwritten",
        "Your scores are right, but you multiply the keys in place: every later step of the decoder then finds other states.",
        (
            "Print `keys` before and after your module.",
            "`keys *= ...` and `keys.mul_(...)` change a tensor in place.",
            "Write `keys * projected.unsqueeze(1)`, which makes a new tensor.",
        ),
        (f"scores = {SCORE}", "keys *= projected.unsqueeze(1)\n        scores = keys.sum(dim=-1)"),
        group="keys",
    ),
)


class InOneExpression(BilinearScores):
    def forward(self, query, keys):
        return dot_scores(self.w(query), keys)


class KeysBroughtToTheQuery(BilinearScores):
    def forward(self, query, keys):
        return dot_scores(query, keys @ self.w.weight)


class ByEinsum(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight, query)


class ByBmm(BilinearScores):
    def forward(self, query, keys):
        projected = F.linear(query, self.w.weight)
        return torch.bmm(keys, projected.unsqueeze(2)).squeeze(2)


class MultipliedAndSummed(BilinearScores):
    def forward(self, query, keys):
        return (self.w(query)[:, None] * keys).sum(-1)


class ByBilinear(BilinearScores):
    def forward(self, query, keys):
        asking = query.unsqueeze(1).expand(-1, keys.size(1), -1)
        return F.bilinear(keys.contiguous(), asking.contiguous(), self.w.weight.unsqueeze(0))[..., 0]


class stub(BilinearScores):
    def forward(self, query, keys):
        raise NotImplementedError


class Zeros(BilinearScores):
    def forward(self, query, keys):
        return torch.zeros(keys.shape[:2])


class TheInputItself(BilinearScores):
    def forward(self, query, keys):
        return self.w(query)


class Uniform(BilinearScores):
    def forward(self, query, keys):
        return torch.full(keys.shape[:2], 1 / keys.size(1))


class Noise(BilinearScores):
    def forward(self, query, keys):
        return torch.randn(keys.shape[:2])


BILINEAR_SCORES = define(
    id="bilinear_scores",
    lesson="02_attention",
    place=2,
    module="course_lib.components.bilinear_scores",
    symbol="BilinearScores",
    minutes=8,
    laws=LAWS,
    hints=(
        "How wide is a query, how wide a key? And which of the two does `self.w` change?",
        "Two steps: bring the query to the keys' width, then score as before. Print the shape after each.",
        "`self.w(query)` is (B, Dk), as wide as a key; its dot product with every key is what `dot_scores` returns.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, KeysBroughtToTheQuery, ByEinsum, ByBmm, MultipliedAndSummed, ByBilinear),
    lazy=(stub, Zeros, TheInputItself, Uniform, Noise),
    write=("forward",),
    builds_on=("dot_scores",),
    switches=("product", "normalised", "keys", "end"),
)


# the mistakes again, in another style: each must get the same name


@BILINEAR_SCORES.second_version("w_transposed")
class LayerOfTheKeys(BilinearScores):
    def forward(self, query, keys):
        return (self.w(keys) @ query.unsqueeze(-1)).squeeze(-1)


@BILINEAR_SCORES.second_version("w_unused")
class DotProductStill(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", query, keys)


@BILINEAR_SCORES.second_version("w_detached")
class ThroughData(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight.data, query)


@BILINEAR_SCORES.second_version("tanh_of_the_scores")
class Squashed(BilinearScores):
    def forward(self, query, keys):
        return (keys * self.w(query)[:, None]).sum(-1).tanh()


@BILINEAR_SCORES.second_version("w_on_both")
class BothTranslated(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", self.w(query), F.linear(keys, self.w.weight))


@BILINEAR_SCORES.second_version("scaled")
class DividedByTheRoot(BilinearScores):
    def forward(self, query, keys):
        return (keys @ self.w(query)[..., None])[..., 0] / math.sqrt(keys.shape[-1])


@BILINEAR_SCORES.second_version("summed_over_keys")
class WrongLetter(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bk,bsk->bk", self.w(query), keys)


@BILINEAR_SCORES.second_version("w_unused_where_widths_agree")
class LayerOnlyWhereNeeded(BilinearScores):
    def forward(self, query, keys):
        if query.shape[1] != keys.shape[2]:
            query = self.w(query)
        return torch.einsum("bd,bsd->bs", query, keys)


@BILINEAR_SCORES.second_version("layer_made_at_every_call")
class RandomMatrix(BilinearScores):
    def forward(self, query, keys):
        matrix = nn.Parameter(torch.randn(keys.size(-1), query.size(-1), dtype=keys.dtype))
        return torch.einsum("bsk,kq,bq->bs", keys, matrix, query)


@BILINEAR_SCORES.second_version("cosine")
class CosineOfTheTranslated(BilinearScores):
    def forward(self, query, keys):
        return F.cosine_similarity(self.w(query)[:, None], keys, dim=2)


@BILINEAR_SCORES.second_version("first_sentence_for_all")
class PairsOfTheFirst(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bd,csd->cbs", self.w(query), keys)[0]
