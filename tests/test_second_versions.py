"""A mistake keeps its name when it is written in another style.

At the end of each exercise's file its mistakes are made as somebody else would write them. They must be named like the
registered ones, on the public questions and on hidden ones.
"""

from typing import Any

import pytest
from keys import DRAWS, answers_of, key_of

from autograder.authoring.gate import Tried
from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import DefinitionError

SECOND_VERSIONS = [(d.id, name, second) for d in DEFINITIONS.values() for name, second in d.second_versions]

#: mistakes overflow and divide by zero; that is what they are here for
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(
    "exercise_id, expected_name, second",
    [pytest.param(*row, id=f"{row[0]}-{row[1]}-{row[2].__name__}") for row in SECOND_VERSIONS],
)
@pytest.mark.filterwarnings("ignore")
def test_a_second_version_gets_the_same_name(exercise_id: str, expected_name: str, second: Any, draw: str) -> None:
    tried = Tried(key_of(exercise_id, draw), answers_of(exercise_id, draw))
    assert not tried.fault_of_second_version(expected_name, second)


def test_a_second_version_of_no_mistake_is_an_error_where_it_is_defined() -> None:
    with pytest.raises(DefinitionError, match="softmax: a second version of 'no_exponent', which is no mistake here"):
        DEFINITIONS["softmax"].second_version("no_exponent")
