"""The gate: right implementations earn everything, each known mistake loses points and is named."""

import re
from dataclasses import replace

import pytest
from keys import SAMPLERS, answers_of, key_of
from tiers import slow_but

from autograder.authoring.gate import (
    Tried,
    drawn_by_courses,
    free_checks,
    same_in_both,
    share_of_equality,
    too_few,
)
from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import fair_sampler
from autograder.exercises.definition import DefinitionError
from autograder.exercises.sampler import Sampler
from course_lib.checking.questions import Question

#: mistakes overflow and divide by zero; that is what they are here for
pytestmark = pytest.mark.filterwarnings("ignore")


def tried(exercise_id: str, sampler: str) -> Tried:
    return Tried(key_of(exercise_id, sampler), answers_of(exercise_id, sampler))


@pytest.mark.parametrize("sampler", slow_but(["public"], SAMPLERS))
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_every_implementation_is_judged_as_what_it_is_registered_as(exercise_id: str, sampler: str) -> None:
    """Right ones earn everything, each mistake loses points and is named, trivial ones earn a fifth at most."""
    found = tried(exercise_id, sampler)
    faults = {each.name: found.fault(each) for each in found.definition.implementations}
    assert not {name: fault for name, fault in faults.items() if fault}


@pytest.mark.parametrize("sampler", slow_but(["public"], SAMPLERS))
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_no_two_misconceptions_answer_alike(exercise_id: str, sampler: str) -> None:
    assert not tried(exercise_id, sampler).not_told_apart()


@pytest.mark.parametrize("sampler", slow_but(["public"], SAMPLERS))
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_two_mistakes_at_once_never_get_a_wrong_single_name(exercise_id: str, sampler: str) -> None:
    assert not list(tried(exercise_id, sampler).wrongly_named_pairs())


@pytest.mark.parametrize("sampler", slow_but(["public"], SAMPLERS))
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_each_of_two_mistakes_that_have_a_name_together_changes_some_answer(exercise_id: str, sampler: str) -> None:
    assert not list(tried(exercise_id, sampler).pairs_with_a_hidden_mistake())


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_equality_with_the_reference_carries_half_of_the_points(exercise_id: str) -> None:
    assert share_of_equality(DEFINITIONS[exercise_id].exercise) >= 1 / 2


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_invariances_count_only_where_an_equality_holds(exercise_id: str) -> None:
    assert not free_checks(DEFINITIONS[exercise_id].exercise)


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
@pytest.mark.slow
def test_hidden_questions_differ_from_the_public_in_values_never_in_concept(exercise_id: str) -> None:
    assert not list(same_in_both(key_of(exercise_id, "public"), key_of(exercise_id, "hidden")))


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
@pytest.mark.slow
def test_each_implementation_scores_the_same_whatever_a_course_draws(
    exercise_id: str, pytestconfig: pytest.Config
) -> None:
    drawn_by_courses(DEFINITIONS[exercise_id], 5 if pytestconfig.getoption("--thorough") else 2)


def test_a_draw_that_hides_a_mistake_is_not_graded_by() -> None:
    definition = DEFINITIONS["binary_code"]

    def two_bits(sampler: Sampler) -> list[Question]:  # periods that grow by one are those that double here
        *others, last = definition.ask(sampler)
        return [*others, replace(last, arguments={"length": 12, "num_bits": 2})]

    with pytest.raises(DefinitionError, match="none of 3 draws") as raised:
        fair_sampler(replace(definition, ask=two_bits), Sampler.hidden(b"a secret", "release", definition.id), 3)
    said = str(raised.value)
    assert re.search(r"Points depend on the draw for \w+, which earns [\d.]+ of [\d.]+ on the public", said)
    assert "memorises" not in said, "their answers are not the public ones"


def test_where_public_answers_pass_no_mistake_is_blamed() -> None:
    definition = DEFINITIONS["binary_code"]

    def the_public_ones(sampler: Sampler) -> list[Question]:
        return list(definition.ask(Sampler.public(definition.id)))

    with pytest.raises(
        DefinitionError, match=r"On 3, the right answers to the \*public\* questions earn 100% "
    ) as raised:
        fair_sampler(replace(definition, ask=the_public_ones), Sampler.hidden(b"a secret", "release", definition.id), 3)
    assert "depend on the draw" not in str(raised.value)
    assert not [mistake.name for mistake in definition.mistakes if mistake.name in str(raised.value)]


def test_of_a_mistake_that_only_raises_errors_the_gate_says_why_it_has_no_name() -> None:
    reference = DEFINITIONS["softmax"].reference
    last_axis_only = "    if axis != -1:\n        raise ValueError(axis)\n    shifted ="
    variant = replace(reference, source=reference.source.replace("    shifted =", last_axis_only))
    fault = tried("softmax", "public").fault_of_variant("axis_ignored", variant)
    assert fault.startswith("it is not recognised: all it gets wrong raises an error, and no error has a name; ")


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_enough_is_registered(exercise_id: str) -> None:
    assert not list(too_few(DEFINITIONS[exercise_id]))
