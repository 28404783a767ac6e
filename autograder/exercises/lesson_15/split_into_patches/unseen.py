# %% wrong (fourth): reshape alone: numbers as they lie in memory
# true: reshaped_without_permuting
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    return images.reshape(B, (H // size) * (W // size), C * size * size)


# %% wrong (fourth): patches go down the columns first
# true: columns_first
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    x = images.view(B, C, H // size, size, W // size, size)
    x = x.permute(0, 4, 2, 1, 3, 5)
    return x.reshape(B, -1, C * size * size)


# %% wrong (fourth): channels come last within a patch, as in einops' (p1 p2 c)
# true: channels_last
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    x = images.reshape(B, C, H // size, size, W // size, size)
    x = x.permute(0, 2, 4, 3, 5, 1)  # b h w p1 p2 c
    return x.reshape(B, (H // size) * (W // size), size * size * C)


# %% wrong (fourth): pixels within a patch are read down the columns
# true: transposed_patches
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    patches = images.unfold(2, size, size).unfold(3, size, size)  # (B, C, h, w, P, P)
    patches = patches.permute(0, 2, 3, 1, 5, 4)
    return patches.flatten(1, 2).flatten(2)


# %% wrong (fourth): no error where the size does not fit: the rest is cut off
# true: rest_cut_off
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    patches = images.unfold(2, size, size).unfold(3, size, size)
    patches = patches.permute(0, 2, 3, 1, 4, 5).contiguous()
    return patches.view(B, -1, C * size * size)


# %% wrong (fourth): only the height is looked at
# true: one_side_checked
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size:
        raise ValueError("height is no multiple of size")
    rows = []
    for i in range(0, H, size):
        for j in range(0, W - size + 1, size):
            rows.append(images[:, :, i : i + size, j : j + size].reshape(B, -1))
    return torch.stack(rows, dim=1)


# %% wrong (fourth): height and width must be equal
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H != W or H % size != 0:
        raise ValueError("images must be square, and a multiple of size")
    n = H // size
    x = images.reshape(B, C, n, size, n, size).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, n * n, C * size**2)


# %% wrong (fourth): F.unfold's columns are not turned: (B, C P², N)
# true: patches_and_numbers_exchanged
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    return nn.functional.unfold(images, kernel_size=size, stride=size)


# %% wrong (fourth): each channel has patches of its own
# true: channels_as_patches
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    x = images.view(B, C, H // size, size, W // size, size).transpose(3, 4)
    return x.reshape(B, C * (H // size) * (W // size), size * size)


# %% wrong (fourth): an assertion instead of a ValueError
# true: another_error
def split_into_patches(images: Tensor, size: int) -> Tensor:
    b, c, h, w = images.shape
    assert h % size == 0 and w % size == 0, "image dimensions must be divisible by the patch size"
    return nn.functional.unfold(images, size, stride=size).transpose(1, 2)


# %% wrong (fourth): the axes of rows within a patch and of patches below each other are mixed up
# true: pixels_from_far_apart
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    x = images.reshape(B, C, size, H // size, size, W // size)
    x = x.permute(0, 3, 5, 1, 2, 4)
    return x.reshape(B, -1, C * size * size)


# %% right (fourth): cut the axes, permute, and join them
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    h, w = H // size, W // size
    x = images.reshape(B, C, h, size, w, size)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, h * w, C * size**2)


# %% right (fourth): F.unfold, turned
def split_into_patches(images: Tensor, size: int) -> Tensor:
    if images.size(2) % size or images.size(3) % size:
        raise ValueError("height and width must be multiples of the patches' size")
    columns = nn.functional.unfold(images, kernel_size=(size, size), stride=(size, size))
    return columns.mT.contiguous()


# %% right (fourth): patch by patch
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    patches = []
    for top in range(0, H, size):
        for left in range(0, W, size):
            patches.append(images[:, :, top : top + size, left : left + size].flatten(1))
    return torch.stack(patches, dim=1)


# %% right (fourth): split and cat: strips first
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"images of {H} x {W} cannot be cut into patches of {size}")

    strips = images.split(size, dim=2)
    return torch.cat(
        [torch.stack([p.reshape(B, -1) for p in strip.split(size, dim=3)], dim=1) for strip in strips], dim=1
    )


# %% wrong (fifth): within a patch, the channels of a pixel are next to each other
# true: channels_last
def split_into_patches(images: Tensor, size: int) -> Tensor:
    B, C, H, W = images.shape
    if H % size or W % size:
        raise ValueError(f"{H} x {W} can't be cut into patches of {size} x {size}")
    patches = images.reshape(B, C, H // size, size, W // size, size)
    patches = patches.permute(0, 2, 4, 3, 5, 1)  # b h w p1 p2 c
    return patches.reshape(B, (H // size) * (W // size), size * size * C)


# %% wrong (fifth): a W that is not a multiple of size is cropped without a ValueError
# true: one_side_checked
def split_into_patches(images: Tensor, size: int) -> Tensor:
    batch, channels, height, _ = images.shape
    if height % size != 0:
        raise ValueError("the images can't be cut into patches of this size")
    patches = images.unfold(2, size, size).unfold(3, size, size)  # (B, C, H/P, W/P, P, P)
    patches = patches.permute(0, 2, 3, 1, 4, 5)
    return patches.reshape(batch, -1, channels * size * size)


# %% right (fifth): two loops over the corners, each patch is flattened and stacked
def split_into_patches(images: Tensor, size: int) -> Tensor:
    height, width = images.shape[-2:]
    if any(side % size for side in (height, width)):
        raise ValueError(f"{height} and {width} have to be multiples of {size}")
    rows = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            patch = images[:, :, top : top + size, left : left + size]  # (B, C, P, P)
            rows.append(patch.flatten(start_dim=1))
    return torch.stack(rows, dim=1)
