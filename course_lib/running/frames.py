"""Frames: messages of known length over a socket.

A frame is a head (JSON, small) and a body (bytes). The reader limits the length of a frame,
because the writer may be student code.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any, NamedTuple

_SIZES = struct.Struct(">IQ")  # lengths of the head and the body
_LONGEST_HEAD = 65_536


class Frame(NamedTuple):
    """A message: a head that describes it, and its content."""

    head: dict[str, Any]
    body: bytes = b""


class Broken(Exception):
    """The data that arrived isn't a frame, or is longer than allowed."""


class Line:
    """One end of a socket that carries frames.

    Args:
        longest: the largest body of an arriving frame, in bytes.
    """

    def __init__(self, end: socket.socket, longest: int) -> None:
        self.socket = end
        self.longest = longest
        self._arrived = bytearray()

    def fileno(self) -> int:
        """Return the socket's descriptor, so that code can wait for the line."""
        return self.socket.fileno()

    def close(self) -> None:
        """Close this end."""
        self.socket.close()

    def send(self, head: dict[str, Any], body: bytes = b"", deadline: float | None = None) -> None:
        """Send a frame. Without a deadline, wait for the other end as long as it takes.

        Raises:
            TimeoutError: the other end has not read it by the deadline.
            OSError: the other end is gone.
        """
        text = json.dumps(head).encode()
        self._wait_until(deadline)
        self.socket.sendall(_SIZES.pack(len(text), len(body)) + text + body)

    def receive(self, deadline: float | None = None) -> Frame | None:
        """Wait for a frame. Return None if the other end has closed.

        Args:
            deadline: on the clock of `time.monotonic`.

        Raises:
            TimeoutError: the deadline has passed.
            Broken: the data that arrived isn't a frame.
        """
        while (frame := self.take()) is None:
            self._wait_until(deadline)
            if not self.read():
                return None
        return frame

    def _wait_until(self, deadline: float | None) -> None:
        """Let the next call on the socket wait until the deadline at most."""
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self.socket.settimeout(left)

    def read(self) -> bool:
        """Read once. Return False if the other end has closed."""
        try:
            arrived = self.socket.recv(1 << 18)
        except ConnectionError:
            return False
        self._arrived += arrived
        return bool(arrived)

    def take(self) -> Frame | None:
        """Return the next frame that has arrived completely, if there is one."""
        if len(self._arrived) < _SIZES.size:
            return None
        head_size, body_size = _SIZES.unpack_from(self._arrived)
        if head_size > _LONGEST_HEAD or body_size > self.longest:
            raise Broken(f"a message of {head_size + body_size:,} bytes")
        start, end = _SIZES.size + head_size, _SIZES.size + head_size + body_size
        if len(self._arrived) < end:
            return None
        text, body = bytes(self._arrived[_SIZES.size : start]), bytes(self._arrived[start:end])
        del self._arrived[:end]
        try:
            head = json.loads(text)
        except (ValueError, RecursionError):
            raise Broken("a message without a readable head") from None
        if not isinstance(head, dict):
            raise Broken("a message whose head is not a mapping")
        return Frame(head, body)
