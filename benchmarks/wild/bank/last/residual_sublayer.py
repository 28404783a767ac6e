# %% wrong: post-norm normalises what F returns and not the sum, x + norm(F(x)), as in Swin v2 ("post-norm: norm(x + dropout(F(x)))")
# half: post_norm_inside
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            out = sublayer(self.norm(x))
        else:
            out = self.norm(sublayer(x))
        return x + self.dropout(out)


# %% wrong: dropout falls on the whole sum in pre-norm, the residual is dropped along ("x + dropout(F(norm(x)))")
# true: dropout_on_the_sum_pre_norm
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if not self.norm_first:
            return self.norm(x + self.dropout(sublayer(x)))
        return self.dropout(x + sublayer(self.norm(x)))


# %% right: no branches in the sum; chooses what stands before and what stands behind
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        nothing = lambda y: y  # noqa: E731
        before, behind = (self.norm, nothing) if self.norm_first else (nothing, self.norm)
        return behind(torch.stack((x, self.dropout(sublayer(before(x))))).sum(dim=0))
