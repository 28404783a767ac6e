"""Exercise `rotary_attention`: multi-head attention whose queries and keys are turned."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_04.sizes import lengths
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, moves_along
from course_lib.checking.values import Value
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.merge_heads import merge_heads
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.rotary_attention import RotaryAttention
from course_lib.components.rotary_embedding import rotary_embedding
from course_lib.components.split_heads import split_heads

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(draw: Draw, d_model: int) -> dict[str, Tensor]:
    weights = {f"{layer}.weight": draw.tensor(d_model, d_model, scale=0.6) for layer in LAYERS}
    return weights | {f"{layer}.bias": draw.tensor(d_model, scale=0.6) for layer in LAYERS}


def _inputs(draw: Draw, b: int, t: int, s: int, d_model: int) -> dict[str, Value]:
    """Query (B, T, D), key and value (B, S, D), all different."""
    return {
        "query": draw.tensor(b, t, d_model),
        "key": draw.tensor(b, s, d_model),
        "value": draw.tensor(b, s, d_model),
    }


def _question(
    name: str,
    num_heads: int,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    dropout: float = 0.0,
    **more: Value,
) -> Question:
    build = {"d_model": weights["w_q.weight"].size(0), "num_heads": num_heads, "dropout": dropout}
    given = {"build": build, "weights": weights, "calls": list(calls), "returns": list(returns), **more}
    return Question(name, probes.module, given)


def _mask(draw: Draw, *shape: int) -> Tensor:
    """A mask in which every query sees the first key, and some of the others."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), draw.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(draw: Draw) -> Iterator[Question]:
    """One head of a single pair, several heads, a longer sentence, masks, a sentence further down, dropout, gradients."""
    one = {f"{layer}.weight": torch.eye(2).double() for layer in LAYERS}
    one |= {f"{layer}.bias": torch.zeros(2).double() for layer in LAYERS}
    words = draw.tensor(1, 3, 2).round(decimals=1)
    yield _question("by_hand", 1, one, {"query": words, "key": words, "value": draw.tensor(1, 3, 2).round(decimals=1)})
    h, width = draw.shuffled(((2, 4), (3, 4), (2, 6)))[0]
    b, t, s = lengths(draw, 3, h, width)
    weights = _weights(draw, h * width)
    yield _question("plain", h, weights, _inputs(draw, b, t, s, h * width))
    yield _question("long", h, weights, _inputs(draw, 1, 30, 30, h * width))

    # what follows has two heads of width 4: its answers are many, and should be small
    h, d_model = 2, 8
    b, t, s = 3, *draw.shuffled((4, 5))
    weights, given = _weights(draw, d_model), _inputs(draw, b, t, s, d_model)
    yield _question("with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"))
    yield _question("masked", h, weights, {**given, "mask": _mask(draw, b, 1, t, s)})
    yield _question("one_mask", h, weights, {**given, "mask": _mask(draw, t, s)})
    x = torch.cat([draw.tensor(1, t, d_model), draw.tensor(1, 3, d_model)], dim=1)  # the last three are padding
    real, order = torch.arange(t + 3) < t, torch.arange(t + 3).roll(3)
    calls = [
        {"query": y, "key": y, "value": y, "mask": seen.unsqueeze(1) & seen}
        for y, seen in ((x, real), (x[:, order], real[order]))
    ]
    yield _question("further_down", h, weights, *calls, noted={"order": order})
    yield _question("training", h, weights, given, dropout=1.0, training=True)
    yield _question(
        "training_with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"), dropout=1.0, training=True
    )  # fmt: skip
    yield _question("evaluation", h, weights, given, dropout=1.0)
    gradients = _inputs(draw, 2, s, t, d_model)
    yield _question("gradients", h, weights, gradients, upstream={"output": draw.tensor(2, s, d_model)})


