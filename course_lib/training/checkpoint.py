"""Checkpoints: one file with everything that training needs to continue as if it had never stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from course_lib.fingerprint import digest_of
from course_lib.tensor_file import write_tensors
from course_lib.training.history import History


class CheckpointError(ValueError):
    """A checkpoint that cannot be resumed from. The message says which one, why, and what to do.

    Args:
        problem: which checkpoint, and why.
        advice: what the caller of `train` should do.
    """

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem, advice)
        self.problem = problem

    def __str__(self) -> str:
        return " ".join(self.args)


@dataclass(frozen=True)
class Checkpoint:
    """Where and how often the state of training is saved.

    The file is in the safetensors format: weights, the optimiser's moments and torch's random state are tensors, and
    the rest is JSON in its header. It contains no code, and reading it runs none. A new file replaces the old one only
    when it is complete.

    Attributes:
        path: the file.
        model: the module whose weights are trained.
        every: how many steps there are between checkpoints; one more is written at the end.
    """

    path: Path
    model: nn.Module
    every: int = 100

    def save(self, optimizer: torch.optim.Optimizer, history: History) -> None:
        """Write the file.

        Raises:
            OSError: it cannot be written; the previous checkpoint stays.
        """
        tensors, state = self.model.state_dict(), optimizer.state_dict()
        # tied weights have two names; each gets its own copy
        saved = {f"model.{name}": tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
        saved["random"] = torch.get_rng_state()
        if self._on_a_card():  # dropout on a graphics card has a random state of its own
            saved["random.cuda"] = torch.cuda.get_rng_state()
        numbers: dict[str, dict[str, Any]] = {}
        for index, entries in state["state"].items():
            for name, value in entries.items():
                if isinstance(value, Tensor):
                    saved[f"optimizer.{index}.{name}"] = value.detach().clone().contiguous()
                else:
                    numbers.setdefault(str(index), {})[name] = value
        header = {
            "losses": history.losses,
            "seconds": history.seconds,
            "groups": state["param_groups"],
            "numbers": numbers,
        }
        text = json.dumps(header)
        write_tensors(saved, Path(self.path), training=text)

    def load(self, optimizer: torch.optim.Optimizer) -> History:
        """Restore model, optimiser and random state, and return the history so far.

        Raises:
            CheckpointError: the file is missing, damaged, or of another model or optimiser; then nothing is changed.
        """
        saved, header = self._read()
        weights = {name.removeprefix("model."): t for name, t in saved.items() if name.startswith("model.")}
        shapes = {name: t.shape for name, t in self.model.state_dict().items()}
        sizes = [len(group["params"]) for group in header["groups"]]
        if shapes != {name: t.shape for name, t in weights.items()} or sizes != [
            len(group["params"]) for group in optimizer.param_groups
        ]:
            raise CheckpointError(
                f"{self.path} was saved from another model or optimizer: names or shapes of the weights differ.",
                "Build the model it was saved from, or train from the start with resume=False.",
            )
        states: dict[int, dict[str, Any]] = {int(index): dict(e) for index, e in header["numbers"].items()}
        for name, tensor in saved.items():
            if name.startswith("optimizer."):
                _, index, entry = name.split(".", 2)
                states.setdefault(int(index), {})[entry] = tensor
        self.model.load_state_dict(weights)
        optimizer.load_state_dict({"state": states, "param_groups": header["groups"]})
        torch.set_rng_state(saved["random"])
        if "random.cuda" in saved and self._on_a_card():
            torch.cuda.set_rng_state(saved["random.cuda"])
        return History(header["losses"], header["seconds"])

    def _on_a_card(self) -> bool:
        return any(weight.is_cuda for weight in self.model.parameters())

    def _read(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        if not Path(self.path).is_file():
            raise CheckpointError(
                f"There is no checkpoint {self.path} to resume from.", "Train with resume=False first."
            )
        try:
            with safe_open(self.path, framework="pt") as file:
                about = file.metadata() or {}
                saved = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{self.path} is damaged or no checkpoint ({error}).", _AGAIN) from error
        text = about.get("training", "")
        if about.get("digest") != digest_of(saved, text):
            raise CheckpointError(f"{self.path} is damaged: its contents are not what was saved.", _AGAIN)
        return saved, json.loads(text)


_AGAIN = "Delete it, and train from the start with resume=False."
