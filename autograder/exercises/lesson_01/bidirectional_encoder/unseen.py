# %% wrong (fifth): whole rows are flipped, so the second LSTM begins with padding and misses words
# true: row_mirrored_and_masked
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(dim=1)
        words = self.embedding(source)
        forward, h1, c1 = self.read(self.left_to_right, words, lengths)
        backward, h2, c2 = self.read(self.right_to_left, words.flip(1), lengths)
        mask = (source != self.pad_id).unsqueeze(-1)
        states = torch.cat([forward, backward.flip(1)], dim=-1) * mask
        return states, (torch.cat([h1, h2], dim=-1), torch.cat([c1, c2], dim=-1))


# %% wrong (fifth): the second LSTM's states aren't swapped back
# true: states_left_mirrored
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(1)  # (B,)
        words = self.embedding(source)  # (B, S, D)
        positions = torch.arange(source.size(1), device=source.device)[None]  # (1, S)
        ends = lengths[:, None]
        swap = torch.where(positions < ends, ends - 1 - positions, positions)  # (B, S)
        turned = words.gather(1, swap[:, :, None].expand_as(words))
        right, h_right, c_right = self.read(self.left_to_right, words, lengths)
        left, h_left, c_left = self.read(self.right_to_left, turned, lengths)
        return torch.cat((right, left), -1), (torch.cat((h_right, h_left), -1), torch.cat((c_right, c_left), -1))


# %% wrong (fifth): h is the joined state of the last word, where right_to_left has read only one
# true: state_of_the_last_word
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(1)  # (B,)
        words = self.embedding(source)  # (B, S, D)
        positions = torch.arange(source.size(1), device=source.device).expand_as(source)
        swap = torch.where(positions < lengths[:, None], lengths[:, None] - 1 - positions, positions)
        rows = torch.arange(source.size(0), device=source.device)
        ahead, _, c_ahead = self.read(self.left_to_right, words, lengths)
        back, _, c_back = self.read(self.right_to_left, words[rows[:, None], swap], lengths)
        states = torch.cat([ahead, back[rows[:, None], swap]], dim=-1)  # (B, S, D)
        h = states[rows, lengths - 1]  # (B, D), at the last real token
        return states, (h, torch.cat([c_ahead, c_back], dim=-1))


# %% wrong (fifth): in h and c, the numbers of right_to_left come first
# true: last_right_to_left_first
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        real = source != self.pad_id
        lengths = real.sum(dim=1)
        positions = torch.arange(source.size(1), device=source.device).unsqueeze(0)
        swap = torch.where(real, lengths.unsqueeze(1) - 1 - positions, positions).unsqueeze(2)  # (B, S, 1)
        words = self.embedding(source)
        results = []
        for lstm in (self.right_to_left, self.left_to_right):
            backwards = lstm is self.right_to_left
            states, h, c = self.read(lstm, words.take_along_dim(swap, 1) if backwards else words, lengths)
            results.append((states.take_along_dim(swap, 1) if backwards else states, h, c))
        states = torch.cat([results[1][0], results[0][0]], dim=-1)
        h = torch.cat([h for _, h, _ in results], dim=-1)
        c = torch.cat([c for _, _, c in results], dim=-1)
        return states, (h, c)


# %% wrong (fifth): lengths count ids that are not 0, whatever pad_id is
# true: pad_taken_for_0
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = source.count_nonzero(dim=1)  # (B,)
        words = self.embedding(source)  # (B, S, D)
        positions = torch.arange(source.size(1), device=source.device)
        n = lengths.unsqueeze(1)
        swap = torch.where(positions < n, n - 1 - positions, positions).unsqueeze(-1)  # (B, S, 1)
        fw, h_fw, c_fw = self.read(self.left_to_right, words, lengths)
        bw, h_bw, c_bw = self.read(self.right_to_left, torch.take_along_dim(words, swap, dim=1), lengths)
        bw = torch.take_along_dim(bw, swap, dim=1)
        return torch.cat([fw, bw], -1), (torch.cat([h_fw, h_bw], -1), torch.cat([c_fw, c_bw], -1))


# %% wrong (fifth): the index is clamped at 0, so padding gets a real state of the second LSTM
# true: state_at_padding
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(1)  # (B,)
        words = self.embedding(source)  # (B, S, D)
        positions = torch.arange(source.size(1), device=source.device)  # (S,)
        index = (lengths[:, None] - 1 - positions).clamp(min=0)[:, :, None]  # (B, S, 1)
        fw, h_fw, c_fw = self.read(self.left_to_right, words, lengths)
        bw, h_bw, c_bw = self.read(self.right_to_left, words.take_along_dim(index, dim=1), lengths)
        states = torch.cat([fw, bw.take_along_dim(index, dim=1)], dim=-1)
        return states, (torch.cat([h_fw, h_bw], dim=-1), torch.cat([c_fw, c_bw], dim=-1))


# %% wrong (fifth): left_to_right reads both directions, and right_to_left is never used
# true: one_lstm_for_both
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        words = self.embedding(source)  # (B, S, D)
        lengths = (source != self.pad_id).sum(dim=1)  # (B,)
        position = torch.arange(source.shape[1], device=source.device).expand(source.shape)
        swap = torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)
        batch = torch.arange(source.shape[0], device=source.device)[:, None]
        states_a, h_a, c_a = self.read(self.left_to_right, words, lengths)
        states_b, h_b, c_b = self.read(self.left_to_right, words[batch, swap], lengths)
        states = torch.cat([states_a, states_b[batch, swap]], dim=2)
        return states, (torch.cat([h_a, h_b], dim=1), torch.cat([c_a, c_b], dim=1))


