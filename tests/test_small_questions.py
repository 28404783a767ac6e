"""Small questions: the examples on cards, which a person can recompute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.exercises import DEFINITIONS
from autograder.exercises.shrinking import smaller
from autograder.exercises.shrunk_values import Shrinking, cropped, rounded, shrunk_weights
from course_lib import check, example
from course_lib.checking.answer_key import load_key, public_key, same, save_key
from course_lib.checking.ask import ask
from course_lib.checking.explain.given import given, numbers_given
from course_lib.checking.explain.show import FEW
from course_lib.checking.judge import judge

SOME = ["softmax", "vocabulary", "self_attention", "encoder_layer", "greedy_decode"]


pytestmark = pytest.mark.usefixtures("new_kernel")


def load(exercise_id: str, name: str = "reference") -> Any:
    return DEFINITIONS[exercise_id].load(DEFINITIONS[exercise_id].implementation(name))


@pytest.mark.parametrize("exercise_id", SOME)
def test_the_reference_is_right_on_every_small_question(exercise_id: str) -> None:
    key = public_key(exercise_id)
    answers = ask(key.examples, load(exercise_id))
    assert key.small
    for small in key.small:
        assert same(small.question, small.right, answers[small.question.name]), small.question.name


@pytest.mark.parametrize("exercise_id", SOME)
def test_small_questions_are_never_scored(exercise_id: str) -> None:
    key = public_key(exercise_id)
    asked = {name for one in key.exercise.checks for name in one.questions}
    assert asked.isdisjoint(question.name for question in key.examples)
    wrong = ask(key.examples, lambda *_, **__: None)
    assert judge(key, {**key.reference, **wrong}).passed


@pytest.mark.parametrize("exercise_id", SOME)
def test_nearly_every_registered_mistake_has_an_example_that_a_person_can_recompute(exercise_id: str) -> None:
    shown = []
    for mistake in DEFINITIONS[exercise_id].mistakes:
        score = check(exercise_id, load(exercise_id, mistake.name))
        if not score.verdict.passed and any(one.wrong for one in score.card.examples):
            shown.append(next(one for one in score.card.examples if one.wrong).can_be_recomputed)
    assert sum(shown) >= 0.9 * len(shown)


@pytest.mark.parametrize("exercise_id", SOME)
def test_what_example_hands_out_is_wrong_for_every_registered_mistake(exercise_id: str) -> None:
    key = public_key(exercise_id)
    for mistake in DEFINITIONS[exercise_id].mistakes:
        code = load(exercise_id, mistake.name)
        score = check(exercise_id, code)
        if score.verdict.passed or not score.card.question:
            continue
        example(exercise_id)  # runs the code once more
        question = key.question(score.card.question)
        answer = ask([question], code)[question.name]
        assert question.watched or not same(question, key.right(question.name), answer), mistake.name


def test_an_example_is_refused_if_the_code_is_right_by_now() -> None:
    right, calls = load("softmax"), []

    def wrong_at_first(scores: Any, axis: int = -1) -> Any:
        calls.append(scores)
        return right(scores, axis) + (len(calls) < 200)

    check("softmax", wrong_at_first)
    calls.extend([None] * 200)
    with pytest.raises(LookupError, match="left over"):
        example("softmax")


def test_only_the_question_that_goes_wrong_is_the_example() -> None:
    right = load("pad_batch")
    check_with_also = next(one for one in public_key("pad_batch").exercise.checks if one.also == ("empty_first",))
    assert check_with_also.question == "empty_sentence"

    def wrong_if_the_first_is_empty(sentences: Any, pad_id: int) -> Any:
        return right(sentences, pad_id) + (not sentences[0])

    score = check("pad_batch", wrong_if_the_first_is_empty)
    assert not dict(score.card.examples[0].given)["sentences"].startswith("[[3")
    assert not example("pad_batch").sentences[0]


def test_a_module_that_fails_in_training_only_is_handed_out_in_training_mode() -> None:
    right = load("feed_forward")

    class FeedForward(right):  # type: ignore[misc, valid-type]
        def forward(self, x: Any) -> Any:
            return super().forward(x) + self.training

    score = check("feed_forward", FeedForward)
    assert ("", "in training mode") in [(name, text[-16:]) for name, text in score.card.examples[0].given]
    layer, inputs = example("feed_forward")
    assert layer.training
    wanted = example("feed_forward", expected=True)
    assert not torch.allclose(layer(**inputs), wanted)


def test_a_key_on_disk_has_the_small_questions(tmp_path: Path) -> None:
    key = public_key("softmax")
    save_key(key, tmp_path)
    read = load_key(tmp_path / "softmax.json")
    assert [small.question.name for small in read.small] == [small.question.name for small in key.small]
    answers = ask(read.examples, load("softmax"))
    assert all(same(small.question, small.right, answers[small.question.name]) for small in read.small)


def test_smaller_questions_are_the_same_each_time_and_some_can_be_recomputed() -> None:
    key, reference = public_key("self_attention"), load("self_attention")
    question = key.question("plain")
    first, again = ([ask([one], reference)[one.name] for one in smaller(question, reference)] for _ in range(2))
    assert len(first) == len(again) and all(
        a.values.keys() == b.values.keys() for a, b in zip(first, again, strict=True)
    )
    assert any(numbers_given(given(one, 0, key)) < FEW for one in smaller(question, reference))


@pytest.mark.parametrize("exercise_id", ["rotary_embedding", "cache_bytes", "online_softmax"])
def test_examples_are_inputs_that_the_text_allows(exercise_id: str) -> None:
    definition, key = DEFINITIONS[exercise_id], public_key(exercise_id)
    assert key.small and all(definition.allows(small.question) for small in key.small)
    tried = (small for question in key.questions for small in smaller(question, load(exercise_id)))
    assert not all(map(definition.allows, tried)), "shrinking alone would break a rule of the text"


def test_axes_of_one_length_stay_equal() -> None:
    how = Shrinking({5: 2, 3: 1}, 0)
    assert cropped(torch.ones(5, 3, 5), how).shape == (2, 1, 2)
    assert cropped([[1, 2, 3]] * 5, how) == [[1], [1]]


def test_rounding_keeps_zeros_and_infinity_and_never_makes_a_zero() -> None:
    values = torch.tensor([0.0, 0.2, -0.2, 1.6, float("-inf")])
    assert rounded(values, Shrinking({}, 0)).tolist() == [0.0, 1.0, -1.0, 2.0, float("-inf")]
    assert rounded(torch.tensor([3, 4]), Shrinking({}, 0)).tolist() == [3, 4]


def test_a_weight_that_would_have_to_grow_cannot_be_shrunk() -> None:
    assert shrunk_weights({"w": torch.ones(2, 2)}, {"w": (3, 2)}, Shrinking({}, 0)) is None
    found = shrunk_weights(
        {"w": torch.ones(3, 3), "bias": torch.ones(3)}, {"w": (2, 2), "bias": (2,)}, Shrinking({}, 0)
    )
    assert found is not None
    assert torch.equal(found["w"], torch.eye(2)) and not found["bias"].any()
