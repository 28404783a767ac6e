"""docs/ARCHITECTURE.md lists the layers that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def layers_checked(package: str) -> list[set[str]]:
    contract = next(contract for contract in CONTRACTS if contract["id"] == package)
    return [set(layer.split(" | ")) for layer in contract["layers"]]


def layers_documented(package: str) -> list[set[str]]:
    text = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = text.split(f"| Layer | In `{package}/` |")[1].split("\n\n")[0].splitlines()[2:]
    layers: dict[int, set[str]] = {}
    for row in rows:
        _, number, packages, *_ = row.split("|")
        layers.setdefault(int(number), set()).update(re.findall(r"`(\w+)`", packages))
    assert list(layers) == list(range(len(layers), 0, -1))
    return list(layers.values())


@pytest.mark.parametrize("package", ["course_lib", "autograder"])
def test_the_tables_list_the_layers_that_are_checked(package: str) -> None:
    assert layers_documented(package) == layers_checked(package)


def test_no_import_is_excepted_from_a_contract() -> None:
    assert not [contract["id"] for contract in CONTRACTS if contract.get("ignore_imports")]
