# %% wrong: positions count only the tokens that are not 0, so tokens behind or between zeros get another place than the one they stand at
# true: padding_not_counted
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        not_pad = ids.ne(0).long()
        places = torch.cumsum(not_pad, dim=1) - 1
        places = places.clamp(min=0)
        x = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        x = x + self.positions[places].detach()
        return self.dropout(x)

# %% wrong: F.dropout is called without saying whether the module is training, so numbers are dropped in evaluation too
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
        B, T = ids.shape
        d_model = self.token_embedding.weight.shape[1]
        tok = self.token_embedding(ids) * d_model ** 0.5
        pos = self.positions[:T, :].unsqueeze(0).expand(B, T, d_model)
        return F.dropout(tok + pos, p=self.dropout.p)

# %% wrong: batch and time are swapped for the positions: every token of sentence b gets the vector of position b
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
        x = self.token_embedding(ids.long())
        x = x * math.sqrt(x.size(-1))
        pe = self.positions.unsqueeze(1)  # (L, 1, D)
        x = x + pe[: x.size(0)].requires_grad_(False)
        return self.dropout(x)

# %% right: rows by index_select, the factor from the buffer's width, written into one expression
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.size(-1), device=self.positions.device)
        added = self.positions.index_select(0, places)
        words = self.token_embedding(ids).mul(self.positions.size(1) ** 0.5)
        return self.dropout(torch.add(words, added))
