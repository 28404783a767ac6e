# %% wrong (fourth): no mask: padding is attended to
# true: padding_seen
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        return self.encoder(self.embedding(ids))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)  # (B, T, D)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != self.pad_id).unsqueeze(-1).to(x.dtype)
            x = (x * real).sum(dim=1) / real.sum(dim=1)
        return self.head(x)


# %% wrong (fourth): the mean of all positions, padding included
# true: pads_in_the_mean
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        hidden = self.encode(ids)
        if self.pooling is None:
            return self.head(hidden)
        if self.pooling == "cls":
            return self.head(hidden[:, 0])
        return self.head(hidden.mean(dim=1))


# %% wrong (fourth): padding is left out of the sum but counted in the divisor
# true: divided_by_all_positions
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            x = x[:, 0, :]
        if self.pooling == "mean":
            x = x.masked_fill((ids == self.pad_id).unsqueeze(-1), 0.0).mean(dim=1)
        return self.head(x)


# %% wrong (fourth): the mean leaves position 0 out
# true: first_left_out_of_the_mean
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            return self.head(x[:, 0])
        if self.pooling == "mean":
            real = (ids[:, 1:] != self.pad_id).unsqueeze(-1)
            x = (x[:, 1:] * real).sum(1) / real.sum(1).clamp(min=1)
        return self.head(x)


# %% wrong (fourth): the last position stands for the sentence
# true: last_for_cls
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            return self.head(x[:, -1])
        if self.pooling == "mean":
            keep = (ids != self.pad_id).to(x.dtype)
            return self.head(torch.einsum("bt,btd->bd", keep, x) / keep.sum(1, keepdim=True))
        return self.head(x)


# %% wrong (fourth): the mask lacks the heads' axis
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        return self.encoder(self.embedding(ids), padding_mask(ids, self.pad_id))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)  # (B, T, D)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != self.pad_id).unsqueeze(-1).to(x.dtype)
            x = (x * real).sum(dim=1) / real.sum(dim=1)
        return self.head(x)


# %% wrong (fourth): PyTorch's key_padding_mask: True where there is padding
# true: mask_inverted
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        key_padding_mask = ids == self.pad_id
        return self.encoder(self.embedding(ids), key_padding_mask[:, None, None, :])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)  # (B, T, D)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != self.pad_id).unsqueeze(-1).to(x.dtype)
            x = (x * real).sum(dim=1) / real.sum(dim=1)
        return self.head(x)


# %% wrong (fourth): 0 is taken for padding, whatever pad_id is
# true: zero_assumed_everywhere
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        return self.encoder(self.embedding(ids), padding_mask(ids, 0).unsqueeze(1))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != 0).unsqueeze(-1)
            x = (x * real).sum(1) / real.sum(1)
        return self.head(x)


# %% wrong (fourth): probabilities instead of logits
# true: probabilities_returned
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != self.pad_id).unsqueeze(-1)
            x = (x * real).sum(1) / real.sum(1)
        return torch.softmax(self.head(x), dim=-1)


# %% wrong (fourth): the largest of each feature instead of the mean
# true: largest_for_the_mean
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.encode(ids)
        if self.pooling == "cls":
            return self.head(h[:, 0])
        if self.pooling == "mean":
            h = h.masked_fill((ids == self.pad_id)[:, :, None], float("-inf"))
            return self.head(h.max(dim=1).values)
        return self.head(h)


# %% wrong (fourth): the first sentence of the batch instead of the first position
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            return self.head(x[0])
        if self.pooling == "mean":
            real = padding_mask(ids, self.pad_id).transpose(1, 2)  # (B, T, 1)
            return self.head((x * real).sum(dim=1) / real.sum(dim=1))
        return self.head(x)


