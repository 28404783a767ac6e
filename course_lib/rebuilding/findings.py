"""Everything in a notebook that will cost points or is odd: for doctor, the feedback page and the notes.

Nothing of the notebook is run. What is marked as wrong costs points, or stops Restart & Run All.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from course_lib.checking.left_over import left_over, left_over_sentence
from course_lib.checking.over_ours import over_sentence
from course_lib.rebuilding.changes import changes
from course_lib.rebuilding.code import LONGEST, code
from course_lib.rebuilding.environment import Environment
from course_lib.rebuilding.exercises import asked_pieces
from course_lib.rebuilding.finding import Finding
from course_lib.rebuilding.hazards import Hazard, hazards, reached
from course_lib.rebuilding.piece import Piece, is_grade
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.rebuilding.statement import Statement, by_name, reachable
from course_lib.rebuilding.uses import Uses, uses_of
from course_lib.running.cells import grade_id
from course_lib.running.plain_python import plain_python

#: what may give a name a meaning that no tree shows
_DYNAMIC = re.compile(
    r"\bexec\(|\beval\(|\b(?:globals|locals|vars)\(\)|\bsetattr\(|__dict__|builtins|get_ipython\(|import \*"
    r"|^[ \t]*%(?:run|load|loadpy|pylab|store|recall|rerun|macro|%)",
    re.MULTILINE,
)
_MODULE = re.compile(r"\b(\w+)\.py\b")
_OF_IPYTHON = frozenset({"display", "get_ipython", "In", "Out", "exit", "quit", "_", "__", "___", "_i", "__file__"})


def costly(rebuilt: Rebuilt, environment: Environment) -> list[Finding]:
    """What costs points, for the grader's notes and the feedback page."""
    return [finding for finding in findings(rebuilt, environment) if finding.state == "wrong"]


def findings(rebuilt: Rebuilt, environment: Environment) -> list[Finding]:
    """All findings, those of each cell first."""
    uses = uses_of(rebuilt)
    found = [*changes(rebuilt.pieces, rebuilt.symbols, rebuilt.answers)]
    found += _errors(rebuilt)
    found += _hazards(rebuilt, uses, environment)
    written, missing = _written(rebuilt)
    found += written
    missing |= {one.exercise for one in found if one.state == "wrong" and one.exercise}
    found += _over_ours(rebuilt, missing)
    found += _below(rebuilt)
    found += _names(rebuilt, uses)
    return list(dict.fromkeys(found))


def _errors(rebuilt: Rebuilt) -> Iterator[Finding]:
    """Cells of exercises that are not Python, or too long to be looked at."""
    unread = [piece for piece in rebuilt.pieces if piece.always_runs and piece.mine and piece.code.tree is None]
    pieces = [(piece, name) for piece in unread if (name := _symbol_of(piece, rebuilt))]
    wrong = [piece for piece, _ in pieces if _error(piece) is not None]
    # IPython may still make Python of them; it has a limited time for all of them together
    made = plain_python([piece.run.source for piece in wrong if piece.run])
    never = {
        id(piece) for piece, source in zip(wrong, made, strict=True) if source is None or code(source).tree is None
    }
    for piece, name in pieces:
        if (error := _error(piece)) is None:
            yield Finding("note", f"{name}: its cell is too long to be looked at", "Shorten the cell if you can.")
        elif id(piece) in never and piece.mine is not None:
            what = "is indented wrongly" if isinstance(error, IndentationError) else "is not Python"
            text = f"line {error.lineno} of cell {piece.mine.number}, which holds `{name}`, {what} ({error.msg})"
            yield Finding("wrong", text, "Run the cell and correct it.", _exercise_of(rebuilt, name))


def _exercise_of(rebuilt: Rebuilt, symbol: str) -> str:
    return next(exercise for exercise, name in rebuilt.symbols.items() if name == symbol)


def _symbol_of(piece: Piece, rebuilt: Rebuilt) -> str:
    """The exercise that a cell without a tree holds: by its text or, where it is too long, by its name; else empty."""
    named = rebuilt.symbols.get(grade_id(piece.cell), "") if _error(piece) is None else ""
    return next(iter(_symbols_in(piece, rebuilt)), named)


def _error(piece: Piece) -> SyntaxError | None:
    """Why a cell has no tree; None where it is too long, also if that is why its notebook is not looked at further."""
    return None if piece.mine and len(piece.mine.source) > LONGEST else piece.code.error


def _symbols_in(piece: Piece, rebuilt: Rebuilt) -> list[str]:
    """The exercises that a cell seems to define, as far as its text tells."""
    source = piece.run.source if piece.run else ""
    return [
        s
        for s in rebuilt.symbols.values()
        if re.search(rf"^[ \t]*(?:def|class)[ \t]+{re.escape(s)}\b", source, re.MULTILINE)
    ]


def _hazards(rebuilt: Rebuilt, uses: dict[str, Uses], environment: Environment) -> Iterator[Finding]:
    """What stops in the grader; it costs points if an exercise uses it, or what follows it in its cell."""
    modules = {name for piece in rebuilt.pieces for name in _MODULE.findall(piece.code.source)}
    for place, piece in enumerate(rebuilt.pieces):
        if not piece.always_runs or piece.mine is None or (piece.run and piece.run.kind == "setup"):
            continue
        reach = {exercise: _Reach.of(used.statements.get(place, ())) for exercise, used in uses.items()}
        for hazard in hazards(piece.code, environment):
            if hazard.what.startswith("imports ") and hazard.what[8:] in modules:
                continue
            users = [exercise for exercise in uses if reach[exercise].meets(hazard)]
            if users:
                needed = f"which `{rebuilt.symbols[users[0]]}` needs, "
                text = f"line {hazard.line} of cell {piece.mine.number}, {needed}{hazard.what}"
                yield Finding("wrong" if hazard.surely else "note", text, hazard.advice, users[0], look=hazard.surely)


