# %% wrong (first): it is one layer many times, all with the same weights
# true: one_layer_repeated
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        layer = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([layer] * num_layers)
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): the last normalisation is missing in a pre-norm stack
# true: last_norm_not_applied
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return x

# %% wrong (first): the stack ends with a normalisation in post-norm too
# true: last_norm_always_made
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)

# %% wrong (first): the layers stand in a plain list, their parameters belong to nobody
# true: plain_list
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): where both sentences are of one length the memory goes up too: from the second layer on, layers look at what the layer before has made of x
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
            if x.shape == memory.shape:
                memory = x
        return self.norm(x) if self.norm_first else x

# %% wrong (first): the masks reach the first layer only
# true: masks_in_the_first_layer_only
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for i, layer in enumerate(self.layers):
            if i == 0:
                x = layer(x, memory, mask, memory_mask)
            else:
                x = layer(x, memory)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): the norm is applied after every layer, not once at the end
# true: norm_after_each_layer
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
            if self.norm_first:
                x = self.norm(x)
        return x

# %% wrong (first): the norm stands in front of the stack, the sum at its end is not normalised
# true: norm_at_the_start
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        if self.norm_first:
            x = self.norm(x)
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return x

# %% wrong (first): the memory is normalised with the stack's norm before the layers look at it
# true: memory_normalised
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        if self.norm_first:
            memory = self.norm(memory)
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): dropout and norm_first are not handed to the layers, a post-norm stack has pre-norm layers
# true: settings_not_handed_on
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers)])
        self.norm_first = norm_first
        self.dropout = dropout
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): mask and memory_mask are exchanged on the way to the layers
# true: masks_exchanged
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, memory_mask, mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): every layer's output is returned, as a list
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        outputs = []
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
            outputs.append(x)
        if self.norm_first:
            outputs[-1] = self.norm(x)
        return outputs

# %% wrong (first): every layer gets the stack's input, only the last one's output counts
# true: only_the_last_layer
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        out = x
        for layer in self.layers:
            out = layer(x, memory, mask, memory_mask)
        return self.norm(out) if self.norm_first else out

# %% wrong (first): the memory's mask is lost / one residual around the whole stack is added
# true: memory_mask_not_passed, residual_around_the_stack
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        residual = x
        for layer in self.layers:
            x = layer(x, memory, mask)
        x = x + residual
        return self.norm(x) if self.norm_first else x

# %% wrong (first): the layers are copies of one that are not copies: copy.copy shares the weights
# true: one_layer_repeated
import copy


def several(prototype, how_many):
    print(f"copying a {type(prototype).__name__} {how_many} times")
    return nn.ModuleList(copy.copy(prototype) for _ in range(how_many))


class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        prototype = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = several(prototype, num_layers)
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% wrong (first): there is one layer too few / the dropout is not handed to the layers
# true: one_layer_too_few
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(1, num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first))
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if hasattr(self, "norm") else x

# %% right (first): a list comprehension, the norm is None in post-norm
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
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

# %% right (first): copy.deepcopy of a first layer, as in the Annotated Transformer
import copy


def copies_of(layer, how_many):
    return [layer] + [copy.deepcopy(layer) for _ in range(how_many - 1)]


class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        first = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(copies_of(first, num_layers))
        self.norm_first = norm_first
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x) if self.norm_first else x

# %% right (first): append in a loop, nn.Identity in place of a norm that is not wanted, keyword arguments
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        assert num_layers > 0
        self.num_layers = num_layers
        self.layers = nn.ModuleList([])
        for _ in range(num_layers):
            layer = DecoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
            self.layers.append(layer)
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        hidden = x
        for i in range(self.num_layers):
            hidden = self.layers[i](x=hidden, memory=memory, mask=mask, memory_mask=memory_mask)
        return self.norm(hidden)

# %% right (first): functools.reduce over the layers, hasattr instead of a flag
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        args = (d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([DecoderLayer(*args) for _ in range(num_layers)])
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        from functools import reduce

        x = reduce(lambda y, layer: layer(y, memory, mask, memory_mask), self.layers, x)
        return self.norm(x) if hasattr(self, "norm") else x

# %% wrong (second): dropout is never handed to the layers, which keep their own default of 0.1
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


# %% wrong (second): pre-norm normalises the memory with the stack's own norm before the layers look at it
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


# %% wrong (second): the last norm is torch's nn.LayerNorm, whose parameters are called weight and bias and not gamma and beta
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


# %% right (second): nn.Identity for the missing norm, functools.reduce over the layers
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

# %% wrong (third): the last norm stands in the loop, after every layer
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


# %% wrong (third): hands norm_first to the layers in the place of dropout, and dropout in that of norm_first
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


# %% wrong (third): the layers are in a plain list: they are no part of the module, and their weights neither trained nor saved
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


# %% right (third): always calls a norm at the end, which is nn.Identity, without parameters, in a post-norm stack
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

# %% wrong (last): the last norm stands inside the loop, behind every layer of a pre-norm stack ("one more normalisation norm at the end")
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


# %% wrong (last): the condition of the last norm is turned round, post-norm gets it and pre-norm does not / dropout is not handed on, each layer keeps its default
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


# %% right (last): a fold over the layers with everything but x fixed beforehand
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


# %% wrong (fifth): a last LayerNorm with post-norm too
# true: last_norm_always_made
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


# %% wrong (fifth): dropout is not passed on, every layer keeps its default of 0.1
# true: dropout_not_handed_on
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


# %% wrong (fifth): the two masks are handed to the layers in the wrong order
# true: masks_exchanged
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
            x = layer(x, memory, memory_mask, mask)
        return self.norm(x)


# %% right (fifth): layers appended one by one, keyword arguments, the norm chosen by an if
class Decoder(nn.Module):
    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(
                DecoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
            )
        if norm_first:
            self.norm = LayerNorm(d_model)
        else:
            self.norm = nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        from functools import reduce

        climbed = reduce(
            lambda words, layer: layer(words, memory, mask=mask, memory_mask=memory_mask), self.layers, x
        )
        return self.norm(climbed)
