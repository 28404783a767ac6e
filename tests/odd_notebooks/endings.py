"""What ends, stops or waits: exit, input, breakpoints, long loops."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import below, body, cell, code, replace


@odd("exit() in the last cell, sys.exit() and SystemExit before", "case 25")
def exits(notebook: Notebook) -> None:
    below(notebook, "softmax", code("import sys\n\nsys.exit()"), code("raise SystemExit('stop here')"))
    notebook["cells"].append(code("exit()"))


@odd("input() and getpass() in cells of the student's own", "case 25")
def input_in_cells(notebook: Notebook) -> None:
    below(notebook, "softmax", code('name = input("Your name: ")'), code("from getpass import getpass\ngetpass()"))


@odd("breakpoint() and pdb.set_trace() in cells of the student's own", "nbgrader PR#77")
def breakpoints_in_cells(notebook: Notebook) -> None:
    below(notebook, "check-softmax", code("breakpoint()"), code("import pdb\n\npdb.set_trace()"))


@odd("a breakpoint is left in an exercise", "case 16, pytest#5630", announced="breakpoint")
def breakpoint_left_in_an_exercise(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    shifted =", "    breakpoint()\n    shifted =")


@odd("pdb.set_trace() is left in an exercise", "case 16", announced="breakpoint|set_trace")
def set_trace_left_in_an_exercise(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    shifted =", "    import pdb; pdb.set_trace()\n    shifted =")


@odd("input() is left in an exercise", announced="input")
def input_left_in_an_exercise(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    shifted =", '    input("go on?")\n    shifted =')


@odd("KeyboardInterrupt, an endless recursion and a failing cell between the exercises")
def failing_cells(notebook: Notebook) -> None:
    below(notebook, "softmax", code("raise KeyboardInterrupt"), code("def f():\n    f()\n\n\nf()"), code("1 / 0"))


@odd("a cell with a syntax error between the exercises")
def syntax_error_in_a_cell(notebook: Notebook) -> None:
    below(
        notebook,
        "softmax",
        code("for i in range(3)\n    print(i)"),
        code("print 'hello'"),
        code("notes: this is not code"),
    )


@odd("threads and processes are started in a cell and never ended")
def threads_left(notebook: Notebook) -> None:
    below(notebook, "setup", code(
        "import subprocess\nimport threading\nimport time\n\n"
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        "sleeper = subprocess.Popen(['sleep', '600'])"
    ))  # fmt: skip


@odd("a training loop in a cell of the student's own uses two seconds of processor time")
def training_loop(notebook: Notebook) -> None:
    below(notebook, "check-softmax", code(
        "import time\n\nlayer, start = nn.Linear(64, 64), time.process_time()\n"
        "optimizer = torch.optim.Adam(layer.parameters())\nwhile time.process_time() - start < 2:\n"
        "    loss = (layer(torch.randn(32, 64)) ** 2).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()"
    ))  # fmt: skip


@odd("an exercise remembers its results between calls")
def remembers_results(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = (
        "CACHE = {}\n\n\n"
        + head
        + "    key = scores.tobytes(), scores.shape, axis, scores.dtype\n    if key in CACHE:\n"
        "        return CACHE[key].copy()\n"
        + statements.replace("return weights", "CACHE[key] = weights\n    return weights.copy()")
    )
