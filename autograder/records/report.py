"""The class report: scores, broken laws, and which misconceptions are how frequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.records.record import ExerciseRecord, Record, points, waits
from course_lib.checking.html import render


@dataclass(frozen=True)
class ExerciseReport:
    """One exercise over a class.

    Attributes:
        full: how many earned every point.
        mean: the mean score.
        misconceptions: ``(name, sentence, students)``, the most frequent first.
        unnamed: who lost points in a way that has no name.
        broken: ``(law's sentence, students)``, the most frequent first.
    """

    exercise_id: str
    max_score: float
    graded: int
    full: int
    mean: float
    misconceptions: tuple[tuple[str, str, tuple[str, ...]], ...]
    unnamed: tuple[str, ...]
    broken: tuple[tuple[str, int], ...]


def class_report(records: Sequence[Record]) -> list[ExerciseReport]:
    """Summarise the records of one lesson, exercise by exercise."""
    graded = [r for r in records if r["status"] != "failed"]
    names = list(dict.fromkeys(name for r in graded for name in r["exercises"]))
    return [
        _exercise(name, [(r["student"], r["exercises"][name]) for r in graded if name in r["exercises"]])
        for name in names
    ]


def _exercise(name: str, results: list[tuple[str, ExerciseRecord]]) -> ExerciseReport:
    who: dict[str, list[str]] = {}
    broken: Counter[str] = Counter()
    sentences: dict[str, str] = {}
    for student, result in results:
        sentences |= result["sentences"]
        if result["misconception"]:
            who.setdefault(result["misconception"], []).append(student)
        if result["score"] < result["max_score"]:
            broken.update(result["broken_laws"])
    named = sorted(who.items(), key=lambda item: (-len(item[1]), item[0]))
    return ExerciseReport(
        name,
        max(r["max_score"] for _, r in results),
        len(results),
        sum(r["score"] >= r["max_score"] for _, r in results),
        sum(r["score"] for _, r in results) / len(results),
        tuple((m, sentences.get(m, ""), tuple(students)) for m, students in named),
        tuple(s for s, r in results if r["score"] < r["max_score"] and not r["misconception"]),
        tuple((sentences.get(law, law), count) for law, count in broken.most_common()),
    )


def report_page(lesson: str, records: Sequence[Record], absent: Sequence[str] = ()) -> str:
    """The report as a page that needs nothing else.

    Args:
        absent: students of the class who handed nothing in.
    """
    scores = [r["score"] for r in records if r["score"] is not None]
    most = max((r["max_score"] for r in records), default=0.0)
    return render(
        Path(__file__).with_name("report.html"),
        lesson=lesson,
        handed_in=len(records),
        graded=sum(r["status"] != "failed" for r in records),
        mean=sum(scores) / len(scores) if scores else 0.0,
        most=most,
        waiting=waits(records),
        absent=absent,
        histogram=list(_histogram(scores, most)),
        exercises=class_report(records),
        failed=[r for r in records if r["status"] != "graded"],
        everyone=[(r["student"], points(r["score"], r["max_score"]), _notes(r)) for r in records],
    )


def _notes(record: Record) -> str:
    kept = record["kept"] and f"the grade of an earlier file; the last one could not be graded: {record['kept']}"
    return "; ".join(filter(None, [record["reason"], kept, *record["notes"], waits([record])]))


def _histogram(scores: Sequence[float], most: float) -> Iterator[tuple[str, int, float]]:
    """A row for each number of points: its label, how many students have so many, and their share of the most."""
    bins = Counter(int(score) for score in scores)
    top = max(bins.values(), default=1)
    for value in range(int(most), -1, -1):
        count = bins.get(value, 0)
        yield f"{value}" if value == int(most) else f"{value} – {value + 1}", count, count / top
