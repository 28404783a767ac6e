"""Lesson 09: the Transformer as a translator, trained with a step of one's own, and the lesson's experiments."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import autograder
from benchmarks.translators import EXPERIMENTS, transformer_parts
from course_lib import check
from course_lib.components import (
    Transformer,
    Vocabulary,
    corpus_bleu,
    greedy_decode,
    label_smoothed_loss,
    train_step,
    warmup_schedule,
)
from course_lib.corpus import Pair
from course_lib.experiments import recorded, recurrent_translation, training, translation
from course_lib.experiments.mystery_loss import mystery_loss
from course_lib.experiments.series import Interval
from course_lib.experiments.transformer_translator import TRAINING, TransformerTranslator, translator_of
from course_lib.training import NonFiniteLossError, TranslationBatches, repeat_step

transformer = translator_of(Transformer)
SOURCE = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])  # (B, S)
INPUTS = torch.tensor([[1, 8, 5], [1, 4, 9]])  # (B, T)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_the_same_steps_train_the_same_transformer_and_leave_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    runs = [translation.learn(transformer_parts(batch_size=80), 0, steps=3, count=100)[1].losses for _ in range(2)]
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


# a step of one's own


def test_steps_of_one_s_own_train_what_the_course_s_loop_trains_bit_for_bit() -> None:
    parts = transformer_parts(batch_size=80, steps=5)
    by_the_loop, theirs = translation.learn(parts, 0, count=100)
    by_steps, mine = training.learn(train_step, Transformer, Vocabulary, 0, steps=5, batch_size=80, count=100)
    assert mine.losses == theirs.losses
    for (name, weight), other in zip(by_steps.named_parameters(), by_the_loop.parameters(), strict=True):
        assert torch.equal(weight, other), name


def test_a_step_is_repeated_through_the_batches_again_and_again() -> None:
    seen: list[int] = []

    def step(batch: int) -> float:
        seen.append(batch)
        return 1.0 / batch

    history = repeat_step(step, [1, 2, 3], steps=7, progress=False)
    assert seen == [1, 2, 3, 1, 2, 3, 1]
    assert history.losses == [1.0, 1 / 2, 1 / 3, 1.0, 1 / 2, 1 / 3, 1.0]
    assert history.seconds == sorted(history.seconds)


def test_a_loss_that_is_no_number_ends_the_training_with_a_sentence() -> None:
    with pytest.raises(NonFiniteLossError, match="The loss of step 2 is nan"):
        repeat_step(lambda batch: batch, [1.0, math.nan, 1.0], steps=3, progress=False)


# what the lesson says


def test_a_smoothed_loss_cannot_fall_below_its_floor_and_free_logits_reach_it() -> None:
    size = 1111
    for smoothing in (0.05, 0.1, 0.3):
        wanted = torch.full((size,), smoothing / size, dtype=torch.float64)
        wanted[1] += 1 - smoothing
        floor = label_smoothed_loss(wanted.log()[None, None], torch.tensor([[1]]), 0, smoothing).item()
        assert training.smoothed_floor(smoothing, size) == pytest.approx(floor, rel=1e-9)
        free = training.say_one_word(label_smoothed_loss, smoothing, size)
        assert floor - 1e-5 < free["loss"][-1] < floor + 0.01
        assert free["lead"][-1] == pytest.approx(math.log(wanted[1] / wanted[2]), abs=0.4)
    assert training.smoothed_floor(0.0, size) == 0
    plain = training.say_one_word(label_smoothed_loss, 0.0, size)
    assert plain["lead"] == sorted(plain["lead"])
    assert plain["probability"][-1] > 0.99


def test_the_paper_s_peak_is_where_the_lesson_says() -> None:
    assert warmup_schedule(4000, 512, 4000) == pytest.approx(7e-4, abs=5e-6)
    assert warmup_schedule(400, 512, 400) > warmup_schedule(4000, 512, 4000)


def test_all_schedules_have_the_same_highest_rate() -> None:
    for name, schedule in training.schedules(warmup_schedule).items():
        rates = [schedule(step) for step in range(training.SHORT_STEPS)]
        assert max(rates) == pytest.approx(TRAINING["learning_rate"]), name
        assert (rates[0] == rates[5]) == (name == "constant")


def test_batches_in_order_of_length_hold_hardly_any_padding() -> None:
    shares = training.padding_by_batch_size(seed=7)
    assert shares["at random"][0] == shares["in order"][0] == 0
    assert max(shares["in order"][:5]) < 0.08
    assert shares["at random"][4] > 0.4


def test_batches_in_tokens_hold_about_as_many_and_every_pair_once() -> None:
    english, french = translation.vocabularies(Vocabulary)
    pairs = translation.pairs("train", 3, 900)
    batches = TranslationBatches(pairs, english, french, 100, seed=0, in_tokens=True)
    seen: list[tuple[int, ...]] = []
    places = []
    for batch in batches:
        places.append(batch.targets.size(0) * (batch.targets.size(1) + 1))
        seen += [tuple(row) for row in batch.source.tolist()]
        if len(seen) == len(pairs):
            break
    assert max(places) <= 100
    assert sum(places) / len(places) > 80
    words = sorted(tuple(i for i in row if i) for row in seen)
    assert words == sorted(tuple(english.encode(pair.source)[1:-1]) for pair in pairs)


def test_one_batch_is_learned_by_heart_down_to_the_floor() -> None:
    english, french = translation.vocabularies(Vocabulary)
    torch.manual_seed(0)
    model = transformer(len(english), len(french))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    pairs = translation.pairs("train", 0, 4000)[:8]
    batch = next(iter(TranslationBatches(pairs, english, french, 8, seed=0)))
    whole = torch.cat([batch.inputs[:, :1], batch.targets], dim=1)
    losses = [train_step(model, optimizer, scheduler, batch.source, whole, 0, 0.1) for _ in range(60)]
    floor = training.smoothed_floor(0.1, len(french))
    assert floor < losses[-1] < floor + 0.25


def test_content_words_are_the_open_classes() -> None:
    words = training.content_words()
    assert {"teacher", "teachers", "tired", "sings", "marie"} <= words
    assert words.isdisjoint({"the", "not", "he", "and", "that", "."})


class Aligner(nn.Module):
    """Four heads in two layers: the first head knows the gold alignment, the others look at the first word."""

    def __init__(self) -> None:
        super().__init__()
        chosen = translation.pairs("held_out", 20_000, 60)
        english, _ = translation.vocabularies(Vocabulary)
        self.known = {tuple(english.encode(pair.source)[1:-1]): pair for pair in chosen}

    def heads(self, source: Tensor, inputs: Tensor) -> Tensor:
        pair = self.known[tuple(source[0].tolist())]
        weights = torch.zeros(2, 1, 2, inputs.size(1), source.size(1))  # (layers, B, H, T, S)
        weights[..., 0] = 0.4
        for i, t in pair.alignment:
            weights[:, :, 0, t, i] = 1.0
        return weights


def test_a_head_that_knows_the_alignment_agrees_always() -> None:
    shares = training.agreement_by_head(Aligner(), Vocabulary, translation.pairs("held_out", 20_000, 60))
    assert shares["layer 1"][0] == shares["layer 2"][0] == 1.0
    assert shares["layer 1"][1] < 0.3
    assert 0.5 < shares["diagonal"][0] < 1.0


def test_scores_by_split_are_those_of_the_score_itself() -> None:
    class Oracle(nn.Module):
        """Knows every translation but those of the longer splits."""

        def translate(self, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
            english, french = translation.vocabularies(Vocabulary)
            rows = [french.encode(known.get(tuple(english.decode(row)), ("chat",)))[1:] for row in source.tolist()]
            return torch.tensor([row + [eos_id] * (max_length - len(row)) for row in rows])

    known = {
        pair.source: pair.target
        for split in ("held_out", "held_out_combinations")
        for pair in translation.pairs(split, 10_000, 40)  # type: ignore[arg-type]
    }
    series = translation.scores_by_split(transformer_parts(), Oracle(), corpus_bleu, 0, sentences=40)
    assert series["exact_match"] == [100.0, 100.0, 0.0, 0.0]
    assert series["bleu"] == [pytest.approx(100.0), pytest.approx(100.0), 0.0, 0.0]


def test_the_mystery_is_the_registered_misconception_and_right_without_padding() -> None:
    assert autograder.grade("label_smoothed_loss", mystery_loss).misconception == "padding_pays_the_smoothing"
    assert 0 < check("label_smoothed_loss", mystery_loss) < 2
    logits, labels = torch.randn(2, 4, 9), torch.tensor([[5, 2, 4, 7], [3, 8, 6, 1]])
    theirs = F.cross_entropy(logits.transpose(1, 2), labels, label_smoothing=0.3)
    torch.testing.assert_close(mystery_loss(logits, labels, 0, 0.3), theirs)


# what was recorded

MEASURED = recorded("09_training")


def test_everything_recorded_is_an_experiment_and_the_reverse() -> None:
    assert MEASURED.keys() == EXPERIMENTS.keys()


def test_a_short_live_run_lands_in_the_recorded_interval() -> None:
    live, measured = EXPERIMENTS["first_steps"](0), MEASURED["first_steps"]
    assert live.keys() == measured.keys()
    outside = [name for name, values in live.items() if not measured[name].covers(values, tolerance=0.1)]
    assert not outside, f"{outside} left the recorded interval: `make experiments`, and look at what changed"


def test_the_three_translators_had_about_the_same_time() -> None:
    recurrent = recorded("recurrent_translators")
    three = recurrent["without_attention"], recurrent["additive"], MEASURED["transformer"]
    seconds = [series["seconds"].median[0] for series in three]
    assert max(seconds) < 1.3 * min(seconds)


def test_the_transformer_is_a_little_ahead_and_at_fourteen_tokens_nobody_is() -> None:
    additive, transformer = recorded("recurrent_translators")["additive"], MEASURED["transformer"]
    lead = transformer["overall"].median[0] - additive["overall"].median[0]
    assert 0 < lead < additive["overall"].high[0] - additive["overall"].low[0]
    at_14 = transformer["length"].median.index(14)
    assert additive["exact_match"].low[at_14] < transformer["exact_match"].high[at_14]
    assert transformer["exact_match"].low[at_14] < additive["exact_match"].high[at_14]
    one_state = recorded("recurrent_translators")["without_attention"]
    at_12 = one_state["length"].median.index(12)
    assert one_state["exact_match"].high[at_12] < 0.2
    assert transformer["exact_match"].low[at_12] > 0.6


def test_longer_sentences_are_out_of_reach_and_new_combinations_are_not() -> None:
    held_out, combinations, longer, deeper = MEASURED["transformer_by_split"]["exact_match"].median
    assert held_out > 95
    assert held_out > combinations > 93
    assert max(longer, deeper) < 5
    twice = MEASURED["two_minutes_by_split"]["exact_match"].median
    assert twice[0] > 98
    assert 100 - twice[1] < 0.65 * (100 - combinations)
    four_times = MEASURED["four_minutes_by_split"]["exact_match"].median
    assert min(four_times[:2]) > 98
    assert 100 - four_times[1] < 0.5 * (100 - twice[1])
    assert MEASURED["four_minutes"]["seconds"].high[0] < 240
    assert max(four_times[2:]) < 8
    assert max(twice[2:]) < 6
    recurrent = MEASURED["additive_by_split"]["exact_match"].median
    assert 2 * longer < recurrent[2] < 10


def test_new_combinations_cost_the_transformer_less_than_the_length_of_their_sentences() -> None:
    new = translation.pairs("held_out_combinations", 10_000, 2000)
    recurrent = recorded("recurrent_translators")
    novelty = {}
    for name, by_length in (("transformer", MEASURED["transformer"]), ("one_state", recurrent["without_attention"])):
        held_out, combined = MEASURED[f"{name}_by_split"]["exact_match"].median[:2]
        as_long = 100 * translation.at_their_lengths(by_length, new)
        novelty[name] = as_long - combined
        assert held_out > as_long > combined
    held_out, combined = MEASURED["transformer_by_split"]["exact_match"].median[:2]
    assert 3 < held_out - combined < 4
    assert 1 < novelty["transformer"] < 1.9
    assert novelty["one_state"] > 10


def test_what_is_right_at_their_lengths_is_a_mean_over_the_sentences() -> None:
    series = {"length": [3.0, 4.0], "exact_match": [1.0, 0.5]}
    by_length = {name: Interval(values, values, values) for name, values in series.items()}
    sentences = [Pair(source=("a",) * length, target=()) for length in (3, 4, 4, 4)]
    assert translation.at_their_lengths(by_length, sentences) == 0.625


def test_the_second_layer_looks_at_the_aligned_word_and_the_first_as_the_seed_has_it() -> None:
    measured = MEASURED["agreement"]
    assert measured["layer 2"].low[0] > 0.98
    assert measured["layer 1"].high[0] - measured["layer 1"].low[0] > 0.2
    assert measured["diagonal"].high[0] < 0.75


def test_without_warm_up_the_pre_norm_model_is_ahead_after_a_short_run() -> None:
    constant = MEASURED["constant"]["loss"].median[-1]
    for name in training.schedules(warmup_schedule):
        assert name == "constant" or MEASURED[name]["loss"].median[-1] > constant


def test_the_mystery_trains_as_well() -> None:
    theirs, right = MEASURED["mystery"]["loss"].median[-1], MEASURED["smoothed"]["loss"].median[-1]
    assert abs(theirs - right) < 0.05


@pytest.mark.slow
def test_no_sentence_that_is_reported_is_chosen_by() -> None:
    chosen = {pair.source for pair in translation.development()}
    reported = {pair.source for seed in range(5) for pair in translation.pairs("held_out", 10_000 + seed, 2000)}
    trained = {pair.source for pair in translation.pairs("train", 0, 20_000)}
    assert len(translation.development()) == 1000
    assert not chosen & reported and not chosen & trained


def test_learning_rates_around_the_one_in_use_do_as_well_on_the_dev_set() -> None:
    tried = MEASURED["transformer_chosen"]
    assert 3e-3 in tried["rate"].median
    assert max(tried["right"].median) - min(tried["right"].median) < min(
        high - low for high, low in zip(tried["right"].high, tried["right"].low, strict=True)
    )