@dataclass(frozen=True)
class _Reach:
    """What an exercise uses of a cell: the lines, and the line at which the last statement begins."""

    lines: frozenset[int]
    last: int

    @classmethod
    def of(cls, statements: Sequence[Statement]) -> _Reach:
        lines, last = set[int](), 0
        for statement in statements:
            node = statement.node
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            lines.update(range(first, (node.end_lineno or node.lineno) + 1))
            last = max(last, first)
        return cls(frozenset(lines), last)

    def meets(self, hazard: Hazard) -> bool:
        """Whether the hazard is in a line that is used, or keeps the cell from coming to one."""
        return hazard.line in self.lines or (hazard.at_once and hazard.surely and hazard.line < self.last)


def _written(rebuilt: Rebuilt) -> tuple[list[Finding], set[str]]:
    """Findings about exercises that are not written or whose stub was left in, and which exercises those are."""
    pieces, unwritten, said = asked_pieces(rebuilt), set[str](), list[Finding]()
    for exercise, symbol in rebuilt.symbols.items():
        piece = pieces.get(exercise)
        if piece is None:
            if _is_odd(rebuilt):  # it may be defined by what cannot be seen
                continue
            unwritten.add(exercise)
            if not any(symbol in _symbols_in(each, rebuilt) for each in rebuilt.pieces):
                text = f"nothing defines `{symbol}` where it is asked"
                said.append(Finding("wrong", text, f"Name your function or class `{symbol}`.", exercise))
            continue
        found = left_over(piece.code.tree, symbol) if piece.code.tree else []
        if sentence := left_over_sentence(piece.code.tree, symbol):
            surely = any(one.surely and not one.alone for one in found)
            number = piece.mine.number if piece.mine else 0
            state = "wrong" if surely else "note"
            asked = exercise if surely else ""
            said.append(Finding(state, f"cell {number}: {sentence}", exercise=asked, look=surely))
        elif found:
            part = "" if all(one.alone and one.symbol == symbol for one in found) else "a part of "
            said.append(Finding("note", f"{part}`{symbol}` is not written yet"))
        if any(one.surely for one in found):
            unwritten.add(exercise)
    return said, unwritten


def _over_ours(rebuilt: Rebuilt, missing: set[str]) -> Iterator[Finding]:
    """What builds on what is not there."""
    for exercise, used in uses_of(rebuilt).items():
        lacking = [name for name in missing if name != exercise and rebuilt.symbols[name] in used.names]
        if lacking and exercise not in missing:
            symbols = [rebuilt.symbols[name] for name in rebuilt.symbols if name in lacking]
            yield Finding("note", f"`{rebuilt.symbols[exercise]}`: {over_sentence(symbols, graded=False)}")


def _below(rebuilt: Rebuilt) -> Iterator[Finding]:
    """What is defined only below a check that needs it; the grader waits for it, so it costs nothing."""
    for exercise, names in rebuilt.waits.items():
        symbol = rebuilt.symbols[exercise]
        for name, piece in names:
            number = piece.mine.number if piece.mine else 0
            which = "" if name == symbol else f", which `{symbol}` needs"
            text = f"cell {number}, below the check of `{symbol}`, defines `{name}`{which}"
            advice = (
                "The grader waits for it, so you lose no points. Restart & Run All would fail at the check: move it up."
            )
            yield Finding("note", text, advice)


def _names(rebuilt: Rebuilt, uses: dict[str, Uses]) -> Iterator[Finding]:
    """Names that only a demo defines, that nothing defines, or that are defined only below the check."""
    if _is_odd(rebuilt):
        return
    always = {name for piece in rebuilt.pieces if piece.always_runs for name in piece.code.binds}
    demos = {n: p for p in rebuilt.pieces if p.run and p.run.kind == "demo" for n in p.code.binds}
    for exercise, used in uses.items():
        symbol = rebuilt.symbols[exercise]
        surely = _surely_used(used, symbol)
        for name in used.names[1:]:
            if name in always or name in _OF_IPYTHON or hasattr(builtins, name) or name in rebuilt.symbols.values():
                continue
            if name not in demos and name not in surely:
                continue
            if name in demos:
                number = demos[name].mine.number if demos[name].mine else 0  # type: ignore[union-attr]
                where = f"the demonstration in cell {number}" if number else "a demonstration of the lesson"
                text = f"`{symbol}` uses `{name}`, which only {where} defines"
                yield Finding("note", text, "The grader runs it, too, but better pass it or define it yourself.")
            else:
                text = f"`{symbol}` uses `{name}`, which no cell defines"
                yield Finding("wrong", text, "Define it, and try Kernel → Restart & Run All.", exercise, look=True)


def _surely_used(used: Uses, symbol: str) -> set[str]:
    """The names that are met whenever the exercise is asked, and not only under a condition."""
    statements = [one for some in used.statements.values() for one in some]
    found = reachable(
        symbol, by_name(statements), lambda one: {n.id for n in reached(one.node) if isinstance(n, ast.Name)}
    )
    return set(found)


def _is_odd(rebuilt: Rebuilt) -> bool:
    """Whether names may come from where no tree shows them, or a cell cannot be read."""
    pieces = (
        piece for piece in rebuilt.pieces if piece.mine and piece.run and not is_grade(piece) and piece.run.source
    )
    own = [piece for piece in pieces if piece.run and piece.run.kind in ("own", "exercise")]
    return any(piece.code.tree is None or _DYNAMIC.search(piece.code.source) for piece in own)
