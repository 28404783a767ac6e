"""Global state that a notebook changes: seeds, number types, gradients, warnings, error handling."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, body, cell, code


@odd("seeds are set in cells and inside an exercise")
def seeds(notebook: Notebook) -> None:
    below(notebook, "setup", code("import random\n\nrandom.seed(1)\nnp.random.seed(1)\ntorch.manual_seed(1)"))
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = f"{head}    np.random.seed(7)\n{statements}"


@odd("the default number type is changed and reset before the exercises that use it")
def number_type_reset(notebook: Notebook) -> None:
    below(notebook, "setup", code("torch.set_default_dtype(torch.float64)"))
    above(notebook, "scaled_dot_product_attention", code("torch.set_default_dtype(torch.float32)"))


@odd("the default number type stays float64", "case 26")
def number_type_left(notebook: Notebook) -> None:
    below(notebook, "setup", code("torch.set_default_dtype(torch.float64)"))


@odd("gradients are switched off for a demo and on again")
def gradients_reset(notebook: Notebook) -> None:
    above(
        notebook,
        "scaled_dot_product_attention",
        code("torch.set_grad_enabled(False)"),
        code("torch.set_grad_enabled(True)"),
    )


@odd("gradients stay switched off in the cell before the exercise", "case 26")
def gradients_left_off(notebook: Notebook) -> None:
    above(notebook, "scaled_dot_product_attention", code("torch.set_grad_enabled(False)"))


@odd("gradients are switched off after the last check")
def gradients_off_at_the_end(notebook: Notebook) -> None:
    notebook["cells"].append(code("torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float16)"))


@odd("warnings are errors", "case 26")
def warnings_as_errors(notebook: Notebook) -> None:
    below(notebook, "setup", code('import warnings\n\nwarnings.simplefilter("error")'))


@odd("NumPy raises on every floating-point error", "case 26")
def numpy_raises(notebook: Notebook) -> None:
    below(notebook, "setup", code('np.seterr(all="raise", under="ignore")\nnp.set_printoptions(precision=2)'))


@odd("threads, deterministic algorithms, the recursion limit and the print options are changed")
def other_settings(notebook: Notebook) -> None:
    below(notebook, "setup", code(
        "import sys\n\ntorch.set_num_threads(4)\ntorch.use_deterministic_algorithms(True)\n"
        "sys.setrecursionlimit(5000)\ntorch.set_printoptions(precision=2, sci_mode=False)"
    ))  # fmt: skip


@odd("names of the set-up are used for something else after the last exercise that needs them")
def names_shadowed_later(notebook: Notebook) -> None:
    below(notebook, "check-self_attention", code("F = 96485.0\nmath = 1\nid = 3\ntype = 'a'\ninput = [1]"))


@odd("variables are deleted after they were used")
def variables_deleted(notebook: Notebook) -> None:
    below(notebook, "check-self_attention", code("del softmax, attention_loops, np"))


@odd("the earlier exercise is replaced by PyTorch's after its check, to be faster")
def earlier_exercise_replaced(notebook: Notebook) -> None:
    below(notebook, "check-attention_numpy", code(
        "def softmax(scores, axis=-1):\n    return torch.softmax(torch.as_tensor(scores), dim=axis).numpy()"
    ))  # fmt: skip
