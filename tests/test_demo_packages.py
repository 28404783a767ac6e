"""The demo installs bubblewrap if it can, and says why not if it can't."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.demo import demonstrate
from autograder.demo.packages import install_with_apt
from autograder.grading import bubblewrap


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a program called apt-get that logs its arguments and then runs the test's script."""
    program = tmp_path / "apt-get"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return program


def does(program: Path, script: str) -> None:
    program.write_text(f'#!/bin/sh\necho "$@" >> {program.parent}/calls\n{script}\n')
    program.chmod(0o755)


def test_the_list_of_packages_is_updated_before_the_installation(apt: Path) -> None:
    does(apt, "exit 0")
    assert install_with_apt("bubblewrap") == ""
    assert (apt.parent / "calls").read_text().splitlines() == ["update", "install -y bubblewrap"]


def test_a_failed_installation_gives_both_reasons(apt: Path) -> None:
    does(apt, 'if [ "$1" = update ]; then echo "W: Failed to fetch http://deb" >&2; exit 0; fi\n'
         'echo "Reading" >&2; echo "E: Unable to locate package bubblewrap" >&2; exit 100')  # fmt: skip
    said = install_with_apt("bubblewrap")
    assert "apt-get update: W: Failed to fetch http://deb" in said
    assert "apt-get install -y bubblewrap: E: Unable to locate package bubblewrap" in said


def test_a_failed_update_does_not_matter_if_the_installation_works(apt: Path) -> None:
    does(apt, 'if [ "$1" = update ]; then echo "E: offline" >&2; exit 100; fi')
    assert install_with_apt("bubblewrap") == ""


def test_a_sandbox_that_was_just_installed_is_found(
    apt: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    does(apt, f"touch {apt.parent}/installed")
    installed = apt.parent / "installed"
    monkeypatch.setattr(bubblewrap, "_isolation", _cached_like(bubblewrap._isolation, installed))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert demonstrate._prepare_sandbox() is False
    assert "Installing bubblewrap" in capsys.readouterr().out


def test_why_there_is_no_sandbox_is_printed(
    apt: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    does(apt, 'echo "E: Unable to locate package" >&2; exit 100')
    monkeypatch.setattr(bubblewrap, "_isolation", _cached_like(bubblewrap._isolation, apt.parent / "installed"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert demonstrate._prepare_sandbox() is True
    assert "E: Unable to locate package" in capsys.readouterr().out


def _cached_like(original: object, installed: Path) -> object:
    """Make a cached replacement for the sandbox check, which looks for a file instead."""
    from functools import cache

    assert hasattr(original, "cache_clear")
    return cache(lambda: ((), None if installed.exists() else "bubblewrap (bwrap) is not installed"))
