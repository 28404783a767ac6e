"""What the student's commands print alike: the folder that they work in, and findings with advice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from course_lib.rebuilding.finding import Finding

out = Console(highlight=False)

_STATE = {"ok": "[green]✓[/]", "note": "[yellow]○[/]", "wrong": "[red]✗[/]"}


def shown(path: Path) -> str:
    """Return a path as a person would type it here: relative to the current folder if it is inside."""
    here, path = Path.cwd().resolve(), path.resolve()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def say(sentence: str) -> None:
    """Print a sentence that contains names, without wrapping it."""
    out.print(escape(sentence), soft_wrap=True)


def say_where(folder: Path) -> None:
    """Print the folder that a command works in, unless it is the current folder."""
    if folder.resolve() != Path.cwd().resolve():
        say(f"In {shown(folder)}:")


def print_findings(findings: Iterable[Finding]) -> int:
    """Print findings with their advice, each as soon as it is found, and return how many are wrong."""
    wrong = 0
    for finding in findings:
        wrong += finding.state == "wrong"
        out.print(f"{_STATE[finding.state]} {escape(finding.text)}", soft_wrap=True)
        if finding.state != "ok" and finding.fix:
            say(f"    {finding.fix}")
    return wrong
