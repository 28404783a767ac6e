"""How long and how deep sentences are: the difference between the splits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """Probabilities for generating a sentence, and limits on the result.

    Attributes:
        relative: the chance of a relative clause wherever one is possible.
        group: the chance that a noun phrase is joined by *and* or *or* to another.
        joined: the chance of a further clause after each.
        clauses: the most coordinated clauses.
        shortest, longest: tokens of the English sentence, including its end mark.
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


#: for training: 3 to 14 tokens, a third of them at most 5, and no relative clause inside another
TRAINED = Shape(relative=0.07, group=0.05, joined=0.06, clauses=2, shortest=3, longest=14, shallowest=0, deepest=1)
#: longer than in training, by coordination only: no deeper than in training
LONGER = Shape(relative=0.1, group=0.4, joined=0.7, clauses=4, shortest=15, longest=30, shallowest=0, deepest=1)
#: longer and deeper than in training: relative clauses inside relative clauses
DEEPER = Shape(relative=0.85, group=0.0, joined=0.06, clauses=2, shortest=15, longest=30, shallowest=2, deepest=3)
