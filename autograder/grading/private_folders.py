"""Find the folders that no submission may see: the checkout, the class's folder and nbgrader's exchange."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.submissions.submission import Submission
from course_lib.course import Course
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: the folders in which nbgrader keeps everybody's submissions by default
EXCHANGES = (Path("/usr/local/share/nbgrader/exchange"), Path("/srv/nbgrader/exchange"))


def private_folders(course: Course, class_folder: Path) -> tuple[Path, ...]:
    """Return every folder of this course, and of nbgrader on this machine, that a submission must not see."""
    return (class_folder, course.root, *course.extensions, *EXCHANGES, *_configured(course.root))


def folders_of(submissions: Iterable[Submission]) -> tuple[Path, ...]:
    """Return the folders that hold submissions: ``DIR`` of each ``DIR/<student>/<lesson>/<lesson>.ipynb``."""
    return tuple(dict.fromkeys(submission.path.absolute().parents[2] for submission in submissions))


def _configured(root: Path) -> Iterator[Path]:
    """Yield the exchange's root from nbgrader's configuration files.

    Parse the files but never run them, because running them opens the gradebook. So a root that a file computes is not
    found, but this matters only if the exchange is inside Python's own folders.
    """
    from jupyter_core.paths import jupyter_config_path

    for folder in dict.fromkeys([root, *map(Path, jupyter_config_path())]):
        for path in (folder / "nbgrader_config.py", folder / "nbgrader_config.json"):
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            found = _in_python(text) if path.suffix == ".py" else _in_json(text)
            yield from (folder / value for value in found)


def _in_python(text: str) -> Iterator[str]:
    """Yield the strings that are assigned to ``c.Exchange.root``."""
    try:
        tree = syntax_tree(text)
    except NOT_PYTHON:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Constant(value=str() as root)):
                if any(ast.unparse(target).endswith("Exchange.root") for target in targets):
                    yield root


def _in_json(text: str) -> Iterator[str]:
    try:
        found: Any = json.loads(text)
        root = found["Exchange"]["root"]
    except (ValueError, LookupError, TypeError):
        return
    if isinstance(root, str):
        yield root
