"""Report names in a student's code that the instructor should look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from autograder.challenge.ways import modules_of, ways
from autograder.grading.words import BY_TEXT, words

#: the modules that contain the corpus, which code could use to decipher the renamed words
_KNOWS_THE_CORPUS = re.compile(r"course_lib\W+(?:import\W+)?(corpus|translator)\b")
_IMPORTS = re.compile(r"from course_lib\.(corpus|translator)\S* import (.+)")

#: names that count even without a dot: they run code from strings, or the notebook may have imported them already
_ALONE = frozenset({"exec", "eval", "__import__", "__builtins__", "sys", "gc", "ctypes", "importlib"})
#: names that reach into the interpreter
_INTROSPECTION = _ALONE | BY_TEXT | {
    "inspect", "builtins", "__globals__", "__subclasses__", "__closure__", "_getframe", "_current_frames",
    "timeit", "cProfile", "profile", "pdb", "bdb", "doctest", "rlcompleter", "CompilationUnit",
    "f_back", "f_locals", "f_globals", "f_builtins", "gi_frame", "tb_frame",
}  # fmt: skip


def notes_on(cells: Iterable[str], parts: Collection[str], released: Any) -> Iterator[str]:
    """Yield notes for the instructor.

    Args:
        cells: the sources of the notebook that defines ``train``. Released code in them is ignored.
        parts: the components that the student wrote in earlier lessons, with only the released code that they need.
        released: the released notebook that defines ``train``.
    """
    given = [cell.source for cell in released.cells if cell.cell_type == "code" and cell.source]
    theirs = [_without(given, cell) for cell in cells]
    own, code = "\n".join(theirs), "\n".join([*theirs, *parts])
    imported = {name.partition(".")[0] for source in (*theirs, *parts) for name in modules_of(source)}
    found = {
        *_KNOWS_THE_CORPUS.findall(code),
        *(imported & {"corpus", "translator"}),
        *_calls(own, _IMPORTS.findall("\n".join(given))),
    }
    if found:
        yield f"it uses {' and '.join(f'course_lib.{name}' for name in sorted(found))}: check why"
    if inside := sorted({word for source in (*theirs, *parts) for word in words(source, _ALONE)} & _INTROSPECTION):
        yield f"it mentions {', '.join(inside)}, with which code can find what it was not given: check why"
    yield from ways(theirs, [*parts], "\n".join(given))


def _without(given: Iterable[str], cell: str) -> str:
    """Return what a student has added to the released code, wherever it appears in the cell."""
    for source in given:
        cell = cell.replace(source, "")
    return cell


def _calls(own: str, imports: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the modules whose functions are called, if the notebook has already imported them."""
    for module, names in imports:
        if any(re.search(rf"\b{name}\s*\(", own) for name in re.findall(r"\w+", names)):
            yield module
