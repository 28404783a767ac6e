"""Exercise `copy_from_torch`: the weights of PyTorch's own module in ours."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, keeps_dtype, unmoved
from course_lib.checking.recognisers.lesson_04 import (
    always_double_precision,
    biases_where_there_were_none,
    first_layers_not_copied,
    last_bias_not_copied,
    last_layer_not_copied,
    memory_is_shared,
)
from course_lib.components.multi_head_attention import MultiHeadAttention


def _question(
    name: str,
    draw: Draw,
    d_model: int,
    num_heads: int,
    bias: bool = True,
    dropout: float = 0.0,
    dtype: torch.dtype = torch.float64,
) -> Question:
    weights: dict[str, Tensor] = {"in_proj_weight": draw.tensor(3 * d_model, d_model)}
    if bias:
        weights["in_proj_bias"] = draw.tensor(3 * d_model)
    weights["out_proj.weight"] = draw.tensor(d_model, d_model)
    if bias:
        weights["out_proj.bias"] = draw.tensor(d_model)
    weights = {name: weight.to(dtype) for name, weight in weights.items()}
    build = {"embed_dim": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias, "batch_first": True}
    given = {"original": "torchs", "build": build, "weights": weights, "settings": ["num_heads", "dropout.p"]}
    return Question(name, probes.copy_module, given)


def ask(draw: Draw) -> Iterator[Question]:
    """Modules with dropout, without, without biases, and of two types, one of which is not the default."""
    h, width = draw.shuffled(((2, 3), (3, 2), (4, 2)))[0]
    small, plain = draw.shuffled((0.1, 0.2, 0.3))[:2]
    yield _question("small", draw, 2, 1, dropout=small)
    yield _question("plain", draw, h * width, h, dropout=plain)
    yield _question("without_biases", draw, h * width, h, bias=False)
    yield _question("float64", draw, 3, 3)
    yield _question("float32", draw, 3, 3, dtype=torch.float32)


def _layer(letter: str) -> list[str]:
    return [f"state/w_{letter}.weight", f"state/w_{letter}.bias"]


LAWS = (
    Law("queries", equals_reference, "plain", "`w_q` has its block of the stacked weights and biases", 0.15, {"fields": _layer("q")}, also=("small",)),
    Law("keys", equals_reference, "plain", "`w_k` has its block", 0.15, {"fields": _layer("k")}, also=("small",)),
    Law("values", equals_reference, "plain", "`w_v` has its block", 0.15, {"fields": _layer("v")}, also=("small",)),
    Law("last_layer", equals_reference, "plain", "`w_o` has the weight and the bias of `out_proj`", 0.15, {"fields": _layer("o")}, also=("small",)),
    Law("settings", equals_reference, "plain", "heads and dropout are those of the original", 0.05,
        {"fields": ["settings"]}, needs="queries"),
    Law("without_biases", equals_reference, "without_biases", "a module without biases gives one without biases", 0.15,
        {"fields": ["state"]}),
    Law("keeps_dtype", keeps_dtype, "float64", "float64 in, float64 out; float32 in, float32 out", 0.05,
        {"fields": ["state/w_q.weight", "state/w_o.weight"]}, needs="queries", also=("without_biases", "float32")),
    Law("own_memory", unmoved, "plain", "setting the original's stacked weights to 0 leaves `w_q` as it was", 0.05,
        {"before": "state/w_q.weight", "after": "own/w_q.weight"}, needs="queries"),
    Law("own_last_layer", unmoved, "plain", "setting the original's `out_proj` to 0 leaves `w_o` as it was", 0.05,
        {"before": "state/w_o.weight", "after": "own/w_o.weight"}, needs="last_layer"),
    Law("original_unchanged", equals_reference, "plain", "the original is left as it was", 0.05,
        {"fields": ["after", "kept"]}, needs="queries", also=("float32",)),
)  # fmt: skip

ORDER = "layers = (attention.w_q, attention.w_k, attention.w_v)"
BLOCKS = "module.in_proj_weight.chunk(3)"
COPY = "layer.weight.copy_(weight)"
COPY_BIAS = "layer.bias.copy_(bias)"
LAST = "attention.w_o.weight.copy_(module.out_proj.weight)"
LAST_BIAS = "attention.w_o.bias.copy_(module.out_proj.bias)"

MISTAKES = (
    mistake(
        "weights_transposed",
        "You transpose each weight on its way. `nn.Linear` and `in_proj_weight` both store (out, in): nothing has to be transposed. "
        "A square weight fits either way, and only the values tell.",
        (
            "What is `nn.Linear(2, 3).weight.shape`? And how does `nn.MultiheadAttention` use its weights: `F.linear(x, weight)`?",
            "Look for a `.T` or `.transpose` in your code.",
            f"`{COPY}`, without a transpose, and `w_o` the same way.",
        ),
        (COPY, "layer.weight.copy_(weight.T)"),
        (LAST, "attention.w_o.weight.copy_(module.out_proj.weight.T)"),
        group="layout",
    ),
    mistake(
        "first_three_transposed",
        "You transpose W_q, W_k and W_v on their way, but not W_o. `in_proj_weight` stores each of them as (out, in), as `nn.Linear` does.",
        (
            "Compare `attention.w_q.weight` with the first D rows of `in_proj_weight`, row by row.",
            "Look for a `.T` or `.transpose` where you cut the stack.",
            f"`{COPY}`, without a transpose.",
        ),
        (COPY, "layer.weight.copy_(weight.T)"),
        group="layout",
    ),
    mistake(
        "last_one_transposed",
        "You transpose W_o on its way. `out_proj` is an `nn.Linear` as `w_o` is: both store (out, in).",
        (
            "What is `type(module.out_proj)`?",
            "Look for a `.T` or `.transpose` where you copy `out_proj`.",
            f"`{LAST}`.",
        ),
        (LAST, "attention.w_o.weight.copy_(module.out_proj.weight.T)"),
        group="layout",
    ),
    mistake(
        "every_third_row",
        "You take every third row for each layer, which is also what three blocks side by side would be. In (3 D, D), the blocks stand one below the other, and the first D rows are W_q.",
        (
            "Compare the second row of `attention.w_q.weight` with that of `in_proj_weight`.",
            "`weight[0::3]` takes rows 0, 3, 6; so does a reshape to (D, 3 D), cut in three. Which rows are W_q?",
            f"`{BLOCKS}`: three times D rows.",
        ),
        (BLOCKS, "module.in_proj_weight.reshape(module.embed_dim, -1).chunk(3, dim=1)"),
        group="layout",
    ),
    mistake(
        "keys_first",
        "You read the stack as W_k, W_q, W_v. PyTorch's order is queries, keys, values.",
        (
            "Compare the first D rows of `in_proj_weight` with `attention.w_q.weight`.",
            "Which block does `nn.MultiheadAttention` use for its queries? Its arguments come in the same order.",
            "Queries, keys, values: `(attention.w_q, attention.w_k, attention.w_v)`.",
        ),
        (ORDER, "layers = (attention.w_k, attention.w_q, attention.w_v)"),
        group="order",
    ),
    mistake(
        "values_before_keys",
        "You read the stack as W_q, W_v, W_k. PyTorch's order is queries, keys, values.",
        (
            "Compare the second D rows of `in_proj_weight` with `attention.w_k.weight`.",
            "Which block comes last? The arguments of `nn.MultiheadAttention` come in the same order.",
            "Queries, keys, values: `(attention.w_q, attention.w_k, attention.w_v)`.",
        ),
        (ORDER, "layers = (attention.w_q, attention.w_v, attention.w_k)"),
        group="order",
    ),
    mistake(
        "first_block_three_times",
        "You give the first block to all three layers: queries, keys and values are then projected alike.",
        (
            "Are `attention.w_q.weight` and `attention.w_v.weight` of your copy the same?",
            "Which rows of the stack do you give to `w_k`, and which to `w_v`?",
            f"`{BLOCKS}` gives three blocks: one for each layer.",
        ),
        (BLOCKS, "[module.in_proj_weight[: module.embed_dim]] * 3"),
        group="layout",
    ),
    mistake(
        "biases_first_block_three_times",
        "Your weights are right, but all three layers get the first block of the biases.",
        (
            "Are `attention.w_q.bias` and `attention.w_v.bias` of your copy the same?",
            "Which part of `in_proj_bias` do you give to `w_k`, and which to `w_v`?",
            "`module.in_proj_bias.chunk(3)` gives three blocks: one for each layer.",
        ),
        ("module.in_proj_bias.chunk(3)", "[module.in_proj_bias[: module.embed_dim]] * 3"),
        group="bias",
    ),
    mistake(
        "biases_set_to_zero",
        "You copy the weights, and set the biases to 0.",
        (
            "Where are the numbers of `module.in_proj_bias` in your copy?",
            "List `module.state_dict()`. Which of its entries do you read?",
            f"Where there are biases: `{COPY_BIAS}` for each of the three blocks, and `{LAST_BIAS}`.",
        ),
        (COPY_BIAS, "layer.bias.zero_()"),
        (LAST_BIAS, "attention.w_o.bias.zero_()"),
        group="bias",
    ),
    mistake(
        "last_layer_forgotten",
        "You copy queries, keys and values. `w_o` keeps the random numbers it was initialised with, so your copy comes out differently each time.",
        (
            "Call your function twice. Are the two copies the same?",
            "List `module.state_dict()`. Which of its entries do you read?",
            f"`{LAST}`, and its bias.",
        ),
        (LAST, "pass"),
        (LAST_BIAS, "pass"),
        group="last",
        recogniser=last_layer_not_copied,
    ),
    mistake(
        "one_head",
        "Your copy has one head. The weights are the same for any number of heads; what they compute is not.",
        (
            "What is `num_heads` of your copy?",
            "Heads are no part of `state_dict()`. Where are they set?",
            "`MultiHeadAttention(module.embed_dim, module.num_heads, ...)`.",
        ),
        ("module.num_heads", "1"),
        group=ALONE,
    ),
    mistake(
        "heads_and_width_swapped",
        "You give `module.head_dim` as the number of heads. That is the width of one.",
        (
            "What is `num_heads` of your copy, and what of the original?",
            "Which attribute of PyTorch's module holds the number of heads?",
            "`MultiHeadAttention(module.embed_dim, module.num_heads, ...)`.",
        ),
        ("module.num_heads", "module.head_dim"),
        group=ALONE,
    ),
    mistake(
        "dropout_forgotten",
        "Your copy drops nothing in training, whatever the original drops.",
        (
            "What is `dropout.p` of your copy, and what is `dropout` of the original?",
            "Which arguments does the constructor of `MultiHeadAttention` take?",
            "`MultiHeadAttention(..., dropout=module.dropout)`.",
        ),
        (", dropout=module.dropout", ""),
        group="dropout",
    ),
    mistake(
        "single_precision",
        "Your copy is float32 where the original is float64, so half of the digits are lost.",
        (
            "Print the `dtype` of the original's weights and of the copy's.",
            "A new module is float32 by default, and `copy_` converts without a word.",
            "`attention.to(dtype=module.in_proj_weight.dtype)` before you copy.",
        ),
        ("    attention.to(dtype=module.in_proj_weight.dtype)\n", ""),
        group="precision",
    ),
    mistake(
        "weights_shared",
        "Your copy has weights that are the original's own: the same numbers in memory, with two owners. Train one of the two, and the other changes.",
        (
            "Set `module.in_proj_weight` to 0 after copying. What does your copy hold?",
            "Parts of a tensor are views of it, and `nn.Parameter(part)` or `.data = part` keeps them so. Which of your lines copies numbers?",
            f"`{COPY}`; or a `.clone()` of each part.",
        ),
        (COPY, "layer.weight.data = weight.data"),
        (LAST, "attention.w_o.weight.data = module.out_proj.weight.data"),
        group="layout",
        recogniser=memory_is_shared,
    ),
    mistake(
        "every_third_bias",
        "You take every third number of the stacked biases for each layer. `in_proj_bias` holds three blocks, one after the other: the first D numbers belong to W_q.",
        (
            "Compare the second number of `attention.w_q.bias` with that of `in_proj_bias`.",
            "`bias[0::3]` takes numbers 0, 3, 6; so does a reshape to (D, 3). Which ones belong to W_q?",
            "`module.in_proj_bias.chunk(3)`: three times D numbers.",
        ),
        ("module.in_proj_bias.chunk(3)", "[module.in_proj_bias[i::3] for i in range(3)]"),
        group="bias",
    ),
    mistake(
        "blocks_cut_head_by_head",
        "You read the stack head by head: queries, keys and values of head 0, then those of head 1. Some models are stored that way; in `in_proj_weight`, all of W_q comes first.",
        (
            "Compare the first D rows of `in_proj_weight` with `attention.w_q.weight`. From which row on do they differ?",
            "Look for the number of heads in the `view` or the slice that cuts the stack. Does the stack know of heads?",
            "`module.in_proj_weight.chunk(3)`: three times D rows, whatever the number of heads.",
        ),
        (BLOCKS, "module.in_proj_weight.unflatten(0, (module.num_heads, 3, -1)).transpose(0, 1).flatten(1, 2)"),
        (
            "module.in_proj_bias.chunk(3)",
            "module.in_proj_bias.unflatten(0, (module.num_heads, 3, -1)).transpose(0, 1).flatten(1, 2)",
        ),
        group=ALONE,
    ),
    mistake(
        "first_three_forgotten",
        "You copy `w_o`. Queries, keys and values keep the random numbers they were initialised with, so your copy comes out differently each time.",
        (
            "Call your function twice. Are the two copies the same?",
            "Where do the rows of `in_proj_weight` end up? `load_state_dict(..., strict=False)` says nothing of names it does not know, and `name = part` only renames.",
            f"`{COPY}`, for each of the three blocks, and the biases the same way.",
        ),
        (COPY, "pass"),
        (COPY_BIAS, "pass"),
        group=ALONE,
        recogniser=first_layers_not_copied,
    ),
    mistake(
        "last_bias_forgotten",
        "You copy the weight of `w_o`, but not its bias, which keeps the random numbers it was initialised with, so your copy comes out differently each time.",
        (
            "Call your function twice. Are the two copies the same?",
            "List `module.state_dict()`. Which of its entries do you read?",
            f"Where there are biases: `{LAST_BIAS}`.",
        ),
        (LAST_BIAS, "pass"),
        group=ALONE,
        recogniser=last_bias_not_copied,
    ),
    mistake(
        "always_with_biases",
        "Your copy has biases where the original has none. They are initialised with random numbers, so your copy computes something else.",
        (
            "Copy a module made with `bias=False`, and list the names in the copy's `state_dict()`.",
            "Which argument of `MultiHeadAttention` decides? What does it get from you?",
            "`MultiHeadAttention(..., bias=module.in_proj_bias is not None)`.",
        ),
        ("bias=has_bias", "bias=True"),
        group=ALONE,
        recogniser=biases_where_there_were_none,
    ),
    mistake(
        "double_precision",
        "Your copy is always float64, whatever the original is. In a float32 model, the next layer raises an error when it gets that.",
        (
            "Copy a module of float32 numbers, and print the `dtype` of the copy's weights.",
            "Look for `.double()` or `torch.float64`. And what does `.to(...)` do to the module that it is called on?",
            "`attention.to(dtype=module.in_proj_weight.dtype)` before you copy.",
        ),
        ("attention.to(dtype=module.in_proj_weight.dtype)", "attention.double()"),
        group=ALONE,
        recogniser=always_double_precision,
    ),
    mistake(
        "original_put_into_evaluation",
        "You put the original into evaluation mode. If somebody goes on training it, nothing is dropped any more.",
        (
            "What is `module.training` before your function, and what after it?",
            "Look for `.eval()` or `.train(...)` on the module you were given.",
            "Read the original's weights under `torch.no_grad()`, and leave its mode alone.",
        ),
        ("    has_bias = ", "    module.eval()\n    has_bias = "),
        group=ALONE,
    ),
    mistake(
        "biases_lost",
        "Your copy has no biases, even where the original has some.",
        (
            "Print the names of your copy's parameters. Which are missing?",
            "Which attribute of `module` do you ask whether there are biases? (`bias_k` is something else, and None in an ordinary module.)",
            "`bias = module.in_proj_bias is not None`, and hand it to `MultiHeadAttention`.",
        ),
        ("has_bias = module.in_proj_bias is not None", "has_bias = False"),
        group="bias",
    ),
)


def through_state_dicts(module):
    torchs = module.state_dict()
    q, k, v = torchs["in_proj_weight"].chunk(3)
    state = {"w_q.weight": q, "w_k.weight": k, "w_v.weight": v, "w_o.weight": torchs["out_proj.weight"]}
    has_bias = "in_proj_bias" in torchs
    if has_bias:
        q, k, v = torchs["in_proj_bias"].chunk(3)
        state |= {"w_q.bias": q, "w_k.bias": k, "w_v.bias": v, "w_o.bias": torchs["out_proj.bias"]}
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=has_bias).to(q.dtype)
    ours.load_state_dict(state)
    return ours


def block_by_block(module):
    D = module.embed_dim
    biased = module.out_proj.bias is not None
    attention = MultiHeadAttention(d_model=D, num_heads=module.num_heads, dropout=module.dropout, bias=biased)
    attention = attention.type(module.out_proj.weight.dtype)
    for i, name in enumerate(["w_q", "w_k", "w_v"]):
        layer = getattr(attention, name)
        layer.weight.data[:] = module.in_proj_weight.data[i * D : (i + 1) * D]
        if biased:
            layer.bias.data[:] = module.in_proj_bias.data[i * D : (i + 1) * D]
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


def new_parameters(module):
    biased = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, biased)
    weights = module.in_proj_weight.detach().clone().unflatten(0, (3, -1))
    for layer, weight in zip([attention.w_q, attention.w_k, attention.w_v], weights, strict=True):
        layer.weight = torch.nn.Parameter(weight)
    attention.w_o.weight = torch.nn.Parameter(module.out_proj.weight.detach().clone())
    if biased:
        biases = module.in_proj_bias.detach().clone().view(3, -1)
        for layer, bias in zip([attention.w_q, attention.w_k, attention.w_v], biases, strict=True):
            layer.bias = torch.nn.Parameter(bias)
        attention.w_o.bias = torch.nn.Parameter(module.out_proj.bias.detach().clone())
    return attention


def with_a_deep_copy(module):
    import copy

    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    attention = attention.to(module.in_proj_weight)
    attention.w_o = copy.deepcopy(module.out_proj)
    names = ("w_q", "w_k", "w_v")
    for name, weight in zip(names, module.in_proj_weight.split(module.embed_dim), strict=True):
        attention.get_parameter(f"{name}.weight").data.copy_(weight)
    if module.in_proj_bias is not None:
        for name, bias in zip(names, module.in_proj_bias.split(module.embed_dim), strict=True):
            attention.get_parameter(f"{name}.bias").data.copy_(bias)
    return attention


def stub(module):
    raise NotImplementedError


def the_original(module):
    return module


def a_new_module(module):
    return MultiHeadAttention(module.embed_dim, module.num_heads)


def a_new_module_with_the_same_settings(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    return attention.to(module.in_proj_weight)


def all_zeros(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    for parameter in attention.parameters():
        parameter.data.zero_()
    return attention


COPY_FROM_TORCH = define(
    id="copy_from_torch",
    lesson="04_multi_head_attention",
    place=4,
    module="course_lib.components.copy_weights",
    symbol="copy_from_torch",
    minutes=10,
    laws=LAWS,
    hints=(
        "It is `copy_to_torch` read backwards. Print the names and shapes in `module.state_dict()`, and in that of a new `MultiHeadAttention`.",
        "Make ours with the original's settings first. Then cut the stack in three, and set each of the four weights, and the four biases where there are any.",
        "Under `torch.no_grad()`: the three blocks of `module.in_proj_weight.chunk(3)` go into `w_q`, `w_k`, `w_v` by `layer.weight.copy_(block)`, "
        "`module.out_proj.weight` into `w_o`, and the biases the same way.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(through_state_dicts, block_by_block, new_parameters, with_a_deep_copy),
    lazy=(stub, the_original, a_new_module, a_new_module_with_the_same_settings, all_zeros),
    switches=("layout", "order", "bias", "dropout", "precision"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@COPY_FROM_TORCH.second_version("every_third_row")
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


@COPY_FROM_TORCH.second_version("last_layer_forgotten")
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


def ours_like(module, bias=None):
    bias = module.in_proj_bias is not None if bias is None else bias
    return MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)


@COPY_FROM_TORCH.second_version("every_third_bias")
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


@COPY_FROM_TORCH.second_version("blocks_cut_head_by_head")
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


@COPY_FROM_TORCH.second_version("first_three_forgotten")
def weights_given_to_the_wrong_attribute(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    for layer, block in zip(("q", "k", "v"), module.in_proj_weight.detach().chunk(3), strict=True):
        setattr(attention, f"{layer}_weight", block.clone())
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


@COPY_FROM_TORCH.second_version("last_bias_forgotten")
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


@COPY_FROM_TORCH.second_version("always_with_biases")
def default_of_the_bias(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout)
    return fill_ours(attention.to(module.in_proj_weight.dtype), module)


@COPY_FROM_TORCH.second_version("double_precision")
def ours_in_double(module):
    return fill_ours(ours_like(module).to(torch.float64), module)


@COPY_FROM_TORCH.second_version("original_put_into_evaluation")
def torchs_evaluated(module):
    module.train(mode=False)
    return fill_ours(ours_like(module).to(module.in_proj_weight.dtype), module)


@COPY_FROM_TORCH.second_version("biases_lost")
def without_biases(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=False)
    attention.to(module.in_proj_weight.dtype)
    blocks = (*module.in_proj_weight.detach().split(module.embed_dim), module.out_proj.weight.detach())
    names = ("w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight")
    attention.load_state_dict(dict(zip(names, blocks, strict=True)))
    return attention
