# %% wrong: nn.TransformerEncoder's habit, one more norm at the end of a post-norm stack too ("a post-norm stack has none")
# true: norm_with_post_norm_too
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: norm_first is not handed on, so the layers of a "post-norm" stack are pre-norm ones, and their sum is left as it has grown
# true: norm_first_not_passed_on
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout))
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask=mask)
        if self.norm_first:
            x = self.norm(x)
        return x


# %% right: recursion over the layers; the attribute norm exists only where it is used
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            map(lambda _: EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first), range(num_layers))
        )
        if norm_first:
            self.add_module("norm", LayerNorm(d_model))

    def _after(self, count: int, x: Tensor, mask: Tensor | None) -> Tensor:
        return x if count == 0 else self.layers[count - 1](self._after(count - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = self._after(len(self.layers), x, mask)
        return getattr(self, "norm", lambda y: y)(memory)
