"""A file of tensors that is whole, or is not there: of the safetensors format, which holds no code."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from course_lib.fingerprint import digest_of
from course_lib.replacing import replacing


def write_tensors(tensors: dict[str, Tensor], path: Path, **about: str) -> None:
    """Write tensors into a file, which takes the old one's place only when it is whole.

    Args:
        tensors: by name, each contiguous and on the CPU.
        path: the file; its folder is made where there is none.
        about: what is said of them in the file's header, beside a digest of all of it.

    Raises:
        OSError: it cannot be written; what was there before still is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(path) as part:
            save_file(tensors, part, {**about, "digest": digest_of(tensors, "".join(about.values()))})
    except SafetensorError as error:  # how safetensors tells of a full disk
        raise OSError(str(error)) from None
