"""What is said of code that no registered mistake explains: what its numbers are of the right ones, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.exercises import DEFINITIONS
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.ask import ask
from course_lib.checking.card import Card, make_card
from course_lib.checking.explain.advice import hints_for
from course_lib.checking.explain.diagnosis import Diagnosis, diagnose
from course_lib.checking.explain.divergence import in_common
from course_lib.checking.judge import judge

#: logarithms of zero are what is tried
pytestmark = pytest.mark.filterwarnings("ignore:divide by zero")


def without_names(exercise_id: str) -> AnswerKey:
    """Its key, as if no mistake were registered."""
    key = public_key(exercise_id)
    return replace(key, exercise=replace(key.exercise, misconceptions=()), mistakes={}, carried={})


def diagnosis(exercise_id: str, implementation: Any) -> Diagnosis:
    key = without_names(exercise_id)
    answers = ask(key.questions, implementation)
    return diagnose(judge(key, answers), key, answers)


def right(exercise_id: str) -> Any:
    return DEFINITIONS[exercise_id].load(DEFINITIONS[exercise_id].reference)


def after(change: Callable[[Any], Any]) -> Any:
    softmax = right("softmax")
    return lambda scores, axis=-1: change(softmax(scores, axis))


@pytest.mark.parametrize(
    "change, says",
    [
        (np.tanh, "`weights` is tanh of the right one."),
        (np.sqrt, "`weights` is the square root of the right one."),
        (lambda w: w * 0.25, "`weights` is 0.25 times the right one, wherever it is wrong."),
        (lambda w: w / w.size, "`weights` is the right one times a number that is not 1, another for each input: "),
        (lambda w: w * 1.0003, "`weights` is 1.0003 times the right one, wherever it is wrong."),
        (np.negative, "`weights` is -1 times the right one, wherever it is wrong."),
        (np.log, "`weights` is right but for one step: exp of yours is what is asked for."),
    ],
)
def test_what_wrong_numbers_are_of_the_right_ones_is_told(change: Callable[[Any], Any], says: str) -> None:
    found = diagnosis("softmax", after(change))
    assert found.kind == "relation"
    assert found.text.startswith(says)


def test_a_step_that_is_left_out_is_told() -> None:
    found = diagnosis("softmax", lambda scores, axis=-1: scores)
    assert found.text == "`weights` is right but for one step: the softmax of yours is what is asked for."


def test_what_is_related_to_nothing_is_not_said_to_be() -> None:
    found = diagnosis("softmax", after(lambda w: np.cos(3 * w) * w))
    assert found.kind == "unknown"


def test_where_it_is_wrong_and_where_not_is_told() -> None:
    attention = right("scaled_dot_product_attention")

    def odd_mask(query: Any, key: Any, value: Any, mask: Any = None, *more: Any) -> Any:
        output, weights = attention(query, key, value, mask, *more)
        return (output, weights) if mask is None else (output.cos() * output, weights)

    found = diagnosis("scaled_dot_product_attention", odd_mask)
    assert found.kind == "unknown"
    assert found.text.startswith("It goes wrong only with a `mask`; without one, it is right.")


def test_a_setting_on_which_it_goes_wrong_is_told() -> None:
    definition = DEFINITIONS["residual_sublayer"]
    wrong = next(m.name for m in definition.mistakes if "post" in m.name)
    found = diagnosis(definition.id, definition.load(definition.implementation(wrong)))
    assert "It goes wrong only as pre-norm; as post-norm, it is right." in found.text, (wrong, found)


def test_a_card_says_only_once_what_the_wrong_questions_have_in_common() -> None:
    class Silent(right("encoder")):  # type: ignore[misc]
        def forward(self, x: Any, mask: Any = None) -> Any:
            output = super().forward(x, mask)
            return output if mask is None else output.cos() * output

    assert card_of("encoder", Silent).text.count("It goes wrong only with a `mask`; without one, it is right.") == 1


def test_code_that_is_right_and_writes_into_its_input_is_told() -> None:
    softmax = right("softmax")

    def overwriting(scores: Any, axis: int = -1) -> Any:
        weights = softmax(scores, axis)
        scores -= 1
        return weights

    found = diagnosis("softmax", overwriting)
    assert found.kind == "structure"
    assert found.text.startswith("What it returns is right, but it changes its inputs: `scores` is changed")


def test_numbers_that_are_not_finite_are_told() -> None:
    found = diagnosis("softmax", after(lambda w: np.where(w < 0.1, np.inf, w)))
    assert found.text.endswith("`weights` contains infinity, where finite numbers are asked for.")


def card_of(exercise_id: str, implementation: Any) -> Card:
    key = without_names(exercise_id)
    answers = ask(key.questions, implementation)
    return make_card(judge(key, answers), key, answers)


def test_that_two_inputs_have_one_shape_is_told() -> None:
    class Odd(right("decoder_layer")):  # type: ignore[misc]
        def forward(self, x: Any, memory: Any, *masks: Any, **named: Any) -> Any:
            return super().forward(x, x if x.shape == memory.shape else memory, *masks, **named)

    assert diagnosis("decoder_layer", Odd).text.endswith(
        "It comes out wrong wherever `x` and `memory` have one shape, and right on all other inputs that were tried."
    )


def test_that_only_padding_comes_out_wrong_is_told() -> None:
    class Ones(right("recurrent_encoder")):  # type: ignore[misc]
        def forward(self, source: Any) -> Any:
            states, last = super().forward(source)
            return states + (source == self.pad_id).unsqueeze(-1), last

    assert "In `states`, only the values at padding are wrong." in card_of("recurrent_encoder", Ones).place


def test_logits_at_padding_cost_nothing_because_nobody_uses_them() -> None:
    class Zeros(right("causal_language_model")):  # type: ignore[misc]
        def forward(self, ids: Any) -> Any:
            return super().forward(ids) * (ids != self.pad_id).unsqueeze(-1)

    card = card_of("causal_language_model", Zeros)
    assert card.score == card.max_score


def test_the_decoders_half_is_not_mentioned_for_a_class_without_a_decoder() -> None:
    class Halved(right("encoder_classifier")):  # type: ignore[misc]
        def forward(self, ids: Any) -> Any:
            return super().forward(ids) / 2

    assert "ecoder" not in card_of("encoder_classifier", Halved).text.removeprefix("EncoderClassifier")


def test_a_second_call_is_blamed_only_if_its_inputs_came_out_right_before() -> None:
    class Second(right("cross_attention")):  # type: ignore[misc]
        def forward(self, x: Any, memory: Any, mask: Any = None, need_weights: bool = False) -> Any:
            self.calls = getattr(self, "calls", 0) + 1
            output = super().forward(x, memory, mask, need_weights)
            return output * 2 if self.calls == 2 and mask is None else output

    assert "a later one goes wrong" not in card_of("cross_attention", Second).text
    key = without_names("cross_attention")
    twice = replace(key.question("again"), calls=[key.question("again").inputs[0]] * 2)
    key = replace(
        key,
        questions=(twice,),
        exercise=replace(key.exercise, checks=()),
        reference=ask([twice], right("cross_attention")),
    )
    answers = ask(key.questions, Second)
    assert in_common(key, answers) == "With the same inputs, a first call is right, and a later one goes wrong."


def padding_by_its_logits(logits: Any, labels: Any, pad_id: int, smoothing: float = 0.1) -> Any:
    """A smoothed loss that takes a label for padding where the model would have said padding."""
    logs = logits.log_softmax(-1)
    loss = -(1 - smoothing) * logs.gather(-1, labels.unsqueeze(-1)).squeeze(-1) - smoothing * logs.mean(-1)
    return loss[logits.argmax(-1) != pad_id].mean()


def test_where_nothing_else_is_wrong_the_second_example_has_another_setting() -> None:
    first, second = card_of("label_smoothed_loss", padding_by_its_logits).examples
    assert ("pad_id", "0") in first.given
    (setting,) = (value for name, value in second.given if name == "pad_id")
    assert second.title == f"Another, with pad_id = {setting}:"
    assert setting != "0"


def test_of_many_checks_that_fail_one_of_each_kind_is_shown() -> None:
    card = card_of("label_smoothed_loss", padding_by_its_logits)
    shown, folded = card.text.split(" ✗ ", 1)[1].rsplit("\n", 1)
    assert "in the gradient of `logits` differ" in shown
    assert "leaves the loss as it is — the numbers moved" in shown
    assert "more fail" in folded


def test_where_two_things_are_wrong_there_are_two_examples() -> None:
    def clipped_counts(hypothesis: list[str], reference: list[str], n: int) -> tuple[int, int]:
        words = set(zip(*(reference[i:] for i in range(n)), strict=False))
        grams = [tuple(hypothesis[i : i + n]) for i in range(0, len(hypothesis) - n + 1, n)]
        return sum(gram in words for gram in grams), len(grams)

    shown = [[name for name, *_ in example.wrong] for example in card_of("clipped_counts", clipped_counts).examples]
    assert sorted(shown) == [["matches"], ["total"]]


def test_gradients_that_are_handed_over_are_shown_beside_what_comes_back() -> None:
    def each_by_itself(parameters: Any, max_norm: float) -> Any:
        for parameter in (p for p in parameters if p.grad is not None):
            norm = parameter.grad.norm()
            parameter.grad.mul_((max_norm / (norm + 1e-6)).clamp(max=1))
        return norm

    (example, *_) = card_of("clip_gradients", each_by_itself).examples
    assert [name for name, *_ in example.wrong] == ["norm", "gradient of a", "gradient of b"]


def test_too_few_digits_are_told_beside_what_else_is_wrong() -> None:
    class Narrow(right("layer_norm")):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            _, _, _ = x.shape
            return super().forward(x.float() + x.mean()).float()

    found = diagnosis("layer_norm", Narrow)
    assert found.text.endswith("Also: `output` is torch.float32, where torch.float64 is asked for."), found


def test_a_hint_about_masks_is_given_only_where_something_without_a_mask_is_right() -> None:
    class Zeros(right("cached_layer")):  # type: ignore[misc]  # every question of a cache has a mask
        def forward(self, *given: Any, **named: Any) -> Any:
            return super().forward(*given, **named) * 0

    definition = DEFINITIONS["cached_layer"]
    assert all("memory_mask" in question.inputs[0] for question in public_key("cached_layer").questions)
    key = without_names(definition.id)
    answers = ask(key.questions, Zeros)
    assert hints_for(judge(key, answers), key) == definition.exercise.hints
