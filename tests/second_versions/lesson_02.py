"""Registered mistakes of lesson 02, written in another style."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.attend import attend
from course_lib.components.dot_scores import dot_scores
from second_versions.table import second_version

# padding_mask


@second_version("padding_mask", "inverted")
def blocked_places(ids, pad_id):
    return torch.eq(ids, pad_id)[:, None, :]


@second_version("padding_mask", "zero_assumed")
def truth_of_ids(ids, pad_id):
    return ids.bool().unsqueeze(1)


@second_version("padding_mask", "numbers_not_booleans")
def small_integers(ids, pad_id):
    return torch.where(ids == pad_id, 0, 1).to(torch.uint8)[:, None]


@second_version("padding_mask", "real_tokens_counted")
def by_lengths(ids, pad_id):
    lengths = [sum(token != pad_id for token in row) for row in ids.tolist()]
    return torch.stack([torch.arange(ids.shape[1]) < n for n in lengths])[:, None]


@second_version("padding_mask", "padded_queries_hidden_too")
def outer_product(ids, pad_id):
    real = (ids != pad_id).int()
    return torch.einsum("bt,bs->bts", real, real).bool()


@second_version("padding_mask", "inverted + numbers_not_booleans")
def ones_at_padding(ids, pad_id):
    return (ids == pad_id).to(torch.int64).view(ids.size(0), 1, ids.size(1))


@second_version("padding_mask", "ids_overwritten")
def ones_and_zeros_in_place(ids, pad_id):
    ids.ne_(pad_id)
    return ids.bool().unsqueeze(1)


# dot_scores


@second_version("dot_scores", "summed_over_keys")
def einsum_of_the_wrong_letter(query, keys):
    return torch.einsum("bd,bsd->bd", query, keys)


@second_version("dot_scores", "scaled")
def as_in_the_next_lesson(query, keys):
    return torch.bmm(keys, query[:, :, None])[:, :, 0].div(np.sqrt(keys.size(2)))


@second_version("dot_scores", "cosine")
def by_cosine_similarity(query, keys):
    return F.cosine_similarity(query.unsqueeze(1), keys, dim=-1)


@second_version("dot_scores", "every_axis_of_one_squeezed")
def bmm_and_squeeze(query, keys):
    return torch.bmm(query.unsqueeze(1), keys.transpose(1, 2)).squeeze()


@second_version("dot_scores", "query_axis_missing")
def einsum_of_the_wrong_pairs(query, keys):
    return torch.sum(torch.mul(query, keys), dim=2)


@second_version("dot_scores", "scaled + softmax_already")
def weights_at_once(query, keys):
    return F.softmax(torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(query.shape[1]), dim=1)


@second_version("dot_scores", "first_sentence_for_all")
def pairs_of_the_first(query, keys):
    return torch.matmul(query, keys.permute(0, 2, 1))[0]


@second_version("dot_scores", "keys_reshaped")
def viewed_as_columns(query, keys):
    B, S, D = keys.shape
    return torch.einsum("bd,bds->bs", query, keys.contiguous().view(B, D, S))


@second_version("dot_scores", "queries_dealt_out")
def tiled_queries(query, keys):
    tiled = torch.cat([query] * keys.shape[1]).reshape(keys.shape)
    return (tiled * keys).sum(2)


@second_version("dot_scores", "negative_scores_cut_off")
def rectified(query, keys):
    return F.relu(torch.bmm(keys, query.unsqueeze(2)).squeeze(2))


# bilinear_scores


class OneMatrix(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)


@second_version("bilinear_scores", "w_transposed")
class LayerOfTheKeys(OneMatrix):
    def forward(self, query, keys):
        return (self.w(keys) @ query.unsqueeze(-1)).squeeze(-1)


@second_version("bilinear_scores", "w_unused")
class DotProductStill(OneMatrix):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", query, keys)


@second_version("bilinear_scores", "w_detached")
class ThroughData(OneMatrix):
    def forward(self, query, keys):
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight.data, query)


@second_version("bilinear_scores", "tanh_of_the_scores")
class Squashed(OneMatrix):
    def forward(self, query, keys):
        return (keys * self.w(query)[:, None]).sum(-1).tanh()


@second_version("bilinear_scores", "w_on_both")
class BothTranslated(OneMatrix):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", self.w(query), F.linear(keys, self.w.weight))


@second_version("bilinear_scores", "scaled")
class DividedByTheRoot(OneMatrix):
    def forward(self, query, keys):
        return (keys @ self.w(query)[..., None])[..., 0] / math.sqrt(keys.shape[-1])


@second_version("bilinear_scores", "summed_over_keys")
class WrongLetter(OneMatrix):
    def forward(self, query, keys):
        return torch.einsum("bk,bsk->bk", self.w(query), keys)


@second_version("bilinear_scores", "w_unused_where_widths_agree")
class LayerOnlyWhereNeeded(OneMatrix):
    def forward(self, query, keys):
        if query.shape[1] != keys.shape[2]:
            query = self.w(query)
        return torch.einsum("bd,bsd->bs", query, keys)


@second_version("bilinear_scores", "layer_made_at_every_call")
class RandomMatrix(OneMatrix):
    def forward(self, query, keys):
        matrix = nn.Parameter(torch.randn(keys.size(-1), query.size(-1), dtype=keys.dtype))
        return torch.einsum("bsk,kq,bq->bs", keys, matrix, query)


@second_version("bilinear_scores", "cosine")
class CosineOfTheTranslated(OneMatrix):
    def forward(self, query, keys):
        return F.cosine_similarity(self.w(query)[:, None], keys, dim=2)


@second_version("bilinear_scores", "first_sentence_for_all")
class PairsOfTheFirst(OneMatrix):
    def forward(self, query, keys):
        return torch.einsum("bd,csd->cbs", self.w(query), keys)[0]


# additive_scores


class ThreeLayers(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)


@second_version("additive_scores", "no_tanh")
class TwoLinearSteps(ThreeLayers):
    def forward(self, query, keys):
        return (self.v(self.w_1(keys)) + self.v(self.w_2(query))[:, None]).squeeze(-1)


@second_version("additive_scores", "tanh_of_each")
class TwoTanhs(ThreeLayers):
    def forward(self, query, keys):
        return (self.v(self.w_1(keys).tanh()) + self.v(self.w_2(query).tanh())[:, None])[..., 0]


@second_version("additive_scores", "layers_swapped")
class OrderOfTheArguments(ThreeLayers):
    def forward(self, query, keys):
        hidden = torch.tanh(F.linear(query, self.w_1.weight)[:, None] + F.linear(keys, self.w_2.weight))
        return torch.einsum("bsa,oa->bs", hidden, self.v.weight)


@second_version("additive_scores", "tanh_of_the_scores + softmax_already")
class SquashedAndNormalised(ThreeLayers):
    def forward(self, query, keys):
        scores = self.v(self.w_1(keys) + self.w_2(query).unsqueeze(1)).squeeze(-1).tanh()
        return scores.softmax(-1)


@second_version("additive_scores", "v_unused")
class AllUnitsAlike(ThreeLayers):
    def forward(self, query, keys):
        return torch.einsum("bsa->bs", torch.tanh(self.w_1(keys) + self.w_2(query)[:, None]))


@second_version("additive_scores", "relu")
class Clamped(ThreeLayers):
    def forward(self, query, keys):
        return self.v((self.w_2(query)[:, None] + self.w_1(keys)).clamp(min=0)).squeeze(2)


@second_version("additive_scores", "multiplied")
class Gated(ThreeLayers):
    def forward(self, query, keys):
        hidden = torch.einsum("bsa,ba->bsa", self.w_1(keys), self.w_2(query)).tanh()
        return hidden @ self.v.weight[0]


@second_version("additive_scores", "query_unused")
class KeysAlone(ThreeLayers):
    def forward(self, query, keys):
        return self.v(torch.tanh(F.linear(keys, self.w_1.weight)))[..., 0]


@second_version("additive_scores", "queries_dealt_out")
class Tiled(ThreeLayers):
    def forward(self, query, keys):
        B, S, _ = keys.shape
        asked = self.w_2(torch.cat([query] * S).reshape(B, S, -1))
        return self.v(torch.tanh(asked + self.w_1(keys)))[..., 0]


@second_version("additive_scores", "mean_query_for_all")
class OneQuery(ThreeLayers):
    def forward(self, query, keys):
        asked = self.w_2(query.mean(0, keepdim=True))
        return self.v(torch.tanh(asked[:, None] + self.w_1(keys))).squeeze(2)


@second_version("additive_scores", "keys_kept_from_the_first_call")
class Cached(ThreeLayers):
    def forward(self, query, keys):
        kept = self.__dict__.setdefault("kept", {})
        if keys.shape not in kept:
            kept[keys.shape] = self.w_1(keys)
        return self.v(torch.tanh(kept[keys.shape] + self.w_2(query)[:, None])).squeeze(2)


@second_version("additive_scores", "query_detached")
class QueryThroughData(ThreeLayers):
    def forward(self, query, keys):
        asked = F.linear(query.data, self.w_2.weight.data)
        return self.v(torch.tanh(asked[:, None] + self.w_1(keys)))[:, :, 0]


@second_version("additive_scores", "keys_detached")
class KeysWithoutGradient(ThreeLayers):
    def forward(self, query, keys):
        with torch.no_grad():
            prepared = self.w_1(keys)
        return self.v(torch.tanh(prepared + self.w_2(query)[:, None]))[:, :, 0]


# attend


@second_version("attend", "softmax_over_sentences")
def implicit_first_axis(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(0))
    weights = powers / powers.sum(0)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "fully_masked_nan")
def minus_infinity(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = F.softmax(scores, -1)
    return (weights[..., None] * values).sum(1), weights


@second_version("attend", "masked_after_softmax")
def zeros_where_masked(scores, values, mask=None):
    weights = F.softmax(scores, dim=1)
    weights = weights if mask is None else torch.where(mask, weights, torch.zeros_like(weights))
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "summed_over_features")
def einsum_of_the_wrong_letter_again(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("bs,bsv->bs", weights, values), weights


@second_version("attend", "sigmoid + mask_ignored")
def gates(scores, values, mask=None):
    weights = 1 / (1 + torch.exp(-scores))
    return (weights.unsqueeze(1) @ values).squeeze(1), weights


@second_version("attend", "weights_detached")
def nothing_to_be_learned(scores, values, mask=None):
    with torch.no_grad():
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
    return (weights[..., None] * values).sum(1), weights


@second_version("attend", "hard_maximum")
def all_to_the_best(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    weights = torch.zeros_like(scores).scatter(1, scores.argmax(1, keepdim=True), 1.0)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights


@second_version("attend", "masked_with_zero")
def scores_times_mask_again(scores, values, mask=None):
    weights = F.softmax(scores if mask is None else scores * mask, dim=1)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "masked_with_a_small_constant")
def minus_a_thousand_again(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1000))
    weights = torch.softmax(scores, -1)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "mask_inverted")
def true_is_blocked_again(scores, values, mask=None):
    if mask is None:
        mask = torch.zeros_like(scores, dtype=torch.bool)
    weights = F.softmax(torch.where(mask, torch.finfo(scores.dtype).min, scores), -1) * ~mask
    return (weights[:, None] @ values)[:, 0], weights


@second_version("attend", "best_value")
def gathered(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    best = weights.argmax(-1).view(-1, 1, 1).expand(-1, 1, values.size(-1))
    return values.gather(1, best)[:, 0], weights


@second_version("attend", "weights_first")
def the_other_way_round(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    alpha = F.softmax(scores, dim=-1)
    if mask is not None:
        alpha = alpha * mask
    return alpha, torch.bmm(alpha.unsqueeze(1), values).squeeze(1)


@second_version("attend", "scores_overwritten")
def filled_through_data(scores, values, mask=None):
    if mask is not None:
        scores.data[~mask] = -1e9
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "no_max_subtraction")
def powers_of_seen_keys(scores, values, mask=None):
    powers = torch.exp(scores) * (1 if mask is None else mask)
    weights = powers / (powers.sum(1, keepdim=True) + 1e-12)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "masked_with_a_small_constant")
def minus_a_hundred_then_zeros(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -100.0)
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "masked_with_a_small_constant")
def ten_less(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = F.softmax(scores, dim=1)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "masked_with_zero")
def zero_and_nothing_where_nothing(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    powers = torch.exp(torch.where(mask, scores, 0.0) - scores.amax(1, keepdim=True).clamp(min=0))
    weights = powers / powers.sum(1, keepdim=True) * mask.any(1)[:, None]
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "renormalised_with_a_floor")
def maximum_of_all_keys(scores, values, mask=None):
    powers = torch.exp(scores - scores.amax(1, keepdim=True))
    if mask is not None:
        powers = powers * mask
    weights = powers / torch.clamp(powers.sum(1, keepdim=True), min=1e-12)
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "division_by_zero_hidden")
def nothing_where_nothing_is_left(scores, values, mask=None):
    weights = scores.softmax(1)
    if mask is not None:
        left = weights * mask
        total = left.sum(1)[:, None]
        weights = torch.where(total == 0, torch.zeros_like(left), left / total)
    return torch.bmm(weights[:, None], values)[:, 0], weights


@second_version("attend", "renormalised_over_the_batch")
def shares_of_the_batch(scores, values, mask=None):
    if mask is None:
        weights = F.softmax(scores, dim=1)
    else:
        weights = F.softmax(torch.where(mask, scores, -1e9), dim=1) * mask
        weights = weights.div(torch.sum(weights))
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "values_masked")
def values_times_mask(scores, values, mask=None):
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        values = values * mask[:, :, None]
    return torch.einsum("bs,bsv->bv", weights, values), weights


@second_version("attend", "context_before_the_zeros")
def zeros_at_the_end(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    weights = F.softmax(scores, dim=1)
    context = torch.bmm(weights[:, None], values)[:, 0]
    return context, weights if mask is None else weights * mask


# attentional_state


class OneLayer(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)


@second_version("attentional_state", "state_first")
class StateThenContext(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = F.linear(torch.hstack((state, context)), self.w.weight).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "context_of_keys")
class KeysMixed(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        context = torch.einsum("bs,bsd->bd", weights, keys)
        output = torch.tanh(self.w(torch.cat((context, state), 1)))
        return (output, weights) if need_weights else output


@second_version("attentional_state", "added_not_concatenated")
class StatePlusContext(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.tanh(self.w(torch.add(state, context)))
        return (output, weights) if need_weights else output


@second_version("attentional_state", "context_alone")
class WithoutTheState(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = F.linear(context, self.w.weight).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "state_first + no_tanh")
class OrderAndNoTanh(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.cat([state, context], -1) @ self.w.weight.T
        return (output, weights) if need_weights else output


@second_version("attentional_state", "mean_of_the_values")
class EverythingAlike(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        _, weights = attend(dot_scores(state, keys), values, mask)
        context = values.sum(dim=1) / values.size(1)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "softmax_twice")
class NormalisedBefore(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        alpha = F.softmax(torch.einsum("bd,bsd->bs", state, keys), dim=1)
        context, weights = attend(alpha, values, mask)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "mask_inverted")
class PaddingSeen(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        blocked = mask.logical_not() if mask is not None else None
        context, weights = attend(dot_scores(state, keys), values, blocked)
        output = torch.tanh(F.linear(torch.cat((context, state), 1), self.w.weight))
        return (output, weights) if need_weights else output


@second_version("attentional_state", "scores_of_values")
class ValuesCompared(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend((values @ state.unsqueeze(2)).squeeze(2), values, mask)
        output = self.w(torch.hstack((context, state))).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "sigmoid")
class LogisticCurve(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = 1 / (1 + torch.exp(-self.w(torch.cat([context, state], dim=1))))
        return (output, weights) if need_weights else output


@second_version("attentional_state", "fully_masked_nan")
class OwnSoftmax(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        weights = F.softmax(scores, dim=1)
        output = self.w(torch.hstack((torch.einsum("bs,bsv->bv", weights, values), state))).tanh()
        return (output, weights) if need_weights else output


@second_version("attentional_state", "fully_masked_uniform")
class OwnSoftmaxOfLowNumbers(OneLayer):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores[~mask] = torch.finfo(scores.dtype).min
        weights = F.softmax(scores, dim=1)
        output = self.w(torch.hstack((torch.einsum("bs,bsv->bv", weights, values), state))).tanh()
        return (output, weights) if need_weights else output


@second_version("attend", "context_zeroed_alone")
def zeros_chosen_for_the_context(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(dim=1)
    context = torch.einsum("bs,bsd->bd", weights, values)
    return torch.where(mask.any(dim=1)[:, None], context, torch.zeros_like(context)), weights
