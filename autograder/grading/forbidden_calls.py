"""Search a student's source for finished functions and for ways to hide them, and write notes for the instructor.

The decision about points depends on what runs, see `course_lib.checking.function_watch`. The watch runs in the same
process as the student's code, which could evade it, but only with words that appear in the source of some cell.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.words import BY_TEXT, words
from course_lib.checking.formatting import printable
from course_lib.checking.questions import Watched
from course_lib.running.cells import grade_id, kind_of

#: words that can look up any other word. They count even without a dot, unlike other words, which may name a variable
_ALONE = frozenset({
    "eval", "exec", "getattr", "globals", "locals", "vars", "__import__", "__builtins__",
    "attrgetter", "methodcaller", "getattr_static", "import_module",
    "setattr", "delattr", "__setattr__", "no_dispatch",
})  # fmt: skip
#: words that can remove a watch or bypass it
_EVASIVE = frozenset({
    "_C", "_VF", "DisableTorchFunction", "DisableTorchFunctionSubclass", "overrides", "_python_dispatch",
    "function_watch", "FunctionWatch", "_thread", "start_new_thread", "aten",
    "sys.modules", "_mode_utils", "_disable_current_modes", "_pop_mode", "_pop_mode_temporarily", "_python_dispatcher",
    "disable_proxy_modes_tracing", "TorchDispatchMode", "TorchFunctionMode", "BaseTorchFunctionMode",
    "_DisableTorchDispatch", "_autograd", "profiler", "profiler_legacy", "_disable_profiler",
    "_disable_profiler_legacy",
    "__torch_function__", "__torch_dispatch__", "monkeypatch",
    "threading", "answerer", "checking", "running", "mysteries", "switch_off_mysteries",
    "_getframe", "settrace", "setprofile", "gc",
    # PyTorch's own implementations in Python, whose names no operator shows
    "_refs", "_decomp", "_higher_order_ops", "_prims", "flex_attention",
    # and finished layers under other names
    "ao", "quantizable", "quantized", "_inductor",
    # what runs code that is given as a string
    "timeit", "cProfile", "profile", "pdb", "bdb", "trace", "doctest", "rlcompleter", "CompilationUnit",
    "benchmark", "blocked_autorange", "adaptive_autorange", "eval_expr", "parse_expr", "sympify",
    # what imports a module that is given as a string
    "import_item", "import_string",
    # the watch that measures memory, and memory that it can't see
    "MemoryWatch", "memory_watch", "tracemalloc", "reset_peak", "memmap", "open_memmap", "from_file",
    # the frames in which a watch keeps what it saw, and code that the search doesn't see
    "inspect", "getargvalues", "getouterframes", "getinnerframes", "walk_stack", "_current_frames", "ag_frame",
    "get_ipython", "run_cell", "run_line_magic", "run_cell_magic", "user_ns",
    # the watch sees nothing in another process
    "fork", "forkpty", "posix", "posix_spawn", "_posixsubprocess", "subprocess", "Popen", "system", "multiprocessing",
    "Process", "ProcessPoolExecutor", "pipe", "mkfifo", "socket", "_socket", "socketpair", "shared_memory", "mmap",
    "ctypes", "popen", "spawnl", "spawnle", "spawnlp", "spawnv", "spawnve", "spawnvp", "pty", "register_at_fork",
    "create_subprocess_exec", "create_subprocess_shell",
    # compiled code, which no watch sees
    "ctypeslib", "cffi", "load_library", "cpp_extension", "path_hooks", "meta_path", "path_importer_cache",
    # words that can look up any other word, and that have to be imported or looked up themselves
    "__getattribute__", "__dict__", "importlib", "builtins",
    "__globals__", "__closure__", "__code__", "__subclasses__", "__mro__", "__bases__", "currentframe",
    "f_globals", "f_locals", "f_back", "f_builtins", "tb_frame", "gi_frame", "cr_frame",
    *_ALONE, *BY_TEXT,
})  # fmt: skip
#: modules of ours that ask an exercise's questions, and that no student's code needs
_ASKING = frozenset({"answerer", "checking", "running", "mysteries", "switch_off_mysteries"})
#: a text without these is not parsed. A pattern after ``case`` can name an attribute without any of these words
_MAY_EVADE = re.compile(r"\b(?:case|modules|" + "|".join(map(re.escape, _EVASIVE)) + r")\b")

_MAY_CALL = "something to be written by hand may be called there"

#: the code in which a lesson asks to find the bug
_OURS = re.compile(r"\b[mM]ystery\w*")

_TAKES_CODE = frozenset({
    "__code__", "getsource", "getsourcelines", "FunctionType", "open", "read_text", "read_bytes", "__loader__",
    "linecache", "exec", "compile", "get_data", "get_source", "__wrapped__",
    "copy", "copyfile", "getsourcefile", "getfile", "__file__", "run_cell", "run_line_magic",
    "dis", "f_code", "co_code", "co_consts", "CodeType", "marshal", "switch_off_mysteries",
    # what records the operations of a function, to repeat them without it
    "symbolic_trace", "make_fx", "jit", "export",
})  # fmt: skip

#: the most characters of a cell that is searched, and of all cells that the student added. Parsing happens outside the
#: sandbox and could take a gigabyte for longer ones
LONGEST, MOST = 50_000, 200_000


def mentioned(notebook: Any, keys: LessonKeys) -> Iterator[str]:
    """Yield a note for each exercise that forbids finished functions and whose cell mentions one, or a way to hide one.

    Other cells may use finished functions, for comparison, so only ways to hide them are noted there.

    A cell that is too long to search is noted, too, because nobody writes that much by hand. So is any use of a
    lesson's buggy code in an exercise.
    """
    left = MOST
    any_watched = _any_watched(keys)
    for cell in notebook.cells:
        if kind_of(cell) in ("own", "exercise") and (taken := ", ".join(_copies(cell.source))):
            yield f"a cell takes the code of the lesson's mystery ({taken}): see whether an exercise is made of it"
        exercise = grade_id(cell) if kind_of(cell) == "exercise" and grade_id(cell) in keys.hidden else ""
        asked = keys.hidden[exercise].questions if exercise else ()
        watched = [question for question in asked if isinstance(question, Watched)]
        if kind_of(cell) in ("own", "exercise") and not watched:
            fits = len(cell.source) <= min(LONGEST, left)
            left -= len(cell.source) if fits else 0
            if found := _hides(cell.source, fits, any_watched):
                name = f"the cell of {exercise}" if exercise else "an own cell"
                yield f"{name} mentions {', '.join(found)}: {_may(any_watched)}"
        if not exercise:
            continue
        if ours := sorted(set(_OURS.findall(cell.source))):
            yield f"{exercise}: its cell mentions {', '.join(ours)}, which is ours but for one mistake"
        about = f"{exercise} is to be written by hand; its cell"
        if watched and len(cell.source) > LONGEST:
            yield f"{about} is longer than {LONGEST:,} characters: not looked through"
        elif watched:
            finished = {name.rpartition(".")[2] for question in watched for name in question.functions}
            found = sorted((finished | _EVASIVE).intersection(words(cell.source, _ALONE)))
            if found:
                yield f"{about} mentions {', '.join(found)}"


def mentioned_unseen(unseen: Mapping[str, str], keys: LessonKeys) -> Iterator[str]:
    """Yield a note for each text that ran although it is in no cell, if `mentioned` would note it in an own cell.

    Args:
        unseen: the texts, each with the name of its file.
    """
    if sum(map(len, unseen)) >= MOST:
        yield f"it runs {MOST:,} characters of code or more that is in no cell: not all of it looked through"
    for source, name in unseen.items():
        about = f"code that is in no cell ({printable(name)[:60]})"
        if taken := ", ".join(_copies(source)):
            yield f"{about} takes the code of the lesson's mystery ({taken}): see whether an exercise is made of it"
        any_watched = _any_watched(keys)
        if found := _hides(source, len(source) <= LONGEST, any_watched):
            yield f"{about} mentions {', '.join(found)}: {_may(any_watched)}"


def _any_watched(keys: LessonKeys) -> bool:
    return any(question.watched for key in keys.hidden.values() for question in key.questions)


def _copies(source: str) -> list[str]:
    """Return the words by which a cell that mentions a lesson's mystery could copy it and earn its points."""
    if len(source) > LONGEST or not _OURS.search(source):
        return []
    return sorted(_TAKES_CODE.intersection(words(source, _TAKES_CODE)))


def _may(any_watched: bool) -> str:
    return _MAY_CALL if any_watched else "it may change how exercises are asked"


def _hides(source: str, looked_through: bool, any_watched: bool) -> list[str]:
    """Return the words that can evade a watch. In a cell that is too long to search, any mention counts.

    Args:
        any_watched: whether the lesson has a watch. If it has none, only words that name our own modules count.
    """
    mentioned = set(_MAY_EVADE.findall(unicodedata.normalize("NFKC", source)))  # as Python reads names
    # a string may be spelled with escapes, such as "\x66ork"
    found = words(source, _ALONE) if looked_through and mentioned else mentioned
    return sorted((_EVASIVE if any_watched else _ASKING).intersection(found))
