# %% wrong: the layer has a bias
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.d_query = d_query
        self.d_key = d_key
        self.w = nn.Linear(d_query, d_key)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        projected = self.w(query).unsqueeze(-1)  # (B, Dk, 1)
        return torch.bmm(keys, projected).squeeze(-1)


# %% wrong: takes the matrix as .data, so that no gradient reaches it
# true: w_detached
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        W = self.w.weight.data  # (Dk, Dq)
        return dot_scores(query @ W.T, keys)


# %% wrong: projects the keys to the query's width, with a layer that is the transpose of the one named
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_key, d_query, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return (self.w(keys) * query.unsqueeze(1)).sum(dim=-1)


# %% right: one einsum over keys, matrix and query
class BilinearScores(nn.Module):
    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight, query)
