"""Decoding: a beam of all is exhaustive search, a beam of one is greedy, a cache changes nothing."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from keys import SAMPLERS, key_of, wrong_before
from torch import Tensor, nn

import autograder
from autograder.exercises import DEFINITIONS
from autograder.exercises.lesson_10.beam_search.exercise import ask as beam_questions
from autograder.exercises.lesson_10.beam_search_sentence.exercise import ask as sentence_questions
from autograder.exercises.sampler import Sampler
from course_lib import components, own_parts
from course_lib.checking.ask import ask
from course_lib.checking.judge import judge
from course_lib.checking.questions import TranslationScript
from course_lib.checking.scripted import ScriptedModel
from course_lib.checking.values import decode, encode
from course_lib.components.beam_search import beam_search
from course_lib.components.beam_search_sentence import beam_search_sentence
from course_lib.components.cached_decoder import CachedDecoder
from course_lib.components.corpus_bleu import corpus_bleu
from course_lib.components.greedy_decode import greedy_decode
from course_lib.components.recurrent_decoder import RecurrentDecoder
from course_lib.components.recurrent_greedy import recurrent_greedy
from course_lib.components.teacher_forced_loss import teacher_forced_loss
from course_lib.components.transformer import Transformer
from course_lib.components.vocabulary import Vocabulary
from course_lib.contents import public_exercises
from course_lib.corpus import generate
from course_lib.course import Course
from course_lib.experiments import decoding as experiments
from course_lib.experiments import recorded
from course_lib.experiments.mystery_beam import mystery_beam_search
from course_lib.own_parts.shadow import PACKAGE
from course_lib.session import CURRENT
from course_lib.translator import load_translator

PAD, BOS, EOS = 0, 1, 2
PARTS = experiments.Parts(
    Transformer, Vocabulary, teacher_forced_loss, corpus_bleu, beam_search, CachedDecoder, RecurrentDecoder
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def unsure(count: int, length: int, vocab: int, seed: int = 0) -> tuple[ScriptedModel, Tensor]:
    """A scripted model that is never sure, and a sentence (B, 1) for each of its scripts."""
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(count, length + 1, vocab, vocab, generator=generator, dtype=torch.float64)
    table[..., [PAD, BOS]] = -40.0
    return ScriptedModel(table, PAD), torch.arange(count).unsqueeze(1) + 3 * count


# beam search


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_a_beam_that_holds_every_sentence_finds_the_best_of_all(alpha: float) -> None:
    words, longest = (3, 4, 5), 4
    model, source = unsure(60, longest, 6)
    ended = [[*s, EOS] for n in range(longest) for s in itertools.product(words, repeat=n)]
    sentences = ended + [list(s) for s in itertools.product(words, repeat=longest)]
    found, scores = beam_search(model, source, BOS, EOS, longest, len(sentences) + 5, alpha)
    best = torch.full((60,), -math.inf, dtype=torch.float64)
    winners: list[list[int]] = [[] for _ in range(60)]
    for sentence in sentences:
        target = torch.tensor([[BOS, *sentence]]).expand(60, -1)
        steps = model(source, target[:, :-1]).log_softmax(dim=-1).gather(2, target[:, 1:, None])
        score = steps.sum(dim=(1, 2)) / len(sentence) ** alpha
        for number in (score > best).nonzero().flatten().tolist():
            best[number], winners[number] = score[number], sentence
    torch.testing.assert_close(scores, best, rtol=0, atol=1e-10)
    assert [[i for i in row if i != PAD] for row in found.tolist()] == winners


@pytest.mark.slow
def test_a_beam_of_one_is_greedy_decoding_on_500_sentences() -> None:
    trained = experiments.shipped(PARTS)
    source = experiments.sources(trained, list(islice(generate(5, "held_out"), 500)))
    greedy = greedy_decode(trained.model, source, BOS, EOS, 40)
    for alpha in (0.0, 1.0):
        assert torch.equal(beam_search(trained.model, source, BOS, EOS, 40, 1, alpha)[0], greedy)


def test_a_score_is_the_log_probability_of_what_is_returned() -> None:
    model, source = unsure(40, 6, 7)
    for width in (1, 2, 3, 9):
        found, scores = beam_search(model, source, BOS, EOS, 6, width)
        targets = torch.cat([torch.full((40, 1), BOS), found], dim=1)
        steps = model(source, targets[:, :-1]).log_softmax(dim=-1).gather(2, found.unsqueeze(2)).squeeze(2)
        torch.testing.assert_close(scores, (steps * (found != PAD)).sum(dim=1), rtol=0, atol=1e-10)


def test_the_beam_of_one_sentence_is_that_of_a_batch() -> None:
    model, source = unsure(50, 7, 7)
    for width in (1, 2, 3, 4):
        found, scores = beam_search(model, source, BOS, EOS, 7, width)
        for sentence, row, score in zip(source, found.tolist(), scores.tolist(), strict=True):
            written, own_score = beam_search_sentence(model, sentence.unsqueeze(0), BOS, EOS, 7, width)
            assert written == [i for i in row if i != PAD]
            assert own_score == pytest.approx(score, abs=1e-10)


def test_a_beam_of_one_sentence_that_holds_every_sentence_finds_the_best_of_all() -> None:
    words, longest = (3, 4, 5), 3
    model, source = unsure(30, longest, 6)
    ended = [[*s, EOS] for n in range(longest) for s in itertools.product(words, repeat=n)]
    sentences = ended + [list(s) for s in itertools.product(words, repeat=longest)]
    for one in source.unsqueeze(1):
        scores = []
        for sentence in sentences:
            steps = model(one, torch.tensor([[BOS, *sentence[:-1]]]))[0].log_softmax(dim=-1)
            scores.append(float(steps[range(len(sentence)), sentence].sum()))
        written, score = beam_search_sentence(model, one, BOS, EOS, longest, len(sentences))
        assert written == sentences[scores.index(max(scores))]
        assert score == pytest.approx(max(scores), abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked"), [("beam_search", beam_questions), ("beam_search_sentence", sentence_questions)]
)
def test_the_probabilities_a_card_shows_are_those_of_the_script(
    name: str, asked: Callable[[Sampler], Iterator[TranslationScript]]
) -> None:
    for sampler in SAMPLERS.values():
        question = next(iter(asked(sampler(name))))
        probabilities = question.table[0, 0].exp()
        for clause in question.calls[0]["model"].split("; "):
            before, likely = clause.removeprefix("after ").split(": ")
            for word, probability in (one.split(" with ") for one in likely.split(", ")):
                assert float(probabilities[int(before), int(word)]) == pytest.approx(float(probability), abs=0.005)


# the cache


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
def test_every_cached_step_equals_the_full_forward(norm_first: bool) -> None:
    torch.manual_seed(0)
    model = Transformer(9, 11, 12, 3, 2, 10, 16, dropout=0.0, norm_first=norm_first).double().eval()
    memory, memory_mask = model.encode(torch.tensor([[3, 4, 5, 2], [6, 2, PAD, PAD], [8, 7, 2, PAD]]))
    target = torch.randint(3, 11, (3, 16))
    cached = CachedDecoder(model, memory, memory_mask)
    for t in range(16):
        full = model.decode(target[:, : t + 1], memory, memory_mask)[:, -1]
        torch.testing.assert_close(cached.step(target[:, t]), full, rtol=0, atol=1e-10)


def cached_greedy(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    decoder = CachedDecoder(model, *model.encode(source))
    return recurrent_greedy(
        lambda words, state: (decoder.step(words[:, 0]).unsqueeze(1), state),
        None,
        len(source),
        bos_id,
        eos_id,
        max_length,
    )


@pytest.mark.slow
def test_500_translations_are_the_same_with_the_cache() -> None:
    trained = experiments.shipped(PARTS)
    source = experiments.sources(trained, list(islice(generate(6, "held_out"), 500)))
    found = [decode(trained.model, source, BOS, EOS, 40).tolist() for decode in (greedy_decode, cached_greedy)]
    again, kept = ([trained.french.decode(row) for row in rows] for rows in found)
    assert again == kept


#: what stops the decoder at its second token or its second sentence: an error alone tells of no cause
STOPPING = {"keys_without_values", "values_without_keys", "shared_by_all_translations"}

#: laws of the decoder that nobody can see over a mistake in the layer: some wrong decoder answers like a right one
KEPT_APART = {"equals_plain", "padded", "post_norm", "kept", "again"}
HIDDEN = {
    "nothing_kept": KEPT_APART,  # where a layer keeps nothing, all may share one cache
    "worked_out_again": KEPT_APART,
    "written_in_place_of_memory": {"padded"},  # where the memory is not read, nor is its mask
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("wrong", sorted({m.name for m in DEFINITIONS["cached_layer"].mistakes} - STOPPING))
def test_a_mistake_in_the_layer_is_not_charged_again_in_the_decoder(wrong: str, sampler: str) -> None:
    layer, decoder = DEFINITIONS["cached_layer"], DEFINITIONS["cached_decoder"]
    mistaken = layer.load(layer.implementation(wrong))
    answers = ask(key_of(decoder.id, sampler).questions, decoder.load(decoder.reference, {"CachedLayer": mistaken}))
    found = judge(key_of(decoder.id, sampler), answers, wrong_before({"cached_layer": wrong}))
    seen = (check.points for check in decoder.exercise.checks if check.name not in HIDDEN.get(wrong, ()))
    assert found.score == pytest.approx(sum(seen))
    assert found.carried == ("cached_layer", wrong)


# what crosses between processes


def test_a_number_taken_out_of_a_larger_array_can_be_stored() -> None:
    tensors: dict[str, Tensor] = {}
    scores = torch.arange(6.0).view(1, 6)[:, 2]  # one number, and a stride of 6
    assert torch.equal(decode(encode(scores, tensors), tensors), scores)


# the lesson's experiments

MEASURED, CACHED = recorded("10_search"), recorded("11_your_translator")


@pytest.fixture(scope="module")
def ambiguous() -> experiments.Trained:
    """One seed of the lesson's noisy translator: the recorded budget, since a shorter one learns other synonyms."""
    torch.set_num_threads(1)
    return experiments.further_trained(PARTS, seed=0)


