"""A mistake keeps its name when it is written in another style.

At the end of each exercise's file its mistakes are made as somebody else would write them. They must be named like the
registered ones, on the public questions and on hidden ones.
"""

from typing import Any

import pytest
from keys import DRAWS, key_of

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import DefinitionError
from course_lib.checking.ask import ask
from course_lib.checking.judge import judge

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
    key = key_of(exercise_id, draw)
    found = judge(key, ask(key.questions, second))
    assert found.score < found.max_score
    assert found.misconception == expected_name, f"broken laws: {found.broken_laws}"


def test_a_second_version_of_no_mistake_is_an_error_where_it_is_defined() -> None:
    with pytest.raises(DefinitionError, match="softmax: a second version of 'no_exponent', which is no mistake here"):
        DEFINITIONS["softmax"].second_version("no_exponent")
