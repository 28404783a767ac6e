"""Write the skeleton of an exercise: a small one that works, for its author to replace line by line."""

from __future__ import annotations

import keyword
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from course_lib.contents import public_exercises
from course_lib.course import Course, CourseError

HERE = Path(__file__).parent / "skeleton"


def write_skeleton(course: Course, folder: Path, name: str, lesson: str, on_paper: bool = False) -> Iterator[Path]:
    """Write the files of a new exercise into an extension's folder, and yield each path.

    Args:
        name: the name of the function and of the exercise.
        lesson: the name or number of an existing lesson, or the name of a new one, such as ``"17_my_lesson"``.
        on_paper: whether students work out a value by hand, instead of writing a function.

    Raises:
        CourseError: the name or the lesson cannot be used, or a file already exists.
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise CourseError(f"{name!r} cannot be a function's name. Choose one like running_mean.")
    if name in {entry.id for entry in public_exercises()}:
        raise CourseError(f"The course has an exercise {name!r}. Choose another name.")
    lesson = _lesson(course, lesson)
    about, kind = {"NAME": name}, "on_paper" if on_paper else "code"
    targets = {f"{kind}/component.py": folder / f"components/{name}.py"}
    for file in ("exercise.py", "mistakes.md", "variants.py"):
        targets[f"{kind}/{file}"] = folder / "exercises" / name / file
    text = folder / "lessons" / f"{lesson}.md"
    if lesson not in course.lessons:
        about |= {"NUMBER": lesson[:2], "TITLE": lesson[3:].replace("_", " ").capitalize()}
        about |= {"POINTS": "1" if on_paper else "2", "TURN": _filled_in(f"{kind}/turn.md", about)}
        targets["lesson.md"] = text
    if there := [target for target in targets.values() if target.exists()]:
        raise CourseError(f"{there[0]} is there already. Choose another name, or remove it.")
    for template, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_filled_in(template, about), encoding="utf-8")
        yield target
    if lesson in course.lessons and not text.exists():  # a copy replaces our lesson, which is not edited
        text.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(course.lesson_text(lesson), text)
        yield text


def _filled_in(template: str, about: Mapping[str, str]) -> str:
    source = (HERE / f"{template}.txt").read_text(encoding="utf-8")
    return re.sub(r"«(\w+)»", lambda found: about[found[1]], source)


def _lesson(course: Course, name: str) -> str:
    if re.fullmatch(r"\d\d_[a-z0-9_]+", name) and name not in course.lessons:
        if taken := [lesson for lesson in course.lessons if lesson[:2] == name[:2]]:
            raise CourseError(f"{taken[0]} has the number {name[:2]}. Choose another one for {name}.")
        return name
    try:
        return course.lesson(name)
    except CourseError as error:
        raise CourseError(f"{error} A new lesson's name has a number and words: 17_my_lesson.") from None
