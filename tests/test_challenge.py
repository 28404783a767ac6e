"""The challenge: what is given, what is scored, and a class of which most do not want to learn."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import Ran, copy_course, hand_in_to_lesson, require, run_course
from rich.console import Console

from autograder.building.notebook import to_text
from autograder.challenge.leaderboard import leaderboard_table
from autograder.challenge.run import LONGEST_CODE, Entry, make_challenge
from autograder.grading.submissions import Submission
from course_lib.challenge import make_task, rehearse, scores
from course_lib.challenge.task import TESTED, read_lines, write_lines
from course_lib.course import Course
from course_lib.running.cells import grade_id
from course_lib.translator.trained import FOLDER

LESSON = "10_decoding"
SECONDS = 3

#: learns, for each word, the word of the other language that comes with it most surely, and keeps the order
COUNTS = """
from collections import Counter


def train(pairs, seconds):
    english, french, both = Counter(), Counter(), Counter()
    for pair in pairs:
        english.update(set(pair.source))
        french.update(set(pair.target))
        both.update((e, f) for e in set(pair.source) for f in set(pair.target))
    best = {}
    for (e, f), count in both.items():
        best[e] = max(best.get(e, (0, "")), (2 * count / (english[e] + french[f]), f))
    return lambda sentences: [[best[word][1] for word in words if word in best] for words in sentences]
"""

#: looks for references wherever a submission might; fails with what it found
THIEF = """
import gc, importlib, os, sys


def train(pairs, seconds):
    found = []
    for name in ("autograder", "autograder.challenge.run"):
        try: found.append(importlib.import_module(name))
        except ImportError: pass
    for path in PATHS:
        try: found.append(open(path, "rb").read())
        except OSError: pass
    frame = sys._getframe()
    while frame := frame.f_back:
        found += [name for name in frame.f_locals if "reference" in name]
    found += [o for o in gc.get_objects() if isinstance(o, dict) and "references" in o and "sources" in o]
    try:
        from course_lib.translator import load_translator
        found.append(load_translator())
    except FileNotFoundError: pass
    raise RuntimeError(f"found {len(found)}")
"""

#: tries to hold on to more time than there is
FOREVER = """
import signal


def train(pairs, seconds):
    signal.setitimer(signal.ITIMER_REAL, 0)
    while True: pass
"""

#: lets another process do the work, whose time nobody would count; whatever might forbid it in here is replaced before
FORKS = """
import os, signal
import course_lib.challenge.compete, course_lib.running.limits
for module in (course_lib.challenge.compete, course_lib.running.limits):
    for name in vars(module):
        if name.startswith(("forbid", "limit")):
            setattr(module, name, lambda *_: None)


