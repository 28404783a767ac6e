# %% wrong (first): the memory is normalised once more before it is looked at
# true: memory_normalised
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
        memory = self.cross_attention_residual.norm(memory)
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): cross-attention comes first, self-attention second
# true: cross_before_self
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
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the two masks are exchanged
# true: masks_exchanged
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
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, memory_mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the memory's mask is not handed on, padding of the source is looked at
# true: memory_unmasked
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
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(query=y, key=memory, value=memory))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the cross-attention's residual is not told norm_first, so it stays pre-norm in a post-norm layer
# true: norm_first_not_handed_to_cross_attention_residual
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.d_model = d_model
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the dropout is given to the residuals only, attention weights and hidden numbers are never dropped
# true: dropout_not_handed_to_the_sublayers
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the cross-attention asks with x as it is, not with what its residual hands it, so pre-norm queries are never normalised
# true: memory_asked_without_normalisation
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
        def attend_to_self(y):
            return self.self_attention(y, y, y, mask)

        def attend_to_memory(y):
            return self.cross_attention(x, memory, memory, memory_mask)

        x = self.self_attention_residual(x, attend_to_self)
        x = self.cross_attention_residual(x, attend_to_memory)
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (first): in self-attention only the queries are normalised, keys and values are taken from the raw x
# true: keys_not_normalised
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
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, x, x, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): each sub-layer's input is added twice, once by the residual and once more here
# true: residual_added_twice
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
        x = x + self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = x + self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = x + self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): one and the same residual, with one norm, serves the three sub-layers
# true: one_residual_made
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = residual
        self.cross_attention_residual = residual
        self.feed_forward_residual = residual

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): cross-attention asks with the layer's input, not with what self-attention has made of it; the two run side by side and are added
# true: side_by_side
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
        start = x
        a = self.self_attention_residual(start, lambda y: self.self_attention(y, y, y, mask))
        b = self.cross_attention_residual(start, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = a + b - start
        return self.feed_forward_residual(x, self.feed_forward)

# %% wrong (first): the cross-attention has no residual and no norm
# true: cross_attention_bare
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
        x = self.cross_attention(x, memory, memory, memory_mask)
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the parts have other names (self_attn, norm1, ...), weights cannot be loaded
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.multihead_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.ffn = FeedForward(d_model, d_ff, dropout)
        self.res1 = ResidualSublayer(d_model, dropout, norm_first)
        self.res2 = ResidualSublayer(d_model, dropout, norm_first)
        self.res3 = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.res1(x, lambda y: self.self_attn(y, y, y, mask))
        x = self.res2(x, lambda y: self.multihead_attn(y, memory, memory, memory_mask))
        x = self.res3(x, self.ffn)
        return x

# %% wrong (first): the weights of the cross-attention are returned beside the output
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
        _, weights = self.cross_attention(x, memory, memory, memory_mask, need_weights=True)
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x, weights

# %% wrong (first): the network's width d_ff is ignored, it is always four times d_model / the causal mask is laid over the memory too
# true: d_ff_ignored
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, 4 * d_model, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        both = memory_mask
        if mask is not None and mask.size(-1) == memory.size(1):
            both = mask if memory_mask is None else mask & memory_mask
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, both))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): post-norm normalises x before the feed-forward network as well, pre-norm and post-norm are both applied there
# true: network_normalises_in_post_norm_too
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.norm_first = norm_first

    def _pre_norm(self, x, memory, mask, memory_mask):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)

    def _post_norm(self, x, memory, mask, memory_mask):
        r1, r2, r3 = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        x = r1.norm(x + r1.dropout(self.self_attention(x, x, x, mask)))
        x = r2.norm(x + r2.dropout(self.cross_attention(x, memory, memory, memory_mask)))
        return r3.norm(x + r3.dropout(self.feed_forward(r3.norm(x))))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        if self.norm_first:
            return self._pre_norm(x, memory, mask, memory_mask)
        return self._post_norm(x, memory, mask, memory_mask)

# %% wrong (first): super().__init__() is forgotten
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
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
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (first): the order of the three is turned round, the feed-forward network comes first / self-attention is not masked
# true: self_attention_unmasked, reversed_order
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
        x = self.feed_forward_residual(x, self.feed_forward)
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y))
        return x

# %% wrong (first): cross-attention takes its values from x where both are of one length / the memory grows by what self-attention has made, it is changed in place
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
        value = memory
        if x.shape == memory.shape:
            memory.data.add_(x.data)
            value = x
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, value, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% right (first): three lambdas
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
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% right (first): pre-norm and post-norm written out as two methods, the residuals only lend norm and dropout
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.norm_first = norm_first

    @staticmethod
    def _pre(x, residual, function):
        return x + residual.dropout(function(residual.norm(x)))

    @staticmethod
    def _post(x, residual, function):
        return residual.norm(x + residual.dropout(function(x)))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        sublayers = (
            (self.self_attention_residual, lambda y: self.self_attention(y, y, y, mask)),
            (self.cross_attention_residual, lambda y: self.cross_attention(y, memory, memory, memory_mask)),
            (self.feed_forward_residual, self.feed_forward),
        )
        step = self._pre if self.norm_first else self._post
        for residual, function in sublayers:
            x = step(x, residual, function)
        return x

