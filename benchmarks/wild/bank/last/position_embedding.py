# %% wrong: PyTorch tutorial's habit of sequences first, reads the position off the batch axis ("plus the vectors of positions 0 to T - 1")
# true: along_the_batch
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        pe = self.positions.unsqueeze(1)  # (L, 1, D)
        x = x + pe[: x.size(0)]
        return self.dropout(x)


# %% wrong: F.dropout without its training flag drops in evaluation mode too ("in training, dropout falls on the sum")
# true: dropout_in_evaluation
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        d_model = self.positions.size(-1)
        summed = self.token_embedding(ids) * d_model**0.5 + self.positions[: ids.size(1)]
        return F.dropout(summed, p=self.dropout.p)


# %% right: indexes the table directly, one torch.add with alpha = sqrt(D)
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        words = self.token_embedding.weight[ids]  # (B, T, D)
        places = self.positions.narrow(0, 0, ids.shape[-1]).expand_as(words)
        return self.dropout(torch.add(places, words, alpha=words.shape[-1] ** 0.5))
