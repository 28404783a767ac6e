"""Judging an exercise over the course's own version of an earlier one that is not there: when, and in which words.

Only the grader has the course's version. At home the same words say beforehand what it will do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from course_lib.checking.failure import Failure

if TYPE_CHECKING:
    from course_lib.checking.sheet import Sheet

#: failures that say nothing about the code
_UNKNOWN = frozenset({Failure.UNANSWERED, Failure.UNFINISHED, Failure.UNJUDGED})


def is_missing(sheet: Sheet) -> bool:
    """Whether nothing can build on it: every answer is an error of the code, or a part is not written."""
    # what always stops also stops where it should refuse something: that is no answer to build on
    errors = [answer.error for answer in sheet.values() if answer.error or not answer.values.get("raised")]
    nothing = bool(errors) and all(error and Failure.of(error) not in _UNKNOWN for error in errors)
    return nothing or any(error.unwritten for error in errors if error)


def _by_itself(sheet: Sheet, symbol: str) -> bool:
    """Whether the errors rise in this exercise's own code, and not in an earlier exercise that it uses."""
    return all(
        error.symbol in ("", symbol) and (error.type != "NameError" or f"'{symbol}'" in error.message)
        for error in (answer.error for answer in sheet.values())
        if error
    )


def over(
    sheets: Mapping[str, Sheet],
    builds_on: Mapping[str, Sequence[str]],
    symbols: Mapping[str, str],
    done: Mapping[str, Collection[str]],
) -> dict[str, set[str]]:
    """The exercises that have to be judged over the course's version of earlier ones, each with those.

    Args:
        sheets: answers by exercise.
        builds_on: the earlier exercises that each exercise builds on.
        symbols: the exercises' names, in the lesson's order.
        done: what has been judged over the course's version, with what.
    """
    missing, found, behind = set[str](), dict[str, set[str]](), dict[str, set[str]]()
    for exercise, symbol in symbols.items():
        sheet = sheets.get(exercise, {})
        earlier = [name for name in builds_on.get(exercise, ()) if name in symbols]
        behind[exercise] = {*earlier, *(deeper for name in earlier for deeper in behind[name])}
        lacking = (behind[exercise] & missing) - set(done.get(exercise, ()))
        if is_missing(sheet) and (not lacking or _by_itself(sheet, symbol)):
            missing.add(exercise)
        elif lacking and any(answer.error for answer in sheet.values()):
            found[exercise] = behind[exercise] & missing
    return found


def over_sentence(symbols: Sequence[str], graded: bool) -> str:
    """What a card says of it.

    Args:
        symbols: the names of the earlier exercises.
        graded: whether it has been done, or will be.
    """
    names = " and ".join(f"`{symbol}`" for symbol in symbols)
    what = f"{names} {'is' if len(symbols) == 1 else 'are'} not written, or cannot be run"
    return f"{what}: {'this was judged' if graded else 'the grader will judge this'} over ours."
