"""Exercise `encoder`: layers on top of each other, with its constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_06.encoder_layer import layer_weights
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.values import Value
from course_lib.components.encoder_layer import EncoderLayer
from course_lib.components.layer_norm import LayerNorm


def ask(draw: Draw) -> Iterator[Question]:
    """Two layers and three, pre-norm with padding, post-norm with gradients, and the dropout share as constructed."""
    (b, s), (d_model, d_ff) = draw.shuffled(((3, 6), (3, 7), (2, 9)))[0], draw.shuffled(((4, 5), (4, 8), (4, 10)))[0]
    x = draw.tensor(b, s, d_model)
    lengths = torch.tensor([s, *draw.shuffled(range(1, s))[: b - 1]])
    padding = (torch.arange(s) < lengths[:, None])[:, None, None, :]
    layers = [layer_weights(draw, d_model, d_ff, prefix=f"layers.{number}.") for number in range(3)]
    norm = {
        "norm.gamma": (1 + draw.tensor(d_model, scale=0.3)).double(),
        "norm.beta": draw.tensor(d_model, scale=0.3),
    }

    def question(
        name: str, num_layers: int, norm_first: bool, mask: Tensor | None = None, dropout: float = 0.0, **more: Value
    ) -> Question:
        build = {
            "num_layers": num_layers, "d_model": d_model, "num_heads": 2, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first,
        }  # fmt: skip
        weights: dict[str, Tensor] = {}
        for layer in layers[:num_layers]:
            weights |= layer
        if norm_first:
            weights |= norm
        calls = [{"x": x} if mask is None else {"x": x, "mask": mask}]
        return Question(
            name, probes.module, {"build": build, "weights": weights, "calls": calls, "returns": ["memory"], **more}
        )

    yield question("pre", 2, True, padding)
    yield question("post", 2, False, upstream={"memory": draw.tensor(b, s, d_model)})
    yield question("three_layers", 3, True)
    share = draw.shuffled(range(15, 50))[0] / 100
    build = {"num_layers": 2, "d_model": 4, "num_heads": 2, "d_ff": 5, "dropout": share, "norm_first": False}
    settings = [f"layers.{number}.feed_forward.dropout.p" for number in range(2)]
    yield Question("as_constructed", probes.constructed, {"build": build, "settings": settings})


MEMORY = {"fields": ["calls/0/memory"]}

LAWS = (
    Law("parameters_pre", equals_reference, "pre", "pre-norm: each layer has weights of its own, and there is one `norm` more", 0.25, {"fields": ["shapes"]}),
    Law("parameters_post", equals_reference, "post", "post-norm: each layer has weights of its own, and there is no further norm", 0.25, {"fields": ["shapes"]}),
    Law("shares", equals_reference, "as_constructed", "`dropout` reaches every layer", 0.25, {"fields": ["settings"]}, needs="parameters_post"),
    Law("pre", equals_reference, "pre", "pre-norm: two layers come out right, with a mask of padding", 1.0, MEMORY),
    Law("three_layers", equals_reference, "three_layers", "pre-norm: three layers come out right, without a mask", 0.5, MEMORY),
    Law("post", equals_reference, "post", "post-norm: two layers come out right", 0.5, MEMORY),
    Law("gradients", equals_reference, "post", "post-norm: the gradients of the input and of both layers are right", 0.25,
        {"fields": ["gradients/x", *(f"gradients/layers.{n}.feed_forward.w_2.weight" for n in range(2))]}),
)  # fmt: skip

LAYER = "EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)"
LAYERS = f"nn.ModuleList(\n            [{LAYER} for _ in range(num_layers)]\n        )"
NORM = "LayerNorm(d_model) if norm_first else nn.Identity()"
FOR = "for layer in self.layers:"
CALL = "x = layer(x, mask)"
END = "self.norm(x)"
SHOW = f"`nn.ModuleList([{LAYER} for _ in range(num_layers)])`, and in `forward`: `{CALL}`, once for each layer, then `{END}`."


MISTAKES = (
    # the layers
    mistake(
        "one_layer_for_all",
        "Your layers share all their weights. You make one layer, and repeat it or copy it only on the surface: `[layer] * n` makes nothing new, and `copy.copy` makes a new layer out of the old one's parts.",
        (
            "Change a weight of `module.layers[0]`, and print the same weight of `module.layers[1]`. What has happened to it?",
            "How many times does your constructor call `EncoderLayer(...)`?",
            "A list comprehension calls it each time: `[EncoderLayer(...) for _ in range(num_layers)]`.",
        ),
        (LAYERS, f"nn.ModuleList([{LAYER}] * num_layers)"),
        group=ALONE,
    ),
    mistake(
        "plain_list",
        "You keep the layers in a plain Python list. A module doesn't look into lists, so no optimiser finds their parameters, and `.to()` and `.eval()` don't reach them.",
        (
            "What is `len(list(module.parameters()))`?",
            "Which class of `torch.nn` is a list that a module looks into?",
            "`nn.ModuleList([...])`.",
        ),
        (LAYERS, f"[{LAYER} for _ in range(num_layers)]"),
        group=ALONE,
    ),
    mistake(
        "one_layer_too_few",
        "You make num_layers − 1 layers.",
        (
            "What is `len(module.layers)`?",
            "Where does your range start, and where does it end?",
            "`for _ in range(num_layers)`.",
        ),
        (LAYERS, LAYERS.replace("range(num_layers)", "range(1, num_layers)")),
        group=ALONE,
    ),
    mistake(
        "one_layer_only",
        "You make one layer, whatever `num_layers` says.",
        (
            "What is `len(module.layers)`?",
            "`num_layers` is a parameter of the constructor. Where do you use it?",
            SHOW,
        ),
        (LAYERS, LAYERS.replace("range(num_layers)", "range(1)")),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_passed_on",
        "You don't pass `norm_first` on to the layers, so all are pre-norm, which is the default.",
        (
            "Build your encoder with `norm_first=False`. What is `norm_first` of the residual sub-layers of its first layer?",
            "Compare your call of `EncoderLayer` with its parameters.",
            f"`{LAYER}`.",
        ),
        (LAYER, LAYER.replace(", norm_first", "")),
        group="norm_first",
    ),
    mistake(
        "dropout_not_passed_on",
        "You don't pass `dropout` on to the layers, so they drop a tenth, which is the default.",
        (
            "Build your encoder with `dropout=0.3`. What is `module.layers[0].feed_forward.dropout.p`?",
            "Compare your call of `EncoderLayer` with its parameters.",
            f"`{LAYER}`.",
        ),
        (LAYER, LAYER.replace("dropout, norm_first", "norm_first=norm_first")),
        group=ALONE,
    ),
    # the last normalisation
    mistake(
        "last_norm_not_made",
        "Your stack has no last normalisation. A pre-norm layer never normalises the residual stream itself, so it has to be normalised once at the end of the stack.",
        (
            "Print the standard deviation of your output for one layer and for eight.",
            "What does the docstring say of `norm_first` and of `norm`?",
            "`self.norm = LayerNorm(d_model)` where `norm_first` is True, and `self.norm(x)` after the last layer.",
        ),
        (NORM, "nn.Identity()"),
        group="norm",
    ),
    mistake(
        "last_norm_not_used",
        "You make the last normalisation but don't use it, so whatever size the residual stream has reached, it leaves a pre-norm stack with it.",
        (
            "Which parameters receive no gradient?",
            "The constructor makes `self.norm`. Where in `forward` do you use it?",
            "`return self.norm(x)`, after the last layer.",
        ),
        (END, "x"),
        group="norm",
    ),
    mistake(
        "norm_with_post_norm_too",
        "Your stack makes a last normalisation with post-norm, too. There each layer ends with one already, so the stack needs no other.",
        (
            "Build your encoder with `norm_first=False` and list its parameters. Which are not in the docstring?",
            "Does your last normalisation depend on `norm_first`?",
            f"`self.norm = {NORM}`.",
        ),
        (NORM, "LayerNorm(d_model)"),
        group="norm",
    ),
    mistake(
        "norm_exchanged",
        "You have the last normalisation with post-norm, where it isn't needed, and none with pre-norm, where it is.",
        (
            "In which of the two does a layer end with a sum that isn't normalised?",
            "Look at the condition under which you make `self.norm`.",
            f"`self.norm = {NORM}`.",
        ),
        (NORM, NORM.replace("if norm_first", "if not norm_first")),
        group="norm",
    ),
    mistake(
        "normalised_after_every_layer",
        "You use the last normalisation after *every* layer. It then stands on the residual stream, and nothing passes it unchanged.",
        (
            "How many times is `self.norm` called in a stack of three layers?",
            "Look at the indentation of the line with `self.norm`.",
            "After the loop, once: `return self.norm(x)`.",
        ),
        (CALL, "x = self.norm(layer(x, mask))"),
        (END, "x"),
        group=ALONE,
    ),
    mistake(
        "normalised_first",
        "You normalise before the first layer, and not after the last.",
        (
            "With pre-norm, the first layer normalises what it reads. Who normalises what leaves the last one?",
            "Does your `self.norm` stand before the loop or after it?",
            "After the loop: `return self.norm(x)`.",
        ),
        (FOR, f"x = self.norm (x)\n        {FOR}"),
        (END, "x"),
        group=ALONE,
    ),
    # the stack
    mistake(
        "mask_not_passed",
        "Your `forward` takes a mask and does nothing with it: padding is attended to as if it were words.",
        (
            "Call your encoder with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            "`x = layer(x, mask)`.",
        ),
        (CALL, "x = layer(x)"),
        group="mask",
    ),
    mistake(
        "mask_in_the_first_layer_only",
        "You pass the mask to the first layer only. From the second on, padding is attended to as if it were words.",
        (
            "Is padding still padding after the first layer?",
            "Which of your layers get `mask`?",
            "`x = layer(x, mask)`, in each.",
        ),
        (CALL, "x = layer(x, mask)\n            mask = None"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You invert the mask: what may be seen is hidden, and what is hidden may be seen. Here True means *may attend*; in `nn.TransformerEncoder` it means the opposite.",
        (
            "Where the mask is True, may a token be seen? And in your encoder?",
            "What happens to `mask` on its way to the layers?",
            "Pass it on as it is.",
        ),
        (CALL, "x = layer(x, None if mask is None else ~mask)"),
        group="mask",
    ),
    mistake(
        "each_layer_gets_the_input",
        "Every layer gets the encoder's input, and only the last one's output is used, so your stack is effectively one layer deep.",
        (
            "Which layers receive a gradient?",
            "What do you pass to the second layer: what the first returned, or what the first was given?",
            "`x = layer(x, mask)`: the same name on both sides.",
        ),
        (FOR, f"given = x\n        {FOR}"),
        (CALL, "x = layer(given, mask)"),
        group="stack",
    ),
    mistake(
        "layers_summed",
        "Every layer gets the encoder's input, and you add up what they return. Instead, each layer should get what the one below it returned.",
        (
            "Swap two layers. Does your output change? It should.",
            "What do you pass to the second layer?",
            "`x = layer(x, mask)`, one after the other.",
        ),
        (FOR, f"given, x = x, 0\n        {FOR}"),
        (CALL, "x = x + layer(given, mask)"),
        group="stack",
    ),
    mistake(
        "last_layer_first",
        "You go through the layers from the last to the first.",
        (
            "Which layer sees the embedded source?",
            "Look for `reversed` or `[::-1]`.",
            "`for layer in self.layers:`.",
        ),
        (FOR, "for layer in reversed(self.layers):"),
        group="stack",
    ),
    mistake(
        "last_layer_left_out",
        "You stop before the last layer.",
        (
            "Which layers receive a gradient?",
            "Where does your loop end?",
            "`for layer in self.layers:`.",
        ),
        (FOR, "for layer in self.layers[:-1]:"),
        group="stack",
    ),
    mistake(
        "residual_around_layers",
        "You add each layer's input to its output. Inside the layer, each residual sub-layer does that already.",
        (
            "If all sub-layers returned zeros, how large would `x` be after three layers?",
            "Who adds the input: the layer, or you?",
            "`x = layer(x, mask)`.",
        ),
        (CALL, "x = x + layer(x, mask)"),
        group="stack",
    ),
    mistake(
        "detached_between_layers",
        "Your numbers are right, but between the layers the graph is cut, so only the last one learns.",
        (
            "Which layers receive a gradient?",
            "Between the layers the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "`x = layer(x, mask)`, and nothing that cuts.",
        ),
        (CALL, "x = layer(x.detach(), mask)"),
        group=ALONE,
    ),
    mistake(
        "norm_first_and_dropout_not_passed_on",
        "You pass neither `norm_first` nor `dropout` on to the layers, so all are pre-norm and drop a tenth, which are the defaults.",
        (
            "Build your encoder with `norm_first=False` and `dropout=0.3`. What are `norm_first` and `dropout.p` within its first layer?",
            "Compare your call of `EncoderLayer` with its parameters.",
            f"`{LAYER}`.",
        ),
        (LAYER, LAYER.replace(", dropout, norm_first", "")),
        group=ALONE,
    ),
    mistake(
        "source_added_after_each_layer",
        "You add the embedded source once more after each layer. Inside the layer, each residual sub-layer adds its own input already.",
        (
            "If all sub-layers returned zeros, how large would `x` be after three layers?",
            "Which tensor do you keep from before the loop, and what for?",
            "`x = layer(x, mask)`, and nothing added.",
        ),
        ("        " + FOR, "        source = x\n        " + FOR),
        (CALL, "x = layer(x, mask) + source"),
        group="stack",
    ),
    mistake(
        "dropout_and_norm_first_swapped",
        "You pass `dropout` and `norm_first` to your layers in the wrong order. A dropout of 0 then makes them post-norm, any other makes them pre-norm, and `norm_first=True` becomes a dropout of 1.",
        (
            "Build an encoder with `dropout=0.0` and `norm_first=True`. What is `module.layers[0].self_attention_residual.norm_first`?",
            "Compare your call with the signature `EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
            f"`{LAYER}`.",
        ),
        ("dropout, norm_first) for", "norm_first, dropout) for"),
        group=ALONE,
    ),
)  # fmt: skip


class Appended(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask=mask)
        if self.norm_first:
            return self.norm(x)
        return x


class Copied(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        from copy import deepcopy

        layer = EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(deepcopy(layer) for _ in range(num_layers))
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


class Reduced(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.Sequential(
            *(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Sequential()

    def forward(self, x, mask=None):
        from functools import reduce

        return self.norm(reduce(lambda y, layer: layer(y, mask), self.layers, x))


class LastToFirstByRecursion(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        settings = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([EncoderLayer(*settings) for _ in range(num_layers)])
        self.norm = [nn.Identity, LayerNorm][norm_first](d_model)

    def after(self, number, x, mask):
        return x if number == 0 else self.layers[number - 1](self.after(number - 1, x, mask), mask)

    def forward(self, x, mask=None):
        return self.norm(self.after(len(self.layers), x, mask))


class stub(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        raise NotImplementedError

    def forward(self, x, mask=None):
        raise NotImplementedError


class TheInputItself(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x


class Zeros(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x * 0


class Noise(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, mask=None):
        return torch.rand(x.shape)


ENCODER = define(
    id="encoder",
    lesson="06_encoder_block",
    place=4,
    module="course_lib.components.encoder",
    symbol="Encoder",
    minutes=10,
    laws=LAWS,
    hints=(
        "How many `EncoderLayer` objects should a stack of three layers hold, and what does the second one get?",
        "In the constructor: a list that a module looks into, with a new layer for each entry, and one more norm if `norm_first` is True. In `forward`: a loop.",
        SHOW,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(Appended, Copied, Reduced, LastToFirstByRecursion),
    lazy=(stub, Zeros, TheInputItself, Noise),
    write=("__init__", "forward"),
    switches=("mask", "norm"),
    builds_on=("feed_forward", "layer_norm", "residual_sublayer", "encoder_layer"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class AStack(nn.Module):
    """A right constructor."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        layers = [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


