"""A student's commands work in a workspace, in a lesson of it and in a checkout, and say what is wrong elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import TimedResult, copy_course, run_course
from tiers import slow

from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.app import main, student
from course_lib.app import workspace as workspaces
from course_lib.app.lab import open_lab
from course_lib.app.workspace import fill
from course_lib.contents import public_exercises, public_lessons
from course_lib.course import START, Course
from course_lib.journey.points import FILE, remember
from course_lib.older_text import has_older_text
from course_lib.own_notebooks import notebook_of

LESSON, BROKEN = "07_masks", "00_the_task"


@pytest.fixture
def workspace(course: Course, tmp_path: Path) -> Path:
    """A seat with one lesson's notebook, and one that was broken."""
    folder = tmp_path / "my [bold] seat"
    for lesson in (LESSON, BROKEN):
        (folder / lesson).mkdir(parents=True)
        shutil.copy(course.student_notebook(lesson), folder / notebook_of(lesson))
    (folder / notebook_of(BROKEN)).write_text("{", encoding="utf-8")
    shutil.copy(course.start_notebook, folder)
    return folder


def test_a_broken_notebook_is_a_line_among_others(workspace: Path) -> None:
    said = run_course(workspace, "check")
    assert said.code == 1 and not said.err.startswith("course:")
    broken, whole, total, following = said.out.splitlines()
    points = sum(definition.exercise.points for definition in of_lesson(LESSON))
    assert broken.startswith(BROKEN) and "not run" in broken and "was cut short" in broken
    assert whole.startswith(LESSON) and f" 0 of {points:g}   still open: {of_lesson(LESSON)[0].id}, " in whole
    assert total == f"0 of {points:g} points in 1 notebook"
    minutes = DEFINITIONS["pad_batch"].exercise.minutes
    assert following == f"Next: pad_batch, about {minutes} minutes, in {notebook_of(BROKEN)}"
    assert (workspace / LESSON / FILE).is_file()
    shutil.rmtree(workspace / LESSON)
    results = run_course(workspace, "check", "--json")
    assert results.code == 1
    [one] = json.loads(results.out)
    assert (one["lesson"], one["status"], one["exercises"]) == (BROKEN, "failed", {})
    assert "was cut short" in one["reason"]


