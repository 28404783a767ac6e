# %% wrong: each term has a tanh of its own, and they are added afterwards
# true: tanh_of_each
# Violates "e_i = vᵀ tanh(W_1 h_i + W_2 s)": the query adds the same number to every score.
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys)) + torch.tanh(self.w_2(query)).unsqueeze(1)
        return self.v(hidden).squeeze(-1)


# %% wrong: squeeze() without an axis, which also takes away a batch or a sentence of 1
# true: every_axis_of_one_squeezed
# Violates "The scores (B, S)" where B or S is 1.
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query)[:, None, :])).squeeze()


# %% right: one key after the other, and the hidden units weighed by hand
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        asked = self.w_2(query)  # (B, Da)
        weight = self.v.weight.flatten()  # (Da,)
        one_by_one = ((self.w_1(key) + asked).tanh().mul(weight).sum(-1) for key in keys.unbind(dim=1))  # (B,) each
        return torch.stack(tuple(one_by_one), dim=-1)
