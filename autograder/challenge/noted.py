"""What is noted of a student's code, for the instructor to look at: the words that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

#: what knows the corpus: with it the renaming of words can be undone, as that of any cipher
_KNOWS_THE_CORPUS = re.compile(r"course_lib\W+(?:import\W+)?(corpus|translator)\b")
_IMPORTS = re.compile(r"from course_lib\.(corpus|translator)\S* import (.+)")

#: what reaches into the interpreter, and what runs code that does not stand there
_LOOKS_INSIDE = re.compile(
    r"\b(sys|gc|ctypes|importlib|inspect(?=\.\w|\s+(?:import|as)\b|\s*[,;]|\s*$)|(?<!\.)(?:exec|eval)(?=\s*\()"
    r"|__import__|__globals__|__builtins__|__subclasses__|__closure__|_getframe|_current_frames|f_back|f_locals"
    r"|f_globals|f_builtins|gi_frame|tb_frame)\b",
    re.MULTILINE,
)


def notes_on(cells: Iterable[str], parts: Iterable[str], released: Any) -> Iterator[str]:
    """Notes for the instructor.

    Args:
        cells: the sources of the notebook that defines ``train``; what the released one gives is passed over.
        parts: of earlier lessons; of what is given they hold only what they need.
        released: that notebook as it was built.
    """
    given = [cell.source for cell in released.cells if cell.cell_type == "code" and cell.source]
    own = "\n".join(cells)
    for source in given:  # wherever it stands: a student may have added lines to it
        own = own.replace(source, "")
    code = "\n".join([own, *parts])
    found = {*_KNOWS_THE_CORPUS.findall(code), *_calls(own, _IMPORTS.findall("\n".join(given)))}
    if found:
        yield f"it uses {' and '.join(f'course_lib.{name}' for name in sorted(found))}: see what for"
    if inside := sorted(set(_LOOKS_INSIDE.findall(code))):
        yield f"it mentions {', '.join(inside)}, by which code finds what it was not given: see what for"


def _calls(own: str, imports: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The modules whose functions are called, where the notebook has imported them already."""
    for module, names in imports:
        if any(re.search(rf"\b{name}\s*\(", own) for name in re.findall(r"\w+", names)):
            yield module
