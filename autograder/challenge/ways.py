"""Find ways in which code could get a score without learning from the pairs, and describe each to the instructor.

Nothing is rejected automatically, because every one of these ways has an honest use. The instructor reads the code and
decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache

from autograder.challenge.evaluated import evaluated
from autograder.grading.words import words
from course_lib.corpus import english_vocabulary, french_vocabulary
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: limits that honest code stays far below: the bytes of a string, the elements of a collection, the bytes of all
#: strings, and how many numbers of up to 16 bits there are. In the reference, they are 61, 9, 2,900 and 450
LONGEST_TEXT, MOST_ELEMENTS, MOST_TEXT, MOST_NUMBERS = 400, 60, 9_000, 1_500
#: limits for the characters of all names together and of each name. The reference's 650 different names have 5,100
#: characters, the longest 28
MOST_IN_NAMES, LONGEST_NAME = 15_000, 80
#: strings with more corpus words than this may contain a dictionary. A lesson's example has nine
MOST_WORDS = 15
#: the names that replace words in a graded run
_RENAMED = re.compile(r"\b[ef]\d{1,4}\b")

#: the parts of `course_lib` that an entry may use without a note. The corpus and the translator have notes of their own
_ALLOWED = frozenset({"challenge", "training", "components", "corpus", "translator", "figures", "diagrams"})
#: the functions of `course_lib.challenge` that every entry uses
_ENTRY_FUNCTIONS = frozenset({"with_cache", "rehearse"})

_Sources = Collection[str]

_THREADS = frozenset({
    "threading", "_thread", "Thread", "Timer", "start_new_thread", "concurrent", "futures", "ThreadPool",
    "ThreadPoolExecutor", "ProcessPoolExecutor", "multiprocessing", "Process", "Pool", "fork", "forkpty", "posix_spawn",
    "subprocess", "Popen", "popen", "system", "spawnv", "num_workers", "set_num_threads", "set_num_interop_threads",
    "asyncio", "joblib",
})  # fmt: skip
_CLOCKS = frozenset({
    "setitimer", "signal", "setrlimit", "resource", "prlimit", "clock_settime", "sched_setaffinity", "settrace",
    "setprofile",
})  # fmt: skip
_FILES = frozenset({
    "open", "read_bytes", "read_text", "rglob", "iterdir", "listdir", "scandir", "walk", "glob", "memmap", "load_file",
    "safetensors", "load_state_dict_from_url", "urlopen", "urlretrieve", "requests", "socket", "hub", "fromfile",
    "loadtxt", "genfromtxt", "load_library", "mmap", "__file__", "linecache",
})  # fmt: skip
_UNPACKS = frozenset({
    "base64", "b64decode", "b85decode", "a85decode", "b32decode", "unhexlify", "binascii", "fromhex", "zlib", "gzip",
    "bz2", "lzma", "decompress", "frombuffer", "codecs", "rot13", "unpack_from", "iter_unpack",
})  # fmt: skip
_CHANGES = frozenset({
    "setattr", "delattr", "__setattr__", "__setitem__", "monkeypatch", "sys.modules", "__dict__", "__code__",
    "__class__", "__wrapped__",
})  # fmt: skip
_LOOKS_UP = frozenset({"globals", "locals", "vars"})
_OWN_SOURCE = frozenset({
    "In", "_ih", "_oh", "get_ipython", "user_ns", "history_manager", "co_consts", "__doc__", "traceback", "format_exc",
    "extract_tb", "extract_stack", "getsource", "getsourcelines", "getcomments", "getlines", "tokenize",
})  # fmt: skip

#: groups of words, each with the note about them
_BY_WORDS: tuple[tuple[Collection[str], str], ...] = (
    (_THREADS, "it names {}, which can start threads or processes: check whether anything runs alongside train"),
    (_CLOCKS, "it names {}, which can change a limit: check whether it trains for longer than allowed"),
    (_FILES, "it names {}, which can read a file: check whether it reads what it was not given"),
    (_UNPACKS, "it names {}, which can unpack data from a string: check what the data is"),
    (_CHANGES, "it names {}, which can change code that is not its own: check whose"),
    (_LOOKS_UP, "it names {}, which can call a function by a text: check whether it learns before train"),
    (_OWN_SOURCE, "it names {}, with which a notebook can read its own text: check whether that contains data"),
)
#: those that count even without a dot before them
_ALONE = frozenset().union(*(names for names, _ in _BY_WORDS)) - {"signal", "resource", "system", "hub", "glob", "walk"}


def ways(own: _Sources, parts: _Sources, given: str) -> Iterator[str]:
    """Yield a note for each way in which a student's code may avoid learning from the pairs.

    Args:
        own: the sources that the student added to the notebook that defines ``train``.
        parts: the components that the student wrote in earlier lessons.
        given: all code of the released notebook.
    """
    sources = [*own, *parts]
    trees = [tree for tree in map(_tree, sources) if tree]
    found = {word for source in sources for word in words(source, _ALONE)}
    found |= {node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    known = set(words(given, _ALONE))
    for names, note in _BY_WORDS:
        if mentioned := sorted((found - known).intersection(names)):
            yield note.format(", ".join(mentioned))
    ours = modules_of(given)
    modules = {name for source in sources for name in modules_of(source) - ours} | _experiments(trees)
    if named := sorted(name for name in modules if name.partition(".")[0] not in _ALLOWED):
        named_in_full = " and ".join(f"course_lib.{name}" for name in named)
        yield f"it uses {named_in_full}, which grades it or contains the corpus: check why"
    if taken := sorted(set().union(*map(_of_challenge, trees)) - _ENTRY_FUNCTIONS):
        taken_in_full = " and ".join(f"challenge.{name}" for name in taken)
        yield f"it uses {taken_in_full}, which has the original words: check why"
    yield from _data(trees)
    if unread := len(sources) - len(trees):
        yield f"{unread} of its cells and parts cannot be read as Python, so they were only searched as text: read them"
    if begun := sorted({name for tree in map(_tree, own) if tree for name in _before_train(tree)}):
        yield f"its cells call {', '.join(begun)} before train receives any data: check what is learned there"


@cache
def _tree(source: str) -> ast.Module | None:
    lines = (line for line in source.split("\n") if line.lstrip()[:1] not in ("%", "!"))
    try:
        return syntax_tree("\n".join(lines))
    except NOT_PYTHON:
        return None


def modules_of(source: str) -> set[str]:
    """Return the parts of `course_lib` that code imports, uses or names in strings, such as ``"running.answerer"``."""
    found: set[str] = set()
    for node in ast.walk(_tree(source) or ast.Module([], [])):
        match node:
            case ast.Import(names=names):
                found |= {name.name.partition(".")[2] for name in names if name.name.startswith("course_lib.")}
            case ast.ImportFrom(module="course_lib", names=names):
                found |= {name.name for name in names}
            case ast.ImportFrom(module=str() as module, names=names) if module.startswith("course_lib."):
                found |= {f"{module.partition('.')[2]}.{name.name}" for name in names}
            case ast.Constant(value=str() as text):
                found |= {name.replace("/", ".") for name in re.findall(r"\bcourse_lib[./]([\w./]+)", text)}
            case ast.Attribute(value=ast.Name(id="course_lib"), attr=name):
                found.add(name)
    return found


def _experiments(trees: Collection[ast.Module]) -> set[str]:
    """Return the lessons' experiments, under the notebook's name for them, if ``train`` or a part uses them."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    used = [inner for node in nodes if isinstance(node, defined) for inner in ast.walk(node)]
    # what is assigned under another name, such as ``learn = experiments.translation.learn``
    used += [_root(node.value) for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr)]
    return {"experiments"} if any(isinstance(one, ast.Name) and one.id == "experiments" for one in used) else set()


