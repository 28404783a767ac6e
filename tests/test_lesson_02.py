"""What lesson 02 says is so: numbers on paper, in its diagram and in its table, and where its decoders look."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from benchmarks.letters import bahdanau
from course_lib.components import AdditiveScores, BilinearScores, RecurrentEncoder, attend, dot_scores
from course_lib.course import Course
from course_lib.diagrams.lesson_02 import look_up
from course_lib.experiments import attention as experiments
from course_lib.experiments import letters, recorded


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


def test_zeros_make_a_context_shorter_and_leave_its_direction() -> None:
    torch.manual_seed(0)
    query, states = torch.randn(2, 4), torch.randn(2, 5, 4)
    context, _ = attend(dot_scores(query, states), states)
    padded = F.pad(states, (0, 0, 0, 64))
    shorter, _ = attend(dot_scores(query, padded), padded)
    assert F.cosine_similarity(context, shorter) == pytest.approx(torch.ones(2))
    assert (shorter.norm(dim=1) < context.norm(dim=1)).all()
    assert math.exp(6) == pytest.approx(400, rel=0.01)


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
