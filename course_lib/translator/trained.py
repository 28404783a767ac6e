"""The trained weights on disk, and what is known about them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from course_lib.corpus import english_vocabulary, french_vocabulary

FOLDER = Path(__file__).parent
PAD_ID, BOS_ID, EOS_ID = 0, 1, 2
_SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")


@dataclass(frozen=True)
class About:
    """What is known about the weights.

    Attributes:
        command: the command that made them.
        configuration: the arguments of the `Transformer` they belong to.
        vocabulary: a fingerprint of the words of their rows.
        training: how they were trained: sentences, steps, seconds of CPU time and so on.
        scores: by split, measured on the stored weights: sentences that are right to the last word, wrong words per
            word of the reference, and how many sentences were tested.
    """

    command: str
    configuration: dict[str, Any]
    vocabulary: str
    training: dict[str, Any]
    scores: dict[str, dict[str, float]]


def english_tokens() -> tuple[str, ...]:
    """Return the English token of each id."""
    return (*_SPECIAL, *english_vocabulary())


def french_tokens() -> tuple[str, ...]:
    """Return the French token of each id."""
    return (*_SPECIAL, *french_vocabulary())


def vocabulary_hash() -> str:
    """Return a fingerprint of both vocabularies; with other words or another order, the weights are meaningless."""
    return hashlib.sha256(json.dumps([english_tokens(), french_tokens()]).encode()).hexdigest()[:16]


def read_weights(folder: Path = FOLDER) -> dict[str, Tensor]:
    """Return the weights by the names of `Transformer`'s parameters, in float32, and ``positions`` (L, D)."""
    return {name: weight.float() for name, weight in load_file(folder / "weights.safetensors").items()}


def write_weights(weights: dict[str, Tensor], positions: Tensor, folder: Path = FOLDER) -> None:
    """Write weights in float16, half their size. Positions stay float32, because they are exact."""
    halved = {name: weight.to(torch.float16).contiguous() for name, weight in weights.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file({**halved, "positions": positions.contiguous()}, folder / "weights.safetensors")


def read_about(folder: Path = FOLDER) -> About:
    """Return what is known about the weights.

    Raises:
        ValueError: they belong to other words than those of the current corpus.
    """
    about = About(**json.loads((folder / "about.json").read_text(encoding="utf-8")))
    if about.vocabulary != vocabulary_hash():
        raise ValueError(
            "The corpus has other words than those the translator was trained on, so its weights mean nothing. "
            f"Train it again: {about.command}"
        )
    return about


def write_about(about: About, folder: Path = FOLDER) -> None:
    """Write down what is known about the weights."""
    (folder / "about.json").write_text(json.dumps(asdict(about), indent=2) + "\n", encoding="utf-8")
