"""Exercise `cache_bytes`: the memory of the cache of keys and values."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference

_question = calling(
    "num_layers", "d_model", "num_heads", "num_kv_heads", "length", "batch_size", "bytes_per_number", returns=["number"]
)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one layer, heads that share nothing, several texts, float32, and a large model.

    The sizes are distinct in each question, and no size is a power of another, so that confused sizes show.
    """
    width, length = sampler.shuffled((6, 10, 14))[0], sampler.shuffled((11, 13, 17, 19))[0]
    yield _question("one_layer", 1, 4 * width, 4, 2, length, 1, 1)
    yield _question("multi_head", sampler.shuffled((3, 7))[0], 5 * width, 5, 5, length, 1, 2)
    yield _question("texts", sampler.shuffled((3, 5, 7))[0], 12 * width, 12, 4, length, sampler.shuffled((9, 21))[0], 2)
    yield _question("float32", sampler.shuffled((3, 7))[0], 10 * width, 10, 5, length, sampler.shuffled((9, 15))[0], 4)
    yield _question("large", 61, 7168, 56, 7, 1000 * length + 7, sampler.shuffled((11, 13))[0], 2)


NUMBER = {"fields": ["number"], "within": 1e-12}  # it is an integer


CHECKS = (
    Check("one_layer", equals_reference, "one_layer", "one layer with one byte per number comes out right", 0.25, NUMBER),
    Check("multi_head", equals_reference, "multi_head", "as many key-value heads as heads come out right", 0.25, NUMBER),
    Check("texts", equals_reference, "texts", "several texts come out right, in 2 and in 4 bytes per number", 0.25, NUMBER,
        also=("float32",)),
    Check("large", equals_reference, "large", "a large model comes out right", 0.25, NUMBER),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether heads have the same width, and groups the same number of heads."""
    given = question.inputs[-1]
    return bool(given["d_model"] % given["num_heads"] == 0 == given["num_heads"] % given["num_kv_heads"])


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Start with one token in one layer. Which vectors does the cache keep of it, how many, and how wide is each?",
        "A key and a value for each of the key-value heads, each `d_model // num_heads` wide. Which other sizes multiply that?",
        "`2 * num_layers * num_kv_heads * (d_model // num_heads) * length * batch_size * bytes_per_number`.",
    ),
    ask=ask,
    allows=_allows,
)
