"""`course doctor` without a notebook: what may be wrong with an installation is found, and told with what mends it."""

from __future__ import annotations

import errno
import importlib
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import run_course

from course_lib.app import installation
from course_lib.app.doctor import Finding
from course_lib.checking import answer_key
from course_lib.contents import public_exercises
from course_lib.course import START, Course

PYTHON = shlex.quote(sys.executable)
IN_THE_PACKAGE = f"In the folder of the package that you were handed: {PYTHON} -m pip install ."


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of somebody who has the package that a class is handed, and no checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(installation, "course_here", lambda: None)
    monkeypatch.setattr("course_lib.app.workspace.course_here", lambda: None)
    monkeypatch.setattr(installation, "entry_points", lambda group: ())
    monkeypatch.setattr(installation, "requires", lambda package: ["torch<2.14,>=2.5", 'pytest>=8; extra == "dev"'])
    return tmp_path


def importing(result: Any) -> Callable[[str], Any]:
    """An import that gives this module, or raises this."""

    def import_module(name: str) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    return import_module


AGAIN = f"Run: {PYTHON} -m pip install --force-reinstall 'torch<2.14,>=2.5'"


@pytest.mark.parametrize(
    "result, found",
    [
        (SimpleNamespace(__version__="2.13.0+cpu"), Finding("ok", "torch 2.13.0+cpu")),
        (SimpleNamespace(__version__="a build of mine"), Finding("ok", "torch a build of mine")),
        (
            SimpleNamespace(__version__="2.14.0"),
            Finding(
                "wrong",
                "torch 2.14.0, and the course needs torch<2.14,>=2.5",
                f"Run: {PYTHON} -m pip install 'torch<2.14,>=2.5'",
            ),
        ),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            Finding("wrong", "torch is not installed", IN_THE_PACKAGE),
        ),
        (
            ModuleNotFoundError("No module named 'sympy'", name="sympy"),
            Finding("wrong", "torch cannot be imported: No module named 'sympy'", AGAIN),
        ),
        (
            OSError("[WinError 126] The specified module could not be found"),
            Finding("wrong", "torch cannot be imported: [WinError 126] The specified module could not be found", AGAIN),
        ),
    ],
)
@pytest.mark.usefixtures("student")
def test_a_package_is_missing_broken_or_too_new(monkeypatch: pytest.MonkeyPatch, result: Any, found: Finding) -> None:
    monkeypatch.setattr(installation, "import_module", importing(result))
    said = installation.module("torch")
    assert (replace(said, fix="") if said.state == "ok" else said) == found


def test_in_a_checkout_everything_is_installed_from_it(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root)
    monkeypatch.setattr(installation, "import_module", importing(ModuleNotFoundError(name="torch")))
    assert installation.module("torch").fix == f"In {course.root}: {PYTHON} -m pip install -e ."


@pytest.mark.parametrize(
    "program, state",
    [("python", "ok"), (sys.executable, "ok"), ("/opt/another/bin/python", "wrong"), ("", "wrong")],
)
def test_a_kernel_is_another_pythons_or_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, state: str
) -> None:
    folder = tmp_path / "kernels/python3"
    folder.mkdir(parents=True)
    if program:
        about = {"argv": [program, "-m", "ipykernel_launcher"], "display_name": "Python 3", "language": "python"}
        (folder / "kernel.json").write_text(json.dumps(about), encoding="utf-8")
    manager = importlib.import_module("jupyter_client.kernelspec").KernelSpecManager
    monkeypatch.setattr("jupyter_core.paths.ENV_JUPYTER_PATH", [str(tmp_path)])
    if not program:  # nor is ipykernel there, which every environment that has it gives one of its own
        monkeypatch.setattr(manager, "get_kernel_spec", lambda *_: (folder / "kernel.json").read_text())
    found = installation.kernel()
    assert found.state == state
    fix = "ipykernel install --sys-prefix" if program else "pip install --force-reinstall ipykernel"
    assert state == "ok" or found.fix == f"Run: {PYTHON} -m {fix}"
    assert program in found.text or state == "ok"


@pytest.mark.usefixtures("student")
def test_a_library_without_answer_keys_checks_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(answer_key, "KEYS", tmp_path / "keys")
    assert installation.keys() == Finding(
        "wrong", "no exercise can be checked: this library came without answer keys", IN_THE_PACKAGE
    )
    entry = public_exercises()[0]
    (tmp_path / "keys" / entry.lesson).mkdir(parents=True)
    (tmp_path / "keys" / entry.lesson / f"{entry.id}.json").touch()
    assert installation.keys().text == "1 exercise can be checked"


def test_a_folder_is_a_seat_or_none(student: Path) -> None:
    found = installation.workspace()
    assert (found.state, found.text) == ("note", f"no notebooks in {student}") and "course start" in found.fix
    (student / f"{START}.ipynb").touch()
    assert installation.workspace() == Finding("ok", f"0 notebooks in {student}")


def test_a_folder_or_a_cache_cannot_be_written_to(student: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [found.state for found in installation.places()] == ["ok", "ok"]

    def full(dir: Path) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(installation, "TemporaryFile", full)
    work, cache = installation.places()
    assert (work.state, work.text) == ("wrong", f"{student} cannot be written to: No space left on device")
    assert "course start" in work.fix
    assert cache.state == "note" and cache.text.endswith("No space left on device") and cache.fix


def test_the_doctor_lists_all_of_it(student: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_stated", list)
    monkeypatch.setattr(installation, "import_module", importing(OSError("a library is broken")))
    monkeypatch.setattr(installation, "_there", lambda package: False)
    said = run_course(student, "doctor")
    assert said.code == 1 and f"{len(installation.MODULES) + 1} things need fixing." in said.out
    assert f"    Run: {PYTHON} -m pip install --force-reinstall torch\n" in said.out
    assert "bubblewrap" not in said.out, "a student needs none"
    assert "exercises can be checked" not in said.out, "keys are read with what is broken"


def test_a_command_is_quoted_as_the_system_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert installation.quoted(r"C:\Users\kim\python.exe") == r"C:\Users\kim\python.exe"
    assert installation.quoted(r"C:\Kim Lee\python.exe") == r'"C:\Kim Lee\python.exe"'
    assert installation.quoted("torch<2.14,>=2.5") == '"torch<2.14,>=2.5"'
