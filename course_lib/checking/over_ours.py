"""Decide when to judge an exercise with the course's version of a missing earlier one, and say so in words.

Only the grader has the course's version. At home the same sentence announces what the grader will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from course_lib.checking.failure import Failure

if TYPE_CHECKING:
    from course_lib.checking.answers import Answers

#: failures that say nothing about the code
_UNKNOWN = frozenset({Failure.UNANSWERED, Failure.UNFINISHED, Failure.UNJUDGED})


def is_missing(answers: Answers) -> bool:
    """Return whether nothing can build on this exercise, because a part is unwritten or every answer is an error."""
    # code that always stops also stops where it should refuse something, so that error is not an answer to build on
    errors = [answer.error for answer in answers.values() if answer.error or not answer.values.get("raised")]
    nothing = bool(errors) and all(error and Failure.of(error) not in _UNKNOWN for error in errors)
    return nothing or any(error.unwritten for error in errors if error)


def _by_itself(answers: Answers, symbol: str) -> bool:
    """Return whether the errors occur in this exercise's own code, and not in an earlier exercise that it uses.

    Code that never ended, or ended its process, doesn't say where: it may have been in the earlier exercise.
    """
    return all(
        Failure.of(error) is None
        and error.symbol in ("", symbol)
        and (error.type != "NameError" or f"'{symbol}'" in error.message)
        for error in (answer.error for answer in answers.values())
        if error
    )


def over(
    all_answers: Mapping[str, Answers],
    builds_on: Mapping[str, Sequence[str]],
    symbols: Mapping[str, str],
    done: Mapping[str, Collection[str]],
) -> dict[str, set[str]]:
    """Map each exercise that needs the course's version of earlier ones to the ids of those.

    Args:
        all_answers: the answers by exercise.
        builds_on: the earlier exercises that each exercise builds on.
        symbols: the exercises' names, in the lesson's order.
        done: the exercises that were already judged this way, with the earlier ones that were replaced.
    """
    missing, found, behind = set[str](), dict[str, set[str]](), all_behind(symbols, builds_on)
    for exercise, symbol in symbols.items():
        answers = all_answers.get(exercise, {})
        lacking = (behind[exercise] & missing) - set(done.get(exercise, ()))
        if is_missing(answers) and (not lacking or _by_itself(answers, symbol)):
            missing.add(exercise)
        elif lacking and any(answer.error for answer in answers.values()):
            found[exercise] = behind[exercise] & missing
    return found


def all_behind(exercises: Iterable[str], builds_on: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """Map each exercise to all those that it builds on, directly or indirectly.

    Args:
        exercises: the ids, in the lesson's order.
        builds_on: the earlier exercises that each exercise builds on directly.
    """
    behind: dict[str, set[str]] = {}
    for exercise in exercises:
        earlier = [name for name in builds_on.get(exercise, ()) if name in behind]
        behind[exercise] = {*earlier, *(deeper for name in earlier for deeper in behind[name])}
    return behind


def over_sentence(symbols: Sequence[str], graded: bool) -> str:
    """Return the sentence that explains this on a card.

    Args:
        symbols: the names of the earlier exercises.
        graded: whether the exercise was already judged this way, or the grader will still do so.
    """
    names = " and ".join(f"`{symbol}`" for symbol in symbols)
    are = "is" if len(symbols) == 1 else "are"
    if graded:
        return f"{names} {are} missing or wrong, so this was judged with the course's version."
    return f"{names} {are} not written, or cannot be run, so the grader will judge this with the course's version."
