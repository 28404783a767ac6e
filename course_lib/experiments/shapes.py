"""Pictures of two shapes, and two questions that no single pixel answers.

*Left*: is the disc left of the square? *Same*: are the two shapes of the same kind, whatever their sizes and positions?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series
from course_lib.training import one_thread, rise_and_fall, train

Question = Literal["left", "same"]

SIZE, PATCH = 24, 6
KINDS = ("disc", "square", "cross", "diamond")
WIDTH, HEADS, LAYERS, HIDDEN = 48, 4, 2, 96
#: the noise of a picture's pixels
NOISE = 0.1
BATCH, TRIED = 64, 1000
#: CPU seconds of training, by question: the same for all models
SECONDS: dict[Question, float] = {"left": 10.0, "same": 60.0}
#: the highest learning rate of each model
RATES = {"linear": 1e-3, "convolutions": 3e-3, "vision Transformer": 2e-3}


def pictures(question: Question, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Generate pictures (B, 1, 24, 24) and the right answers (B,); every other answer is yes."""
    radius = torch.randint(2, 5, (count, 2), generator=generator)  # (B, 2)
    centres = torch.randint(4, SIZE - 4, (count, 2, 2), generator=generator)  # (B, shape, row and column)
    while True:
        apart = (centres[:, 0] - centres[:, 1]).abs()  # (B, 2)
        again = apart.amax(dim=1) < 9  # otherwise they would touch
        if question == "left":
            again |= apart[:, 1] < 2
        if not again.any():
            break
        centres[again] = torch.randint(4, SIZE - 4, (int(again.sum()), 2, 2), generator=generator)
    if question == "left":
        kinds = torch.tensor([0, 1]).expand(count, 2)
        answers = centres[:, 0, 1] < centres[:, 1, 1]
    else:
        first = torch.randint(len(KINDS), (count,), generator=generator)
        answers = torch.rand(count, generator=generator) < 0.5
        other = (first + torch.randint(1, len(KINDS), (count,), generator=generator)) % len(KINDS)
        kinds = torch.stack([first, torch.where(answers, first, other)], dim=1)  # (B, 2)
    drawn = torch.maximum(*(_shape(kinds[:, i], centres[:, i], radius[:, i]) for i in range(2)))  # (B, 24, 24)
    noise = NOISE * torch.randn(drawn.shape, generator=generator)
    return (drawn + noise).unsqueeze(1), answers.long()


def _shape(kind: Tensor, centre: Tensor, radius: Tensor) -> Tensor:
    """Draw one shape per picture, 1 inside and 0 outside, (B, 24, 24)."""
    along = torch.arange(SIZE)
    rows = (along[None, :, None] - centre[:, 0, None, None]).abs()  # (B, 24, 1)
    columns = (along[None, None, :] - centre[:, 1, None, None]).abs()  # (B, 1, 24)
    r = radius[:, None, None]
    shapes = torch.stack([
        rows**2 + columns**2 <= r**2 + 1,
        torch.maximum(rows, columns) <= r,
        ((rows == 0) & (columns <= r)) | ((columns == 0) & (rows <= r)) | ((rows == columns) & (columns < r)),
        rows + columns <= r,
    ])  # (4, B, 24, 24)  # fmt: skip
    return shapes[kind, torch.arange(len(kind))].float()


def linear() -> nn.Module:
    """Build a model with one weight for each pixel."""
    return nn.Sequential(nn.Flatten(), nn.Linear(SIZE * SIZE, 2))


def convolutions() -> nn.Module:
    """Build three convolutions and two poolings, the mean over all positions, and a linear layer."""
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(32, 2)),
    )


def models(vision_transformer: Callable[..., nn.Module]) -> dict[str, Callable[[], nn.Module]]:
    """Return the models to compare, by name.

    Args:
        vision_transformer: like `VisionTransformer`.
    """
    return {
        "linear": linear,
        "convolutions": convolutions,
        "vision Transformer": lambda: vision_transformer(SIZE, PATCH, 1, 2, WIDTH, HEADS, LAYERS, HIDDEN),
    }


class _Pictures:
    """Endless batches of new pictures, in an order that the seed fixes."""

    def __init__(self, question: Question, seed: int) -> None:
        self.question, self.seed = question, seed

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            yield pictures(self.question, BATCH, generator)


def learn(
    name: str,
    vision_transformer: Callable[..., nn.Module],
    question: Question,
    seed: int,
    seconds: float,
    progress: bool = True,
) -> Any:
    """Train one model for the given CPU seconds on pictures that never repeat."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = models(vision_transformer)[name]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATES[name])

    def loss(batch: tuple[Tensor, Tensor]) -> Tensor:
        return F.cross_entropy(model(batch[0]), batch[1])

    with one_thread():
        train(loss, _Pictures(question, seed), optimizer, seconds=seconds, schedule=rise_and_fall, progress=progress)
    return model.eval()


@torch.no_grad()
def right(model: nn.Module, question: Question, seed: int) -> float:
    """Return the share of new pictures whose question is answered correctly."""
    given, answers = pictures(question, TRIED, torch.Generator().manual_seed(10_000 + seed))
    return float((model(given).argmax(dim=-1) == answers).float().mean())


def at_equal_time(
    vision_transformer: Callable[..., nn.Module], question: Question, seed: int, progress: bool = True
) -> dict[str, float]:
    """Return the share that each model answers correctly after the same time."""
    time = SECONDS[question]
    return {
        name: right(learn(name, vision_transformer, question, seed, time, progress), question, seed)
        for name in models(vision_transformer)
    }


def _recorded(question: Question, vision_transformer: Callable[..., nn.Module], seed: int) -> Series:
    return {"share": list(at_equal_time(vision_transformer, question, seed, progress=False).values())}


EXPERIMENTS: dict[str, Callable[[Callable[..., nn.Module], int], Series]] = {
    "left": lambda model, seed: _recorded("left", model, seed),
    "same": lambda model, seed: _recorded("same", model, seed),
}
