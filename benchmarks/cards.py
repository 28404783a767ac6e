"""What the cards of wrong code show: how many have an example that a person can recompute, and how many say nothing.

    python -m benchmarks.cards
    python -m benchmarks.cards --exercise softmax --show

All registered mistakes and all code of the bank are checked as if no mistake were known, so that no card has a name.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import process_time

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, Implementation
from autograder.terminal_progress import progress_bar
from benchmarks.wild import answers_of, imported
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.card import Card, make_card
from course_lib.checking.explain.show import FEW
from course_lib.checking.failure import Failure
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.judge import judge
from course_lib.checking.naming import has_wrong_value


@dataclass(frozen=True)
class Seen:
    """The card of one wrong implementation, whether it is about a wrong value, and the processor time that it took."""

    exercise: str
    name: str
    card: Card
    wrong_value: bool
    seconds: float

    @property
    def shows_value(self) -> bool:
        """Whether it shows a wrong value."""
        return any(example.wrong for example in self.card.examples)

    @property
    def can_be_recomputed(self) -> bool:
        """Whether a person can recompute the first example of a wrong value."""
        return next((example.can_be_recomputed for example in self.card.examples if example.wrong), False)

    @property
    def says_nothing(self) -> bool:
        """Whether it says only on how many inputs the code is wrong, or that it stops, and shows no small example."""
        vague = re.match(r"It is wrong on|It stops with|On some input it stops", self.card.says)
        return bool(vague) and not any(example.can_be_recomputed for example in self.card.examples)


def wrong_code(definition: Definition) -> Iterator[Implementation]:
    """Yield all wrong code that is known for an exercise: the registered mistakes, and the bank's."""
    for mistake in definition.mistakes:
        yield definition.implementation(mistake.name)
    for wild in definition.unseen:
        if wild.kind == "wrong":
            yield replace(definition.implementation_of(wild), name=f"{wild.batch} {wild.number}")


def see(key: AnswerKey, definition: Definition, implementation: Implementation) -> Seen | None:
    """Check one implementation as a notebook does. Return None if it passes."""
    load = partial(definition.load, earlier=imported(definition.exercise.lesson))
    answers = dict(answers_of(key, load, implementation))
    verdict = judge(key, answers)
    if verdict.passed:
        return None
    begun = process_time()
    if not any(answer.error and Failure.of(answer.error) for answer in answers.values()):
        with suppress(Exception):  # its cell stops
            answers |= answers_in_time(key.examples, load(implementation))
    card = make_card(verdict, key, answers, 0)
    seconds = process_time() - begun
    values = has_wrong_value(key, answers) and not card.says.startswith("Its parameters are not")
    return Seen(definition.id, implementation.name, card, values, seconds)


def nameless(key: AnswerKey) -> AnswerKey:
    """Return a key that knows no mistake."""
    return replace(key, exercise=replace(key.exercise, misconceptions=()), mistakes={}, carried={})


def last_line(seen: Sequence[Seen]) -> str:
    """The shares."""
    wrong = [one for one in seen if one.wrong_value]
    few = sum(one.can_be_recomputed for one in wrong)
    without = sum(not one.shows_value for one in wrong)
    nothing = sum(one.says_nothing for one in seen)
    return (
        f"{len(wrong)} cards about a wrong value: {few / len(wrong):.1%} show an example of at most {FEW} numbers, "
        f"{without / len(wrong):.1%} show none. Of {len(seen)} cards, {nothing / len(seen):.1%} say nothing specific. "
        f"The slowest took {max(one.seconds for one in seen):.2f} s."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exercise", default="", choices=["", *DEFINITIONS], metavar="ID", help="one exercise only")
    parser.add_argument("--show", action="store_true", help="print the cards without a small example")
    chosen = parser.parse_args()
    bank = [
        (id, one)
        for id in [chosen.exercise] * bool(chosen.exercise) or DEFINITIONS
        for one in wrong_code(DEFINITIONS[id])
    ]
    seen = []
    with progress_bar() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for id, one in progress.track(bank, description="Checking"):
            if found := see(nameless(public_key(id)), DEFINITIONS[id], one):
                seen.append(found)
    for one in seen:
        if chosen.show and (one.says_nothing or (one.wrong_value and not one.can_be_recomputed)):
            print(f"{one.exercise} {one.name}\n{one.card.text}\n")
    print(last_line(seen))


if __name__ == "__main__":
    main()
