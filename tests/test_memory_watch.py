"""How much memory tensors take while code runs, and the check that asks."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from tiers import slow
from torch import Tensor

from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from course_lib.checking.ask import ask
from course_lib.checking.questions import InLittleMemory
from course_lib.checking.rules import HOLDS, holds_little
from course_lib.memory_watch import MemoryWatch


@pytest.fixture(autouse=True, scope="module")
def _nothing_old_is_looked_through() -> Iterator[None]:
    """A collection takes seconds where other tests of this process have left millions of objects."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


NUMBERS = 1000  # of float64, 8 bytes each


def ones() -> Tensor:
    return torch.ones(NUMBERS, dtype=torch.float64)


def one_after_the_other() -> None:
    for _ in range(5):
        ones()


def kept() -> list[Tensor]:
    return [ones() for _ in range(5)]


def views() -> list[Tensor]:
    made = ones()
    return [made[:10], made.view(10, 100).T, made]


def in_place() -> Tensor:
    return ones().add_(1).mul_(2)


def half_as_wide() -> Tensor:
    return torch.ones(NUMBERS, dtype=torch.float32)


def thrown_away_then_kept() -> Tensor:
    ones()
    ones() + ones()
    return ones()


@pytest.mark.parametrize(
    "code, numbers",
    [(one_after_the_other, 1), (kept, 5), (views, 1), (in_place, 1), (half_as_wide, 0.5), (thrown_away_then_kept, 3)],
)
def test_the_peak_is_what_was_held_at_once(code: Callable[[], object], numbers: float) -> None:
    gc.collect()
    with MemoryWatch() as watch:
        code()
    assert watch.peak == 8 * NUMBERS * numbers


def test_what_was_there_before_is_not_counted() -> None:
    before = ones()
    with MemoryWatch() as watch:
        before.add_(1)
        before[:10].mul_(2)
        assert watch.peak == 0
        before + 1
    assert watch.peak == 8 * NUMBERS


def test_gradients_count_too() -> None:
    weight = ones().requires_grad_()
    with MemoryWatch() as watch:
        weight.exp().sum().backward()
    assert watch.peak >= 8 * NUMBERS * 2


@pytest.mark.parametrize("most, little", [(3 * NUMBERS, True), (3 * NUMBERS - 1, False)])
def test_a_law_can_ask_for_little_memory(most: int, little: bool) -> None:
    def implementation(x: Tensor) -> Tensor:
        return (x + 1) * (x + 2)

    asked = InLittleMemory("little", {"x": ones()}, returns=["output"], most=most)
    answer = asked(implementation)
    assert answer["little"] is little
    found = holds_little(asked, answer, answer)
    assert (found == HOLDS) == little
    assert little or f"more than {most:,} numbers" in found.seen


def all_at_once(x: Tensor) -> Tensor:
    """As much as its tensors would hold, in arrays of NumPy's."""
    scores = np.multiply.outer(x.numpy(), x.numpy())
    return torch.from_numpy(np.exp(scores).sum(axis=1))


def row_by_row(x: Tensor) -> Tensor:
    return torch.stack([torch.from_numpy(np.exp(one * x.numpy())).sum() for one in x.tolist()])


def stops_the_count(x: Tensor) -> Tensor:
    tracemalloc.stop()
    return all_at_once(x)


@pytest.mark.parametrize(("code", "little"), [(all_at_once, False), (row_by_row, True), (stops_the_count, False)])
@pytest.mark.parametrize("already", [False, True])
def test_arrays_of_numpy_count_too(code: Callable[[Tensor], Tensor], little: bool, already: bool) -> None:
    x = torch.linspace(0, 1, 300, dtype=torch.float64)
    if already:
        tracemalloc.start()
    try:
        answer = InLittleMemory("little", {"x": x}, returns=["output"], most=60_000)(code)
        assert tracemalloc.is_tracing() == (already and code is not stops_the_count)
    finally:
        tracemalloc.stop()
    assert answer["little"] is little
    assert torch.equal(answer["output"], all_at_once(x)) or code is row_by_row


def test_what_python_keeps_is_no_array() -> None:
    kept: list[object] = []

    def imports_a_module(x: Tensor) -> Tensor:
        kept.extend(str(n) * 10 for n in range(20_000))
        return x + 1

    answer = InLittleMemory("little", {"x": ones()}, returns=["output"], most=20_000)(imports_a_module)
    assert kept and answer["little"] is True


@pytest.mark.parametrize("exercise_id", [slow("chunked_attention"), "linear_attention"])
def test_every_right_implementation_needs_little(exercise_id: str) -> None:
    definition = DEFINITIONS[exercise_id]
    asked = [q for q in definition.questions(Sampler.public(exercise_id)) if isinstance(q, InLittleMemory)]
    for one in definition.implementations:
        if one.role in ("reference", "alternative"):
            answers = ask(asked, definition.load(one))
            assert [answer.values["little"] for answer in answers.values()] == [True] * len(asked), one.name
