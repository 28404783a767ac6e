"""The record of the experiments: a folder for each machine, with a table for each lesson.

Lessons read the intervals over all machines. Adding a machine changes no other machine's tables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from course_lib.course import CourseError
from course_lib.experiments.series import Interval, Recorded

#: contains a folder for each machine
RECORDS = Path(__file__).parent / "measured"


@dataclass(frozen=True)
class Recording:
    """The runs of a lesson's experiments on one machine.

    Attributes:
        machine: the name of its folder.
        seeds: the number of runs of each experiment.
        torch: the version of PyTorch.
        processor: the processor, and settings that change its arithmetic.
        experiments: the intervals over these runs, by experiment.
    """

    machine: str
    seeds: int
    torch: str
    processor: str
    experiments: dict[str, Recorded]


def recordings(lesson: str, folder: Path = RECORDS) -> list[Recording]:
    """Return what each machine recorded of a lesson."""
    return [_read(path) for path in sorted(folder.glob(f"*/{lesson}.json"))]


def recorded(lesson: str, folder: Path = RECORDS) -> dict[str, Recorded]:
    """Return what ``make experiments`` recorded for a lesson on all machines, by experiment.

    Raises:
        CourseError: nothing is recorded for it, or machines recorded an experiment at different points.
    """
    found = recordings(lesson, folder)
    if not found:
        raise CourseError(f"Nothing is recorded for {lesson}. There are records of {', '.join(names(folder))}.")
    return merged(found)


def names(folder: Path = RECORDS) -> list[str]:
    """Return the names of everything that has a record: lessons, and experiments that several lessons share."""
    return sorted({path.stem for path in folder.glob("*/*.json")})


def runs(recordings: Sequence[Recording], experiment: str) -> int:
    """Return how many runs an experiment has on all machines."""
    return sum(recording.seeds for recording in recordings if experiment in recording.experiments)


def merged(recordings: Sequence[Recording]) -> dict[str, Recorded]:
    """Return the intervals over all machines: the lowest and highest value, and the median of the medians.

    Raises:
        CourseError: machines recorded an experiment at different points.
    """
    experiments = dict.fromkeys(name for recording in recordings for name in recording.experiments)
    for name in experiments:
        shapes = {
            recording.machine: _points(recording.experiments[name])
            for recording in recordings
            if name in recording.experiments
        }
        if len({*shapes.values()}) > 1:
            raise CourseError(f"{name!r} was recorded at different points on {', '.join(shapes)}. Record it again.")
    return {
        name: _merge([recording.experiments[name] for recording in recordings if name in recording.experiments])
        for name in experiments
    }


def _points(series: Recorded) -> tuple[object, ...]:
    """Return what must be equal to be merged: the x-axis, and the name and length of each series."""
    axis = next(iter(series.values())).median
    return (*axis, *((name, len(interval.median)) for name, interval in series.items()))


def _merge(parts: Sequence[Recorded]) -> Recorded:
    return {
        series: Interval(
            [min(values) for values in zip(*(part[series].low for part in parts), strict=True)],
            [median(values) for values in zip(*(part[series].median for part in parts), strict=True)],
            [max(values) for values in zip(*(part[series].high for part in parts), strict=True)],
        )
        for series in parts[0]
    }


def _read(path: Path) -> Recording:
    table = json.loads(path.read_text(encoding="utf-8"))
    experiments = {
        experiment: {name: Interval(**interval) for name, interval in series.items()}
        for experiment, series in table["experiments"].items()
    }
    return Recording(path.parent.name, table["seeds"], table["torch"], table["processor"], experiments)


def write(recording: Recording, lesson: str, folder: Path = RECORDS) -> Path:
    """Write what a machine recorded of a lesson, with four significant digits, and return the file.

    Each series takes one line, so that differences can be read.
    """
    about = {"seeds": recording.seeds, "torch": recording.torch, "processor": recording.processor}
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in about.items())
    experiments = (
        f"    {json.dumps(name, ensure_ascii=False)}: {{\n" + ",\n".join(_lines(series)) + "\n    }"
        for name, series in recording.experiments.items()
    )
    path = folder / recording.machine / f"{lesson}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{\n{head}  "experiments": {{\n' + ",\n".join(experiments) + "\n  }\n}\n", encoding="utf-8")
    return path


def _lines(series: Recorded) -> list[str]:
    return [
        f"      {json.dumps(name, ensure_ascii=False)}: "
        + json.dumps({end: _rounded(getattr(interval, end)) for end in ("low", "median", "high")})
        for name, interval in series.items()
    ]


def _rounded(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
