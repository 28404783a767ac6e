# %% wrong: shifts the sentences of the batch and not the tokens, as where time is the first axis
# true: sentences_cut
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    trg_input = target[:-1, :]
    trg_output = target[1:, :]
    return trg_input, trg_output


# %% wrong: moves everything one place to the right and sets bos in front again: both are T + 1 wide, and read bos bos
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    shifted = target.new_zeros(target.shape)
    shifted[:, 1:] = target[:, :-1].clone()
    shifted[:, 0] = target[:, 0]  # decoder_start_token
    return shifted, target


# %% wrong: rolls and does not cut: both are T + 1 wide, and the last place is asked for bos
# true: rolled
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target
    labels = torch.roll(target, shifts=-1, dims=1)
    return inputs, labels


# %% right: windows of two neighbours, taken apart
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    neighbours = target.unfold(1, 2, 1)  # (B, T, 2): a token, and the one right after it
    inputs, labels = (side.contiguous() for side in neighbours.unbind(dim=-1))  # (B, T) each
    return inputs, labels
