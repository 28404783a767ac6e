"""What the grader has: its packages, and whether it has a GPU. In a checkout, this machine is asked."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

#: written into a release by the instructor's machine
NAME = "grader.json"
_FILE = Path(__file__).parents[1] / NAME
#: packages that are worth naming where one is missing, as far as the grader has them
_KNOWN = ("torch", "numpy", "matplotlib", "scipy", "pandas", "sklearn", "tqdm", "einops", "seaborn", "sympy")


@dataclass(frozen=True)
class Environment:
    """What the grader has.

    Attributes:
        packages: the names that can be imported, besides Python's own modules.
        gpu: whether it has a GPU.
    """

    packages: frozenset[str]
    gpu: bool = False

    def has(self, package: str) -> bool:
        """Whether a package can be imported there."""
        return package in self.packages or package in sys.stdlib_module_names or package == "course_lib"

    @property
    def known(self) -> str:
        """The best known packages that it has."""
        return ", ".join(name for name in _KNOWN if name in self.packages)

    def to_json(self) -> str:
        """The file of a release."""
        return json.dumps({"packages": sorted(self.packages), "gpu": self.gpu}, indent=0) + "\n"


@cache
def this_environment(gpu: bool = False) -> Environment:
    """What this machine has.

    Args:
        gpu: whether the grader lets submissions use a GPU: its sandbox has none.
    """
    names = (name for name in packages_distributions() if name.isidentifier() and not name.startswith("_"))
    return Environment(frozenset(name for name in names if _is_there(name)), gpu)


@cache
def grader_environment() -> Environment:
    """What the grader has, as far as it is known here."""
    try:
        data = json.loads(_FILE.read_text(encoding="utf-8"))
        return Environment(frozenset(map(str, data["packages"])), bool(data["gpu"]))
    except (OSError, ValueError, KeyError, TypeError):
        return this_environment()


def _is_there(name: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # setuptools warns when it is looked for
            return find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False
