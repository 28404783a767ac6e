"""Components are imported one at a time, when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from autograder.building.release import component_stub
from course_lib import component_files, components
from course_lib.course import CourseError
from course_lib.extensions import import_extension

IMPORTED = "print(sorted(name.rpartition('.')[2] for name in sys.modules if name.startswith('course_lib.components.')))"


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_component_is_imported_with_what_it_builds_on_and_nothing_else() -> None:
    assert printed(f"import course_lib.components\n{IMPORTED}") == "[]\n"
    assert printed(f"from course_lib.components import softmax\n{IMPORTED}") == "['softmax']\n"
    layers = "['attention', 'merge_heads', 'multi_head_attention', 'split_heads']\n"
    assert printed(f"from course_lib.components import MultiHeadAttention\n{IMPORTED}") == layers


@pytest.mark.parametrize(
    "first",
    [
        "import course_lib.components.softmax",
        "from course_lib.components.softmax import softmax",
        "import importlib; importlib.import_module('course_lib.components.softmax')",
        "from course_lib.components import attention_loops",
        "from course_lib.components import *",
        "import course_lib.components; course_lib.components.softmax",
    ],
)
def test_a_function_hides_the_module_of_the_same_name_whatever_was_imported_first(first: str) -> None:
    then = "from course_lib import components; from course_lib.components import softmax"
    shown = "print(components.softmax is softmax is sys.modules['course_lib.components.softmax'].softmax)"
    assert printed(f"{first}\n{then}\n{shown}") == "True\n"


def test_a_module_whose_name_no_component_has_is_a_module() -> None:
    assert isinstance(import_module("course_lib.components.attention"), ModuleType)
    assert components.attention is sys.modules["course_lib.components.attention"]  # type: ignore[attr-defined]


def test_what_is_no_component_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match=r"cannot import name 'missing' from 'course_lib\.components'"):
        exec("from course_lib.components import missing")
    with pytest.raises(AttributeError, match="has no attribute '_missing'"):
        components._missing  # type: ignore[attr-defined]  # noqa: B018


def test_every_public_function_and_class_is_listed_and_offered_for_completion() -> None:
    defined = {
        node.name: path
        for path in component_files.FOLDER.glob("[!_]*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }
    assert component_files.component_files() == defined
    assert defined.keys() <= set(dir(components))


def test_the_stub_for_type_checkers_is_up_to_date() -> None:
    path = component_files.FOLDER / "__init__.pyi"
    assert path.read_text(encoding="utf-8") == component_stub(), f"write component_stub() into {path}"


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an extension's components, with one that is in order."""
    monkeypatch.setattr(component_files, "extension_folders", lambda: (tmp_path,))
    monkeypatch.setattr(component_files, "component_modules", component_files.component_modules.__wrapped__)
    folder = tmp_path / "components"
    folder.mkdir()
    (folder / "mine.py").write_text("def mine():\n    return 1\n")
    return folder


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("softmax", "", "have the same name. Rename one"),
        ("other", "def softmax(): pass\n", "defines softmax, which .*softmax.py already defines"),
        ("theirs", "class mine: pass\n", "defines mine, which .*mine.py already defines"),
    ],
)
def test_an_extension_cannot_replace_a_component(extension: Path, name: str, text: str, problem: str) -> None:
    assert component_files.component_files.__wrapped__()["mine"] == extension / "mine.py"
    (extension / f"{name}.py").write_text(text)
    with pytest.raises(CourseError, match=problem):
        component_files.component_files.__wrapped__()


def test_an_extension_that_cannot_be_imported_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_extension.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CourseError, match=r"broken_extension\.py cannot be used: ZeroDivisionError: division by zero"):
        import_extension("broken_extension", tmp_path / "broken_extension.py")
