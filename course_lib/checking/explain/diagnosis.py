"""What a card says about an implementation, in a sentence or two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answers, Error
from course_lib.checking.closeness import identical
from course_lib.checking.dependencies import Dependencies
from course_lib.checking.explain.errors import explain
from course_lib.checking.explain.example import examples, returned
from course_lib.checking.explain.relation import relation
from course_lib.checking.explain.structure import beside, constructor_forgotten, narrower, structure
from course_lib.checking.explain.whereabouts import stops_where, whereabouts
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import number
from course_lib.checking.judge import Verdict
from course_lib.checking.naming import has_wrong_value
from course_lib.checking.over_ours import over_sentence
from course_lib.contents import public_exercises


@dataclass(frozen=True)
class Diagnosis:
    """What is known about an implementation.

    Attributes:
        kind: what the text is based on, such as a registered mistake, the structure of the answers, their relation to
            the right ones, the error that stops the code, or an earlier exercise in which it stops.
        text: a sentence or two for the card.
    """

    kind: Literal[
        "right",
        "carried",
        "dependency",
        "observed",
        "mistake",
        "structure",
        "relation",
        "stops",
        "unwritten",
        "unknown",
    ]
    text: str


def always_stops(verdict: Verdict, answers: Answers) -> bool:
    """Return whether every question ended in an error, so that there is no answer to describe."""
    return bool(verdict.error) and all(answer.error for answer in answers.values())


def diagnose(verdict: Verdict, key: AnswerKey, answers: Answers, observed: str = "") -> Diagnosis:
    """Describe what the implementation does, as far as it is known.

    Args:
        observed: a sentence about what the answers don't show, such as code that answers twice in two ways.
    """
    below = verdict.dependencies
    if below.stops_in and verdict.error:
        return Diagnosis("dependency", _stops_below(verdict.error, below, key))
    if observed:
        return Diagnosis("observed", observed)
    found = _of_its_own(verdict, key, answers, always_stops(verdict, answers))
    ours = f" {over_sentence(below.over_ours, graded=True)}" if below.over_ours else ""
    return Diagnosis(found.kind, found.text + ours)


def _of_its_own(verdict: Verdict, key: AnswerKey, answers: Answers, silent: bool) -> Diagnosis:
    """Describe what the answers show."""
    if verdict.carried:
        return Diagnosis("carried", _carried(verdict, verdict.carried))
    if verdict.naming and not verdict.naming.questions:
        sentence = key.exercise.misconception(verdict.naming.name).sentence
        return Diagnosis("mistake", sentence + _stops_too(verdict, key, answers) + _suspects(verdict))
    if verdict.passed:
        return Diagnosis("right", "Every check holds.")
    if verdict.error and verdict.error.unwritten:
        return Diagnosis("unwritten", _stops(verdict.error, silent))
    found = _unnamed(verdict, key, answers, silent)
    return Diagnosis(found.kind, found.text + _suspects(verdict))


def _carried(verdict: Verdict, cause: tuple[str, str]) -> str:
    exercise_id, name = cause
    earlier = public_key(exercise_id).exercise
    where = f"What still differs comes from your `{earlier.symbol}`, which this builds on"
    what = f": {_lower(earlier.misconception(name).sentence)}" if earlier.names(name) else "."
    beneath = f"{where}{what} Fix it there"
    if verdict.passed:
        return f"This is right, and earns all its points. {beneath}; there is nothing to do here."
    return (
        f"As far as can be seen, this is right. {beneath} first: it hides whether the rest is right too, and the "
        "points for that have to wait."
    )


def _unnamed(verdict: Verdict, key: AnswerKey, answers: Answers, silent: bool) -> Diagnosis:
    """Return what to say if no registered mistake explains everything."""
    if form := (verdict.error and constructor_forgotten(verdict.error)) or _parameters(key, answers):
        return Diagnosis("structure", form)
    if verdict.error and (silent or not has_wrong_value(key, answers)):
        also = "" if silent else structure(verdict, key, answers) or narrower(verdict, key, answers)
        return Diagnosis("stops", _stops(verdict.error, silent, key, answers) + (f" Also: {also}" if also else ""))
    if form := _nothing(key, answers) or structure(verdict, key, answers):
        return Diagnosis("structure", form)
    if verdict.naming:
        sentence = key.exercise.misconception(verdict.naming.name).sentence
        return Diagnosis("mistake", f"{_IN_PART} {sentence} On others they are not, so fix this first and check again.")
    if found := relation(key, answers):
        return Diagnosis("relation", found)
    if form := beside(verdict, key, answers):
        return Diagnosis("structure", form)
    smaller = narrower(verdict, key, answers)
    also = f" Also: {smaller}" if smaller else ""
    if verdict.error:
        return Diagnosis("unknown", _stops(verdict.error, silent, key, answers) + also)
    if key.exercise.on_paper:
        return Diagnosis("unknown", "No known slip gives this value. Go through your steps again.")
    smallest = next(iter(examples(verdict, key, answers)), None)
    where = whereabouts(verdict, key, answers, smallest, otherwise=smaller)
    return Diagnosis("unknown", where if where == smaller else where + also)


_IN_PART = "On some inputs your answers are exactly those of this mistake:"


def _stops_too(verdict: Verdict, key: AnswerKey, answers: Answers) -> str:
    """Return what to add to a mistake's sentence if the code fails on inputs on which the mistake doesn't."""
    known = key.mistakes.get(verdict.naming.name) if verdict.naming else None
    asked = [name for name in answers if known and name in known]
    stopped = (name for name in asked if known and answers[name].error and not known[name].error)
    return f" {_stops(error, False)}" if (error := next((answers[name].error for name in stopped), None)) else ""


def _suspects(verdict: Verdict) -> str:
    """Say where to begin, if something that this builds on is known to be wrong."""
    symbols = [f"`{public_key(name).exercise.symbol}`" for name in verdict.dependencies.suspects]
    if not symbols:
        return ""
    text = f" It builds on your {' and your '.join(symbols)}, which"
    return f"{text} {'is' if len(symbols) == 1 else 'are'} not right yet. Fix that first, and this card can say more."


def _stops_below(error: Error, below: Dependencies, key: AnswerKey) -> str:
    """Say that it stops inside an earlier exercise, and what it would earn with a right one."""
    name = f"`{error.symbol}`"
    if error.unwritten:
        entries = (entry for entry in public_exercises() if entry.id in key.exercise.builds_on)
        declared = {entry.symbol for entry in entries if entry.lesson == key.exercise.lesson}
        later = f" {over_sentence([error.symbol], graded=False)}" if error.symbol in declared else ""
        text = f"It builds on your {name}, which is not written yet: write that first.{later}"
    else:
        text = f"It stops with {error.type} inside your {name}, which this builds on: fix that first."
    right = below.over_right
    if right is None or right.score == 0:
        return text
    if right.passed:
        return f"{text} With a correct {name}, every check here holds."
    points = f"{number(right.score)} of {number(right.max_score)} points"
    what = f": {_lower(key.exercise.misconception(right.misconception).sentence)}" if right.misconception else "."
    return f"{text} With a correct {name}, this would earn {points}{what}"


def _stops(error: Error, silent: bool, key: AnswerKey | None = None, answers: Answers | None = None) -> str:
    """Say how far an implementation that fails with an error got and, given its answers, on which inputs it fails."""
    if failure := Failure.of(error):
        text = error.message or failure.sentence
        if failure is Failure.TIME_LIMIT:
            return f"It was {text}. Look for a loop that never ends."
        if failure is Failure.UNFINISHED:
            return f"Not finished: {text}."
        return f"{text[:1].upper()}{text[1:]}."
    if error.unwritten:
        return (
            "Nothing is written here yet. The checks below are what it will have to make true."
            if silent
            else "Part of it is not written yet: on some input it stops with NotImplementedError."
        )
    stops = f"It stops with {error.type}." if silent else f"On some input it stops with {error.type}."
    if key and answers and not silent and (trait := stops_where(key, answers, error)):
        stops = f"It stops with {error.type} wherever {trait}, and on no other input that was tried."
    return f"{stops} {explain(error)}".strip()


def quoted(error: Error | None, silent: bool) -> str:
    """Return the error's text and where it occurred; empty if the card says everything already."""
    if error is None or Failure.of(error) or (error.unwritten and silent):
        return ""
    message = f"{error.type}: {error.message}" if error.message else ""
    return "\n".join(text for text in (message, error.where) if text)


