# %% wrong: the query's term is added along the axis of the keys, which works only for as many sentences as keys
# true: query_axis_missing
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys) + self.w_2(query))
        return self.v(hidden).squeeze(-1)


# %% wrong: a tanh of each term instead of their sum, so that the query adds the same to every key
# true: tanh_of_each
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        k = torch.tanh(self.w_1(keys))
        q = torch.tanh(self.w_2(query))[:, None, :]
        return self.v(k + q)[..., 0]


# %% wrong: w_1 meets the query and w_2 the keys
# true: layers_swapped
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        # Bahdanau: e_ij = v^T tanh(W s_{i-1} + U h_j)
        Ws = self.w_1(query).unsqueeze(1).expand(-1, keys.size(1), -1)
        Uh = self.w_2(keys)
        return self.v(torch.tanh(Ws + Uh)).squeeze(2)


# %% right: the layers' matrices by hand, v as a vector
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        asked = query @ self.w_2.weight.mT  # (B, Da)
        columns = []
        for key in keys.unbind(dim=1):  # (B, Dk), one place of all sentences
            hidden = torch.tanh(torch.addmm(asked, key, self.w_1.weight.mT))  # (B, Da)
            columns.append(hidden @ self.v.weight[0])  # (B,)
        return torch.stack(columns, dim=1)
