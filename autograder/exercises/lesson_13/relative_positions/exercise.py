"""Exercise `relative_positions`: the distance of each key from each query, as row numbers of a table."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, whole_numbers

_question = calling("query_length", "key_length", "max_distance", returns=["rows"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about few words, more keys or queries, a maximum distance that is large or 0, one query, and one key."""
    words = sampler.shuffled(range(4, 12))[0]
    yield _question("by_hand", words, words, sampler.shuffled((1, 2))[0])
    few, more = sorted(sampler.shuffled(range(5, 18))[:2])
    yield _question("more_keys", few, more, sampler.shuffled((2, 3))[0])
    yield _question("more_queries", more, few, sampler.shuffled((2, 3))[0])
    yield _question("far", few, few, few + sampler.shuffled((1, 2, 3))[0])
    yield _question("no_distance", few, more, 0)
    yield _question("one_query", 1, sampler.shuffled(range(20, 60))[0], 2)
    yield _question("one_key", sampler.shuffled(range(20, 60))[0], 1, 2)


ROWS = {"fields": ["rows"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "as many queries as keys come out right, with a greatest distance of 1 or 2", 0.25, ROWS),
    Check("more_keys", equals_reference, "more_keys", "more keys than queries come out right", 0.2, ROWS, also=("one_query",)),
    Check("more_queries", equals_reference, "more_queries", "more queries than keys come out right", 0.15, ROWS, also=("one_key",)),
    Check("far", equals_reference, "far", "if no distance has to be clipped, the rows are right", 0.15, ROWS),
    Check("no_distance", equals_reference, "no_distance", "with `max_distance` = 0, the rows are right: all keys are in row 0", 0.15, ROWS),
    Check("integers", whole_numbers, "more_keys", "row numbers are integers", 0.1, {"field": "rows"}, needs="more_keys"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Write the table for four words and K = 2 on paper, first with distances, then with row numbers.",
        "Three steps: all differences s − t by broadcasting, (S,) minus (T, 1); cut off at −K and K; add K.",
        "`(torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)).clamp(-max_distance, max_distance) + max_distance`.",
    ),
    ask=ask,
)
