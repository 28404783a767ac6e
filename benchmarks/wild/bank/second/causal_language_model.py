# %% wrong: the loss is the mean of each sentence's mean, so a token of a short sentence counts more than one of a long sentence
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
        mask = decoder_mask(ids, self.pad_id)[:, None]  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        inputs, targets = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        nll = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
        real = (targets != self.pad_id).to(nll.dtype)
        per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()

# %% wrong: only the future is hidden and padding in front of a word is attended to / labels that are padding count in the loss
# true: padding_visible, padding_counted
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
        B, T = ids.size()
        mask = torch.tril(torch.ones(T, T, device=ids.device)).view(1, 1, T, T).bool()
        x = self.embedding(ids)
        x = self.blocks(x, mask)
        logits = self.readout(x)
        return logits

    def loss(self, ids: Tensor) -> Tensor:
        x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
        logits = self.forward(x)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), y.view(-1))

# %% wrong: the loss lets the model read all T + 1 tokens and drops the last logits, so it crashes where the sentence has one token more than the model can read
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
        mask = decoder_mask(ids, self.pad_id)
        hidden = self.blocks(self.embedding(ids), mask.unsqueeze(dim=1))
        return self.readout(hidden)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        shift_logits = logits[..., :-1, :].contiguous()
        shift_labels = ids[..., 1:].contiguous()
        return teacher_forced_loss(shift_logits, shift_labels, self.pad_id)

# %% right: log-probabilities gathered by hand, mask made in place from two comparisons
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

    def _may_attend(self, ids: Tensor) -> Tensor:
        length = ids.size(1)
        triangle = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril()
        return triangle & (ids != self.pad_id)[:, None, None, :]

    def forward(self, ids: Tensor) -> Tensor:
        return self.readout(self.blocks(self.embedding(ids), mask=self._may_attend(ids)))

    def loss(self, ids: Tensor) -> Tensor:
        read, asked = ids.narrow(1, 0, ids.size(1) - 1), ids.narrow(1, 1, ids.size(1) - 1)
        log_p = torch.log_softmax(self(read), dim=-1)
        cost = -log_p.gather(2, asked.unsqueeze(2)).squeeze(2)
        return cost[asked != self.pad_id].mean()
