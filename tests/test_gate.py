"""The gate: right implementations earn everything, each known mistake loses points and is named."""

import itertools
from functools import cache

import numpy as np
import pytest

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, Implementation
from autograder.exercises.draw import Draw
from autograder.exercises.keys import alike, make_key
from course_lib.checking.ask import ask
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.key import AnswerKey

#: mistakes overflow and divide by zero; that is what they are here for
pytestmark = pytest.mark.filterwarnings("ignore")

DRAWS = {
    "public": Draw.public,
    "hidden": lambda exercise_id: Draw.hidden(b"a course's secret", "release", exercise_id),
    "other secret": lambda exercise_id: Draw.hidden(b"another secret", "release", exercise_id),
}


@cache
def key_of(exercise_id: str, draw: str) -> AnswerKey:
    definition = DEFINITIONS[exercise_id]
    earlier = tuple(DEFINITIONS[name] for name in definition.exercise.builds_on)
    return make_key(definition, DRAWS[draw](exercise_id), earlier)


def verdict(definition: Definition, implementation: Implementation, draw: str) -> Verdict:
    key = key_of(definition.id, draw)
    return judge(key, ask(key.questions, definition.load(implementation)))


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


@pytest.mark.parametrize("definition, lazy, draw", cases("trivial"))
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


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_equality_with_the_reference_carries_half_of_the_points(exercise_id: str) -> None:
    exercise = DEFINITIONS[exercise_id].exercise
    equal = sum(law.points for law in exercise.laws if law.rule == "equals_reference")
    assert equal >= exercise.points / 2


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_invariances_count_only_where_an_equality_holds(exercise_id: str) -> None:
    exercise = DEFINITIONS[exercise_id].exercise
    free = [law.name for law in exercise.laws if law.points and law.rule != "equals_reference" and not law.needs]
    assert not free


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_hidden_questions_differ_from_the_public_in_values_never_in_concept(exercise_id: str) -> None:
    public, hidden = key_of(exercise_id, "public"), key_of(exercise_id, "hidden")
    assert [(q.name, q.probe) for q in public.questions] == [(q.name, q.probe) for q in hidden.questions]
    for ours, theirs in zip(public.questions, hidden.questions, strict=True):
        assert repr(ours.given) != repr(theirs.given), f"{ours.name} gives the same in public and hidden"


def test_numbers_of_registered_implementations() -> None:
    roles = [(d.id, i.role) for d in DEFINITIONS.values() for i in d.implementations]
    assert sum(role == "misconception" for _, role in roles) >= 30
    assert np.all([roles.count((d, "alternative")) >= 5 for d in DEFINITIONS])
