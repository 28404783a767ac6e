"""The project's own kernel, and JupyterLab on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NAME, TITLE = "attention-course", "Attention course"


def install_kernel() -> Path:
    """Register this environment's Python as the notebooks' kernel, inside this environment.

    A notebook whose kernel is called ``python3`` may run in another environment that has a
    kernel of that name; the course's notebooks name a kernel that only the course installs.
    """
    folder = Path(sys.prefix) / "share" / "jupyter" / "kernels" / NAME
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": TITLE,
        "language": "python",
        "metadata": {"debugger": True},
    }
    text = json.dumps(spec, indent=1) + "\n"
    path = folder / "kernel.json"
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def lab_command(folder: Path, arguments: Sequence[str] = ()) -> list[str]:
    """The command that opens JupyterLab on a folder."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # inside a container one is often root
    return [*command, *arguments]


def open_lab(folder: Path, arguments: Sequence[str] = ()) -> int:
    """Install the kernel, run JupyterLab until it is closed, and return its exit code."""
    install_kernel()
    # this environment's programs and kernels come first, whichever else are installed
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    try:
        return subprocess.run(lab_command(folder, arguments), env={**os.environ, "PATH": path}, check=False).returncode
    except KeyboardInterrupt:
        return 0
