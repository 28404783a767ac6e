# %% wrong: the position is added before the multiplication by sqrt(D), so the position is scaled up too
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


# %% wrong: the counter goes up before it is used, so the first token gets position 1 / log-probabilities are returned and not logits
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


# %% wrong: the token is read as one Python number, so it works for a batch of one only
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


# %% right: itertools.count for the position, F.embedding on the table, norm looked up with a fallback
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
