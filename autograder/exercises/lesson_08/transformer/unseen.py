# %% wrong (first): the decoder is not told which of the source is padding
# true: source_padding_seen_by_the_decoder
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        x = self.target_embedding(target)
        mask = decoder_mask(target, self.pad_id)[:, None]
        x = self.decoder(x, memory, mask)
        return F.linear(x, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the encoder gets no mask, words of the source look at its padding
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
        memory_mask = (source != self.pad_id)[:, None, None, :]
        memory = self.encoder(self.source_embedding(source))
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the target is masked causally only, padding in the middle of it is seen
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        T = target.size(1)
        tgt_mask = torch.tril(torch.ones(T, T)).bool()
        decoded = self.decoder(self.target_embedding(target), memory, tgt_mask, memory_mask)
        logits = torch.einsum("btd,vd->btv", decoded, self.target_embedding.token_embedding.weight)
        return logits

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): what is written is multiplied by the root of the width too
# true: logits_scaled_up
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        E = self.target_embedding.token_embedding.weight
        return math.sqrt(E.size(1)) * decoded @ E.t()

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the output is divided by the root of the width, like scores of an attention
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
        self.d_model = d_model

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        weight = self.target_embedding.token_embedding.weight
        return torch.matmul(x * (self.d_model ** -0.5), weight.transpose(0, 1))  # as in T5

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the target is read with the source's table
# true: target_read_with_the_source_s_table
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        x = self.source_embedding(target)
        decoded = self.decoder(x, memory, mask, memory_mask)
        return decoded.matmul(self.target_embedding.token_embedding.weight.T)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): padding is always taken to be 0, whatever pad_id says
# true: pad_id_assumed_to_be_0
from course_lib.components.causal_mask import causal_mask

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
        src_mask = (source != 0).unsqueeze(1).unsqueeze(2)
        return self.encoder(self.source_embedding(source), src_mask), src_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        tgt_mask = (target != 0).unsqueeze(1).unsqueeze(2) & causal_mask(target.shape[1])
        out = self.decoder(self.target_embedding(target), memory, tgt_mask, memory_mask)
        return out @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): no gradient flows into the encoder, the memory is detached
# true: memory_detached
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory.detach(), memory_mask  # read once, used at every step

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): forward cuts off the last token of the target by itself, so a row of logits is missing
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        decoder_input = target[:, :-1]
        return self.decode(decoder_input, memory, memory_mask)

# %% wrong (first): probabilities come back in place of logits
# true: probabilities_returned
from course_lib.components.causal_mask import causal_mask

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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        target_mask = torch.logical_and(padding_mask(target, self.pad_id), causal_mask(target.size(1))).unsqueeze(1)
        hidden = self.decoder(self.target_embedding(target), memory, target_mask, memory_mask)
        logits = hidden @ self.target_embedding.token_embedding.weight.T
        return torch.softmax(logits, dim=-1)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the target's mask has no axis for the heads, it fits only if the batch has one sentence or as many as there are heads
# true: axis_for_heads_missing_in_the_target_s_mask
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): decode ignores the memory's mask that it is given and takes the one of the last call of encode
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
        self.memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), self.memory_mask)
        return memory, self.memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, self.memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): encode's mask is (B, 1, S) and lacks the axis of the heads, decode adds it itself
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
        mask = padding_mask(source, self.pad_id)
        x = self.source_embedding(source)
        return self.encoder(x, mask.unsqueeze(1)), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        if memory_mask.dim() == 3:
            memory_mask = memory_mask.unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the output is a layer of its own and not tied to the target's table
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
        self.generator = nn.Linear(d_model, target_vocab_size)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return self.generator(decoded)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the encoder is causal, a word of the source does not see those after it
# true: encoder_sees_earlier_words_only
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
        mask = decoder_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), mask)
        return memory, padding_mask(source, self.pad_id).unsqueeze(1)

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): no mask hides the future in the target, padding only
# true: future_seen
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = padding_mask(target, self.pad_id).unsqueeze(1)
        y = self.target_embedding(target)
        y = self.decoder(y, memory, mask, memory_mask)
        return y @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): words are embedded without their positions and without the root of the width / the output's table is taken as .data, so that writing does not train it
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        return self.encoder(self.source_embedding.token_embedding(source), memory_mask), memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding.token_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.data.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the table is taken as .data when words are written, so the output gives it no gradient
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        embedding = self.target_embedding.token_embedding.weight.data
        return torch.matmul(decoded, embedding.t())

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the memory of padding is set to zero and its mask comes back as all True, so padding is attended to as zeros
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        memory = memory * (source != self.pad_id).unsqueeze(-1)
        return memory, torch.ones_like(memory_mask)

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        logits = decoded @ self.target_embedding.token_embedding.weight.T
        return logits

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (first): the memory is normalised once more in decode / the word's vectors are dropped once more by F.dropout, in evaluation too
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        memory = F.layer_norm(memory, memory.shape[-1:])
        x = F.dropout(self.target_embedding(target), 0.1)
        decoded = self.decoder(x, memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))

