"""Links that open a notebook on a host, and what Binder, Codespaces and VS Code need to install the course.

There are none unless `course.toml` says where the course can be installed from and where its notebooks are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from course_lib.course import START, Course

BRANCH = "main"
#: a line of the README: the links are between its two marks
_MARKED = re.compile(r"(<!--hosts-->).*(<!--/hosts-->)")
#: where pip finds PyTorch's builds for the CPU, which spare a host several gigabytes
_CPU = "https://download.pytorch.org/whl/cpu"


def links(course: Course, notebook: Path) -> str:
    """Return links that open a notebook of the course on each host, or an empty string if it isn't hosted."""
    if not (course.package and course.repository):
        return ""
    place = notebook.relative_to(course.root).as_posix()
    repository = course.repository.removeprefix("https://github.com/")
    hosts = {
        "Colab": f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{place}",
        "Binder": f"https://mybinder.org/v2/gh/{repository}/{BRANCH}?urlpath=lab/tree/{place}",
        "Codespaces": f"https://codespaces.new/{repository}",
    }
    return "Open in " + " · ".join(f"[{host}]({url})" for host, url in hosts.items())


def hosting_files(course: Course) -> dict[Path, str]:
    """Return the content of every file that depends on where the course is hosted."""
    opened, files = links(course, course.start_notebook), {}
    readme = course.root / "README.md"
    if readme.is_file():
        files[readme] = _MARKED.sub(rf"\1{opened}\2", readme.read_text(encoding="utf-8"))
    if opened:
        needed = f"attention-course[lab] @ {course.package}"
        container = {
            "image": "mcr.microsoft.com/devcontainers/python:3.11",
            "postCreateCommand": ["pip", "install", "--extra-index-url", _CPU, needed],
            "customizations": {
                "vscode": {"extensions": ["ms-toolsai.jupyter"]},
                "codespaces": {"openFiles": [f"notebooks/{START}.ipynb"]},
            },
        }
        files[course.root / ".binder/requirements.txt"] = f"--extra-index-url {_CPU}\n{needed}\n"
        files[course.root / ".binder/runtime.txt"] = "python-3.11\n"
        files[course.root / ".devcontainer/devcontainer.json"] = json.dumps(container, indent=2) + "\n"
    return files
