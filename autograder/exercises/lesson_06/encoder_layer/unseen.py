# %% wrong (first): the lambda attends over the layer's x and not over the normalised tokens it is given
# true: input_not_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.self_attention_residual(x, lambda _: self.self_attention(x, x, x, mask))
        return self.feed_forward_residual(h, self.feed_forward)

# %% wrong (first): only the query is normalised in pre-norm, keys and values are the raw x
# true: only_queries_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.size = d_model

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = x
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, memory, memory, mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the mask does not reach the attention
# true: mask_not_passed
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def _attend(self, y: Tensor) -> Tensor:
        return self.self_attention(y, y, y)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, self._attend)
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (first): norm_first is given where dropout belongs, so pre-norm drops everything in training and post-norm is never made
# true: norm_first_as_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.feed_forward_residual(x, lambda y: self.feed_forward(y))
        return x

# %% wrong (first): both sub-layers share one residual part, and so one norm
# true: one_residual_for_both
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = residual
        self.feed_forward_residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda t: self.self_attention(t, t, t, mask=mask))
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (first): the feed-forward sub-layer starts from the layer's input, what attention made is lost
# true: attention_left_out
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        assert attended.shape == x.shape
        out = self.feed_forward_residual(x, self.feed_forward)
        return out

# %% wrong (first): the feed-forward network comes before attention
# true: network_first
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.feed_forward_residual(x, self.feed_forward)
        x = self.self_attention_residual(x, lambda y: self.self_attention(query=y, key=y, value=y, mask=mask))
        return x

# %% wrong (first): dropout is not passed to attention and to the feed-forward network
# true: sublayers_without_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(tokens):
            return self.self_attention(tokens, tokens, tokens, mask)
        return self.feed_forward_residual(self.self_attention_residual(x, attend), self.feed_forward)

# %% wrong (first): the second residual sub-layer is pre-norm in both modes / the mask is turned round
# true: norm_first_for_the_first_only, mask_inverted
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        blocked = None if mask is None else ~mask
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, blocked))
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (first): x is added around the residual sub-layers a second time
# true: added_twice
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = x + self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = x + self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the weights are asked for and returned beside the output
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None):
        kept = []

        def attend(y):
            out, weights = self.self_attention(y, y, y, mask, need_weights=True)
            kept.append(weights)
            return out

        x = self.self_attention_residual(x, attend)
        x = self.feed_forward_residual(x, self.feed_forward)
        return x, kept[0]

# %% wrong (first): the attention is called attention and the residual parts stand in a list, so weights cannot be loaded by the names asked for
# true: other_names
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.residuals = nn.ModuleList([ResidualSublayer(d_model, dropout, norm_first) for _ in range(2)])

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.residuals[0](x, lambda y: self.attention(y, y, y, mask))
        return self.residuals[1](x, self.feed_forward)

# %% wrong (first): the network's width is fixed at four times D, d_ff is not used
# true: d_ff_ignored
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, 4 * d_model, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)

# %% right (first): lambdas
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.feed_forward_residual(x, lambda y: self.feed_forward(y))
        return x

# %% right (first): functools.partial over a helper method
from functools import partial


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super(EncoderLayer, self).__init__()
        self.d_model, self.norm_first = d_model, norm_first
        shared = dict(dropout=dropout, norm_first=norm_first)
        self.self_attention_residual = ResidualSublayer(d_model, **shared)
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, **shared)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)

    def _attend(self, tokens, mask):
        return self.self_attention(query=tokens, key=tokens, value=tokens, mask=mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention_residual(x, partial(self._attend, mask=mask))
        return self.feed_forward_residual(attended, self.feed_forward)

# %% right (first): an inner function, weights asked for and kept as an attribute
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.last_weights = None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attention_only(y: Tensor) -> Tensor:
            out, weights = self.self_attention(y, y, y, mask, need_weights=True)
            self.last_weights = weights.detach()
            return out

        for residual, part in (
            (self.self_attention_residual, attention_only),
            (self.feed_forward_residual, self.feed_forward),
        ):
            x = residual(x, part)
        return x

# %% wrong (second): only the queries are what the residual sub-layer hands over; keys and values are the layer's own x, not normalised with pre-norm
# true: only_queries_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.size = d_model
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, x, x, mask))
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (second): both residual sub-layers are one and the same module, so they share one norm
# true: one_residual_for_both
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        residual = ResidualSublayer(d_model=d_model, dropout=dropout, norm_first=norm_first)
        self.self_attention_residual = residual
        self.feed_forward_residual = residual

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(y):
            return self.self_attention(y, y, y, mask=mask)

        x = self.self_attention_residual(x, attend)
        x = self.feed_forward_residual(x, lambda y: self.feed_forward(y))
        return x

