"""Collecting: whatever a download calls a file, it comes to its student, and nothing happens in silence."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import pytest
from conftest import LESSON, copy_course, run_course
from nbgrader.api import Gradebook

from autograder.building.build import build_lesson
from autograder.collecting.collect import collect
from autograder.collecting.downloads import downloads
from autograder.collecting.identify_student import Owners
from autograder.collecting.outcomes import FileOutcome
from autograder.collecting.roster import Member, Roster, read_roster
from autograder.terminal import fates_table, out
from course_lib.course import Course, CourseError, find_course

ROSTER = Roster(
    [
        Member("ada", "Ada", "Lovelace", "ada.l@uni.example", "101"),
        Member("jnunez", "José", "Núñez"),
        Member("kim", "Kim", "Lee"),
        Member("lee", "Robin", "Lee"),
        Member("zz9", "Robin", "Lee"),
    ]
)


def whose(path: PurePosixPath, roster: Roster | None) -> tuple[str, str]:
    owner = Owners(roster).of(path)
    return ", ".join(owner.students), owner.note


WHOSE = [
    (f"ada/{LESSON}/{LESSON}.ipynb", "ada"),
    (f"ADA/{LESSON}.ipynb", "ada"),
    (f"lovelaceada_101_9001_{LESSON}.ipynb", "ada"),
    (f"someoneelse_101_9001_{LESSON}-1.ipynb", "ada"),
    (f"nunezjose_LATE_555_9002_{LESSON}.ipynb", "jnunez"),
    (f"José Núñez_77_assignsubmission_file_/{LESSON} (1).ipynb", "jnunez"),
    (f"Núñez José_77_assignsubmission_file_{LESSON}.ipynb", "jnunez"),
    ("week 3/FINAL_jnunez.ipynb", "jnunez"),
    (f"{LESSON}_ada.l.ipynb", "ada"),
    ("Kim Lee.ipynb", "kim"),
    (f"all.zip/kim/{LESSON}.ipynb", "kim"),
    (f"kim.zip/{LESSON}.ipynb", "kim"),
    (f"kim.zip/ada/{LESSON}/{LESSON}.ipynb", "kim"),
    (f"kim.zip/lovelaceada_101_9001_{LESSON}.ipynb", "kim"),
    ("Robin Lee.ipynb", ""),
    (f"{LESSON}.ipynb", ""),
    ("self.ipynb", ""),
]


@pytest.mark.parametrize(("path", "student"), WHOSE, ids=[path for path, _ in WHOSE])
def test_a_path_tells_whose_a_file_is(path: str, student: str) -> None:
    assert whose(PurePosixPath(path), ROSTER)[0] == student


def test_two_of_one_name_are_not_guessed_at() -> None:
    assert whose(PurePosixPath("Robin Lee.ipynb"), ROSTER)[1] == "Robin Lee may be lee or zz9"


@pytest.mark.parametrize(
    ("path", "student"),
    [
        (f"jdoe/{LESSON}/{LESSON}.ipynb", "jdoe"),
        (f"doejane_1_2_{LESSON}.ipynb", "doejane"),
        ("Jane Doe_77_assignsubmission_file_/x.ipynb", "Jane Doe"),
        ("jdoe.ipynb", ""),
    ],
)
def test_without_a_roster_only_folders_and_systems_tell(path: str, student: str) -> None:
    assert whose(PurePosixPath(path), None)[0] == student


def notebook(said: str = "x = 1", **course: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": said, "execution_count": 3}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "much " * 1000}]
    return {"cells": [cell], "metadata": {"course": course} if course else {}, "nbformat": 4, "nbformat_minor": 5}


MINE = json.dumps(notebook(lesson=LESSON))


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return into.getvalue()


def place(tmp_path: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = tmp_path / "downloads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "downloads"


def collected(tmp_path: Path, files: Mapping[str, str | bytes]) -> dict[str, FileOutcome]:
    found = collect(place(tmp_path, files), LESSON, tmp_path / "submitted", ROSTER)
    return {str(outcome.path): outcome for outcome in found.outcomes}


def there(tmp_path: Path, student: str) -> Any:
    return json.loads((tmp_path / f"submitted/{student}/{LESSON}/{LESSON}.ipynb").read_text(encoding="utf-8"))


def test_a_zip_in_a_zip_is_read_and_outputs_are_dropped(tmp_path: Path) -> None:
    inner = zipped({"my work.ipynb": MINE, "__MACOSX/._x.ipynb": "x", "helpers.py": "x = 1"})
    outcomes = collected(tmp_path, {"canvas.zip": zipped({"lovelaceada_101_1_work.zip": inner})})
    at = "canvas.zip/lovelaceada_101_1_work.zip"
    assert {path: outcome.became for path, outcome in outcomes.items()} == {
        f"{at}/my work.ipynb": "new",
        f"{at}/helpers.py": "left out",
    }
    [cell] = there(tmp_path, "ada")["cells"]
    assert (cell["outputs"], cell["execution_count"], cell["source"]) == ([], None, "x = 1")


def test_of_several_the_last_is_taken(tmp_path: Path) -> None:
    first, second = (json.dumps(notebook(said, lesson=LESSON)) for said in ("first", "second"))
    outcomes = collected(tmp_path, {f"kim/{LESSON}.ipynb": first, f"kim/{LESSON} (2).ipynb": second})
    assert outcomes[f"kim/{LESSON}.ipynb"].became == "not used"
    assert there(tmp_path, "kim")["cells"][0]["source"] == "second"


def test_a_time_decides_before_a_number_does(tmp_path: Path) -> None:
    early, late = (json.dumps(notebook(said, lesson=LESSON)) for said in ("early", "late"))
    listed = (
        "submission_{0}:\n  :submitters:\n  - :name: Kim Lee\n    :sid: kim\n  :created_at: 2026-11-{0} 12:00:00 Z\n"
    )
    files = {
        "submission_metadata.yml": listed.format(19) + listed.format(20),
        f"submission_20/{LESSON}.ipynb": late, f"submission_19/{LESSON} (2).ipynb": early,
    }  # fmt: skip
    collected(tmp_path, files)
    assert there(tmp_path, "kim")["cells"][0]["source"] == "late"
    time = (tmp_path / f"submitted/kim/{LESSON}/timestamp.txt").read_text()
    assert time == "2026-11-20 12:00:00 UTC\n"


def test_a_time_that_a_student_may_have_written_is_not_believed(tmp_path: Path) -> None:
    said = "2026-11-20 12:00:00 UTC"
    mine = {f"{LESSON}.ipynb": MINE, "timestamp.txt": said}
    files = {
        "lovelaceada_101_9001_work.zip": zipped(mine),
        f"José Núñez_77_assignsubmission_file_/{LESSON}.ipynb": MINE,
        "José Núñez_77_assignsubmission_file_/timestamp.txt": said,
        f"kim/{LESSON}/{LESSON}.ipynb": MINE, f"kim/{LESSON}/timestamp.txt": said,
        f"jm/{LESSON}.ipynb": MINE, "jm/timestamp.txt": said,
    }  # fmt: skip
    collected(tmp_path, files)
    dated = {path.parent.parent.name for path in (tmp_path / "submitted").glob("*/*/timestamp.txt")}
    assert dated == {"kim"}


def test_what_is_there_is_replaced_unless_it_is_newer(tmp_path: Path) -> None:
    old = {f"kim/{LESSON}/{LESSON}.ipynb": MINE, f"kim/{LESSON}/timestamp.txt": "2026-11-20 12:00:00 UTC"}
    new = {
        f"kim/{LESSON}/{LESSON}.ipynb": json.dumps(notebook("new", lesson=LESSON)),
        f"kim/{LESSON}/timestamp.txt": "2026-11-21 08:00:00 UTC",
    }
    assert collected(tmp_path, old)[f"kim/{LESSON}/{LESSON}.ipynb"].became == "new"
    assert collected(tmp_path, old)[f"kim/{LESSON}/{LESSON}.ipynb"].became == "same"
    assert collected(tmp_path, new)[f"kim/{LESSON}/{LESSON}.ipynb"].became == "replaced"
    again = collected(tmp_path, old)[f"kim/{LESSON}/{LESSON}.ipynb"]
    assert again.became == "not used" and "handed in earlier (2026-11-20 12:00 UTC)" in again.note
    assert there(tmp_path, "kim")["cells"][0]["source"] == "new"


def test_another_lesson_and_another_version_are_recognised(tmp_path: Path) -> None:
    graded = notebook()
    graded["cells"][0]["metadata"] = {"nbgrader": {"grade_id": "encoder_layer"}}
    outcomes = collected(
        tmp_path,
        {
            "ada/a.ipynb": json.dumps(notebook(lesson="06_encoder_block")),
            "jnunez/b.ipynb": json.dumps(graded),
            "kim/c.ipynb": json.dumps(notebook(lesson=LESSON, version="0.0.9")),
        },
    )
    assert [(outcomes[name].became, outcomes[name].note) for name in ("ada/a.ipynb", "jnunez/b.ipynb")] == [
        ("another lesson", "it is 06_encoder_block")
    ] * 2
    assert outcomes["kim/c.ipynb"].became == "new" and "version 0.0.9" in outcomes["kim/c.ipynb"].note
    found = collect(tmp_path / "downloads", LESSON, tmp_path / "submitted", ROSTER)
    assert {one.student: one.has for one in found.students} == {
        "ada": "to decide", "jnunez": "to decide", "kim": "collected", "lee": "nothing", "zz9": "nothing",
    }  # fmt: skip


def test_a_notebook_of_an_earlier_release_is_recognised(course: Course, tmp_path: Path) -> None:
    def built(folder: str, old: str = "", new: str = "", policy: str = "") -> Path:
        """The lesson's notebook as it is built after an edit."""
        root = copy_course(course, tmp_path / folder)
        if policy:
            (root / "course.toml").write_text(policy)
        path = root / "lessons" / f"{LESSON}.md"
        assert old in path.read_text(encoding="utf-8")
        path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        for one in build_lesson(find_course(root), LESSON):
            assert one.path.is_file()
        return find_course(root).student_notebook(LESSON)

    first = built("first")
    written = nbformat.read(first, as_version=nbformat.NO_CONVERT)
    for cell in written.cells:  # everything that a student may do to it, in any editor
        cell.source = cell.source if cell.cell_type == "markdown" else f"{cell.source}\nprint()"
        cell.metadata["collapsed"] = True
    del written.cells[-1]
    written.cells.insert(5, nbformat.v4.new_code_cell("mine = 1"))
    split = next(cell for cell in written.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "softmax")
    del split.metadata["nbgrader"]
    handed_in = place(tmp_path, {f"kim/{LESSON}.ipynb": nbformat.writes(written)})

    def remark(released: Path) -> str:
        [outcome] = collect(handed_in, LESSON, tmp_path / "submitted", ROSTER, released).outcomes
        return outcome.note

    assert remark(first) == ""
    assert "another release" in remark(built("text", "What is wrong with waiting?", "What is wrong with queues?"))
    assert "cell 'setup' is not the same" in remark(built("setup", "import math", "import math, os"))
    assert remark(built("points", policy='[written]\ngrading = "hand"\npoints = 2\n')) == "", "only points differ"


