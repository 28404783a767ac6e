"""`raise NotImplementedError()` is still there, or only seems to be."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import body, cell, replace

_RAISE = "    # YOUR CODE HERE\n    raise NotImplementedError()\n"


@odd("the code is above the left-over raise, which it never reaches", "student.md 2")
def code_above_the_raise(notebook: Notebook) -> None:
    for name in ("softmax", "scaled_dot_product_attention"):
        cell(notebook, name)["source"] = cell(notebook, name)["source"].rstrip() + "\n" + _RAISE.rstrip()


@odd("the code is below the left-over raise", "student.md 2", announced=r"raise NotImplementedError.*line|line.*raise")
def code_below_the_raise(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = head + _RAISE + statements


@odd("the code returns early, above a raise in a branch that is never reached")
def early_return_above_the_raise(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    inner = "\n".join("    " + line if line.strip() else line for line in statements.split("\n"))
    cell(notebook, "softmax")["source"] = f"{head}    if scores is not None:\n{inner}\n    raise NotImplementedError()"


@odd("the comment YOUR CODE HERE is still there, and the raise is a comment now")
def raise_commented_out(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = f"{head}    # YOUR CODE HERE\n    # raise NotImplementedError()\n{statements}"


@odd("the raise is quoted in a string and in the docstring")
def raise_in_a_string(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    Args:\n", "    I replaced `raise NotImplementedError()`.\n\n    Args:\n")
    cell(notebook, "softmax")["source"] += '\n\n\nNOTE = "raise NotImplementedError()"'


@odd("a helper raises NotImplementedError for what nobody asks")
def raise_of_the_students_own(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    guard = "    if np.iscomplexobj(scores):\n        raise NotImplementedError()\n"
    cell(notebook, "softmax")["source"] = head + guard + statements


@odd("the old stub is kept under another name below the solution")
def stub_kept_under_another_name(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n\n\ndef softmax_old(scores, axis=-1):\n" + _RAISE.rstrip()


@odd("the stub is still there, and the same cell defines the function again below it")
def stub_and_solution_in_one_cell(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    head, _ = body(source)
    cell(notebook, "softmax")["source"] = head + _RAISE + "\n\n" + source


@odd("the raise is under if False")
def raise_under_if_false(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "attention_numpy")["source"])
    cell(notebook, "attention_numpy")["source"] = (
        head + "    if False:\n        raise NotImplementedError()\n" + statements
    )


@odd("one method of a class still raises, above which the code returns", lesson="00_the_task")
def raise_below_one_method(notebook: Notebook) -> None:
    replace(
        notebook,
        "vocabulary",
        "        return len(self.tokens)\n",
        "        return len(self.tokens)\n        raise NotImplementedError()\n",
    )
