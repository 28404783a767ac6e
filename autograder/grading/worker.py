"""Run submissions on a cluster's worker, which receives a lesson's kit once and then cells, and returns outcomes.

The sandbox works as it does on one machine: a submission's code runs in separate processes, which see the environment,
the released library and nothing of the worker's. A worker receives questions but no answer keys. Some cells contain our
versions of exercises, which the installed course contains anyway.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
import socket
import threading
import weakref
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

# imports nothing that needs PyTorch, because a scheduler imports these functions, too
import autograder
import course_lib
from course_lib.course import CourseError
from course_lib.version import __version__

if TYPE_CHECKING:
    from autograder.grading.library import PinnedLibrary
    from autograder.grading.sandbox import Sandbox
    from autograder.grading.task import Task
    from course_lib.running.conversation import Questions
    from course_lib.running.limits import Limits
    from course_lib.running.outcome import Outcome

#: the versions, by name, on which a grade depends apart from the submission and the class
Versions = Mapping[str, str]


@cache
def versions() -> Versions:
    """Return the versions that are installed here."""
    import numpy as np
    import torch

    code = hashlib.sha256()
    for package in (autograder, course_lib):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            code.update(f"{path.relative_to(folder).as_posix()} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    python = ".".join(platform.python_version_tuple()[:2])
    course = f"{__version__} of code {code.hexdigest()[:8]}"
    return {"course": course, "torch": torch.__version__, "numpy": np.__version__, "Python": python}


def differences(wanted: Versions, found: Versions) -> str:
    """Name the versions that differ from the wanted ones. Return an empty string if none do."""
    return ", ".join(f"{name} {found.get(name)}" for name in wanted if found.get(name) != wanted[name])


def seen_here() -> tuple[Versions, str | None]:
    """Return this worker's versions, and why it cannot run submissions in the sandbox, or None if it can."""
    from autograder.grading.bubblewrap import bubblewrap_unavailable

    return versions(), bubblewrap_unavailable()


@dataclass(frozen=True)
class Contents:
    """Everything needed to run a lesson's submissions.

    Attributes:
        files: the released library: each file's content, by its path in `course_lib`.
        questions: the hidden questions.
        public: the public questions.
        private: folders that no submission may see, if the worker has them, too.
    """

    lesson: str
    files: Mapping[str, bytes]
    limits: Limits
    sandboxed: bool
    questions: Questions
    public: Questions
    private: tuple[Path, ...] = ()

    def packed(self) -> bytes:
        """Serialise the contents for the network."""
        return zlib.compress(pickle.dumps(self))


class Kit:
    """A lesson's contents on one worker, with a sandbox for each thread that lasts as long as the kit.

    Args:
        packed: the serialised `Contents`.
        made_with: the versions on the machine that judges submissions.
    """

    def __init__(self, packed: bytes, made_with: Versions) -> None:
        self._packed, self._made_with = packed, made_with
        self._lock, self._of_this_thread = threading.Lock(), threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        """Serialise the kit, so that a worker passes it on unchanged."""
        return Kit, (self._packed, self._made_with)

    @cached_property
    def _contents(self) -> Contents:
        return pickle.loads(zlib.decompress(self._packed))  # type: ignore[no-any-return]

    @cached_property
    def _library(self) -> PinnedLibrary:
        from autograder.grading.library import pin_library

        return pin_library(self._contents.lesson, self._contents.files)

    def _sandbox(self) -> Sandbox:
        from autograder.grading.sandbox import Sandbox

        if not hasattr(self._of_this_thread, "sandbox"):  # the kernel ends a sandbox with the thread that started it
            with self._lock:
                folder = self._library.folder
            contents = self._contents
            sandbox = Sandbox(folder, contents.limits, sandboxed=contents.sandboxed, private=contents.private)
            sandbox.start()
            weakref.finalize(self, sandbox.stop)
            self._of_this_thread.sandbox = sandbox
        return self._of_this_thread.sandbox  # type: ignore[no-any-return]

    def run(self, task: Task) -> Outcome:
        """Run a task of a submission.

        Raises:
            CourseError: this worker cannot run submissions.
            SetUpError: the course's own set-up cells fail.
        """
        from autograder.grading.set_up import run_task
        from course_lib.running.runner import CannotStart

        if problem := differences(self._made_with, versions()):  # also checks workers that joined later
            raise CourseError(f"A worker on {socket.gethostname()} has {problem}, {other_than(self._made_with)}")
        contents = self._contents
        try:
            sandbox = self._sandbox()
        except (CourseError, CannotStart, OSError) as error:
            raise CourseError(f"A worker on {socket.gethostname()} cannot run submissions: {error}") from None
        return run_task(sandbox, task, contents.questions, contents.public)


def other_than(made_with: Versions) -> str:
    """Return the rest of a message about a worker whose versions differ from this machine's."""
    here = ", ".join(f"{name} {version}" for name, version in made_with.items())
    return (
        f"but this machine has {here}. Grades must come from the same versions everywhere: install these on the "
        "worker, start it again, and grade again."
    )


def run(kit: Kit, task: Task) -> Outcome:
    """Run a task with a kit that the worker already has."""
    return kit.run(task)
