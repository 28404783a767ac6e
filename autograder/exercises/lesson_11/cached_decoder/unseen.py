# %% wrong (first): each token is embedded as a sentence of one, so all are believed to stand at the first place
# true: positions_restart
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        x = self.model.target_embedding(token.unsqueeze(1))
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        x = x if norm is None else norm(x)
        return (x @ self.model.target_embedding.token_embedding.weight.T).squeeze(1)

# %% wrong (first): the place is counted up before it is used, the first token stands at place 1
# true: positions_from_1
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        self.place += 1
        x = x + embedding.positions[self.place]
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the token's vector is not multiplied by the root of the width
# true: words_unscaled
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token)
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the last normalisation is left out
# true: last_norm_left_out
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        return x[:, 0] @ table.T

# %% wrong (first): the logits are multiplied by the root of the width too
# true: logits_scaled
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return F.linear(x[:, 0], table) * math.sqrt(table.size(1))

# %% wrong (first): new layers with empty caches are made at every step
# true: new_layers_at_every_step
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model, self.memory, self.memory_mask = model, memory, memory_mask
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        layers = [CachedLayer(layer, self.memory, self.memory_mask) for layer in self.model.decoder.layers]
        for layer in layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): there is no cache: the tokens are kept, and the whole decoder runs over all of them at each step
# true: everything_read_again
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.memory = memory
        self.memory_mask = memory_mask
        self.tokens = None

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        token = token.view(-1, 1)
        self.tokens = token if self.tokens is None else torch.cat([self.tokens, token], dim=1)
        logits = self.model.decode(self.tokens, self.memory, self.memory_mask)
        return logits[:, -1]

# %% wrong (first): the first layer's cache serves all layers
# true: first_cached_layer_for_all
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(model.decoder.layers[0], memory, memory_mask)] * len(model.decoder.layers)
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): target words are read with the source's embedding
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.source_embedding
        table = self.model.target_embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the logits keep the axis of the single token, (B, 1, V)
# true: axis_of_one_token
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return torch.einsum('btd,vd->btv', x, table)

# %% wrong (first): the place is counted for the class, so a second translation does not begin at 0
# true: count_shared_by_all_translations
class CachedDecoder:
    place = 0

    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[CachedDecoder.place]
        CachedDecoder.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the layers get a mask of all True in place of the memory's, padding of the source is read
# true: memory_mask_left_out
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        everything = torch.ones_like(memory_mask)
        self.layers = [CachedLayer(layer, memory, everything) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): probabilities come back, not logits / no position is added at all
# true: positions_left_out, probabilities
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return torch.softmax(x[:, 0] @ table.T, dim=-1)

# %% wrong (first): the position is multiplied by the root of the width along with the word
# true: positions_scaled_too
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) + embedding.positions[self.place]
        x = x * math.sqrt(table.size(1))
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): every layer gets the token's embedding, not what the layer before has made of it
# true: last_layer_only
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        token_vector = x
        for layer in self.layers:
            x = layer.step(token_vector)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the norm is applied after each layer, not only after the last
# true: norm_after_each_layer
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
            if getattr(self.model.decoder, "norm", None) is not None:
                x = self.model.decoder.norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): a sentence whose token is padding is not moved on: the place stands still when any of the batch's tokens is padding, for all of them
# true: positions_stop_at_padding
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        if (token != self.model.pad_id).all():
            self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% wrong (first): the layers are run in the opposite order / the place stays at 1 from the second token on
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place = 1
        x = x.unsqueeze(1)
        for layer in self.layers[::-1]:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% right (first): the place is a counter, the norm is used where there is one
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.place = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight
        x = embedding.token_embedding(token) * math.sqrt(table.size(1))
        x = x + embedding.positions[self.place]
        self.place += 1
        x = x.unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return x[:, 0] @ table.T

# %% right (first): F.linear and a plain list filled by a loop, dropout called as in the model
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.embedding = model.target_embedding
        self.decoder = model.decoder
        self.caches = []
        for layer in model.decoder.layers:
            self.caches.append(CachedLayer(layer, memory, memory_mask))
        self.t = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        E = self.embedding.token_embedding
        assert token.dim() == 1, token.shape
        vector = E(token)[:, None, :] * E.embedding_dim**0.5
        vector = self.embedding.dropout(vector + self.embedding.positions[self.t : self.t + 1])
        for cache in self.caches:
            vector = cache.step(vector)
        self.t = self.t + 1
        norm = getattr(self.decoder, "norm", None)
        vector = norm(vector) if callable(norm) else vector
        return F.linear(vector.squeeze(1), E.weight)

