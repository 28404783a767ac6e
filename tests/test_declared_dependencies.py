"""What the packages import is declared in pyproject.toml, and what may break them has an upper bound."""

from __future__ import annotations

import ast
import inspect
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from course_lib.course import Course

ROOT = Path(__file__).parent.parent
#: modules of ours, or imported by us, that need another extra than those around them
EXTRAS = {"distributed": "cluster", "dask": "cluster", "sphinx": "dev"}
#: what a hosted notebook's own Jupyter consists of
JUPYTER = {"ipykernel", "tornado", "jupyter-client", "jupyter-core", "notebook", "jupyterlab", "traitlets", "nbformat"}


class Missing:
    """A finder for `sys.meta_path` that makes modules look as if they were not installed."""

    def __init__(self, *modules: str) -> None:
        self.modules = set(modules)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] in self.modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


#: runs a file in an interpreter that lacks the modules whose names follow
RUN_WITHOUT = f"""
import sys
from typing import Any
from importlib.machinery import ModuleSpec

{inspect.getsource(Missing)}
sys.meta_path.insert(0, Missing(*sys.argv[2:]))
exec(open(sys.argv[1], encoding="utf-8").read())
"""


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


def stated(*extras: str) -> dict[str, str]:
    """Map each package to what the core and some extras ask of it. What an extra asks of it takes precedence."""
    found = {canonicalize_name(Requirement(one).name): one for one in project()["dependencies"]}
    for extra in extras:
        for one in project()["optional-dependencies"][extra]:
            needed = Requirement(one)
            ours = needed.name == project()["name"]
            found |= stated(*needed.extras) if ours else {canonicalize_name(needed.name): one}
    return found


def brought_by_the_core() -> set[str]:
    """The core's packages, and all that they need themselves."""
    found, waiting = set(), list(stated())
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            needed = map(Requirement, requires(name) or ())
            waiting += [canonicalize_name(one.name) for one in needed if not one.marker or one.marker.evaluate()]
    return found


def imported(*folders: str) -> Iterator[tuple[str, Path]]:
    """Yield every top-level module that is imported, with the file that does so."""
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            yield from ((name.split(".")[0], path) for name in names)


def undeclared(declared: Collection[str], modules: Iterator[tuple[str, Path]]) -> list[str]:
    found, installed = [], packages_distributions()
    for module, path in modules:
        if module not in sys.stdlib_module_names and module in installed:
            brought_by = {canonicalize_name(name) for name in installed[module]}
            if brought_by.isdisjoint(declared) and "attention-course" not in brought_by:
                found.append(f"{path.relative_to(ROOT)} imports {module}, of {' or '.join(brought_by)}")
    return found


def test_everything_that_the_packages_import_is_declared() -> None:
    assert not undeclared(stated("lab"), imported("course_lib"))
    assert not undeclared(stated("teach"), (one for one in imported("autograder") if one[0] not in EXTRAS))


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_what_an_extra_is_needed_for_is_declared_there(module: str, extra: str) -> None:
    assert module in stated(extra)


def test_everything_that_tests_and_benchmarks_import_is_declared() -> None:
    assert not undeclared(stated("dev"), imported("tests", "benchmarks", "docs"))


def test_every_extra_is_in_the_developers_one() -> None:
    assert stated(*project()["optional-dependencies"]) == stated("dev")


@pytest.mark.parametrize("package", ["torch", "nbgrader", "ipython"])
def test_a_package_on_whose_internals_we_depend_has_an_upper_bound(package: str) -> None:
    assert any(one.operator == "<" for one in Requirement(stated("teach")[package]).specifier)


def test_the_core_replaces_nothing_that_a_hosted_notebook_has() -> None:
    assert not JUPYTER & set(stated())
    assert not [one for one in stated().values() for each in Requirement(one).specifier if each.operator != ">="]
    assert Requirement(stated()["ipython"]).specifier.contains("7.34.0"), "Colab's"


def test_notebooks_and_their_checks_need_no_extra(course: Course, tmp_path: Path) -> None:
    brought = brought_by_the_core()
    missing = [m for m, of in packages_distributions().items() if brought.isdisjoint(map(canonicalize_name, of))]
    missing = sorted({*missing} - {"course_lib", "autograder"})
    assert {"jupyterlab", "nbgrader", "sqlalchemy", "pooch", "ipykernel", "jupyter_client"} <= set(missing)
    cells = "\n".join(
        cell.source
        for path in sorted((course.root / "notebooks").rglob("*.ipynb"))
        for cell in nbformat.read(path, as_version=nbformat.NO_CONVERT).cells
        if cell.cell_type == "code"
    )
    lines = [ast.unparse(node) for node in ast.parse(cells).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert "from course_lib import begin, check, diagrams, example, figures, hint, predict, solution" in lines
    lines += [
        "begin('03_self_attention', version='')",
        "check('softmax', lambda scores, axis=-1: scores)._repr_html_()",
        "from course_lib.journey.map import where_am_i; where_am_i()._repr_html_()",
        "import autograder.app",
    ]
    (tmp_path / "lines.py").write_text("\n".join(lines), encoding="utf-8")
    run = [sys.executable, "-c", RUN_WITHOUT, str(tmp_path / "lines.py"), *missing]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("module", "arguments", "extra"), [("nbgrader", ["grade", "03"], "teach"), ("jupyterlab", ["lab"], "lab")]
)
def test_a_command_that_needs_an_extra_names_the_one_that_brings_it(
    course: Course, module: str, arguments: list[str], extra: str
) -> None:
    run = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv[0] = 'course'\n"
        "from course_lib.app.main import main; main()"
    )
    command = [sys.executable, "-c", run, *arguments]
    ran = subprocess.run(command, check=False, cwd=course.root, capture_output=True, text=True)
    python = f"In {course.root}: {shlex.quote(sys.executable)} -m pip install -e"
    assert ran.returncode == 1
    assert ran.stderr.endswith(f"needs {module}, which is not installed. {python} '.[{extra}]'\n"), ran.stderr


def test_environment_yml_asks_for_what_pyproject_asks_for(course: Course) -> None:
    python = f"python{project()['requires-python']}"
    wanted = {w.replace("torch>", "pytorch-cpu>") for w in (python, *stated("dev").values())}  # conda-forge's CPU build
    lines = [line.strip().removeprefix("- ") for line in (course.root / "environment.yml").read_text().splitlines()]
    packages = [line for line in lines if ">=" in line]
    assert sorted(packages) == sorted(wanted)
