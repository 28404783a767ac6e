"""A submission's picture reaches a page only if every browser can open it."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from autograder.grading.feedback_notebook import _harmless
from autograder.grading.pictures import MOST_ON_A_PAGE, MOST_SIDE, plain_picture

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def header(width: int, height: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))


def png(width: int, height: int, *more: bytes, end: bytes = b"") -> str:
    """Make a tiny PNG that claims to have any number of pixels."""
    pixels = zlib.compress(bytes(min((width // 8 + 1) * height, 10_000)), 9)
    data = SIGNATURE + header(width, height) + b"".join(more) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"") + end
    return base64.b64encode(data).decode()


def figure(width: int, height: int) -> tuple[str, Any]:
    pixels = (np.arange(width * height * 3) % 251).astype(np.uint8).reshape(height, width, 3)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png", dpi=(100, 100))
    return base64.encodebytes(file.getvalue()).decode(), pixels


def test_a_figure_is_shown_pixel_by_pixel() -> None:
    encoded, pixels = figure(640, 480)
    picture = plain_picture(encoded)
    assert (picture.pixels, picture.problem) == (640 * 480, "")
    again = Image.open(io.BytesIO(base64.b64decode(picture.encoded)))
    assert np.array_equal(np.asarray(again), pixels)
    assert plain_picture(picture.encoded) == picture


@pytest.mark.parametrize("size", [(30_000, 30_000), (MOST_SIDE + 1, 1), (1, 2**31 - 1), (5_000, 5_000)])
def test_a_picture_of_a_few_kilobytes_with_very_many_pixels_is_left_out(size: tuple[int, int]) -> None:
    picture = plain_picture(png(*size))
    assert picture.encoded == ""
    assert picture.problem.startswith(
        f"A picture of {size[0]:,} × {size[1]:,} pixels is left out: a page shows at most"
    )


@pytest.mark.parametrize(
    "encoded",
    [
        "",
        "AAAA",
        "not base64 at all",
        base64.b64encode(b"GIF89a" + bytes(100)).decode(),
        base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(100)).decode(),
        base64.b64encode(b"<svg onload='alert(1)'/>").decode(),
        base64.b64encode(SIGNATURE).decode(),
        base64.b64encode(SIGNATURE + chunk(b"IDAT", b"") + header(1, 1) + chunk(b"IEND", b"")).decode(),
        base64.b64encode(SIGNATURE + header(8, 8) + struct.pack(">I4s", 2**31, b"IDAT")).decode(),
        png(0, 8),
        png(8, 8, header(30_000, 30_000)),
        png(8, 8)[:40],
    ],
)
def test_what_is_not_a_png_is_left_out(encoded: str) -> None:
    assert plain_picture(encoded).encoded == ""
    assert plain_picture(encoded).problem == "A picture is left out, because it is not a PNG."


def test_an_animation_is_a_still_picture_and_nothing_is_hidden_in_one() -> None:
    frames = [chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)), chunk(b"fcTL", bytes(26)), chunk(b"fdAT", bytes(100))]
    hidden = [chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(10**6))), chunk(b"zTXt", b"x"), chunk(b"tEXt", b"<script>")]
    picture = plain_picture(png(8, 8, *frames, *hidden, end=b"<script>alert(1)</script>"))
    data = base64.b64decode(picture.encoded)
    assert not any(name in data for name in (b"acTL", b"fcTL", b"fdAT", b"iCCP", b"zTXt", b"tEXt", b"script"))
    assert data.endswith(chunk(b"IEND", b""))


def test_many_large_pictures_fill_a_page_no_further_than_one_may() -> None:
    left = MOST_ON_A_PAGE
    shown = [plain_picture(png(4_000, 4_000), left := left - 16_000_000) for _ in range(10)]
    assert [bool(picture.encoded) for picture in shown] == [True] * 5 + [False] * 5
    assert "in all" in shown[-1].problem


def test_a_sentence_takes_the_place_of_a_picture() -> None:
    def shown(encoded: str) -> dict[str, str]:
        output = {"output_type": "display_data", "data": {"image/png": encoded, "text/plain": "<Figure>"}}
        found = _harmless(output, 1000, MOST_ON_A_PAGE)
        assert found is not None
        return dict(found["data"])

    assert shown(png(30_000, 30_000))["text/plain"].startswith("[A picture of 30,000 × 30,000 pixels is left out")
    assert shown(figure(8, 8)[0]).keys() == {"image/png", "text/plain"}


def test_a_description_reaches_the_page_as_plain_text_of_bounded_length() -> None:
    def described(alt: object, longest: int = 1000) -> str:
        output = {"output_type": "display_data", "data": {"image/png": figure(8, 8)[0]}}
        found = _harmless({**output, "metadata": {"image/png": {"alt": alt}, "more": 1}}, longest, MOST_ON_A_PAGE)
        assert found is not None and found["metadata"].keys() <= {"image/png"}
        return str(found["metadata"].get("image/png", {}).get("alt", ""))

    assert described('two bars" onload="evil()') == 'two bars" onload="evil()', "the page escapes it"
    assert described("\x1b[2Jtwo bars") == "two bars"
    assert described("x" * 100, longest=10) == "x" * 10 + "\n… and more"
    assert described(["no text"]) == ""