# %% right (first): the model's own embedding is called on the token repeated up to its place, and the last vector is taken
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = list(map(lambda layer: CachedLayer(layer, memory, memory_mask), model.decoder.layers))
        self.embed = model.target_embedding
        self.length = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        # the same token at every place: only the last place is looked at
        repeated = token.unsqueeze(1).repeat(1, self.length + 1)
        x = self.embed(repeated)[:, -1:]
        self.length += 1
        for layer in self.layers:
            x = layer.step(x)
        if getattr(self.model.decoder, "norm", None) is not None:
            x = self.model.decoder.norm(x)
        logits = x.matmul(self.embed.token_embedding.weight.transpose(0, 1))
        return logits[:, -1, :]

# %% wrong (second): the position is added before the multiplication by sqrt(D), so the position is scaled up too
# true: positions_scaled_too
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.t = 0

    @torch.no_grad()
    def step(self, token):
        embedding = self.model.target_embedding
        x = embedding.token_embedding(token) + embedding.positions[self.t]
        x = (x * math.sqrt(x.size(-1))).unsqueeze(1)
        self.t += 1
        for layer in self.layers:
            x = layer.step(x)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return (x @ embedding.token_embedding.weight.T)[:, 0]


# %% wrong (second): the counter goes up before it is used, so the first token gets position 1 / log-probabilities are returned and not logits
# true: positions_from_1, log_probabilities
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model
        self.caches = []
        for layer in model.decoder.layers:
            self.caches.append(CachedLayer(layer, memory, memory_mask))
        self.position = 0

    @torch.no_grad()
    def step(self, token):
        self.position += 1
        emb = self.model.target_embedding
        weight = emb.token_embedding.weight
        x = weight[token] * weight.size(1) ** 0.5 + emb.positions[self.position]
        x = x[:, None, :]
        for cache in self.caches:
            x = cache.step(x)
        if hasattr(self.model.decoder, "norm") and self.model.decoder.norm is not None:
            x = self.model.decoder.norm(x)
        return F.log_softmax(x.squeeze(1) @ weight.t(), dim=-1)


# %% wrong (second): the token is read as one Python number, so it works for a batch of one only
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model
        self.embedding = model.target_embedding
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.written = 0

    @torch.no_grad()
    def step(self, token):
        table = self.embedding.token_embedding.weight
        d_model = table.shape[1]
        x = table[token.item()].view(1, 1, -1) * math.sqrt(d_model)
        x = x + self.embedding.positions[self.written : self.written + 1]
        self.written += 1
        for layer in self.layers:
            x = layer.step(x)
        if isinstance(getattr(self.model.decoder, "norm", None), nn.Module):
            x = self.model.decoder.norm(x)
        return F.linear(x[:, -1], table)


# %% right (second): itertools.count for the position, F.embedding on the table, norm looked up with a fallback
from itertools import count


class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.embedding = model.target_embedding
        self.stack = model.decoder
        self.layers = tuple(CachedLayer(each, memory, memory_mask) for each in self.stack.layers)
        self.places = count()

    @torch.no_grad()
    def step(self, token):
        table = self.embedding.token_embedding.weight
        place = self.embedding.positions[next(self.places)]
        h = torch.addcmul(place, F.embedding(token, table), table.new_tensor(math.sqrt(table.size(1))))
        h = h.unsqueeze(1)
        for each in self.layers:
            h = each.step(h)
        finish = getattr(self.stack, "norm", None) or (lambda rows: rows)
        return torch.einsum("btd,vd->bv", finish(h), table)

# %% right (third): takes it that there is always a last norm (written as wrong: the text did not say that it is an identity in post-norm)
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.t = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        emb = self.model.target_embedding
        x = emb.token_embedding(token) * math.sqrt(emb.token_embedding.embedding_dim) + emb.positions[self.t]
        x = x.unsqueeze(1)
        self.t += 1
        for layer in self.layers:
            x = layer.step(x)
        x = self.model.decoder.norm(x)
        return x[:, 0] @ emb.token_embedding.weight.T


# %% wrong (third): counts the token before it looks up the position: bos gets position 1
# true: positions_from_1
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.position = 0
        self.layers = [CachedLayer(l, memory, memory_mask) for l in model.decoder.layers]

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        self.position += 1
        embedding = self.model.target_embedding
        d_model = embedding.token_embedding.weight.shape[1]
        x = embedding.token_embedding(token.unsqueeze(1)) * d_model**0.5  # (B, 1, D)
        x = x + embedding.positions[self.position]
        for layer in self.layers:
            x = layer.step(x)
        if hasattr(self.model.decoder, "norm"):
            x = self.model.decoder.norm(x)
        return F.linear(x.squeeze(1), embedding.token_embedding.weight)


# %% wrong (third): squeezes all axes of length 1: a single sentence comes back without the one for the batch
# true: every_axis_of_one_squeezed
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.embedding = model.target_embedding
        self.norm = getattr(model.decoder, "norm", None)
        self.layers = []
        for layer in model.decoder.layers:
            self.layers.append(CachedLayer(layer, memory, memory_mask))
        self.step_no = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        table = self.embedding.token_embedding
        x = table(token)[:, None, :] * math.sqrt(table.weight.size(1))
        x = x + self.embedding.positions[None, self.step_no : self.step_no + 1]
        self.step_no += 1
        for cached in self.layers:
            x = cached.step(x)
        if self.norm is not None:
            x = self.norm(x)
        logits = x @ table.weight.t()  # (B, 1, V)
        return logits.squeeze()