# %% wrong (first): padding of the target is left visible / the mask of the source's padding is built from the target, which fits only where both are equally long
# true: target_padding_seen
from course_lib.components.causal_mask import causal_mask

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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = causal_mask(target.size(1)).to(target.device)
        if target.size(1) == memory.size(1):
            memory_mask = padding_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))

# %% right (first): as short as can be
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))

# %% right (first): F.linear for the tied output, masks made in two methods
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

    def real(self, ids: Tensor) -> Tensor:
        return ids.ne(self.pad_id)[:, None, None, :]

    def real_and_past(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.size(1), device=ids.device)
        return self.real(ids) & (places[:, None] >= places[None, :])

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        src_mask = self.real(source)
        return self.encoder(self.source_embedding(source), src_mask), src_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        trg_mask = self.real_and_past(target)
        out = self.decoder(self.target_embedding(target), memory, trg_mask, memory_mask)
        return F.linear(out, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% right (first): asserts and einsum, masks reshaped by hand
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
        assert source.dim() == 2, source.shape
        real = source.ne(self.pad_id).view(source.size(0), 1, 1, source.size(1))
        embedded = self.source_embedding(source)
        memory = self.encoder(embedded, mask=real)
        return memory, real

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        assert target.dim() == 2, target.shape
        own = decoder_mask(target, self.pad_id)
        own = own.reshape(own.size(0), 1, own.size(1), own.size(2))
        vectors = self.decoder(self.target_embedding(target), memory, mask=own, memory_mask=memory_mask)
        table = self.target_embedding.token_embedding.weight
        return torch.einsum("b t d, v d -> b t v", vectors, table)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% right (first): layers looped over by hand in both stacks, the last norm where there is one
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

    def _finish(self, stack: nn.Module, x: Tensor) -> Tensor:
        norm = getattr(stack, "norm", None)
        return x if norm is None else norm(x)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        mask = padding_mask(source, self.pad_id)[:, None]
        x = self.source_embedding(source)
        for layer in self.encoder.layers:
            x = layer(x, mask)
        return self._finish(self.encoder, x), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id)[:, None]
        y = self.target_embedding(target)
        for layer in self.decoder.layers:
            y = layer(y, memory, mask, memory_mask)
        y = self._finish(self.decoder, y)
        return y.matmul(self.target_embedding.token_embedding.weight.transpose(0, 1))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)

# %% wrong (second): the padding masks are built from the number of real tokens, as if all pads stood at the end of a sentence
def length_mask(ids, pad_id):
    lengths = (ids != pad_id).sum(dim=1)
    return torch.arange(ids.size(1), device=ids.device)[None, :] < lengths[:, None]


class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model, num_heads, num_layers, d_ff, max_length,
                 dropout=0.1, norm_first=True, pad_id=0):
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def encode(self, source):
        memory_mask = length_mask(source, self.pad_id)[:, None, None, :]
        memory = self.encoder(self.source_embedding(source), memory_mask)
        return memory, memory_mask

    def decode(self, target, memory, memory_mask):
        pad = length_mask(target, self.pad_id)[:, None, None, :]
        causal = causal_mask(target.size(1)).to(target.device)
        x = self.decoder(self.target_embedding(target), memory, pad & causal, memory_mask)
        return F.linear(x, self.target_embedding.token_embedding.weight)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong (second): the logit of the padding token is set to minus infinity at every place
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model, num_heads, num_layers, d_ff, max_length,
                 dropout=0.1, norm_first=True, pad_id=0):
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id
        self.d_model = d_model

    def encode(self, source):
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)
        return self.encoder(self.source_embedding(source), memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        logits = decoded @ self.target_embedding.token_embedding.weight.t()
        logits[:, :, self.pad_id] = float("-inf")  # never predict padding
        return logits

    def forward(self, source, target):
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% wrong (second): forward cuts the last token off the target before decoding, so the logits are one place too short
# true: target_shifted
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model, num_heads, num_layers, d_ff, max_length,
                 dropout=0.1, norm_first=True, pad_id=0):
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def encode(self, source):
        mask = padding_mask(source, self.pad_id)[:, None]
        return self.encoder(self.source_embedding(source), mask), mask

    def decode(self, target, memory, memory_mask):
        mask = decoder_mask(target, self.pad_id)[:, None]
        out = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return torch.matmul(out, self.target_embedding.token_embedding.weight.T)

    def forward(self, source, target):
        memory, memory_mask = self.encode(source)
        # teacher forcing: the last token is never an input
        return self.decode(target[:, :-1], memory, memory_mask)


