"""A notebook that was opened alone installs the course, and nothing that its host has is replaced."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from packaging.requirements import Requirement

from autograder.book.metadata import lesson_head
from autograder.building.build import build_hosting
from autograder.building.first_cell import with_installation
from autograder.building.hosts import links
from autograder.building.notebook import start_notebook
from course_lib.course import START, Course, CourseError, find_course, read_course

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


@pytest.fixture
def hosted(tmp_path: Path) -> Path:
    """A course that is hosted: its README, and START_HERE as a lesson's text."""
    (tmp_path / "course.toml").write_text(
        '[hosting]\npackage = "https://example.org/a.zip"\nrepository = "https://github.com/us/attention"\n',
        encoding="utf-8",
    )
    (tmp_path / "README.md").write_text("Before.\n\n<!--hosts--><!--/hosts-->\n\nAfter.\n", encoding="utf-8")
    (tmp_path / "lessons").mkdir()
    shutil.copy(find_course(Path(__file__).parent).root / f"lessons/{START}.md", tmp_path / "lessons")
    return tmp_path


def test_links_open_the_notebook_on_each_host(hosted: Path) -> None:
    course = read_course(hosted)
    place = "notebooks/03_self_attention/03_self_attention.ipynb"
    addresses = re.findall(r"\]\((\S+)\)", links(course, course.root / place))
    parts = [urlsplit(address) for address in addresses]
    assert [part.netloc for part in parts] == ["colab.research.google.com", "mybinder.org", "codespaces.new"]
    assert all("us/attention" in part.path for part in parts)
    assert parts[0].path.endswith(f"/blob/main/{place}")
    assert parse_qs(parts[1].query) == {"urlpath": [f"lab/tree/{place}"]}


def test_what_hosts_need_is_built_and_the_links_go_when_the_course_is_no_longer_hosted(hosted: Path) -> None:
    built = [one.path.relative_to(hosted).as_posix() for one in build_hosting(read_course(hosted)) if not one.fresh]
    assert built == ["README.md", ".binder/requirements.txt", ".binder/runtime.txt", ".devcontainer/devcontainer.json"]
    assert all(one.fresh for one in build_hosting(read_course(hosted), check=True))
    option, line = (hosted / ".binder/requirements.txt").read_text().splitlines()
    asked = Requirement(line)
    assert (asked.name, asked.extras, asked.url) == ("attention-course", {"lab"}, "https://example.org/a.zip")
    container = json.loads((hosted / ".devcontainer/devcontainer.json").read_text())
    assert container["postCreateCommand"] == ["pip", "install", *option.split(), line]
    readme = (hosted / "README.md").read_text()
    assert readme.count("](https://") == 3 and readme.endswith("<!--/hosts-->\n\nAfter.\n")

    (hosted / "course.toml").write_text("", encoding="utf-8")
    assert [(one.path, one.fresh) for one in build_hosting(read_course(hosted))] == [(hosted / "README.md", False)]
    assert (hosted / "README.md").read_text() == "Before.\n\n<!--hosts--><!--/hosts-->\n\nAfter.\n"


def test_the_first_notebook_has_links_only_if_the_course_is_hosted(hosted: Path, course: Course) -> None:
    shown = [start_notebook(each).cells for each in (read_course(hosted), course)]
    assert links(read_course(hosted), hosted / f"notebooks/{START}.ipynb") == shown[0][1].source
    assert len(shown[0]) == len(shown[1]) + 1
    assert "](https://colab" not in "".join(cell.source for cell in shown[1])


def test_a_lessons_page_in_the_book_has_links_only_if_the_course_is_hosted(course: Course) -> None:
    hosted = replace(course, package="https://example.org/a.zip", repository="https://github.com/us/attention")
    lesson = course.lessons[3]
    assert lesson_head(hosted, lesson, "head") == f"head\n\n{links(hosted, course.student_notebook(lesson))}"
    assert lesson_head(course, lesson, "head") == "head"


def test_the_readme_has_a_place_for_links(course: Course) -> None:
    readme = (course.root / "README.md").read_text(encoding="utf-8")
    assert len(re.findall("^<!--hosts-->.*<!--/hosts-->$", readme, re.MULTILINE)) == 1