OUTPUT = {"fields": ["calls/0/output"]}
INPUTS = ("query", "key", "value")

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three words in one head of a single pair come out right", 0.25, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "a batch in two or three heads comes out right", 0.25, OUTPUT),
    Law("long", equals_reference, "long", "30 words come out right", 0.25, OUTPUT),
    Law("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns output and each head's weights, as they are before dropout", 0.25,
        {"fields": ["calls/0/output", "calls/0/weights"]}, also=("training_with_weights",)),
    Law("masked", equals_reference, "masked", "a mask (B, 1, T, S) comes out right", 0.25, OUTPUT, also=("one_mask",)),
    Law("further_down", moves_along, "further_down", "a sentence comes out the same when masked padding moves it further down the page", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "order": "noted/order", "axis": 1}, needs="equals_plain"),
    Law("dropout", equals_reference, "training", "in training dropout falls on the weights, in evaluation nothing is dropped", 0.25,
        OUTPUT, also=("evaluation",)),
    Law("gradients", equals_reference, "gradients", "the gradients of the inputs and of every weight are right", 0.15,
        {"fields": [f"gradients/{name}" for name in (*INPUTS, *(f"{x}.weight" for x in LAYERS))]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1,
        {"arguments": "calls/0"}, needs="masked"),
)  # fmt: skip

Q, K, V = "self.w_q(query)", "self.w_k(key)", "self.w_v(value)"
SPLIT_Q, SPLIT_K, SPLIT_V = (f"split_heads({x}, self.num_heads)" for x in (Q, K, V))
TURN_Q = "query = rotary_embedding(query, torch.arange(query.size(-2)))"
TURN_K = "key = rotary_embedding(key, torch.arange(key.size(-2)))"
CALL = "_, weights = scaled_dot_product_attention(query, key, value, mask)"
MIX = "attended = self.dropout(weights) @ value"
PROJECT = "output = self.w_o(merge_heads(attended))"
RETURN = "return (output, weights) if need_weights else output"


class HandedToMultiHeadAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k = split_heads(self.w_q(query), self.num_heads), split_heads(self.w_k(key), self.num_heads)
        q, k = rotary_embedding(q, torch.arange(q.size(-2))), rotary_embedding(k, torch.arange(k.size(-2)))
        return MultiHeadAttention.forward(self, merge_heads(q), merge_heads(k), value, mask, need_weights)


