class DecoderInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, model, memory, memory_mask):
        self.model, self.memory, self.memory_mask, self.tokens = model, memory, memory_mask, []
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]

    def embed(self):
        return self.model.target_embedding(torch.stack(self.tokens, dim=1))[:, -1:]

    def through(self, x):
        for layer in self.layers:
            x = layer.step(x)
        return x

    def say(self, x):
        return (self.model.decoder.norm(x) @ self.model.target_embedding.token_embedding.weight.mT)[:, 0]

    def step(self, token):
        self.tokens.append(token)
        return self.say(self.through(self.embed()))


# %% right: positions by counting
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model, self.seen = model, 0
        self.layers = []
        for layer in model.decoder.layers:
            self.layers.append(CachedLayer(layer, memory, memory_mask))

    def step(self, token):
        table = self.model.target_embedding.token_embedding.weight
        x = F.embedding(token[:, None], table) * table.shape[1] ** 0.5
        x = x + self.model.target_embedding.positions[self.seen : self.seen + 1]
        self.seen = self.seen + 1
        for layer in self.layers:
            x = layer.step(x)
        return F.linear(self.model.decoder.norm(x), table)[:, 0]


# %% right: length of the keys
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.decoder, self.embedding = model.decoder, model.target_embedding
        self.cached = [CachedLayer(layer, memory, memory_mask) for layer in self.decoder.layers]
        self.rows = iter(self.embedding.positions)

    def step(self, token):
        table = self.embedding.token_embedding.weight
        x = (math.sqrt(table.size(1)) * table[token] + next(self.rows)).unsqueeze(1)
        for layer in self.cached:
            x = layer.step(x)
        return torch.einsum("bd,vd->bv", self.decoder.norm(x).squeeze(1), table)


# %% right: embedded with what went before
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model, self.written = model, None
        self.layers = tuple(CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers)

    def step(self, token):
        token = token.view(-1, 1)
        self.written = token if self.written is None else torch.cat([self.written, token], dim=1)
        x = self.model.target_embedding(self.written)[:, -1:]  # embedding is cheap: only the layers must not see it all
        for layer in self.layers:
            x = layer.step(x)
        return (self.model.decoder.norm(x) @ self.model.target_embedding.token_embedding.weight.T).squeeze(1)


# %% right: filled up in front
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.length = -1

    def step(self, token):
        self.length += 1
        ids = token.unsqueeze(1).repeat(1, self.length + 1)
        x = self.model.target_embedding(ids)[:, self.length].unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        x = self.model.decoder.norm(x)[:, -1]
        return x.matmul(self.model.target_embedding.token_embedding.weight.t())


# %% wrong: words alone
# true: positions_left_out
class CachedDecoder(DecoderInOnePiece):
    def embed(self):
        table = self.model.target_embedding.token_embedding
        return table(self.tokens[-1].unsqueeze(1)) * table.embedding_dim**0.5


# %% wrong: log probabilities
# true: log_probabilities
class CachedDecoder(DecoderInOnePiece):
    def say(self, x):
        return F.log_softmax(super().say(x), -1)


# %% wrong: last layer first
# true: layers_backwards
class CachedDecoder(DecoderInOnePiece):
    def through(self, x):
        for i in range(len(self.layers) - 1, -1, -1):
            x = self.layers[i].step(x)
        return x


# %% wrong: probabilities
# true: probabilities
class CachedDecoder(DecoderInOnePiece):
    def say(self, x):
        return F.softmax(super().say(x), -1)


# %% trivial: zeros
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model

    def step(self, token):
        return torch.zeros(len(token), len(self.model.target_embedding.token_embedding.weight))


# %% trivial: the embedding itself
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.embedding = model.target_embedding

    def step(self, token):
        return self.embedding(token.unsqueeze(1))[:, 0] @ self.embedding.token_embedding.weight.T


# %% trivial: noise
class CachedDecoder:
    def __init__(self, model, memory, memory_mask):
        self.model = model

    def step(self, token):
        return torch.randn(len(token), len(self.model.target_embedding.token_embedding.weight))
