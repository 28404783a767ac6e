"""A student's picture as a page may show it: a plain PNG of a bounded size, checked without decoding it.

A file of some kilobytes may say that it has 30,000 × 30,000 pixels. Every browser that opens the page would then take
gigabytes for it, and so would every feedback page.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MOST_SIDE, MOST_PIXELS = 8_000, 16_000_000  #: of one picture; a large figure at 300 dots per inch has 6 million
MOST_ON_A_PAGE = 100_000_000  #: pixels of all pictures of a notebook

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: what a still picture is made of; profiles, texts and animations are left out
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"pHYs", b"IDAT", b"IEND")


@dataclass(frozen=True)
class Picture:
    """A picture that a page may show.

    Attributes:
        encoded: the PNG as base64; empty if it must not be shown.
        pixels: how many it has.
        problem: why it must not be shown, as a sentence.
    """

    encoded: str = ""
    pixels: int = 0
    problem: str = ""


def plain_picture(encoded: str, left: int = MOST_ON_A_PAGE) -> Picture:
    """Check a picture, and keep what a still picture needs.

    Args:
        encoded: a PNG as base64.
        left: how many pixels the page may still show.
    """
    try:
        data = base64.b64decode(encoded)
        chunks = list(_chunks(data))
        width, height = _size(data, chunks)
    except (ValueError, binascii.Error, struct.error):
        return Picture(problem="A picture is left out, because it is not a PNG.")
    size = f"of {width:,} × {height:,} pixels"
    if max(width, height) > MOST_SIDE or width * height > MOST_PIXELS:
        most = f"a page shows at most {MOST_SIDE:,} on each side and {MOST_PIXELS:,} in all"
        return Picture(problem=f"A picture {size} is left out: {most}.")
    if width * height > left:
        most = f"the pictures of a page have at most {MOST_ON_A_PAGE:,} in all"
        return Picture(problem=f"A picture {size} is left out: {most}.")
    kept = b"".join(data[begin:end] for name, begin, end in chunks if name in _KEPT)
    return Picture(base64.b64encode(_SIGNATURE + kept).decode(), width * height)


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Name, begin and end of each chunk up to the last one; what follows that is not part of the picture.

    Raises:
        ValueError: it is not a PNG, or is cut off.
    """
    if not data.startswith(_SIGNATURE):
        raise ValueError("no signature")
    begin, name = len(_SIGNATURE), b""
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", data, begin)
        end = begin + 12 + length
        if end > len(data):
            raise ValueError("cut off")
        yield name, begin, end
        begin = end


def _size(data: bytes, chunks: list[tuple[bytes, int, int]]) -> tuple[int, int]:
    """Width and height, which the first chunk says, and no other may.

    Raises:
        ValueError: the first chunk does not say it, or several do.
    """
    headers = [begin for name, begin, end in chunks if name == b"IHDR"]
    if headers != [len(_SIGNATURE)]:
        raise ValueError("no header, or several")
    width, height = struct.unpack_from(">II", data, headers[0] + 8)
    if not width or not height:
        raise ValueError("no pixels")
    return width, height