def _parameters(key: AnswerKey, answers: Answers) -> str:
    """Return what to say about a module with the wrong parameters; otherwise empty."""
    for question in key.questions:
        asked = {name: list(weight.shape) for name, weight in question.parameters.items()}
        ours = answers[question.name].values.get("shapes") if question.name in answers else None
        if asked and isinstance(ours, dict) and not identical(ours, asked):
            missing = [name for name in asked if name not in ours]
            others = [name for name in ours if name not in asked]
            misshapen = [name for name in asked if name in ours and not identical(ours[name], asked[name])]
            parts = (("Missing", missing), ("Not asked for", others), ("With the wrong shape", misshapen))
            return "Its parameters are not those that the docstring names. " + " ".join(
                f"{said}: {_names(names)}." for said, names in parts if names
            )
    return ""


def _names(names: list[str]) -> str:
    return ", ".join(f"`{str(name)[:40]}`" for name in names[:4]) + (" and others" if len(names) > 4 else "")


def _nothing(key: AnswerKey, answers: Answers) -> str:
    """Return what to say about an implementation that always returns None; otherwise empty."""
    answered = [q for q in key.questions if q.name in answers and not answers[q.name].error]
    shown = [value for question in answered for _, value in returned(question, answers)]
    return "It returns None. Does it end with `return`?" if shown and set(shown) == {"None"} else ""


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
