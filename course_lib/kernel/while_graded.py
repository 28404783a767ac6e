"""Let a notebook's calls of `example` and `hint` work while the grader or `course check` runs it.

At home, these calls work because a check ran before them. The grader leaves out checks, but the calls must still work.
"""

from __future__ import annotations

from typing import Any, NoReturn


def implementation_here(symbol: str) -> Any:
    """Return what the notebook has defined under a name so far, or a function that raises NotImplementedError."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return shell.user_ns.get(symbol, _unwritten) if shell else _unwritten


def _unwritten(*_: Any, **__: Any) -> NoReturn:
    raise NotImplementedError


_unwritten.__module__ = "__main__"  # it replaces a student's function
