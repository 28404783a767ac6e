# %% right: sentence by sentence
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        all_states, hs, cs = [], [], []
        for row in source:
            words = self.embedding(row[row != self.pad_id])
            there, (h, c) = self.left_to_right(words)
            back, (back_h, back_c) = self.right_to_left(words.flip(0))
            joined = torch.cat([there, back.flip(0)], dim=1)
            all_states.append(F.pad(joined, (0, 0, 0, len(row) - len(words))))
            hs.append(torch.cat([h[0], back_h[0]]))
            cs.append(torch.cat([c[0], back_c[0]]))
        return torch.stack(all_states), (torch.stack(hs), torch.stack(cs))


# %% right: the ids are reversed
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        lengths = source.ne(self.pad_id).sum(1)
        turned = source.clone()
        for row, n in zip(turned, lengths.tolist()):  # noqa: B905
            row[:n] = row[:n].flip(0)
        a, h, c = self.read(self.left_to_right, self.embedding(source), lengths)
        b, h_back, c_back = self.read(self.right_to_left, self.embedding(turned), lengths)
        b = torch.stack([torch.cat([states[:n].flip(0), states[n:]]) for states, n in zip(b, lengths.tolist())])  # noqa: B905
        return torch.cat((a, b), 2), (torch.cat((h, h_back), 1), torch.cat((c, c_back), 1))


# %% right: gather
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        real = source != self.pad_id
        n = real.sum(dim=1, keepdim=True)
        index = (n - 1 - torch.arange(source.shape[1])) % source.shape[1]
        embedded = self.embedding(source)
        states, *last = self.read(self.left_to_right, embedded, n[:, 0])
        turned = embedded.gather(1, index[..., None].expand_as(embedded))
        back, *back_last = self.read(self.right_to_left, turned, n[:, 0])
        back = back.gather(1, index[..., None].expand_as(back)) * real[..., None]
        h, c = (torch.cat(pair, dim=1) for pair in zip(last, back_last))  # noqa: B905
        return torch.cat([states, back], dim=2), (h, c)


# %% right: through torch's bidirectional LSTM
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        width = self.embedding.embedding_dim
        both = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)
        weights = dict(self.left_to_right.named_parameters())
        weights |= {name + "_reverse": weight for name, weight in self.right_to_left.named_parameters()}
        lengths = (source != self.pad_id).sum(1)
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, (h, c) = torch.func.functional_call(both, weights, (packed,))
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.size(1))
        return states, (h.transpose(0, 1).flatten(1), c.transpose(0, 1).flatten(1))


# %% right: step by step
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        embedded, real = self.embedding(source), (source != self.pad_id).unsqueeze(-1)
        found = []
        for lstm, order in ((self.left_to_right, range(source.size(1))), (self.right_to_left, range(source.size(1))[::-1])):
            h = c = embedded.new_zeros(source.size(0), lstm.hidden_size)
            states = [h] * source.size(1)
            for t in order:
                _, (new_h, new_c) = lstm(embedded[:, [t]], (h[None], c[None]))
                h, c = torch.where(real[:, t], new_h[0], h), torch.where(real[:, t], new_c[0], c)
                states[t] = h * real[:, t]
            found.append((torch.stack(states, dim=1), h, c))
        states, h, c = (torch.cat(parts, dim=-1) for parts in zip(*found))  # noqa: B905
        return states, (h, c)


# %% wrong: flip and flip back
# true: padding_read
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        embedded = self.embedding(source)
        there, (h, c) = self.left_to_right(embedded)
        back, (back_h, back_c) = self.right_to_left(embedded.flip(1))
        last = torch.cat([h[0], back_h[0]], 1), torch.cat([c[0], back_c[0]], 1)
        return torch.cat([there, back.flip(1)], 2), last


# %% wrong: left half twice
# true: left_to_right_twice
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        n = (source != self.pad_id).sum(1)
        words = self.embedding(source)
        turned = torch.stack([torch.cat([row[:k].flip(0), row[k:]]) for row, k in zip(words, n.tolist())])  # noqa: B905
        there, h, c = self.read(self.left_to_right, words, n)
        back, _, _ = self.read(self.right_to_left, turned, n)
        back = torch.stack([torch.cat([row[:k].flip(0), row[k:]]) for row, k in zip(back, n.tolist())])  # noqa: B905
        return torch.cat([there, back], -1), (h.repeat(1, 2), c.repeat(1, 2))


# %% wrong: states not put back
# true: states_left_mirrored
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        n = (source != self.pad_id).sum(1)
        there, h, c = self.read(self.left_to_right, self.embedding(source), n)
        rows = [[*row[:k].flip(0).tolist(), *row[k:].tolist()] for row, k in zip(source, n.tolist())]  # noqa: B905
        back, back_h, back_c = self.read(self.right_to_left, self.embedding(torch.tensor(rows)), n)
        return torch.cat([there, back], -1), (torch.cat([h, back_h], -1), torch.cat([c, back_c], -1))


# %% wrong: the last word's states
# true: state_of_the_last_word
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        rows, hs, cs = [], [], []
        for row in source:
            words = self.embedding(row[row != self.pad_id])
            there, (_, c) = self.left_to_right(words)
            back, (_, back_c) = self.right_to_left(words.flip(0))
            both = torch.cat([there, back.flip(0)], dim=1)
            rows.append(F.pad(both, (0, 0, 0, len(row) - len(words))))
            hs.append(both[-1])
            cs.append(torch.cat([c[0], back_c[0]]))
        return torch.stack(rows), (torch.stack(hs), torch.stack(cs))


# %% trivial: zeros
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        states = torch.zeros(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, 0])


# %% trivial: the embeddings
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        embedded = self.embedding(source) * (source != self.pad_id).unsqueeze(-1)
        return embedded, (embedded.sum(dim=1), embedded.sum(dim=1))


# %% trivial: one direction and zeros
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        lengths = (source != self.pad_id).sum(dim=1)
        states, h, c = self.read(self.left_to_right, self.embedding(source), lengths)
        return torch.cat([states, 0 * states], -1), (torch.cat([h, 0 * h], -1), torch.cat([c, 0 * c], -1))


# %% trivial: noise
class BidirectionalEncoder(BidirectionalEncoder):
    def forward(self, source):
        states = torch.randn(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, -1])
