"""Where to compute."""

from __future__ import annotations

import torch

from course_lib.course import CourseError


def device_named(name: str) -> str:
    """Return the device of that name; ``auto`` chooses a graphics card if there is one.

    Raises:
        CourseError: there is no such device.
    """
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda"):
        raise CourseError(f"There is no device {name!r}: --device takes auto, cpu or cuda.")
    if name == "cuda" and not torch.cuda.is_available():
        raise CourseError("PyTorch finds no graphics card here: --device cpu")
    return name
