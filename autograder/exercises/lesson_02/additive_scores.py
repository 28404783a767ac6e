"""Exercise `additive_scores`: a small network compares query and key."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.values import Value
from course_lib.components.additive_scores import AdditiveScores


def _inputs(draw: Draw, b: int, s: int, d_query: int, d_key: int) -> dict[str, Tensor]:
    """Query (B, Dq) and keys (B, S, Dk)."""
    return {"query": draw.tensor(b, d_query), "keys": draw.tensor(b, s, d_key)}


def _weights(draw: Draw, d_query: int, d_key: int, d_hidden: int) -> dict[str, Tensor]:
    """Small enough that no tanh is flat."""
    return {
        "w_1.weight": draw.tensor(d_hidden, d_key, scale=0.3),
        "w_2.weight": draw.tensor(d_hidden, d_query, scale=0.3),
        "v.weight": draw.tensor(1, d_hidden),
    }


def _question(name: str, weights: dict[str, Tensor], *calls: dict[str, Tensor], **more: Value) -> Question:
    d_hidden, d_key = weights["w_1.weight"].shape
    build = {"d_query": weights["w_2.weight"].size(1), "d_key": d_key, "d_hidden": d_hidden}
    return Question(
        name, probes.module, {"build": build, "weights": weights, "calls": list(calls), "returns": ["scores"], **more}
    )


def _on_paper(draw: Draw) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """One sentence of four keys, of width 3, and a query of width 2: each of five hidden units adds one or two of them."""
    weights = {
        "w_1.weight": torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0]]).double(),
        "w_2.weight": torch.tensor([[1, 0], [0, 1], [0, 0], [0, -1], [1, 0]]).double(),
        "v.weight": torch.tensor([[1, 2, -1, 1, 1]]).double(),
    }
    query = torch.tensor([[1.0, -1.0]]) + draw.tensor(1, 2, scale=0.4).round(decimals=1)
    keys = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 1.0, 0.0]]])
    return weights, {"query": query, "keys": keys}


def ask(draw: Draw) -> Iterator[Question]:
    """Few numbers, distinct sizes, another second sentence, one sentence and one key; and a cube, to name what crashes."""
    b, s = draw.sizes(2)
    sizes = draw.widths(3)
    yield _question("by_hand", *_on_paper(draw))
    weights, first, other = _weights(draw, *sizes), *(_inputs(draw, b, s, *sizes[:2]) for _ in range(2))
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weights, first, other, first)
    yield _question("one_of_each", weights, _inputs(draw, 1, s, *sizes[:2]), _inputs(draw, b, 1, *sizes[:2]))
    upstream, turned = {"scores": draw.tensor(s, b)}, sizes[::-1]
    yield _question("gradients", _weights(draw, *turned), _inputs(draw, s, b, *turned[:2]), upstream=upstream)
    yield _question("cube", _weights(draw, 3, 3, 3), _inputs(draw, 3, 3, 3, 3))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.75,
        {"fields": ["calls/0/scores"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of wider states comes out right", 0.5,
        {"fields": ["calls/0/scores"]}, also=("cube",)),
    Law("next_batch", equals_reference, "plain", "the batch after it comes out right too", 0.25,
        {"fields": ["calls/1/scores", "calls/2/scores"]}),
    Law("one_of_each", equals_reference, "one_of_each", "one sentence gives (1, S), and one key (B, 1)", 0.25,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of query, keys and all three layers are right", 0.5,
        {"fields": [f"gradients/{name}" for name in ("query", "keys", "w_1.weight", "w_2.weight", "v.weight")]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Law("every_layer_learns", every_gradient_flows, "gradients", "each of the three layers receives a gradient", 0.25,
        needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.25,
        {"arguments": "calls/0"}, needs="equals_by_hand"),
)  # fmt: skip

OF_KEYS = "self.w_1(keys)"
OF_QUERY = "self.w_2(query).unsqueeze(1)"
SUM = "of_keys + of_query"
HIDDEN = f"torch.tanh({SUM})"
V = "self.v(hidden)"
RETURN = "return scores.squeeze(-1)"

MISTAKES = (
    # the nonlinearity
    mistake(
        "no_tanh",
        "There is no tanh between the layers. What the query adds is then the same for every key: softmax does not see it, and the decoder's state has no say in where it looks.",
        (
            "Without a tanh, by how much do two keys' scores differ for one query, and for another?",
            "Which step stands between the sum and `self.v`?",
            "`torch.tanh(of_keys + of_query)` goes into `self.v`.",
        ),
        (HIDDEN, SUM),
        group="tanh",
    ),
    mistake(
        "tanh_of_the_scores",
        "Your tanh comes after `v`. Inside it, the sum is still linear, and no score is above 1.",
        (
            "How large can your largest score be?",
            "In `vᵀ tanh(…)`, which comes first, `v` or tanh?",
            "First `hidden = torch.tanh(...)`, then `self.v(hidden)`.",
        ),
        (HIDDEN, SUM),
        (V, f"torch.tanh({V})"),
        group="tanh",
    ),
    mistake(
        "tanh_of_each",
        "You put query and key through a tanh each, and add afterwards: two sums that never meet. What the query adds is the same for every key.",
        (
            "For another query, do the differences between your keys' scores change?",
            "In `tanh(W_1 h + W_2 s)`, how many times is tanh taken, and of what?",
            "Add first: `torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))`.",
        ),
        (HIDDEN, "torch.tanh(of_keys) + torch.tanh(of_query)"),
        group="tanh",
    ),
    mistake(
        "sigmoid",
        "You use a sigmoid where the formula has a tanh: your hidden numbers lie between 0 and 1, not between −1 and 1.",
        (
            "What is your hidden layer where the sum is 0?",
            "Which function stands in the formula, and which in your code?",
            "`torch.tanh`.",
        ),
        (HIDDEN, f"torch.sigmoid({SUM})"),
        group="tanh",
    ),
    mistake(
        "relu",
        "You use a ReLU where the formula has a tanh: whatever is below 0 is lost, and nothing stops the rest from growing.",
        (
            "What is your hidden layer where the sum is negative?",
            "Which function stands in the formula, and which in your code?",
            "`torch.tanh`.",
        ),
        (HIDDEN, f"torch.relu({SUM})"),
        group="tanh",
    ),
    # what is added
    mistake(
        "query_unused",
        "Your scores are made of the keys alone: every state of the decoder looks at the same positions, and `w_2` never learns.",
        (
            "Change the query. Do your scores move? Which layer receives no gradient?",
            "What is added to `self.w_1(keys)` before the tanh?",
            "Add `self.w_2(query).unsqueeze(1)`.",
        ),
        (SUM, "of_keys"),
        group="sum",
    ),
    mistake(
        "multiplied",
        "You multiply `self.w_1(keys)` by what `self.w_2` makes of the query. These scores are called additive because the two are added.",
        (
            "If `w_2` were all zeros, what would your scores be, and what should they be?",
            "Look at the operator between the two layers.",
            "`self.w_1(keys) + self.w_2(query).unsqueeze(1)`.",
        ),
        (SUM, "of_keys * of_query"),
        group="sum",
    ),
    mistake(
        "subtracted",
        "You subtract what `self.w_2` makes of the query. The formula adds it.",
        (
            "Flip the sign of the query. Are your scores right then?",
            "Look at the operator between the two layers.",
            "`self.w_1(keys) + self.w_2(query).unsqueeze(1)`.",
        ),
        (SUM, "of_keys - of_query"),
        group="sum",
    ),
    mistake(
        "layers_swapped",
        "You apply `w_1` to the query and `w_2` to the keys. It only fits where both are of one width, and then each layer has the other's weights.",
        (
            "The constructor makes `w_1` from d_key, `w_2` from d_query. Which goes with which?",
            "In `W_1 h_i + W_2 s`, which letter is the key's?",
            "`self.w_1(keys)` and `self.w_2(query)`.",
        ),
        (OF_KEYS, "self.w_2(keys)"),
        (OF_QUERY, "self.w_1(query).unsqueeze(1)"),
        group="layers",
    ),
    mistake(
        "one_layer_for_both",
        "You put query and keys through one layer, `w_1`. It only fits where both are of one width, and `w_2` never learns.",
        (
            "Which of the three layers receives no gradient?",
            "Compare the lines that use the query and the keys.",
            "`self.w_2(query)` for the query.",
        ),
        (OF_QUERY, "self.w_1(query).unsqueeze(1)"),
        group="layers",
    ),
    mistake(
        "query_axis_missing",
        "You add (B, Da) to (B, S, Da) as they are. PyTorch lines shapes up from the right, so the batch meets the keys: where the two sizes happen to be equal, key number i is scored for sentence number i's query.",
        (
            "Line up (B, Da) and (B, S, Da) from the right. Which axis does B meet?",
            "All keys of a sentence share its query. Where must the query have an axis of length 1?",
            "`self.w_2(query).unsqueeze(1)` is (B, 1, Da): one query, shared by S keys.",
        ),
        (OF_QUERY, "self.w_2(query)"),
        group="layers",
    ),
    mistake(
        "first_query_for_all",
        "You score the keys of every sentence for the first sentence's query.",
        (
            "Change the second query. Do the second sentence's scores move?",
            "Where does an index pick one query out of the batch?",
            "Keep the batch, and add an axis: `self.w_2(query).unsqueeze(1)`.",
        ),
        (OF_QUERY, "self.w_2(query)[0]"),
        group="layers",
    ),
    mistake(
        "queries_dealt_out",
        "You repeat the whole batch of queries and cut the result into sentences: a sentence's keys meet the queries of several sentences in turn.",
        (
            "With two sentences, print the repeated queries of the first one. Are all rows the same?",
            "`repeat(S, 1)` writes q1 q2 q1 q2 …, and `view` cuts this row into sentences. Which order would the cut need?",
            "Broadcasting repeats for you: `self.w_2(query).unsqueeze(1)`, (B, 1, Da).",
        ),
        (OF_QUERY, "self.w_2(query).repeat(keys.size(1), 1).view(keys.size(0), keys.size(1), -1)"),
        group="layers",
    ),
    mistake(
        "mean_query_for_all",
        "You take the mean of the queries over the batch: every sentence is scored for the same query, which is nobody's own.",
        (
            "Change the second sentence's query. Do the first one's scores move?",
            "Over which axis do you average? And which shape should the query have after `self.w_2`?",
            "`self.w_2(query).unsqueeze(1)`: (B, 1, Da), one for each sentence.",
        ),
        (OF_QUERY, "self.w_2(query).mean(dim=0)"),
        group="layers",
    ),
    mistake(
        "keys_kept_from_the_first_call",
        "You keep what `w_1` made of the first call's keys, and use it for later calls of the same size, which have other keys. It also stays as it was when `w_1` is trained further.",
        (
            "Call your module twice, with other keys the second time. Do the scores change?",
            "What does your module remember from one call to the next? When is it out of date?",
            "Work it out in each call: `of_keys = self.w_1(keys)`. A decoder that wants to save this hands the result over itself.",
        ),
        (
            f"of_keys = {OF_KEYS}",
            "if getattr(self, 'kept', None) is None or self.kept.shape[:2] != keys.shape[:2]:\n            self.kept = self.w_1(keys)\n        of_keys = self.kept",
        ),
        group="kept",
    ),
    mistake(
        "weights_not_transposed",
        "You multiply by the weights as they are stored. An `nn.Linear` stores its weight as (out, in), and computes `x @ weight.T`. It only fits where all widths are the same.",
        (
            "Compare `keys @ self.w_1.weight` with `self.w_1(keys)`. Where the weight is square, only the values can tell.",
            "Which axis of `weight` is the input's: the first or the last?",
            "Call the layers, `self.w_1(keys)`, or write `keys @ self.w_1.weight.T`.",
        ),
        (OF_KEYS, "keys @ self.w_1.weight"),
        (OF_QUERY, "(query @ self.w_2.weight).unsqueeze(1)"),
        group="layers",
    ),
    # v, and what is returned
    mistake(
        "v_unused",
        "You add up the hidden layer, each unit with the weight 1: `v` has no part in it, and never learns.",
        (
            "Which of the three layers receives no gradient?",
            "How does your code get from Da hidden numbers to one score?",
            "`self.v(hidden)`: a layer from Da to 1.",
        ),
        (V, "hidden.sum(dim=-1, keepdim=True)"),
        group="v",
    ),
    mistake(
        "scaled",
        "You divide the scores by a square root. The scale belongs to dot products, in lesson 03; here `v` can learn any scale.",
        (
            "Work out one score on paper. How many times larger is it than yours?",
            "The formula is `vᵀ tanh(W_1 h_i + W_2 s)`. What else do you do?",
            "Leave out the square root.",
        ),
        (V, f"{V} / hidden.size(-1) ** 0.5"),
        group="v",
    ),
    mistake(
        "hidden_returned",
        "You return the hidden layer, (B, S, Da). Each key should have a single number.",
        (
            "Which shape do you return, and how many numbers does each key get?",
            "Which of the three layers receives no gradient?",
            "`self.v(hidden).squeeze(-1)`.",
        ),
        (RETURN, "return hidden"),
        group="end",
    ),
    mistake(
        "softmax_already",
        "You return weights: your numbers are positive and sum to 1. Scores are asked for; the softmax comes later, in `attend`.",
        (
            "Add up one row of what you return. Is a score ever negative?",
            "The formula is `vᵀ tanh(W_1 h_i + W_2 s)`. What comes after it in your code?",
            "Leave out the softmax.",
        ),
        (RETURN, "return torch.softmax(scores.squeeze(-1), dim=-1)"),
        group="end",
    ),
    mistake(
        "axis_of_one_kept",
        "Your scores are (B, S, 1): `v` goes from Da to 1, and that 1 is still there.",
        (
            "Print the shape of what you return.",
            "What does an `nn.Linear` with one output do to the last axis?",
            "`.squeeze(-1)` at the end: (B, S).",
        ),
        (RETURN, "return scores"),
        group="end",
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1. With a single sentence in the batch, or a single key, that axis is gone too, and what comes next finds the wrong shape.",
        (
            "Call your module with one sentence. How many axes do you return?",
            "`.squeeze()` without a number takes all axes of length 1. Which one is it that should go?",
            "`.squeeze(-1)`: the axis of `v`'s one output, and no other.",
        ),
        (RETURN, "return scores.squeeze()"),
        group="end",
    ),
    mistake(
        "hidden_detached",
        "Your scores are right, but the hidden layer is cut out of the graph: `w_1` and `w_2` never learn, nor does anything in front of them.",
        (
            "Which of the three layers receive a gradient?",
            "Between the first layers and `v` the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "Hand the hidden layer to `self.v` as it is.",
        ),
        (V, "self.v(hidden.detach())"),
        group="graph",
    ),
    mistake(
        "query_detached",
        "Your scores are right, but `self.w_2(query)` is cut out of the graph: `w_2` never learns, and the decoder's state never learns to ask.",
        (
            "Call `backward` on your scores, and print `w_2.weight.grad`.",
            "Where does the query pass through `detach`, `.data` or `torch.no_grad`?",
            "`of_query = self.w_2(query).unsqueeze(1)`, within the graph.",
        ),
        (OF_QUERY, "self.w_2(query).detach().unsqueeze(1)"),
        group="graph",
    ),
    mistake(
        "keys_detached",
        "Your scores are right, but `self.w_1(keys)` is cut out of the graph: `w_1` never learns, nor does the encoder that made the keys.",
        (
            "Call `backward` on your scores, and print `w_1.weight.grad`.",
            "Where do the keys pass through `detach`, `.data` or `torch.no_grad`?",
            "`of_keys = self.w_1(keys)`, within the graph.",
        ),
        (OF_KEYS, "self.w_1(keys).detach()"),
        group="graph",
    ),
    mistake(
        "query_overwritten",
        "Your scores are right, but the query you were given has one axis more afterwards: your caller's next line finds (B, 1, Dq).",
        (
            "Print `query.shape` before and after your module.",
            "A method that ends in `_` changes its tensor in place.",
            "`query.unsqueeze(1)`, which leaves `query` as it is, not `query.unsqueeze_(1)`.",
        ),
        (OF_QUERY, "self.w_2(query.unsqueeze_(1))"),
        group="write",
    ),
)


class InOneExpression(AdditiveScores):
    def forward(self, query, keys):
        return self.v((self.w_1(keys) + self.w_2(query[:, None])).tanh()).squeeze(-1)


class OneMatrixForBoth(AdditiveScores):
    def forward(self, query, keys):
        both = torch.cat([keys, query.unsqueeze(1).expand(-1, keys.size(1), -1)], dim=-1)
        hidden = torch.tanh(F.linear(both, torch.cat([self.w_1.weight, self.w_2.weight], dim=1)))
        return (hidden * self.v.weight).sum(dim=-1)


class ByEinsum(AdditiveScores):
    def forward(self, query, keys):
        of_keys = torch.einsum("bsk,ak->bsa", keys, self.w_1.weight)
        of_query = torch.einsum("bq,aq->ba", query, self.w_2.weight)[:, None, :]
        return torch.einsum("bsa,a->bs", torch.tanh(of_keys + of_query), self.v.weight[0])


class KeyByKey(AdditiveScores):
    def forward(self, query, keys):
        asked = self.w_2(query)
        scores = [self.v(torch.tanh(self.w_1(keys[:, i]) + asked)) for i in range(keys.size(1))]
        return torch.cat(scores, dim=1)


class QueryRepeated(AdditiveScores):
    def forward(self, query, keys):
        B, S, _ = keys.shape
        repeated = query.unsqueeze(1).repeat(1, S, 1)
        energy = self.v(torch.tanh(self.w_2(repeated) + self.w_1(keys)))
        return energy.view(B, S)


class SentenceBySentence(AdditiveScores):
    def forward(self, query, keys):
        rows = []
        for s, h in zip(query, keys, strict=True):
            hidden = torch.tanh(h @ self.w_1.weight.T + self.w_2.weight @ s)
            rows.append(hidden @ self.v.weight[0])
        return torch.stack(rows)


class stub(AdditiveScores):
    def forward(self, query, keys):
        raise NotImplementedError


class Zeros(AdditiveScores):
    def forward(self, query, keys):
        return torch.zeros(keys.shape[:2])


class TheInputItself(AdditiveScores):
    def forward(self, query, keys):
        return keys


class Uniform(AdditiveScores):
    def forward(self, query, keys):
        return torch.full(keys.shape[:2], 1 / keys.size(1))


class Noise(AdditiveScores):
    def forward(self, query, keys):
        return torch.randn(keys.shape[:2])


ADDITIVE_SCORES = define(
    id="additive_scores",
    lesson="02_attention",
    place=3,
    module="course_lib.components.additive_scores",
    symbol="AdditiveScores",
    minutes=12,
    laws=LAWS,
    hints=(
        "Write down the shape of each term inside the tanh. Which axis does one of them lack?",
        "Four steps: a layer for the keys, a layer for the query, the tanh of their sum, a layer to one number.",
        "`self.w_1(keys)` is (B, S, Da), `self.w_2(query).unsqueeze(1)` is (B, 1, Da); add, `torch.tanh`, `self.v`, and squeeze the last axis.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, OneMatrixForBoth, ByEinsum, KeyByKey, QueryRepeated, SentenceBySentence),
    lazy=(stub, Zeros, TheInputItself, Uniform, Noise),
    write=("forward",),
    switches=("tanh", "sum", "v", "end"),
)


# the mistakes again, in another style: each must get the same name


@ADDITIVE_SCORES.second_version("no_tanh")
class TwoLinearSteps(AdditiveScores):
    def forward(self, query, keys):
        return (self.v(self.w_1(keys)) + self.v(self.w_2(query))[:, None]).squeeze(-1)


@ADDITIVE_SCORES.second_version("tanh_of_each")
class TwoTanhs(AdditiveScores):
    def forward(self, query, keys):
        return (self.v(self.w_1(keys).tanh()) + self.v(self.w_2(query).tanh())[:, None])[..., 0]


@ADDITIVE_SCORES.second_version("layers_swapped")
class OrderOfTheArguments(AdditiveScores):
    def forward(self, query, keys):
        hidden = torch.tanh(F.linear(query, self.w_1.weight)[:, None] + F.linear(keys, self.w_2.weight))
        return torch.einsum("bsa,oa->bs", hidden, self.v.weight)


@ADDITIVE_SCORES.second_version("tanh_of_the_scores + softmax_already")
class SquashedAndNormalised(AdditiveScores):
    def forward(self, query, keys):
        scores = self.v(self.w_1(keys) + self.w_2(query).unsqueeze(1)).squeeze(-1).tanh()
        return scores.softmax(-1)


@ADDITIVE_SCORES.second_version("v_unused")
class AllUnitsAlike(AdditiveScores):
    def forward(self, query, keys):
        return torch.einsum("bsa->bs", torch.tanh(self.w_1(keys) + self.w_2(query)[:, None]))


@ADDITIVE_SCORES.second_version("relu")
class Clamped(AdditiveScores):
    def forward(self, query, keys):
        return self.v((self.w_2(query)[:, None] + self.w_1(keys)).clamp(min=0)).squeeze(2)


@ADDITIVE_SCORES.second_version("multiplied")
class Gated(AdditiveScores):
    def forward(self, query, keys):
        hidden = torch.einsum("bsa,ba->bsa", self.w_1(keys), self.w_2(query)).tanh()
        return hidden @ self.v.weight[0]


@ADDITIVE_SCORES.second_version("query_unused")
class KeysAlone(AdditiveScores):
    def forward(self, query, keys):
        return self.v(torch.tanh(F.linear(keys, self.w_1.weight)))[..., 0]


@ADDITIVE_SCORES.second_version("queries_dealt_out")
class Tiled(AdditiveScores):
    def forward(self, query, keys):
        B, S, _ = keys.shape
        asked = self.w_2(torch.cat([query] * S).reshape(B, S, -1))
        return self.v(torch.tanh(asked + self.w_1(keys)))[..., 0]


@ADDITIVE_SCORES.second_version("mean_query_for_all")
class OneQuery(AdditiveScores):
    def forward(self, query, keys):
        asked = self.w_2(query.mean(0, keepdim=True))
        return self.v(torch.tanh(asked[:, None] + self.w_1(keys))).squeeze(2)


@ADDITIVE_SCORES.second_version("keys_kept_from_the_first_call")
class Cached(AdditiveScores):
    def forward(self, query, keys):
        kept = self.__dict__.setdefault("kept", {})
        if keys.shape not in kept:
            kept[keys.shape] = self.w_1(keys)
        return self.v(torch.tanh(kept[keys.shape] + self.w_2(query)[:, None])).squeeze(2)


@ADDITIVE_SCORES.second_version("query_detached")
class QueryThroughData(AdditiveScores):
    def forward(self, query, keys):
        asked = F.linear(query.data, self.w_2.weight.data)
        return self.v(torch.tanh(asked[:, None] + self.w_1(keys)))[:, :, 0]


@ADDITIVE_SCORES.second_version("keys_detached")
class KeysWithoutGradient(AdditiveScores):
    def forward(self, query, keys):
        with torch.no_grad():
            prepared = self.w_1(keys)
        return self.v(torch.tanh(prepared + self.w_2(query)[:, None]))[:, :, 0]
