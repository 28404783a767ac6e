"""Your own parts: what passes is used, everywhere; what does not is the reference, and a table says why."""

from __future__ import annotations

import inspect
import json
import pickle
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from conftest import run_course

from autograder.building.release import release_library
from autograder.exercises import DEFINITIONS
from course_lib import components, own_parts
from course_lib.checking.answer_key import public_key
from course_lib.checking.answers import Answer, Error
from course_lib.component_files import component_files
from course_lib.contents import public_exercises
from course_lib.course import Course
from course_lib.own_notebooks import find_notebooks, notebook_of
from course_lib.own_parts import extract, shadow
from course_lib.own_parts import judge as judging
from course_lib.own_parts.extract import NotThereError, cut_part, is_stub
from course_lib.own_parts.parts import Part, Parts
from course_lib.own_parts.shadow import PACKAGE, CannotLoadError, load
from course_lib.running.cells import exercise_of, kind_of
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome, Status
from course_lib.running.reading import read_notebook
from course_lib.running.runner import plain_environment
from course_lib.session import CURRENT
from course_lib.source_names import bound_names

REFERENCE = {e.symbol: getattr(components, e.symbol) for e in public_exercises()}
THIRD, FOURTH = "03_self_attention", "04_multi_head_attention"

# a right part in another style: with a helper, a constant and an import of its own, in a cell of its own
HELPERS = "import math as m\nHALF = 0.5\n\ndef scale(width):  # by √d_k\n    return m.pow(width, -HALF)\n"
OWN_ATTENTION = """
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT * scale(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0) if mask is not None else scores.softmax(-1)
    return nn.functional.dropout(weights, dropout) @ value, weights
"""


