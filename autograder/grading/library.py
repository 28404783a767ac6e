"""The library that submissions import: immutable while anybody grades with it, and outside the checkout.

Every release of `course_lib` lies in a folder named by its content. It is written beside and renamed into place, so it
is there as a whole or not at all; a grading that finds it there uses it. Whoever grades holds a shared lock on it, and
only a library whose lock nobody holds is ever removed. So neither a second grading nor `course build` can take the
library from one that is running, and grading writes nothing into the checkout.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from autograder.building.release import put_in_place
from autograder.cache_folder import cache_folder, only_ours, own_cache_folder, require_own
from course_lib.course import CourseError

UNUSED_SECONDS = 7 * 24 * 3600.0  #: how long a library that nobody holds is kept for the next grading

_LOCK = "in-use.lock"
_GONE = ".gone-"  #: before the name of what is being removed


@dataclass(frozen=True)
class HeldLibrary:
    """A library that stays as it is for as long as this object lives.

    Attributes:
        folder: holds `course_lib`.
        digest: of its content.
    """

    folder: Path
    digest: str


def library_store() -> Path:
    """Where libraries are kept."""
    return cache_folder() / "released"


def hold_library(name: str, files: Mapping[str, bytes], store: Path | None = None) -> HeldLibrary:
    """Have a library lie in the store, and hold it there.

    Args:
        name: for whom it is released, as ``"03_self_attention"``; for people to read.
        files: each file's content, by its path in `course_lib`.
        store: default: `library_store`.

    Raises:
        CourseError: it cannot be written, or somebody else may change the store.
    """
    if store is None:
        own_cache_folder()
        store = library_store()
    digest = _digest(files)
    folder = store / f"{name}-{digest[:16]}"
    try:
        store.mkdir(parents=True, exist_ok=True)
        require_own(store)
        lock = _hold(folder)
        require_own(folder)
        _make(folder, files)
        _remove_unused(store)
    except OSError as error:
        raise CourseError(
            f"The library that submissions import cannot be written to {store}: {error.strerror}. "
            "Make room there, or name another cache folder in the environment variable XDG_CACHE_HOME."
        ) from None
    held = HeldLibrary(folder, digest)
    weakref.finalize(held, lock.close)
    return held


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def _make(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put the library into its folder, unless it is there: one process at a time, so that none replaces another's."""
    import fcntl

    with (folder / "writing.lock").open("ab") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        if not _intact(folder / "course_lib", files):
            put_in_place(files, folder / "course_lib")


def _intact(package: Path, files: Mapping[str, bytes]) -> bool:
    """Whether a library holds what it was released with, nothing else, and nothing that somebody else may change."""
    try:
        found = [package, *package.rglob("*")]
        names = {path.relative_to(package).as_posix() for path in found if not path.is_dir()}
        return (
            names == files.keys()
            and all(map(only_ours, found))
            and all((package / name).read_bytes() == content for name, content in files.items())
        )
    except OSError:
        return False


def _hold(folder: Path) -> IO[bytes]:
    """Hold the folder's lock together with all others who use it; it ends when the returned file is closed."""
    import fcntl  # here and not above: Windows has none, and a course can be built there

    path = folder / _LOCK
    while True:
        with contextlib.ExitStack() as unless_held, contextlib.suppress(FileNotFoundError):
            folder.mkdir(exist_ok=True)
            file = unless_held.enter_context(path.open("ab"))
            fcntl.flock(file, fcntl.LOCK_SH)
            if _lies_at(path, file):  # else the folder was removed while this waited
                os.utime(path)
                unless_held.pop_all()
                return file


def _lies_at(path: Path, file: IO[bytes]) -> bool:
    """Whether an open file is the one of that path."""
    return os.path.samestat(path.stat(), os.fstat(file.fileno()))


def _remove_unused(store: Path) -> None:
    """Remove every library that nobody holds and nobody has held for a while."""
    import fcntl

    before = time.time() - UNUSED_SECONDS
    for path in store.glob(f"*/{_LOCK}"):
        with contextlib.suppress(OSError):  # somebody holds it, or removes it just now
            if path.stat().st_mtime > before:
                continue
            with path.open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _lies_at(path, file):
                    gone = Path(tempfile.mkdtemp(dir=store, prefix=_GONE))
                    path.parent.rename(gone / path.parent.name)  # all at once: nobody finds half a library
    for gone in store.glob(f"{_GONE}*"):
        shutil.rmtree(gone, ignore_errors=True)
