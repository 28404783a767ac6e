"""Exercise `parameter_count`: a Transformer's parameters, on paper."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference


def _question(name: str, vocabularies: tuple[int, int], d_model: int, num_layers: int, d_ff: int, norm_first: bool = True) -> Question:  # fmt: skip
    arguments = {
        "source_vocab_size": vocabularies[0],
        "target_vocab_size": vocabularies[1],
        "d_model": d_model,
        "num_layers": num_layers,
        "d_ff": d_ff,
        "norm_first": norm_first,
    }
    return Question(name, probes.call, {"arguments": arguments, "returns": ["number"]})


def ask(draw: Draw) -> Iterator[Question]:
    """No layers, one layer each, several of several widths, post-norm, and sizes like the paper's.

    No width is four times another and no two vocabularies are alike: what stands for what can be told.
    """
    few, many = draw.shuffled(range(11, 20))[0], draw.shuffled(range(21, 40))[0]
    yield _question("embeddings", (few, many), 6, 0, 14, norm_first=False)
    yield _question("one_layer", (few, many), draw.shuffled((6, 8, 10))[0], 1, draw.shuffled((13, 15, 17))[0])
    yield _question("more_layers", (many, few), 12, draw.shuffled((2, 3, 5))[0], draw.shuffled((19, 23, 29))[0])
    yield _question("post_norm", (many, few), 14, draw.shuffled((2, 4, 6))[0], draw.shuffled((33, 35, 37))[0], norm_first=False)  # fmt: skip
    yield _question("like_the_paper", (30_000 + many, 37_000 + few), 512, 6, 2048)


NUMBER = {"fields": ["number"]}

LAWS = (
    Law("embeddings", equals_reference, "embeddings", "without any layer, the two embeddings are counted", 0.25, NUMBER),
    Law("one_layer", equals_reference, "one_layer", "one layer in each stack comes out right", 0.5, NUMBER),
    Law("more_layers", equals_reference, "more_layers", "several layers come out right", 0.5, NUMBER),
    Law("post_norm", equals_reference, "post_norm", "post-norm comes out right", 0.5, NUMBER),
    Law("like_the_paper", equals_reference, "like_the_paper", "a model of the paper's size comes out right", 0.25, NUMBER),
)  # fmt: skip

ATTENTION = "attention = 4 * d_model**2 + 4 * d_model"
FEED = "feed_forward = 2 * d_model * d_ff + d_ff + d_model"
NORM = "norm = 2 * d_model"
ENCODER = "encoder_layer = attention + feed_forward + 2 * norm"
DECODER = "decoder_layer = 2 * attention + feed_forward + 3 * norm"
EMBEDDINGS = "embeddings = (source_vocab_size + target_vocab_size) * d_model"
LAST = "(2 * norm if norm_first else 0)"
SUM = "num_layers * (encoder_layer + decoder_layer)"

MISTAKES = (
    mistake(
        "output_layer_counted",
        "You count the output layer as a table of its own. It is tied: the target's embedding, used a second time.",
        (
            "Build a `Transformer` and print the names of its parameters. Is there an output layer among them?",
            "How many tables of the target's vocabulary do you count?",
            "`(source_vocab_size + target_vocab_size) * d_model`, and no more.",
        ),
        (EMBEDDINGS, EMBEDDINGS.replace("+ target_vocab_size", "+ 2 * target_vocab_size")),
        group="embeddings",
    ),
    mistake(
        "one_embedding_counted",
        "You count the source's embedding alone. The target has words of its own.",
        (
            "How many vocabularies are there?",
            "Where do you use `target_vocab_size`?",
            "`(source_vocab_size + target_vocab_size) * d_model`.",
        ),
        (EMBEDDINGS, EMBEDDINGS.replace("(source_vocab_size + target_vocab_size)", "source_vocab_size")),
        group="embeddings",
    ),
    mistake(
        "one_table_for_both_languages",
        "You count one table for both languages, as long as the larger vocabulary. Each language has an embedding of its own.",
        (
            "Build a `Transformer` and print the names of its parameters. How many embeddings are there?",
            "The output is tied to the target's embedding. Is the source's embedding tied to anything?",
            "`(source_vocab_size + target_vocab_size) * d_model`.",
        ),
        (EMBEDDINGS, EMBEDDINGS.replace("(source_vocab_size + target_vocab_size)", "max(source_vocab_size, target_vocab_size)")),
        group="embeddings",
    ),
    mistake(
        "source_embedding_not_counted",
        "You count the target's embedding alone. The source has words of its own.",
        (
            "How many vocabularies are there?",
            "Where do you use `source_vocab_size`?",
            "`(source_vocab_size + target_vocab_size) * d_model`.",
        ),
        (EMBEDDINGS, EMBEDDINGS.replace("(source_vocab_size + target_vocab_size)", "target_vocab_size")),
        group="embeddings",
    ),
    mistake(
        "embeddings_not_counted",
        "You count the layers alone. In a small model the embeddings are the greater part.",
        (
            "How many parameters has a model without any layer?",
            "Where do you use the sizes of the vocabularies?",
            "Add `(source_vocab_size + target_vocab_size) * d_model`.",
        ),
        (EMBEDDINGS, "embeddings = 0"),
        group="embeddings",
    ),
    mistake(
        "output_bias_counted",
        "You count a bias of the output layer, a number for each target word. The tied output layer has none: it is the embedding, transposed, and nothing more.",
        (
            "How many parameters has a model without any layer?",
            "What do you add to the two tables?",
            "`(source_vocab_size + target_vocab_size) * d_model`.",
        ),
        (EMBEDDINGS, EMBEDDINGS + " + target_vocab_size"),
        group="embeddings",
    ),
    mistake(
        "attention_without_biases",
        "You count the four matrices of an attention, and not their biases.",
        (
            "Print the shapes of the parameters of a `MultiHeadAttention`. How many are there?",
            "An `nn.Linear(D, D)` has D² + D parameters. What have four?",
            "`4 * d_model**2 + 4 * d_model`.",
        ),
        (ATTENTION, "attention = 4 * d_model**2"),
        group="attention",
    ),
    mistake(
        "three_matrices",
        "You count three matrices in an attention, for queries, keys and values. The fourth, W_o, mixes what the heads found.",
        (
            "Print the shapes of the parameters of a `MultiHeadAttention`. How many are there?",
            "The formula ends in `W_o`. Does your count?",
            "`4 * d_model**2 + 4 * d_model`.",
        ),
        (ATTENTION, "attention = 3 * d_model**2 + 3 * d_model"),
        group="attention",
    ),
    mistake(
        "network_without_biases",
        "You count the two matrices of the feed-forward network, and not their biases.",
        (
            "Print the shapes of the parameters of a `FeedForward`. How many are there?",
            "An `nn.Linear(D, F)` has D F + F parameters. And an `nn.Linear(F, D)`?",
            "`2 * d_model * d_ff + d_ff + d_model`.",
        ),
        (FEED, "feed_forward = 2 * d_model * d_ff"),
        group="network",
    ),
    mistake(
        "network_biases_both_narrow",
        "You count D numbers for each of the network's two biases. A bias is as wide as what its layer returns: F for the first, D for the second.",
        (
            "Print the shapes of the parameters of a `FeedForward`. How long is `w_1`'s bias?",
            "What does `w_1` return: D numbers, or F?",
            "`2 * d_model * d_ff + d_ff + d_model`.",
        ),
        (FEED, "feed_forward = 2 * (d_model * d_ff + d_model)"),
        group="network",
    ),
    mistake(
        "network_biases_both_wide",
        "You count F numbers for each of the network's two biases. A bias is as wide as what its layer returns: F for the first, D for the second.",
        (
            "Print the shapes of the parameters of a `FeedForward`. How long is `w_2`'s bias?",
            "What does `w_2` return: D numbers, or F?",
            "`2 * d_model * d_ff + d_ff + d_model`.",
        ),
        (FEED, "feed_forward = 2 * (d_model * d_ff + d_ff)"),
        group="network",
    ),
    mistake(
        "one_matrix_of_the_network",
        "You count one of the feed-forward network's two matrices: there is a way up to F, and a way back to D.",
        (
            "Print the shapes of the parameters of a `FeedForward`. How many are there?",
            "`w_1` is (F, D). What is `w_2`?",
            "`2 * d_model * d_ff + d_ff + d_model`.",
        ),
        (FEED, "feed_forward = d_model * d_ff + d_ff + d_model"),
        group="network",
    ),
    mistake(
        "four_times_the_width",
        "You take the network's inner width to be 4 D. It is `d_ff`, whatever that is.",
        (
            "Change `d_ff`. Does your number change?",
            "Where do you use `d_ff`?",
            "`2 * d_model * d_ff + d_ff + d_model`.",
        ),
        (FEED, "feed_forward = 8 * d_model**2 + 5 * d_model"),
        group="network",
    ),
    mistake(
        "norms_not_counted",
        "You count no normalisation. Each has a scale and a shift of D numbers.",
        (
            "Print the shapes of the parameters of a `LayerNorm`. How many are there?",
            "Two in an encoder layer, three in a decoder layer: where are they in your sum?",
            "`norm = 2 * d_model`, twice or three times a layer, and once more at the end of a pre-norm stack.",
        ),
        (NORM, "norm = 0"),
        group="norm",
    ),
    mistake(
        "scale_without_shift",
        "You count D numbers for a normalisation. It has a scale *and* a shift: 2 D.",
        (
            "Print the shapes of the parameters of a `LayerNorm`. How many are there?",
            "γ has D numbers. And β?",
            "`norm = 2 * d_model`.",
        ),
        (NORM, "norm = d_model"),
        group="norm",
    ),
    mistake(
        "two_norms_in_the_decoder",
        "You count two normalisations in a decoder layer. It has three sub-layers, and a normalisation for each.",
        (
            "How many sub-layers has a decoder layer?",
            "Compare your two lines for the layers.",
            "`2 * attention + feed_forward + 3 * norm`.",
        ),
        (DECODER, DECODER.replace("3 * norm", "2 * norm")),
        group="decoder",
    ),
    mistake(
        "cross_attention_not_counted",
        "You count one attention in a decoder layer. It has two: one for what is written, one for what was read.",
        (
            "How many attentions has a decoder layer?",
            "Compare your two lines for the layers.",
            "`2 * attention + feed_forward + 3 * norm`.",
        ),
        (DECODER, DECODER.replace("2 * attention", "attention")),
        group="decoder",
    ),
    mistake(
        "decoder_layers_like_encoder_layers",
        "You count a decoder layer like an encoder layer. It has one more sub-layer: another attention, and another normalisation.",
        (
            "How many sub-layers has a decoder layer, and how many an encoder layer?",
            "Do you multiply one layer's parameters by `2 * num_layers`?",
            "`encoder_layer = attention + feed_forward + 2 * norm`; `decoder_layer = 2 * attention + feed_forward + 3 * norm`.",
        ),
        (DECODER, "decoder_layer = encoder_layer"),
        group="decoder",
    ),
    mistake(
        "last_norms_not_counted",
        "You leave out the last normalisation of a pre-norm stack: one at the end of the encoder, one at the end of the decoder.",
        (
            "Where does your count use `norm_first`?",
            "Print the names of a pre-norm `Transformer`'s parameters. Which are in no layer?",
            "Add `2 * norm` where `norm_first`.",
        ),
        (LAST, "0"),
        group="last",
    ),
    mistake(
        "last_norms_always_counted",
        "You count a last normalisation for each stack, also for post-norm, whose layers end in one already.",
        (
            "Where does your count use `norm_first`?",
            "Print the names of a post-norm `Transformer`'s parameters. Is there an `encoder.norm`?",
            "Add `2 * norm` only where `norm_first`.",
        ),
        (LAST, "2 * norm"),
        group="last",
    ),
    mistake(
        "last_norms_for_post_norm",
        "You count the last normalisations where the model is post-norm, and leave them out where it is pre-norm. It is the other way round.",
        (
            "Print the names of a pre-norm `Transformer`'s parameters. Which are in no layer?",
            "What do you add where `norm_first` is True?",
            "Add `2 * norm` where `norm_first`.",
        ),
        (LAST, "(0 if norm_first else 2 * norm)"),
        group="last",
    ),
    mistake(
        "one_last_norm",
        "You count one last normalisation. There are two stacks, and each pre-norm stack ends in its own.",
        (
            "Print the names of a pre-norm `Transformer`'s parameters. Which are in no layer?",
            "Encoder and decoder: which of them do you have in mind?",
            "`2 * norm` where `norm_first`.",
        ),
        (LAST, "(norm if norm_first else 0)"),
        group="last",
    ),
    mistake(
        "layers_shared_between_the_stacks",
        "You count `num_layers` layers in all, half of them in each stack. Each stack has `num_layers`.",
        (
            "How many layers has a `Transformer` with `num_layers=6`?",
            "What do you multiply an encoder layer's parameters with?",
            "`num_layers * (encoder_layer + decoder_layer)`.",
        ),
        (SUM, "num_layers * (encoder_layer + decoder_layer) // 2"),
        group=ALONE,
    ),
    mistake(
        "layers_split_between_the_stacks",
        "You give `num_layers // 2` layers to the encoder and the rest to the decoder. Each stack has `num_layers`.",
        (
            "How many layers has a `Transformer` with `num_layers=6`?",
            "What do you multiply an encoder layer's parameters with?",
            "`num_layers * (encoder_layer + decoder_layer)`.",
        ),
        (SUM, "(num_layers // 2 * encoder_layer + (num_layers - num_layers // 2) * decoder_layer)"),
        group=ALONE,
    ),
    mistake(
        "in_millions",
        "You return millions of parameters. Asked for is their number, an integer.",
        (
            "How many parameters has a model without any layer, and what do you return?",
            "What do you divide by at the end?",
            "Return the sum as it is.",
        ),
        ("return embeddings + ", "return 1e-6 * embeddings + 1e-6 * "),
        (LAST, "1e-6 * (2 * norm if norm_first else 0)"),
        group=ALONE,
    ),
    mistake(
        "one_layer_counted",
        "You count one layer of each stack, however many there are: each layer has weights of its own.",
        (
            "Where do you use `num_layers`?",
            "Double the layers. Does your number change?",
            "`num_layers * (encoder_layer + decoder_layer)`.",
        ),
        (SUM, "(encoder_layer + decoder_layer)"),
        group=ALONE,
    ),
    mistake(
        "heads_of_64",
        "You count the attention head by head, with heads of width 64. Where 64 does not divide d_model, that loses a part of the projections, or all of them.",
        (
            "How many heads do you count for d_model = 12?",
            "The docstring says that the number of heads does not matter. How large is each of the four matrices, whatever the heads?",
            "`attention = 4 * d_model**2 + 4 * d_model`: four projections, each (D, D) with a bias.",
        ),
        (
            ATTENTION,
            """heads = d_model // 64
    attention = heads * 3 * (d_model * 64 + 64) + heads * 64 * d_model + d_model""",
        ),
        group="attention",
    ),
)  # fmt: skip


def term_by_term(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    d, f, n = d_model, d_ff, num_layers
    squares, products, linear = 12 * n * d * d, 4 * n * d * f, n * (12 * d + 2 * (f + d) + 10 * d)
    return (source_vocab_size + target_vocab_size) * d + squares + products + linear + 4 * d * bool(norm_first)


def with_a_helper(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    def linear(rows, columns):
        return rows * columns + columns

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    total = (source_vocab_size + target_vocab_size) * d_model
    for attentions in (1, 2):
        total += num_layers * (attentions * (attention + 2 * d_model) + network + 2 * d_model)
        if norm_first:
            total += 2 * d_model
    return total


def layer_after_layer(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    total = source_vocab_size * d_model + target_vocab_size * d_model
    for _ in range(num_layers):
        for _ in range(3):  # attentions
            total += 4 * (d_model + 1) * d_model
        for _ in range(2):  # networks
            total += (d_model + 1) * d_ff + (d_ff + 1) * d_model
        for _ in range(5):  # normalisations
            total += d_model + d_model
    return total + (4 * d_model if norm_first else 0)


def from_shapes(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    attention = [(d_model, d_model), (d_model, 1)] * 4
    network = [(d_ff, d_model), (d_ff, 1), (d_model, d_ff), (d_model, 1)]
    norm = [(d_model, 2)]
    encoder = (attention + network + norm * 2) * num_layers + norm * norm_first
    decoder = (attention * 2 + network + norm * 3) * num_layers + norm * norm_first
    tables = [(source_vocab_size, d_model), (target_vocab_size, d_model)]
    return sum(rows * columns for rows, columns in tables + encoder + decoder)


def stub(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    raise NotImplementedError


def zero(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return 0


def embeddings_alone(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return (source_vocab_size + target_vocab_size) * d_model


def twelve_squares(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return 12 * num_layers * d_model**2


PARAMETER_COUNT = define(
    id="parameter_count",
    lesson="08_transformer",
    place=4,
    module="course_lib.components.parameter_count",
    symbol="parameter_count",
    minutes=8,
    laws=LAWS,
    hints=(
        "Build a small `Transformer` and print the shape of every parameter. Which shapes come again and again?",
        "Count an attention, a network and a normalisation; put an encoder layer and a decoder layer together from them; then the stacks, their ends, and the embeddings.",
        "`4 * d_model**2 + 4 * d_model`; `2 * d_model * d_ff + d_ff + d_model`; `2 * d_model`. An encoder layer has 1, 1 and 2 of them, a decoder layer 2, 1 and 3.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(term_by_term, with_a_helper, layer_after_layer, from_shapes),
    lazy=(stub, zero, embeddings_alone, twelve_squares),
    switches=("embeddings", "attention", "network", "norm", "decoder", "last"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


def counted(
    source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True,
    tables=2, attention=1.0, biases=True, norms=5, ends=2,
):  # fmt: skip
    """Right as it is; each second version below changes one of its numbers."""
    d, f, bias = d_model, d_ff, int(biases)
    words = source_vocab_size + (tables - 1) * target_vocab_size
    layers = 3 * attention * 4 * (d * d + d) + 2 * (2 * d * f + bias * (d + f)) + norms * 2 * d
    return round(words * d + num_layers * layers + ends * 2 * d * norm_first)


@PARAMETER_COUNT.second_version("output_layer_counted")
def three_tables(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, tables=3)


@PARAMETER_COUNT.second_version("one_embedding_counted")
def one_table(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, tables=1)


@PARAMETER_COUNT.second_version("three_matrices")
def without_w_o(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=3 / 4)


@PARAMETER_COUNT.second_version("cross_attention_not_counted")
def two_attentions(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=2 / 3)


@PARAMETER_COUNT.second_version("network_without_biases")
def matrices_of_the_network(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, biases=False)


@PARAMETER_COUNT.second_version("two_norms_in_the_decoder")
def four_norms(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, norms=4)


@PARAMETER_COUNT.second_version("decoder_layers_like_encoder_layers")
def twice_an_encoder(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=2 / 3, norms=4)


@PARAMETER_COUNT.second_version("last_norms_not_counted")
def no_ends(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, ends=0)


@PARAMETER_COUNT.second_version("last_norms_always_counted")
def ends_everywhere(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, True)


@PARAMETER_COUNT.second_version("one_last_norm")
def one_end(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, ends=1)


def of_another_formula(name, formula):
    """A second version of ``formula``, in which ``layers`` are those of both stacks."""

    @PARAMETER_COUNT.second_version(name)
    def number(source, target, d, n, f, norm_first=True):
        attention, network = 4 * d * (d + 1), 2 * d * f + d + f
        encoder, decoder = attention + network + 4 * d, 2 * attention + network + 6 * d
        layers = n * (encoder + decoder)
        return formula(source, target, d, n, f, norm_first, encoder, decoder, layers)


of_another_formula(
    "one_table_for_both_languages",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s if s > t else t) * d + layers + 4 * d * pre,
)
of_another_formula(
    "source_embedding_not_counted",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: t * d + layers + 4 * d * pre,
)
of_another_formula(
    "network_biases_both_narrow",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 2 * n * (d - f) + 4 * d * pre,
)
of_another_formula(
    "network_biases_both_wide",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 2 * n * (f - d) + 4 * d * pre,
)
of_another_formula(
    "last_norms_for_post_norm",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 4 * d * (not pre),
)
of_another_formula(
    "layers_split_between_the_stacks",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (
        (s + t) * d + n // 2 * encoder + (n + 1) // 2 * decoder + 4 * d * pre
    ),
)
of_another_formula(
    "in_millions",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: ((s + t) * d + layers + 4 * d * pre) / 10**6,
)


@PARAMETER_COUNT.second_version("heads_of_64")
def head_by_head(source, target, d, n, f, norm_first=True):
    attention = sum(3 * (d + 1) * 64 + 64 * d for _ in range(d // 64)) + d
    return counted(source, target, d, n, f, norm_first) + n * 3 * (attention - 4 * (d * d + d))
