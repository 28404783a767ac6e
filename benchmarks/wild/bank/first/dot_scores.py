# %% wrong: scaled by the square root of the width
# true: scaled
def dot_scores(query, keys):
    d = query.size(-1)
    return torch.bmm(keys, query.unsqueeze(2)).squeeze(2) / math.sqrt(d)

# %% wrong: the softmax is already taken
# true: softmax_already
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    attn_energies = torch.sum(query.unsqueeze(1) * keys, dim=2)
    return F.softmax(attn_energies, dim=1)

# %% wrong: cosine similarity, lengths are divided away
# true: cosine
def dot_scores(query, keys):
    return F.cosine_similarity(query[:, None, :], keys, dim=-1)

# %% wrong: query (B, D) times keys (B, D, S) broadcasts to (B, B, S) and its first row is returned: every query meets the keys of the first sentence
# true: first_sentence_for_all
def dot_scores(query, keys):
    scores = torch.matmul(query, keys.transpose(1, 2))  # (B, B, S)
    return scores[0]

# %% wrong: query * keys without a new axis, which fits only by chance (B = S, B = 1) and then gives sentence b's word the query of another sentence
# true: query_axis_missing
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return (query * keys).sum(-1)

# %% wrong: keys are reshaped to (B, D, S) instead of transposed
# true: keys_reshaped
def dot_scores(query, keys):
    B, S, D = keys.shape
    return torch.bmm(query.unsqueeze(1), keys.reshape(B, D, S)).squeeze(1)

# %% wrong: an axis of length 1 is left, (B, S, 1)
# true: axis_of_one_kept
def dot_scores(query, keys):
    return keys @ query.unsqueeze(-1)

# %% wrong: squeeze() without an axis, a batch of one or a sentence of one word loses an axis
# true: every_axis_of_one_squeezed
def dot_scores(query, keys):
    scores = torch.bmm(query.unsqueeze(1), keys.permute(0, 2, 1))
    return scores.squeeze()

# %% wrong: the query is repeated block by block and then viewed, so sentences get each other's queries
# true: queries_dealt_out
def dot_scores(query, keys):
    B, S, D = keys.shape
    q = query.repeat(S, 1).view(B, S, D)
    return (q * keys).sum(dim=-1)

# %% wrong: the mean of the products, not their sum
# true: averaged
def dot_scores(query, keys):
    return torch.mean(query.unsqueeze(1) * keys, dim=-1)

# %% wrong: the sum runs over the words, not over the width (result (B, D))
# true: summed_over_keys
def dot_scores(query, keys):
    return torch.einsum("bd,bsd->bd", query, keys)

# %% wrong: scores are transposed, (S, B)
def dot_scores(query, keys):
    scores = []
    for s in range(keys.size(1)):
        scores.append((query * keys[:, s]).sum(dim=1))
    return torch.stack(scores)

# %% wrong: computed from .data, no gradient goes back to query and keys
# true: detached
def dot_scores(query, keys):
    out = torch.zeros(keys.shape[:2], dtype=keys.dtype)
    for b in range(keys.shape[0]):
        for s in range(keys.shape[1]):
            out[b, s] = torch.dot(query.data[b], keys.data[b, s])
    return out

# %% wrong: the maximum is taken away from each row, so scores are shifted / scaled by the number of keys
def dot_scores(query, keys):
    e = torch.einsum("bd,bsd->bs", query, keys)
    e = e - e.max(dim=1, keepdim=True).values
    return e / math.sqrt(keys.size(1))

# %% wrong: negative scores are cut off at zero
# true: negative_scores_cut_off
def dot_scores(query, keys):
    e = torch.baddbmm(keys.new_zeros(keys.size(0), keys.size(1), 1), keys, query[:, :, None])
    return e[:, :, 0].clamp_(min=0)

# %% wrong: every query meets the keys of all sentences together, summed over the batch
def dot_scores(query, keys):
    return torch.einsum("bd,csd->bs", query, keys)

# %% wrong: scaled by the square root of the width / the softmax is already taken
# true: scaled, softmax_already
def dot_scores(query, keys):
    attn = torch.bmm(query.unsqueeze(1), keys.transpose(-2, -1)) / (keys.size(-1) ** 0.5)
    return torch.softmax(attn, dim=-1).squeeze(1)

# %% wrong: cast to float32 / an axis of length 1 is left, (B, 1, S)
def dot_scores(query, keys):
    return torch.matmul(query.float().unsqueeze(1), keys.float().transpose(1, 2))

# %% right: einsum
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bd,bsd->bs", query, keys)

# %% right: bmm with a column
def dot_scores(query, keys):
    return torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)

# %% right: broadcast product and sum
def dot_scores(query, keys):
    q = query[:, None].expand_as(keys)
    return q.mul(keys).sum(-1)

# %% right: matmul with the transposed keys, sentence by sentence
def dot_scores(query, keys):
    return torch.stack([K @ q for q, K in zip(query, keys)], dim=0)
