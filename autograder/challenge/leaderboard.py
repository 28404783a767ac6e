"""Show the leaderboard in a terminal, as JSON, and as a self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.challenge.run import Challenge, Entry
from course_lib.challenge.task import TESTED
from course_lib.checking.formatting import printable
from course_lib.checking.html import render

#: the column headings of the splits
HEADS = {
    "held_out": "held out",
    "held_out_combinations": "new combinations",
    "longer": "longer",
    "longer_and_deeper": "longer, deeper",
}


def about(challenge: Challenge) -> str:
    """Describe the conditions in two sentences."""
    task = challenge.task
    return (
        f"{len(task.pairs):,} pairs to learn from in {task.seconds:g} CPU seconds; {len(task.sources[TESTED[0]])} "
        "sentences of each split to translate. The score is the share of sentences that are right to the last "
        "word, averaged over the splits; the mean BLEU breaks ties."
    )


def leaderboard_table(entries: Sequence[Entry]) -> Group:
    """Make a table with a row for each submission, the best first, and below it the reasons for missing scores."""
    table = Table("", "Student", "Score", box=None, header_style="bold", padding=(0, 1))
    for split in TESTED:
        table.add_column(HEADS[split], justify="right")
    for head in ("CPU s", "Own parts"):
        table.add_column(head, justify="right")
    table.columns[1].overflow = "fold"
    for place, entry in enumerate(entries, 1):
        *row, _ = _row(place, entry)  # a terminal has no room for the reasons
        table.add_row(*(escape(printable(text)) for text in row), style="" if entry.scores else "red")
    reasons = (Text(printable(f"{e.student}: {e.reason}"), style="red") for e in entries if not e.scores)
    return Group(table, *reasons)


def leaderboard_json(challenge: Challenge, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the leaderboard as data that can be written as JSON."""
    return {
        "seconds": challenge.task.seconds,
        "allowed_seconds": challenge.allowed,
        "pairs": len(challenge.task.pairs),
        "sentences": len(challenge.task.sources[TESTED[0]]),
        "sandboxed": challenge.grader.sandboxed,
        "entries": [_entry(place, entry) for place, entry in enumerate(entries, 1)],
    }


def leaderboard_page(challenge: Challenge, entries: Sequence[Entry]) -> str:
    """Return a self-contained page."""
    return render(
        Path(__file__).with_name("leaderboard.html"),
        about=about(challenge),
        sandboxed=challenge.grader.sandboxed,
        heads=("Place", "Student", "Score", *(HEADS[split] for split in TESTED), "CPU s", "Own parts", ""),
        rows=[_row(place, entry) for place, entry in enumerate(entries, 1)],
    )


def _row(place: int, entry: Entry) -> list[str]:
    """Return the cells of a row, in the order of the columns."""
    found = entry.scores
    return [
        str(place) if found else "–",
        entry.student,
        f"{found.score:.1f}" if found else "–",
        *(f"{found.of[split].exact_match:.1f} ({found.of[split].bleu:.0f})" if found else "–" for split in TESTED),
        f"{entry.seconds:.0f}",
        f"{entry.own} of {len(entry.parts)}" if entry.parts else "–",
        entry.reason,
    ]


def _entry(place: int, entry: Entry) -> dict[str, Any]:
    found = entry.scores
    return {
        "place": place if found else None,
        "student": entry.student,
        "score": found.score if found else None,
        "splits": {name: {"exact_match": s.exact_match, "bleu": s.bleu} for name, s in found.of.items()}
        if found
        else None,
        "reason": entry.reason,
        "cpu_seconds": round(entry.seconds, 2),
        "own_parts": [part.symbol for part in entry.parts if part.yours],
        "reference_parts": {part.symbol: part.why for part in entry.parts if not part.yours},
        "notes": list(entry.notes),
    }
