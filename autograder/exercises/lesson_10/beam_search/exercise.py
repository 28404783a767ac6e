"""Exercise `beam_search`: keep the best few of all partial translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Outline
from autograder.exercises.lesson_10.scripts import (
    BOS,
    EOS,
    PAD,
    sources,
    that_show_most,
    two_words,
    uncertain,
)
from autograder.exercises.sampler import Sampler
from course_lib.checking.ask import ask as ask_questions
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, TranslationScript
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value


def _call(source: Tensor, max_length: int, width: int, alpha: float, special: tuple[int, int, int]) -> dict[str, Value]:
    _, bos_id, eos_id = special
    return {
        "model": "a table of random probabilities", "source": source, "bos_id": bos_id, "eos_id": eos_id, "max_length": max_length,
        "width": width, "alpha": alpha,
    }  # fmt: skip


def _question(
    name: str,
    table: Tensor,
    source: Tensor,
    max_length: int,
    width: int,
    alpha: float = 0.0,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
) -> TranslationScript:
    calls = [_call(source, max_length, width, alpha, special)]
    return TranslationScript(name, table, calls, pad_id=special[0], returns=["written", "scores"])


def _telling(
    sampler: Sampler,
    mistakes: Sequence[str],
    length: int,
    vocab: int,
    width: int,
    alpha: float = 0.0,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    *,
    count: int,
    end: float = 0.0,
    hidden: Sequence[str] = (),
) -> Tensor:
    """Return such a table for ``count`` sentences, in which each mistake changes at least one sentence.

    Two searches often find the same sentence, and only one in ten shows the subtler mistakes. Sample many sentences,
    and choose those that show the most.

    Args:
        hidden: mistakes that change no sentence.
    """
    source = sources(sampler, DRAWN, 2, special[0])
    while True:
        table = uncertain(sampler, DRAWN, length, vocab, special, end)
        asked = _question("many", table, source, length - 1, width, alpha, special)
        shown = torch.stack([_differing(asked, name) for name in mistakes])  # (mistakes, sentences)
        for name in hidden:
            shown = shown & ~_differing(asked, name)
        few = table[that_show_most(sampler, shown, count)]
        asked = _question("few", few, sources(sampler, count, 2, special[0]), length - 1, width, alpha, special)
        if all(_differing(asked, name).any() for name in mistakes):  # some depend on the other sentences of the batch
            return few


def _overtaken(sampler: Sampler) -> Tensor:
    """Return one sentence on which stopping with the best is too early. In a batch, other sentences would hide it."""
    while True:
        table = _telling(sampler, (*EARLY, *SUBTLE), 8, 6, 3, 1.0, count=1, hidden=(*UNFAIR, *CUT))
        asked = _question("one", table, sources(sampler, 1, 2), 7, 3, 1.0)
        if _differing(asked, "stops_with_the_best").any():
            return table


def _differing(asked: TranslationScript, mistake: str) -> Tensor:
    """Return for each sentence of a question (N,) whether a mistake writes another one than the reference."""
    pad_id, length = asked.pad_id, asked.table.size(1)
    definition = DEFINITIONS["beam_search"]
    wrong, right = (
        F.pad(written, (0, length - written.size(1)), value=pad_id)
        for written in (
            ask_questions([asked], definition.load(definition.implementation(name)))[asked.name].values["calls"][0][
                "written"
            ]
            for name in (mistake, "reference")
        )
    )
    return (wrong != right).any(dim=1)


def _on_paper(sampler: Sampler) -> Question:
    """Ask about two words. Greedy search takes the first, but the better sentence begins with the second."""
    table, described = two_words(sampler)
    question = _question("by_hand", table, sources(sampler, 1, 2), 4, 2)
    return replace(question, calls=[{**question.calls[0], "model": described}])


#: the number of sampled sentences, from which a few are chosen
DRAWN = 60


#: mistakes in the search itself, which only some sentences show
SUBTLE = ("greedy_whatever_the_width", "each_its_own_best", "history_not_taken_along", "ends_not_taken_along")


#: those that show only if short hypotheses compete with long ones
UNFAIR = ("penalty_at_the_end_only", "ended_ones_give_up_their_place")


#: those that show only if a sentence has not ended when it is cut
CUT = ("one_token_too_few", "one_token_too_many")


#: those that show only if a hypothesis ends early and something is written after its end
EARLY = ("ended_ones_go_on", "padding_costs", "ended_ones_dropped")


#: those that show only if sentences end at different steps
APART = ("ended_ones_go_on", "filled_with_the_end", "stops_with_the_first")


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about two words by hand, beams from width 1 to complete ones, three length penalties, and other ids.

    Models are unsure, so that a beam finds sentences that greedy decoding doesn't. Sentences are chosen to show the
    subtler mistakes if possible. The last question has two calls that differ in the first sentence.
    """
    yield _on_paper(sampler)
    yield _question("width_1", _telling(sampler, (*APART, *CUT), 7, 6, 1, count=3), sources(sampler, 3, 4), 6, 1)
    # if all end in time, finished hypotheses that wrongly grow longer show
    plain = _telling(sampler, (*SUBTLE, *EARLY, "sentences_mixed"), 8, 7, 3, count=5, hidden=CUT)
    yield _question("plain", plain, sources(sampler, 5, 6), 7, 3)
    searched = (*SUBTLE, *UNFAIR, *EARLY, *APART, *CUT)
    penalty = _telling(sampler, ("probabilities_added", *searched), 8, 7, 2, 1.0, count=6)
    yield _question("penalty", penalty, sources(sampler, 6, 3), 7, 2, 1.0)
    half_penalty = _telling(sampler, ("always_the_mean", *searched), 8, 6, 2, 0.5, count=6)
    yield _question("half_penalty", half_penalty, sources(sampler, 6, 4), 7, 2, 0.5)
    yield _question("overtaken", _overtaken(sampler), sources(sampler, 1, 4), 7, 3, 1.0)
    # with three words and four steps there are 121 sentences
    all_of_them = _telling(sampler, (*SUBTLE, *EARLY, *APART, *CUT), 5, 6, 130, 0.7, count=6)
    yield _question("all_of_them", all_of_them, sources(sampler, 6, 3), 4, 130, 0.7)
    cut_short = _telling(sampler, SUBTLE[:3], 4, 7, 2, 1.0, count=4, end=-3.0)
    yield _question("cut_short", cut_short, sources(sampler, 4, 5), 3, 2, 1.0)
    pad_id, bos_id, eos_id = sampler.shuffled((3, 4, 5))
    special = (pad_id, bos_id, eos_id)
    other_ids = _telling(sampler, searched, 7, 7, 3, 0.6, special, count=6)
    yield _question("other_ids", other_ids, sources(sampler, 6, 5, pad_id), 6, 3, 0.6, special)
    table, source = uncertain(sampler, 3, 6, 7), sources(sampler, 3, 4)
    # a hypothesis of the last sentence has another number in the batch than its sentence
    calls = [_call(source[[other, 0]], 5, 2, 0.0, (PAD, BOS, EOS)) for other in (1, 2)]
    yield TranslationScript("neighbours", table, calls, pad_id=PAD, returns=["written", "scores"])


