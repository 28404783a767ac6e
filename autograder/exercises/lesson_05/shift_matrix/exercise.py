"""Exercise `shift_matrix`: the rotation that takes each position to a later one."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, keeps_dtype

_question = calling("d_model", "shift", returns=["matrix"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about width 4 with angles of 1 and 1/100 per position, about more pairs, long shifts, shifts back, and none."""
    yield _question("by_hand", 4, sampler.shuffled((2, 3, 4))[0])
    d_model, shift = sampler.shuffled((8, 10, 12))[0], sampler.shuffled(range(2, 10))[0]
    yield _question("plain", d_model, shift)
    yield _question("double", d_model, shift)
    yield _question("far", sampler.shuffled((6, 14, 16))[0], sampler.shuffled(range(21, 60))[0])
    yield _question("back", sampler.shuffled((8, 10, 12))[0], -sampler.shuffled(range(2, 10))[0])
    yield _question("one_pair", 2, sampler.apart("one_pair").shuffled(range(1, 20))[0])
    yield _question("no_shift", sampler.shuffled(range(4, 24, 2))[0], 0)


MATRIX = {"fields": ["matrix"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the matrix of width 4 comes out right, and that of width 2", 0.5, MATRIX, also=("one_pair",)),
    Check("equals_plain", equals_reference, "plain", "more pairs come out right", 0.5, MATRIX),
    Check("far", equals_reference, "far", "a shift by many positions comes out right", 0.25, MATRIX),
    Check("back", equals_reference, "back", "a negative shift comes out right: it moves back", 0.25, MATRIX),
    Check("no_shift", equals_reference, "no_shift", "a shift of 0 comes out right: the identity", 0.25, MATRIX),
    Check("keeps_dtype", keeps_dtype, "plain", "the matrix is of torch's default type, float32 or float64", 0.25, MATRIX,
        needs="equals_plain", also=("double",)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Write the matrix for width 4 and a shift of 1 on paper. Multiply it by row 0 of the encoding, (0, 1, 0, 1). Do you get row 1?",
        "Three steps: an angle for each pair, (D/2,); a matrix of zeros, (D, D); the four corners of all blocks. Print each.",
        "`angles = shift * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)`; with `pairs = torch.arange(0, d_model, 2)`, "
        "`matrix[pairs, pairs]` and `matrix[pairs + 1, pairs + 1]` are cosines, `matrix[pairs, pairs + 1]` is minus the sines, "
        "`matrix[pairs + 1, pairs]` the sines.",
    ),
    ask=ask,
)
