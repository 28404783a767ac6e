"""IPython's magics, shell commands and help, in cells of the student's own and in exercise cells."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, cell, code, replace

_SHIFT = "scores - scores.max(axis=axis, keepdims=True)"
_HELPER = f"def shift(scores, axis):\n    return {_SHIFT}"


@odd("%%time is the first line of an exercise cell")
def time_magic_on_an_exercise(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    exercise["source"] = "%%time\n" + exercise["source"]


@odd("%%capture is the first line of an exercise cell")
def capture_magic_on_an_exercise(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    exercise["source"] = "%%capture out\n" + exercise["source"] + '\nprint("defined")'


@odd("an exercise cell ends with %timeit and a help call")
def line_magics_in_an_exercise(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n\n%timeit -n 1 -r 1 softmax(np.zeros(3))\nsoftmax?"


@odd("pip, nvidia-smi and other shell commands in cells of the student's own", "nbgrader PR#77")
def shell_commands(notebook: Notebook) -> None:
    below(
        notebook, "setup", code("!pip install einops --quiet --no-index\n!nvidia-smi\nfiles = !ls"), code("%pip list")
    )


@odd("%matplotlib widget, which needs ipympl, and TkAgg, which needs a screen", "case 25")
def matplotlib_backends(notebook: Notebook) -> None:
    below(notebook, "setup", code("%matplotlib widget"), code('import matplotlib\nmatplotlib.use("TkAgg")'))


@odd("%load_ext autoreload and an extension that is not installed", "case 25")
def extensions(notebook: Notebook) -> None:
    above(notebook, "setup", code("%load_ext autoreload\n%autoreload 2\n%load_ext nb_black"))


@odd("cells in other languages: JavaScript, HTML, bash, LaTeX")
def other_languages(notebook: Notebook) -> None:
    magics = ("%%javascript\nconsole.log(1)", "%%html\n<b>hi</b>", "%%bash\necho hello\nexit 3", "%%latex\n$x$")
    below(notebook, "setup", *map(code, magics))


@odd("?softmax, ??, and help() in cells of the student's own")
def help_in_cells(notebook: Notebook) -> None:
    below(notebook, "softmax", code("?softmax"), code("softmax??"), code("help(softmax)"), code("np.*max?"))


@odd("a helper is written to a file with %%writefile and imported")
def writefile_and_import(notebook: Notebook) -> None:
    above(notebook, "softmax", code(f"%%writefile my_helpers.py\n{_HELPER}\n"), code("from my_helpers import shift"))
    replace(notebook, "softmax", _SHIFT, "shift(scores, axis)")


@odd("a helper is defined by %run of a file that the notebook writes")
def run_magic(notebook: Notebook) -> None:
    above(notebook, "softmax", code(f"%%writefile more_helpers.py\n{_HELPER}\n"), code("%run more_helpers.py"))
    replace(notebook, "softmax", _SHIFT, "shift(scores, axis)")


@odd("%reset -f at the end, %debug, %pdb, %who and %xmode on the way", "nbgrader PR#77")
def reset_and_debug(notebook: Notebook) -> None:
    below(notebook, "softmax", code("%debug"), code("%pdb off\n%who\n%xmode Minimal\n%env COURSE=1"))
    notebook["cells"].append(code("%reset -f"))


@odd("%cd into another folder before the exercises")
def changes_folder(notebook: Notebook) -> None:
    below(notebook, "setup", code("%cd /tmp"), code("import os\nos.chdir('/')"))


@odd("%%script, %%python and %%prun in cells of the student's own")
def script_magics(notebook: Notebook) -> None:
    below(
        notebook,
        "softmax",
        code("%%script false --no-raise-error\nold attempt"),
        code("%%prun -q\nsoftmax(np.zeros(3))"),
    )
