# %% right: by einsum
def dot_scores(query, keys):
    return torch.einsum("bd,bsd->bs", query, keys)


# %% right: multiplied and summed
def dot_scores(query, keys):
    return (query[:, None, :] * keys).sum(-1)


# %% right: by bmm
def dot_scores(query, keys):
    return torch.bmm(query.unsqueeze(1), keys.transpose(1, 2)).squeeze(1)


# %% right: sentence by sentence
def dot_scores(query, keys):
    return torch.stack([h @ s for s, h in zip(query, keys, strict=True)])


# %% right: key by key
def dot_scores(query, keys):
    return torch.stack([(keys[:, i] * query).sum(dim=1) for i in range(keys.shape[1])], dim=1)


# %% right: matmul and index
def dot_scores(query, keys):
    return torch.matmul(keys, query[..., None])[..., 0]


# %% right: diagonal of all pairs
def dot_scores(query, keys):
    return (keys @ query.T).diagonal(dim1=0, dim2=2).T


# %% wrong: weights at once
# true: scaled, softmax_already
def dot_scores(query, keys):
    return F.softmax(torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(query.shape[1]), dim=1)


# %% trivial: zeros
def dot_scores(query, keys):
    return torch.zeros(keys.shape[:2], dtype=keys.dtype)


# %% trivial: the input itself
def dot_scores(query, keys):
    return query


# %% trivial: uniform
def dot_scores(query, keys):
    return torch.full(keys.shape[:2], 1 / keys.size(1), dtype=keys.dtype)


# %% trivial: noise
def dot_scores(query, keys):
    return torch.randn(keys.shape[:2], dtype=keys.dtype)
