"""What a class is handed out: installed outside the checkout, in an environment that knows nothing of it, and used."""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from conftest import run_course

from autograder.building.package import package_files, release_package
from autograder.building.release import withheld_components
from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.course import START, Course, CourseError

LESSON, LATER = "03_self_attention", "04_multi_head_attention"
WRITTEN = DEFINITIONS["softmax"]


@dataclass(frozen=True)
class Student:
    """A student's environment, and a folder to work in."""

    home: Path

    @property
    def python(self) -> Path:
        return Path(self.program("python"))

    def program(self, name: str) -> str:
        """A program of the environment: in its `bin`, or, on Windows, in `Scripts`, with an ending."""
        found = shutil.which(name, path=self.folder("scripts"))
        assert found, f"{name} is not in {self.folder('scripts')}"
        return found

    def folder(self, kind: str) -> str:
        """Where the environment keeps its ``scripts``, or its packages: ``purelib``."""
        base = str(self.home / "venv")
        return sysconfig.get_path(kind, "venv", {"base": base, "platbase": base})

    def install(self, package: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet", "--no-deps"]
        done = subprocess.run(
            [*pip, "--no-index", "--no-build-isolation", "--force-reinstall", str(package)],
            capture_output=True, text=True, check=False, cwd=self.home,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def course(self, *arguments: str, folder: str = "seat", code: int = 0) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COURSE"))}
        (self.home / folder).mkdir(exist_ok=True)
        done = subprocess.run(
            [self.program("course"), *arguments],
            cwd=self.home / folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def released(course: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The packages of two lessons, unpacked."""
    folders = {}
    for lesson in (LESSON, LATER):
        place = tmp_path_factory.mktemp("released")
        with zipfile.ZipFile(release_package(course, lesson, place / "handout.zip")) as archive:
            archive.extractall(place)
        folders[lesson] = place / "handout"
    return folders


@pytest.fixture(scope="module")
def student(released: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Student:
    """An environment with what the course needs, and not the course; then with its package, and a seat."""
    home = tmp_path_factory.mktemp("student")
    venv.create(home / "venv", with_pip=False, symlinks=os.name != "nt")  # Windows keeps them for administrators
    student = Student(home)
    # the packages of this environment, but nothing that its .pth files add: a checkout is not seen
    needed = Path(student.folder("purelib")) / "needed.pth"
    needed.write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    student.install(released[LESSON])
    assert f"New here: 00_the_task, 01_recurrent_translation, 02_attention, {LESSON}" in student.course(
        "start", "--no-lab"
    )
    return student


def test_its_readme_says_what_windows_cannot_do(released: dict[str, Path]) -> None:
    readme = (released[LESSON] / "README.md").read_text(encoding="utf-8")
    assert "On Windows every check and card in a notebook works." in readme and "WSL" in readme


def test_nothing_of_the_checkout_is_seen(student: Student) -> None:
    asked = "import course_lib, importlib.util as u; print(course_lib.__file__, u.find_spec('autograder'))"
    done = subprocess.run(
        [str(student.python), "-I", "-c", asked], capture_output=True, text=True, check=True, cwd=student.home
    )
    assert done.stdout.startswith(str(student.home)) and done.stdout.endswith("None\n")


def test_a_seat_has_everything(student: Student) -> None:
    assert (student.home / f"seat/{START}.ipynb").is_file()
    assert (student.home / f"seat/{LESSON}/{LESSON}.ipynb").is_file()
    assert list((student.home / f"seat/{LESSON}/diagrams").glob("*.svg"))
    assert not (student.home / "seat" / LATER).exists()
    start = (student.home / f"seat/{START}.ipynb").read_text(encoding="utf-8")
    assert f"{LESSON}/{LESSON}.ipynb" in start and LATER not in start
    said = student.course("lessons")
    assert said.count("not here") == 11


def test_the_map_is_in_start_here_already(student: Student) -> None:
    notebook = nbformat.read(student.home / f"seat/{START}.ipynb", as_version=4)
    [cell] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "points lie ahead of you" in cell.outputs[0]["data"]["text/plain"]
    assert "data:image/svg+xml" in cell.outputs[0]["data"]["text/html"]


#: what runs a whole notebook starts it in a fork
RUNS_NOTEBOOKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork: see README")


@RUNS_NOTEBOOKS
def test_the_first_green_card(student: Student) -> None:
    path = student.home / f"seat/{LESSON}/{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == WRITTEN.id:
            cell.source = WRITTEN.reference.source
    nbformat.write(notebook, path)
    assert "Nothing stands in the way." in student.course("doctor", str(path))
    said = student.course("check", str(path))
    assert "softmax — 3 of 3 points" in said
    assert f"3 of {sum(d.exercise.points for d in of_lesson(LESSON)):g} points" in said
    assert "→ 03" in student.course("progress") and "3 of 13" in student.course("progress")


@pytest.mark.skipif(hasattr(os, "fork"), reason="this system can")
def test_where_no_notebook_can_be_run_the_check_says_so(student: Student) -> None:
    path = student.home / f"seat/{LESSON}/{LESSON}.ipynb"
    assert "use check() in the notebook" in student.course("check", str(path), code=1)


@RUNS_NOTEBOOKS
def test_all_notebooks_at_once(student: Student) -> None:
    said = student.course("check")
    assert re.search(r"^00_the_task +0 of 9   still open: pad_batch, ", said, re.MULTILINE)
    assert re.search(rf"^{LESSON} +3 of 13   still open: attention_loops, ", said, re.MULTILINE)
    assert "3 of 52 points in 4 notebooks" in said


def test_what_asks_for_more_says_so(student: Student) -> None:
    assert "lesson 10" in student.course("train", "--out", "run", code=1)
    assert "lesson 10" in student.course("export", "run", "--out", "page.html", code=1)
    said = student.course("lab", folder="elsewhere", code=1)
    assert "There are no notebooks here" in said and "course start" in said
    assert "There are no notebooks here" in student.course("progress", folder="elsewhere", code=1)


def test_a_later_lesson_is_added_and_what_is_there_stays(student: Student, released: dict[str, Path]) -> None:
    mine = student.home / "seat/00_the_task/00_the_task.ipynb"
    mine.write_text("my work", encoding="utf-8")
    student.install(released[LATER])
    said = student.course("start", "--no-lab")
    assert f"New here: {LATER}\n" in said
    assert "Yours, as you left them: 00_the_task" in said
    assert mine.read_text(encoding="utf-8") == "my work"
    assert LATER in (student.home / f"seat/{START}.ipynb").read_text(encoding="utf-8")


def test_no_answer_is_handed_out(course: Course) -> None:
    names = set(package_files(course, LESSON))
    withheld = withheld_components(LESSON)
    assert withheld and not [name for name in names if Path(name).stem in withheld and "/components/" in name]
    assert not [name for name in names if name.startswith(("autograder", "solutions", "lessons", "tests"))]
    assert not [name for name in names if f"keys/{LATER}" in name or f"notebooks/{LATER}" in name]


def test_a_release_is_the_same_whenever_it_is_made(course: Course, tmp_path: Path) -> None:
    first, again = (release_package(course, LESSON, tmp_path / name / "x.zip").read_bytes() for name in "ab")
    assert first == again


def test_a_folder_that_holds_something_else_is_left_alone(course: Course, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(CourseError, match="holds something else than a release"):
        release_package(course, LESSON, tmp_path)
    target = release_package(course, LESSON, tmp_path / "new")
    assert (target / "pyproject.toml").is_file()
    release_package(course, LESSON, target)  # its own is replaced


def test_the_checkouts_own_notebooks_can_fill_a_seat(course: Course, tmp_path: Path) -> None:
    said = run_course(tmp_path, "start", "--no-lab")
    assert said.code == 0, said
    assert all((tmp_path / lesson / f"{lesson}.ipynb").is_file() for lesson in course.lessons)
    again = run_course(course.root, "start", "notebooks", "--no-lab")
    assert again.code == 1 and "is where the notebooks come from" in again.err
