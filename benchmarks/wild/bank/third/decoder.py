# %% wrong: the last norm stands in the loop, after every layer
# true: norm_after_each_layer
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
            if self.norm_first:
                x = self.norm(x)
        return x


# %% wrong: hands norm_first to the layers in the place of dropout, and dropout in that of norm_first
# true: dropout_and_norm_first_swapped
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, norm_first, dropout) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: the layers are in a plain list: they are no part of the module, and their weights neither trained nor saved
# true: plain_list
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.norm_first = norm_first
        if self.norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
        return self.norm(x) if self.norm_first else x


# %% right: always calls a norm at the end, which is nn.Identity, without parameters, in a post-norm stack
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        context = {"memory": memory, "mask": mask, "memory_mask": memory_mask}
        hidden = x
        for layer in self.layers:
            hidden = layer(hidden, **context)  # (B, T, D)
        return self.norm(hidden)
