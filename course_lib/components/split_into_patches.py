"""Patches: an image as a sentence.

Each spatial axis is split in two, and `permute` brings the two that count patches to the front. As with heads, a
`reshape` alone would have the right shape and the wrong pixels.
"""

from torch import Tensor


def split_into_patches(images: Tensor, size: int) -> Tensor:
    """Cut images into square patches and lay each out as one vector.

    Patches come in reading order: the top row from left to right, then the next row. Within a patch, all numbers of
    channel 0 come first, row by row, then those of channel 1, and so on.

    Args:
        images: (B, C, H, W); both H and W are multiples of ``size``.
        size: P, the height and width of a patch.

    Returns:
        (B, N, C P²), with N = H/P · W/P patches.

    Raises:
        ValueError: H or W is not a multiple of ``size``.

    Source: Dosovitskiy et al. 2021, section 3.1.
    """
    batch, channels, height, width = images.shape
    if height % size or width % size:
        raise ValueError(f"patches of {size} × {size} do not fill an image of {height} × {width}")
    patches = images.reshape(batch, channels, height // size, size, width // size, size)  # (B, C, H/P, P, W/P, P)
    patches = patches.permute(0, 2, 4, 1, 3, 5)  # (B, H/P, W/P, C, P, P)
    return patches.reshape(batch, -1, channels * size * size)  # (B, N, C P²)
