"""A lesson of one's own, as docs/own_exercises.md says: from the skeleton to a grade, without touching the course."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from conftest import cache_beside, copy_course, hand_in_to_lesson, require, run_course
from tiers import slow_but

from autograder.building.notebook import to_text
from autograder.exercises.sampler import LENGTHS, WIDTHS, Sampler
from course_lib.checking.questions import Question
from course_lib.checking.rules import RULES
from course_lib.course import Course, CourseError, read_course
from course_lib.running.cells import grade_id

#: the page's lesson 16, before lesson 00 here, so that no other lesson's answer keys are needed
LESSON = "00_a_toy"
RIGHT = "def share_of(numbers):\n    return numbers / numbers.sum()\n"
WRONG = "def share_of(numbers):\n    return numbers / numbers.max()\n"

DRIVER = """
import json, sys
from course_lib.app.main import main
codes = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["course", *words]
    try:
        main()
    except SystemExit as end:
        codes.append(end.code or 0)
sys.exit(max(codes))
"""


@dataclass(frozen=True)
class Checkout:
    """A course with an extension beside it; each call is a process of its own, as exercises are read once in each."""

    root: Path
    cache: Path

    @property
    def own(self) -> Path:
        return self.root.parent / "my_exercises"

    def python(
        self, code: str, *arguments: str, library: str | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": library or str(Path(__file__).parent.parent),
            "XDG_CACHE_HOME": str(self.cache),
            "COLUMNS": "200",
        }
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(
            command, cwd=cwd or self.root, env=environment, capture_output=True, text=True, check=False
        )

    def course(self, *verbs: list[str]) -> subprocess.CompletedProcess[str]:
        return self.python(DRIVER, json.dumps(verbs))

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.own / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        (self.own / path).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def begun(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The page's first two steps."""
    folder = tmp_path_factory.mktemp("own")
    root = copy_course(course, folder / "course")
    for name in ("LICENSE", "pyproject.toml"):
        (root / name).write_bytes((course.root / name).read_bytes())
    checkout = Checkout(root, cache_beside(folder / "cache"))
    checkout.own.mkdir()
    page = (course.root / "docs/own_exercises.md").read_text(encoding="utf-8")
    with (root / "course.toml").open("a") as settings:
        settings.write(_as_the_page_says(page, (course.root / "course.toml").read_text(encoding="utf-8")))
    command = _block(page, "sh", "exercise new").split()
    made = checkout.course(command[1:])
    assert made.returncode == 0, made.stderr
    checkout.edit("lessons/17_shares.md", "# Lesson 17 · Shares", "# Lesson 00 · Shares")
    (checkout.own / "lessons/17_shares.md").rename(checkout.own / f"lessons/{LESSON}.md")
    return checkout


def _as_the_page_says(page: str, settings: str) -> str:
    """The last table of the course's settings, with the page's folder in its list."""
    last = settings[settings.rindex("\n[") + 1 :]
    heading, folders = _block(page, "toml", "folders =").strip().splitlines()
    assert last.startswith(heading)
    named, times = re.subn(r"^folders = .*$", folders, last, flags=re.MULTILINE)
    assert times == 1
    return f"\n{named}"


def _block(page: str, language: str, holds: str) -> str:
    """The block of code on the page that holds something."""
    (found,) = [block for block in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL) if holds in block]
    return str(found)


