"""How long and how deep sentences are: what the splits differ in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """Chances of a sentence, and what it must be in the end.

    Attributes:
        relative: the chance of a relative clause where one may stand.
        group: the chance that a noun phrase is joined by *and* or *or* to another.
        joined: the chance of a further clause after each.
        clauses: at most so many clauses side by side.
        shortest, longest: tokens of the English sentence, its end mark included.
        shallowest, deepest: how deep relative clauses are nested; 0 for none.
    """

    relative: float
    group: float
    joined: float
    clauses: int
    shortest: int
    longest: int
    shallowest: int
    deepest: int


#: what a model is trained on: 3 to 14 tokens, a third of them at most 5, at most one relative inside none
TRAINED = Shape(relative=0.07, group=0.05, joined=0.06, clauses=2, shortest=3, longest=14, shallowest=0, deepest=1)
#: longer than any trained, by coordination alone: no deeper than trained
LONGER = Shape(relative=0.1, group=0.4, joined=0.7, clauses=4, shortest=15, longest=30, shallowest=0, deepest=1)
#: longer and deeper than any trained: relatives inside relatives
DEEPER = Shape(relative=0.85, group=0.0, joined=0.06, clauses=2, shortest=15, longest=30, shallowest=2, deepest=3)
