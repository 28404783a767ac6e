"""Keep the library that submissions import outside the checkout, and unchanged while anybody grades with it.

Every release of `course_lib` has a folder that is named after a digest of its content. It is written to a temporary
folder and then renamed, so it is either complete or absent. Every grading process holds a shared lock on its library,
and only a library without locks is removed. So neither a second grading nor `course build` can remove the library of a
running one, and grading writes nothing into the checkout.
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

UNUSED_SECONDS = 7 * 24 * 3600.0  #: how long an unused library is kept for the next grading

_LOCK = "in-use.lock"
_GONE = ".gone-"  #: the prefix of a library that is being removed


@dataclass(frozen=True)
class PinnedLibrary:
    """A library that cannot change as long as this object exists.

    Attributes:
        folder: the folder that contains `course_lib`.
        digest: a digest of the library's content.
    """

    folder: Path
    digest: str


def library_store() -> Path:
    """Return the folder of all libraries."""
    return cache_folder() / "released"


def pin_library(name: str, files: Mapping[str, bytes], store: Path | None = None) -> PinnedLibrary:
    """Put a library into the store unless it is there, and hold it.

    Args:
        name: the lesson for which it is released, such as ``"03_self_attention"``, to make the folder recognisable.
        files: each file's content, by its path in `course_lib`.
        store: the folder of all libraries, by default `library_store`.

    Raises:
        CourseError: the library cannot be written, or somebody else may change the store.
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
    held = PinnedLibrary(folder, digest)
    weakref.finalize(held, lock.close)
    return held


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def _make(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the library into its folder unless it exists. A lock keeps processes from replacing each other's."""
    import fcntl

    with (folder / "writing.lock").open("ab") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        if not _intact(folder / "course_lib", files):
            put_in_place(files, folder / "course_lib")


def _intact(package: Path, files: Mapping[str, bytes]) -> bool:
    """Return whether a library contains exactly the released files, and nobody else may change them."""
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
    """Acquire the folder's shared lock. Closing the returned file releases it."""
    import fcntl  # imported here, because Windows lacks it and a course can be built there

    path = folder / _LOCK
    while True:
        with contextlib.ExitStack() as unless_held, contextlib.suppress(FileNotFoundError):
            folder.mkdir(exist_ok=True)
            file = unless_held.enter_context(path.open("ab"))
            fcntl.flock(file, fcntl.LOCK_SH)
            if _is_file_at(path, file):  # otherwise the folder was removed while this process waited
                os.utime(path)
                unless_held.pop_all()
                return file


def _is_file_at(path: Path, file: IO[bytes]) -> bool:
    """Return whether an open file is the one at a path."""
    return os.path.samestat(path.stat(), os.fstat(file.fileno()))


def _remove_unused(store: Path) -> None:
    """Remove every library that nobody uses and nobody has used for a while."""
    import fcntl

    before = time.time() - UNUSED_SECONDS
    for path in store.glob(f"*/{_LOCK}"):
        with contextlib.suppress(OSError):  # another process uses it or is removing it
            if path.stat().st_mtime > before:
                continue
            with path.open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_file_at(path, file):
                    gone = Path(tempfile.mkdtemp(dir=store, prefix=_GONE))
                    path.parent.rename(gone / path.parent.name)  # atomic, so nobody finds half a library
    for gone in store.glob(f"{_GONE}*"):
        shutil.rmtree(gone, ignore_errors=True)
