# %% wrong (first): the words are not multiplied by the root of D
# true: unscaled
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token_embedding(ids)
        x = x + self.positions[:ids.size(1)].detach()
        return self.dropout(x)

# %% wrong (first): the sum is multiplied by the root of D, positions and all
# true: scaled_after_adding
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.shape[1]
        x = self.token_embedding(ids)
        x = (x + self.positions[:T]) * math.sqrt(x.size(-1))
        return self.dropout(x)

# %% wrong (first): dropout falls on the words before the positions are added
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
        D = self.positions.size(1)
        tokens = self.dropout(self.token_embedding(ids) * D ** 0.5)
        return tokens + self.positions[: ids.size(1), :].unsqueeze(0)

# %% wrong (first): the stored weights are multiplied by the root of D in place, anew at every call
# true: weights_scaled_in_place
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        self.token_embedding.weight.data *= math.sqrt(self.token_embedding.embedding_dim)
        x = self.token_embedding(ids) + self.positions[: ids.shape[-1]]
        return self.dropout(x)

# %% wrong (first): F.dropout without the training flag drops numbers in evaluation too
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
        x = self.token_embedding(ids) * np.sqrt(self.token_embedding.embedding_dim)
        x = x + self.positions[None, : ids.size(1)]
        return F.dropout(x, p=self.dropout.p)

# %% wrong (first): the positions are cut to the size of the batch and not to the length
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
        B, T = ids.shape
        x = self.token_embedding(ids) * math.sqrt(self.token_embedding.weight.size(1))
        x = x + self.positions[: x.size(0)].unsqueeze(1)
        return self.dropout(x)

# %% wrong (first): positions are looked up by the tokens' numbers
# true: looked_up_by_token
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        scale = torch.sqrt(torch.tensor(self.token_embedding.embedding_dim, dtype=self.positions.dtype))
        words = self.token_embedding(ids) * scale
        places = self.positions[ids.clamp(max=len(self.positions) - 1)]
        return self.dropout(words + places)

# %% wrong (first): the words are multiplied by D and not by its root / there is no dropout
# true: scaled_by_d_model, dropout_forgotten
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token_embedding(ids)
        B, T, D = x.shape
        x = x * D
        x += self.positions[:T]
        return x

# %% wrong (first): padding (token 0) is set to zeros
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
        x = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        x = x + self.positions[: ids.size(1)]
        x = x.masked_fill((ids == 0).unsqueeze(-1), 0.0)
        return self.dropout(x)

# %% wrong (first): positions are not counted where there is padding (token 0), so later words move up
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
        not_pad = (ids != 0).long()
        places = (torch.cumsum(not_pad, dim=1) - 1).clamp(min=0)
        x = math.sqrt(self.positions.size(-1)) * self.token_embedding(ids)
        return self.dropout(x + self.positions[places])

# %% wrong (first): the whole table is added, which fits only sentences of the greatest length
# true: whole_table
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        d_model = self.token_embedding.embedding_dim
        x = self.token_embedding(ids) * d_model**0.5
        x = x + self.positions.requires_grad_(False)
        return self.dropout(x)

# %% wrong (first): the positions are made a parameter, so the optimiser changes them and they are saved
# true: positions_trained
class PositionEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_model = d_model
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)
        self.positions = nn.Parameter(sinusoidal_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token_embedding(ids) * math.sqrt(self.d_model)
        x = x + self.positions[: ids.size(1)]
        return self.dropout(x)

# %% wrong (first): the batch axis of a single sentence is squeezed away
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token_embedding(ids).mul(self.token_embedding.embedding_dim ** 0.5)
        x = x + self.positions[: ids.size(1)].expand_as(x)
        return self.dropout(x).squeeze(0)

# %% right (first): plain
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.size(1)
        x = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        return self.dropout(x + self.positions[:T])

# %% right (first): F.embedding with weights scaled into a new tensor, positions by index
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        D = self.token_embedding.weight.shape[1]
        scaled = self.token_embedding.weight * D**0.5
        words = F.embedding(ids, scaled)
        places = self.positions.index_select(0, torch.arange(ids.shape[1], device=ids.device))
        return self.dropout(words + places.unsqueeze(0))

# %% right (first): added in place to a fresh tensor, F.dropout with the training flag
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
        x = self.token_embedding(ids) * self.positions.size(1) ** 0.5
        x += self.positions[None, :T, :]
        return F.dropout(x, self.dropout.p, training=self.training)

# %% wrong (second): positions count only the tokens that are not 0, so tokens behind or between zeros get another place than the one they stand at
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

# %% wrong (second): F.dropout is called without saying whether the module is training, so numbers are dropped in evaluation too
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

# %% wrong (second): batch and time are swapped for the positions: every token of sentence b gets the vector of position b
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

# %% right (second): rows by index_select, the factor from the buffer's width, written into one expression
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

# %% wrong (third): dropout falls on the words before the positions are added
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


# %% wrong (third): sets the vectors of id 0 to zero, as if it were padding that must not be seen
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


# %% wrong (third): takes the first axis for the sentence's: all words of sentence b get position b
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


# %% right (third): both tables looked up by F.embedding, one add with alpha
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

# %% wrong (last): PyTorch tutorial's habit of sequences first, reads the position off the batch axis ("plus the vectors of positions 0 to T - 1")
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


# %% wrong (last): F.dropout without its training flag drops in evaluation mode too ("in training, dropout falls on the sum")
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


# %% right (last): indexes the table directly, one torch.add with alpha = sqrt(D)
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


# %% wrong (fifth): takes as many positions as the batch has sentences: sliced by the first axis
# true: batch_size_for_length
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
        x = x + self.positions[: x.size(0)]
        return self.dropout(x)


# %% wrong (fifth): dropout is applied to the words only, before the positions are added
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
        d_model = self.positions.shape[1]
        words = self.dropout(self.token_embedding(ids) * d_model**0.5)
        return words + self.positions[: ids.shape[1]]


# %% right (fifth): torch.add with alpha, from the positions to the words
class PositionEmbedding(nn.Module):
    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        words = F.embedding(ids, self.token_embedding.weight)
        batch, tokens, width = words.shape
        where = self.positions.narrow(0, 0, tokens).expand(batch, tokens, width)
        return self.dropout(torch.add(where, words, alpha=width**0.5))