def test_everything_recorded_is_an_experiment_and_the_reverse() -> None:
    assert MEASURED.keys() == experiments.SEARCH.keys()
    assert CACHED.keys() == experiments.CACHE.keys()


@pytest.mark.slow
def test_on_the_clean_corpus_nothing_changes() -> None:
    live = experiments.by_width(
        PARTS, experiments.shipped(PARTS), experiments.held_out(0, synonyms=False), widths=(1, 8)
    )
    assert live["empty"] == [0.0, 0.0]
    assert abs(live["bleu"][0] - live["bleu"][1]) < 1
    assert MEASURED["clean"]["bleu"].low[0] - 0.5 <= live["bleu"][0] <= MEASURED["clean"]["bleu"].high[0] + 0.5


@pytest.mark.slow
def test_wide_beams_end_in_empty_sentences_and_a_penalty_restores_them(ambiguous: experiments.Trained) -> None:
    pairs, noisy = experiments.held_out(0, synonyms=True), MEASURED["noisy"]
    plain = experiments.by_width(PARTS, ambiguous, pairs, widths=(1, 8))
    fair = experiments.by_width(PARTS, ambiguous, pairs, alpha=1.0, widths=(8,))
    places = [noisy["width"].median.index(width) for width in (1.0, 8.0)]
    for place, empty, bleu in zip(places, plain["empty"], plain["bleu"], strict=True):
        assert noisy["empty"].low[place] - 0.06 <= empty <= noisy["empty"].high[place] + 0.06
        assert noisy["bleu"].low[place] - 5 <= bleu <= noisy["bleu"].high[place] + 5
    assert plain["empty"][0] <= 0.02 and plain["empty"][1] >= 0.1
    assert fair["empty"][0] <= 0.02 and fair["bleu"][0] > plain["bleu"][1] + 5


