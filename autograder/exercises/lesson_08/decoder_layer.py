"""Exercise `decoder_layer`: three sub-layers, each with its residual connection and its normalisation."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, unmoved
from course_lib.checking.recognisers.lesson_08 import drops_by_chance
from course_lib.checking.values import Value
from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.feed_forward import FeedForward
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.residual import ResidualSublayer

D_MODEL, NUM_HEADS, D_FF = 6, 2, 7
RESIDUALS = ("self_attention_residual", "cross_attention_residual", "feed_forward_residual")
#: a key's bias moves all scores of a row alike: its gradient is rounding, and nothing to be compared
PARAMETERS = [name for name, _ in DecoderLayer(2, 1, 2).named_parameters() if not name.endswith("w_k.bias")]


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_heads: int = NUM_HEADS,
    norm_first: bool = True,
    dropout: float = 0.0,
    **more: Value,
) -> Question:
    d_ff, d_model = weights["feed_forward.w_1.weight"].shape
    build = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first}
    given = {
        "build": build,
        "weights": weights,
        "calls": list(calls),
        "returns": ["output"],
        "with_shapes": name == "pre",
        **more,
    }
    return Question(name, probes.module, given)


def _given(draw: Draw, b: int, t: int, s: int, d_model: int = D_MODEL) -> dict[str, Value]:
    return {"x": draw.tensor(b, t, d_model), "memory": draw.tensor(b, s, d_model)}


def _masks(draw: Draw, b: int, t: int, s: int) -> dict[str, Value]:
    """A causal mask (T, T), and one of padding (B, 1, 1, S) that hides the end of each source but the first's."""
    real = torch.tensor([s, *draw.shuffled(range(2, s))[: b - 1]])  # (B,)
    return {
        "mask": torch.ones(t, t, dtype=torch.bool).tril(),
        "memory_mask": (torch.arange(s) < real[:, None])[:, None, None],
    }


def ask(draw: Draw) -> Iterator[Question]:
    """Pre-norm and post-norm, with masks and without, dropout; and squares, to name what crashes.

    Dropout is asked with a share of 1: what it does then is no matter of chance. Where the residual sub-layers are in
    evaluation mode all the same, it is seen what is dropped within the sub-layers.
    """
    b, t, s = 3, *draw.shuffled(((4, 5), (5, 4)))[0]
    weights = weights_of(draw, DecoderLayer(D_MODEL, NUM_HEADS, D_FF))
    given, masks = _given(draw, b, t, s), _masks(draw, b, t, s)
    later = given["x"].clone()
    later[:, -1] = draw.tensor(b, D_MODEL)
    for norm, norm_first in (("pre", True), ("post", False)):
        yield _question(norm, weights, given, norm_first=norm_first)
        yield _question(
            f"{norm}_masked", weights, {**given, **masks}, {**given, **masks, "x": later}, norm_first=norm_first
        )
    one_layer = weights_of(draw, DecoderLayer(4, 1, 3))
    upstream = {"output": draw.tensor(2, 3, 4)}
    for norm, norm_first in (("pre", True), ("post", False)):
        small = _given(draw, 2, 3, 5, 4)
        yield _question(
            f"{norm}_gradients", one_layer, small, num_heads=1, norm_first=norm_first, upstream=upstream
        )  # fmt: skip
    yield _question("training", weights, given, given, dropout=1.0, training=True)
    yield _question("training_post", weights, given, given, norm_first=False, dropout=1.0, training=True)
    yield _question("training_within", weights, given, dropout=1.0, training=True, evaluated=list(RESIDUALS))
    yield _question("evaluation", weights, given, dropout=1.0)
    # no row of these masks is empty, and neither is one of both exchanged, or turned round
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=torch.bool)
    memory_mask = torch.tensor([[0, 1, 1], [1, 0, 0], [1, 0, 1]], dtype=torch.bool)
    square = _given(draw, 2, 3, 3)
    yield _question("square", weights, square, {**square, "mask": mask, "memory_mask": memory_mask})


OUTPUT = {"fields": ["calls/0/output"]}
GRADIENTS = {"fields": [f"gradients/{name}" for name in ("x", "memory", *PARAMETERS)]}

