"""The house is what docs/ARCHITECTURE.md says: arrows run one way, and what is committed is ours to commit."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.building.release import withheld_components
from autograder.exercises import DEFINITIONS
from course_lib.course import Course, CourseError, find_course
from course_lib.diagrams import transformer
from course_lib.translator import load_translator

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "course_lib").rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level or "inside" in path.parts, f"{path.name} imports relatively"
            yield node.module or ""


@pytest.mark.parametrize(
    "path", [p for p in MODULES if "course_lib" in p.parts], ids=lambda p: str(p.relative_to(ROOT))
)
def test_course_lib_never_imports_autograder(path: Path) -> None:
    assert not [name for name in imported(path) if name.split(".")[0] == "autograder"]


def test_components_import_torch_numpy_and_earlier_components_only() -> None:
    lesson_of = {d.module: d.exercise.lesson for d in DEFINITIONS.values()}
    for path in sorted((ROOT / "course_lib/components").glob("[!_]*.py")):
        module = f"course_lib.components.{path.stem}"
        for name in imported(path):
            if name.startswith("course_lib"):
                assert name.startswith("course_lib.components."), f"{path.name} imports {name}"
                assert lesson_of.get(name, "") <= lesson_of.get(module, "99"), f"{path.name} imports the later {name}"
            else:
                assert name.split(".")[0] in ("torch", "numpy", "math", "typing", "collections", "itertools"), (
                    f"{path.name}: {name}"
                )


#: what a package may use of nbgrader without knowing its internals
PLAIN = {"nbgrader.utils", "nbgrader.plugins"}


def imported_by(package: str) -> set[str]:
    return {name for path in (ROOT / "autograder" / package).rglob("*.py") for name in imported(path)}


def test_only_two_packages_depend_on_nbgraders_internals() -> None:
    allowed = {"gradebook": None, "nbgrader_commands": None, "building": {*PLAIN, "nbgrader.preprocessors"}}
    for folder in sorted(path.name for path in (ROOT / "autograder").iterdir() if path.is_dir()):
        used = {name for name in imported_by(folder) if name.split(".")[0] == "nbgrader"}
        permitted = allowed.get(folder, PLAIN)
        assert permitted is None or used <= permitted, folder


def test_checking_knows_no_right_answer() -> None:
    # what no exercise asks for, and what needs no part that one asks for, is given to everyone
    answers = {"course_lib.components", *(f"course_lib.components.{name}" for name in withheld_components("00"))}
    for folder in ("checking", "kernel", "running", "figures", "diagrams", "experiments", "app", "translator"):
        for path in sorted((ROOT / "course_lib" / folder).rglob("*.py")):
            assert not answers.intersection(imported(path)), path.name


def test_the_readme_shows_pictures_that_are_there_and_a_translation_that_is_true() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'<img src="([^"]+)" width="\d+" alt="([^"]+)">', text)
    assert len(shown) == text.count("<img") == 3
    assert all((ROOT / path).is_file() for path, _ in shown)
    drawn = transformer.draw(transformer.EXERCISES, "11").svg
    assert (ROOT / "docs/pictures/transformer.svg").read_text(encoding="utf-8") == drawn, "run: make pictures"
    workflow = runpy.run_path(str(ROOT / "docs/pictures/workflow.py"))["draw"]().svg
    assert (ROOT / "docs/pictures/workflow.svg").read_text(encoding="utf-8") == workflow, "run: make pictures"
    said = re.search(r'translate\("(.+)"\)\n\'(.+)\'\n', text)
    assert said
    assert load_translator().translate(said[1]) == said[2]


def test_a_wheel_holds_every_file_that_the_packages_read() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)["tool"]["setuptools"]["package-data"]
    for package, patterns in data.items():
        held = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
        files = (path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        assert not [path for path in files if path.suffix != ".py" and path not in held], package


def test_outside_a_checkout_a_verb_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_lib.course.__file__", str(tmp_path / "site-packages/course_lib/course.py"))
    with pytest.raises(CourseError, match=r"live in a checkout of the course\. Change into one"):
        find_course(tmp_path)


def test_what_a_class_produces_is_ignored_by_git(course: Course) -> None:
    paths = ["class/gradebook.db", "class/submitted/a/03_self_attention/03_self_attention.ipynb", "class/secret.key"]
    paths += ["demo-class/reports/03_self_attention.html", "build/released/x", ".course/hints.json"]
    done = subprocess.run(["git", "check-ignore", *paths], cwd=course.root, capture_output=True, text=True, check=False)
    if done.returncode == 128:
        pytest.skip("this is no git checkout")
    assert done.stdout.split() == paths


def test_every_lesson_has_its_notebooks(course: Course) -> None:
    assert course.lessons
    for lesson in course.lessons:
        assert course.student_notebook(lesson).is_file()
        assert course.solution_notebook(lesson).is_file()
