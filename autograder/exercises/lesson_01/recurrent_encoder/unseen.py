# %% wrong (first): no packing: h and c are those after the last place of the batch, padding is read as words
# true: h_and_c_after_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        states, (h, c) = self.lstm(self.embedding(source))
        real = (source != self.pad_id).unsqueeze(-1)
        return states * real, (h[0], c[0])

# %% wrong (first): sorts the sentences by length and does not put them back in their order
# true: order_of_lengths_kept
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        lengths, perm = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(source[perm]), lengths.cpu(), batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        return out, (h.squeeze(0), c.squeeze(0))

# %% wrong (first): "unsorts" with the sorting permutation itself in place of its inverse
# true: sorted_back_by_the_same_order
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = source.ne(self.pad_id).sum(dim=1)
        sorted_lengths, order = torch.sort(lengths, descending=True)
        embedded = self.embedding(source)[order]
        packed = pack_padded_sequence(embedded, sorted_lengths.tolist(), batch_first=True)
        states, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return states[order], (h[0][order], c[0][order])

# %% wrong (first): total_length is left out, the states are only as wide as the longest sentence
# true: width_of_the_longest
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(dim=1).cpu()
        x = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, (h, c) = self.lstm(x)
        states, _ = pad_packed_sequence(states, batch_first=True)
        return states, (h[-1], c[-1])

# %% wrong (first): padding is taken for id 0 whatever pad_id is
# true: pad_taken_for_0
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = torch.count_nonzero(source, dim=1).clamp(min=1)
        packed = pack_padded_sequence(self.embedding(source), lengths.to("cpu"), batch_first=True, enforce_sorted=False)
        out, (hidden, cell) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        return out, (hidden.squeeze(0), cell.squeeze(0))

# %% wrong (first): c is taken after the whole width, only h is gathered at the last real word
# true: c_after_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        mask = source != self.pad_id
        states, (_, c) = self.lstm(self.embedding(source))
        last = mask.sum(dim=1) - 1
        h = states[torch.arange(len(source)), last]
        states = states.masked_fill(~mask.unsqueeze(-1), 0.0)
        return states, (h, c.squeeze(0))

# %% wrong (first): states at padding are not zeroed (h and c are right, from a second packed run)
# true: states_at_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        e = self.embedding(source)
        lengths = (source != self.pad_id).sum(1).tolist()
        states, _ = self.lstm(e)
        _, (h, c) = self.lstm(pack_padded_sequence(e, lengths, batch_first=True, enforce_sorted=False))
        return states, (h[0], c[0])

# %% wrong (first): padding's embedding is zeroed and the LSTM reads on over it, its biases move h and c all the same
# true: padding_read_as_zeros
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        real = (source != self.pad_id).unsqueeze(-1).float()
        embedded = self.embedding(source) * real.to(self.embedding.weight.dtype)
        states, (h, c) = self.lstm(embedded)
        return states * real.to(states.dtype), (h.squeeze(0), c.squeeze(0))

# %% wrong (first): h and c keep the layer axis, (1, B, D) in place of (B, D)
# true: axis_of_layers_kept
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        packed = pack_padded_sequence(self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, state = self.lstm(packed)
        states, _ = pad_packed_sequence(packed_states, batch_first=True, padding_value=0.0, total_length=source.shape[1])
        return states, state

# %% wrong (first): h and c are squeezed without an axis, so a batch of one loses its batch axis
# true: every_axis_of_one_squeezed
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        packed = pack_padded_sequence(self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=source.shape[1])
        return out, (h.squeeze(), c.squeeze())

# %% wrong (first): lengths are one too long (index of the first pad counted in), so the first padding is still read
# true: first_padding_read
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        S = source.size(1)
        lengths = []
        for sentence in source.tolist():
            lengths.append(sentence.index(self.pad_id) + 1 if self.pad_id in sentence else S)
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, (h, c) = self.lstm(packed)
        states = pad_packed_sequence(states, batch_first=True, total_length=S)[0]
        return states, (h[0], c[0])

# %% wrong (first): all sentences get the length of the longest one
# true: longest_length_for_all
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        B, S = source.shape
        lengths = torch.full((B,), int((source != self.pad_id).sum(1).max()), dtype=torch.long)
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True)
        states, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=S)
        return states, (h.squeeze(0), c.squeeze(0))

