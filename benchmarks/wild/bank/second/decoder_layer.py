# %% wrong: in the cross-attention the query is the un-normalised x and not what the residual hands over, so pre-norm asks without its norm
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


# %% wrong: one residual sub-layer, and so one norm, is shared by all three / dropout is not handed to the two attentions
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


# %% wrong: in pre-norm the sub-layers are added to x in place, so the caller's x is overwritten
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


# %% right: parts made in a loop with setattr, functools.partial for the two attentions
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
