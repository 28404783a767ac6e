"""Hold a solution as tokens, and as the fragments that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cached_property

from autograder.integrity.tokens import Token, read_tokens

#: the number of tokens in a fragment, about a line of code
FRAGMENT = 12

Fragment = tuple[str, ...]


@dataclass(frozen=True)
class Solution:
    """Somebody's solution of an exercise.

    Attributes:
        owner: a student, or the name of a text of ours.
        source: the source as it was handed in.
        tokens: the source's tokens, without the released code.
        ours: whether it is our solution, a registered alternative or public code.
        why: why the source could not be compared as usual; empty if it could.
        teams: the labels of the teams that the student belongs to.
    """

    owner: str
    source: str
    tokens: tuple[Token, ...]
    ours: bool = False
    why: str = ""
    teams: frozenset[str] = frozenset()

    @classmethod
    def of(cls, owner: str, source: str, stub: str = "", ours: bool = False, teams: Iterable[str] = ()) -> Solution:
        """Make a solution without the released stub."""
        tokens, why = read_tokens(source, stub)
        return cls(owner, source, tuple(tokens), ours, why, frozenset(teams))

    def is_with(self, other: Solution) -> bool:
        """Return whether both belong to the same team, whose members hand in the same work."""
        return not self.teams.isdisjoint(other.teams)

    @property
    def unit(self) -> str:
        """Return the team, or the student without a team. Either counts once among the holders of a fragment."""
        return f"team {min(self.teams)}" if self.teams else f"student {self.owner}"

    @cached_property
    def fragments(self) -> list[Fragment]:
        """Return each run of tokens, in order. A shorter solution is a single fragment."""
        texts = [token.text for token in self.tokens]
        return [tuple(texts[i : i + FRAGMENT]) for i in range(max(1, len(texts) - FRAGMENT + 1))] if texts else []

    @cached_property
    def held(self) -> frozenset[Fragment]:
        """Return the different fragments."""
        return frozenset(self.fragments)

    def lines_of(self, fragments: Set[Fragment]) -> set[int]:
        """Return the lines that contain any part of these fragments."""
        return {
            token.line
            for i, fragment in enumerate(self.fragments)
            if fragment in fragments
            for token in self.tokens[i : i + FRAGMENT]
        }
