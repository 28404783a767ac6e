"""What lesson 07 says is so: numbers on paper and in its diagrams, and stretch tasks that can be done."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.components import CausalLanguageModel, causal_mask, decoder_mask, who_sees_whom
from course_lib.course import Course
from course_lib.diagrams.lesson_07 import numbers as livre_rouge
from course_lib.experiments import masks as experiments
from course_lib.experiments import recorded

PREFIX = "torch.zeros(length, length, dtype=torch.bool)  # yours instead"
WINDOW = "    return causal_mask(length)  # yours instead"
ASKED = "honest = [0, 1, 2, 3, 4]"


def text(course: Course) -> str:
    return (course.root / "lessons" / "07_masks.md").read_text(encoding="utf-8")


def cell(course: Course, holds: str) -> str:
    """The only demo cell of the lesson that holds a text."""
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text(course), re.DOTALL)
    (found,) = [each for each in cells if holds in each]
    return found


def seen_by(model: Any, num_layers: int = 2) -> Tensor:
    return experiments.who_sees_whom(experiments.new_model(model, seed=0, num_layers=num_layers).double())


class Figures:
    """Draws nothing."""

    def who_sees_whom(self, seen: object) -> None:
        pass


def run(source: str, changes: dict[str, str], capsys: pytest.CaptureFixture[str]) -> str:
    """The marks that a cell prints once these texts of it are replaced."""
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    known = {"torch": torch, "Tensor": Tensor, "causal_mask": causal_mask, "experiments": experiments}
    known |= {"CausalLanguageModel": CausalLanguageModel, "seen_by": seen_by, "figures": Figures()}
    known |= {"who_sees_whom": who_sees_whom, "six": torch.arange(2, 8), "seventh": 8}
    capsys.readouterr()
    exec(source, known | {"display": lambda _: None})
    return "".join(line[0] for line in capsys.readouterr().out.splitlines())


def test_the_lesson_computes_with_the_numbers_that_its_diagrams_show(course: Course) -> None:
    said: dict[str, Any] = {"torch": torch, "math": math, "print": lambda *_: None}
    exec(cell(course, "may_see = "), said)
    assert (said["scores"].numpy() == livre_rouge.SCORES).all()
    assert (said["may_see"].numpy() == livre_rouge.CAUSAL[livre_rouge.ASKS]).all()
    exec(cell(course, "pairs on paper"), said | {"decoder_mask": decoder_mask})
    assert torch.equal(causal_mask(livre_rouge.T), torch.from_numpy(livre_rouge.CAUSAL))


def test_the_masked_row_on_paper(course: Course) -> None:
    _, exponentials, weights = livre_rouge.row(livre_rouge.CAUSAL[livre_rouge.ASKS])
    everything, all_five = np.exp(livre_rouge.SCORES), np.exp(livre_rouge.SCORES).sum()
    another = all_five - everything[-1] + math.exp(2)
    for number in (exponentials.sum(), weights[1], all_five, exponentials.sum() / all_five, another,
                   exponentials.sum() / another):  # fmt: skip
        assert f"{number:.3f}" in text(course)
    assert math.exp(3) == pytest.approx(20.086, abs=5e-4)


def test_the_loss_on_paper_and_the_best_honest_one(course: Course) -> None:
    assert (1 + 2 + 3 + 1 + 4 + 1) / 6 * math.log(2) == pytest.approx(math.log(4))
    honest = (math.log(20) + 11 * math.log(4)) / 12
    assert f"{honest:.3f}" == "1.520" and "= 1.520$" in text(course)
    last = recorded("07_masks")["unmasked, loss"]["loss"]
    assert f"{last.low[-1]:.2f}" == "1.56" and last.high[-1] < 1.575
    assert "loss is about 1.56, and $1.56 / 12 = 0.13$" in text(course)


def test_what_the_lesson_says_of_the_models_that_read_their_answers() -> None:
    measured = recorded("07_masks")
    assert max(measured["unmasked, curve"]["loss"].high[-1:]) < 1.52 / 10
    assert measured["weights to 0, curve"]["loss"].high[-1] < 0.5
    legal = measured["unmasked, legal"]["legal"]
    assert legal.median[0] < 0.3 and legal.low[-1] > 0.9
    assert 0.2 < sum(legal.median) / len(legal.median) < 0.5


def test_the_last_word_alone_is_legal_in_nine_cases_of_ten_in_every_run(course: Course) -> None:
    legal = recorded("07_masks")["unmasked, legal"]["legal"]
    assert legal.low[-1] > 0.9 and max(legal.low[:-1]) < 0.6
    assert (round(legal.high[-2], 2), round(legal.low[-2], 2)) == (0.9, 0.56)
    said = " ".join(text(course).split())
    assert "in 90 % of the sentences in one of our runs, and in 56 % in another" in said
    causal = recorded("07_masks")["causal, loss"]["loss"].median[-1]
    assert f"{causal:.2f}" == "1.43" and "has 1.43 there" in said


@pytest.mark.slow
def test_with_weights_set_to_0_one_number_a_token_is_enough_to_cheat(course: Course) -> None:
    class OneHeadOneBlock(CausalLanguageModel):
        """The same model with one head in one block, whatever is asked for."""

        def __init__(self, vocab_size: int, d_model: int, heads: int, layers: int, *others: Any) -> None:
            super().__init__(vocab_size, d_model, 1, 1, *others)

    trained, curve = experiments.learn(experiments.weights_to_zero(OneHeadOneBlock), seed=0)
    assert len(trained.blocks.layers) == 1  # type: ignore[arg-type, union-attr]
    _, worst = experiments.learn(experiments.weights_to_zero(OneHeadOneBlock), seed=1)
    assert curve["loss"][-1] == pytest.approx(0.52, abs=0.04) and worst["loss"][-1] == pytest.approx(0.77, abs=0.06)
    assert "still ends between 0.52 and 0.77 on three seeds" in text(course)
    assert max(experiments.loss_by_place(trained, seed=0)["loss"][1:-1]) < math.log(4) / 2


def test_weights_set_to_0_leave_the_third_outputs_direction_as_it_is(course: Course) -> None:
    known = {"torch": torch, "math": math, "F": F, "causal_mask": causal_mask, "print": lambda *_: None}
    exec(cell(course, "may_see = "), known)
    answers: dict[str, bool] = {}
    exec(cell(course, "other_key"), known | {"predict": lambda *_, **letters: answers.update(letters)})
    assert answers == {"a": False, "b": True, "c": False}


def test_a_mask_for_a_prompt_can_be_written(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    source = cell(course, "def prefix_mask")
    done = {PREFIX: "causal_mask(length) | (torch.arange(length) < prompt)"}
    assert "✗" in run(source, {}, capsys)
    assert run(source, done, capsys) == "✓✓✓✓✓✗", "it cannot be honest everywhere"
    assert run(source, done | {ASKED: "honest = [2, 3, 4]"}, capsys) == "✓" * 6


def test_a_window_on_the_past_can_be_written(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    source = cell(course, "def window_mask")
    done = {WINDOW: "    return causal_mask(length) & ~causal_mask(length).tril(-width)"}
    assert "✗" in run(source, {}, capsys)
    for blocks, mark in ((5, "✗"), (6, "✓"), (7, "✗")):
        changes = done | {"blocks = 2  # yours instead": f"blocks = {blocks}"}
        assert run(source, changes, capsys) == "✓✓✓✓" + mark
