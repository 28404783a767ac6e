# %% wrong: the last norm stands inside the loop and normalises the sum after every layer of a pre-norm stack
# true: normalised_after_every_layer
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm is not None:
                x = self.norm(x)
        return x

# %% wrong: copy.copy copies a layer without its parts, so all layers share the same weights
# true: one_layer_for_all
import copy


def clones(module, n):
    return nn.ModuleList([copy.copy(module) for _ in range(n)])


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = clones(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first), num_layers)
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.norm_first else x

# %% wrong: every layer gets the embedded source and not what the layer before it made, so only the last layer counts
# true: each_layer_gets_the_input
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = x
        for i in range(self.num_layers):
            memory = self.layers[i](x, mask)
        return self.norm(memory)

# %% right: functools.reduce over the layers, the norm registered only with pre-norm
from functools import reduce


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        settings = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
        self.layers = nn.ModuleList(EncoderLayer(**settings) for _ in range(num_layers))
        self.register_module("norm", LayerNorm(d_model) if norm_first else None)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = reduce(lambda tokens, layer: layer(tokens, mask=mask), self.layers, x)
        if self.norm is None:
            return memory
        return self.norm(memory)
