"""A notebook is rebuilt in the student's order, and keeps everything that the student wrote, wherever it is."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import nbformat
import numpy as np
import pytest
from conftest import LESSON

from autograder.exercises import of_lesson
from autograder.grading.rebuild import rebuild as rebuild_submission
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.running.cells import grade_id

Notebook = Any
SYMBOLS = {d.id: d.exercise.symbol for d in of_lesson(LESSON)}
#: an answer that identifies itself as the student's
MINE = "def softmax(scores, axis=-1):\n    return 'mine'"


@pytest.fixture
def mine(released: Notebook) -> Notebook:
    """Return a copy of the released notebook to edit."""
    return copy.deepcopy(released)


def rebuild(released: Notebook, mine: Notebook) -> Rebuilt:
    found = rebuild_submission(released, json.dumps(mine).encode(), SYMBOLS)
    nbformat.validate(found.notebook)
    assert sorted(cell.exercise for cell in found.cells if cell.kind == "grade") == sorted(SYMBOLS)
    return found


def at(notebook: Notebook, name: str) -> int:
    return next(i for i, cell in enumerate(notebook.cells) if name in (grade_id(cell), cell.id))


def code(source: str) -> Notebook:
    return nbformat.v4.new_code_cell(source)


def markdown(source: str) -> Notebook:
    return nbformat.v4.new_markdown_cell(source)


def asked(found: Rebuilt, exercise: str = "softmax") -> Any:
    """Run the cells above an exercise's check, skip those that fail, and return the value of the exercise's name."""
    namespace: dict[str, Any] = {"np": np, "Tensor": Any, "nn": type("nn", (), {"Module": object}), "torch": None}
    for cell in found.cells:
        if cell.kind == "grade" and cell.exercise == exercise:
            return namespace.get(cell.symbol)
        if cell.kind in ("exercise", "own"):
            try:
                exec(cell.source, namespace)
            except Exception:
                continue
    raise AssertionError("it is not asked")


def above_the_check(notebook: Notebook) -> None:
    cell = notebook.cells[at(notebook, "check-softmax")]
    cell.source = f"{MINE}\n\n{cell.source}"


def merged_into_the_check(notebook: Notebook) -> None:
    above_the_check(notebook)
    del notebook.cells[at(notebook, "softmax")]


def merged_with_the_check(notebook: Notebook) -> None:
    i = at(notebook, "softmax")
    notebook.cells[i].source = f"{MINE}\n{notebook.cells[i + 1].source}"
    del notebook.cells[i + 1]


def typed_over_the_check(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "check-softmax")].source = MINE


def in_a_cell_below_the_check(notebook: Notebook) -> None:
    notebook.cells.insert(at(notebook, "check-softmax") + 1, code(MINE))


def in_two_cells_below_the_check(notebook: Notebook) -> None:
    notebook.cells.insert(at(notebook, "check-softmax") + 1, code(MINE))
    notebook.cells.insert(at(notebook, "check-softmax") + 1, code("def softmax(scores, axis=-1):\n    return 'first'"))


def in_a_cell_above_the_stub(notebook: Notebook) -> None:
    notebook.cells.insert(at(notebook, "softmax"), code(MINE))


def at_the_end(notebook: Notebook) -> None:
    notebook.cells.append(code(MINE))


def in_prose_that_became_code(notebook: Notebook) -> None:
    cell = notebook.cells[at(notebook, "softmax") - 1]
    cell.update(code(MINE), id=cell.id)


def in_a_cell_that_became_raw(notebook: Notebook) -> None:
    cell = notebook.cells[at(notebook, "softmax")]
    cell.update(cell_type="raw", source=MINE)


def in_a_cell_that_became_markdown(notebook: Notebook) -> None:
    cell = notebook.cells[at(notebook, "softmax")]
    cell.update(cell_type="markdown", source=MINE)


def in_a_raw_cell_of_ones_own(notebook: Notebook) -> None:
    notebook.cells.insert(at(notebook, "softmax"), nbformat.v4.new_raw_cell(MINE))


def in_a_demo(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "softmax") - 3].source += f"\n\n{MINE}"


def in_the_set_up_cell(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "setup")].source += f"\n\n{MINE}"


def in_the_answer_to_a_question(notebook: Notebook) -> None:
    cell = notebook.cells[at(notebook, "written-one_projection")]
    cell.update(code(MINE), id=cell.id)


def in_a_copy_below(notebook: Notebook) -> None:
    i = at(notebook, "softmax")
    notebook.cells.insert(i + 2, nbformat.from_dict({**notebook.cells[i], "source": MINE}))


def in_a_copy_above(notebook: Notebook) -> None:
    i = at(notebook, "softmax")
    notebook.cells.insert(i - 5, nbformat.from_dict({**notebook.cells[i], "source": MINE}))


def under_another_name_that_is_checked(notebook: Notebook) -> None:
    notebook.cells.insert(at(notebook, "check-softmax"), code(MINE.replace("softmax", "my_softmax")))
    notebook.cells[at(notebook, "check-softmax")].source = 'check("softmax", my_softmax)'


def with_names_and_ids_lost(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "softmax")].source = MINE
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell["id"] = {"id": f"colab{number}"}, f"x{number}"


def with_names_lost_and_the_order_changed(notebook: Notebook) -> None:
    with_names_and_ids_lost(notebook)
    random.Random(1).shuffle(notebook.cells)


def with_the_check_moved_to_the_top(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "softmax")].source = MINE
    notebook.cells.insert(0, notebook.cells.pop(at(notebook, "check-softmax")))


def with_the_check_deleted(notebook: Notebook) -> None:
    del notebook.cells[at(notebook, "check-softmax")]
    notebook.cells[at(notebook, "softmax")].source = MINE


def with_everything_else_deleted(notebook: Notebook) -> None:
    notebook.cells = [code(MINE)]


def with_lines_that_end_as_on_windows(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "softmax")].source = MINE
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


def with_magic_and_a_check_in_it(notebook: Notebook) -> None:
    notebook.cells[at(notebook, "softmax")].source = f'%%time\n%matplotlib inline\n{MINE}\ncheck("softmax", softmax)'


PLACES: list[Callable[[Notebook], None]] = [
    above_the_check,
    merged_into_the_check,
    merged_with_the_check,
    typed_over_the_check,
    in_a_cell_below_the_check,
    in_two_cells_below_the_check,
    in_a_cell_above_the_stub,
    at_the_end,
    in_prose_that_became_code,
    in_a_cell_that_became_raw,
    in_a_cell_that_became_markdown,
    in_a_raw_cell_of_ones_own,
    in_a_demo,
    in_the_set_up_cell,
    in_the_answer_to_a_question,
    in_a_copy_below,
    in_a_copy_above,
    under_another_name_that_is_checked,
    with_names_and_ids_lost,
    with_names_lost_and_the_order_changed,
    with_the_check_moved_to_the_top,
    with_the_check_deleted,
    with_everything_else_deleted,
    with_lines_that_end_as_on_windows,
]


@pytest.mark.parametrize("edit", PLACES, ids=lambda edit: edit.__name__)
def test_the_students_definition_is_asked_wherever_it_is(
    released: Notebook, mine: Notebook, edit: Callable[[Notebook], None]
) -> None:
    edit(mine)
    found = rebuild(released, mine)
    softmax = asked(found)
    assert softmax is not None
    assert softmax(None) == "mine"
    assert any("'mine'" in cell.source for cell in found.notebook.cells), "and it is shown"
    ids = [cell.id for cell in found.notebook.cells]
    assert len(set(ids)) == len(ids)
    assert {cell.id for cell in released.cells} <= set(ids), "all released cells are kept, too"


@pytest.mark.parametrize("edit", PLACES, ids=lambda edit: edit.__name__)
def test_an_exercise_that_builds_on_it_uses_it_wherever_it_is(
    released: Notebook, mine: Notebook, edit: Callable[[Notebook], None]
) -> None:
    if edit is not with_everything_else_deleted:
        uses = "def attention_loops(query, key, value):\n    return softmax(query)"
        mine.cells[at(mine, "attention_loops")].source = uses
        edit(mine)
        assert asked(rebuild(released, mine), "attention_loops")(1, 2, 3) == "mine"


def test_a_check_is_not_run_as_the_students_own(released: Notebook, mine: Notebook) -> None:
    mine.cells[at(mine, "softmax")].source = f'{MINE}\n\ncheck("softmax", softmax)\nhint("softmax")\nx = 1'
    mine.cells.append(code('check("softmax", softmax)'))
    mine.cells.append(code('y = 2\n\ncheck(\n    "softmax",\n    softmax,\n)\nz = 3'))
    cells = rebuild(released, mine).cells
    sources = [cell.source for cell in cells if cell.kind in ("exercise", "own")]
    assert not [source for source in sources if "check(" in source or "hint(" in source]
    assert cells[-1].source.split("\n") == ["y = 2", "", "pass", "", "", "", "z = 3"], "and lines keep their numbers"


def test_a_helper_below_is_waited_for(released: Notebook, mine: Notebook) -> None:
    mine.cells[at(mine, "softmax")].source = "def softmax(scores, axis=-1):\n    return shift(scores)"
    mine.cells.append(code("def shift(scores):\n    return half(scores)"))
    mine.cells.append(code("def half(scores):\n    return 'half'"))
    assert asked(rebuild(released, mine))(1) == "half"


def test_a_redefinition_below_the_check_does_not_count(released: Notebook, mine: Notebook) -> None:
    mine.cells[at(mine, "softmax")].source = MINE
    mine.cells.append(code("def softmax(scores, axis=-1):\n    return 'an experiment'"))
    found = rebuild(released, mine)
    assert asked(found)(None) == "mine"
    assert [note for note in found.notes if "the one in cell 16 is graded" in note]


def again(found: Rebuilt) -> dict[str, str]:
    """By exercise that is asked a second time, the code that runs last before it."""
    last, asked_last = "", {}
    for cell in found.later:
        if cell.kind == "grade":
            asked_last[cell.exercise] = last
        else:
            last = cell.source
    return asked_last


def test_a_definition_below_the_check_is_asked_too_with_what_builds_on_it(released: Notebook, mine: Notebook) -> None:
    mine.cells[at(mine, "softmax")].source = MINE
    mine.cells[at(mine, "attention_numpy")].source = "def attention_numpy(q, k, v):\n    return softmax(q @ k) @ v"
    corrected = "def softmax(scores, axis=-1):\n    return 'corrected'"
    mine.cells += [code("def softmax(scores, axis=-1):\n    return 'another try'"), code(corrected), code("x = 1")]
    found = rebuild(released, mine)
    assert again(found) == {"softmax": corrected, "attention_numpy": corrected}
    assert [note for note in found.notes if "the better one counts" in note]


def test_nothing_is_asked_twice_where_nothing_is_defined_again(released: Notebook, mine: Notebook) -> None:
    mine.cells[at(mine, "softmax")].source = MINE
    mine.cells += [code("softmax(np.zeros(3))"), code("def another(scores):\n    return softmax(scores)")]
    assert rebuild(released, mine).later == ()


def test_an_exercise_is_asked_below_the_cell_that_checks_it_where_the_check_has_no_cell_of_its_own(
    released: Notebook, mine: Notebook
) -> None:
    del mine.cells[at(mine, "check-softmax")]
    mine.cells[at(mine, "setup")].source += f'\n\n{MINE}\n\ncheck("softmax", softmax)'
    mine.cells[at(mine, "softmax")].source = "def softmax(scores, axis=-1):\n    return 'scrap'"
    assert asked(rebuild(released, mine))(None) == "mine"


def test_a_check_of_the_lessons_mystery_is_no_check_of_the_exercise(released: Notebook, mine: Notebook) -> None:
    del mine.cells[at(mine, "check-softmax")]
    mine.cells[at(mine, "softmax")].source = MINE
    mine.cells.insert(at(mine, "softmax"), code('check("softmax", mystery_softmax)'))
    assert asked(rebuild(released, mine))(None) == "mine"


def test_a_class_that_is_completed_below_the_check_is_complete(released: Notebook, mine: Notebook) -> None:
    i = at(mine, "check-self_attention")
    mine.cells.insert(i + 1, code("def forward(self):\n    return 'mine'"))
    mine.cells.insert(i + 2, code("SelfAttention.forward = forward"))
    found = rebuild(released, mine)
    assert asked(found, "self_attention").forward(None) == "mine"


def test_an_own_cell_runs_before_the_exercise_that_follows_it_wherever_that_was_moved(
    released: Notebook, mine: Notebook
) -> None:
    exercise = mine.cells.pop(at(mine, "self_attention"))
    check = mine.cells.pop(at(mine, "check-self_attention"))
    exercise.source = "class SelfAttention:\n    width = WIDTH"
    mine.cells[:0] = [code("WIDTH = 7"), exercise, check]
    assert asked(rebuild(released, mine), "self_attention").width == 7


def test_the_set_up_runs_before_all_that_needs_it(released: Notebook, mine: Notebook) -> None:
    mine.cells.append(mine.cells.pop(at(mine, "setup")))
    kinds = [cell.kind for cell in rebuild(released, mine).cells]
    assert kinds[0] == "setup"
    assert kinds.count("setup") == 1


def test_a_notebook_without_names_and_ids_is_not_odd(released: Notebook, mine: Notebook) -> None:
    with_names_and_ids_lost(mine)
    mine.cells.insert(0, code("!pip install einops"))
    assert rebuild(released, mine).notes == ()


@pytest.mark.parametrize("worth", ["", " (2 points)", " (1 point)", " (0.5 points for an answer)"])
def test_the_released_points_of_a_question_are_not_an_answer(released: Notebook, mine: Notebook, worth: str) -> None:
    for cell in mine.cells:
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace("**Written question (not graded).**", f"**Written question{worth}.**")
            cell.source = cell.source.replace("written questions (not graded)", "written questions worth 4")
    assert mine != released
    assert rebuild(released, mine).notebook == rebuild(released, released).notebook
