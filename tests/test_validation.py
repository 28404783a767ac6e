"""A slip in an exercise's file is one sentence that says where it is, as soon as the exercise is loaded or asked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, DefinitionError, Outline, described
from autograder.exercises.sampler import Sampler
from autograder.exercises.validation import validate
from course_lib.checking.exercise import Check

SOFTMAX = DEFINITIONS["softmax"]


def with_checks(checks: Sequence[Check]) -> Definition:
    return replace(SOFTMAX, exercise=replace(SOFTMAX.exercise, checks=tuple(checks)))


def refused(definition: Definition) -> str:
    with pytest.raises(DefinitionError) as error:
        validate(definition, SOFTMAX.questions(Sampler.public(SOFTMAX.id)))
    return str(error.value)


def test_a_law_reads_questions_and_needs_laws_that_are_there() -> None:
    first, *others = SOFTMAX.exercise.checks
    assert refused(with_checks([replace(first, question="plian"), *others])).startswith(
        f"softmax: check {first.name!r} names the question 'plian', which is not there"
    )
    assert "names the check that it needs 'sums'" in refused(with_checks([replace(first, needs="sums"), *others]))


def test_every_question_is_read() -> None:
    (only, *_) = SOFTMAX.exercise.checks
    assert "wrong answers to it would pass" in refused(with_checks([replace(only, also=())]))


def defined(
    folder: Path, mistakes: str = "", variants: str = "", checks: Sequence[Check] = SOFTMAX.exercise.checks
) -> None:
    """Define softmax once more, with more text in its files."""
    for name, more in (("mistakes.md", mistakes), ("variants.py", variants)):
        (folder / name).write_text((SOFTMAX.folder / name).read_text(encoding="utf-8") + more, encoding="utf-8")
    exercise = SOFTMAX.exercise
    outline = Outline(exercise.minutes, tuple(checks), exercise.hints, SOFTMAX.ask)
    assert described("softmax", exercise.lesson, exercise.place, outline, folder).implementations


def test_laws_and_mistakes_have_names_of_their_own(tmp_path: Path) -> None:
    (check, *_), (wrong, *_) = SOFTMAX.exercise.checks, SOFTMAX.mistakes
    defined(tmp_path)
    with pytest.raises(DefinitionError, match=f"softmax: two checks are called '{check.name}'"):
        defined(tmp_path, checks=[*SOFTMAX.exercise.checks, check])
    with pytest.raises(DefinitionError, match=f"softmax: two misconceptions are called '{wrong.name}'"):
        defined(tmp_path, f"\n## {wrong.name}\n\nYou add.\n\n- One.\n- Two.\n\n`scores` → `0`\n")


def test_a_mistake_has_a_code(tmp_path: Path) -> None:
    mistake = "\n## zeros\n\nYou return zeros.\n\n- One.\n- Two.\n"
    with pytest.raises(DefinitionError, match="'zeros' needs edits, or one variant with `# defines: zeros`"):
        defined(tmp_path, mistake)
    defined(tmp_path, mistake, "\n# %% wrong: zeros\n# defines: zeros\nsoftmax = np.zeros_like\n")
    with pytest.raises(DefinitionError, match=r"'zeros': the text to be edited, 'no such text', must occur once"):
        defined(tmp_path, mistake + "\n`no such text` → `0`\n")


def test_a_variant_names_registered_mistakes(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="variant 'by hand' names 'no_exponent', which is not a mistake here"):
        defined(tmp_path, variants="\n# %% wrong: by hand\n# true: no_exponent\nsoftmax = None\n")
