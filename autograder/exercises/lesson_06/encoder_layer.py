"""Exercise `encoder_layer`: self-attention and a feed-forward network in one layer, with its constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.any_lesson import parameter_under_another_name
from course_lib.checking.recognisers.lesson_06 import another_share_is_dropped
from course_lib.checking.values import Value
from course_lib.components.encoder_layer import EncoderLayer
from course_lib.components.feed_forward import FeedForward
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.residual import ResidualSublayer

PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")
SHARES = tuple(
    f"{part}.dropout.p"
    for part in ("self_attention", "feed_forward", "self_attention_residual", "feed_forward_residual")
)


def layer_weights(draw: Draw, d_model: int, d_ff: int, prefix: str = "") -> dict[str, Tensor]:
    """Weights for every parameter of an `EncoderLayer`, in the order of its constructor."""
    weights: dict[str, Tensor] = {}
    for projection in PROJECTIONS:
        weights[f"self_attention.{projection}.weight"] = draw.tensor(d_model, d_model, scale=0.5)
        weights[f"self_attention.{projection}.bias"] = draw.tensor(d_model, scale=0.3)
    for layer, (into, out) in (("w_1", (d_model, d_ff)), ("w_2", (d_ff, d_model))):
        weights[f"feed_forward.{layer}.weight"] = draw.tensor(out, into, scale=0.5)
        weights[f"feed_forward.{layer}.bias"] = draw.tensor(out, scale=0.3)
    for residual in ("self_attention_residual", "feed_forward_residual"):
        weights[f"{residual}.norm.gamma"] = 1 + draw.tensor(d_model, scale=0.3)
        weights[f"{residual}.norm.beta"] = draw.tensor(d_model, scale=0.3)
    return {prefix + name: weight for name, weight in weights.items()}


def ask(draw: Draw) -> Iterator[Question]:
    """Distinct sizes, with a mask and without, dropout with a share of 1 and gradients, each with pre-norm and post-norm.

    Every mask lets each query see the first key, and hides some. Sentences are too long for an example on the card:
    nobody works out a layer by hand.
    """
    (b, s), (d_model, d_ff) = draw.shuffled(((3, 6), (3, 7), (2, 9)))[0], draw.shuffled(((4, 5), (4, 8), (4, 10)))[0]
    weights, x = layer_weights(draw, d_model, d_ff), draw.tensor(b, s, d_model)
    first = torch.ones(s, 1, dtype=torch.bool)
    mask = torch.cat([first, draw.mask(s, s - 1)], dim=1)
    lengths = torch.tensor([s, *draw.shuffled(range(1, s))[: b - 1]])
    padding = (torch.arange(s) < lengths[:, None])[:, None, None, :]

    def question(
        name: str, norm_first: bool, mask: Tensor | None = None, dropout: float = 0.0, **more: Value
    ) -> Question:
        build = {"d_model": d_model, "num_heads": 2, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first}
        calls = [{"x": x} if mask is None else {"x": x, "mask": mask}]
        return Question(
            name, probes.module, {"build": build, "weights": weights, "calls": calls, "returns": ["output"], **more}
        )

    upstream = {"output": draw.tensor(b, s, d_model)}
    yield question("pre", True, upstream=upstream)
    yield question("pre_masked", True, mask)
    yield question("pre_training", True, dropout=1.0, training=True)
    yield question("post", False, upstream=upstream)
    yield question("post_padded", False, padding)
    yield question("post_training", False, dropout=1.0, training=True)
    share = draw.shuffled(range(15, 50))[0] / 100
    build = {"d_model": 4, "num_heads": 2, "d_ff": 5, "dropout": share, "norm_first": False}
    yield Question("as_constructed", probes.constructed, {"build": build, "settings": list(SHARES)})


OUTPUT = {"fields": ["calls/0/output"]}
GRADIENTS = {"fields": ["gradients/x", "gradients/self_attention.w_q.weight", "gradients/self_attention.w_v.weight",
                        "gradients/feed_forward.w_1.weight", "gradients/self_attention_residual.norm.gamma",
                        "gradients/feed_forward_residual.norm.gamma"]}  # fmt: skip

LAWS = (
    Law("parameters", equals_reference, "pre", "the parts have the names and shapes that the docstring asks for", 0.5, {"fields": ["shapes"]}),
    Law("shares", equals_reference, "as_constructed", "`dropout` reaches all four parts", 0.5, {"fields": ["settings"]}),
    Law("pre", equals_reference, "pre", "pre-norm: a batch of sentences comes out right", 1.0, OUTPUT),
    Law("pre_masked", equals_reference, "pre_masked", "pre-norm: with a mask (S, S) it comes out right", 0.5, OUTPUT),
    Law("pre_training", equals_reference, "pre_training", "pre-norm, in training: `dropout=1.0` leaves nothing but `x`", 0.25, OUTPUT, needs="pre"),
    Law("pre_gradients", equals_reference, "pre", "pre-norm: the gradients of the input and of every part are right", 0.25, GRADIENTS),
    Law("post", equals_reference, "post", "post-norm: a batch of sentences comes out right", 1.0, OUTPUT),
    Law("post_padded", equals_reference, "post_padded", "post-norm: with a mask (B, 1, 1, S) of padding it comes out right", 0.5, OUTPUT),
    Law("post_training", equals_reference, "post_training", "post-norm, in training: `dropout=1.0` leaves `x`, normalised twice", 0.25, OUTPUT, needs="post"),
    Law("post_gradients", equals_reference, "post", "post-norm: the gradients of the input and of every part are right", 0.25, GRADIENTS),
)  # fmt: skip

MAKE_ATTENTION = "MultiHeadAttention(d_model, num_heads, dropout)"
MAKE_NETWORK = "FeedForward(d_model, d_ff, dropout)"
FIRST = "self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)"
SECOND = "self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)"
ATTEND = "x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))"
THINK = "x = self.feed_forward_residual(x, self.feed_forward)"
SELF = "self.self_attention(y, y, y, mask)"
SHOW = f"`{ATTEND}`, then `{THINK}`."


MISTAKES = (
    # the constructor
    mistake(
        "one_residual_for_both",
        "Both your sub-layers share one `ResidualSublayer`, so there is one normalisation with one γ and β where there should be two.",
        (
            "Count the parameters of your layer, by name. Which are missing?",
            "How many times does your constructor call `ResidualSublayer(...)`?",
            "Two calls, two objects: `self.self_attention_residual = ResidualSublayer(...)` and `self.feed_forward_residual = ResidualSublayer(...)`.",
        ),
        (SECOND, "self.feed_forward_residual = self.self_attention_residual"),
        group=ALONE,
    ),
    mistake(
        "widths_exchanged",
        "You pass `d_model` and `d_ff` to the feed-forward network in the wrong order, so it expects tokens of width F.",
        (
            "Print the shape of `feed_forward.w_1.weight`. An `nn.Linear` stores (out, in).",
            "In which order does `FeedForward` take its widths?",
            "`FeedForward(d_model, d_ff, dropout)`.",
        ),
        (MAKE_NETWORK, "FeedForward(d_ff, d_model, dropout)"),
        group=ALONE,
    ),
    mistake(
        "d_ff_ignored",
        "Your feed-forward network is 4 times as wide as the model, whatever `d_ff` says. That is usual, but here the width is an argument.",
        (
            "Print the shape of `feed_forward.w_1.weight`.",
            "`d_ff` is a parameter of the constructor. Where do you use it?",
            "`FeedForward(d_model, d_ff, dropout)`.",
        ),
        (MAKE_NETWORK, "FeedForward(d_model, 4 * d_model, dropout)"),
        group=ALONE,
    ),
    mistake(
        "other_names",
        "Your parts have the right shapes but other names. Weights are loaded by name, and the docstring gives the names.",
        (
            "What is `[name for name, _ in module.named_children()]`?",
            "Compare the names with the docstring, letter by letter.",
            "`self.self_attention`, `self.feed_forward`, `self.self_attention_residual`, `self.feed_forward_residual`.",
        ),
        (FIRST, FIRST.replace("self_attention_residual", "norm_1")),
        (SECOND, SECOND.replace("feed_forward_residual", "norm_2")),
        (ATTEND, ATTEND.replace("self_attention_residual", "norm_1")),
        (THINK, THINK.replace("feed_forward_residual", "norm_2")),
        recogniser=parameter_under_another_name,
        group=ALONE,
    ),
    mistake(
        "num_heads_ignored",
        "Your attention has one head, whatever `num_heads` says.",
        (
            "Build your layer with one head and with two, and give both the same weights. Does the output differ?",
            "`num_heads` is a parameter of the constructor. Where do you use it?",
            "`MultiHeadAttention(d_model, num_heads, dropout)`.",
        ),
        (MAKE_ATTENTION, "MultiHeadAttention(d_model, 1, dropout)"),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_passed_on",
        "You don't pass `norm_first` on to the two residual sub-layers, so both are pre-norm, which is the default.",
        (
            "Build your layer with `norm_first=False`. What is `module.self_attention_residual.norm_first`?",
            "Which arguments does `ResidualSublayer` take, and which do you give it?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (FIRST, FIRST.replace(", norm_first", "")),
        (SECOND, SECOND.replace(", norm_first", "")),
        group="norm_first",
    ),
    mistake(
        "norm_first_inverted",
        "You pass on the opposite of `norm_first`: where pre-norm is asked for, yours is post-norm.",
        (
            "Build your layer with `norm_first=True`. What is `module.self_attention_residual.norm_first`?",
            "Is there a `not` on the way, or have two branches been swapped?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (FIRST, FIRST.replace(", norm_first", ", not norm_first")),
        (SECOND, SECOND.replace(", norm_first", ", not norm_first")),
        group="norm_first",
    ),
    mistake(
        "norm_first_for_the_first_only",
        "Your attention's residual sub-layer follows `norm_first`, and the feed-forward network's is always pre-norm.",
        (
            "Build your layer with `norm_first=False`. What is `norm_first` of each of the two residual sub-layers?",
            "Compare your two calls of `ResidualSublayer`, argument by argument.",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (SECOND, SECOND.replace(", norm_first", "")),
        group="norm_first",
    ),
    mistake(
        "attention_without_dropout",
        "Your attention is built without `dropout`, so no attention weight is ever dropped.",
        (
            "Build your layer with `dropout=0.3`. What is `module.self_attention.dropout.p`?",
            "Which arguments does `MultiHeadAttention` take, and which do you give it?",
            "`MultiHeadAttention(d_model, num_heads, dropout)`.",
        ),
        (MAKE_ATTENTION, "MultiHeadAttention(d_model, num_heads)"),
        group="shares",
    ),
    mistake(
        "network_without_dropout",
        "Your feed-forward network is built without `dropout`, so no hidden activation is ever dropped.",
        (
            "Build your layer with `dropout=0.3`. What is `module.feed_forward.dropout.p`?",
            "Which arguments does `FeedForward` take, and which do you give it?",
            "`FeedForward(d_model, d_ff, dropout)`.",
        ),
        (MAKE_NETWORK, "FeedForward(d_model, d_ff)"),
        group="shares",
    ),
    mistake(
        "sublayers_without_dropout",
        "Neither attention nor the feed-forward network is built with `dropout`, so nothing is dropped inside them.",
        (
            "Build your layer with `dropout=0.3`. Which of its `nn.Dropout` modules have `p=0.3`?",
            "All four parts take `dropout`. Which of them do you give it to?",
            "`MultiHeadAttention(d_model, num_heads, dropout)`, `FeedForward(d_model, d_ff, dropout)`.",
        ),
        (MAKE_ATTENTION, "MultiHeadAttention(d_model, num_heads)"),
        (MAKE_NETWORK, "FeedForward(d_model, d_ff)"),
        group="shares",
    ),
    mistake(
        "residuals_with_their_own_share",
        "You don't pass `dropout` on to the residual sub-layers, so they drop a tenth, which is the default.",
        (
            "Build your layer with `dropout=0.3`. What is `module.feed_forward_residual.dropout.p`?",
            "Which arguments does `ResidualSublayer` take, and which do you give it?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (FIRST, FIRST.replace("(d_model, dropout, norm_first)", "(d_model, norm_first=norm_first)")),
        (SECOND, SECOND.replace("(d_model, dropout, norm_first)", "(d_model, norm_first=norm_first)")),
        recogniser=another_share_is_dropped,
        group=ALONE,
    ),
    # who attends to whom
    mistake(
        "mask_not_passed",
        "Your `forward` takes a mask and does nothing with it: padding is attended to as if it were words.",
        (
            "Call your layer with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            "`lambda y: self.self_attention(y, y, y, mask)`.",
        ),
        (SELF, "self.self_attention(y, y, y)"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You invert the mask: what may be seen is hidden, and what is hidden may be seen. Here True means *may attend*; in `nn.TransformerEncoderLayer` it means the opposite.",
        (
            "Where the mask is True, may a token be seen? And in your layer?",
            "What happens to `mask` on its way to attention?",
            "Pass it on as it is.",
        ),
        (SELF, "self.self_attention(y, y, y, None if mask is None else ~mask)"),
        group="mask",
    ),
    mistake(
        "looks_only_back",
        "You let each token see itself and those before it. That is a decoder's mask. In an encoder the first token may see the last.",
        (
            "Change the last token. Does the first one's output move? It should.",
            "Do you make a mask of your own, with `tril` or `triu`?",
            "The only mask is the argument `mask`.",
        ),
        (SELF, "self.self_attention(y, y, y, (mask if mask is not None else True) & torch.ones(y.size(1), y.size(1)).tril().bool())"),
        group="mask",
    ),
    mistake(
        "blind_to_itself",
        "You hide each token from itself. The keys are all positions of the sentence, the token's own included.",
        (
            "What is on the diagonal of your attention weights?",
            "Do you make a mask of your own, with `eye` or `diagonal`?",
            "The only mask is the argument `mask`.",
        ),
        (SELF, "self.self_attention(y, y, y, (mask if mask is not None else True) & ~torch.eye(y.size(1)).bool())"),
        group="mask",
    ),
    mistake(
        "only_queries_normalised",
        "With pre-norm, your queries come from the normalised tokens and your keys and values from tokens that aren't normalised: inside the residual sub-layer you use `x` where the sub-layer's own argument belongs. With post-norm the two are the same, so it doesn't show.",
        (
            "What does the residual sub-layer hand to your function, and what do queries, keys and values get?",
            "Look at the lambda: does `x` occur in it?",
            "`lambda y: self.self_attention(y, y, y, mask)`.",
        ),
        (SELF, "self.self_attention(y, x, x, mask)"),
        group=ALONE,
    ),
    mistake(
        "input_not_normalised",
        "With pre-norm, your attention reads tokens that aren't normalised: inside the residual sub-layer you use `x` where the sub-layer's own argument belongs. With post-norm the two are the same, so it doesn't show.",
        (
            "What does the residual sub-layer hand to your function, and what does attention get?",
            "Look at the lambda: does its own parameter occur in it?",
            "`lambda y: self.self_attention(y, y, y, mask)`.",
        ),
        (SELF, "self.self_attention(x, x, x, mask)"),
        group=ALONE,
    ),
    # the order of things
    mistake(
        "network_first",
        "You pass the tokens through the feed-forward network first and let them attend afterwards. Attention comes first, so that the network can work on what each token has found.",
        (
            "In which order do your two lines stand?",
            "Look at the docstring of `forward`: what comes first?",
            SHOW,
        ),
        (ATTEND, THINK.replace("(x, ", "(x,  ")),
        (THINK, ATTEND),
        group="sublayers",
    ),
    mistake(
        "network_left_out",
        "You leave out the feed-forward network, so your layer only attends.",
        (
            "Which parameters receive no gradient?",
            "The layer has two sub-layers. Where is the second?",
            SHOW,
        ),
        (THINK, "pass"),
        group="sublayers",
    ),
    mistake(
        "attention_left_out",
        "No token ever sees another. Either you leave out attention, or you compute it and then pass the layer's *input* on to the second sub-layer.",
        (
            "Change one token. Do the outputs of the others move?",
            "Which variable holds what the first sub-layer returned, and which do you hand to the second?",
            SHOW,
        ),
        (ATTEND, "pass"),
        group="sublayers",
    ),
    mistake(
        "the_layers_input_added_again",
        "Around the feed-forward network you add back the *layer's* input. A residual connection adds its own sub-layer's input, which here is what the first residual sub-layer has returned.",
        (
            "If the feed-forward network returned zeros, what should come out of the layer? What does?",
            "Which tensor stands on the other side of your second plus?",
            SHOW,
        ),
        (ATTEND, "before = x\n        " + ATTEND),
        (THINK, "attended = x\n        x = self.feed_forward_residual(before, lambda _: self.feed_forward(attended))"),
        group=ALONE,
    ),
    mistake(
        "added_twice",
        "You add the input once more around each `ResidualSublayer`, which adds it already.",
        (
            "If both sub-layers returned zeros, what should come out of a pre-norm layer? What does?",
            "Who adds the input: `ResidualSublayer`, or you?",
            SHOW,
        ),
        (ATTEND, ATTEND.replace("x =", "x = x +")),
        (THINK, THINK.replace("x =", "x = x +")),
        group=ALONE,
    ),
    mistake(
        "no_residuals",
        "You chain attention and the feed-forward network directly, without their residual sub-layers, so nothing is added and nothing is normalised.",
        (
            "Which parameters receive no gradient?",
            "The constructor makes two residual sub-layers. Where in `forward` do you call them?",
            SHOW,
        ),
        (ATTEND, "x = self.self_attention(x, x, x, mask)"),
        (THINK, "x = self.feed_forward(x)"),
        group=ALONE,
    ),
    mistake(
        "first_residual_used_twice",
        "You use attention's residual sub-layer for the feed-forward network, too, so `feed_forward_residual` never learns.",
        (
            "Which parameters receive no gradient?",
            "Compare the names at the start of your two lines.",
            SHOW,
        ),
        (THINK, THINK.replace("feed_forward_residual", "self_attention_residual")),
        group=ALONE,
    ),
    mistake(
        "detached_between",
        "Your numbers are right, but between the two sub-layers the graph is cut, so neither attention nor anything before it can learn.",
        (
            "Which parameters receive no gradient?",
            "Between your two lines the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            SHOW,
        ),
        (THINK, THINK.replace("(x, ", "(x.detach(), ")),
        group=ALONE,
    ),
    mistake(
        "norm_first_as_dropout",
        "You pass `norm_first` where `dropout` belongs. If it's True, everything that the sub-layers return is dropped in training, and if it's False, the layer is pre-norm all the same.",
        (
            "Build your layer with `norm_first=False`. What are `module.self_attention_residual.dropout.p` and `module.self_attention_residual.norm_first`?",
            "In which order does `ResidualSublayer` take its arguments?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (FIRST, FIRST.replace("dropout, ", "")),
        (SECOND, SECOND.replace("dropout, ", "")),
        group="norm_first",
    ),
    mistake(
        "dropout_and_norm_first_swapped",
        "You pass `dropout` and `norm_first` to your residual sub-layers in the wrong order. A dropout of 0 then makes a layer post-norm, any other makes it pre-norm, and `norm_first=True` becomes a dropout of 1.",
        (
            "Build a layer with `dropout=0.0` and `norm_first=True`. What is `module.self_attention_residual.norm_first`?",
            "In which order does `ResidualSublayer` take its arguments?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, twice.",
        ),
        (FIRST, FIRST.replace("dropout, norm_first", "norm_first, dropout")),
        (SECOND, SECOND.replace("dropout, norm_first", "norm_first, dropout")),
        group=ALONE,
    ),
    mistake(
        "network_output_not_dropped_in_post_norm",
        "In your post-norm layer, dropout never reaches what the feed-forward network adds: `x` and the network's output are summed as they are. In your other sums, it does.",
        (
            "Build a post-norm layer with `dropout=1.0` and call it in training mode. Does the network's output still reach the sum?",
            "Compare your two post-norm lines. Which of them has no dropout?",
            f"`{THINK}`: the residual sub-layer drops what it adds. Written out: `norm(x + dropout(self.feed_forward(x)))`.",
        ),
        (
            THINK,
            "x = self.feed_forward_residual(x, self.feed_forward) if self.feed_forward_residual.norm_first "
            "else self.feed_forward_residual.norm(x + self.feed_forward(x))",
        ),
        group=ALONE,
    ),
    mistake(
        "attention_output_not_dropped_in_post_norm",
        "In your post-norm layer, dropout never reaches what self-attention adds: `x` and the attention's output are summed as they are. In your other sums, it does.",
        (
            "Build a post-norm layer with `dropout=1.0` and call it in training mode. Does the attention's output still reach the sum?",
            "Compare your two post-norm lines. Which of them has no dropout?",
            f"`{ATTEND}`: the residual sub-layer drops what it adds. Written out: `norm(x + dropout(self.self_attention(x, x, x, mask)))`.",
        ),
        (
            ATTEND,
            f"{ATTEND} if self.self_attention_residual.norm_first "
            "else self.self_attention_residual.norm(x + self.self_attention(x, x, x, mask))",
        ),
        group=ALONE,
    ),
)  # fmt: skip


class InOneExpression(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.self_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first) for _ in range(2)
        )

    def forward(self, x, mask=None):
        return self.feed_forward_residual(
            self.self_attention_residual(x, lambda y: self.self_attention(query=y, key=y, value=y, mask=mask)),
            self.feed_forward,
        )


class WithAnInnerFunction(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)

    def forward(self, x, mask=None):
        def attend(tokens):
            return self.self_attention(tokens, tokens, tokens, mask)

        for residual, sublayer in (
            (self.self_attention_residual, attend),
            (self.feed_forward_residual, self.feed_forward),
        ):
            x = residual(x, sublayer)
        return x


class PreAndPostMethods(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.norm_first = norm_first

    def pre_layer_norm_forward(self, x, mask):
        first, second = self.self_attention_residual, self.feed_forward_residual
        y = first.norm(x)
        x = x + first.dropout(self.self_attention(y, y, y, mask))
        return x + second.dropout(self.feed_forward(second.norm(x)))

    def post_layer_norm_forward(self, x, mask):
        first, second = self.self_attention_residual, self.feed_forward_residual
        x = first.norm(x + first.dropout(self.self_attention(x, x, x, mask)))
        return second.norm(x + second.dropout(self.feed_forward(x)))

    def forward(self, x, mask=None):
        if self.norm_first:
            return self.pre_layer_norm_forward(x, mask)
        return self.post_layer_norm_forward(x, mask)


class SentenceBySentence(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        parts = {
            "self_attention": MultiHeadAttention(d_model, num_heads, dropout),
            "feed_forward": FeedForward(d_model, d_ff, dropout),
            "self_attention_residual": ResidualSublayer(d_model, dropout, norm_first),
            "feed_forward_residual": ResidualSublayer(d_model, dropout, norm_first),
        }
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, x, mask=None):
        done = []
        for i, sentence in enumerate(x.split(1)):
            own = mask[i : i + 1] if mask is not None and mask.dim() == 4 else mask
            y = self.self_attention_residual(sentence, lambda z, own=own: self.self_attention(z, z, z, mask=own))
            done.append(self.feed_forward_residual(y, self.feed_forward.forward))
        return torch.cat(done)


class stub(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        raise NotImplementedError

    def forward(self, x, mask=None):
        raise NotImplementedError


class WithTheParts(EncoderLayer):
    def forward(self, x, mask=None):
        return x * 0


class TheInputItself(EncoderLayer):
    def forward(self, x, mask=None):
        return x


class Noise(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, mask=None):
        return torch.rand(x.shape)


ENCODER_LAYER = define(
    id="encoder_layer",
    lesson="06_encoder_block",
    place=3,
    module="course_lib.components.encoder_layer",
    symbol="EncoderLayer",
    minutes=15,
    laws=LAWS,
    hints=(
        "Four parts, two lines. Which two of the parts are functions that the other two are called with?",
        "A residual sub-layer takes `x` and a function of one argument. The feed-forward network is one already. Self-attention takes three tensors and a mask, so wrap it in a function of one argument.",
        SHOW,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WithAnInnerFunction, PreAndPostMethods, SentenceBySentence),
    lazy=(stub, WithTheParts, TheInputItself, Noise),
    write=("__init__", "forward"),
    switches=("norm_first", "mask", "shares"),
    builds_on=("feed_forward", "layer_norm", "residual_sublayer"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ENCODER_LAYER.second_version("only_queries_normalised")
class KeysFromOutside(EncoderLayer):
    def forward(self, x, mask=None):
        memory = x
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, memory, memory, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("mask_not_passed")
class MaskIgnored(EncoderLayer):
    def forward(self, x, mask=None):
        def attend(y):
            return self.self_attention(query=y, key=y, value=y)

        return self.feed_forward_residual(self.self_attention_residual(x, attend), self.feed_forward)


@ENCODER_LAYER.second_version("network_first")
class ThinksFirst(EncoderLayer):
    def forward(self, x, mask=None):
        thought = self.feed_forward_residual(x, self.feed_forward)
        return self.self_attention_residual(thought, lambda y: self.self_attention(y, y, y, mask))


@ENCODER_LAYER.second_version("attention_left_out")
class AttentionForgotten(EncoderLayer):
    def forward(self, x, mask=None):
        self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("looks_only_back")
class Causal(EncoderLayer):
    def forward(self, x, mask=None):
        places = torch.arange(x.size(1))
        back = places[None, :] <= places[:, None]
        mask = back if mask is None else mask & back
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("one_residual_for_both")
class OneNormOnly(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("norm_first_not_passed_on")
class NormFirstAlways(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first=True)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("mask_inverted")
class TorchsPolarity(EncoderLayer):
    def forward(self, x, mask=None):
        blocked = mask.logical_not() if mask is not None else None
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, blocked))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("network_left_out")
class OnlyAttends(EncoderLayer):
    def forward(self, x, mask=None):
        return self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))


@ENCODER_LAYER.second_version("no_residuals")
class Chained(EncoderLayer):
    def forward(self, x, mask=None):
        return self.feed_forward(self.self_attention(x, x, x, mask))


@ENCODER_LAYER.second_version("added_twice")
class AddedOnceMore(EncoderLayer):
    def forward(self, x, mask=None):
        attended = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask)) + x
        return self.feed_forward_residual(attended, self.feed_forward) + attended


@ENCODER_LAYER.second_version("sublayers_without_dropout")
class DropsOnlyAround(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, 0.0, norm_first)
        self.self_attention_residual.dropout = nn.Dropout(dropout)
        self.feed_forward_residual.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("the_layers_input_added_again")
class EmbeddingsAddedBack(EncoderLayer):
    def forward(self, x, mask=None):
        first, second = self.self_attention_residual, self.feed_forward_residual
        attended = first(x, lambda y: self.self_attention(y, y, y, mask))
        return second(x, lambda _: self.feed_forward(attended))


@ENCODER_LAYER.second_version("norm_first_as_dropout")
class ArgumentsMovedUp(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout)
        self.self_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, norm_first) for _ in range(2)
        )

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@ENCODER_LAYER.second_version("dropout_and_norm_first_swapped")
class SettingsTheOtherWay(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        for name in ("self_attention_residual", "feed_forward_residual"):
            setattr(self, name, ResidualSublayer(d_model, dropout=norm_first, norm_first=dropout))

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


class PostNormByHand(EncoderLayer):
    """Right; each second version below forgets one dropout of its post-norm half."""

    keep_attention = keep_network = False

    def forward(self, x, mask=None):
        one, two = self.self_attention_residual, self.feed_forward_residual
        if one.norm_first:
            return two(one(x, lambda y: self.self_attention(y, y, y, mask)), self.feed_forward)
        seen = self.self_attention(x, x, x, mask)
        x = one.norm(x + (seen if self.keep_attention else one.dropout(seen)))
        thought = self.feed_forward(x)
        return two.norm(x + (thought if self.keep_network else two.dropout(thought)))


@ENCODER_LAYER.second_version("network_output_not_dropped_in_post_norm")
class ThoughtIsKept(PostNormByHand):
    keep_network = True


@ENCODER_LAYER.second_version("attention_output_not_dropped_in_post_norm")
class WhatIsSeenIsKept(PostNormByHand):
    keep_attention = True
