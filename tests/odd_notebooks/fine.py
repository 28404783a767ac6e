"""What looks as if it cost points, and costs none: doctor must claim no loss."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, body, cell, code, replace, text


@odd("breakpoint() is a comment, a string and part of a name")
def breakpoint_only_mentioned(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    mentioned = '    # breakpoint()\n    breakpoints = "breakpoint() pdb.set_trace() input()"\n    del breakpoints\n'
    cell(notebook, "softmax")["source"] = head + mentioned + statements


@odd("einops is mentioned in a comment and imported within try and except in the exercise")
def einops_only_mentioned(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    attempt = "try:\n    import einops  # nicer\nexcept ImportError:\n    einops = None\n\n\n"
    exercise["source"] = f"# with einops: rearrange(x, ...)\n{attempt}{exercise['source']}"


@odd("cuda is mentioned, and used inside the exercise if it is available")
def cuda_only_mentioned(notebook: Notebook) -> None:
    replace(notebook, "self_attention", "query = self.w_q(x)", (
        'if torch.cuda.is_available():\n            x = x.to("cuda")\n        query = self.w_q(x)'
    ))  # fmt: skip


@odd("torch.compile is a comment")
def compile_only_mentioned(notebook: Notebook) -> None:
    exercise = cell(notebook, "scaled_dot_product_attention")
    exercise["source"] = "# @torch.compile\n" + exercise["source"]


@odd("a function calls one that the next cell defines, before the check")
def helper_below_but_in_time(notebook: Notebook) -> None:
    shift = "scores - scores.max(axis=axis, keepdims=True)"
    replace(notebook, "softmax", shift, "later(scores, axis)")
    below(notebook, "softmax", code(f"def later(scores, axis):\n    return {shift}"))


@odd("a name in a branch that never runs is defined nowhere")
def undefined_name_in_a_dead_branch(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = (
        head + "    if scores is None:\n        return not_there(scores)\n" + statements
    )


@odd("an abstract base class raises NotImplementedError, and a subclass overrides it")
def abstract_method(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    base = "class Base(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError()\n\n\n"
    exercise["source"] = base + exercise["source"].replace(
        "class SelfAttention(nn.Module)", "class SelfAttention(Base)"
    )


@odd("names come from comprehensions, loops, with, except, match, walrus, global and star arguments")
def names_from_everywhere(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    names = (
        "    global _calls\n    _calls = _calls + 1\n    sizes = [n for n in scores.shape if (m := n) > 0]\n"
        "    for size in sizes:\n        m += size\n    try:\n        int('x')\n    except ValueError as error:\n"
        "        m = str(error)\n"
        "    with np.errstate(all='ignore') as state:\n        m = state, __name__, __doc__\n"
    )
    cell(notebook, "softmax")["source"] = "_calls = 0\n\n\n" + head + names + statements


@odd("many cells of the student's own, long prose, and a table of contents")
def many_own_cells(notebook: Notebook) -> None:
    above(notebook, "softmax", *(code(f"attempt_{n} = np.arange({n})") for n in range(60)))
    above(notebook, "setup", text("# Contents\n\n" + "\n".join(f"- [section {n}](#s{n})" for n in range(40))))


@odd("magics, shell commands and help in cells between right exercises")
def magics_between_exercises(notebook: Notebook) -> None:
    below(notebook, "softmax", code("%timeit -n1 -r1 softmax(np.ones(3))"), code("!echo done"), code("softmax?"))


@odd("the student's own tests call check with a helper's name in a string")
def check_in_a_string(notebook: Notebook) -> None:
    below(notebook, "check-softmax", code("note = 'check(\"softmax\", softmax) gave 3 of 3'"))


@odd("no exercise is odd at all: a correct notebook as Jupyter saves it")
def nothing_odd(notebook: Notebook) -> None:
    pass
