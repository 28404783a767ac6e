# %% wrong: the keys of all sentences are compared with the query of the first sentence
# true: first_query_for_all
def dot_scores(query, keys):
    scores = torch.matmul(keys, query.t())  # one column for the query
    return scores[:, :, 0]


# %% wrong: the keys are brought to (B, D, S) by view instead of transpose, so each column mixes several keys
# true: keys_reshaped
def dot_scores(query, keys):
    B, S, D = keys.shape
    assert query.shape == (B, D)
    keys_t = keys.contiguous().view(B, D, S)
    return torch.bmm(query.unsqueeze(1), keys_t).view(B, S)


# %% wrong: the scores are divided by the root of the width / squeeze() without an axis drops the batch where there is one sentence
# true: scaled, every_axis_of_one_squeezed
def dot_scores(query, keys):
    scores = torch.bmm(keys, query.unsqueeze(2)) / math.sqrt(query.size(-1))
    return scores.squeeze()


# %% right: multiply with broadcasting and sum over the width
def dot_scores(query, keys):
    query = query.unsqueeze(1).expand_as(keys)
    return torch.mul(query, keys).sum(dim=2)
