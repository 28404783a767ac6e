"""`course doctor FILE` names everything that will cost points, with cell and line, and nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON
from odd_notebooks.core import CORE
from odd_notebooks.entry import Odd, entries
from odd_notebooks.notebook import above, below, body, cell, code, index, plain, replace, solved
from tiers import slow_but

from course_lib.app.doctor import examine_notebook
from course_lib.course import Course
from course_lib.rebuilding.environment import Environment, this_environment
from course_lib.rebuilding.finding import Finding

Notebook = dict[str, Any]


@pytest.fixture(scope="module")
def right(course: Course) -> Notebook:
    """A notebook with every exercise answered."""
    return notebook_of(course, LESSON)


def notebook_of(course: Course, lesson: str) -> Notebook:
    released = json.loads(course.student_notebook(lesson).read_text(encoding="utf-8"))
    return solved(released, plain(json.loads(course.solution_notebook(lesson).read_text(encoding="utf-8"))))


def found(folder: Path, notebook: Notebook | bytes) -> list[Finding]:
    path = folder / f"{LESSON}.ipynb"
    path.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())
    return list(examine_notebook(path))


def wrong(findings: list[Finding]) -> list[str]:
    return [finding.sentence for finding in findings if finding.state == "wrong"]


def test_a_right_notebook_has_no_findings(right: Notebook, tmp_path: Path) -> None:
    assert {finding.state for finding in found(tmp_path, right)} == {"ok"}


def test_an_untouched_notebook_says_what_is_not_written(course: Course, tmp_path: Path) -> None:
    findings = found(tmp_path, course.student_notebook(LESSON).read_bytes())
    assert next(f.text for f in findings if f.state != "ok") == "`softmax` is not written yet"
    assert not wrong(findings)


def left_over(notebook: Notebook) -> None:
    head, statements = body(cell(notebook, "softmax")["source"])
    cell(notebook, "softmax")["source"] = f"{head}    raise NotImplementedError()\n{statements}"


def breakpoint_left(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    shifted", "    breakpoint()\n    shifted")


def package(notebook: Notebook) -> None:
    cell(notebook, "self_attention")["source"] = (
        "import no_such_package\n\n\n" + cell(notebook, "self_attention")["source"]
    )


def device(notebook: Notebook) -> None:
    replace(notebook, "self_attention", "query = self.w_q(x)", 'x = x.to("mps")\n        query = self.w_q(x)')


def device_above(notebook: Notebook) -> None:
    above(notebook, "self_attention", code('device = "cuda"'))
    replace(notebook, "self_attention", "query = self.w_q(x)", "x = x.to(device)\n        query = self.w_q(x)")


def helper_below(notebook: Notebook) -> None:
    replace(notebook, "softmax", "scores - scores.max(axis=axis, keepdims=True)", "shift(scores, axis)")
    notebook["cells"].append(code("def shift(s, axis):\n    return s - s.max(axis=axis, keepdims=True)"))


def name_of_a_deleted_cell(notebook: Notebook) -> None:
    replace(notebook, "softmax", "scores - scores.max(axis=axis, keepdims=True)", "shift(scores, axis)")


def not_python(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n    return (1"


def bad_dedent(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n  return 1"


def asks_at_the_keyboard(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    shifted", "    input('axis?')\n    shifted")


def test_a_person_should_look_where_right_code_loses_points(right: Notebook, tmp_path: Path) -> None:
    for edit in (left_over, package, device, name_of_a_deleted_cell):
        notebook = plain(right)
        edit(notebook)
        assert {one.look for one in found(tmp_path, notebook) if one.state == "wrong"} == {True}


def test_nobody_needs_to_look_at_what_never_ran(right: Notebook, tmp_path: Path) -> None:
    notebook = plain(right)
    not_python(notebook)
    assert [one.look for one in found(tmp_path, notebook) if one.state == "wrong"] == [False]


COSTLY: list[tuple[Callable[[Notebook], None], str]] = [
    (left_over, "Cell {softmax}: `raise NotImplementedError()` is still in line 16 of softmax: delete it."),
    (
        breakpoint_left,
        "Line 16 of cell {softmax}, which `softmax` needs, has a forgotten breakpoint (breakpoint()). Delete it.",
    ),
    (
        package,
        "Line 1 of cell {self_attention}, which `SelfAttention` needs, imports no_such_package. Your grader has no "
        "no_such_package",
    ),
    (device, 'uses the device "mps". Your grader has no GPU'),
    (device_above, 'Line 1 of cell {self_attention}, which `SelfAttention` needs, uses the device "cuda"'),
    (name_of_a_deleted_cell, "`softmax` uses `shift`, which no cell defines."),
    (not_python, "of cell {softmax}, which holds `softmax`, is not Python"),
    (bad_dedent, "of cell {softmax}, which holds `softmax`, is indented wrongly"),
    (asks_at_the_keyboard, "Line 16 of cell {softmax}, which `softmax` needs, calls input()"),
]


@pytest.mark.parametrize(("edit", "says"), COSTLY, ids=lambda value: getattr(value, "__name__", ""))
def test_what_costs_points_is_named_with_its_cell_and_line(
    right: Notebook, tmp_path: Path, edit: Callable[[Notebook], None], says: str
) -> None:
    notebook = plain(right)
    says = says.format(**{name: index(notebook, name) + 1 for name in ("softmax", "self_attention")})
    edit(notebook)
    said = wrong(found(tmp_path, notebook))
    assert [one for one in said if says in one], said


def helper_in_a_dead_branch(notebook: Notebook) -> None:
    above(notebook, "softmax", code("def shift(scores):\n    return scores - not_there"))
    replace(notebook, "softmax", "    shifted", "    if scores is None:\n        return shift(scores)\n    shifted")


def defined_by_a_file_that_it_writes(notebook: Notebook) -> None:
    helper = "def shift(s, axis):\\n    return s - s.max(axis=axis, keepdims=True)"
    above(notebook, "softmax", code(f"open('mine.py', 'w').write('{helper}')\nfrom mine import *"))
    replace(notebook, "softmax", "scores - scores.max(axis=axis, keepdims=True)", "shift(scores, axis)")


def defined_by_exec(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] = f"exec({cell(notebook, 'softmax')['source']!r})"


def prose_behind_markdown_magic(notebook: Notebook) -> None:
    for each in notebook["cells"]:
        if each["cell_type"] == "markdown":
            each |= {"cell_type": "code", "metadata": {}, "source": "%%markdown\n" + "".join(each["source"])}
            each.pop("id", None)


@pytest.mark.parametrize(
    "edit",
    [helper_in_a_dead_branch, defined_by_a_file_that_it_writes, defined_by_exec, prose_behind_markdown_magic],
    ids=lambda edit: edit.__name__,
)
def test_code_that_may_be_right_is_not_called_wrong_or_unwritten(
    right: Notebook, tmp_path: Path, edit: Callable[[Notebook], None]
) -> None:
    notebook = plain(right)
    edit(notebook)
    findings = found(tmp_path, notebook)
    assert not wrong(findings)
    assert not [finding.text for finding in findings if "not written" in finding.text or "question" in finding.text]


def test_a_helper_below_the_check_is_a_note_that_says_what_the_grader_does(right: Notebook, tmp_path: Path) -> None:
    notebook = plain(right)
    helper_below(notebook)
    findings = found(tmp_path, notebook)
    last = len(notebook["cells"])
    says = f"Cell {last}, below the check of `softmax`, defines `shift`, which `softmax` needs. The grader waits for it"
    assert not wrong(findings)
    assert any(finding.state == "note" and finding.sentence.startswith(says) for finding in findings)


def test_an_exercise_that_needs_an_unwritten_one_is_judged_with_ours(
    right: Notebook, course: Course, tmp_path: Path
) -> None:
    notebook, blank = plain(right), plain(json.loads(course.student_notebook(LESSON).read_text(encoding="utf-8")))
    cell(notebook, "softmax")["source"] = cell(blank, "softmax")["source"]
    notes = [finding.text for finding in found(tmp_path, notebook) if finding.state == "note"]
    ours = "`softmax` is not written, or cannot be run, so the grader will judge this with the course's version."
    assert notes == ["`softmax` is not written yet", f"`attention_loops`: {ours}", f"`attention_numpy`: {ours}"]


@pytest.mark.parametrize(
    "entry",
    slow_but([entry for entry in entries() if entry.name in CORE], entries()),
    ids=lambda entry: entry.name,
)
def test_doctor_is_right_about_the_bank(entry: Odd, course: Course, tmp_path: Path) -> None:
    path = tmp_path / (entry.file or f"{entry.lesson}.ipynb")
    path.write_bytes(entry.made(notebook_of(course, entry.lesson)))
    before = time.process_time()
    said = wrong(list(examine_notebook(path)))
    assert time.process_time() - before < 2
    if not entry.announced:
        assert not said


def test_a_machine_has_exactly_the_packages_that_it_can_import() -> None:
    here = this_environment()
    assert here.has("torch") and here.has("math") and not here.has("no_such_package")
    assert "torch, numpy" in here.known
    assert Environment(lambda: frozenset({"numpy"})).known == "numpy"


def test_an_answer_near_its_question_is_found(right: Notebook, tmp_path: Path) -> None:
    notebook = plain(right)
    below(notebook, "written-one_projection", {"cell_type": "raw", "metadata": {}, "source": "Symmetric scores."})
    assert "a raw cell near the question" in found(tmp_path, notebook)[0].text
