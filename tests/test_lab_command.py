"""`course lab` starts JupyterLab so that a terminal in it finds `course`, and code is wrapped for students."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from course_lib.app.lab import STUDENT_LAB, lab_command


def test_a_terminal_is_not_a_login_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHELL", "/bin/some shell")
    settings = next(one for one in lab_command(tmp_path) if one.startswith("--ServerApp.terminado_settings="))
    assert json.loads(settings.partition("=")[2]) == {"shell_command": ["/bin/some shell"]}


def test_students_server_loads_nothing_of_nbgrader() -> None:
    configured = json.loads((STUDENT_LAB / "jupyter_server_config.d" / "without_nbgrader.json").read_text())
    extensions = configured["ServerApp"]["jpserver_extensions"]
    assert not any(extensions.values())
    installed = Path(sys.prefix) / "etc" / "jupyter" / "jupyter_server_config.d"
    theirs = {
        name
        for file in installed.glob("nbgrader*.json")
        for name in json.loads(file.read_text())["ServerApp"]["jpserver_extensions"]
    }
    assert theirs and theirs <= extensions.keys()


def test_students_see_whole_lines_of_code() -> None:
    overrides = json.loads((STUDENT_LAB / "labconfig" / "default_setting_overrides.json").read_text())
    assert overrides["@jupyterlab/notebook-extension:tracker"]["codeCellConfig"]["lineWrap"] is True
