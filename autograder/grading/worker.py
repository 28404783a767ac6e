"""What happens on a cluster's worker: it gets a lesson's kit once, and then cells, and gives outcomes back.

The sandbox stands here as on one machine: a submission's code runs in processes of its own, which see the environment,
the library as released, and nothing of the worker's. No answer key comes here, only questions; and our versions of
exercises, which the course's own package has here, too.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
import socket
import threading
import weakref
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

# nothing that imports PyTorch: a scheduler, too, looks these functions up
import autograder
import course_lib
from course_lib.course import CourseError
from course_lib.running.cell import Cell
from course_lib.version import __version__

if TYPE_CHECKING:
    from autograder.grading.library import HeldLibrary
    from autograder.grading.over_ours import Ours
    from autograder.grading.sandbox import Sandbox
    from course_lib.running.conversation import Questions
    from course_lib.running.limits import Limits
    from course_lib.running.outcome import Outcome

#: what a grade follows from besides the submission and the class: the name of each, and which it is
Versions = Mapping[str, str]


@cache
def versions() -> Versions:
    """What is installed here."""
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
    """What is otherwise than wanted, in words; nothing where all is the same."""
    return ", ".join(f"{name} {found.get(name)}" for name in wanted if found.get(name) != wanted[name])


def seen_here() -> tuple[Versions, str | None]:
    """What is installed on this worker, and why submissions cannot be run in the sandbox; None where they can."""
    from autograder.grading.bubblewrap import bubblewrap_unavailable

    return versions(), bubblewrap_unavailable()


@dataclass(frozen=True)
class Contents:
    """What running any submission of a lesson takes.

    Attributes:
        files: the library as released: each file's content, by its path in `course_lib`.
        questions: the hidden ones.
        ours: our versions of the exercises, for what builds on one that is missing.
        private: folders that no submission may see, where the worker has them, too.
    """

    lesson: str
    files: Mapping[str, bytes]
    limits: Limits
    sandboxed: bool
    questions: Questions
    public: Questions
    ours: Ours
    private: tuple[Path, ...] = ()

    def packed(self) -> bytes:
        """As it travels."""
        return zlib.compress(pickle.dumps(self))


class Kit:
    """A lesson's contents on one worker, with a sandbox for each of its threads; they last as long as it does.

    Args:
        packed: `Contents`.
        made_with: what is installed where submissions are judged.
    """

    def __init__(self, packed: bytes, made_with: Versions) -> None:
        self._packed, self._made_with = packed, made_with
        self._lock, self._of_this_thread = threading.Lock(), threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker hands it on to the next as it came."""
        return Kit, (self._packed, self._made_with)

    @cached_property
    def _contents(self) -> Contents:
        return pickle.loads(zlib.decompress(self._packed))  # type: ignore[no-any-return]

    @cached_property
    def _library(self) -> HeldLibrary:
        from autograder.grading.library import hold_library

        return hold_library(self._contents.lesson, self._contents.files)

    def _sandbox(self) -> Sandbox:
        from autograder.grading.sandbox import Sandbox

        if not hasattr(self._of_this_thread, "sandbox"):  # the kernel ends it with the thread that started it
            with self._lock:
                folder = self._library.folder
            contents = self._contents
            sandbox = Sandbox(folder, contents.limits, sandboxed=contents.sandboxed, private=contents.private)
            sandbox.start()
            weakref.finalize(self, sandbox.stop)
            self._of_this_thread.sandbox = sandbox
        return self._of_this_thread.sandbox  # type: ignore[no-any-return]

    def run(self, cells: Sequence[Cell], later: Sequence[Cell]) -> Outcome:
        """Run a submission.

        Args:
            later: of its second run, if it has one.

        Raises:
            CourseError: this worker can run none.
            SetUpError: the course's own set-up cells fail.
        """
        from autograder.grading.set_up import run_over_set_up
        from course_lib.running.runner import CannotStart

        if problem := differences(self._made_with, versions()):  # of a worker that came later, too
            raise CourseError(f"A worker on {socket.gethostname()} has {problem}, {other_than(self._made_with)}")
        contents = self._contents
        try:
            sandbox = self._sandbox()
        except (CourseError, CannotStart, OSError) as error:
            raise CourseError(f"A worker on {socket.gethostname()} cannot run submissions: {error}") from None
        return run_over_set_up(sandbox, cells, later, contents.questions, contents.public, contents.ours)


def other_than(made_with: Versions) -> str:
    """What follows on the versions of a worker that are others than here."""
    here = ", ".join(f"{name} {version}" for name, version in made_with.items())
    return (
        f"but this machine has {here}. Grades must come from the same versions everywhere: install these on the "
        "worker, start it again, and grade again."
    )


def run(kit: Kit, cells: Sequence[Cell], later: Sequence[Cell]) -> Outcome:
    """Run a submission with a kit that has been fetched before."""
    return kit.run(cells, later)
