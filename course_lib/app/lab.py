"""JupyterLab on this environment's own kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from course_lib.course import CLASS_FOLDER

#: what a notebook asks for: the name that every JupyterLab, VS Code and hosted notebook has, so that it opens in any
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


#: how JupyterLab differs for students: nothing of nbgrader, no news from other machines, and wrapped lines
STUDENT_LAB = Path(__file__).parent / "student_lab"


def lab_command(folder: Path, notebook: str = "", arguments: Sequence[str] = ()) -> list[str]:
    """The command that opens JupyterLab on a folder, and in it a notebook."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    if (folder / notebook).is_file():
        command.append(f"--LabApp.default_url=/lab/tree/{notebook}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # inside a container one is often root
    if os.name == "posix":
        # otherwise, without a terminal of its own, the server opens a login shell, which may forget where `course` is
        shell = json.dumps({"shell_command": [os.environ.get("SHELL") or "sh"]})
        command.append(f"--ServerApp.terminado_settings={shell}")
    return [*command, *arguments]


def lab_environment(nbgrader: bool = False, class_folder: Path | None = None) -> dict[str, str]:
    """The environment in which this Python's programs and kernels come first, whichever else a user has installed.

    Args:
        nbgrader: whether nbgrader's menu and panels are shown, which are an instructor's.
        class_folder: the folder of the class that nbgrader shows. Default: `course.toml`'s.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "JUPYTER_PREFER_ENV_PATH": "1"}
    if class_folder:
        environment[CLASS_FOLDER] = str(class_folder.resolve())
    if not nbgrader:
        configured = [str(STUDENT_LAB), os.environ.get("JUPYTER_CONFIG_PATH", "")]
        environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, configured))
    return environment


def open_lab(
    folder: Path,
    notebook: str = "",
    arguments: Sequence[str] = (),
    nbgrader: bool = False,
    class_folder: Path | None = None,
) -> int:
    """Run JupyterLab on a notebook of a folder until it is closed, and return its exit code.

    Students see its address and errors. Instructors also see what the server does.
    """
    if find_spec("jupyterlab") is None:
        raise ModuleNotFoundError(name="jupyterlab")
    try:
        quiet = () if nbgrader else ("--ServerApp.log_level=ERROR", "--LabApp.log_level=ERROR")
        command = lab_command(folder, notebook, (*quiet, *arguments))
        environment = lab_environment(nbgrader, class_folder)
        # a terminal in JupyterLab opens in the server's folder; nbgrader looks for its configuration there
        return subprocess.run(command, env=environment, cwd=None if nbgrader else folder, check=False).returncode
    except KeyboardInterrupt:
        return 0