# %% wrong (first): the last state of the batch is gathered at S - 1 after zeroing, so h of short sentences is zero / c comes after the padding
# true: h_and_c_after_padding, state_of_the_last_column
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        states, (_, c) = self.lstm(self.embedding(source))
        states = states * (source != self.pad_id).unsqueeze(2).to(states.dtype)
        return states, (states[:, -1], c[0])

# %% wrong (first): a loop with carry that masks h but lets the memory c run on over padding
# true: memory_runs_on_over_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        e = self.embedding(source)
        B, S, D = e.shape
        h, c = e.new_zeros(B, D), e.new_zeros(B, D)
        outs = []
        for t in range(S):
            out, (h_new, c_new) = self.lstm(e[:, t:t + 1], (h.unsqueeze(0), c.unsqueeze(0)))
            m = (source[:, t] != self.pad_id).to(e.dtype).unsqueeze(1)
            h = m * h_new[0] + (1 - m) * h
            c = c_new[0]
            outs.append(out[:, 0] * m)
        return torch.stack(outs, 1), (h, c)

# %% wrong (first): sentences are read one by one and each state starts where the last sentence ended, so neighbours disturb each other
# true: state_carried_to_the_next_sentence
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        B, S = source.shape
        D = self.embedding.embedding_dim
        states = self.embedding.weight.new_zeros(B, S, D)
        hs, cs, state = [], [], None
        for b in range(B):
            n = int((source[b] != self.pad_id).sum())
            out, state = self.lstm(self.embedding(source[b, :n]).unsqueeze(0), state)
            states[b, :n] = out[0]
            hs.append(state[0][0, 0])
            cs.append(state[1][0, 0])
        return states, (torch.stack(hs), torch.stack(cs))

# %% wrong (first): the batch is turned round and read from right to left, padding first
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        flipped = torch.flip(source, dims=[1])
        states, (h, c) = self.lstm(self.embedding(flipped))
        states = states.flip(1).masked_fill((source == self.pad_id)[..., None], 0.0)
        return states, (h[0], c[0])

# %% wrong (first): the LSTM is handed the embeddings with time first though it expects the batch first, so it reads across sentences / the state is handed over as the memory too
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        e = self.embedding(source).transpose(0, 1)  # (S, B, D)
        out, _ = self.lstm(e)
        out = out.transpose(0, 1)
        mask = source != self.pad_id
        last = (mask.sum(1) - 1).view(-1, 1, 1).expand(-1, 1, out.size(2))
        h = out.gather(1, last).squeeze(1)
        return out * mask.unsqueeze(-1).to(out.dtype), (h, h)

# %% wrong (first): c and h are returned in the other order / the states stay as wide as the longest sentence
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = (source != self.pad_id).sum(1).cpu().numpy()
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        packed, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True)
        return states, (c[-1], h[-1])

# %% wrong (first): the memory of the last place is used for all / states at padding keep their values
# true: padding_read_but_h
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        states, (_, c) = self.lstm(self.embedding(source))
        lengths = (source != self.pad_id).sum(dim=1)
        h = torch.cat([states[b, n - 1].unsqueeze(0) for b, n in enumerate(lengths.tolist())], dim=0)
        return states, (h, c.squeeze(0))

# %% right (first): pack and pad, enforce_sorted=False
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        lengths = (source != self.pad_id).sum(dim=1).cpu()
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, (h, c) = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.size(1))
        return states, (h[0], c[0])

