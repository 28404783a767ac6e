"""The shell of the kernel that this code runs in."""

from __future__ import annotations

from typing import Any


def jupyter_shell() -> Any:
    """Return the shell of a Jupyter kernel, Colab's too, which is a subclass; None if cells run without a kernel."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell: Any = get_ipython()  # type: ignore[no-untyped-call, unused-ignore]
    return shell if "ZMQInteractiveShell" in (kind.__name__ for kind in type(shell).__mro__) else None
