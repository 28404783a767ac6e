# %% wrong (first): W is applied to the keys instead of the query, which is its transpose (and crashes where the widths differ)
# true: w_transposed
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        energy = self.w(keys)
        return torch.sum(query.unsqueeze(1) * energy, dim=2)

# %% wrong (first): query @ weight, the matrix is used without its transpose
# true: w_transposed
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        q = query @ self.w.weight
        return torch.einsum("bd,bsd->bs", q, keys)

# %% wrong (first): scores are divided by the square root of the key's width
# true: scaled
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)
        self.scale = d_key ** -0.5

    def forward(self, query, keys):
        return dot_scores(self.w(query), keys) * self.scale

# %% wrong (first): a tanh on the projected query
# true: tanh_of_the_query
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        projected = torch.tanh(self.w(query)).unsqueeze(2)
        return torch.bmm(keys, projected).squeeze(2)

# %% wrong (first): the softmax is already taken
# true: softmax_already
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        score = torch.matmul(keys, self.w(query).unsqueeze(-1)).squeeze(-1)
        attn = F.softmax(score, dim=-1)
        return attn

# %% wrong (first): W is left out where the two widths agree, a plain dot product
# true: w_unused_where_widths_agree
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        if query.size(-1) == keys.size(-1):
            return dot_scores(query, keys)
        return dot_scores(self.w(query), keys)

# %% wrong (first): the layer has a bias
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key)

    def forward(self, query, keys):
        return (self.w(query)[:, None] * keys).sum(-1)

# %% wrong (first): the layer is called linear and not w, weights that are loaded by name do not fit
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.linear = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        return torch.einsum("bk,bsk->bs", self.linear(query), keys)

# %% wrong (first): the matrix is used through .data, so W gets no gradient
# true: w_detached
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        W = self.w.weight.data
        q = F.linear(query, W)
        return keys.matmul(q.unsqueeze(-1)).squeeze(-1)

# %% wrong (first): an axis of length 1 is left, (B, 1, S)
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        return torch.bmm(self.w(query).unsqueeze(1), keys.transpose(1, 2))

# %% wrong (first): a new layer is made at every call, what was learned or loaded is never used
# true: layer_made_at_every_call
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        w = nn.Linear(query.shape[-1], keys.shape[-1], bias=False).to(query.dtype)
        return dot_scores(w(query), keys)

# %% wrong (first): squeeze() without an axis, a batch of one comes back as (S,)
# true: every_axis_of_one_squeezed
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        return torch.bmm(keys, self.w(query).unsqueeze(2)).squeeze()

# %% wrong (first): only the diagonal of W is used, each entry of the query meets only the key's entry of the same number
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        d = min(query.size(-1), keys.size(-1))
        diag = torch.diagonal(self.w.weight)  # (min(Dk, Dq),)
        return (query[:, None, :d] * diag * keys[..., :d]).sum(dim=-1)

# %% wrong (first): keys and query are normalised to length one before they are compared / the result is scaled
# true: cosine, scaled
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        q = F.normalize(self.w(query), dim=-1)
        k = F.normalize(keys, dim=-1)
        return dot_scores(q, k) / math.sqrt(k.size(-1))

# %% wrong (first): the projected query is compared with the first sentence's keys for the whole batch
# true: first_sentence_for_all
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        scores = self.w(query) @ keys.transpose(-2, -1)  # (B, B, S)
        return scores[0]

# %% wrong (first): an axis is left, (B, S, 1) / a tanh on the scores
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        return torch.tanh(torch.matmul(keys, self.w(query).unsqueeze(2)))

# %% right (first): the query through w, then the earlier dot product
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_scores(self.w(query), keys)

# %% right (first): one einsum of three factors
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight, query)

# %% right (first): keys through the transposed weight first, then bmm with the query
class BilinearScores(nn.Module):
    def __init__(self, d_query, d_key):
        super(BilinearScores, self).__init__()
        self.d_query, self.d_key = d_query, d_key
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys):
        k = torch.matmul(keys, self.w.weight)  # (B, S, Dq)
        return torch.bmm(k, query.view(-1, self.d_query, 1)).squeeze(2)

# %% wrong (third): the layer has a bias
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.d_query = d_query
        self.d_key = d_key
        self.w = nn.Linear(d_query, d_key)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        projected = self.w(query).unsqueeze(-1)  # (B, Dk, 1)
        return torch.bmm(keys, projected).squeeze(-1)


# %% wrong (third): takes the matrix as .data, so that no gradient reaches it
# true: w_detached
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        W = self.w.weight.data  # (Dk, Dq)
        return dot_scores(query @ W.T, keys)


# %% wrong (third): projects the keys to the query's width, with a layer that is the transpose of the one named
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_key, d_query, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return (self.w(keys) * query.unsqueeze(1)).sum(dim=-1)


# %% right (third): one einsum over keys, matrix and query
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight, query)

# %% wrong (last): the cosine between W s and the key instead of the dot product
# true: cosine
# Violates "e_i = h_iᵀ W s" and "neither scaled nor normalised": the lengths are divided away.
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return F.cosine_similarity(self.w(query).unsqueeze(1), keys, dim=-1)


# %% wrong (last): the softmax is taken here already, as in PyTorch's chatbot tutorial
# true: softmax_already
# Violates "The scores (B, S), neither scaled nor normalised".
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        energies = torch.sum(self.w(query).unsqueeze(1) * keys, dim=2)
        return F.softmax(energies, dim=1)


# %% right (last): F.bilinear with the matrix as its only output
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        for_each_key = query.unsqueeze(1).repeat(1, keys.size(1), 1)  # (B, S, Dq)
        return F.bilinear(keys, for_each_key, self.w.weight.unsqueeze(0))[..., 0]


# %% wrong (fifth): the matrix is applied to the keys: an error if it is rectangular, transposed if square
# true: w_transposed
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_scores(query, self.w(keys))
