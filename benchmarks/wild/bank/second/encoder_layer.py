# %% wrong: only the queries are what the residual sub-layer hands over; keys and values are the layer's own x, not normalised with pre-norm
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

# %% wrong: both residual sub-layers are one and the same module, so they share one norm
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

# %% wrong: attention gets no dropout / the second residual sub-layer is not told norm_first and is pre-norm in a post-norm layer too
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

# %% right: a helper method that returns the function, a loop over the two sub-layers
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
