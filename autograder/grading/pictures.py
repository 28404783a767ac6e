"""Reduce a student's picture to a plain PNG of bounded size, without decoding it.

A file of a few kilobytes may declare 30,000 × 30,000 pixels, and would cost every browser that opens a page with it
gigabytes of memory.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MOST_SIDE, MOST_PIXELS = 8_000, 16_000_000  #: limits for one picture. A large figure at 300 dpi has 6 million pixels
MOST_ON_A_PAGE = 100_000_000  #: the most pixels of all pictures of a notebook

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: the chunks of a still picture. Profiles, texts and animations are left out
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"pHYs", b"IDAT", b"IEND")


@dataclass(frozen=True)
class Picture:
    """A picture that a page may show.

    Attributes:
        encoded: the PNG as base64, or empty if the picture must not be shown.
        pixels: the number of pixels.
        problem: a sentence on why the picture must not be shown.
    """

    encoded: str = ""
    pixels: int = 0
    problem: str = ""


def plain_picture(encoded: str, left: int = MOST_ON_A_PAGE) -> Picture:
    """Check a picture, and keep only the chunks of a still picture.

    Args:
        encoded: a PNG as base64.
        left: the number of pixels that the page may still show.
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
    """Yield the name, begin and end of each chunk up to the last one. Ignore any data after it.

    Raises:
        ValueError: the data is not a PNG, or is cut off.
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
    """Return the width and height from the first chunk, which must be the only header.

    Raises:
        ValueError: the first chunk is not a header, or there are several headers.
    """
    headers = [begin for name, begin, end in chunks if name == b"IHDR"]
    if headers != [len(_SIGNATURE)]:
        raise ValueError("no header, or several")
    width, height = struct.unpack_from(">II", data, headers[0] + 8)
    if not width or not height:
        raise ValueError("no pixels")
    return width, height
