"""Find what may be wrong with an installation, and how to fix it."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, requires
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile

import platformdirs

from course_lib.app.lab import KERNEL
from course_lib.app.workspace import own_notebooks_folder
from course_lib.contents import public_exercises, public_lessons
from course_lib.course import CourseError, course_here
from course_lib.own_notebooks import notebooks_in
from course_lib.plugins import plugins
from course_lib.rebuilding.finding import Finding

#: the course as pip knows it, from a checkout and from a package that a class was handed
PACKAGE = "attention-course"
#: what is imported all the time, by the names by which it is
MODULES = ("torch", "numpy", "matplotlib", "IPython", "safetensors")


def examine_installation() -> Iterator[Finding]:
    """Examine Python, the packages, the kernel, the answer keys, the notebooks, and whether progress can be saved."""
    right = sys.version_info >= (3, 11)
    yield Finding("ok" if right else "wrong", f"Python {platform.python_version()}", "Install Python 3.11 or later.")
    modules = [module(name) for name in MODULES]
    yield from modules
    yield module("jupyterlab", "course lab")
    yield kernel()
    if all(found.state == "ok" for found in modules):  # they are read with these
        yield keys()
    yield workspace()
    yield from places()
    if not _there("autograder"):
        return
    yield module("nbgrader", "instructors' commands, course start and course reset")
    if all(found.state == "ok" for found in modules):
        for examine in plugins("course.doctor"):
            yield from examine()


def module(name: str, only_for: str = "") -> Finding:
    """Whether a package can be imported, in a version that the course states.

    Args:
        only_for: what needs the package, if notebooks don't.
    """
    from packaging.requirements import Requirement
    from packaging.version import InvalidVersion, Version

    extra = _extra_of(name)
    needed = next((each for each in map(Requirement, _stated(extra)) if each.name.lower() == name.lower()), None)
    asked = quoted(str(needed or name.lower()))
    try:
        version = str(getattr(import_module(name), "__version__", ""))
    except ModuleNotFoundError as error:
        if error.name == name and only_for:
            return Finding("note", f"{name} is missing: needed for {only_for} only", _install_all(extra))
        if error.name == name:
            return Finding("wrong", f"{name} is not installed", _install_all())
        return Finding("wrong", f"{name} cannot be imported: {error}", _run("pip install --force-reinstall", asked))
    except Exception as error:  # a library of it that cannot be loaded is an OSError, and others raise as they like
        fix = _run("pip install --force-reinstall", asked)
        if sys.platform == "win32":
            fix += ". If that does not help, install the Microsoft Visual C++ Redistributable."
        return Finding("wrong", f"{name} cannot be imported: {error}", fix)
    try:
        fits = not needed or needed.specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:  # of somebody's own build
        fits = True
    if not fits:
        return Finding("wrong", f"{name} {version}, and the course needs {needed}", _run("pip install", asked))
    return Finding("ok", f"{name} {version}")


def kernel() -> Finding:
    """Whether notebooks are run by this Python."""
    name, fix = KERNEL["name"], _run("ipykernel install --sys-prefix")
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
        from jupyter_core.paths import ENV_JUPYTER_PATH
    except Exception as error:
        return Finding("wrong", f"no kernel can be looked for: {error}", _install_all())
    manager = KernelSpecManager()
    own = [os.path.join(folder, "kernels") for folder in ENV_JUPYTER_PATH]  # which `course lab` looks through first
    manager.kernel_dirs = [*own, *manager.kernel_dirs]
    try:
        program = manager.get_kernel_spec(name).argv[0]
    except (NoSuchKernel, OSError, ValueError, IndexError):
        again = _run("pip install --force-reinstall ipykernel")
        return Finding("wrong", f"this environment has no kernel {name!r}", again)
    if os.path.dirname(program) and Path(program).parent.resolve() != Path(sys.executable).parent.resolve():
        return Finding("wrong", f"the kernel {name!r} runs another Python: {program}", fix)
    return Finding("ok", f"kernel {name!r}")


def keys() -> Finding:
    """Whether exercises can be checked: keys came with the library, or the autograder makes them."""
    from course_lib.checking.answer_key import KEYS

    entries = public_exercises()
    if any(_there(made_by.module) for made_by in entry_points(group="course.keys")):
        return Finding("ok", f"{len(entries)} exercises can be checked")
    count = sum((KEYS / entry.lesson / f"{entry.id}.json").is_file() for entry in entries)
    if not count:
        return Finding("wrong", "no exercise can be checked: this library came without answer keys", _install_all())
    return Finding("ok", f"{count} exercise{'' if count == 1 else 's'} can be checked")


def workspace() -> Finding:
    """Report whether there are notebooks in the current folder."""
    try:
        folder = own_notebooks_folder()
    except CourseError:
        return Finding(
            "note",
            f"no notebooks in {Path.cwd()}",
            "Change into the folder that you work in; or make one, change into it, and run: course start",
        )
    count = len(notebooks_in(folder, [lesson.name for lesson in public_lessons()]))
    return Finding("ok", f"{count} notebook{'' if count == 1 else 's'} in {folder.resolve()}")


def places() -> Iterator[Finding]:
    """Whether one's work and points can be saved, and whether what is made once is kept."""
    try:
        work = own_notebooks_folder().resolve()
    except CourseError:
        work = Path.cwd()
    if why := _unwritable(work):
        fix = "Make a folder in your home, change into it, and run: course start"
        yield Finding("wrong", f"{work} cannot be written to: {why}", fix)
    else:
        yield Finding("ok", f"{work} can be written to")
    cache = Path(platformdirs.user_cache_dir(PACKAGE, appauthor=False))
    if why := _unwritable(next(folder for folder in (cache, *cache.parents) if folder.exists())):
        fix = f"Make {cache} your own, or free some space."
        if sys.platform == "linux":
            fix += " Or name another place: export XDG_CACHE_HOME=DIR"
        yield Finding("note", f"what is made once cannot be kept in {cache}: {why}", fix)
    else:
        yield Finding("ok", f"{cache} can be written to")


