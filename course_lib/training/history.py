"""The history of training: the loss of every step, and its time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class History:
    """One entry per training step.

    Attributes:
        losses: the loss of the step's batch, before the update.
        seconds: CPU time from the start of training to the end of the step; resumed training adds to it.
    """

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """Return the number of steps."""
        return len(self.losses)

    def averaged(self, points: int = 50) -> dict[str, list[float]]:
        """Return ``step``, ``seconds`` and ``loss`` at up to ``points`` points, each averaged since the one before."""
        size = max(1, -(-self.steps // points))
        ends = [min(start + size, self.steps) for start in range(0, self.steps, size)]
        starts = [0, *ends[:-1]]
        return {
            "step": [float(end) for end in ends],
            "seconds": [self.seconds[end - 1] for end in ends],
            "loss": [sum(self.losses[a:b]) / (b - a) for a, b in zip(starts, ends, strict=True)],
        }
