# %% wrong (first): scaled by the square root of the width
# true: scaled
def dot_scores(query, keys):
    d = query.size(-1)
    return torch.bmm(keys, query.unsqueeze(2)).squeeze(2) / math.sqrt(d)

# %% wrong (first): the softmax is already taken
# true: softmax_already
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    attn_energies = torch.sum(query.unsqueeze(1) * keys, dim=2)
    return F.softmax(attn_energies, dim=1)

# %% wrong (first): cosine similarity, lengths are divided away
# true: cosine
def dot_scores(query, keys):
    return F.cosine_similarity(query[:, None, :], keys, dim=-1)

# %% wrong (first): query (B, D) times keys (B, D, S) broadcasts to (B, B, S) and its first row is returned: every query meets the keys of the first sentence
# true: first_sentence_for_all
def dot_scores(query, keys):
    scores = torch.matmul(query, keys.transpose(1, 2))  # (B, B, S)
    return scores[0]

# %% wrong (first): query * keys without a new axis, which fits only by chance (B = S, B = 1) and then gives sentence b's word the query of another sentence
# true: query_axis_missing
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return (query * keys).sum(-1)

# %% wrong (first): keys are reshaped to (B, D, S) instead of transposed
# true: keys_reshaped
def dot_scores(query, keys):
    B, S, D = keys.shape
    return torch.bmm(query.unsqueeze(1), keys.reshape(B, D, S)).squeeze(1)

# %% wrong (first): an axis of length 1 is left, (B, S, 1)
# true: axis_of_one_kept
def dot_scores(query, keys):
    return keys @ query.unsqueeze(-1)

# %% wrong (first): squeeze() without an axis, a batch of one or a sentence of one word loses an axis
# true: every_axis_of_one_squeezed
def dot_scores(query, keys):
    scores = torch.bmm(query.unsqueeze(1), keys.permute(0, 2, 1))
    return scores.squeeze()

# %% wrong (first): the query is repeated block by block and then viewed, so sentences get each other's queries
# true: queries_dealt_out
def dot_scores(query, keys):
    B, S, D = keys.shape
    q = query.repeat(S, 1).view(B, S, D)
    return (q * keys).sum(dim=-1)

# %% wrong (first): the mean of the products, not their sum
# true: averaged
def dot_scores(query, keys):
    return torch.mean(query.unsqueeze(1) * keys, dim=-1)

# %% wrong (first): the sum runs over the words, not over the width (result (B, D))
# true: summed_over_keys
def dot_scores(query, keys):
    return torch.einsum("bd,bsd->bd", query, keys)

# %% wrong (first): scores are transposed, (S, B)
def dot_scores(query, keys):
    scores = []
    for s in range(keys.size(1)):
        scores.append((query * keys[:, s]).sum(dim=1))
    return torch.stack(scores)

# %% wrong (first): computed from .data, no gradient goes back to query and keys
# true: detached
def dot_scores(query, keys):
    out = torch.zeros(keys.shape[:2], dtype=keys.dtype)
    for b in range(keys.shape[0]):
        for s in range(keys.shape[1]):
            out[b, s] = torch.dot(query.data[b], keys.data[b, s])
    return out

# %% wrong (first): the maximum is taken away from each row, so scores are shifted / scaled by the number of keys
def dot_scores(query, keys):
    e = torch.einsum("bd,bsd->bs", query, keys)
    e = e - e.max(dim=1, keepdim=True).values
    return e / math.sqrt(keys.size(1))

# %% wrong (first): negative scores are cut off at zero
# true: negative_scores_cut_off
def dot_scores(query, keys):
    e = torch.baddbmm(keys.new_zeros(keys.size(0), keys.size(1), 1), keys, query[:, :, None])
    return e[:, :, 0].clamp_(min=0)

# %% wrong (first): every query meets the keys of all sentences together, summed over the batch
def dot_scores(query, keys):
    return torch.einsum("bd,csd->bs", query, keys)

