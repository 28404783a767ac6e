"""A trained translator in one file, with everything needed to rebuild it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from course_lib.contents import public_exercises
from course_lib.fingerprint import digest_of
from course_lib.own_notebooks import find_notebooks
from course_lib.tensor_file import write_tensors
from course_lib.translator.shapes import misfit
from course_lib.translator.trained import english_tokens, french_tokens, read_about, read_weights

FILE = Path(".course") / "translator.safetensors"  #: in the notebooks' folder, next to your own parts

_AGAIN = "Run the cell of lesson 09 that saves it again."


class SavedTranslatorError(ValueError):
    """A translator that cannot be saved or read. The message says which, why, and what to do."""


@dataclass(frozen=True, repr=False)
class SavedTranslator:
    """A trained translator, with everything needed to rebuild it.

    Attributes:
        weights: by the names of `Transformer`'s parameters, and ``positions`` (L, D).
        configuration: the arguments of `Transformer`.
        english: the English token of each id.
        french: the French token of each id.
        training: facts about its training: ``steps``, ``cpu_seconds``, and ``right``, the share of unseen
            sentences that it translates right to the last word.
        path: its file; None if none was written.
        yours: whether it is your own, not the one that comes with the course.
    """

    weights: dict[str, Tensor]
    configuration: dict[str, Any]
    english: tuple[str, ...]
    french: tuple[str, ...]
    training: dict[str, float]
    path: Path | None = None
    yours: bool = True

    @property
    def parameters(self) -> int:
        """Return how many numbers were trained."""
        return sum(weight.numel() for name, weight in self.weights.items() if name != "positions")

    def __repr__(self) -> str:
        if self.path is None:
            return f"{self.parameters:,} parameters, and no file was written."
        return (
            f"Saved: {self.parameters:,} parameters in {shown_path(self.path)}. Lesson 11 translates with them, and "
            "“course export --out translator.html” makes a page of them that you can send to anyone."
        )


def read_saved(path: Path) -> SavedTranslator:
    """Read what `write_saved` wrote.

    Raises:
        SavedTranslatorError: the file is missing, damaged, or of another kind.
    """
    if not path.is_file():
        raise SavedTranslatorError(
            f"There is no trained translator of yours in {shown_path(path)}: lesson 09 saves it there after training."
        )
    try:
        with safe_open(path, framework="pt") as file:
            text = (file.metadata() or {}).get("translator", "")
            digest = (file.metadata() or {}).get("digest", "")
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise SavedTranslatorError(f"{shown_path(path)} is damaged or no translator ({error}). {_AGAIN}") from None
    if not text:
        raise SavedTranslatorError(
            f"{shown_path(path)} holds weights, but no translator: its words are missing. {_AGAIN}"
        )
    if digest != digest_of(weights, text):
        raise SavedTranslatorError(f"{shown_path(path)} is damaged: its contents are not what was saved. {_AGAIN}")
    try:
        return _translator(weights, json.loads(text), path)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SavedTranslatorError(
            f"The weights in {shown_path(path)} do not fit their description: {error}. {_AGAIN}"
        ) from None


def _translator(weights: dict[str, Tensor], fields: dict[str, Any], path: Path) -> SavedTranslator:
    """Build a translator from a file's contents. The digest detects accidents, not tampering.

    Raises:
        ValueError: a network with these settings has other weights, or none for these words.
    """
    english, french = (tuple(str(token) for token in fields[name]) for name in ("english", "french"))
    configuration = fields["configuration"]
    sizes = (configuration["source_vocab_size"], configuration["target_vocab_size"])
    problem = misfit(weights, configuration)
    if problem or sizes != (len(english), len(french)):
        raise ValueError(problem or f"there are {len(english):,} and {len(french):,} words for {sizes} rows")
    training = {name: float(value) for name, value in fields["training"].items()}
    return SavedTranslator(weights, configuration, english, french, training, path)


def write_saved(saved: SavedTranslator, path: Path) -> None:
    """Write the file; it replaces the old one only when it is complete.

    The file is in the safetensors format: the weights, and a JSON header with the vocabularies, the settings and a
    digest of everything. It contains no code, and reading it runs none.

    Raises:
        OSError: it cannot be written.
    """
    fields = ("configuration", "english", "french", "training")
    text = json.dumps({name: getattr(saved, name) for name in fields})
    write_tensors(saved.weights, path, translator=text)


def shipped_translator() -> SavedTranslator:
    """Return the translator that comes with the course, in the same form."""
    about = read_about()
    training = {
        "steps": about.training["steps"],
        "cpu_seconds": about.training["cpu_seconds"],
        "right": about.scores["held_out"]["exact_match"],
    }
    return SavedTranslator(
        read_weights(), about.configuration, english_tokens(), french_tokens(), training, yours=False
    )


def saved_file(folder: Path | None = None) -> Path:
    """Return the translator's path, in the folder of all lessons' notebooks, so that every lesson finds it."""
    if folder is not None:
        return Path(folder) / FILE
    home, notebooks = find_notebooks(Path(), dict.fromkeys(entry.lesson for entry in public_exercises()))
    return (home if notebooks else Path()) / FILE


def shown_path(path: Path) -> str:
    """Return a path relative to the current folder, unless it is far away."""
    with suppress(ValueError, OSError):  # another drive on Windows
        near = Path(os.path.relpath(path)).as_posix()
        return near if not near.startswith("../../") else str(path)
    return str(path)
