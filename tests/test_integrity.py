"""`course integrity`: what two share and few others have is found, what everybody has accuses nobody, nothing runs."""

from __future__ import annotations

import copy
import hashlib
import re
import textwrap
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from accessibility import UNFOLD, serious_findings
from conftest import LESSON, copy_course, hand_in_to, run_course
from pages import Page
from playwright.sync_api import Browser
from tiers import slow

from autograder.building.notebook import to_text
from autograder.collecting.labels import Labels
from autograder.exercises import DEFINITIONS, of_lesson
from autograder.integrity.compare import Comparison, compare
from autograder.integrity.gather import Gathered, _grade_of
from autograder.integrity.page import integrity_page, shown
from autograder.integrity.public_code import PUBLIC_CODE
from autograder.integrity.solution import Solution
from autograder.integrity.tokens import tokens_of
from autograder.records.unpack import unknown_text
from autograder.submissions.submission import Submission
from course_lib import experiments
from course_lib.contents import public_lessons
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of

SOFTMAX = DEFINITIONS["softmax"]
ALTERNATIVES = [one.source for one in SOFTMAX.implementations if one.role == "alternative"]
UNUSUAL = """
def softmax(scores, axis=-1):
    # shift, so that nothing overflows
    top = np.sort(scores, axis=axis).take([-1], axis=axis)
    moved = np.subtract(scores, top)
    pieces = [np.power(np.e, part) for part in np.moveaxis(moved, axis, 0)]
    whole = sum(pieces[1:], start=pieces[0].copy())
    return np.moveaxis(np.stack([np.divide(part, whole) for part in pieces]), 0, axis)
"""
#: the same with other names, comments, docstring and layout
DISGUISED = '''
def softmax(x, dim=-1):
    """My own softmax."""
    biggest = np.sort(x, axis=dim).take(
        [-1], axis=dim)
    z = np.subtract(x, biggest)   # stable!

    rows = [np.power(np.e, r)
            for r in np.moveaxis(z, dim, 0)]
    s = sum(rows[1:], start=rows[0].copy())
    return np.moveaxis(np.stack([np.divide(r, s) for r in rows]), 0, dim)
'''


def texts(source: str, stub: str = "") -> list[str]:
    return [token.text for token in tokens_of(source, stub)]


def compared(students: Mapping[str, str], **ours: str) -> Comparison:
    theirs = [Solution.of(owner, source) for owner, source in students.items()]
    return compare("softmax", [*theirs, *(Solution.of(owner, source, ours=True) for owner, source in ours.items())])


def a_class(count: int = 20) -> dict[str, str]:
    """Students who wrote what many write."""
    return {f"student_{n}": ALTERNATIVES[n % 3] for n in range(count)}


def test_names_comments_docstrings_and_layout_make_no_difference() -> None:
    assert texts(UNUSUAL) == texts(DISGUISED)
    assert texts(UNUSUAL) != texts(UNUSUAL.replace("np.subtract", "np.add"))
    assert texts("sum = x.sum(x=sum)") == ["name", "=", "x", ".", "sum", "(", "x", "=", "name", ")"]


def test_names_of_imports_and_of_attributes_are_renamed_with_the_others() -> None:
    one = "import numpy as np\nclass A:\n    def f(self, x):\n        self.w = np.ones(x)\n        return self.w"
    two = one.replace("np", "foo").replace("x", "given").replace("self.w", "self.weight")
    assert texts(one) == texts(two)


@pytest.mark.parametrize("spoilt", ["    return (\n", "    retrun x y\n", "%time f()\n", "    '''\n"])
def test_what_does_not_parse_is_compared_all_the_same(spoilt: str) -> None:
    first, second = texts(UNUSUAL + spoilt), texts(DISGUISED + spoilt)
    shared = sum(a == b for a, b in zip(first, second, strict=False))
    assert shared > 0.8 * len(first)


PIECES = ["-", "(", "a.b.", "[0]", "not ", "x=", "'", '"""', "f'{", "\\", "\0", "\t", "é ", "\r", "\ud800"]
#: what once took the highlighter, or our search for names in what does not parse, longer than anyone waits
ENDLESS = [
    *(("", "1"), ("", "1_"), ("", "1e"), ("", "\t\n"), ("'", "\\N{"), ("'''", "a")),
    *(("( ", "a"), ("( ", "for a "), ("( for ", " "), ("( for ", "\n")),
]


