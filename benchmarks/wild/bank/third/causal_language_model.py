# %% wrong: the loss reads all T + 1 tokens and throws the last answer away: ids of max_length + 1 are an error
# true: read_whole_then_cut
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        x = self.blocks(self.embedding(ids), mask)
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        # shift so that tokens < n predict n
        shift_logits = logits[:, :-1, :].contiguous()
        shift_labels = ids[:, 1:].contiguous()
        return teacher_forced_loss(shift_logits, shift_labels, self.pad_id)


# %% wrong: takes the mean of each sentence, then the mean of the sentences: a word of a short one counts more
# true: mean_of_sentences
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        h = self.embedding(ids)
        h = self.blocks(h, decoder_mask(ids, self.pad_id)[:, None])
        return self.readout(h)

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        log_probs = F.log_softmax(self.forward(inputs), dim=-1)
        nll = -log_probs.gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (B, T)
        real = (labels != self.pad_id).to(nll.dtype)
        per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()


# %% wrong: the mask takes 0 for the padding, whatever pad_id says
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.size(1)
        pad = (ids != 0)[:, None, None, :]  # (B, 1, 1, T)
        mask = pad & causal_mask(T)[None, None]  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id)


# %% right: the mask from a comparison of places, the loss by F.cross_entropy over the flattened batch
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        place = torch.arange(ids.size(1), device=ids.device)  # (T,)
        not_later = torch.ge(place.view(-1, 1), place.view(1, -1))  # (T, T): (query, key)
        real = torch.ne(ids, self.pad_id).view(len(ids), 1, 1, -1)  # (B, 1, 1, T)
        tokens = self.blocks(self.embedding(ids), mask=torch.logical_and(not_later, real))  # (B, T, D)
        return torch.einsum("btd,vd->btv", tokens, self.readout.weight) + self.readout.bias  # (B, T, V)

    def loss(self, ids: Tensor) -> Tensor:
        T = ids.size(1) - 1
        logits = self(ids.narrow(1, 0, T))  # (B, T, V)
        labels = ids.narrow(1, 1, T)  # (B, T)
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=self.pad_id)
