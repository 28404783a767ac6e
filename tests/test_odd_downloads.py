"""The student's work is collected, whatever name a download gives the file."""

from __future__ import annotations

import io
import json
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import LESSON, copy_course, run_course
from five_paths.kernel import cells_of
from odd_notebooks.entry import entries, saved
from odd_notebooks.notebook import code, plain, solved
from tiers import slow_but

from course_lib.course import Course

ROSTER = (
    "id,first_name,last_name,email,lms_user_id\nzoe,Zoë,O'Brien,zoe@uni.example,104\nkim,Kim,Lee,kim@uni.example,101\n"
)
FILE = f"{LESSON}.ipynb"

Files = dict[str, bytes]
Naming = Callable[[bytes, bytes], Files]


def zipped(files: Mapping[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return into.getvalue()


def zipped_by_macos(name: str, data: bytes) -> bytes:
    """Make a zip with names in decomposed UTF-8, without the flag for UTF-8 and with Apple's extra files."""
    raw = unicodedata.normalize("NFD", name).encode()
    stand_in = "x" * len(raw)
    made = zipped({stand_in: data, "__MACOSX/._" + stand_in: b"\x00\x05\x16\x07"})
    return made.replace(stand_in.encode(), raw)


def tarred(name: str, data: bytes) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        about = tarfile.TarInfo(name)
        about.size = len(data)
        archive.addfile(about, io.BytesIO(data))
    return into.getvalue()


SCRATCH = saved({"cells": [code("x = 1")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
EXPORT = b"submission_88:\n  :submitters:\n  - :name: Zo\xc3\xab O'Brien\n    :sid: zoe\n    :email: zoe@uni.example\n"

#: the files of each kind of download, in which ``work`` is Zoë's notebook and ``blank`` is the released one
NAMINGS: dict[str, Naming] = {
    "nbgrader": lambda work, blank: {f"zoe/{LESSON}/{FILE}": work},
    "canvas": lambda work, blank: {f"obrienzoe_104_9001_{FILE}": work},
    "canvas, late": lambda work, blank: {f"obrienzoe_LATE_104_9001_{FILE}": work},
    "canvas, second attempt": lambda work, blank: {
        f"obrienzoe_104_9001_{FILE}": blank, f"obrienzoe_104_10002_{LESSON}-1.ipynb": work,
    },
    "moodle, folders": lambda work, blank: {f"Zoë O'Brien_77_assignsubmission_file_/{FILE}": work},
    "moodle, files": lambda work, blank: {f"Zoë O'Brien_77_assignsubmission_file_{FILE}": work},
    "moodle, decomposed": lambda work, blank: {
        unicodedata.normalize("NFD", f"Zoë O'Brien_77_assignsubmission_file_/{FILE}"): work
    },
    "github classroom": lambda work, blank: {f"hw3-self-attention-zoe/{FILE}": work},
    "gradescope": lambda work, blank: {
        f"assignment_1_export/submission_88/{FILE}": work, "assignment_1_export/submission_metadata.yml": EXPORT,
    },
    "a zip in canvas's zip": lambda work, blank: {
        "submissions.zip": zipped({"obrienzoe_104_9001_work.zip": zipped({"my work.ipynb": work})})
    },
    "a zip made on macOS": lambda work, blank: {"obrienzoe_104_9001_w.zip": zipped_by_macos("Übung 3 ë.ipynb", work)},
    "tar.gz": lambda work, blank: {"obrienzoe_104_9001_work.tar.gz": tarred(FILE, work)},
    ".ipynb.json": lambda work, blank: {f"zoe/{FILE}.json": work},
    ".ipynb.txt": lambda work, blank: {f"obrienzoe_104_9001_{FILE}.txt": work},
    "the browser's copy": lambda work, blank: {f"zoe/{LESSON} (1).ipynb": work},
    "a name of one's own": lambda work, blank: {"homework zoe FINAL.ipynb": work},
    "scratch notebooks": lambda work, blank: {
        f"zoe/{LESSON}/{FILE}": work, f"zoe/{LESSON}/Untitled.ipynb": SCRATCH, f"zoe/{LESSON}/zz.ipynb": SCRATCH,
    },
    "a blank second download": lambda work, blank: {f"zoe/{FILE}": work, f"zoe/{LESSON} (1).ipynb": blank},
    "a blank first download": lambda work, blank: {f"zoe/{FILE}": blank, f"zoe/{LESSON} (1).ipynb": work},
    "a checkpoint": lambda work, blank: {
        f"zoe/{LESSON}/{FILE}": work, f"zoe/{LESSON}/.ipynb_checkpoints/{LESSON}-checkpoint.ipynb": blank,
    },
    "Copy of, from Drive": lambda work, blank: {f"zoe/Copy of {FILE}": work},
}  # fmt: skip

#: entries of the bank with an odd file, or with an odd way of naming their lesson
ODD = (
    "nothing_odd", "colab", "nbstripout_without_metadata", "jupytext_light", "utf_16", "byte_order_mark",
    "nbformat_4_0", "all_in_one_big_cell", "outputs_of_24_megabytes", "odd_characters",
)  # fmt: skip


@pytest.fixture(scope="module")
def root(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_course(course, tmp_path_factory.mktemp("downloads"))
    (folder / "students.csv").write_text(ROSTER, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def work(course: Course) -> dict[str, bytes]:
    """Return the files of these entries, by entry."""
    released = json.loads(course.student_notebook(LESSON).read_text(encoding="utf-8"))
    solutions = plain(json.loads(course.solution_notebook(LESSON).read_text(encoding="utf-8")))
    return {entry.name: entry.made(solved(released, solutions)) for entry in entries() if entry.name in ODD}


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("odd", slow_but(["nothing_odd"], ODD))
def test_the_work_is_collected_whatever_it_is_called(
    odd: str, naming: str, root: Path, work: dict[str, bytes], course: Course, tmp_path: Path
) -> None:
    files = NAMINGS[naming](work[odd], course.student_notebook(LESSON).read_bytes())
    for name, data in files.items():
        path = tmp_path / "downloads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    ran = run_course(
        root,
        "collect",
        "03",
        str(tmp_path / "downloads"),
        "--roster",
        "students.csv",
        "--class",
        str(tmp_path / "class"),
    )
    collected = tmp_path / "class/submitted/zoe" / LESSON / FILE
    assert collected.is_file(), f"{ran.out}{ran.err}"
    original = tmp_path / "work.ipynb"
    original.write_bytes(work[odd])
    assert readable(cells_of(collected)) == readable(cells_of(original)), f"{ran.out}{ran.err}"


def readable(cells: list[str]) -> list[str]:
    """Return the cells without lone surrogates, which UTF-8 can't encode."""
    return [cell.encode("utf-8", "replace").decode() for cell in cells]
