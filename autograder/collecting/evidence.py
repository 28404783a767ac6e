"""Find out from a notebook's cells which lesson it belongs to and how much work is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.collecting.releases import Release
from course_lib.checking.formatting import printable
from course_lib.contents import public_exercises
from course_lib.running.notebook_file import NotebookFile, UnreadableError, parse_notebook
from course_lib.running.unreadable import without_request
from course_lib.version import __version__

Cell = Mapping[str, Any]

#: the number of unchanged cells that proves that a notebook without our metadata was made from a release
_ENOUGH = 3
_LONGEST = 200_000  #: the most characters of a cell that are examined
_COMMENTS = re.compile(r"(?s:\"\"\".*?\"\"\"|'''.*?''')|#[^\n]*")
_OF_A_STUB = re.compile(
    r"def |class |@|import |from \S+ import|raise NotImplementedError|pass$|(return )?\.\.\.$|super\(\)\.__init__\("
)


@dataclass(frozen=True)
class Evidence:
    """The lesson that a notebook belongs to, and the work in it.

    Attributes:
        lesson: the lesson's name, or empty if nothing shows it.
        belongs: the evidence for the lesson: 2 for our metadata, 1 for the cells' contents, 0 for none.
        worked: the exercises and written questions that the student has worked on.
        own: whether the student added or changed other cells.
        remark: a remark for the instructor.
        problem: why the notebook cannot be read, or empty if it can.
    """

    lesson: str = ""
    belongs: int = 0
    worked: frozenset[str] = frozenset()
    own: bool = False
    remark: str = ""
    problem: str = ""

    @property
    def work(self) -> int:
        """Return 2 for work in an exercise or a written answer, 1 for work in other cells only, 0 for none."""
        return 2 if self.worked else 1 if self.own else 0


class Lesson:
    """The built lesson, with which notebooks are compared.

    Args:
        name: the lesson's name.
        released: the bytes of the released notebook, or None if the lesson has not been built.
    """

    def __init__(self, name: str, released: bytes | None) -> None:
        self.name = name
        cells = parse_notebook(released).cells if released else []
        self._release = Release(cells) if cells else None
        self._stubs = {_grade_id(cell): _text(cell) for cell in cells if _is_solution(cell)}
        self._stub_lines = {line for stub in self._stubs.values() for line in _code_lines(stub)}
        self._known = {_text(cell) for cell in cells}
        self._symbols = {entry.symbol: entry.id for entry in public_exercises() if entry.lesson == name}
        ids = {str(cell.get("id", "")): _grade_id(cell) for cell in cells if _is_solution(cell)}
        self._names = {**{name: name for name in self._stubs}, **{id: name for id, name in ids.items() if id}}

    def evidence(self, data: bytes) -> Evidence:
        """Examine a notebook, which may be malformed or hostile."""
        try:
            read = parse_notebook(data)
        except UnreadableError as error:
            return Evidence(problem=without_request(str(error)))
        cells = read.cells
        lesson, belongs = self._lesson_of(read)
        worked, own = self._work(cells)
        remark = "; ".join(filter(None, [read.remark, self._remark(read)]))
        return Evidence(lesson, belongs, worked, own, remark)

    def _lesson_of(self, read: NotebookFile) -> tuple[str, int]:
        about = _mapping(_mapping(read.notebook.get("metadata")).get("course"))
        if said := _word(about.get("lesson")):
            return said, 2
        lessons = {entry.id: entry.lesson for entry in public_exercises()}
        found = [lessons[name] for cell in read.cells if (name := _grade_id(cell)) in lessons]
        if found:
            return max(sorted(set(found)), key=found.count), 2
        if sum(_text(cell) in self._known for cell in read.cells if _text(cell)) >= _ENOUGH:
            return self.name, 1
        return self._lesson_of_symbols(read.cells), 1 if self._lesson_of_symbols(read.cells) else 0

    def _lesson_of_symbols(self, cells: Sequence[Cell]) -> str:
        """Return the lesson whose functions and classes the cells define most of. In a tie, prefer this lesson."""
        defined = _defined(cells)
        counts: dict[str, int] = {}
        for entry in public_exercises():
            if entry.symbol in defined:
                counts[entry.lesson] = counts.get(entry.lesson, 0) + 1
        most = max(counts.values(), default=0)
        best = sorted(lesson for lesson, count in counts.items() if count == most)
        return self.name if self.name in best else best[0] if best else ""

    def _work(self, cells: Sequence[Cell]) -> tuple[frozenset[str], bool]:
        worked, own = set[str](), False
        for cell in cells:
            text = _text(cell)
            if not text or text in self._known:
                continue
            said = (_grade_id(cell), str(cell.get("id", "")))
            name = next((self._names[each] for each in said if each in self._names), "")
            if cell.get("cell_type") == "code" and self._is_unwritten(text):
                continue
            if name:
                worked.add(name)
                continue
            symbols = [symbol for symbol in _defined([cell]) if symbol in self._symbols]
            worked.update(self._symbols[symbol] for symbol in symbols)
            own = own or not symbols
        return frozenset(worked), own

    def _is_unwritten(self, text: str) -> bool:
        """Return whether a cell contains only the stub of this or another release, with its `NotImplementedError`."""
        if "NotImplementedError" not in text:
            return False
        return all(_OF_A_STUB.match(line) for line in _code_lines(text) - self._stub_lines)

    def _remark(self, read: NotebookFile) -> str:
        version = _word(_mapping(_mapping(read.notebook.get("metadata")).get("course")).get("version"))
        if version not in ("", __version__):
            return f"made from version {version}, this is {__version__}"
        return self._release.remark(read.cells) if self._release else ""


def _code_lines(text: str) -> set[str]:
    """Return a cell's lines without docstrings, comments and indentation."""
    return {line.strip() for line in _COMMENTS.sub("", text).split("\n")} - {""}


def _defined(cells: Iterable[Cell]) -> set[str]:
    """Return the names that code cells define at the top level."""
    sources = (_text(cell) for cell in cells if cell.get("cell_type") == "code")
    return {name for text in sources for name in re.findall(r"^(?:async )?(?:def|class) (\w{1,100})\b", text, re.M)}


def _text(cell: Cell) -> str:
    """Return a cell's source without trailing blanks."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    source = source[:_LONGEST] if isinstance(source, str) else ""
    return "\n".join(line.rstrip() for line in source.splitlines()).strip()


def _is_solution(cell: Cell) -> bool:
    return bool(_mapping(_mapping(cell.get("metadata")).get("nbgrader")).get("solution"))


def _grade_id(cell: Cell) -> str:
    said = _mapping(_mapping(cell.get("metadata")).get("nbgrader")).get("grade_id", "")
    return said if isinstance(said, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(said: object) -> str:
    """Return a name from a notebook, made printable because a student may have written anything there."""
    return printable(said[:60]) if isinstance(said, str) else ""