MISTAKES = (
    # what is turned
    mistake(
        "values_turned_too",
        "You turn the values, too. Then what a word says depends on where it stands, and not only on distances.",
        (
            "Put padding in front of a sentence, hidden by a mask. Does your output stay?",
            "Which two of the three meet in a dot product?",
            "Leave `value` as it is.",
        ),
        (TURN_K, f"{TURN_K}\n        value = rotary_embedding(value, torch.arange(value.size(-2)))"),
        group="turned",
    ),
    mistake(
        "only_queries_turned",
        "You turn the queries and not the keys, so a score depends on the query's position, not on a distance.",
        (
            "Put padding in front of a sentence, hidden by a mask. Do your weights stay?",
            "A distance has two ends. Which of them has a position in your code?",
            "Turn the keys as well: `rotary_embedding(key, torch.arange(key.size(-2)))`.",
        ),
        (TURN_K, "pass"),
        group="turned",
    ),
    mistake(
        "only_keys_turned",
        "You turn the keys and not the queries, so a score depends on the key's position, not on a distance.",
        (
            "Put padding in front of a sentence, hidden by a mask. Do your weights stay?",
            "A distance has two ends. Which of them has a position in your code?",
            "Turn the queries as well: `rotary_embedding(query, torch.arange(query.size(-2)))`.",
        ),
        (TURN_Q, "pass"),
        group="turned",
    ),
    mistake(
        "nothing_turned",
        "Your scores know no positions: they are those of lesson 04. Either nothing is turned, or all tokens of a head are turned alike, because the angles run along the wrong axis.",
        (
            "Give the same words in another order. Do the weights between two words change?",
            "Where does a position enter your code?",
            "Call `rotary_embedding` on queries and keys once the heads are split: it takes the last axis but one for positions, and in (B, H, T, Dh) that is the tokens.",
        ),
        (TURN_Q, "pass"),
        (TURN_K, "pass "),
        group=ALONE,
    ),
    mistake(
        "keys_turned_the_other_way",
        "You turn queries one way and keys the other: a score then depends on the *sum* of two positions, where it should be their distance.",
        (
            "Put padding in front of a sentence, hidden by a mask. Do your weights stay?",
            "cos((α + t) − (β + s)): with which sign does s go into the key's angle?",
            "Both are turned by `torch.arange(...)`, without a minus.",
        ),
        (TURN_K, "key = rotary_embedding(key, -torch.arange(key.size(-2)))"),
        group="turned",
    ),
    # when
    mistake(
        "turned_before_the_heads",
        "You turn before the heads are split. Then the speeds are spread over the whole width: the first head gets the fast pairs, and the last head only slow ones.",
        (
            "How many pairs does one head have, and by how much does the first pair of the *second* head turn?",
            "Compare the width of what you turn with that of a head.",
            "Split first, then turn: `query` is (B, H, T, Dh) when `rotary_embedding` gets it.",
        ),
        (SPLIT_Q, f"split_heads(rotary_embedding({Q}, torch.arange(query.size(1))), self.num_heads)"),
        (SPLIT_K, f"split_heads(rotary_embedding({K}, torch.arange(key.size(1))), self.num_heads)"),
        (TURN_Q, "pass"),
        (TURN_K, "pass "),
        group=ALONE,
    ),
    mistake(
        "words_turned",
        "You turn the words, before they are projected. What should turn are the queries and keys that the projections make.",
        (
            "Put padding in front of a sentence, hidden by a mask. Do your weights stay?",
            "In which order do you project and turn?",
            "`split_heads(self.w_q(query), self.num_heads)` first, then `rotary_embedding`.",
        ),
        (SPLIT_Q, "split_heads(self.w_q(rotary_embedding(query, torch.arange(query.size(1)))), self.num_heads)"),
        (SPLIT_K, "split_heads(self.w_k(rotary_embedding(key, torch.arange(key.size(1)))), self.num_heads)"),
        (TURN_Q, "pass"),
        (TURN_K, "pass "),
        group=ALONE,
    ),
    mistake(
        "turned_twice",
        "You turn queries and keys twice. Their distances count double.",
        (
            "By how much does the first pair of a query turn from one position to the next?",
            "How often does each of the two go through `rotary_embedding`?",
            "Once each.",
        ),
        (TURN_Q, f"{TURN_Q}\n        {TURN_Q}"),
        (TURN_K, f"{TURN_K}\n        {TURN_K}"),
        group="turned",
    ),
    # by which positions
    mistake(
        "keys_counted_from_1",
        "Your keys' positions start at 1 and your queries' at 0, so every distance is off by one.",
        (
            "Which angle lies between a word's own query and its own key?",
            "Compare the two ranges of positions.",
            "Both start at 0: `torch.arange(key.size(-2))`.",
        ),
        (TURN_K, "key = rotary_embedding(key, 1 + torch.arange(key.size(-2)))"),
        group="turned",
    ),
    mistake(
        "positions_from_the_end",
        "You count the positions from the end, so what stands before a word is taken for what comes after it.",
        (
            "Which angle does the first query get, and which the last?",
            "In which order do your positions run?",
            "`torch.arange(...)`, from 0 upwards.",
        ),
        (TURN_Q, "query = rotary_embedding(query, torch.arange(query.size(-2)).flip(0))"),
        (TURN_K, "key = rotary_embedding(key, torch.arange(key.size(-2)).flip(0))"),
        group="turned",
    ),
    # what is left of lesson 04
    mistake(
        "mask_ignored",
        "Your code never uses the mask: masked keys get weight like all others.",
        (
            "Mask a key. Do your weights move?",
            "Which argument do you never read?",
            "`scaled_dot_product_attention(query, key, value, mask)`.",
        ),
        (CALL, CALL.replace(", mask)", ")")),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You hide what the mask allows, and look at what it hides. Here True means *may attend*.",
        (
            "Which keys have weight: those with True or those with False?",
            "What do you hand on to attention: the mask, or its opposite?",
            "`scaled_dot_product_attention(query, key, value, mask)`.",
        ),
        (CALL, CALL.replace(", mask)", ", None if mask is None else ~mask)")),
        group="mask",
    ),
    mistake(
        "dropout_left_out",
        "Nothing is dropped in training: your output mixes the values with all the weights.",
        (
            "With `dropout=1.0`, what should be left of the output in training?",
            "Which of the module's parts do you never call?",
            "`self.dropout(weights) @ value`.",
        ),
        (MIX, "attended = weights @ value"),
        group="dropout",
    ),
    mistake(
        "weights_after_dropout",
        "You return the weights after dropout. Asked for are those before it.",
        (
            "In training, add up one row of the weights that you return.",
            "Does one name stand for the weights before *and* after dropout?",
            "Drop only where you mix: `self.dropout(weights) @ value`.",
        ),
        (MIX, "weights = self.dropout(weights)\n        attended = weights @ value"),
        group="dropout",
    ),
    mistake(
        "output_not_projected",
        "The heads are merged and returned as they are: `w_o` isn't used.",
        (
            "Which of the four layers receives no gradient?",
            "What comes after the heads are merged?",
            "`self.w_o(merge_heads(attended))`.",
        ),
        (PROJECT, "output = merge_heads(attended)"),
        group="end",
    ),
    mistake(
        "weights_never_returned",
        "You never return the weights: `need_weights` changes nothing.",
        (
            "Call your layer with `need_weights=True`. How many things come back?",
            "Which argument do you never read?",
            "`return (output, weights) if need_weights else output`.",
        ),
        (RETURN, "return output"),
        group="end",
    ),
    mistake(
        "queries_at_the_end",
        "Your queries' positions are the *last* T of the S, as with a cache of keys. Here both start at position 0.",
        (
            "Which position has your first query, where there are more keys than queries?",
            "Does your code subtract the number of queries from that of the keys?",
            "`torch.arange(query.size(-2))`.",
        ),
        (TURN_Q, "query = rotary_embedding(query, torch.arange(key.size(-2) - query.size(-2), key.size(-2)))"),
        group="turned",
    ),
    mistake(
        "projected_twice",
        "You project queries and keys, turn them, and hand them to `MultiHeadAttention.forward`, which projects them once more.",
        (
            "How often does a query pass through `w_q`?",
            "What does `MultiHeadAttention.forward` do first?",
            "Go on from the turned heads yourself: `scaled_dot_product_attention`, dropout, `merge_heads`, `w_o`.",
        ),
        source=HandedToMultiHeadAttention,
        group=ALONE,
    ),
)  # fmt: skip


