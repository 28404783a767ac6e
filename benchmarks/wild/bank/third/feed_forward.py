# %% wrong: drops hidden numbers in evaluation too: F.dropout is not told whether the module trains
# true: dropout_in_evaluation
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.w_1(x))
        h = F.dropout(h, p=self.dropout.p)
        return self.w_2(h)


# %% wrong: takes three axes for granted: a token alone, or a table of tokens, is an error
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        x = x.reshape(B * T, D)  # every position separately
        x = self.w_2(self.dropout(torch.relu(self.w_1(x))))
        return x.view(B, T, D)


# %% wrong: drops twice, the second time from the output, as the block of nn.TransformerEncoderLayer does
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_2(self.dropout(F.relu(self.w_1(x))))
        return self.dropout(x)


# %% right: two einsums on the weights themselves, torch.where for the ReLU, dropout before it
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias  # (..., F)
        hidden = self.dropout(hidden)
        hidden = torch.where(hidden > 0, hidden, torch.zeros_like(hidden))
        return torch.einsum("...f,df->...d", hidden, self.w_2.weight) + self.w_2.bias  # (..., D)
