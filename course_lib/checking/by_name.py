"""Call an implementation with named arguments, even if its parameters have other names.

A check names arguments as the exercise does. A student may have renamed the parameter of a layer that is called by
position, as in ``layer(x)``, and that code is still right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any


def call_by_name(function: Callable[..., Any], arguments: Mapping[str, Any], like: Any = None) -> Any:
    """Call a function. An argument with an unknown name goes to the next parameter that no argument names.

    Args:
        arguments: by name, in the order of the exercise's parameters.
        like: has the parameters if the function itself doesn't, as ``forward`` does for `nn.Module.__call__`.
    """
    parameters = _parameters(function if like is None else like)
    named = _renamed(parameters, arguments)
    first = [named.pop(p.name) for p in parameters if p.kind is Parameter.POSITIONAL_ONLY and p.name in named]
    return function(*first, **named)


def _parameters(function: Any) -> list[Parameter]:
    """Return a function's parameters, or none if it has no readable signature."""
    try:
        return list(signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _renamed(parameters: list[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under the function's own names."""
    free = [p for p in parameters if p.name not in arguments and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    known, named = {p.name for p in parameters}, dict[str, Any]()
    for name, value in arguments.items():
        taker = None if name in known else next((p for p in free if _fits(p, value)), None)
        if taker is not None:
            del free[: free.index(taker) + 1]
        named[taker.name if taker is not None else name] = value
    return named


def _fits(parameter: Parameter, value: Any) -> bool:
    """Return whether a parameter may take an argument: switches take True and False, and other parameters don't."""
    if parameter.default is Parameter.empty:
        return True
    return isinstance(parameter.default, bool) == isinstance(value, bool)
