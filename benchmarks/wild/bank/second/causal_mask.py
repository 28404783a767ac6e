# %% wrong: True stands where PyTorch's mask has -inf, so it says what is blocked: every query sees only what comes after it
# true: true_means_blocked
def causal_mask(length: int) -> Tensor:
    mask = nn.Transformer.generate_square_subsequent_mask(length)
    return mask.bool()

# %% wrong: the mask has one more axis in front, (1, T, T)
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    attn_shape = (1, length, length)
    subsequent = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent == 0

# %% wrong: it is cut from a triangle of fixed size, so for more than 64 tokens the mask is too small
BLOCK_SIZE = 64
_TRIL = torch.tril(torch.ones(BLOCK_SIZE, BLOCK_SIZE)).view(1, 1, BLOCK_SIZE, BLOCK_SIZE)


def causal_mask(length: int) -> Tensor:
    return _TRIL[0, 0, :length, :length] != 0

# %% right: filled row by row in a loop
def causal_mask(length: int) -> Tensor:
    allowed = torch.zeros((length, length), dtype=torch.bool)
    for query in range(length):
        allowed[query, : query + 1] = True
    return allowed
