"""The two tiers of tests: `make test` leaves out those that are marked as slow, and `make test-all` runs both tiers.

The fast tier contains what protects a user: one case of each kind. The slow tier contains the other cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow(value: Any) -> Any:
    """Mark a value of a parametrised test as slow, or a tuple of values for several arguments."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)


def slow_but(fast: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Mark all values as slow except the fast ones, which must be among them."""
    every = list(values)
    assert all(value in every for value in fast), "a fast value is missing"
    return [value if value in fast else slow(value) for value in every]


#: fixtures of a file that take long. Every test that asks for one of them is slow
SLOW_FIXTURES = {"test_challenge.py": {"held"}, "test_policy.py": {"by_hand", "by_completion"}}


def asks_for_a_slow_fixture(item: pytest.Item) -> bool:
    """Return whether a test needs a fixture that takes long, directly or through another fixture."""
    return not SLOW_FIXTURES.get(item.path.name, set()).isdisjoint(getattr(item, "fixturenames", ()))