# %% wrong (fourth): the embeddings are pooled; only a tagger is encoded
# true: pooled_before_the_encoder
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        if self.pooling is None:
            return self.head(self.encode(ids))
        x = self.embedding(ids)
        if self.pooling == "cls":
            return self.head(x[:, 0])
        real = (ids != self.pad_id).unsqueeze(-1)
        return self.head((x * real).sum(1) / real.sum(1))


# %% right (fourth): the head first, then the mean of the logits: both are linear
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        logits = self.head(self.encode(ids))  # (B, T, C)
        if self.pooling == "cls":
            return logits[:, 0]
        if self.pooling == "mean":
            real = (ids != self.pad_id).to(logits.dtype)
            return torch.einsum("btc,bt->bc", logits, real / real.sum(dim=1, keepdim=True))
        return logits


# %% right (fourth): a mean for each sentence, in a loop
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        real = (ids != self.pad_id)[:, None, None, :]
        return self.encoder(self.embedding(ids), real)

    def forward(self, ids: Tensor) -> Tensor:
        vectors = self.encode(ids)
        if self.pooling == "mean":
            vectors = torch.stack([v[row != self.pad_id].mean(dim=0) for v, row in zip(vectors, ids)])
        elif self.pooling == "cls":
            vectors = vectors.select(1, 0)
        return self.head(vectors)


# %% right (fourth): pooling as a row of weights, and one product
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        B, T = ids.shape
        mask = (ids != self.pad_id).view(B, 1, 1, T).expand(B, 1, T, T)
        x = self.embedding(ids)
        for layer in self.encoder.layers:
            x = layer(x, mask)
        return self.encoder.norm(x)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        match self.pooling:
            case None:
                return self.head(x)
            case "cls":
                weights = torch.zeros(ids.shape, dtype=x.dtype)
                weights[:, 0] = 1
            case "mean":
                weights = (ids != self.pad_id).to(x.dtype)
                weights = weights / weights.sum(-1, keepdim=True)
        return self.head((weights.unsqueeze(1) @ x).squeeze(1))


# %% right (fourth): nanmean over what is not padding
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "mean":
            x = torch.where((ids != self.pad_id)[..., None], x, torch.nan).nanmean(dim=1)
        if self.pooling == "cls":
            x = x[:, 0, :]
        return self.head(x)


# %% wrong (fifth): the mean leaves out tokens with id 0, not those with id pad_id
# true: mean_without_0
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = (ids != self.pad_id)[:, None, None, :]  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encode(ids)
        if self.pooling == "cls":
            x = x[:, 0]
        elif self.pooling == "mean":
            real = (ids != 0).unsqueeze(-1).to(x.dtype)  # (B, T, 1)
            x = (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return self.head(x)


# %% wrong (fifth): the mask is (B, 1, T) without an axis for the heads, so B meets H
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        mask = (ids != self.pad_id).unsqueeze(1)  # (B, 1, T), True = real
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids: Tensor) -> Tensor:
        vectors = self.encode(ids)  # (B, T, D)
        if self.pooling is None:
            return self.head(vectors)
        if self.pooling == "cls":
            return self.head(vectors[:, 0])
        real = (ids != self.pad_id).unsqueeze(-1)
        return self.head((vectors * real).sum(dim=1) / real.sum(dim=1))


# %% right (fifth): the mean as a product of a row of shares and the vectors
class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def _real(self, ids: Tensor) -> Tensor:
        return ids.ne(self.pad_id)  # (B, T)

    def encode(self, ids: Tensor) -> Tensor:
        allowed = self._real(ids)[:, None, None]  # (B, 1, 1, T)
        return self.encoder(self.embedding(ids), allowed)

    def forward(self, ids: Tensor) -> Tensor:
        vectors = self.encode(ids)
        match self.pooling:
            case "cls":
                vectors = vectors.select(1, 0)
            case "mean":
                shares = self._real(ids).to(vectors.dtype)
                shares = shares / shares.sum(dim=1, keepdim=True)  # (B, T)
                vectors = torch.einsum("bt,btd->bd", shares, vectors)
        return self.head(vectors)
