"""Exercise `self_attention`: queries, keys and values from one sequence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, inputs_unchanged, moves_along, unmoved
from course_lib.checking.values import Value
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.self_attention import SelfAttention

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(draw: Draw, d_model: int) -> dict[str, Tensor]:
    """A weight and a bias for each of the four layers."""
    matrices = {f"{layer}.weight": draw.tensor(d_model, d_model, scale=0.3) for layer in LAYERS}
    return matrices | {f"{layer}.bias": draw.tensor(d_model, scale=0.3) for layer in LAYERS}


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    **more: Value,
) -> Question:
    build: dict[str, Value] = {"d_model": weights["w_q.weight"].size(0)}
    if "w_q.bias" not in weights:
        build["bias"] = False
    return Question(
        name,
        probes.module,
        {"build": build, "weights": weights, "calls": list(calls), "returns": list(returns), **more},
    )


def _on_paper(draw: Draw) -> tuple[dict[str, Tensor], Tensor]:
    """Layers of width 2, without a bias, and three tokens."""
    matrices = ([[1, 0], [0, 2]], [[0, 1], [1, 0]], [[2, 0], [1, 1]], [[1, 1], [0, 1]])
    weights = {f"{layer}.weight": torch.tensor(m).double() for layer, m in zip(LAYERS, matrices, strict=True)}
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    return weights, x + draw.tensor(1, 3, 2, scale=0.4).round(decimals=1)


def _mask(draw: Draw, *shape: int) -> Tensor:
    """A mask that lets each token see the first, and some of the others: no mistake empties a row of it."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), draw.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, tokens in another order, another second sentence, masks; and a cube, to name what crashes."""
    few, length = sorted(draw.sizes(2))
    (d_model,) = draw.widths(1)
    weights, x = _on_paper(draw)
    yield _question("by_hand", weights, {"x": x})
    weights, x = _weights(draw, d_model), draw.tensor(few, length, d_model)
    order = draw.order(length)
    other = torch.cat([x[:1], draw.tensor(few - 1, length, d_model)])
    yield _question("plain", weights, {"x": x}, {"x": x[:, order]}, {"x": other}, noted={"order": order})
    yield _question("with_weights", weights, {"x": x, "need_weights": True}, returns=("output", "weights"))
    yield _question(
        "masked",
        weights,
        {"x": x, "mask": _mask(draw, length, length)},
        {"x": x, "mask": _mask(draw, few, 1, length)},
    )
    masked = {"x": x, "mask": _mask(draw, length, length), "need_weights": True}
    yield _question("masked_weights", weights, masked, returns=("output", "weights"))
    upstream = {"output": draw.tensor(few, length, d_model)}
    yield _question("gradients", _weights(draw, d_model), {"x": x}, upstream=upstream)
    yield _question("cube", _weights(draw, 2), {"x": draw.tensor(2, 2, 2)})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three tokens of width 2 come out right", 0.5,
        {"fields": ["calls/0/output"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.75,
        {"fields": ["calls/0/output"]}, also=("cube",)),
    Law("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns output and weights", 0.5,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Law("masked", equals_reference, "masked", "a mask (T, T) comes out right", 0.5,
        {"fields": ["calls/0/output"]}, also=("masked_weights",)),
    Law("padding_mask", equals_reference, "masked", "a mask (B, 1, T), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["calls/1/output"]}),
    Law("equivariant", moves_along, "plain", "tokens in another order give the same outputs in that order", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "order": "noted/order", "axis": -2}, needs="equals_plain"),
    Law("sentences_apart", unmoved, "plain", "another second sentence leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [0]}, needs="equals_plain"),
    Law("every_layer_learns", every_gradient_flows, "gradients", "each of the four layers receives a gradient", 0.25,
        needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradients of `x` and of every weight are right", 0.5,
        {"fields": ["gradients/x", *(f"gradients/{layer}.{part}" for layer in LAYERS for part in ("weight", "bias"))]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were", 0.25,
        {"arguments": "calls/1"}, needs="masked"),
)  # fmt: skip

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
    # the projections
    mistake(
        "keys_by_w_q",
        "You make the keys with `w_q`, the queries' layer. Each token's question and offer are then the same vector, and `w_k` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `query` and `key`.",
            "`key = self.w_k(x)`.",
        ),
        ("self.w_k(x)", "self.w_q(x)"),
        group="projection",
    ),
    mistake(
        "values_not_projected",
        "You mix the tokens themselves: the values are `x`, and `w_v` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "What goes into your attention as the third argument?",
            "`value = self.w_v(x)`.",
        ),
        ("self.w_v(x)", "x"),
        group="projection",
    ),
    mistake(
        "keys_as_values",
        "You use the keys as values too, so what a token is found by is also what it passes on, and `w_v` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `key` and `value`.",
            "`value = self.w_v(x)`.",
        ),
        ("self.w_v(x)", "self.w_k(x)"),
        group="projection",
    ),
    mistake(
        "queries_and_keys_swapped",
        "You make the queries with `w_k` and the keys with `w_q`. Your table of scores comes out transposed: the words that ask and the words that are asked have traded roles.",
        (
            "Which layer should ask, and which should be asked?",
            "Compare the names on both sides of your first two lines, and the order of the arguments of your attention.",
            "`query = self.w_q(x)`, `key = self.w_k(x)`, and the attention of `(query, key, value, mask)`.",
        ),
        ("self.w_q(x)", "self.w_k (x)"),
        ("self.w_k(x)", "self.w_q(x)"),
        group="projection",
    ),
    mistake(
        "keys_and_values_swapped",
        "You make the keys with `w_v` and the values with `w_k`: each of the two layers does the other's work.",
        (
            "Which layer says what a token is found by, and which says what it passes on?",
            "Compare the names on both sides of your lines for `key` and `value`, and the order of your attention's arguments.",
            "`key = self.w_k(x)`, `value = self.w_v(x)`.",
        ),
        ("self.w_k(x)", "self.w_v (x)"),
        ("self.w_v(x)", "self.w_k(x)"),
    ),
    mistake(
        "one_projection_for_all",
        "You make queries, keys and values with one layer, `w_q`. `w_k` and `w_v` never learn.",
        (
            "Which of the four layers receive no gradient?",
            "Three roles, three layers. How many of them do your first lines use?",
            "`query = self.w_q(x)`, `key = self.w_k(x)`, `value = self.w_v(x)`.",
        ),
        ("self.w_k(x)", "self.w_q (x)"),
        ("self.w_v(x)", "self.w_q (x)"),
    ),
    mistake(
        "weights_not_transposed",
        "You multiply `x` by the weights as they are stored. An `nn.Linear` stores its weight as (out, in), and computes `x @ weight.T + bias`.",
        (
            "Compare `x @ self.w_q.weight` with `self.w_q(x)`. Where both are square, only the values can tell.",
            "Which axis of `weight` is the input's: the first or the last?",
            "Call the layer, `self.w_q(x)`, or write `x @ self.w_q.weight.T + self.w_q.bias`.",
        ),
        ("self.w_q(x)", "x @ self.w_q.weight + self.w_q.bias"),
        ("self.w_k(x)", "x @ self.w_k.weight + self.w_k.bias"),
        ("self.w_v(x)", "x @ self.w_v.weight + self.w_v.bias"),
        (PROJECT, "attended @ self.w_o.weight + self.w_o.bias"),
    ),
    mistake(
        "biases_forgotten",
        "You use the weights of the layers, but not their biases.",
        (
            "What does `self.w_q` hold besides `self.w_q.weight`?",
            "Which of the parameters receive no gradient? Is each of them somewhere in your `forward`?",
            "Call the layer, `self.w_q(x)`: it multiplies by the weight and adds the bias.",
        ),
        ("self.w_q(x)", "x @ self.w_q.weight.T"),
        ("self.w_k(x)", "x @ self.w_k.weight.T"),
        ("self.w_v(x)", "x @ self.w_v.weight.T"),
        (PROJECT, "attended @ self.w_o.weight.T"),
    ),
    # the mask
    mistake(
        "mask_not_passed",
        "Your `forward` takes a mask and does nothing with it, so masked tokens are seen as if there were no mask.",
        (
            "Call your module with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            "`scaled_dot_product_attention(query, key, value, mask)`.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value)"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You invert the mask before you pass it on, so what may be seen is hidden. Here True means *may attend*, in your attention too "
        "(`nn.MultiheadAttention` reads its masks the other way round).",
        (
            "Where the mask is True, may a token be seen? And in your module?",
            "What happens to `mask` on its way from `forward` to your attention?",
            "Pass it on unchanged: `scaled_dot_product_attention(query, key, value, mask)`.",
        ),
        (CALL, f"mask = None if mask is None else ~mask\n        {CALL}"),
        group="mask",
    ),
    mistake(
        "only_earlier_tokens",
        "You let each token look at itself and at earlier ones only. That is a decoder's mask. Here, without a mask, every token sees every token.",
        (
            "Change the last token. Does the first output move? Should it?",
            "The encoder's keys are sometimes written `k_{1:j}`. Which keys does a token see when the whole sentence is there?",
            "Leave out the triangle: the only mask is the one that `forward` is given.",
        ),
        (
            CALL,
            "earlier = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()\n"
            f"        mask = earlier if mask is None else mask & earlier\n        {CALL}",
        ),
        group="mask",
    ),
    mistake(
        "own_token_hidden",
        'You hide each token from itself. One lecture says "all the *other* words", but its sum runs over all words, the token\'s own among them.',
        (
            "Ask for the weights and look at the diagonal. What should it be?",
            "Besides the mask you are given, you hide something. What?",
            "Leave out the diagonal: the only mask is the one that `forward` is given.",
        ),
        (
            CALL,
            "others = ~torch.eye(x.size(1), dtype=torch.bool)\n"
            f"        mask = others if mask is None else mask & others\n        {CALL}",
        ),
        group="mask",
    ),
    mistake(
        "mask_on_queries",
        "You transpose the mask: its rows say what a *query* may see, and you read them as who may see a *key*. Padding is then seen, and its own queries are hidden.",
        (
            "In a mask of shape (T, T), what is a row: a query, or a key?",
            "A padding mask (B, 1, T) has one row for all queries. Which shape does it have when it reaches your scores?",
            "Pass the mask on as it is: it is (query, key) already.",
        ),
        (CALL, f"mask = None if mask is None else mask.transpose(-2, -1)\n        {CALL}"),
    ),
    # the output
    mistake(
        "output_not_projected",
        "You return what attention gives you. The last layer, `w_o`, is never used, so it never learns.",
        (
            "Which of the four layers receive no gradient?",
            "The lesson's formula ends in $W_o$. Where does your code end?",
            "`output = self.w_o(attended)`.",
        ),
        (PROJECT, "attended"),
        group="output",
    ),
    mistake(
        "residual_added",
        "You add the input to the output. That is a residual connection; it comes later, around the layer, and not inside it.",
        (
            "If all values were 0 and `w_o` had no bias, what should your module return? What does it return?",
            "Compare your last lines with the formula in the lesson. Which term is not in it?",
            "`output = self.w_o(attended)`, and nothing added.",
        ),
        (PROJECT, f"{PROJECT} + x"),
        group="output",
    ),
    mistake(
        "input_overwritten",
        "You add your output to `x` in place, so your caller's tokens are changed, and the output contains the input too.",
        (
            "Print `x` before and after a call of your module.",
            "`x += ...` changes the tensor you were given. And should anything be added to `x` here?",
            "`output = self.w_o(attended)`, and nothing added.",
        ),
        (f"output = {PROJECT}", f"x += {PROJECT}\n        output = x"),
    ),
    mistake(
        "attention_thrown_away",
        "You apply `w_o` to the input instead of to what attention returns, so nothing that attention finds reaches the output.",
        (
            "Change the last token. Does the first output move?",
            "What do you hand to `w_o`? And where does the result of your attention go?",
            "`output = self.w_o(attended)`.",
        ),
        (PROJECT, "self.w_o(x)"),
    ),
    mistake(
        "attended_detached",
        "Your numbers are right, but what attention gives is cut out of the graph: `w_q`, `w_k` and `w_v` never learn, nor does anything in front of them.",
        (
            "Which of the four layers receive a gradient?",
            "Between attention and `w_o` the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "Hand on what attention returns as it is: `output = self.w_o(attended)`.",
        ),
        (PROJECT, "self.w_o(attended.detach())"),
    ),
    # attention itself
    mistake(
        "scaled_twice",
        "You scale the queries, and attention scales the scores once more: together that divides by d_model, not by its square root.",
        (
            "How many times are your scores divided by √d_model, from `x` to the softmax?",
            "Your attention function scales by itself. What do you do to the queries, or to the keys, before you call it?",
            "Hand over the queries as they are: `query = self.w_q(x)`.",
        ),
        ("self.w_q(x)", "self.w_q(x) / math.sqrt(x.size(-1))"),
    ),
    mistake(
        "unscaled",
        "Your weights come from scores that nothing has divided by √d_model. "
        "If you call your `scaled_dot_product_attention`, the scale is missing there; if you wrote attention out again, here.",
        (
            "Does your `scaled_dot_product_attention` pass its own check?",
            "Follow the scores from the product of queries and keys to the softmax. Where are they scaled?",
            "Divide the scores by `math.sqrt(query.size(-1))` before the softmax.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1)", -1)),
    ),
    mistake(
        "softmax_over_queries",
        "Your weights sum to 1 down the columns: over the queries of each key, where they should over the keys of each query. "
        "On (B, T, T), `dim=1` is that axis.",
        (
            "Ask for the weights. Add up one row, then one column. Which is 1?",
            "Along which axis does your softmax run, here or in the attention function you call?",
            "`torch.softmax(scores, dim=-1)`.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))", 1)),
    ),
    # what is returned
    mistake(
        "weights_always_returned",
        "You return output and weights whether or not the weights are asked for.",
        (
            "What is `type(module(x))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output, weights"),
    ),
    mistake(
        "weights_never_returned",
        "You return only the output, even when the weights are asked for.",
        (
            "What is `type(module(x, need_weights=True))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output"),
    ),
    mistake(
        "weights_first",
        "Where the weights are asked for you return them first. The output is the first of the two.",
        (
            "What shape does the first thing you return have with `need_weights=True`?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (weights, output) if need_weights else output"),
    ),
    mistake(
        "earlier_tokens_without_a_mask",
        "Where no mask is given, you let each token look at itself and at earlier ones only. That is a decoder's mask; here no mask means that every token sees every token.",
        (
            "Change the last token, without a mask. Does the first output move? Should it?",
            "What does your `forward` do where `mask is None`?",
            "Hand `mask` on as it is; `scaled_dot_product_attention` takes None too.",
        ),
        (
            CALL,
            f"if mask is None:\n            mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()\n        {CALL}",
        ),
        group="mask",
    ),
    mistake(
        "queries_by_w_k",
        "You make the queries with `w_k`, the keys' layer. Each token's question and offer are then the same vector, and `w_q` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `query` and `key`.",
            "`query = self.w_q(x)`.",
        ),
        ("self.w_q(x)", "self.w_k(x)"),
        group="projection",
    ),
    mistake(
        "stored_weights_without_biases",
        "You multiply by the weights as they are stored, and leave out the biases. `nn.Linear` stores a weight as (out, in), so it would have to be transposed first.",
        (
            "What is `nn.Linear(2, 3).weight.shape`? And what does the layer hold besides?",
            "Look for `self.w_q.weight` in your code. A layer can be called like a function.",
            "Call the layer, `self.w_q(x)`: it multiplies by the transposed weight and adds the bias.",
        ),
        ("self.w_q(x)", "x @ self.w_q.weight"),
        ("self.w_k(x)", "x @ self.w_k.weight"),
        ("self.w_v(x)", "x @ self.w_v.weight"),
        (PROJECT, "attended @ self.w_o.weight"),
    ),
    mistake(
        "projected_only_without_weights",
        "Where the weights are asked for, you return the output as attention gives it, without `w_o`. Otherwise it is right.",
        (
            "Call your module with `need_weights=True` and without. Are the two outputs the same?",
            "Compare your two `return` lines.",
            f"`output = {PROJECT}` first, then `{RETURN}`.",
        ),
        (RETURN, RETURN.replace("(output, weights)", "(attended, weights)")),
    ),
    mistake(
        "values_of_the_projected_keys",
        "Your values are projected twice, first by `w_k` and then by `w_v`: you hand the keys to `w_v`, where the input itself is asked for.",
        (
            "What goes into each of the three projections?",
            "Q, K and V are three views of the same tokens. Through how many layers have your values gone?",
            "`key = self.w_k(x)` and `value = self.w_v(x)`, both from `x`.",
        ),
        ("self.w_v(x)", "self.w_v(self.w_k(x))"),
        group="projection",
    ),
    mistake(
        "mask_only_with_weights",
        "You pass the mask on only where the weights are asked for. Without `need_weights`, masked tokens are seen as if there were no mask.",
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
        "Where the weights are asked for, you do not pass the mask on: masked tokens are seen, and get a weight.",
        (
            "Call your module twice with the same mask, with and without `need_weights=True`. Are the outputs equal?",
            "You have two calls of attention. What do you hand to each?",
            "Call attention once, with the mask, and decide about `need_weights` only when you return.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value, None if need_weights else mask)"),
        group="mask",
    ),
    mistake(
        "masked_after_softmax",
        "You apply the mask after the softmax. By then the masked tokens have taken their share, and the weights that are left in a row no longer sum to 1.",
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
        "scaled_by_num_keys",
        "You divide the scores by the square root of the *number* of keys, T. What grows with the width D is the variance of a score, so √D is what to divide by; the length of the sentence has no part in it. If you call your `scaled_dot_product_attention`, it happens there; if you wrote attention out again, here.",
        (
            "Make the sentence twice as long. Should the scores of its first tokens change? Do yours?",
            "Which axis does the size under your square root belong to? After a transpose, the last axis of the keys is no longer their width.",
            f"`{ATTEND}`, or `scores / math.sqrt(query.size(-1))`.",
        ),
        (CALL, _inline("query @ key.transpose(-2, -1) / math.sqrt(key.size(-2))", -1)),
    ),
)


