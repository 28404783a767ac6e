"""A cell's code, looked at and never run: what it defines and needs, and what of it is not the student's to run."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from course_lib.checking.left_over import left_over
from course_lib.own_parts.source_names import bound_names, free_names

LONGEST = 50_000  #: characters of a cell that is looked at; the tree of a longer one may take a gigabyte
#: a check, or what may be asked after one
ASKS = frozenset({"check", "hint", "solution"})

_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w., ]*=\s*)[%!].*$")
_PROMPT = re.compile(r"^(?:>>> ?|\.\.\. ?|In \[\d+\]: )", re.MULTILINE)  #: which IPython leaves out
_CALL = re.compile(r"^(?:check|hint|solution)\(\s*([\"'])(\w+)\1.*\)\s*;?\s*$")


@dataclass(frozen=True)
class Code:
    """A cell's code.

    Attributes:
        source: as the student wrote it.
    """

    source: str

    @cached_property
    def plain(self) -> str:
        """The source with `pass` where IPython's magic commands are, so that lines keep their numbers."""
        if self.source.startswith("%%"):
            first, _, rest = self.source.partition("\n")
            kept = rest if first.split()[0] in ("%%time", "%%timeit", "%%capture", "%%prun") else ""
            return "pass\n" + _without_magic(kept)
        if _parse(self.source):
            return self.source
        source = _PROMPT.sub("", self.source) if _PROMPT.match(self.source) else self.source
        first = source.lstrip("\n")
        return _without_magic(textwrap.dedent(source) if first[:1].isspace() else source)

    @cached_property
    def tree(self) -> ast.Module | None:
        """Python's tree; None where the source is too long or is not Python."""
        return _parse(self.plain)

    @cached_property
    def error(self) -> SyntaxError | None:
        """Why there is no tree, if Python says why."""
        if self.tree is None and len(self.plain) <= LONGEST:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ast.parse(self.plain)
            except SyntaxError as error:
                return error
            except (ValueError, RecursionError, MemoryError):
                return None
        return None

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Its statements at the top level, in order; of a cell that is not Python, none."""
        return tuple(Statement(node, self.plain) for node in self.tree.body) if self.tree else ()

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that it gives a meaning, or whose objects it changes."""
        return frozenset().union(*(statement.binds for statement in self.statements))

    def defines(self, symbol: str) -> bool:
        """Whether it gives the name a meaning, and does not only change what has it already."""
        return any(symbol in statement.gives for statement in self.statements)

    def extends(self, symbol: str) -> bool:
        """Whether it makes the name from what the name means before, as ``f = faster(f)`` does."""
        first = next((s for s in self.statements if symbol in s.binds), None)
        return first is not None and (symbol in first.needs or symbol not in first.gives)

    def is_stub(self, symbol: str, released: str) -> bool:
        """Whether its definition does nothing: it is the released one, or a function that only raises."""
        if not self.defines(symbol):
            return False
        if same_code(self.source, released):
            return True
        of_function = any(isinstance(s.node, ast.FunctionDef) for s in self.statements if symbol in s.gives)
        return of_function and self.tree is not None and any(one.surely for one in left_over(self.tree, symbol))


@dataclass(frozen=True)
class Statement:
    """A statement at the top level of a cell."""

    node: ast.stmt
    cell: str

    @cached_property
    def source(self) -> str:
        """Its lines."""
        lines = self.cell.split("\n")
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        first = min([self.node.lineno, *(decorator.lineno for decorator in decorators)])
        return "\n".join(lines[first - 1 : self.node.end_lineno])

    @cached_property
    def gives(self) -> frozenset[str]:
        """The names that it defines, assigns or imports."""
        return frozenset(_given(self.node))

    @cached_property
    def binds(self) -> frozenset[str]:
        """The same, and the names whose objects it changes, as ``Layer.forward = forward`` does."""
        try:
            return self.gives | bound_names(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return self.gives

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names that it takes from before, at once or when what it defines is called."""
        try:
            needed = set(free_names(self.source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
        return frozenset(needed | _of_itself(self.node))


@lru_cache(maxsize=512)
def code(source: str) -> Code:
    """A cell's code; the same source is looked at once."""
    return Code(source)


def same_code(one: str, other: str) -> bool:
    """Whether two sources are the same but for comments, blank lines and spaces."""
    if one.split() == other.split():
        return True
    first, second = code(one).tree, code(other).tree
    return first is not None and second is not None and ast.dump(first) == ast.dump(second)


def asked_in(held: Code) -> dict[str, str]:
    """The exercises that a cell calls `check` for, each with the source of what is checked."""
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
    """The source without calls of `check` and the like that are lines of their own; other lines keep their numbers.

    Empty where nothing else is left.
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
    """The call, if the statement is nothing but a call of one of the functions with the id of an exercise."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions and call.args:
        first = call.args[0]
        return call if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def _parse(source: str) -> ast.Module | None:
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a student's own strings
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _without_magic(source: str) -> str:
    lines = source.split("\n")
    for number, line in enumerate(lines):
        continues = number > 0 and lines[number - 1].endswith("\\")
        if not continues and (found := _MAGIC.match(line)):
            lines[number] = f"{found[1]}pass"
        elif found := _ASSIGNED_MAGIC.match(line):
            lines[number] = f"{found[1]}None"
    return "\n".join(lines)


def _of_itself(node: ast.stmt) -> set[str]:
    """The name that a statement gives, where it needs what the name meant before: ``class Layer(Layer)``."""
    at_once: list[ast.AST] = []
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        at_once = [*node.decorator_list, *(node.bases if isinstance(node, ast.ClassDef) else ())]
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        at_once = [node.value]
    elif isinstance(node, ast.AugAssign):
        at_once = [node.target]
    used = {each.id for part in at_once for each in ast.walk(part) if isinstance(each, ast.Name)}
    return used & set(_given(node))


def _given(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=imported) | ast.ImportFrom(names=imported):
            yield from (each.asname or each.name.partition(".")[0] for each in imported)
        case _:
            for inner in _in_same_scope(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    yield inner.id
                elif isinstance(inner, ast.stmt) and inner is not node:
                    yield from _given(inner)


def _in_same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """What is inside a statement, without the insides of functions, classes and comprehensions."""
    for inner in ast.iter_child_nodes(node):
        yield inner
        scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        if not isinstance(inner, scopes | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield from _in_same_scope(inner)