def train(pairs, seconds):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        while True: pass
"""

HTML = "<script>alert('h0stile')</script>"


def test_lines_come_back_as_they_were() -> None:
    sentences = [("e1", "e2"), (), ("e3",)]
    assert read_lines(write_lines(sentences)) == sentences


def test_a_task_belongs_to_its_secret_and_names_no_word() -> None:
    task, again, other = make_task(b"one", 2), make_task(b"one", 2), make_task(b"two", 2)
    assert task == again
    assert task.pairs[:50] != other.pairs[:50]
    words = {word for pair in task.pairs for word in (*pair.source, *pair.target)}
    assert all(re.fullmatch(r"[ef]\d+", word) for word in words)
    assert {len(task.sources[split]) for split in TESTED} == {30}
    trained = {pair.source for pair in task.pairs}
    assert all(trained.isdisjoint(task.sources[split]) for split in TESTED)


def test_renaming_keeps_what_can_be_learned() -> None:
    task = make_task(b"one", 2)
    for split in TESTED:
        assert all(len(words) > 2 for words in task.references[split])
    first = {pair.source: pair.target for pair in task.pairs}
    assert len(first) == len(task.pairs), "a sentence is given once, and has one translation"
    assert 300 < len({word for pair in task.pairs for word in pair.source}) <= 534


def test_no_reference_is_given() -> None:
    task = make_task(b"one", 2)
    given = json.dumps(task.given())
    lines = {f"\\n{' '.join(words)}\\n" for split in TESTED for words in task.references[split] if len(words) > 6}
    assert len(lines) > 80
    assert not any(line in given for line in lines)


def test_the_score_is_the_mean_exact_match() -> None:
    task = make_task(b"one", 2)
    right = {split: [" ".join(words) for words in task.references[split]] for split in TESTED}
    assert scores(task, right).score == scores(task, right).bleu == 100
    half = {**right, "longer": ["f1 f2"] * 15 + right["longer"][15:]}
    assert scores(task, half).score == pytest.approx(87.5)
    assert scores(task, half).of["longer"].exact_match == 50
    assert scores(task, {split: [""] * 30 for split in TESTED}).score == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, "no list"),
        ("f1", "no list"),
        ([1] * 30, "no list"),
        (["f1"] * 29, "29 translations came back for 30"),
        (["f1 " * 101] * 30, "a translation has 101 words"),
    ],
)
def test_what_is_no_translation_is_not_scored(wrong: Any, message: str) -> None:
    task = make_task(b"one", 2)
    right = {split: [" ".join(words) for words in task.references[split]] for split in TESTED}
    with pytest.raises(ValueError, match=message):
        scores(task, {**right, "longer": wrong})


def test_a_rehearsal_trains_and_scores_at_home(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, Any] = {}
    exec(COUNTS, space)
    found = rehearse(space["train"], seconds=2)
    assert found.of["held_out"].exact_match > 0, "some short sentences can be translated word by word"
    assert 15 < found.bleu < 50
    assert "3400 pairs" in capsys.readouterr().out


def test_a_terminal_obeys_none_of_what_the_leaderboard_shows() -> None:
    table = leaderboard_table([Entry("mallory", reason="\x1b[2JE: \x1b]0;pwned\x07\x9b31mthe first place")])
    with StringIO() as screen:
        Console(file=screen, force_terminal=True, width=200).print(table)
        shown = screen.getvalue()
    assert "the first place" in shown
    assert not [obeyed for obeyed in ("\x1b[2J", "\x1b]", "\x07", "\x9b") if obeyed in shown]


# a class


def handed_in(course: Course, recipe: str | None) -> str:
    """A student's notebook: the solutions, with another recipe where one is given."""
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    solved = nbformat.read(course.solution_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    sources = {grade_id(cell): cell.source for cell in solved.cells if grade_id(cell)}
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        cell.source = sources.get(grade_id(cell), cell.source)
        if recipe is not None and "\ndef train(" in cell.source:
            cell.source = recipe
    return to_text(notebook)


@pytest.fixture(scope="module")
def held(course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("challenge"))
    paths = [str(root / "class" / "secret.key"), "/proc/self/mem", "/proc/1/environ"]
    paths += [str(FOLDER / "weights.safetensors"), "/course/course_lib/translator/weights.safetensors"]
    recipes: Mapping[str, str | None] = {
        "counts": COUNTS,
        "starter": None,
        "wrong type": "def train(pairs, seconds):\n    return lambda sentences: 'le chat'",
        "raises": f"from course_lib.corpus import generate\ndef train(pairs, seconds):\n    raise ValueError({HTML!r})",
        "forever": FOREVER,
        "forks": FORKS,
        "thief": THIEF.replace("PATHS", repr(paths)),
        "[b]nothing": "",
        "shipped": f"WEIGHTS = {'x' * LONGEST_CODE!r}",
    }
    submitted = hand_in_to_lesson(root / "handed in", LESSON, {s: handed_in(course, r) for s, r in recipes.items()})
    lesson = "08_transformer"
    earlier = course.solution_notebook(lesson).read_text(encoding="utf-8")
    hand_in_to_lesson(submitted, lesson, {"counts": earlier, "starter": earlier})
    (submitted / "cut" / LESSON).mkdir(parents=True)
    (submitted / "cut" / LESSON / f"{LESSON}.ipynb").write_text("{", encoding="utf-8")
    ran = run_course(root, "challenge", "--submissions", "handed in", "--seconds", str(SECONDS), "--json", "mine.json")
    return root, ran


@pytest.fixture(scope="module")
def entries(held: tuple[Path, Ran]) -> dict[str, dict[str, Any]]:
    root, ran = held
    assert ran.code == 0, ran.err
    results = json.loads((root / "class/reports/challenge.json").read_text(encoding="utf-8"))
    assert results == json.loads((root / "mine.json").read_text(encoding="utf-8"))
    assert results["sandboxed"] is True
    return {entry["student"]: entry for entry in results["entries"]}


def test_what_was_learned_before_or_is_looked_up_is_refused_or_noted(entries: dict[str, dict[str, Any]]) -> None:
    assert "nothing learned before" in entries["shipped"]["reason"]
    assert [
        student for student, entry in entries.items() if "it uses course_lib.corpus: see what for" in entry["notes"]
    ] == ["raises"]


def test_the_best_comes_first(entries: dict[str, dict[str, Any]]) -> None:
    assert [entry["place"] for entry in entries.values()] == [1, 2, *[None] * 8]
    first, second, *rest = entries
    assert (first, second) == ("counts", "starter")
    assert entries["counts"]["splits"]["longer"]["bleu"] > 20
    assert entries["starter"]["reason"] == ""
    assert set(entries["starter"]["splits"]) == set(TESTED)
    assert 2 < entries["starter"]["cpu_seconds"] < 60, "it trains as long as it may, and the kernel has counted"
    assert rest == sorted(rest)


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("wrong type", "TypeError: translate returned no list for held_out, but str"),
        ("raises", f"ValueError: {HTML}"),
        ("forever", "it was stopped: training and translating may take 8.6 CPU seconds"),
        ("forks", "BlockingIOError: [Errno 11] Resource temporarily unavailable"),
        ("thief", "RuntimeError: found 0"),
        ("[b]nothing", "the notebook defines no train"),
        ("cut", "the file is not a notebook: it is no valid JSON (was it cut short?)"),
    ],
)
def test_who_has_no_score_is_told_why(entries: dict[str, dict[str, Any]], student: str, reason: str) -> None:
    assert entries[student]["score"] is None
    assert entries[student]["reason"].startswith(reason)


