"""A prediction is compared with what was measured, kept, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib import predict
from course_lib.kernel.predictions import FILE
from course_lib.session import CURRENT


@pytest.fixture(autouse=True)
def _beside_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_choice_is_compared_with_what_was_measured_and_counted() -> None:
    assert str(predict("one", "a", a=True, b=False)).endswith("as you predicted. Right so far: 1 of 1 in the course.")
    assert str(predict("two", "B ", a=True, b=False)).endswith("you predicted b. Right so far: 1 of 2 in the course.")


def test_no_choice_is_no_mistake() -> None:
    assert str(predict("one", None, a=True, b=False)) == "Measured: a. You made no prediction, which costs nothing."
    assert not FILE.exists()


def test_the_first_choice_counts() -> None:
    predict("one", "b", a=True, b=False)
    again = predict("one", "a", a=True, b=False)
    assert (again.choice, again.right, again.made) == ("b", 0, 1)
    assert predict("one", None, a=True, b=False).choice == "b", "a cell that is run again remembers"


def test_one_count_goes_through_all_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lesson in ("03_self_attention", "04_multi_head_attention"):
        (tmp_path / lesson).mkdir()
        (tmp_path / lesson / f"{lesson}.ipynb").write_text("{}")
        monkeypatch.chdir(tmp_path / lesson)
        monkeypatch.setattr(CURRENT, "lesson", lesson)
        said = predict("the same name", "a", a=True, b=False)
    assert (said.right, said.made) == (2, 2)
    assert (tmp_path / FILE).is_file()


def test_what_no_choice_describes_does_not_count() -> None:
    for holds in ({"a": False, "b": False}, {"a": True, "b": True}):
        said = predict("one", "a", **holds)
        assert "does not count" in str(said)
        assert said.made == 0


def test_a_choice_that_is_none_of_the_letters_is_said_to_be() -> None:
    with pytest.raises(ValueError, match=r"choose one of 'a', 'b', or None"):
        predict("one", "d", a=True, b=False)


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"one": 3}', '{"one": {"choice": 3}}', "[" * 100_000])
def test_a_file_that_anyone_may_have_written_costs_nothing(text: str) -> None:
    FILE.parent.mkdir()
    FILE.write_text(text)
    assert predict("one", "a", a=True, b=False).made == 1


def test_a_folder_that_cannot_be_written_to_costs_the_memory_only() -> None:
    FILE.parent.write_text("a file where the folder would be")
    assert predict("one", "a", a=True, b=False).right == 1


def test_while_a_notebook_is_graded_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_PARTS", "reference")
    predict("one", "a", a=True, b=False)
    assert not FILE.exists()


def test_a_measured_truth_of_numpy_is_a_truth() -> None:
    import numpy as np

    assert predict("one", "a", a=np.float64(2.0) > 1, b=np.float64(2.0) < 1).measured == "a"
