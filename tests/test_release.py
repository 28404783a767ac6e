"""What a class is handed out: installed outside the checkout, in an environment that knows nothing of it, and used."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from conftest import POINTS, copy_course, run_course
from nbgrader.api import Gradebook

from autograder.building.package import README, _diagrams, package_files, release_package
from autograder.building.release import PACKAGE, is_source, withheld_components
from autograder.exercises import DEFINITIONS, of_lesson
from autograder.gradebook.gradebook import Records
from autograder.records.archive import class_archive
from autograder.records.deadlines import earlier_deadlines
from course_lib.contents import public_exercises, public_lessons
from course_lib.course import START, Course, CourseError, find_course
from course_lib.version import __version__

LESSON, LATER = "03_self_attention", "04_multi_head_attention"
WRITTEN = DEFINITIONS["softmax"]


@dataclass(frozen=True)
class Student:
    """A student's environment, and a folder to work in."""

    home: Path

    @property
    def python(self) -> Path:
        return Path(self.program("python"))

    def program(self, name: str) -> str:
        """A program of the environment: in its `bin`, or, on Windows, in `Scripts`, with an ending."""
        found = shutil.which(name, path=self.folder("scripts"))
        assert found, f"{name} is not in {self.folder('scripts')}"
        return found

    def folder(self, kind: str) -> str:
        """Where the environment keeps its ``scripts``, or its packages: ``purelib``."""
        base = str(self.home / "venv")
        return sysconfig.get_path(kind, "venv", {"base": base, "platbase": base})

    def install(self, package: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet", "--no-deps"]
        done = subprocess.run(
            [*pip, "--no-index", "--no-build-isolation", "--force-reinstall", str(package)],
            capture_output=True, text=True, check=False, cwd=self.home,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def course(self, *arguments: str, folder: str = "seat", code: int = 0) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COURSE"))}
        (self.home / folder).mkdir(exist_ok=True)
        done = subprocess.run(
            [self.program("course"), *arguments],
            cwd=self.home / folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def released(course: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The packages of two lessons, unpacked."""
    folders = {}
    for lesson in (LESSON, LATER):
        place = tmp_path_factory.mktemp("released")
        with zipfile.ZipFile(release_package(course, lesson, place / "handout.zip")) as archive:
            archive.extractall(place)
        folders[lesson] = place / "handout"
    return folders


@pytest.fixture(scope="module")
def student(released: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Student:
    """An environment with what the course needs, and not the course; then with its package, and a workspace."""
    home = tmp_path_factory.mktemp("student")
    venv.create(home / "venv", with_pip=False, symlinks=os.name != "nt")  # Windows keeps them for administrators
    student = Student(home)
    # the packages of this environment, but nothing that its .pth files add: a checkout is not seen
    needed = Path(student.folder("purelib")) / "needed.pth"
    needed.write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    student.install(released[LESSON])
    assert f"New here: 00_the_task, 01_recurrent_translation, 02_attention, {LESSON}" in student.course(
        "start", "--no-lab"
    )
    return student


def test_its_readme_says_what_windows_cannot_do(released: dict[str, Path]) -> None:
    readme = (released[LESSON] / "README.md").read_text(encoding="utf-8")
    assert "On Windows, checks in a notebook should work, but nobody has tried them." in readme
    assert "WSL" in readme


def test_its_readme_keeps_the_work_out_of_the_package(tmp_path: Path) -> None:
    """With stand-ins for Python, pip and `course`, which leave a file where they run."""
    begin, _, install, later = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    package, programs = tmp_path / "handout", tmp_path / "programs"
    for folder in (package, programs):
        folder.mkdir()
    stand_in = programs / "python3"
    stand_in.write_text(
        "#!/bin/sh\n"
        'mkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\necho pip in "$PWD" >> ../done\\n\' > "$3/bin/python"\n'
        'printf \'#!/bin/sh\\necho course in "$PWD" >> ../done; touch notebook\\n\' > "$3/bin/course"\n'
        'chmod +x "$3"/bin/*\n',
        encoding="utf-8",
    )
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    for commands in (begin + install, later):
        subprocess.run(["sh", "-e", "-c", commands], cwd=package, env=environment, check=True)
        assert not list(package.iterdir()), "the package holds nothing of the student's"
        shutil.rmtree(package)  # the next release takes its place
        package.mkdir()
    assert (tmp_path / "my-course/notebook").is_file()
    ran = (tmp_path / "done").read_text(encoding="utf-8").splitlines()
    assert ran == [f"pip in {package}", f"course in {tmp_path / 'my-course'}"] * 2


def test_nothing_of_the_checkout_is_seen(student: Student) -> None:
    asked = "import course_lib, importlib.util as u; print(course_lib.__file__, u.find_spec('autograder'))"
    done = subprocess.run(
        [str(student.python), "-I", "-c", asked], capture_output=True, text=True, check=True, cwd=student.home
    )
    assert done.stdout.startswith(str(student.home)) and done.stdout.endswith("None\n")


def test_a_seat_has_everything(student: Student) -> None:
    assert (student.home / f"seat/{START}.ipynb").is_file()
    assert (student.home / f"seat/{LESSON}/{LESSON}.ipynb").is_file()
    assert list((student.home / f"seat/{LESSON}/diagrams").glob("*.svg"))
    assert not (student.home / "seat" / LATER).exists()
    start = (student.home / f"seat/{START}.ipynb").read_text(encoding="utf-8")
    assert f"{LESSON}/{LESSON}.ipynb" in start and LATER not in start
    said = student.course("lessons")
    assert said.count("not here") == len(public_lessons()) - 4, "all but lessons 00 to 03"


def test_the_map_is_in_start_here_already(student: Student) -> None:
    notebook = nbformat.read(student.home / f"seat/{START}.ipynb", as_version=4)
    [cell] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "points lie ahead of you" in cell.outputs[0]["data"]["text/plain"]
    assert "data:image/svg+xml" in cell.outputs[0]["data"]["text/html"]


#: what runs a whole notebook starts it in a fork
RUNS_NOTEBOOKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork: see docs/learning.md")


@RUNS_NOTEBOOKS
def test_the_first_green_card(student: Student) -> None:
    path = student.home / f"seat/{LESSON}/{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == WRITTEN.id:
            cell.source = WRITTEN.reference.source
    nbformat.write(notebook, path)
    assert "Nothing else was found." in student.course("doctor", str(path))
    said = student.course("check", str(path))
    assert "softmax — 3 of 3 points" in said
    assert f"3 of {sum(d.exercise.points for d in of_lesson(LESSON)):g} points" in said
    minutes = DEFINITIONS["attention_loops"].exercise.minutes
    assert f"Next: attention_loops, about {minutes} minutes, in {LESSON}/{LESSON}.ipynb" in said
    assert "→ 03" in student.course("progress") and f"3 of {POINTS:g}" in student.course("progress")


@pytest.mark.skipif(hasattr(os, "fork"), reason="this system can")
def test_where_no_notebook_can_be_run_the_check_says_so(student: Student) -> None:
    path = student.home / f"seat/{LESSON}/{LESSON}.ipynb"
    assert "use check() in the notebook" in student.course("check", str(path), code=1)


@RUNS_NOTEBOOKS
def test_all_notebooks_at_once(student: Student) -> None:
    said = student.course("check")
    assert re.search(r"^00_the_task +0 of 18   still open: pad_batch, ", said, re.MULTILINE)
    assert re.search(rf"^{LESSON} +3 of {POINTS:g}   still open: attention_loops, ", said, re.MULTILINE)
    assert (
        f"3 of {sum(entry.points for entry in public_exercises() if entry.lesson <= LESSON):g} points in 4 notebooks"
        in said
    )
    assert "Next: attention_loops, " in said


@pytest.mark.slow
def test_a_written_notebook_runs_on_its_kernel_and_nbgrader_validates_it(student: Student) -> None:
    notebook = nbformat.read(student.home / "seat/00_the_task/00_the_task.ipynb", as_version=nbformat.NO_CONVERT)
    here = f"import course_lib\nassert course_lib.__file__.startswith({str(student.home)!r})\n\n"
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in DEFINITIONS:
            cell.source = here + DEFINITIONS[name].reference.source
    (student.home / "validated").mkdir()
    nbformat.write(notebook, student.home / "validated/00_the_task.ipynb")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COURSE"))}
    done = subprocess.run(
        [str(student.python), "-m", "nbgrader", "validate", "00_the_task.ipynb"],
        cwd=student.home / "validated", env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Success! Your notebook passes all the tests" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_what_asks_for_more_says_so(student: Student) -> None:
    assert "lesson 12" in student.course("train", "--out", "run", code=1)
    assert "lesson 12" in student.course("export", "run", "--out", "page.html", code=1)
    said = student.course("lab", folder="elsewhere", code=1)
    assert "There are no notebooks here" in said and "course start" in said
    assert "There are no notebooks here" in student.course("progress", folder="elsewhere", code=1)


def test_a_later_lesson_is_added_and_what_is_there_stays(student: Student, released: dict[str, Path]) -> None:
    mine = student.home / "seat/00_the_task/00_the_task.ipynb"
    mine.write_text("my work", encoding="utf-8")
    student.install(released[LATER])
    said = student.course("start", "--no-lab")
    assert f"New here: {LATER}\n" in said
    assert "Yours, as you left them: 00_the_task" in said
    assert mine.read_text(encoding="utf-8") == "my work"
    assert LATER in (student.home / f"seat/{START}.ipynb").read_text(encoding="utf-8")


def test_no_answer_is_handed_out(course: Course) -> None:
    names = set(package_files(course, LESSON))
    withheld = withheld_components(LESSON)
    assert withheld and not [name for name in names if Path(name).stem in withheld and "/components/" in name]
    assert not [name for name in names if name.startswith(("autograder", "solutions", "lessons", "tests"))]
    assert not [name for name in names if f"keys/{LATER}" in name or f"notebooks/{LATER}" in name]


COPIES = (
    ".{}.py.swp",
    "{}.py~",
    "{}.py.orig",
    "{} (copy).py",
    "#{}.py#",
    ".ipynb_checkpoints/{}-checkpoint.py",
    "{}.json",
)


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_of_a_solution_that_an_editor_left_is_no_part_of_the_library(copy: str) -> None:
    assert not is_source(Path("components") / copy.format("softmax"))
    assert is_source(Path("components/softmax.py")) and is_source(Path("keys/03_self_attention/softmax.json"))


def test_every_file_of_the_library_in_the_repository_is_part_of_it(course: Course) -> None:
    listed = subprocess.check_output(["git", "ls-files", "course_lib"], cwd=PACKAGE.parent, text=True)
    names = [Path(line).relative_to("course_lib") for line in listed.splitlines()]
    assert not [name for name in names if not is_source(name)]


def test_a_diagram_that_a_lesson_no_longer_shows_is_not_handed_out(desk: Path) -> None:
    course = find_course(desk)
    shown = _diagrams(course, LESSON)
    (shown[0].parent / "edited_out.svg").write_text("<svg>softmax = ...</svg>")
    assert shown == _diagrams(course, LESSON) and all(path.is_file() for path in shown)
    assert {path.name for path in shown} < {path.name for path in shown[0].parent.glob("*.svg")}
    (shown[0].parent / "edited_out.svg").unlink()


@pytest.fixture(scope="module")
def desk(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instructor's copy of everything, with a class in which one has longer than the others."""
    root = copy_course(course, tmp_path_factory.mktemp("desk"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(course.root / name, root)
    (root / "class/students.csv").write_text("id,extra_days\nada,2\nkim,0\n", encoding="utf-8")
    return root


def due(root: Path, hours: float, extension: float = 0) -> None:
    """Let lesson 03 be due so many hours from now, and kim have so many more."""
    with Records(url := f"sqlite:///{root}/class/gradebook.db"), Gradebook(url) as book:
        book.update_or_create_assignment(
            LESSON, duedate=datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=hours)
        )
        book.update_or_create_student("kim")
        book.update_or_create_submission(LESSON, "kim")
        book.grant_extension(LESSON, "kim", hours=extension)


def test_a_lesson_accepts_work_until_the_longest_extension_is_over(desk: Path) -> None:
    archive = class_archive(find_course(desk))

    def still(lesson: str = LATER) -> list[str]:
        return list(earlier_deadlines(find_course(desk), lesson, archive).until)

    assert still() == [], "without a gradebook, nothing is due"
    for hours, extension, is_open in ((1, 0, True), (-47, 0, True), (-49, 0, False), (-49, 50, True), (-49, 48, False)):
        due(desk, hours, extension)
        assert still() == ([LESSON] if is_open else []), (hours, extension)
    due(desk, 1)
    assert still(LESSON) == [], "a lesson may be released again while it is written"
    with Gradebook(archive.gradebook) as book:
        book.update_or_create_assignment(LESSON, duedate=None)
    assert still() == [], "without a due date it is closed"


@pytest.mark.parametrize("named", [("--class", "clas"), ("--gradebook", "sqlite:///mistyped.db")])
def test_a_gradebook_that_is_named_and_not_there_releases_nothing(desk: Path, named: tuple[str, str]) -> None:
    ran = run_course(desk, "release", "04", "--to", "mistyped", *named)
    said = " ".join(ran.err.split())
    assert ran.code == 1 and not (desk / "mistyped").exists(), ran
    assert "There is no gradebook sqlite:///" in said and "check --class and --gradebook." in said
    assert not (desk / "clas").exists() and not (desk / "mistyped.db").exists()


def test_lessons_without_a_due_date_and_extensions_that_the_roster_has_shorter_are_said(desk: Path) -> None:
    due(desk, -72)
    ran = run_course(desk, "release", "04", "--to", "closed")
    said = " ".join(ran.out.split())
    assert ran.code == 0 and "of 00_the_task or 01_recurrent_translation or 02_attention: without one" in said, ran
    assert "by the roster" not in said
    with Gradebook(f"sqlite:///{desk}/class/gradebook.db") as book:
        book.update_or_create_student("ada")
        book.update_or_create_submission(LESSON, "ada")
        book.grant_extension(LESSON, "ada", days=30)
    longer = f"Longer for {LESSON} by the gradebook than by the roster and deadlines.csv: ada 30 days, not 2."
    refused = run_course(desk, "release", "04", "--to", "closed")
    assert refused.code == 1 and longer in " ".join(refused.err.split()), refused
    ran = run_course(desk, "release", "04", "--to", "closed", "--own-parts")
    assert ran.code == 0 and longer in " ".join(ran.out.split()), ran
    with Gradebook(f"sqlite:///{desk}/class/gradebook.db") as book:
        book.grant_extension(LESSON, "ada")


@RUNS_NOTEBOOKS
@pytest.mark.slow
def test_while_a_lesson_accepts_work_the_next_comes_without_its_answers(desk: Path, course: Course) -> None:
    due(desk, 1)
    refused = run_course(desk, "release", "04", "--to", "own")
    assert refused.code == 1 and not (desk / "own").exists()
    said = " ".join(refused.err.split())
    assert f"Work is still accepted for {LESSON} (until " in said and "course release" in said and "--own-parts" in said
    ran = run_course(desk, "release", "04", "--to", "own", "--own-parts")
    assert ran.code == 0 and "own parts of" in ran.out and LESSON in ran.out, ran
    package = desk / "own"
    assert f"accepted for {LESSON}" in (package / "README.md").read_text(encoding="utf-8")
    # of what the release of the lesson itself does not hold, there are but stand-ins
    before = {Path(name).stem for name in package_files(find_course(desk), LESSON) if "/components/" in name}
    added = {path.stem: path for path in package.glob("course_lib/components/*.py") if path.stem not in before}
    assert added.keys() == {definition.module.rpartition(".")[2] for definition in of_lesson(LESSON)}
    for path in added.values():
        defined = {type(one).__name__ for one in ast.parse(path.read_text(encoding="utf-8")).body}
        assert defined == {"Expr", "ImportFrom", "Assign"}, path
    assert (package / f"course_lib/keys/{LESSON}/softmax.json").is_file()

    workspace = desk / "seat"
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "200"}

    def student(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=workspace, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def write(lesson: str, *left_out: str) -> None:
        notebook = nbformat.read(course.student_notebook(lesson), as_version=nbformat.NO_CONVERT)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if name in DEFINITIONS and name not in left_out:
                cell.source = DEFINITIONS[name].reference.source
        (workspace / lesson).mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, workspace / lesson / f"{lesson}.ipynb")

    at, points = f"{LATER}/{LATER}.ipynb", sum(d.exercise.points for d in of_lesson(LATER))
    all_points = f"{points:g} of {points:g} points in {LATER}"
    write(LATER)
    write(LESSON, "scaled_dot_product_attention")
    without = student("-m", "course_lib.app", "check", at)
    assert f"scaled_dot_product_attention is yours to write, in {LESSON}" in " ".join(without.split())
    assert "split_heads — 2 of 2" in without and all_points not in without
    write(LESSON)
    assert all_points in student("-m", "course_lib.app", "check", at)
    begun = (
        "import os; os.chdir(os.path.dirname(os.sys.argv[1]))\n"
        "from course_lib import begin, own_parts\n"
        "from course_lib.components import SelfAttention, softmax\n"
        "from course_lib.journey.solution import ours\n"
        f"begin({LATER!r}, version={__version__!r})\n"
        "print(SelfAttention.__module__, softmax.__module__, ours('softmax'))\n"
        "own_parts.use(False)\n"
        "print(SelfAttention.__module__)"
    )
    said = student("-c", begun, at)
    assert "All 5 parts are yours." in said
    assert said.endswith("own_parts.SelfAttention own_parts.softmax None\nown_parts.SelfAttention\n"), said


def test_a_release_holds_the_hints_and_names_that_it_was_told_to(desk: Path) -> None:
    policy = (desk / "course.toml").read_bytes()
    for hints, names, first in (("first", "on", True), ("none", "off", False)):
        ran = run_course(desk, "release", "01", "--to", "policy", "--hints", hints, "--names", names)
        assert ran.code == 0, ran
        assert "No due date is known of any earlier lesson: without one " in " ".join(ran.out.split())
        keys = {path.stem: path.read_text(encoding="utf-8") for path in desk.glob("policy/course_lib/keys/*/*.json")}
        assert keys.keys() == {d.id for d in DEFINITIONS.values() if d.exercise.lesson <= "01_recurrent_translation"}
        for name, text in keys.items():
            key = json.loads(text)
            exercise = key["exercise"]
            ours = DEFINITIONS[name].exercise
            known = exercise["misconceptions"]
            assert bool(known) is (names == "on" and bool(ours.misconceptions)), name
            for given, all_three in zip(
                [exercise["hints"], *(one["hints"] for one in known)],
                [ours.hints, *(one.hints for one in ours.misconceptions)],
                strict=names == "on",
            ):
                assert given == [all_three[0] if first else "", "", ""], name
            # not in the key's other parts, either. One mistake's first hint may be another's second
            for one in (exercise, *known):
                del one["hints"]
            others = json.dumps(key, ensure_ascii=False)
            hidden = [hint for one in (ours, *ours.misconceptions) for hint in one.hints[1 if first else 0 :]]
            assert not [hint for hint in hidden if json.dumps(hint, ensure_ascii=False)[1:-1] in others], name
    assert (desk / "course.toml").read_bytes() == policy


@pytest.mark.parametrize(
    ("edited", "command"),
    [(["02_attention"], "course build 02_attention"), (["01_recurrent_translation", "02_attention"], "course build")],
)
def test_a_stale_build_is_refused_with_all_stale_lessons_and_one_command(
    desk: Path, edited: list[str], command: str
) -> None:
    paths = [desk / f"lessons/{name}.md" for name in edited]
    before = [path.read_text(encoding="utf-8") for path in paths]
    for path, text in zip(paths, before, strict=True):
        path.write_text(text.replace("\n# ", "\n# Edited: ", 1), encoding="utf-8")
    try:
        ran = run_course(desk, "release", "03", "--to", "stale.zip")
    finally:
        for path, text in zip(paths, before, strict=True):
            path.write_text(text, encoding="utf-8")
    said = " ".join(ran.err.split())
    assert ran.code == 1 and f"{', '.join(edited)}: the notebooks are not" in said, ran
    assert said.endswith(f"Run: {command}")
    assert not (desk / "stale.zip").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="nbgrader has no exchange there")
@pytest.mark.slow
def test_nbgraders_exchange_hands_out_the_same(desk: Path, course: Course) -> None:
    due(desk, 1)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def nbgrader(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=desk, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    nbgrader("-m", "nbgrader", "release_assignment", LESSON, f"--Exchange.root={desk / 'exchange'}")
    [outbound] = desk.glob(f"exchange/*/outbound/{LESSON}")
    there = {path.relative_to(outbound).as_posix(): path.read_bytes() for path in outbound.rglob("*") if path.is_file()}
    package = package_files(find_course(desk), LESSON)
    assert {name: there[name] for name in package} == package
    on_top = f"course_lib/notebooks/{LESSON}/"
    beside = {name.removeprefix(on_top): data for name, data in package.items() if name.startswith(on_top)}
    assert f"{LESSON}.ipynb" in beside and there == package | beside
    button = (
        "from traitlets.config import PyFileConfigLoader\n"
        "from nbgrader.apps.api import NbGraderAPI\n"
        "from nbgrader.coursedir import CourseDirectory\n"
        "config = PyFileConfigLoader('nbgrader_config.py', path='.').load_config()\n"
        f"config.Exchange.root = {str(desk / 'exchange')!r}\n"
        f"print(NbGraderAPI(CourseDirectory(config=config), config=config).release_assignment({LATER!r}))"
    )
    said = nbgrader("-c", button)
    assert "'success': False" in said and f"Work is still accepted for {LESSON}" in said
    assert not list(desk.glob(f"exchange/*/outbound/{LATER}"))


def test_a_release_is_the_same_whenever_it_is_made(course: Course, tmp_path: Path) -> None:
    first, again = (release_package(course, LESSON, tmp_path / name / "x.zip").read_bytes() for name in "ab")
    assert first == again


def test_a_folder_that_holds_something_else_is_left_alone(course: Course, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(CourseError, match="contains something other than a release"):
        release_package(course, LESSON, tmp_path)
    target = release_package(course, LESSON, tmp_path / "new")
    assert (target / "pyproject.toml").is_file()
    release_package(course, LESSON, target)  # its own is replaced


def test_the_checkouts_own_notebooks_can_fill_a_seat(course: Course, tmp_path: Path) -> None:
    said = run_course(tmp_path, "start", "--no-lab")
    assert said.code == 0, said
    assert all((tmp_path / lesson / f"{lesson}.ipynb").is_file() for lesson in course.lessons)
    again = run_course(course.root, "start", "notebooks", "--no-lab")
    assert again.code == 1 and "is where the notebooks come from" in again.err
