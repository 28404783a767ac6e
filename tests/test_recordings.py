"""The record merges what several machines measured, and says which machine widens an interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.machine import machine_name, processor
from benchmarks.widened import widened
from course_lib.course import CourseError
from course_lib.experiments.recordings import RECORDS, Recording, merged, names, recorded, recordings, runs, write
from course_lib.experiments.series import Interval, Recorded

STEPS = Interval([10.0, 20.0], [10.0, 20.0], [10.0, 20.0])


def learned(low: float, middle: float, high: float) -> Recorded:
    """Return a run's loss: fixed at step 10, and in this interval at step 20."""
    return {"step": STEPS, "loss": Interval([2.0, low], [2.0, middle], [2.0, high])}


def machine(name: str, experiment: Recorded, seeds: int = 5) -> Recording:
    return Recording(name, seeds, "2.13.0", f"the processor of {name}", {"soft": experiment})


def test_an_interval_over_two_machines_holds_all_runs_of_both() -> None:
    both = [machine("a", learned(0.2, 0.4, 0.5)), machine("b", learned(0.3, 0.5, 0.9), seeds=3)]
    assert merged(both)["soft"]["loss"] == Interval([2.0, 0.2], [2.0, 0.45], [2.0, 0.9])
    assert merged(both)["soft"]["step"] == STEPS
    assert runs(both, "soft") == 8 and runs(both, "hard") == 0


def test_each_machine_has_its_own_tables_and_is_remembered(tmp_path: Path) -> None:
    for one in (machine("a", learned(0.2, 0.4, 0.5)), machine("b", learned(0.3, 0.5, 0.9))):
        write(one, "02_attention", tmp_path)
    assert [one.processor for one in recordings("02_attention", tmp_path)] == [
        "the processor of a",
        "the processor of b",
    ]
    assert recorded("02_attention", tmp_path)["soft"]["loss"].high == [2.0, 0.9]
    write(machine("b", learned(0.3, 0.35, 0.4)), "02_attention", tmp_path)
    assert recorded("02_attention", tmp_path)["soft"]["loss"].high == [2.0, 0.5], "b's old runs are replaced"


def test_machines_that_recorded_different_points_are_not_merged() -> None:
    other = {"step": Interval([5.0], [5.0], [5.0]), "loss": Interval([1.0], [1.0], [1.0])}
    with pytest.raises(CourseError, match="'soft' was recorded at different points on a, b"):
        merged([machine("a", learned(0.2, 0.4, 0.5)), machine("b", other)])


def test_what_was_never_recorded_is_named_with_what_was(tmp_path: Path) -> None:
    write(machine("a", learned(0.2, 0.4, 0.5)), "02_attention", tmp_path)
    with pytest.raises(CourseError, match=r"Nothing is recorded for 99_nothing\. There are records of 02_attention"):
        recorded("99_nothing", tmp_path)


@pytest.mark.parametrize("lesson", names())
def test_a_table_is_written_as_it_was_read(lesson: str, tmp_path: Path) -> None:
    for one in recordings(lesson):
        committed = (RECORDS / one.machine / f"{lesson}.json").read_text(encoding="utf-8")
        assert write(one, lesson, tmp_path).read_text(encoding="utf-8") == committed
        assert one.seeds >= 3 and one.torch and one.processor


def test_a_machine_that_widens_an_interval_is_told_where() -> None:
    before = {"soft": learned(0.2, 0.4, 0.5)}
    assert list(widened(before, {"soft": learned(0.2, 0.3, 0.5)})) == []
    assert list(widened(before, {"soft": learned(0.1, 0.3, 0.6)})) == [
        "soft, loss: 1 of 2 points, at step 20: 0.2 to 0.5 becomes 0.1 to 0.6"
    ]
    assert list(widened({}, {"soft": learned(0.1, 0.3, 0.6)})) == [], "nothing to compare with"


def test_other_arithmetic_on_the_same_processor_is_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MKL_CBWR", raising=False)
    plain = machine_name()
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    assert machine_name() == f"{plain}_mkl_cbwr_compatible"
    assert processor().endswith(", MKL_CBWR=COMPATIBLE")
