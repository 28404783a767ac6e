"""The training loop: it ends, goes on exactly, says what is wrong; and the recurrent translators that it trains."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors import safe_open
from torch import Tensor, nn

from benchmarks.recurrent_translators import RECURRENT_TRANSLATORS
from course_lib.components import (
    AdditiveScores,
    AttentionalDecoder,
    AttentionalState,
    AttentionalTranslator,
    BahdanauDecoder,
    BilinearScores,
    RecurrentDecoder,
    RecurrentEncoder,
    RecurrentTranslator,
    Transformer,
    Vocabulary,
    attend,
    clip_gradients,
    dot_scores,
    label_smoothed_loss,
    padding_mask,
    recurrent_greedy,
    teacher_forced_loss,
    train_step,
)
from course_lib.corpus import english_vocabulary, french_vocabulary, generate
from course_lib.experiments import recorded, recurrent_translation, training, translation
from course_lib.tensor_file import write_tensors
from course_lib.training import (
    Checkpoint,
    CheckpointError,
    History,
    NonFiniteLossError,
    TranslationBatches,
    rise_and_fall,
    train,
)
from course_lib.training.memory import keep_freed_memory

D, V = 12, 20


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


class RandomBatches:
    """Batches that draw on the global generator, so that resuming must set it."""

    def __iter__(self) -> Iterator[Tensor]:
        while True:
            yield torch.randn(4, 3)


def small_run(path: Path, fails_at: int | None = None, **options: object) -> tuple[dict[str, Tensor], list[float]]:
    """A model with dropout, trained for 12 steps, with a checkpoint after every 5; its weights and losses."""
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    count = 0

    def loss(batch: Tensor) -> Tensor:
        nonlocal count
        count += 1
        if count == fails_at:
            raise KeyboardInterrupt
        return (model(batch) - batch.sum(dim=1, keepdim=True)).square().mean()

    history = train(
        loss,
        RandomBatches(),
        optimizer,
        steps=12,
        schedule=rise_and_fall,
        checkpoint=Checkpoint(path, model, every=5),
        **options,  # type: ignore[arg-type]
    )
    return model.state_dict(), history.losses


def test_a_resumed_run_equals_the_uninterrupted_one_bit_for_bit(tmp_path: Path) -> None:
    weights, losses = small_run(tmp_path / "whole.safetensors")
    with pytest.raises(KeyboardInterrupt):
        small_run(tmp_path / "part.safetensors", fails_at=8)
    again, losses_again = small_run(tmp_path / "part.safetensors", resume=True)
    assert losses_again == losses
    assert all(torch.equal(weights[name], again[name]) for name in weights)


def test_resuming_a_finished_run_takes_no_step(tmp_path: Path) -> None:
    _, losses = small_run(tmp_path / "a.safetensors")
    assert small_run(tmp_path / "a.safetensors", fails_at=1, resume=True)[1] == losses


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda whole: whole[:-20], "damaged"),
        (lambda whole: whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:], "damaged"),
        (lambda whole: whole.replace(b'"losses', b'"l0sses', 1).replace(b'\\"losses', b'\\"l0sses', 1), "damaged"),
        (lambda whole: b"", "damaged"),
        (lambda whole: b"not a checkpoint", "no checkpoint"),
    ],
    ids=["cut short", "one bit", "header", "empty", "text"],
)
def test_a_damaged_checkpoint_is_named_and_changes_nothing(damage, sentence, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.safetensors"
    small_run(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CheckpointError, match=sentence) as caught:
        small_run(path, resume=True)
    assert str(path) in str(caught.value)
    assert "resume=False" in str(caught.value)


class OnACard(Tensor):
    """A tensor that, like one in a graphics card's memory, has to be copied before NumPy or a file can have it."""

    def numpy(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")

    def data_ptr(self) -> int:
        raise RuntimeError("This memory belongs to a graphics card.")

    def cpu(self, *_: Any, **__: Any) -> Tensor:
        return self.as_subclass(Tensor).clone()


def test_tensors_on_a_graphics_card_are_copied_before_they_are_written(tmp_path: Path) -> None:
    weight = torch.arange(6.0).reshape(2, 3)
    write_tensors({"weight": weight.as_subclass(OnACard)}, tmp_path / "card", about="text")
    write_tensors({"weight": weight}, tmp_path / "processor", about="text")
    with safe_open(tmp_path / "card", "pt") as card, safe_open(tmp_path / "processor", "pt") as processor:
        assert torch.equal(card.get_tensor("weight"), weight)
        assert card.metadata() == processor.metadata()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card here")
def test_a_run_on_a_graphics_card_resumes_with_the_same_dropout(tmp_path: Path) -> None:
    model = nn.Linear(4, 4).cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    model(torch.ones(2, 4, device="cuda")).sum().backward()
    optimizer.step()
    checkpoint = Checkpoint(tmp_path / "checkpoint", model)
    checkpoint.save(optimizer, History([1.0], [1.0]))
    expected = torch.rand(3, device="cuda")
    checkpoint.load(optimizer)
    assert torch.equal(torch.rand(3, device="cuda"), expected)


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    small_run(tmp_path / "a.safetensors")
    other = nn.Linear(3, 1)
    before = other.weight.detach().clone()
    with pytest.raises(CheckpointError, match="another model"):
        Checkpoint(tmp_path / "a.safetensors", other).load(torch.optim.AdamW(other.parameters()))
    assert torch.equal(other.weight, before)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        Checkpoint(tmp_path / "nowhere", other).load(torch.optim.AdamW(other.parameters()))


def test_tied_weights_stay_tied_after_loading(tmp_path: Path) -> None:
    decoder = RecurrentDecoder(V, D)
    optimizer = torch.optim.Adam(decoder.parameters())
    Checkpoint(tmp_path / "a", decoder).save(optimizer, train(_no_loss(decoder), [1], optimizer, steps=1))
    Checkpoint(tmp_path / "a", decoder).load(optimizer)
    assert decoder.readout.weight is decoder.embedding.weight


def _no_loss(model: nn.Module):  # type: ignore[no-untyped-def]
    return lambda batch: sum(parameter.square().sum() for parameter in model.parameters())


def test_a_loss_that_is_no_number_stops_before_the_step() -> None:
    weight = nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with pytest.raises(NonFiniteLossError, match=r"step 3 is (nan|inf).*before this step"):
        train(lambda batch: weight * batch, [1.0, 1.0, float("inf")], optimizer, steps=9)
    assert weight.item() == pytest.approx(0.8)


def test_training_needs_an_end_and_batches() -> None:
    weight = nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with pytest.raises(ValueError, match="needs an end"):
        train(lambda batch: weight * batch, [1.0], optimizer)
    with pytest.raises(ValueError, match="used only once"):
        train(lambda batch: weight * batch, iter([1.0]), optimizer, steps=2)
    with pytest.raises(ValueError, match="from where"):
        train(lambda batch: weight * batch, [1.0], optimizer, steps=2, resume=True)


def test_training_stops_when_its_seconds_are_used() -> None:
    weight = nn.Parameter(torch.zeros(200, 200))
    rates = []

    def loss(batch: float) -> Tensor:
        rates.append(optimizer.param_groups[0]["lr"])
        return (weight @ weight).sum() * batch

    optimizer = torch.optim.SGD([weight], lr=0.1)
    history = train(loss, [1.0], optimizer, seconds=0.3, schedule=rise_and_fall)
    assert 0.3 <= history.seconds[-1] < 1.0
    assert history.seconds[-2] < 0.3
    assert rates[0] == 0.0
    assert rates[-1] < 0.05 < max(rates)


def test_training_is_silent_where_no_one_watches(capsys: pytest.CaptureFixture[str]) -> None:
    weight = nn.Parameter(torch.tensor(1.0))
    train(lambda batch: weight * batch, [1.0], torch.optim.SGD([weight], lr=0.1), steps=50)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_one_line_on_stdout_and_nothing_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    weight = nn.Parameter(torch.tensor(1.0))
    train(lambda batch: weight * batch, [1.0], torch.optim.SGD([weight], lr=0.1), steps=50)
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    assert "50 steps" in out


def test_a_notebook_gets_one_output_that_is_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    published: list[tuple[str, bool]] = []

    def publish(data: dict[str, str], *, update: bool = False, **_: object) -> None:
        published.append((data["text/plain"], update))

    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr("IPython.core.interactiveshell.InteractiveShell.initialized", lambda: True)
    monkeypatch.setattr("IPython.core.display_functions.publish_display_data", publish)
    weight = nn.Parameter(torch.tensor(1.0))
    train(lambda batch: weight * batch, [1.0], torch.optim.SGD([weight], lr=0.1), steps=50)
    assert [update for _, update in published] == [False] + [True] * (len(published) - 1)
    assert published[-1][0].startswith("█" * 24 + " 50 steps")
    assert len(published) < 10


def test_an_average_keeps_the_last_step() -> None:
    weight = nn.Parameter(torch.tensor(1.0))
    history = train(lambda batch: weight * batch, [1.0], torch.optim.SGD([weight], lr=0.0), steps=23)
    averaged = history.averaged(points=5)
    assert averaged["step"] == [5.0, 10.0, 15.0, 20.0, 23.0]
    assert averaged["loss"] == [1.0] * 5


# ------------------------------------------------------------------------------------------------ batches


def made(batch_size: int = 16, seed: int = 0) -> tuple[TranslationBatches, Vocabulary, Vocabulary]:
    english, french = Vocabulary([english_vocabulary()]), Vocabulary([french_vocabulary()])
    pairs = list(islice(generate(0), 200))
    return TranslationBatches(pairs, english, french, batch_size, seed), english, french


def test_batches_come_in_the_same_order_each_time_and_with_every_pair_once() -> None:
    batches, english, _ = made()
    first, again = (list(islice(batches, 26)) for _ in range(2))
    assert all(
        torch.equal(a.source, b.source) and torch.equal(a.targets, b.targets) for a, b in zip(first, again, strict=True)
    )
    rows = [tuple(english.decode(row)) for batch in first[:13] for row in batch.source.tolist()]
    assert sorted(rows) == sorted(pair.source for pair in islice(generate(0), 200))
    assert any(a.source.shape != b.source.shape for a, b in zip(first[:13], first[13:], strict=True))


def test_inputs_and_targets_are_shifted_by_one_and_little_is_padded() -> None:
    batches, _, french = made()
    padding = cells = 0
    for batch in islice(batches, 13):
        assert (batch.inputs[:, 0] == french.bos_id).all()
        for given, said in zip(batch.inputs.tolist(), batch.targets.tolist(), strict=True):
            end = said.index(french.eos_id)
            assert given[1 : end + 1] == said[:end]
            assert set(said[end + 1 :]) <= {french.pad_id}
        padding += int((batch.targets == french.pad_id).sum() + (batch.source == 0).sum())
        cells += batch.targets.numel() + batch.source.numel()
    assert padding / cells < 0.1


# ------------------------------------------------------------------------------------------------ translators

SOURCE = torch.tensor([[5, 6, 7, 8, 4], [9, 10, 0, 0, 0], [5, 11, 12, 0, 0]])  # (B, S)
INPUTS = torch.tensor([[1, 5, 6, 7], [1, 8, 9, 0], [1, 10, 0, 0]])  # (B, T)


def translators() -> dict[str, nn.Module]:
    torch.manual_seed(0)
    scores = {
        "dot": lambda: dot_scores,
        "bilinear": lambda: BilinearScores(D, D),
        "additive": lambda: AdditiveScores(D, D, 7),
    }
    found: dict[str, nn.Module] = {}
    for name, make in scores.items():
        for decoder in (AttentionalDecoder, BahdanauDecoder):
            found[f"{name} {decoder.__name__}"] = AttentionalTranslator(
                RecurrentEncoder(V, D), decoder(V, D, make(), attend)
            )
    found["without"] = RecurrentTranslator(RecurrentEncoder(V, D), RecurrentDecoder(V, D))
    found["backwards"] = RecurrentTranslator(RecurrentEncoder(V, D), RecurrentDecoder(V, D), backwards=True)
    found["every step"] = RecurrentTranslator(RecurrentEncoder(V, D), RecurrentDecoder(V, D, with_context=True))
    return {name: model.double() for name, model in found.items()}


TRANSLATORS = translators()


@pytest.mark.parametrize("name", TRANSLATORS)
def test_all_steps_at_once_equal_one_after_the_other(name: str) -> None:
    model = TRANSLATORS[name]
    at_once = model(SOURCE, INPUTS)  # (B, T, V)
    state, memory = model.encode(SOURCE)  # type: ignore[operator]
    for t in range(INPUTS.size(1)):
        logits, state = model.decoder(INPUTS[:, t : t + 1], state, *memory)  # type: ignore[operator]
        torch.testing.assert_close(logits[:, 0], at_once[:, t], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", TRANSLATORS)
def test_padding_of_the_source_is_invisible_and_the_future_is_too(name: str) -> None:
    model = TRANSLATORS[name]
    logits = model(SOURCE, INPUTS)
    alone = model(SOURCE[1:2, :2], INPUTS[1:2])
    torch.testing.assert_close(logits[1:2], alone, rtol=0, atol=1e-12)
    changed = INPUTS.clone()
    changed[:, 3] = 13
    torch.testing.assert_close(model(SOURCE, changed)[:, :3], logits[:, :3], rtol=0, atol=0)
    assert not torch.equal(model(SOURCE, changed)[:, 3], logits[:, 3])


@pytest.mark.parametrize("name", TRANSLATORS)
def test_every_parameter_receives_a_gradient(name: str) -> None:
    model = TRANSLATORS[name]
    model.zero_grad()
    model(SOURCE, INPUTS).sum(dim=1).square().sum().backward()
    assert not [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]


def test_the_attentional_decoder_is_made_of_the_attentional_state() -> None:
    model = TRANSLATORS["dot AttentionalDecoder"]
    (h, c), (keys, mask) = model.encode(SOURCE)  # type: ignore[operator]
    decoder = model.decoder
    state = AttentionalState(D, D).double()
    state.w = decoder.w  # type: ignore[union-attr,assignment]
    states, _ = decoder.lstm(decoder.embedding(INPUTS[:, :1]), (h[None], c[None]))  # type: ignore[operator,union-attr]
    expected, looked = state(states[:, 0], keys, keys, padding_mask(SOURCE, 0)[:, 0], need_weights=True)
    logits, _, weights = decoder(INPUTS[:, :1], (h, c), keys, mask, need_weights=True)  # type: ignore[operator]
    torch.testing.assert_close(logits[:, 0], decoder.readout(expected))  # type: ignore[operator]
    torch.testing.assert_close(weights[:, 0], looked)


def test_backwards_reads_the_words_of_each_sentence_from_its_end() -> None:
    model = TRANSLATORS["backwards"]
    turned = torch.tensor([[4, 8, 7, 6, 5], [10, 9, 0, 0, 0], [12, 11, 5, 0, 0]])
    torch.testing.assert_close(model.encode(SOURCE)[0][0], model.encoder(turned)[1][0])  # type: ignore[operator]


def test_greedy_decoding_follows_the_likeliest_word_and_stops_at_the_end() -> None:
    script = torch.tensor([[5, 6, 2, 9, 9], [2, 7, 7, 7, 7], [8, 8, 8, 2, 9]])  # (B, T)
    asked: list[list[int]] = []

    def step(words: Tensor, t: int) -> tuple[Tensor, int]:
        asked.append(words[:, 0].tolist())
        return torch.nn.functional.one_hot(script[:, t : t + 1], 10).float(), t + 1

    written = recurrent_greedy(step, 0, batch_size=3, bos_id=1, eos_id=2, max_length=9)
    assert written.tolist() == [[5, 6, 2, 2], [2, 2, 2, 2], [8, 8, 8, 2]]
    assert asked == [[1, 1, 1], [5, 2, 8], [6, 2, 8], [2, 2, 8]]
    assert recurrent_greedy(step, 0, 3, bos_id=1, eos_id=2, max_length=2).shape == (3, 2)


# ------------------------------------------------------------------------------------------------ the experiment

PARTS = recurrent_translation.Parts(
    lambda source, target: AttentionalTranslator(
        RecurrentEncoder(source, 32), AttentionalDecoder(target, 32, AdditiveScores(32, 32, 16), attend)
    ),
    teacher_forced_loss,
    clip_gradients,
    Vocabulary,
)


def test_the_same_steps_train_the_same_translator_and_leave_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    runs = [translation.learn(PARTS, 0, steps=5, count=500)[1].losses for _ in range(2)]
    assert runs[0] == runs[1]
    assert torch.equal(before, torch.random.get_rng_state())


def test_freed_memory_is_kept_where_the_c_library_can() -> None:
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")


def test_exact_match_counts_whole_sentences_by_length() -> None:
    class Oracle(nn.Module):
        """Knows the first half of the held-out translations."""

        def translate(self, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
            english, french = translation.vocabularies(Vocabulary)
            rows = [french.encode(known.get(tuple(english.decode(row)), ()))[1:] for row in source.tolist()]
            return torch.tensor([row + [eos_id] * (max_length - len(row)) for row in rows])

    held_out = translation.pairs("held_out", 10_000, 300)
    known = {pair.source: pair.target for pair in held_out if len(pair.source) <= 6}
    series = translation.exact_match(PARTS, Oracle(), 0, sentences=300)
    assert series["exact_match"] == [1.0] * 4 + [0.0] * 8
    assert series["short"] == [1.0]
    assert series["overall"] == [sum(len(pair.source) <= 6 for pair in held_out) / 300]


def test_weights_of_a_perfect_aligner_agree_and_the_diagonal_does_less() -> None:
    chosen = translation.pairs("held_out", 20_000, 100)
    by_source = {pair.source: pair for pair in chosen}
    english, _ = translation.vocabularies(Vocabulary)

    class Aligner(nn.Module):
        def weights(self, source: Tensor, inputs: Tensor) -> Tensor:
            pair = by_source[tuple(english.decode(source[0].tolist()))]
            weights = torch.zeros(1, inputs.size(1), source.size(1))
            for i, t in pair.alignment:
                weights[0, t, i] = 1.0
            return weights

    series = translation.agreement(PARTS, Aligner(), 0, sentences=100)
    assert series["attention"] == [1.0]
    assert 0.4 < series["diagonal"][0] < 1.0


def test_a_short_live_run_lands_in_the_recorded_interval() -> None:
    measured = recorded("recurrent_translators")["first_steps"]
    live = RECURRENT_TRANSLATORS["first_steps"](0)
    assert live.keys() == measured.keys()
    outside = [name for name, values in live.items() if not measured[name].covers(values, tolerance=0.1)]
    assert not outside, f"{outside} left the recorded interval: `make experiments`, and look at what changed"


@pytest.mark.slow
def test_without_the_shift_the_loss_is_too_good_too_early() -> None:
    def unshifted(
        model: nn.Module, optimizer: Any, scheduler: Any, source: Tensor, target: Tensor, pad_id: int, *settings: float
    ) -> float:
        smoothing, max_norm = settings
        words = target[:, 1:]
        loss = label_smoothed_loss(model.train()(source, words), words, pad_id, smoothing)
        optimizer.zero_grad()
        loss.backward()
        clip_gradients(model.parameters(), max_norm)
        optimizer.step()
        scheduler.step()
        return loss.item()

    schedule = training.rises_and_falls(training.SHORT_STEPS)
    last = [
        training.schedule_curve(step, Transformer, Vocabulary, schedule, seed=0)["loss"][-1]
        for step in (unshifted, train_step)
    ]
    assert last[0] < 0.5
    assert last[1] > 3
