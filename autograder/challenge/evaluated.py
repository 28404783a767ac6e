"""Find the code that Python evaluates while a notebook's cells run, as opposed to code that is only defined."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Definition = _Function | ast.ClassDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: decorators that don't call the function. Any other decorator may call it
_CALL_LATER = frozenset({
    "no_grad", "enable_grad", "inference_mode", "staticmethod", "classmethod", "property", "cached_property", "cache",
    "lru_cache", "dataclass", "wraps", "abstractmethod", "contextmanager", "override", "overload", "setter",
    "total_ordering", "singledispatch",
})  # fmt: skip
#: methods of a base class that run when a class is derived from it
_SUBCLASS_HOOKS = frozenset({"__init_subclass__", "__class_getitem__", "__mro_entries__"})


def evaluated(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield each node that is evaluated while the cell runs.

    That includes class bodies, decorators, default arguments and annotations, and the bodies of functions that such
    code mentions or that a decorator may call. If such code mentions a class, all methods of the class are included.
    """
    return iter(_Evaluated(tree))


class _Evaluated:
    def __init__(self, tree: ast.Module) -> None:
        self._definitions: dict[str, list[_Definition]] = {}
        for node in ast.walk(tree):
            for name, definition in _defined(node):
                self._definitions.setdefault(name, []).append(definition)
        self._call_later = _CALL_LATER - self._definitions.keys()
        self._named_lambdas = {
            id(one) for found in self._definitions.values() for one in found if isinstance(one, ast.Lambda)
        }
        self._pending: list[ast.AST] = [tree]
        self._run = set[int]()
        self._names = set[str]()  # mentioned so far
        self._bases = set[str]()  # classes from which another one was derived so far

    def __iter__(self) -> Iterator[ast.AST]:
        while self._pending:
            node = self._pending.pop()
            yield node
            for name in {*_mentioned(node)} - self._names:
                self._names.add(name)
                for definition in self._definitions.get(name, ()):
                    self._start(definition)
            self._pending += self._at_once(node)

    def _start(self, definition: _Definition) -> None:
        """Evaluate a function's body, or everything in a class."""
        if id(definition) in self._run:
            return
        self._run.add(id(definition))
        body = definition.body if isinstance(definition.body, list) else [definition.body]
        self._pending += body
        if isinstance(definition, ast.ClassDef):
            for inner in body:
                if isinstance(inner, _FUNCTIONS):
                    self._start(inner)

    def _at_once(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of a node that are evaluated together with it."""
        if isinstance(node, ast.Lambda) and id(node) not in self._named_lambdas:  # whatever it is passed to may call it
            self._start(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not all(
            _name(decorator) in self._call_later for decorator in node.decorator_list
        ):
            self._start(node)
        if isinstance(node, ast.ClassDef):
            for base in {_name(base) for base in node.bases} - self._bases:
                self._bases.add(base)
                for method in (m for d in self._definitions.get(base, ()) for m in ast.walk(d)):
                    if isinstance(method, ast.FunctionDef) and method.name in _SUBCLASS_HOOKS:
                        self._start(method)
            self._pending += [inner for base in node.bases for inner in _base_expression(base)]
            yield from (*node.decorator_list, *node.keywords, *node.body)
        elif isinstance(node, _FUNCTIONS):
            yield from (child for child in ast.iter_child_nodes(node) if child not in _body(node))
        else:
            yield from ast.iter_child_nodes(node)


def _defined(node: ast.AST) -> Iterator[tuple[str, _Definition]]:
    """Yield the names that a node gives to a function, a class or a lambda."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, node
        case ast.Assign(targets=targets, value=ast.Lambda() as function):
            yield from ((target.id, function) for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda() as function):
            yield name, function
        case ast.NamedExpr(target=ast.Name(id=name), value=ast.Lambda() as function):
            yield name, function


def _mentioned(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            yield name


def _body(function: _Function) -> list[ast.AST]:
    return [*function.body] if isinstance(function.body, list) else [function.body]


def _base_expression(base: ast.expr) -> Iterator[ast.AST]:
    """Yield the expression of a base class, unless it is only a name, which evaluates nothing else."""
    if not isinstance(base, ast.Name | ast.Attribute):
        yield base


def _name(node: ast.expr) -> str:
    """Return the last name of an expression such as ``torch.no_grad()``."""
    if isinstance(node, ast.Call):
        node = node.func
    return getattr(node, "attr", getattr(node, "id", ""))
