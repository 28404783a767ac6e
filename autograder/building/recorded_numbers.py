"""Replace references to the record of the experiments by numbers, in a lesson's text.

A reference is a role, as in MyST: ``{recorded}`dictionary/bleu[50]:median .0f```. It names an experiment, a series, a
point of its x-axis, which number is meant and how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.building.number_forms import DOWN, NEAREST, UP, between, form, known_forms
from course_lib.course import CourseError
from course_lib.experiments.recordings import RECORDS, Recording, merged, names, recordings, runs
from course_lib.experiments.series import Interval, Recorded

_NAME = "{recorded}"
_ROLE = re.compile(r"\{recorded\}`([^`]*)`")
_POINT = re.compile(r"(.*?)(?:\[([^\]]*)\])?")
_HOW = re.compile(r"(low|median|high|range|at least|at most|runs)(?: (percent))? (.+)")

#: the end of an interval that is meant, and the direction in which it is rounded
_ENDS = {
    "low": ("low", NEAREST),
    "median": ("median", NEAREST),
    "high": ("high", NEAREST),
    "at least": ("low", DOWN),
    "at most": ("high", UP),
}


def with_recorded_numbers(text: str, path: Path, records: Path = RECORDS) -> str:
    """Return a lesson's text with a number in place of each reference.

    Args:
        path: the lesson's file. Its name is the lesson whose record is meant unless a reference names another.
        records: the folder of the record.

    Raises:
        CourseError: the record lacks what a reference names, or the number can't be written in that form.
    """
    if _NAME not in text:
        return text
    numbers = Numbers(path.stem, records)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        try:
            lines[index] = _ROLE.sub(lambda role: numbers.number(role[1]), line)
            if _NAME in lines[index]:
                raise CourseError(f"A reference is written {_NAME}`experiment/series[point]:median .0f`, on one line.")
        except CourseError as error:
            raise CourseError(f"{path.name}, line {index + 1}: {error}") from None
    return "\n".join(lines)


@dataclass
class Numbers:
    """Looks up references of one lesson."""

    lesson: str
    records: Path = RECORDS
    _tables: dict[str, tuple[list[Recording], dict[str, Recorded]]] = field(default_factory=dict)

    def number(self, reference: str) -> str:
        """Return what a reference such as ``dictionary/bleu[50]:median .0f`` stands for.

        Raises:
            CourseError: see `with_recorded_numbers`.
        """
        target, _, how = reference.rpartition(":")
        wanted = _HOW.fullmatch(how.strip())
        if not wanted:
            raise CourseError(
                f"{_NAME}`{reference}` ends in {how.strip()!r}. After the colon, say which number (low, median, high, "
                f"range, at least, at most, runs) and in which form ({known_forms()})."
            )
        which, percent, form_name = wanted.groups()
        write = form(form_name)
        if write is None:
            raise CourseError(f"{_NAME}`{reference}` asks for the form {form_name!r}. Forms are {known_forms()}.")
        scale = 100 if percent else 1
        try:
            if which == "runs":
                return write(self._runs(target), NEAREST)
            interval = self.interval(target)
            if which == "range":
                return between(*(write(end[0] / scale, NEAREST) for end in (interval.low, interval.high)))
            end, way = _ENDS[which]
            return write(getattr(interval, end)[0] / scale, way)
        except ValueError:
            raise CourseError(f"{_NAME}`{reference}`: this number can't be written as {form_name!r}.") from None

    def interval(self, target: str) -> Interval:
        """Return the interval of one number, such as ``dictionary/bleu[50]``.

        Raises:
            CourseError: the record doesn't contain it. The message says what it contains.
        """
        found = _POINT.fullmatch(target)
        assert found  # the pattern matches any text
        lesson, experiment, series_name = self._split(found[1])
        table = self._table(lesson)[1][experiment]
        if series_name not in table:
            raise CourseError(f"{experiment!r} has no series {series_name!r}. It has {_listed(table)}.")
        series, axis_name = table[series_name], next(iter(table))
        axis = table[axis_name].median
        if len(series.median) == 1 and found[2] is None:
            return series
        points = axis if len(axis) == len(series.median) else []
        at = [i for i, point in enumerate(points) if found[2] is not None and f"{point:g}" == found[2].strip()]
        if not at:
            known = f"the points {_listed(f'{point:g}' for point in points)}" if points else "one value and no point"
            raise CourseError(f"{target!r}: {experiment}/{series_name} has {known} (by {axis_name}).")
        return Interval(*([values[at[0]]] for values in (series.low, series.median, series.high)))

    def _runs(self, target: str) -> int:
        lesson, experiment, series = self._split(target)
        if series:
            raise CourseError(f"{target!r}: the number of runs belongs to an experiment, so leave out {series!r}.")
        return runs(self._table(lesson)[0], experiment)

    def _split(self, name: str) -> tuple[str, str, str]:
        """Return lesson, experiment and series. An experiment's name may contain the separator."""
        lesson = next((known for known in names(self.records) if name.startswith(f"{known}/")), self.lesson)
        name = name.removeprefix(f"{lesson}/")
        table = self._table(lesson)[1]
        fitting = [known for known in table if name == known or name.startswith(f"{known}/")]
        if not fitting:
            raise CourseError(f"{lesson} has no recorded experiment {name.split('/')[0]!r}. It has {_listed(table)}.")
        experiment = max(fitting, key=len)
        return lesson, experiment, name[len(experiment) + 1 :]

    def _table(self, lesson: str) -> tuple[list[Recording], dict[str, Recorded]]:
        if lesson not in self._tables:
            found = recordings(lesson, self.records)
            if not found:
                raise CourseError(f"Nothing is recorded for {lesson}, only for {_listed(names(self.records))}.")
            self._tables[lesson] = found, merged(found)
        return self._tables[lesson]


def _listed(known: Iterable[str]) -> str:
    return ", ".join(known)
