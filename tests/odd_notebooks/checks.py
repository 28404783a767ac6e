"""What happens to the cells with `check(…)`: typed into, merged, deleted, moved, called otherwise."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, cell, code, containing, is_check, take


def _stub(source: str) -> str:
    head, _, _ = source.rpartition('"""\n')
    return f'{head}"""\n    # YOUR CODE HERE\n    raise NotImplementedError()'


@odd("the answer is typed into the check cell, above the call; the stub is as it was released", "case 07")
def typed_above_the_check(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    cell(notebook, "softmax")["source"] = _stub(source)
    check = cell(notebook, "check-softmax")
    check["source"] = source + "\n\n" + check["source"]


@odd("the exercise cell was merged with the check cell below it", "case 07")
def merged_with_the_check(notebook: Notebook) -> None:
    source = take(notebook, "softmax")["source"]
    check = cell(notebook, "check-softmax")
    check["source"] = source + "\n\n" + check["source"]


@odd("the check cell was merged into the exercise cell above it")
def check_merged_into_the_exercise(notebook: Notebook) -> None:
    call = take(notebook, "check-softmax")["source"]
    cell(notebook, "softmax")["source"] += "\n\n\n" + call


@odd("a helper is typed into the check cell, below the call; the next exercise uses it")
def helper_below_the_check(notebook: Notebook) -> None:
    helper = "def scale(d_k):\n    return math.sqrt(d_k)"
    cell(notebook, "check-softmax")["source"] += "\n\n\n" + helper
    exercise = cell(notebook, "attention_loops")
    exercise["source"] = exercise["source"].replace("math.sqrt(d_k)", "scale(d_k)")


@odd("a helper for the exercise is typed into its check cell, above the call")
def helper_in_the_check_cell(notebook: Notebook) -> None:
    shift = "scores - scores.max(axis=axis, keepdims=True)"
    exercise, check = cell(notebook, "softmax"), cell(notebook, "check-softmax")
    assert shift in exercise["source"]
    exercise["source"] = exercise["source"].replace(shift, "shift(scores, axis)")
    check["source"] = f"def shift(scores, axis):\n    return {shift}\n\n\n{check['source']}"


@odd("two check cells were deleted")
def check_cells_deleted(notebook: Notebook) -> None:
    take(notebook, "check-softmax")
    take(notebook, "check-self_attention")


@odd("all check cells were deleted")
def all_check_cells_deleted(notebook: Notebook) -> None:
    notebook["cells"] = [each for each in notebook["cells"] if not is_check(each)]


@odd("all check cells were moved to the end")
def checks_moved_to_the_end(notebook: Notebook) -> None:
    checks = [each for each in notebook["cells"] if is_check(each)]
    notebook["cells"] = [each for each in notebook["cells"] if not is_check(each)] + checks


@odd("all checks are in one cell of the student's own, and the released ones are gone")
def checks_in_one_cell(notebook: Notebook) -> None:
    checks = [each["source"] for each in notebook["cells"] if is_check(each)]
    notebook["cells"] = [each for each in notebook["cells"] if not is_check(each)]
    notebook["cells"].append(code("\n".join(f"print({check})" for check in checks)))


@odd("a check is called twice, and once more in a cell of the student's own")
def check_called_twice(notebook: Notebook) -> None:
    call = cell(notebook, "check-softmax")["source"]
    cell(notebook, "check-softmax")["source"] = f"{call}\n{call}"
    below(notebook, "check-softmax", code(call))


@odd("the check cell prints, plots and keeps the score in a variable")
def check_with_prints(notebook: Notebook) -> None:
    check = cell(notebook, "check-softmax")
    check["source"] = (
        f'print("now checking softmax")\nscore = {check["source"]}\n'
        'print(f"{score:.1f} points")\nprint(score.text)\nassert score > 0\nscore'
    )


@odd("the check cell is inside try and except, with keyword arguments")
def check_in_a_try(notebook: Notebook) -> None:
    cell(notebook, "check-softmax")["source"] = (
        'try:\n    display(check(exercise_id="softmax", implementation=softmax))\n'
        'except Exception as error:\n    print("softmax:", error)'
    )


@odd("the check cell passes a lambda that calls the function")
def check_of_a_lambda(notebook: Notebook) -> None:
    cell(notebook, "check-softmax")["source"] = 'check("softmax", lambda scores, axis=-1: softmax(scores, axis))'


@odd("the function has another name, and the check cell was changed to it")
def function_renamed_in_the_check(notebook: Notebook) -> None:
    exercise, check = cell(notebook, "softmax"), cell(notebook, "check-softmax")
    exercise["source"] = exercise["source"].replace("def softmax(", "def my_softmax(")
    check["source"] = 'check("softmax", my_softmax)'
    below(notebook, "check-softmax", code("softmax = my_softmax"))


@odd("the function has another name, and the next line gives it the asked one")
def function_renamed_and_assigned(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    exercise["source"] = exercise["source"].replace("def softmax(", "def my_softmax(") + "\n\n\nsoftmax = my_softmax"


@odd("the check cell is a comment now, because the student was done with it")
def check_commented_out(notebook: Notebook) -> None:
    check = cell(notebook, "check-softmax")
    check["source"] = "# " + check["source"] + "   3 of 3!"


@odd("the check cell has %%time above it")
def check_timed(notebook: Notebook) -> None:
    check = cell(notebook, "check-softmax")
    check["source"] = "%%time\n" + check["source"]


@odd("the check is also called above its exercise, from the first attempt, and fails there")
def check_above_its_exercise(notebook: Notebook) -> None:
    above(notebook, "softmax", code(cell(notebook, "check-softmax")["source"]))


@odd("a demo calls check on our own function for the same exercise after the student's was right")
def check_of_the_mystery_last(notebook: Notebook) -> None:
    i = containing(notebook, "mystery_attention)")
    notebook["cells"].append(notebook["cells"][i])
