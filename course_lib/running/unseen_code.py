"""Report code that runs although it is in no cell: modules that a notebook writes and imports, and text that it runs.

A hook of Python's own sees every text that is compiled in the notebook's process and its answerers. No code can remove
it, and text that cannot be reported isn't compiled. To hide from it takes words that grading notes.
"""

from __future__ import annotations

import ast
import json
import os
import socket
import sys
from collections.abc import Callable
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from zipfile import is_zipfile

LONGEST = 50_000  #: characters of one text that are reported
MOST = 200_000  #: characters of all texts together
_LONGEST_MESSAGE = 1 << 18
_MOST_MESSAGES = 256  #: that are read at a time

#: modules that compile what they wrote themselves, or that only parse a text, as IPython does for cells and tracebacks.
#: Any other module may run a text that a cell gave it, as `timeit` does
_MAKE_CODE = frozenset({
    "collections", "dataclasses", "attr._make", "importlib._bootstrap", "inspect",
    "IPython.core.async_helpers", "IPython.core.compilerop", "IPython.core.inputtransformer2",
    "asttokens.asttokens", "asttokens.util", "executing.executing", "pure_eval.core", "stack_data.core",
    "torch._sources", "torch.jit._check",
})  # fmt: skip
#: modules that pass a text on to Python's compiler, so that the module which calls them counts
_PASS_ON = frozenset({"ast", "codeop", "importlib._bootstrap_external", "typing"})
#: the folders of code that no submission can change: this module is imported before any submission's code runs
_LIBRARIES = tuple(
    {
        os.path.join(folder, "")
        for name in (sys.prefix, sys.base_prefix, "/usr", *filter(os.path.isabs, sys.path))
        for folder in (name, os.path.realpath(name))
    }
    | {str(Path(__file__).parents[1])}
)


class UnseenCode:
    """The supervisor's end of the line on which texts are reported.

    Attributes:
        theirs: the other end, for the notebook's process; None if the system has no such lines.
    """

    def __init__(self) -> None:
        self.theirs: socket.socket | None = None
        self._ours: socket.socket | None = None
        self._texts: dict[str, str] = {}  # names by text
        self._left = MOST
        try:  # each message arrives whole, whichever process sends it
            self._ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._ours.setblocking(False)
        except (AttributeError, OSError):  # macOS and Windows
            pass

    def close_theirs(self) -> None:
        """Close the other end in the supervisor."""
        if self.theirs is not None:
            self.theirs.close()

    def read(self) -> None:
        """Read what has arrived, but not for ever. A process waits if nobody reads."""
        for _ in range(_MOST_MESSAGES if self._ours is not None else 0):
            assert self._ours is not None
            try:
                message = self._ours.recv(_LONGEST_MESSAGE)
            except OSError:
                return
            if not message:
                return
            name, _, text = message.decode(errors="replace").partition("\0")
            if text not in self._texts and self._left > 0:
                self._left -= len(text)
                self._texts[text] = name

    def packed(self) -> bytes:
        """Return all texts so far, for `unpack`."""
        self.read()
        return json.dumps([[name, text] for text, name in self._texts.items()]).encode()


def unpack(data: bytes) -> dict[str, str]:
    """Read untrusted texts. Return their names, by text."""
    try:
        found = json.loads(data or b"[]")
        pairs = [(str(name)[:200], str(text)[: LONGEST + 1]) for name, text in found]
    except (ValueError, TypeError, RecursionError):
        return {}
    return {text: name for name, text in pairs[:MOST]}


def report_to(line: socket.socket) -> None:
    """Report every text that is compiled from now on in this process and its forks.

    Import modules that the notebook writes only from their source.
    """
    sys.path_hooks.insert(0, _find_source)
    sys.path_importer_cache.clear()
    sys.addaudithook(_hook(line.fileno(), os.fstat(line.fileno()).st_ino))


class _SourceLoader(SourceFileLoader):
    """Loads modules from their source, because bytecode that a notebook wrote could be anything."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source, and neither read nor write a cache."""
        return self.source_to_code(self.get_data(self.path), self.path)


def _find_source(folder: str) -> FileFinder:
    """Find modules in a folder in which a notebook can write: no bytecode, compiled extensions or archives.

    Raises:
        ImportError: this is a program's file, or another folder, which Python's own finders search.
    """
    if os.path.join(folder, "").startswith(_LIBRARIES) or (os.path.isfile(folder) and not is_zipfile(folder)):
        raise ImportError
    return FileFinder(folder, (_SourceLoader, [".py"]))


def _hook(line: int, number: int) -> Callable[[str, tuple[Any, ...]], None]:
    # student code may replace these functions later
    def hook(
        event: str,
        given: tuple[Any, ...],
        frame_of: Callable[[int], FrameType] = sys._getframe,
        status: Callable[[int], os.stat_result] = os.fstat,
        send: Callable[[int, bytes], int] = os.write,
    ) -> None:
        if event != "compile":
            return
        text, name = given
        if isinstance(name, bytes):
            name = name.decode(errors="replace")
        if text is None or isinstance(text, ast.AST) or not _is_unseen(str(name), frame_of(1)):
            return
        text = bytes(text).decode(errors="replace") if not isinstance(text, str) else text
        if status(line).st_ino != number:
            raise RuntimeError("the line on which code is reported was replaced")
        send(line, f"{str(name)[:200]}\0{text[: LONGEST + 1]}".encode(errors="replace")[: _LONGEST_MESSAGE // 2])

    return hook


def _is_unseen(name: str, caller: FrameType | None) -> bool:
    """Return whether a text is the student's but in no cell.

    Args:
        name: the file that it comes from.
        caller: the frame that compiles it.
    """
    if not name.startswith(("<", *_LIBRARIES)):
        return True
    while caller is not None and _module(caller) in _PASS_ON:
        caller = caller.f_back
    return caller is None or not _makes_code(caller)


def _makes_code(frame: FrameType) -> bool:
    """Return whether a frame compiles only a library's own texts, as every module of a library does on import."""
    return _module(frame) in _MAKE_CODE or bool(_module(frame) and frame.f_code.co_name == "<module>")


def _module(frame: FrameType) -> str:
    """Return the library's module that a frame belongs to, or an empty string if its code is not a library's."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if frame.f_code.co_filename.startswith(("<frozen ", *_LIBRARIES)) else ""
