"""The card: what a student reads about an answer, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.diagnosis import diagnose, quoted
from course_lib.checking.divergence import divergence
from course_lib.checking.example import Example, smallest_example
from course_lib.checking.formatting import inline, number
from course_lib.checking.judge import Ruling, Verdict
from course_lib.checking.sheet import Sheet


@dataclass(frozen=True)
class Card:
    """Everything a card says, before it is laid out.

    Attributes:
        lines: ``(mark, sentence, seen)`` for each law; marks are ✓, ✗ and ○ (holds, but earns
            nothing until another law holds; or, where nothing could be seen, still to come).
        says: what the implementation does, in a sentence or two.
        place: where the answer parts from the right one, where nobody can compute an example by hand.
        quote: an error as Python tells it, and the student's own line; shown as it is.
        hint: the hint's number and text, or None.
        prints: what the student's code printed on the example, line by line.
        more: what else can be had in the notebook.
        note: that what was checked is not what the student's cell says now.
    """

    title: str
    score: float
    max_score: float
    lines: tuple[tuple[str, str, str], ...]
    says: str
    quote: str
    example: Example | None
    hint: tuple[int, str] | None
    place: str = ""
    prints: tuple[str, ...] = ()
    more: str = ""
    note: str = ""

    @property
    def text(self) -> str:
        """The card for a terminal."""
        return "\n".join(_text(self))

    @property
    def html(self) -> str:
        """The card for a notebook or a feedback page; everything in it is escaped."""
        return "".join(_html(self))


def make_card(verdict: Verdict, key: AnswerKey, sheet: Sheet, hint: int | None = None) -> Card:
    """Put a card together.

    Args:
        verdict: what was found, on whichever questions.
        key: the *public* key, whose questions may be shown.
        sheet: the answers to the public questions, from which the example is taken.
        hint: which hint to give (0, 1, 2); None for no hint.
    """
    exercise = key.exercise
    silent = bool(verdict.error) and all(not r.holds for r in verdict.rulings)
    right = verdict.passed or verdict.carried is not None
    hints = exercise.misconception(verdict.misconception).hints if verdict.misconception else exercise.hints
    return Card(
        title=exercise.symbol,
        score=verdict.score,
        max_score=verdict.max_score,
        lines=tuple(_lines(verdict, silent)),
        says=diagnose(verdict, key, sheet, silent).text,
        quote=quoted(verdict.error, silent),
        example=None if right or silent else smallest_example(verdict, key, sheet),
        hint=(hint + 1, hints[hint]) if hint is not None and not right and hints[hint] else None,
        place="" if right or silent else divergence(verdict, key, sheet),
    )


def _lines(verdict: Verdict, silent: bool) -> Iterator[tuple[str, str, str]]:
    before = ""
    for ruling in verdict.rulings:
        mark, seen = _mark(ruling, silent or bool(verdict.carried))
        again = mark == "✗" and seen == before and len(seen) > 40
        yield mark, ruling.law.sentence, "the same" if again else seen
        before = seen if mark == "✗" else before


def _mark(ruling: Ruling, to_come: bool) -> tuple[str, str]:
    if ruling.holds and ruling.counts:
        return "✓", ""
    if to_come:
        return "○", ""
    if ruling.holds:
        return "○", f"holds; {ruling.seen}"
    return "✗", ruling.seen


def _points(card: Card) -> str:
    return f"{number(card.score)} of {number(card.max_score)} point{'' if card.max_score == 1 else 's'}"


_EXAMPLE = "The smallest example on which it goes wrong:"


def _printed(card: Card) -> str:
    return "What your code printed on this example" if card.example else "What your code printed where it goes wrong"


def _text(card: Card) -> Iterator[str]:
    yield f"{card.title} — {_points(card)}"
    if card.note:
        yield f"  ! {card.note}"
    for mark, sentence, seen in card.lines:
        yield f"  {mark} {sentence}" + (f" — {seen}" if seen else "")
    yield f"  {card.says}"
    if card.place:
        yield f"  {card.place}"
    if card.quote:
        yield "    " + card.quote.replace("\n", "\n    ")
    if card.example:
        yield f"  {_EXAMPLE}"
        for name, value in (*card.example.given, *card.example.yours):
            yield "    " + _block(name, value).replace("\n", "\n    ")
    if card.prints:
        yield f"  {_printed(card)}:"
        yield from (f"    {line}" for line in card.prints)
    if card.hint:
        yield f"  Hint {card.hint[0]} of 3: {card.hint[1]}"
    if card.more:
        yield f"  {card.more}"


def _block(name: str, value: str) -> str:
    start = f"{name} = "
    return start + value.replace("\n", "\n" + " " * len(start))


# each is legible on white and on black
_COLOURS = {"✓": "#2a9d6f", "✗": "#d9534f", "○": "#888888", "part": "#d08700"}
_PRE = "margin:0.3em 0 0.6em;padding:0.4em 0.7em;background:#8882;color:inherit;line-height:1.35;overflow-x:auto"


def _edge(card: Card) -> str:
    """The colour of the whole: full marks, some, none, or nothing to judge yet; never green for old code."""
    if card.note:
        return _COLOURS["part"]
    if card.score >= card.max_score:
        return _COLOURS["✓"]
    if card.score > 0:
        return _COLOURS["part"]
    return _COLOURS["○" if all(mark == "○" for mark, *_ in card.lines) else "✗"]


def _html(card: Card) -> Iterator[str]:
    edge = _edge(card)
    share = 100 * card.score / card.max_score if card.max_score else 100
    yield (
        f'<div role="group" aria-label="{escape(card.title)}: {_points(card)}" style="border-left:5px solid {edge};'
        f'padding:0.5em 1em;margin:0.4em 0;max-width:56em;line-height:1.45;text-wrap:pretty">'
        f'<div style="font-size:1.08em"><b><code>{escape(card.title)}</code></b> — {_points(card)}</div>'
        f'<div style="background:#8883;height:5px;width:14em;margin:0.3em 0 0.5em">'
        f'<div style="background:{edge};height:5px;width:{share:.0f}%"></div></div>'
    )
    if card.note:
        yield f'<p style="margin:0.5em 0;padding:0.4em 0.7em;background:#d0870033"><b>{inline(card.note)}</b></p>'
    yield '<ul style="list-style:none;margin:0 0 0.6em 0;padding:0">'
    for mark, sentence, seen in card.lines:
        after = f' <span style="opacity:0.72">— {inline(seen)}</span>' if seen else ""
        yield (
            f'<li style="margin:0;padding:0 0 0 1.5em;text-indent:-1.5em">'
            f'<span style="color:{_COLOURS[mark]};font-weight:bold;display:inline-block;width:1.5em;text-indent:0">'
            f"{mark}</span>"
            f"{inline(sentence)}{after}</li>"
        )
    yield "</ul>"
    yield f'<p style="margin:0.6em 0;font-weight:600">{inline(card.says)}</p>'
    if card.place:
        yield f'<p style="margin:0.6em 0">{inline(card.place)}</p>'
    if card.quote:
        yield f'<pre style="{_PRE};white-space:pre-wrap">{escape(card.quote)}</pre>'
    if card.example:
        given, yours = (
            "\n".join(_block(*part) for part in parts) for parts in (card.example.given, card.example.yours)
        )
        yield f'<p style="margin:0.6em 0 0">{_EXAMPLE}</p>'
        yield f'<pre style="{_PRE}">{escape(given)}\n<b>{escape(yours)}</b></pre>'
    if card.prints:
        yield f'<details style="margin:0.3em 0"><summary style="cursor:pointer">{_printed(card)}</summary>'
        yield f'<pre style="{_PRE}">{escape(chr(10).join(card.prints))}</pre></details>'
    if card.hint:
        step, text = card.hint
        yield f'<p style="margin:0.5em 0 0"><b>Hint {step} of 3.</b> {inline(text)}</p>'
    if card.more:
        yield f'<p style="margin:0.5em 0 0;opacity:0.72">{inline(card.more)}</p>'
    yield "</div>"