def test_the_library_that_was_handed_out_is_nobodys_work(tmp_path: Path) -> None:
    blank = f"kim/course_lib/notebooks/{LESSON}/{LESSON}.ipynb"
    outcomes = collected(tmp_path, {f"kim/{LESSON}.ipynb": MINE, blank: json.dumps(notebook("", lesson=LESSON))})
    assert {path: outcome.became for path, outcome in outcomes.items()} == {
        f"kim/{LESSON}.ipynb": "new",
        blank: "left out",
    }


def test_what_is_no_notebook_is_collected_so_that_grading_can_say_so(tmp_path: Path) -> None:
    outcomes = collected(tmp_path, {"kim/x.ipynb": b"\xff<html>"})
    outcome = outcomes["kim/x.ipynb"]
    assert outcome.became == "unreadable" and outcome.needs_a_look and "is not a notebook" in outcome.note
    assert (tmp_path / f"submitted/kim/{LESSON}/{LESSON}.ipynb").read_bytes() == b"\xff<html>"


def packed(how: int, **spoilt: int) -> bytes:
    """A zip that is packed otherwise, or has another byte somewhere."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", how) as archive:
        archive.writestr("kim/x.ipynb", MINE.replace("much", "many"))
    data = bytearray(into.getvalue())
    for place in spoilt.values():
        data[place] ^= 255
    return bytes(data)


HOSTILE = {
    "spoilt.zip": packed(zipfile.ZIP_DEFLATED, at=60),
    "otherwise.zip": packed(zipfile.ZIP_LZMA),
    "kim/many.zip": zipped({"lots.zip": zipped({f"{n}.py": "" for n in range(1_001)})}),
    "large.zip": zipped(
        {
            "kim/all.zip": zipped(
                {f"{n}/x.ipynb": random.Random(n).randbytes(40_000) + b"0" * 11_000_000 for n in range(10)}
            )
        }
    ),
    "copies.zip": zipped({f"kim/x ({'9' * 5_000}).ipynb": MINE}),
    "blanks.zip": zipped({f"kim/x{' ' * 60_000}).ipynb": MINE}),
    "folders.zip": zipped({"a/" * 30_000 + "kim/x.ipynb": MINE}),
    "kim/brackets.ipynb": '{"cells": [' + "[]," * 3_000_000 + "1]}",
    "kim/numbers.ipynb": '{"cells": [' + "1," * 6_000_000 + "1]}",
    "bomb.zip": zipped({"kim/x.ipynb": b"0" * 60_000_000}),
    "up.zip": zipped({f"../../../kim/{LESSON}.ipynb": MINE}),
    "cut.zip": zipped({"kim/x.ipynb": MINE})[:100],
    "deep.zip": zipped(
        {"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": zipped({"kim/x.ipynb": MINE})})})})}
    ),
    "kim/deep.ipynb": '{"cells":' + "[" * 100_000,
    "kim/list.ipynb": '{"cells": [1, {"cell_type": "code", "metadata": 3}], "metadata": []}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_download_costs_nobody_anything(tmp_path: Path, name: str) -> None:
    outcomes = collected(tmp_path, {name: HOSTILE[name], f"ada/{LESSON}.ipynb": MINE})
    assert outcomes.pop(f"ada/{LESSON}.ipynb").became == "new"
    [outcome] = outcomes.values()
    assert outcome.became in ("new", "unreadable") and (outcome.note or name in ("up.zip", "kim/list.ipynb"))
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"downloads", "submitted"}
    assert {path.name for path in (tmp_path / "submitted").iterdir()} <= {"ada", "kim"}


def test_a_zip_that_becomes_very_much_takes_little_memory_and_costs_nobody_anything(tmp_path: Path) -> None:
    blank = json.dumps(notebook(random.Random(0).randbytes(60_000).hex() + " " * 19_000_000, lesson=LESSON))
    some = zipped({f"{n}.ipynb": blank for n in range(4)})
    many = zipped({f"kim/{n}.zip": some for n in range(3)})
    files = {f"kim/{LESSON}/mine.zip": zipped({"x.ipynb": blank}), "many.zip": many, f"ada/{LESSON}.ipynb": MINE}
    tracemalloc.start()
    outcomes = collected(tmp_path, files)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcomes[f"ada/{LESSON}.ipynb"].became == "new"
    assert sum(outcome.became in ("new", "not used") for outcome in outcomes.values()) == 14, (
        "no file counts as a zip bomb"
    )
    assert most < 300_000_000


def test_lists_that_lie_deep_stay_as_small_as_they_were(tmp_path: Path) -> None:
    deep = MINE.replace('"metadata": {}', '"metadata": {"a": ' + "[" * 900 + "1," * 100_000 + "1" + "]" * 900 + "}")
    outcomes = collected(tmp_path, {f"kim/{LESSON}.ipynb": deep, f"ada/{LESSON}.ipynb": MINE})
    assert {outcome.became for outcome in outcomes.values()} == {"new"}
    assert (tmp_path / f"submitted/kim/{LESSON}/{LESSON}.ipynb").stat().st_size < 2 * len(deep)


THEIRS = "Kim Lee_12_assignsubmission_file_"
FORGED = [
    (f"{THEIRS}/Ada Lovelace_12_assignsubmission_file_x (9).ipynb", "kim"),
    (f"{THEIRS}/lovelaceada_101_9001_x (9).ipynb", "kim"),
    (f"{THEIRS}/mine.zip/ada/{LESSON}/{LESSON}.ipynb", "kim"),
    ("leekim_102_9_Ada Lovelace_3_assignsubmission_file_x.ipynb", "kim"),
    ("leekim_102_9_x.zip/lovelaceada_101_9001_x.ipynb", "kim"),
    ("Mallory_12_assignsubmission_file_/Ada Lovelace.ipynb", ""),
    ("mallory_555_9_Ada Lovelace.ipynb", ""),
    (f"kim/{LESSON}/ada/{LESSON}.ipynb", "kim"),
    (f"kim/{LESSON}/mine.zip/ada/{LESSON}.ipynb", "kim"),
]


@pytest.mark.parametrize(("path", "student"), FORGED, ids=[path for path, _ in FORGED])
def test_what_a_student_called_a_file_does_not_make_it_anothers(path: str, student: str) -> None:
    assert whose(PurePosixPath(path), ROSTER)[0] == student
    assert whose(PurePosixPath(path), None)[0] != "ada"


def test_of_several_folders_none_is_taken_without_a_roster() -> None:
    said = whose(PurePosixPath(f"kim/{LESSON}/ada/x.ipynb"), None)
    assert said == ("", "its folders kim, ada may each be of a student's name: give a roster")


@pytest.mark.parametrize("roster", [None, ROSTER])
@pytest.mark.parametrize("numbers", [(101,), (101, 102)], ids=["one", "namesakes"])
def test_a_name_like_canvass_in_a_students_folder_makes_it_nobody_elses(
    tmp_path: Path, numbers: tuple[int, ...], roster: Roster | None
) -> None:
    forged = {f"kim/{LESSON}/lovelaceada_{number}_9_x (9).ipynb": MINE for number in numbers}
    mine = json.dumps(notebook("my own", lesson=LESSON))
    files = {**forged, f"ada/{LESSON}/{LESSON}.ipynb": mine, f"kim/{LESSON}/mine.zip": zipped(forged)}
    found = collect(place(tmp_path, files), LESSON, tmp_path / "submitted", roster).outcomes
    assert {outcome.student for outcome in found if "lovelaceada" in outcome.path.name} <= {"kim", ""}
    assert there(tmp_path, "ada")["cells"][0]["source"] == "my own"


def test_an_unpacked_download_in_a_folder_is_known_by_the_roster_and_else_told(tmp_path: Path) -> None:
    path = PurePosixPath(f"week 3/lovelaceada_101_9001_{LESSON}.ipynb")
    assert whose(path, ROSTER)[0] == "ada"
    says = "it looks like Canvas's or Moodle's, and is in week 3: collect that, or give a roster"
    assert whose(path, None) == ("", says)


@pytest.mark.parametrize("roster", [None, ROSTER])
def test_two_of_one_name_are_told_apart_by_their_numbers(tmp_path: Path, roster: Roster | None) -> None:
    files = [f"Kim Lee_{number}_assignsubmission_file_/x.ipynb" for number in (12, 13)]
    found = collect(place(tmp_path, dict.fromkeys(files, MINE)), LESSON, tmp_path / "submitted", roster).outcomes
    assert {(outcome.became, outcome.student) for outcome in found} == {("nobody's", "")}
    assert all("number 12 or 13: put each into a folder of the id" in outcome.note for outcome in found)
    assert not list((tmp_path / "submitted").glob("*/*/*.ipynb"))


@pytest.mark.parametrize(
    "folder",
    [
        THEIRS,
        f"kim/{LESSON}/mine",
        f"kim/{LESSON}/kim",
        f"kim/{LESSON}/{LESSON}",
        f"kim/{LESSON}/02_attention",
        f"kim/{LESSON}/mine.zip",
        "leekim_102_9_x.zip",
        "kim.zip",
        f"kim.zip/kim/{LESSON}",
    ],
)
def test_a_time_that_a_student_put_there_counts_nothing(tmp_path: Path, folder: str) -> None:
    inside = {f"{LESSON}.ipynb": MINE, "timestamp.txt": "2020-01-01 00:00:00 UTC"}
    files = {f"{folder}/{name}": text for name, text in inside.items()}
    outer, _, inner = folder.partition(".zip")
    archive = zipped({f"{inner}/{name}".lstrip("/"): text for name, text in inside.items()})
    collected(tmp_path, {f"{outer}.zip": archive} if ".zip" in folder else files)
    found = {path.name for path in (tmp_path / f"submitted/kim/{LESSON}").iterdir()}
    assert found == {f"{LESSON}.ipynb", "download.json"}


def test_a_notebook_in_a_folder_of_ones_own_came_when_all_the_rest_did(tmp_path: Path) -> None:
    said = {"timestamp.txt": "2026-11-20 12:00:00 UTC", "mine/timestamp.txt": "2020-01-01 00:00:00 UTC"}
    collected(tmp_path, {f"kim/{LESSON}/{name}": text for name, text in {**said, "mine/x.ipynb": MINE}.items()})
    assert (tmp_path / f"submitted/kim/{LESSON}/timestamp.txt").read_text() == "2026-11-20 12:00:00 UTC\n"


def test_what_a_notebook_says_of_itself_is_text_on_a_terminal(tmp_path: Path) -> None:
    evil = "\x1b]0;x\x07\u202e\ud800" + "v" * 1000
    outcomes = collected(
        tmp_path,
        {
            "kim/x.ipynb": json.dumps(notebook(lesson=LESSON, version=evil)),
            "ada/x.ipynb": json.dumps(notebook(lesson=evil)),
        },
    )
    for outcome in outcomes.values():
        assert outcome.note and outcome.note.isprintable() and len(outcome.note) < 120
    with out.capture() as shown:
        out.print(fates_table([FileOutcome(PurePosixPath("x\x1b[2J"), ("kim",), "not used", "y\x1b[2J is taken")]))
    assert "\x1b[2J" not in shown.get()


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_text(MINE)
    files = place(tmp_path, {f"ada/{LESSON}.ipynb": MINE})
    (files / "kim").mkdir()
    (files / f"kim/{LESSON}.ipynb").symlink_to(secret)
    assert [str(one.path) for one in downloads(files)] == [f"ada/{LESSON}.ipynb"]


WRONG = {
    "name\nada": "has no column id. Its first line names the columns: id,first_name",
    "": "has no column id",
    "id\nada\nada": "lists this student more than once: ada",
    "id,lms_user_id\nada,1\nkim,1": "lists this lms_user_id more than once: 1",
    "id\n../x": "has an id on line 2 that is not a valid folder name: '../x'",
    "id\nada\nAda": "lists this student more than once: ada",
    f"id,first_name\nada,{'x' * 200_000}": "cannot be read: field larger than field limit (131072)",
    "id,email\n,a@x": "has an id on line 2 that is not a valid folder name: ''",
}


@pytest.mark.parametrize("text", WRONG, ids=[text[:20] for text in WRONG])
def test_a_roster_that_is_not_right_says_what_and_where(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(CourseError, match="roster") as said:
        read_roster(tmp_path / "r.csv")
    assert WRONG[text] in str(said.value)


def test_a_roster_of_any_spreadsheet_is_read(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("\ufeffid; first_name;last_name\r\nkim; Kim ;Lee\r\n", encoding="utf-8")
    assert read_roster(tmp_path / "r.csv").members == (Member("kim", "Kim", "Lee"),)
    with pytest.raises(CourseError, match="There is no roster"):
        read_roster(tmp_path / "none.csv")


def test_the_verb_says_what_became_of_each_file_and_enters_the_class(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "root")
    files = place(tmp_path, {f"ada/{LESSON}.ipynb": MINE, "who.ipynb": MINE})
    (tmp_path / "r.csv").write_text("id,first_name,last_name,email\nada,Ada,Lovelace,a@x\nkim,Kim,Lee,k@x\n")
    ran = run_course(root, "collect", "03", str(files), "--roster", str(tmp_path / "r.csv"), "--json", "r.json")
    assert ran.code == 0, ran.err
    assert "2 files: 1 collected, 1 nobody's." in ran.out
    assert "2 students: 1 with a notebook, 0 with something that cannot be graded, 1 with nothing." in ran.out
    assert "1 file to look at" in ran.out and "NEEDS A LOOK" in ran.out
    assert "Nothing was handed in by kim (unless a file without a student in the table is theirs)." in ran.out
    said = json.loads((root / "r.json").read_text())
    assert said["absent"] == ["kim"] and {one["became"] for one in said["files"]} == {"new", "nobody's"}
    with Gradebook(f"sqlite:///{root}/class/gradebook.db") as book:
        assert {s.id: (s.first_name, s.email) for s in book.students} == {"ada": ("Ada", "a@x"), "kim": ("Kim", "k@x")}
    assert f"Next: course grade {LESSON}\n" in ran.out
    assert f"The roster was saved as {root}/class/students.csv" in ran.out
    assert (root / "class/students.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()
    collect_again = ("collect", "03", str(files), "--roster", str(tmp_path / "r.csv"), "--class", "class")
    assert "students.csv" not in run_course(root, *collect_again).out, "it is the class's own"
    (root / "class/students.csv").write_text("id,extra_days\nada,3\n")
    ran = run_course(root, *collect_again, "--gradebook", "sqlite:///other book.db", "--to", "there")
    assert "students.csv is different and was not changed" in ran.out
    assert (root / "class/students.csv").read_text() == "id,extra_days\nada,3\n"
    options = "--submissions there --class class --gradebook 'sqlite:///other book.db'"
    assert f"Next: course grade {LESSON} {options}\n" in ran.out
    nobodys = run_course(root, "collect", "03", str(place(tmp_path / "more", {"who.ipynb": MINE})), "--to", "elsewhere")
    assert "1 file to look at" in nobodys.out and "Next:" not in nobodys.out
    assert run_course(root, "collect", "03", str(tmp_path / "nowhere")).code != 0
