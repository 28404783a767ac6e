"""Explain why no draw of hidden questions is fair: which condition failed, for which implementation, by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.checking.formatting import number

#: the most implementations that a message names
_NAMED = 5


@dataclass
class Unfair:
    """What was wrong with the draws that were tried.

    Attributes:
        limit: the share of the points that the public answers may earn on hidden questions.
        most: the points of the exercise.
        usual: what each implementation earns on the public questions.
        tried: how many draws were tried.
        replayed: for each draw on which the public answers earned too much, their share of the points.
        others: for each implementation and each unusual score, the number of draws on which it had that score.
    """

    limit: float
    most: float
    usual: Mapping[str, float]
    tried: int = 0
    replayed: list[float] = field(default_factory=list)
    others: dict[str, Counter[float]] = field(default_factory=dict)

    def add(self, replayed: float, scores: Mapping[str, float]) -> bool:
        """Enter one draw, and return whether it is fair."""
        self.tried += 1
        differ = {name: score for name, score in scores.items() if score != self.usual[name]}
        if replayed > self.limit:
            self.replayed.append(replayed)
        for name, score in differ.items():
            self.others.setdefault(name, Counter())[score] += 1
        return not differ and replayed <= self.limit

    def __str__(self) -> str:
        """Describe each failed condition in one sentence."""
        said = f"none of {self.tried} draws of hidden questions can be used."
        if self.replayed:
            low, high = f"{min(self.replayed):.0%}", f"{max(self.replayed):.0%}"
            earn = high if low == high else f"from {low} to {high}"
            said += (
                f" On {len(self.replayed)}, the right answers to the *public* questions earn {earn} of the points, and "
                f"{self.limit:.0%} is the limit: anyone who memorises them passes. Let the hidden questions have other "
                "right answers than the public ones, by sampling more of their inputs."
            )
        if self.others:
            worst = sorted(self.others, key=lambda name: (-self.others[name].total(), name))
            named = "; ".join(map(self._in_words, worst[:_NAMED]))
            more = f"; and {len(worst) - _NAMED} more" if len(worst) > _NAMED else ""
            said += (
                f" Points depend on the draw for {named}{more}. Draw inputs on which an implementation always earns "
                "the same, as by making them larger."
            )
        return said

    def _in_words(self, name: str) -> str:
        (score, _), *_ = self.others[name].most_common(1)
        usual = f"{number(self.usual[name])} of {number(self.most)}"
        return f"{name}, which earns {usual} on the public questions and {number(score)} on {self._draws(name)}"

    def _draws(self, name: str) -> str:
        counts = self.others[name]
        (_, often), *_ = counts.most_common(1)
        return f"{often} of {self.tried} draws" + (", and still other points elsewhere" if len(counts) > 1 else "")
