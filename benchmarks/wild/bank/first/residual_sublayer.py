# %% wrong: pre-norm adds to the normalised input and not to x itself
# true: normalised_input_added
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            x = self.norm(x)
            return x + self.dropout(sublayer(x))
        return self.norm(x + self.dropout(sublayer(x)))

# %% wrong: norm_first is ignored, it is always pre-norm
# true: always_pre_norm
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x + self.dropout(sublayer(self.norm(x)))

# %% wrong: pre-norm normalises what the sub-layer returns and not what it gets
# true: pre_norm_behind_the_sublayer
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            out = x + self.dropout(self.norm(sublayer(x)))
        else:
            out = self.norm(x + self.dropout(sublayer(x)))
        assert out.shape == x.shape
        return out

# %% wrong: the two modes are exchanged
# true: the_two_swapped
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if not self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        else:
            return self.norm(x + self.dropout(sublayer(x)))

# %% wrong: dropout falls on the whole sum
# true: dropout_on_the_sum
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return self.dropout(x + sublayer(self.norm(x)))
        return self.norm(self.dropout(x + sublayer(x)))

# %% wrong: post-norm adds x after the normalisation
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

# %% wrong: x is changed in place, and with it the caller's tensor
# true: input_overwritten
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            y = self.dropout(sublayer(self.norm(x)))
            x += y
            return x
        x += self.dropout(sublayer(x))
        return self.norm(x)

# %% wrong: pre-norm normalises the sum once more at its end
# true: pre_norm_normalised_twice
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        inner = self.norm(x) if self.norm_first else x
        return self.norm(x + self.dropout(sublayer(inner)))

# %% wrong: there is no dropout / post-norm is missing and gives the plain sum
# true: dropout_forgotten, post_norm_not_normalised
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + sublayer(self.norm(x))
        return x + sublayer(x)

# %% wrong: dropout falls on what goes into the sub-layer
# true: dropout_before_the_sublayer
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        y = self.norm(x) if self.norm_first else x
        y = x + sublayer(self.dropout(y))
        return y if self.norm_first else self.norm(y)

# %% wrong: dropout is active in evaluation too
# true: dropout_in_evaluation
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + F.dropout(sublayer(self.norm(x)), p=self.dropout.p)
        return self.norm(x + F.dropout(sublayer(x), p=self.dropout.p))

# %% wrong: the residual is cut from the graph, so no gradient passes along it
# true: residual_detached
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        skip = x.detach().clone()
        if self.norm_first:
            return skip + self.dropout(sublayer(self.norm(x)))
        return self.norm(skip + self.dropout(sublayer(x)))

# %% wrong: in pre-norm the sum is halved
# true: pre_norm_averaged
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return 0.5 * (x + self.dropout(sublayer(self.norm(x))))
        return self.norm(x + self.dropout(sublayer(x)))

# %% wrong: in pre-norm there is no residual connection, only what the sub-layer returns
# true: residual_missing_pre_norm
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x)))
        else:
            return self.norm(x + self.dropout(sublayer(x)))

# %% right: two branches
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))

# %% right: one path with two conditional expressions
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        before = self.norm if self.norm_first else (lambda t: t)
        after = (lambda t: t) if self.norm_first else self.norm
        return after(x + self.dropout(sublayer(before(x))))

# %% right: pre-norm and post-norm as two methods
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward_post(self, x, sublayer):
        delta = sublayer(x)
        delta = self.dropout(delta)
        return self.norm(torch.add(x, delta))

    def forward_pre(self, x, sublayer):
        delta = sublayer(self.norm(x))
        delta = self.dropout(delta)
        return torch.add(x, delta)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.forward_pre(x, sublayer) if self.norm_first else self.forward_post(x, sublayer)

# %% right: F.dropout with the training flag, residual kept in a name
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
        x = F.dropout(sublayer(x), p=self.dropout.p, training=self.training)
        x = residual + x
        if self.norm_first:
            return x
        return self.norm(x)
