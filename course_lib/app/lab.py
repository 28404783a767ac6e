"""JupyterLab on this environment's own kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

#: what a notebook asks for: the name that every JupyterLab, VS Code and hosted notebook has, so that it opens in any
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def kernel_file() -> Path:
    """Where this environment's kernel is described; ipykernel puts it there."""
    return Path(sys.prefix) / "share" / "jupyter" / "kernels" / KERNEL["name"] / "kernel.json"


def lab_command(folder: Path, arguments: Sequence[str] = ()) -> list[str]:
    """The command that opens JupyterLab on a folder."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # inside a container one is often root
    return [*command, *arguments]


def lab_environment() -> dict[str, str]:
    """The environment in which this Python's programs and kernels come first, whichever else a user has installed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "JUPYTER_PREFER_ENV_PATH": "1"}


def open_lab(folder: Path, arguments: Sequence[str] = ()) -> int:
    """Run JupyterLab until it is closed, and return its exit code."""
    try:
        return subprocess.run(lab_command(folder, arguments), env=lab_environment(), check=False).returncode
    except KeyboardInterrupt:
        return 0
