"""The class report: scores, broken laws, and which misconceptions are how frequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograder.records.record import ExerciseRecord, Record, points, waits
from course_lib.checking.formatting import inline, number


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
    """The report as a page that needs nothing else; everything in it is escaped.

    Args:
        absent: students of the class who handed nothing in.
    """
    return "".join(_page(lesson, records, absent))


_STYLE = """
body{font-family:system-ui,sans-serif;max-width:62em;margin:2em auto;padding:0 1em;line-height:1.45;color:#1c1c1c}
table{border-collapse:collapse;width:100%;margin:.6em 0 1.6em}
td,th{border-bottom:1px solid #ddd;padding:.3em .6em;text-align:left;vertical-align:top}
th{font-weight:600;background:#f5f5f5}td.n,th.n{text-align:right;white-space:nowrap}
code{background:#f0f0f0;padding:0 .25em}h2{margin-top:2em}.rest{color:#666}
.bar{display:inline-block;height:.8em;background:#0072b2;vertical-align:middle}
"""


def _page(lesson: str, records: Sequence[Record], absent: Sequence[str]) -> Iterator[str]:
    graded = [r for r in records if r["status"] != "failed"]
    failed = [r for r in records if r["status"] != "graded"]
    yield f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Class report: {escape(lesson)}</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>Class report: {escape(lesson)}</h1>"
    scores = [r["score"] for r in records if r["score"] is not None]
    mean = sum(scores) / len(scores) if scores else 0.0
    most = max((r["max_score"] for r in records), default=0.0)
    yield f"<p>{len(records)} submissions, {len(graded)} graded; the mean is {mean:.1f} of {number(most)} points.</p>"
    if waiting := waits(records):
        yield f"<p>{waiting}.</p>"
    if absent:
        yield f"<p>Nothing was handed in by {escape(', '.join(absent))}.</p>"
    yield from _histogram(scores, most)
    for exercise in class_report(records):
        yield f"<h2><code>{escape(exercise.exercise_id)}</code></h2>"
        yield (
            f"<p>{exercise.full} of {exercise.graded} earned every point; the mean is {exercise.mean:.2f} of "
            f"{number(exercise.max_score)}.</p>"
        )
        if exercise.misconceptions or exercise.unnamed:
            yield '<table><tr><th>What it does</th><th class="n">Students</th><th>Who</th></tr>'
            for name, sentence, students in exercise.misconceptions:
                yield (
                    f"<tr><td>{inline(sentence)}<br><code>{escape(name)}</code></td>"
                    f'<td class="n">{len(students)}</td><td>{escape(", ".join(students))}</td></tr>'
                )
            if exercise.unnamed:
                yield (
                    f'<tr><td class="rest">a mistake without a name, or nothing written</td><td class="n">'
                    f"{len(exercise.unnamed)}</td><td>{escape(', '.join(exercise.unnamed))}</td></tr>"
                )
            yield "</table>"
        if exercise.broken:
            yield '<table><tr><th>Law that does not hold</th><th class="n">Students</th><th></th></tr>'
            for sentence, count in exercise.broken:
                width = 100 * count / max(exercise.graded, 1)
                yield (
                    f'<tr><td>{inline(sentence)}</td><td class="n">{count}</td>'
                    f'<td style="width:30%"><span class="bar" style="width:{width:.0f}%"></span></td></tr>'
                )
            yield "</table>"
    if failed:
        yield "<h2>Stopped or not graded</h2><table><tr><th>Student</th><th>Status</th><th>Reason</th></tr>"
        for r in failed:
            yield (
                "<tr>"
                + "".join(f"<td>{escape(text)}</td>" for text in (r["student"], r["status"], r["reason"]))
                + "</tr>"
            )
        yield "</table>"
    yield '<h2>Everyone</h2><table><tr><th>Student</th><th class="n">Score</th><th>Notes</th></tr>'
    for r in records:
        kept = f"the grade of an earlier file; the last one could not be graded: {r['kept']}" if r["kept"] else ""
        notes = "; ".join(filter(None, [r["reason"], kept, *r["notes"], waits([r])]))
        yield (
            f'<tr><td>{escape(r["student"])}</td><td class="n">{points(r["score"], r["max_score"])}</td>'
            f"<td>{escape(notes)}</td></tr>"
        )
    yield "</table></body></html>"


def _histogram(scores: Sequence[float], most: float) -> Iterator[str]:
    """How many students have how many points, as bars of text width."""
    bins = Counter(int(score) for score in scores)
    top = max(bins.values(), default=1)
    yield '<table><tr><th class="n">Points</th><th class="n">Students</th><th></th></tr>'
    for value in range(int(most), -1, -1):
        count = bins.get(value, 0)
        label = f"{value}" if value == int(most) else f"{value} – {value + 1}"
        yield (
            f'<tr><td class="n">{label}</td><td class="n">{count or ""}</td>'
            f'<td style="width:70%"><span class="bar" style="width:{100 * count / top:.0f}%"></span></td></tr>'
        )
    yield "</table>"
