"""The course as its folder and `course.toml` describe it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from course_lib.late_policy import LatePolicy
from course_lib.owners import other_owner, user_numbers

Written = Literal["hand", "completion", "off"]
FinishedFunctions = Literal["report", "no_points"]
Unreadable = Literal["keep", "none"]
HintsGiven = Literal["none", "first", "all"]

#: the notebook that everyone opens first
START = "START_HERE"

#: the environment variable by which `course lab --class` selects a class for all programs that JupyterLab starts
CLASS_FOLDER = "COURSE_CLASS"


class CourseError(Exception):
    """Something is wrong that a person can fix. The message says what, where and how."""


@dataclass(frozen=True)
class Course:
    """A course's folder and its policy.

    Attributes:
        root: the folder that holds ``course.toml``, ``lessons/``, ``solutions/``, ``notebooks/``.
        package: the URL from which pip installs the course in a hosted notebook; empty if there is none.
        repository: the course's page on GitHub; empty if there is none.
        written: how written questions are graded.
        written_points: the points of each written question if they are graded, before its lesson's weight.
        name_misconceptions: whether cards name the mistakes they recognise.
        hints: which of an exercise's three hints a student can have.
        finished_functions: what happens if PyTorch does the work of an exercise that students must write by hand.
        exercise_points: the points of exercises by id, if they differ from the definition.
        unreadable: whether an earlier grade is kept when a later file can't be read.
        late: what a late submission loses.
        limits: seconds and megabytes that one submission may use.
        class_folder: the folder with everything that a class produces.
        graders: the numbers of the users whose class folder and secret are trusted as one's own.
        gradebook: the URL of the class's gradebook; empty if it is a file in the class's folder.
        extensions: folders with the instructor's own lessons and exercises.
        mark_weights: the weights of lessons in the overall mark, by their names in course.toml; if empty, a lesson
            weighs as much as its points.
        drop_lowest: how many of a student's lowest lessons are left out of the overall mark.
    """

    root: Path
    name: str
    package: str
    repository: str
    written: Written
    written_points: float
    name_misconceptions: bool
    hints: HintsGiven
    finished_functions: FinishedFunctions
    exercise_points: dict[str, float]
    unreadable: Unreadable
    late: LatePolicy
    limits: dict[str, float]
    class_folder: Path
    graders: frozenset[int]
    gradebook: str
    extensions: tuple[Path, ...]
    mark_weights: dict[str, float]
    drop_lowest: int

    @property
    def policy(self) -> tuple[object, ...]:
        """The settings in `course.toml` that change what a student reads or earns."""
        policy = (self.written, self.written_points, self.name_misconceptions, self.hints, self.finished_functions)
        return (*policy, *sorted(self.exercise_points.items()))

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons' names in order, as ``"03_self_attention"``."""
        return tuple(sorted(self._homes))

    @property
    def _homes(self) -> dict[str, Path]:
        """The root folder of each lesson. An extension's lesson replaces ours of the same name."""
        return {path.stem: home for home in (self.root, *self.extensions) for path in lesson_texts(home)}

    def home(self, lesson: str) -> Path:
        """Return the root folder of a lesson: the course's, or an extension's."""
        return self._homes.get(lesson, self.root)

    def lesson_text(self, lesson: str) -> Path:
        """Return the source of a lesson."""
        return self.home(lesson) / "lessons" / f"{lesson}.md"

    def lesson(self, name: str) -> str:
        """Return the full name of a lesson from its name or its number (``"03"``).

        Raises:
            CourseError: no lesson or more than one matches.
        """
        found = [lesson for lesson in self.lessons if name in (lesson, lesson.split("_")[0])]
        if len(found) > 1:
            raise CourseError(f"{name!r} could be {' or '.join(found)}. Name the lesson in full.")
        if not found:
            raise CourseError(f"There is no lesson called {name!r}. There are: {', '.join(self.lessons)}.")
        return found[0]

    @property
    def start_notebook(self) -> Path:
        """The notebook that everyone opens first."""
        return self.root / "notebooks" / f"{START}.ipynb"

    def student_notebook(self, lesson: str) -> Path:
        """Return the notebook that students receive."""
        return self.home(lesson) / "notebooks" / lesson / f"{lesson}.ipynb"

    def solution_notebook(self, lesson: str) -> Path:
        """Return the notebook with solutions."""
        return self.home(lesson) / "solutions" / lesson / f"{lesson}.ipynb"


