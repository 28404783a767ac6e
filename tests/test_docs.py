"""The documentation's links lead somewhere, its commands exist, and its figures match the recorded ones."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from autograder.book.commands import PAGE, Command, commands, commands_page
from autograder.book.guides import sections
from autograder.building.package import README as release_readme
from autograder.exercises import DEFINITIONS
from course_lib import course as settings
from course_lib.contents import exercises_of, public_lessons
from course_lib.course import Course, find_course
from course_lib.version import __version__

ROOT = find_course(Path(__file__).parent).root
README = ROOT / "README.md"
PAGES = [README, *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "lessons/START_HERE.md"))]
PAGES += sorted((ROOT / "docs").glob("*.md"))
COMMANDS = {command.name: command for command in commands()}

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"^```(?:sh|text|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
_LINK_IN_CODE = re.compile(r"`[^`\n]*\]\([^`\n]*`")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def words(text: str) -> int:
    return len(text.split())


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts and MyST make them."""
    headings = _HEADING.findall(_FENCED.sub("", text_of(page)))
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


# links


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_and_anchor_leads_somewhere(page: Path) -> None:
    folder = ROOT / "notebooks" if page.parent.name == "lessons" else page.parent
    broken = []
    text = _LINK_IN_CODE.sub("", _FENCED.sub("", text_of(page)))
    for target in ("".join(found) for found in _LINK.findall(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (folder / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


def test_every_page_is_listed_in_the_index(course: Course) -> None:
    listed = [page for pages in sections(course).values() for page in pages]
    there = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert len(listed) == len(set(listed))
    assert {page for page in listed if "/" not in page} == there, "list it in docs/index.md"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_headings_skip_no_level(page: Path) -> None:
    levels = [len(found) for found in re.findall(r"^(#+) ", _FENCED.sub("", text_of(page)), re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


# commands


def shown_commands(page: Path) -> Iterator[str]:
    """Yield every command line that a page shows, in a block or in a sentence."""
    text = text_of(page)
    for block in _SHELL.findall(text):
        for line in block.splitlines():
            yield from re.split(r" && | \| ", re.sub(r"^\$ |\s+#\s.*", "", line.replace("\\", "/")))
    for code in _INLINE.findall(_FENCED.sub("", text)):
        yield from code.split(" && ")


def what_is_wrong(line: str) -> str:
    """Return why a command line can't be run as shown; empty if it can, or if it isn't one of our commands."""
    try:
        said = shlex.split(re.sub(r"\[[A-Z]+\]", "", line))  # without optional parts
    except ValueError:
        return ""
    if not said:
        return ""
    program, rest = Path(said[0]).name, said[1:]
    if program == "course" and rest:
        return _course(rest)
    if program == "make" and rest:
        targets = set(re.findall(r"^([\w-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
        unknown = {one for one in rest if "=" not in one and re.fullmatch(r"[\w-]+", one)} - targets
        return f"the Makefile has no {unknown}" if unknown else ""
    if "-m" in rest[:2] and program.startswith("python"):
        module, *arguments = rest[rest.index("-m") + 1 :]
        if module == "pytest":
            return _pytest(arguments)
        if module.startswith(("benchmarks", "autograder", "course_lib")):
            return _module(module, arguments)
    return _pytest(rest) if program == "pytest" else ""


def _course(rest: list[str]) -> str:
    if rest[0].startswith("-") or not re.fullmatch(r"[a-z]+", rest[0]):
        return ""  # options of the command itself, COMMAND, or an ellipsis
    name = f"course {' '.join(rest[:2])}" if rest[0] == "exercise" and len(rest) > 1 else f"course {rest[0]}"
    if name == "course exercise":
        return ""
    if name not in COMMANDS:
        return f"there is no {name}"
    command: Command = COMMANDS[name]
    flags = {flag: one for one in command.parameters for flag in one.flags}
    given, waiting = [], rest[len(name.split()) - 1 :]
    while waiting:
        one = waiting.pop(0)
        if one == "--":
            break
        if not one.startswith("-"):
            given.append(one)
        elif one not in flags:
            return f"{name} has no option {one}"
        elif flags[one].value and waiting:
            value = waiting.pop(0)
            choices = flags[one].value.split("|")
            if len(choices) > 1 and not set(value.split("|")) <= set(choices):
                return f"{one} takes {flags[one].value}, not {value}"
    most = sum(not one.flags for one in command.parameters)
    return f"{name} takes at most {most} arguments" if len(given) > most else ""


def _module(module: str, arguments: list[str]) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None:
        return f"the module {module} does not exist"
    path = Path(str(spec.origin))
    source = text_of(path.with_name("__main__.py") if path.name == "__init__.py" else path)
    return ", ".join(f"{module} has no {one}" for one in arguments if one.startswith("--") and f'"{one}"' not in source)


def _pytest(arguments: list[str]) -> str:
    files = [one.split("::")[0] for one in arguments if one.startswith("tests/")]
    return ", ".join(f"{one} is not there" for one in files if not (ROOT / one).is_file())


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_that_is_shown_exists_with_its_options(page: Path) -> None:
    assert not [f"{line}: {wrong}" for line in shown_commands(page) if (wrong := what_is_wrong(line))]


@pytest.mark.parametrize(
    "line",
    ["course grde 03", "course grade 03 --fast", "course grades 03 --format excel", "make supper", "course grade 03 04",
     "python -m benchmarks.nothing", "python -m benchmarks.wild --no-such", "pytest tests/test_nothing.py",
     "course exercise remove x"],
)  # fmt: skip
def test_a_command_that_does_not_exist_is_found(line: str) -> None:
    assert what_is_wrong(line)


def test_some_commands_are_found_on_the_pages() -> None:
    ours = [line for page in PAGES for line in shown_commands(page) if re.match(r"(\S*/)?course [a-z]", line)]
    assert len(ours) > 60
    assert (
        not set(COMMANDS)
        - {" ".join(line.split()[:2]).split("/")[-1] for line in ours}
        - {name for name in COMMANDS if name.startswith("course exercise")}
    )


def test_the_page_of_commands_is_what_the_help_texts_say() -> None:
    assert text_of(ROOT / PAGE) == commands_page(), "run: python -m autograder.book.commands"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_no_word_in_brackets_is_lost_in_a_terminal(command: Command) -> None:
    said = [command.help, *(one.help for one in command.parameters)]
    assert not [text for text in said if re.search(r"(?<!\\)\[(?!/?(?:bold|dim)\]|/\])[a-z_.]+\]", text)], "escape it"


# figures


def table(page: Path, first: str) -> list[list[str]]:
    """Return the rows of the table whose header begins with a word."""
    block = re.search(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text_of(page), re.MULTILINE)
    assert block
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in block[1].splitlines()]


def test_the_table_of_settings_has_the_defaults_of_the_code() -> None:
    rows = {row[0].strip("`"): row for row in table(ROOT / "docs/course_toml.md", "Setting")}
    assert len(rows) == len(table(ROOT / "docs/course_toml.md", "Setting")), "each has one row"
    assert rows.keys() == settings._SETTINGS.keys(), "every setting has a row in docs/course_toml.md"
    for name, (default, is_right, _) in settings._SETTINGS.items():
        _, values, said, effect = rows[name]
        assert toml(said.strip("`")) == (list(default) if default == () else default), name
        assert all(is_right(toml(value)) for value in _INLINE.findall(values) if value in VALUES), name
        assert words(effect) > 3


#: the values that the column can name
VALUES = {'"hand"', '"completion"', '"off"', "true", "false", '"none"', '"first"', '"all"', '"report"', '"no_points"',
          '"keep"', '""', '"zero"', '"percent_per_day"'}  # fmt: skip


def toml(value: str) -> Any:
    return tomllib.loads(f"value = {value}")["value"]


def test_course_toml_is_shipped_with_the_defaults() -> None:
    shipped = dict(settings._flat(tomllib.loads(text_of(ROOT / "course.toml"))))
    for name, value in shipped.items():
        default = settings._SETTINGS[name][0]
        assert name == "name" or value == (list(default) if default == () else default), name


def test_the_table_of_lessons_links_to_notebooks_and_has_their_minutes_and_points() -> None:
    rows = table(README, "lesson")
    assert len(rows) == len(public_lessons())
    for row, lesson in zip(rows, public_lessons(), strict=True):
        place = f"notebooks/{lesson.name}/{lesson.name}.ipynb"
        assert row[0] == f"[{lesson.number} {lesson.title}]({place})"
        assert row[2:] == [str(lesson.minutes), f"{sum(one.points for one in exercises_of(lesson.name)):g}"]


def quoted(pattern: str, *pages: Path) -> list[str]:
    """Return every figure that pages quote in a phrase. There must be at least one."""
    found = [one for page in pages or PAGES for one in re.findall(pattern, text_of(page))]
    assert found, f"no page says {pattern}"
    return found


def test_hours_are_the_sum_of_minutes() -> None:
    whole = sum(lesson.minutes for lesson in public_lessons())
    to_the_translator = sum(lesson.minutes for lesson in public_lessons() if lesson.number <= "11")
    assert set(quoted(r"about (\d+) hours(?! and)(?!\) end)", README, ROOT / "lessons/START_HERE.md")) == {
        f"{whole / 60:.0f}"
    }
    assert quoted(r"about (\d+) hours\) end", README) == [f"{to_the_translator / 60:.0f}"]


def test_pages_quote_the_actual_counts() -> None:
    mistakes = sum(len(one.exercise.misconceptions) for one in DEFINITIONS.values())
    for said in quoted(r"over ([\d,]+) known mistakes"):  # a new mistake must not need an edit there
        assert 0 <= mistakes - int(said.replace(",", "")) < 200
    assert set(quoted(r"(\d+) exercises[,:]")) == {str(len(DEFINITIONS))}


def test_quoted_time_and_space_to_set_up_match_the_makefile() -> None:
    [_, for_students] = quoted(r"\(about ([^)]+)\)", ROOT / "Makefile")
    said = for_students.replace(", ", " and ")
    assert set(quoted(r"about (\d minutes[^,);]*GB)", README, ROOT / "docs/learning.md")) == {said}


def test_quoted_times_of_the_tests_match_the_makefile() -> None:
    for target in ("test", "test-slow", "test-all"):
        [said] = quoted(rf'"make {target} .*\((\d+ minutes)\)"', ROOT / "Makefile")
        assert quoted(rf"make {target} +# .*: (\d+ minutes)", ROOT / "docs/maintaining.md") == [said]
        for page in (README, ROOT / "CONTRIBUTING.md") if target != "test-slow" else ():
            assert quoted(rf"`make {target}`(?: once)? \((\d+ minutes)\)", page) == [said]


def test_quoted_sizes_match_the_code() -> None:
    lines = {
        top: sum(len(text_of(path).splitlines()) for path in (ROOT / top).rglob("*.py"))
        for top in ("course_lib", "autograder", "tests", "benchmarks")
    }
    [total] = quoted(r"([\d,]+) lines of Python", ROOT / "CONTRIBUTING.md")
    assert int(total.replace(",", "")) == pytest.approx(sum(lines.values()), rel=0.1)
    for row in table(ROOT / "docs/ARCHITECTURE.md", "Code"):
        name = row[0].strip("`/")
        if name in lines:
            assert int(row[1].replace(",", "")) == pytest.approx(lines[name], rel=0.1), name


def test_versions_agree() -> None:
    assert f"version: {__version__}\n" in text_of(ROOT / "CITATION.cff")
    assert f"## {__version__}" in text_of(ROOT / "CHANGELOG.md")
    assert f"Version {__version__}" in text_of(README)
    needed = next(one for one in project()["optional-dependencies"]["lab"] if one.startswith("torch"))
    assert needed in text_of(ROOT / "docs/learning.md") and needed in release_readme
    below = re.search(r"<(\d+\.\d+)", needed)
    assert below and f"PyTorch {below[1]} and later" in text_of(ROOT / "CHANGELOG.md")
    python = project()["requires-python"].removeprefix(">=")
    assert set(quoted(r"Python (3\.\d+) or later")) == {python}


def project() -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    return data


def test_the_shares_of_named_mistakes_are_stated_once() -> None:
    # measured on data that isn't part of the course, so copies on other pages would go out of date
    page = ROOT / "docs/maintaining.md"
    shares = [int(row[1].removesuffix(" %")) for row in table(page, "Wrong programs")]
    assert len(shares) == 6
    for share in shares:
        assert [named(other) for other in PAGES if re.search(rf"(?<!–)\b{share} %", text_of(other))] == [named(page)]
    assert quoted(r"(\d+–\d+) % of the programs") == [f"{min(shares)}–{max(shares)}"]


def test_pages_are_no_longer_than_their_readers_have_time_for() -> None:
    assert words(re.sub("<!--hosts-->.*", "", text_of(README))) <= 850, "without links to hosts"
    assert words(text_of(ROOT / "CHANGELOG.md")) <= 400
