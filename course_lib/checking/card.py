"""The card: what a student reads about an answer, as text and as HTML.

It is read from the top: the points, what the code does, an example, a hint. The checks come last, failed ones first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answers, Error
from course_lib.checking.exercise import Check
from course_lib.checking.explain.advice import hints_for
from course_lib.checking.explain.diagnosis import Diagnosis, always_stops, diagnose, quoted
from course_lib.checking.explain.divergence import divergence
from course_lib.checking.explain.errors import explain
from course_lib.checking.explain.example import Example, examples, failing_questions, stopping_example
from course_lib.checking.explain.structure import constructor_forgotten
from course_lib.checking.failure import Failure
from course_lib.checking.footer import Footer
from course_lib.checking.formatting import number, visible
from course_lib.checking.hints import LAST
from course_lib.checking.html import render
from course_lib.checking.judge import CheckResult, Verdict

#: this many checks can be read at a glance; if there are more, those that hold are folded
AT_A_GLANCE = 6


@dataclass(frozen=True)
class CheckLine:
    """One or several checks with the same result.

    Attributes:
        mark: ✓, ✗ or ○. The last means that the check holds but earns nothing until another check holds, or that it
            couldn't be evaluated yet.
        seen: what was observed instead of what the sentences say.
    """

    mark: str
    sentences: tuple[str, ...]
    seen: str

    @property
    def shown(self) -> tuple[str, ...]:
        """The sentences to show: the first three and the number of the others, if there are many."""
        return self.sentences if len(self.sentences) <= 4 else (*self.sentences[:3], f"{len(self.sentences) - 3} more")


@dataclass(frozen=True)
class Card:
    """The content of a card, before layout.

    Attributes:
        says: what the implementation does, in a sentence or two.
        checks: failed ones first.
        examples: the smallest on which it goes wrong, and another on which something else goes wrong if the mistake is
            unknown.
        question: the name of the question that the examples begin with or, if none can be shown, of the smallest that
            goes wrong; empty if none does.
        place: the position at which the answer first differs, if an example can't be computed by hand.
        quote: Python's error message and the student's own line, shown verbatim.
        means: what that message means, in plain words.
        hint: the hint's number and text, or None.
        hints: how many hints there are.
        prints: what the student's code printed on the example, line by line.
        more: what else the notebook offers.
        note: a warning that the checked code isn't what the student's cell contains now.
        shows_right: whether the examples show the right values. In an exercise on paper, they never do.
        unwritten: whether nothing is written yet. The checks then list what the exercise asks for.
        carried: whether what differs comes from an earlier exercise.
        footer: the student's progress and what comes next; only in a student's own kernel.
    """

    title: str
    score: float
    max_score: float
    says: str
    checks: tuple[CheckLine, ...]
    quote: str
    examples: tuple[Example, ...]
    hint: tuple[int, str] | None
    hints: int = LAST + 1
    question: str = ""
    means: str = ""
    place: str = ""
    prints: tuple[str, ...] = ()
    more: str = ""
    note: str = ""
    shows_right: bool = False
    unwritten: bool = False
    carried: bool = False
    footer: Footer | None = None

    @property
    def text(self) -> str:
        """The card for a terminal."""
        return visible("\n".join(_text(self)))

    @property
    def html(self) -> str:
        """The card for a notebook or a feedback page; everything in it is escaped."""
        return visible(render(Path(__file__).with_suffix(".html"), **_laid_out(self)))


def make_card(verdict: Verdict, key: AnswerKey, answers: Answers, hint: int | None = None, observed: str = "") -> Card:
    """Build a card.

    Args:
        verdict: what was found, on whichever questions.
        key: the *public* key, whose questions may be shown.
        answers: those to the public questions, from which the example is taken.
        hint: which hint to give (0, 1, 2), or the last one if there are fewer; None for no hint. The third one comes
            with the right values.
        observed: see `diagnose`.
    """
    exercise = key.exercise
    silent = always_stops(verdict, answers)
    right = verdict.passed or verdict.carried is not None
    found = diagnose(verdict, key, answers, observed)
    hints = hints_for(verdict, key)
    hint = None if right or not hints or found.kind == "dependency" else hint
    shown = () if right else _examples(verdict, key, answers, found)
    failing = () if right or shown else failing_questions(verdict, key, answers)
    stops = next((answers[example.question].error for example in shown), None)
    error = stops or verdict.error
    said = quoted(error, silent)
    return Card(
        title=exercise.symbol,
        score=verdict.score,
        max_score=verdict.max_score,
        says=found.text,
        checks=tuple(_checks(verdict, silent or bool(verdict.carried))),
        quote=f"{_ELSEWHERE}{said}" if said and shown and not stops else said,
        means=_means(error) if error and found.kind not in ("mistake", "dependency") else "",
        examples=shown,
        question=next((example.question for example in shown), next((question.name for question in failing), "")),
        hint=None if hint is None else list(enumerate(hints, start=1))[: hint + 1][-1],
        hints=len(hints),
        place="" if right or silent else divergence(verdict, key, answers, found.text, [one.question for one in shown]),
        shows_right=hint == LAST and len(hints) > LAST and not exercise.on_paper,
        unwritten=silent and bool(verdict.error and verdict.error.unwritten) and not observed,
        carried=verdict.carried is not None,
    )


#: what precedes an error that another input than the example's raises
_ELSEWHERE = "On another input: "


def _means(error: Error) -> str:
    from course_lib.checking.explain.library_errors import meaning  # loaded only if code stops

    return meaning(error)


def _examples(verdict: Verdict, key: AnswerKey, answers: Answers, found: Diagnosis) -> tuple[Example, ...]:
    """Return the examples of a card: first the inputs on which the code stops, if the card is about that."""
    wrong = examples(verdict, key, answers, another=found.kind in ("stops", "unknown"))
    error = verdict.error
    if error is None or error.unwritten or Failure.of(error) or explain(error) or found.kind == "dependency":
        return wrong
    if (verdict.naming and wrong) or constructor_forgotten(error):
        return wrong
    stops = stopping_example(key, answers, error)
    return (stops, *wrong[:1]) if stops else wrong


#: the text for a check that holds and earns nothing; what it waits for follows
_COUNTS = "holds, but earns nothing "
#: what follows an observation that is the same for several checks
IN_EACH = " (in each)"


def _checks(verdict: Verdict, to_come: bool) -> Iterator[CheckLine]:
    """Yield failed checks first, starting with one of each kind. Checks that fail for the same reason share a line."""
    marked = [(check_result.check, *_mark(check_result, to_come)) for check_result in verdict.check_results]
    failed: dict[str, list[Check]] = {}
    for check, mark, seen in marked:
        if mark == "✗":
            failed.setdefault(seen, []).append(check)
    for seen in _each_kind_first(failed):
        sentences = tuple(check.sentence for check in failed[seen])
        yield CheckLine("✗", sentences, seen + (IN_EACH if len(sentences) > 1 and seen else ""))
    for wanted in "○✓":
        yield from (CheckLine(mark, (check.sentence,), seen) for check, mark, seen in marked if mark == wanted)


def _each_kind_first(failed: Mapping[str, Sequence[Check]]) -> list[str]:
    """Order the observations so that every kind appears before any is folded away."""
    if len(failed) <= AT_A_GLANCE:
        return list(failed)
    kinds = [_kind(checks[0]) for checks in failed.values()]
    repeated = {seen: kinds[i] in kinds[:i] for i, seen in enumerate(failed)}
    return sorted(failed, key=lambda seen: repeated[seen])


def _kind(check: Check) -> tuple[object, str]:
    """Return the kind of a check: its rule and what it compares. Gradients are one kind; logits and loss are two."""
    fields: Sequence[str] = check.settings.get("fields", ())
    what = "gradients" if any("gradients" in field for field in fields) else "".join(fields[:1]).rpartition("/")[2]
    return check.rule, what


def _mark(check_result: CheckResult, to_come: bool) -> tuple[str, str]:
    if check_result.holds and check_result.counts:
        return "✓", ""
    if to_come:
        return "○", ""
    if check_result.holds:
        return "○", f"{_COUNTS}{check_result.seen}"
    return "✗", check_result.seen


# laying it out


def _points(card: Card) -> str:
    return f"{number(card.score)} of {number(card.max_score)} point{'' if card.max_score == 1 else 's'}"


def _printed(card: Card) -> str:
    return "What your code printed on this example" if card.examples else "What your code printed where it goes wrong"


def _at_a_glance(card: Card) -> tuple[tuple[CheckLine, ...], tuple[CheckLine, ...]]:
    """Return the checks to show, and those to fold."""
    if len(card.checks) <= AT_A_GLANCE or card.unwritten:
        return card.checks, ()
    failed = sum(check.mark == "✗" for check in card.checks)
    shown = min(failed, AT_A_GLANCE)
    return card.checks[:shown], card.checks[shown:]


def _fold(folded: Sequence[CheckLine], carried: bool = False) -> str:
    """Summarise the folded checks: ``"1 more fails, 7 hold; 2 of these earn nothing until …"``.

    Args:
        carried: whether what differs comes from an earlier exercise.
    """
    failed = sum(check.mark == "✗" for check in folded)
    waiting = Counter(check.seen for check in folded if check.mark == "○")
    to_come = waiting.pop("", 0)
    hold = len(folded) - failed - to_come
    said = [f"{failed} more {'fails' if failed == 1 else 'fail'}"] * bool(failed)
    if hold:
        said.append(f"{hold}{'' if said else ' check' if hold == 1 else ' checks'} {'holds' if hold == 1 else 'hold'}")
    if to_come:
        checks = "" if said else " check" if to_come == 1 else " checks"
        come = f"{'is' if to_come == 1 else 'are'} still to come"
        said.append(f"{to_come}{checks} {'will hold once that is fixed' if carried else come}")
    return "; ".join([", ".join(said), *(_waits(seen, number, hold) for seen, number in waiting.items())])


def _waits(seen: str, number: int, hold: int) -> str:
    """Say how many of the checks that hold earn nothing yet, and what they wait for."""
    what = seen.removeprefix(_COUNTS)
    if number == hold:
        return f"{'it earns' if hold == 1 else 'they earn'} nothing {what}"
    return f"{number} of these {'earns' if number == 1 else 'earn'} nothing {what}"


def _text(card: Card) -> Iterator[str]:
    yield f"{card.title} — {_points(card)}"
    said = (card.note and f"! {card.note}", card.says, card.place)
    yield from (f"  {sentence}" for sentence in said if sentence)
    if card.quote:
        yield "    " + card.quote.replace("\n", "\n    ")
    if card.means:
        yield f"  {card.means}"
    for example in card.examples:
        yield f"  {example.title}"
        for line in (*example.given, *(part for _, parts in _columns(card, example) for part in parts)):
            yield "    " + _block(*line).replace("\n", "\n    ")
    if card.prints:
        yield f"  {_printed(card)}:"
        yield from (f"    {line}" for line in card.prints)
    if card.hint:
        yield f"  Hint {card.hint[0]} of {card.hints}: {card.hint[1]}"
    if card.more:
        yield f"  {card.more}"
    shown, folded = _at_a_glance(card)
    for check in shown:
        yield f"  {check.mark} {'; '.join(check.shown)}" + (f" — {check.seen}" if check.seen else "")
    if folded:
        yield f"  {_fold(folded, card.carried)}."
    if card.footer:
        yield f"  {card.footer.text}"


def _columns(card: Card, example: Example) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield what came out, if anything did, and what should have come out, if the card shows it."""
    if not example.wrong:
        return
    yield "Yours", [(_yours(name), yours) for name, yours, _ in example.wrong]
    if card.shows_right and any(right for *_, right in example.wrong):
        yield "Right", [(f"right {name.partition(' (')[0]}", right) for name, _, right in example.wrong if right]


