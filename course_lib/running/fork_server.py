"""The warm process: import everything once, and fork a supervisor for each notebook.

It never reads the cells. For each notebook it receives one end of a socket, forks, and closes that end, and the fork
reads the cells from it. So the memory that the next submission inherits never contains parts of a submission or
questions.

It limits PyTorch to one thread and runs one tensor operation, on one number. After a parallel operation, a fork would
wait for ever for threads that it did not inherit.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import walk_packages

import torch

from course_lib.checking.mysteries import remember_mysteries
from course_lib.checking.uncompiled import never_compile
from course_lib.running.frames import Line
from course_lib.running.limits import Limits
from course_lib.running.process_table import ProcessTable
from course_lib.running.processes import (
    become_subreaper,
    die_with_parent,
    end_all_others,
    kill_descendants,
    processes_of_this_user,
    raise_oom_score,
)
from course_lib.running.recorder import Recorder
from course_lib.running.shell import NotebookShell, new_shell
from course_lib.running.supervisor import Supervisor

#: modules that nearly every notebook uses; otherwise each fork would spend time on importing them
_PRELOADED = (
    "numpy.ctypeslib",
    "IPython.core.magics",
    "matplotlib.pyplot",
    "stack_data",
    "torch.nn.functional",
    "torch.optim",
    "asyncio",
    "course_lib.kernel.check",
    "course_lib.kernel.example",
    "course_lib.kernel.begin",
    "course_lib.session",
)

Enclose = Callable[[Limits], None]


def serve(
    control: socket.socket,
    enclose: Enclose | None = None,
    preload: tuple[str, ...] = (),
    before_first: Callable[[], None] = lambda: None,
) -> None:
    """Serve until the other end of ``control`` closes.

    Args:
        enclose: called first in the fork, with the notebook's limits. It returns in an isolated process whose end
            also ends every process that it started.
        preload: further modules to import once. If one cannot be imported, the cell that imports it reports why.
        before_first: called once, when everything that forks inherit is in memory.
    """
    raise_oom_score(500)  # if memory runs out, end this process before the one that judges
    torch.set_num_threads(1)
    # outside the sandbox, both packages import their modules when they are first used. Here, that would be after a
    # submission could put its own modules in their place
    for name in (*_PRELOADED, *_modules("course_lib.checking")):
        import_module(name)
    for name in (*_modules("course_lib.components"), *preload):
        with contextlib.suppress(Exception):
            import_module(name)
    remember_mysteries()
    # the first use of float16 asks the system for the processor's type, which the sandbox hides from a submission
    torch.zeros(1, dtype=torch.float16).float()
    never_compile()
    shell = new_shell(Recorder(Limits()))
    shell.run_cell("1 / 0", store_history=False)  # the first traceback imports the code that formats tracebacks
    gc.collect()
    gc.freeze()  # a collection in a fork would otherwise touch, and so copy, every page with an object in it
    gc.enable()  # it may have been disabled during the imports
    before_first()
    control.sendall(b"r")
    while True:
        received, ends, *_ = socket.recv_fds(control, 1, 1)
        if not received:
            return
        child = os.fork()
        if child == 0:
            _serve_one(control, ends[0], shell, enclose)
        os.close(ends[0])
        os.waitpid(child, 0)
        control.sendall(b"d")


def _modules(package: str) -> Iterator[str]:
    """Yield the names of all modules in a package."""
    return (module.name for module in walk_packages(import_module(package).__path__, f"{package}."))


def _serve_one(control: socket.socket, end: int, shell: NotebookShell, enclose: Enclose | None) -> None:
    try:
        control.close()
        die_with_parent()
        raise_oom_score(1000)  # end this one even before the warm process
        outside = Line(socket.socket(fileno=end), longest=1 << 30)
        request = outside.receive()
        if request is None:
            return
        table = ProcessTable.open()  # open it now, before the new mount namespace covers /proc
        if enclose is not None:
            enclose(Limits(**request.head["limits"]))
            try:
                Supervisor(outside, request, table).run(shell)
            finally:
                end_all_others()
        else:
            become_subreaper()
            supervisor = Supervisor(outside, request, table, others=processes_of_this_user())
            try:
                supervisor.run(shell)
            finally:
                kill_descendants(supervisor.pid)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def control_line() -> socket.socket:
    """Return the socket that this process received as its standard input, and make standard input empty."""
    control = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return control


def main() -> None:
    """Serve without a sandbox."""
    die_with_parent()
    serve(control_line(), preload=tuple(sys.argv[1:]))


if __name__ == "__main__":
    main()