LAWS = (
    Law("parts", equals_reference, "pre", "the constructor makes the six parts, with these names and widths", 1.5, {"fields": ["shapes"]}),
    Law("pre", equals_reference, "pre", "pre-norm, without masks, comes out right", 1.25, OUTPUT, also=("square",)),
    Law("pre_masked", equals_reference, "pre_masked", "pre-norm, with a causal mask and a mask of the memory, comes out right", 1.0, OUTPUT),
    Law("pre_gradients", equals_reference, "pre_gradients", "pre-norm, the gradients of `x`, of `memory` and of every weight are right", 0.5, GRADIENTS),
    Law("post", equals_reference, "post", "post-norm, without masks, comes out right", 1.25, OUTPUT),
    Law("post_masked", equals_reference, "post_masked", "post-norm, with both masks, comes out right", 1.0, OUTPUT),
    Law("post_gradients", equals_reference, "post_gradients", "post-norm, the gradients are right", 0.5, GRADIENTS),
    Law("dropout_between", equals_reference, "training", "in training, `dropout=1.0` drops all that the sub-layers add: `x` is left, post-norm its normalisation", 0.25,
        {"fields": ["calls/0/output"]}, needs="pre", also=("training_post",)),
    Law("dropout_within", equals_reference, "training_within", "in training, `dropout=1.0` drops within attentions and network too", 0.25, OUTPUT, needs="pre"),
    Law("no_dropout_in_evaluation", equals_reference, "evaluation", "in evaluation nothing is dropped", 0.25, OUTPUT),
    Law("no_future", unmoved, "pre_masked", "with a causal mask, another last token leaves the outputs before it as they are", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="pre_masked"),
)  # fmt: skip

SELF = "self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))"
CROSS = "self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))"
FEED = "self.feed_forward_residual(x, self.feed_forward)"
SELF_LINE, CROSS_LINE, FEED_LINE = (f"x = {step}" for step in (SELF, CROSS, FEED))
ATTEND_SELF = "self.self_attention(y, y, y, mask)"
ATTEND_CROSS = "self.cross_attention(y, memory, memory, memory_mask)"
SHAPE = "  # (B, T, D)"
MAKE_SELF = "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)"
MAKE_CROSS = "self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)"
MAKE_FEED = "self.feed_forward = FeedForward(d_model, d_ff, dropout)"
MAKE_RESIDUALS = {name: f"self.{name} = ResidualSublayer(d_model, dropout, norm_first)" for name in RESIDUALS}


def _residuals(arguments: str) -> tuple[tuple[str, str], ...]:
    """Edits that make all three residual sub-layers of other arguments."""
    return tuple((make, f"self.{name} = ResidualSublayer({arguments})") for name, make in MAKE_RESIDUALS.items())


