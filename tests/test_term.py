"""A term in miniature, from the handout to the LMS: every number is the same wherever it is read, on either database.

Three lessons and twelve students, whose notebooks come in by four ways. What is expected is counted by hand: from the
points of the exercises, those that a person gives, and a tenth for each day begun after a lesson was due.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import TimedResult, copy_course, require, run_course
from nbgrader.api import Gradebook
from postgres import server

from autograder.building.notebook import to_text
from autograder.class_folder.gradebook_url import with_driver
from autograder.demo.classroom import NOTHING, Student, hand_in
from autograder.exercises import of_lesson
from autograder.gradebook.gradebook import Records
from course_lib.course import Course
from course_lib.running.cells import kind_of

pytestmark = pytest.mark.slow

TASK, ATTENTION, POSITIONS = LESSONS = ("00_the_task", "03_self_attention", "05_positional_encoding")
DOT_PRODUCT = "scaled_dot_product_attention"

ROSTER = """\
id,first_name,last_name,email,lms_user_id
ada,Ada,Okafor,ada@uni.example,101
ben,Ben,Moreau,ben@uni.example,102
cleo,Cleo,Núñez,cleo@uni.example,103
dina,Dina,Sørensen,dina@uni.example,104
emil,Emil,Lee,emil@uni.example,105
fay,Fay,Lee,fay@uni.example,106
gus,Gus,Doe,gdoe@uni.example,107
hana,Hana,Ito,hana@uni.example,108
ivan,Ivan,Petrov,ivan@uni.example,109
joan,Joan,Meyer,joan@uni.example,110
kai,Kai,Meyer,kai@uni.example,111
lena,Lena,Wolf,lena@uni.example,112
"""

#: what each answers; Ivan never hands anything in
STUDENTS = (
    *map(Student, ("ada", "gus", "hana", "joan", "kai", "lena")),
    Student("ben", {DOT_PRODUCT: "unscaled"}),
    Student("cleo", {DOT_PRODUCT: "finished_function"}),
    Student("dina", {"pad_batch": NOTHING}),
    Student("emil", right=False),
    Student("fay", {"binary_code": NOTHING}),
)
MISSING = {TASK: {"ivan"}, ATTENTION: {"emil", "ivan"}, POSITIONS: {"emil", "ivan", "lena"}}

#: who answers the two written questions of a lesson, and what a person gives for each answer
MARKS = {TASK: {"ada": 2}, ATTENTION: {"ada": 1.5, "cleo": 1, "joan": 2, "kai": 0.5}, POSITIONS: {"gus": 1}}

#: where each one's files come from, and what they are called there
WAYS = {
    "canvas": {
        "ada": "okaforada_101_9001_{}.ipynb",
        "ben": "moreauben_102_9007_{}-1.ipynb",
        "cleo": "nunezcleo_LATE_103_9003_{}.ipynb",
    },
    "moodle": {
        "dina": "Dina Sørensen_7004_assignsubmission_file_/{}.ipynb",
        "emil": "Emil Lee_7005_assignsubmission_file_/{}.ipynb",
        "fay": "Fay Lee_7006_assignsubmission_file_/my work.ipynb",
    },
    "flat": {"gus": "FINAL_gdoe.ipynb", "hana": "{} (1).ipynb"},
    "nbgrader": {student: f"{student}/{{0}}/{{0}}.ipynb" for student in ("joan", "kai", "lena")},
}
EARLIER = "moreauben_102_9002_{}.ipynb"  #: what Ben handed in first

DUE, IN_TIME, LATE = "2026-03-01 12:00:00", "2026-03-01 11:59:59 UTC", "2026-03-02 18:30:00 UTC"
#: what an instructor adds to nbgrader_config.py, as nbgrader's documentation has it
POLICY = """
from math import ceil
from nbgrader.plugins import LateSubmissionPlugin

