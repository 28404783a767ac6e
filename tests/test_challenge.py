"""The challenge: what is given, what is scored, and a class of which most do not want to learn."""

from __future__ import annotations

import copy
import inspect
import json
import linecache
import re
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from conftest import TimedResult, copy_course, hand_in_to_lesson, require, run_course
from rich.console import Console

from autograder import app
from autograder.building.notebook import to_text
from autograder.challenge.leaderboard import leaderboard_table
from autograder.challenge.parts import parts_of
from autograder.challenge.reasons import no_answer
from autograder.challenge.run import LONGEST_CODE, NAME, Entry, make_challenge
from autograder.challenge.static_checks import notes_on
from autograder.submissions.submission import Submission
from course_lib.challenge import Task, make_task, pairs, rehearse, scores, with_cache
from course_lib.challenge.cache import SAID
from course_lib.challenge.compete import GRADED_SECONDS, allowed
from course_lib.challenge.rehearsal import MARK, RECIPE, RECIPE_SECONDS
from course_lib.challenge.rehearsal import SECONDS as WHOLE
from course_lib.challenge.task import TESTED, read_lines, write_lines
from course_lib.checking.answers import Answer, Error
from course_lib.checking.failure import Failure
from course_lib.components import CachedDecoder, Transformer, greedy_decode
from course_lib.corpus import Pair, english_vocabulary, french_vocabulary
from course_lib.course import Course
from course_lib.own_parts.extract import cut_part
from course_lib.own_parts.use import part_exercises
from course_lib.running.cells import grade_id
from course_lib.running.outcome import Outcome
from course_lib.running.reading import read_notebook
from course_lib.translator.trained import FOLDER

LESSON = "12_projects"
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

#: looks for references wherever a submission might; fails with a LookupError where it found some
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
    raise LookupError if found else ArithmeticError
"""

#: decodes with the cache that its notebook holds, and fails where it is not used; learns nothing
CACHED = """
from course_lib import challenge
from course_lib.challenge.cache import SAID


def train(pairs, seconds):
    english = Vocabulary(pair.source for pair in pairs)
    french = Vocabulary(pair.target for pair in pairs)
    network = Transformer(
        len(english), len(french), d_model=16, num_heads=2, num_layers=1, d_ff=16, max_length=100, dropout=0.0
    ).eval()
    decode = challenge.with_cache(greedy_decode, CachedDecoder)

    def translate(sentences):
        source = pad_batch([english.encode(words)[1:-1] for words in sentences], english.pad_id)
        found = decode(network, source, french.bos_id, french.eos_id, 10)
        if "CachedDecoder, or a part of it, is not written yet" in SAID[0]:
            raise NotImplementedError
        if not SAID[0].startswith("Decoded with CachedDecoder") or len(SAID) > 1:
            raise RuntimeError(SAID[0])
        return [french.decode(row) for row in found.tolist()]

    return translate
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

#: tells whoever reads the leaderboard what was asked: as an exception's name and text, and as a line of its own
LEAKS = """
def train(pairs, seconds):
    asked = "h0stile " + pairs[0].source[0]
    raise type(asked, (Exception,), {})(asked)
"""

