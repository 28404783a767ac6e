# %% wrong (first): one layer is repeated, all entries of the list are the same layer
# true: one_layer_for_all
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)] * num_layers)
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): the last normalisation is there in post-norm too
# true: norm_with_post_norm_too
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong (first): the last normalisation is missing in pre-norm
# true: last_norm_not_made
import copy


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        layer = EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = clones(layer, num_layers)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return x

# %% wrong (first): a norm is made in both modes and only used in pre-norm, so post-norm has parameters too many
# true: norm_with_post_norm_too
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm_first:
            x = self.norm(x)
        return x

# %% wrong (first): the layers stand in a plain list, so their parameters are not registered
# true: plain_list
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)

# %% wrong (first): nn.Sequential passes one argument only, so the mask is lost
# true: mask_not_passed
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(nn.Sequential(*self.layers)(x))

# %% wrong (first): every layer reads the embedded source itself, only the last one's result counts
# true: each_layer_gets_the_input
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for i in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        output = x
        for layer in self.layers:
            output = layer(x, mask)
        if self.norm is not None:
            output = self.norm(output)
        return output

# %% wrong (first): the last norm is PyTorch's own, whose parameters are called weight and bias
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        else:
            self.norm = None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x) if self.norm is not None else x

# %% wrong (first): norm_first does not reach the layers, which are pre-norm in both modes / nor does dropout
# true: norm_first_and_dropout_not_passed_on
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm is None:
            return x
        return self.norm(x)

# %% wrong (first): the norm is applied after each layer and not once at the end
# true: normalised_after_every_layer
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        if self.norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm_first:
                x = self.norm(x)
        return x

# %% wrong (first): only the first layer gets the mask
# true: mask_in_the_first_layer_only
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for i, layer in enumerate(self.layers):
            x = layer(x, mask) if i == 0 else layer(x)
        return self.norm(x)

# %% wrong (first): the embedded source is added back behind each layer
# true: source_added_after_each_layer
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
        embeddings = x.clone()
        for layer in self.layers:
            x = layer(x, mask) + embeddings
        return x if self.norm is None else self.norm(x)

# %% wrong (first): all layers' outputs are returned as a list
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None):
        states = []
        for layer in self.layers:
            x = layer(x, mask)
            states.append(x)
        if self.norm is not None:
            states[-1] = self.norm(states[-1])
        return states

# %% right (first): a list comprehension and a loop
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        if self.norm_first:
            x = self.norm(x)
        return x

# %% right (first): append in a loop, nn.Identity where there is no norm
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super(Encoder, self).__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                EncoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
            )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = x
        for i in range(self.num_layers):
            memory = self.layers[i](memory, mask=mask)
        return self.norm(memory)

# %% right (first): functools.reduce, norm is None in post-norm
from functools import reduce


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        settings = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(EncoderLayer(*settings) for _ in range(num_layers))
        self.norm = None
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        out = reduce(lambda state, layer: layer(state, mask), self.layers, x)
        return out if self.norm is None else self.norm(out)

# %% wrong (second): the last norm stands inside the loop and normalises the sum after every layer of a pre-norm stack
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

# %% wrong (second): copy.copy copies a layer without its parts, so all layers share the same weights
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

# %% wrong (second): every layer gets the embedded source and not what the layer before it made, so only the last layer counts
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

# %% right (second): functools.reduce over the layers, the norm registered only with pre-norm
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

# %% wrong (third): a post-norm stack has a last norm too: it is made and saved, though not used
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


# %% wrong (third): the last norm is PyTorch's nn.LayerNorm, with a weight and a bias for gamma and beta
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


# %% wrong (third): dropout stops at the stack: every layer keeps its default of 0.1
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


# %% right (third): a reduce over the layers, and the norm as one more function at the end where there is one
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

# %% wrong (last): nn.TransformerEncoder's habit, one more norm at the end of a post-norm stack too ("a post-norm stack has none")
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


# %% wrong (last): norm_first is not handed on, so the layers of a "post-norm" stack are pre-norm ones, and their sum is left as it has grown
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


# %% right (last): recursion over the layers; the attribute norm exists only where it is used
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


# %% wrong (fifth): a post-norm stack, too, has and applies a last normalisation
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


# %% wrong (fifth): only the first layer gets the mask
# true: mask_in_the_first_layer_only
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        first, *others = self.layers
        x = first(x, mask)
        for layer in others:
            x = layer(x)
        return x if self.norm is None else self.norm(x)


# %% wrong (fifth): the last normalisation is inside the loop, so it follows every pre-norm layer
# true: normalised_after_every_layer
class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm_first:
                x = self.norm(x)
        return x


# %% right (fifth): layers from a dictionary of settings, functools.reduce in place of the loop
from functools import reduce


class Encoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        settings = {"dropout": dropout, "norm_first": norm_first}
        stack = [EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers)]
        self.layers = nn.ModuleList(stack)
        self.pre_norm = norm_first
        if self.pre_norm:
            self.norm = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        memory = reduce(lambda stream, layer: layer(stream, mask), self.layers, x)
        return self.norm(memory) if self.pre_norm else memory
