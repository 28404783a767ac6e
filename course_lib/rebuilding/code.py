"""Analyse a cell's code without running it: the names it defines and needs, and its calls of `check`."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from functools import cached_property, lru_cache

from course_lib.checking.left_over import left_over
from course_lib.rebuilding.statement import Statement, source_of
from course_lib.syntax import MOST_NAMES, MOST_STATEMENTS, syntax_tree

LONGEST = 50_000  #: the most characters in a cell that is parsed; the tree of a longer one may take a gigabyte
DEEPEST = 100  #: the most levels in a cell's tree; Python's stack overflows after about a thousand
#: the functions that check an exercise or help with it
ASKS = frozenset({"check", "hint", "solution"})

_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
_ASSIGNED_MAGIC = re.compile(r"^([\w., \t]*=[ \t]*)[%!].*$")
_PROMPT = re.compile(r"^(?:>>> ?|\.\.\. ?|In \[\d+\]: )", re.MULTILINE)  #: a prompt that IPython ignores
_CALL = re.compile(r"^(?:check|hint|solution)\(\s*([\"'])(\w+)\1.*\)[ \t]*(?:;[ \t]*)?$")


@dataclass(frozen=True)
class Code:
    """A cell's code.

    Attributes:
        source: the text as the student wrote it.
    """

    source: str

    @cached_property
    def plain(self) -> str:
        """The source with IPython's magic commands replaced by `pass`, so that line numbers stay the same."""
        if self.source.startswith("%%"):
            first, _, rest = self.source.partition("\n")
            kept = rest if first.split()[0] in ("%%time", "%%timeit", "%%capture", "%%prun") else ""
            return "pass\n" + _without_magic(kept)
        if self._as_written:
            return self.source
        source = _PROMPT.sub("", self.source) if _PROMPT.match(self.source) else self.source
        first = source.lstrip("\n")
        return _without_magic(textwrap.dedent(source) if first[:1].isspace() else source)

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree; None if the source isn't Python, or is longer or more deeply nested than real code."""
        return self._read[0]

    @cached_property
    def error(self) -> SyntaxError | None:
        """The syntax error that explains why the tree is missing, if Python reports one."""
        if self.tree is None and len(self.plain) <= LONGEST:
            try:
                syntax_tree(self.plain)
            except SyntaxError as error:
                return error
            except (ValueError, RecursionError, MemoryError):
                return None
        return None

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The top-level statements, in order; empty if the cell isn't Python."""
        return self._read[1]

    @cached_property
    def names(self) -> int:
        """The total number of names that the statements bind and need."""
        return sum(statement.names for statement in self.statements)

    @cached_property
    def _as_written(self) -> ast.Module | None:
        """The tree of the source as it is; None if that isn't Python."""
        return _parse(self.source)

    @cached_property
    def _read(self) -> tuple[ast.Module | None, tuple[Statement, ...]]:
        """The tree and its statements, parsed once. A cell with too many statements or names counts as unreadable."""
        tree = self._as_written if self.plain is self.source else _parse(self.plain)
        if tree is None or len(tree.body) > MOST_STATEMENTS or _is_deep(tree):
            return None, ()
        lines = self.plain.encode().split(b"\n")
        statements, names = tuple(Statement(node, source_of(node, lines)) for node in tree.body), 0
        for statement in statements:
            names += statement.names
            if names > MOST_NAMES:
                return None, ()
        return tree, statements

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that the cell defines, or whose objects it changes."""
        return frozenset().union(*(statement.binds for statement in self.statements))

    @cached_property
    def gives(self) -> frozenset[str]:
        """The names that the cell defines, assigns or imports."""
        return frozenset().union(*(statement.gives for statement in self.statements))

    @cached_property
    def dump(self) -> str:
        """The tree as text, without comments, blank lines and spaces; empty if it cannot be read."""
        return ast.dump(self.tree) if self.tree else ""

    def defines(self, symbol: str) -> bool:
        """Whether the cell defines the name, instead of only changing an existing object."""
        return symbol in self.gives

    def extends(self, symbol: str) -> bool:
        """Whether the cell redefines the name from its earlier value, as ``f = faster(f)`` does."""
        first = next((s for s in self.statements if symbol in s.binds), None)
        return first is not None and (symbol in first.needs or symbol not in first.gives)

    def is_stub(self, symbol: str, released: str) -> bool:
        """Whether the definition is still a stub: the released one, a function that only raises, or None."""
        if not self.defines(symbol):
            return False
        if (symbol, released) not in self._stubs:
            self._stubs[symbol, released] = self._is_stub(symbol, released)
        return self._stubs[symbol, released]

    @cached_property
    def _stubs(self) -> dict[tuple[str, str], bool]:
        """The results of `is_stub`, which is called dozens of times for each symbol."""
        return {}

    def _is_stub(self, symbol: str, released: str) -> bool:
        if self.dump == code(released).dump:  # both trees exist, because the cell defines the name
            return True
        *_, last = (s.node for s in self.statements if symbol in s.gives)
        if isinstance(last, ast.Assign) and isinstance(last.value, ast.Constant) and last.value.value in (None, ...):
            return True
        of_function = any(isinstance(s.node, ast.FunctionDef) for s in self.statements if symbol in s.gives)
        return of_function and self.tree is not None and any(one.surely for one in left_over(self.tree, symbol))


@lru_cache(maxsize=256)
def code(source: str) -> Code:
    """Analyse a released cell's code. The result is cached, so each source is parsed once."""
    return Code(source)


