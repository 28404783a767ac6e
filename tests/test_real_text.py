"""Real text: its files, its subwords, and a translator that is trained on it, interrupted, resumed and asked."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import islice
from pathlib import Path
from random import Random
from string import ascii_letters
from threading import Thread, Timer
from typing import Any

import pytest
import torch
from conftest import run_course as run_in
from safetensors.torch import load_file
from torch import nn

from autograder.building.release import library_files
from benchmarks import translation
from course_lib import figures
from course_lib.app.train import _learn
from course_lib.components import Transformer, beam_search, greedy_decode
from course_lib.corpus import detokenize, generate
from course_lib.course import Course, CourseError
from course_lib.processors import usable_processors
from course_lib.real_text import corpora, training
from course_lib.real_text.corpora import CHECKSUMS, FILES, LANGUAGES, aligned, multi30k, table
from course_lib.real_text.decoding import as_google, by_power, in_batches, search
from course_lib.real_text.faster import ByteDropout, FusedAttention, FusedLayerNorm, quicken
from course_lib.real_text.merge_dropout import MergeDropout
from course_lib.real_text.muon import Muon, orthogonal
from course_lib.real_text.reading import LENGTHS
from course_lib.real_text.run import CHECKPOINT, CURVE, WEIGHTS, Run
from course_lib.real_text.settings import Settings, recipe
from course_lib.real_text.subwords import Subwords, SubwordsError
from course_lib.real_text.training import (
    TRAINED_ON,
    Averaged,
    SubwordBatches,
    find_corpus,
    learn,
    loss_of,
    prepare,
)
from course_lib.real_text.translating import translate_lines
from course_lib.training import progress
from course_lib.translator.real_text import read_run

ROOT = Path(__file__).parent.parent
MULTI30K = ROOT.parent / "shared" / "data" / "multi30k"
SMALL: dict[str, Any] = {
    "vocabulary": 300, "d_model": 16, "num_heads": 2, "num_layers": 1, "d_ff": 16, "max_length": 60, "tokens": 256,
    "seconds": None, "steps": 12,
}  # fmt: skip


@pytest.fixture(scope="module")
def lines() -> list[tuple[str, str]]:
    """Sentences of the course's own grammar, written as people write."""
    return [(detokenize(p.source, "en"), detokenize(p.target, "fr")) for p in islice(generate(0), 1200)]


@pytest.fixture(scope="module")
def files(lines: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("text")
    paths = folder / "text.en", folder / "text.fr"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in lines), encoding="utf-8")
    return paths


def run_course(*arguments: object, code: int = 0) -> str:
    """What the `course` command says."""
    ran = run_in(ROOT, *map(str, arguments))
    assert ran.code == code, ran
    return ran.out + ran.err


def kind_of(files: tuple[Path, Path]) -> dict[str, Any]:
    return {"kind": "files", "languages": ["en", "fr"], "source": str(files[0]), "target": str(files[1])}


def begun(files: tuple[Path, Path], folder: Path, **settings: Any) -> tuple[Run, Any]:
    kind = kind_of(files)
    corpus = find_corpus(kind["kind"], **{name: value for name, value in kind.items() if name != "kind"})
    return prepare(corpus, kind, Settings(**{**SMALL, **settings}), folder), corpus


