"""Exercise `beam_search_sentence`: keep the best few partial translations of one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

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
    words,
)
from autograder.exercises.sampler import Sampler
from course_lib.checking.ask import ask as ask_questions
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, TranslationScript
from course_lib.checking.rules import equals_reference, inputs_unchanged
from course_lib.checking.values import Value


def _question(
    name: str,
    table: Tensor,
    source: Tensor,
    max_length: int,
    width: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    described: str = "a table of random probabilities",
) -> TranslationScript:
    """Return a question with a call for each sentence of a padded batch, without its padding."""
    pad_id, bos_id, eos_id = special
    calls: list[dict[str, Value]] = [
        {
            "model": described, "source": row[row != pad_id].unsqueeze(0), "bos_id": bos_id, "eos_id": eos_id,
            "max_length": max_length, "width": width,
        }
        for row in source
    ]  # fmt: skip
    return TranslationScript(name, table, calls, pad_id=pad_id, returns=["written", "score"])


def _telling(
    sampler: Sampler,
    name: str,
    max_length: int,
    vocab: int,
    width: int,
    *,
    mistakes: Sequence[str],
    hidden: Sequence[str] = (),
    apart: Sequence[str] = (),
    count: int,
    longest: int,
    end: float = -1.0,
) -> TranslationScript:
    """Return a question about ``count`` sentences, in which each mistake changes at least one of them.

    Two searches often find the same sentence. Sample many sentences, and choose those that show the most.

    Args:
        mistakes: the rarest first.
        hidden: mistakes that change no sentence.
        apart: two mistakes that must not write the same in all sentences.
        longest: the length of the longest source.
    """

    def asked_about(table: Tensor, length: int) -> TranslationScript:
        return _question(name, table, sources(sampler, len(table), length), max_length, width)

    while True:
        table = uncertain(sampler, SAMPLED, max_length + 1, vocab, end=end)
        for mistake in hidden:
            asked = asked_about(table, 2)
            table = table[~_changed(asked, mistake, _written(asked, "reference"))]
        if len(table) < count:
            continue
        asked = asked_about(table, 2)
        right = _written(asked, "reference")
        compared = [(mistake, right) for mistake in mistakes]
        if apart:
            compared.insert(0, (apart[0], _written(asked, apart[1])))
        found: list[Tensor] = []
        for mistake, other in compared:
            found.append(_changed(asked, mistake, other))
            if not found[-1].any():
                break
        if len(found) < len(compared):
            continue
        shown = torch.stack(found)  # (comparisons, sentences)
        chosen = that_show_most(sampler, shown, count)
        if len(chosen) == count and shown[:, chosen].any(dim=1).all():
            return asked_about(table[chosen], longest)


def _renamed(sampler: Sampler, plain: TranslationScript) -> TranslationScript:
    """Return the same models with other ids for all tokens, asked in another order, so that it shows the same."""
    pad_id, bos_id, eos_id = sampler.shuffled((3, 4, 5))
    special = (pad_id, bos_id, eos_id)
    order = sampler.shuffled(range(len(plain.table)))
    others = sampler.shuffled([i for i in range(plain.table.size(-1)) if i not in special])
    ids = torch.tensor([*special, *others]).argsort()  # by new id, the old one, if the first three are the special ones
    old = torch.tensor([PAD, BOS, EOS, *words(plain.table.size(-1))])[ids]
    table = plain.table[order][..., old, :][..., old]
    return _question("other_ids", table, sources(sampler, len(order), 4, special[0]), 6, 3, special)


def _changed(asked: TranslationScript, mistake: str, other: Sequence[Value]) -> Tensor:
    """Return for each call of a question (N,) whether a mistake writes another sentence than ``other`` has there."""
    return torch.tensor([x != y for x, y in zip(_written(asked, mistake), other, strict=True)])


def _written(asked: TranslationScript, implementation: str) -> list[Value]:
    """Return what an implementation writes in each call."""
    definition = DEFINITIONS["beam_search_sentence"]
    code = definition.load(definition.implementation(implementation))
    return [call["written"] for call in ask_questions([asked], code)[asked.name].values["calls"]]


#: the number of sampled sentences, from which a few are chosen
SAMPLED = 64
#: the number of sentences in most questions
COUNT = 5


#: mistakes that show only if a sentence has not ended when it is cut
CUT = ("one_token_too_few", "one_token_too_many")


#: those that sometimes write the right words, because they show the model other ones
MISREAD = ("begins_with_padding", "first_position", "only_the_last_token")


#: those that show with any width but 1
SEARCHED = (
    "first_ended_returned", "each_its_own_best", "chosen_by_the_mean", "ended_ones_dropped", "ended_ones_go_on",
    "stops_with_the_first", "probabilities_added", "logits_added", "greedy_whatever_the_width", *CUT,
)  # fmt: skip


#: those that show only if a hypothesis that has ended leaves the beam
LEFT = ("ended_ones_never_leave", "ended_ones_give_up_their_place")


#: one that shows only if an unfinished hypothesis wins, and another one has ended
UNFINISHED = ("ended_ones_win",)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about two words by hand, beams from width 1 to complete ones, long and short sentences, and other ids.

    Models are unsure, so that a beam finds sentences that greedy decoding doesn't. Sentences are chosen to show the
    subtler mistakes. One question counts how often the source is encoded.
    """
    table, described = two_words(sampler)
    yield _question("by_hand", table, sources(sampler, 1, 2), 4, 2, described=described)
    yield _telling(sampler, "width_1", 5, 6, 1, mistakes=(*CUT, *MISREAD), count=3, longest=4)
    rare = (*UNFINISHED, *LEFT)
    plain = _telling(sampler, "plain", 6, 7, 3, mistakes=SEARCHED, hidden=rare, count=COUNT, longest=6)
    yield plain
    yield _telling(sampler, "long", 10, 6, 3, mistakes=SEARCHED, hidden=rare, count=COUNT, longest=5)
    # with three words and three steps there are 40 sentences
    every = (*UNFINISHED, *SEARCHED)
    yield _telling(sampler, "all_of_them", 3, 6, 50, mistakes=every, count=COUNT, longest=3)
    yield _telling(sampler, "cut_short", 3, 7, 2, mistakes=every, hidden=LEFT, count=COUNT, longest=5, end=-0.5)
    left = (*LEFT, *SEARCHED)
    yield _telling(sampler, "left", 6, 6, 3, mistakes=left, hidden=UNFINISHED, apart=LEFT, count=COUNT, longest=3)
    yield _renamed(sampler, plain)
    once = _question("encoded_once", uncertain(sampler, 1, 6, 7), sources(sampler, 1, 4), 5, 2)
    yield replace(once, count_encodings=True)


