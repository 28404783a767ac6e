# %% wrong: the padding masks are built from the number of real tokens, as if all pads stood at the end of a sentence
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


# %% wrong: the logit of the padding token is set to minus infinity at every place
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


# %% wrong: forward cuts the last token off the target before decoding, so the logits are one place too short
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


# %% right: masks written out by hand with comparison and tril, einsum with the table at the end
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
