"""The content and the time of a notebook decide whether it counts, and work is never replaced silently."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from collecting import Class, Notebooks, code, scratch, zipped
from conftest import LESSON

from autograder.collecting.evidence import Lesson
from autograder.submissions.submission_time import HandedIn
from course_lib.course import Course

CANVAS = "leekim_102_{}_" + LESSON + ".ipynb"


@pytest.fixture(scope="module")
def notebooks(course: Course) -> Notebooks:
    return Notebooks(course)


@pytest.fixture
def a_class(tmp_path: Path, notebooks: Notebooks) -> Class:
    return Class(tmp_path, notebooks)


def is_work(a_class: Class, student: str = "kim") -> bool:
    shows = Lesson(LESSON, a_class.released.read_bytes() if a_class.released else None)
    return bool(shows.evidence(a_class.file(student).read_bytes()).worked)


LESSER = {
    "a scratch notebook": lambda n: scratch("x = 1"),
    "an empty notebook": lambda n: scratch(),
    "a blank copy": lambda n: n.blank(),
    "a blank copy with an experiment": lambda n: n.worked(own="print(1)"),
    "a file that is cut short": lambda n: n.worked()[:5000],
    "a login page": lambda n: b"<!DOCTYPE html><title>Sign in</title>",
    "an empty file": lambda n: b"",
    "another lesson": lambda n: json.dumps({"cells": [], "metadata": {"course": {"lesson": "02_attention"}}}).encode(),
}
NAMES = [
    (f"kim/{LESSON}/{LESSON}.ipynb", f"kim/{LESSON}/Untitled.ipynb"),
    (f"kim/{LESSON}.ipynb", f"kim/{LESSON} (1).ipynb"),
    (f"kim/{LESSON}.ipynb", f"kim/zzz/{LESSON}.ipynb"),
    (CANVAS.format(9), CANVAS.format(10)),
    (f"kim/{LESSON}.ipynb", f"kim/{LESSON}.ipynb.txt"),
]


@pytest.mark.parametrize("names", NAMES, ids=[name for _, name in NAMES])
@pytest.mark.parametrize("what", LESSER)
def test_a_notebook_without_work_never_replaces_one_with_work(
    a_class: Class, notebooks: Notebooks, what: str, names: tuple[str, str]
) -> None:
    right, other = names
    outcomes = a_class.collect({right: notebooks.worked(), other: LESSER[what](notebooks)})
    assert outcomes[right].became == "new" and is_work(a_class)
    assert outcomes[other].became in ("not used", "another lesson", "unreadable") and outcomes[other].note


@pytest.mark.parametrize("what", LESSER)
@pytest.mark.parametrize("stamped", [False, True], ids=["no times", "a later time"])
def test_a_later_run_never_replaces_work(a_class: Class, notebooks: Notebooks, what: str, stamped: bool) -> None:
    early, late = ({f"kim/{LESSON}/timestamp.txt": f"2026-03-0{n} 12:00:00 UTC"} if stamped else {} for n in (1, 2))
    a_class.collect({f"kim/{LESSON}/{LESSON}.ipynb": notebooks.worked(), **early})
    outcomes = a_class.collect({f"kim/{LESSON}/{LESSON}.ipynb": LESSER[what](notebooks), **late})
    outcome = outcomes[f"kim/{LESSON}/{LESSON}.ipynb"]
    assert is_work(a_class) and a_class.has("kim") == "collected"
    assert outcome.became in ("not used", "another lesson") and outcome.needs_a_look and outcome.note
    time = a_class.file("kim", "timestamp.txt")
    assert (time.read_text() if stamped else "2026-03-01").startswith("2026-03-01"), "nor does its time"


def test_work_replaces_a_blank_or_unreadable_notebook_in_a_later_run(a_class: Class, notebooks: Notebooks) -> None:
    for first in (notebooks.blank(), b"<html>", b""):
        a_class.collect({f"kim/{LESSON}.ipynb": first})
        assert a_class.collect({f"kim/{LESSON}.ipynb": notebooks.worked()})[f"kim/{LESSON}.ipynb"].became == "replaced"
        assert is_work(a_class)
        a_class.file("kim").unlink()


def test_a_time_decides_between_two_with_work(a_class: Class, notebooks: Notebooks) -> None:
    listed = (
        "submission_{0}:\n  :submitters:\n  - :name: Kim Lee\n    :sid: kim\n  :created_at: 2026-03-01 {0}:00:00 Z\n"
    )
    files: dict[str, str | bytes] = {
        "submission_metadata.yml": listed.format(11) + listed.format(17),
        f"submission_11/{LESSON} (9).ipynb": notebooks.worked(),
        f"submission_17/{LESSON}.ipynb": notebooks.worked(),
    }
    outcomes = a_class.collect(files)
    assert outcomes[f"submission_17/{LESSON}.ipynb"].became == "new"
    assert a_class.file("kim", "timestamp.txt").read_text() == "2026-03-01 17:00:00 UTC\n"


def test_the_systems_number_is_compared_as_a_number(a_class: Class, notebooks: Notebooks) -> None:
    files = {CANVAS.format(9): notebooks.worked("softmax"), CANVAS.format(10): notebooks.worked()}
    outcomes = a_class.collect(files)
    assert (outcomes[CANVAS.format(10)].became, outcomes[CANVAS.format(9)].became) == ("new", "not used")
    assert not any(outcome.needs_a_look for outcome in outcomes.values())


def test_a_copys_number_is_compared_as_a_number(a_class: Class, notebooks: Notebooks) -> None:
    files = {f"kim/{LESSON} ({n}).ipynb": notebooks.worked() for n in (2, 9)}
    outcomes = a_class.collect(
        {**files, f"kim/{LESSON} (10).ipynb": notebooks.worked("softmax", own="x")}
        | {f"kim/{LESSON} (2).ipynb": notebooks.worked("softmax")}
    )
    assert outcomes[f"kim/{LESSON} (10).ipynb"].became == "new"
    lacking = outcomes[f"kim/{LESSON} (9).ipynb"]
    assert lacking.needs_a_look and "work that the other lacks" in lacking.note


@pytest.mark.parametrize(
    "names", [("mine.ipynb", "final.ipynb"), (f"{LESSON}.ipynb", "Copy of it.ipynb"), ("a/x.ipynb", "b/x.ipynb")]
)
def test_two_with_work_and_no_sign_of_which_is_later_are_both_shown(
    a_class: Class, notebooks: Notebooks, names: tuple[str, str]
) -> None:
    one, other = (f"kim/{name}" for name in names)
    outcomes = a_class.collect(
        {one: notebooks.worked("softmax"), other: notebooks.worked("scaled_dot_product_attention")}
    )
    assert sorted(outcome.became for outcome in outcomes.values()) == ["new", "not used"]
    assert all(outcome.needs_a_look and outcome.note for outcome in outcomes.values())
    [unused] = [path for path, outcome in outcomes.items() if outcome.became == "not used"]
    assert a_class.file("kim", "versions.txt").read_text() == f"compare it with {unused}\n", "for later commands"


def test_a_clearly_later_notebook_ends_the_doubt_about_versions(a_class: Class, notebooks: Notebooks) -> None:
    first, second = (HandedIn(datetime(2026, 3, day)) for day in (1, 2))
    both = {"kim/a.ipynb": notebooks.worked("softmax"), "kim/b.ipynb": notebooks.worked("attention_numpy")}
    a_class.collect(both, times={"kim": first})
    assert a_class.file("kim", "versions.txt").is_file()
    a_class.collect({"kim/c.ipynb": notebooks.worked()}, times={"kim": second})
    assert not a_class.file("kim", "versions.txt").exists()


def test_the_same_file_twice_needs_no_look(a_class: Class, notebooks: Notebooks) -> None:
    outcomes = a_class.collect({"kim/a.ipynb": notebooks.worked(), "kim/b.ipynb": notebooks.worked()})
    assert not any(outcome.needs_a_look for outcome in outcomes.values())


@pytest.mark.parametrize("name", ["Untitled.ipynb", f"{LESSON}.ipynb", "homework 3.ipynb", "x.txt", "notebook"])
def test_a_notebook_that_lost_its_metadata_is_recognised_by_its_content(
    a_class: Class, notebooks: Notebooks, name: str
) -> None:
    outcomes = a_class.collect({f"kim/{name}": notebooks.without_metadata(), "kim/zz.ipynb": scratch("x = 1")})
    assert outcomes[f"kim/{name}"].became == "new" and not outcomes[f"kim/{name}"].needs_a_look and is_work(a_class)


def test_work_in_a_notebook_of_ones_own_counts_before_a_blank_release(a_class: Class, notebooks: Notebooks) -> None:
    mine = scratch("import torch", "def softmax(x, dim):\n    return torch.softmax(x, dim)")
    outcomes = a_class.collect({f"kim/{LESSON}.ipynb": notebooks.blank(), "kim/Untitled.ipynb": mine})
    assert outcomes["kim/Untitled.ipynb"].became == "new"


def test_a_notebook_of_no_lesson_is_collected_and_shown_if_there_is_no_other(a_class: Class) -> None:
    outcome = a_class.collect({"kim/Untitled.ipynb": scratch("x = 1")})["kim/Untitled.ipynb"]
    assert outcome.became == "new" and outcome.needs_a_look and "nothing in it shows" in outcome.note


def test_a_stub_of_another_release_is_not_work(notebooks: Notebooks) -> None:
    lesson = Lesson(LESSON, notebooks.released.read_bytes())
    blank = notebooks.cells()
    for cell in blank["cells"]:
        if cell["cell_type"] == "code" and cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = "".join(cell["source"]).replace('"""', '"""An older docstring. ', 1)
    assert not lesson.evidence(json.dumps(blank).encode()).worked
    blank["cells"].append(code("def softmax(x, dim):\n    e = x.exp()\n    raise NotImplementedError()"))
    assert lesson.evidence(json.dumps(blank).encode()).worked, "a stub with a line of code above it counts as work"


def test_work_that_a_later_file_lacks_is_shown(a_class: Class, notebooks: Notebooks) -> None:
    a_class.collect({CANVAS.format(9): notebooks.worked()})
    outcome = a_class.collect({CANVAS.format(10): notebooks.worked("softmax")})[CANVAS.format(10)]
    assert outcome.became == "replaced" and outcome.needs_a_look and "had work that this one lacks" in outcome.note


def test_collecting_from_the_classs_own_folder_finds_renamed_files_and_loses_no_work(
    a_class: Class, notebooks: Notebooks
) -> None:
    files = {
        f"kim/{LESSON}/{LESSON} (1).ipynb": notebooks.worked(),
        f"ada/{LESSON}/{LESSON}.ipynb": notebooks.worked(),
        f"ada/{LESSON}/Copy of {LESSON}.ipynb": notebooks.worked("softmax"),
        f"zo/{LESSON}/{LESSON}.ipynb": notebooks.blank(),
        f"zo/{LESSON}/{LESSON} (1).ipynb": notebooks.worked(),
    }
    for name, content in files.items():
        path = a_class.folder / "submitted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    a_class.collect_from(a_class.folder / "submitted")
    assert all(is_work(a_class, student) for student in ("kim", "ada", "zo"))
    lesson = Lesson(LESSON, notebooks.released.read_bytes())
    assert len(lesson.evidence(a_class.file("ada").read_bytes()).worked) > 1


def test_a_zip_of_a_student_is_looked_through_like_a_folder(a_class: Class, notebooks: Notebooks) -> None:
    inner = zipped(
        {f"{LESSON}.ipynb": notebooks.worked(), "Untitled.ipynb": scratch("x"), "old/a.ipynb": notebooks.blank()}
    )
    a_class.collect({"leekim_102_7_all.zip": inner})
    assert is_work(a_class)
