"""Exercises on paper: the answer is a value that a student works out by hand and types in."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from conftest import LESSON

from autograder.authoring.gate import Tried
from autograder.building import worth
from autograder.building.notebook import to_text
from autograder.building.solution_cell import cut_on_paper
from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import answer_public, key_of_answers, make_key
from autograder.exercises.definition import DefinitionError
from autograder.exercises.sampler import Sampler
from autograder.exercises.validation import validate
from autograder.integrity.gather import Gathered
from course_lib.app.doctor import examine_notebook
from course_lib.app.notebook_check import check_notebook
from course_lib.checking.answer_key import AnswerKey, load_key, public_key, save_key
from course_lib.checking.answers import Answer
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.questions import Call, OnPaper
from course_lib.course import Course, CourseError
from course_lib.kernel.check import check
from course_lib.kernel.definitions import Definitions
from course_lib.kernel.example import example
from course_lib.own_parts.use import part_exercises
from course_lib.running.cells import grade_id

ON_PAPER = [id for id, definition in DEFINITIONS.items() if definition.exercise.on_paper]
WEIGHTS = "weights_on_paper"
RIGHT = [0.63, 0.23, 0.14]


def answer(question: OnPaper, typed: Any) -> Answer:
    return ask([question], typed)[question.name]


def verdict(typed: Any, exercise_id: str = WEIGHTS) -> Verdict:
    key = public_key(exercise_id)
    return judge(key, ask(key.questions, typed))


# the form of an answer


@pytest.mark.parametrize(
    "typed",
    [
        RIGHT,
        tuple(RIGHT),
        np.array(RIGHT),
        np.array(RIGHT, dtype=np.float32),
        torch.tensor(RIGHT, requires_grad=True),
        [torch.tensor(number) for number in RIGHT],
        [Decimal("0.63"), Decimal("0.23"), Decimal("0.14")],
        [Fraction(63, 100), Fraction(23, 100), Fraction(14, 100)],
        lambda: RIGHT,
    ],
)
def test_a_right_answer_counts_in_any_form(typed: Any) -> None:
    assert verdict(typed).passed


@pytest.mark.parametrize(
    ("typed", "yours"),
    [
        ("0.63 0.23 0.14", "the str '0.63 0.23 0.14'"),
        ([0.63, 0.23], "a list of 2"),
        ([[0.63, 0.23, 0.14]], "a list of 1"),
        ([[0.63], [0.23], [0.14]], "one with a list of 1"),
        ({0.63, 0.23, 0.14}, "a set"),
        ({"dog": 0.63}, "a dict"),
        ([0.63, 0.23, float("nan")], "one with the float nan"),
        ([0.63, 0.23, None], "one with None"),
        (["0.63", 0.23, 0.14], "one with the str '0.63'"),
        (0.63, "the float 0.63"),
        ([0.63, 0.23, 1j], "one with a complex"),
        (object(), "an object"),
    ],
)
def test_an_answer_of_another_form_is_told_which_form_is_asked_for(typed: Any, yours: str) -> None:
    card = check(WEIGHTS, typed).card
    assert card.score == 0
    assert card.says == f"This asks for 3 numbers, in a form like [0.5, 0.3, 0.2]; yours is {yours}."
    assert not card.quote and not card.hint


@pytest.mark.parametrize("typed", [None, ...])
def test_a_placeholder_is_an_exercise_that_is_not_written_yet(typed: Any) -> None:
    found = verdict(typed)
    assert found.error and found.error.unwritten and not found.wrong


@pytest.mark.parametrize(
    ("like", "asked"),
    [
        (0.5, "a number"),
        (True, "True or False"),
        ([[1, 2, 3], [4, 5, 6]], "2 rows of 3 numbers"),
        ([[True, False]], "1 rows of 2 truth values"),
        ("blue", "a word"),
        (["the", "dog"], "a list of words"),
    ],
)
def test_the_message_names_the_form_of_each_kind_of_answer(like: Any, asked: str) -> None:
    error = answer(OnPaper("typed", like), {1, 2}).error
    assert error and error.message.startswith(f"this asks for {asked}, in a form like {like!r}")


def test_words_are_compared_without_the_spaces_around_them_and_a_list_may_have_any_length() -> None:
    assert answer(OnPaper("typed", "blue"), " red\n").values == {"answer": "red"}
    assert answer(OnPaper("typed", ["un", "able"]), ("re", " do ", "ing")).values == {"answer": ["re", "do", "ing"]}


def test_truth_values_may_be_typed_as_ones_and_zeros() -> None:
    question = OnPaper("typed", [[True, False], [True, True]], decimals=None)
    assert answer(question, [[1, 0], [0, 1]]).values["answer"].tolist() == [[1.0, 0.0], [0.0, 1.0]]


# how close is right


@pytest.mark.parametrize(("off", "passes"), [(0.0, True), (0.005, True), (0.0099, True), (0.012, False)])
def test_a_number_may_be_off_by_one_in_the_last_decimal(off: float, passes: bool) -> None:
    exact = DEFINITIONS[WEIGHTS].load(DEFINITIONS[WEIGHTS].reference)()
    assert verdict([exact[0] + off, exact[1] - off, exact[2]]).passed is passes


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_a_slip_that_is_rounded_as_a_person_rounds_keeps_its_name(exercise_id: str) -> None:
    answered = answer_public(exercise_id)
    assert not list(Tried(key_of_answers(answered), answered).misnamed_when_rounded())


def test_slips_that_rounding_confuses_are_reported() -> None:
    answered = answer_public(WEIGHTS)
    key = key_of_answers(answered)
    near = {
        "typed": answer(OnPaper("typed", [0.5, 0.3, 0.2]), [0.838, 0.119, 0.043])
    }  # not_scaled: 0.844, 0.114, 0.042
    tried = Tried(replace(key, mistakes={"near": near, **key.mistakes}), answered)
    assert list(tried.misnamed_when_rounded()) == ["not_scaled is called near when it is rounded"]


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_the_example_of_the_form_is_wrong(exercise_id: str) -> None:
    question = public_key(exercise_id).questions[0]
    assert isinstance(question, OnPaper)
    found = verdict(question.like, exercise_id)
    assert found.score == 0 and not (found.error or found.misconception)


# what a card may show


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_card_never_shows_the_right_value(level: int) -> None:
    key = public_key(WEIGHTS)
    answers = ask(key.questions, [0.84, 0.11, 0.04])
    card = make_card(judge(key, answers), key, answers, hint=level)
    assert not card.shows_right and card.examples[0].title == "What you typed in:"
    assert "[0.84, 0.11, 0.04]" in card.text and "0.63" not in card.text and "[0.629" not in card.html


def test_a_check_says_how_many_numbers_are_wrong_but_not_by_how_much() -> None:
    assert [result.seen for result in verdict([0.63, 0.2, 0.14]).check_results] == ["1 of 3 numbers is not right"]


def test_there_are_no_inputs_to_try() -> None:
    assert "example" not in check(WEIGHTS, [0.84, 0.11, 0.04]).text
    with pytest.raises(LookupError, match="is worked out on paper"):
        example(WEIGHTS, expected=True)


# grading


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_the_hidden_question_is_the_public_one(exercise_id: str) -> None:
    hidden = make_key(DEFINITIONS[exercise_id], Sampler.hidden(b"secret", "1", exercise_id))
    assert hidden.digest() == public_key(exercise_id).digest()


def test_a_key_is_the_same_after_it_was_stored(tmp_path: Path) -> None:
    key: AnswerKey = public_key(WEIGHTS)
    save_key(key, tmp_path)
    again = load_key(tmp_path / f"{WEIGHTS}.json")
    assert again.questions == key.questions and again.exercise.on_paper
    assert judge(again, ask(again.questions, RIGHT)).passed
    assert "0.62" not in (tmp_path / f"{WEIGHTS}.json").read_text(), "numbers are in the file of tensors"


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_no_later_lesson_can_use_an_answer_as_a_part(exercise_id: str) -> None:
    assert exercise_id not in {entry.id for entry in part_exercises()}
    assert exercise_id not in {one for definition in DEFINITIONS.values() for one in definition.exercise.builds_on}


@pytest.fixture
def typed_in(course: Course, tmp_path: Path) -> Path:
    """A notebook in which one answer is right, and the other has another form."""
    notebook = nbformat.read(course.student_notebook(LESSON), as_version=4)
    typed = {WEIGHTS: "[0.63, 0.23, 0.14]", "masked_output_on_paper": "'1.46 and 1.08'"}
    for cell in notebook.cells:
        if name := typed.keys() & {grade_id(cell)}:
            cell.source = f"{name.copy().pop()} = {typed[name.pop()]}"
    path = tmp_path / f"{LESSON}.ipynb"
    path.write_text(to_text(notebook), encoding="utf-8")
    return path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork: see docs/learning.md")
def test_what_is_typed_in_is_judged_outside_the_process_that_ran_the_notebook(typed_in: Path) -> None:
    verdicts = check_notebook(typed_in).verdicts
    assert verdicts[WEIGHTS][0].passed
    found, card = verdicts["masked_output_on_paper"]
    assert found.score == 0
    assert card.says == "This asks for 2 numbers, in a form like [0.5, 0.3]; yours is the str '1.46 and 1.08'."


def test_doctor_says_which_answers_are_not_typed_in(course: Course, typed_in: Path) -> None:
    def unwritten(path: Path) -> set[str]:
        return {name for name in ON_PAPER if f"`{name}` is not written yet" in {f.text for f in examine_notebook(path)}}

    assert unwritten(course.student_notebook(LESSON)) == {WEIGHTS, "masked_output_on_paper"}
    assert not unwritten(typed_in)


def test_equal_answers_are_not_compared_as_copies(course: Course) -> None:
    assert not Gathered(course, LESSON).solutions.keys() & set(ON_PAPER)


# the cell


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_a_students_cell_binds_the_name_to_none_and_says_what_form_is_asked_for(
    course: Course, exercise_id: str
) -> None:
    source = cells(course.student_notebook(DEFINITIONS[exercise_id].exercise.lesson))[exercise_id]
    *about, last = source.splitlines()
    assert last == f"{exercise_id} = None" and all(line.startswith("# ") for line in about)
    question = public_key(exercise_id).questions[0]
    assert isinstance(question, OnPaper)
    assert form(question.like, question.decimals) in " ".join(line.removeprefix("# ") for line in about)


def form(like: Any, decimals: int | None) -> str:
    """Return an example as a docstring writes it."""
    if isinstance(like, list):
        return f"[{', '.join(form(one, decimals) for one in like)}]"
    return json.dumps(like) if isinstance(like, str) else f"{like:.{decimals}f}" if decimals else repr(like)


@pytest.mark.parametrize("exercise_id", ON_PAPER)
def test_the_solutions_cell_works_out_the_reference(course: Course, exercise_id: str) -> None:
    definition = DEFINITIONS[exercise_id]
    namespace: dict[str, Any] = {**vars(definition._home)}
    exec(cells(course.solution_notebook(definition.exercise.lesson))[exercise_id], namespace)
    assert verdict(namespace[exercise_id], exercise_id).passed


def cells(path: Path) -> Mapping[str, str]:
    notebook = nbformat.read(path, as_version=4)
    return {grade_id(cell): cell.source for cell in notebook.cells if grade_id(cell)}


def test_our_work_binds_no_other_name(course: Course) -> None:
    source = cut_on_paper('def number() -> int:\n    """A number."""\n    other = 1\n    return other')
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    assert source.startswith("# A number.\nnumber = None\n")
    assert namespace.keys() - {"__builtins__"} == {"number"} and namespace["number"] == 1


def test_a_reference_without_a_docstring_is_refused() -> None:
    with pytest.raises(CourseError, match="docstring says what to type in"):
        cut_on_paper("def number():\n    return 1")


def test_the_question_on_paper_belongs_to_a_function_without_parameters() -> None:
    softmax, paper = DEFINITIONS["softmax"], DEFINITIONS[WEIGHTS]
    for definition, questions in ((softmax, [OnPaper("typed", 1.0)]), (paper, [Call("typed", {})])):
        with pytest.raises(DefinitionError, match="an exercise on paper has one question, of the kind OnPaper"):
            validate(definition, questions)


def test_a_title_states_the_points_that_a_course_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "course_points", lambda: {WEIGHTS: 1.0})
    title = "**Your turn, on paper.** `weights_on_paper` · {} · about 4 minutes"
    assert worth.with_exercise_points(title.format("3 points"), LESSON) == title.format("1 point")


# a value that was not run


def test_a_card_warns_if_the_cell_that_binds_the_value_stopped_with_an_error() -> None:
    namespace: dict[str, Any] = {}
    kernel = Definitions(namespace)
    for source, error in (("weights_on_paper = [1]", None), ("weights_on_paper = [1, 2", SyntaxError())):
        info = type("Info", (), {"raw_cell": source, "cell_id": "a"})
        kernel.begins(info)
        if error is None:
            exec(source, namespace)
        kernel.ended(type("Result", (), {"info": info, "error_before_exec": error, "error_in_exec": None}))
    assert "stopped with SyntaxError" in kernel.note(WEIGHTS, namespace[WEIGHTS])
