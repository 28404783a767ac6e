"""Write a file of tensors, completely or not at all, in the safetensors format, which contains no code."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from course_lib.fingerprint import digest_of
from course_lib.replacing import replacing


def write_tensors(tensors: dict[str, Tensor], path: Path, **about: str) -> None:
    """Write tensors into a file, which replaces the old one only when it is complete.

    Args:
        tensors: by name, each contiguous, on any device.
        path: the file; its folder is created if it does not exist.
        about: entries for the file's header, which also gets a digest of everything.

    Raises:
        OSError: the file cannot be written; the old one stays.
    """
    tensors = {name: tensor.cpu() for name, tensor in tensors.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(path) as part:
            save_file(tensors, part, {**about, "digest": digest_of(tensors, "".join(about.values()))})
    except SafetensorError as error:  # how safetensors reports a full disk
        raise OSError(str(error)) from None
