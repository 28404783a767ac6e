# %% wrong: dropout falls on the words before the positions are added
# true: dropout_before_adding
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        words = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        return self.dropout(words) + self.positions[: ids.size(1)]


# %% wrong: sets the vectors of id 0 to zero, as if it were padding that must not be seen
# true: token_0_silenced
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.shape
        D = self.positions.shape[-1]
        x = self.token_embedding(ids) * D**0.5 + self.positions[:T].unsqueeze(0)
        x = x.masked_fill((ids == 0).unsqueeze(-1), 0.0)
        return self.dropout(x)


# %% wrong: takes the first axis for the sentence's: all words of sentence b get position b
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
        x = x + self.positions[: x.size(0)].unsqueeze(1)
        return self.dropout(x)


# %% right: both tables looked up by F.embedding, one add with alpha
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.size(-1), device=ids.device).expand_as(ids)  # (B, T)
        there = F.embedding(places, self.positions)  # (B, T, D)
        words = F.embedding(ids, self.token_embedding.weight)  # (B, T, D)
        total = torch.add(there, words, alpha=math.sqrt(words.size(-1)))  # (B, T, D)
        return self.dropout(total)
