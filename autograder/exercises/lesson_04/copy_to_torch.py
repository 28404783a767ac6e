"""Exercise `copy_to_torch`: our weights in PyTorch's own module."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, keeps_dtype, unmoved
from course_lib.checking.recognisers.lesson_04 import (
    always_double_precision,
    first_layers_not_copied,
    last_layer_not_copied,
    memory_is_shared,
)

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _question(
    name: str,
    draw: Draw,
    d_model: int,
    num_heads: int,
    bias: bool = True,
    dropout: float = 0.0,
    dtype: torch.dtype = torch.float64,
) -> Question:
    weights: dict[str, Tensor] = {f"{layer}.weight": draw.tensor(d_model, d_model) for layer in LAYERS}
    if bias:
        weights |= {f"{layer}.bias": draw.tensor(d_model) for layer in LAYERS}
    weights = {name: weight.to(dtype) for name, weight in weights.items()}
    build = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
    settings = ["num_heads", "batch_first", "dropout"]
    given = {"original": "ours", "build": build, "weights": weights, "settings": settings}
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


LAWS = (
    Law("stacked_weight", equals_reference, "plain", "W_q, W_k and W_v are stacked in `in_proj_weight`, one below the other", 0.25,
        {"fields": ["state/in_proj_weight"]}, also=("small",)),
    Law("stacked_bias", equals_reference, "plain", "their biases follow each other in `in_proj_bias`", 0.1,
        {"fields": ["state/in_proj_bias"]}, also=("small",)),
    Law("last_layer", equals_reference, "plain", "`out_proj` has the weight and the bias of `w_o`", 0.15,
        {"fields": ["state/out_proj.weight", "state/out_proj.bias"]}, also=("small",)),
    Law("settings", equals_reference, "plain", "heads and dropout are those of the original, and `batch_first` is True", 0.15,
        {"fields": ["settings"]}, needs="stacked_weight"),
    Law("without_biases", equals_reference, "without_biases", "a module without biases gives one without biases", 0.15,
        {"fields": ["state"]}),
    Law("keeps_dtype", keeps_dtype, "float64", "float64 in, float64 out; float32 in, float32 out", 0.05,
        {"fields": ["state/in_proj_weight", "state/out_proj.weight"]}, needs="stacked_weight",
        also=("without_biases", "float32")),
    Law("own_memory", unmoved, "plain", "setting the original's weights to 0 leaves the copy's as they were", 0.1,
        {"before": "state/out_proj.weight", "after": "own/out_proj.weight"}, needs="last_layer"),
    Law("original_unchanged", equals_reference, "plain", "the original is left as it was", 0.05,
        {"fields": ["after", "kept"]}, needs="stacked_weight", also=("float32",)),
)  # fmt: skip

ORDER = "layers = (attention.w_q, attention.w_k, attention.w_v)"
STACK = "torch.cat([layer.weight for layer in layers])"
BIASES = "torch.cat([layer.bias for layer in layers])"
STACK_LINE = f"module.in_proj_weight.copy_({STACK})"
BIASES_LINE = f"module.in_proj_bias.copy_({BIASES})"
LAST = "module.out_proj.weight.copy_(attention.w_o.weight)"
LAST_BIAS = "module.out_proj.bias.copy_(attention.w_o.bias)"

MISTAKES = (
    mistake(
        "weights_transposed",
        "You transpose each weight on its way. `nn.Linear` and `in_proj_weight` both store (out, in): nothing has to be transposed. "
        "The formula's `X W` hides this; a square weight fits either way, and only the values tell.",
        (
            "What is `nn.Linear(2, 3).weight.shape`? And how does `nn.MultiheadAttention` use its weights: `F.linear(x, weight)`?",
            "Look for a `.T` or `.transpose` in your code.",
            f"`{STACK}`, without a transpose, and `out_proj.weight` the same way.",
        ),
        (STACK, "torch.cat([layer.weight.T for layer in layers])"),
        (LAST, "module.out_proj.weight.copy_(attention.w_o.weight.T)"),
        group="layout",
    ),
    mistake(
        "first_three_transposed",
        "You transpose W_q, W_k and W_v on their way, but not W_o. `in_proj_weight` stores each of them as (out, in), as `nn.Linear` does.",
        (
            "Compare `torch_module.in_proj_weight[:D]` with `attention.w_q.weight`, row by row.",
            "Look for a `.T` or `.transpose` in the line that stacks.",
            f"`{STACK}`, without a transpose.",
        ),
        (STACK, "torch.cat([layer.weight.T for layer in layers])"),
        group="layout",
    ),
    mistake(
        "last_one_transposed",
        "You transpose W_o on its way. `out_proj` is an `nn.Linear` as `w_o` is: both store (out, in).",
        (
            "What is `type(torch_module.out_proj)`?",
            "Look for a `.T` or `.transpose` where you copy `w_o`.",
            f"`{LAST}`.",
        ),
        (LAST, "module.out_proj.weight.copy_(attention.w_o.weight.T)"),
        group="layout",
    ),
    mistake(
        "stacked_side_by_side",
        "Your stack holds a row of W_q, one of W_k, one of W_v, and so on: that is what three weights side by side are when they are read as (3 D, D). They should be stacked in three blocks, one below the other.",
        (
            "Compare the first three rows of `in_proj_weight` with those of `attention.w_q.weight`.",
            "Along which axis do you concatenate or stack? Three tensors (D, D) should become (3 D, D).",
            f"`{STACK}`: along the first axis, which is `torch.cat`'s own choice.",
        ),
        (STACK, f"{STACK.removesuffix(')')}, dim=1).reshape(-1, layers[0].in_features)"),
        group="layout",
    ),
    mistake(
        "keys_first",
        "You stack W_k, W_q, W_v. PyTorch's order is queries, keys, values.",
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
        "You stack W_q, W_v, W_k. PyTorch's order is queries, keys, values.",
        (
            "Compare the second D rows of `in_proj_weight` with `attention.w_k.weight`.",
            "Which block comes last? The arguments of `nn.MultiheadAttention` come in the same order.",
            "Queries, keys, values: `(attention.w_q, attention.w_k, attention.w_v)`.",
        ),
        (ORDER, "layers = (attention.w_q, attention.w_v, attention.w_k)"),
        group="order",
    ),
    mistake(
        "queries_three_times",
        "You stack the weight of one layer three times: queries, keys and values are then projected alike.",
        (
            "Is any row of `attention.w_v.weight` in your `in_proj_weight`?",
            "Which three layers do you stack?",
            "Queries, keys, values: `(attention.w_q, attention.w_k, attention.w_v)`.",
        ),
        (ORDER, "layers = (attention.w_q,) * 3"),
        group="order",
    ),
    mistake(
        "biases_forgotten",
        "You copy the weights, but not the biases. PyTorch's module keeps the zeros that it starts with.",
        (
            "Where are the numbers of `attention.w_q.bias` in your copy?",
            "List `module.state_dict()`. Which of its entries do you set?",
            f"Where there are biases: `{BIASES_LINE}` and `{LAST_BIAS}`.",
        ),
        (BIASES_LINE, "pass"),
        (LAST_BIAS, "pass"),
        group="bias",
    ),
    mistake(
        "stacked_biases_forgotten",
        "You copy the bias of `w_o`, but not those of the other three: `in_proj_bias` keeps the zeros it starts with.",
        (
            "Where are the numbers of `attention.w_q.bias` in your copy?",
            "The three weights are stacked in one tensor. What about their biases?",
            f"`{BIASES_LINE}`.",
        ),
        (BIASES_LINE, "pass"),
        group="bias",
    ),
    mistake(
        "last_layer_forgotten",
        "You copy queries, keys and values. `out_proj`, PyTorch's W_o, keeps the random numbers it was initialised with, so your copy comes out differently each time.",
        (
            "Call your function twice. Are the two copies the same?",
            "List `module.state_dict()`. Which of its entries do you set?",
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
            "`nn.MultiheadAttention(..., num_heads=attention.num_heads, ...)`.",
        ),
        ("num_heads=attention.num_heads", "num_heads=1"),
        group=ALONE,
    ),
    mistake(
        "not_batch_first",
        "Your copy takes the tokens first and the batch second, as `nn.MultiheadAttention` does by default. "
        "It would run on a batch of ours without an error, and let sentences attend to each other.",
        (
            "What is `batch_first` of your copy?",
            "Which axis is the batch in our modules, and which is it in PyTorch's, if you say nothing?",
            "`nn.MultiheadAttention(..., batch_first=True)`.",
        ),
        ("        batch_first=True,\n", ""),
        group="batch",
    ),
    mistake(
        "dropout_forgotten",
        "Your copy drops nothing in training, whatever the original drops.",
        (
            "What is `dropout` of your copy, and what of the original?",
            "`attention.dropout` is an `nn.Dropout`. Which of its attributes is the probability?",
            "`nn.MultiheadAttention(..., dropout=attention.dropout.p)`.",
        ),
        ("        dropout=attention.dropout.p,\n", ""),
        group="dropout",
    ),
    mistake(
        "always_with_biases",
        "Your copy has biases where the original has none. They start at 0, but training will move them.",
        (
            "Copy a module made with `bias=False`, and list the names in its `state_dict()`.",
            "Which argument of `nn.MultiheadAttention` decides? What does it get from you?",
            "`nn.MultiheadAttention(..., bias=attention.w_o.bias is not None)`.",
        ),
        ("bias=attention.w_o.bias is not None", "bias=True"),
        group="without",
    ),
    mistake(
        "single_precision",
        "Your copy is float32 where the original is float64, so half of the digits are lost.",
        (
            "Print the `dtype` of the original's weights and of the copy's.",
            "A new module is float32 by default, and `copy_` converts without a word.",
            "`nn.MultiheadAttention(..., dtype=attention.w_o.weight.dtype)`.",
        ),
        ("        dtype=attention.w_o.weight.dtype,\n", ""),
        group="precision",
    ),
    mistake(
        "last_layer_shared",
        "Your copy's `out_proj` is the original's `w_o`: one tensor with two owners. Train one of the two, and the other changes.",
        (
            "Set `attention.w_o.weight` to 0 after copying. What does your copy hold?",
            "`a = b` gives a thing a second name. Which of your lines copies numbers, and which only names them?",
            f"`{LAST}`.",
        ),
        (LAST, "module.out_proj.weight = attention.w_o.weight"),
        group="last",
        recogniser=memory_is_shared,
    ),
    mistake(
        "stacked_head_by_head",
        "You stack head by head: queries, keys and values of head 0, then those of head 1. Some models are stored that way; in `in_proj_weight`, all of W_q comes first.",
        (
            "Compare the first D rows of `in_proj_weight` with `attention.w_q.weight`. From which row on do they differ?",
            "Look for the number of heads where you stack. Does PyTorch's stack know of heads?",
            f"`{STACK}`, whatever the number of heads.",
        ),
        (
            STACK,
            "torch.stack([layer.weight.unflatten(0, (attention.num_heads, -1)) for layer in layers], 1).flatten(0, 2)",
        ),
        (
            BIASES,
            "torch.stack([layer.bias.unflatten(0, (attention.num_heads, -1)) for layer in layers], 1).flatten(0, 2)",
        ),
        group=ALONE,
    ),
    mistake(
        "biases_interleaved",
        "Your stack of biases takes a number of each layer in turn. They should follow each other in three blocks, as the weights do.",
        (
            "Compare the first D numbers of `in_proj_bias` with `attention.w_q.bias`.",
            "Along which axis do you stack the biases, and what does the reshape behind it read first?",
            f"`{BIASES}`.",
        ),
        (BIASES, "torch.stack([layer.bias for layer in layers], dim=1).flatten()"),
        group="bias",
    ),
    mistake(
        "last_bias_forgotten",
        "You copy the weight of `w_o`, but not its bias: that of `out_proj` keeps the zeros it starts with.",
        (
            "Where are the numbers of `attention.w_o.bias` in your copy?",
            "List `module.state_dict()`. Which of its entries do you set?",
            f"Where there are biases: `{LAST_BIAS}`.",
        ),
        (LAST_BIAS, "pass"),
        group="bias",
    ),
    mistake(
        "first_three_forgotten",
        "You copy W_o. `in_proj_weight` keeps the random numbers it was initialised with, so your copy comes out differently each time.",
        (
            "Call your function twice. Are the two copies the same?",
            "Where do the weights of `w_q`, `w_k` and `w_v` end up? `q = layer.weight` only gives a tensor a new name, and `load_state_dict(..., strict=False)` says nothing of names it does not know.",
            f"`{STACK_LINE}`, and the biases the same way.",
        ),
        (STACK_LINE, "pass"),
        (BIASES_LINE, "pass"),
        group=ALONE,
        recogniser=first_layers_not_copied,
    ),
    mistake(
        "double_precision",
        "Your copy is always float64, whatever the original is. In a float32 model, the next layer raises an error when it gets that.",
        (
            "Copy a layer of float32 numbers, and print the `dtype` of the copy's weights.",
            "Look for `.double()` or `torch.float64`. And what does `.to(...)` do to the module that it is called on?",
            "`nn.MultiheadAttention(..., dtype=attention.w_o.weight.dtype)`.",
        ),
        ("dtype=attention.w_o.weight.dtype", "dtype=torch.float64"),
        group=ALONE,
        recogniser=always_double_precision,
    ),
    mistake(
        "original_put_into_evaluation",
        "You put the original into evaluation mode. If somebody goes on training it, nothing is dropped any more.",
        (
            "What is `attention.training` before your function, and what after it?",
            "Look for `.eval()` or `.train(...)` on the layer you were given.",
            "Read the original's weights under `torch.no_grad()`, and leave its mode alone.",
        ),
        ("    layers = ", "    attention.eval()\n    layers = "),
        group="original",
    ),
    mistake(
        "original_frozen",
        "You freeze the original: its parameters no longer require a gradient, and it will never learn again.",
        (
            "What is `attention.w_q.weight.requires_grad` before your function, and what after it?",
            "Look for `requires_grad_(False)` on the layer you were given.",
            "Read the original's weights under `torch.no_grad()`, which only holds as long as you read.",
        ),
        ("    layers = ", "    attention.requires_grad_(False)\n    layers = "),
        group="frozen",
    ),
)


def through_state_dicts(attention):
    ours = attention.state_dict()
    has_bias = "w_q.bias" in ours
    state = {
        "in_proj_weight": torch.cat([ours["w_q.weight"], ours["w_k.weight"], ours["w_v.weight"]]),
        "out_proj.weight": ours["w_o.weight"],
    }
    if has_bias:
        state["in_proj_bias"] = torch.cat([ours["w_q.bias"], ours["w_k.bias"], ours["w_v.bias"]])
        state["out_proj.bias"] = ours["w_o.bias"]
    module = nn.MultiheadAttention(
        len(ours["w_q.weight"]), attention.num_heads, attention.dropout.p, bias=has_bias, batch_first=True
    ).to(ours["w_q.weight"])
    module.load_state_dict(state)
    return module


def block_by_block(attention):
    d_model = attention.w_q.in_features
    has_bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(
        d_model, attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True
    )
    module = module.to(attention.w_q.weight.dtype)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        block = slice(i * d_model, (i + 1) * d_model)
        module.in_proj_weight.data[block] = layer.weight.data
        if has_bias:
            module.in_proj_bias.data[block] = layer.bias.data
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    return module


def stacked_and_flattened(attention):
    q, k, v, o = attention.w_q, attention.w_k, attention.w_v, attention.w_o
    module = nn.MultiheadAttention(
        q.in_features, attention.num_heads, attention.dropout.p, q.bias is not None, batch_first=True
    )
    module.in_proj_weight = nn.Parameter(torch.stack([q.weight, k.weight, v.weight]).flatten(0, 1).detach())
    module.out_proj.weight = nn.Parameter(o.weight.detach().clone())
    if q.bias is not None:
        module.in_proj_bias = nn.Parameter(torch.hstack([q.bias, k.bias, v.bias]).detach())
        module.out_proj.bias = nn.Parameter(o.bias.detach().clone())
    return module


def with_a_deep_copy(attention):
    import copy

    layers = copy.deepcopy([attention.w_q, attention.w_k, attention.w_v, attention.w_o])
    has_bias = layers[0].bias is not None
    module = nn.MultiheadAttention(
        layers[0].out_features, attention.num_heads, attention.dropout.p, bias=has_bias, batch_first=True
    )
    module.in_proj_weight.data = torch.vstack([layer.weight.data for layer in layers[:3]])
    module.out_proj.weight.data = layers[3].weight.data
    if has_bias:
        module.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers[:3]])
        module.out_proj.bias.data = layers[3].bias.data
    return module


def stub(attention):
    raise NotImplementedError


def the_original(attention):
    return attention


def a_new_module(attention):
    return nn.MultiheadAttention(attention.w_q.in_features, attention.num_heads, attention.dropout.p, batch_first=True)


def a_new_module_with_the_same_settings(attention):
    return nn.MultiheadAttention(
        attention.w_q.in_features,
        attention.num_heads,
        dropout=attention.dropout.p,
        bias=attention.w_q.bias is not None,
        batch_first=True,
        dtype=attention.w_q.weight.dtype,
    )


def all_zeros(attention):
    module = nn.MultiheadAttention(
        attention.w_q.in_features, attention.num_heads, attention.dropout.p, attention.w_q.bias is not None
    )
    for parameter in module.parameters():
        parameter.data.zero_()
    return module


COPY_TO_TORCH = define(
    id="copy_to_torch",
    lesson="04_multi_head_attention",
    place=3,
    module="course_lib.components.copy_weights",
    symbol="copy_to_torch",
    minutes=10,
    laws=LAWS,
    hints=(
        "Print the names and shapes in `attention.state_dict()`, and in that of a new `nn.MultiheadAttention`. Which go where?",
        "Make the module with the original's settings first, `batch_first=True` among them. Then set each of its two weights, and its two biases where there are any.",
        "Under `torch.no_grad()`: `module.in_proj_weight.copy_(torch.cat([...]))` with W_q, W_k, W_v in this order, `module.out_proj.weight.copy_(attention.w_o.weight)`, "
        "and the same for `in_proj_bias` and `out_proj.bias`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(through_state_dicts, block_by_block, stacked_and_flattened, with_a_deep_copy),
    lazy=(stub, the_original, a_new_module, a_new_module_with_the_same_settings, all_zeros),
    switches=("layout", "order", "bias", "without", "dropout", "precision", "batch", "original", "frozen"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@COPY_TO_TORCH.second_version("stacked_side_by_side")
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


@COPY_TO_TORCH.second_version("stacked_head_by_head")
def three_of_each_head(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    weights = [layer.weight.chunk(attention.num_heads) for layer in layers]
    stacked = torch.cat([part for parts in zip(*weights, strict=True) for part in parts])

    def biases():
        parts = [layer.bias.chunk(attention.num_heads) for layer in layers]
        return torch.cat([part for three in zip(*parts, strict=True) for part in three])

    return fill_torchs(torchs_like(attention, dtype=stacked.dtype), stacked, biases, attention.w_o)


@COPY_TO_TORCH.second_version("biases_interleaved")
def biases_side_by_side(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(
        module, stacked, lambda: torch.stack([layer.bias for layer in layers], -1).view(-1), attention.w_o
    )


@COPY_TO_TORCH.second_version("last_bias_forgotten")
def weights_of_the_last_layer_alone(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention).to(attention.w_o.weight.dtype)
    state = {"in_proj_weight": torch.cat([layer.weight for layer in layers]), "out_proj.weight": attention.w_o.weight}
    if attention.w_o.bias is not None:
        state["in_proj_bias"] = torch.cat([layer.bias for layer in layers])
    module.load_state_dict(state, strict=False)
    return module


@COPY_TO_TORCH.second_version("first_three_forgotten")
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


@COPY_TO_TORCH.second_version("double_precision")
def in_double_whatever_comes(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention).double()
    stacked = torch.cat([layer.weight for layer in layers]).double()
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


@COPY_TO_TORCH.second_version("original_put_into_evaluation")
def evaluated_first(attention):
    attention.train(False)
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


@COPY_TO_TORCH.second_version("original_frozen")
def frozen_for_the_copy(attention):
    for parameter in attention.parameters():
        parameter.requires_grad = False
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention, dtype=attention.w_o.weight.dtype)
    stacked = torch.cat([layer.weight for layer in layers])
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)
