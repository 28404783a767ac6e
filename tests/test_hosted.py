"""A notebook that was opened alone installs the course, and nothing that its host has is replaced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.building.first_cell import with_installation
from course_lib.course import CourseError, read_course

URL = "https://example.org/course-1.0/attention-course.zip?raw=1#sha256=ab"


def python(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a cell in an interpreter; with ``-S``, it finds no installed package."""
    command = [sys.executable, "-I", *options, "-c", source]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["", URL])
def test_where_the_course_is_installed_the_first_cell_is_silent(tmp_path: Path, package: str) -> None:
    done = python(tmp_path, with_installation("print('on')", package))
    assert (done.stdout, done.stderr) == ("on\n", "")


def test_without_the_course_and_a_url_it_says_what_to_do(tmp_path: Path) -> None:
    done = python(tmp_path, with_installation("print('on')", ""), "-S")
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.endswith(
        "ModuleNotFoundError: Install the course as its README says, then open this notebook with: course lab\n"
    )


def test_without_the_course_it_asks_pip_for_the_url_and_says_so(tmp_path: Path) -> None:
    shows = "import subprocess\nsubprocess.run = lambda command, check: print(*command[1:], check)\n"
    done = python(tmp_path, shows + with_installation("", URL), "-S")
    assert done.stdout == f"Installing the course, which takes about a minute.\n-m pip install --quiet {URL} True\n"


@pytest.mark.parametrize("package", ['https://e.org/a.zip", "--pre', "http://e.org/a.zip", "attention-course", "--pre"])
def test_a_package_is_a_url_that_fits_into_a_cell(tmp_path: Path, package: str) -> None:
    (tmp_path / "course.toml").write_text(f"[hosting]\npackage = '{package}'\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"hosting\.package is .* a URL from which pip installs the course"):
        read_course(tmp_path)
