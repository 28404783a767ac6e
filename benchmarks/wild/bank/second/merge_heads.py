# %% wrong: the axes are put in the order token, feature, head, so the heads' features alternate and do not stand head after head
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    b, h, t, d = x.shape
    out = x.permute(0, 2, 3, 1).contiguous()
    return out.view(b, t, d * h)

# %% wrong: the numbers are only cut anew and heads and tokens are never exchanged, so a row mixes several tokens of one head
# true: not_transposed
def merge_heads(x: Tensor) -> Tensor:
    batch, n_heads, seq, d_k = x.size()
    d_model = n_heads * d_k
    x = x.contiguous()
    assert x.numel() == batch * seq * d_model
    return x.view(batch, seq, d_model)

# %% wrong: squeeze takes away every axis of length one, so a batch of a single sentence comes back without its batch axis
def merge_heads(x: Tensor) -> Tensor:
    heads = torch.split(x, 1, dim=1)
    heads = [head.squeeze() for head in heads]
    return torch.cat(heads, dim=-1)

# %% right: the heads are concatenated one by one
def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.size(1)):
        merged = torch.cat((merged, x[:, h]), dim=2)
    return merged