def _root(value: ast.expr | None) -> ast.AST:
    while isinstance(value, ast.Attribute):
        value = value.value
    return value or ast.Pass()


def _of_challenge(tree: ast.AST) -> set[str]:
    """Return what code uses of `course_lib.challenge`, under any name."""
    names = {"challenge"}
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=imported):
                names |= {one.asname for one in imported if one.name == "course_lib.challenge" and one.asname}
                found |= {one.name.split(".")[2] for one in imported if one.name.startswith("course_lib.challenge.")}
            case ast.ImportFrom(module="course_lib", names=imported):
                names |= {one.asname for one in imported if one.name == "challenge" and one.asname}
            case ast.ImportFrom(module=str() as module, names=imported) if module.startswith("course_lib.challenge"):
                found |= {module.split(".")[2]} if module.count(".") > 1 else {one.name for one in imported}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in names:
                found.add(attribute)
            case ast.Attribute(value=ast.Attribute(attr="challenge"), attr=attribute):
                found.add(attribute)
    return found


def _data(trees: Collection[ast.Module]) -> Iterator[str]:
    """Yield notes on prior knowledge: data in the code, and words of either language."""
    texts, numbers, longest = list[str](), 0, 0
    names = {name for tree in trees for node in ast.walk(tree) for name in _names(node)}
    for tree in trees:
        statements = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str() | bytes() as text) if node not in statements:
                    texts.append(text if isinstance(text, str) else text.decode("latin-1"))
                case ast.Constant(value=int() as number):
                    numbers += 1 + number.bit_length() // 16
                case ast.Constant(value=float() | complex()):
                    numbers += 1
                case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                    longest = max(longest, len(elements))
                case ast.Dict(keys=keys):
                    longest = max(longest, len(keys))
    sizes = [len(text.encode(errors="replace")) for text in texts]
    length, most = sum(sizes), max(sizes, default=0)
    spelled = sum(map(len, names))
    much = length > MOST_TEXT or most > LONGEST_TEXT or numbers > MOST_NUMBERS or longest > MOST_ELEMENTS
    if much or spelled > MOST_IN_NAMES or max(map(len, names), default=0) > LONGEST_NAME:
        yield (
            f"its code contains data ({length:,} bytes in strings, the longest of {most:,}; {numbers:,} numbers; "
            f"a list of {longest:,}; {spelled:,} characters in names): check whether that includes "
            "something learned or looked up beforehand"
        )
    if renamed := sorted({name for text in texts for name in _RENAMED.findall(text)}):
        first_five = ", ".join(renamed[:5])
        yield f"its strings contain {len(renamed)} words as renamed in a graded run ({first_five}): check why"
    words_in_texts = {word.lower() for text in texts for word in re.findall(r"[^\W\d_]+", text)}
    if len(plain := words_in_texts & _vocabulary()) > MOST_WORDS:
        some = ", ".join(sorted(plain)[:5])
        yield f"its strings contain {len(plain)} words of the corpus, including {some}: check why"


def _names(node: ast.AST) -> Iterator[str]:
    """Yield a node's names, because running code can read them as it can read strings."""
    for field in ("id", "attr", "arg", "name"):
        if isinstance(name := getattr(node, field, None), str):
            yield name


@cache
def _vocabulary() -> frozenset[str]:
    """Return the corpus's words, without short ones, which are common in code and messages."""
    return frozenset(word.lower() for word in (*english_vocabulary(), *french_vocabulary()) if len(word) > 3)


#: the functions that train, generate or rehearse
_LEARNS = frozenset({
    "backward", "step", "train", "rehearse", "pairs", "generate", "fit", "learn", "make_task", "autograd.grad",
})  # fmt: skip
#: those among them whose mere mention counts, because code may call them under another name
_MENTIONED = frozenset({"backward", "rehearse", "make_task"})


def _before_train(tree: ast.Module) -> Iterator[str]:
    """Yield the training functions that are called while cells run, rather than in functions that are only defined."""
    for node in evaluated(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=module) | ast.Name(id=module), attr=name)):
                yield from {name, f"{module}.{name}"} & _LEARNS
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _LEARNS:
                yield name
            case ast.Attribute(attr=name) if name in _MENTIONED:
                yield name
