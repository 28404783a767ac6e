"""Say which results go wrong, on which inputs and where, if nothing else is known about wrong code.

Everything is counted over all public inputs: those of the checks, and the small ones. A sentence that separates the
wrong inputs from the right ones is therefore true of all that were tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import comb

import numpy as np

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answer, Answers, Error
from course_lib.checking.closeness import comparable, differing, identical, numbers
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.explain.divergence import first_shared, in_common
from course_lib.checking.explain.example import Example, by_chance, is_wrong
from course_lib.checking.explain.given import arguments
from course_lib.checking.explain.traits import general_traits
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import Methods, Question
from course_lib.checking.values import Value

#: how likely it may be that wrong inputs share something by chance
BY_CHANCE = 0.02

#: a question, what came out, and what is right
Asked = tuple[Question, Answer, Answer]


def whereabouts(
    verdict: Verdict, key: AnswerKey, answers: Answers, example: Example | None, otherwise: str = ""
) -> str:
    """Say in one to three sentences what is wrong: which result, on which inputs, and which numbers of the example.

    Args:
        otherwise: what to say if nothing of that is known, in place of on how many inputs it is wrong.
    """
    asked = _asked(key, answers)
    wrong = [one for one in asked if is_wrong(*one)]
    right = [one for one in asked if not is_wrong(*one)]
    separates = in_common(key, answers) or _separating(wrong, right)
    found = (separates, _results(asked), _numbers(example, wrong))
    said = [sentence for sentence in found if sentence]
    return " ".join(said) or otherwise or _extent(verdict, len(wrong), len(asked))


def _asked(key: AnswerKey, answers: Answers) -> list[Asked]:
    questions = [q for q in (*key.questions, *key.examples) if not q.watched and not by_chance(q)]
    return [
        (q, answers[q.name], key.right(q.name)) for q in questions if q.name in answers and not answers[q.name].error
    ]


# on which inputs


def _separating(wrong: Sequence[Asked], right: Sequence[Asked]) -> str:
    """Return a sentence about what all wrong inputs have, and no right input, or too few for that to be chance.

    Return an empty string if there is no such thing.
    """
    bad, good = ([question for question, *_ in group if question.returns] for group in (wrong, right))
    names = sorted({name for question in (*bad, *good) for name in arguments(question)})
    trait = first_shared(bad, good, lambda question: general_traits(question, names))
    if trait:
        return f"It comes out wrong wherever {trait}, and right on all other inputs that were tried."
    if not bad:
        return ""
    shared = set.intersection(*(set(general_traits(question, names)) for question in bad))
    have = {trait: sum(trait in general_traits(question, names) for question in good) for trait in shared}
    trait = min(sorted(shared), key=lambda one: have[one], default="")
    tried, with_it = len(bad) + len(good), len(bad) + have.get(trait, 0)
    if not trait or comb(with_it, len(bad)) / comb(tried, len(bad)) > BY_CHANCE:
        return ""
    return (
        f"Where {trait}, it went wrong on {len(bad)} of {with_it} inputs, and on none of the {tried - with_it} others."
    )


def stops_where(key: AnswerKey, answers: Answers, error: Error) -> str:
    """Return what all inputs have on which the code stops with this type of error, and no other input has.

    Return an empty string if there is no such thing, or if it may be chance.
    """
    asked = [q for q in (*key.questions, *key.examples) if not q.watched and q.name in answers]
    bad = [q for q in asked if (found := answers[q.name].error) and found.type == error.type]
    good = [q for q in asked if not answers[q.name].error]
    if len(bad) < 2 or len(good) < 2:
        return ""
    names = sorted({name for question in asked for name in arguments(question)})
    return first_shared(bad, good, lambda question: general_traits(question, names))


# which results

_GRADIENT = ".grad"


def _results(asked: Iterable[Asked]) -> str:
    """Return a sentence about results, methods or gradients that are always right although others are wrong.

    Wrong gradients are mentioned only if all results are right, because otherwise they follow from those.
    """
    wrong: dict[str, bool] = {}
    for question, ours, right in asked:
        for name, mine, theirs in _named(question, ours, right):
            wrong[name] = wrong.get(name, False) or not identical(mine, theirs)
    if any(bad for name, bad in wrong.items() if not name.endswith(_GRADIENT)):
        wrong = {name: bad for name, bad in wrong.items() if not name.endswith(_GRADIENT)}
    bad, good = ([f"`{name}`" for name in wrong if wrong[name] is one] for one in (True, False))
    if not bad or not good:
        return ""
    return f"{_listed(bad)} {_is(bad)} wrong, and {_listed(good)} {_is(good)} right on all inputs that were tried."


def _named(question: Question, ours: Answer, right: Answer) -> Iterator[tuple[str, Value, Value]]:
    """Yield results with their names, and gradients."""
    if isinstance(question, Methods):
        for number, theirs in enumerate(right.values["calls"]):
            yield from ((name, returns_of(ours, number).get(name), value) for name, value in theirs.items())
        return
    number = wrong_call(question, ours, right)
    mine, theirs = (returns_of(answer, number) for answer in (ours, right))
    yield from ((name, mine.get(name), theirs[name]) for name in question.returns if name in theirs)
    gradients = [answer.values.get("gradients") for answer in (ours, right)]
    if isinstance(gradients[0], dict) and isinstance(gradients[1], dict):
        yield from ((f"{name}{_GRADIENT}", gradients[0].get(name), value) for name, value in gradients[1].items())


def _listed(names: Sequence[str]) -> str:
    most = 3
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


# which numbers


def _numbers(example: Example | None, wrong: Iterable[Asked]) -> str:
    """Return a sentence about which numbers of the example are wrong or, if all are, in which direction."""
    case = next((one for one in wrong if example and one[0].name == example.question), None)
    if case is None:
        return ""
    found = next((one for one in _named(*case) if not identical(one[1], one[2])), None)
    if found is None:
        return ""
    name, mine, theirs = found
    if direction := _direction(mine, theirs):
        return f"In the example, `{name}` is {direction}."
    where = differing(mine, theirs) if comparable(mine, theirs) else np.zeros(0)
    if where.ndim == 0 or where.all() or not where.any():
        return ""
    places = [f"`{name}[{', '.join(map(str, index))}]`" for index in np.argwhere(where).tolist()]
    right = where.size - len(places)
    others = "the other number is" if right == 1 else f"the other {right} numbers are"
    return f"In the example, {_listed(places)} {_is(places)} wrong, and {others} right."


def _direction(mine: Value, theirs: Value) -> str:
    """Say that every number is too large, or too small; return an empty string if neither is true."""
    if not comparable(mine, theirs):
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in (mine, theirs)):
            return ""
        mine, theirs = np.array(mine, dtype=float), np.array(theirs, dtype=float)
    ours, right = numbers(mine), numbers(theirs)
    if right.dtype == bool or not right.size or identical(mine, theirs):
        return ""
    every = "" if right.size == 1 else " everywhere"
    return f"too large{every}" if (ours > right).all() else f"too small{every}" if (ours < right).all() else ""


def _extent(verdict: Verdict, wrong: int, tried: int) -> str:
    """Say on how many inputs it is wrong or, if on none, which check fails all the same."""
    if not wrong:
        broken = next((result for result in verdict.check_results if not result.holds), None)
        return f"What it returns is right on all {tried} inputs." + (f" But {broken.seen}." if broken else "")
    if wrong == tried:
        return f"It is wrong on each of {tried} inputs, even on the smallest."
    return f"It is wrong on {wrong} of {tried} inputs."
