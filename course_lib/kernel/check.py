"""`check`, `hint` and `solution`: what a student calls in the notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import torch

from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answer
from course_lib.checking.card import Card, make_card
from course_lib.checking.dependencies import over_right
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import number
from course_lib.checking.hints import LAST, Hints
from course_lib.checking.implementation import namespace_of, tree_of
from course_lib.checking.in_time import Prints, answers_in_time
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.unsteady import unsteady
from course_lib.journey.footer import footer
from course_lib.kernel.asked import MISSING, asked, asked_to_check
from course_lib.kernel.definitions import stale
from course_lib.misused import Misused
from course_lib.session import CURRENT, is_graded

if TYPE_CHECKING:
    from course_lib.journey.solution import Ours

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

#: where to find help before the solution
_HELP = "The first hint is on the card, and hint(…) gives the next."


@dataclass(frozen=True)
class Checked:
    """The last check of an exercise, as `hint` and `example` need it.

    Attributes:
        observed: a sentence about the code that the answers don't show; empty if there is none.
        question: the name of the question that the card is about; empty if nothing goes wrong.
    """

    implementation: Any
    verdict: Verdict
    answers: dict[str, Answer]
    prints: Prints
    observed: str
    question: str = ""


class Score(float):
    """Points, as a number for the gradebook and as a card for a person.

    The text form is the bare number, always finite and within 0…max, because a cell that is graded must show nothing
    else.
    """

    card: Card
    verdict: Verdict

    def __new__(cls, verdict: Verdict, card: Card) -> Score:
        """Wrap a verdict's points."""
        score = super().__new__(cls, verdict.score)
        score.verdict, score.card = verdict, card
        return score

    @property
    def text(self) -> str:
        """The card for a terminal."""
        return self.card.text

    def __repr__(self) -> str:
        return number(self)

    def _repr_html_(self) -> str:
        return self.card.html


