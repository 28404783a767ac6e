"""Simplify subscripts: ``x[...]``, ``x[:]`` and ``x[..., :]`` select everything, and so do full slices at the end."""

from __future__ import annotations

import ast

#: NumPy's name for None in an index
_NEW_AXIS = "newaxis"
#: the most axes of an array; merging longer chains of subscripts would take quadratic time
_MOST_AXES = 16


def plain_subscript(node: ast.Subscript) -> ast.expr:
    """Return an equivalent expression, which is the indexed value itself if the index selects everything.

    Only an index that is read can be removed, because ``x[:] = y`` writes into an array and ``x = y`` doesn't.
    """
    indices = [_plain(index) for index in _indices(node)]
    if all(_is_all(index) for index in indices) and not _is_empty(node.slice):
        if isinstance(node.ctx, ast.Load):
            return node.value
        indices = [ast.copy_location(ast.Constant(...), node.slice)]
    node.slice = _joined(_without_trailing(indices), node.slice)
    return node


def _indices(node: ast.Subscript) -> list[ast.expr]:
    """Return the indices of a subscript. Those of ``x[i][j]`` count as ``x[i, j]`` if `i` selects one element."""
    own = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    inner = node.value
    if isinstance(inner, ast.Subscript) and own:
        before = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
        if 0 < len(before) < _MOST_AXES and all(_is_number(index) for index in before):
            node.value = inner.value
            return [*before, *own]
    return own


def _plain(index: ast.expr) -> ast.expr:
    """Return an index without defaults, as in ``x[0:n:1]`` or ``x[slice(n)]``."""
    match index:
        case ast.Call(func=ast.Name(id="slice"), args=[ast.expr() as upper], keywords=[]):
            index = ast.copy_location(ast.Slice(None, upper, None), index)
        case ast.Call(func=ast.Name(id="slice"), args=[lower, upper, *step], keywords=[]) if len(step) < 2:
            index = ast.copy_location(ast.Slice(lower, upper, step[0] if step else None), index)
        case ast.Name(id="Ellipsis"):
            return ast.copy_location(ast.Constant(...), index)
        case ast.Attribute(attr=name) | ast.Name(id=name) if name == _NEW_AXIS:
            return ast.copy_location(ast.Constant(None), index)
    if isinstance(index, ast.Slice):
        index.lower = None if _is_constant(index.lower, 0) else index.lower
        index.upper = None if _is_constant(index.upper, None) else index.upper
        index.step = None if _is_constant(index.step, 1) else index.step
    return index


def _without_trailing(indices: list[ast.expr]) -> list[ast.expr]:
    """Remove an ellipsis or full slices from the end, unless an ellipsis before them makes them count."""
    kept = list(indices)
    while len(kept) > 1 and _is_all(kept[-1]) and not any(_is_ellipsis(index) for index in kept[:-1]):
        kept.pop()
    return kept


def _joined(indices: list[ast.expr], place: ast.expr) -> ast.expr:
    return indices[0] if len(indices) == 1 else ast.copy_location(ast.Tuple(indices, ast.Load()), place)


def _is_all(index: ast.expr) -> bool:
    return _is_ellipsis(index) or (isinstance(index, ast.Slice) and not (index.lower or index.upper or index.step))


def _is_ellipsis(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value is ...


def _is_number(index: ast.expr) -> bool:
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    return isinstance(index, ast.Constant) and type(index.value) is int


def _is_empty(index: ast.expr) -> bool:
    return isinstance(index, ast.Tuple) and not index.elts


def _is_constant(node: ast.expr | None, value: int | None) -> bool:
    """Return whether a bound of a slice is this default or None."""
    return isinstance(node, ast.Constant) and (node.value is None or (type(node.value) is int and node.value == value))
