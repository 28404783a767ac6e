"""Answer keys on disk: what is kept at once, what only when somebody needs it, and that names do not hang on it."""

import json
import multiprocessing
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.exercises import DEFINITIONS, answer_keys, key_cache, public_keys
from autograder.exercises.answer_keys import public_scores
from autograder.exercises.definition import Definition
from autograder.exercises.key_cache import kept_at, kept_key
from autograder.exercises.sampler import Sampler
from autograder.sources_digest import exercise_digest
from course_lib.checking.ask import ask
from course_lib.checking.exercise import TOGETHER
from course_lib.checking.judge import judge

#: mistakes overflow; that is what they are here for
pytestmark = pytest.mark.filterwarnings("ignore")

SOFTMAX = DEFINITIONS["softmax"]
DRAW = Sampler.hidden(b"a course's secret", "release", SOFTMAX.id)


def named(folder: Path, implementation: str) -> str | None:
    """What the key in a folder calls a registered implementation, or two mistakes at once."""
    key = kept_key(SOFTMAX.id, DRAW, folder, "alone")
    return judge(key, ask(key.questions, SOFTMAX.load(SOFTMAX.implementation(implementation)))).misconception


def test_what_two_mistakes_answer_is_worked_out_when_one_alone_does_not_explain_it_and_then_kept(
    tmp_path: Path,
) -> None:
    pairs = kept_at(tmp_path, SOFTMAX.id, DRAW, "pairs")
    alone = [m.name for m in SOFTMAX.mistakes if not m.misconception.matcher]
    assert [named(tmp_path, name) for name in alone] == alone
    assert named(tmp_path, "reference") is None
    assert not pairs.exists()
    both = next(name for name in kept_key(SOFTMAX.id, DRAW, tmp_path / "other").mistakes if TOGETHER in name)
    assert named(tmp_path, both) == both
    assert pairs.is_dir()


def test_a_key_that_has_what_two_mistakes_answer_is_used_for_both(tmp_path: Path) -> None:
    whole = kept_key(SOFTMAX.id, DRAW, tmp_path)
    assert list(kept_key(SOFTMAX.id, DRAW, tmp_path, "alone").mistakes) == list(whole.mistakes)
    assert not kept_at(tmp_path, SOFTMAX.id, DRAW, "alone").exists()


def test_whoever_makes_a_key_second_leaves_the_files_that_others_may_be_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_key(SOFTMAX.id, DRAW, tmp_path)
    folder = kept_at(tmp_path, SOFTMAX.id, DRAW)
    files = {path.name: path.stat().st_ino for path in folder.iterdir()}
    monkeypatch.setattr(key_cache, "_IN_MEMORY", {})
    # nothing is there yet, it seems: another process writes the key while this one makes it
    monkeypatch.setattr(key_cache, "_read", _none_at_first(key_cache._read))
    assert kept_key(SOFTMAX.id, DRAW, tmp_path).exercise == SOFTMAX.exercise
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == files


def test_a_key_that_is_kept_equals_the_one_that_was_made_without_reading_the_exercise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept_key(SOFTMAX.id, DRAW, tmp_path)
    monkeypatch.setattr(key_cache, "_IN_MEMORY", {})
    monkeypatch.setattr(DEFINITIONS, "_load", None)
    monkeypatch.setattr(DEFINITIONS, "_read", {})
    read = kept_key(SOFTMAX.id, DRAW, tmp_path)
    assert read.digest() == made.digest() and read.exercise == SOFTMAX.exercise


def test_a_kept_key_follows_the_lessons_in_which_its_exercise_has_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_key(SOFTMAX.id, DRAW, tmp_path)
    monkeypatch.setattr(key_cache, "_IN_MEMORY", {})
    monkeypatch.setattr(DEFINITIONS, "_positions", {SOFTMAX.id: ("09_training", 3)})
    read = kept_key(SOFTMAX.id, DRAW, tmp_path).exercise
    assert (read.lesson, read.place) == ("09_training", 3)


def _none_at_first(read: Callable[..., Any]) -> Callable[..., Any]:
    asked: list[object] = []

    def answer(*arguments: Any) -> Any:
        asked.append(arguments)
        return None if len(asked) == 1 else read(*arguments)

    return answer


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:100])])
def test_a_damaged_key_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], object]
) -> None:
    kept_key(SOFTMAX.id, DRAW, tmp_path)
    folder = kept_at(tmp_path, SOFTMAX.id, DRAW)
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in sorted(folder.iterdir()):
        monkeypatch.setattr(key_cache, "_IN_MEMORY", {})
        damage(path)
        kept_key(SOFTMAX.id, DRAW, tmp_path)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


def test_whoever_waits_for_keys_sees_how_many_are_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, made = ["softmax", "attention_loops"], []

    def make(exercise_id: str, whole: bool) -> str:
        made.append(exercise_id)
        return exercise_id

    monkeypatch.setattr(public_keys, "missing_public_keys", list)
    monkeypatch.setattr(public_keys, "_make", make)
    monkeypatch.setattr("course_lib.processors.usable_processors", lambda: 1)  # other processes have the real `_make`
    monkeypatch.setattr("course_lib.training.progress._EVERY", 0.0)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    public_keys.prepare(missing)
    said = capsys.readouterr().out
    assert made == missing
    for line in ("Preparing 2 checks", "0 of 2", "1 of 2: softmax", "2 of 2: attention_loops", "They are ready."):
        assert line in said


def test_keys_are_made_in_the_background_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    public_keys.prepare(["brevity_penalty"], in_background=True)
    for process in multiprocessing.active_children():
        process.join(300)
    assert not public_keys.missing_public_keys(["brevity_penalty"])
    assert capfd.readouterr() == ("", "")


def test_scores_for_the_public_questions_are_kept_and_worked_out_again_if_they_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[str] = []

    def counted(definition: Definition) -> dict[str, float]:
        asked.append(definition.id)
        return public_scores(definition)

    monkeypatch.setattr(answer_keys, "public_scores", counted)
    expected = public_scores(SOFTMAX)
    assert key_cache.kept_public_scores(SOFTMAX) == expected
    assert key_cache.kept_public_scores(SOFTMAX) == expected
    assert asked == ["softmax"]
    file = next(tmp_path.rglob("scores.json"))
    file.write_text("{")
    assert key_cache.kept_public_scores(SOFTMAX) == expected
    assert asked == ["softmax", "softmax"]
    assert json.loads(next(tmp_path.rglob("scores.json")).read_text()) == expected


def test_a_changed_exercise_makes_the_keys_of_those_that_build_on_it_again_and_no_others(tmp_path: Path) -> None:
    for id in DEFINITIONS:
        behind = {folder.name for folder in DEFINITIONS.folders_behind(id)}
        assert {id, *DEFINITIONS[id].exercise.builds_on} <= behind
    assert "layer_norm" in {folder.name for folder in DEFINITIONS.folders_behind("encoder")}
    assert [folder.name for folder in DEFINITIONS.folders_behind("rotary_embedding")] == ["rotary_embedding"]
    behind = DEFINITIONS.folders_behind("attention_numpy")
    before, unseen, mistakes = (
        tuple(Path(shutil.copytree(folder, tmp_path / name / folder.name)) for folder in behind)
        for name in ("before", "unseen", "mistakes")
    )
    with (unseen[0] / "unseen.py").open("a") as file:
        file.write("# only benchmarks judge this\n")
    with (mistakes[-1] / "mistakes.md").open("a") as file:
        file.write("\nA word more.\n")
    assert exercise_digest(before) == exercise_digest(behind) == exercise_digest(unseen) != exercise_digest(mistakes)
