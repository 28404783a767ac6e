"""Answers to written questions, wherever students put them: each must wait for a person, who must see it."""

from __future__ import annotations

import copy

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import ANSWER, above, below, cell, code, index, take, text

_ONE = {"waits": ("one_projection",), "answer": ANSWER}
_QUESTION = "written-one_projection"


@odd("a written answer where it belongs", "case 05", **_ONE)
def answered_in_its_cell(notebook: Notebook) -> None:
    cell(notebook, _QUESTION)["source"] = ANSWER


@odd("below the words YOUR ANSWER HERE, which are still there", **_ONE)
def answered_below_the_words(notebook: Notebook) -> None:
    cell(notebook, _QUESTION)["source"] += "\n\n" + ANSWER


@odd("in a new cell below", "case 05", **_ONE)
def answered_in_a_cell_below(notebook: Notebook) -> None:
    below(notebook, _QUESTION, text(ANSWER))


@odd("in a new cell above, between the question and its cell", **_ONE)
def answered_in_a_cell_above(notebook: Notebook) -> None:
    above(notebook, _QUESTION, text(ANSWER))


@odd("in two new cells below, the second with the reason", **_ONE)
def answered_in_two_cells_below(notebook: Notebook) -> None:
    below(notebook, _QUESTION, text("**My answer**"), text(ANSWER))


@odd("in a new cell, after the released one was deleted", "case 05, nbgrader#424", **_ONE)
def answered_in_a_cell_written_anew(notebook: Notebook) -> None:
    notebook["cells"][index(notebook, _QUESTION)] = text(ANSWER)


@odd("in the question's own cell", "case 05", **_ONE)
def answered_in_the_question(notebook: Notebook) -> None:
    notebook["cells"][index(notebook, _QUESTION) - 1]["source"] += "\n\n" + ANSWER


@odd("in the question's own cell, after the released answer cell was deleted", **_ONE)
def answered_in_the_question_and_cell_deleted(notebook: Notebook) -> None:
    notebook["cells"][index(notebook, _QUESTION) - 1]["source"] += "\n\n" + ANSWER
    take(notebook, _QUESTION)


@odd("in a copy of the answer cell", "case 05, nbgrader#1083", **_ONE)
def answered_in_a_copy(notebook: Notebook) -> None:
    below(notebook, _QUESTION, dict(copy.deepcopy(cell(notebook, _QUESTION)), source=ANSWER))


@odd("in a cell that was turned raw", "case 05", **_ONE)
def answered_in_a_raw_cell(notebook: Notebook) -> None:
    cell(notebook, _QUESTION).update(cell_type="raw", source=ANSWER)


@odd("in a new raw cell below", **_ONE)
def answered_in_a_new_raw_cell(notebook: Notebook) -> None:
    below(notebook, _QUESTION, text(ANSWER, "raw"))


@odd("in its cell, with all metadata and ids lost", "case 05, colabtools#581", **_ONE)
def answered_without_metadata(notebook: Notebook) -> None:
    cell(notebook, _QUESTION)["source"] = ANSWER
    for i, each in enumerate(notebook["cells"]):
        each.pop("id", None)
        each["metadata"] = {"id": f"colab{i}"}


@odd("in a cell that was turned into code", **_ONE)
def answered_in_a_code_cell(notebook: Notebook) -> None:
    cell(notebook, _QUESTION).update(cell_type="code", source=ANSWER, outputs=[], execution_count=None)


@odd("as a comment in a new code cell below", **_ONE)
def answered_as_a_comment(notebook: Notebook) -> None:
    below(notebook, _QUESTION, code("# " + ANSWER))


@odd("as a string in a new code cell below", **_ONE)
def answered_as_a_string(notebook: Notebook) -> None:
    below(notebook, _QUESTION, code(f'"""\n{ANSWER}\n"""'))


@odd("as a heading and HTML in its cell", **_ONE)
def answered_in_html(notebook: Notebook) -> None:
    cell(notebook, _QUESTION)["source"] = f"### Answer\n\n<p>{ANSWER}</p>\n\n| a | b |\n|---|---|\n| $x$ | 1 |"


@odd("as a picture that was pasted into the cell", waits=("one_projection",))
def answered_with_a_picture(notebook: Notebook) -> None:
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    cell(notebook, _QUESTION)["source"] = "![image.png](attachment:image.png)"
    cell(notebook, _QUESTION)["attachments"] = {"image.png": {"image/png": pixel}}


@odd("both questions answered, the second in a cell below", waits=("one_projection", "find_the_bug"), answer=ANSWER)
def both_answered(notebook: Notebook) -> None:
    cell(notebook, _QUESTION)["source"] = ANSWER
    below(notebook, "written-find_the_bug", text("The softmax runs over the queries."))


@odd("notes of the student's own in other sections, and no written question answered")
def notes_but_no_answer(notebook: Notebook) -> None:
    below(notebook, "setup", text("# My notes\n\nRemember to ask about the mask."))
    below(notebook, "check-softmax", text("done!"))
