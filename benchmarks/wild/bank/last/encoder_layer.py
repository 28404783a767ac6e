# %% wrong: the lambda's argument is only the query, keys and values are the layer's own x: un-normalised with pre-norm ("with pre-norm, that is not the layer's x"; "queries, keys and values are the same tokens")
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


# %% wrong: dropout reaches the two residuals only, neither the attention weights nor the hidden numbers ("dropout and norm_first go on to every part that takes them")
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


# %% right: a fold over (residual, function) pairs, an inner function for the attention
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
