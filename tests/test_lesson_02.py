"""What lesson 02 says is so: numbers on paper, in its diagram and in its table, and where its decoders look."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from benchmarks.letters import bahdanau
from benchmarks.recurrent_translators import dot
from course_lib.components import (
    AdditiveScores,
    AttentionalDecoder,
    BidirectionalEncoder,
    BilinearScores,
    DecoderStep,
    LuongDecoder,
    RecurrentEncoder,
    attend,
    dot_scores,
)
from course_lib.corpus import Pair
from course_lib.course import Course
from course_lib.diagrams.lesson_02 import look_up
from course_lib.experiments import alignments, letters, recorded
from course_lib.experiments import attention as experiments


def text(course: Course) -> str:
    return (course.root / "lessons" / "02_attention.md").read_text(encoding="utf-8")


def cell(course: Course, holds: str) -> str:
    """The only demo cell of the lesson that holds a text."""
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text(course), re.DOTALL)
    (found,) = [each for each in cells if holds in each]
    return found


def test_the_look_up_on_paper_is_the_one_of_the_diagram_and_of_the_cell(course: Course) -> None:
    said: dict[str, Any] = {"torch": torch, "print": lambda *_: None}
    exec(cell(course, "the decoder's state"), said)
    assert (said["h"].numpy() == look_up.STATES).all() and (said["s"].numpy() == look_up.QUERY).all()
    exponentials = np.exp(look_up.STATES @ look_up.QUERY)
    for number in (exponentials[1], exponentials[2], exponentials.sum(), look_up.weights()[2]):
        assert f"{number:.3f}" in text(course)


def test_what_the_table_says_the_scores_cost(course: Course) -> None:
    T, S, D = 20, 20, 256
    assert sum(p.numel() for p in BilinearScores(D, D).parameters()) == D**2
    assert sum(p.numel() for p in AdditiveScores(D, D, D).parameters()) == 2 * D**2 + D
    dot, bilinear, additive = T * S * D, T * D**2 + T * S * D, (T + S) * D**2 + T * S * D
    assert [f"{cost / 1e6:.1f}" for cost in (dot, bilinear, additive)] == ["0.1", "1.4", "2.7"]


def test_the_keys_lie_where_the_lesson_says() -> None:
    parts = experiments.Parts(dot_scores, BilinearScores, AdditiveScores, attend)
    keys = experiments.NumberLine(parts, "dot").keys[0]  # (9, 2)
    assert torch.allclose(keys, torch.tensor([[(n - 5) / 4, 1.0] for n in range(1, 10)]))


def test_hardly_any_of_nine_random_keys_of_32_dimensions_lies_between_the_others() -> None:
    torch.manual_seed(0)
    keys = torch.randn(500, 9, 32)  # (B, S, D)
    found = [dot_scores(keys[:, i], keys).argmax(dim=-1) == i for i in range(9)]  # if a query finds it, it is a corner
    assert torch.stack(found).double().mean() > 0.99


def test_an_encoders_state_at_the_letter_just_written_has_read_the_next_one() -> None:
    torch.manual_seed(0)
    encoder = RecurrentEncoder(letters.VOCABULARY, 8)
    source = torch.tensor([[4, 5, 6]])
    other = torch.tensor([[4, 7, 6]])  # the middle letter is another
    assert not torch.equal(encoder(source)[0][0, 2], encoder(other)[0][0, 2])


@pytest.mark.slow
def test_bahdanaus_decoder_looks_most_at_the_letter_just_written_where_it_does_not_look_at_the_next() -> None:
    model, length = letters.learn(bahdanau, "reverse", seed=0), 12
    source, target = letters.draw("reverse", letters.WORDS, length, torch.Generator().manual_seed(0))
    looks: Any = model.weights
    looked = looks(source, F.pad(target[:, :-1], (1, 0), value=letters.BOS)).argmax(dim=-1)  # (B, T)
    ahead = looked - torch.arange(length).flip(0)  # 0 at the next letter, 1 at the letter just written
    elsewhere = ahead[ahead != 0]
    assert (elsewhere == 1).double().mean() > 0.9


def test_the_decoder_that_steps_equals_the_one_that_asks_for_all_words_at_once() -> None:
    torch.manual_seed(0)
    stepped = LuongDecoder(DecoderStep(10, 8)).double()
    at_once = AttentionalDecoder(10, 8, dot_scores, attend).double()
    step = stepped.step
    names = {f"{name}_l0": weight for name, weight in step.lstm.named_parameters()}
    at_once.lstm.load_state_dict(names)
    at_once.w, at_once.embedding, at_once.readout = step.attentional_state.w, step.embedding, step.readout
    given = (torch.randn(2, 8).double(), torch.randn(2, 8).double()), torch.randn(2, 5, 8).double()
    words, mask = torch.tensor([[4, 5, 6, 7], [8, 9, 4, 0]]), torch.arange(5) < torch.tensor([[5], [3]])
    logits, state, weights = stepped(words, *given, mask, need_weights=True)
    right_logits, right_state, right_weights = at_once(words, *given, mask, need_weights=True)
    for one, other in zip((logits, weights, *state), (right_logits, right_weights, *right_state), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


def test_agreement_is_counted_by_whether_words_change_their_order() -> None:
    #                       the red book / le livre rouge
    pair = Pair(("the", "red", "book"), ("le", "livre", "rouge"), ((0, 0), (1, 2), (2, 1)))
    looks = torch.tensor([[0.2, 0.1, 0.7], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1]])  # (T, S): le looks at book
    assert alignments.crossings(pair) == 1
    assert alignments.agreement_by_order([pair], [looks]) == {
        "keep their order": (1, 0.0, 1.0),
        "change their order": (2, 1.0, 0.0),
    }
    assert alignments.elsewhere([pair], [looks]) == {"le": 1}


def test_the_share_of_long_sentences_that_the_lesson_calls_most() -> None:
    runs = recorded("recurrent_translators")
    plain, additive = (
        dict(zip(runs[name]["length"].median, runs[name]["exact_match"].median, strict=True))
        for name in ("without_attention", "additive")
    )
    for length in (12, 13, 14):
        assert plain[length] < 0.11 and additive[length] > 0.5
    seconds = [runs[name]["seconds"].median[0] for name in ("without_attention", "additive")]
    assert max(seconds) / min(seconds) < 1.1


def test_reading_both_ways_costs_no_time_and_fewer_parameters_and_helps() -> None:
    runs = recorded("recurrent_translators")
    one, both = runs["one_way"], runs["both_ways"]
    assert both["overall"].low[0] > one["overall"].high[0]
    assert both["attention"].low[0] > one["attention"].high[0]
    assert both["seconds"].median[0] < 1.1 * one["seconds"].median[0]
    counts = [
        sum(weight.numel() for weight in dot(800, 1111, e).parameters())
        for e in (RecurrentEncoder, BidirectionalEncoder)
    ]
    assert 0.93 < counts[1] / counts[0] < 0.95
