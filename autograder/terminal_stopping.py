"""Handle Ctrl-C in a terminal: the first one stops the command, and later ones cannot interrupt its cleanup."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_once() -> Iterator[None]:
    """Inside the block, raise KeyboardInterrupt at the first Ctrl-C or SIGTERM, and ignore all others.

    They stay ignored after the block, because the process ends, and freeing its memory takes Python a second or two.
    If Ctrl-C was ignored before, keep ignoring it, as for a process that a shell started in the background.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    heard = [number for number in _SIGNALS if before[number] is not signal.SIG_IGN]

    stopped = threading.Event()

    def stop(*_: Any) -> None:
        stopped.set()
        for number in heard:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in () if stopped.is_set() else heard:
            signal.signal(number, before[number] or signal.SIG_DFL)
