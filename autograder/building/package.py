"""Make a self-contained release for students, as a folder or zip with all lessons released so far."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder.building.build import require_built, require_fresh
from autograder.building.lesson import entry_of
from autograder.building.missing_keys import make_answer_keys, up_to
from autograder.building.notebook import start_notebook, to_text
from autograder.building.release import library_files, put_in_place
from course_lib.course import START, Course, CourseError
from course_lib.diagrams import FOLDER, images
from course_lib.processors import usable_processors
from course_lib.rebuilding.environment import NAME, this_environment
from course_lib.replacing import replacing
from course_lib.version import __version__

#: the earliest date that the zip format allows, so that a release does not depend on when it is made
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)

_PYPROJECT = """\
# The course as released up to lesson {number}: pip install ".[lab]"

[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = {name}
description = {description}
version = {version}
requires-python = {python}
dependencies = [
{dependencies}
]

[project.optional-dependencies]
lab = [
{lab}
]

[project.scripts]
course = "course_lib.app.main:main"

[tool.setuptools.packages.find]
include = ["course_lib*"]

[tool.setuptools.package-data]
course_lib = ["**/*"]
"""

README = """\
# {name}

Released up to lesson {number}, {title}.

You need Python 3.11 or later. Unpack this folder to where it can stay. The commands below make two folders next to
it: `course-env` with the installed course, and `my-course` with your work. On Windows, write `py` instead of
`python3`, `\\` instead of `/`, and `Scripts` instead of `bin`.

## The first time

In this folder:

```sh
python3 -m venv ../course-env
```

On Linux without a graphics card, then install the smaller CPU build of PyTorch. Otherwise pip may choose one that
brings several gigabytes of CUDA packages:

```sh
../course-env/bin/python -m pip install "torch>=2.5,<2.14" --index-url https://download.pytorch.org/whl/cpu
```

If this fails, go on: the next command installs PyTorch, too. Install the course, and begin:

```sh
../course-env/bin/python -m pip install ".[lab]"
mkdir ../my-course
cd ../my-course
../course-env/bin/course start
```

Installing takes a few minutes and about 1.5 GB, most of it PyTorch. Leave the terminal open: JupyterLab runs in it
until you press Ctrl-C.

JupyterLab opens on START_HERE, which shows where you are and leads to the first exercise. Next time,
`../course-env/bin/course lab` in `my-course` opens it again.

## When a later lesson is released

Unpack the new folder in the place of this one. Then, in the new folder:

```sh
../course-env/bin/python -m pip install ".[lab]"
cd ../my-course
../course-env/bin/course start
```

This adds what is new. Notebooks that you have saved stay as they are.

On Windows, checks in a notebook should work, but nobody has tried them. `course check FILE` and `course parts` run
whole notebooks, which doesn't work on Windows; use WSL, Linux or macOS.
"""

_OWN = """
## Lessons that use your own components

When this was released, work was still accepted for {lessons}. So our components for it are not included, and later
lessons use yours instead. (This needs Linux, macOS or WSL, because your components can't be tested on Windows itself.)
Keep your notebooks in the folders that `course start` made: whatever passes its check there is used. The top of each
lesson says what is still missing; finish that, save, and run the lesson again.
"""


def release_package(course: Course, lesson: str, target: Path, own: Sequence[str] = ()) -> Path:
    """Write the release for a lesson's students, as a folder, or as a zip if the name ends in .zip.

    It contains the library without the components that students have yet to write, the notebooks and answer
    keys of this lesson and all before it, a pyproject.toml for pip, and a README. Replace an existing folder.

    Args:
        own: earlier lessons whose components are also left out, because students build on their own.

    Raises:
        CourseError: a notebook is not built or its build is stale, or the target cannot be written.
    """
    files = package_files(course, lesson, own)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix.lower() == ".zip":
            _write_zip(files, target)
        else:
            _check_target(target)
            put_in_place(files, target)
    except OSError as error:
        raise CourseError(f"{target} cannot be written: {error.strerror or error}. Choose another place.") from None
    return target


def package_files(course: Course, lesson: str, own: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the content of each file of a release, by its path.

    Raises:
        CourseError: a notebook is not built, or its build is stale.
    """
    names = [name for name in course.lessons if name <= lesson]
    require_built(course, names)
    require_fresh(course, names, "what students receive")
    released = [entry_of(course.lesson_text(name)) for name in names]
    make_answer_keys(up_to(lesson), usable_processors(), whole=True)
    files = {f"course_lib/{path}": content for path, content in library_files(course, lesson, own=own).items()}
    files[f"course_lib/{NAME}"] = this_environment().to_json().encode()
    files[f"course_lib/notebooks/{START}.ipynb"] = to_text(start_notebook(course)).encode()
    for entry in released:
        folder = course.student_notebook(entry.name).parent
        for path in (course.student_notebook(entry.name), *_diagrams(course, entry.name)):
            files[f"course_lib/notebooks/{entry.name}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    with (course.root / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    name = course.name or project["description"]
    files["pyproject.toml"] = _PYPROJECT.format(
        number=lesson[:2],
        name=_quoted(project["name"]),
        description=_quoted(project["description"]),
        version=_quoted(__version__),
        python=_quoted(project["requires-python"]),
        dependencies=_lines(project["dependencies"]),
        lab=_lines(project["optional-dependencies"]["lab"]),
    ).encode()
    readme = README.format(name=name, number=lesson[:2], title=released[-1].title)
    files["README.md"] = (readme + (_OWN.format(lessons=" and ".join(own)) if own else "")).encode()
    files["LICENSE"] = (course.root / "LICENSE").read_bytes()
    return files


def _diagrams(course: Course, lesson: str) -> list[Path]:
    """Return the diagrams that a lesson shows. Its folder may also contain some that its text no longer shows."""
    shown = {name for _, name in images(course.lesson_text(lesson).read_text(encoding="utf-8"))}
    return [course.student_notebook(lesson).parent / FOLDER / f"{name}.svg" for name in sorted(shown)]


def _lines(requirements: Sequence[str]) -> str:
    """List requirements for TOML, one a line."""
    return "\n".join(f"    {_quoted(needed)}," for needed in requirements)


def _quoted(text: str) -> str:
    """Quote a string for TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _check_target(target: Path) -> None:
    if target.is_dir() and any(target.iterdir()) and not (target / "course_lib").is_dir():
        raise CourseError(f"{target} contains something other than a release. Choose another place, or empty it.")


def _write_zip(files: dict[str, bytes], target: Path) -> None:
    with replacing(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(f"{target.stem}/{name}", _TIMESTAMP)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, content)
