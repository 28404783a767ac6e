"""Read `variants.py` and `unseen.py`: right and wrong implementations of an exercise, one cell each.

A cell begins with its kind and a description::

    # %% wrong: the largest score of the whole array is subtracted
    # true: max_of_everything
    def softmax(scores, axis=-1):
        ...

The kinds are ``right`` (it must earn all points), ``wrong`` (it must lose points) and ``trivial`` (it returns something
without doing the work; a stub is added to these). Lines of comments below the heading say more about a wrong one:

- ``# true: a, b``: these registered mistakes are what it does;
- ``# half: a``: this mistake is half of what it does;
- ``# defines: a``: it is the code of the registered mistake ``a``, which has no edits.

`unseen.py` contains code by authors who had not seen the checks. Its headings name the batch in which it was written:
``# %% right (first): …``. The checks have learnt from every batch but ``last``.

A class that inherits from itself, as in ``class Encoder(Encoder):``, changes only these methods of the reference. A
class that inherits from ``Reference`` is a subclass of the reference, and can call its methods with ``super()``.

Code above the first heading is shared: a variant that uses one of its names gets the definition, too.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

Kind = Literal["right", "wrong", "trivial"]

_HEADING = re.compile(r"^# %% (right|wrong|trivial)(?: \((\w+)\))?: *(.+)$", re.MULTILINE)
_NOTE = re.compile(r"\A\n# (true|half|defines): *(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """One implementation that is neither the reference nor an edit of it.

    Attributes:
        about: what it does wrong, or its style, in its author's words.
        source: the code, which defines the exercise's symbol.
        true: the registered mistakes that it makes.
        half: the registered mistakes that are half of what it does.
        defines: the registered mistake whose code it is, if any.
        batch: when it was written, of code whose author had not seen the checks; empty for ours.
        number: its position in its batch, from 1.
    """

    kind: Kind
    about: str
    source: str
    true: frozenset[str] = frozenset()
    half: frozenset[str] = frozenset()
    defines: str = ""
    batch: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        """The description as one word."""
        return re.sub(r"\W+", "_", self.about).strip("_")


def read_variants(path: Path) -> tuple[Variant, ...]:
    """Return the variants in a file, in order; none if there is no such file.

    Raises:
        ValueError: a cell contains no code.
        SyntaxError: the code above the first heading cannot be parsed.
    """
    return tuple(_read(path)) if path.is_file() else ()


def _read(path: Path) -> Iterator[Variant]:
    text = path.read_text(encoding="utf-8")
    headings = list(_HEADING.finditer(text))
    shared = _Shared(text[: headings[0].start() if headings else None])
    numbers: Counter[str] = Counter()
    for heading, end in zip(headings, [*(each.start() for each in headings[1:]), len(text)], strict=True):
        kind, batch, about = cast(Kind, heading[1]), heading[2] or "", heading[3]
        source, notes = text[heading.end() : end], {"true": "", "half": "", "defines": ""}
        while note := _NOTE.match(source):
            notes[note[1]] = note[2].strip()
            source = source[note.end() :]
        if not source.strip():
            raise ValueError(f"{path}: there is no code below {heading[0]!r}")
        numbers[batch] += 1
        source = shared.before(source.strip() + "\n")
        true, half = (frozenset(re.findall(r"\w+", notes[word])) for word in ("true", "half"))
        defines = notes["defines"]
        yield Variant(kind, about, source, true or frozenset(filter(None, [defines])), half, defines, batch, numbers[batch])


class _Shared:
    """The statements above the first heading of a file."""

    def __init__(self, source: str) -> None:
        statements = ast.parse(source).body
        self._texts = [ast.get_source_segment(source, each) or "" for each in statements]
        self._defined = [set(_names_bound_by(each)) for each in statements]

    def before(self, source: str) -> str:
        """Return source after those statements that it needs, directly or through others."""
        needed: set[int] = set()
        texts = [source]
        while texts:
            words = set(re.findall(r"\w+", texts.pop()))
            new = {i for i, names in enumerate(self._defined) if names & words} - needed
            needed |= new
            texts += [self._texts[i] for i in new]
        return "\n\n\n".join([*(self._texts[i] for i in sorted(needed)), source])


def _names_bound_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Import() | ast.ImportFrom():
            yield from (each.asname or each.name.split(".")[0] for each in statement.names)
        case _:
            yield from (
                each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            )
