"""How the checks do on code that nobody wrote for them: rejected, accepted, named, and names that are false.

    python -m benchmarks.wild
    python -m benchmarks.wild --exercise softmax --show
    python -m benchmarks.wild --batch last

Wrong implementations should lose points and right ones should not. A wrong one has a name where the card says what it
does: by a registered mistake, by the form of its answers, by what its numbers are of the right ones, or by the error
that alone is wrong of it. A mistake's name
counts as false until a person has read the code and noted it as true (`autograder.exercises.variants`).
"""

from __future__ import annotations

import argparse
import ast
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from autograder.exercises import DEFINITIONS, of_lesson
from autograder.exercises.definition import Implementation
from autograder.exercises.variants import Variant
from autograder.terminal_progress import progress_bar
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answer, Answers, Error
from course_lib.checking.exercise import TOGETHER
from course_lib.checking.explain.diagnosis import Diagnosis, diagnose
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.judge import Verdict, judge

LESSONS = Path(__file__).parents[1] / "lessons"

#: how a card says what code does; the rest is without a name
NAMED = ("mistake", "structure", "relation", "stops")


@dataclass(frozen=True)
class Found:
    """What `check` says of one implementation."""

    exercise: str
    wild: Variant
    verdict: Verdict
    diagnosis: Diagnosis

    @property
    def as_it_should(self) -> bool:
        """Whether it is rejected where it is wrong, and accepted where it is right."""
        return self.verdict.passed == self.right

    @property
    def right(self) -> bool:
        """Whether its author wrote it as a right one."""
        return self.wild.kind == "right"

    @property
    def reading(self) -> str:
        """What a person makes of the mistake's name: true, half or false; empty if there is none."""
        if self.diagnosis.kind != "mistake":
            return ""
        readings = [self._reading(name) for name in (self.verdict.misconception or "").split(TOGETHER)]
        return "false" if "false" in readings else "half" if "half" in readings else "true"

    def _reading(self, name: str) -> str:
        return "true" if name in self.wild.true else "half" if name in self.wild.half else "false"


def find(exercise: str, wild: Variant) -> Found:
    """Check one implementation on the public questions."""
    definition, key = DEFINITIONS[exercise], public_key(exercise)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load = partial(definition.load, earlier=imported(definition.exercise.lesson) | defined_before(exercise))
        answers = answers_of(key, load, definition.implementation_of(wild))
        verdict = judge(key, answers)
        return Found(exercise, wild, verdict, diagnose(verdict, key, answers))


@cache
def imported(lesson: str) -> dict[str, Any]:
    """Return what a lesson's first cell imports and a student's cell may use, without the course's own tools."""
    text = (LESSONS / f"{lesson}.md").read_text(encoding="utf-8")
    setup = text.split(":tags: [setup]", 1)[1].split("```", 1)[0]
    names: dict[str, Any] = {}
    for line in ast.parse(setup).body:
        if isinstance(line, ast.Import) or (isinstance(line, ast.ImportFrom) and _may_be_named(line.module)):
            exec(ast.unparse(line), names)
    return {name: thing for name, thing in names.items() if name != "__builtins__"}


@cache
def defined_before(exercise: str) -> dict[str, Any]:
    """Return what the earlier exercises of the same lesson ask students to define."""
    earlier = takewhile(lambda definition: definition.id != exercise, of_lesson(DEFINITIONS.lesson(exercise)))
    return {each.exercise.symbol: each.load(each.reference) for each in earlier if each.exercise.symbol}


def _may_be_named(module: str | None) -> bool:
    return module == "course_lib.components" or (module or "").split(".")[0] != "course_lib"


def answers_of(key: AnswerKey, load: Callable[[Implementation], Any], implementation: Implementation) -> Answers:
    """Ask an implementation. If loading it fails, its error is the answer to every question."""
    try:
        thing = load(implementation)
    except Exception as error:  # as its cell would have ended
        failed = Answer(error=Error(type(error).__name__, str(error)[:300]))
        return {question.name: failed for question in key.questions}
    return answers_in_time(key.questions, thing)


def last_line(found: Sequence[Found]) -> str:
    """The four figures."""
    wrong, right = [f for f in found if not f.right], [f for f in found if f.right]
    named = [f for f in wrong if not f.verdict.passed and f.diagnosis.kind in NAMED]
    return (
        f"rejected {sum(f.as_it_should for f in wrong)}/{len(wrong)}, "
        f"accepted {sum(f.as_it_should for f in right)}/{len(right)}, "
        f"named {len(named)}/{len(wrong)}, false names {sum(f.reading == 'false' for f in found)}"
    )


def report(found: Iterable[Found], show: bool) -> None:
    """Print what needs to be looked at, and where ``show``, everything."""
    for f in found:
        about = f"{f.wild.kind}: {f.wild.about}"
        unnamed = not f.right and f.diagnosis.kind not in NAMED
        if show or not f.as_it_should or unnamed or f.reading == "false":
            marks = [mark for mark, holds in (("JUDGED WRONGLY", not f.as_it_should), ("unnamed", unnamed)) if holds]
            marks += [f"{f.reading} name"] * bool(f.reading)
            label = f"{f.exercise} {f.wild.batch} {f.wild.number}"
            print(f"{label}: {', '.join(marks) or 'as it should'} ({f.verdict.score:g}/{f.verdict.max_score:g})")
            print(f"    {about}\n    {f.verdict.misconception or f.diagnosis.kind}: {f.diagnosis.text}")
            if f.right or unnamed:
                broken = [f"{r.check.name} ({r.seen})" for r in f.verdict.check_results if not r.holds]
                print(f"    {'; '.join(broken)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exercise", default="", choices=["", *DEFINITIONS], metavar="ID", help="one exercise only")
    parser.add_argument(
        "--batch",
        default="",
        choices=["", "first", "second", "third", "fourth", "fifth", "sixth", "last"],
        help="one batch only",
    )
    parser.add_argument("--show", action="store_true", help="show each, not only what is to be looked at")
    chosen = parser.parse_args()
    exercises = [chosen.exercise] if chosen.exercise else DEFINITIONS
    bank = [(id, wild) for id in exercises for wild in DEFINITIONS[id].unseen if wild.batch.startswith(chosen.batch)]
    found = []
    with progress_bar() as progress:
        for id, wild in progress.track(bank, description="Checking"):
            found.append(find(id, wild))
    report(found, chosen.show)
    for batch in sorted({f.wild.batch for f in found}):
        print(f"written {batch}: {last_line([f for f in found if f.wild.batch == batch])}")
    print(last_line(found))


if __name__ == "__main__":
    main()