@ENCODER.second_version("one_layer_for_all")
class Repeated(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(1, d_model, num_heads, d_ff, dropout, norm_first)
        one = self.layers[0]
        for _ in range(num_layers - 1):
            self.layers.append(one)


@ENCODER.second_version("plain_list")
class ATuple(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        nn.Module.__init__(self)
        self.layers = tuple(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        self.norm = LayerNorm(d_model) if norm_first else None


@ENCODER.second_version("last_norm_not_used")
class NormForgotten(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return x


@ENCODER.second_version("mask_in_the_first_layer_only")
class FirstLayerMasked(AStack):
    def forward(self, x, mask=None):
        for number, layer in enumerate(self.layers):
            x = layer(x, mask) if number == 0 else layer(x)
        return x if self.norm is None else self.norm(x)


@ENCODER.second_version("each_layer_gets_the_input")
class NeverPassedOn(AStack):
    def forward(self, x, mask=None):
        outputs = [layer(x, mask) for layer in self.layers]
        return outputs[-1] if self.norm is None else self.norm(outputs[-1])


@ENCODER.second_version("residual_around_layers")
class AddedAround(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask) + x
        return x if self.norm is None else self.norm(x)


@ENCODER.second_version("last_norm_not_made")
class WithoutALastNorm(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None


@ENCODER.second_version("norm_with_post_norm_too")
class AlwaysALastNorm(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = LayerNorm(d_model)


@ENCODER.second_version("normalised_after_every_layer")
class NormInTheLoop(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm is not None:
                x = self.norm(x)
        return x


@ENCODER.second_version("last_layer_left_out")
class StoppedEarly(AStack):
    def forward(self, x, mask=None):
        for number in range(len(self.layers) - 1):
            x = self.layers[number](x, mask)
        return x if self.norm is None else self.norm(x)


@ENCODER.second_version("layers_summed")
class LayersAdded(AStack):
    def forward(self, x, mask=None):
        total = torch.stack([layer(x, mask) for layer in self.layers]).sum(dim=0)
        return total if self.norm is None else self.norm(total)


@ENCODER.second_version("norm_first_and_dropout_not_passed_on")
class LayersOfDefaults(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(0, d_model, num_heads, d_ff, dropout, norm_first)
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff))


@ENCODER.second_version("source_added_after_each_layer")
class SourceCarriedAlong(AStack):
    def forward(self, x, mask=None):
        memory = x
        for layer in self.layers:
            memory = torch.add(layer(memory, mask), x)
        return memory if self.norm is None else self.norm(memory)


@ENCODER.second_version("dropout_and_norm_first_swapped")
class LayersHearTheOtherWay(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        self.layers = nn.ModuleList(EncoderLayer(**sizes, dropout=norm_first, norm_first=dropout) for _ in self.layers)