@pytest.mark.parametrize(("start", "piece"), [*(("", piece) for piece in PIECES), *ENDLESS])
@pytest.mark.slow
def test_whatever_is_handed_in_becomes_tokens_soon(start: str, piece: str) -> None:
    begun = time.process_time()
    tokens_of(start + piece * (300_000 // len(piece)))
    assert time.process_time() - begun < 10


def test_a_line_without_an_end_is_not_shown_to_its_end() -> None:
    source = UNUSUAL + f"\nx = '{'a' * 500_000}'\n"
    page = integrity_page(LESSON, [compared({**a_class(), "ada": source, "bob": source})], [])
    assert len(page) < 100_000


def test_a_submissions_warnings_are_not_this_terminals() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts("x = '\\d'") == ["name", "=", "text"]
        assert texts("y = 1\nx = '\\d' + y")[-1] == "text"


def test_what_was_handed_out_is_left_out() -> None:
    stub = 'def f(x):\n    """Say what.\n\n    More.\n    """\n    first = prepared(x)\n    raise NotImplementedError'
    assert not texts(stub, stub)
    assert texts(stub.replace("raise NotImplementedError", "return x + 1"), stub) == ["return", "name", "+", "1"]


def test_a_disguised_copy_of_something_unusual_is_the_only_pair() -> None:
    found = compared({**a_class(), "ada": UNUSUAL, "bob": DISGUISED})
    assert [(pair.first.owner, pair.second.owner) for pair in found.pairs] == [("ada", "bob")]
    (pair,) = found.pairs
    assert pair.alike == 1 and pair.holders == (2, 2)
    assert pair.weight == pytest.approx(len(pair.rare)), "a fragment that only two have weighs 1"


def test_the_fewer_have_it_the_more_it_weighs() -> None:
    ring = compared({**a_class(), "ada": UNUSUAL, "bob": DISGUISED, "eve": UNUSUAL})
    two = compared({**a_class(), "ada": UNUSUAL, "bob": DISGUISED})
    assert len(ring.pairs) == 3
    assert 0 < ring.pairs[0].weight < two.pairs[0].weight
    (only,) = shown(ring.pairs)
    assert len(only.also) == 1, "a group with one text is shown once"


def test_a_class_whose_solutions_are_all_alike_has_no_pair() -> None:
    found = compared({f"student_{n}": UNUSUAL for n in range(20)})
    assert found.usual == (1, 1, 1) and not found.pairs
    assert not compared(a_class()).pairs, "a third of the class each"


def test_what_stands_in_a_text_of_ours_is_nobodys() -> None:
    found = compared({**a_class(), "ada": UNUSUAL, "bob": DISGUISED}, ours=UNUSUAL)
    assert not found.pairs
    assert found.near_ours == {"ours": ["ada", "bob"]}


def test_two_who_share_a_part_are_found_by_that_part() -> None:
    other = (
        UNUSUAL.split("    pieces", maxsplit=1)[0]
        + "    return np.exp(moved) / np.exp(moved).sum(axis, keepdims=True)\n"
    )
    (pair,) = compared({**a_class(), "ada": UNUSUAL, "bob": other}).pairs
    marked = pair.first.lines_of(set(pair.rare))
    assert {3, 4} <= marked and not marked & {6, 7}


@pytest.mark.parametrize("sources", [{}, {"ada": UNUSUAL}, {"ada": "", "bob": "# nothing"}, {"ada": "x", "bob": "x"}])
def test_few_or_empty_solutions_are_no_error(sources: dict[str, str]) -> None:
    found = compared(sources)
    assert not found.pairs
    assert "accuses nobody" in integrity_page(LESSON, [found], [])


def test_a_class_of_300_takes_seconds() -> None:
    variants = [*ALTERNATIVES, *(one.source for one in SOFTMAX.implementations), UNUSUAL]
    students = {
        f"s{n}": variants[n % len(variants)].replace("return", f"extra_{n} = {n} + {n % 7}\n    return")
        for n in range(300)
    }
    start = time.process_time()
    found = compared(students)
    integrity_page(LESSON, [found], [])
    assert found.students == 300
    assert time.process_time() - start < 15


EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7 * 7 }}\u202e\x1b[2J"


def test_nothing_of_a_submission_is_markup() -> None:
    source = UNUSUAL.replace("# shift, so that nothing overflows", f"# {EVIL}")
    page = integrity_page(LESSON, [compared({**a_class(), f"ada{EVIL}": source, "bob": DISGUISED})], [EVIL])
    seen = Page(page)
    assert not seen.scripts and "img" not in seen.tags and "script" not in seen.tags
    assert not [one for one in seen.attributes if one[1].startswith("on")]
    assert "\u202e" not in page and "\x1b" not in page and "{{ 7 * 7 }}" in page
    assert {value for tag, name, value in seen.attributes if name in ("href", "src")} == set()


@pytest.fixture(scope="module")
def written(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A class in a folder: copies in one exercise, an empty notebook, a file that is none; and what the verb says."""
    root = copy_course(course, tmp_path_factory.mktemp("integrity") / "course", own_secret=True)

    def notebook(number: int, **instead: str) -> str:
        made = copy.deepcopy(released)
        sources = {
            d.id: [one.source for one in d.implementations if one.role == "alternative"] for d in of_lesson(LESSON)
        }
        for cell in made.cells:
            if grade_id(cell) in sources and cell.cell_type == "code":
                mine = sources[grade_id(cell)]
                cell.source = instead.get(grade_id(cell), mine[number % len(mine)])
        return to_text(made)

    handed_in = {f"student_{n}": notebook(n) for n in range(8)}
    handed_in |= {"ada": notebook(0, softmax=UNUSUAL), "bob<b>": notebook(1, softmax=DISGUISED)}
    handed_in |= {"empty": to_text(released), "cut": "{"}
    hand_in_to(root / "class/submitted", handed_in)
    said = run_course(root, "integrity", "03")
    assert said.code == 0, said.err
    return root, said


def test_the_verb_writes_a_page_and_nothing_else(written: tuple[Path, Any]) -> None:
    root, said = written
    files = {str(path.relative_to(root / "class")) for path in (root / "class").rglob("*") if path.is_file()}
    page = f"reports/{LESSON}_integrity.html"
    assert {name for name in files if not name.startswith("submitted")} == {page, ".gitignore"}
    assert re.search(r"softmax +10 +\d+% to \d+% +1 *\n", said.out), said.out
    assert "Reading 03_self_attention" in said.err
    text = (root / "class" / page).read_text(encoding="utf-8")
    assert "Could not be read, and are not compared: cut." in text
    assert "ada and bob&lt;b&gt;: weight" in text
    assert text.count("<summary>") - text.count("<summary>Who") == 2, "the files, and one pair"
    submitted = root / f"class/submitted/ada/{LESSON}/{LESSON}.ipynb"
    digest = hashlib.sha256(submitted.read_bytes()).hexdigest()
    assert f"<code>{digest[:16]}</code></td><td>not known</td><td>not graded</td>" in text
    assert str(submitted) in text


def graded(digest: str, when: str) -> Any:
    return {"when": when, "version": "1", "record": {"lesson": LESSON, "digest": f"origin-{digest}" if digest else ""}}


def test_a_grade_names_the_file_that_it_was_given_for() -> None:
    assert _grade_of("a", []) == "not graded"
    assert _grade_of("a", [graded("b", "Monday"), graded("a", "Tuesday")]) == "graded on Tuesday"
    assert "another run or file" in _grade_of("a", [graded("a", "Monday"), graded("b", "Tuesday")])
    for other in ("b", ""):
        assert "is not for this file" in _grade_of("a", [graded(other, "Monday")])


#: changes that don't alter the meaning
NEUTRAL = {
    "multiplying by 1": ("np.subtract(scores, top)", "1 * np.subtract(scores * 1.0, top)"),
    "adding 0": ("np.subtract(scores, top)", "np.subtract(scores + 0, 0 + top) - 0"),
    "brackets": ("np.divide(part, whole)", "((np.divide((part), (whole))))"),
    "signs": ("np.divide(part, whole)", "+np.divide(part, --whole)"),
    "a variable that is only returned": ("return np.move", "result = np.move"),
    "annotations": ("def softmax(scores, axis=-1):", "def softmax(scores: Array, axis: int = -1) -> Array:"),
    "statements that do nothing": (
        "    whole =",
        "    pass\n    'now the sum'\n    axis = axis\n    if True:\n        whole =",
    ),
    "an ellipsis": ("np.subtract(scores, top)", "np.subtract(scores[...], top[..., :])[..., :, :]"),
    "full slices": ("np.subtract(scores, top)", "np.subtract(scores[:], top[:, :])[0:, ::1, :None]"),
    "slices that are called": ("np.subtract(scores, top)", "np.subtract(scores[slice(None)], top[Ellipsis])"),
    "an index in two steps": (
        "sum(pieces[1:], start=pieces[0].copy())",
        "sum(pieces[1:, ...], start=pieces[(0)][:].copy())",
    ),
    "keywords in another order": (".take([-1], axis=axis)", ".take(indices=[-1], axis=axis)"),
    "a helper": (
        "def softmax(scores, axis=-1):",
        "def softmax(s, axis=-1):\n    return helper(s, axis)\n\n\ndef helper(scores, axis):",
    ),
}


@pytest.mark.parametrize("change", NEUTRAL)
def test_a_copy_that_differs_in_nothing_is_found(change: str) -> None:
    old, new = NEUTRAL[change]
    first = (
        UNUSUAL.replace(".take([-1], axis=axis)", ".take(axis=axis, indices=[-1])") if "keywords" in change else UNUSUAL
    )
    copied = UNUSUAL.replace(old, new) + ("    return result\n" if "result =" in new else "")
    assert copied != UNUSUAL
    (pair,) = compared({**a_class(), "ada": first, "bob": copied}).pairs
    assert pair.alike == 1 or change == "a helper"
    assert pair.alike > 0.85


def test_all_neutral_changes_at_once_and_other_names_hide_nothing() -> None:
    copied = DISGUISED
    for old, new in (
        ("np.subtract(x, biggest)", "1 * (np.subtract(x + 0, biggest))"),
        ("np.divide(r, s)", "r / s / 1"),
    ):
        assert old in copied
        copied = copied.replace(old, new)
    (pair,) = compared({**a_class(), "ada": UNUSUAL, "bob": copied}).pairs
    assert pair.alike > 0.85


def test_swapped_operands_and_comparisons_are_the_same() -> None:
    for one, two in (
        ("y = a * f(b) + g.h", "y = g.h + f(b) * a"),
        ("y = f(a) > g.h(b)", "y = g.h(b) < f(a)"),
        ("y = f(a) == g.h", "y = g.h == f(a)"),
        ("y += 2 * f(y)", "y = y + f(y) * 2.0"),
    ):
        assert texts(one) == texts(two)
    assert texts("y = a * f(b) * g.h * 2 + c") == texts("y = c + (2 * (g.h * (f(b) * a)))")
    assert texts("y = f(a) - g.h") != texts("y = g.h - f(a)")
    assert texts("y = x * 2") != texts("y = x")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("y = x[0][1]", "y = x[0, 1]"),
        ("y = x[0, :, ...]", "y = x[0]"),
        ("y = x[:, np.newaxis, :]", "y = x[:, None]"),
        ("y = x[0:n:1]", "y = x[:n]"),
        ("x[:] = y", "x[...] = y"),
    ],
)
def test_indices_that_select_the_same_are_the_same(one: str, two: str) -> None:
    assert texts(one) == texts(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("y = x[..., 0, :]", "y = x[..., 0]"),
        ("y = x[:, 0]", "y = x[0]"),
        ("x[:] = y", "x = y"),
        ("y = x[:, None]", "y = x[None]"),
        ("y = x[1:]", "y = x[:1]"),
        ("y = x[()]", "y = x"),
    ],
)
def test_indices_that_select_something_else_differ(one: str, two: str) -> None:
    assert texts(one) != texts(two)


#: expressions that are as long or as deep as a submission can make them
LONG_EXPRESSIONS = {
    "a sum": "x = " + "+".join("a" * 2900),
    "a difference": "x = " + "-".join("a" * 2900),
    "many sums": "\n".join(["x = " + "+".join("a" * 180)] * 130),
    "products in a sum": "x = " + "+".join(["a*b*c"] * 2000),
    "subscripts": "x = a" + "[0]" * 900,
    "calls": "\n".join(["x = " + "f(" * 180 + ")" * 180] * 100),
    "attributes": "x = a" + ".b" * 900,
    "a comparison": "x = " + "<".join("a" * 20_000),
    "more than Python can parse": "x = " + "+".join("a" * 24_000),
    "a long notebook": "\n".join(["x = " + "+".join("a" * 180)] * 800),
}


@pytest.mark.parametrize("expression", LONG_EXPRESSIONS)
@pytest.mark.slow
def test_a_long_expression_takes_time_in_proportion_to_its_length(expression: str) -> None:
    source = LONG_EXPRESSIONS[expression]
    start = time.process_time()
    tokens_of(source)
    assert time.process_time() - start < 3 + len(source) / 20_000


def test_a_long_expression_does_not_keep_the_rest_from_being_compared() -> None:
    for expression in ("a sum", "a difference", "subscripts"):
        copied = UNUSUAL.replace("scores, top", "1 * scores[...], top") + LONG_EXPRESSIONS[expression]
        (pair,) = compared({**a_class(), "ada": UNUSUAL, "bob": copied}).pairs
        assert len(pair.rare) > 60


def test_a_line_is_shown_where_it_is_although_its_normal_form_is_shorter() -> None:
    tokens = tokens_of("# a\n\ny = (\n    1 *\n    f(x)\n)\nz = g(y)\n")
    assert [(token.text, token.line) for token in tokens if token.text in "fg"] == [("f", 4), ("g", 6)]


def test_code_in_any_cell_is_compared(course: Course, released: Any, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course", own_secret=True)

    def notebook(own: str, exercise: str) -> str:
        made = copy.deepcopy(released)
        (at,) = (n for n, cell in enumerate(made.cells) if grade_id(cell) == "softmax" and cell.cell_type == "code")
        made.cells[at].source = exercise
        made.cells.insert(at, nbformat.v4.new_code_cell(own))
        return to_text(made)

    moved = DISGUISED.replace("def softmax", "def mine")
    texts = {
        "ada": notebook("", UNUSUAL),
        "bob": notebook(moved, "softmax = mine"),
        "eve": notebook(moved, ALTERNATIVES[0]),
        **{f"student_{n}": notebook("", ALTERNATIVES[n % 3]) for n in range(9)},
    }
    hand_in_to(root / "class/submitted", texts)
    said = run_course(root, "integrity", "03")
    assert said.code == 0, said.err
    page = (root / f"class/reports/{LESSON}_integrity.html").read_text(encoding="utf-8")
    softmax, own_cells = page.split('<h2 id="softmax">')[1].split('<h2 id="own_cells">')
    assert "ada and bob: weight" in softmax, "code that the exercise uses from other cells belongs to it"
    assert "bob and eve: weight" in own_cells


def test_a_lesson_without_submissions_or_without_notebook_is_one_sentence(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course", own_secret=True)
    assert "There is no folder" in run_course(root, "integrity", "03").err
    hand_in_to(root / "class/submitted", {"ada": "{"})
    (root / f"notebooks/{LESSON}/{LESSON}.ipynb").unlink()
    assert "is not built. Run: course build" in run_course(root, "integrity", "03").err


COMMENT = "# notes to myself ....................................................................\n" * 700
HELPER = UNUSUAL.replace("def softmax", "def helper")
CALLS_HELPER = "def softmax(scores, axis=-1):\n    return helper(scores, axis)\n"
FAR = "\n    0" + " " * 600 + "; "
#: copies that an earlier reader missed: a cell that the student added, and the exercise's cell
MISSED = {
    "a timed cell": ("", "%%time" + UNUSUAL),
    "a silent cell after an empty line": ("", "\n%%capture out\n%%time" + UNUSUAL),
    "a timed helper": ("%%time\n" + HELPER, CALLS_HELPER),
    "a long comment": ("", COMMENT + UNUSUAL),
    "a long docstring": ("", f"def f():\n    '''{COMMENT}'''\n{UNUSUAL}"),
    "code far to the right": (
        "",
        UNUSUAL.replace("\n    ", "\n    0" + " " * 600 + "; ").replace("0" + " " * 600 + "; #", "#"),
    ),
    "a text that is run": ("", f"exec({UNUSUAL!r})"),
    "a text that is run later": (f"code = {UNUSUAL!r}", "exec(code)"),
    "a text in a text": ("", f"exec({f'exec({UNUSUAL!r})'!r})"),
    "a file that is written": ("%%writefile mine.py\nimport numpy as np\n" + UNUSUAL, "from mine import softmax"),
    "a file that is written by a call": (f"open('mine.py', 'w').write({UNUSUAL!r})", "from mine import softmax"),
    "a long notebook": (COMMENT * 6 + ("'" + "y" * 98 + "'\n") * 1000, UNUSUAL),
}


def gathered(course: Course, released: Any, folder: Path, students: Any, labels: Any = None) -> Gathered:
    """Return the collected code of students who each have an added cell and a cell for the softmax."""
    found = Gathered(course, LESSON, Labels(labels or {}))
    for student, (own, exercise) in students.items():
        made = copy.deepcopy(released)
        (at,) = (n for n, cell in enumerate(made.cells) if grade_id(cell) == "softmax" and cell.cell_type == "code")
        made.cells[at].source = exercise
        made.cells.insert(at, nbformat.v4.new_code_cell(own))
        path = folder / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(to_text(made), encoding="utf-8")
        found.add(Submission(student, path))
    return found


def pairs(found: Gathered, exercise: str = "softmax") -> set[frozenset[str]]:
    return {pair.owners for pair in compare(exercise, found.solutions[exercise], found.elsewhere(exercise)).pairs}


OTHERS = {f"student_{n}": ("", ALTERNATIVES[n % 3]) for n in range(9)}


@pytest.mark.parametrize("how", MISSED)
@pytest.mark.slow
def test_a_copy_is_compared_however_its_cell_is_wrapped(
    course: Course, released: Any, tmp_path: Path, how: str
) -> None:
    found = gathered(course, released, tmp_path, {**OTHERS, "ada": ("", UNUSUAL), "bob": MISSED[how]})
    assert pairs(found) == {frozenset(("ada", "bob"))}


ELSEWHERE = UNUSUAL.replace("def softmax", "def other")
#: places for a copy that no cell of the softmax contains, as what each cell contains
MOVED = {
    "another exercise's cell": {"attention_loops": f"{ELSEWHERE}\ndef attention_loops(q, k, v):\n    return other(q)"},
    "an attribute of another exercise": {
        "attention_loops": f"def attention_loops(q): ...\n{ELSEWHERE}\nattention_loops.f = other"
    },
    "another exercise's body": {
        "attention_loops": "def attention_loops(scores, axis, more=None):\n    if more is None:\n"
        + textwrap.indent(UNUSUAL.partition(":")[2], "    ")
        + "    return more"
    },
    "a method": {"self_attention": f"class SelfAttention:\n{textwrap.indent(ELSEWHERE, '    ')}"},
    "a cell of the student's own": {"": ELSEWHERE},
    "a cell of the student's own, run as a text": {"": f"exec({ELSEWHERE!r})"},
    "a demonstration": {"demo": ELSEWHERE},
}


@pytest.mark.parametrize("how", MOVED)
@pytest.mark.slow
def test_code_that_was_moved_out_of_its_exercise_is_found(
    course: Course, released: Any, tmp_path: Path, how: str
) -> None:
    found = Gathered(course, LESSON)
    calls = "def softmax(scores, axis=-1):\n    return moved(scores, axis)\n"
    cells = {"ada": {"softmax": UNUSUAL}, "bob": {"softmax": calls, **MOVED[how]}}
    cells |= {student: {"softmax": source} for student, (_, source) in OTHERS.items()}
    for student, sources in cells.items():
        made = copy.deepcopy(released)
        demo = next(n for n, cell in enumerate(made.cells) if kind_of(cell) == "demo")
        for n, cell in enumerate(made.cells):
            name = "demo" if n == demo else grade_id(cell)
            if cell.cell_type == "code" and name in sources:
                cell.source = sources[name]
        if own := sources.get(""):
            made.cells.insert(demo, nbformat.v4.new_code_cell(own))
        hand_in_to(tmp_path, {student: to_text(made)})
        found.add(Submission(student, tmp_path / student / LESSON / f"{LESSON}.ipynb"))
    assert pairs(found) == {frozenset(("ada", "bob"))}
    (pair,) = compare("softmax", found.solutions["softmax"], found.elsewhere("softmax")).pairs
    assert pair.elsewhere and pair.first.owner == "ada" and pair.alike > 0.8
    assert "of the first solution is outside this exercise" in integrity_page(
        LESSON, [compare("softmax", found.solutions["softmax"], found.elsewhere("softmax"))], []
    )


def test_a_mystery_that_was_copied_and_repaired_is_found(course: Course, released: Any, tmp_path: Path) -> None:
    text = (Path(str(experiments.__file__)).parent / "mystery.py").read_text(encoding="utf-8")
    repaired = (
        text[text.index("def ") :]
        .replace("mystery_attention", "mine")
        .replace("(key, query, identity", "(query, key, identity")
        .replace("num_queries, num_queries", "num_keys, num_keys")
    )
    found = gathered(course, released, tmp_path, {**OTHERS, "ada": (repaired, ALTERNATIVES[0])})
    assert pairs(found, "own_cells") == {frozenset(("ada", "the lesson's mystery"))}


def test_code_that_is_not_compared_in_normal_form_is_listed(course: Course, released: Any, tmp_path: Path) -> None:
    deep = "x = " + "+".join("a" * 20_000)
    found = gathered(course, released, tmp_path, {"ada": (deep, UNUSUAL), "bob": ("", UNUSUAL)})
    assert [(one.student, one.exercise) for one in found.partly] == [("ada", "own_cells")]


def test_students_whose_code_cannot_be_parsed_are_listed(course: Course, released: Any, tmp_path: Path) -> None:
    long = UNUSUAL + "".join(f"x{n} = f{n}(x{n}, {n})\n" for n in range(4000))
    students = {
        "broken": ("", UNUSUAL + "    return (\n"),
        "long": ("", long),
        "joined": ("", "exec('def soft' + rest)"),
        "fine": ("network.eval()", UNUSUAL),
    }
    found = gathered(course, released, tmp_path, students)
    assert {one.student for one in found.partly if one.exercise in ("softmax", "own_cells")} == {
        "broken",
        "long",
        "joined",
    }
    page = integrity_page(LESSON, [], [], found.files, found.partly)
    assert "Not compared as usual" in page and "broken, softmax: " in page


@pytest.mark.parametrize(("others", "ring"), [(6, 3), (14, 6), (3, 3), (20, 12)])
def test_a_group_with_one_solution_is_shown_whatever_its_size(others: int, ring: int) -> None:
    found = compared({**a_class(others), **{f"ring_{n}": (UNUSUAL, DISGUISED)[n % 2] for n in range(ring)}})
    listed = {frozenset(one.owner for one in group) for group in found.groups}
    pairs = {owner for pair in found.pairs for owner in (pair.first.owner, pair.second.owner)}
    members = {f"ring_{n}" for n in range(ring)}
    assert members in listed or members <= pairs
    assert "Nearly the same, " in integrity_page(LESSON, [found], []) or members <= pairs


def test_a_group_near_a_text_of_ours_or_with_short_solutions_is_not_shown() -> None:
    many = {f"student_{n}": UNUSUAL for n in range(8)}
    assert len(compared(many).groups) == 1
    assert not compared(many, ours=DISGUISED).groups
    assert not compared(dict.fromkeys(many, "def softmax(x):\n    return np.exp(x) / np.exp(x).sum()")).groups


def test_teammates_who_share_one_file_are_not_a_pair(course: Course, released: Any, tmp_path: Path) -> None:
    students = {**OTHERS, "ada": ("", UNUSUAL), "bob": ("", DISGUISED)}
    team = {"team-a": ("ada", "bob"), "team-b": ("student_0", "student_1")}
    found = gathered(course, released, tmp_path, students, team)
    assert not pairs(found)
    comparison = compare("softmax", found.solutions["softmax"])
    assert not comparison.groups
    assert "as members of one team: ada, bob" in integrity_page(LESSON, [comparison], [])


def test_a_copy_between_two_large_teams_is_a_pair(course: Course, released: Any, tmp_path: Path) -> None:
    students = {**OTHERS, **{name: ("", UNUSUAL) for name in ("ada", "bob", "cam", "dan", "eve")}}
    found = gathered(course, released, tmp_path, students, {"a": ("ada", "bob", "cam"), "b": ("dan", "eve")})
    assert pairs(found) == {frozenset((a, b)) for a in ("ada", "bob", "cam") for b in ("dan", "eve")}


DOCUMENTED = """
def scaled_dot_product_attention(query, key, value, mask=None):
    L, S = query.size(-2), key.size(-2)
    scale_factor = 1 / math.sqrt(query.size(-1))
    attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    if mask is not None:
        attn_weight = attn_weight.masked_fill(mask.logical_not(), float("-inf"))
    attn_weight = torch.softmax(attn_weight, dim=-1)
    attn_weight = torch.nan_to_num(attn_weight)
    return attn_weight @ value, attn_weight
"""


@pytest.mark.parametrize("zeros", ["torch.nan_to_num(attn_weight)", "attn_weight.nan_to_num(0.0)"])
def test_two_students_who_adapt_pytorchs_documentation_are_not_a_pair(zeros: str) -> None:
    definition = DEFINITIONS["scaled_dot_product_attention"]
    other = DOCUMENTED.replace("attn_bias", "bias").replace("torch.nan_to_num(attn_weight)", zeros)
    sources = {"ada": DOCUMENTED, "bob": other}
    sources |= {one.name: one.source for one in definition.implementations if one.role == "alternative"}
    theirs = [Solution.of(owner, source) for owner, source in sources.items()]
    ours = [Solution.of("PyTorch", source, ours=True) for source in PUBLIC_CODE[definition.id]]
    found = compare(definition.id, [*theirs, *ours])
    assert not [pair for pair in found.pairs if {pair.first.owner, pair.second.owner} == {"ada", "bob"}]
    assert not found.groups


@pytest.mark.parametrize("scheme", ["light", slow("dark")])
def test_the_page_fits_a_telephone_and_a_desk_and_shuts_nobody_out(
    written: tuple[Path, Any], browser: Browser, scheme: Any
) -> None:
    shown = browser.new_page(color_scheme=scheme)
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto((written[0] / f"class/reports/{LESSON}_integrity.html").as_uri())
    shown.evaluate(UNFOLD)
    for width in (400, 1280):
        shown.set_viewport_size({"width": width, "height": 800})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert serious_findings(shown) == [], width
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    shown.close()


@pytest.mark.parametrize(
    "code",
    [
        "exec(text)",
        'getattr(builtins, "ex" + "ec")(text)',
        'import builtins as b\ngetattr(b, "ex" + "ec")(text)',
        'getattr(print.__self__, "ex" + "ec")(text)',
        "run = getattr(module, name)\nrun(text)",
        'globals()["__buil" + "tins__"][name](text)',
        "vars(module)[name](text)",
        "run = exec\nrun(text)",
        "list(map(exec, texts))",
        "[eval][0](text)",
        'from operator import methodcaller\nmethodcaller("ex" + "ec", text)(module)',
        "import importlib\nimportlib.import_module(name).run(text)",
        "from types import FunctionType",
        "__import__(name).run(text)",
    ],
)
def test_code_that_may_run_any_text_is_listed(code: str) -> None:
    assert unknown_text(f"import torch\n{code}")


@pytest.mark.parametrize(
    "code",
    [
        "network.eval()",
        'exec("x = 1")',
        "getattr(x, 'shape', None)",
        "def f(self, x):\n    return getattr(self, f'layer_{n}')(x)",
        "block = make()\nsetattr(block.part, name, getattr(block.part, f'w_{name}'))",
        "if 'x' in globals(): pass",
        "globals()['x']",
        "torch.compile(network)",
        "re.compile(pattern)",
        "# exec(text), by which getattr(builtins, name) is meant",
    ],
)
def test_code_that_runs_no_unknown_text_is_not_listed(code: str) -> None:
    assert not unknown_text(f"import torch\n{code}")


def test_no_released_cell_and_no_solution_of_ours_is_listed(course: Course) -> None:
    for entry in public_lessons():
        for path in (course.student_notebook(entry.name), course.solution_notebook(entry.name)):
            for cell in nbformat.read(path, as_version=nbformat.NO_CONVERT).cells:
                if cell.cell_type == "code" and kind_of(cell) in ("exercise", "own", "setup"):
                    assert not unknown_text(cell.source), (path.name, cell.source)
    for definition in DEFINITIONS.values():
        for one in definition.implementations:
            if one.role in ("reference", "alternative"):
                assert not unknown_text(one.source), (definition.id, one.name)
