"""Our solution of an exercise, for students who have passed it, or have tried and want to see it."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import fill

from course_lib import beside_notebook
from course_lib.checking.formatting import inline
from course_lib.contents import public_exercises
from course_lib.misused import Misused
from course_lib.stand_ins import STAND_INS
from course_lib.syntax import syntax_tree

FILE = beside_notebook.FOLDER / "looked_up.json"


@dataclass(frozen=True)
class Ours:
    """A component of the course, shown as text in a terminal and formatted in a notebook.

    Attributes:
        source: its code.
        reason: why the code is written this way; the second paragraph of its module's docstring.
    """

    source: str
    reason: str

    def __repr__(self) -> str:
        reason = fill(f"Why it looks like this: {self.reason}", 110, initial_indent="# ", subsequent_indent="# ")
        return f"{reason}\n\n{self.source}"

    def _repr_html_(self) -> str:
        return (
            f"<p><b>Why it looks like this.</b> {inline(self.reason)}</p>"
            f'<pre tabindex="0" style="padding:0.6em 0.9em;background:#8882;overflow-x:auto;'
            f'white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere">'
            f"{escape(self.source)}</pre>"
        )


def ours(exercise_id: str) -> Ours | None:
    """Return our solution, or None if this copy of the library doesn't include it."""
    entry = next((entry for entry in public_exercises() if entry.id == exercise_id), None)
    if entry is None:
        return None
    from course_lib import components

    component = getattr(components, entry.symbol, None)
    if component is None or entry.symbol in STAND_INS:
        return None
    about = inspect.getdoc(sys.modules[component.__module__]) or ""
    return Ours(_without_docstring(inspect.getsource(component)), " ".join(about.partition("\n\n")[2].split()))


def _without_docstring(source: str) -> str:
    """Return the source of a function or class without its own docstring, which the exercise's cell contains."""
    first = syntax_tree(source).body[0]
    if not isinstance(first, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(first) is None or len(first.body) < 2:
        return source
    lines, text = source.splitlines(keepends=True), first.body[0]
    return "".join([*lines[: text.lineno - 1], *lines[text.end_lineno :]])


def look_up(exercise_id: str, passed: bool, folder: Path = Path()) -> Ours:
    """Return our solution. If the exercise was not passed, record this next to the notebook.

    Raises:
        Misused: this copy of the library doesn't include the solution.
    """
    source = ours(exercise_id)
    if source is None:
        raise Misused(
            f"Our {exercise_id} is not in this library: a class gets it with the release of a later lesson. "
            f"hint({exercise_id!r}) helps now."
        )
    if not passed and exercise_id not in looked_up(folder):
        beside_notebook.write(folder / FILE, {**beside_notebook.read(folder / FILE), exercise_id: True})
    return source


def looked_up(folder: Path) -> set[str]:
    """Return the exercises in a folder and its subfolders whose solution was looked up before they were passed."""
    files = (folder / FILE, *folder.glob(f"[!.]*/{FILE.as_posix()}"))
    return {exercise_id for file in files for exercise_id in beside_notebook.read(file)}
