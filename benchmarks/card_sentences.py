"""Check every sentence of every card against the code: how many are true, false, or of an unknown kind.

    python -m benchmarks.card_sentences
    python -m benchmarks.card_sentences --only softmax --only transformer --show

A card is made for each registered mistake, variant and program of the bank, without a hint and with each hint. Its text
is split into sentences. Each sentence whose kind is known is compared with what the code computes, see `card_evidence`:
a line with the property that it promises, an example with the answers to its inputs, a place with the values there.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from typing import Any

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, Implementation
from benchmarks.card_checks import promised
from benchmarks.card_evidence import Evidence
from benchmarks.card_examples import Block, example, inputs_that_stop, typed_in
from benchmarks.card_says import Sentence, sentences
from benchmarks.card_seen import seen_is_true
from benchmarks.wild import answers_of, imported
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answers
from course_lib.checking.card import IN_EACH, make_card
from course_lib.checking.exercise import TOGETHER, Check
from course_lib.checking.failure import Failure
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.judge import judge

PROCESSES = 2


@dataclass(frozen=True)
class Checked:
    """A sentence of the card of one implementation."""

    exercise: str
    implementation: str
    sentence: Sentence


def cards(definition: Definition) -> Iterator[tuple[str, Implementation, frozenset[str] | None]]:
    """Yield the implementations of an exercise: what each is, its code, and which registered mistakes it makes."""
    for each in definition.implementations:
        names = frozenset({each.name}) if each.role == "misconception" else None if each.role == "lazy" else frozenset()
        yield f"{each.role} {each.name}", each, names
    for name, variant in definition.wrong_variants():
        yield f"variant {variant.name}", variant, frozenset(name.split(TOGETHER))
    for wild in definition.unseen:
        yield f"{wild.batch} {wild.number}", definition.implementation_of(wild), wild.true | wild.half


def checked(exercise_id: str) -> list[Checked]:
    """Check every sentence of the cards of an exercise."""
    import torch

    torch.set_num_threads(1)
    definition, key = DEFINITIONS[exercise_id], public_key(exercise_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wrong code overflows
        load = partial(definition.load, earlier=imported(definition.exercise.lesson))
        right = answers_to_all(key, load, definition.reference)
        mistakes = cache(lambda name: answers_to_all(key, load, definition.implementation(name)))
        found = []
        for name, implementation, names in cards(definition):
            ours = answers_to_all(key, load, implementation)
            evidence = Evidence(key.exercise, (*key.questions, *key.examples), ours, right, names, mistakes)
            found += [Checked(exercise_id, name, one) for one in of_card(evidence, key, ours)]
    return found


def answers_to_all(key: AnswerKey, load: Callable[[Implementation], Any], implementation: Implementation) -> Answers:
    """Return the answers to the questions of the checks and, as in a notebook, those to the small ones.

    Code that stops when its cell runs, or that was stopped, isn't asked the small questions.
    """
    answers = answers_of(key, load, implementation)
    if any(answer.error and Failure.of(answer.error) for answer in answers.values()):
        return answers
    try:
        thing = load(implementation)
    except Exception:  # as its cell would have ended
        return answers
    return {**answers, **answers_in_time(key.examples, thing)}


def of_card(evidence: Evidence, key: AnswerKey, answers: Answers) -> list[Sentence]:
    """Return the sentences of a card without a hint and with each of its hints, each sentence once."""
    verdict = judge(key, answers)
    lines: dict[str, None] = {}
    for hint in (None, 0, 1, 2):
        lines |= dict.fromkeys(_paragraphs(make_card(verdict, key, answers, hint).text))
    return [sentence for line in lines for sentence in of_paragraph(line, evidence)]


def _paragraphs(text: str) -> Iterator[str]:
    """Yield each line with the block of values below it, if there is one."""
    paragraph: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("    ") and paragraph:
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(line)
    yield "\n".join(paragraph)


_TITLE = re.compile(r"(?P<symbol>\w+) — (?P<score>[\d.]+) of (?P<most>[\d.]+) points?")
_HINT = re.compile(r"  Hint \d of \d: (?P<text>.*)", re.DOTALL)
_LINE = re.compile(r"  (?P<mark>[✓✗○]) (?P<text>.*)", re.DOTALL)
_FOLDED = re.compile(r"  \d+ (?:more|checks?) (?:fails?|holds?|is|are)\b.*\.")
_STOPS = re.compile(r"  (?P<title>The smallest inputs that raise this error):\n(?P<block>.*)", re.DOTALL)
_TYPED = re.compile(r"  (?P<title>What you typed in):\n(?P<block>.*)", re.DOTALL)
_EXAMPLE = re.compile(r"  (?P<title>(?:The smallest example|Another,).*):\n(?P<block>.*)", re.DOTALL)


def of_paragraph(paragraph: str, evidence: Evidence) -> Iterator[Sentence]:
    """Check the sentences of one line of a card, with the block of values below it."""
    if found := _TITLE.fullmatch(paragraph):
        yield Sentence(paragraph, "the points", _points(evidence, float(found["score"]), float(found["most"])))
    elif found := _LINE.fullmatch(paragraph):
        yield from _of_line(found["mark"], found["text"], evidence)
    elif _FOLDED.fullmatch(paragraph):
        return  # counted, but not said which
    elif found := _HINT.fullmatch(paragraph):
        yield from _of_hint(found["text"], evidence)
    elif found := _STOPS.fullmatch(paragraph):
        yield inputs_that_stop(Block(found["title"], found["block"]), evidence)
    elif found := _TYPED.fullmatch(paragraph):
        yield typed_in(Block(found["title"], found["block"]), evidence)
    elif found := _EXAMPLE.fullmatch(paragraph):
        yield example(Block(found["title"], found["block"]), evidence)
    else:
        first, _, quote = paragraph.partition("\n")
        yield from sentences(first, evidence)
        if quote:
            yield Sentence(
                quote, "an error's text", any(_quoted(quote, answer.error) for answer in evidence.ours.values())
            )


def _quoted(quote: str, error: object) -> bool:
    return bool(error) and " ".join(str(getattr(error, "message", "")).split()) in " ".join(quote.split())


def _of_hint(text: str, evidence: Evidence) -> Iterator[Sentence]:
    """Check what a hint says of the code. Hints of exercises and mistakes ask questions and show code."""
    known = next(iter(sentences(text, evidence)), None)
    if known and known.template and known.text == text:
        yield known
    else:
        yield Sentence(text, "a hint", _is_registered(text, evidence))


def _is_registered(text: str, evidence: Evidence) -> bool | None:
    """Return whether a hint belongs to a mistake that the code makes; None if it is a general one, or the
    mistake is unknown."""
    of = {mistake.name for mistake in evidence.exercise.misconceptions if text in mistake.hints}
    if text in evidence.exercise.hints or not of or not evidence.names:
        return None
    return bool(of & evidence.names)


def _of_line(mark: str, text: str, evidence: Evidence) -> Iterator[Sentence]:
    """Check a line: whether each of its promises is kept as the mark says, and what was seen instead."""
    checks, rest = _promises(text, evidence)
    if mark == "○" and not rest:
        return  # what the exercise asks for, if nothing is written yet
    for check in checks:
        kept = promised(evidence, check)
        holds = None if kept.kept is None else kept.kept is (mark != "✗")
        yield Sentence(f"{mark} {check.sentence}", kept.kind and f"{mark} {kept.kind}", holds)
    if not checks:
        yield Sentence(f"{mark} {text}", "", None)
    elif rest and mark == "✗":
        for check in checks if rest.endswith(IN_EACH) else checks[:1]:
            kind, true = seen_is_true(evidence, check, rest.removesuffix(IN_EACH))
            yield Sentence(f"{check.sentence} — {rest}", kind, true)


def _promises(text: str, evidence: Evidence) -> tuple[list[Check], str]:
    """Return the checks whose sentences a line joins, and what follows them."""
    checks: list[Check] = []
    while True:
        fitting = [c for c in evidence.exercise.checks if text.startswith(c.sentence) and c not in checks]
        if not fitting:
            return checks, re.sub(r"^\d+ more — ", "", text)
        checks.append(max(fitting, key=lambda check: len(check.sentence)))
        text = text[len(checks[-1].sentence) :]
        if not text.startswith("; "):
            return checks, text.removeprefix(" — ")
        text = text[2:]


def _points(evidence: Evidence, score: float, most: float) -> bool | None:
    """Return whether the points are those of the promises that are kept; None if one of them isn't known."""
    kept = {check.name: promised(evidence, check).kept for check in evidence.exercise.checks}
    if None in kept.values():
        return None
    if any(check.gate and not kept[check.name] for check in evidence.exercise.checks):
        return score == 0
    earned = sum(c.points for c in evidence.exercise.checks if kept[c.name] and (c.needs is None or kept[c.needs]))
    return abs(earned - score) < 1e-4 and most == evidence.exercise.points


