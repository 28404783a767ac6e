# %% right: unsqueezed by hand
def decoder_mask(ids, pad_id):
    return (ids != pad_id)[:, None, :] & causal_mask(ids.shape[1])


# %% right: triangle of the padding mask
def decoder_mask(ids, pad_id):
    return padding_mask(ids, pad_id).repeat(1, ids.size(1), 1).tril()


# %% right: logical and
def decoder_mask(ids, pad_id):
    causal = causal_mask(ids.size(-1)).unsqueeze(0).to(ids.device)
    return torch.logical_and(causal, padding_mask(ids, pad_id))


# %% right: blocked ones joined
def decoder_mask(ids, pad_id):
    blocked = ~padding_mask(ids, pad_id) | ~causal_mask(ids.size(1)).to(ids.device)
    return ~blocked


# %% right: product
def decoder_mask(ids, pad_id):
    return padding_mask(ids, pad_id) * causal_mask(len(ids[0]))


# %% right: sentence by sentence
def decoder_mask(ids, pad_id):
    return torch.stack([causal_mask(len(row)) & (row != pad_id) for row in ids])


# %% right: filled
def decoder_mask(ids, pad_id):
    mask = causal_mask(ids.size(1)).to(ids.device).expand(ids.size(0), -1, -1).clone()
    return mask.masked_fill(~padding_mask(ids, pad_id), False)


# %% wrong: repeated triangle
# true: padding_forgotten
def decoder_mask(ids, pad_id):
    return causal_mask(ids.size(1)).repeat(len(ids), 1, 1)


# %% wrong: repeated padding mask
# true: future_forgotten
def decoder_mask(ids, pad_id):
    return (ids != pad_id)[:, None].repeat(1, ids.size(1), 1)


# %% wrong: torchs padding mask
# true: padding_only
def decoder_mask(ids, pad_id):
    return (ids == pad_id)[:, None, :] & causal_mask(ids.size(1))


# %% wrong: padding as a matrix
# true: sentences_as_queries
def decoder_mask(ids, pad_id):
    return (ids != pad_id) & causal_mask(ids.size(1))


# %% wrong: triangle one up
# true: one_ahead_visible
def decoder_mask(ids, pad_id):
    t = torch.arange(ids.size(1))
    return (t[None, :] - t[:, None] < 2) & (ids != pad_id)[:, None]


# %% trivial: all true
def decoder_mask(ids, pad_id):
    return torch.ones(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)


# %% trivial: all false
def decoder_mask(ids, pad_id):
    return torch.zeros(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)


# %% trivial: only itself
def decoder_mask(ids, pad_id):
    return torch.eye(ids.size(1), dtype=torch.bool).expand(ids.size(0), -1, -1)


# %% trivial: noise
def decoder_mask(ids, pad_id):
    return torch.rand(ids.size(0), ids.size(1), ids.size(1)) < 0.5