def _yours(name: str) -> str:
    return f"you {name}" if name in ("returned", "raised") else f"your {name}"


def _blocks(parts: Sequence[tuple[str, str]]) -> str:
    return "\n".join(_block(*part) for part in parts)


def _block(name: str, value: str) -> str:
    start = f"{name} = " if name else ""
    return start + value.replace("\n", "\n" + " " * len(start))


# each is legible on white and on black
_COLOURS = {"✓": "#2a9d6f", "✗": "#d9534f", "○": "#888888", "part": "#d08700"}


def _edge(card: Card) -> str:
    """Return the card's colour: full marks, some, none, or nothing to judge yet. Old code is never green."""
    if card.note:
        return _COLOURS["part"]
    if card.score >= card.max_score:
        return _COLOURS["✓"]
    if card.score > 0:
        return _COLOURS["part"]
    return _COLOURS["○" if all(check.mark == "○" for check in card.checks) else "✗"]


def _laid_out(card: Card) -> dict[str, object]:
    shown, folded = _at_a_glance(card)
    return {
        "card": card,
        "points": _points(card),
        "edge": _edge(card),
        "share": f"{100 * card.score / card.max_score if card.max_score else 100:.0f}",
        "colours": _COLOURS,
        "examples": [
            {
                "title": example.title,
                "given": _blocks(example.given),
                "columns": [(side, _blocks(parts)) for side, parts in _columns(card, example)],
            }
            for example in card.examples
        ],
        "printed": _printed(card),
        "shown": shown,
        "folded": folded,
        "fold": _fold(folded, card.carried),
    }
