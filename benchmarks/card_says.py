"""What the sentences of a card say about code, and whether it is true: one template for each kind of sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks import card_does as does
from benchmarks import card_where as where
from benchmarks.card_evidence import Evidence, alike
from course_lib.checking.answers import Answers
from course_lib.checking.explain.library_errors import meaning

Found = re.Match[str]
#: decides whether a sentence is true; None if that can't be computed
Claim = Callable[[Evidence, Found], bool | None]


@dataclass(frozen=True)
class Sentence:
    """A sentence of a card, and whether it is true.

    Attributes:
        template: the kind of sentence; empty if it isn't known.
        holds: None if it can't be checked.
    """

    text: str
    template: str
    holds: bool | None


def sentences(text: str, evidence: Evidence) -> Iterator[Sentence]:
    """Split a paragraph into sentences that are known, and others, which end at a full stop."""
    text, found = text.strip(), None
    while text:
        in_part = found is not None and found.template == _IN_PART
        found = _mistake(text, evidence, in_part) or _meaning(text, evidence) or _template(text, evidence)
        if found is None:
            end = re.search(r"[.?!](?= |$)", text)
            found = Sentence(text[: end.end() if end else len(text)], "", None)
        yield found
        text = text[len(found.text) :].strip()


#: what precedes the sentence of a mistake that the code shares some answers with
_IN_PART = "On some inputs your answers are exactly those of this mistake: "


def _mistake(text: str, evidence: Evidence, in_part: bool) -> Sentence | None:
    """Recognise a registered mistake's sentence: the author of the code has to say the same of it.

    Args:
        in_part: whether the card only says that some wrong answers are those of the mistake.
    """
    known = [m for m in evidence.exercise.misconceptions if text.lower().startswith(m.sentence.lower())]
    if not known:
        return None
    found = max(known, key=lambda mistake: len(mistake.sentence))
    holds = None if evidence.names is None else found.name in evidence.names
    if in_part:
        known_answers = evidence.mistakes(found.name)
        shared = (q for q in evidence.answered if _same(evidence.ours, known_answers, q.name))
        holds = any(not _same(evidence.ours, evidence.right, question.name) for question in shared)
    return Sentence(text[: len(found.sentence)], "a mistake's sentence", holds)


def _meaning(text: str, evidence: Evidence) -> Sentence | None:
    """Recognise what a library's error means: the code has to raise that error."""
    errors = [answer.error for answer in evidence.ours.values() if answer.error]
    said = next((sentence for error in errors if (sentence := meaning(error)) and text.startswith(sentence)), None)
    return Sentence(said, "what an error means", True) if said else None


def _same(ours: Answers, others: Answers, question: str) -> bool:
    return alike(dict(ours[question].values), dict(others[question].values))


def _template(text: str, evidence: Evidence) -> Sentence | None:
    for template, pattern, claim in _TEMPLATES:
        if found := pattern.match(text):
            holds = claim(evidence, found)
            return Sentence(found[0].strip(), template, None if holds is None else bool(holds))
    return None


def _stopped(error: str) -> Claim:
    return lambda evidence, found: error in evidence.errors


def _two_mistakes(evidence: Evidence, found: Found) -> bool:
    return evidence.names is None or len(evidence.names) > 1


def _not_computed(evidence: Evidence, found: Found) -> None:
    """Leave a sentence unchecked."""


#: what a template's slots may contain
_SLOTS = {
    "name": r"`(?P<name>[^`]+)`",
    "parts": r"(?P<parts>`[^.:]*`)",
    "type": r"(?P<type>\w+)",
    "kind": r"(?:an?|the) [^.]*?",
    "shape": r"(?P<ours>\(.*?\))",
    "right_shape": r"(?P<right>\(.*?\))",
    "dtype": r"(?P<ours>(?:torch\.)?(?:\w+\d+|bool))",
    "right_dtype": r"(?P<right>\S+)",
    "odd": r"(?P<what>NaN|infinity|minus infinity)",
    "step": f"(?P<step>{'|'.join(does.STEPS)})",
    "factor": r"(?P<factor>-?[\d.e+-]+)",
    "factors": r"(?P<some>[-+\d., e…]*)",
    "trait": r"(?P<trait>.*?)",
    "unit": r"(?P<unit>step|row|position|sentence)",
    "same unit": r"(?P=unit)",
    "of": r"(?P<of>\d+)",
    "number": r"(?P<number>\d+)",
    "size": r"(?P<size>large|small)",
    "everywhere": r"(?: everywhere)?",
    "missing": r"(?: Missing: (?P<missing>.*?)\.(?= |$))?",
    "others": r"(?: Not asked for: (?P<others>.*?)\.(?= |$))?",
    "misshapen": r"(?: With the wrong shape: (?P<misshapen>.*?)\.(?= |$))?",
    "some": r"(?:On some input, )?",
    "the": r"(?P<right_numbers>[Tt]he numbers are right, but )?",
    "It": r"[Ii]t",
    "rest": r"[^.]*",
    "more": r".*$",
}


def _compiled(template: str) -> re.Pattern[str]:
    """Return a regular expression for a sentence with slots such as ``{name}``."""
    parts = re.split(r"\{([^}]*)\}", template)
    return re.compile("".join(_SLOTS[part] if number % 2 else re.escape(part) for number, part in enumerate(parts)))


