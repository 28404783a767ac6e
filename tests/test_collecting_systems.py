"""Downloads from Blackboard, Brightspace, Teams, ILIAS, Sakai and Google Classroom are read by their file names."""

from __future__ import annotations

from pathlib import Path

import pytest
from collecting import Class, Notebooks
from conftest import LESSON

from autograder.collecting.order import Stamp, set_aside, stamp_of
from autograder.collecting.outcomes import COLLECTED
from autograder.collecting.roster import Member, Roster, read_roster
from course_lib.course import Course, CourseError

N = f"{LESSON}.ipynb"
CLASS = (Member("kim", "Kim", "Lee", "kim@x.y"), Member("pb", "Pieter", "van der Berg"), Member("jo_de_b", "Jo", "Bo"))
#: the names of an earlier and a later file of one student in each system; as text, the later one doesn't sort last
EARLIER_AND_LATER = {
    "Blackboard": (f"HW_kim_attempt_2025-02-10-23-58-12_{N}", "HW_kim_attempt_2025-02-11-20-01-40_a.ipynb"),
    "Brightspace, folders": (f"1-5 - Kim Lee - Feb 1, 2025 1200 PM/{N}", f"1-5 - Kim Lee - Feb 1, 2025 1159 PM/{N}"),
    "Brightspace, files": (f"12-5 - Kim Lee- Oct 9, 2024 932 PM - {N}", f"12-5 - Kim Lee- Oct 14, 2024 1201 AM - {N}"),
    "Teams": (f"Submitted files/Kim Lee/L3/Version 9/{N}", f"Submitted files/Kim Lee/L3/Version 10/{N}"),
    "ILIAS": (f"Lee_Kim_kim_44/20241012180100_{N}", f"Lee_Kim_kim_44/20241014093211_{N}"),
    "nbgrader's exchange": (
        f"kim+{LESSON}+2025-02-10 09:00:00.1111 UTC+1d24/{N}", f"kim+{LESSON}+2025-02-11 21:59:59.9999 UTC+69/{N}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("system", EARLIER_AND_LATER)
def test_the_later_file_counts_by_the_time_that_the_system_writes_into_names(
    system: str, course: Course, tmp_path: Path
) -> None:
    earlier, later = EARLIER_AND_LATER[system]
    notebooks = Notebooks(course)
    files = {earlier: notebooks.worked("softmax", own="old = 1"), later: notebooks.worked("softmax", own="new = 1")}
    a_class = Class(tmp_path, notebooks, Roster(CLASS))
    outcomes = a_class.collect(files)
    assert outcomes[later].became in COLLECTED and not outcomes[later].needs_a_look, outcomes[later]
    assert outcomes[earlier].became == "not used" and not outcomes[earlier].needs_a_look, outcomes[earlier]


def test_an_earlier_file_with_work_that_the_later_one_lacks_still_asks_for_a_look(
    course: Course, tmp_path: Path
) -> None:
    earlier, later = EARLIER_AND_LATER["Teams"]
    notebooks = Notebooks(course)
    a_class = Class(tmp_path, notebooks, Roster(CLASS))
    files = {earlier: notebooks.worked("softmax", "attention_loops"), later: notebooks.worked("softmax")}
    assert a_class.collect(files)[earlier].needs_a_look


def test_twelve_oclock_is_before_one_oclock() -> None:
    def at(time: str) -> Stamp:
        return stamp_of(Path(f"1-2 - Kim Lee - Feb 11, 2025 {time}") / N)  # type: ignore[arg-type]

    assert at("1201 AM") < at("100 AM") < at("1105 AM") < at("1200 PM") < at("106 PM") < at("1159 PM")


def test_what_was_never_turned_in_asks_for_a_look_and_never_beats_what_was(course: Course, tmp_path: Path) -> None:
    notebooks = Notebooks(course)
    a_class = Class(tmp_path, notebooks, Roster(CLASS))
    submitted, working = f"Submitted files/Kim Lee/L3/Version 1/{N}", f"Working files/Kim Lee/L3/{N}"
    alone = f"Working files/Pieter van der Berg/L3/{N}"
    outcomes = a_class.collect({
        submitted: notebooks.worked("softmax"), working: notebooks.worked("softmax", own="more = 1"),
        alone: notebooks.worked("softmax"),
    })  # fmt: skip
    assert outcomes[submitted].became in COLLECTED and outcomes[working].became == "not used"
    assert outcomes[alone].became in COLLECTED and outcomes[alone].needs_a_look
    assert "not turned in" in outcomes[alone].note
    assert set_aside(Path("Feedback Attachment(s)") / N)  # type: ignore[arg-type]


def test_names_of_many_words_and_accounts_with_hyphens_and_underscores_are_found(
    course: Course, tmp_path: Path
) -> None:
    notebooks = Notebooks(course)
    a_class = Class(tmp_path, notebooks, Roster(CLASS))
    outcomes = a_class.collect({
        f"Pieter van der Berg - {N}": notebooks.worked("softmax"),
        f"lesson-03-jo_de_b/{N}": notebooks.worked("softmax"),
    })  # fmt: skip
    assert {outcome.student for outcome in outcomes.values()} == {"pb", "jo_de_b"}


def test_an_id_in_the_folder_decides_between_namesakes_unless_both_ids_are_there(
    course: Course, tmp_path: Path
) -> None:
    namesakes = Roster((Member("jm", "Jo", "Mo"), Member("jm2", "Jo", "Mo")))
    notebooks = Notebooks(course)
    outcomes = Class(tmp_path, notebooks, namesakes).collect({
        f"Mo_Jo_jm2_441/{N}": notebooks.worked("softmax"), f"Mo_Jo/{N}": notebooks.worked("softmax"),
        f"Mo_Jo_jm_jm2/{N}": notebooks.worked("softmax"),
    })  # fmt: skip
    assert outcomes[f"Mo_Jo_jm2_441/{N}"].student == "jm2"
    assert outcomes[f"Mo_Jo/{N}"].became == outcomes[f"Mo_Jo_jm_jm2/{N}"].became == "nobody's"


def test_a_display_name_that_is_another_students_id_decides_nothing(course: Course, tmp_path: Path) -> None:
    notebooks = Notebooks(course)
    roster = Roster((Member("kim", "Kim", "Lee"), Member("ada", "Ada", "Lovelace")))
    outcomes = Class(tmp_path, notebooks, roster).collect({f"12-5 - ada Kim Lee/{N}": notebooks.worked("softmax")})
    assert [outcome.became for outcome in outcomes.values()] == ["nobody's"]


def test_a_last_name_alone_suggests_a_student_and_decides_nothing(course: Course, tmp_path: Path) -> None:
    notebooks = Notebooks(course)
    a_class = Class(tmp_path, notebooks, Roster(CLASS))
    outcomes = a_class.collect(
        {"lee homework.ipynb": notebooks.worked("softmax"), "lee/x.ipynb": notebooks.worked("softmax")}
    )
    assert outcomes["lee/x.ipynb"].perhaps == ("kim",)
    assert outcomes["lee homework.ipynb"].became == "nobody's" and outcomes["lee homework.ipynb"].perhaps == ("kim",)
    assert a_class.last and "kim" not in a_class.last.absent


@pytest.mark.parametrize("name", ["0001 HW3.eml", "Kim Lee.msg", "winmail.dat"])
def test_a_saved_mail_asks_for_a_look(name: str, course: Course, tmp_path: Path) -> None:
    outcome = Class(tmp_path, Notebooks(course), Roster(CLASS)).collect({name: b"From: kim@x.y\n\nhere"})[name]
    assert outcome.became == "unreadable" and outcome.needs_a_look


def test_a_canvas_groups_notebook_counts_for_all_its_members(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        '"Costa, Ines",71,u1,icosta,01,Red Pandas,501,\n"Berg, Tom",72,u2,tberg,01,Red Pandas,501,\n'
        '"Patel, Dev",76,u6,dpatel,01,,,\n'
    )
    notebooks = Notebooks(course)
    a_class = Class(tmp_path, notebooks, read_roster(path))
    theirs, foreign = f"redpandas_LATE_71_9100_{N}", f"redpandas_76_9105_{N}"
    outcomes = a_class.collect({theirs: notebooks.worked("softmax"), foreign: notebooks.worked("softmax", own="x = 1")})
    assert outcomes[theirs].students == ("icosta", "tberg")
    assert outcomes[foreign].students == ("dpatel",), "a stranger can't claim a group by its name"


def test_moodles_participant_number_distinguishes_namesakes(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "worksheet.csv"
    path.write_text(
        "Identifier,Full name,ID number,Email address\n"
        "Participant 57,Jane Doe,s1,jane@x.y\nParticipant 58,Jane Doe,s44,jane2@x.y\n"
    )
    notebooks = Notebooks(course)
    outcomes = Class(tmp_path, notebooks, read_roster(path)).collect({
        f"Jane Doe_57_assignsubmission_file/{N}": notebooks.worked("softmax"),
        f"Jane Doe_58_assignsubmission_file/{N}": notebooks.worked("softmax", own="x = 1"),
    })  # fmt: skip
    assert [outcome.student for outcome in outcomes.values()] == ["s1", "s44"]


ROSTERS = {
    "Google Classroom": ("Last Name,First Name,Email Address,L3\nDate,,,2025\nPoints,,,13\nLee,Kim,kim@x.y,\n", "kim"),
    "Sakai": (
        '"03","Points"\n""\n"Display ID","ID","Last Name","First Name","grade"\n"kim","5f","Lee","Kim",""\n',
        "kim",
    ),
    "ILIAS": ('"Name";"Vorname";"Benutzername";"Matrikelnummer"\n"Lee";"Kim";"kim";"55"\n', "kim"),
    "a class list": ("sep=;\r\nMatrikelnr;Nachname;Vorname;Login\r\n0101;Lee;Kim;kim\r\n", "kim"),
    "a seating plan": ("Platz;Matrikelnummer;Name;Vorname\nPC-01;44;Lee;Kim\nPC-02;;;\n", "44"),
    "Moodle in German": ("ID;Vollständiger Name;ID-Nummer\nTeilnehmer/in88;Kim Lee;12\n", "12"),
    "Dutch Excel": ("sep=;\nNr;Naam;Voornaam;Tussenvoegsel;Studentnummer\n1;Lee;Kim;;061\n", "061"),
}


@pytest.mark.parametrize("kind", ROSTERS)
def test_rosters_of_more_systems_are_read_as_they_are(kind: str, tmp_path: Path) -> None:
    text, student = ROSTERS[kind]
    (tmp_path / "r.csv").write_text(text)
    (member,) = read_roster(tmp_path / "r.csv").members
    assert (member.id, member.first_name, member.last_name) == (student, "Kim", "Lee")


def test_blind_moodle_worksheets_keep_their_participants(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("ID;Status;Bewertung\nTeilnehmer/in 88;Abgegeben;\n")
    roster = read_roster(tmp_path / "r.csv")
    assert [member.id for member in roster.members] == ["Teilnehmer_in 88"]
    assert roster.participants("88") == set(roster.members)


def test_a_seat_and_an_infix_belong_to_their_student(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("Platz;Matrikelnummer;Name;Voornaam;Tussenvoegsel\nPC-01;44;Berg;Joost;van den\n")
    roster = read_roster(tmp_path / "r.csv")
    assert roster.called("PC-01") == roster.called("Joost van den Berg") == set(roster.members)


def test_a_person_without_an_id_is_refused_but_a_row_of_points_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Last Name,First Name,Email Address\nPoints,,\nLee,Kim,kim@x.y\n")
    assert "rows left out: Points" in read_roster(path).read_as
    path.write_text("Last Name,First Name,Email Address\nDoe,Jo,\nLee,Kim,kim@x.y\n")
    with pytest.raises(CourseError, match="not a valid folder name"):
        read_roster(path)


@pytest.mark.parametrize("name", [
    "HW_kim_attempt_2025-02-10-23-58-12_Pieter van der Berg.ipynb",
    "12-5 - Kim Lee- Oct 9, 2024 932 PM - Pieter van der Berg.ipynb",
])  # fmt: skip
def test_a_file_name_never_assigns_the_file_to_another_student(name: str, course: Course, tmp_path: Path) -> None:
    outcomes = Class(tmp_path, Notebooks(course), Roster(CLASS)).collect({name: Notebooks(course).worked("softmax")})
    assert outcomes[name].student == "kim"


def test_a_name_on_gradescope_does_not_count_against_another_address(course: Course, tmp_path: Path) -> None:
    listed = "---\nsubmission_1:\n  :submitters:\n  - :name: Kim Lee\n    :sid:\n    :email: stranger@x.y\n"
    file = f"submission_1/{N}"
    outcomes = Class(tmp_path, Notebooks(course), Roster(CLASS)).collect(
        {file: Notebooks(course).worked("softmax"), "submission_metadata.yml": listed}
    )
    assert outcomes[file].became == "nobody's" and outcomes[file].perhaps == ("kim",)
