"""What the packages import is declared in pyproject.toml, and what may break them has an upper bound."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
#: modules that are imported only with an extra, with the extra's name
EXTRAS = {"distributed": "cluster", "dask": "cluster", "sphinx": "dev"}


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


def declared(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def imported(*folders: str) -> Iterator[tuple[str, Path]]:
    """Yield every top-level module that is imported, with the file that does so."""
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            yield from ((name.split(".")[0], path) for name in names)


def undeclared(declared: set[str], modules: Iterator[tuple[str, Path]]) -> list[str]:
    found, installed = [], packages_distributions()
    for module, path in modules:
        if module not in sys.stdlib_module_names and module in installed:
            brought_by = {canonicalize_name(name) for name in installed[module]}
            if not brought_by & declared and "attention-course" not in brought_by:
                found.append(f"{path.relative_to(ROOT)} imports {module}, of {' or '.join(brought_by)}")
    return found


def test_everything_that_the_packages_import_is_declared() -> None:
    core = declared(project()["dependencies"])
    assert not undeclared(core, (one for one in imported("course_lib", "autograder") if one[0] not in EXTRAS))


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_what_an_extra_is_needed_for_is_declared_there(module: str, extra: str) -> None:
    assert module in declared(project()["optional-dependencies"][extra])


def test_everything_that_tests_and_benchmarks_import_is_declared() -> None:
    every = declared([*project()["dependencies"], *project()["optional-dependencies"]["dev"]])
    assert not undeclared(every, imported("tests", "benchmarks", "docs"))


def test_every_extra_is_in_the_developers_one() -> None:
    extras = project()["optional-dependencies"]
    assert not [one for extra in extras.values() for one in extra if one not in extras["dev"]]


@pytest.mark.parametrize("package", ["torch", "nbgrader", "ipython"])
def test_a_package_on_whose_internals_we_depend_has_an_upper_bound(package: str) -> None:
    bounds = {canonicalize_name(r.name): r.specifier for r in map(Requirement, project()["dependencies"])}
    assert any(one.operator == "<" for one in bounds[package])