@pytest.fixture(scope="module")
def trained(files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that has learned hardly anything, to its end."""
    run, corpus = begun(files, tmp_path_factory.mktemp("runs") / "trained")
    learn(run, corpus, False, lambda sentence: None)
    return run


# files


def test_two_files_give_their_pairs_and_hold_some_out(files: tuple[Path, Path], lines: list[tuple[str, str]]) -> None:
    splits = aligned(*files, ("en", "fr")).splits
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(lines)
    assert len(splits["valid"]) == len(splits["test"]) + 1 == 60


def test_a_table_gives_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "tatoeba.tsv"
    path.write_text("".join(f"{n}\tHello {n}.\t{n}\tBonjour {n}.\n" for n in range(50)), encoding="utf-8")
    splits = table(path, (1, 3), ("en", "fr")).splits
    assert splits["train"][0] == ("Hello 0.", "Bonjour 0.")
    with pytest.raises(CourseError, match=r"line 1: 4 columns where at least 5 are needed, separated by tabs\.$"):
        table(path, (0, 4), ("en", "fr"))


def test_what_is_held_out_is_nowhere_in_training(tmp_path: Path) -> None:
    rows = [(f"source {n}", f"target {n} {way}") for n in range(200) for way in range(3)]
    rows += [(f"source {n}", f"target {n + 1} 0") for n in range(0, 200, 10)]  # two sentences that are translated alike
    rows += [(f"Hello {n}.", f"greeting {n} {way}") for n in range(40) for way in range(21)]
    Random(0).shuffle(rows)
    path = tmp_path / "tatoeba.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in [*rows, ("", "one"), ("", "other")]))
    splits = table(path, (0, 1), ("en", "fr")).splits
    assert sorted(pair for pairs in splits.values() for pair in pairs) == sorted(rows)
    assert len(splits["valid"]) > 20 < len(splits["test"])
    for one, other in (("valid", "train"), ("test", "train"), ("valid", "test")):
        for side in (0, 1):
            assert not {pair[side] for pair in splits[one]} & {pair[side] for pair in splits[other]}  # type: ignore[index]
    assert table(path, (0, 1), ("en", "fr")).splits == splits, "the same each time"
    held_out = [source for split in ("valid", "test") for source, _ in splits[split]]  # type: ignore[index]
    assert not [source for source in held_out if source.startswith("Hello")], "so many translations are no test"


@pytest.mark.parametrize("spoil, sentence", [
    (lambda en, fr: fr.write_text("une ligne\n"), "ends after line 1"),
    (lambda en, fr: (en.write_text(""), fr.write_text("")), "it is empty"),
    (lambda en, fr: (en.write_text("\n\n"), fr.write_text("\n\n")), "empty on one side"),
    (lambda en, fr: en.write_bytes("é\n".encode("latin-1") * 1200), "line 1: not UTF-8"),
    (lambda en, fr: en.unlink(), "there is no such file"),
], ids=["unequal", "empty", "blank", "encoding", "missing"])  # fmt: skip
def test_what_cannot_be_trained_on_is_told_in_one_sentence(
    tmp_path: Path, lines: list[tuple[str, str]], spoil: Any, sentence: str
) -> None:
    en, fr = tmp_path / "a.en", tmp_path / "a.fr"
    en.write_text("".join(f"{one}\n" for one, _ in lines), encoding="utf-8")
    fr.write_text("".join(f"{other}\n" for _, other in lines), encoding="utf-8")
    spoil(en, fr)
    done = run_course("train", "--out", tmp_path / "run", "--corpus", f"{en},{fr}", "--steps", 1, code=1)
    assert sentence in done and "Traceback" not in done
    assert not (tmp_path / "run").exists(), "nothing was begun"


def test_one_endless_line_is_left_out_and_the_others_are_trained_on(
    tmp_path: Path, lines: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = [*lines[:305], ("word " * 10_000, "mot " * 10_000), *lines[305:600]]
    paths = tmp_path / "a.en", tmp_path / "a.fr"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in endless), encoding="utf-8")
    run, corpus = begun(paths, tmp_path / "run", steps=2)
    said: list[str] = []
    learn(run, corpus, False, said.append)
    assert "pairs have more than 60 subwords and are left out" in said[0]
    assert (run.folder / WEIGHTS).is_file()
    monkeypatch.setattr(training, "usable_processors", lambda: 1)
    measured = prepare(corpus, run.corpus, replace(run.settings, threads=0, tokens=9000), tmp_path / "measured")
    assert Run.open(measured.folder).settings.threads == 1


def test_threads_are_chosen_among_the_processors_that_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert usable_processors() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_processors() == 64


def test_multi30k_is_read_from_a_folder(tmp_path: Path) -> None:
    for split in FILES.values():
        for language in ("en", "de"):
            with gzip.open(tmp_path / f"{split}.{language}.gz", "wt", encoding="utf-8") as stream:
                stream.write(f"{split} {language} ä\n")
    splits = multi30k(tmp_path, "en", "de").splits
    assert splits["test"] == [("test_2016_flickr en ä", "test_2016_flickr de ä")]
    with pytest.raises(CourseError, match=r"does not contain train\.fr of Multi30k"):
        multi30k(tmp_path, "en", "fr")
    with pytest.raises(CourseError, match="not in 'nl'"):
        multi30k(tmp_path, "en", "nl")
    assert set(CHECKSUMS) == {f"{split}.{language}.gz" for split in FILES.values() for language in LANGUAGES}


def test_multi30k_is_read_as_torchtext_left_it_and_training_needs_no_test(tmp_path: Path) -> None:
    for split in ("train", "val", "test"):
        for language in ("en", "de"):
            (tmp_path / f"{split}.{language}").write_text(f"{split} {language}\n", encoding="utf-8")
    assert multi30k(tmp_path, "en", "de").splits["test"] == [("test en", "test de")]
    for path in tmp_path.glob("test.*"):
        path.unlink()
    where = {"kind": "multi30k", "languages": ["en", "de"], "folder": str(tmp_path)}
    assert find_corpus(**where, splits=TRAINED_ON).splits == {  # type: ignore[arg-type]
        "train": [("train en", "train de")],
        "valid": [("val en", "val de")],
    }


def test_without_a_network_a_download_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import pooch

    def offline(*arguments: Any, **named: Any) -> str:
        raise OSError("Name or service not known")

    monkeypatch.setattr(pooch, "retrieve", offline)
    with pytest.raises(CourseError, match=r"cannot be downloaded \(Name or service not known\)\. Are you online\?"):
        multi30k(None, "en", "de", ["test"])


def test_a_download_of_something_else_is_said_to_be_that(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import pooch

    class Portal(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<h1>Please log in</h1>")

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Portal) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(corpora, "ADDRESS", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with pytest.raises(CourseError, match="is not the file that was expected: its checksum differs") as caught:
            multi30k(None, "en", "de", ["test"])
        server.shutdown()
    assert "online" not in str(caught.value)


@pytest.mark.skipif(not MULTI30K.is_dir(), reason="Multi30k is not here; test_multi30k_is_read_from_a_folder is")
def test_multi30k_has_the_sentences_that_papers_count() -> None:
    for language in ("de", "fr"):
        splits = multi30k(MULTI30K, "en", language).splits
        assert [len(splits[split]) for split in ("train", "valid", "test")] == [29_000, 1_014, 1_000]
    for name, checksum in CHECKSUMS.items():
        assert sha256((MULTI30K / name).read_bytes()).hexdigest() == checksum, name


# subwords


def test_subwords_cut_and_join_text_without_loss(lines: list[tuple[str, str]], tmp_path: Path) -> None:
    text = [side for pair in lines for side in pair]
    subwords = Subwords.learn(text, 300)
    assert len(subwords) == 300
    for line in text[:200]:
        ids = subwords.encode(line)
        assert (ids[0], ids[-1]) == (subwords.bos_id, subwords.eos_id)
        assert subwords.decode(ids[1:]) == line
    subwords.save(tmp_path / "model")
    assert Subwords.load(tmp_path / "model").encode(text[0]) == subwords.encode(text[0])
    assert subwords.unk_id in subwords.encode("漢")
    with pytest.raises(SubwordsError, match="cannot read these subwords"):
        Subwords(b"something else")


@pytest.mark.parametrize("text, size, sentence", [
    (["the dog"] * 3, 9000, "too small for 9,000 subwords. Ask for at most 22: --vocabulary 22."),
    (["äöüßéèê" + ascii_letters], 40, "too many different characters for 40 subwords. Ask for at least 64: "),
    (["word " * 10_000, ""], 300, "empty or longer than 4,192 bytes, from which no subwords are learned. Put one sent"),
], ids=["too many", "too few", "too long"])  # fmt: skip
def test_why_no_subwords_are_learned_is_told_with_what_to_do(text: list[str], size: int, sentence: str) -> None:
    with pytest.raises(SubwordsError, match=re.escape(sentence)) as caught:
        Subwords.learn(text, size)
    if number := re.search(r"--vocabulary (\d+)\.$", str(caught.value)):
        assert len(Subwords.learn(text, int(number[1]))) == int(number[1]), "the advice helps"


def test_without_dropout_merges_are_those_of_sentencepiece(lines: list[tuple[str, str]]) -> None:
    subwords = Subwords.learn([side for pair in lines for side in pair], 300)
    merges = MergeDropout(subwords, 0.0, Random(0))
    for line in [side for pair in lines[:300] for side in pair] + ["Ein “Wort” — 漢, ﬁne  and\tso on", ""]:
        assert merges.encode(line) == subwords.encode(line)


def test_a_run_is_read_and_a_folder_without_one_is_said_to_have_none(
    trained: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert read_run(tmp_path) is None
    assert "There is no training run" in capsys.readouterr().out
    reading = read_run(trained.folder, 40)
    assert reading is not None
    assert set(reading.by_length()) <= {f"{a} to {b} words" for a, b in LENGTHS}
    best, *_, worst = reading.best_and_worst(2)
    assert best[0] >= worst[0]
    heads, written, read = reading.attention(0)
    assert heads.shape == (2, len(written), len(read))
    torch.testing.assert_close(heads.sum(dim=-1), torch.ones(heads.shape[:2]))
    assert reading.cut("dog").replace("|", "") == "dog"
    assert all(len(translations) > 1 for _, translations in reading.several_right)
    read_here = replace(
        reading, pairs=[("A dog barks. Rex runs with Fido, a cat and Tim.", "")], found=reading.found[:1]
    )
    assert [name for name, _ in read_here.names()] == ["Fido", "Tim"], "a new sentence begins with a capital, too"


def test_the_cells_of_lesson_12_read_a_run(trained: Run, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "lessons/12_projects.md").read_text(encoding="utf-8")
    cells = [
        cell
        for cell in re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL)
        if "reading" in cell
    ]
    assert len(cells) == 3
    shown: list[object] = []
    names = {"figures": figures, "display": shown.append}
    for cell in cells:
        exec(cell.replace('"../my-run"', repr(str(trained.folder))), names)
    out = capsys.readouterr().out
    assert "BLEU" in out and "(a person)" in out and "words that training never showed" in out
    assert len(shown) == 1


def test_dropped_merges_cut_words_in_several_ways_that_follow_from_a_seed(lines: list[tuple[str, str]]) -> None:
    subwords = Subwords.learn([side for pair in lines for side in pair], 300)
    ways = []
    for _ in range(2):
        merges = MergeDropout(subwords, 0.3, Random(7))
        ways.append([tuple(merges.encode(lines[0][0])) for _ in range(50)])
    assert ways[0] == ways[1]
    assert len(set(ways[0])) > 5
    assert {subwords.decode(way[1:]) for way in ways[0]} == {lines[0][0]}


def test_batches_show_every_pair_once_a_round_and_are_the_same_again(
    trained: Run, lines: list[tuple[str, str]]
) -> None:
    batches = SubwordBatches(lines[:200], trained.subwords, trained.settings)
    first, again = (list(islice(batches, 40)) for _ in range(2))
    assert all(torch.equal(a, b) for x, y in zip(first, again, strict=True) for a, b in zip(x, y, strict=True))
    seen: list[str] = []
    for source, target in first:
        assert max(source.numel(), target[:, 1:].numel()) <= max(256, source.size(1), target.size(1) - 1)
        seen += [trained.subwords.decode(row) for row in source.tolist()]
        if len(seen) >= 200:
            break
    assert sorted(seen) == sorted(source for source, _ in lines[:200])


# the same numbers, faster


@pytest.fixture
def network() -> Transformer:
    torch.manual_seed(3)
    return Transformer(23, 23, 16, 4, 2, 24, 40, 0.0).double()


def test_the_faster_network_computes_the_same_and_so_do_its_gradients(network: Transformer) -> None:
    source, target = torch.randint(4, 23, (5, 9)), torch.randint(4, 23, (5, 7))
    source[2, 6:] = target[1, 4:] = 0
    quick = Transformer(23, 23, 16, 4, 2, 24, 40, 0.0).double()
    quick.load_state_dict(network.state_dict())
    quicken(quick)
    assert {type(part) for part in quick.modules()} >= {FusedAttention, FusedLayerNorm, ByteDropout}
    assert list(quick.state_dict()) == list(network.state_dict())
    for one in (network, quick):
        (one(source, target) * torch.arange(23.0).double().cos()).sum().backward()
    torch.testing.assert_close(quick(source, target), network(source, target), rtol=0, atol=1e-10)
    for name, weight in network.named_parameters():
        torch.testing.assert_close(quick.get_parameter(name).grad, weight.grad, rtol=0, atol=1e-10)


def test_attention_in_16_bits_is_as_near_as_16_bits_are(network: Transformer) -> None:
    source, target = torch.randint(4, 23, (5, 9)), torch.randint(4, 23, (5, 7))
    source[2, 6:] = 0
    exact = network.float()(source, target)
    with torch.autocast("cpu", torch.bfloat16):
        rough = quicken(network)(source, target)
    assert (rough.float() - exact).abs().max() < 0.05 * exact.abs().max()


def test_the_loss_is_that_of_lesson_09_over_real_tokens(network: Transformer) -> None:
    from course_lib.components import label_smoothed_loss

    source, target = torch.randint(4, 23, (4, 6)), torch.randint(4, 23, (4, 8))
    target[0, 5:] = 0
    wanted = label_smoothed_loss(network(source, target[:, :-1]), target[:, 1:], 0, 0.1)
    torch.testing.assert_close(loss_of(network, source, target, 0.1), wanted.float(), rtol=0, atol=1e-5)


def test_dropout_by_bytes_drops_its_share_and_keeps_the_mean() -> None:
    torch.manual_seed(0)
    dropout, x = ByteDropout(0.25), torch.ones(400, 1001, requires_grad=True)
    y = dropout(x)
    assert float((y == 0).double().mean()) == pytest.approx(0.25, abs=0.005)
    assert y.max().item() == pytest.approx(4 / 3)
    y.sum().backward()
    assert x.grad is not None and torch.equal(x.grad, y.detach())
    assert torch.equal(dropout.eval()(x), x)


# the optimizer


@pytest.mark.parametrize("shape", [(2, 8, 24), (3, 24, 8), (1, 16, 16)])
def test_orthogonalised_matrices_keep_their_directions_and_lose_their_sizes(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    u, _, v = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    sizes = torch.logspace(0, -1, u.size(2))  # the largest singular value is ten times the smallest
    found = orthogonal(u * sizes @ v)
    inside = u.mT @ found @ v.mT
    diagonal = inside.diagonal(dim1=1, dim2=2)
    assert diagonal.min() > 0.6 and diagonal.max() < 1.3
    assert (inside - torch.diag_embed(diagonal)).abs().max() < 0.05, "no direction turns"
    torch.testing.assert_close(orthogonal(1e-3 * u * sizes @ v), found, rtol=0, atol=0.05)


def test_matrices_move_by_the_rate_in_each_block_and_all_else_as_adam_moves_it() -> None:
    torch.manual_seed(0)
    ours, theirs = (nn.Sequential(nn.Embedding(9, 12), nn.Linear(12, 8), nn.Linear(8, 6)) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    before = deepcopy(ours)
    muon = Muon(ours, 1e-2, 0.1, rows=4)
    adam = torch.optim.AdamW(theirs.parameters(), 1e-2, (0.9, 0.98), 1e-9, 0.0)
    for network, optimizer in ((ours, muon), (theirs, adam)):
        network(torch.arange(9)).square().sum().backward()
        optimizer.step()
    for name in ("0.weight", "1.bias", "2.bias"):
        torch.testing.assert_close(ours.get_parameter(name), theirs.get_parameter(name), rtol=0, atol=1e-7)
    moved = [before.get_parameter(name) - ours.get_parameter(name) for name in ("1.weight", "2.weight")]
    for block in (*moved[0].split(4), moved[1]):  # 6 rows are no multiple of 4
        sizes = torch.linalg.svdvals(block.detach())
        assert 0.05 < sizes[0] < 0.13, "whatever the gradient's size"


def test_what_moves_one_half_of_the_rows_does_not_hang_on_the_other() -> None:
    moves = []
    for factor in (1.0, 50.0):
        layer = nn.Linear(6, 8, bias=False)
        nn.init.zeros_(layer.weight)
        torch.manual_seed(0)
        layer.weight.grad = torch.randn(8, 6)
        layer.weight.grad[4:] *= factor
        Muon(layer, 1e-2, 0.1, rows=4).step()
        moves.append(layer.weight.detach())
    torch.testing.assert_close(*moves, rtol=0, atol=2e-3)


# decoding


def talkative(vocabulary: int, norm_first: bool = True) -> Transformer:
    """A network that never writes padding or another beginning, as no trained one does, and ends now and then."""
    model = Transformer(vocabulary, vocabulary, 8, 2, 1 + (vocabulary > 10), 12, 40, 0.0, norm_first).double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.normal_(std=0.8)  # what it says depends on what it reads
        table = model.target_embedding.token_embedding.weight
        table[:, 0] = 0.0
        table[:2, 0] = -9.0  # of padding and of the beginning
        table[2, 0] = 0.2  # of the end
        norm = model.decoder.norm if norm_first else model.decoder.layers[-1].feed_forward_residual.norm
        norm.gamma[0], norm.beta[0] = 0.0, 9.0
    return model


@pytest.mark.parametrize("norm_first", [True, False])
def test_greedy_decoding_of_a_batch_is_that_of_lesson_10(norm_first: bool) -> None:
    torch.manual_seed(5)
    model = talkative(17, norm_first)
    source = torch.randint(4, 17, (9, 8))
    for number in range(9):
        source[number, max(1, 8 - number) :] = 0
    wanted = greedy_decode(model, source, 1, 2, 20)
    found, _ = search(quicken(model), source, 1, 2, 20, 1, by_power(0.0))
    for row, ids in zip(wanted.tolist(), found, strict=True):
        end = row.index(2) + 1 if 2 in row else len(row)
        assert ids == row[:end]


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_beam_search_of_a_batch_is_that_of_lesson_10_for_each_sentence(width: int, alpha: float) -> None:
    torch.manual_seed(0)
    model = talkative(9)
    source = torch.randint(4, 9, (12, 7))
    for number in range(12):
        source[number, 2 + number % 6 :] = 0
    found, scores = search(model, source, 1, 2, 12, width, by_power(alpha))
    ends = set()
    for number in range(12):
        real = source[number : number + 1, : int((source[number] != 0).sum())]
        written, score = beam_search(model, real, 1, 2, 12, width, alpha)
        assert found[number] == written[0].tolist()
        assert scores[number] == pytest.approx(float(score), abs=1e-10)
        ends.add(len(found[number]))
    assert len(ends) > 1, "they leave the batch at different steps"


def test_the_length_penalty_of_wu_et_al() -> None:
    assert as_google(1.0)(torch.tensor(7.0)).item() == 2.0


def test_sentences_of_like_length_share_a_batch() -> None:
    batches = in_batches([3, 9, 1, 9, 4, 2], 18)
    assert batches == [[1, 3], [4, 0, 5, 2]]


def test_lines_keep_their_order_and_empty_and_endless_ones_stay_empty(trained: Run) -> None:
    texts = ["The dog sleeps.", "", "word " * 500, "She eats an apple because she is hungry."]
    network = trained.trained()
    found = translate_lines(network, trained, texts, width=2)
    alone = [translate_lines(network, trained, [one], width=2)[0] for one in texts]
    assert [one.text for one in found] == [one.text for one in alone]
    assert found[1].text == found[2].text == "" and found[2].too_long > 0 == found[1].too_long


# training, interrupted and resumed

INTERRUPTED = """
import sys
from pathlib import Path
from course_lib.processors import usable_processors
from course_lib.real_text import training
from course_lib.real_text.merge_dropout import MergeDropout
from course_lib.real_text.run import Run
training._steps_in = lambda seconds, settings: 3
run = Run.open(Path(sys.argv[1]))
kind = dict(run.corpus)
corpus = training.find_corpus(kind.pop("kind"), **kind)
training.learn(run, corpus, sys.argv[2] == "resume", print)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_and_resumed_ends_with_the_same_weights(files: tuple[Path, Path], tmp_path: Path) -> None:
    steps = 120
    whole, _ = begun(files, tmp_path / "whole", steps=steps, merges_dropped=0.1, precision="float32")
    broken, _ = begun(files, tmp_path / "broken", steps=steps, merges_dropped=0.1, precision="float32")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}

    def python(*arguments: object) -> list[str]:
        return [sys.executable, "-c", INTERRUPTED, *map(str, arguments)]

    first = subprocess.Popen(python(broken.folder, "begin"), env=environment)
    deadline = time.monotonic() + 300
    while not (broken.folder / CHECKPOINT).is_file():
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)  # until there is something to go on from
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL, "it was killed in the middle"
    assert not (broken.folder / WEIGHTS).is_file()
    assert translate_lines(broken.trained(), broken, ["The dog sleeps."], 1), "it can be asked all the same"
    subprocess.run(python(broken.folder, "resume"), env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(python(whole.folder, "begin"), env=environment, check=True, stdout=subprocess.DEVNULL)
    ends = [load_file(run.folder / WEIGHTS) for run in (whole, broken)]
    assert all(torch.equal(weight, ends[1][name]) for name, weight in ends[0].items())
    assert (whole.folder / CURVE).read_text(encoding="utf-8").count("<svg") == 1


@pytest.mark.slow
def test_training_lowers_the_loss_and_says_what_it_does(files: tuple[Path, Path], tmp_path: Path) -> None:
    run, corpus = begun(files, tmp_path / "run", steps=60)
    said: list[str] = []
    history = learn(run, corpus, False, said.append)
    assert sum(history.losses[-10:]) < 0.95 * sum(history.losses[:10])
    assert said[0].startswith("sample: ") and " right: " in said[0]


def test_each_line_about_training_tells_its_speed_and_the_time_left(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_SHOW_EVERY", 0.0)
    run, corpus = begun(files, tmp_path / "run", steps=3)
    said: list[str] = []
    learn(run, corpus, False, said.append)
    assert [line for line in said if re.match(r" *\d+\.\d min · loss [\d.]+ · [\d,]+ tokens/s · \d+ s left: ", line)]


def test_a_line_about_training_never_stands_beside_the_progress_bar(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(training, "_SHOW_EVERY", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    with redirect_stdout(Terminal()) as terminal:
        _learn(*begun(files, tmp_path / "run", steps=3), False, "cpu")
    said = re.findall(r"([^\r\n]*)(sample: |\d min · loss)", terminal.getvalue())
    assert len(said) == 4 and "█" in terminal.getvalue()
    assert all(re.fullmatch(r"(\x1b\[K)? *[\d.]*", before) for before, _ in said)


@pytest.mark.parametrize("precision, sixteen", [("auto", True), ("float32", False)])
def test_float32_can_be_asked_for(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str, sixteen: bool
) -> None:
    seen = []

    def looked(*arguments: Any) -> torch.Tensor:
        seen.append(torch.is_autocast_enabled("cpu"))
        return loss_of(*arguments)

    monkeypatch.setattr(training, "loss_of", looked)
    monkeypatch.setattr(training, "fast_precision", lambda: torch.autocast("cpu", torch.bfloat16))
    run, corpus = begun(files, tmp_path / "run", steps=2, precision=precision)
    learn(Run.open(run.folder), corpus, False, lambda sentence: None)
    assert seen == [sixteen, sixteen]


def test_a_loss_that_is_no_number_ends_training_in_one_sentence(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "loss_of", lambda *arguments: torch.tensor(float("nan"), requires_grad=True))
    with pytest.raises(CourseError, match=r"The loss of step 1 is nan.*--precision float32"):
        learn(*begun(files, tmp_path / "run"), False, lambda sentence: None)


def test_a_damaged_checkpoint_is_told_with_the_command_that_begins_again(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    run, corpus = begun(files, tmp_path / "run")
    (run.folder / CHECKPOINT).write_bytes(b"no checkpoint")
    with pytest.raises(CourseError, match=r"is damaged.* Delete it, .*: course train --out .* --resume$") as caught:
        learn(run, corpus, True, lambda sentence: None)
    assert "resume=False" not in str(caught.value), "that is for those who write Python"
    (run.folder / CHECKPOINT).unlink()
    assert "12 steps in" in run_course("train", "--out", run.folder, "--resume"), "the advice helps"


def test_a_run_is_kept_out_of_git_and_leaves_the_rules_of_others(
    files: tuple[Path, Path], trained: Run, tmp_path: Path
) -> None:
    assert (trained.folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    (tmp_path / ".gitignore").write_text("mine\n", encoding="utf-8")
    begun(files, tmp_path)
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "mine\n"


def test_nothing_is_made_where_no_pair_is_short_enough(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="nothing is left to train on"):
        begun(files, tmp_path / "run", max_length=2)
    assert not (tmp_path / "run").exists()


def test_the_recipe_has_settings_for_any_time() -> None:
    for minutes in (0.1, 5, 10, 20, 45, 200):
        assert Settings(**recipe(minutes)).rate > 0


# the verbs


def test_the_verbs_train_translate_and_evaluate(files: tuple[Path, Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    train = ("train", "--out", run, "--corpus", f"{files[0]},{files[1]}", "--target", "fr", "--steps", 2)
    done = run_course(*train, "--vocabulary", 300, "--precision", "float32")
    assert "1,081 sentence pairs" in done and "2 steps in" in done
    assert Run.open(run).settings.precision == "float32"
    assert "There is a run in" in run_course(*train, code=1)
    assert "has come to its end" in run_course("train", "--out", run, "--resume", code=1)
    text = tmp_path / "text"
    text.write_text("The dog sleeps.\n\n<b>&amp;</b>\n", encoding="utf-8")
    page = tmp_path / "page.html"
    said = run_course("translate", run, text, "--beam", 2, "--alignments", page)
    assert said.count("\n") >= 3
    shown = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in shown and "<b>" not in shown
    assert "tokenised lower-case BLEU " in run_course("evaluate", run, "--split", "valid", "--beam", 1)
    assert "--split takes valid or test" in run_course("evaluate", run, "--split", "tset", code=1)
    assert "is of other text" in run_course("evaluate", run, "--data", tmp_path, code=1)


def test_what_cannot_be_computed_on_leaves_no_folder_in_the_way(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    train = ("train", "--out", tmp_path / "run", "--corpus", f"{files[0]},{files[1]}", "--steps", 1)
    assert "no device 'gpu'" in run_course(*train, "--device", "gpu", code=1)
    assert "no graphics card" in run_course(*train, "--device", "cuda", code=1)
    assert "takes auto or float32" in run_course(*train, "--precision", "half", code=1)
    assert not (tmp_path / "run").exists(), "nothing was begun"
    begun(files, tmp_path / "run")  # and came to no checkpoint
    assert "1 steps in" in run_course(*train, "--vocabulary", 300)
    assert "There is a run in" in run_course(*train, code=1)


def test_a_full_disk_is_told_in_one_sentence_and_the_run_goes_on_after_it(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    run, _ = begun(files, tmp_path / "run")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, hard))
    try:
        said = run_course("train", "--out", run.folder, "--resume", code=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be written to" in said and said.rstrip().endswith(f"course train --out {run.folder} --resume")
    assert not list(run.folder.glob("*.part"))
    assert "12 steps in" in run_course("train", "--out", run.folder, "--resume")


def test_a_resumed_run_refuses_what_it_remembers_and_finds_multi30k_where_it_is_now(
    lines: list[tuple[str, str]], tmp_path: Path
) -> None:
    before, now = tmp_path / "before", tmp_path / "now"
    before.mkdir()
    for number, split in enumerate(FILES.values()):
        for side, language in enumerate(("en", "de")):
            text = "".join(f"{pair[side]}\n" for pair in lines[number::3])
            (before / f"{split}.{language}").write_text(text, encoding="utf-8")
    kind = {"kind": "multi30k", "languages": ["en", "de"], "folder": str(before)}
    run = prepare(find_corpus(**kind), kind, Settings(**SMALL), tmp_path / "run")  # type: ignore[arg-type]
    resume = ("train", "--out", run.folder, "--resume")
    assert "leave out --minutes and --seed." in run_course(*resume, "--seed", 3, "--minutes", 1, code=1)
    before.rename(now)
    assert "does not contain train.en of Multi30k" in run_course(*resume, code=1)
    assert "12 steps in" in run_course(*resume, "--data", now)
    assert Run.open(run.folder).corpus["folder"] == str(now)
    for file in now.iterdir():
        if not file.name.startswith(FILES["test"]):
            file.unlink()
    assert "tokenised lower-case BLEU" in run_course("evaluate", run.folder, "--beam", 1, "--data", now)


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path, trained: Run) -> None:
    with pytest.raises(CourseError, match=r"holds no run\.json"):
        Run.open(tmp_path)
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match="is damaged"):
        Run.open(tmp_path)
    about = json.loads((trained.folder / "run.json").read_text(encoding="utf-8"))
    (tmp_path / "run.json").write_text(json.dumps(about), encoding="utf-8")
    trained.subwords.save(tmp_path / "subwords.model")
    with pytest.raises(CourseError, match="has no weights yet"):
        Run.open(tmp_path).trained()
    (tmp_path / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(CourseError, match="damaged, or of another run"):
        Run.open(tmp_path).trained()


def test_text_that_is_not_utf_8_is_told_with_its_line(tmp_path: Path, trained: Run) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"fine\nno \xe9\n")
    assert "line 2, is not UTF-8" in run_course("translate", trained.folder, text, code=1)
    text.write_bytes(b"")
    assert run_course("translate", trained.folder, text) == ""


def test_each_line_gives_one_line_whatever_else_unicode_counts_among_line_breaks(tmp_path: Path, trained: Run) -> None:
    text = tmp_path / "text"
    text.write_bytes("The dog\fsleeps.\u2028She\x85eats.\r\n\r\nThe cat\vsleeps.".encode())
    translated = run_course("translate", trained.folder, text, "--beam", 1).split("\n")
    assert len(translated) == 4 and translated[1] == translated[3] == ""


@pytest.mark.slow
def test_what_is_typed_in_a_terminal_is_translated_line_by_line(trained: Run) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "course_lib.app", "translate", str(trained.folder), "--beam", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        late = Timer(240, process.kill)  # where it waits for the end, so do we
        late.start()
        assert b"Ctrl-D" in process.stderr.readline()
        for _ in range(2):
            os.write(ours, b"The dog sleeps.\n")
            assert process.stdout.readline().endswith(b"\n"), "before the next is typed"
        os.write(ours, b"\x04")
        assert process.stdout.read() == b"" and process.wait() == 0
        late.cancel()
    os.close(ours)
    os.close(theirs)


# the benchmark


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.slow
def test_the_benchmark_times_the_average_and_fails_where_decoding_differs(
    lines: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taken: list[int] = []
    monkeypatch.setattr(Averaged, "take_in", lambda model, step: taken.append(step))
    subwords = Subwords.learn([side for pair in lines for side in pair], 300)
    small = Settings(**SMALL)
    translation.training(lines[:100], subwords, small, 3)
    assert taken == [1, 2, 3, 4] * 2, "of both fast models, at each step"
    speeds, different = translation.decoding(lines, subwords, small, 5)
    assert len(speeds) == 3 and different == 0
    monkeypatch.setattr(translation, "training", lambda *arguments: {"none": 1.0})
    monkeypatch.setattr(translation, "generate", lambda seed: islice(generate(seed), 2000))
    monkeypatch.setattr(sys, "argv", ["translation", "--sentences", "3"])
    translation.main()
    monkeypatch.setattr(translation, "greedy_decode", lambda *arguments: torch.full((1, 4), 5))
    with pytest.raises(SystemExit) as end:
        translation.main()
    assert end.value.code == 1 and "0 of 3 sentences" in capsys.readouterr().out


def test_a_class_gets_real_text_once_lesson_11_is_over(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    for lesson, there in (("03_self_attention", False), ("11_your_translator", False), ("12_projects", True)):
        files = library_files(course, lesson, whole=False)
        assert ("real_text/decoding.py" in files) is there
    monkeypatch.setattr("course_lib.translator.real_text.find_spec", lambda name: None)
    for verb in (("train", "--out", "run"), ("translate", "run"), ("evaluate", "run")):
        assert "comes with the library of lesson 12" in run_course(*verb, code=1)
    assert read_run("run") is None