@pytest.fixture(scope="module")
def whole(course: Course, begun: Checkout) -> Checkout:
    """What the page says to fill in, and the lesson built and released."""
    page = (course.root / "docs/own_exercises.md").read_text(encoding="utf-8")
    folder = begun.own / "exercises/share_of"
    tried = begun.course(["exercise", "try", "share_of"])
    assert tried.returncode == 1
    assert _block(page, "text", "registered").strip() in tried.stdout
    assert "meets 13 of 14 requirements" in tried.stderr
    for file, more in (
        ("mistakes.md", _block(page, "markdown", "## ")),
        ("variants.py", _block(page, "python", "# %%")),
    ):
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(f"{text}\n{more}", encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in begun.root.rglob("*") if path.is_file()}
    done = begun.course(
        ["exercise", "try", "share_of"],
        ["build", LESSON],
        ["release", LESSON, "--to", "../released.zip"],
        ["exercises"],
        ["lessons"],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All 14 requirements are met" in done.stdout
    assert "share_of(numbers)" in done.stdout
    assert "not here" not in done.stdout, "its notebook lies in the folder"
    assert {path: path.stat().st_mtime_ns for path in begun.root.rglob("*") if path.is_file()} == before
    return begun


def test_a_toy_lesson_made_by_the_page_is_built_into_its_folder(whole: Checkout) -> None:
    student = nbformat.read(whole.own / f"notebooks/{LESSON}/{LESSON}.ipynb", as_version=4)
    (cell,) = [cell for cell in student.cells if grade_id(cell) == "share_of"]
    assert "NotImplementedError" in cell.source and "total" not in cell.source
    solution = nbformat.read(whole.own / f"solutions/{LESSON}/{LESSON}.ipynb", as_version=4)
    assert any("total = numbers.sum()" in cell.source for cell in solution.cells)


def test_a_release_checks_it_at_home_and_holds_no_answer(whole: Checkout, tmp_path: Path) -> None:
    with zipfile.ZipFile(whole.root.parent / "released.zip") as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
        assert not [name for name in names if b"total = numbers.sum()" in archive.read(name)]
    code = (
        "import sys\nfrom course_lib import check\nfrom course_lib.contents import exercises_of\n"
        f"print([entry.id for entry in exercises_of({LESSON!r})])\nimport course_lib.components\n"
        f"{WRONG}print(check('share_of', share_of).text)\n{RIGHT}print(check('share_of', share_of).text)\n"
        "assert not any(name.startswith('autograder') for name in sys.modules)"
    )
    ran = whole.python(code, library=str(tmp_path / "released"), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "['share_of']" in ran.stdout
    assert "You divide by the largest of the numbers" in ran.stdout
    assert "2 of 2" in ran.stdout


def test_a_later_release_hands_the_component_out(whole: Checkout) -> None:
    code = (
        "from course_lib.course import find_course\nfrom autograder.building import release\n"
        "release.public_key_files = lambda *about: {}\n"
        "files = release.library_files(find_course(), '00_the_task')\n"
        "assert b'total = numbers.sum()' in files['components/share_of.py']\n"
        "print(files['components/__init__.pyi'].decode())"
    )
    ran = whole.python(code)
    assert ran.returncode == 0, ran.stderr
    assert "from course_lib.components.share_of import share_of as share_of" in ran.stdout
    assert "softmax" not in ran.stdout


@pytest.mark.slow
def test_it_is_graded_as_ours_are(whole: Checkout) -> None:
    require("bwrap")
    texts = {}
    for student, source in (("ada", RIGHT), ("bob", WRONG)):
        notebook = nbformat.read(whole.own / f"notebooks/{LESSON}/{LESSON}.ipynb", as_version=4)
        for cell in notebook.cells:
            if grade_id(cell) == "share_of":
                cell.source = source
        texts[student] = to_text(notebook)
    hand_in_to_lesson(whole.root / "class/submitted", LESSON, texts)
    grade = ["grade", LESSON, "--submissions", "class/submitted", "--json", "results.json"]
    graded = whole.course(grade, ["feedback", LESSON], ["report", LESSON])
    assert graded.returncode == 0, graded.stdout + graded.stderr
    found = {one["student"]: one for one in json.loads((whole.root / "results.json").read_text())}
    assert (found["ada"]["score"], found["ada"]["max_score"]) == (2, 2)
    assert found["bob"]["exercises"]["share_of"]["misconception"] == "divided_by_the_largest"
    assert found["bob"]["score"] < 2


@pytest.mark.slow
def test_an_edit_of_an_extension_makes_its_own_keys_anew_and_no_other(whole: Checkout) -> None:
    code = (
        "from autograder.exercises.sampler import Sampler\nfrom autograder.exercises.key_cache import kept_at\n"
        "from pathlib import Path\n"
        "print(*(kept_at(Path(), name, Sampler.public(name)) for name in ('softmax', 'share_of')))"
    )
    before = whole.python(code).stdout.split()
    path = whole.own / "components/share_of.py"
    source = path.read_text()
    path.write_text(source + "# edited\n")
    after = whole.python(code).stdout.split()
    path.write_text(source)
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_the_page_names_what_there_is(course: Course) -> None:
    page = (course.root / "docs/own_exercises.md").read_text(encoding="utf-8")
    sampler = Sampler.public("any")
    drawn = re.findall(r"^\| `(sampler\..*?)` \|", page, re.MULTILINE)
    assert len(drawn) > 3
    for said in drawn:
        assert eval(said, {"sampler": sampler, "items": [1, 2, 3]}) is not None
    assert set(sampler.sizes(4)) == set(LENGTHS) and "2, 3, 5 and 6" in page
    assert set(sampler.widths(4)) == set(WIDTHS) and "8, 10, 11 and 12" in page
    kinds = re.findall(r"^\| `([A-Z]\w+)` \|", page, re.MULTILINE)
    rules = re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE)
    assert kinds and set(kinds) <= Question.kinds.keys()
    assert rules and set(rules) <= RULES.keys()


BROKEN = [
    ("exercises/share_of/exercise.py", "1 / 0\n", "exercise.py cannot be used: ZeroDivisionError"),
    ("exercises/share_of/exercise.py", "MISTAKES = ()\n", "exercise.py defines no exercise"),
    (
        "exercises/share_of/mistakes.md",
        "## a\n\nYou add.\n",
        "mistakes.md: a: two or three hints are required; there are 0",
    ),
    (
        "exercises/share_of/mistakes.md",
        "## divided_by_the_largest\n\nYou add.\n\n- One.\n- Two.\n- Three.\n\n`def not_there` → `def`\n",
        "mistake 'divided_by_the_largest': the text to be edited, 'def not_there', must occur once in the reference",
    ),
    (
        "exercises/share_of/variants.py",
        "# %% right: one that cannot be read\ndef share_of(numbers):\n    return (\n",
        "SyntaxError: '(' was never closed",
    ),
    ("exercises/softmax/exercise.py", "", "the course has an exercise 'softmax', too"),
    ("components/softmax.py", "", "softmax.py have the same name"),
    ("components/other.py", "def softmax(scores): ...\n", "other.py defines softmax, which "),
]


@pytest.mark.parametrize("path, source, said", slow_but(BROKEN[:1], BROKEN))
def test_a_file_that_cannot_be_used_is_named(begun: Checkout, path: str, source: str, said: str) -> None:
    file = begun.own / path
    before = file.read_text() if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    file.write_text(source)
    try:
        ran = begun.course(["exercise", "try", "share_of"])
    finally:
        file.unlink() if before is None else file.write_text(before)
        if not any(file.parent.iterdir()):
            file.parent.rmdir()
    assert ran.returncode == 1
    assert said in ran.stderr and "Traceback" not in ran.stderr


def test_new_says_what_cannot_be_and_writes_nothing_then(begun: Checkout) -> None:
    before = sorted(begun.own.rglob("*"))
    for name, lesson, said in [
        ("share_of", "03", "is there already"),
        ("softmax", "03", "The course has an exercise 'softmax'"),
        ("Two Words", "03", "cannot be a function's name"),
        ("other", "03_other", "03_self_attention has the number 03"),
        ("other", "77", "There is no lesson called '77'"),
    ]:
        ran = run_course(begun.root, "exercise", "new", name, "--lesson", lesson)
        assert ran.code == 1 and said in ran.err, (name, ran)
    assert sorted(begun.own.rglob("*")) == before


@pytest.mark.slow
def test_an_exercise_for_one_of_our_lessons_comes_with_a_copy_of_its_text(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course", own_secret=True)
    (root / "course.toml").write_text('[extensions]\nfolders = ["own"]\n')
    refused = run_course(root, "exercise", "new", "other", "--lesson", "03")
    assert refused.code == 1 and "which is not there" in refused.err
    (root / "own").mkdir()
    assert run_course(root, "exercise", "new", "other", "--lesson", "03").code == 0
    copied = root / "own/lessons/03_self_attention.md"
    assert copied.read_text() == (root / "lessons/03_self_attention.md").read_text()
    tried = Checkout(root, cache_beside(tmp_path / "cache")).course(["exercise", "try", "other"])
    assert tried.returncode == 1 and "no lesson has a cell for it: one with the tag exercise" in tried.stderr
    assert read_course(root).lesson_text("03_self_attention") == copied.resolve()


def test_without_a_folder_new_says_how_to_name_one(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course", own_secret=True)
    ran = run_course(root, "exercise", "new", "other", "--lesson", "03")
    assert ran.code == 1 and '[extensions] folders = ["../my_exercises"]' in ran.err


@pytest.mark.parametrize("value", ['"../one"', "[1]", '[""]'])
def test_folders_are_a_list_of_names(tmp_path: Path, value: str) -> None:
    (tmp_path / "course.toml").write_text(f"[extensions]\nfolders = {value}\n")
    with pytest.raises(CourseError, match="it must be a list of folders"):
        read_course(tmp_path)