def lacking(module: str) -> str:
    """Say which module a command lacks, and which command installs it."""
    name = module.partition(".")[0]
    return f"This command needs {name}, which is not installed. {_install_all(_extra_of(name))}"


def _extra_of(name: str) -> str:
    """Return the extra that brings a package: none, students' or, for any package not listed there, instructors'."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    for extra in ("", "lab"):
        if canonicalize_name(name) in {canonicalize_name(Requirement(each).name) for each in _stated(extra)}:
            return extra
    return "teach"


def _stated(extra: str = "") -> list[str]:
    """Return the requirements that the installed package states; an empty list if it is not installed.

    Args:
        extra: the extra whose requirements to return. Default: those that are always installed.
    """
    try:
        stated = requires(PACKAGE) or ()
    except PackageNotFoundError:
        return []
    asked = [extra] if extra else []
    return [each.partition(";")[0].strip() for each in stated if re.findall(r"extra == .(\w+)", each) == asked]


def _there(package: str) -> bool:
    return find_spec(package.partition(".")[0]) is not None


def _unwritable(folder: Path) -> str:
    """Return why nothing can be written to a folder; empty if it is writable."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(b"something")
    except OSError as error:
        return error.strerror or str(error)
    return ""


def quoted(word: str) -> str:
    """A word as a shell reads it: Windows knows double quotes only."""
    if sys.platform != "win32":
        return shlex.quote(word)
    return f'"{word}"' if set(word) & set(" <>&^|") else word


def _run(*words: str) -> str:
    """The sentence that asks for a command of this Python, which need not be the first on the path."""
    return f"Run: {quoted(sys.executable)} -m {' '.join(words)}"


def _install_all(extra: str = "") -> str:
    """How to install everything once more, with an extra: from the checkout, or from what a class was handed."""
    course, what = course_here(), quoted(f".[{extra}]") if extra else "."
    if course:
        return f"In {course.root}: {_run('pip install -e', what).removeprefix('Run: ')}"
    return f"In the folder of the package that you were handed: {_run('pip install', what).removeprefix('Run: ')}"
