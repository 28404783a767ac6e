# %% wrong: the encoder's own attention is not told of the padding: the mask is only handed on to the decoder
# true: source_padding_seen_by_the_encoder
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
        memory = self.encoder(self.source_embedding(source))
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)  # (B, 1, 1, S)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return x @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% wrong: writes with the table's data: nothing is learned from what is written, only from what is read
# true: output_table_detached
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
        src_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        return self.encoder(self.source_embedding(source), src_mask), src_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        tgt_mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, tgt_mask, memory_mask)
        E = self.target_embedding.token_embedding.weight.data
        return torch.matmul(decoded, E.t())

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))


# %% wrong: forward cuts the last token of the target off by itself, and answers at T - 1 places
# true: target_shifted
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
        mask = padding_mask(source, self.pad_id)[:, None]
        memory = self.encoder(self.source_embedding(source), mask)
        return memory, mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id)[:, None]
        out = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return F.linear(out, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        decoder_input = target[:, :-1]  # teacher forcing: shifted right
        return self.decode(decoder_input, memory, memory_mask)


# %% right: one helper says which ids are real, the triangle is joined to it in decode, an einsum writes
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

    def _real_keys(self, ids: Tensor) -> Tensor:
        """(B, 1, 1, S): for all heads and all queries the same."""
        return ids.ne(self.pad_id)[:, None, None, :]

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        real = self._real_keys(source)
        return self.encoder(x=self.source_embedding(source), mask=real), real

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        earlier = causal_mask(target.size(1)).to(target.device)  # (T, T)
        decoded = self.decoder(
            self.target_embedding(target),
            memory,
            mask=self._real_keys(target) & earlier,  # (B, 1, T, T)
            memory_mask=memory_mask,
        )  # (B, T, D)
        table = self.target_embedding.token_embedding.weight  # (V, D)
        return torch.einsum("btd,vd->btv", decoded, table)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        encoded = self.encode(source)
        return self.decode(target, *encoded)
