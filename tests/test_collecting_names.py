"""Names are recognised in any encoding and spelling, and different names stay different."""

from __future__ import annotations

import io
import os
import unicodedata
import zipfile
from pathlib import Path

import pytest
from collecting import ROSTER, Class, place, scratch
from conftest import LESSON

from autograder.collecting.names import comparable, copy_number, stem_of
from autograder.collecting.roster import Member, Roster

MINE = scratch("def softmax(x, dim):\n    return x")
THEIRS = scratch("def softmax(x, dim):\n    return 0")
DIFFERENT = [
    ("कि", "का"),  # Hindi: ki, ka
    ("राम", "रीमा"),
    ("நிலா", "நீலா"),  # Tamil
    ("ก้อย", "กุ้ย"),  # Thai
    ("はな", "ばな"),  # Japanese, with and without a voiced sound
    ("박민", "박만"),  # Korean
    ("李", "王"),
    ("kim", "kom"),
]
SAME = [
    ("José Núñez", "jose nunez"),
    ("Zoë", unicodedata.normalize("NFD", "ZOË")),
    ("O'Brien-Smith", "obrien smith"),
    ("Łukasz", "lukasz"),
    ("Øyvind", "oyvind"),
    ("Straße", "STRASSE"),
    ("はな", unicodedata.normalize("NFD", "はな")),
    ("नीता", unicodedata.normalize("NFD", "नीता")),
    ("\uff2b\uff49\uff4d", "kim"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert comparable(one) != comparable(other) and comparable(one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_name_are_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize("name", ["mueller", "Muller", "MÜLLER", unicodedata.normalize("NFD", "Müller")])
def test_an_umlaut_may_be_spelled_out(name: str) -> None:
    [member] = Roster([Member("jm", "", "Müller"), Member("x", "", "Mahler")]).called(name)
    assert member.id == "jm"


def test_the_exact_name_comes_first() -> None:
    roster = Roster([Member("a", "", "Müller"), Member("b", "", "Muller")])
    assert {member.id for member in roster.called("Müller")} == {"a"}
    assert {member.id for member in roster.called("Muller")} == {"b"}
    assert {member.id for member in roster.called("Mûller")} == {"a", "b"}


@pytest.mark.parametrize(
    ("name", "stem", "copy"),
    [
        ("x (2).ipynb", "x", 2), ("x-3.ipynb", "x", 3), ("x (12).ipynb.txt", "x", 12), ("Copy of x.ipynb", "x", 0),
        ("x - Copy.ipynb", "x", 0), ("x – Kopie (4).ipynb", "x", 4), ("Kopie von x.ipynb", "x", 0), ("x.ipynb", "x", 0),
    ],
)  # fmt: skip
def test_the_marker_of_a_copy_is_not_part_of_a_name(name: str, stem: str, copy: int) -> None:
    from pathlib import PurePosixPath

    assert (stem_of(name), copy_number(PurePosixPath(name))) == (stem, copy)


def raw_zip(name: bytes) -> bytes:
    """Make a zip with these bytes as a name, and without the flag for UTF-8."""
    stand_in = "x" * len(name)
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        archive.writestr(stand_in, MINE)
    return into.getvalue().replace(stand_in.encode(), name)


CLASS = Roster(
    [
        Member("s1", "Jörg", "Müller"), Member("s2", "Zoë", "O'Brien"), Member("s3", "太郎", "山田"),
        Member("s4", "Иван", "Петров"), Member("s5", "नीता", "शर्मा"), Member("s6", "नाता", "शर्मा"),
        Member("s7", "민준", "김"), Member("s8", "José", "Núñez"),
    ]
)  # fmt: skip
ENCODED = [
    ("Jörg Müller", "utf-8", "s1"), ("Jörg Müller", "cp437", "s1"), ("Jörg Müller", "cp1252", "s1"),
    ("Jörg Müller", "cp850", "s1"), ("Zoë O'Brien", "utf-8", "s2"), ("Zoë O'Brien", "cp1252", "s2"),
    ("山田太郎", "utf-8", "s3"), ("山田太郎", "cp932", "s3"), ("Петров Иван", "utf-8", "s4"),
    ("Петров Иван", "cp1251", "s4"), ("नीता शर्मा", "utf-8", "s5"), ("नाता शर्मा", "utf-8", "s6"),
    ("김민준", "utf-8", "s7"), ("김민준", "euc_kr", "s7"), ("José Núñez", "mac_roman", "s8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "encoding", "student"), ENCODED)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_zip_may_have_names_in_any_encoding(
    tmp_path: Path, name: str, encoding: str, student: str, form: str
) -> None:
    if form == "NFD" and encoding != "utf-8":
        form = "NFC"  # code pages have no combining letters
    encoded = unicodedata.normalize(form, f"{name}_77_assignsubmission_file_/x.ipynb").encode(encoding)
    a_class = Class(tmp_path, roster=CLASS)
    a_class.collect_from(place(tmp_path, {"moodle.zip": raw_zip(encoded)}) / "moodle.zip")
    assert [one.student for one in a_class.last.students if one.has == "collected"] == [student]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("folder", "student"),
    [
        (b"M\xfcller J\xf6rg", "s1"), (b"M\x81ller J\x94rg", "s1"), ("MÃ¼ller JÃ¶rg".encode(), "s1"),
        ("M├╝ller J├╢rg".encode(), "s1"), (b"Mu#U0308ller Jo#U0308rg", "s1"), (b"M%C3%BCller%20J%C3%B6rg", "s1"),
        ("शर्मा नीता".encode(), "s5"), ("शर्मा नाता".encode(), "s6"),
    ],
)  # fmt: skip
def test_a_folder_that_was_unpacked_with_the_wrong_encoding_is_recognised(
    tmp_path: Path, folder: bytes, student: str
) -> None:
    path = tmp_path / "downloads" / os.fsdecode(folder)
    path.mkdir(parents=True)
    (path / f"{LESSON}.ipynb").write_bytes(MINE)
    a_class = Class(tmp_path, roster=CLASS)
    a_class.collect_from(tmp_path / "downloads")
    assert [one.student for one in a_class.last.students if one.has == "collected"] == [student]  # type: ignore[union-attr]


ROSTERS = {"known": ROSTER, "numbers of none": Roster([Member("kim", "Kim", "Lee"), Member("ada", "Ada", "Lovelace")])}


@pytest.mark.parametrize("roster", ROSTERS.values(), ids=ROSTERS)
@pytest.mark.parametrize("user", ["101", "99101"])
def test_a_number_at_the_end_of_a_display_name_never_takes_a_classmates_place(
    tmp_path: Path, roster: Roster, user: str
) -> None:
    forged = f"kimlee_102_{user}_9002_{LESSON}.ipynb"
    a_class = Class(tmp_path, roster=roster)
    outcomes = a_class.collect({f"kimlee_102_9001_{LESSON}.ipynb": MINE, forged: THEIRS})
    assert "return x" in a_class.content("kim") and outcomes[forged].needs_a_look
    again = a_class.collect({forged: THEIRS})
    assert "return x" in a_class.content("kim") and again[forged].needs_a_look


def test_a_lessons_number_is_not_mistaken_for_a_number_of_canvas(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    outcomes = a_class.collect(
        {f"kimlee_102_9001_{LESSON}.ipynb": THEIRS, f"kimlee_LATE_102_9002_{LESSON}-1.ipynb": MINE}
    )
    assert "return x" in a_class.content("kim") and not any(outcome.needs_a_look for outcome in outcomes.values())


def test_a_display_name_that_ends_as_moodles_folders_do_never_takes_a_classmates_place(tmp_path: Path) -> None:
    forged = "Kim Lee_11_assignsubmission_file__12_assignsubmission_file_/x (2).ipynb"
    a_class = Class(tmp_path, roster=ROSTER)
    outcomes = a_class.collect({"Kim Lee_11_assignsubmission_file_/x.ipynb": MINE, forged: THEIRS})
    assert "return x" in a_class.content("kim") and outcomes[forged].needs_a_look
