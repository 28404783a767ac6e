"""Hold digests of a submission's answers, which show whether a manual score still belongs to its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answers:
    """The answers of one submission, by nbgrader's names of the graded cells.

    Attributes:
        file: a digest of the whole file, or empty if it is unknown.
        current: a digest of each answer.
        scored: the digest of the answer that a score was given for, for each score that waits for review.
    """

    file: str = ""
    current: Mapping[str, str] = field(default_factory=dict)
    scored: Mapping[str, str] = field(default_factory=dict)