# %% wrong (fifth): the batch is sorted by length and never put back in its order
# true: sorted_by_length
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(1)
        lengths, order = lengths.sort(descending=True)  # the longest first, for packing
        source = source[order]
        words = self.embedding(source)
        positions = torch.arange(source.size(1), device=source.device)[None, :]
        swap = torch.where(positions < lengths[:, None], lengths[:, None] - 1 - positions, positions)[..., None]
        fw, h_fw, c_fw = self.read(self.left_to_right, words, lengths)
        bw, h_bw, c_bw = self.read(self.right_to_left, words.take_along_dim(swap, 1), lengths)
        states = torch.cat([fw, bw.take_along_dim(swap, 1)], dim=-1)
        return states, (torch.cat([h_fw, h_bw], dim=-1), torch.cat([c_fw, c_bw], dim=-1))


# %% wrong (fifth): length is the place of the first pad, so a row without padding has 0 and fails
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source == self.pad_id).int().argmax(dim=1)  # (B,): where padding begins
        words = self.embedding(source)
        positions = torch.arange(source.size(1), device=source.device).expand_as(source)
        n = lengths.unsqueeze(1)
        swap = torch.where(positions < n, n - 1 - positions, positions).unsqueeze(-1)
        fw, h_fw, c_fw = self.read(self.left_to_right, words, lengths)
        bw, h_bw, c_bw = self.read(self.right_to_left, words.take_along_dim(swap, dim=1), lengths)
        states = torch.cat([fw, bw.take_along_dim(swap, dim=1)], dim=-1)
        return states, (torch.cat([h_fw, h_bw], dim=-1), torch.cat([c_fw, c_bw], dim=-1))


# %% wrong (fifth): words are reversed in place without a copy, so both LSTMs read them reversed
# true: mirrored_in_place
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(1)  # (B,)
        words = self.embedding(source)  # (B, S, D)
        backwards = words
        for row, n in enumerate(lengths.tolist()):
            backwards[row, :n] = backwards[row, :n].flip(0)
        fw, h_fw, c_fw = self.read(self.left_to_right, words, lengths)
        bw, h_bw, c_bw = self.read(self.right_to_left, backwards, lengths)
        bw = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(bw, lengths.tolist(), strict=True)])
        states = torch.cat([fw, bw], dim=-1)
        return states, (torch.cat([h_fw, h_bw], dim=-1), torch.cat([c_fw, c_bw], dim=-1))


# %% right (fifth): the index is taken modulo S, which also swaps padding among itself
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        length = source.ne(self.pad_id).sum(-1)  # (B,)
        width = source.shape[-1]
        index = (length.unsqueeze(-1) - 1 - torch.arange(width, device=source.device)) % width  # (B, S)

        def swap(vectors: Tensor) -> Tensor:
            return vectors.take_along_dim(index.unsqueeze(-1), dim=1)

        words = self.embedding(source)
        a, *last_a = self.read(self.left_to_right, words, length)
        b, *last_b = self.read(self.right_to_left, swap(words), length)
        h, c = (torch.cat(two, dim=-1) for two in zip(last_a, last_b, strict=True))
        return torch.cat((a, swap(b)), dim=-1), (h, c)


# %% right (fifth): every sentence is read alone, without padding, and padded afterwards
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        all_states, all_h, all_c = [], [], []
        for row in source:
            ids = row[row != self.pad_id]  # (n,)
            n = torch.tensor([len(ids)])
            words = self.embedding(ids)[None]  # (1, n, D)
            ahead, h_ahead, c_ahead = self.read(self.left_to_right, words, n)
            back, h_back, c_back = self.read(self.right_to_left, words.flip(1), n)
            states = torch.cat([ahead, back.flip(1)], dim=-1)[0]  # (n, D)
            all_states.append(F.pad(states, (0, 0, 0, source.size(1) - len(ids))))
            all_h.append(torch.cat([h_ahead, h_back], dim=-1))
            all_c.append(torch.cat([c_ahead, c_back], dim=-1))
        return torch.stack(all_states), (torch.cat(all_h), torch.cat(all_c))


# %% right (fifth): the second LSTM goes from the last column to the first and keeps zeros at padding
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        words, real = self.embedding(source), source != self.pad_id
        ahead, h_ahead, c_ahead = self.read(self.left_to_right, words, real.sum(dim=1))
        h, c = torch.zeros_like(h_ahead), torch.zeros_like(c_ahead)  # (B, D/2)
        columns = []
        for t in range(source.size(1) - 1, -1, -1):
            _, (new_h, new_c) = self.right_to_left(words[:, t : t + 1], (h[None], c[None]))
            here = real[:, t, None]  # (B, 1)
            h, c = torch.where(here, new_h[0], h), torch.where(here, new_c[0], c)
            columns.insert(0, h)
        states = torch.cat([ahead, torch.stack(columns, dim=1)], dim=-1)
        return states, (torch.cat([h_ahead, h], dim=-1), torch.cat([c_ahead, c], dim=-1))


# %% right (fifth): argsort gives the swap, and ids are swapped before they are embedded
class BidirectionalEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        real = source != self.pad_id
        place = torch.arange(source.size(1), device=source.device).expand_as(source)
        order = torch.where(real, -place, place).argsort(dim=1)  # the words from the last to the first, then padding
        back_again = order.argsort(dim=1)
        n = real.sum(dim=1)
        forwards, h_f, c_f = self.read(self.left_to_right, self.embedding(source), n)
        reversed_states, h_r, c_r = self.read(self.right_to_left, self.embedding(source.gather(1, order)), n)
        index = back_again[:, :, None].expand(-1, -1, reversed_states.size(-1))
        states = torch.cat([forwards, reversed_states.gather(1, index)], dim=-1)
        return states, (torch.hstack([h_f, h_r]), torch.hstack([c_f, c_r]))
