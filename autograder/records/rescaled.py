"""Scale a record that is kept while an exercise's points change, as `gradebook.shares` scales its grades."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.records.record import Record
from course_lib.checking.formatting import number


def rescaled(record: Record, worth: Mapping[str, float]) -> Record:
    """Scale a record to the current points of its exercises, with a note. Return it unchanged if none differ.

    Args:
        worth: the current points by exercise id.
    """
    other = {
        name: (exercise, worth[name])
        for name, exercise in record["exercises"].items()
        if exercise["max_score"] and name in worth and round(worth[name] - exercise["max_score"], 6)
    }
    if not other:
        return record
    record = record.copy()
    record["exercises"], record["notes"] = record["exercises"].copy(), list(record["notes"])
    for name, (exercise, now) in other.items():
        most = exercise["max_score"]
        score = round(exercise["score"] * now / most, 6)
        record["exercises"][name] = {**exercise, "score": score, "max_score": now}
        record["max_score"] = round(record["max_score"] + now - most, 6)
        if record["score"] is not None:
            record["score"] = round(record["score"] + score - exercise["score"], 6)
        about = f"{name} is worth "
        record["notes"] = [note for note in record["notes"] if not note.startswith(about)]
        record["notes"].append(f"{about}{number(now)} points by now; this earlier grade keeps its share of them")
    return record
