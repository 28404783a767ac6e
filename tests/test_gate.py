"""The gate: right implementations earn everything, each known mistake loses points and is named."""

import itertools
from dataclasses import replace

import pytest
from keys import DRAWS, answers_of, key_of

from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import alike, fair_draw
from autograder.exercises.definition import Definition, DefinitionError, Implementation
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import TOGETHER, Question
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.laws import equals_reference

#: mistakes overflow and divide by zero; that is what they are here for
pytestmark = pytest.mark.filterwarnings("ignore")


def verdict(definition: Definition, implementation: Implementation, draw: str) -> Verdict:
    answered = answers_of(definition.id, draw)
    sheets = answered.pairs if TOGETHER in implementation.name else answered.sheets
    return judge(key_of(definition.id, draw), sheets[implementation.name])


def cases(*roles: str) -> list[object]:
    return [
        pytest.param(d, i, draw, id=f"{d.id}-{i.name}-{draw}")
        for d in DEFINITIONS.values()
        for i in d.implementations
        if i.role in roles
        for draw in DRAWS
    ]


@pytest.mark.parametrize("definition, right, draw", cases("reference", "alternative"))
def test_right_implementations_earn_everything(definition: Definition, right: Implementation, draw: str) -> None:
    found = verdict(definition, right, draw)
    assert found.score == found.max_score, (
        f"{right.name} breaks {[(r.law.name, r.seen) for r in found.rulings if not r.holds]}"
    )
    assert found.misconception is None


@pytest.mark.parametrize("definition, wrong, draw", cases("misconception"))
def test_each_misconception_loses_points_and_is_named(definition: Definition, wrong: Implementation, draw: str) -> None:
    found = verdict(definition, wrong, draw)
    assert found.score < found.max_score, "it earns full points"
    assert found.misconception == wrong.name, f"broken laws: {found.broken_laws}"


@pytest.mark.parametrize("definition, lazy, draw", cases("lazy"))
def test_lazy_implementations_earn_at_most_a_fifth(definition: Definition, lazy: Implementation, draw: str) -> None:
    found = verdict(definition, lazy, draw)
    most = 0 if lazy.name == "stub" else found.max_score / 5
    assert found.score <= most, [r.law.name for r in found.rulings if r.earned]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_no_two_misconceptions_answer_alike(exercise_id: str, draw: str) -> None:
    sheets = {"reference": key_of(exercise_id, draw).reference, **key_of(exercise_id, draw).mistakes}
    same = [(a, b) for a, b in itertools.combinations(sheets, 2) if alike(sheets[a], sheets[b])]
    assert not same


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_two_mistakes_at_once_never_get_a_wrong_single_name(exercise_id: str, draw: str) -> None:
    definition = DEFINITIONS[exercise_id]
    for names, pair in definition.pairs.items():
        found = verdict(definition, pair, draw).misconception
        assert found is None or found == pair.name or found in names, f"{pair.name} is called {found}"


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_each_of_two_mistakes_that_have_a_name_together_changes_some_answer(exercise_id: str, draw: str) -> None:
    answered = answers_of(exercise_id, draw)
    for both, sheet in answered.named_pairs.items():
        hidden = [one for one in both.split(TOGETHER) if alike(sheet, answered.sheets[one])]
        assert not hidden, f"{both} answers like {hidden[0]} alone"


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_equality_with_the_reference_carries_half_of_the_points(exercise_id: str) -> None:
    exercise = DEFINITIONS[exercise_id].exercise
    equal = sum(law.points for law in exercise.laws if law.rule is equals_reference)
    assert equal >= exercise.points / 2


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_invariances_count_only_where_an_equality_holds(exercise_id: str) -> None:
    exercise = DEFINITIONS[exercise_id].exercise
    free = [law.name for law in exercise.laws if law.points and law.rule is not equals_reference and not law.needs]
    assert not free


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_hidden_questions_differ_from_the_public_in_values_never_in_concept(exercise_id: str) -> None:
    public, hidden = key_of(exercise_id, "public"), key_of(exercise_id, "hidden")
    assert [(q.name, q.probe) for q in public.questions] == [(q.name, q.probe) for q in hidden.questions]
    for ours, theirs in zip(public.questions, hidden.questions, strict=True):
        assert repr(ours.given) != repr(theirs.given), f"{ours.name} gives the same in public and hidden"


#: one in so many draws must be fair: more would mean that questions leave it to luck whether a mistake shows
ATTEMPTS = 10
#: exercises whose answers take longest, of which two draws are tried; of the others five
DEAR = {
    "multi_head_attention", "causal_language_model", "decoder_layer", "decoder", "transformer", "beam_search",
    "encoder", "encoder_layer", "cached_layer", "cached_decoder",
}  # fmt: skip


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_each_implementation_scores_the_same_whatever_a_course_draws(exercise_id: str) -> None:
    for number in range(2 if exercise_id in DEAR else 5):
        secret = f"the secret of course {number}".encode()
        fair_draw(DEFINITIONS[exercise_id], Draw.hidden(secret, "release", exercise_id), ATTEMPTS)


def test_a_draw_that_hides_a_mistake_is_not_graded_by() -> None:
    definition = DEFINITIONS["binary_code"]

    def two_bits(draw: Draw) -> list[Question]:  # of which periods that grow by one are those that double
        *others, last = definition.ask(draw)
        return [*others, replace(last, given={**last.given, "arguments": {"length": 12, "num_bits": 2}})]

    with pytest.raises(DefinitionError, match="on none of 3 draws"):
        fair_draw(replace(definition, ask=two_bits), Draw.hidden(b"a secret", "release", definition.id), 3)


#: exercises with fewer ways to be right than others, as their files say
FEWER_ALTERNATIVES: dict[str, int] = {}


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_enough_is_registered(exercise_id: str) -> None:
    roles = [implementation.role for implementation in DEFINITIONS[exercise_id].implementations]
    assert roles.count("misconception") >= 6
    assert roles.count("alternative") >= FEWER_ALTERNATIVES.get(exercise_id, 4)
