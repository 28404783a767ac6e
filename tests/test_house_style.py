"""Text for users and contributors contains no phrase that native readers stumbled over."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from readable_text import Text, files_of, texts_in

ROOT = Path(__file__).parent.parent
_STYLE = tomllib.loads(Path(__file__).with_name("house_style.toml").read_text(encoding="utf-8"))
_KEEP = re.compile(r'style: keep "([^"]+)"')
FILES = [path for path in files_of(ROOT) if path.stem not in _STYLE["not_yet"]]


@dataclass(frozen=True)
class Rule:
    """A phrase to avoid, with what to write and why, and a sentence before and after."""

    find: str
    say: str
    because: str
    wrong: str
    right: str
    case: bool = False

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield where a text contains the phrase, also if a line ends within it."""
        return re.finditer(self.find, text.replace("\n", " "), 0 if self.case else re.IGNORECASE)


RULES = [Rule(**rule) for rule in _STYLE["rules"]]


def findings(text: Text) -> Iterator[str]:
    """Say where a text contains a phrase to avoid, what to write and why; and which kept phrases it lacks."""
    kept = set(_KEEP.findall(text.source))
    lines = re.sub(r"[ \t]*\n[ \t]*", "\n", text.text)
    for rule in RULES:
        for match in rule.found_in(lines):
            phrase = match[0].strip()
            if phrase not in kept:
                line = min(text.lines[0] + lines[: match.start()].count("\n"), text.lines[1])
                yield f"{text.path}:{line}: “{phrase}”: write {rule.say} ({rule.because})"


@pytest.mark.parametrize("folder", sorted({path.relative_to(ROOT).parts[0] for path in FILES}))
def test_no_text_contains_a_phrase_that_readers_stumbled_over(folder: str) -> None:
    paths = [path for path in FILES if path.relative_to(ROOT).parts[0] == folder]
    found = [finding for path in paths for text in texts_in(path) for finding in findings(text)]
    assert not found, "\n" + "\n".join(found).replace(f"{ROOT}/", "")


def test_no_phrase_is_kept_that_no_rule_finds() -> None:
    for path in FILES:
        for phrase in _KEEP.findall(path.read_text(encoding="utf-8")):
            assert any(list(rule.found_in(phrase)) for rule in RULES), f"{path}: nothing finds “{phrase}”"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.say)
def test_a_rule_finds_its_wrong_sentence_and_no_rule_a_right_one(rule: Rule) -> None:
    assert list(rule.found_in(rule.wrong))
    assert not [other.find for other in RULES if list(other.found_in(rule.right))]


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_the_rules_find_almost_nothing_in_what_others_write() -> None:
    """A rule with false alarms would make people write around the test."""
    docstrings = " ".join(_docstrings("matplotlib") + _docstrings("nbgrader"))
    thousands = len(docstrings.split()) / 1000
    counts = {rule.find: len(list(rule.found_in(docstrings))) for rule in RULES}
    assert thousands > 150
    assert max(counts.values()) < 0.1 * thousands, max(counts, key=lambda find: counts[find])
    assert sum(counts.values()) < 0.4 * thousands


def _docstrings(package: str) -> list[str]:
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    found = []
    for path in Path(spec.origin).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(" ".join((ast.get_docstring(node) or "").split()))
    return found


LESSON = """# A title

Padding may stand
anywhere, and `stand there` is code, as is $stand there$.

![The mask stands before the softmax.](stand_there.svg)

```{code-cell}
:tags: [demo]

# of all it sees
said = f"{1} stands there"
```
"""


@pytest.mark.parametrize(
    "name, source, places",
    [
        ("lesson.md", LESSON, {3, 6, 11, 12}),
        ("lesson.md", "Mend it. <!-- style: keep \"Mend\" -->\n\nMend it.\n", {3}),
        ("mistakes.md", "## an_id\n\n- Which line mends\n  it?\n\n`mend` → `mended`\n", {3}),
        ("exercise.py", 'HINT = (\n    "Nobody "\n    "is told."\n)\nMENDED = "mend"\n', {2}),
        ("plain.py", '"""Mend it.\n\nIt lies\nthere.\n"""\n# it lies\n# there\n', {1, 3, 6}),
        ("kept.py", 'text = "Mend it."  # style: keep "Mend"\n', set()),
    ],
)  # fmt: skip
def test_prose_is_read_and_code_is_not(tmp_path: Path, name: str, source: str, places: set[int]) -> None:
    path = tmp_path / name
    path.write_text(source, encoding="utf-8")
    found = [finding for text in texts_in(path) for finding in findings(text)]
    assert {int(finding.split(":")[1]) for finding in found} == places, found
