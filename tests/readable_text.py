"""Find the text that people read: prose in Markdown; comments, docstrings and messages in Python."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: tests, programs by other authors, and copies of what other files say
_NOT_OURS = re.compile(r"^(tests|notebooks|solutions)/|/(unseen|variants)\.py$|^docs/commands\.md$")
#: what a reader doesn't read as prose: code, formulas, link targets and tags
_NOT_PROSE = re.compile(r"(`+).+?\1|\$\$.+?\$\$|\$[^$\n]+\$|\]\([^)\s]*\)|<[^>]+>", re.DOTALL)
_CELL = re.compile(r"^```\{code-cell\}.*?$|^:\w+:.*$", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,})(.*?)^\1 *$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Text:
    """A paragraph, comment, docstring or message.

    Attributes:
        lines: the numbers of its first and last line.
        source: these lines as they are in the file.
    """

    path: Path
    lines: tuple[int, int]
    text: str
    source: str


def files_of(root: Path) -> Iterator[Path]:
    """Yield the files of this repository whose text is ours."""
    listed = subprocess.run(["git", "ls-files", "*.md", "*.py"], cwd=root, capture_output=True, text=True, check=True)
    yield from (root / name for name in listed.stdout.splitlines() if not _NOT_OURS.search(name))


def texts_in(path: Path) -> list[Text]:
    """Return the texts of a file."""
    source = path.read_text(encoding="utf-8")
    found = _in_python(source) if path.suffix == ".py" else _in_markdown(source)
    lines = source.split("\n")
    return [Text(path, (first, last), text, "\n".join(lines[first - 1 : last])) for first, last, text in found]


def _in_markdown(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield paragraphs, and the comments and strings of a lesson's cells."""
    for fence in _FENCE.finditer(source):
        if fence[2].startswith("{code-cell}"):
            offset = source[: fence.start()].count("\n")
            code = _CELL.sub("", fence[0][: -len(fence[1])].rstrip("`"))
            yield from ((offset + first, offset + last, text) for first, last, text in _in_python(code))
    prose = _blank(_NOT_PROSE, _blank(_FENCE, source))
    for paragraph in re.finditer(r"(?:^.*\S.*\n?)+", prose, re.MULTILINE):
        first = prose[: paragraph.start()].count("\n") + 1
        yield first, first + paragraph[0].rstrip("\n").count("\n"), paragraph[0]


def _blank(pattern: re.Pattern[str], source: str) -> str:
    """Replace what a pattern matches with a box, and keep the line breaks."""
    return pattern.sub(lambda match: "□" + "\n" * match[0].count("\n"), source)


def _in_python(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield comments, consecutive lines as one, and strings of several words."""
    first, lines = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if lines and token.start[0] != first + len(lines):
                yield first, first + len(lines) - 1, "\n".join(lines)
                lines = []
            first = first if lines else token.start[0]
            lines.append(_blank(_NOT_PROSE, token.string.lstrip("#: ")))
    if lines:
        yield first, first + len(lines) - 1, "\n".join(lines)
    inside = set[ast.AST]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            inside.update(ast.walk(node))
            parts = [str(part.value) if isinstance(part, ast.Constant) else "□" for part in node.values]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            parts = [node.value]
        else:
            continue
        text = _blank(_NOT_PROSE, "".join(parts))
        if " " in text.strip():
            yield node.lineno, node.end_lineno or node.lineno, text
