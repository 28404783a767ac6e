# %% wrong (first): pre-norm adds to the normalised input and not to x itself
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

# %% wrong (first): norm_first is ignored, it is always pre-norm
# true: always_pre_norm
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x + self.dropout(sublayer(self.norm(x)))

# %% wrong (first): pre-norm normalises what the sub-layer returns and not what it gets
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

# %% wrong (first): the two modes are exchanged
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

# %% wrong (first): dropout falls on the whole sum
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

# %% wrong (first): post-norm adds x after the normalisation
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

# %% wrong (first): x is changed in place, and with it the caller's tensor
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

# %% wrong (first): pre-norm normalises the sum once more at its end
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

# %% wrong (first): there is no dropout / post-norm is missing and gives the plain sum
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

# %% wrong (first): dropout falls on what goes into the sub-layer
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

# %% wrong (first): dropout is active in evaluation too
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

# %% wrong (first): the residual is cut from the graph, so no gradient passes along it
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

# %% wrong (first): in pre-norm the sum is halved
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

# %% wrong (first): in pre-norm there is no residual connection, only what the sub-layer returns
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

# %% right (first): two branches
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

# %% right (first): one path with two conditional expressions
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

# %% right (first): pre-norm and post-norm as two methods
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

# %% right (first): F.dropout with the training flag, residual kept in a name
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

# %% wrong (second): pre-norm normalises what the sub-layer returns, x + dropout(norm(F(x))), and not what it is given
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

# %% wrong (second): dropout falls on the sum of x and F's output and not on F's output alone
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

# %% wrong (second): the sub-layer's output is added to x in place, so the tensor that was handed in is changed
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

# %% right (second): identity and norm chosen as the two ends
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

# %% wrong (third): post-norm normalises what is added, and not the sum
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


# %% wrong (third): post-norm drops from the sum, so from x too
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


# %% wrong (third): adds in place, and so changes the tensor that the caller handed in
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


# %% right (third): one line for both, with a function that does nothing at the place where no norm stands
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

# %% wrong (last): post-norm normalises what F returns and not the sum, x + norm(F(x)), as in Swin v2 ("post-norm: norm(x + dropout(F(x)))")
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


# %% wrong (last): dropout falls on the whole sum in pre-norm, the residual is dropped along ("x + dropout(F(norm(x)))")
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


# %% right (last): no branches in the sum; chooses what stands before and what stands behind
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


# %% wrong (fifth): pre-norm adds in place, so the caller's x is changed
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
        return self.norm(x + self.dropout(sublayer(x)))


# %% wrong (fifth): post-norm normalises what the sub-layer returns, not the sum
# true: post_norm_inside
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        else:
            return x + self.norm(self.dropout(sublayer(x)))


# %% right (fifth): one line for both orders, with what comes before and after chosen first
class ResidualSublayer(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        def unchanged(y: Tensor) -> Tensor:
            return y

        before, after = (self.norm, unchanged) if self.norm_first else (unchanged, self.norm)
        return after(x + self.dropout(sublayer(before(x))))
