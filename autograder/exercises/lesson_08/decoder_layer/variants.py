class LayerInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.make(d_model, num_heads, d_ff, dropout)

    def make(self, d_model, num_heads, d_ff, dropout):
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, dropout, self.norm_first))

    def around(self, residual, x, function):
        inside = residual.norm(x) if self.norm_first else x
        total = x + residual.dropout(function(inside))
        return total if self.norm_first else residual.norm(total)

    def look_back(self, x, mask):
        return self.around(self.self_attention_residual, x, lambda y: self.self_attention(y, y, y, mask))

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)

    def think(self, x):
        return self.around(self.feed_forward_residual, x, self.feed_forward)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.think(self.look_across(self.look_back(x, mask), memory, memory_mask))


# %% right: with named functions
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        for name in ("self_attention", "cross_attention"):
            setattr(self, name, MultiHeadAttention(d_model, num_heads, dropout=dropout))
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, name + "_residual", ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first))

    def forward(self, x, memory, mask=None, memory_mask=None):
        def look_at_what_is_written(y):
            return self.self_attention(y, y, y, mask=mask)

        def look_at_what_was_read(y):
            return self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask)

        x = self.self_attention_residual(x, look_at_what_is_written)
        x = self.cross_attention_residual(x, look_at_what_was_read)
        return self.feed_forward_residual(x, self.feed_forward)


# %% right: two forwards
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x, memory, mask=None, memory_mask=None):
        one, two, three = self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual
        if self.norm_first:
            y = one.norm(x)
            x = x + one.dropout(self.self_attention(y, y, y, mask))
            x = x + two.dropout(self.cross_attention(two.norm(x), memory, memory, memory_mask))
            return x + three.dropout(self.feed_forward(three.norm(x)))
        x = one.norm(x + one.dropout(self.self_attention(x, x, x, mask)))
        x = two.norm(x + two.dropout(self.cross_attention(x, memory, memory, memory_mask)))
        return three.norm(x + three.dropout(self.feed_forward(x)))


# %% right: nested
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention, self.cross_attention = (MultiHeadAttention(d_model, num_heads, dropout) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual, self.cross_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, dropout, norm_first) for _ in range(3)
        )

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.feed_forward_residual(
            self.cross_attention_residual(
                self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask)),
                lambda y: self.cross_attention(y, memory, memory, memory_mask),
            ),
            self.feed_forward,
        )


# %% right: ina loop
class DecoderLayer(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        steps = [
            (self.self_attention_residual, lambda y: self.self_attention(y, y, y, mask)),
            (self.cross_attention_residual, lambda y: self.cross_attention(y, memory, memory, memory_mask)),
            (self.feed_forward_residual, self.feed_forward),
        ]
        for residual, sublayer in steps:
            x = residual(x, sublayer)
        return x


# %% wrong: one attention
# true: one_attention_made
class DecoderLayer(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention

    def look_across(self, x, memory, mask):
        function = lambda y: self.self_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


# %% wrong: residuals of an encoder
# true: two_residuals_made
class DecoderLayer(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention_residual

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.self_attention_residual, x, function)


# %% wrong: one head
# true: one_head
class DecoderLayer(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, 1, d_ff, dropout)


# %% wrong: the other way round
# true: norm_first_inverted
class DecoderLayer(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, not norm_first)


# %% wrong: always pre norm
# true: norm_first_not_handed_on
class DecoderLayer(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout)


# %% wrong: a tenth is dropped
# true: dropout_not_handed_to_the_residuals
class DecoderLayer(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for module in self.modules():
            if isinstance(module, ResidualSublayer):
                module.dropout.p = 0.1


# %% wrong: the memory asks
# true: memory_asks
class DecoderLayer(LayerInSteps):
    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(memory, key=y, value=y, mask=mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


# %% wrong: self attention twice
# true: target_looks_at_itself_twice
class DecoderLayer(LayerInSteps):
    def look_across(self, x, memory, mask):
        return self.around(self.cross_attention_residual, x, lambda y: self.cross_attention(y, y, y, mask))


# %% wrong: one mask
# true: causal_mask_for_both
class DecoderLayer(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, mask)


# %% wrong: no thought
# true: feed_forward_left_out
class DecoderLayer(LayerInSteps):
    def think(self, x):
        return x


# %% wrong: memory as data
# true: memory_detached
class DecoderLayer(LayerInSteps):
    def look_across(self, x, memory, mask):
        return super().look_across(x, memory.data, mask)


# %% wrong: pre norm whatever norm first says, self attention residual
# true: norm_first_not_handed_to_self_attention_residual
class DecoderLayer(LayerInSteps):
    def around(self, used, x, function):
        if used is self.self_attention_residual:
            return x + used.dropout(function(used.norm(x)))
        return super().around(used, x, function)


# %% wrong: pre norm whatever norm first says, feed forward residual
# true: norm_first_not_handed_to_feed_forward_residual
class DecoderLayer(LayerInSteps):
    def around(self, used, x, function):
        if used is self.feed_forward_residual:
            return x + used.dropout(function(used.norm(x)))
        return super().around(used, x, function)


# %% wrong: thinks first
# true: feed_forward_first
class DecoderLayer(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_across(self.look_back(self.think(x), mask), memory, memory_mask)


# %% wrong: from the end
# true: reversed_order
class DecoderLayer(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_back(self.look_across(self.think(x), memory, memory_mask), mask)


# %% wrong: settings the other way
# true: dropout_and_norm_first_swapped
class DecoderLayer(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, self.norm_first, dropout))

    def around(self, residual, x, function):
        return residual(x, function)


# %% trivial: only the constructor
class DecoderLayer(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return x


# %% trivial: zeros
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.zeros_like(x)


# %% trivial: noise
class DecoderLayer(DecoderLayer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.rand(x.shape)
