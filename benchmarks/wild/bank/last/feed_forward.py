# %% wrong: GELU, the GPT habit, where the text has max(0, ·)
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.dropout(F.gelu(self.w_1(x), approximate="tanh")))


# %% wrong: nanoGPT's order, dropout on what leaves w_2 and not on the hidden numbers ("the share of the hidden numbers that is dropped")
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_1(x)
        x = x.relu()
        x = self.w_2(x)
        x = self.dropout(x)
        return x


# %% right: einsum over the weights, dropout before the clamp (the text allows either)
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias
        hidden = self.dropout(hidden).clamp(min=0)
        return torch.einsum("...f,df->...d", hidden, self.w_2.weight) + self.w_2.bias
