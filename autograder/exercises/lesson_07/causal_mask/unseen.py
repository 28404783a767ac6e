# %% wrong (first): it hands back the part that is to be hidden, so True means blocked
# true: true_means_blocked
def causal_mask(length: int) -> Tensor:
    ones = torch.ones(length, length)
    mask = torch.triu(ones, diagonal=1).bool()
    return mask

# %% wrong (first): the diagonal is one too low, no token may attend to itself and the first row is empty
# true: own_token_hidden
def causal_mask(length: int) -> Tensor:
    i = torch.arange(length).unsqueeze(1)
    j = torch.arange(length).unsqueeze(0)
    return j < i

# %% wrong (first): rows and columns are exchanged, each query sees itself and what comes after it
# true: future_only
def causal_mask(length: int) -> Tensor:
    places = torch.arange(length)
    queries, keys = places[None, :], places[:, None]
    mask = keys <= queries
    assert mask.shape == (length, length)
    return mask

# %% wrong (first): the diagonal is one too high, every token sees the next one
# true: one_ahead_visible
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones((length, length), dtype=torch.float32), diagonal=1) > 0

# %% wrong (first): it returns numbers to be added to scores (0 and -inf), not booleans
# true: added_to_scores
def causal_mask(length: int) -> Tensor:
    mask = torch.full((length, length), float("-inf"))
    mask = torch.triu(mask, diagonal=1)
    return mask

# %% wrong (first): one axis too many, (1, T, T)
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    import numpy as np

    future = np.triu(np.ones((1, length, length), dtype=np.int64), k=1)
    return torch.as_tensor(1 - future).bool()

# %% wrong (first): zeros and ones of floats come back, not booleans
# true: numbers_not_booleans
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length)
    for i in range(length):
        mask[i, : i + 1] = 1.0
    return mask

# %% wrong (first): a token does not see itself, only the first one does (so that no row is empty)
# true: own_token_hidden_but_first
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        mask[query, :query] = True
    mask[0, 0] = True  # otherwise softmax gives nan
    return mask

# %% wrong (first): the triangle is cut from one of eight tokens, so longer sentences get a mask that is too small
block_size = 8
_tril = torch.tril(torch.ones(block_size, block_size))


def causal_mask(length: int) -> Tensor:
    return _tril[:length, :length] == 1

# %% wrong (first): PyTorch's own mask is turned into booleans as it is, so True means blocked / an axis for the batch is put in front
def causal_mask(length: int) -> Tensor:
    mask = nn.Transformer.generate_square_subsequent_mask(length)
    return mask.bool().unsqueeze(0)

# %% wrong (first): the row is counted from the wrong end, the triangle stands on its head (the first query sees all, the last only the first key)
# true: triangle_upside_down
def causal_mask(length: int) -> Tensor:
    rows = []
    for i in range(length):
        rows.append([1] * (length - i) + [0] * i)
    return torch.tensor(rows, dtype=torch.bool)

# %% wrong (first): the diagonal is one too high / the numbers are integers, not booleans
def causal_mask(length: int) -> Tensor:
    mask = torch.ones((length, length), dtype=torch.uint8)
    for query in range(length):
        for key in range(query + 2, length):
            mask[query, key] = 0
    return mask

# %% right (first): a boolean tril
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool))

# %% right (first): numpy triu and turned round
def causal_mask(length: int) -> Tensor:
    import numpy as np

    future = np.triu(np.ones((length, length)), k=1).astype("uint8")
    return torch.from_numpy(future) == 0

# %% right (first): two loops and a list
def causal_mask(length: int) -> Tensor:
    table = [[key <= query for key in range(length)] for query in range(length)]
    return torch.tensor(table)

# %% right (first): a running sum of the identity matrix
def causal_mask(length: int) -> Tensor:
    see_itself = torch.eye(length)
    return see_itself.flip(-1).cumsum(-1).flip(-1).bool()

# %% wrong (second): True stands where PyTorch's mask has -inf, so it says what is blocked: every query sees only what comes after it
# true: true_means_blocked
def causal_mask(length: int) -> Tensor:
    mask = nn.Transformer.generate_square_subsequent_mask(length)
    return mask.bool()

# %% wrong (second): the mask has one more axis in front, (1, T, T)
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    attn_shape = (1, length, length)
    subsequent = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent == 0

# %% wrong (second): it is cut from a triangle of fixed size, so for more than 64 tokens the mask is too small
BLOCK_SIZE = 64
_TRIL = torch.tril(torch.ones(BLOCK_SIZE, BLOCK_SIZE)).view(1, 1, BLOCK_SIZE, BLOCK_SIZE)


def causal_mask(length: int) -> Tensor:
    return _TRIL[0, 0, :length, :length] != 0

# %% right (second): filled row by row in a loop
def causal_mask(length: int) -> Tensor:
    allowed = torch.zeros((length, length), dtype=torch.bool)
    for query in range(length):
        allowed[query, : query + 1] = True
    return allowed

# %% wrong (third): has an axis for the batch, (1, T, T), as the subsequent_mask of the Annotated Transformer
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    attn_shape = (1, length, length)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0


# %% wrong (third): a triangle of ones and zeros, float and not boolean
# true: numbers_not_booleans
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


# %% wrong (third): only the first token may see itself, mended because its row was empty; all others see what is before them
# true: own_token_hidden_but_first
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, :i] = True
    mask[0, 0] = True  # otherwise softmax gives nan
    return mask


# %% right (third): ones on the diagonal, added up from above
def causal_mask(length: int) -> Tensor:
    met_at = torch.eye(length, dtype=torch.long)  # (T, T): key j is met at query j
    return met_at.cumsum(dim=0).gt(0)  # (T, T): and stays

# %% wrong (last): copies PyTorch's diagonal=1 from triu into tril, each token sees the next one ("itself and those before it, j ≤ i")
# true: one_ahead_visible
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length), diagonal=1).bool()


# %% wrong (last): minGPT's buffer, ready for batch and heads, of shape (1, 1, T, T) ("of shape (T, T): (query, key)")
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).view(1, 1, length, length) == 1


# %% right (last): running sums down the columns of the unit matrix
def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).eq(1)


# %% wrong (fifth): a query may not see itself, j < i
# true: own_token_hidden
def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril(diagonal=-1)


# %% wrong (fifth): the Annotated Transformer's function, with a batch axis of 1 in front
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    attn_shape = (1, length, length)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0


# %% wrong (fifth): cut from a table of 512 by 512, so longer sentences get too small a mask
def causal_mask(length: int) -> Tensor:
    table = torch.tril(torch.ones(512, 512, dtype=torch.bool))
    return table[:length, :length]


# %% right (fifth): each row is the sum of the rows of the identity up to it
def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).bool()
