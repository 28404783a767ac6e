# %% wrong: the heads become the last axis, so their features alternate
# true: interleaved
# Violates "Put the heads of each token side by side, head 0 first".
def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(start_dim=2)


# %% wrong: transpose_ with an underscore turns the caller's tensor round as well
# true: transposed_in_place
# Violates "As always, leave what you are given as it is" and hands back the right result.
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.transpose_(1, 2).reshape(B, T, H * Dh)


# %% right: the heads taken apart and put side by side
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)
