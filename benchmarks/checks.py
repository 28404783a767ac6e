"""What a student waits for in a notebook, and a machine once: `check` of each exercise, and making its key.

All is processor time of this process. `check` judges the reference and the first registered mistake, with
the key loaded: what the first check of an exercise pays besides is in a column of its own.

    python -m benchmarks.checks --lesson 03
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import torch

from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import make_key
from autograder.exercises.definition import Definition
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import public_key
from course_lib.kernel.check import check

ROUNDS = 5


@dataclass(frozen=True)
class Measured:
    """Seconds of processor time of one exercise."""

    exercise: str
    load: float
    right: float
    wrong: float
    key: float


def seconds(run: Callable[[], object]) -> float:
    """Processor time of one call."""
    before = time.process_time()
    run()
    return time.process_time() - before


def measure(definition: Definition, with_key: bool) -> Measured:
    """One exercise: to load its key, to check what is right and what is wrong, and to make its key."""
    load = seconds(lambda: public_key(definition.id))

    def checked(name: str) -> float:
        implementation = definition.load(definition.implementation(name))
        times = [seconds(lambda: check(definition.id, implementation)) for _ in range(ROUNDS + 1)]
        return statistics.median(times[1:])  # the first one imports

    right, wrong = checked("reference"), checked(definition.mistakes[0].name)
    return Measured(definition.id, load, right, wrong, seconds(lambda: make(definition)) if with_key else 0.0)


def make(definition: Definition) -> None:
    """Make an exercise's public key whole: what is carried forward is worked out when it is looked up."""
    key = make_key(definition, Sampler.public(definition.id))
    for cause in key.carried:
        key.carried[cause]


def main() -> None:
    """Measure, and print a line an exercise, then median and worst."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lesson", default="", help="only one lesson's exercises, as 03")
    parser.add_argument("--without-keys", action="store_true", help="make no keys: that takes minutes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # as in a lesson
    found = []
    for definition in DEFINITIONS.values():
        if definition.exercise.lesson.startswith(arguments.lesson):
            one = measure(definition, not arguments.without_keys)
            found.append(one)
            print(
                f"{one.exercise:<30} check: right {one.right:.3f} s, wrong {one.wrong:.3f} s, "
                f"first {one.load:.3f} s more;  key {one.key:.2f} s",
                flush=True,
            )
    for what in ("right", "wrong", "load", "key"):
        worst = max(found, key=attrgetter(what))
        median = statistics.median(getattr(one, what) for one in found)
        print(f"{what:<6} median {median:.3f} s, worst {getattr(worst, what):.3f} s ({worst.exercise})")


if __name__ == "__main__":
    main()
