# %% wrong: T5's habit of multiplying by D^-0.5 before the tied table ("When you write, you multiply by nothing")
# true: logits_scaled_down
class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        norm_first: bool = True,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        mask = (source != self.pad_id).unsqueeze(1).unsqueeze(2)  # (B, 1, 1, S)
        return self.encoder(self.source_embedding(source), mask), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        decoded = decoded * (decoded.size(-1) ** -0.5)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% wrong: the decoder's mask is causal only, a pad in the middle of the target is seen (the table: "may not see ... padding of the target"; a pad may stand anywhere but at the start)
# true: target_padding_seen
class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        norm_first: bool = True,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)  # (B, 1, 1, S)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        x = self.target_embedding(target)
        x = self.decoder(x, memory, causal_mask(target.size(1)), memory_mask)
        return F.linear(x, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))


# %% right: masks by comparison and tril, logits by einsum, forward in one line
class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        norm_first: bool = True,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def _real(self, ids: Tensor) -> Tensor:
        return ids.ne(self.pad_id)[:, None, None, :]  # (B, 1, 1, length)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        real = self._real(source)
        return self.encoder(self.source_embedding(source), mask=real), real

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        visible = self._real(target).expand(-1, -1, target.size(1), -1).tril()  # (B, 1, T, T)
        decoded = self.decoder(self.target_embedding(target), memory, mask=visible, memory_mask=memory_mask)
        return torch.einsum("btd,vd->btv", decoded, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))
