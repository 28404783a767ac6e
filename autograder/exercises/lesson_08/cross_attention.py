"""Exercise `cross_attention`: queries from one sequence, keys and values from another."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_08 import drops_weights_by_chance, scores_in_place_of_weights
from course_lib.checking.values import Value
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.cross_attention import CrossAttention

LAYERS = ("w_q", "w_k", "w_v", "w_o")
WEIGHTS = [f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")]


def _weights(draw: Draw, d_model: int) -> dict[str, Tensor]:
    return weights_of(draw, CrossAttention(d_model))


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    **more: Value,
) -> Question:
    build = {"d_model": weights["w_q.bias"].numel()}
    given = {"build": build, "weights": weights, "calls": list(calls), "returns": list(returns), **more}
    return Question(name, probes.module, given)


def _on_paper(draw: Draw) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """Layers of width 2, without a bias; two tokens that ask, and three to be asked."""
    matrices = ([[1, 0], [0, 2]], [[0, 1], [1, 0]], [[2, 0], [1, 1]], [[1, 1], [0, 1]])
    weights = {f"{layer}.weight": torch.tensor(m).double() for layer, m in zip(LAYERS, matrices, strict=True)}
    weights |= {f"{layer}.bias": torch.zeros(2) for layer in LAYERS}
    x = torch.tensor([[[1.0, -1.0], [0.0, 1.0]]])
    memory = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    return weights, x, memory + draw.tensor(1, 3, 2, scale=0.4).round(decimals=1)


def _mask(draw: Draw, *shape: int) -> Tensor:
    """A mask that lets each token see the first, and some of the others: no mistake empties a row of it."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), draw.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, another memory, masks, weights under a mask, the same twice; and a square, to name what crashes.

    The memory is always the longer of the two: cut to the target's length, it is not what it was.
    """
    weights, x, memory = _on_paper(draw)
    yield _question("by_hand", weights, {"x": x, "memory": memory})
    b, t, s = 2, *draw.shuffled(((3, 5), (4, 6), (3, 7)))[0]
    (d_model,) = draw.widths(1)
    weights = _weights(draw, d_model)
    given = {"x": draw.tensor(b, t, d_model), "memory": draw.tensor(b, s, d_model)}
    order = draw.order(s)
    others = {name: torch.cat([x[:1], draw.tensor(1, *x.shape[1:])]) for name, x in given.items()}
    yield _question("plain", weights, given, {**given, "memory": given["memory"][:, order]}, others)
    yield _question("with_weights", weights, {**given, "need_weights": True}, returns=("output", "weights"))
    masked = {**given, "mask": _mask(draw, b, 1, s), "need_weights": True}
    yield _question("masked_weights", weights, masked, returns=("output", "weights"))
    yield _question("masked", weights, {**given, "mask": _mask(draw, t, s)}, {**given, "mask": _mask(draw, b, 1, s)})
    d_model = 4
    given = {"x": draw.tensor(2, 3, d_model), "memory": draw.tensor(2, 5, d_model)}
    yield _question("again", _weights(draw, d_model), given, given)
    upstream = {"output": draw.tensor(2, 3, d_model)}
    yield _question("gradients", _weights(draw, d_model), given, upstream=upstream)
    # turned round or transposed, no row of this mask is empty either
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)
    square = {"x": draw.tensor(2, 3, d_model), "memory": draw.tensor(2, 3, d_model)}
    yield _question("square", _weights(draw, d_model), square, {**square, "mask": mask})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two tokens over a memory of three, of width 2, come out right", 0.25,
        {"fields": ["calls/0/output"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.75,
        {"fields": ["calls/0/output"]}, also=("again", "square")),
    Law("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns output and weights, (B, T, S)", 0.5,
        {"fields": ["calls/0/output", "calls/0/weights"]}, also=("masked_weights",)),
    Law("masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, {"fields": ["calls/0/output"]}),
    Law("padding_mask", equals_reference, "masked", "a mask (B, 1, S), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["calls/1/output"]}),
    Law("order_of_memory", unmoved, "plain", "the memory in another order gives the same outputs", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output"}, needs="equals_plain"),
    Law("sentences_apart", unmoved, "plain", "another second sentence leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [0]}, needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradients of `x`, of `memory` and of every weight are right", 0.25,
        {"fields": ["gradients/x", "gradients/memory", *(f"gradients/{name}" for name in WEIGHTS)]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were", 0.25,
        {"arguments": "calls/1"}, needs="masked"),
)  # fmt: skip

Q, K, V = "self.w_q(x)", "self.w_k(memory)", "self.w_v(memory)"
ATTEND = "scaled_dot_product_attention(query, key, value, mask)"
CALL = f"attended, weights = {ATTEND}"
PROJECT = "self.w_o(attended)"
RETURN = "return (output, weights) if need_weights else output"


def _inline(scores: str, dim: int) -> str:
    """Attention written out in `forward`, with a mistake in it."""
    return f"""scores = {scores}
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim={dim})
        attended = weights @ value"""


MISTAKES = (
    # who asks whom
    mistake(
        "memory_asks",
        "Your queries come from the memory, your keys and values from `x`: what was read looks at what is being written. You return a vector for each source token, where one for each target token is asked for.",
        (
            "How many vectors should come out: as many as there are tokens in `x`, or in `memory`?",
            "There is one output for each query. Which of the two sequences do your queries come from?",
            "`query = self.w_q(x)`; `key = self.w_k(memory)`; `value = self.w_v(memory)`.",
        ),
        (Q, "self.w_q(memory)"),
        (K, "self.w_k(x)"),
        (V, "self.w_v(x)"),
        group="roles",
    ),
    mistake(
        "memory_ignored",
        "You make queries, keys and values from `x`: that is self-attention. Nothing of the source reaches your output; your table of weights is T × T.",
        (
            "Change the memory. Does your output move?",
            "Which of your three lines uses `memory`?",
            "`key = self.w_k(memory)` and `value = self.w_v(memory)`.",
        ),
        (K, "self.w_k(x)"),
        (V, "self.w_v(x)"),
        group="roles",
    ),
    mistake(
        "x_ignored",
        "You make queries, keys and values from the memory: that is the encoder's self-attention once more. What is being written has no say.",
        (
            "Change `x`. Does your output move?",
            "Which of your three lines uses `x`?",
            "`query = self.w_q(x)`.",
        ),
        (Q, "self.w_q(memory)"),
        group="roles",
    ),
    mistake(
        "values_from_x",
        "Your keys come from the memory and your values from `x`: you look at the source and take from the target. That fits only where both are of one length.",
        (
            "A token has found the word it needs in the source. What does it take from there?",
            "Key and value of one place belong together. Which sequences do yours come from?",
            "`value = self.w_v(memory)`.",
        ),
        (V, "self.w_v(x)"),
        group="roles",
    ),
    mistake(
        "keys_from_x",
        "Your keys come from `x` and your values from the memory: you look at the target and take what stands at the same place of the source. That fits only where both are of one length.",
        (
            "Which words are the scores of a token about: source words, or target words?",
            "Key and value of one place belong together. Which sequences do yours come from?",
            "`key = self.w_k(memory)`.",
        ),
        (K, "self.w_k(x)"),
        group="roles",
    ),
    mistake(
        "memory_cut_to_the_target",
        "You use as many tokens of the memory as the target has. One lecture prints the scores as T × T; they are T × S, and the end of a longer source is never seen.",
        (
            "Change the last token of a memory that is longer than `x`. Does your output move?",
            "Do you cut the memory, or shorten it, anywhere?",
            "Use `memory` as it is: (B, T, D) times (B, D, S) is (B, T, S).",
        ),
        (f"query = {Q}", f"memory = memory[:, : x.size(1)]\n        query = {Q}"),
        group="roles",
    ),
    # the layers
    mistake(
        "keys_by_w_q",
        "You make the keys with `w_q`, the queries' layer, and `w_k` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `query` and `key`.",
            "`key = self.w_k(memory)`.",
        ),
        (K, "self.w_q(memory)"),
        group="layers",
    ),
    mistake(
        "values_by_w_k",
        "You make the values with `w_k`, the keys' layer: what a word is found by is also what is taken from it, and `w_v` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `key` and `value`.",
            "`value = self.w_v(memory)`.",
        ),
        (V, "self.w_k(memory)"),
        group="layers",
    ),
    mistake(
        "memory_not_projected",
        "You use the memory itself as keys and as values: `w_k` and `w_v` never learn.",
        (
            "Which of the four layers receive no gradient?",
            "What becomes of `memory` before it meets the queries?",
            "`key = self.w_k(memory)` and `value = self.w_v(memory)`.",
        ),
        (K, "memory"),
        (V, "memory"),
        group="layers",
    ),
    mistake(
        "queries_not_projected",
        "You use `x` itself as queries: `w_q` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "What becomes of `x` before it meets the keys?",
            "`query = self.w_q(x)`.",
        ),
        (Q, "x"),
        group="layers",
    ),
    mistake(
        "keys_not_projected",
        "You use the memory itself as keys: `w_k` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "What becomes of `memory` before it meets the queries?",
            "`key = self.w_k(memory)`.",
        ),
        (K, "memory"),
        group="layers",
    ),
    mistake(
        "values_not_projected",
        "You use the memory itself as values: `w_v` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Of what do your weights take the average: of `memory`, or of what `w_v` makes of it?",
            "`value = self.w_v(memory)`.",
        ),
        (V, "memory"),
        group="layers",
    ),
    mistake(
        "keys_and_values_swapped",
        "You make the keys with `w_v` and the values with `w_k`: each of the two layers does the other's work.",
        (
            "Which layer says what a word is found by, and which what is taken from it?",
            "Compare the names on both sides of your lines for `key` and `value`, and the order of your attention's arguments.",
            "`key = self.w_k(memory)`, `value = self.w_v(memory)`.",
        ),
        (K, "self.w_v (memory)"),
        (V, "self.w_k(memory)"),
        group=ALONE,
    ),
    # the mask
    mistake(
        "mask_not_passed",
        "Your mask hides nothing: the padding of the source is seen like words. Either you do not pass `mask` on, or what you do with it leaves the scores as they are.",
        (
            "Call your module with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            f"`{ATTEND}`.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value)"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You turn the mask round before you pass it on: what may be seen is hidden. Here True means *may attend* (`nn.MultiheadAttention` reads its masks the other way round).",
        (
            "Where the mask is True, may a token be seen? And in your module?",
            "What happens to `mask` on its way from `forward` to your attention?",
            f"Pass it on as it is: `{ATTEND}`.",
        ),
        (CALL, f"mask = None if mask is None else ~mask\n        {CALL}"),
        group="mask",
    ),
    mistake(
        "only_earlier_source_words",
        "You let target token t look at source tokens 0 to t only. There is no future to hide in the source: it was read before anything is written.",
        (
            "Change the last source token. Does the first output move? Should it?",
            "A causal mask belongs to one of the decoder's two attentions. To which?",
            "Leave out the triangle: the only mask is the one that `forward` is given.",
        ),
        (
            CALL,
            "earlier = torch.ones(x.size(1), memory.size(1), dtype=torch.bool).tril()\n"
            f"        mask = earlier if mask is None else mask & earlier\n        {CALL}",
        ),
        group="mask",
    ),
    mistake(
        "mask_transposed",
        "You transpose the mask. Its rows are queries, its columns keys, (T, S); turned over, it fits only where both sentences are of one length, and then hides the wrong words.",
        (
            "In a mask of shape (T, S), what is a row: a target token, or a source token?",
            "A padding mask (B, 1, S) has one row for all queries. Which shape does it have when it reaches your scores?",
            "Pass the mask on as it is: it is (query, key) already.",
        ),
        (CALL, f"mask = None if mask is None else mask.transpose(-2, -1)\n        {CALL}"),
        group="mask",
    ),
    mistake(
        "mask_on_the_weights_alone",
        "Only the weights that you return are masked. The output is made of others, in which padding is seen like words.",
        (
            "Multiply the weights that you return with the values. Is that what goes into `w_o`?",
            "How often do you work out weights, and which of them meet the values?",
            f"`{CALL}`: one pair of output and weights, both masked.",
        ),
        (CALL, f"attended, _ = scaled_dot_product_attention(query, key, value)\n        _, weights = {ATTEND}"),
        group=ALONE,
    ),
    # attention itself
    mistake(
        "scores_returned_as_weights",
        "Where the weights are asked for you return the scores, before their softmax. The output is right.",
        (
            "Ask for the weights, and add up one row. What should it be?",
            "Which of your names do you return: the one from before the softmax, or the one from after it?",
            "`weights = torch.softmax(scores, dim=-1)`; return `output, weights`.",
        ),
        (CALL, f"attended, weights = {ATTEND}\n        weights = weights.clamp(min=1e-30).log() + 0.5"),
        group=ALONE,
        recogniser=scores_in_place_of_weights,
    ),
    mistake(
        "drops_in_evaluation",
        "You drop some of the weights at random, in evaluation too: the same question gets another answer each time. `F.dropout` is active unless it is told `training=self.training`; and this layer has no dropout.",
        (
            "Call your module twice with the same tensors. Is it the same?",
            "Where do you call `dropout`? Is it asked for?",
            "Leave it out.",
        ),
        (CALL, f"{CALL}\n        attended = F.dropout(weights, 0.1) @ value"),
        group=ALONE,
        recogniser=drops_weights_by_chance,
    ),
    mistake(
        "unscaled",
        "Your weights come from scores that nothing has divided by √d_model.",
        (
            "Follow the scores from the product of queries and keys to the softmax. Where are they scaled?",
            "Do you write attention out, where `scaled_dot_product_attention` is at hand?",
            f"`{ATTEND}`, or divide the scores by `math.sqrt(query.size(-1))` before the softmax.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1)", -1)),
        group=ALONE,
    ),
    mistake(
        "softmax_over_queries",
        "Your weights sum to 1 down the columns: over the target tokens that ask for a source token, where they should over the source tokens. On (B, T, S), `dim=1` is the queries' axis.",
        (
            "Ask for the weights. Add up one row, then one column. Which is 1?",
            "Along which axis does your softmax run?",
            "`torch.softmax(scores, dim=-1)`.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))", 1)),
        group=ALONE,
    ),
    # the output, and what is returned
    mistake(
        "output_not_projected",
        "You return what attention gives you. The last layer, `w_o`, is not used, and never learns.",
        (
            "Which of the four layers receive no gradient?",
            "The formula ends in `V W_o`. Where does your code end?",
            "`output = self.w_o(attended)`.",
        ),
        (PROJECT, "attended"),
        group="output",
    ),
    mistake(
        "residual_added",
        "You add `x` to the output. That is the residual connection; `ResidualSublayer` adds it around the layer, and not inside it.",
        (
            "If all values were 0 and `w_o` had no bias, what should your module return? What does it return?",
            "Compare your last lines with the formula in the docstring. Which term is not in it?",
            "`output = self.w_o(attended)`, and nothing added.",
        ),
        (PROJECT, f"{PROJECT} + x"),
        group="output",
    ),
    mistake(
        "memory_detached",
        "Your numbers are right, but the memory is cut out of the graph: nothing that the decoder gets wrong ever teaches the encoder.",
        (
            "Does `memory` receive a gradient?",
            "Between `memory` and your keys the graph is cut. Do you use `detach`, `.data` or `torch.no_grad` there?",
            "`key = self.w_k(memory)` and `value = self.w_v(memory)`, with the memory as it comes.",
        ),
        (f"query = {Q}", f"memory = memory.detach()\n        query = {Q}"),
        group=ALONE,
    ),
    mistake(
        "weights_always_returned",
        "You return output and weights whether or not the weights are asked for.",
        (
            "What is `type(module(x, memory))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output, weights"),
        group=ALONE,
    ),
    mistake(
        "weights_never_returned",
        "You return the output alone, also where the weights are asked for.",
        (
            "What is `type(module(x, memory, need_weights=True))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output"),
        group=ALONE,
    ),
    mistake(
        "weights_first",
        "Where the weights are asked for you return them first. The output is the first of the two.",
        (
            "Which shape has the first thing you return with `need_weights=True`?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (weights, output) if need_weights else output"),
        group=ALONE,
    ),
    mistake(
        "values_of_the_projected_keys",
        "Your values are projected twice, first by `w_k` and then by `w_v`: you hand the keys to `w_v`, where the memory itself is asked for.",
        (
            "What goes into each of the three projections?",
            "K and V are two views of the same memory. Through how many layers have your values gone?",
            "`key = self.w_k(memory)` and `value = self.w_v(memory)`, both from `memory`.",
        ),
        ("self.w_v(memory)", "self.w_v(self.w_k (memory))"),
        group="layers",
    ),
    mistake(
        "masked_after_softmax",
        "You apply the mask after the softmax. By then the masked source tokens have taken their share, and the weights that are left in a row no longer sum to 1.",
        (
            "Add up one row of your weights, with a mask. Where is the rest?",
            "The softmax should not see masked keys at all. Which score makes exp(score) 0?",
            "Hand the mask to `scaled_dot_product_attention`, or fill the masked scores with a very negative number before the softmax.",
        ),
        (
            CALL,
            """attended, weights = scaled_dot_product_attention(query, key, value)
        if mask is not None:
            weights = weights * mask
        attended = weights @ value""",
        ),
        group="mask",
    ),
    mistake(
        "mask_only_with_weights",
        "You pass the mask on only where the weights are asked for. Without `need_weights`, the padding of the source is seen like words.",
        (
            "Call your module twice with the same mask, with and without `need_weights=True`. Are the outputs equal?",
            "You have two calls of attention. What do you hand to each?",
            "Call attention once, with the mask, and decide about `need_weights` only when you return.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value, mask if need_weights else None)"),
        group="mask",
    ),
    mistake(
        "mask_only_without_weights",
        "Where the weights are asked for, you do not pass the mask on: the padding of the source is seen, and gets a weight.",
        (
            "Call your module twice with the same mask, with and without `need_weights=True`. Are the outputs equal?",
            "You have two calls of attention. What do you hand to each?",
            "Call attention once, with the mask, and decide about `need_weights` only when you return.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value, None if need_weights else mask)"),
        group="mask",
    ),
    mistake(
        "projected_only_without_weights",
        "Where the weights are asked for, you return the output from before `w_o`. Whether or not the weights are returned, the output is the same.",
        (
            "Call your module with `need_weights=True` and without. Are the two outputs the same?",
            "Compare the two places where you return.",
            f"`output = {PROJECT}` first, then `{RETURN}`.",
        ),
        (RETURN, RETURN.replace("(output, weights)", "(attended, weights)")),
        group=ALONE,
    ),
    mistake(
        "scaled_by_num_keys",
        "You divide the scores by the square root of the *number* of keys, S. What grows with the width D is the variance of a score, so √D is what to divide by; the length of the source has no part in it.",
        (
            "Make the source twice as long. Should the scores of its first tokens change? Do yours?",
            "Which axis does the size under your square root belong to? After a transpose, the last axis of the keys is no longer their width.",
            f"`{ATTEND}`, or `scores / math.sqrt(query.size(-1))`.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1) / math.sqrt(key.size(-2))", -1)),
        group=ALONE,
    ),
)


class InOneExpression(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        out, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask=mask)
        if need_weights:
            return self.w_o(out), attn
        return self.w_o(out)


class WrittenOut(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        B, T, D = x.shape
        S = memory.shape[1]
        scores = torch.bmm(self.w_q(x), self.w_k(memory).transpose(1, 2)) / D**0.5
        if mask is not None:
            scores = scores.masked_fill(mask.expand(B, T, S) == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        output = self.w_o(torch.bmm(weights, self.w_v(memory)))
        return (output, weights) if need_weights else output


class EinsumAndLinear(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        q = F.linear(x, self.w_q.weight, self.w_q.bias) * x.shape[-1] ** -0.5
        k = F.linear(memory, self.w_k.weight, self.w_k.bias)
        v = F.linear(memory, self.w_v.weight, self.w_v.bias)
        scores = torch.einsum("btd,bsd->bts", q, k)
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, v))
        return [output, (output, weights)][need_weights]


class KeysAndValuesInOne(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weight = torch.cat([self.w_k.weight, self.w_v.weight])
        bias = None if self.w_k.bias is None else torch.cat([self.w_k.bias, self.w_v.bias])
        key, value = F.linear(memory, weight, bias).chunk(2, dim=-1)
        output, weights = scaled_dot_product_attention(self.w_q(x), key, value, mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output


class TokenByToken(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        keys, values = self.w_k(memory), self.w_v(memory)
        if mask is not None:
            mask = torch.broadcast_to(mask, (x.shape[0], x.shape[1], memory.shape[1]))
        outputs, rows = [], []
        for t in range(x.shape[1]):
            scores = (keys @ self.w_q(x[:, t]).unsqueeze(-1)).squeeze(-1) / math.sqrt(x.shape[-1])
            if mask is not None:
                scores = scores - 1e9 * (~mask[:, t]).float()
            row = torch.softmax(scores, dim=-1)
            rows.append(row)
            outputs.append(self.w_o((row[:, None] @ values)[:, 0]))
        output = torch.stack(outputs, dim=1)
        return (output, torch.stack(rows, dim=1)) if need_weights else output


class stub(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        raise NotImplementedError


class Zeros(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weights = torch.zeros(x.size(0), x.size(1), memory.size(1))
        return (x * 0, weights) if need_weights else x * 0


class TheInputItself(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        return (x, x @ memory.mT) if need_weights else x


class Uniform(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weights = torch.full((x.size(0), x.size(1), memory.size(1)), 1 / memory.size(1))
        output = self.w_o(self.w_v(memory).mean(dim=1, keepdim=True).expand_as(x))
        return (output, weights) if need_weights else output


class Noise(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        output, weights = torch.rand(x.shape), torch.rand(x.size(0), x.size(1), memory.size(1))
        return (output, weights) if need_weights else output


CROSS_ATTENTION = define(
    id="cross_attention",
    lesson="08_transformer",
    place=0,
    module="course_lib.components.cross_attention",
    symbol="CrossAttention",
    minutes=5,
    laws=LAWS,
    hints=(
        "It is `SelfAttention` of lesson 03 with two sequences instead of one. Who asks? Who is asked, and what is taken from there?",
        "Five lines: one projection of `x`, two of `memory`, your attention with the mask, one last projection. The weights are (B, T, S).",
        "`self.w_q(x)`, `self.w_k(memory)`, `self.w_v(memory)` and `mask` go into `scaled_dot_product_attention`; its output goes through `self.w_o`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WrittenOut, EinsumAndLinear, KeysAndValuesInOne, TokenByToken),
    lazy=(stub, Zeros, TheInputItself, Uniform, Noise),
    write=("forward",),
    switches=("roles", "mask", "output"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class CrossInSteps(CrossAttention):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


@CROSS_ATTENTION.second_version("memory_asks")
class NamesExchanged(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x=memory, memory=x)


@CROSS_ATTENTION.second_version("memory_ignored")
class ItselfOnly(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, x)


@CROSS_ATTENTION.second_version("keys_from_x")
class MemoryAsValuesOnly(CrossInSteps):
    def roles(self, x, memory):
        return self.w_q(x), self.w_k(x), self.w_v(memory)


@CROSS_ATTENTION.second_version("memory_cut_to_the_target")
class AsPrinted(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, memory.narrow(1, 0, min(x.size(1), memory.size(1))))


@CROSS_ATTENTION.second_version("values_by_w_k")
class KeysAreValues(CrossInSteps):
    def roles(self, x, memory):
        q, k, _ = super().roles(x, memory)
        return q, k, k


@CROSS_ATTENTION.second_version("mask_not_passed")
class NothingHidden(CrossInSteps):
    def hide(self, scores, mask):
        return scores


@CROSS_ATTENTION.second_version("mask_inverted")
class TrueIsBlocked(CrossInSteps):
    def hide(self, scores, mask):
        return scores if mask is None else torch.where(mask, -1e9, scores)


@CROSS_ATTENTION.second_version("only_earlier_source_words")
class TriangleAdded(CrossInSteps):
    def hide(self, scores, mask):
        return super().hide(scores + torch.full(scores.shape[1:], -1e9).triu(1), mask)


@CROSS_ATTENTION.second_version("softmax_over_queries")
class DownTheColumns(CrossInSteps):
    def spread(self, scores):
        return scores.transpose(1, 2).softmax(-1).transpose(1, 2)


@CROSS_ATTENTION.second_version("residual_added")
class AddedAtTheEnd(CrossInSteps):
    def finish(self, mixed, x):
        return torch.add(self.w_o(mixed), x)


@CROSS_ATTENTION.second_version("weights_first")
class TableFirst(CrossInSteps):
    def hand_over(self, output, weights, need_weights):
        return (weights, output) if need_weights else output


@CROSS_ATTENTION.second_version("queries_not_projected")
class AsksAsItIs(CrossInSteps):
    def roles(self, x, memory):
        return x, *super().roles(x, memory)[1:]


@CROSS_ATTENTION.second_version("keys_not_projected")
class ComparedAsItIs(CrossInSteps):
    def roles(self, x, memory):
        query, _, value = super().roles(x, memory)
        return query, memory, value


@CROSS_ATTENTION.second_version("values_not_projected")
class AveragedAsItIs(CrossInSteps):
    def roles(self, x, memory):
        return *super().roles(x, memory)[:2], memory


@CROSS_ATTENTION.second_version("mask_on_the_weights_alone")
class TwoTables(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        output = super().forward(x, memory)
        return (output, super().forward(x, memory, mask, True)[1]) if need_weights else output


@CROSS_ATTENTION.second_version("scores_returned_as_weights")
class BeforeTheSoftmax(CrossInSteps):
    def hide(self, scores, mask):
        self.scores = super().hide(scores, mask)
        return self.scores

    def hand_over(self, output, weights, need_weights):
        return super().hand_over(output, self.scores, need_weights)


@CROSS_ATTENTION.second_version("drops_in_evaluation")
class DropsAlways(CrossInSteps):
    def spread(self, scores):
        return nn.Dropout(0.2)(super().spread(scores))


@CROSS_ATTENTION.second_version("values_of_the_projected_keys")
class KeysUnderTheNameOfTheMemory(CrossInSteps):
    def roles(self, x, memory):
        q, k, _ = super().roles(x, memory)
        return q, k, self.w_v(k)


@CROSS_ATTENTION.second_version("masked_after_softmax")
class HiddenTooLate(CrossInSteps):
    def hide(self, scores, mask):
        self.mask = mask
        return scores

    def spread(self, scores):
        weights = super().spread(scores)
        return weights if self.mask is None else torch.where(self.mask, weights, 0.0)


@CROSS_ATTENTION.second_version("mask_only_with_weights")
class MaskForTheLookersOn(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, mask if need_weights else None, need_weights)


@CROSS_ATTENTION.second_version("mask_only_without_weights")
class NoMaskForTheLookersOn(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, None if need_weights else mask, need_weights)


@CROSS_ATTENTION.second_version("projected_only_without_weights")
class ReturnsTooEarly(CrossInSteps):
    def finish(self, mixed, x):
        self.mixed = mixed
        return super().finish(mixed, x)

    def hand_over(self, output, weights, need_weights):
        return (self.mixed, weights) if need_weights else output


@CROSS_ATTENTION.second_version("scaled_by_num_keys")
class RootOfTheSource(CrossInSteps):
    def roles(self, x, memory):
        q, k, v = super().roles(x, memory)
        return q * (x.size(-1) / memory.size(1)) ** 0.5, k, v
