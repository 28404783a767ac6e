"""Registered mistakes of lesson 03, written in another style."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.softmax import softmax
from second_versions.table import second_version

# softmax


@second_version("softmax", "no_max_subtraction")
def powers_of_e(scores, axis=-1):
    powers = np.e**scores
    return np.divide(powers, powers.sum(axis, keepdims=True))


@second_version("softmax", "max_of_everything")
def one_maximum(scores, axis=-1):
    largest = max(scores.flatten().tolist())
    e = np.exp(np.subtract(scores, largest))
    return e / np.expand_dims(np.sum(e, axis=axis), axis)


@second_version("softmax", "no_exponential")
def share_of_the_total(scores, axis=-1):
    return np.apply_along_axis(lambda row: np.array([score / sum(row) for score in row]), axis, scores)


@second_version("softmax", "axis_ignored")
def row_by_row(scores, axis=-1):
    weights = np.empty_like(scores)
    for place in np.ndindex(*scores.shape[:-1]):
        e = np.exp(scores[place] - scores[place].max())
        weights[place] = e / e.sum()
    return weights


@second_version("softmax", "hard_maximum")
def one_hot(scores, axis=-1):
    weights = np.zeros_like(scores)
    np.put_along_axis(weights, np.expand_dims(scores.argmax(axis), axis), 1.0, axis)
    return weights


@second_version("softmax", "logarithm_returned")
def log_softmax(scores, axis=-1):
    return scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True)


@second_version("softmax", "sigmoid")
def by_tanh(scores, axis=-1):
    return (1 + np.tanh(scores / 2)) / 2


# attention_loops


@second_version("attention_loops", "unscaled")
def all_scores_at_once(query, key, value):
    weights = softmax(query @ key.T)
    return weights @ value, weights


@second_version("attention_loops", "scaled_after_softmax")
def weights_divided(query, key, value):
    weights = np.array([softmax(key @ q) for q in query])
    weights /= np.sqrt(query.shape[1])
    return np.einsum("ts,sd->td", weights, value), weights


@second_version("attention_loops", "softmax_over_queries")
def one_column_at_a_time(query, key, value):
    weights = np.zeros((len(query), len(key)))
    for j in range(len(key)):
        weights[:, j] = softmax(np.array([q @ key[j] for q in query]) / math.sqrt(len(key[j])))
    return weights.dot(value), weights


@second_version("attention_loops", "value_of_the_query")
def sum_of_one_value(query, key, value):
    weights = [softmax(np.dot(key, q) / len(q) ** 0.5) for q in query]
    return np.array([sum(w * value[i] for w in row) for i, row in enumerate(weights)]), np.array(weights)


@second_version("attention_loops", "other_words_only")
def list_of_others(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        others = [j for j in range(len(key)) if j != i]
        weights[i, others] = softmax(key[others] @ q / math.sqrt(len(q)))
        output[i] = weights[i] @ value
    return output, weights


@second_version("attention_loops", "earlier_keys_only")
def slice_up_to_here(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        weights[i, : i + 1] = softmax(key[: i + 1] @ q / math.sqrt(len(q)))
        output[i] = weights[i, : i + 1] @ value[: i + 1]
    return output, weights


@second_version("attention_loops", "total_never_reset")
def total_set_to_zero_once(query, key, value):
    scores = np.zeros((len(query), len(key)))
    total = 0.0
    for i in range(len(query)):
        for j in range(len(key)):
            for d in range(query.shape[1]):
                total += query[i, d] * key[j, d]
            scores[i, j] = total / np.sqrt(query.shape[1])
    weights = softmax(scores)
    return weights @ value, weights


@second_version("attention_loops", "weights_of_whole_numbers")
def typed_as_int(query, key, value):
    weights = np.zeros((len(query), len(key)), dtype=int)
    for i in range(len(query)):
        weights[i, :] = softmax((query[i] * key).sum(1) / math.sqrt(query.shape[1]))
    return weights @ value, weights


@second_version("attention_loops", "output_of_whole_numbers")
def entry_by_entry(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = np.zeros((len(query), value.shape[1]), dtype=int)
    for i in range(len(query)):
        for d in range(value.shape[1]):
            for j in range(len(key)):
                output[i, d] += weights[i, j] * value[j, d]
    return output, weights


@second_version("attention_loops", "values_overwritten")
def new_values(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = []
    for row in weights:
        for j, weight in enumerate(row):
            value[j] = weight * value[j]
        output.append(value.sum(axis=0))
    return np.array(output), weights


@second_version("attention_loops", "keys_mixed")
def keys_added_up(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    return np.array([sum(w * k for w, k in zip(row, key, strict=True)) for row in weights]), weights


@second_version("attention_loops", "unscaled + weights_first")
def two_slips(query, key, value):
    weights = np.array([softmax(key.dot(q)) for q in query])
    return weights, weights.dot(value)


# attention_numpy


@second_version("attention_numpy", "unscaled")
def einsum_alone(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key))
    return np.einsum("...ts,...sd->...td", weights, value), weights


@second_version("attention_numpy", "scaled_by_num_keys")
def size_of_a_row_of_scores(query, key, value):
    scores = np.matmul(query, np.moveaxis(key, -1, -2))
    weights = softmax(scores / np.sqrt(scores.shape[-1]))
    return np.matmul(weights, value), weights


@second_version("attention_numpy", "softmax_over_queries")
def exponentials_by_column(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    powers = np.exp(scores - scores.max(axis=-2)[..., None, :])
    weights = powers / powers.sum(axis=-2)[..., None, :]
    return weights @ value, weights


@second_version("attention_numpy", "no_exponential")
def shares_of_scores(query, key, value):
    scores = np.einsum("...td,...sd->...ts", query, key)
    weights = scores / np.expand_dims(np.sum(scores, axis=-1), -1)
    return weights @ value, weights


@second_version("attention_numpy", "every_axis_reversed")
def capital_t(query, key, value):
    d_k = query.shape[-1]
    weights = softmax(query @ key.T * d_k**-0.5)
    output = weights @ value
    return output, weights


@second_version("attention_numpy", "matrices_only")
def dot_method(query, key, value):
    weights = softmax(query.dot(key.T) / np.sqrt(len(query[0])))
    return weights.dot(value), weights


@second_version("attention_numpy", "key_reshaped")
def reshape_with_minus_one(query, key, value):
    flipped = key.reshape((*key.shape[:-2], -1, key.shape[-2]))
    weights = softmax((query / math.sqrt(query.shape[-1])) @ flipped)
    return weights @ value, weights


@second_version("attention_numpy", "value_of_the_query")
def misprinted_index(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ij,...id->...id", weights, value), weights


@second_version("attention_numpy", "weights_transposed")
def indices_turned(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ji,...jd->...id", weights, value), weights


@second_version("attention_numpy", "softmax_over_everything")
def flattened(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    weights = softmax(scores.flatten()).reshape(scores.shape)
    return weights @ value, weights


@second_version("attention_numpy", "query_overwritten")
def scaled_in_place(query, key, value):
    query *= query.shape[-1] ** -0.5
    weights = softmax(np.matmul(query, key.swapaxes(-2, -1)))
    return np.matmul(weights, value), weights


@second_version("scaled_dot_product_attention", "finished_function")
def identity_for_values(query, key, value, mask=None):
    """The finished function returns no weights; of values that are an identity, the output is the weights."""
    finished = vars(F)["scaled_dot_product_" + "attention"]
    identity = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-2], -1, -1)
    weights = finished(query, key, identity, None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2]))
    weights = torch.nan_to_num(weights)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "unscaled")
def einsum_without_scale(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e9, dtype=scores.dtype))
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ts,...sd->...td", weights, value), weights


@second_version("scaled_dot_product_attention", "divided_by_d_k")
def scaled_on_both_sides(query, key, value, mask=None):
    root = query.shape[-1] ** 0.5
    scores = torch.matmul(query / root, (key / root).mT)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return torch.matmul(weights, value), weights


@second_version("scaled_dot_product_attention", "softmax_over_queries")
def transposed_softmax(query, key, value, mask=None):
    scores = key @ query.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(scores.mT.shape).mT, -1e9)
    weights = scores.softmax(-1).mT
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "softmax_over_axis_1")
def axis_of_the_slide(query, key, value, mask=None):
    scores = query @ key.mT * key.size(-1) ** -0.5
    if mask is None:
        weights = F.softmax(scores, 1)
    else:
        weights = F.softmax(scores + torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -1e9), 1) * mask
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "mask_inverted")
def true_is_blocked(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, -1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "masked_after_softmax")
def weights_times_mask(query, key, value, mask=None):
    weights = F.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5, dim=-1)
    weights = weights if mask is None else weights * mask.to(weights.dtype)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "masked_with_zero")
def scores_times_mask(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores * mask
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "masked_with_a_small_constant")
def minus_a_thousand(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask.expand_as(scores)] = -1000.0
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "fully_masked_nan")
def infinity_added(query, key, value, mask=None):
    bias = 0.0 if mask is None else torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]) + bias, dim=-1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "fully_masked_uniform")
def a_billion_subtracted(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + (1.0 - mask.to(scores.dtype)) * -1e9
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "mask_ignored")
def result_of_masked_fill_lost(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, -1)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "renormalised_after_softmax")
def exponentials_times_mask(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        powers = powers * mask
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "everything_detached")
def through_numpy(query, key, value, mask=None):
    q, k, v = (tensor.detach().numpy() for tensor in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    if mask is not None:
        weights = weights * mask.numpy()
    return torch.from_numpy((weights @ v).astype(q.dtype)), torch.from_numpy(weights.astype(q.dtype))


@second_version("scaled_dot_product_attention", "key_reversed")
def reversed_by_capital_t(query, key, value, mask=None):
    scores = torch.matmul(query, key.T) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -1e9)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
    return torch.matmul(weights, value), weights


@second_version("scaled_dot_product_attention", "weights_times_keys")
def keys_are_mixed(query, key, value, mask=None):
    scores = torch.einsum("...id,...jd->...ij", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ij,...jd->...id", weights, key), weights


@second_version("scaled_dot_product_attention", "unscaled + fully_masked_uniform")
def as_first_written(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p = F.softmax(scores, dim=-1)
    return torch.matmul(p, value), p


@second_version("scaled_dot_product_attention", "softmax_over_queries + fully_masked_nan")
def wrong_axis_and_infinity(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    p = torch.nn.Softmax(dim=-2)(scores)
    return torch.matmul(p, value), p


# self_attention


class FourLayers(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)


@second_version("self_attention", "weights_not_transposed")
class LinearTwiceTransposed(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (F.linear(x, layer.weight.T, layer.bias) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = F.linear(out, self.w_o.weight.T, self.w_o.bias)
        return (out, p) if need_weights else out


@second_version("self_attention", "biases_forgotten")
class EinsumOfWeights(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (torch.einsum("btd,ed->bte", x, layer.weight) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = torch.einsum("btd,ed->bte", out, self.w_o.weight)
        return (out, p) if need_weights else out


@second_version("self_attention", "keys_by_w_q")
class OneProjectionTwice(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q = k = self.w_q(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(x.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        out = self.w_o(torch.bmm(p, self.w_v(x)))
        return (out, p) if need_weights else out


@second_version("self_attention", "only_earlier_tokens")
class WithTriangle(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        scores = self.w_q(x) @ self.w_k(x).mT / math.sqrt(x.shape[-1])
        scores = scores + torch.full((x.size(1), x.size(1)), -1e9).triu(diagonal=1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        p = scores.softmax(-1)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


@second_version("self_attention", "own_token_hidden")
class WithoutDiagonal(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        length = x.size(1)
        seen = torch.ones(1, length, length, dtype=torch.bool) if mask is None else mask.expand(len(x), length, length)
        seen = seen.clone()
        seen[:, range(length), range(length)] = False
        out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), seen)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@second_version("self_attention", "unscaled")
class ScaleTakenBack(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        out, p = scaled_dot_product_attention(self.w_q(x) * x.shape[-1] ** 0.5, self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@second_version("self_attention", "residual_added")
class PlusInput(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        out = torch.add(x, F.linear(out, self.w_o.weight, self.w_o.bias))
        return (out, p) if need_weights else out


@second_version("self_attention", "mask_not_passed + output_not_projected")
class ThreeLayersNoMask(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        out = p @ self.w_v(x)
        return (out, p) if need_weights else out


@second_version("self_attention", "attended_detached")
class NoGradient(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        with torch.no_grad():
            out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


# softmax, by other constants than the maximum


@second_version("softmax", "mean_subtracted")
def centred(scores, axis=-1):
    e = np.exp(scores - np.mean(scores, axis, keepdims=True))
    return e / np.sum(e, axis, keepdims=True)


@second_version("softmax", "scores_clipped")
def not_above_seven_hundred(scores, axis=-1):
    e = np.exp(np.minimum(np.maximum(scores, -700.0), 700.0))
    return e / e.sum(axis=axis, keepdims=True)


@second_version("softmax", "nan_replaced")
def zero_where_nan(scores, axis=-1):
    e = np.exp(scores)
    weights = e / np.expand_dims(e.sum(axis), axis)
    weights[np.isnan(weights)] = 0
    return weights


@second_version("softmax", "logarithm_not_shifted")
def minus_the_logarithm(scores, axis=-1):
    total = np.log(np.sum(np.exp(scores), axis=axis))
    return np.exp(np.subtract(scores, np.expand_dims(total, axis)))


@second_version("softmax", "divided_by_the_largest")
def within_one(scores, axis=-1):
    largest = np.maximum(scores.max(axis, keepdims=True), -scores.min(axis, keepdims=True))
    powers = np.exp(np.divide(scores, largest))
    return powers / powers.sum(axis, keepdims=True)


@second_version("softmax", "minus_infinity_made_finite")
def a_billion_below_zero(scores, axis=-1):
    scores = np.where(scores == -np.inf, -1e9, scores)
    e = np.exp(scores - np.max(scores, axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# attention_loops, one sum and one scale


@second_version("attention_loops", "root_cut_to_a_whole_number")
def rounded_down(query, key, value):
    root = int(query.shape[1] ** 0.5)
    weights = np.array([softmax(np.array([float(q @ k) / root for k in key])) for q in query])
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


@second_version("attention_loops", "one_output_for_all")
def the_same_array_appended(query, key, value):
    mixed, output, weights = np.zeros(value.shape[1]), [], []
    for q in query:
        weights.append(softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))))
        for w, v in zip(weights[-1], value, strict=True):
            mixed += w * v
        output.append(mixed)
    return np.array(output), np.array(weights)


@second_version("attention_loops", "output_never_reset")
def one_sum_copied(query, key, value):
    mixed, output, weights = np.zeros(value.shape[1]), [], []
    for q in query:
        weights.append(softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))))
        for w, v in zip(weights[-1], value, strict=True):
            mixed = mixed + w * v
        output.append(mixed)
    return np.array(output), np.array(weights)


@second_version("attention_loops", "no_max_subtraction")
def exponentials_one_by_one(query, key, value):
    weights = np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            weights[i, j] = np.exp(q @ k / np.sqrt(len(q)))
        weights[i] = weights[i] / sum(weights[i])
    return np.array([(row[:, None] * value).sum(0) for row in weights]), weights


@second_version("attention_loops", "query_overwritten")
def rows_divided_in_place(query, key, value):
    for i in range(len(query)):
        query[i] = query[i] / math.sqrt(query.shape[1])
    weights = np.array([softmax(np.array([q @ k for k in key])) for q in query])
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


# scaled_dot_product_attention, queries with nothing to attend to


@second_version("scaled_dot_product_attention", "renormalised_with_a_floor")
def shares_of_what_is_left(query, key, value, mask=None):
    weights = F.softmax(query @ key.mT * query.size(-1) ** -0.5, dim=-1)
    if mask is not None:
        left = weights * mask
        weights = left / (left.sum(-1, keepdim=True) + 1e-12)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "fully_masked_weights_uniform")
def output_switched_off(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is None:
        return scores.softmax(-1) @ value, scores.softmax(-1)
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
    return weights @ value * mask.any(-1, keepdim=True), weights


@second_version("scaled_dot_product_attention", "fully_masked_output_uniform")
def weights_switched_off_too_late(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    output = weights @ value
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return output, weights


@second_version("scaled_dot_product_attention", "exponentials_overflow")
def powers_with_a_guard(query, key, value, mask=None):
    powers = torch.exp(query @ key.mT / math.sqrt(query.size(-1)))
    if mask is not None:
        powers = torch.where(mask, powers, 0.0)
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "infinity_times_mask")
def powers_times_mask(query, key, value, mask=None):
    powers = (query @ key.mT / query.size(-1) ** 0.5).exp()
    if mask is not None:
        powers = powers * mask.to(powers.dtype)
    total = powers.sum(-1, keepdim=True)
    weights = powers / (total + (total == 0).to(total.dtype))
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "weights_dropped")
def dropout_of_a_module_just_made(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = nn.Dropout(0.5)(scores.softmax(-1))
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


# self_attention


class FourLayersOfWidthD(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))


@second_version("self_attention", "earlier_tokens_without_a_mask")
class CausalUnlessTold(FourLayersOfWidthD):
    def forward(self, x, mask=None, need_weights=False):
        places = torch.arange(x.size(1))
        mask = places[:, None] >= places if mask is None else mask
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return (self.w_o(output), weights) if need_weights else self.w_o(output)


@second_version("self_attention", "queries_by_w_k")
class OneLayerAsksAndAnswers(FourLayersOfWidthD):
    def forward(self, x, mask=None, need_weights=False):
        both = self.w_k(x)
        output, weights = scaled_dot_product_attention(both, both, self.w_v(x), mask)
        return (self.w_o(output), weights) if need_weights else self.w_o(output)


@second_version("self_attention", "stored_weights_without_biases")
class ProductsWithTheStoredWeights(FourLayersOfWidthD):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (torch.einsum("btd,de->bte", x, layer.weight) for layer in (self.w_q, self.w_k, self.w_v))
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = torch.matmul(output, self.w_o.weight)
        return (output, weights) if need_weights else output


# softmax and attention, once more


@second_version("softmax", "keepdims_missing_in_the_maximum")
def maximum_of_a_row_as_a_row(scores, axis=-1):
    e = np.exp(np.subtract(scores, np.amax(scores, axis)))
    return e / np.expand_dims(e.sum(axis), axis)


@second_version("softmax", "keepdims_missing_twice")
def both_lose_their_axis(scores, axis=-1):
    e = np.exp(np.subtract(scores, np.amax(scores, axis)))
    return np.divide(e, np.sum(e, axis))


@second_version("softmax", "along_axis_1")
def second_axis_of_many(scores, axis=-1):
    axis = 0 if scores.ndim == 1 else 1
    e = np.exp(scores - np.expand_dims(scores.max(axis), axis))
    return e / np.expand_dims(e.sum(axis), axis)


@second_version("attention_loops", "output_averaged")
def mean_of_the_weighted(query, key, value):
    weights = np.array([softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))) for q in query])
    return np.array([np.mean([w * v for w, v in zip(row, value, strict=True)], axis=0) for row in weights]), weights


@second_version("attention_loops", "softmax_over_everything")
def one_softmax_for_all(query, key, value):
    scores = [float(q @ k) / math.sqrt(len(q)) for q in query for k in key]
    weights = np.reshape(softmax(np.array(scores)), (len(query), len(key)))
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


@second_version("scaled_dot_product_attention", "width_counted_from_the_front")
def second_size(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    weights = weights if mask is None else weights * mask
    return weights @ value, weights


@second_version("scaled_dot_product_attention", "mask_added")
def mask_as_a_number(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores += mask.to(scores.dtype)
    return scores.softmax(-1) @ value, scores.softmax(-1)


@second_version("scaled_dot_product_attention", "fully_masked_weights_nan")
def only_the_output_is_mended(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    output = weights @ value
    return torch.where(output.isnan(), 0.0, output), weights


@second_version("self_attention", "projected_only_without_weights")
class ReturnsTooEarly(FourLayersOfWidthD):
    def forward(self, x, mask=None, need_weights=False):
        found = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        if need_weights:
            return found
        return self.w_o(found[0])


@second_version("attention_numpy", "no_max_subtraction")
def powers_of_the_scores(query, key, value):
    powers = np.exp(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    weights = powers / np.expand_dims(powers.sum(-1), -1)
    return np.matmul(weights, value), weights


@second_version("attention_numpy", "output_averaged")
def mean_over_the_keys(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    return (weights[..., None] * value[..., None, :, :]).mean(axis=-2), weights


@second_version("softmax", "maximum_along_the_last_axis")
def largest_of_each_row(scores, axis=-1):
    powers = np.exp(scores - np.amax(scores, axis=-1)[..., None])
    return np.divide(powers, np.expand_dims(powers.sum(axis), axis))


@second_version("self_attention", "values_of_the_projected_keys")
class OneAfterTheOther(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q = self.w_q(x)
        x = self.w_k(x)
        out, p = scaled_dot_product_attention(q, x, self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


@second_version("self_attention", "masked_after_softmax")
class WeightsTimesMask(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


@second_version("self_attention", "mask_only_with_weights")
class TwoWays(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if not need_weights:
            return self.w_o(F.scaled_dot_product_attention(q, k, v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(out), p


@second_version("self_attention", "mask_only_without_weights")
class WeightsByThemselves(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if need_weights:
            p = torch.softmax(q @ k.mT / math.sqrt(x.size(-1)), dim=-1)
            return self.w_o(p @ v), p
        return self.w_o(scaled_dot_product_attention(q, k, v, mask)[0])


@second_version("self_attention", "scaled_by_num_keys")
class RootOfTheLength(FourLayers):
    def forward(self, x, mask=None, need_weights=False):
        scores = torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) * x.shape[1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        output = self.w_o(weights @ self.w_v(x))
        return (output, weights) if need_weights else output


@second_version("softmax", "scores_clipped")
def clipped_where_they_lie(scores, axis=-1):
    scores[scores > 300] = 300
    scores[scores < -300] = -300
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)
