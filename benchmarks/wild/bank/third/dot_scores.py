# %% wrong: every sentence's keys meet the query of the first sentence
# true: first_query_for_all
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    scores = torch.matmul(keys, query.t())  # (B, S, B)
    return scores[:, :, 0]


# %% wrong: divided by the root of the width
# true: scaled
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    d = query.size(-1)
    return torch.einsum("bd,bsd->bs", query, keys) / math.sqrt(d)


# %% wrong: squeeze() also takes away the axis of a batch of one or of a single key
# true: every_axis_of_one_squeezed
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.bmm(keys, query.unsqueeze(2)).squeeze()


# %% right: one sentence written down, vmap for the batch
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    def of_one_sentence(s: Tensor, h: Tensor) -> Tensor:  # (D,), (S, D)
        return torch.mv(h, s)  # (S,)

    return torch.vmap(of_one_sentence)(query, keys)