def test_one_notebook_says_what_comes_next_in_its_seat(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from course_lib.app import notebook_check

    remember("causal_mask", 2.0, workspace / LESSON)
    none_of_it = notebook_check.Checked(LESSON, "graded", "", {})
    monkeypatch.setattr(notebook_check, "check_notebook", lambda path: none_of_it)
    said = run_course(workspace.parent, "check", str(workspace / notebook_of(LESSON)))
    assert said.out.splitlines()[-1].startswith("Next: ") and said.out.rstrip().endswith(notebook_of(LESSON))
    for entry in public_exercises():
        remember(entry.id, entry.points, workspace / LESSON)
    said = run_course(workspace / LESSON, "check", f"{LESSON}.ipynb")
    assert said.out.splitlines()[-1].startswith("Every exercise has its points.")


@pytest.mark.parametrize("verb", ["progress", "next", "lessons"])
def test_a_lessons_folder_is_part_of_its_seat(workspace: Path, verb: str) -> None:
    inside, here = run_course(workspace / LESSON, verb), run_course(workspace, verb)
    assert inside.code == here.code == 0
    assert inside.out == f"In {workspace}:\n{here.out}", "another folder is named"


def test_no_seat_is_made_in_a_seat(workspace: Path) -> None:
    said = run_course(workspace / LESSON, "start", "--no-lab")
    assert said.code == 0 and said.out.startswith(f"In {workspace}:\n")
    assert not (workspace / LESSON / f"{START}.ipynb").exists()
    assert (workspace / notebook_of("16_reading")).is_file(), "what was new is in the workspace"
    said = run_course(workspace, "start", f"{LESSON}/again", "--no-lab")
    assert said.code == 1 and "is inside a lesson of" in said.err and not (workspace / LESSON / "again").exists()
    again = run_course(workspace, "start", "--no-lab")
    assert again.code == 0 and "New here" not in again.out


def test_a_newer_text_of_an_existing_notebook_is_announced(workspace: Path, course: Course) -> None:
    ours = course.student_notebook(LESSON)
    mine = workspace / notebook_of(LESSON)
    assert not has_older_text(mine, ours) and not has_older_text(workspace / notebook_of(BROKEN), ours)
    notebook = json.loads(mine.read_text(encoding="utf-8"))
    notebook["cells"] = [*notebook["cells"][:-3], {"cell_type": "code", "id": "mine", "source": "1", "metadata": {}}]
    notebook["cells"][2]["source"] = "my own words"
    mine.write_text(json.dumps(notebook), encoding="utf-8")
    assert not has_older_text(mine, ours), "deleting, adding and editing cells doesn't change the release"
    text = next(cell for cell in notebook["cells"] if cell["id"].startswith("markdown-"))
    text["id"] = "markdown-0123456789"  # the kind of id that an older version of a text had
    mine.write_text(json.dumps(notebook), encoding="utf-8")
    assert has_older_text(mine, ours)
    said = run_course(workspace, "start", "--no-lab").out.replace("\n", " ")
    assert (
        f"This release has a newer text of {LESSON}. Your work stays" in said and f"newer text of {BROKEN}" not in said
    )


def test_only_a_notebook_that_was_never_saved_gets_a_newer_text(
    tmp_path: Path, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, folder = tmp_path / "released", tmp_path / "mine"
    for lesson in (LESSON, BROKEN):
        shutil.copytree(course.student_notebook(lesson).parent, released / lesson)
    shutil.copyfile(course.start_notebook, released / f"{START}.ipynb")
    monkeypatch.setattr(workspaces, "NOTEBOOKS", released)
    assert [(one.new, one.updated, one.older) for one in fill(folder)] == [(True, False, False)] * 2
    assert [(one.new, one.updated, one.older) for one in fill(folder)] == [(False, False, False)] * 2
    saved = folder / notebook_of(BROKEN)
    saved.write_text(saved.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    work = saved.read_bytes()
    for lesson in (LESSON, BROKEN):
        newer = released / notebook_of(lesson)
        text = newer.read_text(encoding="utf-8")
        first = next(cell["id"] for cell in json.loads(text)["cells"])
        newer.write_text(text.replace(first, "markdown-0123456789"), encoding="utf-8")
    placed = {one.notebook: (one.new, one.updated, one.older) for one in fill(folder)}
    assert placed == {folder / notebook_of(LESSON): (False, True, False), saved: (False, False, True)}
    assert (folder / notebook_of(LESSON)).read_bytes() == (released / notebook_of(LESSON)).read_bytes()
    assert saved.read_bytes() == work


@pytest.mark.parametrize("verb", [slow("check"), "doctor"])
def test_a_notebook_is_found_by_its_place_among_the_notebooks(workspace: Path, course: Course, verb: str) -> None:
    in_the_workspace = run_course(workspace / LESSON, verb, notebook_of(LESSON))
    assert in_the_workspace.out and "There is no file" not in in_the_workspace.err
    assert run_course(workspace, verb, notebook_of(LESSON)).out == in_the_workspace.out
    assert run_course(course.root, verb, notebook_of(LESSON)).out
    elsewhere = run_course(workspace.parent, verb, notebook_of(LESSON))
    assert "There is no file" in elsewhere.out + elsewhere.err


def test_elsewhere_a_checkouts_notebooks_are_named_and_not_checked(course: Course, tmp_path: Path) -> None:
    notebooks = course.root / "notebooks"
    assert run_course(tmp_path, "progress").out.startswith(f"In {notebooks}:\n")
    assert run_course(course.root, "progress").out.startswith("In notebooks:\n")
    assert not run_course(notebooks, "progress").out.startswith("In ")
    said = run_course(tmp_path, "check")
    assert said.code == 1 and "course start" in said.err and str(notebooks) in said.err
    said = run_course(tmp_path, "check", str(tmp_path))
    assert said.code == 1 and f"{tmp_path} contains no notebook of a lesson" in said.err


@pytest.fixture(params=[notebook_of(LESSON), slow(f"{LESSON}.ipynb")], ids=["in_its_folder", "beside_start_here"])
def begun(workspace: Path, request: pytest.FixtureRequest) -> Path:
    """A notebook of the workspace with one exercise written, in either place where it may lie."""
    path = workspace / request.param
    shutil.move(workspace / notebook_of(LESSON), path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    [cell] = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "causal_mask"]
    cell["source"] = DEFINITIONS["causal_mask"].implementation("reference").source
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_every_verb_finds_a_notebook_where_it_lies(workspace: Path, begun: Path) -> None:
    place = begun.relative_to(workspace).as_posix()
    for arguments in (["check"], ["check", place], ["progress"], ["next"]):
        *_, following = run_course(workspace, *arguments).out.splitlines()
        assert following.startswith("Next: ") and following.endswith(f", in {place}"), arguments
    inside = run_course(workspace / LESSON, "next").out
    assert inside.startswith(f"In {workspace}:\n") and inside.endswith(f", in {place}\n"), (
        "the folder is still the lesson's"
    )
    [line] = [line for line in run_course(workspace, "lessons").out.splitlines() if line.startswith(LESSON)]
    assert not line.rstrip().endswith("not here")
    assert f"2 notebooks in {workspace.resolve()}\n" in run_course(workspace, "doctor").out


def test_a_seat_filled_again_keeps_a_notebook_where_it_lies(workspace: Path, begun: Path) -> None:
    work = begun.read_bytes()
    remember("causal_mask", 2.0, begun.parent)
    said = run_course(workspace, "start", "--no-lab")
    assert said.code == 0 and f"Yours, as you left them: {BROKEN}, {LESSON}\n" in said.out
    assert list(workspace.rglob(begun.name)) == [begun] and begun.read_bytes() == work
    assert (begun.parent / "diagrams/all_at_once.svg").is_file(), "what a notebook shows is put beside it"
    link = f'href=\\"{begun.relative_to(workspace).as_posix()}#cell-id='
    assert link in (workspace / f"{START}.ipynb").read_text(encoding="utf-8"), "the map leads to it"


@pytest.mark.parametrize("verb", ["start", "lab"])
def test_the_next_lessons_checks_are_made_before_it_opens_and_the_others_meanwhile(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    done: list[object] = []

    def prepare(ids: list[str], in_background: bool = False) -> None:
        done.append((len(ids), in_background))

    monkeypatch.setattr(student, "plugins", lambda group: [prepare] if group == "course.prepare" else [])
    monkeypatch.setattr(student, "open_lab", lambda folder, notebook, *_: done.append((folder, notebook)) or 0)
    assert run_course(workspace, verb).code == 0
    first = sum(entry.lesson == public_lessons()[0].name for entry in public_exercises())
    assert done == [(first, False), (len(public_exercises()), True), (Path(), f"{START}.ipynb")]


@pytest.mark.parametrize("checkout", [False, True])
def test_help_names_the_verbs_that_are_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: bool) -> None:
    registered = [lambda app: None] if checkout else []
    monkeypatch.setattr(main, "plugins", lambda group: registered)
    monkeypatch.setattr(main.app, "registered_commands", [])
    monkeypatch.setattr(main.app, "registered_groups", [])
    monkeypatch.setattr(main.app.info, "help", main.HELP)
    said = " ".join(run_course(tmp_path, "--help").out.split())
    assert all(f"course {verb}" in said for verb in ("start", "lab", "progress", "next", "check", "doctor"))
    assert ("As an instructor" in said) is checkout


def listed(workspace: Path, verb: str) -> TimedResult:
    said = run_course(workspace, verb)
    assert said.code == 0
    return said


def test_nothing_is_cut_off_in_a_pipe_and_no_word_in_a_narrow_terminal(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = listed(workspace, "exercises").out.splitlines()[1:]
    for line, entry in zip(lines, public_exercises(), strict=True):
        assert line.startswith(f"{entry.id} ") and f"{entry.symbol}{entry.signature}" in line
    lines = listed(workspace, "lessons").out.splitlines()[1:]
    for line, lesson in zip(lines, public_lessons(), strict=True):
        assert line.startswith(f"{lesson.name} ") and lesson.title in line
        assert line.rstrip().endswith("not here") is (lesson.name not in (LESSON, BROKEN))
    monkeypatch.setattr(student, "out", student.Console(width=80, force_terminal=True, no_color=True, highlight=False))
    for verb in ("exercises", "lessons"):
        narrow = listed(workspace, verb).out
        assert "…" not in narrow and all(len(line) <= 80 for line in narrow.splitlines()[1:])
    assert all(any(line.startswith(f"{lesson.name} ") for line in narrow.splitlines()) for lesson in public_lessons())


def test_a_checkout_asks_for_a_folder_to_work_in(course: Course, tmp_path: Path) -> None:
    """Otherwise a folder for each lesson would appear next to the course's own files."""
    (tmp_path / "course.toml").write_text("", encoding="utf-8")
    said = run_course(tmp_path, "start", "--no-lab")
    assert said.code == 1 and "course start ../my-course" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["course.toml"]


def test_a_notebook_of_a_checkout_in_which_somebody_worked_is_copied_as_it_was_released(
    course: Course, tmp_path: Path
) -> None:
    root = copy_course(course, tmp_path / "course", own_secret=True)
    worked_in = root / "notebooks" / notebook_of(LESSON)
    released = worked_in.read_bytes()
    worked_in.write_bytes(released.replace(b"raise NotImplementedError()", b"pass  # mine"))
    (worked_in.parent / "causal_mask_2026-01-01_12-00-00.py").write_text("# what course reset kept")
    assert run_course(root, "start", str(tmp_path / "mine"), "--no-lab").code == 0
    assert (tmp_path / "mine" / notebook_of(LESSON)).read_bytes() == released
    assert not list((tmp_path / "mine").rglob("*.py"))


def test_notebooks_moved_by_hand_get_a_new_text_unless_somebody_has_worked_in_them(
    course: Course, tmp_path: Path
) -> None:
    root, mine = copy_course(course, tmp_path / "course", own_secret=True), tmp_path / "mine"
    shutil.copytree(root / "notebooks", mine)  # as docs/learning.md says
    begun = mine / notebook_of(LESSON)
    begun.write_bytes(begun.read_bytes().replace(b"raise NotImplementedError()", b"pass  # mine"))
    said = run_course(root, "start", str(mine), "--no-lab")
    assert said.code == 0 and f"Yours, as you left it: {LESSON}\n" in said.out
    copied = json.loads((mine / ".course" / "copied.json").read_text())
    assert BROKEN in copied and LESSON not in copied


def test_a_terminal_in_jupyterlab_opens_in_the_folder_where_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Any, Any]] = []

    def run(command: list[str], *, cwd: Path | None, **_: Any) -> subprocess.CompletedProcess[str]:
        started.append((next(one for one in command if "root_dir" in one), cwd))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("course_lib.app.lab.subprocess.run", run)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    open_lab(Path("mine"))
    open_lab(Path("mine"), nbgrader=True)
    root = f"--ServerApp.root_dir={tmp_path.resolve() / 'mine'}"
    assert started == [(root, Path("mine")), (root, None)], "nbgrader's configuration is in the course's folder"


def test_a_wrong_command_is_told_in_one_sentence(tmp_path: Path) -> None:
    said = run_course(tmp_path, "chek")
    assert said.code == 2 and "No such command 'chek'. Did you mean 'check'? See: " in said.err
