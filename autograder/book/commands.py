"""Generate the page of all commands from their help texts. `python -m autograder.book.commands` writes it."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from course_lib.app.main import complete_app
from course_lib.course import find_course

#: the page's path in the course's folder
PAGE = Path("docs") / "commands.md"

_HEAD = """\
# Commands

<!-- Generated from the help texts. To write it again: python -m autograder.book.commands -->

This page is for everyone who has installed the course. Type `.venv/bin/course` instead of `course` unless the
environment is active. `course COMMAND --help` shows the same in a terminal. A release has the commands for students;
those for instructors need a checkout.
"""

#: rich's markup
_MARKED = re.compile(r"\[(bold|dim)\](.*?)\[/\]")
#: text that is typed rather than read: a command, an option, or a single word
_TYPED = re.compile(r"course .*|--.*|\S*[\w/]")
_EXAMPLE = re.compile(r"^(Examples?:) (.*)$")
#: the last sentence of the help of a parameter whose default depends on something else
_DEFAULT = re.compile(r" \[?(?:dim\])?[Dd]efault: (.+?)(?:\.|\[/\])$")


@dataclass(frozen=True)
class Parameter:
    """An argument or an option of a command.

    Attributes:
        flags: the flags as they are typed, such as ``--yes``; none for an argument.
        value: the kind of its value, such as ``PATH``; empty for a switch.
        default: the default, marked up like the help text; empty if there is none.
    """

    flags: tuple[str, ...]
    value: str
    help: str
    default: str
    required: bool


@dataclass(frozen=True)
class Command:
    """A command as typer registered it."""

    name: str
    panel: str
    help: str
    parameters: tuple[Parameter, ...]


def commands() -> list[Command]:
    """Return every command in the order of `course --help`, followed by those of groups."""
    app = complete_app()
    found = [_command(info, "course", str(info.rich_help_panel)) for info in app.registered_commands]
    for group in app.registered_groups:
        inner: typer.Typer = group.typer_instance  # type: ignore[assignment]
        panel = str(group.rich_help_panel)
        found += [_command(info, f"course {group.name}", panel) for info in inner.registered_commands]
    return found


def commands_page() -> str:
    """Return the page as Markdown."""
    parts, panel = [_HEAD], ""
    for command in commands():
        if command.panel != panel:
            parts.append(f"## {(panel := command.panel)}\n")
        parts += [f"### {command.name}\n", f"{_prose(command.help)}\n", f"```text\n{_usage(command)}\n```\n"]
        if command.parameters:
            rows = (_row(parameter) for parameter in command.parameters)
            parts.append("\n".join(["| Argument or option | Meaning | Default |", "|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _command(info: Any, before: str, panel: str) -> Command:
    function: Callable[..., Any] = info.callback
    name = info.name or function.__name__
    hints = get_type_hints(function, include_extras=True)
    found = (_parameter(one, hints[one.name]) for one in inspect.signature(function).parameters.values())
    said = inspect.getdoc(function) or ""
    return Command(f"{before} {name}", panel, said, tuple(one for one in found if one))


def _parameter(parameter: inspect.Parameter, hint: Any) -> Parameter | None:
    """Describe a parameter. Return None for one that typer fills in by itself."""
    if get_origin(hint) is not Annotated:
        return None
    kind, about = get_args(hint)[:2]
    kind, default = _without_none(kind), parameter.default
    required = default is inspect.Parameter.empty
    if isinstance(about, ArgumentInfo):
        said, shown = _without_default(about.help or "")
        return Parameter((), about.metavar or parameter.name.upper(), said, shown, required)
    assert isinstance(about, OptionInfo)
    name = parameter.name.replace("_", "-")
    first = (about.default,) if isinstance(about.default, str) else ()  # inside Annotated, the first flag is here
    declared = (*first, *(about.param_decls or ()))
    flags = declared or ((f"--{name}", f"--no-{name}") if kind is bool else (f"--{name}",))
    said, shown = _without_default(about.help or "")
    return Parameter(flags, _value(kind, about), said, shown or _default(default, flags, about), required)


def _without_default(said: str) -> tuple[str, str]:
    """Return a help text without the sentence that states the default, and the default."""
    found = _DEFAULT.search(said)
    return (said[: found.start()], found[1]) if found else (said, "")


def _default(default: Any, flags: tuple[str, ...], about: OptionInfo) -> str:
    if isinstance(about.show_default, str):  # it depends on the machine
        return about.show_default
    if default is inspect.Parameter.empty or default is None or default is False or default == "":
        return ""
    return f"[bold]{flags[0] if default is True else default}[/]"


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        return next(one for one in get_args(kind) if one is not type(None))
    return kind


def _value(kind: Any, about: OptionInfo) -> str:
    if kind is bool:
        return ""
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    return about.metavar or {int: "N", float: "N", Path: "PATH"}.get(kind, "TEXT")


def _usage(command: Command) -> str:
    shown = [command.name]
    for one in command.parameters:
        if not one.flags:
            shown.append(one.value if one.required else f"[{one.value}]")
        elif one.required:
            shown.append(f"{one.flags[0]} {one.value}")
    optional = any(one.flags and not one.required for one in command.parameters)
    return " ".join([*shown, *["[OPTIONS]"] * optional])


def _row(parameter: Parameter) -> str:
    written = " ".join([*parameter.flags[:1], *filter(None, [parameter.value])])
    others = "".join(f", `{flag}`" for flag in parameter.flags[1:])
    cells = (f"`{written}`{others}", _prose(parameter.help), _prose(parameter.default))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _prose(text: str) -> str:
    """Turn a help text into Markdown paragraphs, with everything that is typed as code."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\n|\n(?=Example: )", text))
    return "\n\n".join(_EXAMPLE.sub(_examples, _MARKED.sub(_markdown, paragraph)) for paragraph in paragraphs)


def _examples(found: re.Match[str]) -> str:
    return f"{found[1]} " + "; ".join(f"`{example}`" for example in found[2].split("; "))


def _markdown(found: re.Match[str]) -> str:
    kind, text = found.groups()
    return text if kind == "dim" else f"`{text}`" if _TYPED.fullmatch(text) else f"**{text}**"


if __name__ == "__main__":
    (find_course().root / PAGE).write_text(commands_page(), encoding="utf-8")
