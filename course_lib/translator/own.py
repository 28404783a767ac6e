"""The translator that you train in lesson 09: saved, and used again in lesson 11 and by `course export`.

>>> save_translator(model, english, french)  # doctest: +SKIP
Saved: 532,320 parameters in .course/translator.safetensors. …
>>> load_own_translator().translate("The old man sleeps.")  # doctest: +SKIP
"le vieil homme dort."
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from course_lib.session import is_graded
from course_lib.translator.saved import (
    SavedTranslator,
    SavedTranslatorError,
    read_saved,
    saved_file,
    shown_path,
    write_saved,
)
from course_lib.translator.shapes import misfit
from course_lib.translator.torch_transformer import TorchTransformer
from course_lib.translator.trained import BOS_ID, PAD_ID, About
from course_lib.translator.translator import Decode, Translator, build_network, likeliest_words, load_translator

if TYPE_CHECKING:  # a lesson without training is released without the training loop's parts
    from course_lib.training.history import History

#: the logits of a rebuilt network may differ by rounding, but not more
_ROUNDING = 1e-3
#: the number of positions in a model that stores no table of them
_POSITIONS = 64


def save_translator(
    model: nn.Module,
    english: Any,
    french: Any,
    history: History | None = None,
    right: float | None = None,
    folder: Path | None = None,
) -> SavedTranslator:
    """Save a trained translator in one file, replacing the previous one.

    Nothing is written while a notebook is checked or graded.

    Args:
        model: a `Transformer`, or a module with one as its ``network``, as in lesson 09.
        english: the vocabulary of the source, or its tokens in the order of their ids.
        french: the vocabulary of the target, likewise.
        history: of the training, for the page that reports it.
        right: the share of unseen sentences that it translates right to the last word, likewise.
        folder: where ``.course`` is; by default, the folder with your notebooks.

    Raises:
        SavedTranslatorError: the model is not a Transformer with these vocabularies, or the file cannot be written.
    """
    with torch.device("cpu"):  # even if the student's default device is another
        saved = _saved(getattr(model, "network", model), english, french, history, right)
    if is_graded():
        return saved
    path = saved_file(folder)
    try:
        write_saved(saved, path)
    except OSError as error:
        raise SavedTranslatorError(
            f"{shown_path(path)} cannot be written ({error.strerror or error}), so your translator is not saved. "
            "Make room or fix the folder's permissions, and run this cell again; the training need not run again."
        ) from None
    return replace(saved, path=path)


def _saved(
    network: nn.Module, english: Any, french: Any, history: History | None, right: float | None
) -> SavedTranslator:
    """Return what is saved of a network, which may be on any device."""
    if any(parameter.device.type != "cpu" for parameter in network.parameters()):
        network = deepcopy(network).to("cpu")
    source, target = (tuple(getattr(vocabulary, "tokens", vocabulary)) for vocabulary in (english, french))
    weights = {
        name: weight.detach().clone().to("cpu", torch.float32).contiguous()
        for name, weight in network.named_parameters(remove_duplicate=False)
    }
    weights["positions"] = _positions(network, weights)
    training: dict[str, float] = (
        {"steps": history.steps, "cpu_seconds": round(history.seconds[-1], 1)} if history else {}
    )
    training |= {} if right is None else {"right": round(right, 4)}
    configuration = _configuration(network, weights, source, target)
    return SavedTranslator(weights, configuration, source, target, training)


def load_own_translator(
    transformer: Callable[..., nn.Module] | None = None,
    decode: Decode | None = None,
    folder: Path | None = None,
    quiet: bool = False,
) -> Translator:
    """Load your translator of lesson 09 or, if there is none, the course's; a printed line says which.

    Args:
        transformer: like that of `load_translator`.
        decode: like that of `load_translator`.
        folder: where ``.course`` is; by default, the folder with your notebooks.
        quiet: whether to leave out the line.
    """
    if is_graded():  # grading uses the same weights for everybody
        return load_translator(transformer, decode)
    try:
        saved = read_saved(saved_file(folder))
        network = build_network(saved.configuration, saved.weights, transformer)
    except ValueError as problem:  # of the file, or of a class that has other parameters
        if not quiet:
            print(f"{problem} Until then, this is the translator that comes with the course.")
        return load_translator(transformer, decode)
    right = f", {saved.training['right']:.0%} of unseen sentences right" if "right" in saved.training else ""
    if not quiet:
        print(f"This is the translator that you trained in lesson 09: {saved.parameters:,} parameters{right}.")
    about = About("lesson 09", saved.configuration, "", dict(saved.training), {})
    return Translator(network, about, decode or likeliest_words, saved.english, saved.french)


def _positions(network: nn.Module, weights: dict[str, Tensor]) -> Tensor:
    """Return the vectors of all positions (L, D): the output of the embedding layer if every word is zero."""
    embedding, name = getattr(network, "source_embedding", None), "source_embedding.token_embedding.weight"
    if embedding is None or name not in weights:
        raise SavedTranslatorError(
            f"A {type(network).__name__} cannot be saved here: it is not a Transformer of lesson 08."
        )
    length = max((len(table) for table in embedding.buffers() if table.ndim == 2), default=_POSITIONS)
    nothing = {"token_embedding.weight": torch.zeros_like(weights[name])}
    was_training = embedding.training
    embedding.eval()
    with torch.no_grad():
        ids = torch.zeros(1, length, dtype=torch.long)
        positions: Tensor = torch.func.functional_call(embedding, nothing, (ids,))[0]
    embedding.train(was_training)
    return positions.contiguous()


def _configuration(
    network: nn.Module, weights: dict[str, Tensor], english: Sequence[str], french: Sequence[str]
) -> dict[str, Any]:
    """Read the arguments of `Transformer` off the weights; the number of heads is not there, so it is found by trial.

    Raises:
        SavedTranslatorError: no number of heads makes a Transformer with these weights compute what the model does.
    """
    sizes = [len(weights[f"{side}_embedding.token_embedding.weight"]) for side in ("source", "target")]
    if sizes != [len(english), len(french)]:
        raise SavedTranslatorError(
            f"The model has {sizes[0]:,} English and {sizes[1]:,} French tokens, the vocabularies have "
            f"{len(english):,} and {len(french):,}. Save it with the vocabularies it was trained with."
        )
    max_length, d_model = weights["positions"].shape
    configuration: dict[str, Any] = {
        "source_vocab_size": sizes[0],
        "target_vocab_size": sizes[1],
        "d_model": d_model,
        "num_heads": 1,
        "num_layers": len({name.split(".")[2] for name in weights if name.startswith("encoder.layers.")}),
        "d_ff": len(weights.get("encoder.layers.0.feed_forward.w_1.bias", ())),
        "max_length": max_length,
        "dropout": 0.0,
        "norm_first": "encoder.norm.gamma" in weights,
        "pad_id": PAD_ID,
    }
    if problem := misfit(weights, configuration):
        raise SavedTranslatorError(
            f"This model cannot be saved: {problem}. Save a Transformer of lesson 08 whose training went well."
        )
    was_training = network.training
    network.eval()
    source = torch.arange(4, min(12, sizes[0])).unsqueeze(0)  # (1, S)
    target = torch.tensor([[BOS_ID, *range(4, min(12, sizes[1]))]])  # (1, T)
    with torch.no_grad():
        wanted = network(source, target)  # (1, T, V)
        for heads in (h for h in range(1, d_model + 1) if d_model % h == 0):
            configuration["num_heads"] = heads
            rebuilt = TorchTransformer(configuration, weights).eval()
            off = float((rebuilt.decode(target, *rebuilt.encode(source)) - wanted).abs().max())
            if off < _ROUNDING:
                network.train(was_training)
                return configuration
    network.train(was_training)
    raise SavedTranslatorError(
        "This model cannot be rebuilt from its weights: a Transformer of lesson 08 with the same weights computes "
        "something else. Save a Transformer whose parts pass their checks."
    )
