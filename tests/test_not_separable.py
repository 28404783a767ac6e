"""Work that may be right apart from earlier mistakes, and loses points, gets a row that asks for a look."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from keys import answers_of, key_of

from autograder.grading.not_separable import not_separable
from course_lib.checking.dependencies import Dependencies
from course_lib.checking.judge import Verdict, judge_in_order


def verdict(exercise: str, score: float, carried: tuple[str, str] | None = None) -> Verdict:
    return Verdict(exercise, score, 4.0, (), dependencies=Dependencies(carried=carried))


def found(earlier: Sequence[tuple[str, str]], later: str) -> list[str]:
    """What is said when these registered mistakes are made, and answers to a later exercise are unknown over all."""
    keys = {name: key_of(name, "public") for name in (*(name for name, _ in earlier), later)}
    all_answers = {name: answers_of(name, "public").all_answers[mistake] for name, mistake in earlier}
    one, two = (answers_of(later, "public").all_answers[m.name] for m in keys[later].exercise.misconceptions[:2])
    odd = {question: (one if place % 2 else two)[question] for place, question in enumerate(keys[later].reference)}
    return list(not_separable(judge_in_order(keys, {**all_answers, later: odd})))


def test_points_that_an_earlier_mistake_hides_are_named() -> None:
    hidden = verdict("self_attention", 2.0, ("scaled_dot_product_attention", "unscaled"))
    assert list(not_separable({"self_attention": hidden})) == [
        "self_attention is right as far as can be seen over the mistake in scaled_dot_product_attention, but its "
        "answers don't show whether it earns the other 2 points"
    ]


@pytest.mark.parametrize("carried", [None, ("scaled_dot_product_attention", "unscaled")])
def test_nothing_is_said_of_an_exercise_that_lost_nothing(carried: tuple[str, str] | None) -> None:
    assert not list(not_separable({"self_attention": verdict("self_attention", 4.0, carried)}))


def test_an_exercise_over_two_named_mistakes_may_be_right() -> None:
    both = [("clipped_counts", "unclipped"), ("brevity_penalty", "ratio_turned")]
    assert found(both, "corpus_bleu") == [
        "corpus_bleu may be right apart from the mistakes in clipped_counts and brevity_penalty, which it builds on"
    ]
    assert found(both[:1], "corpus_bleu") == []