class TenthADay(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * 0.1 * ceil(total_seconds_late / 86400)

get_config().AssignLatePenalties.plugin_class = TenthADay
"""

#: what the exercises of a lesson are worth together
RIGHT = {lesson: sum(definition.exercise.points for definition in of_lesson(lesson)) for lesson in LESSONS}
RIGHT_IN_TASK = dict.fromkeys(("ben", "cleo", "fay", "gus", "hana", "joan", "kai", "lena"), RIGHT[TASK])
RIGHT_IN_ATTENTION = dict.fromkeys(("dina", "fay", "gus", "hana", "lena"), RIGHT[ATTENTION])
RIGHT_IN_POSITIONS = dict.fromkeys(("ada", "ben", "cleo", "dina", "hana", "joan", "kai"), RIGHT[POSITIONS])

#: the points of all who handed in: those of the exercises, then the person's, then the late days' share
POINTS = {
    TASK: {**RIGHT_IN_TASK, "ada": RIGHT[TASK] + 2 * 2, "dina": RIGHT[TASK] - 2, "emil": 0},
    ATTENTION: {
        **RIGHT_IN_ATTENTION,
        "ada": RIGHT[ATTENTION] + 2 * 1.5,
        "ben": RIGHT[ATTENTION] - 3.75,  # the scale itself
        "cleo": RIGHT[ATTENTION] + 2 * 1,
        "joan": (RIGHT[ATTENTION] + 2 * 2) * 0.8,
        "kai": RIGHT[ATTENTION] + 2 * 0.5,
    },
    POSITIONS: {**RIGHT_IN_POSITIONS, "fay": RIGHT[POSITIONS] - 1, "gus": RIGHT[POSITIONS] + 2 * 1},
}
#: the same, when PyTorch's finished function earns nothing any more
CORRECTED = {**POINTS, ATTENTION: {**POINTS[ATTENTION], "cleo": RIGHT[ATTENTION] - 4 + 2 * 1}}


# ---- what is handed out, and what comes back ----


def done(ran: TimedResult) -> TimedResult:
    assert ran.code == 0, ran
    return ran


def answered(student: Student, lesson: str, released: Any) -> str:
    """A student's notebook of a lesson, written answers included."""
    notebook = nbformat.reads(hand_in(student, released), as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if kind_of(cell) == "written" and student.name in MARKS[lesson]:
            cell.source = "Because each query has a row of weights of its own."
    return to_text(notebook)


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def handed_in(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that was released, and beside it what students made of the release, by lesson and way."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("term"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(course.root / name, root)
    (root / "course.toml").write_text('[written]\ngrading = "hand"\npoints = 2\n')
    done(run_course(root, "build"))  # all that is released, by this policy
    done(run_course(root, "release", "05", "--to", "handout.zip"))
    (root / "class/students.csv").write_text(ROSTER, encoding="utf-8")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(POLICY)
    with zipfile.ZipFile(root / "handout.zip") as handout:
        for lesson in LESSONS:
            text = handout.read(f"handout/course_lib/notebooks/{lesson}/{lesson}.ipynb").decode()
            released = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
            texts = {s.name: answered(s, lesson, released) for s in STUDENTS if s.name not in MISSING[lesson]}
            _download(root / "downloads" / lesson, lesson, texts)
    return root


def _download(place: Path, lesson: str, texts: Mapping[str, str]) -> None:
    """A lesson as it comes in: two zips, a flat folder and nbgrader's own."""
    for way, names in WAYS.items():
        for student in names.keys() & texts.keys():
            put(place / way, names[student].format(lesson), texts[student])
            if way == "nbgrader":
                late = lesson == ATTENTION and student in ("joan", "kai")
                put(place / way, f"{student}/{lesson}/timestamp.txt", LATE if late else IN_TIME)
    put(place / "canvas", EARLIER.format(lesson), texts["ada"])
    for way in ("canvas", "moodle"):
        shutil.make_archive(str(place / way), "zip", place / way)


# ---- a term on one database ----


@dataclass(frozen=True)
class Term:
    """A class, and what an instructor, its students and the LMS see of it."""

    root: Path
    url: str

    def course(self, *arguments: str) -> TimedResult:
        return done(run_course(self.root, *arguments))

    def read(self, name: str) -> Any:
        return json.loads((self.root / name).read_text(encoding="utf-8"))

    def table(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader((self.root / name).read_text(encoding="utf-8").splitlines()))

    def downloads(self, lesson: str, way: str) -> Path:
        return self.root / "downloads" / lesson / way

    def collect(self, lesson: str, way: str) -> tuple[dict[str, str], set[str]]:
        """What became of each file, by its name; and who is missing by now."""
        self.course("collect", lesson, str(self.downloads(lesson, way)), "--json", "collected.json")
        said = self.read("collected.json")
        return {one["path"]: one["became"] for one in said["files"]}, set(said["absent"])

    def grade(self, lesson: str, *arguments: str) -> Any:
        """What `course grade` writes as JSON."""
        self.course("grade", lesson, "--submissions", "class/submitted", "--json", "graded.json", *arguments)
        return self.read("graded.json")

    def refused(self, lesson: str) -> str:
        """Why grades are not exported."""
        ran = run_course(self.root, "grades", lesson, "--to", "refused.csv")
        assert (ran.code, (self.root / "refused.csv").exists()) == (1, False)
        return ran.err

    def book(self) -> Gradebook:
        return Gradebook(with_driver(self.url))

    def mark(self, lesson: str) -> None:
        """Grade the written answers that wait, as formgrader does when a person types a number."""
        with self.book() as book:
            for student, points in MARKS[lesson].items():
                for grade in book.find_submission_notebook(lesson, lesson, student).grades:
                    if grade.needs_manual_grade:
                        grade.manual_score, grade.needs_manual_grade = points, False
            book.db.commit()

    def marks(self, lesson: str) -> dict[str, float]:
        """What a person gave for each written answer, by student."""
        with self.book() as book:
            parts = [part for one in book.assignment_submissions(lesson) for part in one.notebooks[0].grades]
            return {part.student.id: part.manual_score for part in parts if part.manual_score is not None}

    def stands(self, lesson: str) -> Any:
        """All that the gradebook has of a lesson, and the records of the class's folder."""
        with Records(self.url, lesson) as records:
            stands = records.submission_points(), records.lesson_grades()
        return stands, {path: path.read_bytes() for path in self.root.glob(f"class/records/{lesson}/*")}

    def scores(self, lesson: str) -> Any:
        """Return what the gradebook and the records say of a lesson's students, from which all else is read."""
        (submission_points, lesson_grades), records = self.stands(lesson)
        return submission_points, lesson_grades.grades[lesson], lesson_grades.most[lesson], records

    def points(self, lesson: str) -> dict[str, dict[str, float]]:
        """The points of all who have some, wherever they can be read: by place and student."""
        self.course("feedback", lesson)
        self.course("report", lesson, "--csv", "report.csv", "--json", "report.json")
        with self.book() as book:
            submissions = book.assignment_submissions(lesson)
            found = {"gradebook": {one.student.id: one.score - one.late_submission_penalty for one in submissions}}
        found["report.csv"] = {row["student"]: float(row["points"]) for row in self.table("report.csv")}
        page = (self.root / f"class/reports/{lesson}.html").read_text(encoding="utf-8")
        names = {row["id"]: f"{row['first_name']} {row['last_name']}" for row in csv.DictReader(ROSTER.splitlines())}
        missing = ", ".join(f"{names[student]} ({student})" for student in sorted(MISSING[lesson]))
        assert f"Nothing was handed in by {missing}." in page
        row = r'<th scope="row"><a href="[^"]*">[^<]+</a><br><span class="soft">(\w+)</span></th><td class="n">(\S+) / '
        found["report.html"] = {student: float(points) for student, points in re.findall(row, page)}
        found["feedback"] = {
            page.parent.parent.name: float(
                re.findall(r"<h1>Lesson [^:]+: (\S+) / ", page.read_text(encoding="utf-8"))[0]
            )
            for page in self.root.glob(f"class/feedback/*/{lesson}/{lesson}.html")
        }
        columns = {"csv": ("student_id", "score"), "canvas": ("SIS Login ID", lesson), "moodle": ("Username", lesson)}
        for format, (who, where) in columns.items():
            self.course("grades", lesson, "--format", format, "--to", f"{format}.csv")
            rows = {row[who]: row[where] for row in self.table(f"{format}.csv") if row[who]}
            assert {student for student, points in rows.items() if points in ("", "-")} == MISSING[lesson], format
            found[format] = {student: float(points) for student, points in rows.items() if points not in ("", "-")}
        return found

    def lost(self, lesson: str) -> dict[str, dict[str, float]]:
        """What being late cost, wherever it can be read after `points`: by place and student."""
        late = re.compile(r'<td>Late</td><td class="n">−(\S+)</td>')
        pages = self.root.glob(f"class/feedback/*/{lesson}/{lesson}.html")
        found = {
            "csv": {row["student_id"]: float(row["late_submission_penalty"] or 0) for row in self.table("csv.csv")},
            "feedback": {page.parent.parent.name: sum(map(float, late.findall(page.read_text()))) for page in pages},
            "report.csv": {row["student"]: float(row["late"]) for row in self.table("report.csv")},
            "report.json": self.read("report.json")["late"],
        }
        return {where: {student: points for student, points in lost.items() if points} for where, lost in found.items()}

    def says_everywhere(
        self, expected: Mapping[str, Mapping[str, float]], written: int, lessons: Sequence[str] = LESSONS
    ) -> None:
        """See to it that whatever can be read has these points, who is missing and what being late cost.

        Args:
            written: how many points both written answers of `ATTENTION` can earn.
            lessons: the lessons to read again.
        """
        most = {lesson: RIGHT[lesson] + (written if lesson == ATTENTION else 4) for lesson in LESSONS}
        for lesson in lessons:
            for where, found in self.points(lesson).items():
                assert found == pytest.approx(expected[lesson]), (lesson, where)
            lost = {"joan": expected[lesson]["joan"] / 4} if lesson == ATTENTION else {}
            for where, found in self.lost(lesson).items():
                assert found == pytest.approx(lost), (lesson, where)
            for row in self.table("csv.csv"):
                whole = expected[lesson].get(row["student_id"], 0) + lost.get(row["student_id"], 0)
                assert float(row["raw_score"] or 0) == pytest.approx(whole)
                assert float(row["max_score"]) == most[lesson]
            report = self.read("report.json")
            assert report["scores"] == pytest.approx(sorted(expected[lesson].values()))
            assert (report["max_score"], set(report["absent"])) == (most[lesson], MISSING[lesson])
            assert report["waiting"] == ""
        shares = {name: sum(found.values()) / len(found) / most[name] for name, found in expected.items()}
        assert {one["lesson"]: one["share"] for one in report["lessons"]} == pytest.approx(shares)


@pytest.fixture(params=["sqlite", "postgresql"])
def term(request: pytest.FixtureRequest, handed_in: Path, tmp_path: Path) -> Iterator[Term]:
    root = shutil.copytree(handed_in, tmp_path / "course", symlinks=True)
    if request.param == "sqlite":
        yield Term(root, f"sqlite:///{root}/class/gradebook.db")
        return
    with server() as postgresql:
        url = postgresql.create("term")
        with (root / "course.toml").open("a", encoding="utf-8") as file:
            file.write(f'[class]\ngradebook = "{url}"\n')
        yield Term(root, url)
        assert not (root / "class/gradebook.db").exists()


def test_a_term_comes_to_the_same_numbers_everywhere(term: Term) -> None:
    _collect(term)
    _grade(term)
    term.says_everywhere(POINTS, written=4)
    before = [term.scores(lesson) for lesson in (TASK, POSITIONS)]
    _correct(term)
    assert [term.scores(lesson) for lesson in (TASK, POSITIONS)] == before, "these lessons stay as they were"
    term.says_everywhere(CORRECTED, written=6, lessons=[ATTENTION])


def _collect(term: Term) -> None:
    """Four ways lead to one notebook a student; a file that doesn't tell whose it is comes once it is put right."""
    for lesson in LESSONS:
        became: dict[str, str] = {}
        for way in ("canvas.zip", "moodle.zip", "flat", "nbgrader"):
            files, missing = term.collect(lesson, way)
            became |= files
        assert missing == MISSING[lesson] | {"hana"}
        odd = {EARLIER.format(lesson): "not used", f"{lesson} (1).ipynb": "nobody's"}
        assert became == dict.fromkeys(became, "new") | odd
        (place := term.downloads(lesson, "flat") / "hana").mkdir()
        (place.parent / f"{lesson} (1).ipynb").rename(place / f"{lesson} (1).ipynb")
        became, missing = term.collect(lesson, "flat")
        assert became == {"FINAL_gdoe.ipynb": "same", f"hana/{lesson} (1).ipynb": "new"}
        assert missing == MISSING[lesson]


def _grade(term: Term) -> None:
    """Joan and Kai are late, until Kai gets an extension; Lena's second file, late and cut short, isn't taken."""
    with term.book() as book:
        book.add_assignment(ATTENTION, duedate=DUE)
    for lesson in LESSONS:
        graded = term.grade(lesson)
        assert {one["status"] for one in graded} == {"graded"}
        late = dict.fromkeys(("joan", "kai"), RIGHT[ATTENTION] * 0.2) if lesson == ATTENTION else {}
        assert {one["student"]: one["late"] for one in graded if one["late"]} == pytest.approx(late)
    with term.book() as book:
        book.grant_extension(ATTENTION, "kai", days=2)
    place, name = term.downloads(ATTENTION, "nbgrader"), f"lena/{ATTENTION}/{ATTENTION}.ipynb"
    text = (place / name).read_text(encoding="utf-8")
    put(place, name, text[: len(text) // 2])
    put(place, f"lena/{ATTENTION}/timestamp.txt", LATE)
    assert term.collect(ATTENTION, "nbgrader")[0][name] == "not used"
    (cut,) = (one for one in term.read("collected.json")["files"] if one["path"] == name)
    assert (cut["needs_a_look"], "the one collected before is kept" in cut["note"]) == (True, True)

    assert "12 parts of 6 submissions wait for a person in formgrader: ada, cleo, gus, joan, kai" in term.refused("all")
    for lesson in LESSONS:
        term.mark(lesson)
        assert {one["student"]: one["score"] for one in term.grade(lesson)} == pytest.approx(POINTS[lesson])


def _correct(term: Term) -> None:
    """Correct a check and make answers worth more: the changes are shown first, and the old results are kept."""
    before, settings = term.stands(ATTENTION), term.root / "course.toml"
    more = 'points = 3\n[by_hand]\nfinished_functions = "no_points"\n'
    settings.write_text(settings.read_text(encoding="utf-8").replace("points = 2\n", more), encoding="utf-8")
    term.course("build", ATTENTION)
    shown = term.grade(ATTENTION, "--dry-run")
    assert [(one["student"], one["exercise"], one["old"], one["new"]) for one in shown] == [("cleo", DOT_PRODUCT, 4, 0)]
    assert term.stands(ATTENTION) == before
    term.course("regrade", ATTENTION, "--yes", "--json", "changes.json")
    assert term.read("changes.json") == shown

    # no answer is another one, and no mark is above what answers are worth now: nothing waits for a person again
    assert term.marks(ATTENTION) == MARKS[ATTENTION]
    assert "for a person" not in term.course("grades", ATTENTION, "--to", "corrected.csv").out
    history = (term.root / f"class/history/{ATTENTION}/cleo.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["record"]["score"] for line in history] == [RIGHT[ATTENTION], RIGHT[ATTENTION] - 4]
    assert "the course has changed" in " ".join(term.course("history", "cleo").out.split())
