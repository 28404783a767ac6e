import functools


class StackInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = self.make(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.last(d_model, norm_first)

    def make(self, num_layers, *sizes):
        return nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))

    def last(self, d_model, norm_first):
        self.norm = LayerNorm(d_model) if norm_first else None

    def end(self, x):
        return x if self.norm is None else self.norm(x)

    def through(self, x, memory, mask, memory_mask):
        return functools.reduce(lambda y, layer: layer(y, memory, mask, memory_mask), self.layers, x)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.end(self.through(x, memory, mask, memory_mask))


# %% right: with an index
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, memory, mask=None, memory_mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, memory, mask=mask, memory_mask=memory_mask)
        if self.norm_first:
            x = self.norm(x)
        return x


# %% right: none fora norm
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, memory, mask=None, memory_mask=None):
        out = x
        for layer in self.layers:
            out = layer(x=out, memory=memory, mask=mask, memory_mask=memory_mask)
        return out if self.norm is None else self.norm(out)


# %% right: recursive
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        arguments = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([DecoderLayer(*arguments) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def through(self, number, x, memory, *masks):
        below = x if number == 1 else self.through(number - 1, x, memory, *masks)
        return self.layers[number - 1](below, memory, *masks)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.norm(self.through(len(self.layers), x, memory, mask, memory_mask))


# %% right: all outputs kept
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = nn.Identity()
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        outputs = [x]
        for layer in self.layers:
            outputs.append(layer(outputs[-1], memory, mask, memory_mask))
        return self.norm(outputs[-1])


# %% wrong: no last norm
# true: last_norm_not_made
class Decoder(StackInSteps):
    def last(self, d_model, norm_first):
        self.norm = None


# %% wrong: pre norm layers
# true: norm_first_not_handed_on
class Decoder(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, dropout)


# %% wrong: from the top
# true: layers_backwards
class Decoder(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers[::-1]:
            x = layer(x, memory, mask, memory_mask)
        return x


# %% wrong: looks at what is written
# true: memory_replaced
class Decoder(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers:
            x = memory = layer(x, memory, mask, memory_mask)
        return x


# %% wrong: around the stack
# true: input_added
class Decoder(StackInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, memory_mask) + x


# %% wrong: added before the end
# true: residual_around_the_stack
class Decoder(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return super().through(x, memory, mask, memory_mask).add(x)


# %% wrong: stack causal unless told
# true: causal_mask_where_none_is_given
class Decoder(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        if mask is None:
            mask = ~torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), diagonal=1)
        return super().through(x, memory, mask, memory_mask)


# %% trivial: only the constructor
class Decoder(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return x


# %% trivial: only the norm
class Decoder(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.norm(x)


# %% trivial: zeros
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.zeros_like(x)


# %% trivial: noise
class Decoder(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return torch.rand(x.shape)
