"""Cells that were moved, merged, split, retyped, duplicated, or rewritten from nothing."""

from __future__ import annotations

import copy

from course_lib.contents import exercises_of
from odd_notebooks.entry import LESSON, Notebook, odd
from odd_notebooks.notebook import (
    above,
    below,
    cell,
    code,
    containing,
    index,
    is_check,
    is_exercise,
    replace,
    take,
    text,
)

_STUB = "    # YOUR CODE HERE\n    raise NotImplementedError()"


def _with_stub(source: str) -> str:
    """The released stub again, made from a solved cell of one function."""
    head, _, _ = source.rpartition('"""\n')
    return f'{head}"""\n{_STUB}'


@odd("an exercise cell was deleted and rewritten in a cell of the student's own", "nbgrader#1083")
def cell_deleted_and_written_anew(notebook: Notebook) -> None:
    source = take(notebook, "softmax")["source"]
    above(notebook, "check-softmax", code(source))


@odd("an exercise cell was moved to the top, right below the set-up")
def moved_to_the_top(notebook: Notebook) -> None:
    moved = take(notebook, "attention_numpy")
    below(notebook, "setup", moved)


@odd("all exercises are in one big cell at the top, and the released cells are gone")
def all_in_one_big_cell(notebook: Notebook) -> None:
    cells = [c for c in notebook["cells"] if is_exercise(c)]
    notebook["cells"] = [c for c in notebook["cells"] if not is_exercise(c)]
    below(notebook, "setup", code("\n\n\n".join(c["source"] for c in cells)))


@odd("all exercises and their checks are in one big cell at the end; every stub above is as it was released")
def all_in_one_big_cell_at_the_end(notebook: Notebook) -> None:
    cells = [c for c in notebook["cells"] if is_exercise(c)]
    checks = [c["source"] for c in notebook["cells"] if is_check(c)]
    big = code("\n\n\n".join([*(c["source"] for c in cells), "\n".join(f"display({check})" for check in checks)]))
    for each in cells:
        if each["metadata"]["nbgrader"]["grade_id"] != "self_attention":
            each["source"] = _with_stub(each["source"])
    notebook["cells"].append(big)


