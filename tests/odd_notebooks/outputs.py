"""What cells print, plot and show while they run."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import below, body, cell, code


@odd("exercises print on every call")
def prints_in_exercises(notebook: Notebook) -> None:
    for name in ("softmax", "attention_numpy", "scaled_dot_product_attention"):
        head, statements = body(cell(notebook, name)["source"])
        shown = "scores" if name == "softmax" else "query"
        cell(notebook, name)["source"] = f'{head}    print("called with", {shown}.shape, {shown})\n{statements}'


@odd("a cell prints 200,000 lines")
def prints_a_lot(notebook: Notebook) -> None:
    below(notebook, "softmax", code("for i in range(200_000):\n    print(i, 'of a long loop')"))


@odd("plots in a cell of the student's own and inside an exercise cell")
def plots(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += (
        "\n\n\nimport matplotlib.pyplot as plt\n\nplt.plot(softmax(np.arange(10.0)))\nplt.show()"
    )
    below(
        notebook,
        "check-softmax",
        code("fig, axes = plt.subplots(2, 2)\nfor ax in axes.flat:\n    ax.imshow(np.eye(8))"),
    )


@odd("widgets in cells of the student's own")
def widgets(notebook: Notebook) -> None:
    below(notebook, "check-softmax", code(
        "from ipywidgets import interact\n\n\n@interact(t=(0.1, 5.0))\ndef look(t=1.0):\n"
        "    print(softmax(np.arange(4) / t))"
    ))  # fmt: skip


@odd("logging, stderr and warnings in an exercise")
def logging_and_warnings(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    noise = '    logging.warning("softmax")\n    print("!", file=sys.stderr)\n    warnings.warn("careful")\n'
    cell(notebook, "softmax")["source"] = f"import logging\nimport sys\nimport warnings\n\n\n{head}{noise}{statements}"


@odd("tracebacks of earlier runs are kept in the outputs of right cells")
def old_errors_in_outputs(notebook: Notebook) -> None:
    error = {
        "output_type": "error",
        "ename": "NameError",
        "evalue": "name 'softmax' is not defined",
        "traceback": ["boom"],
    }
    for each in notebook["cells"]:
        if each["cell_type"] == "code":
            each["outputs"] = [error]


@odd("stdout is replaced and never given back")
def stdout_replaced(notebook: Notebook) -> None:
    below(notebook, "setup", code("import io\nimport sys\n\nsys.stdout = io.StringIO()\nprint('into nowhere')"))


@odd("print is redefined as a function of the student's own")
def print_redefined(notebook: Notebook) -> None:
    below(notebook, "setup", code("def print(*args):\n    pass"))
