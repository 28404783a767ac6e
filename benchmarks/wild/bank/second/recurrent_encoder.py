# %% wrong: the batch is sorted by length and only the states are put back in order, not h and c / the states are only as wide as the longest sentence
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(dim=1)
        sorted_lengths, order = lengths.sort(descending=True)
        embedded = self.embedding(source[order])
        packed = pack_padded_sequence(embedded, sorted_lengths.cpu(), batch_first=True)
        packed_out, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(packed_out, batch_first=True)
        _, back = order.sort()
        states = states[back]
        return states, (h[0], c[0])


# %% wrong: the state is taken at each sentence's last word, but the memory from the end of the rectangle, after the padding
# true: c_after_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        real = source != self.pad_id  # (B, S)
        states, (_, c) = self.lstm(self.embedding(source))
        last = real.sum(1) - 1  # (B,)
        h = states[torch.arange(source.size(0)), last]
        states = states * real.unsqueeze(-1).to(states.dtype)
        return states, (h, c.squeeze(0))


# %% wrong: squeeze() without an axis takes the batch axis of h and c away too where there is one sentence
# true: every_axis_of_one_squeezed
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = source.ne(self.pad_id).sum(-1).tolist()
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        output, (h, c) = self.lstm(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, total_length=source.shape[1])
        return output, (h.squeeze(), c.squeeze())


# %% right: a loop over time in which finished sentences keep their state
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        embedded = self.embedding(source)
        real = (source != self.pad_id).unsqueeze(-1)  # (B, S, 1)
        h = torch.zeros_like(embedded[:, 0])
        c = torch.zeros_like(h)
        outputs = []
        for t in range(source.size(1)):
            _, (h_new, c_new) = self.lstm(embedded[:, t : t + 1], (h.unsqueeze(0), c.unsqueeze(0)))
            alive = real[:, t]
            h = torch.where(alive, h_new.squeeze(0), h)
            c = torch.where(alive, c_new.squeeze(0), c)
            outputs.append(torch.where(alive, h, torch.zeros_like(h)))
        return torch.stack(outputs, dim=1), (h, c)