def written(course: Course, lesson: str, answers: Mapping[str, str], own: Mapping[str, str] | None = None) -> str:
    """A student's notebook with answers in it, and own cells before some of them."""
    notebook = json.loads(course.student_notebook(lesson).read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name in (own or {}):
            source = (own or {})[name]
            cells.append({"cell_type": "code", "id": f"own-{name}", "metadata": {}, "outputs": [], "source": source})
        cells.append({**cell, "source": answers[name]} if name in answers else cell)
    return json.dumps({**notebook, "cells": cells})


def put(home: Path, lesson: str, text: str) -> None:
    (home / lesson).mkdir(parents=True, exist_ok=True)
    (home / lesson / f"{lesson}.ipynb").write_text(text, encoding="utf-8")


def source(exercise_id: str, name: str = "reference") -> str:
    return DEFINITIONS[exercise_id].implementation(name).source


@pytest.fixture(scope="module")
def home(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two notebooks of a student who is right, wrong, and worse."""
    home = tmp_path_factory.mktemp("student") / "notebooks"
    third = {
        "softmax": "WORSE = 1 / 0\n\ndef softmax(scores, axis=-1):\n    return WORSE",
        "attention_loops": "def loud(f):\n    print('loading')\n    return f\n\n@loud\n" + source("attention_loops"),
        "scaled_dot_product_attention": OWN_ATTENTION,
        "self_attention": source("self_attention"),
    }
    fourth = {
        "split_heads": source("split_heads", "view_without_transpose"),
        "multi_head_attention": source("multi_head_attention"),
    }
    put(home, THIRD, written(course, THIRD, third, {"scaled_dot_product_attention": HELPERS}))
    put(home, FOURTH, written(course, FOURTH, fourth))
    return home


@pytest.fixture(scope="module")
def assembled(home: Path) -> dict[str, Part]:
    return {part.symbol: part for part in own_parts.assemble(home).parts}


@pytest.fixture(autouse=True)
def _reference_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(CURRENT, "lesson", "")
    yield
    own_parts.use(False)


# what is used


def test_right_parts_are_yours_in_any_style(assembled: dict[str, Part]) -> None:
    yours = {symbol for symbol, part in assembled.items() if part.yours}
    assert yours == {"attention_loops", "scaled_dot_product_attention", "SelfAttention", "MultiHeadAttention"}
    assert assembled["scaled_dot_product_attention"].why == "4 of 4 points"


def test_a_part_brings_its_helpers_and_nothing_else(assembled: dict[str, Part]) -> None:
    cut = assembled["scaled_dot_product_attention"].source
    assert "HALF = 0.5" in cut and "import math as m" in cut and "def scale" in cut
    assert "my_guess" not in cut and "begin(" not in cut and "numpy" not in cut


def test_wrong_parts_are_the_reference_and_it_is_said_why(assembled: dict[str, Part]) -> None:
    mistake = DEFINITIONS["split_heads"].exercise.misconception("view_without_transpose")
    assert mistake.sentence in assembled["split_heads"].why
    assert assembled["split_heads"].why.startswith("0.")
    assert "not written yet" in assembled["attention_numpy"].why
    assert assembled["binary_code"].why == "not found: there is no 05_positional_encoding.ipynb"


def test_an_unwritten_part_needs_no_answer_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, course: Course
) -> None:
    for lesson in ("03_self_attention", "04_multi_head_attention"):
        shutil.copytree(course.student_notebook(lesson).parent, tmp_path / lesson)

    def made(name: str) -> None:
        raise AssertionError(f"a key of {name} was asked for")

    monkeypatch.setattr("course_lib.own_parts.judge.public_key", made)
    parts = {part.symbol: part for part in own_parts.assemble(tmp_path).parts if part.lesson[:2] in ("03", "04")}
    assert len(parts) > 6 and {part.why.partition(": ")[2] for part in parts.values()} == {"not written yet"}
    assert parts["MultiHeadAttention"].why == "0 of 8 points: not written yet"


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        ('def f(x):\n    """Say."""\n    raise NotImplementedError()', True),
        ("def f(x):\n    return x\n    raise NotImplementedError()", False),
        ("class f:\n    def one(self):\n        return 1\n    def two(self):\n        raise NotImplementedError", True),
        ("def f(x):\n    raise NotImplementedError('for all')", False),
        ("def g(x):\n    raise NotImplementedError()\n\ndef f(x):\n    return g(x)", False),
        ("f = lambda x: x", False),
        ("def f(:", False),
    ],
)
def test_a_stub_is_recognised_by_the_error_that_its_code_begins_with(source: str, stub: bool) -> None:
    assert is_stub(source, "f") is stub


def test_a_part_that_cannot_be_loaded_is_the_reference(assembled: dict[str, Part]) -> None:
    assert assembled["softmax"].why == "0 of 3 points: On its own it stops with ZeroDivisionError: division by zero."
    assert not assembled["softmax"].yours


def test_your_part_shadows_the_component_and_reaches_inside_others(home: Path, assembled: dict[str, Part]) -> None:
    parts = own_parts.use(folder=home)
    assert {part.symbol for part in parts.parts if part.yours} == {s for s, part in assembled.items() if part.yours}
    from course_lib.components import MultiHeadAttention, SelfAttention, scaled_dot_product_attention, split_heads

    assert scaled_dot_product_attention.__module__ == f"{PACKAGE}.scaled_dot_product_attention"
    assert split_heads is REFERENCE["split_heads"]
    for layer in (REFERENCE["SelfAttention"], REFERENCE["MultiHeadAttention"], SelfAttention, MultiHeadAttention):
        assert inspect.getmodule(layer).scaled_dot_product_attention is scaled_dot_product_attention  # type: ignore[union-attr]
    assert MultiHeadAttention is not REFERENCE["MultiHeadAttention"]
    assert sys.modules[MultiHeadAttention.__module__].split_heads is split_heads  # type: ignore[attr-defined]


def test_loading_parts_prints_nothing(
    home: Path, assembled: dict[str, Part], capfd: pytest.CaptureFixture[str]
) -> None:
    assert "@loud" in assembled["attention_loops"].source
    own_parts.use(folder=home)
    assert capfd.readouterr() == ("", "")


def test_gradients_flow_through_your_parts(home: Path, assembled: dict[str, Part]) -> None:
    own_parts.use(folder=home)
    torch.manual_seed(0)
    own, reference = components.MultiHeadAttention(8, 2).double(), REFERENCE["MultiHeadAttention"](8, 2).double()
    reference.load_state_dict(own.state_dict())
    x = torch.randn(2, 3, 8, dtype=torch.float64)  # (B, T, D)
    own(x, x, x).square().sum().backward()
    own_parts.use(False)
    reference(x, x, x).square().sum().backward()
    for (name, ours), theirs in zip(own.named_parameters(), reference.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-10), name
        assert name == "w_k.bias" or ours.grad.abs().max() > 0


def test_switching_back_gives_every_reference_back(home: Path, assembled: dict[str, Part]) -> None:
    before = {name: dict(vars(module)) for name, module in sys.modules.items() if name.startswith("course_lib.comp")}
    own_parts.use(folder=home)
    assert str(own_parts.use(False)) == "Every part is the reference."
    assert {symbol: getattr(components, symbol) for symbol in REFERENCE} == REFERENCE
    for name, namespace in before.items():
        assert all(vars(sys.modules[name])[key] is value for key, value in namespace.items()), name


def test_names_imported_before_are_exchanged_and_what_was_made_stays(
    home: Path, assembled: dict[str, Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = ModuleType("__main__")
    notebook.MultiHeadAttention = components.MultiHeadAttention  # type: ignore[attr-defined]
    notebook.split_heads = mine = lambda x, num_heads: x  # type: ignore[attr-defined]
    notebook.layer = layer = components.MultiHeadAttention(4, 2)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    own_parts.use(folder=home)
    assert notebook.MultiHeadAttention.__module__ == f"{PACKAGE}.MultiHeadAttention"
    assert notebook.split_heads is mine
    assert type(notebook.layer) is REFERENCE["MultiHeadAttention"] and notebook.layer is layer
    own_parts.use(False)
    assert notebook.MultiHeadAttention is REFERENCE["MultiHeadAttention"]


def test_a_module_imported_later_gets_yours_and_gives_it_back(home: Path, assembled: dict[str, Part]) -> None:
    own_parts.use(folder=home)
    later = ModuleType("course_lib.imported_later")
    exec("from course_lib.components import SelfAttention", vars(later))
    sys.modules[later.__name__] = later
    try:
        assert later.SelfAttention.__module__ == f"{PACKAGE}.SelfAttention"
        own_parts.use(False)
        assert later.SelfAttention is REFERENCE["SelfAttention"]
    finally:
        del sys.modules[later.__name__]


def test_layers_made_of_your_parts_can_be_pickled(home: Path, assembled: dict[str, Part]) -> None:
    own_parts.use(folder=home)
    layer = components.SelfAttention(4)
    again = pickle.loads(pickle.dumps(layer))
    assert type(again) is type(layer) and again.__module__ == f"{PACKAGE}.SelfAttention"


def test_a_lesson_uses_parts_of_earlier_lessons_only(
    home: Path, assembled: dict[str, Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CURRENT, "lesson", FOURTH)
    monkeypatch.chdir(home / FOURTH)
    parts = own_parts.use()
    assert {part.lesson for part in parts.parts} == {e.lesson for e in public_exercises() if e.lesson < FOURTH}
    assert components.MultiHeadAttention is REFERENCE["MultiHeadAttention"]
    assert components.scaled_dot_product_attention is not REFERENCE["scaled_dot_product_attention"]


# judged again only when something changed


def test_nothing_is_run_where_nothing_changed(
    home: Path, assembled: dict[str, Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "Runner", None)  # to start one is an error
    assert {part.symbol: part for part in own_parts.assemble(home).parts} == assembled


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("FOREVER = all(zero == 0 for zero in iter(int, 1))", "stopped after 0.3 seconds of processor time"),
        (
            "def softmax(scores, axis=-1):\n    while True: pass",
            "stopped after 0.4 s of processor time. Look",
        ),
    ],
)
@pytest.mark.slow
def test_a_part_that_never_ends_is_the_reference_and_is_not_remembered(
    source: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "LIMITS", Limits(cell_seconds=0.3, answer_seconds=0.4))
    with judging.Judge(tmp_path) as judge:
        judged = judge.judge(source, "softmax", ["softmax"])
    assert not judged.passed
    assert why in judged.why
    assert json.loads((tmp_path / "verdicts.json").read_text()) == {}


class Scripted:
    """A runner on a machine whose moods are laid down."""

    def __init__(self, *statuses: Status) -> None:
        self.statuses = list(statuses)

    def run(self, cells: Any, questions: Any, limits: Any) -> Outcome:
        status = self.statuses.pop(0)
        late = Answer(error=Error("Unfinished", "the machine is busy"))
        key = public_key("softmax")
        answers = key.reference if status == "graded" else {q.name: late for q in key.questions}
        return Outcome(status, all_answers={"softmax": answers}, processor_seconds=2.0)


@pytest.mark.parametrize(
    ("statuses", "passed"), [(("stopped", "graded"), True), (("graded",), True), (("stopped", "stopped"), False)]
)
def test_a_part_that_did_not_finish_is_tried_once_more_and_its_verdict_forgotten(
    statuses: tuple[Status, ...], passed: bool, tmp_path: Path
) -> None:
    runner: Any = Scripted(*statuses)
    with judging.Judge(tmp_path, runner) as judge:
        judged = judge.judge("# a part", "softmax", ["softmax"])
    assert runner.statuses == []
    assert judged.passed is passed
    assert passed or judged.why == "0 of 3 points: Not finished: the machine is busy."
    assert len(json.loads((tmp_path / "verdicts.json").read_text())) == passed


@pytest.mark.parametrize(
    ("budget", "statuses", "whys"),
    [
        (judging.Budget(9, 60, 2), ["stopped", "graded", "stopped"], ["0 of", "3 of", "0 of", "2 parts before it did"]),
        (judging.Budget(3, 60, 9), ["graded", "graded"], ["3 of", "3 of", "took 4 s of processor time", "took 4 s of"]),
        (judging.Budget(9, 0, 9), [], ["not run, because the parts before it took 0 s"] * 4),
    ],
)
def test_with_a_budget_no_part_is_tried_again_and_none_run_when_it_is_used_up(
    budget: judging.Budget, statuses: list[Status], whys: list[str], tmp_path: Path
) -> None:
    runner: Any = Scripted(*statuses)
    with judging.Judge(tmp_path, runner, budget=budget) as judge:
        found = [judge.judge(f"# part {n}", "softmax", ["softmax"]) for n in range(4)]
        again = judge.judge("# part 1", "softmax", ["softmax"])
    assert runner.statuses == [], "each is run once"
    assert all(why in judged.why for judged, why in zip(found, whys, strict=True))
    assert again == found[1], "what was judged before costs nothing"


@pytest.mark.slow
def test_a_notebook_that_changed_is_judged_anew(course: Course, tmp_path: Path) -> None:
    put(tmp_path, THIRD, written(course, THIRD, {"scaled_dot_product_attention": OWN_ATTENTION}, {}))
    assert "scale" in _attention(tmp_path).why  # its helper is missing
    right = written(course, THIRD, {"scaled_dot_product_attention": HELPERS + OWN_ATTENTION})
    put(tmp_path, THIRD, right)
    assert _attention(tmp_path).yours
    kept = tmp_path / ".course" / "own_parts" / "scaled_dot_product_attention.py"
    assert kept.read_text(encoding="utf-8") == _attention(tmp_path).source
    put(tmp_path, THIRD, right.replace("HALF = 0.5", "HALF = 0.25"))
    assert not _attention(tmp_path).yours
    assert not kept.exists()


def test_an_attention_of_an_older_notebook_is_the_reference_and_the_missing_parameter_is_named(
    course: Course, tmp_path: Path
) -> None:
    older = OWN_ATTENTION.replace(", dropout=0.0", "").replace("nn.functional.dropout(weights, dropout)", "weights")
    put(tmp_path, THIRD, written(course, THIRD, {"scaled_dot_product_attention": HELPERS + older}))
    part = _attention(tmp_path)
    assert not part.yours
    assert "is called with 5 arguments, more than yours takes" in part.why


def test_parts_are_named_while_they_are_run_and_never_again(
    course: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, THIRD, written(course, THIRD, {name: source(name) for name in ("softmax", "attention_loops")}))
    own_parts.use(folder=tmp_path)
    said = capsys.readouterr()
    assert said.err == "", "what a cell writes there may cost all its points"
    assert said.out == "Running each part that is new, once: softmax, attention_loops\n", "nothing unwritten is run"
    assert said.out.count("\n") == 1
    own_parts.use(folder=tmp_path)
    assert capsys.readouterr().out == ""


def _attention(home: Path) -> Part:
    return next(part for part in own_parts.assemble(home).parts if part.symbol == "scaled_dot_product_attention")


def test_a_memory_that_cannot_be_read_is_forgotten(tmp_path: Path) -> None:
    for spoilt in ("", "[1]", '{"a": 1}', '{"a": {"b": 1}}'):
        (tmp_path / "verdicts.json").write_text(spoilt, encoding="utf-8")
        with judging.Judge(tmp_path) as judge:
            assert judge._known == {}


# harmless where it has no business


def test_while_a_notebook_is_graded_everything_is_the_reference(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in plain_environment().items():
        monkeypatch.setenv(name, value)
    said = own_parts.use(folder=home)
    assert not said.parts and "graded" in str(said)
    assert components.SelfAttention is REFERENCE["SelfAttention"]


def test_a_folder_without_notebooks_is_the_reference_for_all(tmp_path: Path) -> None:
    parts = own_parts.use(folder=tmp_path)
    assert not any(part.yours for part in parts.parts)
    assert all(part.why.startswith("not found") for part in parts.parts)
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    put(tmp_path, THIRD, "{")
    assert "cannot be read" in _attention(tmp_path).why


def test_the_released_library_has_the_switch_and_no_later_component(course: Course, tmp_path: Path) -> None:
    released = release_library(course, FOURTH, tmp_path, whole=False) / "course_lib"
    assert (released / "own_parts" / "use.py").is_file()
    for path in (released / "own_parts").glob("*.py"):
        assert not set(REFERENCE) & bound_names(path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize(
    "source, complaint",
    [
        ("import sys\nsys.exit(3)", "SystemExit"),
        ("1 / 0", "ZeroDivisionError"),
        ("while True:\n    try:\n        pass\n    except BaseException:\n        pass", "stopped after"),
        ("x = 1", "does not define part"),
    ],
)
def test_loading_a_part_cannot_stop_a_lesson(
    source: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("course_lib.own_parts.shadow.SECONDS", 0.3)
    with pytest.raises(CannotLoadError, match=complaint):
        load("part", f"print('loud')\n{source}\n", tmp_path / "part.py")
    assert capfd.readouterr() == ("", "")
    assert f"{PACKAGE}.part" not in sys.modules


EVERY = {name: getattr(components, name) for name in component_files()}


def stub(symbol: str) -> str:
    """A part of the same kind as a component, and of no other use."""
    if inspect.isfunction(EVERY[symbol]):
        return f"def {symbol}(): pass\n"
    base = "nn.Module" if issubclass(EVERY[symbol], torch.nn.Module) else "object"
    return f"from torch import nn\nclass {symbol}({base}): pass\n"


def test_every_component_can_be_shadowed_wherever_the_course_holds_it(tmp_path: Path) -> None:
    originals = {id(component) for component in EVERY.values()}
    course = [module for name, module in sys.modules.items() if name.split(".")[0] == "course_lib"]
    before = [dict(vars(module)) for module in course]
    bases = {symbol: one.__bases__ for symbol, one in EVERY.items() if inspect.isclass(one)}
    try:
        for symbol in EVERY:
            shadow.put(symbol, stub(symbol), tmp_path / f"{symbol}.py")
        for module in course:
            assert not [name for name, value in vars(module).items() if id(value) in originals], module.__name__
        for symbol in bases:
            assert not [base for base in EVERY[symbol].__bases__ if id(base) in originals], symbol
    finally:
        shadow.clear()
    assert all(vars(module)[k] is v for module, names in zip(course, before, strict=True) for k, v in names.items())
    assert bases == {symbol: EVERY[symbol].__bases__ for symbol in bases}


def test_no_component_is_a_default_of_another() -> None:
    """A default keeps the object it was given: an exchange of names would pass it by."""
    originals = {id(component) for component in EVERY.values()}
    for symbol, component in EVERY.items():
        inside = vars(component).values() if inspect.isclass(component) else [component]
        for function in filter(inspect.isfunction, inside):
            held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
            assert not [value for value in held if id(value) in originals], symbol


# cutting


def cells(*sources: str | tuple[str, str]) -> dict[str, Any]:
    made = []
    for source in sources:
        kind, text = source if isinstance(source, tuple) else ("own", source)
        about = {"nbgrader": {"grade": True, "grade_id": f"check-{text}"}} if kind == "grade" else {"tags": [kind]}
        made.append({"cell_type": "code", "source": text, "metadata": {"nbgrader": {}, "tags": [], **about}})
    return {"cells": made}


def test_the_kinds_of_the_made_cells_are_those_of_a_lesson(course: Course) -> None:
    kinds = [kind_of(cell) for cell in cells("x", ("demo", "y"), ("grade", "f"))["cells"]]
    assert kinds == ["own", "demo", "grade"]
    asked = [c for c in read_notebook(course.student_notebook(THIRD))["cells"] if kind_of(c) == "grade"]
    assert exercise_of(asked[0]) == "softmax"


def test_what_is_cut_is_what_the_check_sees() -> None:
    notebook = cells(
        "from __future__ import annotations\nimport os, math; import re",
        "%matplotlib inline\nLIMIT = 1\nLIMIT += 1\nprint('loud')",
        "def f(x):\n    return x",
        ("demo", "LIMIT = 99"),
        "@keep\ndef f(x):\n    # twice\n    return math.floor(x) + LIMIT\n\nf.name = 'f'",
        "def keep(g): return g",
        "(no python",
        ("grade", "f"),
        "def f(x): return 'later'",
    )
    lines = cut_part(notebook, "f", "f", set()).splitlines()
    for line in ("LIMIT = 1", "LIMIT += 1", "@keep", "    # twice", "f.name = 'f'", "import os, math; import re"):
        assert line in lines
    assert lines[0] == "from __future__ import annotations"
    assert not [line for line in lines if "loud" in line or "99" in line or "later" in line or "matplotlib" in line]


def test_another_exercise_of_the_notebook_comes_from_the_components() -> None:
    notebook = cells("def softmax(x): return 1 / 0", "def g(x): return softmax(x)", ("grade", "g"))
    cut = cut_part(notebook, "g", "g", {"softmax"})
    assert "from course_lib.components import softmax" in cut
    assert "1 / 0" not in cut


def test_a_notebook_without_the_definition_is_told_so() -> None:
    with pytest.raises(NotThereError, match="defines g"):
        cut_part(cells("def f(x): return x", ("grade", "g"), "def g(x): return x"), "g", "g", set())


def test_a_statement_of_many_names_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    class Watched(extract.Statement):
        @property
        def needs(self) -> set[str]:  # type: ignore[override]
            looked.append(self.source)
            return super().needs

    monkeypatch.setattr(extract, "Statement", Watched)
    one, two = ([f"{letter}{n}" for n in range(500)] for letter in "ab")
    needing = f"{' = '.join(one)} = ({', '.join(two)})", f"{' = '.join(two)} = ({', '.join(one)})"
    cut = cut_part(cells(*needing, "def f(x): return a0, x", ("grade", "f")), "f", "f", set())
    assert all(source in cut for source in needing)
    assert len(looked) <= 5 * 3, "no more often for 500 names than for one"


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        (["x = 1  # and so on\n" * 2_000] * 9, "the notebook has more than 300,000 characters of code"),
        (
            [" = ".join(f"{letter}{n}" for n in range(2_000)) + " = 0" for letter in "abcdef"],
            "the notebook's statements have more than 10,000 names before its check",
        ),
    ],
)
def test_more_than_anyone_writes_is_not_taken_apart(sources: list[str], why: str) -> None:
    definition = "def f(x): return x"
    assert definition in cut_part(cells(sources[0], definition, ("grade", "f")), "f", "f", set())
    with pytest.raises(NotThereError, match=why):
        cut_part(cells(*sources, definition, ("grade", "f")), "f", "f", set())


def test_notebooks_are_found_from_a_lesson_from_above_and_from_the_root(tmp_path: Path) -> None:
    notebooks = tmp_path / "notebooks"
    for lesson in (THIRD, FOURTH):
        put(notebooks, lesson, "{}")
    for start in (notebooks / FOURTH, notebooks, tmp_path):
        home, found = find_notebooks(start, (THIRD, FOURTH))
        assert home == notebooks.resolve()
        assert set(found) == {THIRD, FOURTH}
    for lesson in (THIRD, FOURTH):
        (notebooks / f"{lesson}.ipynb").touch()
    (notebooks / notebook_of(FOURTH)).unlink()
    home, found = find_notebooks(notebooks, (THIRD, FOURTH))
    assert found == {THIRD: home / notebook_of(THIRD), FOURTH: home / f"{FOURTH}.ipynb"}, "its own folder comes first"


# the table


def test_the_table_says_whose_each_part_is(assembled: dict[str, Part]) -> None:
    parts = Parts(tuple(assembled.values()))
    assert parts.summary.startswith(f"4 of {len(assembled)} parts are yours")
    assert not parts.complete
    assert Parts((assembled["SelfAttention"], assembled["attention_loops"])).summary == "All 2 parts are yours."
    row = next(line for line in str(parts).splitlines() if "SelfAttention" in line)
    points = f"{DEFINITIONS['self_attention'].exercise.points:g}"
    assert row.split() == ["SelfAttention", "✓", "yours", THIRD, points, "of", points, "points"]
    html = Parts((Part("f", "<b>", "says <script>"),))._repr_html_()
    assert "<b>&lt;b&gt;" not in html and "&lt;script&gt;" in html and "○ reference" in html


def test_the_verb_prints_the_table(home: Path, assembled: dict[str, Part]) -> None:
    shown = run_course(home, "parts")
    assert shown.code == 0 and shown.err == ""
    assert f"4 of {len(assembled)} parts are yours" in shown.out
    parts = json.loads(run_course(home, "parts", "--json").out)
    assert [part["symbol"] for part in parts if part["yours"]] == [s for s, part in assembled.items() if part.yours]
