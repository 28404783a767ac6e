"""The golden files name every implementation, and come out the same each time."""

from __future__ import annotations

from autograder.exercises import DEFINITIONS
from benchmarks.golden import digests, judged


def test_every_implementation_has_a_line_and_two_recordings_are_equal() -> None:
    text, definition = judged("softmax", "public"), DEFINITIONS["softmax"]
    variants = list(definition.wrong_variants())
    lines = text.splitlines()
    assert variants and len(lines) == len(definition.implementations) + len(variants) + len(definition.unseen)
    assert lines[0].startswith("reference reference | 3 |  |  |")
    assert any(" | max_of_everything | " in line for line in lines)
    assert judged("softmax", "public") == text


def test_a_digest_changes_with_a_single_byte() -> None:
    assert digests({"b": b"1", "a": b"2"}).splitlines()[0].startswith("a ")
    assert digests({"a": b"1"}) != digests({"a": b"2"})
