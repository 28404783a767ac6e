# %% right: takes it that there is always a last norm (written as wrong: the text did not say that it is an identity in post-norm)
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


# %% wrong: counts the token before it looks up the position: bos gets position 1
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


# %% wrong: squeezes all axes of length 1: a single sentence comes back without the one for the batch
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


# %% right: an iterator hands out the positions, the layers are reduced over, F.embedding reads and an einsum writes
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
