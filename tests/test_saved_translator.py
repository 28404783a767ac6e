"""The translator of lesson 09, kept in a file: what was trained comes back, and what is damaged is not used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from small_translator import DAMAGES, ENGLISH, FRENCH, damage, small
from torch import nn

from course_lib.components import Transformer, greedy_decode
from course_lib.training import History
from course_lib.translator import (
    SavedTranslatorError,
    load_own_translator,
    load_translator,
    save_translator,
)
from course_lib.translator.saved import read_saved, saved_file, write_saved
from course_lib.translator.trained import english_tokens, french_tokens


@pytest.fixture(autouse=True)
def nobody_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_PARTS", raising=False)


@pytest.mark.parametrize(("heads", "norm_first"), [(3, False), (4, True), (1, False)])
def test_what_is_saved_is_what_was_trained(tmp_path: Path, heads: int, norm_first: bool) -> None:
    model = small(heads, norm_first).eval()
    history = History([2.0, 1.0], [0.5, 61.04])
    saved = save_translator(model, ENGLISH, FRENCH, history, 0.96, tmp_path)
    assert saved.path == tmp_path / ".course/translator.safetensors"
    assert f"{sum(p.numel() for p in model.parameters()):,} parameters" in repr(saved)
    read = read_saved(saved.path)
    assert (read.configuration["num_heads"], read.configuration["norm_first"]) == (heads, norm_first)
    assert (read.english, read.french) == (ENGLISH, FRENCH)
    assert read.training == {"steps": 2, "cpu_seconds": 61.0, "right": 0.96}
    source, target = torch.tensor([[4, 5, 6, 9]]), torch.tensor([[1, 4, 5, 6]])
    wanted = model(source, target)
    for transformer in (None, Transformer):
        network: Any = load_own_translator(transformer, folder=tmp_path).network
        torch.testing.assert_close(network.decode(target, *network.encode(source)), wanted, rtol=0, atol=1e-4)


def test_a_model_in_training_stays_in_training(tmp_path: Path) -> None:
    model = small().train()
    save_translator(model, ENGLISH, FRENCH, folder=tmp_path)
    assert model.training and model.source_embedding.training


def test_lesson_11_translates_with_what_lesson_09_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_translator(small(), ENGLISH, FRENCH, right=0.96, folder=tmp_path)
    mine = load_own_translator(Transformer, greedy_decode, tmp_path)
    assert "you trained in lesson 09" in capsys.readouterr().out
    assert mine.english == ENGLISH
    assert set(mine.translate_tokens(["the", "cat", "sleeps", "."])) <= set(FRENCH)
    assert mine.attention("the cat sleeps").heads.shape[:2] == (3, 3)


def test_without_one_it_is_the_courses_and_a_sentence_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    translator = load_own_translator(folder=tmp_path)
    said = capsys.readouterr().out
    assert "There is no trained translator of yours" in said and "comes with the course" in said
    assert translator.translate("The cat sleeps.") == load_translator().translate("The cat sleeps.")


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_file_is_never_translated_with(tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    path = save_translator(small(), ENGLISH, FRENCH, folder=tmp_path).path
    assert path
    damage(path, how)
    with pytest.raises(SavedTranslatorError, match=r"is damaged.*Run the cell of lesson 09"):
        read_saved(path)
    load_own_translator(folder=tmp_path)
    assert "is damaged" in capsys.readouterr().out


def test_weights_of_something_else_are_no_translator(tmp_path: Path) -> None:
    save_file({"weight": torch.ones(2)}, tmp_path / "other.safetensors")
    with pytest.raises(SavedTranslatorError, match="holds weights, but no translator"):
        read_saved(tmp_path / "other.safetensors")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"configuration": {"d_model": 48}},
            r"the shape \(30, 24\), and its settings ask for \(30, 48\)",
        ),
        ({"configuration": {"num_layers": 10**9}}, r"encoder\.layers\.3\..* is missing"),
        ({"configuration": {"num_heads": 5}}, "5 heads cannot share a width of 24"),
        ({"configuration": {"num_heads": "</script>"}}, "num_heads must be a number above 0"),
        ({"configuration": {"norm_first": 1}}, "norm_first must be true or false"),
        ({"english": ENGLISH[:-1]}, "there are 10 and 13 words"),
        ({"training": {"right": "<b>all</b>"}}, "could not convert string to float"),
        ({"training": []}, "do not fit their description"),
    ],
)
def test_weights_of_another_shape_are_refused_whoever_wrote_the_file(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    saved = save_translator(small(), ENGLISH, FRENCH, folder=tmp_path)
    if "configuration" in changes:
        changes = {"configuration": saved.configuration | changes["configuration"]}
    write_saved(replace(saved, **changes), tmp_path / "other.safetensors")
    with pytest.raises(SavedTranslatorError, match=problem):
        read_saved(tmp_path / "other.safetensors")


def test_what_training_ruined_is_refused(tmp_path: Path) -> None:
    model: Any = small()
    with torch.no_grad():
        model.encoder.layers[0].self_attention.w_q.weight[0, 0] = torch.nan
    with pytest.raises(SavedTranslatorError, match=r"w_q\.weight holds numbers that are infinite or NaN"):
        save_translator(model, ENGLISH, FRENCH, folder=tmp_path)


def test_other_vocabularies_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SavedTranslatorError, match=r"11 English and 13 French tokens, the vocabularies have 538 and 1,111"
    ):
        save_translator(small(), english_tokens(), french_tokens(), folder=tmp_path)


def test_what_computes_something_else_is_refused(tmp_path: Path) -> None:
    model: Any = small()
    model.decoder.layers[1].feed_forward.register_forward_hook(lambda module, given, output: 2 * output)
    with pytest.raises(SavedTranslatorError, match="computes something else"):
        save_translator(model, ENGLISH, FRENCH, folder=tmp_path)
    with pytest.raises(SavedTranslatorError, match="A Linear cannot be saved here"):
        save_translator(nn.Linear(2, 2), ENGLISH, FRENCH, folder=tmp_path)


def test_a_folder_that_cannot_be_written_to_costs_no_training(tmp_path: Path) -> None:
    (tmp_path / ".course").write_text("a file")
    with pytest.raises(SavedTranslatorError, match=r"cannot be written .* the training need not run again"):
        save_translator(small(), ENGLISH, FRENCH, folder=tmp_path)


def test_while_a_notebook_is_graded_nothing_is_written_and_nothing_of_ones_own_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_translator(small(), ENGLISH, FRENCH, folder=tmp_path / "kept")
    monkeypatch.setenv("COURSE_PARTS", "reference")
    assert save_translator(small(), ENGLISH, FRENCH, folder=tmp_path / "other").path is None
    assert not (tmp_path / "other").exists()
    assert load_own_translator(folder=tmp_path / "kept").french == french_tokens()
    assert capsys.readouterr().out == ""


def test_every_lesson_finds_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lesson in ("09_training", "11_your_translator"):
        (tmp_path / lesson).mkdir()
        (tmp_path / lesson / f"{lesson}.ipynb").write_text("{}")
    for place in (tmp_path, tmp_path / "09_training", tmp_path / "11_your_translator"):
        monkeypatch.chdir(place)
        assert saved_file().resolve() == tmp_path / ".course/translator.safetensors"