#: the same, past everything that shortens an error or looks for its line
FORGES = """
import course_lib.running.answerer
from course_lib.checking.answers import Answer, Error
FAILURE = "Unreadable"


def ask(questions, implementation):
    asked = "h0stile " + questions[0].pairs[:400]
    return {questions[0].name: Answer(error=Error(FAILURE, asked, asked))}


course_lib.running.answerer.ask = ask


def train(pairs, seconds): pass
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


# the rehearsal


def recipe_of(source: str) -> Any:
    """The ``train`` that a cell defines."""
    space: dict[str, Any] = {}
    exec(compile(source, "the cell", "exec"), space)
    linecache.cache["the cell"] = (len(source), None, source.splitlines(keepends=True), "the cell")
    return space["train"]


def words_of(task: Task) -> tuple[set[str], set[str]]:
    english = {word for pair in task.pairs for word in pair.source}
    return english, {word for pair in task.pairs for word in pair.target}


def test_a_rehearsal_says_what_to_expect_and_then_what_came(capsys: pytest.CaptureFixture[str]) -> None:
    found = rehearse(recipe_of(COUNTS), seconds=2)
    before = " ".join(capsys.readouterr().out.split())
    assert "A rehearsal in plain English and French: 3,400 pairs to learn from, then 30 sentences" in before
    assert "at 7 s the run is stopped; it shows that it runs, and there is no mark below 45 s" in before
    assert "The contest renames the words and has 60,000 pairs; train gets 300 s there, and at 365 s" in before
    assert found.scores is not None
    assert found.scores.of["held_out"].exact_match > 0, "some short sentences can be translated word by word"
    assert 15 < found.scores.bleu < 50
    after = " ".join(repr(found).split())
    assert re.match(r"It used \d of 7 s of processor time\.", after)
    assert all(split in after for split in TESTED)
    right, _, wrong = after.partition("Wrong:")
    assert right.count(" yours ") == 1, "no more than that one is right"
    assert wrong.count(" yours ") == wrong.count(" right ") == 3
    assert f"Its score is {found.scores.score:.1f}, the mean of the four" in after
    assert "assed" not in after, "two seconds are too few for a mark"
    assert not found.problem


def test_before_a_whole_rehearsal_its_time_and_its_mark_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = rehearse(recipe_of(COUNTS))
    before = " ".join(capsys.readouterr().out.split())
    assert allowed(WHOLE) < 60, "it is a minute at most"
    assert f"It takes about {RECIPE_SECONDS} s of processor time, and ends at 59." in before
    assert f"such as lesson 12's recipe, gets {RECIPE[0]} to {RECIPE[1]} % of the held-out sentences right" in before
    assert "50 % of the held-out ones pass" in before
    assert RECIPE[0] > MARK
    assert not found.passed, "counting words is not enough"
    assert "Not passed yet: " in repr(found)
    assert found.scores is not None
    references = {split: [" ".join(words) for words in found.task.references[split]] for split in TESTED}
    best = replace(found, scores=scores(found.task, references), translations=references)
    assert best.passed
    assert "Passed: 100 % of the held-out sentences are right" in repr(best)
    assert re.search(r"Wrong:\s+none", repr(best))


def test_words_have_their_own_names_in_a_rehearsal_and_others_in_the_graded_run(course: Course, tmp_path: Path) -> None:
    seen: list[Pair] = []

    def train(learned: list[Pair], seconds: float) -> Any:
        seen[:] = learned
        return lambda sentences: [["le", "chat"]] * len(sentences)

    found = rehearse(train, seconds=1)
    english, french = words_of(found.task)
    assert english <= set(english_vocabulary())
    assert french <= set(french_vocabulary())
    assert seen == list(found.task.pairs) == pairs(1)
    require("bwrap")
    english, french = words_of(make_challenge(course, LESSON, tmp_path, 1, False).task)
    assert all(re.fullmatch(r"e\d+", word) for word in english)
    assert all(re.fullmatch(r"f\d+", word) for word in french)
    renamed, _ = words_of(rehearse(train, seconds=1, renamed=True).task)
    assert all(re.fullmatch(r"e\d+", word) for word in renamed), "who wants to can rehearse with other names"


def test_the_rehearsal_tells_the_seconds_of_the_graded_run() -> None:
    assert inspect.signature(app.challenge).parameters["seconds"].default == GRADED_SECONDS


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "def train(pairs, seconds):\n    raise ValueError('no width')",
            "It stopped while training with ValueError: no width. Look at line 2 of train: raise ValueError('no width')"
            ". For the whole traceback call train(challenge.pairs(2), 2) in a cell. Try it with",
        ),
        (
            "def train(pairs, seconds):\n    def translate(sentences):\n        return [[][0]]\n    return translate",
            "It stopped while translating held_out with IndexError: list index out of range. Look at line 3 of "
            "translate: return [[][0]]. For the whole traceback call train's translate on",
        ),
        (
            "def train(pairs, seconds):\n    exit('enough')",
            "It stopped while training with SystemExit: enough. Look at line 2 of train",
        ),
        (
            "def train(pairs):\n    return None",
            "It stopped while training with TypeError: train() takes 1 positional argument but 2 were given.",
        ),
        (
            "def train(pairs, seconds):\n    pass",
            "It cannot be scored: train returned no function, but NoneType. train(pairs, seconds) returns a function;",
        ),
        (
            "def train(pairs, seconds):\n    return lambda sentences: 'le chat'",
            "It cannot be scored: translate returned no list for held_out, but str. train(pairs, seconds) returns",
        ),
        (
            "def train(pairs, seconds):\n    return lambda sentences: ['le chat'] * len(sentences)",
            "It cannot be scored: a translation is a list of words; translate returned str for held_out. train(pairs,",
        ),
        (
            "def train(pairs, seconds):\n    return lambda sentences: [['le']]",
            "It cannot be scored: translate returned 1 translations for 25 sentences of held_out. train(pairs,",
        ),
        (
            "def train(pairs, seconds):\n    return lambda sentences: [['le'] * 300 for _ in sentences]",
            "It cannot be scored. held_out: a translation has 101 words, and may have 100. train(pairs,",
        ),
        (
            "def train(pairs, seconds):\n    raise NotImplementedError",
            "It needs a part that is not written yet. Look at line 2 of train: raise NotImplementedError. Write it",
        ),
    ],
)
def test_what_cannot_be_rehearsed_is_met_with_a_sentence(source: str, said: str) -> None:
    found = rehearse(recipe_of(source), seconds=1)
    assert found.scores is None
    assert not found.passed
    shown = " ".join(repr(found).split())
    assert said in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("source", "doing"),
    [
        ("def train(pairs, seconds):\n    while True: pass", "training"),
        (
            "def train(pairs, seconds):\n    def translate(sentences):\n        while True: pass\n    return translate",
            "translating held_out",
        ),
    ],
)
@pytest.mark.slow
def test_who_is_too_slow_is_stopped_and_told(source: str, doing: str) -> None:
    found = rehearse(recipe_of(source), seconds=1)
    assert found.scores is None
    shown = " ".join(repr(found).split())
    assert f"Too slow: 6 s of processor time were used while {doing}, and 6 may be; in the challenge it would" in shown
    assert "let it end at nine tenths of them" in shown


@pytest.mark.slow
def test_only_processor_time_counts() -> None:
    slept = COUNTS.replace("    english, french", "    __import__('time').sleep(6.5)\n    english, french", 1)
    found = rehearse(recipe_of(slept), seconds=1)
    assert found.scores is not None
    assert not found.problem


def test_a_stub_is_scored_and_does_not_pass() -> None:
    found = rehearse(recipe_of("def train(pairs, seconds):\n    return lambda s: [[] for _ in s]"))
    assert found.scores is not None
    assert found.scores.score == 0
    assert "Not passed yet: 0 % of the held-out sentences are right, and 50 % are asked for." in " ".join(
        repr(found).split()
    )
    assert "yours  (nothing)" in repr(found)
    assert re.search(r"Right:\s+none", repr(found))


# the cache


class NotWritten:
    def __init__(self, model: Any, memory: Any, memory_mask: Any) -> None:
        raise NotImplementedError


class Stops(CachedDecoder):
    def step(self, token: torch.Tensor) -> torch.Tensor:
        raise ValueError("no keys")


class Shifts(CachedDecoder):
    def step(self, token: torch.Tensor) -> torch.Tensor:
        return super().step(token).roll(1, dims=-1)


@pytest.fixture(scope="module")
def network() -> tuple[Transformer, torch.Tensor]:
    torch.manual_seed(0)
    made = Transformer(12, 12, d_model=16, num_heads=2, num_layers=2, d_ff=16, max_length=30, dropout=0.0).eval()
    return made, torch.randint(3, 12, (20, 7))


@pytest.mark.parametrize(
    ("cached_decoder", "said", "trusted"),
    [
        (CachedDecoder, "Decoded with CachedDecoder: 7 of 7 sentences compared are the same without it.", True),
        (NotWritten, "as long: NotWritten, or a part of it, is not written yet.", False),
        (Stops, "as long: Stops stops with ValueError: no keys.", False),
        (Shifts, "7 of 7 sentences come out otherwise than without it.", False),
    ],
)
def test_a_cache_decodes_where_it_is_written_and_says_the_same(
    cached_decoder: Any, said: str, trusted: bool, network: tuple[Transformer, torch.Tensor]
) -> None:
    slow = []

    def without(model: Any, source: torch.Tensor, *rest: int) -> torch.Tensor:
        slow.append(len(source))
        return greedy_decode(model, source, *rest)

    SAID.clear()
    found = with_cache(without, cached_decoder)(*network, 1, 2, 20)
    assert torch.equal(found, greedy_decode(*network, 1, 2, 20))
    assert slow == ([7] if trusted else [7, 20]), "all are decoded without the cache only where it is not trusted"
    assert len(SAID) == 1
    assert SAID[0].endswith(said)


def test_a_rehearsal_says_how_it_decoded(network: tuple[Transformer, torch.Tensor]) -> None:
    def train(learned: list[Pair], seconds: float) -> Any:
        decode = with_cache(greedy_decode, CachedDecoder)

        def translate(sentences: Any) -> list[list[str]]:
            decode(*network, 1, 2, 20)
            return [["le"] for _ in sentences]

        return translate

    text = "Decoded with CachedDecoder: 28 of 28 sentences compared are the same without it."
    assert text in " ".join(repr(rehearse(train, seconds=1)).split())
    assert "Decoded" not in repr(rehearse(recipe_of(COUNTS), seconds=1)), "what another rehearsal said is over"


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
        if recipe is not None and re.search(r"^def train\(", cell.source, re.MULTILINE):
            cell.source = recipe
    return to_text(notebook)


def with_a_helper(course: Course, lesson: str, uses: str, *own: str) -> str:
    """The solutions of lesson 00, in which a part uses what cells of one's own define."""
    notebook = nbformat.read(course.solution_notebook(lesson), as_version=nbformat.NO_CONVERT)
    begun = "def brevity_penalty("
    place = next(n for n, cell in enumerate(notebook.cells) if begun in cell.source and grade_id(cell))
    notebook.cells[place].source += f"\n\nbrevity_penalty.uses = lambda: ({uses})\n"
    notebook.cells[place:place] = [nbformat.v4.new_code_cell(source) for source in own]
    return to_text(notebook)


