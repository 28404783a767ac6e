# %% wrong: it hands back the part that is to be hidden, so True means blocked
# true: true_means_blocked
def causal_mask(length: int) -> Tensor:
    ones = torch.ones(length, length)
    mask = torch.triu(ones, diagonal=1).bool()
    return mask

# %% wrong: the diagonal is one too low, no token may attend to itself and the first row is empty
# true: own_token_hidden
def causal_mask(length: int) -> Tensor:
    i = torch.arange(length).unsqueeze(1)
    j = torch.arange(length).unsqueeze(0)
    return j < i

# %% wrong: rows and columns are exchanged, each query sees itself and what comes after it
# true: future_only
def causal_mask(length: int) -> Tensor:
    places = torch.arange(length)
    queries, keys = places[None, :], places[:, None]
    mask = keys <= queries
    assert mask.shape == (length, length)
    return mask

# %% wrong: the diagonal is one too high, every token sees the next one
# true: one_ahead_visible
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones((length, length), dtype=torch.float32), diagonal=1) > 0

# %% wrong: it returns numbers to be added to scores (0 and -inf), not booleans
# true: added_to_scores
def causal_mask(length: int) -> Tensor:
    mask = torch.full((length, length), float("-inf"))
    mask = torch.triu(mask, diagonal=1)
    return mask

# %% wrong: one axis too many, (1, T, T)
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    import numpy as np

    future = np.triu(np.ones((1, length, length), dtype=np.int64), k=1)
    return torch.as_tensor(1 - future).bool()

# %% wrong: zeros and ones of floats come back, not booleans
# true: numbers_not_booleans
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length)
    for i in range(length):
        mask[i, : i + 1] = 1.0
    return mask

# %% wrong: a token does not see itself, only the first one does (so that no row is empty)
# true: own_token_hidden_but_first
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        mask[query, :query] = True
    mask[0, 0] = True  # otherwise softmax gives nan
    return mask

# %% wrong: the triangle is cut from one of eight tokens, so longer sentences get a mask that is too small
block_size = 8
_tril = torch.tril(torch.ones(block_size, block_size))


def causal_mask(length: int) -> Tensor:
    return _tril[:length, :length] == 1

# %% wrong: PyTorch's own mask is turned into booleans as it is, so True means blocked / an axis for the batch is put in front
def causal_mask(length: int) -> Tensor:
    mask = nn.Transformer.generate_square_subsequent_mask(length)
    return mask.bool().unsqueeze(0)

# %% wrong: the row is counted from the wrong end, the triangle stands on its head (the first query sees all, the last only the first key)
# true: triangle_upside_down
def causal_mask(length: int) -> Tensor:
    rows = []
    for i in range(length):
        rows.append([1] * (length - i) + [0] * i)
    return torch.tensor(rows, dtype=torch.bool)

# %% wrong: the diagonal is one too high / the numbers are integers, not booleans
def causal_mask(length: int) -> Tensor:
    mask = torch.ones((length, length), dtype=torch.uint8)
    for query in range(length):
        for key in range(query + 2, length):
            mask[query, key] = 0
    return mask

# %% right: a boolean tril
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool))

# %% right: numpy triu and turned round
def causal_mask(length: int) -> Tensor:
    import numpy as np

    future = np.triu(np.ones((length, length)), k=1).astype("uint8")
    return torch.from_numpy(future) == 0

# %% right: two loops and a list
def causal_mask(length: int) -> Tensor:
    table = [[key <= query for key in range(length)] for query in range(length)]
    return torch.tensor(table)

# %% right: a running sum of the identity matrix
def causal_mask(length: int) -> Tensor:
    see_itself = torch.eye(length)
    return see_itself.flip(-1).cumsum(-1).flip(-1).bool()
