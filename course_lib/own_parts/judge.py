"""Judge a part: run it in a separate process, ask it the public questions, and remember the verdict by its text."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import torch

from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.card import make_card
from course_lib.checking.formatting import number
from course_lib.checking.judge import complete, judge
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome
from course_lib.running.runner import Runner
from course_lib.stand_ins import STAND_INS
from course_lib.version import __version__

#: a part only defines something, which takes no time
LIMITS = Limits(cell_seconds=5, total_seconds=10, exercise_seconds=10, idle_seconds=20, answer_seconds=5)
_KEPT = 1000  #: the most verdicts that are kept


@dataclass(frozen=True)
class Judged:
    """Whether a part earns every point of its exercises, with the reason."""

    passed: bool
    why: str


@dataclass(frozen=True)
class Budget:
    """The limits for all parts of one student together, so that they don't keep a whole class waiting.

    Attributes:
        processor_seconds: processor time of all their processes.
        wall_seconds: time by the clock, including the time to cut the parts out.
        unfinished: how many parts may fail to finish.
    """

    processor_seconds: float
    wall_seconds: float
    unfinished: int


class Judge:
    """Judge parts. Start a process only for a part whose text is new.

    Use it as a context manager.

    Args:
        folder: the folder for the verdicts, in which parts also run.
        runner: runs the parts; its owner ends it. Default: a new one without a sandbox.
        running: called with a part's name before the part runs.
        budget: if given, each part runs once, and none runs after the budget is used up.
    """

    def __init__(
        self,
        folder: Path,
        runner: Runner | None = None,
        running: Callable[[str], object] = lambda symbol: None,
        budget: Budget | None = None,
    ) -> None:
        self._file = folder / "verdicts.json"
        self._folder = folder
        self._runner = runner
        self._running = running
        self._is_ours = runner is None
        self._budget = budget
        self._begun, self._processor_seconds, self._unfinished = time.monotonic(), 0.0, 0
        self._known: dict[str, Judged] = {}
        self._own: dict[str, str] = {}
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            read = json.loads(self._file.read_text(encoding="utf-8"))
            self._known = {digest: Judged(**judged) for digest, judged in read.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._runner is None:
            return
        if self._is_ours:
            self._runner.stop()
        kept = dict(list(self._known.items())[-_KEPT:])
        with contextlib.suppress(OSError):  # in a read-only folder, verdicts are only forgotten
            self._file.write_text(
                json.dumps({digest: asdict(judged) for digest, judged in kept.items()}, indent=1), encoding="utf-8"
            )

    def judge(self, source: str, symbol: str, exercise_ids: Sequence[str]) -> Judged:
        """Return the verdict on a part. A part that doesn't finish runs a second time, and its verdict isn't stored.

        With a budget, no part runs twice, because code that sleeps would then take twice as long.

        Raises:
            CannotStart: parts can't run on this system.
        """
        started = time.monotonic()
        keys = [public_key(name) for name in exercise_ids]
        self._begun += time.monotonic() - started  # making keys may take minutes, which isn't the student's fault
        digest = _digest(put_in_place(self._own) + source, keys)
        judged = self._known.get(digest) or self._judged(digest, source, symbol, keys)
        if judged.passed and symbol in STAND_INS:
            self._own[symbol] = source  # later parts build on it
        return judged

    def _judged(self, digest: str, source: str, symbol: str, keys: Sequence[AnswerKey]) -> Judged:
        if self.spent:
            return Judged(False, self.spent)
        self._running(symbol)
        outcome = self._run(source, symbol, keys)
        if outcome.status != "graded" and self._budget is None:
            outcome = self._run(source, symbol, keys)
        judged = _judged(outcome, keys)
        if outcome.status == "graded":
            self._known[digest] = judged
        return judged

    @property
    def spent(self) -> str:
        """The reason why no further part runs; empty while parts may still run."""
        if self._budget is None:
            return ""
        if self._unfinished >= self._budget.unfinished:
            return f"not run, because {self._unfinished} parts before it did not come to their end"
        if self._processor_seconds >= self._budget.processor_seconds:
            return f"not run, because the parts before it took {self._processor_seconds:.0f} s of processor time"
        if (passed := time.monotonic() - self._begun) >= self._budget.wall_seconds:
            return f"not run, because the parts before it took {passed:.0f} s"
        return ""

    def _run(self, source: str, symbol: str, keys: Sequence[AnswerKey]) -> Outcome:
        if self._runner is None:
            self._runner = Runner(LIMITS, folder=self._folder if self._folder.is_dir() else None)
            self._runner.start()
        checks = [Cell(f"check-{key.exercise.id}", "grade", "", key.exercise.id, symbol) for key in keys]
        questions = {key.exercise.id: key.questions for key in keys}
        own = [Cell("own parts", "setup", put_in_place(self._own))] if self._own else []
        outcome = self._runner.run([*own, Cell("part", "exercise", source), *checks], questions, LIMITS)
        used = outcome.processor_seconds
        self._processor_seconds += outcome.seconds if used is None else used
        self._unfinished += outcome.status != "graded"
        return outcome


def put_in_place(own: Mapping[str, str]) -> str:
    """Return code that replaces stand-ins by a student's own parts, by symbol; empty if there are none."""
    return f"from course_lib.own_parts.shadow import put_all\nput_all({dict(own)!r})\n" if own else ""


def _judged(outcome: Outcome, keys: Sequence[AnswerKey]) -> Judged:
    stopped = _stopped(outcome)
    reason = stopped or outcome.reason or "on its own it does not come to its end"
    all_answers = complete({key.exercise.id: key for key in keys}, {} if stopped else outcome.all_answers, reason)
    score, max_score, says = 0.0, 0.0, ""
    for key in keys:
        answers = all_answers[key.exercise.id]
        verdict = judge(key, answers)
        score, max_score = score + verdict.score, max_score + verdict.max_score
        if not verdict.passed and not says:
            if verdict.error and verdict.error.unwritten:
                says = "not written yet"
                continue
            card = make_card(verdict, key, answers)
            quote = card.quote.split("\n")[0]
            says = f"{card.says} {quote}".strip()
    points = f"{number(score)} of {number(max_score)} point{'' if max_score == 1 else 's'}"
    return Judged(not says, f"{points}: {says}" if says else points)


def _stopped(outcome: Outcome) -> str:
    """Return the error that stopped a part before its check; empty if it finished."""
    for output in outcome.outputs.get("part", []):
        if output.get("output_type") == "error":
            return f"on its own it stops with {output.get('ename', '')}: {output.get('evalue', '')}".rstrip(": ")
    return ""


def _digest(source: str, keys: Sequence[AnswerKey]) -> str:
    """Hash the part, the questions, and the versions of the software that runs them."""
    asked = " ".join(key.digest() for key in keys)
    return hashlib.sha256(f"{__version__} {torch.__version__} {asked}\n{source}".encode()).hexdigest()
