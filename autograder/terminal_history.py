"""Show every grade that a student has had, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.markup import escape
from rich.table import Table

from autograder.gradebook.deadlines_file import in_zone
from autograder.records.archive import Moment
from autograder.records.changes import found_in, history
from autograder.records.record import Record, lateness, points, waits
from autograder.terminal import out
from course_lib.checking.formatting import printable


def show_history(moments: Sequence[Moment], timezone: str, now: Sequence[Record]) -> None:
    """Print a row for every grade that a student has had, followed by the points in the gradebook now.

    Args:
        timezone: the time zone of the times.
        now: the student's current results with the gradebook's points.
    """
    columns = (f"When\n({timezone})", "Lesson", "Exercises", "Why, and what was found")
    table = Table(*columns, box=None, header_style="bold", padding=(0, 1))
    for column in table.columns[:3]:
        column.no_wrap = True
    for moment, why in history(moments):
        record = moment["record"]
        lost = [
            f"{name} {points(one['score'], one['max_score'])}: {found_in(one)}"
            for name, one in record["exercises"].items()
            if one["score"] < one["max_score"]
        ]
        said = [record["kept"] or record["reason"]] if record["kept"] or record["reason"] else lost or ["right"]
        earned = points(record["score"], record["max_score"])
        when = in_zone(datetime.fromisoformat(moment["when"]), timezone).rpartition(" ")[0]
        table.add_row(when, record["lesson"], earned, f"{why}:\n{escape(chr(10).join(map(printable, said)))}")
    out.print(table)
    out.print("These are the exercises' automatic points. With written questions, your own points and late penalties:")
    for record in now:
        about = "; ".join(filter(None, [record["decision"], lateness(record["late"]), waits([record])]))
        earned = points(record["score"], record["max_score"]) + (" so far" if waits([record]) else "")
        out.print(escape(printable(f"{record['lesson']}: {earned}{f' ({about})' if about else ''}")), soft_wrap=True)