def test_it_says_whose_the_parts_are(entries: dict[str, dict[str, Any]]) -> None:
    own = entries["starter"]["own_parts"]
    assert {"Transformer", "DecoderLayer", "greedy_decode", "beam_search"} <= set(own)
    assert "Transformer" not in entries["raises"]["own_parts"]
    assert "softmax" in entries["starter"]["reference_parts"]


def test_the_leaderboard_is_shown_and_escaped(held: tuple[Path, Ran]) -> None:
    root, ran = held
    page = (root / "class/reports/challenge.html").read_text(encoding="utf-8")
    assert page.index("counts") < page.index("starter") < page.index("[b]nothing")
    assert "h0stile" in page
    assert "<script" not in page
    assert "counts" in ran.out
    assert "[b]nothing" in ran.out
    assert "reports/challenge.html" in ran.out


def test_help_teaches(held: tuple[Path, Ran]) -> None:
    text = " ".join(run_course(held[0], "challenge", "--help").out.split())
    assert "train(pairs, seconds)" in text
    nowhere = run_course(held[0], "challenge", "--submissions", "nowhere")
    assert nowhere.code == 1
    assert "no folder" in nowhere.err


def test_it_can_be_held_as_long_as_it_is_meant_to_be(course: Course, tmp_path: Path) -> None:
    require("bwrap")
    own = 'assert Transformer.__module__.startswith("own_parts."), Transformer.__module__'
    recipe = COUNTS.replace("    english, french", f"    {own}\n    english, french", 1)
    assert own in recipe
    submitted = hand_in_to_lesson(tmp_path, LESSON, {"counts": handed_in(course, recipe)})
    earlier = "08_transformer"
    solved = course.solution_notebook(earlier).read_text(encoding="utf-8")
    hand_in_to_lesson(submitted, earlier, {"counts": solved})
    challenge = make_challenge(course, LESSON, tmp_path / "class", 300, False)
    with challenge.sandbox() as sandbox:
        entry = challenge.enter(sandbox, Submission("counts", submitted / "counts" / LESSON / f"{LESSON}.ipynb"))
    assert entry.reason == ""
    assert entry.scores is not None
    assert entry.scores.of["longer"].bleu > 20
    assert {"Transformer", "greedy_decode"} <= {part.symbol for part in entry.parts if part.yours}
