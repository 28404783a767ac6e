"""Teams, anonymous numbers and accounts are matched to students, and nobody can pass for someone else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from collecting import ROSTER, Class, place, scratch, zipped
from conftest import LESSON

from autograder.collecting.identify_student import Owner, Owners
from autograder.collecting.labels import NO_LABELS, Labels, gradescope, read_labels
from autograder.collecting.roster import Member, Roster
from course_lib.course import CourseError

MINE = scratch("def softmax(x, dim):\n    return x")
THEIRS = scratch("def softmax(x, dim):\n    return 0")
TABLE = """label,student
Group A,kim
Group A,ada
Participant 57,zo
anon_x4fGh,jm
submission_88,jm
team-rocket,kim
team-rocket,zo
octocat,jm
G-2,zo
"""


def labels(tmp_path: Path, text: str = TABLE, roster: Roster | None = ROSTER) -> Labels:
    return read_labels(place(tmp_path, {"labels.csv": text}, "tables") / "labels.csv", roster)


def owner(path: str, table: Labels = NO_LABELS, roster: Roster | None = ROSTER) -> Owner:
    return Owners(roster, table).of(PurePosixPath(path))


LABELLED = [
    (f"Group A_55_assignsubmission_file/{LESSON}.ipynb", ("kim", "ada")),
    (f"Group A_55_assignsubmission_file_{LESSON}.ipynb", ("kim", "ada")),
    ("Participant_57_assignsubmission_file/x.ipynb", ("zo",)),
    ("anon_LATE_x4fGh_90005_x.ipynb", ("jm",)),
    ("anon_x4fGh_90005_x.ipynb", ("jm",)),
    ("submission_88/x.ipynb", ("jm",)),
    (f"hw3-self-attention-team-rocket/{LESSON}.ipynb", ("kim", "zo")),
    (f"hw3-self-attention-octocat/src/{LESSON}.ipynb", ("jm",)),
    (f"03-octocat.zip/{LESSON}.ipynb", ("jm",)),
    ("octocat.ipynb", ("jm",)),
    ("group a/x.ipynb", ("kim", "ada")),
    ("G-2/x.ipynb", ("zo",)),
    ("Group A/ada/x.ipynb", ("kim", "ada")),
    ("octocat/leekim_102_9_x.ipynb", ("jm",)),
]


@pytest.mark.parametrize(("path", "students"), LABELLED)
@pytest.mark.parametrize("roster", [ROSTER, None], ids=["roster", "none"])
def test_a_table_maps_labels_to_students(
    tmp_path: Path, path: str, students: tuple[str, ...], roster: Roster | None
) -> None:
    assert owner(path, labels(tmp_path, roster=roster), roster).students == students


def test_a_notebook_of_a_team_counts_for_each_of_them(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    outcomes = a_class.collect({"Group A_55_assignsubmission_file/x.ipynb": MINE}, labels=labels(tmp_path))
    [outcome] = outcomes.values()
    assert (outcome.became, outcome.students) == ("new", ("ada", "kim"))
    assert a_class.content("kim") == a_class.content("ada")
    assert [a_class.has(student) for student in ("kim", "ada", "zo", "jm")] == ["collected"] * 2 + ["nothing"] * 2


def test_a_team_member_who_later_hands_in_alone_is_shown(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    files = {"Group A_55_assignsubmission_file/x.ipynb": MINE, "ada/x.ipynb": scratch("def softmax(x):\n    return 2")}
    outcomes = a_class.collect(files, labels=labels(tmp_path))
    assert len(outcomes) == 2 and all(outcome.needs_a_look for outcome in outcomes.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "needs the columns label and student"),
        ("label,student\nGroup A,mallory\n", "'mallory' on line 2, who does not match exactly one student"),
        ("label,student\n,kim\n", "no label on line 2"),
        ("label,student\n\n\nx,k\x1b[2Jm\n", "line 4"),
    ],
)
def test_an_error_in_the_table_says_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CourseError, match=message) as raised:
        labels(tmp_path, text)
    assert str(raised.value).isprintable()


def test_github_classrooms_own_roster_is_a_table_of_labels(tmp_path: Path) -> None:
    text = 'identifier,github_username,github_id,name\nkim,kimcodes,88,\nada,,,\n"",unclaimed,9,\n'
    assert owner("hw3-kimcodes/x.ipynb", labels(tmp_path, text)).students == ("kim",)


@pytest.mark.parametrize(
    ("path", "students"),
    [
        ("hw3-self-attention-kim/x.ipynb", ("kim",)), ("hw3-kim-lee/x.ipynb", ("kim",)), ("03_ada/x.ipynb", ("ada",)),
        ("Lee, Kim (kim)/x.ipynb", ("kim",)), ("ada.l/x.ipynb", ("ada",)), ("102/x.ipynb", ("kim",)),
        ("hw3-mallory/x.ipynb", ()), ("hw3-kim-ada/x.ipynb", ()), ("hw3-kim/ada/x.ipynb", ()),
        ("hw3-kim/lovelaceada_101_9_x.ipynb", ("kim",)),
        ("hw3-kim/Ada Lovelace_12_assignsubmission_file_/x.ipynb", ("kim",)),
    ],
)  # fmt: skip
def test_folders_of_github_classroom_name_their_students(path: str, students: tuple[str, ...]) -> None:
    assert owner(path).students == students


FORGED = [
    ("adalovelace_999_9_x.ipynb", ()),
    ("ada_999_9_x.ipynb", ()),
    ("ada_102_9_x.ipynb", ("kim",)),
    ("lovelaceada_102_9_lovelaceada_101_9_x.ipynb", ("kim",)),
    ("mallory_999_9_ada.ipynb", ()),
    ("anon_zzzzz_9_ada.ipynb", ()),
    ("Mallory_12_assignsubmission_file_/ada/x.ipynb", ()),
    ("Participant_58_assignsubmission_file_/Ada Lovelace.ipynb", ()),
    ("zo@uni.example_999_9_x.ipynb", ()),
    ("ada_13_assignsubmission_file_x.ipynb", ()),
]


@pytest.mark.parametrize(("path", "students"), FORGED)
def test_a_display_name_or_a_file_name_cannot_pass_for_another(path: str, students: tuple[str, ...]) -> None:
    assert owner(path).students == students


LABELLED_NAMES = [
    ("groupa_103_9_x.ipynb", ("jm",)),  # on the roster, but not in the team
    ("groupa_102_9_x.ipynb", ("kim", "ada")),
    ("groupa_999_9_x.ipynb", ()),
    ("octocat_999_9_x.ipynb", ()),
    ("octocat_LATE_104_9_octocat.ipynb", ("zo",)),
    ("submission 88_104_9_x.ipynb", ("zo",)),
    ("Participant 57_999_9_x.ipynb", ()),
    ("someone_77_9_x.ipynb", ("jm",)),  # the table gives Canvas's number itself
    ("someone_77_assignsubmission_file_x.ipynb", ("jm",)),
]


@pytest.mark.parametrize(("path", "students"), LABELLED_NAMES)
def test_a_display_name_that_is_a_label_needs_a_number_that_fits(
    tmp_path: Path, path: str, students: tuple[str, ...]
) -> None:
    assert owner(path, labels(tmp_path, TABLE + "77,jm\n")).students == students


def test_a_moodle_name_that_is_a_label_needs_a_participant_that_fits(tmp_path: Path) -> None:
    roster = Roster([Member("kim", also=("Participant 55",)), Member("ada", also=("Participant 56",)), Member("zo")])
    table = labels(tmp_path, "label,student\nGroup A,kim\nGroup A,ada\nGroup B,kim\nGroup B,zo\n", roster)
    said = {number: owner(f"Group A_{number}_assignsubmission_file_x.ipynb", table, roster) for number in (55, 56, 57)}
    assert [said[number].students for number in said] == [("kim", "ada"), ("kim", "ada"), ()]
    assert "the name is that of ada or kim, but the number 57 is not" in said[57].note
    assert owner("Group B_57_assignsubmission_file_x.ipynb", table, roster).students == ("kim", "zo")
    assert [owner(f"Group B_{n}_assignsubmission_file_x.ipynb", table, roster).surely for n in (55, 57)] == [
        True,
        False,
    ]


def test_a_student_called_like_a_team_does_not_take_its_place(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    files: dict[str, str | bytes] = {"groupa_102_9001_x.ipynb": MINE, "groupa_103_9002_x.ipynb": THEIRS}
    a_class.collect(files, labels=labels(tmp_path))
    assert "return x" in a_class.content("kim") and "return x" in a_class.content("ada")
    assert "return 0" in a_class.content("jm")


def test_a_name_with_another_students_number_is_reported() -> None:
    assert "the name is that of ada, but the number 999 is not" in owner("adalovelace_999_9_x.ipynb").note


def test_a_number_is_known_even_if_the_roster_calls_it_an_id() -> None:
    roster = Roster([Member("101", "Ada", "Lovelace"), Member("102", "Kim", "Lee")])
    assert owner("someone_101_9_x.ipynb", roster=roster).students == ("101",)


METADATA = """---
submission_88:
  :submitters:
  - :name: Kim Lee
    :sid: kim
    :email: kim.lee@uni.example
  - :name: 'Zoë O''Brien'
    :sid:
    :email: zo@uni.example
  :created_at: 2026-03-02 12:00:00.123456000 Z
  :score: 3.0
  :results:
    output: |
      :submitters:
      - :name: Ada Lovelace
        :sid: ada
    tests:
    - name: Ada Lovelace
