"""What happened in training: the loss of every step, and when it was."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class History:
    """One entry a training step.

    Attributes:
        losses: the loss of the step's batch, before the step.
        seconds: CPU time since training began, up to the end of the step; resumed training counts on.
    """

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.losses)

    def averaged(self, points: int = 50) -> dict[str, list[float]]:
        """``step``, ``seconds`` and ``loss`` at so many points or fewer, each the mean since the last."""
        size = max(1, -(-self.steps // points))
        ends = [min(start + size, self.steps) for start in range(0, self.steps, size)]
        starts = [0, *ends[:-1]]
        return {
            "step": [float(end) for end in ends],
            "seconds": [self.seconds[end - 1] for end in ends],
            "loss": [sum(self.losses[a:b]) / (b - a) for a, b in zip(starts, ends, strict=True)],
        }
