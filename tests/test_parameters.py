"""Weights are loaded by the names of parameters: what a module keeps in buffers is its own business."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from autograder.exercises import DEFINITIONS
from course_lib import check, components
from course_lib.parameters import load_parameters
from course_lib.translator import load_translator
from course_lib.translator.torch_transformer import as_torchs


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def reference(exercise_id: str) -> Any:
    return DEFINITIONS[exercise_id].load(DEFINITIONS[exercise_id].reference)


def is_module(exercise_id: str) -> bool:
    return inspect.isclass(right := reference(exercise_id)) and issubclass(right, nn.Module)


def put_buffers(module: nn.Module) -> None:
    """What public implementations keep: a causal mask (called ``bias`` in GPT-2's), the numbers of the positions."""
    module.register_buffer("bias", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))
    module.register_buffer("positions_so_far", torch.arange(16))
    module.register_buffer("later", torch.ones(3, dtype=torch.bool), persistent=False)


def with_buffers(right: Any) -> Any:
    class WithBuffers(right):  # type: ignore[misc]
        def __init__(self, *args: Any, **settings: Any) -> None:
            super().__init__(*args, **settings)
            put_buffers(self)

    return WithBuffers


@pytest.mark.parametrize("exercise_id", [name for name in DEFINITIONS if is_module(name)])
def test_buffers_of_a_right_module_cost_nothing(exercise_id: str) -> None:
    score = check(exercise_id, with_buffers(reference(exercise_id)))
    assert score.verdict.passed, score.text


@pytest.mark.parametrize("exercise_id", ["copy_to_torch"])
def test_buffers_of_a_copy_cost_nothing(exercise_id: str) -> None:
    def copies(module: nn.Module) -> nn.Module:
        copied: nn.Module = reference(exercise_id)(module)
        put_buffers(copied)
        return copied

    assert check(exercise_id, copies).verdict.passed


def transformer_with_buffers(**configuration: Any) -> nn.Module:
    model = components.Transformer(**configuration)
    for module in model.modules():
        if isinstance(module, components.MultiHeadAttention):
            put_buffers(module)
    return model


def test_the_trained_weights_fit_a_translator_with_buffers_of_its_own() -> None:
    sentence = "the cat sleeps ."
    ours, plain = load_translator(transformer_with_buffers), load_translator(components.Transformer)
    assert ours.translate(sentence) == plain.translate(sentence)


def test_torchs_own_transformer_takes_no_buffers_over() -> None:
    sizes = {"source_vocab_size": 7, "target_vocab_size": 7, "d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 1}
    theirs = as_torchs(transformer_with_buffers(**sizes, max_length=9))
    assert not list(theirs.buffers())


def test_parameters_that_do_not_fit_are_refused_and_named() -> None:
    right = nn.Linear(2, 3)
    weights = {"weight": torch.ones(3, 2), "bias": torch.ones(3)}
    load_parameters(right, weights)
    assert bool((right.weight == 1).all())
    for wrong, problem in (
        ({"weight": torch.ones(3, 2)}, "Without a weight: bias"),
        ({**weights, "scale": torch.ones(1)}, "Not in the module: scale"),
        ({**weights, "bias": torch.ones(1)}, "Of another shape: bias"),
    ):
        with pytest.raises(ValueError, match=problem):
            load_parameters(right, wrong)


def test_a_parameter_of_two_names_needs_one_weight() -> None:
    tied = nn.ModuleDict({"embedding": nn.Embedding(4, 3), "output": nn.Linear(3, 4, bias=False)})
    tied["output"].weight = tied["embedding"].weight
    load_parameters(tied, {"embedding.weight": torch.ones(4, 3)})
    assert bool((tied["output"].weight == 1).all())
