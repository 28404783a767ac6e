"""Questions about encoders that read padded sentences."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.exercises.sampler import Sampler
from course_lib.checking.questions import Module, Question
from course_lib.checking.values import Value


def sentences(sampler: Sampler, lengths: Sequence[int], width: int, v: int, pad_id: int) -> Tensor:
    """Return sentences (B, S) of these lengths, whose words are not padding."""
    words = [token for token in range(v) if token != pad_id]
    return torch.tensor([[*sampler.shuffled(words)[:n], *[pad_id] * (width - n)] for n in lengths])


def encoder_question(name: str, weights: dict[str, Tensor], pad_id: int, *sources: Tensor, **more: Value) -> Question:
    """Ask an encoder to read each source, with these weights."""
    v, d = weights["embedding.weight"].shape
    build = {"vocabulary_size": v, "d_model": d, "pad_id": pad_id}
    calls = [{"source": source} for source in sources]
    return Module(name, build, weights, calls, returns=["states", "last"], **more)