@pytest.fixture(scope="module")
def held(course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TimedResult]:
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("challenge"))
    paths = [str(root / "class" / "secret.key"), "/proc/self/mem", "/proc/1/environ"]
    paths += [str(FOLDER / "weights.safetensors"), "/course/course_lib/translator/weights.safetensors"]
    recipes: Mapping[str, str | None] = {
        "counts": COUNTS,
        "starter": None,
        "wrong type": "def train(pairs, seconds):\n    return lambda sentences: 'le chat'",
        "raises": f"from course_lib.corpus import generate\ndef train(pairs, seconds):\n    raise ValueError({HTML!r})",
        "stops": f"raise ValueError({HTML!r})\n\ndef train(pairs, seconds): pass",
        "leaks": LEAKS,
        "forges": FORGES,
        "forever": FOREVER,
        "forks": FORKS,
        "thief": THIEF.replace("PATHS", repr(paths)),
        "[b]nothing": "",
        "shipped": f"WEIGHTS = {'x' * LONGEST_CODE!r}",
        "smuggles": COUNTS,
        "deciphers": COUNTS,
    }
    submitted = hand_in_to_lesson(root / "handed in", LESSON, {s: handed_in(course, r) for s, r in recipes.items()})
    lesson = "08_transformer"
    earlier = course.solution_notebook(lesson).read_text(encoding="utf-8")
    hand_in_to_lesson(submitted, lesson, {"counts": earlier, "starter": earlier})
    search = "10_search"
    hand_in_to_lesson(submitted, search, {"starter": course.solution_notebook(search).read_text(encoding="utf-8")})
    later = "13_relative_positions"
    hand_in_to_lesson(submitted, later, {"starter": course.solution_notebook(later).read_text(encoding="utf-8")})
    # 45,000 characters of three bytes each, twice; and what an instructor should look at
    weights = [f"WEIGHTS_{n} = {chr(0x4E00) * 45_000!r}" for n in range(2)]
    used = {"smuggles": ["WEIGHTS_0, WEIGHTS_1", *weights], "deciphers": ["generate, sys.modules", "import sys"]}
    first = "00_the_task"
    hand_in_to_lesson(submitted, first, {s: with_a_helper(course, first, *given) for s, given in used.items()})
    (submitted / "cut" / LESSON).mkdir(parents=True)
    (submitted / "cut" / LESSON / f"{LESSON}.ipynb").write_text("{", encoding="utf-8")
    ran = run_course(root, "challenge", "--submissions", "handed in", "--seconds", str(SECONDS), "--json", "mine.json")
    return root, ran


