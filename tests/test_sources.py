"""Implementations are text: a variant is the reference with other methods, a mistake the reference with an edit."""

from __future__ import annotations

import pytest

from autograder.exercises import DEFINITIONS
from autograder.exercises.sources import edited, with_methods

REFERENCE = """class Doubler:
    \"\"\"Doubles.\"\"\"

    def __init__(self, by: int = 2) -> None:
        self.by = by

    @property
    def name(self) -> str:
        return "double"

    def forward(self, x: int) -> int:
        return x * self.by  # the product
"""
VARIANT = """class InSums(Doubler):
    def sums(self, x):
        return [x] * self.by

    def forward(self, x):
        return sum(self.sums(x))

    @property
    def name(self):
        return "sums"
"""


def test_a_variant_is_the_reference_with_other_methods() -> None:
    assert (
        with_methods(REFERENCE, VARIANT)
        == """class Doubler:
    \"\"\"Doubles.\"\"\"

    def __init__(self, by: int = 2) -> None:
        self.by = by

    @property
    def name(self):
        return "sums"

    def forward(self, x):
        return sum(self.sums(x))

    def sums(self, x):
        return [x] * self.by
"""
    )


def test_a_variant_builds_upon_what_it_is_handed_not_upon_the_references() -> None:
    definition = DEFINITIONS["transformer"]

    class Encoder:
        def __init__(self, *sizes: int) -> None:
            raise LookupError("mine")

    variant = definition.load(definition.implementation("by_einsum"), {"Encoder": Encoder})
    with pytest.raises(LookupError, match="mine"):
        variant(9, 9, 4, 2, 1, 8, 10)


@pytest.mark.parametrize("old", ["return", "nowhere"])
def test_an_edit_changes_one_place(old: str) -> None:
    assert edited(REFERENCE, [("x * self.by", "x + x")]).count("x + x") == 1
    with pytest.raises(ValueError, match="must occur once in the reference"):
        edited(REFERENCE, [(old, "yield")])
