"""Three lessons on a host like Colab: its IPython and Jupyter, its PyTorch, no JupyterLab, each notebook alone.

The versions are those that Colab had in 2025. Colab itself isn't tried.
"""

from __future__ import annotations

import json
import subprocess
import venv
from dataclasses import dataclass, replace
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade, is_grade
from packaging.utils import canonicalize_name
from test_declared_dependencies import brought_by_the_core

from autograder.building.lesson import read_lesson
from autograder.building.notebook import Notebook, solution_notebook
from autograder.building.package import release_package
from course_lib.course import Course

pytestmark = pytest.mark.slow

LESSONS = ("00_the_task", "03_self_attention", "08_transformer")
PINS = ("ipython==7.34.0", "ipykernel==6.17.1", "tornado==6.4.2", "jupyter-client==6.1.12", "notebook==6.5.7")
#: needed by the course, and not on the host
MISSING = "sacrebleu"
LISTS = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"


@dataclass(frozen=True)
class Host:
    """An environment with a kernel, and the notebooks that were run on it.

    Attributes:
        before: the versions of its packages before any notebook was opened.
        after: the same, afterwards.
        ran: the notebooks with their outputs, by lesson.
    """

    before: dict[str, str]
    after: dict[str, str]
    ran: dict[str, Notebook]


def host_python(home: Path) -> Path:
    """Make an environment with the host's Jupyter, and return its Python."""
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    pip = [python, "-m", "pip"]
    done = subprocess.run([*pip, "install", "-q", "--no-compile", *PINS], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the host's packages can't be installed here: {done.stderr[-300:]}")
    # PyTorch needs a later one than venv may have put there
    subprocess.run([*pip, "uninstall", "-q", "-y", "setuptools"], capture_output=True, check=True)
    return python


def installed(python: Path) -> dict[str, str]:
    listed = json.loads(subprocess.run([python, "-I", "-c", LISTS], capture_output=True, check=True).stdout)
    return {canonicalize_name(name): version for name, version in listed.items()}


def share(names: set[str], folder: Path) -> None:
    """Link packages of this environment into a folder, so that PyTorch need not be downloaded once more."""
    folder.mkdir()
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            link = folder / top
            if not link.exists():
                link.symlink_to(package.locate_file(top))  # type: ignore[arg-type]


def run_alone(notebook: Notebook, folder: Path) -> Notebook:
    """Run a notebook in a folder with nothing else in it, in the kernel called ``host``."""
    folder.mkdir()
    NotebookClient(
        notebook, timeout=300, kernel_name="host", allow_errors=True, resources={"metadata": {"path": str(folder)}}
    ).execute()
    return notebook


@pytest.fixture(scope="module")
def host(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Host:
    home = tmp_path_factory.mktemp("host")
    python = host_python(home / "venv")
    share(brought_by_the_core() - set(installed(python)) - {MISSING}, home / "preinstalled")
    (packages,) = (home / "venv/lib").glob("python*/site-packages")
    (packages / "preinstalled.pth").write_text(f"{home / 'preinstalled'}\n", encoding="utf-8")
    spec = {"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Host"}
    (home / "jupyter/kernels/host").mkdir(parents=True)
    (home / "jupyter/kernels/host/kernel.json").write_text(json.dumps(spec | {"language": "python"}), encoding="utf-8")
    hosted = replace(course, package=release_package(course, LESSONS[-1], home / "attention-course.zip").as_uri())
    before, ran = installed(python), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(home / "jupyter"))
        patch.delenv("PYTHONPATH", raising=False)
        for lesson in LESSONS:
            notebook = solution_notebook(hosted, lesson, read_lesson(course.lesson_text(lesson)))
            ran[lesson] = run_alone(notebook, home / lesson)
    return Host(before, installed(python), ran)


def outputs(notebook: Notebook) -> list[list[Any]]:
    """The outputs of each code cell."""
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def kinds(cells: list[list[Any]]) -> list[list[list[str]]]:
    """The media types of all that cells display, without printed text."""
    return [[sorted(output.data) for output in cell if "data" in output] for cell in cells]


def test_the_hosts_packages_stay_as_they_are(host: Host) -> None:
    assert {"torch", "ipython", "ipykernel", "tornado", "jupyter-client", "notebook"} <= set(host.before)
    assert host.before["ipython"] == "7.34.0"
    assert {name: host.after.get(name) for name in host.before} == host.before
    added = set(host.after) - set(host.before)
    assert {"attention-course", MISSING} <= added <= {"attention-course", *brought_by_the_core()}


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_earns_its_points_and_nothing_complains(host: Host, lesson: str) -> None:
    notebook = host.ran[lesson]
    assert not [o for cell in outputs(notebook) for o in cell if o.output_type == "error" or o.get("name") == "stderr"]
    grades = [determine_grade(cell) for cell in notebook.cells if is_grade(cell) and cell.cell_type == "code"]
    assert len(grades) > 4 and all(score == most for score, most in grades)


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_card_and_figure_appears_as_in_the_committed_solution(course: Course, host: Host, lesson: str) -> None:
    committed = nbformat.read(course.solution_notebook(lesson), as_version=nbformat.NO_CONVERT)
    first, *found = kinds(outputs(host.ran[lesson]))
    assert found == kinds(outputs(committed))[1:]
    assert first == [["text/html", "text/plain"]], "the diagrams"


def test_only_the_first_notebook_installs_the_course_and_says_so(host: Host) -> None:
    said = ["".join(output.get("text", "") for output in outputs(host.ran[lesson])[0]) for lesson in LESSONS]
    assert said == ["Installing the course, which takes about a minute.\n", "", ""]


@pytest.mark.parametrize("lesson", LESSONS)
def test_its_diagrams_appear_below_the_first_cell(course: Course, host: Host, lesson: str) -> None:
    page = "".join(output.data["text/html"] for output in outputs(host.ran[lesson])[0] if "data" in output)
    text = course.lesson_text(lesson).read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == text.count("](diagrams/") > 0
