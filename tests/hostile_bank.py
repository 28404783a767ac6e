"""The bank of hostile submissions: each a small edit of the released lesson, with what it tries.

Each is harmless where a sandbox fails: a few seconds, a few megabytes, a handful of processes, files in temporary
folders and under a name that holds `MARK`. They are run by `tests/test_hostile.py`, in the sandbox only.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import nbformat
from conftest import POINTS
from hostile import HTML, MARK, TELLS, hostile_notebook

from autograder.building.notebook import to_text
from autograder.demo.classroom import PATCHED
from autograder.exercises import DEFINITIONS
from course_lib.running.cells import grade_id, kind_of

Notebook = Any
Edit = Callable[[Notebook], Any]

LAZY = POINTS / 5  #: what lazy answers may earn of the lesson's points, see the gate


@dataclass(frozen=True)
class Hostile:
    """A hostile submission.

    Attributes:
        tries: what it tries, as a sentence.
        edit: changes a copy of the released notebook; what it returns, text or bytes, is handed in instead.
        most: the points that its honest code deserves at most.
        least: the points that its honest code deserves at least.
        reason: what the record says of why it was stopped or not graded; empty where it is graded, and None where
            that depends on how busy the machine is.
    """

    tries: str
    edit: Edit
    most: float = 0.0
    least: float = 0.0
    reason: str | None = ""


BANK: dict[str, Hostile] = {}


def bank(category: str, name: str, tries: str, edit: Edit, **more: Any) -> None:
    """Add a submission; the student is called ``category-name``."""
    BANK[f"{category}-{name}"] = Hostile(tries, edit, **more)


def first(source: str) -> Edit:
    """A code cell before everything."""
    return lambda notebook: notebook.cells.insert(0, nbformat.v4.new_code_cell(source))


def last(source: str) -> Edit:
    """A code cell after everything."""
    return lambda notebook: notebook.cells.append(nbformat.v4.new_code_cell(source))


def right(then: Edit) -> Edit:
    """Every exercise answered rightly, and then an edit."""

    def edit(notebook: Notebook) -> Any:
        write(notebook, {name: DEFINITIONS[name].reference.source for name in DEFINITIONS})
        return then(notebook)

    return edit


def write(notebook: Notebook, sources: dict[str, str]) -> None:
    """Put sources into exercise cells."""
    for cell in notebook.cells:
        if kind_of(cell) == "exercise" and grade_id(cell) in sources:
            cell.source = sources[grade_id(cell)]


def asked(body: str, before: str = "") -> Edit:
    """All exercises answered by one function of this body, which has ``arguments``."""
    lines = "\n".join("    " + line for line in body.splitlines())
    source = f"""