def lesson_texts(home: Path) -> list[Path]:
    """Return the lessons that are written in a folder, in order."""
    return sorted((home / "lessons").glob("[0-9][0-9]_*.md"))


def find_course(start: Path | None = None) -> Course:
    """Return the course around ``start`` (default: the current folder), or else the one that contains this package.

    Raises:
        CourseError: there is no course, or its ``course.toml`` is wrong.
    """
    course = course_here(start)
    if course is None:
        raise CourseError(
            f"No course.toml in {(start or Path.cwd()).resolve()} or above it. The installed package is the library "
            "and this command; lessons, notebooks and the class live in a checkout of the course. Change into one and "
            "try again."
        )
    return course


def course_here(start: Path | None = None) -> Course | None:
    """Return the current course, or None in a released library, which has no course around it.

    Raises:
        CourseError: its ``course.toml`` is wrong, or belongs to another user.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parent.parent):
        if (folder / "course.toml").is_file():
            require_trusted(folder / "course.toml")
            return read_course(folder)
    return None


def require_trusted(path: Path) -> None:
    """Require that a file belongs to this user, to root, or to the owner of the installed course.

    Settings decide which code runs, so another user's file in a folder above this one would run that user's code.

    Raises:
        CourseError: it belongs to somebody else.
    """
    if owner := other_owner(path):
        raise CourseError(
            f"{path} belongs to another user of this machine, {owner}, whose code it could run as yours. "
            "Work in a folder that isn't below it; or, if you trust it, take it over: chown it to yourself."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1_000_000


def _is_limit(value: Any) -> bool:
    return _is_number(value) and value > 0


def _are_points(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_limit, value.values()))


def _are_weights(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and _is_number(value)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _are_hints(value: Any) -> bool:
    return _is_switch(value) or value in ("none", "first", "all")


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_users(value: Any) -> bool:
    return isinstance(value, list) and all(_is_path(user) or _is_count(user) for user in value)


def _is_package(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"((git\+)?(https|file)://[\w.:/@#=%+~?&-]+)?", value) is not None


def _is_repository(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"(https://github\.com/[\w.-]+/[\w.-]+)?", value) is not None


def _is_gradebook(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return not value or ("://" in value and urlsplit(value).password is None)
    except ValueError:  # such as brackets that are not closed
        return False


def _are_folders(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and each for each in value)


def _is_timezone(value: Any) -> bool:
    from dateutil.tz import gettz

    return isinstance(value, str) and (value == "UTC" or (bool(value.strip()) and gettz(value) is not None))


_LATE = ("none", "zero", "percent_per_day")
_LIMIT = (_is_limit, "a number above 0")
_SWITCH = (_is_switch, "true or false")

#: every setting of a course: its default, a test for valid values, and a description of them
_SETTINGS: dict[str, tuple[Any, Callable[[Any], bool], str]] = {
    "name": ("", lambda value: isinstance(value, str), "a text"),
    "hosting.package": ("", _is_package, '"", or a URL from which pip installs the course'),
    "hosting.repository": ("", _is_repository, '"", or a page such as "https://github.com/OWNER/NAME"'),
    "written.grading": ("off", lambda value: value in ("hand", "completion", "off"), '"hand", "completion" or "off"'),
    "written.points": (1, _is_number, "a number, 0 or more"),
    "cards.name_misconceptions": (True, *_SWITCH),
    "cards.hints": ("all", _are_hints, '"none", "first" or "all"'),
    "by_hand.finished_functions": ("report", lambda value: value in ("report", "no_points"), '"report" or "no_points"'),
    "exercises.points": ({}, _are_points, "a number above 0 for each exercise that it names, as softmax = 2"),
    "resubmissions.unreadable": ("keep", lambda value: value in ("keep", "none"), '"keep" or "none"'),
    "late.policy": ("none", lambda value: value in _LATE, '"none", "zero" or "percent_per_day"'),
    "late.percent": (10, lambda value: _is_number(value) and value <= 100, "a number from 0 to 100"),
    "late.grace_minutes": (0, _is_number, "a number, 0 or more"),
    "late.most_days": (0, _is_number, "a number, 0 for no limit"),
    "late.timezone": ("UTC", _is_timezone, 'the name of a time zone, as "Europe/Berlin"'),
    "class.folder": ("class", _is_path, "the path of a folder"),
    "class.graders": ((), _are_users, 'a list of users of this machine, as ["ada", "kim"]'),
    "class.gradebook": (
        "",
        _is_gradebook,
        '"", which means a file in the class\'s folder, or a URL such as "postgresql://grader@db.example.org/course"; '
        "without a password, because this file is shared: PostgreSQL takes that from ~/.pgpass or PGPASSWORD",
    ),
    "limits.cell_seconds": (20, *_LIMIT),
    "limits.total_seconds": (60, *_LIMIT),
    "limits.exercise_seconds": (60, *_LIMIT),
    "limits.idle_seconds": (30, *_LIMIT),
    "limits.answer_seconds": (10, *_LIMIT),
    "limits.memory_mb": (2048, *_LIMIT),
    "mark.weights": (
        {},
        _are_weights,
        "a number, 0 or more, for each lesson that it names, as {03_self_attention = 2}",
    ),
    "mark.drop_lowest": (0, _is_count, "a whole number, 0 or more"),
    "extensions.folders": ((), _are_folders, 'a list of folders, as ["../my_exercises"]'),
}


def read_course(root: Path) -> Course:
    """Read ``course.toml`` in ``root``.

    Raises:
        CourseError: it can't be read, or contains an unknown or invalid setting.
    """
    path = root / "course.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    settings = {name: default for name, (default, _, _) in _SETTINGS.items()}
    for name, value in _flat(data):
        if name not in _SETTINGS:
            raise CourseError(f"{path} has a setting {name!r} that no course has. There are: {', '.join(_SETTINGS)}.")
        _, right, words = _SETTINGS[name]
        if not right(value):
            shown = "not right" if name == "class.gradebook" else repr(value)  # a URL may contain a password
            raise CourseError(f"{path}: {name} is {shown}; it must be {words}.")
        settings[name] = value
    extensions = tuple((root / folder).resolve() for folder in settings["extensions.folders"])
    for folder in extensions:
        if not folder.is_dir():
            raise CourseError(f"{path}: extensions.folders names {folder}, which is not there. Make it.")
    return Course(
        root=root,
        name=settings["name"],
        package=settings["hosting.package"],
        repository=settings["hosting.repository"],
        written=cast(Written, settings["written.grading"]),
        written_points=float(settings["written.points"]),
        name_misconceptions=settings["cards.name_misconceptions"],
        hints=_hints(settings["cards.hints"]),
        finished_functions=cast(FinishedFunctions, settings["by_hand.finished_functions"]),
        exercise_points={name: float(points) for name, points in settings["exercises.points"].items()},
        unreadable=cast(Unreadable, settings["resubmissions.unreadable"]),
        late=LatePolicy(**{name.removeprefix("late."): v for name, v in settings.items() if name.startswith("late.")}),
        limits={name.removeprefix("limits."): float(v) for name, v in settings.items() if name.startswith("limits.")},
        class_folder=(root / settings["class.folder"]).resolve(),
        graders=user_numbers(settings["class.graders"]),
        gradebook=_within(root, settings["class.gradebook"]),
        extensions=extensions,
        mark_weights={name: float(weight) for name, weight in settings["mark.weights"].items()},
        drop_lowest=settings["mark.drop_lowest"],
    )


def _hints(said: str | bool) -> HintsGiven:
    """Return which hints are given. Older courses only say whether any are."""
    return cast(HintsGiven, said if isinstance(said, str) else "all" if said else "none")


def _within(root: Path, gradebook: str) -> str:
    """Return a gradebook's URL for any current folder: a relative file is in the course's folder."""
    file = gradebook.removeprefix("sqlite:///")
    return f"sqlite:///{(root / file).resolve()}" if file not in (gradebook, "", ":memory:") else gradebook


def _flat(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every setting with its section in front of its name."""
    for name, value in data.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value