# %% right (first): sorts itself and restores the order with argsort
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        lengths = source.ne(self.pad_id).sum(1)
        lengths, order = lengths.sort(descending=True)
        back = order.argsort()
        packed = pack_padded_sequence(self.embedding(source.index_select(0, order)), lengths.tolist(), batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, padding_value=0.0, total_length=source.shape[1])
        return out.index_select(0, back), (h.squeeze(0)[back], c.squeeze(0)[back])

# %% right (first): a loop of steps, torch.where keeps state and memory at padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        embedded = self.embedding(source)
        h = torch.zeros_like(embedded[:, 0])
        c = torch.zeros_like(h)
        outputs = []
        for t in range(source.shape[1]):
            _, (h1, c1) = self.lstm(embedded[:, t, None], (h[None], c[None]))
            real = source[:, t, None] != self.pad_id
            outputs.append(torch.where(real, h1[0], torch.zeros_like(h)))
            h, c = torch.where(real, h1[0], h), torch.where(real, c1[0], c)
        return torch.stack(outputs, dim=1), (h, c)

# %% right (first): sentence by sentence, cut to its length, F.pad
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source):
        states, hs, cs = [], [], []
        for sentence in source:
            n = int((sentence != self.pad_id).sum())
            out, (h, c) = self.lstm(self.embedding(sentence[:n])[None])
            states.append(F.pad(out[0], (0, 0, 0, len(sentence) - n)))
            hs.append(h[0, 0])
            cs.append(c[0, 0])
        return torch.stack(states), (torch.stack(hs), torch.stack(cs))

# %% wrong (second): the batch is sorted by length and only the states are put back in order, not h and c / the states are only as wide as the longest sentence
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


# %% wrong (second): the state is taken at each sentence's last word, but the memory from the end of the rectangle, after the padding
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


# %% wrong (second): squeeze() without an axis takes the batch axis of h and c away too where there is one sentence
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


# %% right (second): a loop over time in which finished sentences keep their state
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

# %% wrong (third): h is taken at the last real word, c after the padding
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


# %% wrong (third): the states are only as wide as the longest sentence, not as the batch / squeeze() takes the batch axis of a batch of one away
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


# %% wrong (third): sorts the sentences by length and puts the states back in their order, but not h and c
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


# %% right (third): a loop over the words in which a sentence that has ended keeps its state
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

# %% wrong (last): the states are cut at the longest sentence, pad_packed_sequence without total_length
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


# %% wrong (last): sorted by length by hand, and only the states are brought back into order, h and c are not
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


# %% right (last): each sentence is read alone, without its padding, and the batch is put together afterwards
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


# %% wrong (fifth): squeeze without an axis also drops the batch axis of a single sentence
# true: every_axis_of_one_squeezed
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
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=source.size(1))
        return states, (h.squeeze(), c.squeeze())


# %% wrong (fifth): c is taken after the padding; only h is from the last real token
# true: c_after_padding
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        mask = source != self.pad_id  # (B, S)
        states, (_, c) = self.lstm(self.embedding(source))
        states = states * mask.unsqueeze(-1)
        last = mask.sum(dim=1) - 1  # (B,)
        h = states[torch.arange(len(source), device=source.device), last]
        return states, (h, c[0])


# %% right (fifth): one column after the other, and h and c stay where a sentence has ended
class RecurrentEncoder(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        words, real = self.embedding(source), source.ne(self.pad_id).unsqueeze(-1)  # (B, S, D), (B, S, 1)
        h = c = words.new_zeros(1, source.size(0), self.lstm.hidden_size)
        states = []
        for t in range(source.size(1)):
            out, (next_h, next_c) = self.lstm(words[:, [t]], (h, c))
            h = torch.where(real[:, t], next_h, h)
            c = torch.where(real[:, t], next_c, c)
            states.append(out.masked_fill(~real[:, [t]], 0.0))
        return torch.cat(states, dim=1), (h[0], c[0])