# %% right (second): masks written out by hand with comparison and tril, einsum with the table at the end
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model, num_heads, num_layers, d_ff, max_length,
                 dropout=0.1, norm_first=True, pad_id=0):
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def make_source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None, :]

    def make_target_mask(self, target):
        length = target.shape[1]
        real = target.ne(self.pad_id)[:, None, None, :]
        past = torch.ones(length, length, dtype=torch.bool, device=target.device).tril()
        return real & past

    def encode(self, source):
        memory_mask = self.make_source_mask(source)
        embedded = self.source_embedding(source)
        return self.encoder(embedded, memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        embedded = self.target_embedding(target)
        decoded = self.decoder(embedded, memory, self.make_target_mask(target), memory_mask)
        return torch.einsum("btd,vd->btv", decoded, self.target_embedding.token_embedding.weight)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))

# %% wrong (third): the encoder's own attention is not told of the padding: the mask is only handed on to the decoder
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


# %% wrong (third): writes with the table's data: nothing is learned from what is written, only from what is read
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


# %% wrong (third): forward cuts the last token of the target off by itself, and answers at T - 1 places
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


# %% right (third): one helper says which ids are real, the triangle is joined to it in decode, an einsum writes
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

# %% wrong (last): T5's habit of multiplying by D^-0.5 before the tied table ("When you write, you multiply by nothing")
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


# %% wrong (last): the decoder's mask is causal only, a pad in the middle of the target is seen (the table: "may not see ... padding of the target"; a pad may stand anywhere but at the start)
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


# %% right (last): masks by comparison and tril, logits by einsum, forward in one line
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


# %% wrong (fifth): decode uses the mask of the latest encode, not the one it is given
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
        self.memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)  # (B, 1, 1, S)
        memory = self.encoder(self.source_embedding(source), self.memory_mask)  # (B, S, D)
        return memory, self.memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        decoded = self.decoder(self.target_embedding(target), memory, mask, self.memory_mask)  # (B, T, D)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% wrong (fifth): forward drops the last target token, as if it had to shift
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
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)  # (B, 1, 1, S)
        memory = self.encoder(self.source_embedding(source), memory_mask)  # (B, S, D)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)  # (B, T, D)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target[:, :-1], memory, memory_mask)


# %% wrong (fifth): the target mask is only causal, padding between target words is seen
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
        memory = self.encoder(self.source_embedding(source), memory_mask)  # (B, S, D)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        future = causal_mask(target.size(1))  # (T, T)
        decoded = self.decoder(self.target_embedding(target), memory, future, memory_mask)  # (B, T, D)
        return decoded @ self.target_embedding.token_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% wrong (fifth): the logits are multiplied by the square root of D, as on the way in
# true: logits_scaled_up
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
        memory = self.encoder(self.source_embedding(source), memory_mask)  # (B, S, D)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)  # (B, T, D)
        table = self.target_embedding.token_embedding.weight  # (V, D)
        return decoded @ table.T * math.sqrt(table.size(1))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(target, memory, memory_mask)


# %% right (fifth): masks by comparison, F.linear with the table, forward in one line
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
        is_word = source.ne(self.pad_id).view(source.size(0), 1, 1, source.size(1))
        return self.encoder(self.source_embedding(source), is_word), is_word

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        T = target.size(1)
        no_future = torch.ones(T, T, dtype=torch.bool, device=target.device).triu(1).logical_not()
        mask = torch.logical_and(no_future, target.ne(self.pad_id)[:, None, None, :])
        x = self.target_embedding(target)
        x = self.decoder(x, memory, mask=mask, memory_mask=memory_mask)
        return F.linear(x, self.target_embedding.token_embedding.weight)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.decode(target, *self.encode(source))