def report(found: Iterable[Checked], show: bool) -> int:
    """Print how many sentences are true, false and unchecked, and their kinds. Return the number of false ones."""
    found = list(found)
    false = [one for one in found if one.sentence.holds is False]
    unknown = Counter(one.sentence.template or _kind(one.sentence.text) for one in found if one.sentence.holds is None)
    if show:
        for kind, number in Counter(one.sentence.template for one in found if one.sentence.holds).most_common():
            print(f"{number:6} true: {kind}")
    for kind, number in unknown.most_common(None if show else 30):
        print(f"{number:6} unchecked: {kind}")
    held = sum(one.sentence.holds is True for one in found)
    print(f"{held + len(false):,} sentences checked, {len(false):,} false, {unknown.total():,} unchecked")
    return len(false)


def _kind(text: str) -> str:
    """Return a sentence of an unknown kind without what varies in it."""
    return re.sub(r"`[^`]*`|-?\d[\d.,]*", "…", text)[:100]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", default=[], choices=DEFINITIONS, metavar="ID", help="one exercise only"
    )
    parser.add_argument("--show", action="store_true", help="also show how many sentences of each kind are true")
    chosen = parser.parse_args()
    exercises = chosen.only or list(DEFINITIONS)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    found: list[Checked] = []
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        for number, (exercise_id, ones) in enumerate(
            zip(exercises, pool.map(checked, exercises), strict=True), start=1
        ):
            false = sum(one.sentence.holds is False for one in ones)
            print(f"{number}/{len(exercises)} {exercise_id}: {len(ones)} sentences, {false} false", file=sys.stderr)
            for one in ones:
                if one.sentence.holds is False:
                    print(f"FALSE {one.exercise}, {one.implementation}: {one.sentence.text}", flush=True)
            found += ones
    raise SystemExit(report(found, chosen.show) > 0)


if __name__ == "__main__":
    main()
