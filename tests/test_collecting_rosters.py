"""Rosters are read as Canvas, Moodle, Gradescope, GitHub Classroom and spreadsheets export them."""

from __future__ import annotations

from pathlib import Path

import pytest
from collecting import Class, scratch
from conftest import LESSON

from autograder.collecting.roster import COLUMNS, Member, keep_roster, member_of, read_roster, without_member
from autograder.gradebook.gradebook import Records
from autograder.gradebook.people import enrol, members_in
from course_lib.course import CourseError

KIM = Member("kim", "Kim", "Lee")
CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Self-attention (881)\n,,,,,Manual Posting\n"
    '    Points Possible,,,,,17\n"Lee, Kim",101,000123,kim,1,\n"Student, Test",999,,x,1,\n'
)
ROSTERS = {
    "our own": ("id,first_name,last_name\nkim,Kim,Lee\n", KIM),
    "semicolons": ("id;first_name;last_name\nkim;Kim;Lee\n", KIM),
    "tabs": ("id\tfirst_name\tlast_name\nkim\tKim\tLee\n", KIM),
    "sep=;": ("sep=;\nid;first_name;last_name\nkim;Kim;Lee\n", KIM),
    "SEP=, and CRLF": ("SEP=,\r\nid,first_name,last_name\r\nkim,Kim,Lee\r\n", KIM),
    "ID": ("ID,First_Name,Last_Name\nkim,Kim,Lee\n", KIM),
    "Id and blanks": (" Id , First name , Last name \n kim , Kim , Lee \n", KIM),
    "empty rows": ("\nid,first_name,last_name\n,,\nkim,Kim,Lee\n,,,,\n\n , , \n", KIM),
    "a row that is too long": ("id,first_name,last_name\nkim,Kim,Lee,,,\n", KIM),
    "a number of a spreadsheet": (
        "id,first_name,last_name,lms_user_id\nkim,Kim,Lee,101.0\n", Member("kim", "Kim", "Lee", "", "101"),
    ),
    "Canvas's gradebook": (CANVAS, Member("kim", "Kim", "Lee", "", "101", also=("000123",))),
    "Canvas's without login ids": (
        'Student,ID,SIS User ID,Section\n    Points Possible,,,\n"Lee, Kim",101,kim,1\n',
        Member("kim", "Kim", "Lee", "", "101"),
    ),
    "Canvas's with addresses as logins": (
        'Student,ID,SIS Login ID,Section\n"Lee, Kim",101,kim@x.y,1\n',
        Member("kim@x.y", "Kim", "Lee", "kim@x.y", "101"),
    ),
    "Canvas's without any id but its own": (
        'Student,ID,Section\n"Lee, Kim",101,1\n', Member("101", "Kim", "Lee", "", "101"),
    ),
    "Canvas's class list": (
        "Student Name,Student ID,Student SIS ID,Email,Section Name\nKim Lee,101,kim,k@x.y,S1\n",
        Member("kim", "Kim", "Lee", "k@x.y", "101"),
    ),
    "Moodle's participants": (
        '"First name","Last name","ID number","Email address",Groups\nKim,Lee,kim,k@x.y,"Group A"\n',
        Member("kim", "Kim", "Lee", "k@x.y", id_number="kim"),
    ),
    "Moodle's without numbers": (
        "First name,Surname,ID number,Email address\nKim,Lee,,kim@x.y\n", Member("kim", "Kim", "Lee", "kim@x.y"),
    ),
    "Moodle's in German": (
        "Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppen\nKim;Lee;kim;k@x.y;\n",
        Member("kim", "Kim", "Lee", "k@x.y", id_number="kim"),
    ),
    "Moodle's with user names and numbers": (
        "First name,Last name,Username,ID number,Email address\nKim,Lee,kim,0042,k@x.y\n",
        Member("kim", "Kim", "Lee", "k@x.y", also=("0042",), id_number="0042"),
    ),
    "Gradescope's": (
        "First Name,Last Name,SID,Email,Sections\nKim,Lee,kim,k@x.y,\n", Member("kim", "Kim", "Lee", "k@x.y"),
    ),
    "GitHub Classroom's": (
        "identifier,github_username,github_id,name\nkim,kimcodes,88,Kim Lee\n",
        Member("kim", "Kim", "Lee", also=("kimcodes",)),
    ),
    "Brightspace's": (
        "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n#7,#kim,Lee,Kim,k@x.y,#\n",
        Member("kim", "Kim", "Lee", "k@x.y", also=("7",)),
    ),
    "Blackboard's": (
        '"Last Name","First Name","Username","Student ID","Last Access"\nLee,Kim,kim,7,\n',
        Member("kim", "Kim", "Lee", also=("7",)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ROSTERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_roster_is_read_as_it_was_exported(tmp_path: Path, what: str, encoding: str) -> None:
    text, member = ROSTERS[what]
    (tmp_path / "r.csv").write_bytes(text.lstrip("\ufeff").encode(encoding))
    roster = read_roster(tmp_path / "r.csv")
    assert roster.members == (member,)
    assert bool(roster.read_as) == (text.partition("\n")[0] not in ROSTERS["our own"][0]) or not roster.read_as


def test_it_says_in_one_line_how_columns_were_read(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(CANVAS)
    said = read_roster(tmp_path / "r.csv").read_as
    assert "SIS Login ID = id, ID = lms_user_id, Student = name" in said and "\n" not in said
    assert "rows left out: Points Possible; Student, Test" in said


def test_accents_of_a_spreadsheet_in_ansi_survive(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes("id;first_name;last_name\njm;Jörg;Müller\n".encode("cp1252"))
    assert read_roster(tmp_path / "r.csv").members == (Member("jm", "Jörg", "Müller"),)


WRONG = {
    "name,grade\nKim,3\n": "has no column id",
    "": "has no column id",
    "sep=;\n": "has no column id",
    "id,first_name\n,Kim\n": "an id on line 2 that is not a valid folder name: ''",
    "id\n\n\n../x\n": "an id on line 4",
    'Student,ID,SIS Login ID\n"A, B",1,kim\n"C, D",2,kim\n': "more than once: kim",
    "PK\x03\x04": "is a workbook",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_in_a_roster_says_what_and_where(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(CourseError, match=r"[Rr]oster") as raised:
        read_roster(tmp_path / "r.csv")
    assert WRONG[text] in str(raised.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_roster_of_any_encoding_becomes_the_classs_own(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "r.csv").write_bytes(CANVAS.lstrip("\ufeff").replace("Kim", "Zoë").encode(encoding))
    assert "was saved as" in keep_roster(tmp_path / "class/students.csv", tmp_path / "r.csv")
    assert read_roster(tmp_path / "class/students.csv").members[0].first_name == "Zoë"
    assert keep_roster(tmp_path / "class/students.csv", tmp_path / "r.csv") == ""


def test_a_student_can_be_taken_out_of_an_exported_roster() -> None:
    assert without_member(CANVAS, "kim") == CANVAS.replace('"Lee, Kim",101,000123,kim,1,\n', "")
    assert without_member("sep=;\r\nid;n\r\na;1\r\n\r\nkim;2\r\n", "kim") == "sep=;\r\nid;n\r\na;1\r\n\r\n"


@pytest.mark.parametrize("header", ["id,first_name,last_name", "lms_user_id,first_name,last_name"])
def test_a_systems_number_alone_finds_the_student(tmp_path: Path, header: str) -> None:
    (tmp_path / "r.csv").write_text(f"{header}\n4711,Kim,Lee\n")
    a_class = Class(tmp_path, roster=read_roster(tmp_path / "r.csv"))
    a_class.collect({f"someone_4711_9_{LESSON}.ipynb": scratch("def softmax(x):\n    return x")})
    assert a_class.has("4711") == "collected"


REVERSING = [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]
NEVER_SEEN = [*"\u00ad\u061c\u200b\u200e\u200f\u2060\u2064\u206a\ufeff\ufffb\U000e0041"]
SPELLED_WITH = ["میرزا\u200cخانی", "ශ්\u200dරී", "辻\U000e0100", "ᠨᠠᠷᠠ\u180eᠠ", "כהן", "O’Brien", "Zoë"]
SHOWN = ["first_name", "last_name", "email", "lms_user_id"]


@pytest.mark.parametrize("column", SHOWN)
@pytest.mark.parametrize("character", [*REVERSING, "\x1b", "\x9b", "\x7f"])
def test_a_character_that_could_disguise_a_name_is_visible_wherever_the_name_is_shown(
    tmp_path: Path, column: str, character: str
) -> None:
    path = tmp_path / "students.csv"
    path.write_text(f"id,{column}\nkim,a{character}b\nada,c\n", encoding="utf-8")
    roster = read_roster(path)
    assert [getattr(member, column) for member in roster.members] == ["a\ufffdb", "c"]
    in_gradebook = member_of("kim" if name == "id" else f"a{character}b" * (name == column) for name in COLUMNS)
    assert getattr(in_gradebook, column) == "a\ufffdb"
    if column != "lms_user_id":
        assert {member.id for member in roster.called(f"a{character}b")} <= {"kim"}
    assert without_member(path.read_text(encoding="utf-8"), "kim") == f"id,{column}\nada,c\n"


@pytest.mark.parametrize("character", NEVER_SEEN)
def test_a_character_that_nobody_sees_makes_no_second_name_or_id(tmp_path: Path, character: str) -> None:
    path = tmp_path / "students.csv"
    path.write_text(f"id,first_name\nk{character}im,A{character}da\n", encoding="utf-8")
    assert read_roster(path).members == (Member("kim", "Ada"),)
    path.write_text(f"id\nkim\nk{character}im\n", encoding="utf-8")
    with pytest.raises(CourseError, match="more than once: kim"):
        read_roster(path)


@pytest.mark.parametrize("name", SPELLED_WITH)
def test_a_name_keeps_every_character_that_its_spelling_needs(tmp_path: Path, name: str) -> None:
    path = tmp_path / "students.csv"
    path.write_text(f"id,last_name\nkim,{name}\n", encoding="utf-8")
    assert read_roster(path).members[0].last_name == name


def test_a_name_of_several_lines_is_shown_on_one(tmp_path: Path) -> None:
    path = tmp_path / "students.csv"
    path.write_text('id,first_name\nkim,"Kim\n\u2028Lee"\n', encoding="utf-8")
    assert read_roster(path).members[0].first_name == "Kim Lee"


def test_names_in_the_gradebook_are_those_that_the_roster_shows(tmp_path: Path) -> None:
    roster = tmp_path / "students.csv"
    roster.write_text("id,first_name\nkim,Kim\u202e\n", encoding="utf-8")
    with Records(f"sqlite:///{tmp_path / 'gradebook.db'}") as records:
        book = records._book
        book.add_student("kim", first_name="an earlier\u202ename")
        assert [member.first_name for member in members_in(book.db)] == ["an earlier\ufffdname"]
        enrol(book.db, read_roster(roster).members)
        assert book.find_student("kim").first_name == "Kim\ufffd", "formgrader and nbgrader's exports read it here"