WRITTEN, SCORES = {"fields": ["calls/0/written"]}, {"fields": ["calls/0/scores"]}


BOTH = {"fields": ["calls/0/written", "calls/0/scores"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "with width 2 the sentence that greedy decoding misses comes out right, and its log-probability", 0.75, BOTH),
    Check("width_1", equals_reference, "width_1", "with width 1 sentences come out right, as in greedy decoding", 0.5, WRITTEN),
    Check("equals_plain", equals_reference, "plain", "with width 3, five sentences come out right", 1.0, WRITTEN),
    Check("scores", equals_reference, "plain", "with width 3, the scores of five sentences are right: their log-probabilities", 0.25, SCORES),
    Check("penalty", equals_reference, "penalty", "with `alpha=1` the sentences are right: the best mean log-probability wins", 0.75, WRITTEN),
    Check("penalty_scores", equals_reference, "penalty", "with `alpha=1` the scores are right: means, where the end counts as a token and the begin does not", 0.5, SCORES),
    Check("half_penalty", equals_reference, "half_penalty", "with `alpha=0.5` sentences and scores are right: the sum is divided by the root of the length", 0.5, BOTH),
    Check("overtaken", equals_reference, "overtaken", "a longer hypothesis that overtakes one that ended early comes out right", 0.25, BOTH),
    Check("all_of_them", equals_reference, "all_of_them", "with a width greater than the number of sentences, the best of all comes out right", 0.5, BOTH),
    Check("cut_short", equals_reference, "cut_short", "after `max_length` tokens the best comes out right, ended or not", 0.25, BOTH),
    Check("other_ids", equals_reference, "other_ids", "other ids for padding, begin and end come out right", 0.25, BOTH),
    Check("sentences_apart", unmoved, "neighbours", "other sentences in the batch leave the last one's score as it is", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [1]}, needs="scores"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=45,
    checks=CHECKS,
    hints=(
        "Do it on paper first: two words, width 2, three steps. Write down for each hypothesis its words, its sum, and whether it has ended.",
        "Five things per hypothesis: words (B, K, t), sum, length and ended (B, K each), score. `decode` reads B·K rows, and of each sentence the memory and mask K times over. A step: log-probabilities (B, K, V); those of ended ones replaced; add; divide; "
        "flatten to (B, K·V); `topk`; `parent = best // V`, `token = best % V`; all five taken over from the parent.",
        "Ended ones: `steps = torch.where(ended.unsqueeze(2), stay, steps)` with `stay` −∞ everywhere and 0 at `pad_id`. Begin with K = 1 hypothesis a sentence, keep `min(width, K * V)`. "
        "Re-order with `gather(1, parent)`. The best is number 0.",
    ),
    ask=ask,
)
