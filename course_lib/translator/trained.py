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
        command: what made them.
        configuration: the arguments of `Transformer` they belong to.
        vocabulary: a fingerprint of the words their rows stand for.
        training: with what they were trained: sentences, steps, seconds of CPU time and so on.
        scores: by split, measured on the weights as they lie on disk: sentences that are right to the last word,
            wrong words for each word of the reference, and how many sentences were tried.
    """

    command: str
    configuration: dict[str, Any]
    vocabulary: str
    training: dict[str, Any]
    scores: dict[str, dict[str, float]]


def english_tokens() -> tuple[str, ...]:
    """The English token of each id."""
    return (*_SPECIAL, *english_vocabulary())


def french_tokens() -> tuple[str, ...]:
    """The French token of each id."""
    return (*_SPECIAL, *french_vocabulary())


def vocabulary_hash() -> str:
    """A fingerprint of both vocabularies: other words, or another order, and the weights mean nothing."""
    return hashlib.sha256(json.dumps([english_tokens(), french_tokens()]).encode()).hexdigest()[:16]


def read_weights(folder: Path = FOLDER) -> dict[str, Tensor]:
    """The weights by the names of `Transformer`'s parameters, in float32, and ``positions`` (L, D)."""
    return {name: weight.float() for name, weight in load_file(folder / "weights.safetensors").items()}


def write_weights(weights: dict[str, Tensor], positions: Tensor, folder: Path = FOLDER) -> None:
    """Write weights in float16, half their size. Positions stay float32: they are known to the last digit."""
    halved = {name: weight.to(torch.float16).contiguous() for name, weight in weights.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file({**halved, "positions": positions.contiguous()}, folder / "weights.safetensors")


def read_about(folder: Path = FOLDER) -> About:
    """What is known about the weights.

    Raises:
        ValueError: they belong to other words than the corpus has now.
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
