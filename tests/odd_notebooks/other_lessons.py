"""The same kinds in other lessons."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, cell, code, is_check, is_exercise, replace, take, text

_TASK, _ATTENTION, _HEADS, _TRANSFORMER = "00_the_task", "02_attention", "04_multi_head_attention", "08_transformer"


@odd("a class whose methods are attached in later cells", lesson=_TASK)
def vocabulary_in_pieces(notebook: Notebook) -> None:
    exercise = cell(notebook, "vocabulary")
    head, _, decode = exercise["source"].partition("    def decode(")
    exercise["source"] = head.rstrip()
    method = "\n".join(line.removeprefix("    ") for line in ("    def decode(" + decode).split("\n"))
    below(notebook, "vocabulary", code(f"{method}\n\n\nVocabulary.decode = decode\ndel decode"))


@odd("all metadata is lost in lesson 00", lesson=_TASK)
def task_without_metadata(notebook: Notebook) -> None:
    for each in notebook["cells"]:
        each.pop("id", None)
        each["metadata"] = {}
    notebook["nbformat_minor"] = 4


@odd("an answer is typed into the check cell of lesson 00", "case 07", lesson=_TASK)
def task_typed_into_the_check(notebook: Notebook) -> None:
    source = take(notebook, "brevity_penalty")["source"]
    check = cell(notebook, "check-brevity_penalty")
    check["source"] = source + "\n\n\n" + check["source"]


@odd("a written answer of lesson 00 is in a cell below", lesson=_TASK, waits=("two_scores",))
def task_answered_below(notebook: Notebook) -> None:
    below(notebook, "written-two_scores", text("The first system is either right or far off."))


@odd("all exercises of lesson 02 are in one cell", lesson=_ATTENTION)
def attention_in_one_cell(notebook: Notebook) -> None:
    cells = [c for c in notebook["cells"] if is_exercise(c)]
    notebook["cells"] = [c for c in notebook["cells"] if not is_exercise(c)]
    below(notebook, "setup", code("\n\n\n".join(c["source"] for c in cells)))


@odd("lesson 02 as Colab saves it", lesson=_ATTENTION)
def attention_in_colab(notebook: Notebook) -> None:
    for i, each in enumerate(notebook["cells"]):
        each.pop("id", None)
        each["metadata"] = {"id": f"{i:012x}"}
    notebook["metadata"] = {"colab": {"provenance": []}}
    notebook["nbformat_minor"] = 0


@odd("lesson 04 imports its helper with a star, in the exercise cell", lesson=_HEADS)
def heads_with_star_import(notebook: Notebook) -> None:
    exercise = cell(notebook, "split_heads")
    exercise["source"] = "from torch import *\nfrom math import *\n\n\n" + exercise["source"]


@odd("the exercises of lesson 04 are in another order, the helper below the class that uses it", lesson=_HEADS)
def heads_in_another_order(notebook: Notebook) -> None:
    pair = [take(notebook, "merge_heads"), take(notebook, "check-merge_heads")]
    above(notebook, "check-multi_head_attention", pair[0])
    below(notebook, "check-multi_head_attention", pair[1])


@odd("lesson 04 is decorated, guarded and asserted all over", lesson=_HEADS)
def heads_with_asserts(notebook: Notebook) -> None:
    replace(
        notebook,
        "split_heads",
        "    batch, length, d_model = x.shape\n",
        "    assert x.dim() == 3\n    batch, length, d_model = x.shape\n",
    )
    below(notebook, "split_heads", code("assert split_heads(torch.zeros(1, 2, 4), 2).shape == (1, 2, 2, 2)"))
    cell(notebook, "check-split_heads")["source"] = (
        "%%time\nscore = " + cell(notebook, "check-split_heads")["source"] + "\nscore"
    )


@odd("the check cells of lesson 08 are gone, and its layers are in one cell", lesson=_TRANSFORMER)
def transformer_in_one_cell(notebook: Notebook) -> None:
    cells = [c for c in notebook["cells"] if is_exercise(c)]
    notebook["cells"] = [c for c in notebook["cells"] if not is_exercise(c) and not is_check(c)]
    below(notebook, "setup", code("\n\n\n".join(c["source"] for c in cells)))


@odd("a left-over raise below the code, in two methods of lesson 08", lesson=_TRANSFORMER)
def transformer_with_raises(notebook: Notebook) -> None:
    for name in ("cross_attention", "parameter_count"):
        indent = "        " if name == "cross_attention" else "    "
        cell(notebook, name)["source"] = (
            cell(notebook, name)["source"].rstrip() + f"\n{indent}raise NotImplementedError()"
        )
