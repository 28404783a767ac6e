# %% wrong: each token is embedded as a sentence of one, so all are believed to stand at the first place
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

# %% wrong: the place is counted up before it is used, the first token stands at place 1
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

# %% wrong: the token's vector is not multiplied by the root of the width
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

# %% wrong: the last normalisation is left out
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

# %% wrong: the logits are multiplied by the root of the width too
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

# %% wrong: new layers with empty caches are made at every step
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

# %% wrong: there is no cache: the tokens are kept, and the whole decoder runs over all of them at each step
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

# %% wrong: the first layer's cache serves all layers
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

# %% wrong: target words are read with the source's embedding
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

# %% wrong: the logits keep the axis of the single token, (B, 1, V)
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

# %% wrong: the place is counted for the class, so a second translation does not begin at 0
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

# %% wrong: the layers get a mask of all True in place of the memory's, padding of the source is read
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

# %% wrong: probabilities come back, not logits / no position is added at all
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

# %% wrong: the position is multiplied by the root of the width along with the word
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

# %% wrong: every layer gets the token's embedding, not what the layer before has made of it
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

# %% wrong: the norm is applied after each layer, not only after the last
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

# %% wrong: a sentence whose token is padding is not moved on: the place stands still when any of the batch's tokens is padding, for all of them
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

# %% wrong: the layers are run in the opposite order / the place stays at 1 from the second token on
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

# %% right: the place is a counter, the norm is used where there is one
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

# %% right: F.linear and a plain list filled by a loop, dropout called as in the model
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

# %% right: the model's own embedding is called on the token repeated up to its place, and the last vector is taken
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
