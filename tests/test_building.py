"""Lessons become notebooks: reproducibly, completely, and without a solution in what students get."""

from __future__ import annotations

import ast
import html
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, copy_course
from nbgrader.utils import determine_grade, is_grade
from tiers import slow_but

from autograder.building.build import build_contents, build_hosting, build_lesson, build_start
from autograder.building.lesson import LessonCell, read_lesson
from autograder.building.notebook import LESSON_END, solution_notebook, student_notebook, to_text
from autograder.building.release import PACKAGE, release_library, withheld_components
from autograder.building.solution_cell import BEGIN, END, cut
from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.definition import Definition
from course_lib.course import Course, CourseError, find_course, read_course
from course_lib.running.cells import grade_id, kind_of
from course_lib.source_names import free_names

LESSONS = find_course(Path(__file__).parent).lessons
#: as the syllabus has them
POINTS = {
    "00": 18,
    "01": 18,
    "02": 17,
    "03": 15,
    "04": 13,
    "05": 11,
    "06": 28,
    "07": 13,
    "08": 22,
    "09": 17,
    "10": 17,
    "11": 5,
    "12": 0,
    "13": 11,
    "14": 17,
    "15": 19,
    "16": 9,
}


def test_nothing_built_is_stale(course: Course) -> None:
    built = (
        *build_contents(course, check=True),
        build_start(course, check=True),
        *build_hosting(course, check=True),
        *(b for lesson in course.lessons for b in build_lesson(course, lesson, check=True)),
    )
    assert not [b.path.name for b in built if not b.fresh], "run: course build"


@pytest.mark.parametrize("lesson", POINTS)
def test_a_solution_is_committed_as_it_ran_with_every_point(course: Course, lesson: str) -> None:
    path = course.solution_notebook(course.lesson(lesson))
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code), f"run: course build --run {lesson}"
    shown = [output for cell in code for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error" or output.get("name") == "stderr"]
    grades = [determine_grade(cell) for cell in code if is_grade(cell)]
    assert sum(score for score, _ in grades) == sum(most for _, most in grades)
    text = path.read_text(encoding="utf-8")
    assert str(course.root) not in text
    assert "/tmp/" not in text


def test_what_the_solutions_show_is_light(course: Course) -> None:
    files = (path for path in (course.root / "solutions").rglob("*") if path.is_file())
    assert sum(path.stat().st_size for path in files) <= 12_000_000


@pytest.mark.parametrize("lesson", [lesson for lesson, points in POINTS.items() if points])
def test_every_figure_of_a_solution_is_an_image_with_a_description(course: Course, lesson: str) -> None:
    notebook = nbformat.read(course.solution_notebook(course.lesson(lesson)), as_version=nbformat.NO_CONVERT)
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    figures = [output for output in shown if "data:image/png" in output.data.get("text/html", "")]
    assert figures
    for figure in figures:
        assert figure.data["image/png"].strip() in figure.data["text/html"], f"run: course build --run {lesson}"
        assert figure.metadata["image/png"]["alt"] == html.unescape(figure.data["text/html"].split('"')[1])


def test_a_solution_that_was_run_is_not_stale_and_a_changed_one_is(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path)
    copied = read_course(root)
    path = copied.solution_notebook(LESSON)
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="seen")], 1
    path.write_text(to_text(notebook), encoding="utf-8")
    assert all(built.fresh for built in build_lesson(copied, LESSON, check=True))
    cell.source += "  # changed"
    path.write_text(to_text(notebook), encoding="utf-8")
    assert [built.path for built in build_lesson(copied, LESSON, check=True) if not built.fresh] == [path]


def test_what_cells_show_outlives_a_change_of_prose_and_not_one_of_code(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path)
    copied, path = read_course(root), root / "lessons" / f"{LESSON}.md"
    shown = [cell.outputs for cell in nbformat.read(course.solution_notebook(LESSON), 4).cells if "outputs" in cell]
    for old, new, kept in (
        ("## Summary\n", "## Summary\n\nOne sentence more.\n", True),
        ("torch.manual_seed(0)", "torch.manual_seed(1)", False),
    ):
        path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        assert not all(built.fresh for built in build_lesson(copied, LESSON, check=True))
        list(build_lesson(copied, LESSON))
        assert all(built.fresh for built in build_lesson(copied, LESSON, check=True))
        cells = [cell for cell in nbformat.read(copied.solution_notebook(LESSON), 4).cells if "outputs" in cell]
        assert [cell.outputs for cell in cells] == (shown if kept else [[] for _ in cells])