class InOneExpression(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value), strict=True)
        )
        q, k = (rotary_embedding(x, torch.arange(x.size(2))) for x in (q, k))
        weights = scaled_dot_product_attention(q, k, v, mask=mask)[1]
        output = self.w_o(merge_heads(torch.matmul(self.dropout(weights), v)))
        if need_weights:
            return output, weights
        return output


class WrittenOut(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, D = query.shape
        S, H = key.size(1), self.num_heads
        q = self.w_q(query).view(B, T, H, D // H).transpose(1, 2)
        k = self.w_k(key).view(B, S, H, D // H).transpose(1, 2)
        v = self.w_v(value).view(B, S, H, D // H).transpose(1, 2)
        q, k = rotary_embedding(q, torch.arange(T)), rotary_embedding(k, torch.arange(S))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        x = (self.dropout(weights) @ v).transpose(1, 2).reshape(B, T, D)
        return (self.w_o(x), weights) if need_weights else self.w_o(x)


class HeadByHead(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        width = q.size(-1) // self.num_heads
        if mask is not None:
            mask = mask.expand(q.size(0), self.num_heads, q.size(1), k.size(1))
        outputs, weights = [], []
        for h in range(self.num_heads):
            part = slice(h * width, (h + 1) * width)
            turned_q = rotary_embedding(q[..., part], torch.arange(q.size(1)))
            turned_k = rotary_embedding(k[..., part], torch.arange(k.size(1)))
            seen = None if mask is None else mask[:, h]
            _, w = scaled_dot_product_attention(turned_q, turned_k, v[..., part], seen)
            outputs.append(self.dropout(w) @ v[..., part])
            weights.append(w)
        output = self.w_o(torch.cat(outputs, dim=-1))
        return (output, torch.stack(weights, dim=1)) if need_weights else output


class TurnedBeforeTheTranspose(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        def heads(x, positions=None):
            x = x.unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)
            return x if positions is None else rotary_embedding(x, positions)

        longest = torch.arange(max(query.size(1), key.size(1)))
        q = heads(self.w_q(query), longest[: query.size(1)])
        k = heads(self.w_k(key), longest[: key.size(1)])
        v = heads(self.w_v(value))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(torch.einsum("bhts,bhsd->bthd", self.dropout(weights), v).flatten(2))
        return (output, weights) if need_weights else output


class stub(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        raise NotImplementedError


class Zeros(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        output = torch.zeros_like(query)
        return (
            (output, torch.zeros(query.size(0), self.num_heads, query.size(1), key.size(1))) if need_weights else output
        )


class TheQueryItself(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        return query


class Uniform(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        output = self.w_o(self.w_v(value).mean(dim=1, keepdim=True)).expand_as(query)
        weights = torch.full((query.size(0), self.num_heads, query.size(1), key.size(1)), 1 / key.size(1))
        return (output, weights) if need_weights else output


ROTARY_ATTENTION = define(
    id="rotary_attention",
    lesson="11_relative_positions",
    place=3,
    module="course_lib.components.rotary_attention",
    symbol="RotaryAttention",
    minutes=10,
    laws=LAWS,
    hints=(
        "It is `MultiHeadAttention.forward` of lesson 04 and two lines more. Between which two steps do they belong?",
        "Project and split, three times; turn queries and keys; attend, with the mask; drop weights; mix the values; merge; project.",
        "`query = rotary_embedding(query, torch.arange(query.size(-2)))`, once it is split, and the same for `key`; `value` stays.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WrittenOut, HeadByHead, TurnedBeforeTheTranspose),
    lazy=(stub, Zeros, TheQueryItself, Uniform),
    write=("forward",),
    switches=("turned", "mask", "dropout"),
    builds_on=("rotary_embedding",),
)  # fmt: skip


@ROTARY_ATTENTION.second_version("values_turned_too")
class AllThreeInALoop(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        projected = (self.w_q(query), self.w_k(key), self.w_v(value))
        q, k, v = (rotary_embedding(split_heads(x, self.num_heads), torch.arange(x.size(1))) for x in projected)
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (output, weights) if need_weights else output


@ROTARY_ATTENTION.second_version("keys_turned_the_other_way")
class BackwardsForKeys(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(w(x), self.num_heads) for w, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        q = rotary_embedding(q, torch.arange(q.shape[2]))
        k = rotary_embedding(k, torch.arange(0, -k.shape[2], -1))
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        if need_weights:
            return output, weights
        return output


@ROTARY_ATTENTION.second_version("turned_before_the_heads")
class WholeWidthAtOnce(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q = rotary_embedding(self.w_q(query), torch.arange(query.shape[1]))
        k = rotary_embedding(self.w_k(key), torch.arange(key.shape[1]))
        q, k, v = (split_heads(x, self.num_heads) for x in (q, k, self.w_v(value)))
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (output, weights) if need_weights else output


@ROTARY_ATTENTION.second_version("only_queries_turned")
class KeysForgotten(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q = split_heads(self.w_q(query), self.num_heads)
        k, v = split_heads(self.w_k(key), self.num_heads), split_heads(self.w_v(value), self.num_heads)
        scores = rotary_embedding(q, torch.arange(q.size(2))) @ k.mT / math.sqrt(k.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (output, weights) if need_weights else output


@ROTARY_ATTENTION.second_version("nothing_turned")
class HeadsForPositions(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        H = self.num_heads
        q, k, v = (
            w(x).unflatten(-1, (H, -1)) for w, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )  # (B, T, H, Dh)
        q, k = rotary_embedding(q, torch.arange(H)), rotary_embedding(k, torch.arange(H))
        weights = scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v.transpose(1, 2)))
        return (output, weights) if need_weights else output
