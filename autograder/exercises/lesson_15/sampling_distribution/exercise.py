"""Exercise `sampling_distribution`: temperature, top k and top p, in this order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question, Refusal
from course_lib.checking.rules import equals_reference, inputs_unchanged, refuses, sums_to_one

RETURNS = ["probabilities"]


def _given(logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0) -> dict[str, Any]:
    return {"logits": logits, "temperature": temperature, "top_k": top_k, "top_p": top_p}


def _question(name: str, logits: Tensor, **how: Any) -> Question:
    return Call(name, _given(logits, **how), returns=RETURNS)


def _logits(sampler: Sampler, *shape: int, scale: float = 1.5) -> Tensor:
    """Return logits that are all different."""
    return sampler.tensor(*shape, scale=scale) + 0.00123 * sampler.tensor(*shape)


def _there_and_not_back(sampler: Sampler) -> Tensor:
    """Return a permutation of four without fixed points that is not its own inverse."""
    while True:
        order = sampler.order(4)
        if not torch.equal(order[order], torch.arange(4)):
            return order


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about four tokens, each of the three settings alone and together, greedy extremes, many rows and tokens."""
    paper = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)[_there_and_not_back(sampler)].log()
    yield _question("by_hand", paper, top_p=0.6)
    yield _question("both_by_hand", paper, top_k=2, top_p=0.5)
    b, t = sampler.sizes(2)
    (v,) = sampler.widths(1)
    yield _question("temperature", _logits(sampler, b, v), temperature=sampler.shuffled([0.4, 0.6, 2.5])[0])
    yield _question("top_k", _logits(sampler, b, v), top_k=sampler.shuffled([3, 4])[0])
    rows = _logits(sampler, 4, v, scale=1.0) * torch.tensor(sampler.shuffled([0.3, 1.0, 2.0, 6.0])).unsqueeze(1)
    yield _question("top_p", rows, top_p=0.8)
    yield _question("sharp_then_top_p", _logits(sampler, b, v), temperature=0.5, top_p=0.9)
    yield _question("all_three", _logits(sampler, b, t, v), temperature=1.7, top_k=5, top_p=0.6)
    calls = [
        _given(_logits(sampler, v), top_k=1),
        _given(_logits(sampler, v), top_p=0.01),
        _given(_logits(sampler, v), top_k=v + 3),
        _given(_logits(sampler, v)),
    ]
    yield Calls("extremes", calls, returns=RETURNS)
    many = torch.linspace(-4, 4, 300).double()[torch.stack([sampler.order(300) for _ in range(2)])]  # (2, 300)
    yield _question("many_tokens", many, top_k=200, top_p=0.9)
    yield Refusal("temperature_of_zero", _given(paper, temperature=0.0))
    yield Refusal("temperature_below_zero", _given(paper, temperature=-0.5))


PROBABILITIES = {"fields": ["probabilities"]}


CALLS = [f"calls/{i}/probabilities" for i in range(4)]


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "top p of four tokens on paper comes out right", 0.5, PROBABILITIES),
    Check("both_by_hand", equals_reference, "both_by_hand", "top p of the two tokens that top k has left comes out right", 0.5, PROBABILITIES),
    Check("temperature", equals_reference, "temperature", "a temperature comes out right", 0.5, PROBABILITIES),
    Check("top_k", equals_reference, "top_k", "top k comes out right", 0.5, PROBABILITIES),
    Check("top_p", equals_reference, "top_p", "top p comes out right: it keeps more tokens of a flat row than of a steep one", 0.5, PROBABILITIES),
    Check("together", equals_reference, "sharp_then_top_p", "temperature, top k and top p come out right together", 0.5, PROBABILITIES,
        also=("all_three", "many_tokens")),
    Check("extremes", equals_reference, "extremes", "extreme settings come out right: one token is always kept, and a k above V keeps all", 0.25, {"fields": CALLS}),
    Check("sums_to_one", sums_to_one, "many_tokens", "each row of probabilities sums to 1", 0.25, {"field": "probabilities"}, needs="equals_by_hand"),
    Check("refuses_zero", refuses, "temperature_of_zero", "a temperature of 0 or below raises a `ValueError`", 0.25, also=("temperature_below_zero",), needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "all_three", "the logits are left as they were", 0.25, needs="equals_by_hand"),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether no two logits of a row are equal."""
    return all(bool((call["logits"].sort(dim=-1).values.diff(dim=-1) > 0).all()) for call in question.inputs)


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Do the example on paper first: sort four probabilities, write the sum of the *more probable* ones above each, and cross out those where it reaches p.",
        "`sort(dim=-1, descending=True)` gives the sorted logits and where each came from. In the sorted row, top k is a slice and top p a comparison with `cumsum`.",
        "Divide by the temperature, sort, set `[..., top_k:]` to −∞, softmax, set to 0 where `cumsum - probabilities >= top_p`, divide by the sum, and `scatter` back.",
    ),
    ask=ask,
    allows=_allows,
)