import numpy as np, torch
{before}
def anything(*arguments, **named):
    arguments = (*arguments, *named.values())
{lines}
softmax = attention_loops = attention_numpy = scaled_dot_product_attention = anything
class SelfAttention(torch.nn.Module):
    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (torch.nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
    def forward(self, x, mask=None, need_weights=False):
        return anything(x)
"""

    def edit(notebook: Notebook) -> None:
        write(notebook, dict.fromkeys(DEFINITIONS, "pass"))
        write(notebook, {"softmax": source})

    return edit


def tells(notebook: Notebook) -> None:
    """Answer every exercise with what tells what it is asked."""
    write(notebook, dict.fromkeys(DEFINITIONS, "pass"))
    write(notebook, {"softmax": TELLS})


def move(notebook: Notebook, exercise: str) -> None:
    """Replace an exercise's cell by a cell of the student's own with the right answer."""
    for i, cell in enumerate(notebook.cells):
        if kind_of(cell) == "exercise" and grade_id(cell) == exercise:
            notebook.cells[i] = nbformat.v4.new_code_cell(DEFINITIONS[exercise].reference.source)


# forged checks: whatever compares, judges or counts is replaced

bank("checks", "patched", "make every comparison true", first(PATCHED))
bank(
    "checks",
    "check_returns_full",
    "replace check by one that shows full points",
    first("import course_lib.kernel.check as c, course_lib\ncourse_lib.check = c.check = lambda *a: 13.0"),
)
bank(
    "checks",
    "judge_replaced",
    "replace the judge's rules",
    first(
        "import course_lib.checking.rules as l\nfor name in l.RULES: l.RULES[name] = lambda *a, **k: l.HOLDS\n"
        "import course_lib.checking.judge as j\nj.judge = lambda *a, **k: 13.0"
    ),
)
bank(
    "checks",
    "questions_replaced",
    "replace how questions are asked by handing over what they contain",
    first(
        "from course_lib.checking.questions import Question\n"
        "for kind in Question.kinds.values(): kind.__call__ = lambda question, _: question.contents()"
    ),
)
bank(
    "checks",
    "ask_replaced",
    "replace ask, so that other answers are sent",
    asked(
        "return 0",
        "import course_lib.running.answerer as a\nfrom course_lib.checking.answers import Answer\n"
        "a.ask = lambda questions, thing: {q.name: Answer({'output': 1.0, 'weights': 1.0}) for q in questions}",
    ),
)
bank(
    "checks",
    "true_to_everything",
    "answer with an object that is equal to everything",
    asked("return Same()", "class Same(float):\n    __eq__ = __le__ = __lt__ = lambda s, o: True\n    __hash__ = None"),
)
bank(
    "checks",
    "tensor_subclass",
    "answer with a tensor that compares as equal",
    asked(
        "return torch.zeros(3).as_subclass(Same)",
        "class Same(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None): return True",
    ),
    most=LAZY,
)
bank(
    "checks",
    "not_a_number",
    "answer NaN, which no comparison finds different",
    asked("return torch.full_like(torch.as_tensor(arguments[0]), float('nan'))"),
    most=LAZY,
)
bank(
    "checks",
    "always_refuses",
    "raise what a question might ask it to raise",
    asked("raise ValueError('masks must be boolean')"),
    most=LAZY,
)
bank(
    "checks",
    "no_questions",
    "make the questions decode to none, so that none is wrong",
    first(
        "import course_lib.running.answerer as a\na.decode_questions = lambda *x: ()\na.unpack = lambda *x: ({}, {})"
    ),
)
bank(
    "checks",
    "exception_is_success",
    "raise an error that calls itself passed",
    asked("raise type('graded', (SystemExit,), {})(0)"),
)

# hooks: code that runs where the grader's would

bank(
    "hooks",
    "input_transformer",
    "turn every later cell into a full score",
    first("get_ipython().input_transformers_cleanup.append(lambda lines: ['4.0\\n'])"),
)
bank(
    "hooks",
    "ast_transformer",
    "rewrite the tree of every later cell",
    first(
        "import ast\nclass All(ast.NodeTransformer):\n    def visit_Module(self, n): return ast.parse('4.0')\n"
        "get_ipython().ast_transformers.append(All())"
    ),
)
bank(
    "hooks",
    "events",
    "register for every event of IPython's, and raise in it",
    first(
        "def loud(*a): raise SystemExit\nfor e in ('pre_execute', 'post_execute', 'pre_run_cell', 'post_run_cell'):\n"
        "    get_ipython().events.register(e, loud)"
    ),
    reason="the notebook's process",
)
bank(
    "hooks",
    "run_cell_replaced",
    "replace the shell's run_cell by one that says all went well",
    first(
        "s = get_ipython()\nfrom types import SimpleNamespace as N\n"
        "s.run_cell = lambda *a, **k: N(error_before_exec=None, error_in_exec=None, success=True)"
    ),
)
bank(
    "hooks",
    "startup_files",
    "write start-up files of Python's and IPython's for the next run",
    first(
        "import os, pathlib, site, sys\n"
        "for p in (site.getusersitepackages(), *sys.path, os.environ['IPYTHONDIR'] + '/profile_default/startup'):\n"
        "    try:\n        os.makedirs(p, exist_ok=True)\n"
        f"        pathlib.Path(p, 'sitecustomize.py').write_text('import {MARK}')\n"
        "    except OSError: pass"
    ),
)
bank(
    "hooks",
    "import_hook",
    "find every later import first",
    first(
        "import sys\nclass Finder:\n    def find_spec(self, name, *a):\n        raise ImportError(name)\n"
        "sys.meta_path.insert(0, Finder()); sys.path_hooks.clear(); sys.modules.pop('safetensors.torch', None)"
    ),
)
bank("hooks", "at_exit", "print points at the end", first("import atexit\natexit.register(print, '13.0')"))
bank(
    "hooks",
    "signals",
    "keep every signal, and end the parent with the alarm",
    first(
        "import os, signal\n"
        "for n in range(1, 65):\n    try: signal.signal(n, lambda *a: os.kill(1, 9))\n"
        "    except (OSError, ValueError): pass"
    ),
)
bank(
    "hooks",
    "json_and_safetensors",
    "replace what encodes the answers",
    asked(
        "return 0",
        "import json, safetensors.torch as st, course_lib.checking.answers as s\n"
        "s.save = st.save = lambda t, *a: b'\\xff' * 64",
    ),
)
bank(
    "hooks",
    "builtins",
    "replace builtins under everything that runs later",
    last("import builtins\nbuiltins.len = builtins.isinstance = builtins.sum = lambda *a: True"),
    reason="the notebook's process",
)
bank(
    "hooks",
    "trace",
    "trace and profile all that runs",
    asked("return 0", "import sys\nsys.setprofile(print)"),
    reason=None,  # printing every call may use up its time
)
bank(
    "hooks",
    "magic",
    "hide the rest of the notebook in a cell magic that a program reads",
    first("%%bash\necho 13.0; exit 0"),
)
bank("hooks", "exit", "leave at once, as if all were done", first("import os\nos._exit(0)"), reason="status 0")
bank(
    "hooks", "finalizer", "run when the interpreter ends", first("class D:\n    def __del__(s): print('13.0')\nd = D()")
)

# forged points: outputs and messages that look like the grader's

bank(
    "points",
    "display_data",
    "show an execute_result that is a number, in a grade cell's form",
    first(
        "from IPython.display import display, publish_display_data\n"
        "publish_display_data({'text/plain': '13.0', 'text/html': '<b>13 of 13</b>'})\n13.0"
    ),
)
bank(
    "points",
    "cell_message",
    "write the message that a grade cell shows 13 points",
    first(
        """
import json, os, socket, struct
body = json.dumps([{"output_type": "execute_result", "data": {"text/plain": "13.0"}, "execution_count": 1}]).encode()
for n in range(3, 60):
    for cell in ("check-softmax", "check-self_attention", "nowhere"):
        head = json.dumps({"is": "cell", "cell": cell}).encode()
        try: os.write(n, struct.pack(">IQ", len(head), len(body)) + head + body)
        except OSError: pass
"""
    ),
)
bank(
    "points",
    "graded_message",
    "tell the supervisor that all is finished and graded with full points",
    first(
        """
import json, os, struct
for message in ({"is": "ended", "status": "graded", "reason": "", "score": 13}, {"is": "finished"},
             {"is": "reached", "exercise": "softmax", "known": True}, {"is": "done"}):
    head = json.dumps(message).encode()
    for n in range(3, 60):
        try: os.write(n, struct.pack(">IQ", len(head), 0) + head)
        except OSError: pass
"""
    ),
)
bank(
    "points",
    "answers_early",
    "write answers on the answerers' lines before any question comes",
    first(
        """
import json, os, struct
from course_lib.checking.answers import pack
body = pack({"by_hand": {"values": {"probabilities": 1.0, "output": 1.0}}}, {})
head = json.dumps({"is": "answer"}).encode()
for n in range(3, 60):
    try: os.write(n, struct.pack(">IQ", len(head), len(body)) + head + body)
    except OSError: pass
"""
    ),
    reason="",
)
bank(
    "points",
    "garbage_on_the_line",
    "write what is no message on every open descriptor",
    first(
        "import os\nfor n in range(3, 60):\n    try: os.write(n, b'\\xff' * 4096)\n    except OSError: pass\n"
        "import time; time.sleep(1)"
    ),
    reason="sent a message",
)
bank(
    "points",
    "obeyed_by_terminals",
    "put control characters into an error's name, for whoever reads it at a terminal",
    right(
        lambda n: write(
            n,
            {
                "softmax": "def softmax(scores, axis=-1):\n"
                f"    raise type('\\x1b]0;{MARK}\\x07\\x1b[2J', (Exception,), {{}})('\\x1b[2J')"
            },
        )
    ),
    most=POINTS - 1,
    least=6,
)
bank(
    "points",
    "reason_forged",
    "write the reason why it was stopped itself, with control characters in it",
    first(
        "import json, os, struct\nhead = json.dumps({'is': 'start', 'cell': '\\x1b[2Jforged'}).encode()\n"
        "for n in range(3, 60):\n    try: os.write(n, struct.pack('>IQ', len(head), 0) + head)\n"
        "    except OSError: pass\nwhile True: pass"
    ),
    reason="ran longer than",
)
bank(
    "points",
    "comm",
    "open a comm and send widgets' messages",
    first("from comm import create_comm\ncreate_comm(target_name='jupyter.widget', data={'score': 13}).send({})"),
)
bank(
    "points", "printed", "print a score to both streams", first("import sys\nprint(13.0)\nprint(13.0, file=sys.stderr)")
)

# reading the answer

bank(
    "reads",
    "public_key",
    "answer with the public answers that ship with the course",
    asked(
        """
for path in pathlib.Path(course_lib.__file__).parent.glob('keys/03*/*.json'):
    key = json.loads(path.read_text())
raise LookupError(str(key)[:200])
""".strip(),
        "import json, pathlib, course_lib",
    ),
)
bank(
    "reads",
    "replays_public_tensors",
    "answer each question with a tensor of that shape from the public keys",
    asked(
        """
shape = tuple(arguments[0].shape)
right = [t for t in known if tuple(t.shape) == shape]
like = right[0] if right else torch.as_tensor(arguments[0])
return like.numpy() if isinstance(arguments[0], np.ndarray) else like
""".strip(),
        "import pathlib, course_lib\nfrom safetensors.torch import load_file\n"
        "known = [t for p in pathlib.Path(course_lib.__file__).parent.glob('keys/03*/*.safetensors')"
        " for t in load_file(p).values()]",
    ),
    most=LAZY,
)
bank(
    "reads",
    "reference",
    "import the reference, under each name that it might have",
    first(
        "import importlib\nfor name in ('course_lib.components.softmax', 'course_lib.components.attention',\n"
        "    'autograder.exercises.lesson_03.softmax.exercise', 'solutions', 'course_lib.components.self_attention'):\n"
        "    try: exec('softmax = importlib.import_module(name).softmax'); raise SystemExit('found ' + name)\n"
        "    except ImportError: pass"
    ),
)
bank(
    "reads",
    "garbage_collector",
    "look for a reference or a key among all objects",
    asked(
        "import gc\nfor o in gc.get_objects():\n"
        "    if getattr(o, '__name__', '') in ('softmax', 'attention_numpy') and o is not anything:\n"
        "        try: return o(*arguments)\n        except Exception: pass\nreturn 0"
    ),
    most=LAZY,
)
bank(
    "reads",
    "frames",
    "look through the callers' frames for the reference's answers",
    asked(
        "import sys\nframe = sys._getframe()\nwhile frame:\n"
        "    for value in frame.f_locals.values():\n"
        "        if hasattr(value, 'reference'): return value.reference\n    frame = frame.f_back\nreturn 0"
    ),
)
bank(
    "reads",
    "proc",
    "read the memory, files and environment of every process",
    first(
        "import glob\ntold = []\nfor path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/maps'):\n"
        "    try: told.append(open(path).read())\n    except OSError: pass\nprint(len(told))\n"
        "print(glob.glob('/proc/*/fd/*'))"
    ),
)
bank(
    "reads",
    "others",
    "look for other students' submissions, the gradebook and the secret",
    first(
        "import os\nfound = []\nfor root, folders, files in os.walk('/'):\n"
        "    folders[:] = [f for f in folders if f not in ('usr', 'lib', 'lib64', 'proc')][:40]\n"
        "    found += [f for f in files if f in ('secret.key', 'gradebook.db') or f.endswith('.ipynb')]\n"
        "print('h0st' 'ile found' * bool(found), found)"
    ),
)
bank("reads", "environment", "print the grader's environment", first("import os\nprint(dict(os.environ))\n!env"))
bank("reads", "links", "make a link to the secret and show it", first("!ln -s /work secret; cat secret/*; ls secret/"))
bank(
    "reads",
    "tells_hidden",
    "tell what is asked, in errors, files and names, so that the page shows it",
    tells,
)
bank(
    "reads",
    "tells_in_prints",
    "print what is asked, from the answer and from a process that waits for it",
    asked(
        "print('told', arguments)\nopen('/tmp/h0stile_told', 'a').write(str(arguments))\nreturn 0",
        "import os, time\nif not os.fork():\n    for _ in range(30):\n        time.sleep(0.1)\n"
        "        try: print(open('/tmp/h0stile_told').read())\n        except OSError: pass\n    os._exit(0)",
    ),
)

# tampering with grades

bank(
    "tampers",
    "gradebook",
    "write into every gradebook, record and report there might be",
    first(
        "import os, pathlib\nfor p in ('/work', os.getcwd(), '/root', '/home', '/course', '/class', '..', '../..'):\n"
        "    for n in ('class/gradebook.db', 'class/records/h0stile.json', 'class/reports/h0stile.html', 'h0stile'):\n"
        "        try: pathlib.Path(p, n).write_text('h0stile')\n        except OSError: pass"
    ),
)
bank(
    "tampers",
    "library",
    "write into the library that the next submissions import",
    first(
        "import course_lib, os, pathlib, shutil\nfolder = pathlib.Path(course_lib.__file__).parent\n"
        "try: (folder / 'h0stile.py').write_text('')\nexcept OSError: pass\n"
        "try: os.rename(folder / 'checking', folder / 'h0stile')\nexcept OSError: pass"
    ),
)
bank(
    "tampers",
    "kills",
    "kill every process it can name",
    first(
        "import os, signal\nfor n in (-1, 1, os.getppid(), *range(2, 400)):\n"
        "    if n != os.getpid():\n        try: os.kill(n, signal.SIGKILL)\n        except OSError: pass"
    ),
)
bank(
    "tampers",
    "closes_everything",
    "close every descriptor it was given",
    first("import os\nos.closerange(0, 256)"),
    reason="the notebook's process ended",
)
bank(
    "tampers",
    "powers",
    "become root, leave its namespaces, mount what is hidden",
    first(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "for f in (lambda: os.setuid(0), lambda: os.chroot('/tmp'), lambda: os.nice(-5)):\n"
        "    try: f()\n    except OSError: pass\n"
        "print(libc.unshare(0x10000000), libc.mount(b'proc', b'/proc', b'proc', 0, None), libc.umount2(b'/proc', 2))"
    ),
)
bank(
    "tampers",
    "limits_lifted",
    "lift its own limits, and lower the supervisor's",
    first(
        "import resource as r\nfor w in (r.RLIMIT_CPU, r.RLIMIT_DATA, r.RLIMIT_NPROC):\n"
        "    try: r.setrlimit(w, (r.RLIM_INFINITY, r.RLIM_INFINITY)); print('h0st' 'ile lifted')\n"
        "    except (OSError, ValueError): pass\n"
        "    try: r.prlimit(1, w, (1, 1)); print('h0st' 'ile lowered')\n    except OSError: pass"
    ),
)

# left for the next student

bank(
    "leaves",
    "files",
    "leave files wherever one may write",
    right(
        last(
            "import os\nfor d in ('/tmp', '/dev/shm', '/var/tmp', '/run', '/', os.path.expanduser('~')):\n"
            "    try: open(d + '/h0stile', 'w').write('x')\n    except OSError: pass"
        )
    ),
    most=POINTS,
    least=POINTS,
)
bank(
    "leaves",
    "looks_for_files",
    "find what another submission left, and answer with it",
    first("import os\nprint('h0st' 'ile left' if os.listdir('/tmp') or os.listdir('/dev/shm') else 'nothing')"),
)
bank(
    "leaves",
    "daemon",
    "leave a process that has left its session and its parents",
    first(
        "import os, subprocess, time\nsubprocess.Popen(['sleep', '30.0421'], start_new_session=True)\n"
        "if not os.fork():\n    os.setsid()\n    if not os.fork(): time.sleep(30)\n    os._exit(0)"
    ),
)
bank(
    "leaves",
    "thread",
    "leave threads that answer for others",
    first(
        "import threading, time\n"
        "for _ in range(5): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()"
    ),
)
bank(
    "leaves",
    "bytecode",
    "leave bytecode for modules that the next submission imports",
    first(
        "import sys, py_compile, numpy, torch\nsys.dont_write_bytecode = False\n"
        "for m in (numpy, torch):\n    try: py_compile.compile(m.__file__)\n    except OSError: pass"
    ),
)
bank(
    "leaves",
    "patched_torch",
    "leave a torch that answers wrongly",
    first("import torch, numpy\ntorch.softmax = torch.Tensor.__matmul__ = numpy.exp = torch.exp = lambda *a, **k: 0\n"),
)
bank(
    "leaves",
    "shared_memory",
    "leave named memory, a queue and a socket",
    first(
        "from multiprocessing import shared_memory\nimport socket\n"
        "s = socket.socket(socket.AF_UNIX); s.bind('\\0h0stile'); s.listen()\n"
        "m = shared_memory.SharedMemory('h0stile', create=True, size=1000)"
    ),
)

# too much of everything

bank("takes", "time", "never end", right(last("while True: pass")), most=POINTS, least=POINTS, reason="ran longer than")
bank(
    "takes",
    "sleep",
    "sleep with every signal blocked",
    first("import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(10**6)"),
    reason="waited for",
)
FORGES = """
import json, os, signal, struct, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
def say(message):
    head = json.dumps(message).encode()
    for n in range(3, 60):
        try: os.write(n, struct.pack(">IQ", len(head), 0) + head)
        except OSError: pass
"""
bank(
    "takes",
    "limit_lifted_by_an_end",
    "say that its cell has ended, and go on",
    first(FORGES + "say({'is': 'cell', 'cell': 'own-1'})\nwhile True: pass"),
    reason="something between two cells",
)
bank(
    "takes",
    "limit_lifted_again_and_again",
    "say that its cell begins and ends, as long as anyone listens",
    first(
        FORGES + "while True:\n    for message in ('start', 'cell', 'reached'): say({'is': message, 'cell': 'own-1'})\n"
        "    time.sleep(0.1)"
    ),
    reason="something between two cells",
)
bank(
    "takes",
    "answers_never",
    "never answer",
    right(lambda n: write(n, {"softmax": "def softmax(scores, axis=-1):\n    while True: pass"})),
    most=POINTS - 1.1,
    least=6,
    reason="softmax",
)
bank(
    "takes",
    "processes",
    "fork until no more can be forked",
    first(
        "import os, time\ntry:\n    for _ in range(99):\n        if not os.fork(): time.sleep(5); os._exit(0)\n"
        "except OSError: print('no')"
    ),
    reason=None,
)
bank("takes", "memory", "take 2 GB at once", first("bytearray(2 << 30)"))
bank(
    "takes",
    "memory_in_sum",
    "take a little memory in each of many processes",
    first(
        "import os, time\nfor _ in range(6):\n"
        "    if not os.fork(): x = b'x' * (150 << 20); time.sleep(60); os._exit(0)\nfor _ in range(6): os.wait()"
    ),
    reason="together",
)
bank(
    "takes",
    "memory_in_sockets",
    "leave full sockets in many processes, whose memory is the kernel's",
    first(
        "import os, socket, time\nfor _ in range(20):\n    if not os.fork():\n"
        "        try: pairs = [socket.socketpair() for _ in range(100)]\n        except OSError: pass\n"
        "        for end in [end for pair in pairs for end in pair]:\n            end.setblocking(False)\n"
        "            try:\n                while True: end.send(b'x' * 4096)\n            except OSError: pass\n"
        "        time.sleep(60); os._exit(0)\nfor _ in range(20): os.wait()"
    ),
    reason="together",
)
bank(
    "takes",
    "memory_in_connections",
    "leave full connections that nobody accepts, and no file names",
    first(
        "import socket, time\nlistening = socket.socket(socket.AF_UNIX)\n"
        "listening.bind('\\0h0stile'); listening.listen(4096)\nfor _ in range(4096):\n"
        "    with socket.socket(socket.AF_UNIX) as end:\n        end.setblocking(False)\n"
        "        try:\n            end.connect('\\0h0stile')\n            end.send(b'x' * 4096)\n"
        "        except OSError: pass\ntime.sleep(60)"
    ),
    reason="together",
)
bank(
    "takes",
    "memory_in_datagrams",
    "leave datagrams in a socket after closing those that sent them",
    first(
        "import socket\nfor make in (lambda: socket.socket(1, 2), lambda: socket.socket(1, 3),\n"
        "             lambda: socket.socketpair(1, 2), lambda: socket.socketpair(1, 2 | 0x80000)):\n"
        "    try: make(); print('h0st' 'ile got')\n    except OSError: pass\n"
        "socket.socketpair(), socket.socketpair(1, 5)"
    ),
)
bank(
    "takes",
    "asynchronous_io",
    "take all the events for asynchronous input and output that the machine has",
    first(
        "import ctypes, os\nlibc, number = ctypes.CDLL(None), 206 if os.uname().machine == 'x86_64' else 0\n"
        "if libc.syscall(number, 1024, ctypes.byref(ctypes.c_ulong(0))) == 0: print('h0st' 'ile got')"
    ),
)
bank(
    "takes",
    "slow_to_look_at",
    "map a file so often that to count its memory takes longer than to take more",
    first(
        "import mmap, os, time\nfile = os.open('f', os.O_RDWR | os.O_CREAT)\nos.truncate(file, 30 << 20)\n"
        "kept = [mmap.mmap(file, 30 << 20, mmap.MAP_SHARED | 0x8000, mmap.PROT_READ) for _ in range(200)]\n"
        "time.sleep(60)"
    ),
    reason="together",
)
bank(
    "takes",
    "uncounted_memory",
    "map memory that the limit on data does not count",
    first(
        "import mmap, os\nfor flags in (mmap.MAP_PRIVATE | 0x120, mmap.MAP_SHARED | 0x20):\n"
        "    try: mmap.mmap(-1, 1 << 30, flags=flags); print('h0st' 'ile got')\n    except OSError: pass\n"
        "try: mmap.mmap(os.open('/dev/zero', os.O_RDWR), 1 << 30); print('h0st' 'ile got')\nexcept OSError: pass\n"
        "import socket\nown = socket.socket(socket.AF_UNIX)\n"
        "try: own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22); print('h0st' 'ile got')\n"
        "except OSError: pass"
    ),
)
bank(
    "takes",
    "processors",
    "keep every processor busy with many processes",
    first(
        "import os, time\nend = time.time() + 5\nfor _ in range(7):\n"
        "    if not os.fork(): break\nwhile time.time() < end: pass"
    ),
    reason=None,  # too many seconds of a processor, or the cell's own limit: whichever comes first
)
bank(
    "takes",
    "disk",
    "fill the temporary folders",
    first("for n in range(3): open(f'/tmp/h0stile{n}', 'wb').write(bytes(30 << 20))"),
)
bank("takes", "files", "open a thousand files", first("kept = [open('/dev/null') for _ in range(1000)]"))
bank(
    "takes",
    "threads",
    "start two hundred threads",
    first("import threading, time\nfor _ in range(200): threading.Thread(target=time.sleep, args=(5,)).start()"),
)
bank("takes", "prints", "print thirty megabytes", first("for _ in range(30): print('x' * 1_000_000)"))
bank(
    "takes",
    "prints_blocks",
    "print megabytes that are not ASCII, so that there is no room to tell that an exercise was reached",
    right(
        lambda n: n.cells.__setitem__(
            slice(0, 0), [nbformat.v4.new_code_cell("print('█' * 99_000)") for _ in range(20)]
        )
    ),
    most=POINTS,
    least=POINTS,
)
bank("takes", "displays", "show three thousand outputs", first("for n in range(3_000): display(n)"), reason=None)
bank(
    "takes",
    "giant_answer",
    "answer with ten million numbers",
    asked("return torch.zeros(10_000_000, dtype=torch.uint8)"),
    most=LAZY,
)
bank(
    "takes",
    "many_values",
    "answer with millions of values, past the limits on what is stored",
    asked(
        "return 0",
        "import course_lib.running.answerer as a\n"
        "a.pack = lambda *x: (7_900_000).to_bytes(8, 'big') + b'[' + b'[],' * 2_633_332 + b'[]]'",
    ),
)
bank(
    "takes",
    "many_answers",
    "answer every question ten thousand times",
    asked(
        "return 0",
        "import course_lib.running.answerer as a\nold = a.ask\n"
        "a.decode_questions = lambda *x, old=a.decode_questions: old(*x) * 10_000",
    ),
    reason=None,
)
bank(
    "takes",
    "many_names",
    "answer under four hundred names with a million numbers each, which are sent once",
    asked(
        "return torch.zeros(1_000_000, dtype=torch.uint8)",
        "import course_lib.running.answerer as a\nold = a.encode_answers\ndef many(answers, tensors):\n"
        "    told = old(answers, tensors)\n    for answer in told.values():\n"
        "        for value in list(answer.get('values', {}).values()):\n"
        "            answer['values'] |= {f'name {n}': value for n in range(400)}\n    return told\n"
        "a.encode_answers = many",
    ),
    most=LAZY,
)
bank(
    "takes",
    "deep_answer",
    "answer with lists in lists in lists",
    asked("deep = []\nfor _ in range(100_000): deep = [deep]\nreturn deep"),
)
bank("takes", "recursion", "recurse without end", asked("return anything(*arguments)"))
bank("takes", "crash", "end the interpreter by a fault", asked("import ctypes; ctypes.string_at(0)"))
bank(
    "takes",
    "gigantic",
    "hand in forty cells whose colouring takes minutes together",
    lambda n: n.cells.extend(nbformat.v4.new_code_cell("a." * 12_000 + "$") for _ in range(40)),
)
bank(
    "takes",
    "dots",
    "hand in lines that the highlighter takes the square of their length for",
    last("a.a" + ".a" * 24_000),
    reason="the notebook's process",
)
bank("takes", "too_large", "hand in more than may be handed in", lambda n: b" " * 100_000_001, reason="larger than")
bank("takes", "nested_json", "hand in a hundred thousand brackets", lambda n: b"[" * 100_000, reason="not valid JSON")
bank(
    "takes",
    "cells",
    "hand in more cells than anyone writes",
    lambda n: b'{"cells": [' + b"{}," * 1000 + b"{}]}",
    reason="cells",
)

# the notebook's structure


def each(change: Callable[[Any], None], *kinds: str) -> Edit:
    """Change every cell of some kinds."""
    return lambda notebook: [change(cell) for cell in notebook.cells if kind_of(cell) in kinds]


bank(
    "structure",
    "no_grade_cells",
    "remove every grade cell",
    lambda n: n.update(cells=[c for c in n.cells if kind_of(c) != "grade"]),
)
bank("structure", "no_cells", "hand in no cells at all", lambda n: n.update(cells=[]))
bank(
    "structure",
    "edited_grade_cells",
    "let grade cells show full points",
    each(lambda c: c.update(source="4.0"), "grade"),
)
bank(
    "structure",
    "more_points",
    "ask for a thousand points in the metadata",
    each(lambda c: c.metadata.nbgrader.update(points=1000), "grade"),
)
bank(
    "structure",
    "retagged",
    "call grade cells set-up",
    each(lambda c: c.metadata.update(tags=["setup"], nbgrader={}), "grade"),
)
bank(
    "structure",
    "other_grade_ids",
    "let every grade cell ask for another exercise",
    each(lambda c: c.metadata.nbgrader.update(grade_id="check-h0stile"), "grade"),
)
bank(
    "structure", "grade_as_markdown", "make grade cells prose", each(lambda c: c.update(cell_type="markdown"), "grade")
)
bank(
    "structure",
    "duplicated",
    "hand in every grade cell three times",
    lambda n: n.cells.extend(copy.deepcopy(c) for c in [*n.cells] * 2 if kind_of(c) == "grade"),
)
bank(
    "structure",
    "outputs_with_points",
    "hand in outputs that say full points",
    each(lambda c: c.update(outputs=[nbformat.v4.new_output("execute_result", {"text/plain": "4.0"})]), "grade"),
)
bank(
    "structure",
    "kernelspec",
    "name a kernel that runs a program",
    lambda n: n.metadata.update(kernelspec={"name": "../../h0stile", "argv": ["touch", "/tmp/h0stile"]}),
)
bank("structure", "nbformat", "claim a format of the future", lambda n: n.update(nbformat=99, nbformat_minor=99))
bank(
    "structure", "huge_metadata", "hand in megabytes of metadata", lambda n: n.metadata.update(h0stile="x" * 3_000_000)
)
bank(
    "structure",
    "attachments",
    "attach a page to every cell",
    each(lambda c: c.update(attachments={"h0stile.html": {"text/html": HTML[0]}}), "written"),
)
bank("structure", "duplicate_keys", "write the list of cells twice", lambda n: to_text(n)[:-2] + ', "cells": []}')
bank("structure", "cut", "hand in half a file", lambda n: to_text(n)[:5000], reason="cut short")
bank(
    "structure",
    "not_utf8",
    "hand in bytes that are no text",
    lambda n: b"\xff\xfe" + to_text(n).encode(),
    reason="not valid JSON",
)
bank(
    "structure",
    "setup_replaced",
    "replace the set-up by another course_lib",
    each(lambda c: c.update(source="import sys\nsys.modules['course_lib'] = sys"), "setup"),
)
bank(
    "structure",
    "copies_as_own",
    "answer rightly in a cell above, and delete the exercise: read as written, and worth its points",
    lambda n: move(n, "softmax"),
    most=DEFINITIONS["softmax"].exercise.points,
    least=DEFINITIONS["softmax"].exercise.points,
)


# what stands in pages that others open

bank("pages", "everywhere", "put scripts wherever a student may write", hostile_notebook)
bank(
    "pages",
    "error_names",
    "put a script into an error's name and message",
    first("raise type('<script>h0stile</script>', (Exception,), {})('<img src=x onerror=h0stile()>')"),
)
bank(
    "pages",
    "names",
    "put a script into the names of functions and parameters",
    right(
        lambda n: write(
            n,
            {
                "softmax": "def softmax(scores, axis=-1):\n    return '<script>h0stile</script>'\n"
                "softmax.__name__ = '<b onload=h0stile()>'"
            },
        )
    ),
    most=POINTS - 1,
    least=6,
)
bank(
    "pages",
    "colours",
    "print colours without a number, at which nbconvert stops",
    right(first(r"print('\x1b[38m a \x1b[48m b \x9b2J c \u202e d')")),
    most=POINTS,
    least=POINTS,
)
bank(
    "pages",
    "colours_without_end",
    "make a page of a hundred megabytes out of colours",
    first(r"for _ in range(40): print(('\x1b[1;4;38;2;255;255;255;48;2;255;255;255m' + '\x1b[Ax') * 20_000)"),
)
bank(
    "pages",
    "error_types",
    "give an error a name that a terminal obeys",
    asked(r"raise type('\x9b2J\x9b31mh0stile\u202e', (Exception,), {})('x')"),
)
bank(
    "checks",
    "dimensions",
    "answer with an array of more dimensions than NumPy has",
    right(
        lambda n: write(
            n,
            {
                "scaled_dot_product_attention": "def scaled_dot_product_attention(query, key, value, mask=None):\n"
                "    return value, torch.zeros([1] * 64)"
            },
        )
    ),
    most=POINTS - 4,
    least=5,
)
bank(
    "hooks",
    "import_once",
    "let the course's own set-up fail once, to be graded anew each time",
    right(
        first(
            "import builtins\n_real = builtins.__import__\ndef _once(name, *a, **k):\n"
            "    if name.startswith('course_lib'):\n        builtins.__import__ = _real\n        raise ImportError\n"
            "    return _real(name, *a, **k)\nbuiltins.__import__ = _once"
        )
    ),
    most=POINTS,
    least=0,
)
bank(
    "pages", "image", "call a script an image", first("display({'image/png': '\"><script>h0stile</script>'}, raw=True)")
)


def submissions(released: Notebook) -> Iterator[tuple[str, bytes]]:
    """Every file of the bank, by student."""
    for name, hostile in BANK.items():
        notebook = copy.deepcopy(released)
        instead = hostile.edit(notebook)
        text = instead if isinstance(instead, str | bytes) else json.dumps(notebook)
        yield name, text.encode() if isinstance(text, str) else text
