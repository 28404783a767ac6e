"""Record output that bypasses ``sys.stdout``: from programs that a cell starts, and from compiled code."""

from __future__ import annotations

import os
import tempfile

from course_lib.running.recorder import Recorder


class Descriptors:
    """Redirect descriptors 1 and 2 to files without a name, and read them after each cell.

    These are files instead of pipes, so nobody must read while the cell runs, and the limit on a file's
    size also limits the output.
    """

    def __init__(self) -> None:
        self._files = {"stdout": (1, _unnamed_file()), "stderr": (2, _unnamed_file())}
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for descriptor, file in self._files.values():
            os.dup2(file, descriptor)

    @property
    def kept(self) -> set[int]:
        """The files' own descriptors, for code that closes all others."""
        return {file for _, file in self._files.values()}

    def empty_into(self, recorder: Recorder) -> None:
        """Record what was written since the last time."""
        for name, (_, file) in self._files.items():
            size = os.fstat(file).st_size
            if size:
                written = os.pread(file, min(size, 4 * recorder.limits.cell_text + 4), 0)
                os.ftruncate(file, 0)
                recorder.stream(name, written.decode("utf-8", "replace"))


def _unnamed_file() -> int:
    """Open a file for appending, so that after it is emptied, processes that still write begin at its start."""
    descriptor, path = tempfile.mkstemp()
    os.close(descriptor)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
    os.unlink(path)
    return descriptor


def silence() -> None:
    """Discard everything that this process writes to descriptors 1 and 2 from now on."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
