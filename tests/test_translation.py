"""Lesson 09's Transformer as a translator: it is trained and read as the recurrent ones are."""

from __future__ import annotations

import pytest
import torch

from benchmarks.translators import transformer_parts
from course_lib.components import Transformer, Vocabulary, greedy_decode
from course_lib.experiments import recurrent_translation, translation
from course_lib.experiments.transformer_translator import TransformerTranslator, translator_of

transformer = translator_of(Transformer)
SOURCE = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])  # (B, S)
INPUTS = torch.tensor([[1, 8, 5], [1, 4, 9]])  # (B, T)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_the_same_steps_train_the_same_transformer_and_leave_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    runs = [translation.learn(transformer_parts(batch_size=8), 0, steps=3, count=100)[1].losses for _ in range(2)]
    assert runs[0] == runs[1]
    assert torch.equal(before, torch.random.get_rng_state())


def test_weights_are_the_mean_over_the_heads_of_one_layer_and_padding_gets_none() -> None:
    torch.manual_seed(0)
    model = transformer(20, 30).eval()
    assert isinstance(model, TransformerTranslator)
    heads = model.heads(SOURCE, INPUTS)  # (layers, B, H, T, S)
    assert heads.shape == (2, 2, 4, 3, 4)
    torch.testing.assert_close(heads.sum(dim=-1), torch.ones(2, 2, 4, 3))
    assert heads[:, 1, :, :, 2:].eq(0).all()
    for layer in (0, 1):
        model.layer = layer
        torch.testing.assert_close(model.weights(SOURCE, INPUTS), heads[layer].mean(dim=1))


def test_a_trained_transformer_has_at_most_a_million_parameters() -> None:
    english, french = translation.vocabularies(Vocabulary)
    assert sum(p.numel() for p in transformer(len(english), len(french)).parameters()) <= 1_000_000


def test_recurrent_parts_have_settings_of_their_own() -> None:
    parts = recurrent_translation.Parts(transformer, torch.nn.functional.cross_entropy, print, Vocabulary)
    assert (parts.steps, parts.learning_rate) == (recurrent_translation.STEPS, recurrent_translation.LEARNING_RATE)


def test_translations_are_those_of_the_course_s_greedy_decoding_up_to_their_end() -> None:
    torch.manual_seed(1)
    model = transformer(20, 30).eval()
    mine = model.translate(SOURCE, 1, 2, 12)  # type: ignore[operator]
    theirs = greedy_decode(model.network, SOURCE, 1, 2, 12)  # type: ignore[arg-type]
    assert mine.shape == theirs.shape
    for ours, right in zip(mine.tolist(), theirs.tolist(), strict=True):
        end = right.index(2) + 1 if 2 in right else len(right)
        assert ours[:end] == right[:end]