def same_code(one: str, other: str) -> bool:
    """Whether two sources are equal apart from comments, blank lines and spaces."""
    if one.split() == other.split():
        return True
    return bool(code(one).dump) and code(one).dump == code(other).dump


def asked_in(held: Code) -> dict[str, str]:
    """Return the exercises that a cell calls `check` for, each with the source of the object that it checks."""
    found = {}
    for statement in held.statements:
        if call := _asking(statement.node, {"check"}):
            exercise = call.args[0].value  # type: ignore[attr-defined]
            found[exercise] = ast.unparse(call.args[1]) if len(call.args) > 1 else ""
    if held.tree is None:
        lines = (line for line in held.source.split("\n") if line.startswith("check"))
        found |= {match[2]: "" for line in lines if (match := _CALL.match(line))}
    return found


def without_checks(held: Code) -> str:
    """Remove calls of `check`, `hint` and `solution` that are on lines of their own; other lines keep their numbers.

    Return an empty string if nothing else is left.
    """
    lines = held.source.split("\n")
    if held.tree is None:
        lines = ["pass" if _CALL.match(line) else line for line in lines]
    else:
        for number, statement in enumerate(held.tree.body):
            after = held.tree.body[number + 1].lineno if number + 1 < len(held.tree.body) else len(lines) + 1
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            begins = number == 0 or (held.tree.body[number - 1].end_lineno or 0) < first
            if _asking(statement, ASKS) and begins and last < after:
                lines[first - 1 : last] = ["pass", *[""] * (last - first)]
    kept = "\n".join(lines)
    nothing = all(line.strip() in ("", "pass") or line.lstrip().startswith("#") for line in lines)
    return "" if nothing and kept != held.source else kept


def _asking(statement: ast.stmt, functions: frozenset[str] | set[str]) -> ast.Call | None:
    """Return the call if the statement only calls one of the functions with an exercise id; otherwise None."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions and call.args:
        first = call.args[0]
        return call if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def _parse(source: str) -> ast.Module | None:
    if len(source) > LONGEST:
        return None
    try:
        return syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_deep(tree: ast.Module) -> bool:
    """Whether a tree has more levels than can be walked safely."""
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _without_magic(source: str) -> str:
    lines = source.split("\n")
    for number, line in enumerate(lines):
        continues = number > 0 and lines[number - 1].endswith("\\")
        if not continues and (found := _MAGIC.match(line)):
            lines[number] = f"{found[1]}pass"
        elif found := _ASSIGNED_MAGIC.match(line):
            lines[number] = f"{found[1]}None"
    return "\n".join(lines)
