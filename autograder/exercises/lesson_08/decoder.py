"""Exercise `decoder`: decoder layers on top of each other, all of which look at the same memory."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.lesson_08 import drops_by_chance, drops_by_chance_and_is_pre_norm
from course_lib.checking.values import Value
from course_lib.components.decoder import Decoder
from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.layer_norm import LayerNorm

SIZES: dict[str, Any] = {"d_model": 6, "num_heads": 2, "d_ff": 7}
#: whose gradients are looked at: what goes in, and something of each layer
LEARNED = ("x", "memory", *(f"layers.{i}.self_attention.w_v.weight" for i in range(2)))


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_layers: int = 2,
    norm_first: bool = True,
    dropout: float = 0.0,
    sizes: dict[str, Any] = SIZES,
    **more: Value,
) -> Question:
    build = {"num_layers": num_layers, **sizes, "dropout": dropout, "norm_first": norm_first}
    given = {
        "build": build,
        "weights": weights,
        "calls": list(calls),
        "returns": ["output"],
        "with_shapes": name in ("pre", "post"),
        **more,
    }
    return Question(name, probes.module, given)


def _given(draw: Draw, b: int, t: int, s: int, d_model: int = 6) -> dict[str, Value]:
    return {"x": draw.tensor(b, t, d_model), "memory": draw.tensor(b, s, d_model)}


def ask(draw: Draw) -> Iterator[Question]:
    """Pre-norm and post-norm, masks, three layers, gradients, dropout; and a square, to name what crashes."""
    b, t, s = 3, *draw.shuffled(((4, 5), (5, 4)))[0]
    weights = weights_of(draw, Decoder(2, **SIZES))
    given = _given(draw, b, t, s)
    real = torch.tensor([s, *draw.shuffled(range(2, s))[: b - 1]])  # (B,)
    masks = {
        "mask": torch.ones(t, t, dtype=torch.bool).tril(),
        "memory_mask": (torch.arange(s) < real[:, None])[:, None, None],
    }
    yield _question("pre", weights, given)
    yield _question("masked", weights, {**given, **masks})
    post = {name: weight for name, weight in weights.items() if not name.startswith("norm.")}
    yield _question("post", post, given, norm_first=False)
    sizes: dict[str, Any] = {"d_model": 4, "num_heads": 1, "d_ff": 3}
    small = _given(draw, 2, 3, 5, 4)
    yield _question("three_layers", weights_of(draw, Decoder(3, **sizes)), small, num_layers=3, sizes=sizes)
    upstream = {"output": draw.tensor(2, 3, 4)}
    weights_4 = weights_of(draw, Decoder(2, **sizes))
    yield _question("gradients", weights_4, small, sizes=sizes, upstream=upstream, learned=list(LEARNED))
    # what is dropped within the layers' sub-layers: whatever a wrong layer does to its sums is no matter of chance then
    within = [
        f"layers.{i}.{part}_residual"
        for i in range(2)
        for part in ("self_attention", "cross_attention", "feed_forward")
    ]
    dropped: dict[str, Any] = {"dropout": 1.0, "training": True, "evaluated": within}
    yield _question("training", weights_4, small, small, sizes=sizes, **dropped)
    # no row of these masks is empty, and neither is one of both exchanged, or turned round
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=torch.bool)
    memory_mask = torch.tensor([[0, 1, 1], [1, 0, 0], [1, 0, 1]], dtype=torch.bool)
    square = _given(draw, 2, 3, 3)
    yield _question("square", weights, {**square, "mask": mask, "memory_mask": memory_mask})


OUTPUT = {"fields": ["calls/0/output"]}

LAWS = (
    Law("parts", equals_reference, "pre", "the constructor makes `layers` and, pre-norm, `norm`", 0.25, {"fields": ["shapes"]}),
    Law("pre", equals_reference, "pre", "two layers, pre-norm, come out right", 0.75, OUTPUT, also=("square",)),
    Law("masked", equals_reference, "masked", "with a causal mask and a mask of the memory they come out right", 0.5, OUTPUT),
    Law("post", equals_reference, "post", "two layers, post-norm, come out right, without a last normalisation", 0.5, OUTPUT),
    Law("three_layers", equals_reference, "three_layers", "three layers come out right", 0.25, OUTPUT),
    Law("gradients", equals_reference, "gradients", "the gradients of `x`, of `memory` and of both layers' first matrix are right", 0.5,
        {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Law("dropout", equals_reference, "training", "the layers are handed `dropout`: with `dropout=1.0` in training, attentions and networks drop all they have", 0.25,
        OUTPUT, needs="pre"),
)  # fmt: skip

STACK = "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]"
LAYERS = f"""nn.ModuleList(
            {STACK}
        )"""
LAST_NORM = "LayerNorm(d_model) if norm_first else nn.Identity()"
LOOP = "for layer in self.layers:"
STEP = "x = layer(x, memory, mask, memory_mask)"
LAST = "self.norm(x)"

MISTAKES = (
    # the constructor
    mistake(
        "one_layer_repeated",
        "Your layers share one set of weights, that of a single layer: `[layer] * n` enters the same layer several times, and `copy.copy` makes copies that share their parts.",
        (
            "How many parameters has a decoder of two layers, and how many has yours?",
            "Is `decoder.layers[0] is decoder.layers[1]` true?",
            "Call the constructor once for each layer: `nn.ModuleList([DecoderLayer(...) for _ in range(num_layers)])`.",
        ),
        (STACK, "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)] * num_layers"),
        group=ALONE,
    ),
    mistake(
        "plain_list",
        "Your layers are in a plain Python list. A module knows nothing of what is in a list: no optimiser will find their parameters, and none is saved.",
        (
            "Print `len(list(decoder.parameters()))`. Is anything there besides the last normalisation?",
            "PyTorch looks for parameters in attributes that are modules. What is a list?",
            "`self.layers = nn.ModuleList([...])`.",
        ),
        (LAYERS, STACK),
        group=ALONE,
    ),
    mistake(
        "one_layer_too_few",
        "You make one layer less than `num_layers`.",
        (
            "What is `len(Decoder(2, …).layers)`?",
            "Look at the range in your constructor.",
            "`for _ in range(num_layers)`.",
        ),
        ("range(num_layers)", "range(num_layers - 1)"),
        group=ALONE,
    ),
    mistake(
        "last_norm_not_made",
        "Your pre-norm stack has no last normalisation. In a pre-norm layer the sum itself is never normalised: it grows from layer to layer, and what comes out is of any size.",
        (
            "How large are the outputs of six pre-norm layers? What brings them back?",
            "Compare your constructor with the list of parameters in the docstring.",
            f"`self.norm = {LAST_NORM}`.",
        ),
        (LAST_NORM, "nn.Identity()"),
        group=ALONE,
    ),
    mistake(
        "last_norm_always_made",
        "Your post-norm stack ends in two normalisations: its last layer has normalised already.",
        (
            "What is the last thing that a post-norm layer does?",
            "Does your `self.norm` depend on `norm_first`?",
            f"`self.norm = {LAST_NORM}`.",
        ),
        (LAST_NORM, "LayerNorm(d_model)"),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_handed_on",
        "Your layers never hear of `norm_first`: they are pre-norm, which is their default, also where post-norm is asked for.",
        (
            "Build a decoder with `norm_first=False`. What does its first layer know of it?",
            "Which arguments do you hand to `DecoderLayer`?",
            "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        ),
        ("dropout, norm_first) for", "dropout) for"),
        group=ALONE,
    ),
    mistake(
        "dropout_not_handed_on",
        "Your layers never hear of `dropout`: they drop a tenth, their default, whatever is asked for.",
        (
            "Build a decoder with `dropout=1.0` and call it in training mode, twice. Is it the same?",
            "Which arguments do you hand to `DecoderLayer`?",
            "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        ),
        ("dropout, norm_first) for", "norm_first=norm_first) for"),
        group=ALONE,
        recogniser=drops_by_chance,
    ),
    mistake(
        "settings_not_handed_on",
        "Your layers hear neither of `dropout` nor of `norm_first`: they are pre-norm and drop a tenth, their defaults, whatever is asked for.",
        (
            "Build a decoder with `norm_first=False` and `dropout=0.5`. What have its layers?",
            "Compare your call with the signature `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
            "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        ),
        ("d_ff, dropout, norm_first) for", "d_ff) for"),
        group=ALONE,
        recogniser=drops_by_chance_and_is_pre_norm,
    ),
    mistake(
        "one_head",
        "Your layers have one head, whatever `num_heads` says.",
        (
            "Build a decoder with `num_heads=2`. What is `decoder.layers[0].self_attention.num_heads`?",
            "Which arguments do you hand to `DecoderLayer`?",
            "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        ),
        ("d_model, num_heads, d_ff, dropout, norm_first)", "d_model, 1, d_ff, dropout, norm_first)"),
        group=ALONE,
    ),
    # from layer to layer
    mistake(
        "only_the_last_layer",
        "Every one of your layers gets the embedded target, and only what the last returns is kept: the layers before it work for nobody.",
        (
            "Which of your layers receive a gradient?",
            "What goes into the second layer: what came out of the first, or what went into it?",
            f"`{STEP}`: each layer's output is the next one's input.",
        ),
        (LOOP, f"embedded = x\n        {LOOP}"),
        (STEP, "x = layer(embedded, memory, mask, memory_mask)"),
        group="chain",
    ),
    mistake(
        "only_the_first_layer",
        "You return after the first layer: the others are never called.",
        (
            "Which of your layers receive a gradient?",
            "How far is your `return` indented?",
            "The last normalisation and the `return` stand after the loop, not in it.",
        ),
        (LOOP, "for layer in self.layers[:1]:"),
        group="chain",
    ),
    mistake(
        "first_layer_each_time",
        "You call the first layer again and again: the others are never used.",
        (
            "Which of your layers receive a gradient?",
            "What do you call within your loop: the layer that the loop hands you?",
            f"`{LOOP}` and in it `{STEP}`.",
        ),
        (STEP, "x = self.layers[0](x, memory, mask, memory_mask)"),
        group="chain",
    ),
    mistake(
        "layers_backwards",
        "You go through the layers from the last to the first.",
        (
            "Which layer should read the embeddings: `layers[0]`, or the last?",
            "Do you turn the list of layers round?",
            f"`{LOOP}`.",
        ),
        (LOOP, "for layer in reversed(self.layers):"),
        group="chain",
    ),
    mistake(
        "sum_of_the_layers",
        "You add up what the layers return. Each has added to its own input already; the last one's output is all.",
        (
            "What is a layer's output: something to be added to its input, or the sum itself?",
            "Where in your loop is the second plus?",
            f"`{STEP}`, and nothing added.",
        ),
        (STEP, f"x = x + {STEP.removeprefix('x = ')}"),
        group="chain",
    ),
    # the memory
    mistake(
        "memory_replaced",
        "Only your first layer looks at the source. The others look at what the layer before has *written*: it is handed on as memory too. Every layer looks at the encoder's last output.",
        (
            "What is `memory` in the second round of your loop?",
            "Does anything in your loop overwrite `memory`?",
            f"`{STEP}`: `x` changes from layer to layer, `memory` never.",
        ),
        (STEP, f"memory = {STEP}"),
        group="memory",
    ),
    mistake(
        "memory_normalised",
        "You normalise the memory with the decoder's last normalisation. It comes as it is: the encoder has normalised it already.",
        (
            "Which of your lines changes `memory`?",
            "`self.norm` stands at the end of the decoder. What else does it touch in yours?",
            f"`{STEP}`, with the memory as it comes.",
        ),
        (LOOP, f"memory = self.norm(memory)\n        {LOOP}"),
        group="memory",
    ),
    mistake(
        "memory_detached",
        "Your numbers are right, but the memory is cut out of the graph: nothing that the decoder gets wrong ever teaches the encoder.",
        (
            "Does `memory` receive a gradient?",
            "Do you use `detach`, `.data` or `torch.no_grad` on the memory?",
            f"`{STEP}`, with the memory as it comes.",
        ),
        (LOOP, f"memory = memory.detach()\n        {LOOP}"),
        group="memory",
    ),
    mistake(
        "memory_and_target_exchanged",
        "You hand your layers the memory as `x` and the target as memory. It fits only where both sentences are of one length; then the source is written anew, looking at the target.",
        (
            "How many vectors should come out: as many as there are target tokens, or source tokens?",
            "Compare your call with the signature `forward(x, memory, mask, memory_mask)` of a layer.",
            f"`{STEP}`.",
        ),
        (LOOP, f"x, memory = memory, x\n        {LOOP}"),
        group="memory",
    ),
    # the masks
    mistake(
        "masks_exchanged",
        "You hand your layers the two masks in the wrong order. It fits only where both sentences are of one length.",
        (
            "Which comes first in the signature of a layer: the mask of the target, or of the memory?",
            "Compare your call with `forward(x, memory, mask, memory_mask)`.",
            f"`{STEP}`.",
        ),
        (STEP, "x = layer(x, memory, memory_mask, mask)"),
        group="masks",
    ),
    mistake(
        "mask_not_passed",
        "Your layers never see `mask`: every word sees those that are still to be written.",
        (
            "Call your decoder with a causal mask and without. What differs?",
            "Compare your call with `forward(x, memory, mask, memory_mask)`.",
            f"`{STEP}`.",
        ),
        (STEP, "x = layer(x, memory, None, memory_mask)"),
        group="masks",
    ),
    mistake(
        "memory_mask_not_passed",
        "Your layers never see `memory_mask`: the padding of the source is looked at like words.",
        (
            "Call your decoder with a `memory_mask` and without. What differs?",
            "Compare your call with `forward(x, memory, mask, memory_mask)`.",
            f"`{STEP}`.",
        ),
        (STEP, "x = layer(x, memory, mask)"),
        group="masks",
    ),
    mistake(
        "masks_in_the_first_layer_only",
        "Your first layer gets the masks, and the others none: from the second on, every word sees the future.",
        (
            "Change the last token of a target under a causal mask. Does the first output move?",
            "What do you hand to the second layer?",
            f"`{STEP}`, in every round.",
        ),
        (STEP, "x = layer(x, memory, *((mask, memory_mask) if layer is self.layers[0] else ()))"),
        group=ALONE,
    ),
    # the end
    mistake(
        "last_norm_not_applied",
        "You make the last normalisation, and never use it: what a pre-norm stack returns is as large as its sum has grown.",
        (
            "Which parts of your decoder receive no gradient?",
            "`self.norm` stands in the constructor. Where in `forward`?",
            f"`return {LAST}`, after the loop. In a post-norm stack it is `nn.Identity()`, which does nothing.",
        ),
        (LAST, "x"),
        group="end",
    ),
    mistake(
        "residual_around_the_stack",
        "You add what went into the stack to what comes out of the last layer, before the last normalisation. Each layer has added its input already.",
        (
            "Set the weights of all `w_o` and `w_2` to zero, pre-norm. What should go into the last normalisation, and what does?",
            "Is there a sum in your `forward`?",
            f"`return {LAST}`, and nothing added.",
        ),
        (LOOP, f"embedded = x\n        {LOOP}"),
        (LAST, "self.norm(x + embedded)"),
        group="end",
    ),
    mistake(
        "norm_after_each_layer",
        "You normalise after every layer. The last normalisation stands at the end of the stack, once.",
        (
            "How often is `self.norm` called in a decoder of two layers?",
            "Does the normalisation stand in your loop, or after it?",
            f"The loop holds `{STEP}` and nothing else.",
        ),
        (STEP, "x = self.norm(layer(x, memory, mask, memory_mask))"),
        (LAST, "x"),
        group=ALONE,
    ),
    mistake(
        "norm_at_the_start",
        "You normalise what goes into the first layer, not what comes out of the last. A pre-norm layer normalises its own input; nobody does it after the last.",
        (
            "What is the last thing that your `forward` does?",
            "Which normalisation does a pre-norm stack lack, if you take `self.norm` away?",
            f"`return {LAST}`, after the loop.",
        ),
        (LAST, "x"),
        (LOOP, f"x = self.norm(x)\n        {LOOP}"),
        group=ALONE,
    ),
    mistake(
        "input_added",
        "You add the embedded target to the stack's output. Residual connections run around sub-layers; there is none around the stack.",
        (
            "What should a stack of no layers return?",
            "What do you add after your loop?",
            f"`return {LAST}`, and nothing added.",
        ),
        (LOOP, f"embedded = x\n        {LOOP}"),
        (LAST, f"{LAST} + embedded"),
        group=ALONE,
    ),
    mistake(
        "dropout_and_norm_first_swapped",
        "You hand `dropout` and `norm_first` to your layers in the wrong order. A dropout of 0 then makes them post-norm, any other makes them pre-norm, and `norm_first=True` becomes a dropout of 1.",
        (
            "Build a decoder with `dropout=0.0` and `norm_first=True`. What is `decoder.layers[0].self_attention_residual.norm_first`?",
            "Compare your call with the signature `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
            "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        ),
        ("dropout, norm_first) for", "norm_first, dropout) for"),
        group=ALONE,
    ),
    mistake(
        "causal_mask_where_none_is_given",
        "Where no `mask` is given you make a causal one. No mask means that every token may attend to every token; whether the future is hidden is for the caller to say.",
        (
            "Call your decoder without a mask and change the last token of `x`. Does the first output move? Should it?",
            "What does your `forward` do where `mask is None`?",
            f"Pass `mask` on as it is: `{STEP}`.",
        ),
        (LOOP, f"mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril() if mask is None else mask\n        {LOOP}"),
        group=ALONE,
    ),
)  # fmt: skip


class WithAnIndex(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, memory, mask=None, memory_mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, memory, mask=mask, memory_mask=memory_mask)
        if self.norm_first:
            x = self.norm(x)
        return x


class NoneForANorm(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, memory, mask=None, memory_mask=None):
        out = x
        for layer in self.layers:
            out = layer(x=out, memory=memory, mask=mask, memory_mask=memory_mask)
        return out if self.norm is None else self.norm(out)


class Recursive(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        arguments = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([DecoderLayer(*arguments) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def through(self, number, x, memory, *masks):
        below = x if number == 1 else self.through(number - 1, x, memory, *masks)
        return self.layers[number - 1](below, memory, *masks)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.norm(self.through(len(self.layers), x, memory, mask, memory_mask))


class AllOutputsKept(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = nn.Identity()
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        outputs = [x]
        for layer in self.layers:
            outputs.append(layer(outputs[-1], memory, mask, memory_mask))
        return self.norm(outputs[-1])


class stub(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        raise NotImplementedError

    def forward(self, x, memory, mask=None, memory_mask=None):
        raise NotImplementedError


class OnlyTheConstructor(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return x


class OnlyTheNorm(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.norm(x)


class Zeros(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.zeros_like(x)


class Noise(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.rand(x.shape)


DECODER = define(
    id="decoder",
    lesson="08_transformer",
    place=2,
    module="course_lib.components.decoder",
    symbol="Decoder",
    minutes=8,
    laws=LAWS,
    hints=(
        "It is your `Encoder` with a memory handed to every layer. What changes from layer to layer, and what does not?",
        "The constructor makes `layers`, an `nn.ModuleList`, and `norm`; `forward` has a loop and one line after it. Is every layer another object, and is every one used?",
        f"`self.layers = nn.ModuleList({STACK})`, `self.norm = {LAST_NORM}`; `{LOOP}` `{STEP}`; `return {LAST}`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(WithAnIndex, NoneForANorm, Recursive, AllOutputsKept),
    lazy=(stub, OnlyTheConstructor, OnlyTheNorm, Zeros, Noise),
    write=("__init__", "forward"),
    builds_on=("decoder_layer",),
    switches=("chain", "memory", "masks", "end"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class StackInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = self.make(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.last(d_model, norm_first)

    def make(self, num_layers, *sizes):
        return nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))

    def last(self, d_model, norm_first):
        self.norm = LayerNorm(d_model) if norm_first else None

    def end(self, x):
        return x if self.norm is None else self.norm(x)

    def through(self, x, memory, mask, memory_mask):
        return functools.reduce(lambda y, layer: layer(y, memory, mask, memory_mask), self.layers, x)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.end(self.through(x, memory, mask, memory_mask))


@DECODER.second_version("one_layer_repeated")
class TheSameAgain(StackInSteps):
    def make(self, num_layers, *sizes):
        layers = super().make(1, *sizes)
        return nn.ModuleList([layers[0] for _ in range(num_layers)])


@DECODER.second_version("plain_list")
class ATupleOfLayers(StackInSteps):
    def make(self, num_layers, *sizes):
        return tuple(super().make(num_layers, *sizes))


@DECODER.second_version("last_norm_not_made")
class NoLastNorm(StackInSteps):
    def last(self, d_model, norm_first):
        self.norm = None


@DECODER.second_version("norm_first_not_handed_on")
class PreNormLayers(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, dropout)


@DECODER.second_version("dropout_not_handed_on")
class DefaultDropout(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, 0.1, norm_first)


@DECODER.second_version("only_the_last_layer")
class EachFromTheStart(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return [layer(x, memory, mask, memory_mask) for layer in self.layers][-1]


@DECODER.second_version("layers_backwards")
class FromTheTop(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers[::-1]:
            x = layer(x, memory, mask, memory_mask)
        return x


@DECODER.second_version("memory_replaced")
class LooksAtWhatIsWritten(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers:
            x = memory = layer(x, memory, mask, memory_mask)
        return x


@DECODER.second_version("masks_exchanged")
class MemoryMaskFirst(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return super().through(x, memory, memory_mask, mask)


@DECODER.second_version("last_norm_not_applied")
class LastNormForgotten(StackInSteps):
    def end(self, x):
        return x


@DECODER.second_version("input_added")
class AroundTheStack(StackInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, memory_mask) + x


@DECODER.second_version("settings_not_handed_on")
class SizesAlone(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, *_):
        return super().make(num_layers, d_model, num_heads, d_ff)


@DECODER.second_version("residual_around_the_stack")
class AddedBeforeTheEnd(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return super().through(x, memory, mask, memory_mask).add(x)


@DECODER.second_version("dropout_and_norm_first_swapped")
class LayersHearTheOtherWay(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, norm_first, dropout)


@DECODER.second_version("causal_mask_where_none_is_given")
class StackCausalUnlessTold(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        if mask is None:
            mask = ~torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), diagonal=1)
        return super().through(x, memory, mask, memory_mask)
