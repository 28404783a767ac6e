# %% right: in one expression
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.self_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, dropout=dropout, norm_first=norm_first) for _ in range(2)
        )

    def forward(self, x, mask=None):
        return self.feed_forward_residual(
            self.self_attention_residual(x, lambda y: self.self_attention(query=y, key=y, value=y, mask=mask)),
            self.feed_forward,
        )


# %% right: with an inner function
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)

    def forward(self, x, mask=None):
        def attend(tokens):
            return self.self_attention(tokens, tokens, tokens, mask)

        for residual, sublayer in (
            (self.self_attention_residual, attend),
            (self.feed_forward_residual, self.feed_forward),
        ):
            x = residual(x, sublayer)
        return x


# %% right: pre and post methods
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.norm_first = norm_first

    def pre_layer_norm_forward(self, x, mask):
        first, second = self.self_attention_residual, self.feed_forward_residual
        y = first.norm(x)
        x = x + first.dropout(self.self_attention(y, y, y, mask))
        return x + second.dropout(self.feed_forward(second.norm(x)))

    def post_layer_norm_forward(self, x, mask):
        first, second = self.self_attention_residual, self.feed_forward_residual
        x = first.norm(x + first.dropout(self.self_attention(x, x, x, mask)))
        return second.norm(x + second.dropout(self.feed_forward(x)))

    def forward(self, x, mask=None):
        if self.norm_first:
            return self.pre_layer_norm_forward(x, mask)
        return self.post_layer_norm_forward(x, mask)


# %% right: sentence by sentence
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        parts = {
            "self_attention": MultiHeadAttention(d_model, num_heads, dropout),
            "feed_forward": FeedForward(d_model, d_ff, dropout),
            "self_attention_residual": ResidualSublayer(d_model, dropout, norm_first),
            "feed_forward_residual": ResidualSublayer(d_model, dropout, norm_first),
        }
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, x, mask=None):
        done = []
        for i, sentence in enumerate(x.split(1)):
            own = mask[i : i + 1] if mask is not None and mask.dim() == 4 else mask
            y = self.self_attention_residual(sentence, lambda z, own=own: self.self_attention(z, z, z, mask=own))
            done.append(self.feed_forward_residual(y, self.feed_forward.forward))
        return torch.cat(done)


# %% wrong: causal
# true: looks_only_back
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        places = torch.arange(x.size(1))
        back = places[None, :] <= places[:, None]
        mask = back if mask is None else mask & back
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: norm first always
# true: norm_first_not_passed_on
class EncoderLayer(Reference):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first=True)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: torchs polarity
# true: mask_inverted
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        blocked = mask.logical_not() if mask is not None else None
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, blocked))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: only attends
# true: network_left_out
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        return self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))


# %% wrong: chained
# true: no_residuals
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        return self.feed_forward(self.self_attention(x, x, x, mask))


# %% wrong: embeddings added back
# true: the_layers_input_added_again
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        first, second = self.self_attention_residual, self.feed_forward_residual
        attended = first(x, lambda y: self.self_attention(y, y, y, mask))
        return second(x, lambda _: self.feed_forward(attended))


# %% wrong: settings the other way
# true: dropout_and_norm_first_swapped
class EncoderLayer(Reference):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        for name in ("self_attention_residual", "feed_forward_residual"):
            setattr(self, name, ResidualSublayer(d_model, dropout=norm_first, norm_first=dropout))

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


# %% wrong: thought is kept
# true: network_output_not_dropped_in_post_norm
class EncoderLayer(EncoderLayer):
    keep_attention = False

    keep_network = True

    def forward(self, x, mask=None):
        one, two = self.self_attention_residual, self.feed_forward_residual
        if one.norm_first:
            return two(one(x, lambda y: self.self_attention(y, y, y, mask)), self.feed_forward)
        seen = self.self_attention(x, x, x, mask)
        x = one.norm(x + (seen if self.keep_attention else one.dropout(seen)))
        thought = self.feed_forward(x)
        return two.norm(x + (thought if self.keep_network else two.dropout(thought)))


# %% wrong: what is seen is kept
# true: attention_output_not_dropped_in_post_norm
class EncoderLayer(EncoderLayer):
    keep_attention = True

    keep_network = False

    def forward(self, x, mask=None):
        one, two = self.self_attention_residual, self.feed_forward_residual
        if one.norm_first:
            return two(one(x, lambda y: self.self_attention(y, y, y, mask)), self.feed_forward)
        seen = self.self_attention(x, x, x, mask)
        x = one.norm(x + (seen if self.keep_attention else one.dropout(seen)))
        thought = self.feed_forward(x)
        return two.norm(x + (thought if self.keep_network else two.dropout(thought)))


# %% trivial: with the parts
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        return x * 0


# %% trivial: the input itself
class EncoderLayer(EncoderLayer):
    def forward(self, x, mask=None):
        return x


# %% trivial: noise
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, mask=None):
        return torch.rand(x.shape)
