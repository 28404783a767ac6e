# %% wrong: looks words up without the factor sqrt(D) that the embedding applies / leaves the decoder's last norm out ("the last normalisation"; every step equals the full Transformer.decode)
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


# %% wrong: the count goes up before it is used, so bos stands at position 1 and every token one place too far (positions are 0 to T - 1)
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


# %% right: embeds all that was read by the model's own embedding and takes the last row, a fold over the layers' steps
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
