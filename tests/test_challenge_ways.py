"""Every way to score in the challenge without learning from the pairs leaves a note for the instructor."""

from __future__ import annotations

import base64
import time
from typing import Any

import nbformat
import pytest

from autograder.challenge.static_checks import notes_on
from course_lib.course import Course

LESSON = "12_projects"

BEGIN = "def begin(*a, **k):\n    return LEARN\n"
#: each place where Python evaluates code while a cell runs
EVALUATED = {
    "a class body": "class Warm:\n    loss = LEARN",
    "a loop in a class body": "class Warm:\n    for a, b in stream(9):\n        LEARN",
    "a comprehension in a class body": "class Warm:\n    losses = [LEARN for a in stream(9)]",
    "a class in a class": "class A:\n    class B:\n        x = {LEARN: 1 for a in c}",
    "a base class": "class Warm(make(LEARN)):\n    pass",
    "a keyword of a class": "class Warm(Base, size=LEARN):\n    pass",
    "a metaclass": "class Meta(type):\n    def __new__(c, *a):\n        LEARN\nclass Warm(metaclass=Meta):\n    pass",
    "a base class's hook": "class A:\n    def __init_subclass__(c):\n        LEARN\nclass B(A):\n    pass",
    "a decorator": "@again(LEARN)\ndef helper():\n    pass",
    "a decorator that is applied": BEGIN + "@begin\ndef helper():\n    pass",
    "a decorator of a class": BEGIN + "@begin\nclass A:\n    pass",
    "a decorator of a method": BEGIN + "class A:\n    @begin\n    def f(self):\n        pass",
    "a function that a decorator calls": "@run_now\ndef helper():\n    LEARN",
    "a default argument": "def helper(x=LEARN):\n    return x",
    "a default argument by keyword": "def helper(*, x=LEARN):\n    return x",
    "a default argument of a method": "class A:\n    def f(self, x=LEARN):\n        return x",
    "a default argument of a lambda": "helper = lambda x=LEARN: x",
    "an annotation": "def helper(x: LEARN):\n    return x",
    "an annotation of a result": "def helper() -> LEARN:\n    return 1",
    "an annotation of a variable": "x: LEARN = 1",
    "an annotation of an attribute": "class A:\n    x: LEARN",
    "a coroutine": "async def helper(x=LEARN):\n    return x",
    "a coroutine that is run": "async def helper():\n    LEARN\nasyncio_run(helper())",
    "a generator": "sum(LEARN for a in c)",
    "an f-string": "x = f'{LEARN}'",
    "an assertion": "assert LEARN",
    "a lambda that is called": "(lambda: LEARN)()",
    "a lambda under a name": "go = lambda: LEARN\ngo()",
    "a function under another name": BEGIN + "go = begin\ngo()",
    "a function that is passed on": BEGIN + "list(map(begin, stream(9)))",
    "a function in a table": BEGIN + "{'go': begin}['go']()",
    "a method": "class A:\n    def go(self):\n        LEARN\nA().go()",
    "a static method": "class A:\n    @staticmethod\n    def go():\n        LEARN\nA.go()",
    "an operator": "class A:\n    def __add__(self, other):\n        LEARN\nA() + 1",
    "a function in a function": "def outer():\n    def inner():\n        LEARN\n    inner()\nouter()",
    "a function under a condition": "if True:\n    def go():\n        LEARN\ngo()",
    "a method of PyTorch under another name": "go = loss(NET, a).backward\ngo()",
    "another function of PyTorch": "torch.autograd.grad(loss(NET, a), NET.weight) or LEARN[0]",
}

