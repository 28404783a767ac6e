# %% wrong: a post-norm stack has a last norm too: it is made and saved, though not used
# half: norm_with_post_norm_too
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm_first:
            x = self.norm(x)
        return x


# %% wrong: the last norm is PyTorch's nn.LayerNorm, with a weight and a bias for gamma and beta
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first))
        self.norm = nn.LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


# %% wrong: dropout stops at the stack: every layer keeps its default of 0.1
# true: dropout_not_passed_on
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, norm_first=norm_first) for _ in range(num_layers)
        )
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        out = x
        for i in range(len(self.layers)):
            out = self.layers[i](out, mask=mask)
        return self.norm(out) if self.norm_first else out


# %% right: a reduce over the layers, and the norm as one more function at the end where there is one
from functools import reduce


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        settings = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
        self.layers = nn.ModuleList([])
        self.layers.extend(EncoderLayer(**settings) for _ in range(num_layers))
        self.norm_first = norm_first
        if self.norm_first:
            self.add_module("norm", LayerNorm(d_model))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = reduce(lambda tokens, layer: layer(tokens, mask), self.layers, x)  # (B, S, D)
        if not self.norm_first:
            return memory
        return self.norm(memory)
