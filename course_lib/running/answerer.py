"""The answerer: a snapshot of the notebook at a grade cell, which waits for questions.

It is no more trusted than the notebook that it was forked from, because student code may have replaced any code in
it. It sends back bytes of limited length, which are read as a student's answers.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import torch

from course_lib.checking.answers import Answers, encode_answers, pack, unpack
from course_lib.checking.ask import ask
from course_lib.checking.failure import Failure
from course_lib.checking.mysteries import switch_off_mysteries
from course_lib.checking.originals import Originals
from course_lib.checking.questions import WATCHING, Question, decode_questions
from course_lib.checking.questions.watched import GUARDED
from course_lib.running.descriptors import silence
from course_lib.running.frames import Line
from course_lib.running.limits import Limits, limit_processor_time
from course_lib.running.settings import as_in_a_new_thread

#: the functions that ask questions. A cell of the notebook may have replaced them
OURS = Originals(*(sys.modules[one.__module__] for one in (ask, Line, switch_off_mysteries, as_in_a_new_thread)))

_TIMES = 2  #: how often an answerer is asked: first the public questions, then the hidden ones


def park(
    implementation: Any,
    line: Line,
    limits: Limits,
    begin: Callable[[], None],
    restore: Callable[[], None] = OURS.restore,
) -> None:
    """Fork an answerer for ``implementation``, which waits on ``line`` for its questions, and then for more.

    Return only when the answerer has sent its first message or has ended. Once the notebook has ended, the supervisor
    kills every process that it can't recognise as an answerer.

    Args:
        limits: how long it may take each time it is asked.
        begin: called first in the answerer, to close what belongs to the notebook.
        restore: puts back our functions that the notebook has replaced. It is bound here, because the notebook could
            also replace what a name refers to.
    """
    ready, not_yet = os.pipe()
    if os.fork():
        os.close(not_yet)
        os.read(ready, 1)  # returns when the answerer closes its end, or ends
        os.close(ready)
        return
    try:
        os.close(ready)
        restore()
        begin()
        silence()
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process ends
        for late in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(late, signal.SIG_DFL)  # the default action ends the process
        limit_processor_time(_TIMES * limits.answer_seconds)
        switch_off_mysteries()
        line.send({"is": "parked"})  # the kernel reports the sender to the supervisor
        os.close(not_yet)
        while (asked := line.receive()) is not None:
            signal.setitimer(signal.ITIMER_PROF, limits.answer_seconds)
            # a fork doesn't inherit the threads that ran its parent's operations
            torch.set_num_threads(1)
            with as_in_a_new_thread():
                # questions are ours and may be long: those of the challenge contain a corpus
                questions = unpack(asked.body, longest=len(asked.body))
                _answer(decode_questions(*questions), implementation, line, asked.head["key"])
            signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        os._exit(0)


def _answer(
    questions: tuple[Question, ...], implementation: Any, line: Line, key: str, guarded: Originals = GUARDED
) -> None:
    """Send one frame per question, so that a question that never ends doesn't lose the earlier answers.

    Before a question that is watched and before the report of its answer, restore the functions of the watches that
    the notebook replaced. Other questions don't depend on them, and each comparison takes over half a millisecond.

    Args:
        key: proves that a frame is sent from here, and not by the student's code, which can write to the same line.
    """
    for question in questions:
        watched = isinstance(question, WATCHING)
        if watched:
            guarded.restore()
        answers = ask([question], implementation)
        if watched:
            guarded.restore()
        line.send({"is": "answer", "key": key}, _packed(answers))
    line.send({"is": "done", "key": key})


def _packed(answers: Answers) -> bytes:
    try:
        tensors: dict[str, torch.Tensor] = {}
        return pack(encode_answers(answers, tensors), tensors)
    except BaseException as error:
        unreadable = Failure.UNREADABLE.answer(f"the answer cannot be stored: {type(error).__name__}")
        return pack(encode_answers(dict.fromkeys(answers, unreadable), {}), {})


OURS.remember(sys.modules[__name__])