#: code that takes each way, by the beginning of the note about it
WAYS = {
    "its code contains data": {
        "weights in a text": f"W = '{base64.b85encode(bytes(3000)).decode()}'",
        "weights in bytes": f"W = {bytes(range(256)) * 4!r}",
        "weights in numbers": f"W = {list(range(2000))}",
        "weights in one number": f"W = 0x{'f7' * 60_000}",
        "weights in many short texts": "\n".join(f"w{n} = '{'xyz' * 60}{n}'" for n in range(80)),
        "weights in letters of another alphabet": "\n".join(f"w{n} = '{chr(0x4E00 + n) * 390}'" for n in range(14)),
        "weights in large numbers": "\n".join(f"w{n} = {2**62 + n}" for n in range(450)),
        "weights in names": "\n".join(f"x_{'ab' * 18}{n} = 0" for n in range(500)),
        "weights in one name": f"class A:\n    {'x' * 3000} = 0",
        "a dictionary": f"D = { ({f'a{n}': f'b{n}' for n in range(100)})!r}",
    },
    "its strings contain 2 words as renamed in a graded run (e12, f407)": {
        "the class's own words": "KNOWN = {'e12': 'f407'}",
        "in one text": "KNOWN = 'e12=f407'",
    },
    "its strings contain 20 words of the corpus": {"the plain words": "WORDS"},
    "it names": {
        "another thread": "from threading import Thread\nThread(target=work).start()",
        "a pool": "import concurrent.futures as c\nc.ThreadPoolExecutor(4)",
        "another process": "import os\nos.fork()",
        "a loader's processes": "DataLoader(pairs, num_workers=4)",
        "more of the processor": "torch.set_num_threads(8)",
        "no limit": "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)",
        "another limit": "import resource\nresource.setrlimit(0, (1, 1))",
        "a file": "weights = open('/course/course_lib/x').read()",
        "a path": "from pathlib import Path\nPath(__file__).parents[1].rglob('*')",
        "the network": "torch.hub.load_state_dict_from_url('https://example.org')",
        "packed data": "import zlib, base64\nexpand = zlib.decompress",
        "the course's own code": "setattr(module, 'limit_processor_time', print)",
        "its modules": "import sys\nsys.modules['x'] = 1",
        "a function's code": "f.__code__ = g.__code__",
        "its own text": "source = In[3]",
        "its docstring": "data = train.__doc__",
        "a function without its name": "globals()['prepare']()",
        "its comments": "import traceback\ndata = traceback.format_exc()",
        "its source": "import inspect\ndata = inspect.getsource(train)",
    },
    "it uses course_lib.": {
        "what asks it": "import course_lib.running.answerer as a\na.ask = mine",
        "what judges it": "from course_lib import checking, training",
        "what limits it": "from course_lib.running import limits",
        "the lessons' experiments": "from course_lib.experiments import translation",
        "by a text": "lookup('course_lib.running.limits')",
        "the corpus among others": "from course_lib import training, corpus",
        "experiments that the notebook has imported": "def train(pairs, seconds):\n    experiments.learn(pairs)",
        "experiments in a lambda": "train = lambda pairs, seconds: experiments.learn(pairs)",
        "experiments in a coroutine": "async def train(pairs, seconds):\n    experiments.learn(pairs)",
        "experiments under a condition": "if True:\n    def train(pairs, seconds):\n        experiments.learn(pairs)",
        "experiments under another name": "mine = experiments.translation\ntrain = mine.learn",
        "trained weights": "from course_lib.translator import trained",
    },
    "it uses challenge.": {
        "the plain pairs": "def train(pairs, seconds):\n    plain = challenge.pairs(300)",
        "the task": "from course_lib.challenge.task import make_task",
        "under another name": "import course_lib.challenge as c\nc.make_task(b'', 1)",
        "the scorer": "challenge.score.corpus_bleu = mine",
    },
    "its cells call": {
        "training beforehand": "loss(network(x)).backward()\noptimizer.step()",
        "in a function whose decorator only has a known name": "def cache(f): f()\n@cache\ndef begin(): step()\n"
        "def step(): optimizer.step()",
        "in a function that is called": "def begin():\n    training.train(loss)\nbegin()",
        "a rehearsal": "network = challenge.rehearse(train)",
        **{place: source.replace("LEARN", "loss(NET, a).backward()") for place, source in EVALUATED.items()},
    },
}


@pytest.fixture(scope="module")
def released(course: Course) -> Any:
    return nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)


@pytest.mark.parametrize(("note", "way"), [(note, way) for note, ways in WAYS.items() for way in ways])
def test_a_way_around_learning_is_noted(released: Any, note: str, way: str) -> None:
    source = WAYS[note][way]
    if source == "WORDS":
        from autograder.challenge.ways import _vocabulary

        source = f"KNOWN = {' '.join(sorted(_vocabulary())[:20])!r}"
    found = list(notes_on([source], [], released))
    assert any(one.startswith(note) for one in found), found
    if note != "its cells call":
        assert any(one.startswith(note) for one in notes_on([], [source], released)), "in an earlier lesson's part, too"


def test_notes_on_many_derived_classes_take_no_time(released: Any) -> None:
    body = "\n".join(f"    x{n} = {n}" for n in range(2_000))
    source = f"if 0:\n  class A:\n{body.replace('    ', '      ')}\n  class B({'A, ' * 5_000}): pass"
    started = time.process_time()
    list(notes_on([source], [], released))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "source",
    [
        "import time\nstart = time.process_time()",
        "def train(pairs, seconds):\n    loss.backward()\n    optimizer.step()\n    return translate",
        "decode = challenge.with_cache(greedy_decode, CachedDecoder)",
        "if True:\n    def train(pairs, seconds):\n        loss.backward()\n        optimizer.step()",
        "class A(nn.Module):\n    n: int = 3\n    def learn(self):\n        loss.backward()\nclass B(A):\n    pass",
        "@torch.no_grad()\ndef test(x: Tensor = None) -> Tensor:\n    optimizer.step()",
        "step = lambda loss: loss.backward()",
        "async def train(pairs, seconds):\n    optimizer.step()",
        "print('The cat sleeps.', f'{score:.1f} % after {seconds} s')",
        "class Net(nn.Module):\n    '''A network of e1 and f2, ' + 500 * 'x'.'''",
        "from course_lib.components import beam_search\nfrom course_lib import training, challenge",
        "%time 1\nx = 1",
    ],
)
def test_learning_is_not_noted(released: Any, source: str) -> None:
    assert list(notes_on([source], [source], released)) == []


def test_a_cell_that_no_parser_reads_is_named(released: Any) -> None:
    found = list(notes_on(["W = 'x'\nlisted = !ls", "y = 1"], [], released))
    assert found == ["1 of its cells and parts cannot be read as Python, so they were only searched as text: read them"]


def test_a_recipe_that_was_changed_is_not_noted(released: Any) -> None:
    (recipe,) = (cell.source for cell in released.cells if "def train(" in cell.source)
    assert list(notes_on([recipe.replace("4e-3", "5e-3").replace("d_model=96", "d_model=128")], [], released)) == []