MISTAKES = (
    # the constructor
    mistake(
        "one_attention_made",
        "Your layer holds the weights of one attention. It should hold two, each with weights of its own: `self_attention` and `cross_attention`. (One object under two names is one attention.)",
        (
            "How many sub-layers has a decoder layer, and how many of them are attentions?",
            "Compare your constructor with the list of parameters in the docstring. How often do you call `MultiHeadAttention`?",
            f"Call it twice: `{MAKE_SELF}` and `{MAKE_CROSS}`.",
        ),
        (MAKE_CROSS, "self.cross_attention = self.self_attention"),
        group=ALONE,
    ),
    mistake(
        "two_residuals_made",
        "Your layer holds two normalisations, as an encoder layer does. Here are three sub-layers, and each has a residual sub-layer of its own.",
        (
            "How many normalisations has a decoder layer?",
            "Compare your constructor with the list of parameters in the docstring. Which name is missing?",
            f"`{MAKE_RESIDUALS['cross_attention_residual']}`.",
        ),
        (MAKE_RESIDUALS["cross_attention_residual"], "self.cross_attention_residual = self.self_attention_residual"),
        group=ALONE,
    ),
    mistake(
        "one_residual_made",
        "Your layer holds one normalisation for three sub-layers: one scale and one shift of the normalisation for three different jobs.",
        (
            "How many normalisations has a decoder layer?",
            "Count the calls of `ResidualSublayer` in your constructor.",
            "Three calls, three names: `self_attention_residual`, `cross_attention_residual`, `feed_forward_residual`.",
        ),
        (MAKE_RESIDUALS["cross_attention_residual"], "self.cross_attention_residual = self.self_attention_residual"),
        (MAKE_RESIDUALS["feed_forward_residual"], "self.feed_forward_residual = self.self_attention_residual"),
        group=ALONE,
    ),
    mistake(
        "d_ff_ignored",
        "Your feed-forward network is 4 D wide within, whatever `d_ff` says.",
        (
            "Build a layer with `d_ff=7`. What is the shape of `feed_forward.w_1.weight`?",
            "`d_ff` is a parameter of your constructor. Where do you use it?",
            f"`{MAKE_FEED}`.",
        ),
        (MAKE_FEED, MAKE_FEED.replace("d_ff,", "4 * d_model,")),
        group=ALONE,
    ),
    mistake(
        "widths_exchanged",
        "You hand `FeedForward` its two widths in the wrong order: it takes D first, and the width within second.",
        (
            "What is the shape of `feed_forward.w_1.weight`, and what should it be?",
            "Compare your call with the signature `FeedForward(d_model, d_ff, dropout)`.",
            f"`{MAKE_FEED}`.",
        ),
        (MAKE_FEED, MAKE_FEED.replace("d_model, d_ff", "d_ff, d_model")),
        group=ALONE,
    ),
    mistake(
        "one_head",
        "Your attentions have one head, whatever `num_heads` says.",
        (
            "Build a layer with `num_heads=2`. What is `layer.self_attention.num_heads`?",
            "`num_heads` is a parameter of your constructor. Where do you use it?",
            f"`{MAKE_SELF}`, and the same for `cross_attention`.",
        ),
        (MAKE_SELF, MAKE_SELF.replace("num_heads,", "1,")),
        (MAKE_CROSS, MAKE_CROSS.replace("num_heads,", "1,")),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_handed_on",
        "Your residual sub-layers never hear of `norm_first`: they are pre-norm, which is their default, also where post-norm is asked for.",
        (
            "Build a layer with `norm_first=False`. What is `layer.self_attention_residual.norm_first`?",
            "`norm_first` is a parameter of your constructor. Where does it go from there?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        *_residuals("d_model, dropout"),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_handed_to_self_attention_residual",
        "The residual sub-layer of your self-attention never hears of `norm_first`: it is pre-norm, its default, also in a post-norm layer.",
        (
            "Build a layer with `norm_first=False`. What is `norm_first` in each of its three residual sub-layers?",
            "Compare your three calls of `ResidualSublayer`.",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        (MAKE_RESIDUALS["self_attention_residual"], MAKE_RESIDUALS["self_attention_residual"].replace(", norm_first", "")),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_handed_to_cross_attention_residual",
        "The residual sub-layer of your cross-attention never hears of `norm_first`: it is pre-norm, its default, also in a post-norm layer.",
        (
            "Build a layer with `norm_first=False`. What is `norm_first` in each of its three residual sub-layers?",
            "Compare your three calls of `ResidualSublayer`.",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        (MAKE_RESIDUALS["cross_attention_residual"], MAKE_RESIDUALS["cross_attention_residual"].replace(", norm_first", "")),
        group=ALONE,
    ),
    mistake(
        "norm_first_not_handed_to_feed_forward_residual",
        "The residual sub-layer of your feed-forward network never hears of `norm_first`: it is pre-norm, its default, also in a post-norm layer.",
        (
            "Build a layer with `norm_first=False`. What is `norm_first` in each of its three residual sub-layers?",
            "Compare your three calls of `ResidualSublayer`.",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        (MAKE_RESIDUALS["feed_forward_residual"], MAKE_RESIDUALS["feed_forward_residual"].replace(", norm_first", "")),
        group=ALONE,
    ),
    mistake(
        "norm_first_inverted",
        "Your layer is post-norm where pre-norm is asked for, and the reverse.",
        (
            "Where does the normalisation stand in a pre-norm layer: before the sub-layer, or after the sum?",
            "What becomes of `norm_first` between your constructor and its parts?",
            "Hand it on as it is: `ResidualSublayer(d_model, dropout, norm_first)`.",
        ),
        *_residuals("d_model, dropout, not norm_first"),
        group=ALONE,
    ),
    mistake(
        "dropout_not_handed_to_the_residuals",
        "Your residual sub-layers never hear of `dropout`: they drop a tenth, their default, whatever is asked for.",
        (
            "Build a layer with `dropout=1.0` and call it in training mode. What should be left? Call it twice: is it the same?",
            "`dropout` is a parameter of your constructor. Which of the six parts get it?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        *_residuals("d_model, norm_first=norm_first"),
        group=ALONE,
        recogniser=drops_by_chance,
    ),
    mistake(
        "dropout_not_handed_to_the_sublayers",
        "Your attentions and your network never hear of `dropout`: they drop nothing within, which is their default.",
        (
            "Build a layer with `dropout=0.5`. What is `layer.self_attention.dropout.p`?",
            "`dropout` is a parameter of your constructor. Which of the six parts get it?",
            f"`{MAKE_SELF}`, the same for `cross_attention`, and `{MAKE_FEED}`.",
        ),
        (MAKE_SELF, MAKE_SELF.replace(", dropout", "")),
        (MAKE_CROSS, MAKE_CROSS.replace(", dropout", "")),
        (MAKE_FEED, MAKE_FEED.replace(", dropout", "")),
        group=ALONE,
    ),
    # who asks whom
    mistake(
        "memory_asks",
        "In your cross-attention the memory asks, and the target is looked at. It should be the reverse; yours fits only where both are of one length.",
        (
            "Who is to find something in the source: the word that is being written, or the source itself?",
            "The first argument of an attention asks. Which is it in your cross-attention?",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, "self.cross_attention(memory, y, y, memory_mask)"),
        group="cross",
    ),
    mistake(
        "target_looks_at_itself_twice",
        "Your cross-attention gets the target three times, as self-attention does. Nothing of the source reaches your layer.",
        (
            "Change the memory. Does your output move?",
            "What are the second and the third argument of your cross-attention?",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, "self.cross_attention(y, y, y, memory_mask)"),
        group="cross",
    ),
    mistake(
        "values_from_the_target",
        "Your cross-attention finds its place in the memory, and then takes what stands there in the *target*. It fits only where both are of one length.",
        (
            "A word has found what it needs in the source. What does it take from there?",
            "Key and value belong together. What are the second and third argument of your cross-attention?",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, "self.cross_attention(y, memory, y, memory_mask)"),
        group="cross",
    ),
    mistake(
        "memory_normalised",
        "You normalise the memory before you look at it. It comes as it is: the encoder has normalised it already.",
        (
            "Which of the inputs of your cross-attention are normalised? Which should be?",
            "In a pre-norm layer, the normalisation stands in front of what is *added to*: the target. What stands in front of `memory`?",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace("memory, memory,", "*2 * [self.cross_attention_residual.norm(memory)],")),
        group=ALONE,
    ),
    mistake(
        "memory_asked_without_normalisation",
        "In your pre-norm layer the cross-attention asks with `x` from before the normalisation, not with what its residual sub-layer hands it.",
        (
            "A pre-norm sub-layer is F(norm(x)). What of F's inputs is norm(x) in yours?",
            "In your cross-attention, is the query what the function is given, or `x`?",
            f"`lambda y: {ATTEND_CROSS}`, with `y` as the query.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace("(y,", "(x,")),
        group=ALONE,
    ),
    mistake(
        "keys_not_normalised",
        "In your pre-norm layer the queries of the self-attention are normalised, its keys and values are not: they are `x` from before the normalisation.",
        (
            "A pre-norm sub-layer is F(norm(x)). What of F's inputs is norm(x) in yours?",
            "Three arguments, query, key, value: which of them is `x`, and which what the residual sub-layer hands over?",
            f"`lambda y: {ATTEND_SELF}`, with `y` in all three places.",
        ),
        (ATTEND_SELF, "self.self_attention(y, x, x, mask)"),
        group=ALONE,
    ),
    mistake(
        "memory_detached",
        "Your numbers are right, but the memory is cut out of the graph: nothing that the decoder gets wrong ever teaches the encoder.",
        (
            "Does `memory` receive a gradient?",
            "Do you use `detach`, `.data` or `torch.no_grad` on the memory?",
            f"`{ATTEND_CROSS}`, with the memory as it comes.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace("memory, memory,", "memory.detach(), memory.detach(),")),
        group=ALONE,
    ),
    # the masks
    mistake(
        "masks_exchanged",
        "You hand the memory's mask to the self-attention, and the causal one to the cross-attention. It fits only where both sentences are of one length.",
        (
            "`mask` is (T, T). Which of the two attentions has scores of this shape?",
            "Compare the fourth arguments of your two attentions.",
            f"`{ATTEND_SELF}` and `{ATTEND_CROSS}`.",
        ),
        (ATTEND_SELF, ATTEND_SELF.replace("mask", "memory_mask")),
        (ATTEND_CROSS, ATTEND_CROSS.replace("memory_mask", "mask")),
        group="masks",
    ),
    mistake(
        "causal_mask_for_both",
        "You hand `mask` to both attentions. In the source there is no future to hide: every word of it may be seen. (It fits only where both sentences are of one length.)",
        (
            "May the first word that is written look at the last word of the source?",
            "Compare the fourth arguments of your two attentions.",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace("memory_mask", "mask")),
        group="masks",
    ),
    mistake(
        "self_attention_unmasked",
        "Your self-attention gets no mask: every word sees those that are still to be written.",
        (
            "With a causal mask, change the last token of `x`. Does the first output move?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            f"`{ATTEND_SELF}`.",
        ),
        (ATTEND_SELF, ATTEND_SELF.replace(", mask", "")),
        group="masks",
    ),
    mistake(
        "memory_unmasked",
        "Your cross-attention gets no mask: the padding of the source is looked at like words.",
        (
            "Call your layer with a `memory_mask` and without. What differs?",
            "`memory_mask` is a parameter of `forward`. Where does it go from there?",
            f"`{ATTEND_CROSS}`.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace(", memory_mask", "")),
        group="masks",
    ),
    mistake(
        "masks_inverted",
        "You turn the masks round before you pass them on: what may be seen is hidden. Here True means *may attend*; torch's own decoder layer reads its masks the other way round.",
        (
            "Where the mask is True, may a token be seen? And in your layer?",
            "What happens to the masks on their way from `forward` to the attentions?",
            f"Pass them on as they are: `{ATTEND_SELF}`.",
        ),
        (SELF_LINE, f"mask, memory_mask = (m if m is None else ~m for m in (mask, memory_mask))\n        {SELF_LINE}"),
        group="masks",
    ),
    # the order of the sub-layers, and what is left out
    mistake(
        "cross_before_self",
        "You look at the source first, and at what is written second. It is the reverse: a word should know its own sentence before it asks the other.",
        (
            "In which order are the three sub-layers named in the docstring?",
            "Compare your first two lines with the figure of the paper, from bottom to top.",
            "Self-attention, cross-attention, feed-forward network.",
        ),
        (SELF_LINE, CROSS_LINE + " "),
        (CROSS_LINE + "\n", SELF_LINE + "\n"),
        group="order",
    ),
    mistake(
        "feed_forward_in_the_middle",
        "Your feed-forward network stands between the two attentions. It comes last, after both have gathered what it is to think about.",
        (
            "In which order are the three sub-layers named in the docstring?",
            "Compare your last two lines with the figure of the paper, from bottom to top.",
            "Self-attention, cross-attention, feed-forward network.",
        ),
        (CROSS_LINE + "\n", FEED_LINE + " \n"),
        (FEED_LINE + SHAPE, CROSS_LINE + SHAPE),
        group="order",
    ),
    mistake(
        "feed_forward_first",
        "Your feed-forward network comes first. It comes last, after both attentions have gathered what it is to think about.",
        (
            "In which order are the three sub-layers named in the docstring?",
            "Compare your three lines with the figure of the paper, from bottom to top.",
            "Self-attention, cross-attention, feed-forward network.",
        ),
        (FEED_LINE + SHAPE, "pass"),
        ("x = self.self_attention_residual(x,", f"{FEED_LINE}\n        x = self.self_attention_residual(x,"),
        group="order",
    ),
    mistake(
        "reversed_order",
        "Your three sub-layers come in the reverse order: the network first, then cross-attention, then self-attention.",
        (
            "In which order are the three sub-layers named in the docstring?",
            "Compare your three lines with the figure of the paper, from bottom to top.",
            "Self-attention, cross-attention, feed-forward network.",
        ),
        (FEED_LINE + SHAPE, "pass"),
        (CROSS_LINE + "\n", "pass\n"),
        ("x = self.self_attention_residual(x,", f"{FEED_LINE}\n        {CROSS_LINE}\n        x = self.self_attention_residual(x,"),
        group="order",
    ),
    mistake(
        "network_normalises_in_post_norm_too",
        "In your post-norm layer the feed-forward network gets a normalised input, as in pre-norm, and its sum is normalised as well.",
        (
            "A post-norm sub-layer is norm(x + F(x)). What does F get in yours?",
            "How often does `feed_forward_residual.norm` occur in the post-norm case?",
            f"`{FEED_LINE}`: the residual sub-layer does all the normalising.",
        ),
        (FEED, "self.feed_forward_residual(x, lambda y: self.feed_forward(y if self.feed_forward_residual.norm_first else self.feed_forward_residual.norm(y)))"),
        group=ALONE,
    ),
    mistake(
        "side_by_side",
        "Your cross-attention gets the layer's input, as your self-attention does: what self-attention found is added at the end, and never used to ask.",
        (
            "What do you hand to the second residual sub-layer: what the first one returned, or `x` as it came?",
            "Does your first line overwrite `x`? Should it?",
            f"`{SELF_LINE}`, then `{CROSS_LINE}`: each step starts from the one before.",
        ),
        (SELF_LINE, f"before = x\n        {SELF_LINE}"),
        (CROSS_LINE, "x = x - before + self.cross_attention_residual(before, lambda y: self.cross_attention(y, memory, memory, memory_mask))"),
        group=ALONE,
    ),
    mistake(
        "input_added_each_time",
        "Your sub-layers add the *layer's* input, each time. One lecture says “the input embeddings”; a residual adds the input of its own sub-layer.",
        (
            "What is added to the output of your feed-forward network: what went into it, or what went into the layer?",
            "Follow `x` line by line. Is it what the line before has made?",
            f"`{CROSS_LINE}`: it adds what it was given, and that is what the line before returned.",
        ),
        (SELF_LINE, f"before = x\n        {SELF_LINE}"),
        (CROSS_LINE, "x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask) + before - x)"),
        (FEED_LINE, "x = self.feed_forward_residual(x, lambda y: self.feed_forward(y) + before - x)"),
        group=ALONE,
    ),
    mistake(
        "self_attention_left_out",
        "Your layer has no self-attention: no word knows of those that are written already.",
        (
            "Which parts of your layer receive no gradient?",
            "Three sub-layers, three lines. How many has your `forward`?",
            f"`{SELF_LINE}` comes first.",
        ),
        (SELF_LINE, "pass"),
        group=ALONE,
    ),
    mistake(
        "cross_attention_left_out",
        "Your layer never looks at the memory: it is an encoder layer with a mask, and writes without having read.",
        (
            "Change the memory. Does your output move?",
            "Three sub-layers, three lines. How many has your `forward`?",
            f"`{CROSS_LINE}` comes second.",
        ),
        (CROSS_LINE, "pass"),
        group=ALONE,
    ),
    mistake(
        "feed_forward_left_out",
        "Your layer has no feed-forward network: what the attentions have gathered is never thought about.",
        (
            "Which parts of your layer receive no gradient?",
            "Three sub-layers, three lines. How many has your `forward`?",
            f"`{FEED_LINE}` comes last.",
        ),
        (FEED_LINE, "pass"),
        group=ALONE,
    ),
    mistake(
        "cross_attention_bare",
        "Your cross-attention stands without its residual connection: what the words knew before is replaced by what they find in the source.",
        (
            "Set the weights of `cross_attention.w_o` to zero. What should the sub-layer do to `x`? What does yours do?",
            "Which of the three residual sub-layers is never used?",
            f"`{CROSS_LINE}`.",
        ),
        (CROSS, "self.cross_attention(x, memory, memory, memory_mask)"),
        group=ALONE,
    ),
    mistake(
        "feed_forward_bare",
        "Your feed-forward network stands without its residual connection: it replaces what it should add to.",
        (
            "Set the weights of `feed_forward.w_2` to zero. What should the sub-layer do to `x`? What does yours do?",
            "Which of the three residual sub-layers is never used?",
            f"`{FEED_LINE}`.",
        ),
        (FEED, "self.feed_forward(x)"),
        group=ALONE,
    ),
    mistake(
        "residual_added_twice",
        "You add `x` to what the residual sub-layer returns. It has added it already.",
        (
            "Set the weights of all `w_o` and of `w_2` to zero. What should a pre-norm layer return? What does yours?",
            "`ResidualSublayer` returns x + …. What do you do with what it returns?",
            f"`{SELF_LINE}`, and nothing added.",
        ),
        (SELF, f"x + {SELF}"),
        (CROSS, f"x + {CROSS}"),
        (FEED, f"x + {FEED}"),
        group=ALONE,
    ),
    # which part does which work
    mistake(
        "residuals_exchanged",
        "Your cross-attention uses the network's residual sub-layer, and the network that of the cross-attention: each normalises with the other's scale.",
        (
            "In each line, read the name of the residual sub-layer and of what is in it. Do they match?",
            "Compare your last two lines.",
            f"`{CROSS_LINE}` and `{FEED_LINE}`.",
        ),
        (CROSS, CROSS.replace("cross_attention_residual", "feed_forward_residual")),
        (FEED, FEED.replace("feed_forward_residual", "cross_attention_residual")),
        group=ALONE,
    ),
    mistake(
        "one_residual_used_for_all",
        "Your constructor makes three residual sub-layers and your `forward` uses the first of them three times: two normalisations never learn.",
        (
            "Which parts of your layer receive no gradient?",
            "In each line, read the name of the residual sub-layer and of what is in it. Do they match?",
            f"`{CROSS_LINE}` and `{FEED_LINE}`.",
        ),
        (CROSS, CROSS.replace("cross_attention_residual", "self_attention_residual")),
        (FEED, FEED.replace("feed_forward_residual", "self_attention_residual")),
        group=ALONE,
    ),
    mistake(
        "one_attention_used_for_both",
        "Your constructor makes two attentions and your `forward` uses `self_attention` for both: `cross_attention` never learns.",
        (
            "Which parts of your layer receive no gradient?",
            "Look at the name of the attention in your second line.",
            f"`{CROSS_LINE}`.",
        ),
        (ATTEND_CROSS, ATTEND_CROSS.replace("self.cross_attention", "self.self_attention")),
        group=ALONE,
    ),
    mistake(
        "attentions_exchanged",
        "You use `cross_attention` for the target and `self_attention` for the memory: each does the other's work.",
        (
            "In each line, read the name of the attention and of what it looks at. Do they match?",
            "Compare your first two lines.",
            f"`{SELF_LINE}` and `{CROSS_LINE}`.",
        ),
        (ATTEND_SELF, "self.cross_attention(y, y, y, mask)"),
        (ATTEND_CROSS, "self.self_attention(y, memory, memory, memory_mask)"),
        group=ALONE,
    ),
    mistake(
        "causal_mask_where_none_is_given",
        "Where no `mask` is given you make a causal one. No mask means that every token may attend to every token; whether the future is hidden is for the caller to say.",
        (
            "Call your layer without a mask and change the last token of `x`. Does the first output move? Should it?",
            "What does your `forward` do where `mask is None`?",
            f"Pass `mask` on as it is: `{ATTEND_SELF}` takes None too.",
        ),
        (SELF_LINE, f"mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril() if mask is None else mask\n        {SELF_LINE}"),
        group=ALONE,
    ),
    mistake(
        "network_output_not_dropped_in_post_norm",
        "In your post-norm layer, dropout never reaches what the feed-forward network adds: `x` and the network's output are summed as they are. Elsewhere you drop what a sub-layer adds.",
        (
            "Build a post-norm layer with `dropout=1.0` and call it in training mode. Does the network's output still reach the sum?",
            "Compare your three post-norm lines. Which of them has no dropout?",
            f"`{FEED_LINE}`: the residual sub-layer drops what it adds. Written out: `norm(x + dropout(self.feed_forward(x)))`.",
        ),
        (
            FEED,
            "self.feed_forward_residual(x, self.feed_forward) if self.feed_forward_residual.norm_first "
            "else self.feed_forward_residual.norm(x + self.feed_forward(x))",
        ),
        group=ALONE,
    ),
    mistake(
        "dropout_and_norm_first_swapped",
        "You hand `dropout` and `norm_first` to your residual sub-layers in the wrong order. A dropout of 0 then makes a layer post-norm, any other makes it pre-norm, and `norm_first=True` becomes a dropout of 1.",
        (
            "Build a layer with `dropout=0.0` and `norm_first=True`. What is `layer.self_attention_residual.norm_first`?",
            "In which order does `ResidualSublayer` take its arguments?",
            "`ResidualSublayer(d_model, dropout, norm_first)`, three times.",
        ),
        *_residuals("d_model, norm_first, dropout"),
        group=ALONE,
    ),
)  # fmt: skip


class WithNamedFunctions(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        for name in ("self_attention", "cross_attention"):
            setattr(self, name, MultiHeadAttention(d_model, num_heads, dropout=dropout))
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, name + "_residual", ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first))

    def forward(self, x, memory, mask=None, memory_mask=None):
        def look_at_what_is_written(y):
            return self.self_attention(y, y, y, mask=mask)

        def look_at_what_was_read(y):
            return self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask)

        x = self.self_attention_residual(x, look_at_what_is_written)
        x = self.cross_attention_residual(x, look_at_what_was_read)
        return self.feed_forward_residual(x, self.feed_forward)


class TwoForwards(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x, memory, mask=None, memory_mask=None):
        one, two, three = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        if self.norm_first:
            y = one.norm(x)
            x = x + one.dropout(self.self_attention(y, y, y, mask))
            x = x + two.dropout(self.cross_attention(two.norm(x), memory, memory, memory_mask))
            return x + three.dropout(self.feed_forward(three.norm(x)))
        x = one.norm(x + one.dropout(self.self_attention(x, x, x, mask)))
        x = two.norm(x + two.dropout(self.cross_attention(x, memory, memory, memory_mask)))
        return three.norm(x + three.dropout(self.feed_forward(x)))


class Nested(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention, self.cross_attention = (MultiHeadAttention(d_model, num_heads, dropout) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, dropout, norm_first) for _ in range(3)
        )

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.feed_forward_residual(
            self.cross_attention_residual(
                self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask)),
                lambda y: self.cross_attention(y, memory, memory, memory_mask),
            ),
            self.feed_forward,
        )


class InALoop(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        steps = [
            (self.self_attention_residual, lambda y: self.self_attention(y, y, y, mask)),
            (self.cross_attention_residual, lambda y: self.cross_attention(y, memory, memory, memory_mask)),
            (self.feed_forward_residual, self.feed_forward),
        ]
        for residual, sublayer in steps:
            x = residual(x, sublayer)
        return x


class stub(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        raise NotImplementedError

    def forward(self, x, memory, mask=None, memory_mask=None):
        raise NotImplementedError


class OnlyTheConstructor(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return x


class Zeros(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.zeros_like(x)


class Noise(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.rand(x.shape)


DECODER_LAYER = define(
    id="decoder_layer",
    lesson="08_transformer",
    place=1,
    module="course_lib.components.decoder_layer",
    symbol="DecoderLayer",
    minutes=20,
    laws=LAWS,
    hints=(
        "It is your `EncoderLayer` with one sub-layer more. Which, and between which two others?",
        "The constructor makes six parts; `forward` has three lines, each a residual sub-layer with a function in it. Which of your parts is not used, or used twice?",
        f"`{SELF_LINE}`; `{CROSS_LINE}`; `{FEED_LINE}`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(WithNamedFunctions, TwoForwards, Nested, InALoop),
    lazy=(stub, OnlyTheConstructor, Zeros, Noise),
    write=("__init__", "forward"),
    switches=("cross", "masks", "order"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class LayerInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.make(d_model, num_heads, d_ff, dropout)

    def make(self, d_model, num_heads, d_ff, dropout):
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, dropout, self.norm_first))

    def around(self, residual, x, function):
        inside = residual.norm(x) if self.norm_first else x
        total = x + residual.dropout(function(inside))
        return total if self.norm_first else residual.norm(total)

    def look_back(self, x, mask):
        return self.around(self.self_attention_residual, x, lambda y: self.self_attention(y, y, y, mask))

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)

    def think(self, x):
        return self.around(self.feed_forward_residual, x, self.feed_forward)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.think(self.look_across(self.look_back(x, mask), memory, memory_mask))


@DECODER_LAYER.second_version("one_attention_made")
class OneAttention(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention

    def look_across(self, x, memory, mask):
        function = lambda y: self.self_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@DECODER_LAYER.second_version("two_residuals_made")
class ResidualsOfAnEncoder(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention_residual

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.self_attention_residual, x, function)


@DECODER_LAYER.second_version("d_ff_ignored")
class FourTimesAsWide(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, 4 * d_model, dropout)


@DECODER_LAYER.second_version("one_head")
class OneHead(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, 1, d_ff, dropout)


@DECODER_LAYER.second_version("norm_first_inverted")
class TheOtherWayRound(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, not norm_first)


@DECODER_LAYER.second_version("norm_first_not_handed_on")
class AlwaysPreNorm(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout)


@DECODER_LAYER.second_version("dropout_not_handed_to_the_residuals")
class ATenthIsDropped(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for module in self.modules():
            if isinstance(module, ResidualSublayer):
                module.dropout.p = 0.1


@DECODER_LAYER.second_version("memory_asks")
class TheMemoryAsks(LayerInSteps):
    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(memory, key=y, value=y, mask=mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@DECODER_LAYER.second_version("target_looks_at_itself_twice")
class SelfAttentionTwice(LayerInSteps):
    def look_across(self, x, memory, mask):
        return self.around(self.cross_attention_residual, x, lambda y: self.cross_attention(y, y, y, mask))


@DECODER_LAYER.second_version("keys_not_normalised")
class OnlyTheQueryIsNormalised(LayerInSteps):
    def look_back(self, x, mask):
        return self.around(self.self_attention_residual, x, lambda y: self.self_attention(y, key=x, value=x, mask=mask))


@DECODER_LAYER.second_version("causal_mask_for_both")
class OneMask(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, mask)


@DECODER_LAYER.second_version("masks_exchanged")
class MasksTheOtherWay(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, memory_mask, mask)


@DECODER_LAYER.second_version("memory_unmasked")
class PadsOfTheSourceSeen(LayerInSteps):
    def look_across(self, x, memory, mask):
        return super().look_across(x, memory, None)


@DECODER_LAYER.second_version("cross_before_self")
class SourceFirst(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.think(self.look_back(self.look_across(x, memory, memory_mask), mask))


@DECODER_LAYER.second_version("feed_forward_left_out")
class NoThought(LayerInSteps):
    def think(self, x):
        return x


@DECODER_LAYER.second_version("memory_detached")
class MemoryAsData(LayerInSteps):
    def look_across(self, x, memory, mask):
        return super().look_across(x, memory.data, mask)


def hears_nothing_of_norm_first(residual):
    """A layer one of whose residual sub-layers is pre-norm, whatever is asked for."""

    @DECODER_LAYER.second_version(f"norm_first_not_handed_to_{residual}")
    class PreNormInOnePlace(LayerInSteps):
        def around(self, used, x, function):
            if used is getattr(self, residual):
                return x + used.dropout(function(used.norm(x)))
            return super().around(used, x, function)


for residual in ("self_attention_residual", "cross_attention_residual", "feed_forward_residual"):
    hears_nothing_of_norm_first(residual)


@DECODER_LAYER.second_version("memory_asked_without_normalisation")
class AsksWithTheSum(LayerInSteps):
    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(x, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@DECODER_LAYER.second_version("feed_forward_first")
class ThinksFirst(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_across(self.look_back(self.think(x), mask), memory, memory_mask)


@DECODER_LAYER.second_version("reversed_order")
class FromTheEnd(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_back(self.look_across(self.think(x), memory, memory_mask), mask)


@DECODER_LAYER.second_version("network_normalises_in_post_norm_too")
class NetworkBehindItsNorm(LayerInSteps):
    def think(self, x):
        residual = self.feed_forward_residual
        total = x + residual.dropout(self.feed_forward(residual.norm(x)))
        return total if self.norm_first else residual.norm(total)


@DECODER_LAYER.second_version("causal_mask_where_none_is_given")
class CausalUnlessTold(LayerInSteps):
    def look_back(self, x, mask):
        places = torch.arange(x.size(1))
        return super().look_back(x, places[:, None] >= places if mask is None else mask)


@DECODER_LAYER.second_version("network_output_not_dropped_in_post_norm")
class ThoughtIsKept(LayerInSteps):
    def think(self, x):
        if self.norm_first:
            return super().think(x)
        return self.feed_forward_residual.norm(self.feed_forward(x) + x)


@DECODER_LAYER.second_version("dropout_and_norm_first_swapped")
class SettingsTheOtherWay(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, self.norm_first, dropout))

    def around(self, residual, x, function):
        return residual(x, function)
