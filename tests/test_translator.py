"""The translator that ships: it translates as well as is written beside its weights, everywhere it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from autograder.building.release import release_library
from benchmarks import train_translator
from course_lib.components.greedy_decode import greedy_decode
from course_lib.components.pad_batch import pad_batch
from course_lib.components.transformer import Transformer
from course_lib.components.vocabulary import Vocabulary
from course_lib.corpus import SPLITS, english_vocabulary, french_vocabulary, generate
from course_lib.course import Course
from course_lib.translator import Translator, UnknownWordsError, load_translator, trained

torch.set_num_threads(1)

#: what chance may take from 100 sentences, in sentences
MARGIN = 6


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_translator()


@pytest.fixture(scope="module")
def own_parts() -> Translator:
    return load_translator(Transformer, greedy_decode)


def test_it_translates_unseen_sentences_as_well_as_is_written_beside_its_weights(translator: Translator) -> None:
    pairs = list(islice(generate(2, "held_out", distinct=True), 100))
    right = sum(translator.translate_tokens(pair.source) == list(pair.target) for pair in pairs)
    assert right >= 100 * translator.about.scores["held_out"]["exact_match"] - MARGIN


def test_the_files_are_small() -> None:
    sizes = [path.stat().st_size for path in trained.FOLDER.iterdir() if path.suffix in (".safetensors", ".json")]
    assert len(sizes) == 2
    assert sum(sizes) <= 4_000_000


def test_every_split_has_its_scores_and_the_training_its_account() -> None:
    about = trained.read_about()
    assert about.scores.keys() == SPLITS.keys()
    for measured in about.scores.values():
        assert 0 <= measured["exact_match"] <= 1
        assert measured["sentences"] >= 200
    assert about.configuration == train_translator.CONFIGURATION
    assert about.command == "python -m benchmarks.train_translator"
    with safe_open(trained.FOLDER / "weights.safetensors", "pt") as file:
        assert set(file.keys()) == {*Transformer(**about.configuration).state_dict(), "positions"}


def test_its_words_are_the_vocabularys() -> None:
    assert list(trained.english_tokens()) == Vocabulary([english_vocabulary()]).tokens
    assert list(trained.french_tokens()) == Vocabulary([french_vocabulary()]).tokens
    assert (Vocabulary.pad_id, Vocabulary.bos_id, Vocabulary.eos_id) == (trained.PAD_ID, trained.BOS_ID, trained.EOS_ID)


def test_torchs_layers_and_our_parts_are_the_same_network(translator: Translator, own_parts: Translator) -> None:
    pairs = list(islice(generate(3, "held_out"), 20))
    source = pad_batch([train_translator.ENGLISH.encode(pair.source)[1:-1] for pair in pairs])
    target = pad_batch([train_translator.FRENCH.encode(pair.target) for pair in pairs])
    logits = {
        name: one.network.decode(target, *one.network.encode(source))
        for name, one in (("torch", translator), ("ours", own_parts))
    }
    assert logits["ours"].shape == (20, target.size(1), len(french_vocabulary()) + 4)
    real = target != Vocabulary.pad_id
    torch.testing.assert_close(logits["torch"][real], logits["ours"][real], rtol=0, atol=1e-3)


def test_your_own_parts_translate_and_attend_alike(translator: Translator, own_parts: Translator) -> None:
    texts = ["The old woman doesn't sleep.", "Do you see the cat?", "we eat a red apple"]
    assert translator.translate_all(texts) == own_parts.translate_all(texts) == [own_parts.translate(t) for t in texts]
    ours, torchs = own_parts.attention(texts[0]), translator.attention(texts[0])
    assert (ours.source, ours.target) == (torchs.source, torchs.target)
    torch.testing.assert_close(ours.heads, torchs.heads, rtol=0, atol=1e-4)


def test_attention_is_told_for_every_word_that_is_written(translator: Translator) -> None:
    text = "The student reads a good book."
    attention = translator.attention(text)
    assert attention.source == ["the", "student", "reads", "a", "good", "book", "."]
    assert attention.target[-1] == "<eos>"
    configuration = translator.about.configuration
    sizes = configuration["num_layers"], configuration["num_heads"], len(attention.target), len(attention.source)
    assert attention.heads.shape == sizes
    assert attention.weights.shape == sizes[2:]
    torch.testing.assert_close(attention.weights.sum(dim=-1), torch.ones(sizes[2]))
    assert translator.translate(text) == translator.translate(text)  # nothing is left hooked to the network


def test_words_it_does_not_know_are_said(translator: Translator) -> None:
    with pytest.raises(UnknownWordsError, match=r"among them: “computr”.*; “xyzzy”\.") as raised:
        translator.translate("The computr sees xyzzy and the computr.")
    assert "“computr”" in str(raised.value)
    with pytest.raises(UnknownWordsError, match=r"\(similar: .*“student”"):
        translator.translate("The studant sleeps.")


@pytest.mark.parametrize(("text", "count"), [("", 0), ("   ", 0), ("very " * 40, 40)])
def test_a_sentence_too_short_or_too_long_is_refused(translator: Translator, text: str, count: int) -> None:
    with pytest.raises(ValueError, match=f"this one has {count}"):
        translator.translate(text)


def test_a_missing_full_stop_is_added(translator: Translator) -> None:
    assert translator.translate("the cat sleeps") == translator.translate("The cat sleeps.")


def test_other_words_than_it_was_trained_on_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "french_vocabulary", lambda: ("chat", "chien"))
    with pytest.raises(ValueError, match=r"Train it again: python -m benchmarks\.train_translator"):
        load_translator()


def test_it_runs_in_the_library_of_the_first_lesson_where_no_component_is(course: Course, tmp_path: Path) -> None:
    released = release_library(course, "00_the_task", tmp_path)
    assert not (released / "course_lib/components/transformer.py").exists()
    code = (
        "import json\n"
        "from course_lib.translator import load_translator\n"
        "translator = load_translator()\n"
        "attention = translator.attention('The cat sleeps.')\n"
        "print(json.dumps([translator.translate('The cat sleeps.'), attention.source]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(released), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [load_translator().translate("The cat sleeps."), ["the", "cat", "sleeps", "."]]


def test_the_command_trains_measures_and_writes_what_can_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--pairs", "100", "--steps", "4", "--tried", "4", "--checkpoint", str(tmp_path / "checkpoint")]
    monkeypatch.setattr(sys, "argv", ["train_translator", *arguments, "--output", str(tmp_path / "made")])
    train_translator.main()
    said = capsys.readouterr().out
    assert all(split in said for split in SPLITS)
    about = trained.read_about(tmp_path / "made")
    assert about.training["steps"] == 4
    Transformer(**about.configuration).load_state_dict(
        {k: v for k, v in trained.read_weights(tmp_path / "made").items() if k != "positions"}
    )


@pytest.mark.parametrize(
    ("said", "right", "edits"),
    [("", "", 0), ("a b c", "a b c", 0), ("a c", "a b c", 1), ("b a", "a b", 2), ("x", "", 1)],
)
def test_edits_are_counted_in_words(said: str, right: str, edits: int) -> None:
    assert train_translator.edit_distance(said.split(), right.split()) == edits
