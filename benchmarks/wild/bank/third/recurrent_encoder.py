# %% wrong: h is taken at the last real word, c after the padding
# true: c_after_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        real = source != self.pad_id
        lengths = real.sum(dim=1)
        states, (_, c) = self.lstm(self.embedding(source))
        h = states[torch.arange(source.size(0)), lengths - 1]
        states = states * real.unsqueeze(-1)
        return states, (h, c[-1])


# %% wrong: the states are only as wide as the longest sentence, not as the batch / squeeze() takes the batch axis of a batch of one away
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(dim=1).cpu()
        embedded = self.embedding(source)
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_out, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(packed_out, batch_first=True)
        return states, (h.squeeze(), c.squeeze())


# %% wrong: sorts the sentences by length and puts the states back in their order, but not h and c
# true: last_not_sorted_back
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = source.ne(self.pad_id).sum(1)
        # pack_padded_sequence wants the longest first
        sorted_lengths, perm_idx = lengths.sort(descending=True)
        _, unperm_idx = perm_idx.sort()
        packed = pack_padded_sequence(self.embedding(source[perm_idx]), sorted_lengths.cpu(), batch_first=True)
        output, (h, c) = self.lstm(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, total_length=source.size(1))
        return output[unperm_idx], (h.squeeze(0), c.squeeze(0))


# %% right: a loop over the words in which a sentence that has ended keeps its state
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        words = self.embedding(source)  # (B, S, D)
        B, S, D = words.shape
        real = (source != self.pad_id).unsqueeze(-1)  # (B, S, 1)
        h, c = words.new_zeros(B, D), words.new_zeros(B, D)
        states = []
        for s in range(S):
            _, (next_h, next_c) = self.lstm(words[:, s : s + 1], (h[None], c[None]))  # (1, B, D) each
            h = torch.where(real[:, s], next_h[0], h)
            c = torch.where(real[:, s], next_c[0], c)
            states.append(torch.where(real[:, s], next_h[0], torch.zeros_like(h)))
        return torch.stack(states, dim=1), (h, c)
