# %% wrong: the mask is causal only, padding in front or in the middle is seen ("depend on the real tokens ... and on nothing else") / the loss is a mean of each sentence's mean, not over all real tokens
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
        x = self.embedding(ids)
        x = self.blocks(x, causal_mask(ids.size(1)))
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        losses = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id, reduction="none")  # (B, T)
        real = labels != self.pad_id
        per_sentence = losses.sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()


# %% wrong: the Hugging Face habit, reads all T + 1 tokens and drops the last logits: ids of L + 1 tokens, which the docstrings allow (reads T of them, T at most L), do not fit the positions any more
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
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        shift_logits = logits[:, :-1, :].contiguous()
        shift_labels = ids[:, 1:].contiguous()
        return F.cross_entropy(
            shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1), ignore_index=self.pad_id
        )


# %% right: mask by comparing places, surprise of each label as logsumexp minus its logit
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
        place = torch.arange(ids.shape[1], device=ids.device)
        real = ids.ne(self.pad_id)[:, None, None, :]  # (B, 1, 1, T)
        allowed = torch.logical_and(real, torch.ge(place[:, None], place))  # (B, 1, T, T)
        decoded = self.blocks(self.embedding(ids), mask=allowed)
        return torch.einsum("btd,vd->btv", decoded, self.readout.weight) + self.readout.bias

    def loss(self, ids: Tensor) -> Tensor:
        read, asked = ids[:, :-1], ids[:, 1:]
        counts = asked.ne(self.pad_id)  # (B, T)
        logits, wanted = self(read)[counts], asked[counts]  # (N, V), (N,)
        surprise = logits.logsumexp(dim=-1) - logits[torch.arange(len(wanted)), wanted]
        return surprise.sum() / len(wanted)
