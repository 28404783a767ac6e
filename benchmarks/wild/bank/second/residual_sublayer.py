# %% wrong: pre-norm normalises what the sub-layer returns, x + dropout(norm(F(x))), and not what it is given
# true: pre_norm_behind_the_sublayer
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward_pre(self, x, sublayer):
        return x + self.dropout(self.norm(sublayer(x)))

    def forward_post(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return self.forward_pre(x, sublayer)
        return self.forward_post(x, sublayer)

# %% wrong: dropout falls on the sum of x and F's output and not on F's output alone
# true: dropout_on_the_sum
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        y = self.norm(x) if self.norm_first else x
        y = sublayer(y)
        assert y.shape == x.shape
        out = self.dropout(x + y)
        if not self.norm_first:
            out = self.norm(out)
        return out

# %% wrong: the sub-layer's output is added to x in place, so the tensor that was handed in is changed
# true: input_overwritten
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            x += self.dropout(sublayer(self.norm(x)))
            return x
        x += self.dropout(sublayer(x))
        return self.norm(x)

# %% right: identity and norm chosen as the two ends
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        def same(y: Tensor) -> Tensor:
            return y

        at_the_front, at_the_end = (self.norm, same) if self.norm_first else (same, self.norm)
        added = self.dropout(sublayer(at_the_front(x)))
        return at_the_end(torch.add(added, x))
