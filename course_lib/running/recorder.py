"""Record what the running cell shows, and never more than the limits allow."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any

from course_lib.running.limits import Limits
from course_lib.running.media import IMAGES, TEXTS, alt_of
from course_lib.running.outcome import Output


class Recorder:
    """Collects the outputs of one cell after another.

    Text beyond a cell's limit is not kept in memory, so a cell that prints for ever costs only
    time. A sentence replaces what is cut off.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.output_bytes  # of the whole notebook
        self._begin()

    def _begin(self) -> None:
        self._before = self.left
        self._outputs: list[Output] = []
        self._pieces: list[str] = []  # of the stream that is being written
        self._text_left = min(self.limits.cell_text, self.left)
        self._cut = False

    def take(self) -> list[Output]:
        """Return the cell's outputs; the next cell begins with none."""
        self._end_stream()
        outputs = self._outputs
        self._begin()
        return outputs

    def clear(self) -> None:
        """Discard what the cell has shown so far, as `clear_output` asks."""
        self.left = self._before
        self._begin()

    def stream(self, name: str, text: str) -> None:
        """Record printed text. Consecutive pieces become one output."""
        if not text or self._cut:
            return
        kept = self._keep_text(text)
        if self._pieces and self._outputs[-1]["name"] != name:
            self._end_stream()
        if not self._pieces:
            self._outputs.append({"output_type": "stream", "name": name, "text": ""})
        self._pieces.append(kept)

    def bundle(self, output_type: str, data: Mapping[str, Any], metadata: Any = None, **more: Any) -> None:
        """Record a result or something displayed, in the forms that a notebook can store.

        Args:
            metadata: by form. Only the description of an image is kept.
        """
        self._end_stream()
        kept = {kind: self._image(data[kind]) for kind in IMAGES if kind in data}
        kept = {kind: image for kind, image in kept.items() if image}
        if len(kept) < sum(kind in data for kind in IMAGES):
            self.stream("stdout", f"[A figure larger than {self.limits.figure_bytes:,} bytes is left out.]\n")
            self._end_stream()
        for kind in TEXTS:
            text = data.get(kind)
            if not isinstance(text, str) or self._cut:
                continue
            # half an HTML page is useless, but half a text is still readable
            if kind == "text/plain" or len(text) <= self._text_left:
                kept[kind] = self._keep_text(text)
        if kept:
            alts = {kind: self._keep_text(alt_of(metadata, kind)) for kind in IMAGES if kind in kept and not self._cut}
            described = {kind: {"alt": alt} for kind, alt in alts.items() if alt}
            self._outputs.append({"output_type": output_type, "data": kept, "metadata": described, **more})

    def error(self, name: str, value: str, traceback: list[str]) -> None:
        """Record an exception that ended the cell. There is always room for its name."""
        self._end_stream()
        lines = [] if self._cut else [self._keep_text(line) for line in traceback]
        self._outputs.append({"output_type": "error", "ename": name[:200], "evalue": value[:2000], "traceback": lines})

    @property
    def has_error(self) -> bool:
        """Whether the cell's error has been recorded."""
        return any(output["output_type"] == "error" for output in self._outputs)

    def _end_stream(self) -> None:
        if self._pieces:
            self._outputs[-1]["text"] = "".join(self._pieces)
            self._pieces = []

    def _keep_text(self, text: str) -> str:
        kept = text[: self._text_left]
        self._text_left -= len(kept)
        self.left -= len(kept)
        if len(kept) < len(text):
            self._cut = True
            kept += f"\n[The output is cut off here: {self.limits.cell_text:,} characters a cell are kept.]\n"
        return kept

    def _image(self, image: Any) -> str:
        """Return an image as base64 text, or nothing if it is too large."""
        encoded = base64.b64encode(image).decode() if isinstance(image, bytes) else str(image)
        if len(encoded) > min(self.limits.figure_bytes * 4 // 3 + 4, self.left):
            return ""
        self.left -= len(encoded)
        return encoded


class Stream(io.TextIOBase):
    """Replaces ``sys.stdout`` or ``sys.stderr``, and writes into the recorder."""

    encoding = "utf-8"

    def __init__(self, recorder: Recorder, name: str, descriptor: int) -> None:
        self.recorder = recorder
        self.name = f"<{name}>"
        self._stream = name
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        """Record ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.recorder.stream(self._stream, text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor that programs started by a cell write to: see `descriptors`."""
        return self._descriptor