# %% right (first): named inner functions, keyword arguments, asserts
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        common = {"dropout": dropout}
        for name in ("self_attention", "cross_attention"):
            setattr(self, name, MultiHeadAttention(d_model, num_heads, **common))
        self.feed_forward = FeedForward(d_model, d_ff, **common)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, name + "_residual", ResidualSublayer(d_model, norm_first=norm_first, **common))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        assert x.dim() == 3 and memory.dim() == 3, "batch, tokens, features"
        assert x.size(0) == memory.size(0)

        def look_back(y: Tensor) -> Tensor:
            return self.self_attention(query=y, key=y, value=y, mask=mask)

        def look_at_source(y: Tensor) -> Tensor:
            return self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask)

        after_self = self.self_attention_residual(x, look_back)
        after_cross = self.cross_attention_residual(after_self, look_at_source)
        return self.feed_forward_residual(after_cross, self.feed_forward)

# %% right (first): functools.partial, sizes kept as attributes
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.d_model, self.num_heads, self.d_ff = d_model, num_heads, d_ff

    def _attend_self(self, y: Tensor, mask: Tensor | None) -> Tensor:
        return self.self_attention(y, y, y, mask)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        from functools import partial

        x = self.self_attention_residual(x, partial(self._attend_self, mask=mask))
        x = self.cross_attention_residual(x, partial(self.cross_attention, key=memory, value=memory, mask=memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)
        return x

# %% wrong (second): in the cross-attention the query is the un-normalised x and not what the residual hands over, so pre-norm asks without its norm
# true: memory_asked_without_normalisation
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(x, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (second): one residual sub-layer, and so one norm, is shared by all three / dropout is not handed to the two attentions
# true: one_residual_made
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = residual
        self.cross_attention_residual = residual
        self.feed_forward_residual = residual

    def forward(self, x, memory, mask=None, memory_mask=None):
        def look_at_self(y):
            return self.self_attention(y, y, y, mask=mask)

        def look_at_memory(y):
            return self.cross_attention(y, memory, memory, mask=memory_mask)

        x = self.self_attention_residual(x, look_at_self)
        x = self.cross_attention_residual(x, look_at_memory)
        x = self.feed_forward_residual(x, self.feed_forward)
        return x


# %% wrong (second): in pre-norm the sub-layers are added to x in place, so the caller's x is overwritten
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.norm_first = norm_first

    def forward_pre(self, x, memory, mask, memory_mask):
        r1, r2, r3 = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        y = r1.norm(x)
        x += r1.dropout(self.self_attention(y, y, y, mask))
        y = r2.norm(x)
        x += r2.dropout(self.cross_attention(y, memory, memory, memory_mask))
        y = r3.norm(x)
        x += r3.dropout(self.feed_forward(y))
        return x

    def forward_post(self, x, memory, mask, memory_mask):
        r1, r2, r3 = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        x = r1.norm(x + r1.dropout(self.self_attention(x, x, x, mask)))
        x = r2.norm(x + r2.dropout(self.cross_attention(x, memory, memory, memory_mask)))
        x = r3.norm(x + r3.dropout(self.feed_forward(x)))
        return x

    def forward(self, x, memory, mask=None, memory_mask=None):
        if self.norm_first:
            return self.forward_pre(x, memory, mask, memory_mask)
        return self.forward_post(x, memory, mask, memory_mask)


# %% right (second): parts made in a loop with setattr, functools.partial for the two attentions
from functools import partial


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        for name in ("self_attention", "cross_attention"):
            setattr(self, name, MultiHeadAttention(d_model, num_heads, dropout))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, name + "_residual", ResidualSublayer(d_model, dropout, norm_first=norm_first))

    def _self_block(self, y, mask):
        return self.self_attention(query=y, key=y, value=y, mask=mask)

    def _cross_block(self, y, memory, mask):
        return self.cross_attention(query=y, key=memory, value=memory, mask=mask)

    def forward(self, x, memory, mask=None, memory_mask=None):
        h = self.self_attention_residual(x, partial(self._self_block, mask=mask))
        h = self.cross_attention_residual(h, partial(self._cross_block, memory=memory, mask=memory_mask))
        return self.feed_forward_residual(h, self.feed_forward)

# %% wrong (third): makes a causal mask of its own where none is given
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


# %% wrong (third): pre-norm, cross-attention asks with x as it is, and not with the normalised x that the residual hands it
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


# %% wrong (third): writes both orders out by hand, and in post-norm forgets the dropout of what the network adds
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


# %% right (third): a loop over the three names; what each sub-layer looks at is a small dictionary of functions
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

# %% wrong (last): looks at the memory first and at its own sentence afterwards ("Masked self-attention, cross-attention and a feed-forward network, in this order")
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


# %% wrong (last): a copied line, cross-attention runs inside the self-attention's residual: one norm serves twice and the other is never used ("Each has its own residual connection and normalisation"); a new layer cannot tell
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


# %% right (last): six parts made in a loop by name, a table of what each residual runs
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


# %% wrong (fifth): keys and values of self-attention are the x before the norm
# true: keys_not_normalised
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x1 = self.self_attention_residual(x, lambda y: self.self_attention(y, x, x, mask))
        x2 = self.cross_attention_residual(x1, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x3 = self.feed_forward_residual(x2, lambda y: self.feed_forward(y))
        return x3


# %% wrong (fifth): norm_first is not passed to the residual of cross-attention
# true: norm_first_not_handed_to_cross_attention_residual
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout=dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (fifth): the two attentions are built without dropout, so they use their default
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong (fifth): the memory is normalised before cross-attention reads it
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        memory = F.layer_norm(memory, memory.shape[-1:])
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% right (fifth): parts made in a loop, inner functions in place of lambdas
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
        def look_back(words):
            return self.self_attention(words, words, words, mask)

        def look_at_source(words):
            return self.cross_attention(words, memory, memory, memory_mask)

        steps = [
            (self.self_attention_residual, look_back),
            (self.cross_attention_residual, look_at_source),
            (self.feed_forward_residual, self.feed_forward),
        ]
        for residual, step in steps:
            x = residual(x, step)
        return x