#: the sentences that cards may contain, besides those of registered mistakes. The first that fits counts
_TEMPLATES: tuple[tuple[str, re.Pattern[str], Claim], ...] = tuple(
    (template, _compiled(template), claim)
    for template, claim in (
        ("Every check holds.", does.all_right),
        ("Two things at once. First: ", _two_mistakes),
        ("Second: ", _two_mistakes),
        (_IN_PART, _not_computed),
        ("On others they are not, so fix this first and check again.", _not_computed),
        ("This is none of the mistakes known here.", does.unknown),
        ("The checks that fail say where to look.", _not_computed),
        ("Also: ", lambda evidence, found: True),
        # errors
        ("Nothing is written here yet. The checks below are what it will have to make true.", does.unwritten),
        ("Part of it is not written yet: on some input it stops with {type}.", does.stops),
        ("It stops with {type}.", does.always_stops),
        ("On some input it stops with {type}.", does.stops),
        ("It stops with {type} wherever {trait}, and on no other input that was tried.", where.stops_wherever),
        ("It was stopped after {more}", _stopped("TimeLimit")),
        ("Its `__init__` does not call `super().__init__()`, which {rest}.", _stopped("AttributeError")),
        # the form of what comes back
        ("Its parameters are not those that the docstring names.{missing}{others}{misshapen}", does.parameters),
        ("It returns None. Does it end with `return`?", does.none_returned),
        ("{some}{It} returns {kind}, where {rest} asked for{rest}.", does.results),
        ("{some}{name} has the shape {shape}, where {right_shape} is asked for.", does.form(does.shaped)),
        ("{some}{the}{name} is {dtype}, where {right_dtype} is asked for.", does.form(does.in_dtype)),
        ("{some}{name} is {kind}, where {kind} is asked for.", does.form(does.typed)),
        ("{some}{name} is None, where {kind} is asked for.", does.form(does.typed)),
        ("{some}{name} contains {odd}, where finite numbers are asked for.", does.form(does.odd)),
        ("What it returns is right, but it changes its inputs: {rest}.", does.changes_inputs),
        ("It changes its inputs: {rest}.", does.after_differs),
        ("What it returns is right, but it accepts what it should refuse: {rest}.", does.accepts),
        ("What it returns is right, but gradients do not reach {rest}.", does.gradients_wrong),
        ("What comes back is right, and the gradients are not.", does.gradients_wrong),
        # how it follows from the right values
        ("{name} is {step} of the right one.", does.step),
        ("{name} is right but for one step: {step} of yours is what is asked for.", does.missing_step),
        ("{name} is {factor} times the right one, wherever it is wrong.", does.times),
        ("{name} is the right one times a number that is not 1, another for each input: {factors}.", does.some_factors),
        # on which inputs
        ("It comes out wrong wherever {trait}, and right on all other inputs that were tried.", where.wherever),
        ("No known slip gives this value. Go through your steps again.", does.unknown),
        ("It is wrong on each of {of} inputs, even on the smallest.", where.on_each),
        ("It is wrong on {number} of {of} inputs.", where.on_some),
        ("In the example, {name} is too {size}{everywhere}.", where.too),
        ("`encode` goes wrong; given the right memory, `decode` is right.", where.half("encode", "decode")),
        ("The encoder's half is right: `encode` {rest}. The decoder's is not.", where.half("decode", "encode")),
        (
            "Given the right memory, the decoder's half is right. The encoder's is not.",
            where.half("encode", "decode"),
        ),
        ("It goes wrong only with masks; without them, it is right.", where.masked("mask", "memory_mask")),
        ("It goes wrong only with a `mask`; without one, it is right.", where.masked("mask")),
        ("It goes wrong only with a `memory_mask`; without one, it is right.", where.masked("memory_mask")),
        ("It goes wrong only without masks; with them, it is right.", where.unmasked),
        ("It goes wrong only as post-norm; as pre-norm, it is right.", where.norm(False)),
        ("It goes wrong only as pre-norm; as post-norm, it is right.", where.norm(True)),
        ("It goes wrong only in training mode, where something is dropped.", where.dropped(True)),
        ("It goes wrong only in evaluation mode with `dropout` above 0: {rest}.", where.dropped(False)),
        ("It goes wrong only where the weights change between two steps.", where.weights_changed),
        ("With the same inputs, a first call is right, and a later one goes wrong.", where.same_inputs_again),
        ("No gradient reaches {parts}.", where.unreached(zero=False)),
        ("The gradient of {parts} is 0.", where.unreached(zero=True)),
        # where in an answer
        ("Of the {of} {unit}s of {name}, only {same unit} {number} is wrong.", where.place),
        ("In {name}, {unit} {number} is wrong already.", where.place),
        ("In {name}, {rest}right, and {unit} {number} is the first that is wrong.", where.place),
        ("In {name}, only the values at padding are wrong.", where.only_at_padding),
        ("On another input, of the {of} {unit}s of {name}, only {same unit} {number} is wrong.", where.place),
        ("On another input, in {name}, {unit} {number} is wrong already.", where.place),
        ("On another input, in {name}, {rest}right, and {unit} {number} is the first that is wrong.", where.place),
        ("On another input, in {name}, only the values at padding are wrong.", where.only_at_padding),
        # hints that begin with what is right
        ("Your numbers are right, but PyTorch has lost track of how you computed them.{more}", does.gradients_wrong),
        ("Print your inputs before and after your code: something in them has changed.", does.after_differs),
        ("Without a mask, everything is right.{more}", where.right_without(where.has_mask)),
        ("In evaluation mode, everything is right.{more}", where.right_without(lambda q: q.in_training)),
        ("In training, everything is right.{more}", where.right_without(lambda q: not q.in_training)),
    )
)
