"""Collect every sentence that a command prints, so that they can be reviewed together.

    python -m benchmarks.messages                # where, and what is printed
    python -m benchmarks.messages course_lib/app

These are help texts, and everything that is passed to an error that reaches a terminal, to ``print``, to ``Finding``,
to a prompt or to a status line.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

from autograder.book.commands import commands

ROOT = Path(__file__).parents[1]
FOLDERS = ("course_lib", "autograder")
#: the functions and classes that show a text to a person, by the last part of their names
SHOWN = {"CourseError", "CannotStart", "SavedTranslatorError", "Finding", "print", "confirm", "status", "add_task",
         "add_row", "Table", "ValueError", "_end", "_say", "exit"}  # fmt: skip
#: the folders whose texts belong to lessons or exercises, and not to a command
ELSEWHERE = ("exercises/lesson_", "components/", "diagrams/", "figures/", "experiments/")


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="only what is below these (default: all)")
    wanted = parser.parse_args().folders
    if tuple(wanted) == FOLDERS:
        for where, text in help_texts():
            print(f"{where}: {text}")
    for folder in wanted:
        for path in sorted((ROOT / folder).rglob("*.py") if (ROOT / folder).is_dir() else [ROOT / folder]):
            place = path.relative_to(ROOT).as_posix()
            if not any(part in place for part in ELSEWHERE):
                for line, text in messages(path.read_text(encoding="utf-8")):
                    print(f"{place}:{line}: {text}")


def help_texts() -> Iterator[tuple[str, str]]:
    """Yield the texts that `--help` shows, by command and option."""
    for command in commands():
        yield command.name, " ".join(command.help.split())
        for one in command.parameters:
            yield f"{command.name} {(*one.flags, one.value)[0]}", one.help


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of everything in a module that is shown to a person."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _name(node.func) in SHOWN:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if (text := _text(argument)) and " " in text.strip():
                    yield node.lineno, " ".join(text.split())


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _text(node: ast.expr) -> str:
    """Return a text with expressions in braces, or an empty string if the node is not a text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) or f"{{{ast.unparse(part).strip('{}')}}}" for part in parts)
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"{_text(left)}{_text(right)}"
        case ast.IfExp(body=body, orelse=otherwise):
            return " / ".join(filter(None, [_text(body), _text(otherwise)]))
    return ""


if __name__ == "__main__":
    main()
