"""Registered mistakes of lesson 04, written in another style."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.multi_head_attention import MultiHeadAttention
from second_versions.table import second_version

# split_heads


@second_version("split_heads", "view_without_transpose")
def reshaped_at_once(x, num_heads):
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{d_model} is no multiple of {num_heads}")
    return torch.reshape(x, (batch, num_heads, length, d_model // num_heads))


@second_version("split_heads", "heads_first")
def stack_of_chunks(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return torch.stack(x.chunk(num_heads, dim=-1))


@second_version("split_heads", "interleaved")
def every_other_feature(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


@second_version("split_heads", "not_transposed + refused_by_accident")
def unflattened_and_left(x, num_heads):
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads))


# merge_heads


@second_version("merge_heads", "not_transposed")
def heads_flattened(x):
    return x.flatten(1).view(x.size(0), x.size(2), -1)


@second_version("merge_heads", "view_of_what_is_not_contiguous")
def permuted_and_viewed(x):
    return x.permute(0, 2, 1, 3).view(x.size(0), -1, x.size(1) * x.size(3))


@second_version("merge_heads", "joined_along_the_tokens")
def cat_along_axis_1(x):
    return torch.cat(x.unbind(1), dim=1)


@second_version("merge_heads", "interleaved")
def stacked_behind_each_feature(x):
    return torch.stack(x.unbind(1), dim=-1).flatten(2)


# multi_head_attention


class FourLayersAndHeads(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p


@second_version("multi_head_attention", "split_without_transpose")
class ReshapedAtOnce(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        d_head = query.size(-1) // self.num_heads
        q = self.w_q(query).reshape(len(query), self.num_heads, -1, d_head)
        k = self.w_k(key).reshape(len(key), self.num_heads, -1, d_head)
        v = self.w_v(value).reshape(len(value), self.num_heads, -1, d_head)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "merged_without_transpose")
class ContiguousButNotTransposed(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.contiguous().view(query.shape))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "split_without_transpose + merged_without_transpose")
class FoldedByView(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        folded = len(query) * self.num_heads, -1, query.size(-1) // self.num_heads
        q, k, v = self.w_q(query).view(folded), self.w_k(key).view(folded), self.w_v(value).view(folded)
        if mask is not None:
            mask = mask.expand(len(query), self.num_heads, query.size(1), key.size(1)).flatten(0, 1)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.view(query.shape))
        return (out, p.unflatten(0, (-1, self.num_heads))) if need_weights else out


@second_version("multi_head_attention", "heads_not_joined")
class HeadsAddedUp(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(sum(out.unbind(1)))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "heads_not_joined")
class HeadsNeverMerged(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out).squeeze(1)
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "scaled_by_d_model")
class RootOfTheWholeWidth(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=math.sqrt(query.shape[2]))
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "softmax_over_heads")
class AxisOfTheSlide(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        p = F.softmax(scores, 1)
        out = self.w_o(torch.einsum("bhij,bhjd->bihd", self.dropout(p), v).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "query_attends_to_itself")
class OneSequence(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (self.heads(layer(query)) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "weights_averaged_over_heads")
class AsTorchReturnsThem(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p.sum(dim=1) / self.num_heads) if need_weights else out


@second_version("multi_head_attention", "dropout_in_evaluation")
class DropoutOfItsOwn(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        _, p = self.attend(q, k, v, mask)
        out = nn.Dropout(self.dropout.p)(p) @ v  # a module just made is in training mode
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "split_interleaved + mask_inverted")
class TorchsMaskAndCards(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            torch.stack([y[..., h :: self.num_heads] for h in range(self.num_heads)], dim=1)
            for y in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        out, p = self.attend(q, k, v, None if mask is None else mask.logical_not())
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# copy_to_torch, copy_from_torch


@second_version("copy_to_torch", "stacked_side_by_side")
def one_row_of_each(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = nn.MultiheadAttention(
        attention.w_o.in_features,
        attention.num_heads,
        attention.dropout.p,
        bias=attention.w_o.bias is not None,
        batch_first=True,
    ).to(attention.w_o.weight.dtype)
    module.in_proj_weight.data = torch.stack([layer.weight.data for layer in layers], dim=1).flatten(0, 1)
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    if attention.w_o.bias is not None:
        module.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers])
    return module


@second_version("copy_from_torch", "every_third_row")
def cut_side_by_side(module):
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)
    attention.to(module.in_proj_weight.dtype)
    wide = module.in_proj_weight.detach().view(-1, 3 * module.embed_dim)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        layer.weight.data = wide[:, i * module.embed_dim : (i + 1) * module.embed_dim].clone()
        if bias:
            layer.bias.data = module.in_proj_bias.detach().chunk(3)[i].clone()
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


@second_version("copy_from_torch", "last_layer_forgotten")
def only_the_last_weight_forgotten(module):
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)
    attention.to(module.in_proj_weight.dtype)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        layer.weight.data = module.in_proj_weight.detach().chunk(3)[i].clone()
        if bias:
            layer.bias.data = module.in_proj_bias.detach().chunk(3)[i].clone()
    if bias:
        attention.w_o.bias.data = module.out_proj.bias.detach().clone()
    return attention


def torchs_like(attention, **settings):
    bias = attention.w_o.bias is not None
    share = attention.dropout.p
    return nn.MultiheadAttention(
        attention.w_o.in_features, attention.num_heads, share, bias=bias, batch_first=True, **settings
    )


def fill_torchs(module, weights, biases, last):
    module.in_proj_weight.data.copy_(weights)
    module.out_proj.weight.data.copy_(last.weight)
    if last.bias is not None:
        module.in_proj_bias.data.copy_(biases())
        module.out_proj.bias.data.copy_(last.bias)
    return module


@second_version("copy_to_torch", "stacked_head_by_head")
def three_of_each_head(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    weights = [layer.weight.chunk(attention.num_heads) for layer in layers]
    stacked = torch.cat([part for parts in zip(*weights, strict=True) for part in parts])

    def biases():
        parts = [layer.bias.chunk(attention.num_heads) for layer in layers]
        return torch.cat([part for three in zip(*parts, strict=True) for part in three])

    return fill_torchs(torchs_like(attention, dtype=stacked.dtype), stacked, biases, attention.w_o)


@second_version("copy_to_torch", "biases_interleaved")
def biases_side_by_side(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(
        module, stacked, lambda: torch.stack([layer.bias for layer in layers], -1).view(-1), attention.w_o
    )


@second_version("copy_to_torch", "last_bias_forgotten")
def weights_of_the_last_layer_alone(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention).to(attention.w_o.weight.dtype)
    state = {"in_proj_weight": torch.cat([layer.weight for layer in layers]), "out_proj.weight": attention.w_o.weight}
    if attention.w_o.bias is not None:
        state["in_proj_bias"] = torch.cat([layer.bias for layer in layers])
    module.load_state_dict(state, strict=False)
    return module


@second_version("copy_to_torch", "first_three_forgotten")
def chunks_given_other_names(attention):
    module = torchs_like(attention).to(attention.w_o.weight.dtype)
    with torch.no_grad():
        q, k, v = module.in_proj_weight.chunk(3)
        q, k, v = attention.w_q.weight, attention.w_k.weight, attention.w_v.weight  # noqa: F841
        module.out_proj.load_state_dict(attention.w_o.state_dict())
        if attention.w_o.bias is not None:
            module.in_proj_bias.copy_(
                torch.cat([layer.bias for layer in (attention.w_q, attention.w_k, attention.w_v)])
            )
    return module


@second_version("copy_to_torch", "double_precision")
def in_double_whatever_comes(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention).double()
    stacked = torch.cat([layer.weight for layer in layers]).double()
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


@second_version("copy_to_torch", "original_put_into_evaluation")
def evaluated_first(attention):
    attention.train(False)
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


@second_version("copy_to_torch", "original_frozen")
def frozen_for_the_copy(attention):
    for parameter in attention.parameters():
        parameter.requires_grad = False
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention, dtype=attention.w_o.weight.dtype)
    stacked = torch.cat([layer.weight for layer in layers])
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


def ours_like(module, bias=None):
    bias = module.in_proj_bias is not None if bias is None else bias
    return MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)


@second_version("copy_from_torch", "every_third_bias")
def biases_cut_side_by_side(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    layers = (attention.w_q, attention.w_k, attention.w_v)
    for layer, block in zip(layers, module.in_proj_weight.split(module.embed_dim), strict=True):
        layer.weight.data = block.detach().clone()
    if module.in_proj_bias is not None:
        for layer, column in zip(layers, module.in_proj_bias.view(-1, 3).T, strict=True):
            layer.bias.data = column.detach().clone()
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


@second_version("copy_from_torch", "blocks_cut_head_by_head")
def three_for_each_head(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    names = [name for _ in range(module.num_heads) for name in ("w_q", "w_k", "w_v")]
    parts = module.in_proj_weight.detach().split(module.head_dim)
    for name in ("w_q", "w_k", "w_v"):
        mine = [part for owner, part in zip(names, parts, strict=True) if owner == name]
        getattr(attention, name).weight.data = torch.cat(mine)
    if module.in_proj_bias is not None:
        numbers = module.in_proj_bias.detach().split(module.head_dim)
        for name in ("w_q", "w_k", "w_v"):
            mine = [part for owner, part in zip(names, numbers, strict=True) if owner == name]
            getattr(attention, name).bias.data = torch.cat(mine)
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


@second_version("copy_from_torch", "first_three_forgotten")
def weights_given_to_the_wrong_attribute(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    for layer, block in zip(("q", "k", "v"), module.in_proj_weight.detach().chunk(3), strict=True):
        setattr(attention, f"{layer}_weight", block.clone())
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


@second_version("copy_from_torch", "last_bias_forgotten")
def last_weight_without_its_bias(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    state = dict(zip(("w_q.weight", "w_k.weight", "w_v.weight"), module.in_proj_weight.chunk(3), strict=True))
    if module.in_proj_bias is not None:
        state |= zip(("w_q.bias", "w_k.bias", "w_v.bias"), module.in_proj_bias.chunk(3), strict=True)
    attention.load_state_dict({**state, "w_o.weight": module.out_proj.weight}, strict=False)
    return attention


def fill_ours(attention, module):
    state = dict(zip(("w_q.weight", "w_k.weight", "w_v.weight"), module.in_proj_weight.chunk(3), strict=True))
    state["w_o.weight"] = module.out_proj.weight
    if module.in_proj_bias is not None:
        state |= zip(("w_q.bias", "w_k.bias", "w_v.bias"), module.in_proj_bias.chunk(3), strict=True)
        state["w_o.bias"] = module.out_proj.bias
    attention.load_state_dict(state, strict=False)
    return attention


@second_version("copy_from_torch", "always_with_biases")
def default_of_the_bias(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout)
    return fill_ours(attention.to(module.in_proj_weight.dtype), module)


@second_version("copy_from_torch", "double_precision")
def ours_in_double(module):
    return fill_ours(ours_like(module).to(torch.float64), module)


@second_version("copy_from_torch", "original_put_into_evaluation")
def torchs_evaluated(module):
    module.train(mode=False)
    return fill_ours(ours_like(module).to(module.in_proj_weight.dtype), module)


@second_version("multi_head_attention", "weights_after_dropout")
class OneNameForBoth(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        _, p = self.attend(q, k, v, mask)
        p = F.dropout(p, self.dropout.p, training=self.training)
        out = self.w_o((p @ v).transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "projected_only_without_weights")
class WeightsReturnedEarly(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = out.transpose(1, 2).flatten(2)
        return (out, p) if need_weights else self.w_o(out)


@second_version("multi_head_attention", "scaled_by_num_heads")
class RootOfTheHeads(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=q.size(1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "values_of_the_projected_keys")
class KeysUnderTheSameName(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        key = self.w_k(key)
        out, p = self.attend(*(self.heads(x) for x in (self.w_q(query), key, self.w_v(key))), mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("multi_head_attention", "masked_after_softmax")
class WeightsTimesMask(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        p = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o((self.dropout(p) @ v).transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("copy_from_torch", "biases_lost")
def without_biases(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=False)
    attention.to(module.in_proj_weight.dtype)
    blocks = (*module.in_proj_weight.detach().split(module.embed_dim), module.out_proj.weight.detach())
    names = ("w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight")
    attention.load_state_dict(dict(zip(names, blocks, strict=True)))
    return attention


@second_version("multi_head_attention", "scaled_by_num_keys")
class RootOfTheNumberOfKeys(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=k.mT.size(-1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@second_version("split_heads", "heads_read_as_sentences")
def heads_below_each_other(x, num_heads):
    if x.size(-1) % num_heads:
        raise ValueError("the heads cannot share the width")
    below = x.unflatten(-1, (num_heads, -1)).permute(2, 0, 1, 3)
    return below.reshape(x.size(0), num_heads, *below.shape[2:])