class InOneExpression(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        out, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask=mask)
        if need_weights:
            return self.w_o(out), attn
        return self.w_o(out)


class WrittenOut(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        B, T, D = x.shape
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / D**0.5
        if mask is not None:
            scores = scores.masked_fill(mask.expand(B, T, T) == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        output = self.w_o(torch.bmm(weights, v))
        return (output, weights) if need_weights else output


class EinsumAndLinear(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = F.linear(x, self.w_q.weight, self.w_q.bias) * x.shape[-1] ** -0.5
        k = F.linear(x, self.w_k.weight, self.w_k.bias)
        v = F.linear(x, self.w_v.weight, self.w_v.bias)
        scores = torch.einsum("bid,bjd->bij", q, k)
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        mixed = torch.einsum("bij,bjd->bid", weights, v)
        output = F.linear(mixed, self.w_o.weight, self.w_o.bias)
        if not need_weights:
            return output
        return output, weights


class StackedAndChunked(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])
        query, key, value = F.linear(x, weight, bias).chunk(3, dim=-1)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        output = self.w_o(output)
        return [output, (output, weights)][need_weights]


class SentenceBySentence(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        if mask is not None:
            mask = mask.expand(x.size(0), x.size(1), x.size(1))
        outputs, tables = [], []
        for b, sentence in enumerate(x):
            allowed = None if mask is None else mask[b]
            attended, table = scaled_dot_product_attention(
                self.w_q(sentence), self.w_k(sentence), self.w_v(sentence), allowed
            )
            outputs.append(self.w_o(attended))
            tables.append(table)
        if need_weights:
            return torch.stack(outputs), torch.stack(tables)
        return torch.stack(outputs)


class TokenByToken(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        length = x.shape[1]
        keys, values = self.w_k(x), self.w_v(x)
        if mask is not None:
            mask = torch.broadcast_to(mask, (x.shape[0], length, length))
        outputs, rows = [], []
        for i in range(length):
            scores = (keys @ self.w_q(x[:, i]).unsqueeze(-1)).squeeze(-1) / math.sqrt(x.shape[-1])
            if mask is not None:
                scores = scores - 1e9 * (~mask[:, i]).float()
            row = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
            row = row / row.sum(dim=-1, keepdim=True)
            rows.append(row)
            outputs.append(self.w_o((row[:, None] @ values)[:, 0]))
        output = torch.stack(outputs, dim=1)
        return (output, torch.stack(rows, dim=1)) if need_weights else output


class ByMatrices(SelfAttention):
    def project(self, layer, x):
        projected = x @ layer.weight.T
        return projected if layer.bias is None else projected + layer.bias

    def forward(self, x, mask=None, need_weights=False):
        query, key = self.project(self.w_q, x), self.project(self.w_k, x)
        bias = torch.zeros(x.size(0), x.size(1), x.size(1), dtype=x.dtype)
        if mask is not None:
            bias = bias.masked_fill(~mask, -1e9)
        scores = torch.baddbmm(bias, query, key.mT, alpha=1 / math.sqrt(x.size(-1)))
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
        output = self.project(self.w_o, weights @ self.project(self.w_v, x))
        return (output, weights) if need_weights else output


class stub(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        raise NotImplementedError


class Zeros(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        weights = torch.zeros(x.size(0), x.size(1), x.size(1))
        return (x * 0, weights) if need_weights else x * 0


class TheInputItself(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        return (x, x @ x.mT) if need_weights else x


class Uniform(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        weights = torch.full((x.size(0), x.size(1), x.size(1)), 1 / x.size(1))
        output = self.w_o(self.w_v(x).mean(dim=1, keepdim=True).expand_as(x))
        return (output, weights) if need_weights else output


class Noise(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        output, weights = torch.rand(x.shape), torch.rand(x.size(0), x.size(1), x.size(1))
        return (output, weights) if need_weights else output


SELF_ATTENTION = define(
    id="self_attention",
    lesson="03_self_attention",
    place=4,
    module="course_lib.components.self_attention",
    symbol="SelfAttention",
    minutes=12,
    laws=LAWS,
    hints=(
        "Name each of the four layers and its part: one asks, one is asked, one is looked up, one comes last.",
        "Five lines: three projections of `x`, your attention with the mask, one last projection. Check the shape after each: all but the weights are (B, T, D).",
        "`self.w_q(x)`, `self.w_k(x)`, `self.w_v(x)` and `mask` go into `scaled_dot_product_attention`; its output goes through `self.w_o`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        InOneExpression, WrittenOut, EinsumAndLinear, StackedAndChunked, SentenceBySentence, TokenByToken, ByMatrices,
    ),
    lazy=(stub, Zeros, TheInputItself, Uniform, Noise),
    write=("forward",),
    switches=("projection", "mask", "output"),
    builds_on=("scaled_dot_product_attention",),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SELF_ATTENTION.second_version("weights_not_transposed")
class LinearTwiceTransposed(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (F.linear(x, layer.weight.T, layer.bias) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = F.linear(out, self.w_o.weight.T, self.w_o.bias)
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("biases_forgotten")
class EinsumOfWeights(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (torch.einsum("btd,ed->bte", x, layer.weight) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = torch.einsum("btd,ed->bte", out, self.w_o.weight)
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("keys_by_w_q")
class OneProjectionTwice(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = k = self.w_q(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(x.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        out = self.w_o(torch.bmm(p, self.w_v(x)))
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("only_earlier_tokens")
class WithTriangle(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        scores = self.w_q(x) @ self.w_k(x).mT / math.sqrt(x.shape[-1])
        scores = scores + torch.full((x.size(1), x.size(1)), -1e9).triu(diagonal=1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        p = scores.softmax(-1)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("own_token_hidden")
class WithoutDiagonal(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        length = x.size(1)
        seen = torch.ones(1, length, length, dtype=torch.bool) if mask is None else mask.expand(len(x), length, length)
        seen = seen.clone()
        seen[:, range(length), range(length)] = False
        out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), seen)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@SELF_ATTENTION.second_version("unscaled")
class ScaleTakenBack(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        out, p = scaled_dot_product_attention(self.w_q(x) * x.shape[-1] ** 0.5, self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@SELF_ATTENTION.second_version("residual_added")
class PlusInput(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        out = torch.add(x, F.linear(out, self.w_o.weight, self.w_o.bias))
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("mask_not_passed + output_not_projected")
class ThreeLayersNoMask(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        out = p @ self.w_v(x)
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("attended_detached")
class NoGradient(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        with torch.no_grad():
            out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@SELF_ATTENTION.second_version("earlier_tokens_without_a_mask")
class CausalUnlessTold(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        places = torch.arange(x.size(1))
        mask = places[:, None] >= places if mask is None else mask
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return (self.w_o(output), weights) if need_weights else self.w_o(output)


@SELF_ATTENTION.second_version("queries_by_w_k")
class OneLayerAsksAndAnswers(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        both = self.w_k(x)
        output, weights = scaled_dot_product_attention(both, both, self.w_v(x), mask)
        return (self.w_o(output), weights) if need_weights else self.w_o(output)


@SELF_ATTENTION.second_version("stored_weights_without_biases")
class ProductsWithTheStoredWeights(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (torch.einsum("btd,de->bte", x, layer.weight) for layer in (self.w_q, self.w_k, self.w_v))
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = torch.matmul(output, self.w_o.weight)
        return (output, weights) if need_weights else output


@SELF_ATTENTION.second_version("projected_only_without_weights")
class ReturnsTooEarly(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        found = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        if need_weights:
            return found
        return self.w_o(found[0])


@SELF_ATTENTION.second_version("values_of_the_projected_keys")
class OneAfterTheOther(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = self.w_q(x)
        x = self.w_k(x)
        out, p = scaled_dot_product_attention(q, x, self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@SELF_ATTENTION.second_version("masked_after_softmax")
class WeightsTimesMask(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


@SELF_ATTENTION.second_version("mask_only_with_weights")
class TwoWays(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if not need_weights:
            return self.w_o(F.scaled_dot_product_attention(q, k, v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(out), p


@SELF_ATTENTION.second_version("mask_only_without_weights")
class WeightsByThemselves(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if need_weights:
            p = torch.softmax(q @ k.mT / math.sqrt(x.size(-1)), dim=-1)
            return self.w_o(p @ v), p
        return self.w_o(scaled_dot_product_attention(q, k, v, mask)[0])


@SELF_ATTENTION.second_version("scaled_by_num_keys")
class RootOfTheLength(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        scores = torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) * x.shape[1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        output = self.w_o(weights @ self.w_v(x))
        return (output, weights) if need_weights else output