submission_89:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0101'
    :email: "ada.l@uni.example"
  :created_at: 2026-03-02 04:00:00 -08:00
submission_90:
  :submitters:
  - :name: Mallory
    :sid: '1'
    :email: m@x
"""


@pytest.mark.parametrize("packed", [False, True])
def test_a_gradescope_export_says_whose_and_when(tmp_path: Path, packed: bool) -> None:
    export = {f"assignment_1_export/submission_{n}/{LESSON}.ipynb": MINE for n in (88, 89, 90)}
    files: dict[str, str | bytes] = {**export, "assignment_1_export/submission_metadata.yml": METADATA}
    a_class = Class(tmp_path)
    outcomes = a_class.collect({"export.zip": zipped(files)} if packed else files)
    assert [a_class.has(student) for student in ("kim", "zo", "ada", "jm")] == ["collected"] * 3 + ["nothing"]
    assert a_class.file("kim", "timestamp.txt").read_text() == "2026-03-02 12:00:00.123456 UTC\n"
    assert a_class.file("ada", "timestamp.txt").read_text() == "2026-03-02 12:00:00 UTC\n"
    [unknown] = [outcome for outcome in outcomes.values() if outcome.became == "nobody's"]
    assert "Gradescope names Mallory" in unknown.note


@pytest.mark.parametrize(
    "where", ["kim", f"kim/{LESSON}", "submission_88/x", "leekim_102_9_work.zip", "Kim Lee_1_assignsubmission_file_"]
)
@pytest.mark.parametrize("roster", [ROSTER, None], ids=["roster", "none"])
def test_a_students_own_list_of_submitters_means_nothing(tmp_path: Path, where: str, roster: Roster | None) -> None:
    inside: dict[str, str | bytes] = {"submission_metadata.yml": METADATA, "submission_89/x.ipynb": MINE}
    files: dict[str, str | bytes] = {f"{where}/{name}": content for name, content in inside.items()}
    a_class = Class(tmp_path, roster=roster)
    a_class.collect({where: zipped(inside)} if where.endswith(".zip") else files)
    assert not (tmp_path / "submitted/ada").exists() and not (tmp_path / "submitted/zo").exists()


@pytest.mark.parametrize("sid", ["../../up", "/etc", ".hidden", "a/b", "x" * 400, "\x1b[2J", ""])
def test_an_id_of_an_export_is_a_folders_name_and_no_path(tmp_path: Path, sid: str) -> None:
    metadata = f"submission_1:\n  :submitters:\n  - :name: {sid}\n    :sid: {sid}\n"
    a_class = Class(tmp_path, roster=None)
    a_class.collect({"submission_metadata.yml": metadata, "submission_1/x.ipynb": MINE})
    assert {path.name for path in tmp_path.iterdir()} <= {"downloads1", "submitted"}
    assert all(
        len(path.relative_to(tmp_path).parts) == 4 for path in tmp_path.rglob("*.ipynb") if "submitted" in path.parts
    )


def test_a_hostile_list_of_submitters_costs_little() -> None:
    bombs = [
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n" * 1000,
        "submission_1:\n  :submitters:\n" + "  - :name: x\n" * 100_000,
        "".join(f"submission_{n}:\n  :submitters:\n  - :name: x\n" for n in range(50_000)),
        "submission_1: !ruby/object:Kernel\n  :submitters:\n  - :name: !!python/object/apply:os.system [x]\n",
        "[" * 1_000_000,
        "submission_1:" + " " * 1_000_000,
    ]
    for bomb in bombs:
        found = gradescope(PurePosixPath(), bomb.encode())
        assert len(found) <= 10_000 and all(len(one.submitters) <= 100 for one in found.values())


FORGED_LIST = "submission_1:\n  :submitters:\n  - :name: Kim Lee\n    :sid: kim\n    :email: kim.lee@uni.example\n"


@pytest.mark.parametrize("where", ["hw3-xyzzy", "hw3-xyzzy/assignment_1_export", "final.zip", "hw3-xyzzy/final.zip"])
@pytest.mark.parametrize("roster", [ROSTER, None], ids=["roster", "none"])
def test_a_list_of_submitters_in_a_folder_that_nobody_recognises_means_nothing(
    tmp_path: Path, where: str, roster: Roster | None
) -> None:
    inside: dict[str, str | bytes] = {"submission_metadata.yml": FORGED_LIST, "submission_1/x (9).ipynb": THEIRS}
    files: dict[str, str | bytes] = {f"{where}/{name}": content for name, content in inside.items()}
    forged = {where: zipped(inside)} if where.endswith(".zip") else files
    a_class = Class(tmp_path, roster=roster)
    outcomes = a_class.collect({f"kim/{LESSON}.ipynb": MINE, **forged})
    assert "return x" in a_class.content("kim")
    [outcome] = [outcome for path, outcome in outcomes.items() if path.endswith("x (9).ipynb")]
    assert "kim" not in outcome.students and (outcome.became == "nobody's" or roster is None)


@pytest.mark.parametrize(
    ("sid", "address"),
    [
        ("kim", "evil@gmail.example"),
        ("", "evil@gmail.example"),
        ("kim", ""),
        ("102", "x@y"),
        ("", ""),
        ("kim", "ada.l@uni.example"),
    ],
)
@pytest.mark.parametrize("later", ["09:00", "11:00"])
def test_a_second_gradescope_account_never_takes_a_classmates_place(
    tmp_path: Path, sid: str, address: str, later: str
) -> None:
    listed = FORGED_LIST + "  :created_at: 2026-03-02 10:00:00 Z\n"
    second = f"submission_2:\n  :submitters:\n  - :name: Kim Lee\n    :sid: {sid}\n    :email: {address}\n"
    files: dict[str, str | bytes] = {
        "submission_metadata.yml": f"{listed}{second}  :created_at: 2026-03-02 {later}:00 Z\n",
        f"submission_1/{LESSON}.ipynb": MINE,
        f"submission_2/{LESSON} (9).ipynb": THEIRS,
    }
    a_class = Class(tmp_path)
    outcomes = a_class.collect(files)
    assert outcomes[f"submission_2/{LESSON} (9).ipynb"].needs_a_look
    if address or later == "11:00":
        assert "return x" in a_class.content("kim")


def test_an_account_in_doubt_does_not_replace_what_was_collected_before(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({f"kim/{LESSON}.ipynb": MINE})
    listed = FORGED_LIST.replace("kim.lee@uni.example", "evil@gmail.example")
    [outcome] = [
        outcome
        for path, outcome in a_class.collect(
            {"submission_metadata.yml": listed, "submission_1/x.ipynb": THEIRS}
        ).items()
        if path.endswith("ipynb")
    ]
    assert outcome.became == "not used" and outcome.needs_a_look and "return x" in a_class.content("kim")


def test_one_gradescope_account_may_hand_in_again(tmp_path: Path) -> None:
    listed = FORGED_LIST + "  :created_at: 2026-03-02 {}:00 Z\n"
    again = listed.replace("submission_1", "submission_2")
    files: dict[str, str | bytes] = {
        "submission_metadata.yml": listed.format("10:00") + again.format("11:00"),
        "submission_1/x.ipynb": THEIRS,
        "submission_2/x.ipynb": MINE,
    }
    a_class = Class(tmp_path)
    outcomes = a_class.collect(files)
    assert "return x" in a_class.content("kim") and not any(outcome.needs_a_look for outcome in outcomes.values())


@pytest.mark.parametrize("account", ["kim-lee", "x-octocat", "kim", "xyzzy/kim", "octocat-kim", "x-kim-lee"])
@pytest.mark.parametrize("file", [f"{LESSON} (2).ipynb", f"{LESSON}-1.ipynb", f"{LESSON}.ipynb"])
def test_a_github_account_called_like_a_classmate_never_takes_the_classmates_place(
    tmp_path: Path, account: str, file: str
) -> None:
    a_class = Class(tmp_path)
    files: dict[str, str | bytes] = {f"hw3-octocat/{LESSON}.ipynb": MINE, f"hw3-{account}/{file}": THEIRS}
    outcomes = a_class.collect(files, labels=Labels({"octocat": ("kim",)}))
    assert "return x" in a_class.content("kim")
    assert outcomes[f"hw3-{account}/{file}"].needs_a_look


def test_only_the_assignments_name_may_come_before_a_label(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    repositories = ["hw3-self-octocat", "hw3-self-x-octocat", "hw3-self-team-rocket", "hw3-self-adalove"]
    table = Labels({"octocat": ("kim",), "teamrocket": ("zo",), "adalove": ("ada",)})
    outcomes = a_class.collect({f"{name}/{LESSON}.ipynb": MINE for name in repositories}, labels=table)
    found = {PurePosixPath(path).parts[0]: outcome.students for path, outcome in outcomes.items()}
    assert [found[name] for name in repositories] == [("kim",), (), ("zo",), ("ada",)]


def test_copies_in_one_folder_are_distinguished_by_their_numbers(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    outcomes = a_class.collect({f"kim/{LESSON}.ipynb": THEIRS, f"kim/{LESSON} (1).ipynb": MINE})
    assert "return x" in a_class.content("kim") and not any(outcome.needs_a_look for outcome in outcomes.values())
