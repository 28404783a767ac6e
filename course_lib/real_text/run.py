"""A run: the folder in which a translator of real text is trained and kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from course_lib.components.transformer import Transformer
from course_lib.course import CourseError
from course_lib.parameters import load_parameters
from course_lib.real_text.faster import quicken
from course_lib.real_text.settings import Settings
from course_lib.real_text.subwords import Subwords, SubwordsError
from course_lib.replacing import replacing
from course_lib.tensor_file import write_tensors

ABOUT, SUBWORDS, WEIGHTS, CHECKPOINT, CURVE = (
    "run.json", "subwords.model", "model.safetensors", "checkpoint.safetensors", "curve.svg",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """The description of a run.

    Attributes:
        folder: where its files are.
        settings: everything that determines the training.
        languages: the source and target languages.
        corpus: how to find the sentence pairs again: arguments of `course_lib.real_text.training.find_corpus`.
        subwords: the vocabulary.
    """

    folder: Path
    settings: Settings
    languages: tuple[str, str]
    corpus: dict[str, Any]
    subwords: Subwords

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Read a run's folder.

        Raises:
            CourseError: there is no run in it, or its files are damaged.
        """
        if not (folder / ABOUT).is_file():
            raise CourseError(
                f"There is no training run in {folder}: it holds no {ABOUT}. Train one: course train --out {folder}"
            )
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            source, target = about["languages"]
            subwords = Subwords.load(folder / SUBWORDS)
            return cls(folder, Settings.of_json(about["settings"]), (source, target), about["corpus"], subwords)
        except (ValueError, KeyError, TypeError, OSError, SubwordsError) as error:
            raise CourseError(f"The run in {folder} is damaged: {error} Train it again into another folder.") from None

    def with_data(self, folder: Path) -> Run:
        """Return the run with Multi30k's files in another folder than the recorded one.

        Raises:
            CourseError: it was trained on other text.
        """
        if self.corpus["kind"] != "multi30k":
            raise CourseError(f"--data is the folder of Multi30k, and the run in {self.folder} is of other text.")
        return replace(self, corpus={**self.corpus, "folder": str(folder.resolve())})

    def create(self) -> None:
        """Write everything that is known before training begins, and keep the folder out of git.

        Weights learned from text that may not be redistributed must not be committed by mistake.

        Raises:
            OSError: it cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        ignored = self.folder / ".gitignore"
        if not ignored.exists():  # the folder may exist already, with its own rules
            _write(ignored, "*\n")
        self.subwords.save(self.folder / SUBWORDS)
        about = {
            "settings": self.settings.as_json(),
            "languages": list(self.languages),
            "corpus": self.corpus,
            "torch": torch.__version__,
        }
        _write(self.folder / ABOUT, json.dumps(about, indent=1) + "\n")

    def network(self) -> Transformer:
        """Build an untrained `Transformer` of the run's sizes, whose two languages share one table of subwords."""
        s = self.settings
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(s.seed)
            sizes = len(self.subwords), len(self.subwords), s.d_model, s.num_heads, s.num_layers, s.d_ff
            network = Transformer(*sizes, s.max_length + 1, s.dropout, True, self.subwords.pad_id)
        tie(network)
        for name, part in network.named_modules():
            if name.endswith(("attention", "feed_forward")):
                part.dropout.p = 0.0
        return network

    def save(self, network: nn.Module) -> None:
        """Save the weights used for translation.

        Raises:
            OSError: they cannot be written.
        """
        weights = {name: weight.detach().cpu().contiguous() for name, weight in _weights(network).items()}
        write_tensors(weights, self.folder / WEIGHTS)

    def trained(self, device: str = "cpu") -> Transformer:
        """Return the network with its final weights, or those of the last checkpoint, in evaluation mode.

        Raises:
            CourseError: training has not reached a checkpoint, or the file is damaged.
        """
        path, prefix = self.folder / WEIGHTS, ""
        if not path.is_file():
            path, prefix = self.folder / CHECKPOINT, "model.average."
        if not path.is_file():
            raise CourseError(
                f"The run in {self.folder} has no weights yet: its training ended before the first checkpoint. Go on "
                f"with it: course train --out {self.folder} --resume"
            )
        network = self.network()
        try:
            with safe_open(path, framework="pt") as file:
                weights = {name: file.get_tensor(prefix + name) for name in _weights(network)}
            load_parameters(network, weights)
        except (SafetensorError, OSError, ValueError, RuntimeError) as error:
            raise CourseError(f"{path} is damaged, or of another run ({error}).") from None
        return quicken(tie(network)).to(device).eval()  # type: ignore[no-any-return]


def tie(network: Transformer) -> Transformer:
    """Share one table: it embeds source subwords, embeds target subwords and scores them."""
    network.source_embedding.token_embedding.weight = network.target_embedding.token_embedding.weight
    return network


def _weights(network: nn.Module) -> dict[str, Tensor]:
    """Return the parameters by name; a shared table is listed once, under its first name."""
    return dict(network.named_parameters())


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