@pytest.fixture(scope="module")
def entries(held: tuple[Path, TimedResult]) -> dict[str, dict[str, Any]]:
    root, ran = held
    assert ran.code == 0, ran.err
    results = json.loads((root / "class/reports/challenge.json").read_text(encoding="utf-8"))
    assert results == json.loads((root / "mine.json").read_text(encoding="utf-8"))
    assert results["sandboxed"] is True
    return {entry["student"]: entry for entry in results["entries"]}


@pytest.mark.slow
def test_what_was_learned_before_is_refused_wherever_it_stands(entries: dict[str, dict[str, Any]]) -> None:
    assert "nothing learned before" in entries["shipped"]["reason"]
    assert "nothing learned before" in entries["smuggles"]["reason"]
    assert "brevity_penalty" in entries["smuggles"]["own_parts"]


def test_what_is_looked_up_is_noted(entries: dict[str, dict[str, Any]]) -> None:
    uses = "it uses course_lib.corpus: check why"
    assert [student for student, entry in entries.items() if uses in entry["notes"]] == ["deciphers", "raises"]
    mentions = "it mentions {}, with which code can find what it was not given: check why"
    noted = {student: [note for note in entry["notes"] if "mentions" in note] for student, entry in entries.items()}
    assert {student: notes for student, notes in noted.items() if notes} == {
        "deciphers": [mentions.format("sys")],
        "thief": [mentions.format("_getframe, f_back, f_locals, gc, importlib, sys")],
    }


