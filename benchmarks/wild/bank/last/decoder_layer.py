# %% wrong: looks at the memory first and at its own sentence afterwards ("Masked self-attention, cross-attention and a feed-forward network, in this order")
# true: cross_before_self
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: a copied line, cross-attention runs inside the self-attention's residual: one norm serves twice and the other is never used ("Each has its own residual connection and normalisation"); a new layer cannot tell
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
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.self_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x


# %% right: six parts made in a loop by name, a table of what each residual runs
class DecoderLayer(nn.Module):
    SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        for name in self.SUBLAYERS:
            if name.endswith("attention"):
                part = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
            else:
                part = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
            setattr(self, name, part)
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, dropout, norm_first))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        runs = {
            "self_attention": lambda y: self.self_attention(query=y, key=y, value=y, mask=mask),
            "cross_attention": lambda y: self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask),
            "feed_forward": self.feed_forward,
        }
        for name in self.SUBLAYERS:
            x = getattr(self, f"{name}_residual")(x, runs[name])
        return x
