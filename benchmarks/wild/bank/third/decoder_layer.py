# %% wrong: makes a causal mask of its own where none is given
# true: causal_mask_where_none_is_given
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        if mask is None:
            mask = causal_mask(x.size(1))  # the decoder must not look ahead
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: pre-norm, cross-attention asks with x as it is, and not with the normalised x that the residual hands it
# true: memory_asked_without_normalisation
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        h = self.self_attention_residual(x, lambda t: self.self_attention(t, t, t, mask))
        h2 = self.cross_attention_residual(h, lambda t: self.cross_attention(h, memory, memory, memory_mask))
        return self.feed_forward_residual(h2, lambda t: self.feed_forward(t))


# %% wrong: writes both orders out by hand, and in post-norm forgets the dropout of what the network adds
# true: network_output_not_dropped_in_post_norm
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        r1, r2, r3 = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        if self.norm_first:
            y = r1.norm(x)
            x = x + r1.dropout(self.self_attention(y, y, y, mask))
            x = x + r2.dropout(self.cross_attention(r2.norm(x), memory, memory, memory_mask))
            x = x + r3.dropout(self.feed_forward(r3.norm(x)))
        else:
            x = r1.norm(x + r1.dropout(self.self_attention(x, x, x, mask)))
            x = r2.norm(x + r2.dropout(self.cross_attention(x, memory, memory, memory_mask)))
            x = r3.norm(x + self.feed_forward(x))
        return x


# %% right: a loop over the three names; what each sub-layer looks at is a small dictionary of functions
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        for name in ("self_attention", "cross_attention", "feed_forward"):
            if name == "feed_forward":
                part = FeedForward(d_model, d_ff, dropout=dropout)
            else:
                part = MultiHeadAttention(d_model, num_heads, dropout=dropout)
            setattr(self, name, part)
            setattr(self, name + "_residual", ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        sublayers = {
            "self_attention": lambda y: self.self_attention(y, y, y, mask),
            "cross_attention": lambda y: self.cross_attention(y, memory, memory, memory_mask),
            "feed_forward": self.feed_forward,
        }
        for name, sublayer in sublayers.items():
            residual = self.get_submodule(f"{name}_residual")
            x = residual(x, sublayer)  # (B, T, D)
        return x