def _fields(count: int, *names: str) -> dict[str, list[str]]:
    return {"fields": [f"calls/{number}/{name}" for name in names for number in range(count)]}


BOTH = _fields(COUNT, "written", "score")


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "with width 2 the sentence that greedy decoding misses comes out right, and its log-probability", 1.0,
        _fields(1, "written", "score")),
    Check("width_1", equals_reference, "width_1", "with width 1 sentences come out right, as in greedy decoding", 0.25, _fields(3, "written")),
    Check("equals_plain", equals_reference, "plain", "with width 3, five sentences come out right", 0.75, _fields(COUNT, "written")),
    Check("scores", equals_reference, "plain", "with width 3, the scores of five sentences are right: their log-probabilities", 0.25, _fields(COUNT, "score")),
    Check("long", equals_reference, "long", "long sentences and their scores come out right", 0.25, BOTH),
    Check("all_of_them", equals_reference, "all_of_them", "with a width greater than the number of sentences, the best of all comes out right", 0.25, BOTH),
    Check("left", equals_reference, "left", "a hypothesis that has ended leaves the beam when `width` others are better, and the winner comes out right", 0.25, BOTH),
    Check("cut_short", equals_reference, "cut_short", "after `max_length` tokens the best comes out right, ended or not", 0.25, BOTH),
    Check("other_ids", equals_reference, "other_ids", "other ids for padding, begin and end come out right", 0.25, BOTH),
    Check("encoded_once", equals_reference, "encoded_once", "the source is encoded once, not at every step", 0.25,
        {"fields": ["calls/0/encodings"]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=25,
    checks=CHECKS,
    hints=(
        "Do it on paper first: two words, width 2, three steps. Write down for each hypothesis its ids and its sum. Which of them have ended?",
        "A hypothesis is a pair: its ids, which begin with `bos_id`, and the sum of their log-probabilities. The beam is a list that begins with one pair, whose sum is 0. At each step, make a new list of candidates: "
        "a pair that ends with `eos_id` goes into it as it is, and every other pair becomes V new ones. Sort all candidates by their sums, and keep the first `width`.",
        "`steps = torch.log_softmax(model.decode(torch.tensor([ids]), memory, memory_mask)[0, -1], dim=-1).tolist()`; "
        "`candidates += [([*ids, token], total + step) for token, step in enumerate(steps)]`; "
        "`beam = sorted(candidates, key=lambda candidate: candidate[1], reverse=True)[:width]`. At the end, `beam[0]` is the best.",
    ),
    ask=ask,
)
