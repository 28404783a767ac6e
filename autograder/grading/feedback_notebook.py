"""Turn an outcome into a graded notebook: judge it, and choose what each cell shows in the feedback."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import nbformat
from nbformat.v4 import new_markdown_cell

from autograder.grading.graded import Graded
from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.pictures import MOST_ON_A_PAGE, plain_picture
from autograder.grading.sanitize import LONGEST_CODE, harmless_code, harmless_text
from autograder.grading.tags import BARE, OURS
from course_lib.checking.answers import Error
from course_lib.checking.card import Card, make_card
from course_lib.checking.dependencies import stops_in
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import number
from course_lib.checking.judge import Verdict, judge
from course_lib.our_errors import report
from course_lib.rebuilding.exercises import left_over_sentences
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.running.cells import grade_id
from course_lib.running.media import alt_of
from course_lib.running.outcome import PUBLIC, Outcome

Notebook = Any

#: the types of a student's output that are shown on a feedback page. None of them can run there
HARMLESS = ("image/png", "text/plain")
MOST_OUTPUTS = 1_000  #: the most outputs of all cells together, because each slows down the page
MOST_TEXT = 200_000  #: the most characters that all cells together show on a page


def graded_notebook(
    rebuilt: Rebuilt, keys: LessonKeys, outcome: Outcome, graded: Graded, ours: Mapping[str, str]
) -> Notebook:
    """Add outputs to the rebuilt notebook: the output of the student's cells, and a card at each grade cell.

    Args:
        ours: our answers to written questions, by grade id. Each is placed below the student's answer for the grader.
    """
    notebook = copy.deepcopy(rebuilt.notebook)
    asked = {cell.id: cell.exercise for cell in rebuilt.cells if cell.kind == "grade"}
    left_overs = left_over_sentences(rebuilt)
    code_left, outputs_left, text_left, pixels_left = LONGEST_CODE, MOST_OUTPUTS, MOST_TEXT, MOST_ON_A_PAGE
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if cell.id in asked:
            left = left_overs.get(asked[cell.id], "")
            cell.outputs = [_graded_output(keys, outcome, graded.verdicts, asked[cell.id], left)]
            continue
        cell.source = harmless_code(cell.source, code_left)
        code_left = max(0, code_left - len(cell.source))
        cell.outputs = []
        for output in outcome.outputs.get(cell.id, ())[:outputs_left]:
            if text_left > 0 and (shown := _harmless(output, text_left, pixels_left)):
                cell.outputs.append(shown)
                text_left -= _text_of(shown)
                pixels_left -= _pixels_of(shown)
        outputs_left -= len(cell.outputs)
    notebook.cells = [
        one for cell in notebook.cells for one in (cell, *_to_grade_by(cell, ours.get(grade_id(cell), "")))
    ]
    return notebook


def _to_grade_by(cell: Notebook, ours: str) -> Iterator[Notebook]:
    """Yield a cell with our own answer, if there is one."""
    if ours:
        quoted = "\n".join(f"> {line}".rstrip() for line in ours.splitlines())
        source = f"**Ours, to grade by.** Students don't see it.\n\n{quoted}"
        yield new_markdown_cell(source, id=f"{OURS}-{cell.id}"[:64], metadata={"tags": [OURS]})


def feedback_card(
    keys: LessonKeys,
    outcome: Outcome,
    verdicts: Mapping[str, Verdict],
    exercise: str,
    bare: bool = False,
    left_over: str = "",
) -> Card:
    """Make the card of a graded exercise. Its points come from hidden questions, its details from public ones.

    Never show what the code did on a hidden question. Leave out an error's name and message, which the student's code
    chooses, because they could contain the question's inputs.

    Args:
        bare: whether to leave out the answers to public questions, too, because the code could have read our
            components of earlier lessons.
        left_over: a sentence about a `raise NotImplementedError()` that was left under written code.
    """
    key, hidden = keys.public[exercise], verdicts[exercise]
    if hidden.misconception and not key.exercise.names(hidden.misconception):
        hidden = replace(hidden, naming=None)  # show the name only to the instructor
    shown = None if bare else outcome.all_answers.get(PUBLIC + exercise)
    public = judge(key, shown) if shown else None
    seen = {check_result.check.name: check_result.seen for check_result in public.check_results} if public else {}
    check_results = tuple(
        replace(check_result, seen=seen.get(check_result.check.name, "")) for check_result in hidden.check_results
    )
    error = hidden.error
    if error and exercise in outcome.all_answers:
        error = (public.error if public else None) or _without_text(error, "" if bare else _ELSEWHERE)
    lacking = tuple(outcome.over_ours.get(exercise, ()))
    stops = () if lacking or hidden.naming else stops_in(key, error, verdicts.get)
    below = replace(hidden.dependencies, stops_in=stops, over_ours=lacking)
    shown_verdict = replace(hidden, check_results=check_results, error=error, dependencies=below)
    left = left_over if error and error.unwritten else ""
    try:
        return make_card(shown_verdict, key, shown or {}, hint=0, observed=left)
    except Exception as error:  # keep the points and show no details
        report(error, f"making the feedback card of {exercise}")
        return make_card(shown_verdict, key, {}, hint=0)


#: exceptions whose name reveals nothing about a hidden question, with their messages
_KNOWN = {"NameError": "a name is not defined", "NotImplementedError": ""}


#: the location of an error that no public question shows
_ELSEWHERE = "on other numbers than those at home"


def _without_text(error: Error, instead: str) -> Error:
    """Remove everything from an error that a student could have chosen."""
    if failure := Failure.of(error):
        return failure.error()
    known = error.type in _KNOWN
    return Error(error.type, _KNOWN[error.type]) if known else Error("an error", instead)


def _graded_output(
    keys: LessonKeys, outcome: Outcome, verdicts: Mapping[str, Verdict], exercise: str, left_over: str
) -> Notebook:
    """Return the output from which nbgrader reads the points: an execute_result whose text is a bare number."""
    cards = (feedback_card(keys, outcome, verdicts, exercise, bare, left_over) for bare in (False, True))
    # an error's message must not be typeset as a formula
    whole, bare = (f'<div class="tex2jax_ignore mathjax_ignore">{card.html}</div>' for card in cards)
    data = {"text/plain": number(verdicts[exercise].score), "text/html": whole}
    return nbformat.v4.new_output("execute_result", data, metadata={BARE: bare}, execution_count=1)


def _harmless(output: Mapping[str, Any], longest: int, pixels: int) -> Notebook | None:
    """Copy an output without anything that a browser would run. Return None if nothing is left.

    Args:
        longest: the most characters of its text.
        pixels: the most pixels of its picture.
    """

    def text(value: object) -> str:
        shown = harmless_text(str(value)[: 10 * longest])
        return shown if len(shown) <= longest else f"{shown[:longest]}\n… and more"

    kind = output.get("output_type")
    if kind == "stream":
        # show the student's stderr as stdout, because it says nothing about points
        return nbformat.v4.new_output("stream", name="stdout", text=text(output.get("text", "")))
    if kind == "error":
        message = {key: text(output.get(key, "")) for key in ("ename", "evalue")}
        traceback = text("\n".join(map(str, output.get("traceback", ()))))
        return nbformat.v4.new_output("error", **message, traceback=traceback.split("\n"))
    data = {kind: str(value) for kind, value in dict(output.get("data", {})).items() if kind in HARMLESS}
    if "text/plain" in data:
        data["text/plain"] = text(data["text/plain"])
    if "image/png" in data:
        picture = plain_picture(data.pop("image/png"), pixels)
        data |= {"image/png": picture.encoded} if picture.encoded else {"text/plain": f"[{picture.problem}]"}
    alt = text(alt_of(output.get("metadata"), "image/png")) if "image/png" in data else ""
    described = {"image/png": {"alt": alt}} if alt else {}
    return nbformat.v4.new_output("display_data", data, metadata=described) if data else None


def _pixels_of(output: Notebook) -> int:
    """Return the number of pixels of an output's picture, or 0 if it has none."""
    return plain_picture(output.get("data", {}).get("image/png", "")).pixels


def _text_of(output: Notebook) -> int:
    """Return the number of characters of an output's text."""
    shown = [output.get("text", ""), *output.get("traceback", ()), output.get("data", {}).get("text/plain", "")]
    shown.append(alt_of(output.get("metadata"), "image/png"))
    return sum(map(len, shown))
