# %% wrong: dropout is never handed to the layers, which keep their own default of 0.1
# true: dropout_not_handed_on
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.num_layers = num_layers
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first))
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        for i in range(self.num_layers):
            x = self.layers[i](x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x


# %% wrong: pre-norm normalises the memory with the stack's own norm before the layers look at it
# true: memory_normalised
import copy


class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        layer = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, memory, mask=None, memory_mask=None):
        if self.norm is not None:
            memory = self.norm(memory)
        for layer in self.layers:
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: the last norm is torch's nn.LayerNorm, whose parameters are called weight and bias and not gamma and beta
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        if hasattr(self, "norm"):
            x = self.norm(x)
        return x


# %% right: nn.Identity for the missing norm, functools.reduce over the layers
from functools import reduce


class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        arguments = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
        self.layers = nn.ModuleList(DecoderLayer(**arguments) for _ in range(num_layers))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x, memory, mask=None, memory_mask=None):
        top = reduce(lambda h, layer: layer(h, memory, mask, memory_mask), self.layers, x)
        return self.norm(top)
