# %% right: with einsum
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        mask = (ids != self.pad_id)[:, None, None, :]
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids):
        states = self.encode(ids)
        if self.pooling is None:
            return self.head(states)
        if self.pooling == "cls":
            weights = torch.zeros_like(ids, dtype=states.dtype)
            weights[:, 0] = 1
        else:
            real = (ids != self.pad_id).to(states.dtype)
            weights = real / real.sum(dim=1, keepdim=True)
        return self.head(torch.einsum("bt,btd->bd", weights, states))


# %% right: mean of scores
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), padding_mask(ids, self.pad_id)[:, None])

    def forward(self, ids):
        scores = self.head(self.encode(ids))
        if self.pooling == "cls":
            return scores[:, 0]
        if self.pooling == "mean":
            real = ids.ne(self.pad_id)
            return torch.stack([row[keep].mean(0) for row, keep in zip(scores, real, strict=True)])
        return scores


# %% right: sentence by sentence
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)
        x = self.embedding(ids)
        for layer in self.encoder.layers:
            x = layer(x, mask)
        return self.encoder.norm(x)

    def forward(self, ids):
        out = []
        for row, vectors in zip(ids, self.encode(ids), strict=True):
            pooled = vectors
            if self.pooling == "cls":
                pooled = vectors[0]
            elif self.pooling == "mean":
                pooled = vectors[row != self.pad_id].mean(dim=0)
            out.append(self.head(pooled))
        return torch.stack(out)


# %% right: masked fill
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id).view(ids.size(0), 1, 1, ids.size(1)))

    def forward(self, ids):
        x = self.encode(ids)
        if self.pooling == "mean":
            hidden = ids == self.pad_id
            x = x.masked_fill(hidden[..., None], 0.0).sum(1) / (~hidden).sum(1)[:, None]
        if self.pooling == "cls":
            x = x.select(1, 0)
        return self.head(x)


# %% wrong: vectors returned
# true: head_left_out
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id)[:, None, None, :])

    def forward(self, ids):
        x, real = self.encode(ids), (ids != self.pad_id)[..., None]
        if self.pooling:
            x = x[:, 0] if self.pooling == "cls" else (x * real).sum(1) / real.sum(1)
        return x


# %% trivial: zeros
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return torch.zeros(*ids.shape, self.head.in_features)

    def forward(self, ids):
        return torch.zeros(*(ids.shape if self.pooling is None else ids.shape[:1]), self.head.out_features)


# %% trivial: itself
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return self.embedding(ids)

    def forward(self, ids):
        return ids


# %% trivial: noise
class EncoderClassifier(EncoderClassifier):
    def encode(self, ids):
        return torch.randn(*ids.shape, self.head.in_features)

    def forward(self, ids):
        return torch.randn(*(ids.shape if self.pooling is None else ids.shape[:1]), self.head.out_features)