@pytest.mark.parametrize("policy, most", [("hand", [6, 2]), ("completion", [6, 2]), ("off", [0, 0])])
def test_a_written_answer_is_worth_the_policys_points_times_its_weight(
    course: Course, policy: Any, most: list[int]
) -> None:
    graded = replace(course, written=policy, written_points=2.0)
    built = solution_notebook(graded, "16_reading", read_lesson(course.lesson_text("16_reading")))
    for notebook in (built, student_notebook(built)):
        written = {grade_id(c): c.metadata["nbgrader"]["points"] for c in notebook.cells if kind_of(c) == "written"}
        assert written == dict(zip(("written-analysis", "written-find_the_bug"), most, strict=True))


@pytest.mark.parametrize(
    ("policy", "points", "header", "question"),
    [
        ("hand", 2.0, "9, and 2 written questions worth 8, one of them", "**Written question (6 points).** Make"),
        ("hand", 1.0, "9, and 2 written questions worth 4, one of them", "**Written question (1 point).** What"),
        ("completion", 0.5, "questions worth 2, one", "**Written question (0.5 points for an answer).** What"),
        ("hand", 0.0, "9, and 2 written questions (not graded), one", "**Written question (not graded).** Make"),
        ("off", 2.0, "9, and 2 written questions (not graded), one", "**Written question (not graded).** What"),
    ],
)
def test_the_text_says_what_written_questions_are_worth_under_the_policy(
    course: Course, policy: Any, points: float, header: str, question: str
) -> None:
    def built(course: Course) -> Any:
        return solution_notebook(course, "16_reading", read_lesson(course.lesson_text("16_reading")))

    under_policy = built(replace(course, written=policy, written_points=points))
    text = "\n".join(cell.source for cell in student_notebook(under_policy).cells)
    assert header in text and question in text
    assert [cell.id for cell in under_policy.cells] == [cell.id for cell in built(course).cells], (
        "the policy changes no id"
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_written_question_says_what_it_is_worth(course: Course, lesson: str) -> None:
    graded = replace(course, written="hand", written_points=2.0)
    cells = solution_notebook(graded, lesson, read_lesson(course.lesson_text(lesson))).cells
    for before, cell in itertools.pairwise(cells):
        if kind_of(cell) == "written":
            said = f"**Written question ({cell.metadata.nbgrader.points:g} points).** "
            assert before.source.count(said) == 1 and before.source.count("**Written question") == 1


def test_a_question_without_our_heading_says_its_points_below_it(course: Course) -> None:
    cells = [LessonCell("setup", "import math"), LessonCell("prose", "Why?"), LessonCell("written", "So.", "why", 2)]
    built = solution_notebook(replace(course, written="hand", written_points=2.0), LESSON, cells)
    assert built.cells[1].source == "Why?\n\n**Written question (4 points).**"


def test_building_twice_gives_the_same_bytes(course: Course) -> None:
    def built() -> tuple[str, str]:
        solution = solution_notebook(course, LESSON, read_lesson(course.root / "lessons" / f"{LESSON}.md"))
        return to_text(solution), to_text(student_notebook(solution))

    assert built() == built()


def test_nbgrader_generate_assignment_makes_the_same_student_notebook(course: Course, tmp_path: Path) -> None:
    source = tmp_path / "source" / LESSON
    shutil.copytree(course.solution_notebook(LESSON).parent, source, ignore=shutil.ignore_patterns(".*"))
    configured = (  # as in autograder/nbgrader_commands/config.py
        "from autograder.nbgrader_commands.config import generate_steps\n"
        "c = get_config()\n"
        f"c.IncludeHeaderFooter.footer = {str(LESSON_END)!r}\n"
        "c.GenerateAssignment.preprocessors = generate_steps()\n"
    )
    (tmp_path / "nbgrader_config.py").write_text(configured)
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", LESSON, "--no-db"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = tmp_path / "release" / LESSON / f"{LESSON}.ipynb"
    assert made.read_text() == course.student_notebook(LESSON).read_text()
    diagrams = sorted(path.name for path in (made.parent / "diagrams").iterdir())
    assert diagrams == sorted(path.name for path in (course.student_notebook(LESSON).parent / "diagrams").iterdir())


@pytest.mark.parametrize("lesson", LESSONS)
def test_notebooks_carry_plain_nbgrader_metadata_and_the_students_no_outputs(course: Course, lesson: str) -> None:
    for path in (course.student_notebook(lesson), course.solution_notebook(lesson)):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        if path == course.student_notebook(lesson):
            assert all(not cell.get("outputs") for cell in notebook.cells)
        names = [grade_id(cell) for cell in notebook.cells if grade_id(cell)]
        assert len(names) == len(set(names))
        for definition in of_lesson(lesson):
            place = names.index(definition.id)
            assert names[place + 1] == f"check-{definition.id}", "the grade cell stands under its exercise"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_students_lesson_ends_with_how_far_one_is_and_no_solution_does(course: Course, lesson: str) -> None:
    end = nbformat.read(LESSON_END, as_version=4).cells
    paths = course.student_notebook(lesson), course.solution_notebook(lesson)
    student, solution = (nbformat.read(path, as_version=4) for path in paths)
    assert student.cells[-1:] == end
    assert [cell.id for cell in student.cells] == [cell.id for cell in solution.cells + end]
    assert kind_of(end[0]) == "demo", "what nothing needs is run by no grader"
    assert "lesson_end" not in to_text(solution), "nobody wants to read how far a stranger is"


@pytest.mark.parametrize("lesson", LESSONS)
def test_points_in_the_notebook_are_those_of_the_exercises(course: Course, lesson: str) -> None:
    notebook = nbformat.read(course.student_notebook(lesson), as_version=4)
    points = {grade_id(c): c.metadata.nbgrader.points for c in notebook.cells if kind_of(c) == "grade"}
    assert points == {f"check-{d.id}": d.exercise.points for d in of_lesson(lesson)}
    assert sum(points.values()) == POINTS[lesson[:2]]


def _bodies(definitions: Iterable[Definition]) -> dict[str, list[str]]:
    """For each exercise the statements of its solution that say something, as text without spaces."""
    bodies = {}
    for definition in definitions:
        inside = cut(definition.reference.source, definition.write).split(BEGIN)[1:]
        lines = [_bare(line) for part in inside for line in part.split(END)[0].splitlines()]
        bodies[definition.id] = [line for line in lines if len(line) > 25] or [max(lines, key=len)]
    return bodies


def _bare(line: str) -> str:
    return "".join(line.split("#", maxsplit=1)[0].split())


@pytest.mark.parametrize("lesson", slow_but(["00_the_task", "03_self_attention", "08_transformer"], LESSONS))
def test_no_solution_leaks_into_what_students_get(course: Course, tmp_path: Path, lesson: str) -> None:
    released = release_library(course, lesson, tmp_path, whole=False)
    texts = {path: path.read_text() for path in released.rglob("*.py")}
    notebook = nbformat.read(course.student_notebook(lesson), as_version=4)
    texts[course.student_notebook(lesson)] = "\n".join(cell.source for cell in notebook.cells)
    for path in released.rglob("keys/*/*.json"):
        key = json.loads(path.read_text())
        hints = key.pop("exercise")  # a third hint may show a line of its own lesson: that is what it is for
        texts[path] = json.dumps(key if hints["lesson"] == lesson else key | {"exercise": hints})
    bare = {path: _bare(text.replace("#", "")) for path, text in texts.items()}
    earlier = _bodies(d for d in DEFINITIONS.values() if d.exercise.lesson < lesson)
    # a student has written these, and what is part of them
    known = "\n".join(statement for statements in earlier.values() for statement in statements)
    for exercise, statements in _bodies(d for d in DEFINITIONS.values() if d.exercise.lesson >= lesson).items():
        for path, text in bare.items():
            assert BEGIN not in texts[path] or path.suffix == ".py", path
            found = [statement for statement in statements if statement in text and statement not in known]
            assert not found, f"{path.name} holds of {exercise}: {found}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_search_for_leaks_finds_a_solution_where_there_is_one(course: Course, lesson: str) -> None:
    notebook = nbformat.read(course.solution_notebook(lesson), as_version=4)
    text = _bare("\n".join(cell.source for cell in notebook.cells).replace("#", ""))
    for exercise, statements in _bodies(of_lesson(lesson)).items():
        assert any(_bare(s.replace("#", "")) in text for s in statements), f"nothing to search for in {exercise}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_model_answers_stay_in_the_solution(course: Course, lesson: str) -> None:
    def written(path: Path) -> dict[str, str]:
        return {grade_id(c): c.source for c in nbformat.read(path, as_version=4).cells if kind_of(c) == "written"}

    student, solution = written(course.student_notebook(lesson)), written(course.solution_notebook(lesson))
    assert len(solution) == (2 if of_lesson(lesson) else 0)
    for name, answer in solution.items():
        assert len(answer) > 100
        assert student[name] == "YOUR ANSWER HERE"


@pytest.mark.slow
def test_the_released_library_has_no_component_of_the_lesson_and_works(course: Course, tmp_path: Path) -> None:
    released = release_library(course, LESSON, tmp_path)
    components = {path.stem for path in (released / "course_lib/components").glob("[!_]*.py")}
    assert not components & withheld_components(LESSON)
    assert {"softmax", "attention", "self_attention"} <= withheld_components(LESSON)
    code = (
        "import course_lib, course_lib.components, course_lib.experiments, course_lib.figures\n"
        "from course_lib import check\n"
        "assert float(check('softmax', lambda s, axis=-1: s)) == 0, 'it answers'\n"
        "print(course_lib.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(released)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert str(released) in done.stdout


def test_answer_keys_are_released_up_to_the_lesson(course: Course, tmp_path: Path) -> None:
    released = release_library(course, "02_attention", tmp_path, whole=False) / "course_lib"
    found = {path.stem for path in released.glob("keys/*/*.json")}
    assert found == {d.id for d in DEFINITIONS.values() if d.exercise.lesson <= "02_attention"}
    assert not [path for path in PACKAGE.glob("keys/*") if path.name != "README.md"], "a checkout makes its own"


def test_what_imports_a_withheld_component_is_withheld_too() -> None:
    assert "self_attention" in withheld_components("03_self_attention")
    assert not withheld_components("99_after_everything")


CLASS = '''
class Thing:
    """What it is."""

    def __init__(self) -> None:
        self.a = 1

    def forward(self, x):
        """Twice."""
        # why: a comment before the first statement belongs to the body
        return 2 * x
'''.strip()


def test_only_the_named_methods_are_cut_and_docstrings_stay() -> None:
    marked = cut(CLASS, ("forward",))
    inside = marked.split(BEGIN)[1].split(END)[0]
    assert "return 2 * x" in inside and "# why" in inside
    assert "Twice" not in inside and "self.a" not in inside
    ast.parse(marked)


@pytest.mark.parametrize(
    "source, write, message",
    [
        (CLASS, ("backward",), "backward"),
        (CLASS, (), "methods"),
        ("def f(x):\n    return _helper(x)", (), "_helper"),
        ("x = 1", (), "function"),
    ],
)
def test_what_cannot_be_cut_is_said(source: str, write: tuple[str, ...], message: str) -> None:
    with pytest.raises(CourseError, match=message):
        cut(source, write)


def test_free_names_are_those_a_cell_needs() -> None:
    assert free_names("import math\ndef f(x: Tensor):\n    y = g(x)\n    return [math.pi * z for z in y]") == [
        "Tensor",
        "g",
    ]


SETUP = "```{code-cell}\n:tags: [setup]\nimport math\n```\n\n"


@pytest.mark.parametrize(
    "cells, message",
    [
        ("```{code-cell}\n:tags: [setup]\nimport math\n```\n\n```{code-cell}\n:tags: [exercise]\n\nsoftmax\n```", "np"),
        (
            "```{code-cell}\n:tags: [setup]\nimport math\n```\n\n```{code-cell}\n:tags: [exercise]\n\nnowhere\n```",
            "nowhere",
        ),
        ("```{code-cell}\n1 + 1\n```", "tags"),
        ("no set-up at all", "setup"),
        ('+++ {"tags": ["written"], "name": "why", "points": 0}\n\nBecause.', '"points" is 0'),
        ('+++ {"tags": ["written"], "name": "why", "points": "two"}\n\nBecause.', "\"points\" is 'two'"),
    ],
)
def test_a_lesson_that_cannot_be_built_says_why(course: Course, tmp_path: Path, cells: str, message: str) -> None:
    path = tmp_path / f"{LESSON}.md"
    header = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n\n"
    path.write_text(header + cells)
    with pytest.raises(CourseError, match=message):
        solution_notebook(course, LESSON, read_lesson(path))