# %% wrong (second): attention gets no dropout / the second residual sub-layer is not told norm_first and is pre-norm in a post-norm layer too
# true: norm_first_for_the_first_only, attention_without_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super(EncoderLayer, self).__init__()
        assert d_model % num_heads == 0
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention_residual(x, lambda h: self.self_attention(h, h, h, mask))
        return self.feed_forward_residual(attended, self.feed_forward)

# %% right (second): a helper method that returns the function, a loop over the two sub-layers
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        around = {"dropout": dropout, "norm_first": norm_first}
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, **around)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, **around)

    def _look_around(self, mask: Tensor | None) -> Callable[[Tensor], Tensor]:
        def attention(tokens: Tensor) -> Tensor:
            return self.self_attention(query=tokens, key=tokens, value=tokens, mask=mask, need_weights=False)

        return attention

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for residual, sublayer in (
            (self.self_attention_residual, self._look_around(mask)),
            (self.feed_forward_residual, self.feed_forward),
        ):
            x = residual(x, sublayer)
        return x

# %% wrong (third): pre-norm, only the queries are normalised: keys and values are the layer's x as it came in
# true: only_queries_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, x, x, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (third): attention gets no dropout, whose default is 0
# true: attention_without_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x


# %% wrong (third): norm_first does not reach the network's residual, which is always pre-norm
# true: norm_first_for_the_first_only
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(y):
            return self.self_attention(y, y, y, mask=mask)

        return self.feed_forward_residual(self.self_attention_residual(x, attend), self.feed_forward)


# %% right (third): parts made in a loop and set by name, a partial for the mask, attention as a method of one argument
from functools import partial


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        parts = {
            "self_attention": MultiHeadAttention(d_model, num_heads, dropout=dropout),
            "feed_forward": FeedForward(d_model, d_ff, dropout=dropout),
        }
        for name, part in parts.items():
            self.add_module(name, part)
            self.add_module(f"{name}_residual", ResidualSublayer(d_model, dropout, norm_first))

    def _look_around(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        return self.self_attention(query=tokens, key=tokens, value=tokens, mask=mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        steps = (
            (self.self_attention_residual, partial(self._look_around, mask=mask)),
            (self.feed_forward_residual, self.feed_forward),
        )
        for residual, sublayer in steps:
            x = residual(x, sublayer)  # (B, S, D)
        return x

# %% wrong (last): the lambda's argument is only the query, keys and values are the layer's own x: un-normalised with pre-norm ("with pre-norm, that is not the layer's x"; "queries, keys and values are the same tokens")
# true: only_queries_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, x, x, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (last): dropout reaches the two residuals only, neither the attention weights nor the hidden numbers ("dropout and norm_first go on to every part that takes them")
# true: sublayers_without_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask=mask))
        x = self.feed_forward_residual(x, lambda y: self.feed_forward(y))
        return x


# %% right (last): a fold over (residual, function) pairs, an inner function for the attention
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        for name, part in {
            "self_attention": MultiHeadAttention(d_model, num_heads, dropout=dropout),
            "feed_forward": FeedForward(d_model, d_ff, dropout=dropout),
        }.items():
            self.add_module(name, part)
            self.add_module(name + "_residual", ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        from functools import reduce

        def look_around(tokens: Tensor) -> Tensor:
            return self.self_attention(*3 * (tokens,), mask=mask)

        steps = (self.self_attention_residual, look_around), (self.feed_forward_residual, self.feed_forward)
        return reduce(lambda tokens, step: step[0](tokens, step[1]), steps, x)


# %% wrong (fifth): keys and values are the layer's own x, not normalised with pre-norm
# true: only_queries_normalised
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, x, x, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (fifth): dropout is not passed to the feed-forward network, whose default is 0
# true: network_without_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x


# %% wrong (fifth): the mask is inverted, as PyTorch wants it: True = blocked
# true: mask_inverted
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        blocked = None if mask is None else ~mask
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, blocked))
        return self.feed_forward_residual(x, lambda y: self.feed_forward(y))


# %% right (fifth): a nested function for the attention, and a loop over the two sub-layers
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        for name in ("feed_forward_residual", "self_attention_residual"):
            self.add_module(name, ResidualSublayer(d_model, norm_first=norm_first, dropout=dropout))
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.self_attention = MultiHeadAttention(d_model, num_heads=num_heads, dropout=dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(words: Tensor) -> Tensor:
            return self.self_attention(words, words, words, mask)

        steps = [(self.self_attention_residual, attend), (self.feed_forward_residual, self.feed_forward)]
        for residual, sublayer in steps:
            x = residual(x, sublayer)
        return x
