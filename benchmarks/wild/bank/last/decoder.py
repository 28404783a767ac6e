# %% wrong: the last norm stands inside the loop, behind every layer of a pre-norm stack ("one more normalisation norm at the end")
# true: norm_after_each_layer
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
            x = self.norm(x)
        return x


# %% wrong: the condition of the last norm is turned round, post-norm gets it and pre-norm does not / dropout is not handed on, each layer keeps its default
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first) for _ in range(num_layers)
        )
        self.norm = nn.Identity() if norm_first else LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
        return self.norm(x)


# %% right: a fold over the layers with everything but x fixed beforehand
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        settings = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
        self.norm = (nn.Identity, LayerNorm)[norm_first](d_model)
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(DecoderLayer(**settings))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        import functools

        fixed = {"memory": memory, "mask": mask, "memory_mask": memory_mask}
        return self.norm(functools.reduce(lambda vectors, layer: layer(vectors, **fixed), self.layers, x))
