"""The grader's packages, and whether it has a GPU. In a checkout, this machine serves as the grader."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

#: the file that the instructor's machine writes into a release
NAME = "grader.json"
_FILE = Path(__file__).parents[1] / NAME
#: well-known packages to suggest when another is missing, if the grader has them
#: what every grader has, because the course needs it
_REQUIRED = frozenset({"course_lib", "torch", "numpy", "matplotlib"})
_KNOWN = ("torch", "numpy", "matplotlib", "scipy", "pandas", "sklearn", "tqdm", "einops", "seaborn", "sympy")


@dataclass(frozen=True)
class Environment:
    """The grader's Python environment.

    Attributes:
        installed: returns the names that can be imported in addition to the standard library. It is called only for
            unusual packages, because listing what is installed takes half a second.
        gpu: whether it has a GPU.
    """

    installed: Callable[[], frozenset[str]]
    gpu: bool = False

    def has(self, package: str) -> bool:
        """Whether the grader can import a package."""
        return package in _REQUIRED or package in sys.stdlib_module_names or package in self.installed()

    @property
    def known(self) -> str:
        """The well-known packages that the grader has, separated by commas."""
        return ", ".join(name for name in _KNOWN if name in self.installed())

    def to_json(self) -> str:
        """Return the content of the file that goes into a release."""
        return json.dumps({"packages": sorted(self.installed()), "gpu": self.gpu}, indent=0) + "\n"


@cache
def this_environment(gpu: bool = False) -> Environment:
    """Return this machine's environment.

    Args:
        gpu: whether submissions can use a GPU, which the sandbox does not allow.
    """
    return Environment(_installed_here, gpu)


@cache
def _installed_here() -> frozenset[str]:
    names = (name for name in packages_distributions() if name.isidentifier() and not name.startswith("_"))
    return frozenset(name for name in names if _is_there(name))


@cache
def grader_environment() -> Environment:
    """Read the grader's environment from the release; without that file, return this machine's."""
    try:
        data = json.loads(_FILE.read_text(encoding="utf-8"))
        packages = frozenset(map(str, data["packages"]))
        return Environment(lambda: packages, bool(data["gpu"]))
    except (OSError, ValueError, KeyError, TypeError):
        return this_environment()


def _is_there(name: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # looking for setuptools causes a warning
            return find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False