def on_the_processor(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorate a function so that it makes tensors on the processor, whatever default device a student has set."""

    @wraps(call)
    def called(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with torch.device("cpu"):
            return call(*args, **kwargs)

    return called


@on_the_processor
def check(exercise_id: Any, implementation: Any = MISSING) -> Score:
    """Check an implementation of an exercise, and show which checks hold, which mistake it makes and what to try next.

    Args:
        exercise_id: such as ``"softmax"``.
        implementation: your function or class.

    Returns:
        The points, shown as a card in a notebook; ``.text`` is the card for a terminal.

    Raises:
        Misused: there is no such exercise, or no implementation.
    """
    exercise_id, implementation = asked_to_check(exercise_id, implementation)
    key, prints = public_key(exercise_id), Prints()
    answers = answers_in_time(key.questions, implementation, prints)
    if _belongs_to_the_course(implementation):  # a lesson's own example isn't the student's doing
        verdict = judge(key, answers, _judged_before)
        answers = _with_examples(key, verdict, implementation, answers, prints)
        return Score(verdict, make_card(verdict, key, answers, None if verdict.passed else 0))
    verdict = judge(key, answers, partial(_judged_in, namespace_of(implementation)))
    answers = _with_examples(key, verdict, implementation, answers, prints)
    same = _same_as_before(exercise_id, implementation, verdict)
    CURRENT.judged[exercise_id] = implementation, verdict
    if verdict.error and verdict.dependencies.stops_in:
        again = partial(_judge_again, key, implementation)
        better = over_right(verdict.error.symbol, implementation, again)
        verdict = replace(verdict, dependencies=replace(verdict.dependencies, over_right=better))
    twice = unsteady(key, verdict, answers, lambda asked, chance: answers_in_time(asked, implementation, None, chance))
    observed = twice or _left_over(key, verdict, implementation)
    checked = Checked(implementation, verdict, answers, prints, observed)
    level = None if verdict.passed or verdict.dependencies.stops_in else Hints().step(exercise_id, _fault(verdict))
    card = _card(key, checked, level)
    CURRENT.checked[exercise_id] = replace(checked, question=card.question)
    return Score(verdict, replace(card, note=card.note or same))


def _same_as_before(exercise_id: str, implementation: Any, verdict: Verdict) -> str:
    """Return a note if the very same wrong code was checked last time, as after an edit that wasn't run."""
    before, judged = CURRENT.judged.get(exercise_id, (None, None))
    if implementation is not before or judged is None or verdict.passed or not callable(implementation):
        return ""
    if (judged.score, judged.misconception) != (verdict.score, verdict.misconception):
        return ""  # it calls something that has changed
    return "This is the same code as in the last check. If you have changed its cell since then, run that cell first."


def _with_examples(
    key: AnswerKey, verdict: Verdict, implementation: Any, answers: dict[str, Answer], prints: Prints
) -> dict[str, Answer]:
    """Return the answers and, if something is wrong, those to the small questions that a card may show."""
    if verdict.passed or Failure.of(verdict.error) or (verdict.error and verdict.error.unwritten and not verdict.score):
        return answers
    return {**answers, **answers_in_time(key.examples, implementation, prints)}


def _judge_again(key: AnswerKey, implementation: Any) -> Verdict:
    return judge(key, answers_in_time(key.questions, implementation))


def _left_over(key: AnswerKey, verdict: Verdict, implementation: Any) -> str:
    """Return a sentence about a `raise NotImplementedError()` that was left under written code."""
    if not verdict.error or not verdict.error.unwritten:
        return ""
    from course_lib.checking.left_over import left_over_sentence

    return left_over_sentence(tree_of(implementation), key.exercise.symbol)


def _card(key: AnswerKey, checked: Checked, level: int | None) -> Card:
    """Return the card with everything that only the student's own kernel knows."""
    verdict, exercise = checked.verdict, key.exercise
    card = make_card(verdict, key, checked.answers, level, checked.observed)
    more = ""
    if card.question and not exercise.on_paper and not (verdict.error and verdict.error.unwritten):
        call = f'example("{exercise.id}"'
        names, use = key.question(card.question).use
        which = "these inputs" if card.examples else "the inputs on which it goes wrong"
        gives = f"gives you {which}{use and f' for `{use}`'}"
        if use.startswith("calls"):
            gives = f"builds the object again, and `{use}` makes the call that goes wrong"
        more = f"In a cell of your own, `{names and f'{names} = '}{call})` {gives}"
        more += f", and `{call}, expected=True)` what should come out" if level == LAST else ""
        more += "."
    if verdict.passed:
        from course_lib.journey.solution import ours

        if ours(exercise.id):
            more = f'Compare with ours: `solution("{exercise.id}")`.'
    more = f"{more} {_next_hint(key, card)}".strip()
    return replace(
        card,
        note=stale(exercise.symbol, checked.implementation),
        prints=checked.prints.of(card.question) if card.question else (),
        more=more,
        footer=footer(exercise.id, verdict.score),
    )


def _next_hint(key: AnswerKey, card: Card) -> str:
    """Say how to get the next hint; return an empty string if there is none."""
    if not card.hint or card.hint[0] == card.hints:
        return ""
    last = "; the last one shows the right values" if card.examples and card.hints == LAST + 1 else ""
    return f'`hint("{key.exercise.id}")` gives the next hint{last}.'


def _judged_before(exercise_id: str) -> Verdict | None:
    """Return the last verdict on an exercise, or None if it hasn't been judged."""
    return CURRENT.judged[exercise_id][1] if exercise_id in CURRENT.judged else None


def _judged_in(namespace: Mapping[str, Any], exercise_id: str) -> Verdict | None:
    """Return the verdict on the student's own part in a namespace. Judge it unless the same code was judged last."""
    key = public_key(exercise_id)
    part = namespace.get(key.exercise.symbol)
    if part is None:
        return _judged_before(exercise_id)
    if _belongs_to_the_course(part):
        return None
    if exercise_id not in CURRENT.judged or part is not CURRENT.judged[exercise_id][0]:
        answers = answers_in_time(key.questions, part)
        CURRENT.judged[exercise_id] = part, judge(key, answers, partial(_judged_in, namespace))
    return CURRENT.judged[exercise_id][1]


def _belongs_to_the_course(implementation: Any) -> bool:
    try:
        return str(implementation.__module__).startswith("course_lib.")
    except Exception:  # it has no module, or fails to say which
        return False


@on_the_processor
def hint(exercise_id: Any = MISSING) -> Score:
    """Show the next hint on the last check of an exercise. Hints never cost points.

    The last hint comes with the right values of the example.

    Raises:
        Misused: there is no such exercise, or it has not been checked yet.
    """
    exercise_id = asked(exercise_id, "hint")
    key = public_key(exercise_id)
    checked = last_check(exercise_id)
    level = None if checked.verdict.passed or checked.verdict.dependencies.stops_in else Hints().next(exercise_id)
    card = _card(key, checked, level)
    if level is not None and not card.hint:
        card = replace(card, more=f"Your course gives no further hint on this. {card.more}".strip())
    if card.hint:  # the card of the check has everything else
        hidden: dict[str, Any] = {
            "note": "",
            "says": "",
            "place": "",
            "quote": "",
            "means": "",
            "prints": (),
            "checks": (),
        }
        card = replace(card, **hidden, examples=card.examples if card.shows_right else (), footer=None)
        if level != LAST:  # the last one also says how to get what is expected
            card = replace(card, more=_next_hint(key, card))
    return Score(checked.verdict, card)


def solution(exercise_id: Any = MISSING) -> Ours:
    """Show how we solved an exercise, to compare it with yours or because you tried and want to see it.

    If you haven't passed, this is noted next to the notebook, and the map of the course shows how often. It costs no
    points, but you haven't written what you copy.

    Raises:
        Misused: there is no such exercise, it has not been checked yet, nothing is written, or this copy of the library
            doesn't include the solution.
    """
    from course_lib.journey.points import remembered
    from course_lib.journey.solution import Ours, look_up, ours

    exercise_id = asked(exercise_id, "solution")
    if is_graded():
        return ours(exercise_id) or Ours("", "The grader does not show our solutions.")
    key = public_key(exercise_id)
    if remembered(Path()).get(exercise_id, 0.0) >= key.exercise.points:  # passed, perhaps before the kernel started
        return look_up(exercise_id, passed=True)
    checked = last_check(exercise_id)
    error = checked.verdict.error
    if error and error.unwritten:
        first = f" {_HELP}" if key.exercise.hints[0] else ""
        raise Misused(f"Write something first, and check it: a solution says more to one who has tried.{first}")
    return look_up(exercise_id, checked.verdict.passed)


def last_check(exercise_id: str) -> Checked:
    """Return the last check of an exercise."""
    if exercise_id not in CURRENT.checked and is_graded():
        from course_lib.kernel.while_graded import implementation_here

        check(exercise_id, implementation_here(public_key(exercise_id).exercise.symbol))
    if exercise_id not in CURRENT.checked:
        raise Misused(f"Run the check of {exercise_id!r} first: this answers what your code does in it.")
    return CURRENT.checked[exercise_id]


def _fault(verdict: Verdict) -> str:
    """Return the key for remembering hints: a named mistake, "unwritten", an error or the first broken check."""
    error = verdict.error
    if verdict.misconception or (error and error.unwritten):
        return verdict.misconception or "unwritten"
    return f"unnamed {error.type if error else next(iter(verdict.broken_checks), '')}"