def test_what_is_given_is_not_noted(course: Course) -> None:
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    solved = nbformat.read(course.solution_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    code = [cell.source for cell in solved.cells if cell.cell_type == "code"]
    assert list(notes_on([*code, "import math\n" + code[0]], [], released)) == []
    uses = "it uses course_lib.corpus: check why"
    before = "its cells call generate before train receives any data: check what is learned there"
    own = "from course_lib.corpus import generate\nplain = list(generate(0, 'train'))"
    assert list(notes_on([*code, own], [], released)) == [uses, before]


@pytest.mark.parametrize(
    ("source", "mentioned"),
    [
        ("import sys as s\ns.modules", "sys"),
        ("from inspect import stack", "inspect"),
        ("import math, inspect", "inspect"),
        ("__import__('course_' + 'lib')", "__import__"),
        ("exec(hidden)", "exec"),
        ("gc.get_objects()", "gc"),
        ("getattr(frame, '\\x66_back')", "f_back"),
        ("%time 1\ngc.get_objects()", "gc"),
        ("import pkgutil\npkgutil.resolve_name('s' + 'ys')", "pkgutil"),
        ("modules = lookup('sys:modules')", "sys"),
        ("pickle.loads(b'csys\\nmodules\\n.')", "pickle"),
        ("# inspect the scores\nnetwork.eval(); re.compile('x'); system = 1; list(network.modules())", ""),
    ],
)
def test_who_looks_into_the_interpreter_is_noted(source: str, mentioned: str, course: Course) -> None:
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    for notes in (list(notes_on([source], [], released)), list(notes_on([], [source], released))):
        assert [note.split(",")[0] for note in notes] == ([f"it mentions {mentioned}"] if mentioned else [])


def test_the_reference_fits_into_what_code_may_have_almost_twice(course: Course) -> None:
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    code = [cell.source for cell in nbformat.reads(handed_in(course, None), 4).cells if cell.cell_type == "code"]
    exercises = [e for e in part_exercises() if e.lesson < LESSON]
    parts = {}
    for e in exercises:
        others = {other.symbol for other in exercises if other.lesson == e.lesson} - {e.symbol}
        parts[e.symbol] = cut_part(read_notebook(course.solution_notebook(e.lesson)), e.id, e.symbol, others)
    assert len(parts) > 45
    assert 1.9 * sum(len(source.encode()) for source in (*code, *parts.values())) < LONGEST_CODE
    assert list(notes_on([], parts.values(), released)) == []


def test_the_best_comes_first(entries: dict[str, dict[str, Any]]) -> None:
    assert [entry["place"] for entry in entries.values()] == [1, 2, 3, *[None] * 12]
    first, second, third, *rest = entries
    assert (first, second, third) == ("counts", "deciphers", "starter")
    assert entries["counts"]["splits"]["longer"]["bleu"] > 20
    assert entries["starter"]["reason"] == ""
    assert set(entries["starter"]["splits"]) == set(TESTED)
    assert 2 < entries["starter"]["cpu_seconds"] < 60, "it trains as long as it may, and the kernel has counted"
    assert rest == sorted(rest)


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("wrong type", "it stopped with TypeError: challenge.rehearse(train, renamed=True) shows where and why"),
        ("raises", "it stopped with ValueError: challenge.rehearse"),
        ("stops", f"the notebook defines no train (cell its own stops with ValueError: {HTML}"),
        ("leaks", "it stopped with an exception of another kind than Python's own: challenge.rehearse"),
        ("forges", "it stopped with TypeError: challenge.rehearse"),
        ("forever", "it was stopped: training and translating may take 8.6 CPU seconds"),
        ("forks", "it stopped with BlockingIOError: challenge.rehearse"),
        ("thief", "it stopped with ArithmeticError"),
        ("[b]nothing", "the notebook defines no train"),
        ("cut", "the file was cut short: it ends before the notebook is complete. Hand it in again"),
    ],
)
def test_who_has_no_score_is_told_why(entries: dict[str, dict[str, Any]], student: str, reason: str) -> None:
    assert entries[student]["score"] is None
    assert re.sub(r"code-\w+", "its own", entries[student]["reason"]).startswith(reason)


