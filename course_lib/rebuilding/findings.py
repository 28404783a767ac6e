"""Find everything in a notebook that is unusual or will cost points, for doctor, the feedback page and the notes.

The notebook is never run. A finding marked as wrong costs points, or stops Restart & Run All.
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

#: code that may define names that the syntax tree doesn't show
_DYNAMIC = re.compile(
    r"\bexec\(|\beval\(|\b(?:globals|locals|vars)\(\)|\bsetattr\(|__dict__|builtins|get_ipython\(|import \*"
    r"|^[ \t]*%(?:run|load|loadpy|pylab|store|recall|rerun|macro|%)",
    re.MULTILINE,
)
_MODULE = re.compile(r"\b(\w+)\.py\b")
_OF_IPYTHON = frozenset({"display", "get_ipython", "In", "Out", "exit", "quit", "_", "__", "___", "_i", "__file__"})


def costly(rebuilt: Rebuilt, environment: Environment) -> list[Finding]:
    """Return the findings that cost points, for the grader's notes and the feedback page."""
    return [finding for finding in findings(rebuilt, environment) if finding.state == "wrong"]


def findings(rebuilt: Rebuilt, environment: Environment) -> list[Finding]:
    """Return all findings, beginning with those about single cells."""
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
    """Report cells of exercises that aren't Python, or are too long to be parsed."""
    unread = [piece for piece in rebuilt.pieces if piece.always_runs and piece.mine and piece.code.tree is None]
    pieces = [(piece, name) for piece in unread if (name := _symbol_of(piece, rebuilt))]
    wrong = [piece for piece, _ in pieces if _error(piece) is not None]
    # IPython may still turn them into Python; one time limit covers all of them
    made = plain_python([piece.run.source for piece in wrong if piece.run])
    never = {
        id(piece) for piece, source in zip(wrong, made, strict=True) if source is None or code(source).tree is None
    }
    for piece, name in pieces:
        if (error := _error(piece)) is None:
            yield Finding("note", f"the cell of `{name}` is too long to be examined", "Shorten the cell if you can.")
        elif id(piece) in never and piece.mine is not None:
            what = "is indented wrongly" if isinstance(error, IndentationError) else "is not Python"
            text = f"line {error.lineno} of cell {piece.mine.number}, which holds `{name}`, {what} ({error.msg})"
            yield Finding("wrong", text, "Run the cell and correct it.", _exercise_of(rebuilt, name))


def _exercise_of(rebuilt: Rebuilt, symbol: str) -> str:
    return next(exercise for exercise, name in rebuilt.symbols.items() if name == symbol)


def _symbol_of(piece: Piece, rebuilt: Rebuilt) -> str:
    """Return the exercise in a cell without a tree: by its text or, if it is too long, by its name; otherwise empty."""
    named = rebuilt.symbols.get(grade_id(piece.cell), "") if _error(piece) is None else ""
    return next(iter(_symbols_in(piece, rebuilt)), named)


def _error(piece: Piece) -> SyntaxError | None:
    """Return the syntax error of a cell without a tree; None if the cell or its notebook is too long to be parsed."""
    return None if piece.mine and len(piece.mine.source) > LONGEST else piece.code.error


def _symbols_in(piece: Piece, rebuilt: Rebuilt) -> list[str]:
    """Return the exercises that a cell seems to define, judging by its text."""
    source = piece.run.source if piece.run else ""
    return [
        s
        for s in rebuilt.symbols.values()
        if re.search(rf"^[ \t]*(?:def|class)[ \t]+{re.escape(s)}\b", source, re.MULTILINE)
    ]


def _hazards(rebuilt: Rebuilt, uses: dict[str, Uses], environment: Environment) -> Iterator[Finding]:
    """Report statements that fail in the grader and that an exercise depends on, directly or by what follows them."""
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
    """The lines of a cell that an exercise uses, and the line at which the last of these statements begins."""

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
        """Whether the hazard is in a line that is used, or stops the cell before it reaches one."""
        return hazard.line in self.lines or (hazard.at_once and hazard.surely and hazard.line < self.last)


def _written(rebuilt: Rebuilt) -> tuple[list[Finding], set[str]]:
    """Return findings about exercises with stubs or without code, and the ids of those that aren't written."""
    pieces, unwritten, said = asked_pieces(rebuilt), set[str](), list[Finding]()
    for exercise, symbol in rebuilt.symbols.items():
        piece = pieces.get(exercise)
        if piece is None:
            if _is_odd(rebuilt):  # a definition may be invisible in the tree
                continue
            unwritten.add(exercise)
            if not any(symbol in _symbols_in(each, rebuilt) for each in rebuilt.pieces):
                text = f"no cell defines `{symbol}` before it is checked"
                said.append(Finding("wrong", text, f"Give yours the name `{symbol}`.", exercise))
            continue
        found = left_over(piece.code.tree, symbol) if piece.code.tree else []
        is_stub = piece.code.is_stub(symbol, piece.stub)
        if sentence := left_over_sentence(piece.code.tree, symbol):
            surely = any(one.surely and not one.alone for one in found)
            number = piece.mine.number if piece.mine else 0
            state = "wrong" if surely else "note"
            asked = exercise if surely else ""
            said.append(Finding(state, f"cell {number}: {sentence}", exercise=asked, look=surely))
        elif found or is_stub:
            part = "" if all(one.alone and one.symbol == symbol for one in found) else "a part of "
            said.append(Finding("note", f"{part}`{symbol}` is not written yet"))
        if is_stub or any(one.surely for one in found):
            unwritten.add(exercise)
    return said, unwritten


def _over_ours(rebuilt: Rebuilt, missing: set[str]) -> Iterator[Finding]:
    """Report exercises that build on an exercise that isn't written."""
    for exercise, used in uses_of(rebuilt).items():
        lacking = [name for name in missing if name != exercise and rebuilt.symbols[name] in used.names]
        if lacking and exercise not in missing:
            symbols = [rebuilt.symbols[name] for name in rebuilt.symbols if name in lacking]
            yield Finding("note", f"`{rebuilt.symbols[exercise]}`: {over_sentence(symbols, graded=False)}")


def _below(rebuilt: Rebuilt) -> Iterator[Finding]:
    """Report names defined only below the check that needs them. The grader waits for them, so this costs nothing."""
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
    """Report names that an exercise uses and that only a demo defines, or no cell at all."""
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
                yield Finding("note", text, "The grader runs it, too, but it's safer to pass it or define it yourself.")
            else:
                text = f"`{symbol}` uses `{name}`, which no cell defines"
                yield Finding("wrong", text, "Define it, and try Kernel → Restart & Run All.", exercise, look=True)


def _surely_used(used: Uses, symbol: str) -> set[str]:
    """Return the names that every call of the exercise evaluates, not only a conditional branch."""
    statements = [one for some in used.statements.values() for one in some]
    found = reachable(
        symbol, by_name(statements), lambda one: {n.id for n in reached(one.node) if isinstance(n, ast.Name)}
    )
    return set(found)


def _is_odd(rebuilt: Rebuilt) -> bool:
    """Whether a cell can't be parsed, or names may be defined in ways that no tree shows."""
    pieces = (
        piece for piece in rebuilt.pieces if piece.mine and piece.run and not is_grade(piece) and piece.run.source
    )
    own = [piece for piece in pieces if piece.run and piece.run.kind in ("own", "exercise")]
    return any(piece.code.tree is None or _DYNAMIC.search(piece.code.source) for piece in own)
