# %% wrong: the states are cut at the longest sentence, pad_packed_sequence without total_length
# true: width_of_the_longest
# Violates "States: (B, S, D)" where "the longest may be shorter than the batch is wide".
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(dim=1).cpu()
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        output, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(output, batch_first=True)
        return states, (h.squeeze(0), c.squeeze(0))


# %% wrong: sorted by length by hand, and only the states are brought back into order, h and c are not
# true: last_not_sorted_back
# Violates "h and c: (B, D) each, state and memory after a sentence's last real token": they are another sentence's.
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = source.ne(self.pad_id).sum(1)
        sorted_lengths, perm = lengths.sort(descending=True)
        _, unperm = perm.sort()
        embedded = self.embedding(source[perm])
        packed = pack_padded_sequence(embedded, sorted_lengths.cpu(), batch_first=True)
        output, (h, c) = self.lstm(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, total_length=source.size(1))
        return output[unperm], (h[0], c[0])


# %% right: each sentence is read alone, without its padding, and the batch is put together afterwards
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        width = source.shape[1]
        read = [self.lstm(self.embedding(sentence[sentence != self.pad_id])) for sentence in source]  # unbatched
        states = torch.stack([F.pad(out, (0, 0, 0, width - len(out))) for out, _ in read])
        h, c = (torch.cat([last[which] for _, last in read]) for which in (0, 1))
        return states, (h, c)