def test_who_was_asked_hands_nothing_on(entries: dict[str, dict[str, Any]]) -> None:
    assert [s for s, entry in entries.items() if "h0stile" in json.dumps(entry)] == ["stops"], "before it was asked"


@pytest.mark.parametrize("name", [*Failure, "NameError", "NotImplementedError", "KeyError", "h0stile"])
def test_no_text_of_an_error_is_in_a_reason(name: str) -> None:
    reason = no_answer(Error(name, "h0stile", "line 1 of h0stile"), 1.0, 365.0, Outcome("graded"))
    assert reason
    assert "h0stile" not in reason


def test_no_number_of_what_came_back_is_in_a_reason(course: Course, tmp_path: Path) -> None:
    require("bwrap")
    challenge = make_challenge(course, LESSON, tmp_path, 1, False)
    came = Outcome("graded", all_answers={NAME: {NAME: Answer({split: ["f1"] * 8191 for split in TESTED})}})
    reason = challenge._score(Entry("mallory"), came).reason
    assert reason.startswith("what it returned cannot be scored")
    assert not re.search(r"\d", reason)


class Sleeps:
    """A sandbox in which no part comes to its end."""

    ran = 0

    def run(self, *_: Any) -> Outcome:
        self.ran += 1
        return Outcome("stopped", "cell part ran longer than 20 s", processor_seconds=0.1)