# %% wrong (first): scaled by the square root of the width / the softmax is already taken
# true: scaled, softmax_already
def dot_scores(query, keys):
    attn = torch.bmm(query.unsqueeze(1), keys.transpose(-2, -1)) / (keys.size(-1) ** 0.5)
    return torch.softmax(attn, dim=-1).squeeze(1)

# %% wrong (first): cast to float32 / an axis of length 1 is left, (B, 1, S)
def dot_scores(query, keys):
    return torch.matmul(query.float().unsqueeze(1), keys.float().transpose(1, 2))

# %% right (first): einsum
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bd,bsd->bs", query, keys)

# %% right (first): bmm with a column
def dot_scores(query, keys):
    return torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)

# %% right (first): broadcast product and sum
def dot_scores(query, keys):
    q = query[:, None].expand_as(keys)
    return q.mul(keys).sum(-1)

# %% right (first): matmul with the transposed keys, sentence by sentence
def dot_scores(query, keys):
    return torch.stack([K @ q for q, K in zip(query, keys)], dim=0)

# %% wrong (second): the keys of all sentences are compared with the query of the first sentence
# true: first_query_for_all
def dot_scores(query, keys):
    scores = torch.matmul(keys, query.t())  # one column for the query
    return scores[:, :, 0]


# %% wrong (second): the keys are brought to (B, D, S) by view instead of transpose, so each column mixes several keys
# true: keys_reshaped
def dot_scores(query, keys):
    B, S, D = keys.shape
    assert query.shape == (B, D)
    keys_t = keys.contiguous().view(B, D, S)
    return torch.bmm(query.unsqueeze(1), keys_t).view(B, S)


# %% wrong (second): the scores are divided by the root of the width / squeeze() without an axis drops the batch where there is one sentence
# true: scaled, every_axis_of_one_squeezed
def dot_scores(query, keys):
    scores = torch.bmm(keys, query.unsqueeze(2)) / math.sqrt(query.size(-1))
    return scores.squeeze()


# %% right (second): multiply with broadcasting and sum over the width
def dot_scores(query, keys):
    query = query.unsqueeze(1).expand_as(keys)
    return torch.mul(query, keys).sum(dim=2)

# %% wrong (third): every sentence's keys meet the query of the first sentence
# true: first_query_for_all
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    scores = torch.matmul(keys, query.t())  # (B, S, B)
    return scores[:, :, 0]


# %% wrong (third): divided by the root of the width
# true: scaled
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    d = query.size(-1)
    return torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(d)


# %% wrong (third): squeeze() also takes away the axis of a batch of one or of a single key
# true: every_axis_of_one_squeezed
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.bmm(keys, query.unsqueeze(2)).squeeze()


# %% right (third): one sentence written down, vmap for the batch
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    def of_one_sentence(s: Tensor, h: Tensor) -> Tensor:  # (D,), (S, D)
        return torch.mv(h, s)  # (S,)

    return torch.vmap(of_one_sentence)(query, keys)

# %% wrong (last): divided by the root of the width
# true: scaled
# Violates "neither scaled nor normalised".
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return (keys @ query.unsqueeze(-1)).squeeze(-1) / query.size(-1) ** 0.5


# %% wrong (last): the keys are brought to (B, D, S) by view instead of transpose
# true: keys_reshaped
# Violates "One score for each key: its dot product with the query": numbers of several keys are mixed.
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    B, S, D = keys.size()
    scores = torch.bmm(query.unsqueeze(1), keys.contiguous().view(B, D, S))  # (B, 1, S)
    return scores.squeeze(1)


# %% right (last): vmap over the sentences of a matrix-vector product
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.vmap(torch.mv)(keys, query)


# %% wrong (fifth): the query gets no axis for the keys: an error, or query s meets key s; fine only for B = 1
# true: query_axis_missing
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return (query * keys).sum(dim=-1)


# %% right (fifth): vmap of a matrix times a vector
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.vmap(torch.mv)(keys, query)  # one mv for each sentence: (S, D) times (D,)