def test_over_every_recorded_seed_it_is_the_same() -> None:
    noisy = MEASURED["noisy"]
    assert noisy["empty"].low[-1] > noisy["empty"].high[0]
    assert noisy["bleu"].high[-1] < noisy["bleu"].low[0]
    assert max(noisy["empty_with_penalty"].high) <= 0.04
    assert max(MEASURED["clean"]["empty"].high) == 0


def test_reading_everything_again_grows_faster_than_the_cache() -> None:
    names = ("recomputed", "cached", "recurrent")
    runs = [experiments.time_by_length(PARTS, 0, lengths=(8, 96)) for _ in range(3)]
    live = {name: [min(times) for times in zip(*(run[name] for run in runs), strict=True)] for name in names}
    growth = {name: live[name][1] / live[name][0] for name in names}
    assert growth["recomputed"] > 1.5 * growth["cached"]
    assert live["recomputed"][1] > live["cached"][1] > live["recurrent"][1]
    assert CACHED["time_by_length"]["recomputed"].low[-1] > 2 * CACHED["time_by_length"]["cached"].high[-1]


@pytest.mark.slow
def test_the_mystery_is_the_registered_misconception() -> None:
    assert autograder.grade("beam_search", mystery_beam_search).misconception == "ended_ones_grow_longer"