def test_after_two_parts_that_do_not_finish_the_rest_is_the_courses(course: Course, tmp_path: Path) -> None:
    lessons, sandbox = ("00_the_task", "01_recurrent_translation"), Sleeps()
    for lesson in lessons:
        hand_in_to_lesson(tmp_path, lesson, {"s": course.solution_notebook(lesson).read_text(encoding="utf-8")})
    parts = parts_of(Submission("s", tmp_path / "s" / LESSON / f"{LESSON}.ipynb"), sandbox, lessons[-1])  # type: ignore[arg-type]
    assert sandbox.ran == 2, "each once, and no third"
    assert not any(part.why.startswith("not run") for part in parts[:2])
    assert not any(part.yours for part in parts)
    assert len(parts) == len([e for e in part_exercises() if e.lesson in lessons])
    assert {part.why for part in parts[2:]} == {"not run, because 2 parts before it did not come to their end"}


def test_it_says_whose_the_parts_are(entries: dict[str, dict[str, Any]]) -> None:
    own = entries["starter"]["own_parts"]
    assert {"Transformer", "DecoderLayer", "greedy_decode", "beam_search"} <= set(own)
    assert "Transformer" not in entries["raises"]["own_parts"]
    assert "softmax" in entries["starter"]["reference_parts"]


def test_the_leaderboard_is_shown_and_escaped(held: tuple[Path, TimedResult]) -> None:
    root, ran = held
    page = (root / "class/reports/challenge.html").read_text(encoding="utf-8")
    assert page.index("counts") < page.index("starter") < page.index("[b]nothing")
    assert "h0stile" in page
    assert "<script" not in page
    assert "counts" in ran.out
    assert "[b]nothing" in ran.out
    assert "reports/challenge.html" in ran.out


def test_help_teaches(held: tuple[Path, TimedResult]) -> None:
    text = " ".join(run_course(held[0], "challenge", "--help").out.split())
    assert "train(pairs, seconds)" in text
    nowhere = run_course(held[0], "challenge", "--submissions", "nowhere")
    assert nowhere.code == 1
    assert "no folder" in nowhere.err


@pytest.mark.parametrize("own", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_contest_decodes_with_the_cache_that_is_handed_in_or_else_with_ours(
    own: bool, course: Course, tmp_path: Path
) -> None:
    require("bwrap")
    submitted = hand_in_to_lesson(tmp_path, LESSON, {"cached": handed_in(course, CACHED)})
    earlier = "11_your_translator"
    if own:
        solved = course.solution_notebook(earlier).read_text(encoding="utf-8")
        hand_in_to_lesson(submitted, earlier, {"cached": solved})
    challenge = make_challenge(course, LESSON, tmp_path / "class", SECONDS, False)
    with challenge.sandbox() as sandbox:
        entry = challenge.enter(sandbox, Submission("cached", submitted / "cached" / LESSON / f"{LESSON}.ipynb"))
    assert (entry.reason, bool(entry.scores)) == ("", True)
    assert {part.symbol: part.yours for part in entry.parts}["CachedDecoder"] is own


@pytest.mark.slow
def test_it_can_be_held_as_long_as_it_is_meant_to_be(course: Course, tmp_path: Path) -> None:
    require("bwrap")
    own = 'assert Transformer.__module__.startswith("own_parts."), Transformer.__module__'
    recipe = COUNTS.replace("    english, french", f"    {own}\n    english, french", 1)
    assert own in recipe
    submitted = hand_in_to_lesson(tmp_path, LESSON, {"counts": handed_in(course, recipe)})
    for earlier in ("08_transformer", "10_search"):
        solved = course.solution_notebook(earlier).read_text(encoding="utf-8")
        hand_in_to_lesson(submitted, earlier, {"counts": solved})
    challenge = make_challenge(course, LESSON, tmp_path / "class", 300, False)
    with challenge.sandbox() as sandbox:
        entry = challenge.enter(sandbox, Submission("counts", submitted / "counts" / LESSON / f"{LESSON}.ipynb"))
    assert entry.reason == ""
    assert entry.scores is not None
    assert entry.scores.of["longer"].bleu > 20
    assert {"Transformer", "greedy_decode"} <= {part.symbol for part in entry.parts if part.yours}
