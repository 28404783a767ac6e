"""A mistake keeps its name when it is written in another style.

Each function in `second_versions` makes a registered mistake as somebody else would write it. It must be named
like the registered one, on the public questions and on hidden ones.
"""

import importlib
from pathlib import Path
from typing import Any

import pytest
from keys import DRAWS, key_of
from second_versions.table import SECOND_VERSIONS

from course_lib.checking.ask import ask
from course_lib.checking.judge import judge

for file in sorted(Path(__file__).with_name("second_versions").glob("lesson_*.py")):
    importlib.import_module(f"second_versions.{file.stem}")

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
