"""Commands in messages use the class that the instructor selected, so they can be run as they are printed."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LESSON, run_course
from undecided import CUT, class_of_three

from autograder.book.commands import commands
from autograder.class_folder.next_command import WITHOUT_GRADEBOOK, ClassOptions
from course_lib.course import Course


def commands_with(option: str) -> set[str]:
    """Return the names of the commands that have an option."""
    return {
        command.name.removeprefix("course ")
        for command in commands()
        if any(option in one.flags for one in command.parameters)
    }


CLASS_COMMANDS = commands_with("--class") - {"lab"}


def test_the_gradebook_is_named_exactly_for_commands_that_have_the_option() -> None:
    assert CLASS_COMMANDS - commands_with("--gradebook") == set(WITHOUT_GRADEBOOK)


@pytest.mark.parametrize(
    ("options", "words", "command"),
    [
        (ClassOptions(), "grade 03", "course grade 03"),
        (ClassOptions(Path("my class")), "decide STUDENT 03", "course decide STUDENT 03 --class 'my class'"),
        (
            ClassOptions(Path("b"), "postgresql://kim:secret@host/b"),
            "grade 03",
            "course grade 03 --class b --gradebook 'postgresql://kim:***@host/b'",
        ),
        (ClassOptions(Path("b"), "sqlite:///b.db"), "decide ada 03", "course decide ada 03 --class b"),
    ],
)
def test_a_command_has_the_options_of_the_class_and_no_password(
    options: ClassOptions, words: str, command: str
) -> None:
    assert options.command(words) == command


def texts(path: Path) -> Iterator[str]:
    """Yield a module's strings, except docstrings, which are help texts or for developers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_no_message_spells_out_a_command_on_a_class_by_itself(course: Course) -> None:
    written_out = re.compile(rf"(: |<code>)course ({'|'.join(sorted(CLASS_COMMANDS))})\b")
    found = [
        f"{path.relative_to(course.root)}: {text}"
        for path in sorted((course.root / "autograder").rglob("*.py"))
        for text in texts(path)
        if written_out.search(text)
    ]
    pages = [
        str(path)
        for path in (course.root / "autograder/records").glob("*.html")
        if written_out.search(path.read_text())
    ]
    assert found + pages == [], "use ClassOptions.command"


def test_the_hints_of_another_class_work_as_printed(course: Course, tmp_path: Path) -> None:
    root, archive = class_of_three(course, tmp_path, "second class")
    graded = run_course(root, "grade", "03", "--class", "second class")
    exported = run_course(root, "grades", "03", "--to", "grades.csv", "--class", "second class")
    assert (graded.code, exported.code) == (0, 0), (graded, exported)
    following = re.search(r"Next: course (feedback .*), course (report .*)", graded.out)
    assert following
    assert following[1] == f"feedback {LESSON} --class 'second class'"
    report = run_course(root, *shlex.split(following[2]))
    assert report.code == 0 and "second class" in report.out, report
    page = (archive.folder / f"reports/{LESSON}.html").read_text(encoding="utf-8")
    assert f"course decide STUDENT {LESSON} --points N --class &#39;second class&#39;" in page
    hints = re.findall(r"Run: course (.*) \(or", graded.out + exported.out)
    assert len(hints) == 2
    for hint in hints:
        words = shlex.split(hint.replace("STUDENT", CUT).replace("--points N", "--points 7"))
        decided = run_course(root, *words)
        assert decided.code == 0 and "decided: 7 points" in decided.out, decided