# %% right (third): an iterator hands out the positions, the layers are reduced over, F.embedding reads and an einsum writes
from functools import reduce


class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.steps = tuple(CachedLayer(layer, memory, memory_mask).step for layer in model.decoder.layers)
        self.places = iter(range(model.target_embedding.positions.size(0)))

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight  # (V, D)
        read = math.sqrt(table.size(1)) * F.embedding(token, table) + embedding.positions[next(self.places)]  # (B, D)
        x = reduce(lambda inside, one: one(inside), self.steps, embedding.dropout(read).unsqueeze(1))  # (B, 1, D)
        norm = getattr(self.model.decoder, "norm", None)
        if norm is not None:
            x = norm(x)
        return torch.einsum("btd,vd->bv", x, table)  # (B, V)

# %% wrong (last): looks words up without the factor sqrt(D) that the embedding applies / leaves the decoder's last norm out ("the last normalisation"; every step equals the full Transformer.decode)
# true: words_unscaled, last_norm_left_out
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.t = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        x = embedding.token_embedding(token).unsqueeze(1) + embedding.positions[self.t]
        self.t += 1
        for layer in self.layers:
            x = layer.step(x)
        return (x @ embedding.token_embedding.weight.T).squeeze(1)


# %% wrong (last): the count goes up before it is used, so bos stands at position 1 and every token one place too far (positions are 0 to T - 1)
# true: positions_from_1
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.position = 0
        self.cached = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        self.position += 1
        emb = self.model.target_embedding
        scale = math.sqrt(emb.token_embedding.embedding_dim)
        x = emb.token_embedding(token)[:, None] * scale + emb.positions[self.position]
        for layer in self.cached:
            x = layer.step(x)
        x = self.model.decoder.norm(x)[:, 0]
        return x @ emb.token_embedding.weight.t()


# %% right (last): embeds all that was read by the model's own embedding and takes the last row, a fold over the layers' steps
class CachedDecoder:
    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model, self.read = model, []
        self.steps = [CachedLayer(layer, memory, memory_mask).step for layer in model.decoder.layers]

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        from functools import reduce

        self.read.append(token)
        x = self.model.target_embedding(torch.stack(self.read, dim=1))[:, -1:]  # (B, 1, D)
        decoded = self.model.decoder.norm(reduce(lambda y, step: step(y), self.steps, x))  # (B, 1, D)
        return torch.einsum("bd,vd->bv", decoded.squeeze(1), self.model.target_embedding.token_embedding.weight)


# %% wrong (fifth): the position grows by the number of sentences at each step: right for a batch of one
# true: position_by_sentences
class CachedDecoder:
    """The decoder of a `Transformer` at work on one translation."""

    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.position = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        embedding = self.model.target_embedding
        table = embedding.token_embedding.weight  # (V, D)
        x = table[token].unsqueeze(1) * math.sqrt(table.size(1)) + embedding.positions[self.position]
        self.position += token.numel()
        for layer in self.layers:
            x = layer.step(x)
        return self.model.decoder.norm(x).squeeze(1) @ table.T


# %% wrong (fifth): the last normalisation is left out, which only a post-norm model does not notice
# true: last_norm_left_out
class CachedDecoder:
    """The decoder of a `Transformer` at work on one translation."""

    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        self.embedding = model.target_embedding
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.t = 0

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        emb = self.embedding.token_embedding
        d_model = emb.weight.shape[1]
        x = emb(token) * math.sqrt(d_model)  # (B, D)
        x = (x + self.embedding.positions[self.t]).unsqueeze(1)  # (B, 1, D)
        self.t += 1
        for layer in self.layers:
            x = layer.step(x)
        return x[:, 0] @ emb.weight.T


# %% right (fifth): F.embedding and F.linear with one table, and an iterator that hands out the positions' rows
class CachedDecoder:
    """The decoder of a `Transformer` at work on one translation."""

    def __init__(self, model: Transformer, memory: Tensor, memory_mask: Tensor) -> None:
        from itertools import count

        self.model = model
        self.clock = count()
        self.stack = tuple(CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers)

    @torch.no_grad()
    def step(self, token: Tensor) -> Tensor:
        words = self.model.target_embedding.token_embedding.weight  # (V, D)
        position = self.model.target_embedding.positions[next(self.clock)]  # (D,)
        x = torch.add(position, F.embedding(token[:, None], words), alpha=words.size(-1) ** 0.5)  # (B, 1, D)
        for layer in self.stack:
            x = layer.step(x)
        return F.linear(self.model.decoder.norm(x), words)[:, 0]
