"""The failing example: on the card it shows nothing that is right, in a cell it is there as live objects."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch

from autograder.exercises import DEFINITIONS
from course_lib import check, example, hint
from course_lib.checking.answer_key import public_key
from course_lib.checking.answers import Answer
from course_lib.checking.closeness import close
from course_lib.checking.explain.show import show_wrong
from course_lib.checking.explain.structure import structure
from course_lib.checking.in_time import LINES, WIDTH, Prints
from course_lib.checking.judge import judge
from course_lib.checking.questions import Call, Calls, Methods, Module, Question, Script, StepByStep

pytestmark = pytest.mark.usefixtures("new_kernel")


def load(exercise_id: str, name: str = "reference") -> Any:
    return DEFINITIONS[exercise_id].load(DEFINITIONS[exercise_id].implementation(name))


def shown(exercise_id: str, name: str) -> dict[str, str]:
    found = check(exercise_id, load(exercise_id, name)).card.examples[0]
    assert found is not None
    return {name: yours for name, yours, _ in found.wrong}


# on the card


def test_inputs_that_were_changed_are_shown_before_and_after() -> None:
    right = load("pad_batch")

    def pads_in_place(sentences: Any, pad_id: int) -> Any:
        batch = right(sentences, pad_id)
        for sentence in sentences:
            sentence.append(pad_id)
        return batch

    card = check("pad_batch", pads_in_place).card
    assert card.examples
    ((name, yours, right),) = card.examples[0].wrong
    assert name == "sentences afterwards", "what came back is right, and is not shown"
    assert dict(card.examples[0].given)["sentences"] == right != yours


def test_of_two_results_only_the_wrong_one_is_shown() -> None:
    right = load("scaled_dot_product_attention")
    card = check("scaled_dot_product_attention", lambda *given: (right(*given)[0] + 1, right(*given)[1])).card
    assert card.examples
    assert [name for name, *_ in card.examples[0].wrong] == ["output"]


def test_a_wrong_dtype_is_shown_as_one() -> None:
    assert list(shown("dot_scores", "single_precision")) == ["scores (torch.float32, not torch.float64)"]


def test_of_a_large_array_the_first_wrong_row_is_shown() -> None:
    assert next(iter(shown("binary_code", "whole_numbers"))).startswith("code[0] (")
    right = torch.zeros(2, 9, 9)
    wrong = right.clone()
    wrong[1, 3, 5] = 1
    ((name, yours, _),) = show_wrong("logits", wrong, right)
    assert (name, yours) == ("logits[1, 3]", "[0, 0, 0, 0, 0, 1, 0, 0, 0]")
    ((name, *_),) = show_wrong("logits", wrong[1, 3:5], right[1, 3:5], most=9)
    assert name == "logits[0]"


def test_a_difference_beyond_three_digits_is_shown_with_more() -> None:
    right = load("softmax")
    card = check("softmax", lambda scores, axis=-1: right(scores, axis) - 2e-5).card
    assert card.examples
    ((_, yours, right),) = card.examples[0].wrong
    assert re.search(r"0\.\d{5}", yours)
    assert yours != right


def test_of_several_calls_the_wrong_one_is_shown() -> None:
    right, calls = load("brevity_penalty"), []

    def wrong_at_first(*given: Any) -> Any:
        calls.append(given)
        return right(*given) if len(calls) != 2 else 0.25  # the first of the two calls of the second question

    card = check("brevity_penalty", wrong_at_first).card
    assert card.examples
    assert card.examples[0].question == "shorter"
    first = public_key("brevity_penalty").question("shorter").calls[0]
    assert dict(card.examples[0].given) == {name: str(value) for name, value in first.items()}


# prints


def test_prints_of_the_failing_example_are_under_the_card_and_nowhere_else(capfd: pytest.CaptureFixture[str]) -> None:
    def talks(scores: Any, axis: int = -1) -> Any:
        print("shape:", scores.shape, "<b>")
        return scores

    score = check("softmax", talks)
    assert score.card.prints == ("shape: (1, 2) <b>",), "of the example alone"
    assert "What your code printed on this example:\n    shape: (1, 2) <b>" in score.text
    folded = score._repr_html_().split("<details")[1].split("</details>")[0]
    assert "shape: (1, 2) &lt;b&gt;" in folded and "open" not in folded
    assert repr(score) == "0"
    assert capfd.readouterr() == ("", "")


def test_prints_before_an_error_are_shown_too() -> None:
    def stops(scores: Any, axis: int = -1) -> Any:
        print("so far")
        raise ValueError("no further")

    assert check("softmax", stops).card.prints == ("so far",)


def test_a_right_answer_may_print_what_it_likes() -> None:
    right = load("softmax")

    def talks(scores: Any, axis: int = -1) -> Any:
        print(scores)
        return right(scores, axis)

    assert check("softmax", talks).card.prints == ()


def test_prints_are_cut_after_twenty_lines_and_lines_after_some_letters() -> None:
    prints = Prints()
    prints.hear("before any question")
    prints.begin("a")
    for number in range(1000):
        prints.hear(f"{number}\n")
    prints.begin("b")
    prints.hear("x" * 10**7)
    prints.hear("\ud800\n")
    assert prints.of("a") == (*map(str, range(LINES)), f"… and {1000 - LINES} more lines")
    assert prints.of("b") == ("x" * WIDTH + "…",)
    assert prints.of("c") == ()
    assert sum(map(len, prints._kept["b"])) < 10_000


# as live objects


def applied(question: Question, implementation: Any, number: int) -> Any:
    """What comes out of the live inputs, used as the docstring of `example` says."""
    inputs = question.live(implementation, number)
    if isinstance(question, Methods):
        _, calls = inputs
        return [{call.method: call()} for call in calls]
    if isinstance(question, StepByStep):
        built, tokens = inputs
        return [built.step(token) for token in tokens]
    if inspect.isclass(implementation):
        module, arguments = inputs
        return getattr(module, question.method if isinstance(question, Module) else "__call__")(**arguments)
    return implementation(*inputs)


COMPARED = (Call, Calls, Module, Script, Methods, StepByStep)


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_the_live_inputs_give_the_reference_its_own_answers(exercise_id: str) -> None:
    key, reference = public_key(exercise_id), load(exercise_id)
    for question in key.questions:
        if isinstance(question, COMPARED) and not getattr(question, "changed", None):
            gives_its_own_answers(question, reference, key.reference[question.name])


def gives_its_own_answers(question: Question, reference: Any, right: Answer) -> None:
    for number in range(len(right.values.get("calls", ())) or 1):
        if isinstance(question, Methods):
            assert close(applied(question, reference, number), right.values["calls"]), question.name
            continue
        values = right.values["calls"][number] if "calls" in right.values else right.values
        names = question.returns
        out = applied(question, reference, number)
        for name, value in zip(names, out if len(names) > 1 else (out,), strict=True):
            assert close(live_value(value), values[name]), (question.name, name)


def live_value(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach()
    return type(value)(map(live_value, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("exercise_id", ["clip_gradients", "train_step", "copy_to_torch"])
def test_other_live_inputs_can_be_used_too(exercise_id: str) -> None:
    question = public_key(exercise_id).questions[0]
    assert load(exercise_id)(*question.live(load(exercise_id))) is not None


def test_a_functions_example_is_its_arguments() -> None:
    check("softmax", lambda scores, axis=-1: scores)
    inputs = example("softmax")
    assert inputs.scores is inputs[0]
    assert inputs.scores.shape == (1, 2)
    wanted = example("softmax", expected=True)
    assert close(load("softmax")(*inputs), wanted)
    inputs.scores[:] = 7
    wanted[:] = 7
    assert not (example("softmax").scores == 7).any(), "the next ones are as they were"
    assert not (example("softmax", expected=True) == 7).any()


def test_a_modules_example_is_the_students_own_with_weights() -> None:
    mine = load("self_attention", "keys_by_w_q")
    check("self_attention", mine)
    layer, inputs = example("self_attention")
    assert type(layer) is mine
    assert not close(layer(**inputs).detach(), example("self_attention", expected=True))


def as_the_card_says(more: str) -> Any:
    """Run what a card offers in a cell: the assignment, and then the call."""
    assignment, call = re.findall(r"`([^`]+)`", more)[:2]
    names: dict[str, Any] = {"example": example}
    exec(assignment, names)
    return eval(call, names)


def test_what_the_card_of_a_class_offers_can_be_run() -> None:
    card = check("vocabulary", load("vocabulary", "specials_come_back")).card
    _, calls = example("vocabulary")
    [(name, yours, _)] = card.examples[0].wrong
    assert name == repr(calls[-1]) and yours == repr(as_the_card_says(card.more))
    card = check("self_attention", load("self_attention", "keys_by_w_q")).card
    assert as_the_card_says(card.more).requires_grad
    card = check("cached_layer", load("cached_layer", "nothing_kept")).card
    assert as_the_card_says(card.more).shape[1] == 1


def test_what_is_expected_where_something_else_is_wrong_is_that() -> None:
    right = load("softmax")

    def changes(scores: Any, axis: int = -1) -> Any:
        weights = right(scores, axis)
        scores[...] = 7
        return weights

    check("softmax", changes)
    assert "after" in example("softmax", expected=True)._fields


def test_an_example_of_a_right_answer_is_that_of_the_first_question() -> None:
    check("softmax", load("softmax"))
    assert np.array_equal(example("softmax").scores, public_key("softmax").questions[0].inputs[0]["scores"])


def test_an_example_before_a_check_says_what_to_do() -> None:
    with pytest.raises(KeyError, match="first"):
        example("softmax")


def test_the_card_says_how_to_get_it_and_after_the_last_hint_what_is_expected() -> None:
    card = check("softmax", lambda scores, axis=-1: scores).card
    assert 'example("softmax")' in card.more and "expected" not in card.more
    hint("softmax")
    assert 'example("softmax", expected=True)' in hint("softmax").card.more
    assert "example(" not in check("softmax", load("softmax")).card.more


# where nobody can compute it


def place(exercise_id: str, name: str) -> str:
    return check(exercise_id, load(exercise_id, name)).card.place


@pytest.mark.parametrize(
    ("exercise_id", "name", "sentence"),
    [
        ("transformer", "decoder_unmasked", "The encoder's half is right: `encode` returns the right memory."),
        ("transformer", "encoder_left_out", "Given the right memory, the decoder's half is right."),
        ("encoder", "mask_not_passed", "It goes wrong only with a `mask`; without one, it is right."),
        (
            "cached_decoder",
            "memory_mask_left_out",
            "It goes wrong only with a `memory_mask`; without one, it is right.",
        ),
        ("encoder", "last_norm_not_made", "It goes wrong only as pre-norm; as post-norm, it is right."),
        ("cached_layer", "worked_out_again", "It goes wrong only where the weights change between two steps."),
        ("feed_forward", "dropout_in_evaluation", "It goes wrong only in evaluation mode"),
        ("encoder_layer", "detached_between", "What comes back is right, and the gradients are not."),
    ],
)
def test_the_first_place_of_divergence_is_told(exercise_id: str, name: str, sentence: str) -> None:
    text = place(exercise_id, name)
    assert sentence in text
    assert text in check(exercise_id, load(exercise_id, name)).text


def test_another_input_is_described_only_if_the_mistake_has_no_name() -> None:
    reference = load("greedy_decode")

    def another_fourth_token(*arguments: Any) -> Any:
        written = reference(*arguments).clone()
        written[:, 3:4] += 1
        return written

    assert check("greedy_decode", another_fourth_token).card.place.startswith("On another input, of the 5 positions")
    assert place("greedy_decode", "end_left_out") == ""


def test_where_the_example_can_be_computed_it_says_enough() -> None:
    assert place("softmax", "no_max_subtraction") == ""
    assert place("split_heads", "view_without_transpose") == ""


def test_a_right_answer_diverges_nowhere() -> None:
    assert place("transformer", "reference") == ""


# the form of an answer


def softmax_as(change: Any) -> str:
    right = load("softmax")
    return check("softmax", lambda scores, axis=-1: change(right(scores, axis))).card.says


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (torch.from_numpy, "`weights` is a torch tensor, where a NumPy array is asked for."),
        (lambda w: w.tolist(), "`weights` is a list of"),
        (lambda w: (w, w), "It returns a tuple of 2, where `weights` alone is asked for."),
        (lambda w: w.sum(), "`weights` is a Python float, where a NumPy array is asked for."),
        (lambda w: w[..., :1], "`weights` has the shape (2, 1), where (2, 3) is asked for."),
    ],
)
def test_another_form_is_told_before_anything_else(change: Any, says: str) -> None:
    assert softmax_as(change).startswith(says)


def test_a_result_too_many_is_told() -> None:
    right = load("scaled_dot_product_attention")
    says = check("scaled_dot_product_attention", lambda *given: (*right(*given), None)).card.says
    assert says == "It returns a tuple of 3, where 2 results are asked for: `output`, `weights`."


def test_what_is_wrong_on_some_input_only_is_told_so() -> None:
    right = load("softmax")
    says = check("softmax", lambda s, axis=-1: right(s, axis) if axis == -1 else right(s, axis)[0]).card.says
    assert says.startswith("`weights` has the shape"), "on all inputs that go wrong"
    says = check("softmax", lambda s, axis=-1: right(s, axis) * 2 if axis == -1 else right(s, axis)[0]).card.says
    assert says.startswith("On some input, `weights` has the shape")


def test_a_forgotten_constructor_is_told() -> None:
    class SelfAttention(torch.nn.Module):
        def __init__(self, d_model: int, bias: bool = True) -> None:
            self.w_q = torch.nn.Linear(d_model, d_model)

    class Plain(torch.nn.Module):
        def __init__(self, d_model: int, bias: bool = True) -> None:
            self.d_model = d_model

    for forgetful in (SelfAttention, Plain):
        says = check("self_attention", forgetful).card.says
        assert says.startswith("Its `__init__` does not call `super().__init__()`"), says


def test_no_form_of_a_right_answer_is_complained_about() -> None:
    for key in map(public_key, DEFINITIONS):
        for answers in key.mistakes.values():
            found = structure(judge(key, answers), key, {**answers, **dict(key.reference)})
            assert found == "", key.exercise.id