@pytest.mark.slow
def test_the_mystery_translates_the_clean_corpus_and_not_the_noisy_one(ambiguous: experiments.Trained) -> None:
    mystery = replace(PARTS, beam_search=mystery_beam_search)
    clean = experiments.held_out(0, synonyms=False)[:20]
    yours, theirs = (
        experiments.by_width(parts, experiments.shipped(PARTS), clean, alpha=1.0, widths=(4,))
        for parts in (PARTS, mystery)
    )
    assert abs(yours["bleu"][0] - theirs["bleu"][0]) < 1
    noisy = experiments.by_width(mystery, ambiguous, experiments.held_out(0, synonyms=True), alpha=1.0, widths=(1, 4))
    assert noisy["empty"][0] <= 0.02 and noisy["empty"][1] >= 0.1


def test_experiments_leave_the_global_generator_alone() -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    experiments.time_by_length(PARTS, 0, lengths=(2,))
    experiments.further_trained(PARTS, 0, steps=1)
    assert torch.equal(before, torch.random.get_rng_state())


# your own translator


@pytest.fixture(scope="module")
def home(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Solved notebooks of every lesson there is."""
    home = tmp_path_factory.mktemp("solved") / "notebooks"
    for lesson in course.lessons:
        (home / lesson).mkdir(parents=True)
        shutil.copy(course.solution_notebook(lesson), home / lesson / f"{lesson}.ipynb")
    return home


@pytest.fixture(autouse=True)
def _reference_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(CURRENT, "lesson", "")
    yield
    own_parts.use(False)


def owners(network: nn.Module) -> dict[str, bool]:
    """Of each class that the network is made of and that the course has: whether it is the student's."""
    kinds = {type(module) for module in network.modules()}
    return {
        kind.__name__: kind.__module__.startswith(PACKAGE)
        for kind in kinds
        if kind.__module__.split(".")[0] in (PACKAGE, "course_lib")
    }


@pytest.mark.slow
def test_solved_notebooks_make_a_translator_that_translates_like_the_reference(home: Path) -> None:
    pairs = list(islice(generate(4, "held_out"), 30))
    reference = load_translator(Transformer, greedy_decode)
    expected = [reference.translate_tokens(pair.source) for pair in pairs]
    parts = own_parts.use(folder=home)
    assert {part.symbol for part in parts.parts} == {e.symbol for e in public_exercises() if not e.on_paper}
    assert parts.complete, [f"{part.symbol}: {part.why}" for part in parts.parts if not part.yours]

    mine = load_translator(components.Transformer, components.greedy_decode)
    written = {d.exercise.symbol for d in DEFINITIONS.values()}
    of_whom = owners(mine.network)
    assert of_whom == {name: name in written for name in of_whom}  # what no exercise asks for is the reference's
    assert {"MultiHeadAttention", "PositionEmbedding", "LayerNorm", "Transformer"} <= {
        n for n, own in of_whom.items() if own
    }
    assert components.greedy_decode.__module__ == f"{PACKAGE}.greedy_decode"

    source, target = (experiments.sources(experiments.shipped(PARTS), pairs), torch.randint(3, 1000, (30, 9)))
    with torch.no_grad():
        torch.testing.assert_close(mine.network(source, target), reference.network(source, target), rtol=0, atol=1e-4)
    searches = (
        components.greedy_decode,
        lambda *given: components.beam_search(*given, 3, 0.5)[0],
        lambda *given: components.beam_search(*given, 1)[0],
    )
    for search in searches:
        mine.decode = search
        assert [mine.translate_tokens(pair.source) for pair in pairs] == expected
    memory, memory_mask = mine.network.encode(source)  # type: ignore[operator]
    cached = components.CachedDecoder(mine.network, memory, memory_mask)  # type: ignore[arg-type]
    for t in range(5):
        full = mine.network.decode(target[:, : t + 1], memory, memory_mask)[:, -1]  # type: ignore[operator]
        torch.testing.assert_close(cached.step(target[:, t]), full, rtol=0, atol=1e-4)


@pytest.mark.slow
def test_what_is_missing_is_the_reference_and_is_named(home: Path, tmp_path: Path) -> None:
    some = tmp_path / "notebooks"
    for lesson in ("03_self_attention", "10_search"):
        shutil.copytree(home / lesson, some / lesson)
    parts = {part.symbol: part for part in own_parts.use(folder=some).parts}
    assert parts["greedy_decode"].yours and parts["scaled_dot_product_attention"].yours
    assert parts["MultiHeadAttention"].why == "not found: there is no 04_multi_head_attention.ipynb"
    mine = load_translator(components.Transformer, components.greedy_decode)
    assert not owners(mine.network)["MultiHeadAttention"]
    assert mine.translate("The cat sleeps.") == load_translator().translate("The cat sleeps.")
