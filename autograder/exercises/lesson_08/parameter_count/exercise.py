"""Exercise `parameter_count`: the number of a Transformer's parameters, on paper."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference

_question = calling(
    "source_vocab_size", "target_vocab_size", "d_model", "num_layers", "d_ff", "norm_first", returns=["number"]
)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about no layers, one layer each, several layers and widths, post-norm, and sizes like the paper's.

    No width is four times another and no two vocabularies have the same size, so that confused sizes show.
    """
    few, many = sampler.shuffled(range(11, 20))[0], sampler.shuffled(range(21, 40))[0]
    yield _question("embeddings", few, many, 6, 0, 14, False)
    yield _question("one_layer", few, many, sampler.shuffled((6, 8, 10))[0], 1, sampler.shuffled((13, 15, 17))[0], True)
    yield _question(
        "more_layers", many, few, 12, sampler.shuffled((2, 3, 5))[0], sampler.shuffled((19, 23, 29))[0], True
    )
    yield _question("post_norm", many, few, 14, sampler.shuffled((2, 4, 6))[0], sampler.shuffled((33, 35, 37))[0], False)  # fmt: skip
    yield _question("like_the_paper", 30_000 + many, 37_000 + few, 512, 6, 2048, True)


NUMBER = {"fields": ["number"]}


CHECKS = (
    Check("embeddings", equals_reference, "embeddings", "without any layer, the count is right: that of the two embeddings", 0.25, NUMBER),
    Check("one_layer", equals_reference, "one_layer", "one layer in each stack comes out right", 0.5, NUMBER),
    Check("more_layers", equals_reference, "more_layers", "several layers come out right", 0.5, NUMBER),
    Check("post_norm", equals_reference, "post_norm", "post-norm comes out right", 0.5, NUMBER),
    Check("like_the_paper", equals_reference, "like_the_paper", "a model of the paper's size comes out right", 0.25, NUMBER),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Build a small `Transformer` and print the shape of every parameter. Which shapes come again and again?",
        "Count an attention, a network and a normalisation; put an encoder layer and a decoder layer together from them; then the stacks, their ends, and the embeddings.",
        "`4 * d_model**2 + 4 * d_model`; `2 * d_model * d_ff + d_ff + d_model`; `2 * d_model`. An encoder layer has 1, 1 and 2 of them, a decoder layer 2, 1 and 3.",
    ),
    ask=ask,
)
