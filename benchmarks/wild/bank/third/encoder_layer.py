# %% wrong: pre-norm, only the queries are normalised: keys and values are the layer's x as it came in
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


# %% wrong: attention gets no dropout, whose default is 0
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


# %% wrong: norm_first does not reach the network's residual, which is always pre-norm
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


# %% right: parts made in a loop and set by name, a partial for the mask, attention as a method of one argument
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
