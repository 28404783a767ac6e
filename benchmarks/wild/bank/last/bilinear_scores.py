# %% wrong: the cosine between W s and the key instead of the dot product
# true: cosine
# Violates "e_i = h_iᵀ W s" and "neither scaled nor normalised": the lengths are divided away.
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return F.cosine_similarity(self.w(query).unsqueeze(1), keys, dim=-1)


# %% wrong: the softmax is taken here already, as in PyTorch's chatbot tutorial
# true: softmax_already
# Violates "The scores (B, S), neither scaled nor normalised".
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        energies = torch.sum(self.w(query).unsqueeze(1) * keys, dim=2)
        return F.softmax(energies, dim=1)


# %% right: F.bilinear with the matrix as its only output
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        for_each_key = query.unsqueeze(1).repeat(1, keys.size(1), 1)  # (B, S, Dq)
        return F.bilinear(keys, for_each_key, self.w.weight.unsqueeze(0))[..., 0]
