class AStack(nn.Module):
    """A right constructor."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        layers = [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


# %% right: appended
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask=mask)
        if self.norm_first:
            return self.norm(x)
        return x


# %% right: copied
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        from copy import deepcopy

        layer = EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(deepcopy(layer) for _ in range(num_layers))
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


# %% right: reduced
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.Sequential(
            *(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Sequential()

    def forward(self, x, mask=None):
        from functools import reduce

        return self.norm(reduce(lambda y, layer: layer(y, mask), self.layers, x))


# %% right: last to first by recursion
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        settings = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([EncoderLayer(*settings) for _ in range(num_layers)])
        self.norm = [nn.Identity, LayerNorm][norm_first](d_model)

    def after(self, number, x, mask):
        return x if number == 0 else self.layers[number - 1](self.after(number - 1, x, mask), mask)

    def forward(self, x, mask=None):
        return self.norm(self.after(len(self.layers), x, mask))


# %% wrong: norm forgotten
# true: last_norm_not_used
class Encoder(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return x


# %% wrong: added around
# true: residual_around_layers
class Encoder(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask) + x
        return x if self.norm is None else self.norm(x)


# %% wrong: stopped early
# true: last_layer_left_out
class Encoder(AStack):
    def forward(self, x, mask=None):
        for number in range(len(self.layers) - 1):
            x = self.layers[number](x, mask)
        return x if self.norm is None else self.norm(x)


# %% wrong: layers added
# true: layers_summed
class Encoder(AStack):
    def forward(self, x, mask=None):
        total = torch.stack([layer(x, mask) for layer in self.layers]).sum(dim=0)
        return total if self.norm is None else self.norm(total)


# %% wrong: layers hear the other way
# true: dropout_and_norm_first_swapped
class Encoder(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        self.layers = nn.ModuleList(EncoderLayer(**sizes, dropout=norm_first, norm_first=dropout) for _ in self.layers)


# %% trivial: zeros
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x * 0


# %% trivial: the input itself
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x


# %% trivial: noise
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()

    def forward(self, x, mask=None):
        return torch.rand(x.shape)
