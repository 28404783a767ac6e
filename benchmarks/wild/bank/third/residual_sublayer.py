# %% wrong: post-norm normalises what is added, and not the sum
# true: post_norm_inside
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        residual = x
        if self.norm_first:
            x = self.norm(x)
        x = self.dropout(sublayer(x))
        if not self.norm_first:
            x = self.norm(x)
        return residual + x


# %% wrong: post-norm drops from the sum, so from x too
# true: dropout_on_the_sum_post_norm
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(self.dropout(x + sublayer(x)))


# %% wrong: adds in place, and so changes the tensor that the caller handed in
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
        else:
            x += self.dropout(sublayer(x))
            x = self.norm(x)
        return x


# %% right: one line for both, with a function that does nothing at the place where no norm stands
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        def nothing(y: Tensor) -> Tensor:
            return y

        before, after = (self.norm, nothing) if self.norm_first else (nothing, self.norm)
        added = self.dropout(sublayer(before(x)))  # (B, T, D)
        return after(torch.add(added, x))