@odd("an exercise is split over two cells: the class in one, its method attached in the next")
def split_over_two_cells(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    head, _, forward = exercise["source"].partition("    def forward(")
    exercise["source"] = head.rstrip()
    lines = ("    def forward(" + forward).split("\n")
    method = "\n".join(line.removeprefix("    ") for line in lines)
    above(notebook, "check-self_attention", code(f"{method}\n\n\nSelfAttention.forward = forward"))


@odd("exercises and their checks are in another order")
def exercises_in_another_order(notebook: Notebook) -> None:
    exercise, check = take(notebook, "attention_numpy"), take(notebook, "check-attention_numpy")
    above(notebook, "attention_loops", exercise, check)


@odd("an exercise and its check were moved to the end of the notebook")
def moved_to_the_end(notebook: Notebook) -> None:
    notebook["cells"] += [take(notebook, "softmax"), take(notebook, "check-softmax")]
    # what uses softmax is defined above it, and calls it below: it comes along
    for name in ("attention_loops", "attention_numpy"):
        notebook["cells"] += [take(notebook, name), take(notebook, f"check-{name}")]


@odd("an exercise cell was merged with the demo cell above it", "case 24")
def merged_with_the_demo_above(notebook: Notebook) -> None:
    source = take(notebook, "softmax")["source"]
    demo = notebook["cells"][containing(notebook, "large = np.array([1000.0, 999.0])")]
    demo["source"] += "\n\n" + source


@odd("an exercise cell was merged with the set-up cell")
def merged_with_the_set_up(notebook: Notebook) -> None:
    source = take(notebook, "softmax")["source"]
    cell(notebook, "setup")["source"] += "\n\n" + source


@odd("two exercise cells were merged into the first")
def two_exercises_merged(notebook: Notebook) -> None:
    source = take(notebook, "attention_loops")["source"]
    cell(notebook, "softmax")["source"] += "\n\n\n" + source


@odd("the answer is in a copy of the exercise cell below the stub, with the same metadata", "nbgrader#1083")
def answered_in_a_copy_of_the_cell(notebook: Notebook) -> None:
    answered = copy.deepcopy(cell(notebook, "softmax"))
    cell(notebook, "softmax")["source"] = _with_stub(answered["source"])
    below(notebook, "softmax", answered)


@odd("the answer is in a new cell below the stub, which is as it was released")
def answered_below_the_stub(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    cell(notebook, "softmax")["source"] = _with_stub(source)
    below(notebook, "softmax", code(source))


@odd("the exercise cell was emptied, and the code is in the cell above")
def emptied_and_written_above(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    cell(notebook, "softmax")["source"] = ""
    above(notebook, "softmax", code(source))


@odd("the exercise cell has only a comment, and the code is in the cell below")
def only_a_comment_in_the_cell(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    cell(notebook, "softmax")["source"] = "# see the next cell"
    below(notebook, "softmax", code(source))


@odd("the exercise cell was turned raw after it had run", cards=False)
def turned_raw(notebook: Notebook) -> None:
    _retype(notebook, "softmax", "raw")


@odd("the exercise cell was turned Markdown after it had run", "nbgrader#92", cards=False)
def turned_markdown(notebook: Notebook) -> None:
    _retype(notebook, "softmax", "markdown")


def _retype(notebook: Notebook, name: str, cell_type: str) -> None:
    retyped = cell(notebook, name)
    retyped["cell_type"] = cell_type
    del retyped["outputs"], retyped["execution_count"]


@odd("the exercise cell was turned Markdown, and the code was rewritten in a cell of the student's own", "case 24")
def turned_markdown_and_written_anew(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    _retype(notebook, "softmax", "markdown")
    below(notebook, "softmax", code(source))


@odd("a prose cell became a code cell with a helper in it")
def prose_cell_became_code(notebook: Notebook) -> None:
    prose = notebook["cells"][index(notebook, "softmax") - 1]
    assert prose["cell_type"] == "markdown"
    prose.update(cell_type="code", source=_SHIFTED, outputs=[], execution_count=None)
    exercise = cell(notebook, "softmax")
    exercise["source"] = exercise["source"].replace(_SHIFT, "shifted_by_the_largest(scores, axis)")


_SHIFT = "scores - scores.max(axis=axis, keepdims=True)"
_SHIFTED = f"def shifted_by_the_largest(scores, axis):\n    return {_SHIFT}"


@odd("every prose cell and every demo cell was deleted: only exercises and checks are left")
def only_exercises_and_checks_left(notebook: Notebook) -> None:
    kept = ("setup", *(entry.id for entry in exercises_of(LESSON)))
    places = sorted(index(notebook, name) for kept_name in kept for name in _with_check(kept_name))
    notebook["cells"] = [notebook["cells"][i] for i in places]


def _with_check(name: str) -> tuple[str, ...]:
    return (name,) if name == "setup" else (name, f"check-{name}")


@odd("a helper is in a released demo cell that the student edited")
def helper_in_an_edited_demo(notebook: Notebook) -> None:
    demo = notebook["cells"][containing(notebook, "large = np.array([1000.0, 999.0])")]
    demo["source"] += "\n\n\n" + _SHIFTED
    exercise = cell(notebook, "softmax")
    exercise["source"] = exercise["source"].replace(_SHIFT, "shifted_by_the_largest(scores, axis)")


@odd("an exercise uses names that a released demo cell defines")
def uses_a_name_of_a_demo(notebook: Notebook) -> None:
    exercise = cell(notebook, "attention_loops")
    exercise["source"] = exercise["source"].replace(
        "num_keys, d_v = value.shape", "num_keys, d_v = value.shape\n    assert len(words) == 5"
    )


@odd("empty code cells, empty Markdown cells and cells with nothing but comments are everywhere")
def empty_cells_everywhere(notebook: Notebook) -> None:
    cells = []
    for i, each in enumerate(notebook["cells"]):
        cells += [code("" if i % 2 else "# to do: tidy up"), text("")] if i % 3 == 0 else []
        cells.append(each)
    notebook["cells"] = cells


@odd("the set-up cell was copied to several places, so generators are seeded again and names imported again")
def set_up_cell_copied(notebook: Notebook) -> None:
    source = cell(notebook, "setup")["source"]
    above(notebook, "scaled_dot_product_attention", code(source))
    notebook["cells"].append(code(source))


@odd("the whole notebook was pasted below itself: every cell is there twice, with the same metadata")
def everything_there_twice(notebook: Notebook) -> None:
    notebook["cells"] += copy.deepcopy(notebook["cells"])


@odd("wrong first tries are at the checks, and right versions with checks of their own at the end")
def corrected_at_the_end(notebook: Notebook) -> None:
    right = {name: cell(notebook, name)["source"] for name in ("softmax", "attention_loops", _SCALED)}
    cell(notebook, "softmax")["source"] = (
        "def softmax(scores, axis=-1):\n    return np.exp(scores) / np.exp(scores).sum()"
    )
    cell(notebook, "attention_loops")["source"] = "def attention_loops(query, key, value):\n    pass"
    replace(notebook, _SCALED, "math.sqrt(", "float(")
    for source in right.values():
        notebook["cells"].append(code(source))
    checks = [cell(notebook, f"check-{name}")["source"] for name in (*right, "attention_numpy", "self_attention")]
    notebook["cells"].append(code("\n".join(checks)))


@odd("code and checks are in the set-up cell, and below an assert are wrong tries that were never run", cards=False)
def all_in_the_set_up_cell(notebook: Notebook) -> None:
    names = ("softmax", "attention_loops", "attention_numpy", _SCALED, "self_attention")
    sources = [take(notebook, name)["source"] for name in names]
    sources += [take(notebook, f"check-{name}")["source"] for name in names]
    cell(notebook, "setup")["source"] += "\n\n\n" + "\n\n\n".join(sources)
    below(notebook, "setup", code("assert False, 'only scrap below'"), code(
        "def softmax(scores, axis=-1):\n    return np.exp(scores) / np.exp(scores).sum(0)\n\n\n"
        f"def {_SCALED}(query, key, value, mask=None):\n    return F.softmax(query @ key.T) @ value"
    ))  # fmt: skip


_SCALED = "scaled_dot_product_attention"
